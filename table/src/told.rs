//! Parsing the JSON of games and events by plain look-ups: with derived deserialisers for the nested types, the pages'
//! WebAssembly program was a sixth larger.

use crate::clock::TimeControl;
use crate::event::{Club, Created, Ending, Event, Fact, Offer, Reason, Seat};
use engine::Who;
use rules::{ByPlayer, Player};
use serde_json::Value;

/// A parse error: the field, and what was expected there.
pub type Misread = String;

fn missing(field: &str, expected: &str) -> Misread {
    format!("`{field}`: expected {expected}")
}

pub fn text(value: &Value, field: &str) -> Result<String, Misread> {
    let text = value[field].as_str().map(str::to_owned);
    text.ok_or_else(|| missing(field, "a text"))
}

/// The largest number accepted, as in JavaScript; sums of a few do not overflow.
pub const LARGEST: i64 = (1 << 53) - 1;

/// An integer; 0 if it is missing.
pub fn number(value: &Value, field: &str) -> Result<i64, Misread> {
    match &value[field] {
        Value::Null => Ok(0),
        number => whole(number).ok_or_else(|| missing(field, "a number below 2^53")),
    }
}

/// Browsers keep times as numbers that may have a fraction.
pub fn whole(number: &Value) -> Option<i64> {
    let whole = number.as_i64().or_else(|| number.as_f64().map(|number| number as i64))?;
    (-LARGEST..=LARGEST).contains(&whole).then_some(whole)
}

pub fn player(value: &Value, field: &str) -> Result<Option<Player>, Misread> {
    let number = &value[field];
    if number.is_null() {
        return Ok(None);
    }
    let known =
        number.as_u64().and_then(|number| Player::try_from(u8::try_from(number).ok()?).ok());
    known.map(Some).ok_or_else(|| missing(field, "1 or 2"))
}

/// A winner is 1, 2 or the word `draw`.
fn winner(value: &Value) -> Result<Option<Player>, Misread> {
    match value["winner"].as_str() {
        Some("draw") => Ok(None),
        _ => match player(value, "winner")? {
            None => Err(missing("winner", "1, 2 or `draw`")),
            won => Ok(won),
        },
    }
}

fn reason(value: &Value) -> Result<Reason, Misread> {
    Ok(match value["reason"].as_str() {
        Some("rules") => Reason::Rules,
        Some("resigned") => Reason::Resigned,
        Some("time") => Reason::Time,
        Some("agreed") => Reason::Agreed,
        Some("repetition") => Reason::Repetition,
        Some("aborted") => Reason::Aborted,
        Some("recorded") => Reason::Recorded,
        _ => return Err(missing("reason", "why a game ends")),
    })
}

/// Reads how a game ended.
pub fn ending(value: &Value) -> Result<Ending, Misread> {
    let reason = reason(value)?;
    let winner = if reason == Reason::Aborted { None } else { winner(value)? };
    Ok(Ending { winner, reason })
}

pub fn offer(value: &Value, field: &str) -> Result<Offer, Misread> {
    match value[field].as_str() {
        Some("draw") => Ok(Offer::Draw),
        Some("undo") => Ok(Offer::Undo),
        _ => Err(missing(field, "`draw` or `undo`")),
    }
}

fn optional(value: &Value, field: &str) -> Option<String> {
    value[field].as_str().map(str::to_owned)
}

fn seat(value: &Value) -> Result<Seat, Misread> {
    let who = match value["kind"].as_str() {
        Some("person") => Who::Person,
        Some("open") => Who::Open,
        Some("level") => {
            let level = number(value, "level")?;
            Who::Level { level: u8::try_from(level).map_err(|_| missing("level", "a level"))? }
        }
        Some("seed") => Who::Seed { player: text(value, "player")? },
        _ => return Err(missing("kind", "person, open, level or seed")),
    };
    Ok(Seat { who, name: optional(value, "name") })
}

fn time_control(value: &Value) -> Result<TimeControl, Misread> {
    let short =
        |field: &str| u32::try_from(number(value, field)?).map_err(|_| missing(field, "a time"));
    Ok(match value["kind"].as_str() {
        Some("time") => {
            TimeControl::Time { seconds: short("seconds")?, increment: short("increment")? }
        }
        Some("days") => TimeControl::Days { days: short("days")? },
        _ => TimeControl::None,
    })
}

fn turns(value: &Value) -> Result<Vec<String>, Misread> {
    let turns = value["turns"].as_array().map_or(&[][..], Vec::as_slice);
    let text = |turn: &Value| turn.as_str().map(str::to_owned);
    turns.iter().map(text).collect::<Option<_>>().ok_or_else(|| missing("turns", "a list of turns"))
}

/// Reads how a game began, with its turns.
pub fn created(value: &Value) -> Result<Created, Misread> {
    let seats = &value["seats"];
    Ok(Created {
        game: text(value, "game")?,
        options: value["options"].as_object().cloned().unwrap_or_default(),
        start: optional(value, "start").unwrap_or_default(),
        turns: turns(value)?,
        seats: ByPlayer::new(seat(&seats[0])?, seat(&seats[1])?),
        shared: value["shared"].as_bool().unwrap_or(false),
        clock: time_control(&value["clock"])?,
        club: club(&value["club"]),
    })
}

fn club(value: &Value) -> Option<Club> {
    let player = |seat: usize| value["players"][seat].as_str().map(str::to_owned);
    value.is_object().then(|| Club {
        players: ByPlayer::new(player(0), player(1)),
        rated: value["rated"].as_bool().unwrap_or(false),
    })
}

fn fact(value: &Value) -> Result<Fact, Misread> {
    Ok(match text(value, "kind")?.as_str() {
        "created" => Fact::Created(Box::new(created(value)?)),
        "joined" => Fact::Joined { name: optional(value, "name") },
        "move" => Fact::Move { turn: text(value, "turn")?, said: optional(value, "said") },
        "offer" => Fact::Offer { offer: offer(value, "offer")? },
        "declined" => Fact::Declined,
        "undone" => {
            let turns = usize::try_from(number(value, "turns")?);
            Fact::Undone { turns: turns.map_err(|_| missing("turns", "a number"))? }
        }
        "result" => Fact::Result(ending(value)?),
        "rematch" => Fact::Rematch { id: optional(value, "id") },
        "paused" => Fact::Paused { from: number(value, "from")?, to: number(value, "to")? },
        _ => Fact::Unknown,
    })
}

impl Event {
    /// Reads an event, ignoring unknown fields.
    pub fn read(told: &Value) -> Result<Event, Misread> {
        let seq = match number(told, "seq")? {
            0 => return Err(missing("seq", "the number of an event")),
            seq => seq,
        };
        let (seat, at) = (player(told, "seat")?, number(told, "at")?);
        Ok(Event { seq, seat, at, fact: fact(told)?, command: None })
    }

    /// Reads a fact as stored.
    pub fn fact(kind: &str, payload: &str) -> Result<Fact, Misread> {
        let mut fields: Value = serde_json::from_str(payload).map_err(|error| error.to_string())?;
        if !fields.is_object() {
            return Err(missing("payload", "an object"));
        }
        fields["kind"] = kind.into();
        match fact(&fields)? {
            Fact::Unknown => Err(format!("unknown kind `{kind}`")),
            fact => Ok(fact),
        }
    }
}
