//! Other programs as players of a match: UGI and UCI over pipes.
//!
//! Nothing that such a program does may stop the match: every wait has an end, every line a maximum length,
//! and a program that fails is killed and started again for the next game.

use super::words::{bestmove, fen, go, position, setting, wins_at_once};
use crate::commands::ugi::dialect::Dialect;
use engine::arena::{Fault, Player};
use engine::{Limits, Session, Stop};
use rules::Info;
use rules::game::shorten;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How to start a program and what to tell it.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub dialect: Dialect,
    pub command: String,
    pub arguments: Vec<String>,
    /// Settings, in the order in which they are sent.
    pub options: Vec<(String, String)>,
    pub limits: Limits,
}

/// How long a program may take to get ready.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may think if only nodes or depth are limited.
const LONGEST: Duration = Duration::from_secs(60);
/// The longest line that is read.
const MOST_BYTES: u64 = 1 << 16;
/// How many lines may wait to be read; a program that writes more has to wait.
const MOST_LINES: usize = 64;
/// How many bytes of a greeting are kept, far more than any list of options has.
const MOST_GREETING: usize = 1 << 20;

enum Said {
    Line(String),
    TooLong,
}

pub struct External {
    dialect: Dialect,
    limits: Limits,
    margin: Duration,
    child: Child,
    input: ChildStdin,
    output: Receiver<Said>,
}

impl Program {
    /// Starts the program and sets it up for a game with these options.
    pub fn start(
        &self,
        info: &Info,
        game_options: &Map<String, Value>,
        margin: Duration,
    ) -> Result<External, Fault> {
        let mut external = self.spawn(margin)?;
        external.say(self.dialect.hello())?;
        let declared = external.wait_for(self.dialect.welcome())?;
        for (name, value) in setting(self.dialect, &declared, &self.options, info, game_options)? {
            external.say(&format!("setoption name {name} value {value}"))?;
        }
        external.wait_ready()?;
        Ok(external)
    }

    fn spawn(&self, margin: Duration) -> Result<External, Fault> {
        let failed = |why: String| Fault::Crash(format!("cannot start {}: {why}", self.command));
        let mut child = Command::new(&self.command)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (Some(input), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no pipes".into()));
        };
        let (sender, output) = sync_channel(MOST_LINES);
        // Never joined: a child of the program may keep the pipe open.
        std::thread::spawn(move || read_lines(BufReader::new(stdout), &sender));
        let (dialect, limits) = (self.dialect, self.limits.clone());
        Ok(External { dialect, limits, margin, child, input, output })
    }
}

fn read_lines(mut stdout: impl BufRead, sender: &SyncSender<Said>) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match stdout.by_ref().take(MOST_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() as u64 == MOST_BYTES && !line.ends_with(b"\n") => {
                let _ = sender.send(Said::TooLong);
                return;
            }
            Ok(_) => {
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if sender.send(Said::Line(text)).is_err() {
                    return;
                }
            }
        }
    }
}

impl External {
    fn say(&mut self, line: &str) -> Result<(), Fault> {
        let sent = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        sent.map_err(|_| self.gone())
    }

    /// The next line, if it comes before the deadline.
    fn hear(&mut self, deadline: Instant) -> Result<String, Fault> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.output.recv_timeout(left) {
            // A flood of lines must not evade the deadline.
            Ok(Said::Line(_)) if left.is_zero() => Err(Fault::Time),
            Ok(Said::Line(line)) => Ok(line),
            Ok(Said::TooLong) => {
                Err(Fault::Garbage(format!("a line longer than {MOST_BYTES} bytes")))
            }
            Err(RecvTimeoutError::Timeout) => Err(Fault::Time),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
        }
    }

    fn gone(&mut self) -> Fault {
        Fault::Crash(match self.child.try_wait() {
            Ok(Some(status)) => format!("it ended with {status}"),
            _ => "it closed its pipes".into(),
        })
    }

    /// The lines up to one that begins with this word. If it does not come, the program has crashed, whatever its clock
    /// says.
    fn wait_for(&mut self, word: &str) -> Result<Vec<String>, Fault> {
        let patience = PATIENCE + self.margin;
        let deadline = Instant::now() + patience;
        let (mut lines, mut bytes) = (Vec::new(), 0);
        loop {
            match self.hear(deadline) {
                Ok(line) if line.split_whitespace().next() == Some(word) => return Ok(lines),
                Ok(line) => {
                    bytes += line.len() + size_of::<String>();
                    if bytes <= MOST_GREETING {
                        lines.push(line);
                    }
                }
                Err(Fault::Time) => {
                    let seconds = patience.as_secs_f64();
                    return Err(Fault::Crash(format!("no `{word}` within {seconds} s")));
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    fn wait_ready(&mut self) -> Result<(), Fault> {
        self.say("isready")?;
        self.wait_for("readyok").map(drop)
    }

    /// The text after `bestmove`, whatever it is.
    fn answer(&mut self) -> Result<String, Fault> {
        // Discards what was said before the question; a program may talk without end.
        for _ in 0..=MOST_LINES {
            if self.output.try_recv().is_err() {
                break;
            }
        }
        self.say(&go(&self.limits))?;
        let deadline = Instant::now() + self.limits.time.unwrap_or(LONGEST) + self.margin;
        loop {
            let line = self.hear(deadline)?;
            if let Some(answer) = bestmove(&line) {
                return answer.ok_or_else(|| Fault::Garbage(shorten(&line)));
            }
        }
    }
}

impl Player for External {
    fn new_game(&mut self, _seed: u64) -> Result<(), Fault> {
        self.say(self.dialect.new_game())?;
        self.wait_ready()
    }

    fn turn(&mut self, game: &dyn Session, _stop: &Stop) -> Result<String, Fault> {
        self.say(&position(self.dialect, game))?;
        let answer = self.answer()?;
        if self.dialect == Dialect::Ugi || !is_none(&answer) {
            return Ok(answer);
        }
        // Fairy-Stockfish considers Jeson Mor won as soon as a knight that is to move stands on the centre,
        // one ply before it leaves.
        if let Some(turn) = wins_at_once(game) {
            return Ok(turn);
        }
        // And if the opponent missed such a win, it ignores the moves that followed. It does understand
        // the bare board.
        self.say(&format!("position fen {}", fen(&game.text())))?;
        match self.answer()? {
            answer if is_none(&answer) => Err(Fault::Illegal(answer)),
            answer => Ok(answer),
        }
    }
}

/// How UCI programs say that they have no move.
fn is_none(answer: &str) -> bool {
    ["(none)", "0000"].contains(&answer)
}

impl Drop for External {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::find;

    /// A UCI program in bash; `$go` is what it does when it has to move.
    fn fake(go: &str) -> Program {
        let script = format!(
            "while read -r line; do case $line in
               uci) echo 'option name Threads type spin'; echo uciok;;
               isready) echo readyok;;
               go*) {go};;
             esac; done"
        );
        program("bash", &["-c", &script])
    }

    fn program(command: &str, arguments: &[&str]) -> Program {
        Program {
            dialect: Dialect::Uci,
            command: command.into(),
            arguments: arguments.iter().map(|&word| word.into()).collect(),
            options: Vec::new(),
            limits: Limits::time(Duration::from_millis(1)),
        }
    }

    fn start(program: &Program, margin: u64) -> Result<External, Fault> {
        program.start(find("jeson-mor").unwrap().info, &Map::new(), Duration::from_millis(margin))
    }

    /// Its answer in a position, with seconds to think.
    fn answer(go: &str, text: &str) -> Result<String, Fault> {
        let game = (find("jeson-mor").unwrap().from_text)(text, &Map::new()).unwrap();
        let mut external = start(&fake(go), 5000)?;
        external.new_game(1)?;
        external.turn(game.as_ref(), &Stop::default())
    }

    const OPEN: &str = "nnnnn/5/5/5/NNNNN 1";
    const WON: &str = "n3n/5/2N2/5/N4 1";

    #[test]
    fn the_word_behind_bestmove_is_the_answer() {
        let found = answer("echo info depth 1; echo bestmove c1d3 ponder a5b3", OPEN);
        assert_eq!(found, Ok("c1d3".into()));
        // An answer that comes too early does not count for the next question.
        let mut external = start(&fake("echo bestmove a1b3; echo bestmove b1c3"), 5000).unwrap();
        let game = (find("jeson-mor").unwrap().from_text)(OPEN, &Map::new()).unwrap();
        for _ in 0..2 {
            let found = external.turn(game.as_ref(), &Stop::default());
            external.wait_ready().unwrap();
            assert_eq!(found, Ok("a1b3".into()));
        }
    }

    #[test]
    fn none_wins_where_a_turn_wins_at_once_and_loses_elsewhere() {
        assert!(answer("echo 'bestmove (none)'", WON).unwrap().starts_with("c3-"));
        assert!(answer("echo bestmove 0000", WON).unwrap().starts_with("c3-"));
        assert_eq!(answer("echo 'bestmove (none)'", OPEN), Err(Fault::Illegal("(none)".into())));
        // It has lost count of the moves, but knows what to do when it is shown the board.
        let go = "((n++)) && echo bestmove b1c3 || echo 'bestmove (none)'";
        assert_eq!(answer(go, OPEN), Ok("b1c3".into()));
    }

    #[test]
    fn crashes_and_garbage_are_faults() {
        assert!(matches!(answer("exit 3", OPEN), Err(Fault::Crash(_))));
        assert_eq!(answer("echo bestmove", OPEN), Err(Fault::Garbage("bestmove".into())));
        let endless = answer("head -c 200000 /dev/zero | tr '\\0' x", OPEN);
        assert!(matches!(endless, Err(Fault::Garbage(_))), "{endless:?}");
    }

    #[test]
    fn silence_and_a_flood_of_other_words_run_out_of_time() {
        let game = (find("jeson-mor").unwrap().from_text)(OPEN, &Map::new()).unwrap();
        for go in [":", "yes info"] {
            let mut external = start(&fake(go), 20).unwrap();
            assert_eq!(external.turn(game.as_ref(), &Stop::default()), Err(Fault::Time), "{go}");
        }
    }

    #[test]
    fn a_program_that_does_not_start_is_found_out() {
        let why = |program: &Program| match start(program, 20) {
            Err(Fault::Crash(why)) => why,
            Err(fault) => panic!("{fault:?}"),
            Ok(_) => panic!("it started"),
        };
        assert!(why(&program("/does/not/exist", &[])).starts_with("cannot start /does/not/exist"));
        assert!(why(&program("true", &[])).starts_with("it "));
        let wrong = Program { options: vec![("Thread".into(), "1".into())], ..fake(":") };
        assert_eq!(why(&wrong), "the program has no option `Thread`");
        let right = Program { options: vec![("threads".into(), "1".into())], ..fake(":") };
        assert!(start(&right, 20).is_ok());
    }
}
