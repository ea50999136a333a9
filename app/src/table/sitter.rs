//! The players of a table.

use crate::columns::fitting;
use engine::{Limits, Session, Who};
use rules::game::shorten;
use std::time::Duration;

/// How long the last level thinks on a turn if there is no clock.
const PATIENCE: Duration = Duration::from_secs(3);

/// How many columns a name may take.
pub const NAME: usize = 16;

/// Who sits there, and the name of a person; one without a name is called by the colour of the pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitter {
    pub who: Who,
    /// The name of a person, which may be empty.
    pub name: String,
    /// Whether it is somebody at another machine, or a computer there.
    pub remote: bool,
}

impl Sitter {
    /// A person; the name is cut to what a line can show.
    pub fn person(name: &str) -> Sitter {
        let name: String = name.trim().chars().filter(|c| !c.is_control()).collect();
        Sitter { who: Who::Person, name: fitting(&name, NAME).to_owned(), remote: false }
    }

    /// A computer's player.
    pub fn computer(who: Who) -> Sitter {
        Sitter { who, name: String::new(), remote: false }
    }

    /// The same player, at another machine.
    #[must_use]
    pub fn elsewhere(mut self) -> Sitter {
        self.remote = true;
        self
    }

    /// Reads `human`, `human:NAME`, `seed:NAME` or `level:N`.
    pub fn parse(text: &str, game: &dyn Session) -> Result<Sitter, String> {
        let text = text.trim();
        if let Some(name) = text.strip_prefix("human:") {
            return Ok(Sitter::person(name));
        }
        match Who::parse(text, game).map_err(|unknown| unknown.message)? {
            Some(Who::Person) => Ok(Sitter::person("")),
            Some(who @ (Who::Level { .. } | Who::Seed { .. })) => Ok(Sitter::computer(who)),
            _ => Err(format!(
                "player `{}`: expected human, human:NAME, seed:NAME or level:N",
                shorten(text)
            )),
        }
    }

    /// What [`Sitter::parse`] reads.
    pub fn code(&self) -> String {
        match self.who == Who::Person && !self.name.is_empty() {
            true => format!("human:{}", self.name),
            false => self.who.to_string(),
        }
    }

    /// The name, if there is one besides the colour.
    pub fn called(&self, game: &dyn Session) -> Option<String> {
        match self.who == Who::Person {
            true => Some(self.name.clone()).filter(|name| !name.is_empty()),
            false => self.who.name(game),
        }
    }

    /// Whether it is a person at this keyboard.
    pub fn is_person(&self) -> bool {
        self.who == Who::Person && !self.remote
    }

    /// All kinds of players that a game has, as menus list them.
    pub fn kinds(game: &dyn Session) -> Vec<Who> {
        std::iter::once(Who::Person).chain(Who::computers(game)).collect()
    }

    /// What to expect of a kind of player.
    pub fn about(who: &Who, game: &dyn Session) -> &'static str {
        match who {
            Who::Person => "somebody at this keyboard",
            computer => computer.about(game),
        }
    }

    /// What an engine may spend on a turn, with a share of the clock if there is one.
    pub fn limits(&self, clock: Option<Limits>) -> Limits {
        match self.who.level() {
            Some(level) if level.nodes.is_none() => clock.unwrap_or_else(|| Limits::time(PATIENCE)),
            _ => clock.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> Box<dyn Session> {
        (engine::GAMES[0].start)(&Default::default()).unwrap()
    }

    #[test]
    fn players_are_read_as_they_are_written() {
        let game = game();
        let seed = format!("seed:{}", game.seed_players()[0].id);
        for text in ["human", "human:Ana", "level:4", &seed] {
            assert_eq!(Sitter::parse(text, game.as_ref()).unwrap().code(), text);
        }
    }

    #[test]
    fn what_is_no_player_is_refused() {
        let game = game();
        let refusals = [
            ("", "player ``: expected human"),
            ("random", "player `random`: expected human"),
            ("level:11", "the levels are 1 to 10, got `11`"),
            ("seed:odd", "there is no seed player `odd`; there are "),
        ];
        for (text, expected) in refusals {
            let error = Sitter::parse(text, game.as_ref()).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_name_fits_its_line() {
        let name = Sitter::person(&"\u{7}x".repeat(99)).name;
        assert_eq!(name, "x".repeat(NAME));
        assert_eq!(Sitter::person(&"龍".repeat(99)).name, "龍".repeat(NAME / 2));
    }
}
