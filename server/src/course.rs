//! What follows from a game's events without its rules: who has come, whose turn it is, what is asked,
//! and the clocks.
//!
//! It is small and quick to go on with, so that stored events can be told with the clocks after each of
//! them, and no turn has to be played again for it.

use crate::clock::{Clock, Pauses};
use crate::event::{Created, Event, Fact, Reason, Request};
use crate::store::Running;
use engine::Who;
use rules::Player;

/// A game at one moment, but for its position.
#[derive(Clone, Debug)]
pub struct Course {
    /// The number of the last event.
    pub seq: i64,
    /// The number of the last event that changed the board.
    pub board_seq: i64,
    /// How many turns have been played, those before the game was made included.
    pub turns: usize,
    /// Whose turn it is.
    pub turn: Player,
    /// Whether the player of each seat has come.
    pub joined: [bool; 2],
    /// The winner, or a draw, and why.
    pub result: Option<(Option<Player>, Reason)>,
    /// What is asked, and by whom.
    pub offer: Option<(Request, Player)>,
    /// The clocks.
    pub clock: Option<Clock>,
    /// The time of the last event.
    pub last_at: i64,
    /// Whether a turn has been played here: before that no clock runs.
    begun: bool,
}

impl Course {
    /// The course of a game that has just been made, and in which it is this player's turn.
    pub fn new(created: &Created, seq: i64, at: i64, turn: Player, pauses: &Pauses) -> Course {
        Course {
            seq,
            board_seq: seq,
            turns: created.turns.len(),
            turn,
            joined: [0, 1].map(|i| created.seats[i].who != Who::Open),
            result: None,
            offer: None,
            clock: Clock::new(created.clock, pauses),
            last_at: at,
            begun: false,
        }
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: &Event) {
        self.seq = event.seq;
        self.last_at = self.last_at.max(event.at);
        self.happen(event.seat, &event.fact, event.at);
        if matches!(event.fact, Fact::Move { .. } | Fact::Undone { .. }) {
            self.board_seq = event.seq;
        }
    }

    /// Lets a fact happen at a time.
    fn happen(&mut self, seat: Option<Player>, fact: &Fact, at: i64) {
        match fact {
            Fact::Joined { .. } => self.joined[seat.unwrap_or(Player::One).index()] = true,
            Fact::Move { .. } => self.moved(seat, at),
            Fact::Offer { offer } => self.offer = seat.map(|seat| (*offer, seat)),
            Fact::Declined => self.offer = None,
            Fact::Undone { turns } => {
                if self.turns.saturating_sub(*turns) % 2 == 1 {
                    self.turn = self.turn.other();
                }
                self.turns = self.turns.min(*turns);
                self.offer = None;
            }
            Fact::Result { winner, reason } => {
                self.result = Some((*winner, *reason));
                self.offer = None;
            }
            Fact::Paused { from, to } => {
                if let Some(clock) = &mut self.clock {
                    clock.pause(*from, *to);
                }
            }
            Fact::Created(_) | Fact::Rematch { .. } => {}
        }
        let next = self.runs();
        if let Some(clock) = &mut self.clock {
            clock.run(next, at);
        }
    }

    fn moved(&mut self, seat: Option<Player>, at: i64) {
        self.begun = true;
        self.turns += 1;
        self.turn = self.turn.other();
        // An offer outlives its own maker's move; the other's declines it.
        self.offer = self.offer.filter(|(_, asker)| Some(*asker) == seat);
        let Some(seat) = seat else { return };
        self.joined[seat.index()] = true;
        if let Some(clock) = &mut self.clock {
            clock.turn_ended(seat, at);
        }
    }

    /// Whose clock runs: nobody's before the first turn, and before both have come.
    fn runs(&self) -> Option<Player> {
        let runs = self.begun && self.result.is_none() && self.joined == [true; 2];
        runs.then_some(self.turn)
    }

    /// What becomes of it with these facts of a seat, but for the numbers of their events.
    pub fn after(&self, seat: Option<Player>, facts: &[Fact], at: i64) -> Course {
        let mut after = self.clone();
        facts.iter().for_each(|fact| after.happen(seat, fact, at));
        after
    }

    /// What the clocks do when this becomes of it at a time, where that changes.
    pub fn running(&self, after: &Course, at: i64) -> Option<Running> {
        let before = self.clock.as_ref()?.deadline();
        match after.clock.as_ref()?.deadline() {
            after if after == before => None,
            Some(deadline) => Some(Running::Until { deadline, at }),
            None => Some(Running::Stopped),
        }
    }

    /// Who has lost by a time, if a clock has run out then.
    pub fn out_of_time(&self, at: i64) -> Option<Player> {
        let clock = self.clock.as_ref()?;
        clock.running().filter(|_| clock.deadline().is_some_and(|deadline| at >= deadline))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeControl;
    use crate::event::Seat;
    use Player::{One, Two};

    fn course() -> Course {
        let seat = Seat { who: Who::Person, name: None };
        let created = Created {
            game: "gekitai".into(),
            options: Default::default(),
            start: String::new(),
            turns: vec!["a1".into()],
            seats: [seat.clone(), seat],
            shared: false,
            clock: TimeControl::Time { seconds: 60, increment: 0 },
        };
        Course::new(&created, 1, 0, Two, &Pauses::default())
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
        let draw = Fact::Offer { offer: Request::Draw };
        let undo = Fact::Offer { offer: Request::Undo };
        // Version 0.1 forgot an offer when its maker moved, and so took another one.
        let again = after(&[(Two, draw.clone()), (Two, turn()), (Two, undo)]);
        assert_eq!(again.offer, Some((Request::Undo, Two)));
        let other = after(&[(Two, draw.clone()), (Two, turn()), (One, draw.clone())]);
        assert_eq!(other.offer, Some((Request::Draw, One)));
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
            (One, Fact::Offer { offer: Request::Draw }),
        ]);
        assert_eq!((course.turns, course.turn, course.seq, course.board_seq), (3, Two, 5, 4));
        let back = after(&[(Two, turn()), (One, turn()), (One, Fact::Undone { turns: 2 })]);
        assert_eq!((back.turns, back.turn, back.board_seq), (2, One, 4));
        let running = back.clock.as_ref().and_then(Clock::running);
        assert_eq!(running, Some(One), "the clock of the player whose turn it is again");
    }
}
