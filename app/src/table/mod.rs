//! A match with its players and clocks, independent of any screen.

pub mod clock;
pub mod record;
pub mod sitter;
pub mod work;

use clock::Clock;
use engine::{Entry, Session};
use rules::diagram::Diagram;
use rules::{Outcome, Player};
pub use sitter::Sitter;
use std::time::Instant;

/// A result that no position shows: somebody resigned or ran out of time, or the record says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    pub outcome: Outcome,
    /// How it came about: `Ana resigned`.
    pub how: String,
}

/// A match with its players, its clock, and the turns that were taken back.
pub struct Table {
    pub entry: &'static Entry,
    pub game: Box<dyn Session>,
    /// Player 1 and player 2.
    pub sitters: [Sitter; 2],
    pub clock: Option<Clock>,
    pub given: Option<Given>,
    undone: Vec<String>,
}

impl Table {
    pub fn new(
        entry: &'static Entry,
        game: Box<dyn Session>,
        sitters: [Sitter; 2],
        clock: Option<Clock>,
    ) -> Table {
        Table { entry, game, sitters, clock, given: None, undone: Vec::new() }
    }

    /// The result, however it came about.
    pub fn result(&self) -> Option<Outcome> {
        self.game.result().or(self.given.as_ref().map(|given| given.outcome))
    }

    /// Whose turn it is; nobody's when the game is over.
    pub fn mover(&self) -> Option<Player> {
        self.result().is_none().then(|| self.game.turn())
    }

    /// Who is to move, if it is a person.
    pub fn person(&self) -> Option<Player> {
        self.mover().filter(|player| self.sitter(*player).is_person())
    }

    /// Who is to move, if it is a computer.
    pub fn computer(&self) -> Option<Player> {
        self.mover().filter(|player| {
            let sitter = self.sitter(*player);
            !sitter.is_person() && !sitter.remote
        })
    }

    pub fn sitter(&self, player: Player) -> &Sitter {
        &self.sitters[player.index()]
    }

    /// Whether computers play each other here.
    pub fn is_unattended(&self) -> bool {
        !self.sitters.iter().any(|sitter| sitter.is_person() || sitter.remote)
    }

    /// What the game calls a player: `Red`.
    pub fn colour(&self, player: Player) -> &'static str {
        self.entry.info.players[player.index()]
    }

    /// The player's name, if there is one besides the colour.
    pub fn called(&self, player: Player) -> Option<String> {
        self.sitter(player).called(self.game.as_ref())
    }

    /// The player's name, or the colour of one who has none.
    pub fn name(&self, player: Player) -> String {
        self.called(player).unwrap_or_else(|| self.colour(player).to_owned())
    }

    /// Name and colour: `Ana (Red)`.
    pub fn full_name(&self, player: Player) -> String {
        let colour = self.colour(player);
        let name = self.called(player);
        name.map_or_else(|| colour.to_owned(), |name| format!("{name} ({colour})"))
    }

    /// The drawing of a position of this match, with the names in its status line.
    pub fn diagram(&self, game: &dyn Session) -> Diagram {
        let mut diagram = game.diagram();
        if let Some(given) = self.given.as_ref().filter(|_| game.result().is_none()) {
            diagram.turn = None;
            diagram.status = match given.outcome {
                Outcome::Win(player) => {
                    format!("{} has won: {}", self.full_name(player), given.how)
                }
                Outcome::Draw => format!("a draw: {}", given.how),
            };
            return diagram;
        }
        for player in Player::BOTH {
            let colour = self.colour(player);
            if let Some(rest) = diagram.status.strip_prefix(colour).filter(|r| r.starts_with(' ')) {
                diagram.status = format!("{}{rest}", self.full_name(player));
                break;
            }
        }
        diagram
    }

    /// The round that is being played, from 1; a round is a turn of each player.
    pub fn round(&self) -> usize {
        let played = self.game.turns_played() - usize::from(self.game.in_turn());
        let second_began = played % 2 != self.game.turn().index();
        let turns = played + usize::from(second_began);
        if self.result().is_some() { turns.div_ceil(2).max(1) } else { turns / 2 + 1 }
    }

    /// Plays a move or a whole turn, or says why not and changes nothing.
    pub fn play(&mut self, text: &str, now: Instant) -> Result<(), String> {
        let Some(mover) = self.mover() else {
            return Err("the game is over: `n` begins another, `u` takes back".into());
        };
        self.read(text)?;
        if self.game.turn() == mover && self.game.outcome().is_none() {
            return Ok(());
        }
        let turn = self.game.last_turn();
        if self.undone.last() == turn.as_ref() {
            self.undone.pop();
        } else {
            self.undone.clear();
        }
        if let Some(clock) = &mut self.clock {
            clock.press(mover, now);
        }
        Ok(())
    }

    /// Plays a text, or what the original programs would read in it: with a full stop, in parts, in capitals.
    fn read(&mut self, text: &str) -> Result<(), String> {
        let plain = text.trim().trim_end_matches('.');
        let joined: String = plain.split_whitespace().collect();
        let error = match self.game.play(text) {
            Ok(()) => return Ok(()),
            Err(error) => error.to_string(),
        };
        let differs = joined != text.trim() && !joined.is_empty();
        if differs && self.game.play(&joined).is_ok() { Ok(()) } else { Err(error) }
    }

    /// Takes back the moves of an incomplete turn, and says whether there were any.
    pub fn take_back_part(&mut self) -> bool {
        self.game.in_turn() && self.game.undo_turn()
    }

    fn take_back_turn(&mut self) -> bool {
        let Some(last) = self.game.last_turn() else { return false };
        self.undone.push(last);
        self.game.undo_turn()
    }

    /// Takes back an incomplete turn, or turns until a person is to move again.
    pub fn undo(&mut self) -> bool {
        if self.take_back_part() {
            return true;
        }
        let given = self.given.take().is_some();
        // After a resignation the game goes on where it was.
        if given && self.game.result().is_none() && self.person().is_some() {
            return true;
        }
        if !self.take_back_turn() {
            return given;
        }
        while self.computer().is_some() && !self.is_unattended() && self.take_back_turn() {}
        true
    }

    /// Replays what was taken back, until a person is to move.
    pub fn redo(&mut self) -> bool {
        let mut done = false;
        self.take_back_part();
        while let Some(turn) = self.undone.pop() {
            if self.game.play(&turn).is_err() {
                self.undone.clear();
                break;
            }
            done = true;
            if self.is_unattended() || self.person().is_some() {
                break;
            }
        }
        done
    }

    pub fn resign(&mut self, player: Player) {
        let how = format!("{} resigned", self.name(player));
        self.given = Some(Given { outcome: Outcome::Win(player.other()), how });
    }

    /// Lets the clock of the player to move run, or none while the game is paused, and says who has run out
    /// of time.
    pub fn tend_clock(&mut self, rests: bool, now: Instant) -> Option<Player> {
        let mover = self.mover().filter(|_| !rests);
        let clock = self.clock.as_mut()?;
        clock.run(mover, now);
        let fallen = clock.fallen(now)?;
        clock.run(None, now);
        let how = format!("{} ran out of time", self.name(fallen));
        self.given = Some(Given { outcome: Outcome::Win(fallen.other()), how });
        Some(fallen)
    }

    /// The same game again, from its start; the players may change sides.
    pub fn rematch(&self, swapped: bool) -> Table {
        let mut sitters = self.sitters.clone();
        if swapped {
            sitters.reverse();
        }
        let clock = self.clock.as_ref().map(|clock| Clock::new(clock.terms));
        Table::new(self.entry, self.game.start(), sitters, clock)
    }
}

/// A value of an original program with its sign and without trailing zeros. Values beyond all others are how
/// such a program writes that the game is decided.
pub fn signed(value: f64) -> String {
    if value.abs() >= DECIDED {
        return if value > 0.0 { "won" } else { "lost" }.into();
    }
    let digits = if value.abs() < 10.0 { 2 } else { 1 };
    let text = format!("{value:+.digits$}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "+0" | "-0" => "0".into(),
        text => text.into(),
    }
}

/// Turns to choose from: a few of them, and how many more there are.
pub fn proposals(turns: &[String]) -> String {
    const SHOWN: usize = 4;
    match turns {
        [] => "none".into(),
        turns if turns.len() <= SHOWN => turns.join(" "),
        turns => format!("{} and {} more", turns[..SHOWN - 1].join(" "), turns.len() - SHOWN + 1),
    }
}

/// The least value that stands for a decided game.
const DECIDED: f64 = 99_999.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_as_the_original_programs_read_them() {
        let entry = engine::find("gekitai").unwrap();
        let game = (entry.start)(&Default::default()).unwrap();
        let people = [Sitter::person(""), Sitter::person("")];
        let mut table = Table::new(entry, game, people, None);
        for text in ["C 4", "d3.", " E  5 ."] {
            table.play(text, Instant::now()).unwrap();
        }
        assert_eq!(table.game.history(), ["c4", "d3", "e5"]);
        let error = table.play("c 9.", Instant::now()).unwrap_err();
        assert!(error.contains("`c 9.`"), "{error}");
    }

    #[test]
    fn values_are_short() {
        let values = [0.0, -0.001, 1.25, -3.0, 12.34, 999_999.0, -1e300];
        assert_eq!(values.map(signed), ["0", "0", "+1.25", "-3", "+12.3", "won", "lost"]);
    }
}
