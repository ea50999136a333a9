//! The state of a game: what follows from its events, and its JSON.

use crate::clock::{Clock, Pauses, TimeControl};
use crate::course::Course;
use crate::event::{Created, Ending, Event, Fact, Seat, clocks};
use crate::{told, words};
use engine::{Session, Who};
use rules::record::{Record, Verdict};
use rules::{ByPlayer, Player};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The progress of a rematch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rematch {
    /// A player has asked for it.
    Asked(Player),
    /// It was created with this id.
    Made(String),
}

/// A game's state at one moment.
pub struct State {
    /// How it began, but with the seats' current names.
    pub created: Created,
    /// The part of the state that does not depend on the rules.
    pub course: Course,
    /// The position and its history.
    pub session: Box<dyn Session>,
    /// The rematch.
    pub rematch: Option<Rematch>,
    created_at: i64,
}

impl Clone for State {
    fn clone(&self) -> State {
        State {
            created: self.created.clone(),
            course: self.course.clone(),
            session: self.session.boxed_clone(),
            rematch: self.rematch.clone(),
            created_at: self.created_at,
        }
    }
}

impl State {
    /// A new game, whose clocks exclude these pauses.
    pub fn new(created: Created, seq: i64, at: i64, pauses: &Pauses) -> Result<State, String> {
        let session = open(&created)?;
        let clock = Clock::new(created.clock, pauses);
        Ok(State::of(created, session, clock, seq, at))
    }

    /// A game with a given session and clock.
    pub fn of(
        created: Created,
        session: Box<dyn Session>,
        clock: Option<Clock>,
        seq: i64,
        at: i64,
    ) -> State {
        let course = Course {
            seq,
            board_seq: seq,
            turns: session.turns_played(),
            turn: session.turn(),
            joined: ByPlayer::from_fn(|player| created.seats[player].who != Who::Open),
            names: ByPlayer::from_fn(|player| name(&created.seats[player], session.as_ref())),
            colours: session.info().players,
            clock,
            last_at: at,
            ..Course::default()
        };
        State { created, course, session, rematch: None, created_at: at }
    }

    /// Applies the next event, or says why it cannot follow.
    pub fn apply(&mut self, event: &Event) -> Result<(), String> {
        if event.seq != self.course.seq + 1 {
            return Err(format!("it follows {}", self.course.seq));
        }
        self.follow(event)
    }

    /// Applies an event sent by a server, possibly after a gap.
    pub fn follow(&mut self, event: &Event) -> Result<(), String> {
        match &event.fact {
            Fact::Created(_) => return Err("the game was made before".into()),
            Fact::Joined { name } => {
                let seat = event.seat.unwrap_or(Player::One);
                self.created.seats[seat].name.clone_from(name);
            }
            Fact::Move { turn, .. } => self.session.play(turn).map_err(|e| e.to_string())?,
            Fact::Undone { turns } => self.session.rewind(*turns),
            Fact::Rematch { id: Some(id) } => self.rematch = Some(Rematch::Made(id.clone())),
            Fact::Rematch { id: None } => self.rematch = event.seat.map(Rematch::Asked),
            Fact::Offer { .. }
            | Fact::Declined
            | Fact::Result(_)
            | Fact::Paused { .. }
            | Fact::Unknown => {}
        }
        self.course.apply(event);
        Ok(())
    }

    /// Turns facts into events: numbered consecutively, never dated before the last event, and with the seat and the
    /// command's id on the first of them.
    pub fn events(
        &self,
        seat: Option<Player>,
        facts: Vec<Fact>,
        command: Option<&str>,
        received: i64,
    ) -> Vec<Event> {
        let at = received.max(self.course.last_at);
        let event = |(i, fact): (usize, Fact)| {
            let by = match fact {
                // A result that follows a turn is by the referee, and a repeated offer by the opponent.
                Fact::Result(_) if i > 0 => None,
                Fact::Offer { .. } if i > 0 => seat.map(Player::other),
                _ => seat,
            };
            Event {
                seq: self.course.seq + 1 + i as i64,
                seat: by,
                at,
                fact,
                command: command.filter(|_| i == 0).map(str::to_owned),
            }
        };
        facts.into_iter().enumerate().map(event).collect()
    }

    /// A seat.
    pub fn seat(&self, player: Player) -> &Seat {
        &self.created.seats[player]
    }

    /// Whether a seat is played by a program.
    pub fn is_computer(&self, player: Player) -> bool {
        self.seat(player).who.is_computer()
    }

    /// The computer that is to move, if one is.
    pub fn computer_to_move(&self) -> Option<&Who> {
        let who = &self.seat(self.course.turn).who;
        (self.course.result.is_none() && who.is_computer()).then_some(who)
    }

    /// Whether computers play each other.
    pub fn is_exhibition(&self) -> bool {
        Player::BOTH.iter().all(|seat| self.is_computer(*seat))
    }

    /// Whether a seat is open, waiting for somebody to accept the invitation.
    pub fn is_invitation(&self, seat: Player) -> bool {
        self.seat(seat).who == Who::Open && !self.course.joined[seat]
    }

    /// How many turns remain if a player's last turn, and everything after it, is taken back.
    pub fn before_last_turn_of(&self, player: Player) -> Option<usize> {
        let own = if self.course.turn == player { 2 } else { 1 };
        self.course.turns.checked_sub(own).filter(|rest| *rest >= self.created.turns.len())
    }

    /// How the rematch begins: seats exchanged, names kept.
    pub fn next_game(&self) -> Created {
        let mut created = self.created.clone();
        for player in Player::BOTH {
            if self.course.joined[player] && created.seats[player].who == Who::Open {
                created.seats[player].who = Who::Person;
            }
        }
        created.seats.reverse();
        if let Some(club) = &mut created.club {
            club.players.reverse();
        }
        created
    }

    /// The game as the API sends it at a time.
    pub fn json(&self, id: &str, now: i64) -> Map<String, Value> {
        let course = &self.course;
        let seats = Player::BOTH.map(|player| {
            let mut seat = serde_json::to_value(&self.seat(player).who).unwrap_or_default();
            seat["name"] = course.names[player].as_deref().into();
            seat["joined"] = course.joined[player].into();
            seat
        });
        let offer = course.offer.map(|(kind, seat)| json!({ "kind": kind, "seat": seat }));
        let rematch = self.rematch.as_ref().map(|rematch| match rematch {
            Rematch::Asked(seat) => json!({ "seat": seat }),
            Rematch::Made(id) => json!({ "id": id }),
        });
        let fields = json!({
            "id": id, "seq": course.seq, "at": course.last_at, "board_seq": course.board_seq,
            "game": self.created.game,
            "options": self.created.options, "start": self.created.start,
            "seats": seats, "shared": self.created.shared, "clock": self.created.clock,
            "created_at": self.created_at, "turns": self.session.history(), "began": self.created.turns.len(),
            "turn": course.turn, "result": course.result, "ending": words::ending(self), "offer": offer, "rematch": rematch,
            // A client that read the clock before the last event arrived should still see it as that event left it.
            "clocks": course.clock.as_ref().map(|clock| clocks(clock, now.max(course.last_at))),
        });
        match fields {
            Value::Object(mut fields) => {
                if let Some(club) = &self.created.club {
                    fields.insert("club".into(), json!(club));
                }
                fields
            }
            _ => Map::new(),
        }
    }

    /// Reads the JSON of [`State::json`], or what a page of version 0.2 has kept.
    pub fn read(told: &Value) -> Result<State, String> {
        let mut created = told::created(told)?;
        let turns = std::mem::take(&mut created.turns);
        let mut session = open(&created)?;
        if created.start.is_empty() {
            created.start = session.text();
        }
        for turn in &turns {
            session.play(turn).map_err(|error| error.to_string())?;
        }
        let began = usize::try_from(told::number(told, "began")?).unwrap_or(0);
        created.turns = turns.into_iter().take(began).collect();
        let clock = told_clock(created.clock, &told["clocks"])?;
        let (seq, at) = (told::number(told, "seq")?, told::number(told, "at")?);
        let mut state = State::of(created, session, clock, seq, at);
        let course = &mut state.course;
        course.board_seq = told::number(told, "board_seq")?;
        // Event 1 creates the game. If the board changed after that, a turn was played, even if it was taken back.
        course.begun = course.board_seq > 1;
        for player in Player::BOTH {
            let joined = told["seats"][player.index()]["joined"].as_bool();
            course.joined[player] = joined.unwrap_or(course.joined[player]);
        }
        if told["result"].is_object() {
            course.result = Some(told::ending(&told["result"])?);
        }
        if let Some(seat) = told::player(&told["offer"], "seat")? {
            course.offer = Some((told::offer(&told["offer"], "kind")?, seat));
        }
        state.rematch = match told["rematch"]["id"].as_str() {
            Some(id) => Some(Rematch::Made(id.to_owned())),
            None => told::player(&told["rematch"], "seat")?.map(Rematch::Asked),
        };
        state.created_at = told::number(told, "created_at")?;
        Ok(state)
    }

    /// The game as a record.
    pub fn record(&self) -> Record {
        let tags = ["Player1", "Player2"].into_iter().zip(&self.course.names);
        let tags: Vec<_> = tags.filter_map(|(tag, name)| Some((tag, name.as_deref()?))).collect();
        let mut record = self.session.record(&tags);
        if let Some(outcome) = self.course.result.and_then(Ending::outcome) {
            record.set_result(Verdict::from(Some(outcome)));
        }
        record
    }
}

/// The name shown for a seat; none for a person without one.
fn name(seat: &Seat, session: &dyn Session) -> Option<Arc<str>> {
    seat.name.clone().or_else(|| seat.who.name(session)).map(Arc::from)
}

/// The session that a game began with.
fn open(created: &Created) -> Result<Box<dyn Session>, String> {
    let entry = engine::find(&created.game).ok_or("the game is not known")?;
    let start = Some(&created.start).filter(|start| !start.is_empty());
    let session = match start {
        Some(start) => (entry.from_text)(start, &created.options),
        None => (entry.start)(&created.options),
    };
    let mut session = session.map_err(|error| error.to_string())?;
    for turn in &created.turns {
        session.play(turn).map_err(|error| error.to_string())?;
    }
    Ok(session)
}

/// Reads clocks from JSON.
fn told_clock(control: TimeControl, clocks: &Value) -> Result<Option<Clock>, String> {
    let mut clock = Clock::new(control, &Pauses::default());
    if let Some(clock) = clock.as_mut().filter(|_| clocks.is_object()) {
        let left = |seat: usize| told::whole(&clocks["left"][seat]);
        let left = left(0).zip(left(1)).ok_or("`clocks.left`: expected two times")?;
        let (running, at) = (told::player(clocks, "running")?, told::number(clocks, "at")?);
        clock.set(ByPlayer::new(left.0, left.1), running, at);
    }
    Ok(clock)
}
