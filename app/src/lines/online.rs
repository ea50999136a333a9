//! A game on a server in lines of text.
//!
//! Typed lines and news of the server arrive in any order. Lines from a pipe wait for the user's turn. At the end of
//! the input, a player leaves, and a watcher stays to the end. Leaving waits until the server has acknowledged what was
//! played, or for a limited time.

use super::commands::{Typed, Verb, command};
use super::{Lines, MOST_BYTES, time_left};
use crate::commands::play::PlayArgs;
use crate::online::{self, Answer, Change, Connection, News, Opened, Remote, Unsent};
use crate::saves::Saves;
use crate::shell::failure::Failure;
use crate::shell::input::next_line;
use crate::shell::signals;
use crate::sitting::Sitting;
use std::collections::VecDeque;
use std::io::{BufReader, IsTerminal, stdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use table::words::GREETINGS;

const HELP: &[(&str, &str)] = &[
    ("a move", "plays it: type `moves` to see how moves are written"),
    ("moves", "lists the legal moves; `moves c4` those that begin with c4"),
    ("board, pieces", "draws the board again; describes the position in sentences"),
    ("boards", "draws no boards from now on, or draws them again"),
    ("turns, rules", "the turns so far; how the game is played"),
    ("undo, draw", "asks to take a turn back; offers a draw"),
    ("accept, decline", "answers what the other side asks for"),
    ("resign, abort", "gives up; calls the game off, before both have moved"),
    ("rematch", "asks for another game, or goes there when both have asked"),
    ("say hello", "one of a few words to the other side: `say` lists them"),
    ("mute", "hides what the other side says, or shows it again"),
    ("quit", "leaves; the game goes on, and `quadrille join` comes back to it"),
];

/// How long the program waits for the server before it says so.
const SILENTLY: Duration = Duration::from_millis(700);

enum Heard {
    Typed(String),
    InputEnded,
    /// Ctrl-C, or another signal that ends the program.
    Stop,
    News(News),
}

/// Plays a game on a server, or looks on, and the rematches that follow.
pub fn run(args: &PlayArgs, saves: Saves, opened: Opened) -> Result<(), Failure> {
    let mut lines = Lines::new(args, saves.clone());
    let (tell, heard) = channel();
    listen_to_signals(tell.clone())?;
    read_lines(tell.clone());
    let mut typed = Input { waiting: VecDeque::new(), ended: false };
    let mut next = Some(opened);
    // Refusals of games before a rematch.
    let mut refused = Vec::new();
    while let Some(opened) = next.take() {
        let plays = !opened.sitting.looks_on();
        let mut game = Game::open(opened, &tell);
        let left = game.play(&mut lines, &mut typed, &heard);
        // A connection that broke for good brings no answers.
        if !matches!(left, Err(Failure::User(_))) {
            game.settle(&mut lines, &mut typed, &heard);
        }
        refused.extend_from_slice(game.remote.refused_turns());
        if let Err(trouble) = game.remote.put_off(&game.sitting, &saves) {
            lines.say(&trouble)?;
        }
        if let Some(link) = accounted(left, &game.remote.unsent(&game.sitting), &refused)? {
            let opened = if plays { online::join(&link, "", &saves) } else { online::watch(&link) };
            next = Some(opened.map_err(Failure::user)?);
        }
    }
    Ok(())
}

/// How a game was left: a failure unless the server has everything that was shown as played.
fn accounted(
    left: Result<Option<String>, Failure>,
    unsent: &[String],
    refused: &[String],
) -> Result<Option<String>, Failure> {
    let goes_on = matches!(left, Ok(Some(_)));
    let lost = online::lost(unsent, if goes_on { &[] } else { refused });
    match (left, lost) {
        (left, None) => left,
        (Ok(_) | Err(Failure::Closed), Some(lost)) => Err(anyhow::anyhow!(lost).into()),
        (Err(failure), Some(lost)) => Err(anyhow::anyhow!("{}; {lost}", failure.message()).into()),
    }
}

/// The first signal leaves the game, another one does not wait for the server, the third ends the program.
fn listen_to_signals(tell: Sender<Heard>) -> Result<(), Failure> {
    let mut count = 0;
    signals::listen(signals::ENDING, move |signal| {
        count += 1;
        if tell.send(Heard::Stop).is_err() || count > 2 {
            let _ = signals::obey(signal);
        }
        true
    })?;
    Ok(())
}

fn read_lines(tell: Sender<Heard>) {
    std::thread::spawn(move || {
        let (mut input, mut line) = (BufReader::new(stdin()), Vec::new());
        while let Ok(true) = next_line(&mut input, &mut line, MOST_BYTES) {
            let text = String::from_utf8_lossy(&line);
            let text = text.chars().filter(|c| !c.is_control()).collect();
            if tell.send(Heard::Typed(text)).is_err() {
                return;
            }
        }
        // The receiver is gone when the program ends.
        let _ = tell.send(Heard::InputEnded);
    });
}

/// Lines that have not been executed yet.
struct Input {
    waiting: VecDeque<String>,
    ended: bool,
}

struct Game {
    sitting: Sitting,
    remote: Remote,
    plays: bool,
    /// Whether the user has been told that it is their turn.
    prompted: bool,
    /// A turn of an earlier session that the server has not acknowledged.
    unsent: Option<Unsent>,
}

enum After {
    Stay,
    /// It has to wait for the other side.
    Wait,
    Quit,
    Next(String),
}

impl Game {
    fn open(opened: Opened, tell: &Sender<Heard>) -> Game {
        let Opened { sitting, link, unsent, invitation } = opened;
        let (plays, tell) = (!sitting.looks_on(), tell.clone());
        let tell = move |news| tell.send(Heard::News(news)).is_ok();
        let connection = Connection::open(&link, &sitting.state, tell);
        let remote = Remote::new(link, Some(connection), invitation);
        Game { sitting, remote, plays, prompted: false, unsent }
    }

    /// Plays until the user leaves; the link of the rematch if they go there.
    fn play(
        &mut self,
        lines: &mut Lines,
        input: &mut Input,
        heard: &Receiver<Heard>,
    ) -> Result<Option<String>, Failure> {
        lines.style.flipped = self.sitting.own.as_deref() == Some(&[rules::Player::Two]);
        lines.open(&self.sitting, None)?;
        if let Some(unsent) = self.unsent.take().filter(|_| self.sitting.person().is_some()) {
            let turn = unsent.turn.clone();
            lines.say(&format!("{turn} was not acknowledged last time, and is sent now"))?;
            self.remote.resume(unsent);
            self.try_move(&turn, lines)?;
        }
        loop {
            while let Some(line) = input.waiting.pop_front() {
                match self.obey(&line, lines)? {
                    After::Stay => {}
                    After::Wait => {
                        input.waiting.push_front(line);
                        break;
                    }
                    After::Quit => return self.leave(lines),
                    After::Next(link) => return Ok(Some(link)),
                }
            }
            let is_over = self.sitting.result().is_some();
            let done = is_over || self.plays && input.waiting.is_empty();
            if input.ended && done {
                return self.leave(lines);
            }
            self.prompt(lines)?;
            match heard.recv() {
                Ok(Heard::Typed(line)) => input.waiting.push_back(line),
                Ok(Heard::News(news)) => self.hear(news, lines)?,
                Ok(Heard::InputEnded) | Err(_) => input.ended = true,
                Ok(Heard::Stop) => return self.leave(lines),
            }
        }
    }

    /// Waits until the server has answered everything, but not forever.
    fn settle(&mut self, lines: &mut Lines, input: &mut Input, heard: &Receiver<Heard>) {
        let began = Instant::now();
        let mut is_told = false;
        while self.remote.is_waiting(&self.sitting) {
            let until = if is_told { online::PATIENCE } else { SILENTLY };
            match heard.recv_timeout(until.saturating_sub(began.elapsed())) {
                Ok(Heard::News(news)) => {
                    // Keep waiting for acknowledgements even if nobody reads the output any more.
                    if let Err(Failure::User(_)) = self.hear(news, lines) {
                        return;
                    }
                }
                // It may be meant for the rematch.
                Ok(Heard::Typed(line)) => input.waiting.push_back(line),
                Ok(Heard::InputEnded) => input.ended = true,
                Err(RecvTimeoutError::Timeout) if !is_told => {
                    is_told = true;
                    let unsent = self.remote.unsent(&self.sitting).join(", ");
                    let _ = lines.say(&format!(
                        "waiting for the server to acknowledge {unsent}; Ctrl-C leaves without"
                    ));
                }
                // The user has not been told yet that Ctrl-C leaves without an answer.
                Ok(Heard::Stop) if !is_told => {}
                Ok(Heard::Stop) | Err(_) => return,
            }
        }
    }

    /// Says once that it is the user's turn.
    fn prompt(&mut self, lines: &Lines) -> Result<(), Failure> {
        let mover = self.sitting.person().filter(|_| self.remote.connected);
        let Some(player) = mover else {
            self.prompted = false;
            return Ok(());
        };
        if std::mem::replace(&mut self.prompted, true) || self.sitting.board.in_turn() {
            return Ok(());
        }
        let time = time_left(&self.sitting, player);
        lines.say(&format!("your turn{time}: type a move, or `help`"))
    }

    fn hear(&mut self, news: News, lines: &mut Lines) -> Result<(), Failure> {
        let mover = self.sitting.board.turn();
        match self.remote.hear(news, &mut self.sitting, Instant::now()) {
            Change::Nothing => {}
            Change::Connected(true) => lines.say(&self.remote.words(&self.sitting))?,
            Change::Connected(false) => {
                lines.say("the connection is lost: connecting again")?;
                self.say_unsent(lines)?;
            }
            Change::Turn(turn) => {
                let who = format!("{} plays ", self.sitting.full_name(mover));
                if !lines.tell(self.sitting.board.as_ref(), &who)? {
                    lines.say(&format!("{who}{turn}"))?;
                }
                lines.show(&self.sitting)?;
            }
            Change::Back(words) => {
                lines.say(&words)?;
                lines.show(&self.sitting)?;
            }
            Change::Ended => lines.show(&self.sitting)?,
            Change::Said(words, answer) => lines.say(&match answer {
                None => words,
                Some(Answer::Offer) => format!("{words} accept or decline?"),
                Some(Answer::Rematch) => format!("{words} `rematch` accepts"),
                Some(Answer::NextGame) => format!("{words} `rematch` goes there"),
            })?,
            Change::Refused(why) => {
                lines.say(&why)?;
                lines.show(&self.sitting)?;
                self.prompted = false;
            }
            Change::Broken(why) => return Err(Failure::user(why)),
        }
        lines.keep(&self.sitting)
    }

    fn obey(&mut self, line: &str, lines: &mut Lines) -> Result<After, Failure> {
        match command(line) {
            Typed::Nothing => {}
            Typed::Move(text) => match text.to_ascii_lowercase().as_str() {
                "draw" => self.send("offer-draw", lines)?,
                word @ ("accept" | "decline") => match online::open_offer(&self.sitting) {
                    Some(_) => self.send(word, lines)?,
                    None => lines.say("nothing is offered")?,
                },
                "mute" => {
                    self.remote.muted = !self.remote.muted;
                    lines.say(if self.remote.muted { "muted" } else { "not muted any more" })?;
                }
                words => match words.strip_prefix("say") {
                    Some(word) => self.greet(word.trim(), lines)?,
                    None => return self.try_move(&text, lines),
                },
            },
            Typed::Command(word, rest) => return self.word(word, &rest, lines),
        }
        Ok(After::Stay)
    }

    /// Says one of the fixed words, or lists them.
    fn greet(&self, word: &str, lines: &Lines) -> Result<(), Failure> {
        let is_one = |(name, _): &&(&str, &str)| *name == word.replace(' ', "-");
        match GREETINGS.iter().find(is_one) {
            _ if !self.plays => lines.say("you are looking on"),
            Some((name, _)) => {
                self.remote.greet(name);
                Ok(())
            }
            None => {
                let names: Vec<_> = GREETINGS.iter().map(|(name, _)| *name).collect();
                lines.say(&format!("you can say: {}", names.join(", ")))
            }
        }
    }

    fn word(&mut self, word: Verb, rest: &str, lines: &mut Lines) -> Result<After, Failure> {
        match word {
            Verb::Help => {
                HELP.iter()
                    .try_for_each(|(words, does)| lines.say(&format!("  {words:<15} {does}")))?;
            }
            Verb::Undo if self.sitting.board.in_turn() => {
                self.sitting.take_back_part();
                lines.show(&self.sitting)?;
            }
            Verb::Undo => self.send("undo", lines)?,
            Verb::Resign => self.send("resign", lines)?,
            Verb::Abort => self.send("abort", lines)?,
            Verb::Rematch => match self.remote.next_link(&self.sitting) {
                Some(link) => return Ok(After::Next(link)),
                None => self.send("rematch", lines)?,
            },
            Verb::Quit | Verb::Menu => return Ok(After::Quit),
            Verb::Hint | Verb::Eval if self.plays && self.sitting.result().is_none() => {
                lines.say("no engine helps while you play somebody")?;
            }
            Verb::Redo | Verb::Swap | Verb::Pause | Verb::Resume => {
                lines.say("that does not work in a game on a server; `help` lists what does")?;
            }
            Verb::Turns => {
                lines.word(word, rest, &mut self.sitting)?;
                self.say_unsent(lines)?;
            }
            Verb::Moves
            | Verb::Board
            | Verb::Boards
            | Verb::Pieces
            | Verb::Hint
            | Verb::Eval
            | Verb::Flip
            | Verb::Show
            | Verb::Save
            | Verb::Rules => drop(lines.word(word, rest, &mut self.sitting)?),
        }
        Ok(After::Stay)
    }

    fn try_move(&mut self, text: &str, lines: &mut Lines) -> Result<After, Failure> {
        if self.sitting.result().is_some() {
            lines.say("the game is over: `rematch` asks for another")?;
        } else if !self.plays {
            lines.say("you are looking on")?;
        } else if self.sitting.person().is_none() && !stdin().is_terminal() {
            return Ok(After::Wait);
        } else if self.sitting.person().is_none() {
            let mover = self.sitting.full_name(self.sitting.board.turn());
            lines.say(&format!("{mover} is to move"))?;
        } else {
            match self.sitting.play(text, Instant::now()) {
                Ok(()) => {
                    lines.tell(self.sitting.board.as_ref(), "")?;
                    lines.show(&self.sitting)?;
                    self.remote.send_turn(&self.sitting);
                    if !self.remote.connected {
                        self.say_unsent(lines)?;
                    }
                }
                Err(reason) => lines.say(&reason)?,
            }
        }
        Ok(After::Stay)
    }

    fn send(&mut self, word: &str, lines: &Lines) -> Result<(), Failure> {
        self.remote.send_word(word, &self.sitting).or_else(|why| lines.say(why))
    }

    fn say_unsent(&self, lines: &Lines) -> Result<(), Failure> {
        let unsent = self.remote.unsent(&self.sitting);
        if unsent.is_empty() {
            return Ok(());
        }
        lines.say(&format!("not acknowledged by the server yet: {}", unsent.join(", ")))
    }

    fn leave(&self, lines: &Lines) -> Result<Option<String>, Failure> {
        if self.plays && self.sitting.result().is_none() {
            lines.say("the game goes on: `quadrille join` with its link comes back to it")?;
        }
        Ok(None)
    }
}
