//! The part of a game's state that follows from its events without knowing the rules: seats, whose turn it is, offers,
//! the result and the clocks.
//!
//! It is cheap to compute, so stored events can be sent with the clocks after each of them without replaying any turns.

use crate::clock::Clock;
use crate::event::{Ending, Event, Fact, Offer};
use rules::{ByPlayer, Player};
use std::sync::Arc;

/// A game's state at one moment, except for the position.
#[derive(Clone, Debug)]
pub struct Course {
    /// The number of the last event.
    pub seq: i64,
    /// The number of the last event that changed the board.
    pub board_seq: i64,
    /// How many turns have been played, including those before the game was created.
    pub turns: usize,
    /// Whose turn it is.
    pub turn: Player,
    /// Whether each seat is taken.
    pub joined: ByPlayer<bool>,
    /// The players' names, if they have any.
    pub names: ByPlayer<Option<Arc<str>>>,
    /// What the game calls its players: `Red` and `Yellow`.
    pub colours: ByPlayer<&'static str>,
    /// How it ended.
    pub result: Option<Ending>,
    /// The pending offer, and who made it.
    pub offer: Option<(Offer, Player)>,
    /// The number of the last event that was an offer.
    pub offer_seq: i64,
    /// The clocks.
    pub clock: Option<Clock>,
    /// The time of the last event.
    pub last_at: i64,
    /// Whether a turn has been played since the game was created: before that, no clock runs.
    pub begun: bool,
    /// Whether the players have paused a local game; never on a server.
    pub rests: bool,
}

impl Default for Course {
    fn default() -> Course {
        Course {
            seq: 0,
            board_seq: 0,
            turns: 0,
            turn: Player::One,
            joined: ByPlayer::both(true),
            names: ByPlayer::default(),
            colours: ByPlayer::both("player"),
            result: None,
            offer: None,
            offer_seq: 0,
            clock: None,
            last_at: 0,
            begun: false,
            rests: false,
        }
    }
}

impl Course {
    /// Applies the next event.
    pub fn apply(&mut self, event: &Event) {
        self.seq = event.seq;
        self.last_at = self.last_at.max(event.at);
        self.happen(event.seat, &event.fact, event.at);
        if matches!(event.fact, Fact::Move { .. } | Fact::Undone { .. }) {
            self.board_seq = event.seq;
        }
        if matches!(event.fact, Fact::Offer { .. }) {
            self.offer_seq = event.seq;
        }
    }

    fn happen(&mut self, seat: Option<Player>, fact: &Fact, at: i64) {
        match fact {
            Fact::Joined { name } => {
                let seat = seat.unwrap_or(Player::One);
                self.joined[seat] = true;
                self.names[seat] = name.as_deref().map(Arc::from);
            }
            Fact::Move { .. } => self.moved(seat, at),
            Fact::Offer { offer } => self.offer = seat.map(|seat| (*offer, seat)),
            Fact::Declined => self.offer = None,
            Fact::Undone { turns } => {
                if self.turns.saturating_sub(*turns) % 2 == 1 {
                    self.turn = self.turn.other();
                }
                self.turns = self.turns.min(*turns);
                (self.offer, self.result) = (None, None);
            }
            Fact::Result(ending) => {
                self.result = Some(*ending);
                self.offer = None;
            }
            Fact::Paused { from, to } => {
                if let Some(clock) = &mut self.clock {
                    clock.pause(*from, *to);
                }
            }
            Fact::Created(_) | Fact::Rematch { .. } | Fact::Unknown => {}
        }
        self.run_clock(at);
    }

    fn moved(&mut self, seat: Option<Player>, at: i64) {
        self.begun = true;
        self.turns += 1;
        self.turn = self.turn.other();
        // An offer survives its maker's own move; the other's move declines it.
        self.offer = self.offer.filter(|(_, asker)| Some(*asker) == seat);
        let Some(seat) = seat else { return };
        self.joined[seat] = true;
        if let Some(clock) = &mut self.clock {
            clock.turn_ended(seat, at);
        }
    }

    /// Starts the clock of the player to move, unless no turn has been played or somebody has not joined yet.
    fn run_clock(&mut self, at: i64) {
        let runs = self.begun
            && !self.rests
            && self.result.is_none()
            && self.joined == ByPlayer::both(true);
        let next = runs.then_some(self.turn);
        if let Some(clock) = &mut self.clock {
            clock.run(next, at);
        }
    }

    /// Pauses or resumes a local game between two people.
    pub fn rest(&mut self, rests: bool, at: i64) {
        self.rests = rests;
        self.run_clock(at);
    }

    /// The course after these facts, of which the first is the seat's, except for the numbers of their events.
    pub fn after(&self, seat: Option<Player>, facts: &[Fact], at: i64) -> Course {
        let mut after = self.clone();
        facts.iter().for_each(|fact| after.happen(seat, fact, at));
        after
    }

    /// A player's name, or the colour if there is none.
    pub fn name(&self, player: Player) -> &str {
        self.names[player].as_deref().unwrap_or(self.colours[player])
    }

    /// The same with the colour after each name, for displays that show colours only on the pieces: `Ann (Red)`.
    #[must_use]
    pub fn with_colours(&self) -> Course {
        let full = |player: Player| {
            let name = self.names[player].as_deref()?;
            Some(format!("{name} ({})", self.colours[player]).into())
        };
        Course { names: ByPlayer::from_fn(full), ..self.clone() }
    }

    /// When the running clock runs out.
    pub fn deadline(&self) -> Option<i64> {
        self.clock.as_ref().and_then(Clock::deadline)
    }

    /// Which player has run out of time at `at`, if any.
    pub fn out_of_time(&self, at: i64) -> Option<Player> {
        let clock = self.clock.as_ref()?;
        clock.running().filter(|_| clock.deadline().is_some_and(|deadline| at >= deadline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Pauses, TimeControl};
    use Player::{One, Two};

    fn course() -> Course {
        let clock = Clock::new(TimeControl::Time { seconds: 60, increment: 0 }, &Pauses::default());
        Course { seq: 1, board_seq: 1, turns: 1, turn: Two, clock, ..Course::default() }
    }

    fn after(facts: &[(Player, Fact)]) -> Course {
        let mut course = course();
        for (seq, (seat, fact)) in (2..).zip(facts) {
            let (seat, fact) = (Some(*seat), fact.clone());
            course.apply(&Event { seq, seat, at: 1_000 * seq, fact, command: None });
        }
        course
    }

    fn turn() -> Fact {
        Fact::Move { turn: "b2".into(), said: None }
    }

    #[test]
    fn offers_of_older_files_that_ended_without_a_word_are_replaced_or_declined_as_usual() {
        let draw = Fact::Offer { offer: Offer::Draw };
        let undo = Fact::Offer { offer: Offer::Undo };
        // Version 0.1 forgot an offer when its maker moved, and so accepted another one.
        let again = after(&[(Two, draw.clone()), (Two, turn()), (Two, undo)]);
        assert_eq!(again.offer, Some((Offer::Undo, Two)));
        let other = after(&[(Two, draw.clone()), (Two, turn()), (One, draw.clone())]);
        assert_eq!(other.offer, Some((Offer::Draw, One)));
        let declined = after(&[(Two, draw.clone()), (Two, turn()), (One, turn())]);
        assert_eq!(declined.offer, None);
        assert_eq!(after(&[(One, Fact::Declined)]).offer, None);
        assert_eq!(after(&[(Two, draw), (Two, Fact::Undone { turns: 1 })]).offer, None);
    }

    #[test]
    fn turns_alternate_and_only_what_changes_the_board_counts_for_it() {
        let course = after(&[
            (Two, turn()),
            (One, Fact::Joined { name: None }),
            (One, turn()),
            (One, Fact::Offer { offer: Offer::Draw }),
        ]);
        assert_eq!((course.turns, course.turn, course.seq, course.board_seq), (3, Two, 5, 4));
        let back = after(&[(Two, turn()), (One, turn()), (One, Fact::Undone { turns: 2 })]);
        assert_eq!((back.turns, back.turn, back.board_seq), (2, One, 4));
        let running = back.clock.as_ref().and_then(Clock::running);
        assert_eq!(running, Some(One), "the clock of the player whose turn it is again");
    }
}
