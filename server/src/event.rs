//! Events: what has happened in a game, as it is stored and told.

use crate::clock::{Clock, TimeControl};
use engine::Who;
use rules::Player;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A seat as the maker of a game describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// How it is played.
    #[serde(flatten)]
    pub who: Who,
    /// What its player is called.
    #[serde(default)]
    pub name: Option<String>,
}

/// How a game began: enough to play it again from its first turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Created {
    /// The game's id.
    pub game: String,
    /// Its options.
    pub options: Map<String, Value>,
    /// The position it begins with, in one line.
    pub start: String,
    /// The turns that had been played when it was made.
    pub turns: Vec<String>,
    /// The seats.
    pub seats: [Seat; 2],
    /// Whether one token plays both seats.
    pub shared: bool,
    /// The clock.
    pub clock: TimeControl,
}

/// What one player asks of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Request {
    /// To call it a draw.
    Draw,
    /// To take back the asker's last turn.
    Undo,
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// The rules say so.
    Rules,
    /// A player gave up.
    Resigned,
    /// A player's time ran out.
    Time,
    /// The players agreed on a draw.
    Agreed,
    /// A position occurred for the third time.
    Repetition,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Fact {
    /// The game was made.
    Created(Box<Created>),
    /// Somebody took a seat, or gave it another name.
    Joined {
        /// The name.
        name: Option<String>,
    },
    /// A turn was played.
    Move {
        /// Its text.
        turn: String,
        /// How the player wrote it, where that is not its text: a repeated command is known by it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<String>,
    },
    /// Something was asked of the opponent.
    Offer {
        /// What.
        offer: Request,
    },
    /// The opponent did not want to.
    Declined,
    /// Turns were taken back.
    Undone {
        /// How many remain.
        turns: usize,
    },
    /// The game ended.
    Result {
        /// The winner, or a draw.
        #[serde(with = "winner")]
        winner: Option<Player>,
        /// Why.
        reason: Reason,
    },
    /// Another game was asked for, or made.
    Rematch {
        /// The id of the new game, when it was made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    /// The server did not run, and no clock either.
    Paused {
        /// Since when.
        from: i64,
        /// Until when.
        to: i64,
    },
}

impl Fact {
    /// The kind as it is stored and told.
    pub fn kind(&self) -> &'static str {
        match self {
            Fact::Created(_) => "created",
            Fact::Joined { .. } => "joined",
            Fact::Move { .. } => "move",
            Fact::Offer { .. } => "offer",
            Fact::Declined => "declined",
            Fact::Undone { .. } => "undone",
            Fact::Result { .. } => "result",
            Fact::Rematch { .. } => "rematch",
            Fact::Paused { .. } => "paused",
        }
    }
}

/// A winner is 1, 2 or the word `draw`.
pub mod winner {
    use rules::Player;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    /// Writes it.
    pub fn serialize<S: Serializer>(
        winner: &Option<Player>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match winner {
            Some(player) => player.serialize(serializer),
            None => "draw".serialize(serializer),
        }
    }

    /// Reads it.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Player>, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) if text == "draw" => Ok(None),
            other => Player::deserialize(other).map(Some).map_err(D::Error::custom),
        }
    }
}

/// Identifies the last event of a game. Its number is not enough: after a failover of the database another event
/// may have that number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tip {
    /// The event's number.
    pub seq: i64,
    /// Its kind.
    pub kind: String,
    /// Its seat.
    pub seat: Option<Player>,
    /// The name of its command.
    pub command: Option<String>,
    /// Its time.
    pub at: i64,
}

/// One event of a game.
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
    /// The sender's name for the command behind it.
    pub command: Option<String>,
}

impl Event {
    /// What identifies the event.
    pub fn tip(&self) -> Tip {
        let (kind, command) = (self.fact.kind().to_owned(), self.command.clone());
        Tip { seq: self.seq, kind, seat: self.seat, command, at: self.at }
    }

    /// The kind and the other fields of the fact, as the store keeps them.
    pub fn stored(&self) -> (String, String) {
        let mut fields = self.fields();
        let kind = match fields.shift_remove("kind") {
            Some(Value::String(kind)) => kind,
            _ => String::new(),
        };
        (kind, Value::Object(fields).to_string())
    }

    /// The fact that the store kept.
    pub fn fact(kind: &str, payload: &str) -> Result<Fact, serde_json::Error> {
        let mut fields: Map<String, Value> = serde_json::from_str(payload)?;
        fields.insert("kind".into(), kind.into());
        Fact::deserialize(Value::Object(fields))
    }

    fn fields(&self) -> Map<String, Value> {
        match serde_json::to_value(&self.fact) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }

    /// The event as programs read it, with the clocks after it.
    pub fn json(&self, clock: Option<&Clock>) -> Map<String, Value> {
        let mut fields = self.fields();
        let mut told = Map::new();
        told.insert("seq".into(), self.seq.into());
        told.extend(fields.shift_remove_entry("kind"));
        if let Some(seat) = self.seat {
            told.insert("seat".into(), seat.number().into());
        }
        fields.shift_remove("said");
        told.extend(fields);
        told.insert("at".into(), self.at.into());
        if let Some(clock) = clock {
            told.insert("clocks".into(), clocks(clock, self.at));
        }
        told
    }
}

/// Clocks as programs read them.
pub fn clocks(clock: &Clock, at: i64) -> Value {
    let running = clock.running().map(Player::number);
    json!({ "left": clock.left(at), "running": running, "at": at })
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
            Fact::Offer { offer: Request::Undo },
            Fact::Declined,
            Fact::Undone { turns: 3 },
            Fact::Result { winner: None, reason: Reason::Agreed },
            Fact::Result { winner: Some(Player::Two), reason: Reason::Time },
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
        let told = Value::Object(event.json(None)).to_string();
        assert_eq!(told, r#"{"seq":8,"kind":"move","seat":1,"turn":"c4","at":15}"#);
    }
}
