//! What can be typed during a game in lines.

use super::{After, Lines};
use crate::failure::{Failure, print};
use crate::pages;
use crate::table::{Table, proposals, signed};
use engine::{Limits, Session};
use rules::{Outcome, Player, spoken};
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

/// What can be typed in a game: legal moves, and commands.
pub fn words(game: &dyn Session) -> Vec<String> {
    let moves = game.steps().into_iter().map(|step| step.text);
    let commands = HELP.iter().skip(1).flat_map(|(words, _)| words.split(", "));
    moves.chain(commands.map(str::to_owned)).collect()
}

/// What was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    Nothing,
    /// A move, or what is taken for one.
    Move(String),
    /// A command, and what follows it.
    Word(&'static str, String),
}

/// Reads a line.
pub fn command(line: &str) -> Typed {
    // The original programs want a full stop at the end.
    let line = line.trim().trim_end_matches('.').trim_end();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let word = word.to_ascii_lowercase();
    let known = match word.as_str() {
        "" => return Typed::Nothing,
        "help" | "?" => "help",
        "moves" | "m" => "moves",
        "board" | "b" => "board",
        "boards" => "boards",
        "pieces" | "read" => "pieces",
        "hint" | "h" => "hint",
        "eval" | "e" => "eval",
        "undo" | "u" => "undo",
        "redo" => "redo",
        "flip" | "f" => "flip",
        "turns" | "t" => "turns",
        "show" => "show",
        "save" | "s" => "save",
        "rules" | "r" => "rules",
        "resign" => "resign",
        "pause" | "p" => "pause",
        "resume" => "resume",
        "rematch" | "n" => "rematch",
        "swap" => "swap",
        "menu" => "menu",
        "quit" | "exit" | "q" => "quit",
        _ => return Typed::Move(line.to_owned()),
    };
    Typed::Word(known, rest.trim().to_owned())
}

impl Lines {
    /// Does what was typed, and says where that leads if it leaves the game.
    pub(super) fn obey(
        &mut self,
        command: Typed,
        table: &mut Table,
    ) -> Result<Option<After>, Failure> {
        match command {
            Typed::Nothing => self.say("type a move, or `help`")?,
            Typed::Move(text) => match table.play(&text, Instant::now()) {
                Ok(()) => {
                    self.keep(table)?;
                    self.show(table)?;
                    self.judge(table)?;
                }
                Err(reason) => self.say(&reason)?,
            },
            Typed::Word(word, rest) => return self.word(word, &rest, table),
        }
        Ok(None)
    }

    pub(super) fn word(
        &mut self,
        word: &str,
        rest: &str,
        table: &mut Table,
    ) -> Result<Option<After>, Failure> {
        match word {
            "help" => {
                for (words, does) in HELP {
                    self.say(&format!("  {words:<11} {does}"))?;
                }
            }
            "moves" => self.moves(rest, table)?,
            "board" => self.show(table)?,
            "pieces" => self.pieces(table)?,
            "hint" => self.hint(table)?,
            "eval" => self.eval(table)?,
            "undo" => self.changed(table.undo(), "there is nothing to take back", table)?,
            "redo" => self.changed(table.redo(), "nothing was taken back", table)?,
            "flip" => {
                self.style.flipped = !self.style.flipped;
                self.show(table)?;
            }
            "turns" => self.turns(table)?,
            "show" => self.show_after(rest, table)?,
            "save" => {
                let record = table.record(Instant::now());
                let name =
                    if rest.is_empty() { self.saves.free_name(&record) } else { rest.into() };
                match self.saves.save(&name, &record) {
                    Ok(path) => self.say(&format!("saved as {}", path.display()))?,
                    Err(trouble) => self.say(&trouble)?,
                }
            }
            "boards" => {
                self.boards = match rest {
                    "on" => true,
                    "off" => false,
                    _ => !self.boards,
                };
                self.show(table)?;
            }
            "rules" => {
                let page = pages::page(table.entry, self.style.charset, self.color);
                print(page.as_bytes())?;
            }
            "resign" => match table.person() {
                Some(player) => {
                    table.take_back_part();
                    table.resign(player);
                    self.show(table)?;
                }
                None => self.say("nobody is to move")?,
            },
            "pause" => return self.pause(table),
            "resume" => {}
            "rematch" | "swap" if table.result().is_some() => {
                return Ok(Some(After::Again(Box::new(table.rematch(word == "swap")))));
            }
            "rematch" | "swap" => self.say("the game is not over")?,
            "menu" => return Ok(Some(After::Menu)),
            _ => return self.leave(table).map(Some),
        }
        Ok(None)
    }

    /// Says how the attempt at a puzzle goes.
    fn judge(&mut self, table: &Table) -> Result<(), Failure> {
        let Some(puzzle) = &self.task else { return Ok(()) };
        let (history, in_turn) = (table.game.history(), table.game.in_turn());
        let own = history.len().div_ceil(2) as u32;
        let is_right = history.first() == puzzle.solution.first();
        let turns = puzzle.turns;
        let has_won = table.result() == Some(Outcome::Win(table.game.first_player()));
        match (is_right, has_won && own <= turns) {
            _ if in_turn => Ok(()),
            (true, true) => {
                let known = self.saves.choices().map(|mut choices| {
                    choices.solve(puzzle);
                    self.saves.remember(&choices)
                });
                self.say("solved!")?;
                known.and_then(|kept| kept).or_else(|trouble| self.say(&trouble))
            }
            (true, false) if own < turns => {
                self.say(&format!("right: win in {turns} turns in all"))
            }
            (true, false) => self.say(&format!("it can be won in {turns} turns: undo takes back")),
            (false, _) => {
                self.say(&format!("that does not win in {turns} turns: undo takes it back"))
            }
        }
    }

    fn changed(&self, done: bool, else_say: &str, table: &Table) -> Result<(), Failure> {
        if done { self.show(table) } else { self.say(else_say) }
    }

    fn moves(&self, prefix: &str, table: &Table) -> Result<(), Failure> {
        let prefix = prefix.to_ascii_lowercase();
        let steps = table.game.steps();
        let texts = steps.iter().map(|step| step.text.as_str());
        let fitting: Vec<_> = texts.filter(|text| text.starts_with(&prefix)).collect();
        match fitting.is_empty() {
            true => self.say("there are none"),
            false => {
                fitting.chunks(8).try_for_each(|row| self.say(&format!("  {}", row.join(" "))))
            }
        }
    }

    fn pieces(&self, table: &Table) -> Result<(), Failure> {
        let diagram = table.game.diagram();
        for sentence in spoken::position(&diagram) {
            self.say(&sentence)?;
        }
        self.say(&diagram.status)
    }

    fn hint(&mut self, table: &Table) -> Result<(), Failure> {
        let game = table.game.as_ref();
        if table.result().is_some() {
            return self.say("the game is over");
        }
        let names = game.seed_players();
        for (id, turns) in game.seed_best() {
            let name = names.iter().find(|about| about.id == id).map_or(id.as_str(), |a| a.name);
            self.say(&format!("  Original {name}: {}", proposals(&turns)))?;
        }
        let view = self.worker.look(table.entry, game, &Limits::time(GLANCE));
        let best = view.and_then(|view| view.lines.into_iter().next());
        let turn = best.and_then(|line| line.turns.into_iter().next());
        turn.map_or(Ok(()), |turn| self.say(&format!("  Engine: {turn}")))
    }

    fn eval(&mut self, table: &Table) -> Result<(), Failure> {
        let game = table.game.as_ref();
        if let Some(values) = game.seed_value() {
            let [one, two] = Player::BOTH.map(|player| {
                format!("{} {}", table.colour(player), signed(values[player.index()]))
            });
            self.say(&format!("  original program: {one}, {two}"))?;
        }
        let view = self.worker.look(table.entry, game, &Limits::time(GLANCE));
        let Some(view) = view else { return Ok(()) };
        let best = view.lines.first().map(|line| crate::analyze::verdict(game, line));
        best.map_or(Ok(()), |best| self.say(&format!("  engine: {best}")))
    }

    fn turns(&self, table: &Table) -> Result<(), Failure> {
        let record = table.record(Instant::now()).to_string();
        let turns = record.split("\n\n").nth(1).unwrap_or_default();
        self.say(turns.trim_end())
    }

    fn show_after(&self, number: &str, table: &Table) -> Result<(), Failure> {
        let played = table.game.turns_played();
        let Some(turns) = number.parse().ok().filter(|turns| *turns <= played) else {
            return self.say(&format!("after how many turns? 0 to {played}, as in `show 2`"));
        };
        let mut game = table.game.boxed_clone();
        game.rewind(turns);
        let drawn = rules::text::text(&game.diagram(), &self.style, self.color);
        print(format!("\n{drawn}").as_bytes())
    }

    /// Stops the clock until something else is typed.
    fn pause(&mut self, table: &mut Table) -> Result<Option<After>, Failure> {
        table.tend_clock(true, Instant::now());
        loop {
            let Some(answer) = self.ask("paused: resume, save, menu or quit?")? else {
                return self.leave(table).map(Some);
            };
            match command(&answer) {
                Typed::Word("resume" | "board", _) | Typed::Nothing => {
                    self.show(table)?;
                    return Ok(None);
                }
                Typed::Word(word @ ("save" | "menu" | "quit" | "help" | "rules"), rest) => {
                    if let Some(next) = self.word(word, &rest, table)? {
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
        assert_eq!(command("q."), Typed::Word("quit", String::new()));
        assert_eq!(command("c1-a2."), Typed::Move("c1-a2".into()));
        assert_eq!(command("  Undo "), Typed::Word("undo", String::new()));
        assert_eq!(command("moves c4"), Typed::Word("moves", "c4".into()));
        assert_eq!(command(" c4 "), Typed::Move("c4".into()));
        assert_eq!(command(""), Typed::Nothing);
    }
}
