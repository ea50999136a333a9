//! Who sits on a side of the board.

use engine::levels::{self, LEVELS, Level};
use engine::seed::About;
use engine::{Limits, Session};
use rules::game::shorten;
use std::time::Duration;

/// How long the last level thinks where no clock says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// How long a name may be.
pub const NAME: usize = 16;

/// A person or a computer's player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Somebody at this terminal.
    Person,
    /// A player of the game's original program.
    Seed(About),
    /// Our engine at a level.
    Level(&'static Level),
}

/// Who sits there, and the name of a person; one without a name is called by the colour of the pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sitter {
    /// Person or computer.
    pub kind: Kind,
    /// The name of a person, which may be empty.
    pub name: String,
}

impl Sitter {
    /// A person; the name is cut to what a line can show.
    pub fn person(name: &str) -> Sitter {
        let name: String = name.trim().chars().filter(|c| !c.is_control()).take(NAME).collect();
        Sitter { kind: Kind::Person, name }
    }

    /// A computer's player.
    pub fn computer(kind: Kind) -> Sitter {
        Sitter { kind, name: String::new() }
    }

    /// Reads `human`, `human:NAME`, `seed:NAME` or `level:N`.
    pub fn parse(text: &str, game: &dyn Session) -> Result<Sitter, String> {
        let (head, rest) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        match head {
            "human" => Ok(Sitter::person(rest)),
            "seed" => {
                let seeds = game.seed_players();
                let known: Vec<_> = seeds.iter().map(|about| about.id).collect();
                let found = seeds.iter().find(|about| about.id.eq_ignore_ascii_case(rest));
                found.map(|about| Sitter::computer(Kind::Seed(*about))).ok_or_else(|| {
                    let (rest, known) = (shorten(rest), known.join(", "));
                    format!("there is no seed player `{rest}`; there are {known}")
                })
            }
            "level" => {
                let level = rest.parse().ok().and_then(levels::find);
                let most = LEVELS.len();
                level
                    .map(|level| Sitter::computer(Kind::Level(level)))
                    .ok_or_else(|| format!("the levels are 1 to {most}, got `{}`", shorten(rest)))
            }
            _ => Err(format!(
                "player `{}`: expected human, human:NAME, seed:NAME or level:N",
                shorten(text)
            )),
        }
    }

    /// What [`Sitter::parse`] reads.
    pub fn code(&self) -> String {
        match self.kind {
            Kind::Person if self.name.is_empty() => "human".into(),
            Kind::Person => format!("human:{}", self.name),
            Kind::Seed(about) => format!("seed:{}", about.id),
            Kind::Level(level) => format!("level:{}", level.number),
        }
    }

    /// The name, if there is one besides the colour.
    pub fn called(&self) -> Option<String> {
        match self.kind {
            Kind::Person => Some(self.name.clone()).filter(|name| !name.is_empty()),
            Kind::Seed(about) => Some(about.name.to_owned()),
            Kind::Level(level) => Some(format!("Engine {}", level.number)),
        }
    }

    /// Whether it is a person.
    pub fn is_person(&self) -> bool {
        self.kind == Kind::Person
    }

    /// All kinds of players that a game has, as menus list them.
    pub fn kinds(game: &dyn Session) -> Vec<Kind> {
        let seeds = game.seed_players().into_iter().map(Kind::Seed);
        let levels = LEVELS.iter().map(Kind::Level);
        std::iter::once(Kind::Person).chain(seeds).chain(levels).collect()
    }
}

impl Kind {
    /// The name in menus.
    pub fn title(&self) -> String {
        match self {
            Kind::Person => "Person".into(),
            Kind::Seed(about) => format!("{}, original", about.name),
            Kind::Level(level) => format!("Engine {}, {}", level.number, level.name),
        }
    }

    /// A sentence on what to expect.
    pub fn about(&self) -> String {
        match self {
            Kind::Person => "somebody at this keyboard".into(),
            Kind::Seed(about) => about.about.into(),
            Kind::Level(level) => level.about.into(),
        }
    }

    /// What the engine may spend on a turn.
    pub fn limits(&self, clock: Option<Limits>) -> Limits {
        match self {
            Kind::Level(level) if level.nodes.is_none() => {
                clock.unwrap_or_else(|| Limits::time(PATIENCE))
            }
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
    }
}
