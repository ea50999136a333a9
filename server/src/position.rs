//! From the position that a request names to a match.

use crate::error::Refusal;
use engine::{Entry, GAMES, Session, find};
use rules::game::shorten;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A position as requests name it; only the game is needed.
#[derive(Clone, Debug, Deserialize)]
pub struct Place {
    /// The game's id.
    pub game: String,
    /// Its options.
    #[serde(default)]
    pub options: Option<Map<String, Value>>,
    /// Where it begins, as JSON or one line of text; the start of the game if nothing is said.
    #[serde(default)]
    pub position: Option<Value>,
    /// The turns played from there; the last may be incomplete.
    #[serde(default)]
    pub turns: Option<Vec<String>>,
}

/// The most turns that a request may name.
const MOST_TURNS: usize = 2_000;

impl Place {
    /// The match that is meant.
    pub fn open(&self) -> Result<Box<dyn Session>, Refusal> {
        let mut session = self.start()?;
        let turns = self.turns.as_deref().unwrap_or_default();
        if turns.len() > MOST_TURNS {
            let error = format!("at most {MOST_TURNS} turns, got {}", turns.len());
            return Err(Refusal::against(error).at("turns"));
        }
        for (i, turn) in turns.iter().enumerate() {
            session.play(turn).map_err(|e| Refusal::against(e).at(format!("turns[{i}]")))?;
        }
        Ok(session)
    }

    /// The match before its first turn.
    pub fn start(&self) -> Result<Box<dyn Session>, Refusal> {
        let entry = entry(&self.game)?;
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
                return Err(Refusal::bad("expected an object or a line of text").at("position"));
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
pub fn entry(id: &str) -> Result<&'static Entry, Refusal> {
    find(id).ok_or_else(|| {
        let names: Vec<_> = GAMES.iter().map(|entry| entry.info.id).collect();
        let error = format!("no game `{}`; the games are {}", shorten(id), names.join(", "));
        Refusal::against(error).at("game")
    })
}
