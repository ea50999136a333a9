//! A game as its events have made it.

use crate::clock::Pauses;
use crate::course::Course;
use crate::event::{Created, Event, Fact, Seat, Tip, clocks};
use crate::ids::Hash;
use engine::{Session, Who};
use rules::Player;
use rules::record::{Record, Verdict};
use serde_json::{Map, Value, json};
use std::hash::{DefaultHasher, Hash as _, Hasher};

/// Events that do not follow from those before them: the store was damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} of game {game}: {reason}")]
pub struct Damaged {
    /// The game.
    pub game: String,
    /// The event.
    pub seq: i64,
    /// What is wrong with it.
    pub reason: String,
}

/// How far a request for another game has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rematch {
    /// A player has asked.
    Asked(Player),
    /// It has been made.
    Made(String),
}

/// How many events lie between two courses that are kept.
const BETWEEN_MARKS: i64 = 64;

/// A game at one moment. Everything but the tokens follows from the events.
pub struct Played {
    /// The game's id.
    pub id: String,
    /// How it began.
    pub created: Created,
    /// What follows from the events without the rules.
    pub course: Course,
    /// The last event.
    pub tip: Tip,
    /// The match.
    pub session: Box<dyn Session>,
    /// The request for another game.
    pub rematch: Option<Rematch>,
    /// Hashes of the seats' tokens.
    pub tokens: [Option<Hash>; 2],
    created_at: i64,
    /// The course after the first event, and after each so many events.
    marks: Vec<Course>,
    /// The senders' names for commands, hashed, with the event each became.
    commands: Vec<(u64, i64)>,
}

impl Played {
    /// The game that its first event makes.
    pub fn new(
        id: &str,
        first: &Event,
        tokens: [Option<Hash>; 2],
        pauses: &Pauses,
    ) -> Result<Played, Damaged> {
        let damaged = |reason: String| Damaged { game: id.to_owned(), seq: first.seq, reason };
        let Fact::Created(created) = &first.fact else {
            return Err(damaged("it is the first and does not make the game".into()));
        };
        let created = created.as_ref().clone();
        let session = open(&created).map_err(damaged)?;
        let course = Course::new(&created, first.seq, first.at, session.turn(), pauses);
        Ok(Played {
            id: id.to_owned(),
            created,
            marks: vec![course.clone()],
            course,
            tip: first.tip(),
            session,
            rematch: None,
            tokens,
            created_at: first.at,
            commands: Vec::new(),
        })
    }

    /// The game that events make; none if there are none.
    pub fn replay(
        id: &str,
        events: &[Event],
        tokens: [Option<Hash>; 2],
        pauses: &Pauses,
    ) -> Result<Option<Played>, Damaged> {
        let Some((first, rest)) = events.split_first() else { return Ok(None) };
        let mut played = Played::new(id, first, tokens, pauses)?;
        rest.iter().try_for_each(|event| played.apply(event))?;
        Ok(Some(played))
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: &Event) -> Result<(), Damaged> {
        let damaged =
            |game: &str, reason: String| Damaged { game: game.to_owned(), seq: event.seq, reason };
        if event.seq != self.course.seq + 1 {
            return Err(damaged(&self.id, format!("it follows {}", self.course.seq)));
        }
        match &event.fact {
            Fact::Created(_) => return Err(damaged(&self.id, "the game was made before".into())),
            Fact::Joined { name } => {
                let seat = event.seat.unwrap_or(Player::One);
                self.created.seats[seat.index()].name.clone_from(name);
            }
            Fact::Move { turn, .. } => {
                self.session.play(turn).map_err(|e| damaged(&self.id, e.to_string()))?;
            }
            Fact::Undone { turns } => {
                self.session.rewind(*turns);
            }
            Fact::Rematch { id: Some(id) } => self.rematch = Some(Rematch::Made(id.clone())),
            Fact::Rematch { id: None } => self.rematch = event.seat.map(Rematch::Asked),
            Fact::Offer { .. } | Fact::Declined | Fact::Result { .. } | Fact::Paused { .. } => {}
        }
        self.course.apply(event);
        self.tip = event.tip();
        if event.seq % BETWEEN_MARKS == 0 {
            self.marks.push(self.course.clone());
        }
        if let (Some(seat), Some(command)) = (event.seat, &event.command) {
            self.commands.push((command_key(seat, command), event.seq));
        }
        Ok(())
    }

    /// Reckons the clocks again from all events: a pause has become known that began before the last of them.
    /// Says whether these were all.
    pub fn reckon(&mut self, events: &[Event]) -> bool {
        let Some(first) = self.marks.first().cloned() else { return true };
        let (mut course, mut marks) = (first.clone(), vec![first]);
        for event in events.iter().skip(1).filter(|event| event.seq <= self.course.seq) {
            course.apply(event);
            if event.seq % BETWEEN_MARKS == 0 {
                marks.push(course.clone());
            }
        }
        let whole = course.seq == self.course.seq;
        if whole {
            (self.course, self.marks) = (course, marks);
        }
        whole
    }

    /// A course from which events behind a number can be told.
    pub fn mark(&self, after: i64) -> &Course {
        let mark = usize::try_from(after / BETWEEN_MARKS).unwrap_or(0);
        self.marks.get(mark).unwrap_or(&self.course)
    }

    /// The seats that one of these tokens plays, known by their hashes.
    pub fn seats_of(&self, tokens: &[Hash]) -> Vec<Player> {
        let held =
            |seat: &Player| self.tokens[seat.index()].is_some_and(|own| tokens.contains(&own));
        Player::BOTH.into_iter().filter(held).collect()
    }

    /// Whether the token of a seat is an invitation: nobody has come to an open seat.
    pub fn is_invitation(&self, seat: Player) -> bool {
        self.seat(seat).who == Who::Open && !self.course.joined[seat.index()]
    }

    /// A seat.
    pub fn seat(&self, player: Player) -> &Seat {
        &self.created.seats[player.index()]
    }

    /// Whether the server plays a seat.
    pub fn is_computer(&self, player: Player) -> bool {
        self.seat(player).who.is_computer()
    }

    /// The computer that has to move now.
    pub fn computer_to_move(&self) -> Option<&Who> {
        let who = &self.seat(self.course.turn).who;
        (self.course.result.is_none() && who.is_computer()).then_some(who)
    }

    /// Whether no person plays.
    pub fn is_exhibition(&self) -> bool {
        Player::BOTH.iter().all(|seat| self.is_computer(*seat))
    }

    /// The event that a command of a seat may have become: none if it is new for certain.
    pub fn may_have_seen(&self, seat: Player, command: &str) -> Option<i64> {
        let key = command_key(seat, command);
        self.commands.iter().rev().find(|(own, _)| *own == key).map(|(_, seq)| *seq)
    }

    /// How many turns remain when a player's last turn, and what followed, is taken back.
    pub fn before_last_turn_of(&self, player: Player) -> Option<usize> {
        let own = if self.course.turn == player { 2 } else { 1 };
        self.course.turns.checked_sub(own).filter(|rest| *rest >= self.created.turns.len())
    }

    /// The name of a seat's player for people.
    pub fn name(&self, player: Player) -> Option<String> {
        let seat = self.seat(player);
        seat.name.clone().or_else(|| seat.who.name(self.session.as_ref()))
    }

    /// The game as programs read it at a time.
    pub fn json(&self, at: i64) -> Map<String, Value> {
        let seats = Player::BOTH.map(|player| {
            let mut seat = serde_json::to_value(&self.seat(player).who).unwrap_or_default();
            seat["name"] = self.name(player).into();
            seat["joined"] = self.course.joined[player.index()].into();
            seat
        });
        let offer = self.course.offer.map(|(kind, seat)| json!({ "kind": kind, "seat": seat }));
        let rematch = self.rematch.as_ref().map(|rematch| match rematch {
            Rematch::Asked(seat) => json!({ "seat": seat }),
            Rematch::Made(id) => json!({ "id": id }),
        });
        let result = self.course.result.map(|(winner, reason)| {
            let winner = winner.map_or_else(|| json!("draw"), |player| json!(player));
            json!({ "winner": winner, "reason": reason })
        });
        let fields = json!({
            "id": self.id, "seq": self.course.seq, "at": self.tip.at, "board_seq": self.course.board_seq,
            "game": self.created.game,
            "options": self.created.options, "start": self.created.start,
            "seats": seats, "shared": self.created.shared, "clock": self.created.clock,
            "created_at": self.created_at, "turns": self.session.history(),
            "turn": self.course.turn, "result": result, "offer": offer, "rematch": rematch,
            "clocks": self.course.clock.as_ref().map(|clock| clocks(clock, at)),
        });
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }

    /// The game as a record.
    pub fn record(&self) -> Record {
        let names = Player::BOTH.map(|player| self.name(player));
        let tags = ["Player1", "Player2"];
        let named = tags.iter().zip(&names);
        let tags: Vec<_> = named.filter_map(|(tag, name)| Some((*tag, name.as_deref()?))).collect();
        let mut record = self.session.record(&tags);
        if let Some((winner, _)) = self.course.result {
            record.set_result(winner.map_or(Verdict::Draw, Verdict::Win));
        }
        record
    }
}

/// The match that a game began with.
fn open(created: &Created) -> Result<Box<dyn Session>, String> {
    let entry = engine::find(&created.game).ok_or("the game is not known")?;
    let mut session =
        (entry.from_text)(&created.start, &created.options).map_err(|error| error.to_string())?;
    for turn in &created.turns {
        session.play(turn).map_err(|error| error.to_string())?;
    }
    Ok(session)
}

fn command_key(seat: Player, command: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seat, command).hash(&mut hasher);
    hasher.finish()
}
