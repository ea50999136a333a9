//! JSON Schema of games and events as the API sends them. The JSON is written by [`State::json`](crate::State::json)
//! and [`Event::json`](crate::Event::json).

use crate::event::{Club, Ending, Fact, Offer};
use crate::{Kind, TimeControl};
use engine::Who;
use rules::{ByPlayer, Player};
use schemars::JsonSchema;
use serde_json::{Map, Value};

/// A stored game.
#[derive(JsonSchema)]
#[schemars(rename = "Game")]
#[allow(missing_docs)]
pub struct Told {
    pub id: String,
    /// The number of the last event.
    pub seq: i64,
    /// When it happened, in milliseconds since 1970.
    pub at: i64,
    /// The number of the last event that changed the board.
    pub board_seq: i64,
    pub game: String,
    /// Options that differ from the defaults.
    pub options: Map<String, Value>,
    /// The start position, in one line.
    pub start: String,
    pub seats: ByPlayer<ToldSeat>,
    /// Whether one token plays both seats.
    pub shared: bool,
    pub clock: TimeControl,
    /// In milliseconds since 1970.
    pub created_at: i64,
    pub turns: Vec<String>,
    /// How many of the turns had been played before the game was created.
    pub began: usize,
    pub turn: Player,
    pub result: Option<Ending>,
    /// The result in words.
    pub ending: Option<String>,
    pub offer: Option<ToldOffer>,
    pub rematch: Option<ToldRematch>,
    pub clocks: Option<Clocks>,
    /// The seats that the sender's token plays.
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub you: Option<Vec<Player>>,
    /// Its registered players; null in a private game.
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub club: Option<Club>,
}

/// Who plays a seat.
#[derive(JsonSchema)]
#[schemars(rename = "GameSeat")]
#[allow(missing_docs)]
pub struct ToldSeat {
    #[schemars(flatten)]
    pub who: Who,
    pub name: Option<String>,
    pub joined: bool,
}

/// A pending offer.
#[derive(JsonSchema)]
#[schemars(rename = "OpenOffer")]
#[allow(missing_docs)]
pub struct ToldOffer {
    pub kind: Offer,
    pub seat: Player,
}

/// A rematch: the seat that has asked for it, or the id of the new game.
#[derive(JsonSchema)]
#[schemars(rename = "Rematch", untagged)]
#[allow(missing_docs)]
pub enum ToldRematch {
    Asked { seat: Player },
    Made { id: String },
}

/// The clocks at a time.
#[derive(JsonSchema)]
#[allow(missing_docs)]
pub struct Clocks {
    /// Milliseconds that each player has left.
    pub left: ByPlayer<i64>,
    /// Whose clock runs.
    pub running: Option<Player>,
    /// In milliseconds since 1970.
    pub at: i64,
}

/// Something that happened in a game.
#[derive(JsonSchema)]
#[schemars(rename = "Event")]
#[allow(missing_docs)]
pub struct ToldEvent {
    /// Its number, from 1.
    pub seq: i64,
    /// Who did it, if it was a player.
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub seat: Option<Player>,
    #[schemars(flatten)]
    pub fact: Fact,
    /// What happened, as a sentence.
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// In milliseconds since 1970.
    pub at: i64,
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
}

/// Why something was refused.
#[derive(JsonSchema)]
#[schemars(rename = "Refusal")]
#[allow(missing_docs)]
pub struct ToldRefusal {
    /// One line for people.
    pub error: String,
    /// The field at fault, if there is one: `moves[1]`, `position.board`.
    #[schemars(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    pub kind: Kind,
}

impl JsonSchema for Kind {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Kind".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let kinds = [
            Kind::NotUnderstood,
            Kind::NoToken,
            Kind::Forbidden,
            Kind::NotThere,
            Kind::WrongMethod,
            Kind::Conflict,
            Kind::AgainstTheRules,
            Kind::TooMuch,
            Kind::TooLarge,
            Kind::TooSlow,
            Kind::TooMany { retry_after: 0 },
            Kind::Unavailable,
            Kind::NotYet,
            Kind::Broken,
        ];
        schemars::json_schema!({ "description": "What kind of refusal it is.", "enum": kinds.map(Kind::name) })
    }
}
