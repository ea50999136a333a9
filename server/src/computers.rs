//! Seats that the server plays.

use crate::commands::{Action, Decision, decide};
use crate::ids::seed;
use crate::live::{Hall, Plan};
use crate::queue::{Kind, Lane, Order};
use crate::room::{Room, Ticket};
use crate::time::Time;
use engine::{Limits, Session, Who};
use requests::Desk;
use rules::Player;
use rules::random::Random;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// What the strongest level may take for a turn, and what a turn has at least, however many others wait.
const MOST_TIME: Duration = Duration::from_millis(1_500);
const LEAST_TIME: Duration = Duration::from_millis(50);

/// What it may take when nobody plays against it.
const SHOWN_TIME: Duration = Duration::from_millis(500);

/// What is kept back from a clock, for the way to the store.
const ON_THE_WAY: Duration = Duration::from_millis(50);

/// How long a turn takes at least when computers play each other, so that one can follow.
const PACE: Duration = Duration::from_millis(800);

/// How long to wait when the store or the queue was not ready.
const RETRY: Duration = Duration::from_secs(2);

/// One decision that a computer has to make.
struct Choice {
    ticket: Ticket,
    seq: i64,
    seat: Player,
    order: Order,
    who: Who,
    session: Box<dyn Session>,
    /// When the clock runs out, and what a turn adds to it.
    clock: Option<(i64, Duration)>,
    shown: bool,
}

/// Lets a computer think, if it has to move and is not thinking yet.
pub fn consider(hall: &Arc<Hall>, room: &Arc<Room>) {
    if hall.is_stopping() {
        return;
    }
    let choice = room.think(|game, asker, ticket| {
        let seat = game.course.turn;
        let clock = game.course.clock.as_ref();
        let clock = clock.and_then(|clock| Some((clock.deadline()?, clock.increment())));
        let shown = game.is_exhibition();
        let lane = match clock {
            _ if shown => Lane::Exhibition,
            Some((deadline, _)) => Lane::Clocked(deadline),
            None => Lane::Asked(Kind::Turn),
        };
        Choice {
            ticket,
            seq: game.course.seq,
            seat,
            order: Order { address: asker, lane },
            who: game.seat(seat).who.clone(),
            session: game.session.boxed_clone(),
            clock,
            shown,
        }
    });
    if let Some(choice) = choice {
        tokio::spawn(play(Arc::clone(hall), Arc::clone(room), choice));
    }
}

async fn play(hall: Arc<Hall>, room: Arc<Room>, choice: Choice) {
    let (ticket, seq, seat) = (choice.ticket.clone(), choice.seq, choice.seat);
    let pace = if choice.shown { PACE } else { Duration::ZERO };
    let began = tokio::time::Instant::now();
    let turn = think(&hall, choice).await;
    tokio::time::sleep_until(began + pace).await;
    if room.is_dropped(&ticket) {
        return;
    }
    if let Some(turn) = turn {
        let action = Action::Move { turn };
        let played = hall.change(&room, hall.time.now(), |game| {
            // What happened meanwhile may have changed everything.
            if game.course.seq != seq {
                return Ok(None);
            }
            Ok(match decide(game, seat, &action)? {
                Decision::Facts(facts) => Some(Plan { seat: Some(seat), facts, ..Plan::default() }),
                Decision::Taken(_) | Decision::NewGame => None,
            })
        });
        match played.await {
            Ok(_) => return,
            Err(refusal) => tracing::warn!(
                game = room.id,
                reason = refusal.error,
                "a computer's turn was not stored"
            ),
        }
    }
    tokio::time::sleep(RETRY).await;
    room.forget_thinking(&ticket);
    consider(&hall, &room);
}

/// The turn that a computer makes; none if it was stopped or there was no room in the queue.
async fn think(hall: &Hall, choice: Choice) -> Option<String> {
    let (answer, turn) = oneshot::channel();
    let (order, stop) = (choice.order, choice.ticket.stop.clone());
    let (load, time) = (hall.engines.load(), hall.time.clone());
    let work = move |desk: &mut Desk| {
        let turn = choice.make(desk, &time, load.of_turns());
        // Nobody listens if the game was dropped; then nothing is lost.
        let _ = answer.send(turn.filter(|_| !choice.ticket.stop.is_stopped()));
    };
    if !hall.engines.submit_once(order, stop, work) {
        return None;
    }
    turn.await.ok().flatten()
}

impl Choice {
    /// The turn, within the time that there is now: what passed in the queue has passed.
    fn make(&self, desk: &mut Desk, time: &Time, pressure: u32) -> Option<String> {
        let session = self.session.as_ref();
        let entry = engine::find(session.info().id)?;
        let limits = self.limits(time.now(), pressure);
        let (bounds, mut random) = ((&limits, &self.ticket.stop), Random::new(seed()));
        self.who.choose(session, || desk.thinker(entry), bounds, &mut random, &mut |_| {})
    }

    fn limits(&self, at: i64, pressure: u32) -> Limits {
        let most = if self.shown { SHOWN_TIME } else { MOST_TIME };
        let most = (most / pressure).max(LEAST_TIME);
        let share = self.clock.and_then(|(deadline, increment)| {
            let left = Duration::from_millis(u64::try_from(deadline - at).unwrap_or(0));
            Limits::clock(left.saturating_sub(ON_THE_WAY), increment).time
        });
        Limits::time(share.unwrap_or(most).min(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(clock: Option<(i64, u64)>, shown: bool, pressure: u32) -> Duration {
        let entry = engine::find("gekitai").unwrap();
        let clock = clock.map(|(left, inc)| (1_000 + left, Duration::from_secs(inc)));
        let choice = Choice {
            ticket: Ticket::default(),
            seq: 1,
            seat: Player::One,
            order: Order { address: [10, 0, 0, 1].into(), lane: Lane::Exhibition },
            who: Who::Level { level: 10 },
            session: (entry.start)(&Default::default()).unwrap(),
            clock,
            shown,
        };
        choice.limits(1_000, pressure).time.unwrap()
    }

    #[test]
    fn a_turn_has_what_the_clock_gives_when_it_begins_and_never_all_of_it() {
        assert_eq!(limits(None, false, 1), MOST_TIME);
        assert_eq!(limits(Some((600_000, 0)), false, 1), MOST_TIME);
        let short = limits(Some((6_000, 0)), false, 1);
        assert!(short < Duration::from_millis(250), "{short:?}");
        let with_increment = limits(Some((6_000, 2)), false, 1);
        assert!(with_increment > Duration::from_secs(1), "{with_increment:?}");
        for left in [-5_000, 0, 20, 60, 100, 1_000] {
            let time = limits(Some((left, 10)), false, 1);
            let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
            assert!(time <= left.max(Duration::from_millis(1)), "{time:?} of {left:?}");
        }
    }

    #[test]
    fn the_more_turns_wait_the_less_time_has_each() {
        assert_eq!(limits(None, false, 3), MOST_TIME / 3);
        assert_eq!(limits(None, false, 1_000), LEAST_TIME);
        assert_eq!(limits(None, true, 1), SHOWN_TIME);
        assert!(limits(Some((120, 0)), false, 1_000) < LEAST_TIME, "a clock is always kept");
    }
}
