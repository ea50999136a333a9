//! The commands during a game in lines.

use super::{After, Lines};
use crate::output::pages;
use crate::shell::failure::{Failure, print};
use crate::sitting::{Sitting, proposal, signed};
use engine::{Limits, Session};
use requests::puzzles::{Progress, progress};
use rules::{Player, spoken};
use std::time::{Duration, Instant};

/// How long the engine looks for a hint.
const GLANCE: Duration = Duration::from_millis(1000);

/// The commands, and what they are for.
const HELP: &[(&str, &str)] = &[
    ("a move", "plays it: type `moves` to see how moves are written"),
    ("moves", "lists the legal moves; `moves c4` those that begin with c4"),
    ("board", "draws the board again"),
    ("pieces", "describes the position in sentences"),
    ("boards", "draws no boards from now on, or draws them again; `boards off`, `boards on`"),
    ("hint", "what the original program and the engine would play"),
    ("eval", "what both think of the position"),
    ("undo, redo", "takes back a turn and the computer's answer; plays them again"),
    ("flip", "turns the board round"),
    ("turns", "lists the turns so far; `show 4` draws the board after four"),
    ("save", "saves the game under a new name; `save first win` under that name"),
    ("rules", "how the game is played"),
    ("resign", "gives up"),
    ("pause", "stops the clock until you go on"),
    ("menu, quit", "leaves; an unfinished game is kept"),
];

/// The words that can be typed in a game: legal moves and commands.
pub fn words(game: &dyn Session) -> Vec<String> {
    let moves = game.steps().into_iter().map(|step| step.text);
    let commands = HELP.iter().skip(1).flat_map(|(words, _)| words.split(", "));
    moves.chain(commands.map(str::to_owned)).collect()
}

/// A command of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Help,
    Moves,
    Board,
    Boards,
    Pieces,
    Hint,
    Eval,
    Undo,
    Redo,
    Flip,
    Turns,
    Show,
    Save,
    Rules,
    Resign,
    Pause,
    Abort,
    Resume,
    Rematch,
    Swap,
    Menu,
    Quit,
}

impl Verb {
    fn read(word: &str) -> Option<Verb> {
        Some(match word.to_ascii_lowercase().as_str() {
            "help" | "?" => Verb::Help,
            "moves" | "m" => Verb::Moves,
            "board" | "b" => Verb::Board,
            "boards" => Verb::Boards,
            "pieces" | "read" => Verb::Pieces,
            "hint" | "h" => Verb::Hint,
            "eval" | "e" => Verb::Eval,
            "undo" | "u" => Verb::Undo,
            "redo" => Verb::Redo,
            "flip" | "f" => Verb::Flip,
            "turns" | "t" => Verb::Turns,
            "show" => Verb::Show,
            "save" | "s" => Verb::Save,
            "rules" | "r" => Verb::Rules,
            "resign" => Verb::Resign,
            "abort" => Verb::Abort,
            "pause" | "p" => Verb::Pause,
            "resume" => Verb::Resume,
            "rematch" | "n" => Verb::Rematch,
            "swap" => Verb::Swap,
            "menu" => Verb::Menu,
            "quit" | "exit" | "q" => Verb::Quit,
            _ => return None,
        })
    }
}

/// A line that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    Nothing,
    /// A move, or what is taken for one.
    Move(String),
    /// A command, and what follows it.
    Command(Verb, String),
}

pub fn command(line: &str) -> Typed {
    // The original programs want a full stop at the end.
    let line = line.trim().trim_end_matches('.').trim_end();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    // `B 4` is a cell, as the original programs ask for it, though `b` alone is a command.
    let is_cell = word.len() == 1 && rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    match Verb::read(word) {
        _ if line.is_empty() => Typed::Nothing,
        _ if is_cell => Typed::Move(line.to_owned()),
        Some(word) => Typed::Command(word, rest.trim().to_owned()),
        None => Typed::Move(line.to_owned()),
    }
}

impl Lines {
    /// Does what was typed, and says where that leads if it leaves the game.
    pub(super) fn obey(
        &mut self,
        command: Typed,
        sitting: &mut Sitting,
    ) -> Result<Option<After>, Failure> {
        match command {
            Typed::Nothing => self.say("type a move, or `help`")?,
            Typed::Move(text) => match sitting.play(&text, Instant::now()) {
                Ok(()) => {
                    self.keep(sitting)?;
                    self.tell(sitting.board.as_ref(), "")?;
                    self.show(sitting)?;
                    self.judge(sitting)?;
                }
                Err(reason) => self.say(&reason)?,
            },
            Typed::Command(word, rest) => return self.word(word, &rest, sitting),
        }
        Ok(None)
    }

    pub(super) fn word(
        &mut self,
        word: Verb,
        rest: &str,
        sitting: &mut Sitting,
    ) -> Result<Option<After>, Failure> {
        match word {
            Verb::Help => {
                for (words, does) in HELP {
                    self.say(&format!("  {words:<11} {does}"))?;
                }
            }
            Verb::Moves => self.moves(rest, sitting)?,
            Verb::Board => self.show(sitting)?,
            Verb::Pieces => self.pieces(sitting)?,
            Verb::Hint => self.hint(sitting)?,
            Verb::Eval => self.eval(sitting)?,
            Verb::Undo => self.changed(
                sitting.undo(Instant::now()),
                "there is nothing to take back",
                sitting,
            )?,
            Verb::Redo => {
                self.changed(sitting.redo(Instant::now()), "nothing was taken back", sitting)?
            }
            Verb::Flip => {
                self.style.flipped = !self.style.flipped;
                self.show(sitting)?;
            }
            Verb::Turns => self.turns(sitting)?,
            Verb::Show => self.show_after(rest, sitting)?,
            Verb::Save => {
                let record = sitting.record(Instant::now());
                let name =
                    if rest.is_empty() { self.saves.free_name(&record) } else { rest.into() };
                match self.saves.save(&name, &record) {
                    Ok(path) => self.say(&format!("saved as {}", path.display()))?,
                    Err(trouble) => self.say(&trouble)?,
                }
            }
            Verb::Boards => {
                self.boards = match rest {
                    "on" => true,
                    "off" => false,
                    _ => !self.boards,
                };
                self.show(sitting)?;
            }
            Verb::Rules => {
                let page = pages::page(sitting.entry, self.style.charset, self.color);
                print(page)?;
            }
            Verb::Resign => match sitting.person() {
                Some(player) => {
                    sitting.resign(player, Instant::now());
                    self.show(sitting)?;
                }
                None => self.say("it is nobody's turn")?,
            },
            Verb::Abort => {
                self.say("only a game on a server can be called off; `quit` leaves this one")?
            }
            Verb::Pause => return self.pause(sitting),
            Verb::Resume => {}
            Verb::Rematch | Verb::Swap if sitting.result().is_some() => {
                return Ok(Some(After::Again(Box::new(sitting.rematch(word == Verb::Swap)))));
            }
            Verb::Rematch | Verb::Swap => self.say("the game is not over")?,
            Verb::Menu => return Ok(Some(After::Menu)),
            Verb::Quit => return self.leave(sitting).map(Some),
        }
        Ok(None)
    }

    /// Says how the attempt at a puzzle goes.
    fn judge(&mut self, sitting: &Sitting) -> Result<(), Failure> {
        let Some(puzzle) = self.task.as_ref().filter(|_| !sitting.board.in_turn()) else {
            return Ok(());
        };
        let (board, turns) = (sitting.board.as_ref(), puzzle.turns);
        match progress(puzzle, board.first_player(), board) {
            Progress::Begins => Ok(()),
            Progress::Solved => {
                let known = self.saves.choices().map(|mut choices| {
                    choices.solve(puzzle);
                    self.saves.remember(&choices)
                });
                self.say("solved!")?;
                known.and_then(|kept| kept).or_else(|trouble| self.say(&trouble))
            }
            Progress::Right => self.say(&format!("right: win in {turns} turns in all")),
            Progress::Late => self.say(&format!("it can be won in {turns} turns: undo takes back")),
            Progress::Wrong => {
                self.say(&format!("that does not win in {turns} turns: undo takes it back"))
            }
        }
    }

    fn changed(&self, done: bool, else_say: &str, sitting: &Sitting) -> Result<(), Failure> {
        if done { self.show(sitting) } else { self.say(else_say) }
    }

    fn moves(&self, prefix: &str, sitting: &Sitting) -> Result<(), Failure> {
        let prefix = prefix.to_ascii_lowercase();
        let steps = sitting.board.steps();
        let texts = steps.iter().map(|step| step.text.as_str());
        let fitting: Vec<_> = texts.filter(|text| text.starts_with(&prefix)).collect();
        match fitting.is_empty() {
            true => self.say("there are none"),
            false => {
                fitting.chunks(8).try_for_each(|row| self.say(&format!("  {}", row.join(" "))))
            }
        }
    }

    fn pieces(&self, sitting: &Sitting) -> Result<(), Failure> {
        let diagram = sitting.board.diagram();
        for sentence in spoken::position(&diagram) {
            self.say(&sentence)?;
        }
        self.say(&diagram.status)
    }

    fn hint(&mut self, sitting: &Sitting) -> Result<(), Failure> {
        let game = sitting.board.as_ref();
        if sitting.result().is_some() {
            return self.say("the game is over");
        }
        for (id, turns) in game.seed_best() {
            self.say(&format!("  {}", proposal(game, &id, &turns)))?;
        }
        let view = self.worker.look(sitting, &Limits::time(GLANCE));
        let best = view.and_then(|view| view.lines.into_iter().next());
        let turn = best.and_then(|line| line.turns.into_iter().next());
        turn.map_or(Ok(()), |turn| self.say(&format!("  Engine: {turn}")))
    }

    fn eval(&mut self, sitting: &Sitting) -> Result<(), Failure> {
        let game = sitting.board.as_ref();
        if let Some(values) = game.seed_value() {
            let [one, two] = Player::BOTH
                .map(|player| format!("{} {}", sitting.colour(player), signed(values[player])));
            self.say(&format!("  original program: {one}, {two}"))?;
        }
        let view = self.worker.look(sitting, &Limits::time(GLANCE));
        let Some(view) = view else { return Ok(()) };
        let best = view.lines.first().map(|line| crate::commands::analyze::verdict(game, line));
        best.map_or(Ok(()), |best| self.say(&format!("  engine: {best}")))
    }

    fn turns(&self, sitting: &Sitting) -> Result<(), Failure> {
        let record = sitting.record(Instant::now()).to_string();
        let turns = record.split("\n\n").nth(1).unwrap_or_default();
        self.say(turns.trim_end())
    }

    fn show_after(&self, number: &str, sitting: &Sitting) -> Result<(), Failure> {
        let played = sitting.board.turns_played();
        let Some(turns) = number.parse().ok().filter(|turns| *turns <= played) else {
            return self.say(&format!("after how many turns? 0 to {played}, as in `show 2`"));
        };
        let mut game = sitting.board.boxed_clone();
        game.rewind(turns);
        let drawn = rules::text::text(&game.diagram(), &self.style, self.color);
        print(format!("\n{drawn}"))
    }

    /// Stops the clock until something else is typed.
    fn pause(&mut self, sitting: &mut Sitting) -> Result<Option<After>, Failure> {
        sitting.tend_clock(true, Instant::now());
        loop {
            let Some(answer) = self.ask("paused: resume, save, menu or quit?")? else {
                return self.leave(sitting).map(Some);
            };
            match command(&answer) {
                Typed::Command(Verb::Resume | Verb::Board, _) | Typed::Nothing => {
                    self.show(sitting)?;
                    return Ok(None);
                }
                Typed::Command(
                    word @ (Verb::Save | Verb::Menu | Verb::Quit | Verb::Help | Verb::Rules),
                    rest,
                ) => {
                    if let Some(next) = self.word(word, &rest, sitting)? {
                        return Ok(Some(next));
                    }
                }
                _ => self.say("type resume, save, menu or quit")?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_commands_and_all_else_is_a_move() {
        assert_eq!(command("q."), Typed::Command(Verb::Quit, String::new()));
        assert_eq!(command("c1-a2."), Typed::Move("c1-a2".into()));
        assert_eq!(command("  Undo "), Typed::Command(Verb::Undo, String::new()));
        assert_eq!(command("moves c4"), Typed::Command(Verb::Moves, "c4".into()));
        assert_eq!(command(" c4 "), Typed::Move("c4".into()));
        assert_eq!(command(""), Typed::Nothing);
    }

    #[test]
    fn a_letter_and_a_number_are_a_cell_whatever_the_letter_does_alone() {
        for letter in "abcdefghi".chars() {
            let (lower, upper) = (format!("{letter} 4"), format!("{letter} 4.").to_uppercase());
            assert_eq!(command(&lower), Typed::Move(lower.clone()));
            assert_eq!(command(&upper), Typed::Move(upper.trim_end_matches('.').into()));
        }
        assert_eq!(command("b 4 c 5"), Typed::Move("b 4 c 5".into()));
        assert_eq!(command("show 4"), Typed::Command(Verb::Show, "4".into()));
        assert_eq!(command("h"), Typed::Command(Verb::Hint, String::new()));
    }
}
