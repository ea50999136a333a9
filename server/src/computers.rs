//! Seats that the server plays.

use crate::commands::{Action, Decision, decide};
use crate::error::Refusal;
use crate::ids::seed;
use crate::live::{Hall, Plan};
use crate::queue::{Kind, Lane, Order};
use crate::room::{Room, Ticket};
use crate::store::LEASE;
use crate::time::Time;
use engine::{Limits, Session, Who};
use requests::Desk;
use rules::Player;
use rules::random::Random;
use std::collections::HashSet;
#[cfg(feature = "many")]
use std::net::IpAddr;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// What the strongest level may take for a turn, and what a turn has at least, however many others wait.
const MOST_TIME: Duration = Duration::from_millis(1_500);
const LEAST_TIME: Duration = Duration::from_millis(50);

/// What it may take when the server or worker that had the turn is gone: somebody has waited for a while.
const LATE_TIME: Duration = Duration::from_millis(600);

/// After how many milliseconds somebody else should have begun with a turn.
const LATE: i64 = 500;

/// What it may take when nobody plays against it.
const SHOWN_TIME: Duration = Duration::from_millis(500);

/// What is kept back from a clock, for the way to the store.
const ON_THE_WAY: Duration = Duration::from_millis(50);

/// How long a turn takes at least when computers play each other, so that one can follow.
const PACE: Duration = Duration::from_millis(800);

/// How long to wait when the store or the queue was not ready.
const RETRY: Duration = Duration::from_secs(2);

/// How long to wait before looking whether another server has made a turn that it had taken on.
const ANOTHER: Duration = Duration::from_millis(LEASE.unsigned_abs());

/// One decision that a computer has to make.
pub struct Choice {
    ticket: Ticket,
    seq: i64,
    seat: Player,
    /// For whom, and how urgent it is.
    pub order: Order,
    who: Who,
    session: Box<dyn Session>,
    /// When the clock runs out, and what a turn adds to it.
    clock: Option<(i64, Duration)>,
    shown: bool,
    /// Whether somebody else should have made it.
    late: bool,
}

/// Lets a computer think, if it has to move and is not thinking yet.
pub fn consider(hall: &Arc<Hall>, room: &Arc<Room>) {
    if hall.is_stopping() {
        return;
    }
    let shared = hall.store.shared().is_some();
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
            late: shared && hall.time.now() - game.course.last_at > LATE,
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
    let Some(taken) = take_on(&hall, &room, seq, choice.shown).await else {
        return wait_for_another(&hall, &room, &ticket).await;
    };
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
        let played = played.await;
        drop(taken);
        match played {
            Ok(_) => return,
            // The game is another one now, or cannot go on.
            Err(refusal) if refusal.kind == crate::error::Kind::Conflict => return,
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

/// A computer's turn that this server makes, as long as this lives.
struct Taken {
    hall: Arc<Hall>,
    turn: (String, i64),
}

impl Drop for Taken {
    fn drop(&mut self) {
        thinking(&self.hall).remove(&self.turn);
    }
}

fn thinking(hall: &Hall) -> MutexGuard<'_, HashSet<(String, i64)>> {
    hall.thinking.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a turn on, unless another server has: that saves work, but is no promise. The number of the event sees
/// to it that a computer moves once.
async fn take_on(hall: &Arc<Hall>, room: &Room, seq: i64, shown: bool) -> Option<Taken> {
    let taken = Taken { hall: Arc::clone(hall), turn: (room.id.clone(), seq) };
    let Some(shared) = hall.store.shared() else { return Some(taken) };
    let claimed = shared.claim(&room.id, seq, shown, hall.time.now()).await;
    claimed.is_ok_and(|own| own).then(|| {
        thinking(hall).insert(taken.turn.clone());
        taken
    })
}

/// Looks again when the other server has had its time.
async fn wait_for_another(hall: &Arc<Hall>, room: &Arc<Room>, ticket: &Ticket) {
    room.leave_thinking(ticket);
    tokio::time::sleep(ANOTHER).await;
    // If the store cannot be read now, nothing can be taken on either.
    let _ = hall.refresh(room).await;
    if !room.is_dropped(ticket) {
        room.forget_thinking(ticket);
        consider(hall, room);
    }
}

/// Tells the store which turns are being thought about here.
pub async fn keep(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let Some(shared) = hall.store.shared() else { return Ok(()) };
    let games: Vec<_> = thinking(hall).iter().map(|(game, _)| game.clone()).collect();
    match games.is_empty() {
        true => Ok(()),
        false => Ok(shared.renew(games, hall.time.now()).await?),
    }
}

/// Takes on turns that no server makes: the one that had them may be gone.
pub async fn adopt(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let Some(shared) = hall.store.shared() else { return Ok(()) };
    for game in shared.forsaken(hall.time.now()).await? {
        // What cannot be read has been logged.
        let Ok(room) = hall.room(&game).await else { continue };
        let (seq, waits) = room.view(|game| (game.course.seq, game.computer_to_move().is_some()));
        if !waits {
            shared.release(&game, seq).await?;
        }
        room.take_thinking_back();
        consider(hall, &room);
    }
    Ok(())
}

/// The turn that a computer makes; none if it was stopped or there was no room in the queue.
async fn think(hall: &Hall, choice: Choice) -> Option<String> {
    #[cfg(feature = "many")]
    let mut choice = choice;
    #[cfg(feature = "many")]
    if let Some(workers) = &hall.workers {
        let began = hall.time.now();
        let mut turn = None;
        let tell = |line: String| {
            turn = Some(line);
            true
        };
        let job = choice.job(hall.time.now());
        if workers.ask(&job, tell).await && turn.as_ref().is_some_and(|turn| choice.allows(turn)) {
            return turn;
        }
        choice.late |= hall.time.now() - began > LATE;
        if choice.ticket.stop.is_stopped() {
            return None;
        }
    }
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

#[cfg(feature = "many")]
impl Choice {
    /// The decision as a job for a worker, whose clock is another one.
    fn job(&self, at: i64) -> serde_json::Value {
        let clock =
            self.clock.map(|(deadline, add)| (deadline - at, u64::try_from(add.as_millis()).ok()));
        serde_json::json!({
            "ask": "computer", "address": self.order.address, "game": self.session.info().id,
            "options": self.session.options(), "start": self.session.start().text(),
            "turns": self.session.history(), "who": self.who, "clock": clock, "shown": self.shown,
            "late": self.late,
        })
    }

    /// Whether a turn can be played: a worker may be of another version.
    fn allows(&self, turn: &str) -> bool {
        self.session.boxed_clone().play(turn).is_ok()
    }

    /// The decision that a job is about.
    pub fn of_job(job: &serde_json::Value, address: IpAddr, time: &Time) -> Option<Choice> {
        let entry = engine::find(job["game"].as_str()?)?;
        let options = job["options"].as_object()?;
        let mut session = (entry.from_text)(job["start"].as_str()?, options).ok()?;
        for turn in job["turns"].as_array()? {
            session.play(turn.as_str()?).ok()?;
        }
        let clock = job["clock"].as_array().and_then(|clock| {
            let add = clock.get(1).and_then(serde_json::Value::as_u64).unwrap_or(0);
            Some((time.now() + clock.first()?.as_i64()?, Duration::from_millis(add)))
        });
        let shown = job["shown"] == true;
        let lane = match clock {
            _ if shown => Lane::Exhibition,
            Some((deadline, _)) => Lane::Clocked(deadline),
            None => Lane::Asked(Kind::Turn),
        };
        Some(Choice {
            ticket: Ticket::default(),
            seq: 0,
            seat: session.turn(),
            order: Order { address, lane },
            who: serde_json::from_value(job["who"].clone()).ok()?,
            session,
            clock,
            shown,
            late: job["late"] == true,
        })
    }

    /// The same with another switch.
    pub fn stopped_by(mut self, stop: &engine::Stop) -> Choice {
        self.ticket.stop = stop.clone();
        self
    }
}

impl Choice {
    /// The turn, within the time that there is now: what passed in the queue has passed.
    pub fn make(&self, desk: &mut Desk, time: &Time, pressure: u32) -> Option<String> {
        let session = self.session.as_ref();
        let entry = engine::find(session.info().id)?;
        let limits = self.limits(time.now(), pressure);
        let (bounds, mut random) = ((&limits, &self.ticket.stop), Random::new(seed()));
        self.who.choose(session, || desk.thinker(entry), bounds, &mut random, &mut |_| {})
    }

    fn limits(&self, at: i64, pressure: u32) -> Limits {
        let most = match (self.shown, self.late) {
            (true, _) => SHOWN_TIME,
            (false, true) => LATE_TIME,
            (false, false) => MOST_TIME,
        };
        let most = (most / pressure).max(LEAST_TIME);
        let share = self.clock.map(|(deadline, increment)| {
            let left = Duration::from_millis(u64::try_from(deadline - at).unwrap_or(0));
            Limits::clock(left.saturating_sub(ON_THE_WAY), increment)
        });
        share.unwrap_or_default().within(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(clock: Option<(i64, u64)>, shown: bool, pressure: u32) -> Duration {
        limits_of(clock, shown, false, pressure)
    }

    fn limits_of(clock: Option<(i64, u64)>, shown: bool, late: bool, pressure: u32) -> Duration {
        let entry = engine::find("gekitai").unwrap();
        let left = clock.map(|(left, _)| Duration::from_millis(u64::try_from(left).unwrap_or(0)));
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
            late,
        };
        let limits = choice.limits(1_000, pressure);
        assert!(limits.time >= limits.soft && left.is_none_or(|left| limits.time <= Some(left)));
        limits.soft.or(limits.time).unwrap()
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
            assert!(time <= Duration::from_millis(500), "{time:?} of {left}");
        }
    }

    #[test]
    fn the_more_turns_wait_the_less_time_has_each() {
        assert_eq!(limits(None, false, 3), MOST_TIME / 3);
        assert_eq!(limits(None, false, 1_000), LEAST_TIME);
        assert_eq!(limits(None, true, 1), SHOWN_TIME);
        assert_eq!(limits_of(None, false, true, 1), LATE_TIME, "somebody has waited already");
        assert!(limits(Some((120, 0)), false, 1_000) < LEAST_TIME, "a clock is always kept");
    }
}
