//! Players, as commands, requests, records and stored games describe them.
//!
//! How much a player may spend on a turn is not part of it: the clock, the match or the host decides that.

use crate::control::{Limits, Stop};
use crate::levels::{self, LEVELS, Level};
use crate::seed::About;
use crate::session::Session;
use crate::thinker::{Analysis, Thinker};
use rules::game::shorten;
use rules::random::Random;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A person or a player of this program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase", try_from = "Told")]
pub enum Who {
    /// A person.
    Person,
    /// An open seat, for whoever joins.
    Open,
    /// The engine at a level.
    Level {
        /// 1 to 10.
        level: u8,
    },
    /// A player of the original program.
    Seed {
        /// Its id.
        player: String,
    },
    /// Plays any legal turn with equal probability; not part of the JSON.
    #[serde(skip)]
    Random,
    /// Sees one turn ahead and otherwise plays at random; not part of the JSON.
    #[serde(skip)]
    Beginner,
    /// The engine at full strength within its limits; not part of the JSON.
    #[serde(skip)]
    Engine,
}

/// A player as JSON tells it. Reading it into this is a third of the code that reading into [`Who`] would be, and the
/// pages' program contains it.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Told {
    kind: Kind,
    level: Option<u8>,
    player: Option<String>,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Kind {
    Person,
    Open,
    Level,
    Seed,
}

impl TryFrom<Told> for Who {
    type Error = &'static str;

    fn try_from(told: Told) -> Result<Who, &'static str> {
        Ok(match told.kind {
            Kind::Person => Who::Person,
            Kind::Open => Who::Open,
            Kind::Level => Who::Level { level: told.level.ok_or("missing field `level`")? },
            Kind::Seed => Who::Seed { player: told.player.ok_or("missing field `player`")? },
        })
    }
}

/// The error for a player that a game does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unknown {
    /// The offending field of the JSON.
    pub field: &'static str,
    /// What was read and what there is instead.
    pub message: String,
}

impl Who {
    /// Parses `human`, `level:N`, `seed:NAME`, `random`, `beginner` or `engine`; `None` for anything else.
    pub fn parse(text: &str, game: &dyn Session) -> Result<Option<Who>, Unknown> {
        let who = match text.split_once(':') {
            None if text == "human" => Who::Person,
            None if text == "random" => Who::Random,
            None if text == "beginner" => Who::Beginner,
            None if text == "engine" => Who::Engine,
            Some(("level", number)) => {
                Who::Level { level: number.parse().map_err(|_| no_level(number))? }
            }
            Some(("seed", id)) => Who::Seed { player: id.to_owned() },
            _ => return Ok(None),
        };
        who.in_game(game).map(Some)
    }

    /// The player with the game's own spelling, or why the game does not have it.
    pub fn in_game(self, game: &dyn Session) -> Result<Who, Unknown> {
        match self {
            Who::Level { level } if levels::find(level).is_none() => Err(no_level(level)),
            Who::Seed { player } => match seed(&player, game) {
                Some(about) => Ok(Who::Seed { player: about.id.to_owned() }),
                None => Err(no_seed(&player, game)),
            },
            known => Ok(known),
        }
    }

    /// Every computer player of a game, in the order of menus.
    pub fn computers(game: &dyn Session) -> Vec<Who> {
        let seeds = game.seed_players();
        let seeds = seeds.iter().map(|about| Who::Seed { player: about.id.to_owned() });
        seeds.chain(LEVELS.iter().map(|level| Who::Level { level: level.number })).collect()
    }

    /// Whether this is a computer player.
    pub fn is_computer(&self) -> bool {
        !matches!(self, Who::Person | Who::Open)
    }

    /// The level, if it plays at one.
    pub fn level(&self) -> Option<&'static Level> {
        match self {
            Who::Level { level } => levels::find(*level),
            _ => None,
        }
    }

    /// The display name of a computer player: `Level 4`. The prefix `Original` distinguishes the levels of
    /// the original program from ours.
    pub fn name(&self, game: &dyn Session) -> Option<String> {
        match self {
            Who::Person | Who::Open => None,
            Who::Level { level } => Some(format!("Level {level}")),
            Who::Seed { player } => {
                let known = seed(player, game).map_or(player.as_str(), |about| about.name);
                Some(format!("Original {known}"))
            }
            Who::Random => Some("Random".to_owned()),
            Who::Beginner => Some("Beginner".to_owned()),
            Who::Engine => Some("Engine".to_owned()),
        }
    }

    /// The longer name in menus: `Level 4, Learner`.
    pub fn title(&self, game: &dyn Session) -> String {
        let name = self.name(game).unwrap_or_else(|| "Person".to_owned());
        self.level().map_or(name.clone(), |level| format!("{name}, {}", level.name))
    }

    /// A description of a computer player.
    pub fn about(&self, game: &dyn Session) -> &'static str {
        match self {
            Who::Level { .. } => self.level().map_or("", |level| level.about),
            Who::Seed { player } => seed(player, game).map_or("", |about| about.about),
            Who::Random => "plays any legal turn, all with the same chance",
            Who::Beginner => "sees wins and threats one turn ahead, and otherwise plays anything",
            Who::Engine => "all it can do in the time it has",
            Who::Person | Who::Open => "",
        }
    }

    /// The turn of a computer player; `None` for people and when the game is over. `thinker` is called only
    /// for players that search. The limits apply to the engine and the last level only.
    pub fn choose<'t>(
        &self,
        game: &dyn Session,
        engine: impl FnOnce() -> &'t mut dyn Thinker,
        (limits, stop): (&Limits, &Stop),
        random: &mut Random,
        news: &mut dyn FnMut(&Analysis),
    ) -> Option<String> {
        match self {
            Who::Person | Who::Open => None,
            Who::Seed { player } => game.seed_choose(player, random),
            Who::Random => random.pick(&game.turns()).cloned(),
            Who::Beginner => engine().beginners_turn(game, random),
            Who::Level { .. } => {
                engine().level_think(game, self.level()?, (limits, stop), random, news)
            }
            Who::Engine => engine().turn(game, limits, stop),
        }
    }
}

/// The text that [`Who::parse`] reads.
impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Who::Person => f.write_str("human"),
            Who::Open => f.write_str("open"),
            Who::Level { level } => write!(f, "level:{level}"),
            Who::Seed { player } => write!(f, "seed:{player}"),
            Who::Random => f.write_str("random"),
            Who::Beginner => f.write_str("beginner"),
            Who::Engine => f.write_str("engine"),
        }
    }
}

fn seed(id: &str, game: &dyn Session) -> Option<About> {
    game.seed_players().into_iter().find(|about| about.id.eq_ignore_ascii_case(id))
}

fn no_level(number: impl fmt::Display) -> Unknown {
    let number = shorten(&number.to_string());
    let message = format!("the levels are 1 to {}, got `{number}`", LEVELS.len());
    Unknown { field: "level", message }
}

fn no_seed(id: &str, game: &dyn Session) -> Unknown {
    let known: Vec<_> = game.seed_players().iter().map(|about| about.id).collect();
    let there_are = match known[..] {
        [] => format!("{} has none", game.info().name),
        _ => format!("there are {}", known.join(", ")),
    };
    let message = format!("there is no seed player `{}`; {there_are}", shorten(id));
    Unknown { field: "player", message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GAMES;
    use serde_json::{Value, from_value, json, to_value};

    fn games() -> impl Iterator<Item = Box<dyn Session>> {
        GAMES.iter().map(|entry| (entry.start)(&Default::default()).unwrap())
    }

    fn refused(text: &str, game: &dyn Session) -> String {
        Who::parse(text, game).unwrap_err().message
    }

    #[test]
    fn players_are_read_as_they_are_written() {
        for game in games() {
            let all = Who::computers(game.as_ref()).into_iter();
            for who in all.chain([Who::Person, Who::Random, Who::Beginner, Who::Engine]) {
                assert_eq!(Who::parse(&who.to_string(), game.as_ref()), Ok(Some(who)));
            }
            for other in ["", "human:Ana", "Level:3", "level", "open", "ugi:./program"] {
                assert_eq!(Who::parse(other, game.as_ref()), Ok(None), "{other}");
            }
        }
    }

    #[test]
    fn players_are_refused_in_the_same_words_as_text_and_as_json() {
        for game in games() {
            for level in ["0", "11", "300", "x", ""] {
                let expected = format!("the levels are 1 to 10, got `{level}`");
                assert_eq!(refused(&format!("level:{level}"), game.as_ref()), expected);
            }
            let seeds: Vec<_> = game.seed_players().iter().map(|about| about.id).collect();
            let there_are = match seeds[..] {
                [] => format!("{} has none", game.info().name),
                _ => format!("there are {}", seeds.join(", ")),
            };
            let expected = format!("there is no seed player `odd`; {there_are}");
            assert_eq!(refused("seed:odd", game.as_ref()), expected);
            let of_json = |value: Value| {
                from_value::<Who>(value).unwrap().in_game(game.as_ref()).unwrap_err()
            };
            let level = of_json(json!({"kind": "level", "level": 11}));
            let seed = of_json(json!({"kind": "seed", "player": "odd"}));
            assert_eq!((level.field, seed.field), ("level", "player"));
            assert_eq!(level.message, refused("level:11", game.as_ref()));
            assert_eq!(seed.message, expected);
        }
    }

    #[test]
    fn json_is_what_has_been_stored() {
        for (who, stored) in [
            (Who::Person, json!({"kind": "person"})),
            (Who::Open, json!({"kind": "open"})),
            (Who::Level { level: 4 }, json!({"kind": "level", "level": 4})),
            (Who::Seed { player: "hard".into() }, json!({"kind": "seed", "player": "hard"})),
        ] {
            assert_eq!(to_value(&who).unwrap(), stored);
            assert_eq!(from_value::<Who>(stored).unwrap(), who);
        }
        let error = from_value::<Who>(json!({"kind": "random"})).unwrap_err().to_string();
        assert!(error.contains("expected one of `person`, `open`, `level`, `seed`"), "{error}");
    }

    #[test]
    fn no_two_players_of_a_game_have_the_same_name() {
        for game in games() {
            let all = Who::computers(game.as_ref());
            let mut names: Vec<_> = all.iter().map(|who| who.name(game.as_ref())).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all.len());
            assert_eq!(Who::Level { level: 4 }.title(game.as_ref()), "Level 4, Learner");
        }
    }

    #[test]
    fn every_computer_finds_a_turn_and_people_do_not() {
        let stop = Stop::default();
        for (entry, game) in GAMES.iter().zip(games()) {
            let choose = |who: &Who| {
                let (limits, mut random) = (Limits::nodes(100), Random::new(1));
                let (mut thinker, bounds) = ((entry.thinker)(1), (&limits, &stop));
                who.choose(game.as_ref(), || thinker.as_mut(), bounds, &mut random, &mut |_| {})
            };
            let all = Who::computers(game.as_ref()).into_iter();
            for who in all.chain([Who::Random, Who::Beginner, Who::Engine]) {
                let turn = choose(&who).unwrap();
                assert!(game.turns().contains(&turn), "{who}: {turn}");
            }
            assert_eq!(choose(&Who::Person), None);
        }
    }
}
