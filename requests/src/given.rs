//! The position a request is about.

use crate::budget::Budget;
use engine::{Entry, GAMES, Session, find, parts};
use rules::game::shorten;
use serde::Deserialize;
use serde_json::{Map, Value};
use table::Refusal;

/// A position as requests specify it; only the game is required.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Given {
    /// The game's id.
    pub game: Option<String>,
    /// Options that differ from the defaults.
    pub options: Option<Map<String, Value>>,
    /// The starting position, as an object, one line of text or a Prolog term; by default the start of the game.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::schema::AnyPosition>"))]
    pub position: Option<Value>,
    /// Moves or whole turns played from there; the last turn may be incomplete.
    pub turns: Option<Vec<String>>,
    /// An alias for `turns`.
    pub moves: Option<Vec<String>>,
}

/// The fields of [`Given`].
pub const FIELDS: [&str; 5] = ["game", "options", "position", "turns", "moves"];

impl Given {
    /// The start of a game.
    pub fn start_of(game: &str) -> Given {
        Given { game: Some(game.to_owned()), ..Given::default() }
    }

    /// Looks up the game.
    pub fn entry(&self) -> Result<&'static Entry, Refusal> {
        match &self.game {
            Some(id) => game(id),
            None => {
                let message = format!("is required: one of {}", names());
                Err(Refusal::not_understood(message).at("game"))
            }
        }
    }

    /// Opens the position and plays the turns.
    pub fn open(&self, budget: &Budget) -> Result<Box<dyn Session>, Refusal> {
        let mut session = self.start()?;
        let (name, turns) = self.played()?;
        if turns.len() > budget.turns {
            let message = format!("at most {} turns, got {}", budget.turns, turns.len());
            return Err(Refusal::too_much(message).at(name));
        }
        play(session.as_mut(), name, turns)?;
        Ok(session)
    }

    /// Like [`Given::open`], but refuses positions for which the engine lacks data that has to be fetched first;
    /// certificates among them only with `proofs`.
    pub fn open_for_engine(
        &self,
        budget: &Budget,
        proofs: bool,
    ) -> Result<Box<dyn Session>, Refusal> {
        let session = self.open(budget)?;
        let missing = parts::missing(session.as_ref(), proofs);
        if missing.is_empty() { Ok(session) } else { Err(Refusal::needs(missing)) }
    }

    /// The turns, with the name of the field that holds them.
    fn played(&self) -> Result<(&'static str, &[String]), Refusal> {
        match (&self.turns, &self.moves) {
            (Some(_), Some(_)) => {
                let message = "`turns` and `moves` are aliases; send only one of them";
                Err(Refusal::not_understood(message).at("moves"))
            }
            (None, Some(moves)) => Ok(("moves", moves)),
            (turns, None) => Ok(("turns", turns.as_deref().unwrap_or_default())),
        }
    }

    /// The position before the first turn.
    fn start(&self) -> Result<Box<dyn Session>, Refusal> {
        let entry = self.entry()?;
        let none = Map::new();
        let options = self.options.as_ref().unwrap_or(&none);
        let (session, is_text) = match &self.position {
            None | Some(Value::Null) => {
                return (entry.start)(options)
                    .map_err(|error| Refusal::against(error.message).at(error.field));
            }
            // No line of text has brackets, and every Prolog term of a position does.
            Some(Value::String(text)) if text.contains(['[', '(']) => {
                ((entry.from_term)(text, options), true)
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
                // Text carries no options, so a complaint about options is about the request's own field.
                field if is_text && field.starts_with("options") => field.to_owned(),
                field => format!("position.{field}"),
            };
            Refusal::against(error.message).at(field)
        })
    }
}

/// Plays turns; a refusal names the one in `field` that cannot be played.
pub(crate) fn play(game: &mut dyn Session, field: &str, turns: &[String]) -> Result<(), Refusal> {
    for (i, turn) in turns.iter().enumerate() {
        game.play(turn).map_err(|e| Refusal::against(e).at(format!("{field}[{i}]")))?;
    }
    Ok(())
}

/// Looks up a game by id.
pub fn game(id: &str) -> Result<&'static Entry, Refusal> {
    find(id).ok_or_else(|| {
        let message = format!("there is no game `{}`; the games are {}", shorten(id), names());
        Refusal::against(message).at("game")
    })
}

fn names() -> String {
    GAMES.iter().map(|entry| entry.info.id).collect::<Vec<_>>().join(", ")
}
