//! A game in memory: the table's state plus what only the server needs, tokens and command ids.

use crate::ids::Hash;
use crate::store::Tip;
use rules::{ByPlayer, Player};
use std::hash::{DefaultHasher, Hash as _, Hasher};
use std::ops::Deref;
use table::clock::Pauses;
use table::event::{Event, Fact};
use table::{Course, State};

/// An event that cannot follow the ones before it: the store is damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} of game {game}: {reason}")]
pub struct Damaged {
    pub game: String,
    pub seq: i64,
    pub reason: String,
}

/// How many events lie between two checkpoints.
const BETWEEN_MARKS: i64 = 64;

/// A game at one point in time. Everything except the tokens is derived from the events.
pub struct Played {
    pub id: String,
    pub tip: Tip,
    /// Hashes of the seats' tokens.
    pub tokens: ByPlayer<Option<Hash>>,
    state: State,
    /// Checkpoints: the course after the first event and after every [`BETWEEN_MARKS`] events.
    marks: Vec<Course>,
    /// Hashed command ids, each with the event of its command.
    commands: Vec<(u64, i64)>,
}

impl Deref for Played {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl Played {
    /// A game that has only its first event.
    pub fn new(
        id: &str,
        first: &Event,
        tokens: ByPlayer<Option<Hash>>,
        pauses: &Pauses,
    ) -> Result<Played, Damaged> {
        let damaged = |reason: String| Damaged { game: id.to_owned(), seq: first.seq, reason };
        let Fact::Created(created) = &first.fact else {
            return Err(damaged("the first event does not create the game".into()));
        };
        let state =
            State::new(created.as_ref().clone(), first.seq, first.at, pauses).map_err(damaged)?;
        Ok(Played {
            id: id.to_owned(),
            tip: Tip::of(first),
            tokens,
            marks: vec![state.course.clone()],
            state,
            commands: Vec::new(),
        })
    }

    /// Replays a game; none if it has no events.
    pub fn replay(
        id: &str,
        events: &[Event],
        tokens: ByPlayer<Option<Hash>>,
        pauses: &Pauses,
    ) -> Result<Option<Played>, Damaged> {
        let Some((first, rest)) = events.split_first() else { return Ok(None) };
        let mut played = Played::new(id, first, tokens, pauses)?;
        rest.iter().try_for_each(|event| played.fold(event))?;
        played.tip = Tip::of(rest.last().unwrap_or(first));
        Ok(Some(played))
    }

    pub fn apply(&mut self, event: &Event) -> Result<(), Damaged> {
        self.fold(event)?;
        self.tip = Tip::of(event);
        Ok(())
    }

    /// Applies an event but for the tip.
    fn fold(&mut self, event: &Event) -> Result<(), Damaged> {
        let damaged = |reason| Damaged { game: self.id.clone(), seq: event.seq, reason };
        self.state.apply(event).map_err(damaged)?;
        if event.seq % BETWEEN_MARKS == 0 {
            self.marks.push(self.state.course.clone());
        }
        if let (Some(seat), Some(command)) = (event.seat, &event.command) {
            self.commands.push((command_key(seat, command), event.seq));
        }
        Ok(())
    }

    /// Recomputes the clocks from all events, because a pause has become known that started before the last of them.
    /// Returns false, and changes nothing, unless `events` are complete.
    pub fn recompute_clocks(&mut self, events: &[Event]) -> bool {
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
            (self.state.course, self.marks) = (course, marks);
        }
        whole
    }

    /// The checkpoint from which to replay the events after a number.
    pub fn mark(&self, after: i64) -> &Course {
        let mark = usize::try_from(after / BETWEEN_MARKS).unwrap_or(0);
        self.marks.get(mark).unwrap_or(&self.course)
    }

    /// The seats that these token hashes play.
    pub fn seats_of(&self, tokens: &[Hash]) -> Vec<Player> {
        let held = |seat: &Player| self.tokens[*seat].is_some_and(|own| tokens.contains(&own));
        Player::BOTH.into_iter().filter(held).collect()
    }

    /// The event of an earlier command that may be this one; none if the command is certainly new. Only hashes are
    /// compared, so the store has the last word.
    pub fn may_have_seen(&self, seat: Player, command: &str) -> Option<i64> {
        let key = command_key(seat, command);
        self.commands.iter().rev().find(|(own, _)| *own == key).map(|(_, seq)| *seq)
    }
}

fn command_key(seat: Player, command: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seat, command).hash(&mut hasher);
    hasher.finish()
}
