//! The position that a request is about.

use crate::budget::Budget;
use crate::refusal::Refusal;
use engine::{Entry, GAMES, Session, find, parts};
use rules::game::shorten;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A position as requests name it: only the game is needed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Given {
    /// The game's id.
    #[serde(default)]
    pub game: Option<String>,
    /// Options that differ from the usual ones.
    #[serde(default)]
    pub options: Option<Map<String, Value>>,
    /// Where it begins, as an object or one line of text; the start of the game if it is left out.
    #[serde(default)]
    pub position: Option<Value>,
    /// What is played from there, move by move or turn by turn; the last turn may be incomplete.
    #[serde(default)]
    pub turns: Option<Vec<String>>,
    /// Another name for `turns`.
    #[serde(default)]
    pub moves: Option<Vec<String>>,
}

/// The fields of [`Given`].
pub const FIELDS: [&str; 5] = ["game", "options", "position", "turns", "moves"];

impl Given {
    /// The start of a game.
    pub fn start_of(game: &str) -> Given {
        Given { game: Some(game.to_owned()), ..Given::default() }
    }

    /// The game that is meant.
    pub fn entry(&self) -> Result<&'static Entry, Refusal> {
        match &self.game {
            Some(id) => game(id),
            None => {
                let message = format!("is required, one of {}", names());
                Err(Refusal::not_understood(message).at("game"))
            }
        }
    }

    /// The match that is meant, its turns played.
    pub fn open(&self, budget: &Budget) -> Result<Box<dyn Session>, Refusal> {
        let mut session = self.start()?;
        let (name, turns) = self.played()?;
        if turns.len() > budget.turns {
            let message = format!("at most {} turns, got {}", budget.turns, turns.len());
            return Err(Refusal::too_much(message).at(name));
        }
        for (i, turn) in turns.iter().enumerate() {
            session.play(turn).map_err(|e| Refusal::against(e).at(format!("{name}[{i}]")))?;
        }
        Ok(session)
    }

    /// The match that is meant, for the engine, which may lack something.
    pub fn open_for_engine(&self, budget: &Budget) -> Result<Box<dyn Session>, Refusal> {
        let session = self.open(budget)?;
        let missing = parts::missing(session.as_ref());
        if missing.is_empty() { Ok(session) } else { Err(Refusal::needs(missing)) }
    }

    /// What is played, under the name that the request gave it.
    fn played(&self) -> Result<(&'static str, &[String]), Refusal> {
        match (&self.turns, &self.moves) {
            (Some(_), Some(_)) => {
                let message = "`turns` and `moves` are two names of one thing; send one of them";
                Err(Refusal::not_understood(message).at("moves"))
            }
            (None, Some(moves)) => Ok(("moves", moves)),
            (turns, None) => Ok(("turns", turns.as_deref().unwrap_or_default())),
        }
    }

    /// The match before its first turn.
    fn start(&self) -> Result<Box<dyn Session>, Refusal> {
        let entry = self.entry()?;
        let none = Map::new();
        let options = self.options.as_ref().unwrap_or(&none);
        let (session, is_text) = match &self.position {
            None | Some(Value::Null) => {
                return (entry.start)(options)
                    .map_err(|error| Refusal::against(error.message).at(error.field));
            }
            Some(Value::String(text)) => ((entry.from_text)(text, options), true),
            Some(object @ Value::Object(_)) => ((entry.from_json)(object, options), false),
            Some(_) => {
                let message = "expected an object or a line of text";
                return Err(Refusal::not_understood(message).at("position"));
            }
        };
        session.map_err(|error| {
            let field = match error.field.as_str() {
                "position" => "position".to_owned(),
                // A line of text has no options of its own but those the request gives.
                field if is_text && field.starts_with("options") => field.to_owned(),
                field => format!("position.{field}"),
            };
            Refusal::against(error.message).at(field)
        })
    }
}

/// The game with this id.
pub fn game(id: &str) -> Result<&'static Entry, Refusal> {
    find(id).ok_or_else(|| {
        let message = format!("there is no game `{}`; the games are {}", shorten(id), names());
        Refusal::against(message).at("game")
    })
}

fn names() -> String {
    GAMES.iter().map(|entry| entry.info.id).collect::<Vec<_>>().join(", ")
}
