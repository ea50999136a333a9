//! Events: what happened in a game, as it is stored and sent. Their JSON format is fixed, since stores keep it forever.

use crate::clock::{Clock, TimeControl};
use crate::course::Course;
use engine::Who;
use rules::{ByPlayer, Outcome, Player};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

/// A seat as described in the request that created the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seat {
    /// Who plays it.
    #[serde(flatten)]
    pub who: Who,
    /// The player's name, if one was given.
    #[serde(default)]
    pub name: Option<String>,
}

/// What makes a game public: its registered players, and whether it is rated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Club {
    /// The ids of the players; none for guests and computers.
    pub players: ByPlayer<Option<String>>,
    /// Whether it counts for ratings.
    pub rated: bool,
}

/// How a game began: enough to replay it from its first turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Created {
    /// The game's id.
    pub game: String,
    /// Its options.
    pub options: Map<String, Value>,
    /// The start position, in one line.
    pub start: String,
    /// The turns that had been played before it was created.
    pub turns: Vec<String>,
    /// The seats.
    pub seats: ByPlayer<Seat>,
    /// Whether one token plays both seats.
    pub shared: bool,
    /// The time control.
    pub clock: TimeControl,
    /// Its registered players; none in a private game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub club: Option<Club>,
}

/// What a player asks the opponent for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Offer {
    /// A draw.
    Draw,
    /// Taking back the asker's last turn.
    Undo,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// By the rules of the game.
    Rules,
    /// A player resigned.
    Resigned,
    /// A player's time ran out.
    Time,
    /// The players agreed on a draw.
    Agreed,
    /// A position occurred for the third time.
    Repetition,
    /// A player called it off before both had moved: nobody wins, and it is not a draw.
    Aborted,
    /// The record says so without a reason; never on a server.
    Recorded,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ending {
    /// The winner; none for a draw or an aborted game.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Outcome>"))]
    pub winner: Option<Player>,
    /// Why it is over.
    pub reason: Reason,
}

impl Ending {
    /// A win, or a draw if there is no winner.
    pub fn new(winner: Option<Player>, reason: Reason) -> Ending {
        Ending { winner, reason }
    }

    /// The outcome; none if the game was aborted.
    pub fn outcome(self) -> Option<Outcome> {
        let outcome = self.winner.map_or(Outcome::Draw, Outcome::Win);
        (self.reason != Reason::Aborted).then_some(outcome)
    }
}

/// In JSON a winner is 1, 2, `draw`, or null if the game was aborted.
impl Serialize for Ending {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Ending", 2)?;
        fields.serialize_field("winner", &self.outcome())?;
        fields.serialize_field("reason", &self.reason)?;
        fields.end()
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Fact {
    /// The game was created.
    Created(Box<Created>),
    /// Somebody took a seat or changed their name.
    Joined {
        /// The name.
        name: Option<String>,
    },
    /// A turn was played.
    Move {
        /// Its text.
        turn: String,
        /// What the player typed, if it differs: a repeated command is recognised by it.
        #[serde(skip_serializing_if = "Option::is_none")]
        said: Option<String>,
    },
    /// A player made an offer.
    Offer {
        /// What.
        offer: Offer,
    },
    /// The opponent declined.
    Declined,
    /// Turns were taken back.
    Undone {
        /// How many remain.
        turns: usize,
    },
    /// The game ended.
    Result(Ending),
    /// A rematch was requested, or created.
    Rematch {
        /// The id of the new game, once it was created.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    /// No clock ran for a while.
    Paused {
        /// The start of the pause.
        from: i64,
        /// The end of the pause.
        to: i64,
    },
    /// From a newer server, unknown to this version; never stored.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

impl Fact {
    /// The kind, as it is stored and sent.
    pub fn kind(&self) -> &'static str {
        match self {
            Fact::Created(_) => "created",
            Fact::Joined { .. } => "joined",
            Fact::Move { .. } => "move",
            Fact::Offer { .. } => "offer",
            Fact::Declined => "declined",
            Fact::Undone { .. } => "undone",
            Fact::Result(_) => "result",
            Fact::Rematch { .. } => "rematch",
            Fact::Paused { .. } => "paused",
            Fact::Unknown => "unknown",
        }
    }
}

/// An event of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its number, from 1.
    pub seq: i64,
    /// Who did it, if it was a player.
    pub seat: Option<Player>,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What.
    pub fact: Fact,
    /// The client's id for the command that caused it.
    pub command: Option<String>,
}

impl Event {
    /// The kind and the other fields of the fact, as stored.
    pub fn stored(&self) -> (String, String) {
        let mut fields = self.fields();
        let kind = match fields.shift_remove("kind") {
            Some(Value::String(kind)) => kind,
            _ => String::new(),
        };
        (kind, Value::Object(fields).to_string())
    }

    fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(&self.fact) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }

    /// The event as the API sends it: with the clocks after it and, unless it is a turn, in words.
    pub fn json(&self, after: &Course) -> Map<String, Value> {
        let mut fields = self.fields();
        let mut told = Map::new();
        told.insert("seq".into(), self.seq.into());
        told.extend(fields.shift_remove_entry("kind"));
        if let Some(seat) = self.seat {
            told.insert("seat".into(), seat.number().into());
        }
        fields.shift_remove("said");
        told.extend(fields);
        if let Some(words) = crate::words::event(self, after) {
            told.insert("words".into(), words.into());
        }
        told.insert("at".into(), self.at.into());
        if let Some(clock) = &after.clock {
            told.insert("clocks".into(), clocks(clock, self.at));
        }
        told
    }
}

/// Clocks as the API sends them.
pub fn clocks(clock: &Clock, at: i64) -> Value {
    json!({ "left": clock.left(at), "running": clock.running(), "at": at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_read_back_as_they_were_stored() {
        let facts = [
            Fact::Joined { name: Some("Ann \"x\"".into()) },
            Fact::Move { turn: "c4".into(), said: None },
            Fact::Move { turn: "c4".into(), said: Some(" C4".into()) },
            Fact::Offer { offer: Offer::Undo },
            Fact::Declined,
            Fact::Undone { turns: 3 },
            Fact::Result(Ending::new(None, Reason::Agreed)),
            Fact::Result(Ending::new(None, Reason::Aborted)),
            Fact::Result(Ending::new(Some(Player::Two), Reason::Time)),
            Fact::Rematch { id: None },
            Fact::Rematch { id: Some("abcdefgh".into()) },
            Fact::Paused { from: 1, to: 2 },
        ];
        for fact in facts {
            let event = Event { seq: 2, seat: Some(Player::One), at: 7, fact, command: None };
            let (kind, payload) = event.stored();
            assert_eq!(Event::fact(&kind, &payload).unwrap(), event.fact);
            assert_eq!(event.fact.kind(), kind);
        }
    }

    #[test]
    fn an_event_tells_its_kind_its_seat_and_its_fields() {
        let fact = Fact::Move { turn: "c4".into(), said: Some("C4".into()) };
        let event = Event { seq: 8, seat: Some(Player::One), at: 15, fact, command: None };
        let told = Value::Object(event.json(&Course::default()));
        assert_eq!(told.to_string(), r#"{"seq":8,"kind":"move","seat":1,"turn":"c4","at":15}"#);
        let fact = Fact::Move { turn: "c4".into(), said: None };
        assert_eq!(Event::read(&told).unwrap(), Event { fact, ..event });
    }

    #[test]
    fn what_a_newer_server_tells_is_passed_over_but_never_read_from_a_store() {
        let told = json!({"seq": 3, "kind": "waved", "seat": 2, "at": 5, "hand": "left"});
        assert_eq!(Event::read(&told).unwrap().fact, Fact::Unknown);
        assert!(Event::fact("waved", "{}").is_err());
    }
}
