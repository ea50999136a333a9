//! Commands in a game that the caller stores, such as a page playing offline: the caller sends the game and a
//! command, and gets back the resulting events.

use crate::budget::Budget;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use table::event::{Ending, Event, Fact, Reason};
use table::referee::{self, Action, Message};
use table::{Created, Pauses, Refusal, State};

/// A game, the events since, and a command. Exactly one of `table` and `make` is required.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Seated {
    /// The game as JSON.
    pub table: Option<Value>,
    /// The settings of a new game.
    pub make: Option<Value>,
    /// The id of the new game or of the rematch; `id` names the request itself.
    pub new_id: String,
    /// Events that the game does not include yet, as JSON.
    pub events: Vec<Value>,
    /// A command as sent over a socket; or `tick`, which only checks the clocks; or `resume`, which does not charge
    /// the time since the last event to anybody.
    pub command: Option<Map<String, Value>>,
    /// The current time, in milliseconds since 1970.
    pub now: i64,
}

/// The result of a command.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moved {
    /// The game after the command.
    #[cfg_attr(feature = "schema", schemars(with = "table::schema::Told"))]
    pub table: Map<String, Value>,
    /// The new events.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<table::schema::ToldEvent>"))]
    pub events: Vec<Map<String, Value>>,
    /// The rematch, if one was created.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<table::schema::Told>", skip_serializing_if = "Option::is_none")
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Map<String, Value>>,
}

impl Seated {
    /// The fields of this request.
    pub const FIELDS: [&str; 6] = ["table", "make", "new_id", "events", "command", "now"];

    /// Replays the events, decides the command and applies the result.
    pub fn answer(&self, budget: &Budget) -> Result<Moved, Refusal> {
        self.check(budget)?;
        let (id, mut state) = self.state()?;
        for (i, told) in self.events.iter().enumerate() {
            let wrong = |error: String| Refusal::against(error).at(format!("events[{i}]"));
            let event = Event::read(told).map_err(wrong)?;
            state.follow(&event).map_err(wrong)?;
        }
        let mut moved = Moved { table: Map::new(), events: Vec::new(), next: None };
        if let Some(command) = &self.command {
            self.act(&mut state, command, &mut moved)?;
        }
        moved.table = state.json(&id, self.now);
        Ok(moved)
    }

    /// Refuses what would cost too much, before anything is replayed.
    fn check(&self, budget: &Budget) -> Result<(), Refusal> {
        let told = self.table.as_ref().or(self.make.as_ref());
        let turns = told.and_then(|told| told["turns"].as_array()).map_or(0, Vec::len);
        if turns.saturating_add(self.events.len()) > budget.turns {
            let error = format!("a game has at most {} turns here", budget.turns);
            return Err(Refusal::too_much(error).at("table"));
        }
        if !(-table::LARGEST..=table::LARGEST).contains(&self.now) {
            return Err(Refusal::against("expected a number below 2^53").at("now"));
        }
        Ok(())
    }

    fn state(&self) -> Result<(String, State), Refusal> {
        let (told, id) = match (&self.table, &self.make) {
            (Some(told), None) => (told, told["id"].as_str().unwrap_or_default()),
            (None, Some(made)) => (made, self.new_id.as_str()),
            _ => return Err(Refusal::not_understood("expected either `table` or `make`")),
        };
        let field = if self.table.is_some() { "table" } else { "make" };
        let mut state = State::read(told).map_err(|error| Refusal::against(error).at(field))?;
        if self.make.is_some() {
            state.created.clock.check().map_err(|refusal| refusal.within(field))?;
            state = begin(state.created, self.now).map_err(Refusal::broken)?;
        }
        Ok((id.to_owned(), state))
    }

    fn act(
        &self,
        state: &mut State,
        command: &Map<String, Value>,
        moved: &mut Moved,
    ) -> Result<(), Refusal> {
        let (seat, facts) = match command.get("do").and_then(Value::as_str) {
            // The time since the last event is about to be given back, so no clock has run out during it.
            Some("resume") => {
                (None, vec![Fact::Paused { from: state.course.last_at, to: self.now }])
            }
            _ if state.course.out_of_time(self.now).is_some() => {
                let winner = state.course.out_of_time(self.now).map(rules::Player::other);
                (None, vec![Fact::Result(Ending::new(winner, Reason::Time))])
            }
            Some("tick") => return Ok(()),
            _ => {
                let command = Message::of_fields(command)
                    .of_socket()
                    .map_err(|refusal| refusal.within("command"))?;
                referee::expected(state, &command)?;
                let seat = referee::seat(state, &rules::Player::BOTH, &command)?;
                let mut facts = referee::obey(state, seat, &command)?.facts();
                if command.action == Action::Rematch {
                    let next = begin(state.next_game(), self.now).map_err(Refusal::broken)?;
                    moved.next = Some(next.json(&self.new_id, self.now));
                    facts = vec![Fact::Rematch { id: Some(self.new_id.clone()) }];
                }
                (Some(seat), facts)
            }
        };
        for event in state.events(seat, facts, None, self.now) {
            state.apply(&event).map_err(Refusal::broken)?;
            moved.events.push(event.json(&state.course));
        }
        Ok(())
    }
}

/// A game that starts now, with its starting position spelled out.
fn begin(created: Created, now: i64) -> Result<State, String> {
    let mut state = State::new(created, 1, now, &Pauses::default())?;
    state.created.start = state.session.start().text();
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(request: &Value) -> Result<Moved, Refusal> {
        let seated: Seated = Seated::deserialize(request).unwrap();
        seated.answer(&Budget { turns: 10, ..Budget::SERVED })
    }

    #[test]
    fn numbers_that_nobody_counts_to_are_refused_and_overflow_nothing() {
        let seats = json!([{"kind": "person"}, {"kind": "person"}]);
        let clock = json!({"kind": "time", "seconds": 60, "increment": 2});
        let table = json!({"game": "gekitai", "seats": seats, "clock": clock, "seq": 2,
            "board_seq": 2, "turns": ["c3"], "clocks": {"left": [60000, 60000], "running": 2, "at": 0}});
        let command = json!({"do": "move", "turn": "d4", "seat": 2});
        let request = json!({"table": table, "command": command, "now": 5});
        assert!(asked(&request).is_ok());
        for huge in [json!(i64::MAX), json!(i64::MIN), json!(1e300), json!(-1e300)] {
            for place in [
                "/table/seq",
                "/table/board_seq",
                "/table/at",
                "/table/clocks/left/1",
                "/table/clocks/at",
                "/now",
            ] {
                let mut request = request.clone();
                *request.pointer_mut(place).unwrap_or(&mut Value::Null) = huge.clone();
                if place == "/table/at" {
                    request["table"]["at"] = huge.clone();
                }
                if place == "/now" && huge.is_f64() {
                    continue;
                }
                assert!(asked(&request).is_err(), "{place} is {huge}");
            }
        }
    }

    #[test]
    fn a_game_that_is_too_long_is_refused_before_it_is_replayed() {
        let seats = json!([{"kind": "person"}, {"kind": "person"}]);
        // None of these turns is legal, so an error about one of them would show that it was replayed.
        let table = json!({"game": "gekitai", "seats": seats, "turns": vec!["zz"; 11]});
        let refused = asked(&json!({"table": table})).unwrap_err();
        assert_eq!((refused.kind, refused.field.as_deref()), (table::Kind::TooMuch, Some("table")));
    }
}
