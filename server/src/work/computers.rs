//! Computer players.

use crate::clocks::alarm;
use crate::clocks::time::Time;
use crate::games::hall::Hall;
use crate::games::plan::Plan;
use crate::games::room::{Room, Ticket};
use crate::http::limits::OF_AN_EVENT;
#[cfg(feature = "many")]
use crate::ids::{Chance, System};
use crate::store::LEASE;
use crate::work::queue::{Kind, Lane, Order};
use engine::{Limits, Session, Who};
use requests::Desk;
use rules::Player;
use rules::random::Random;
use std::collections::BTreeSet;
#[cfg(feature = "many")]
use std::net::IpAddr;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;
use table::referee::{Action, Decision, decide};
use table::{Clock, Refusal};
use tokio::sync::oneshot;

/// Time limit for a turn of the strongest level, and the minimum however many turns are queued.
const MOST_TIME: Duration = Duration::from_millis(1_500);
const LEAST_TIME: Duration = Duration::from_millis(50);

/// Time limit if another server or worker failed to deliver the turn: somebody has been waiting.
const LATE_TIME: Duration = Duration::from_millis(600);

/// After how many milliseconds another server should have started on a turn.
const LATE: i64 = 500;

/// Time limit in games between computers.
const SHOWN_TIME: Duration = Duration::from_millis(500);

/// Kept in reserve on the clock, for storing the turn.
const ON_THE_WAY: Duration = Duration::from_millis(50);

/// Minimum time per turn in games between computers, so that people can follow.
const PACE: Duration = Duration::from_millis(800);

/// Delay before a retry if the store or the queue was unavailable.
const RETRY: Duration = Duration::from_secs(2);

/// How long to wait for a turn that another server has leased.
const ANOTHER: Duration = Duration::from_millis(LEASE.unsigned_abs());

/// A turn that a computer has to make.
pub struct Choice {
    ticket: Ticket,
    seq: i64,
    seat: Player,
    /// The address it is for, and its priority.
    pub order: Order,
    who: Who,
    session: Box<dyn Session>,
    /// The deadline and the increment.
    clock: Option<(i64, Duration)>,
    shown: bool,
    /// Whether somebody else should already have made it.
    late: bool,
    /// For players that choose at random.
    seed: u64,
    /// The node limit of a simulated engine, whose time does not pass while it searches.
    nodes: Option<u64>,
}

/// Starts a search if a computer is to move and is not searching yet.
pub fn consider(hall: &Arc<Hall>, room: &Arc<Room>) {
    if hall.is_stopping() {
        return;
    }
    let shared = hall.store.shared().is_some();
    let choice = room.think(|game, asker, ticket| {
        let seat = game.course.turn;
        let clock = game.course.clock.as_ref();
        let increment = |clock: &Clock| Duration::from_millis(clock.increment().unsigned_abs());
        let clock = clock.and_then(|clock| Some((clock.deadline()?, increment(clock))));
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
            seed: hall.chance.seed(),
            nodes: hall.engines.nodes(),
        }
    });
    if let Some(choice) = choice {
        tokio::spawn(play(Arc::clone(hall), Arc::clone(room), choice));
    }
}

async fn play(hall: Arc<Hall>, room: Arc<Room>, choice: Choice) {
    let (ticket, seq, seat) = (choice.ticket.clone(), choice.seq, choice.seat);
    let asker = choice.order.address;
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
        // If the store does not answer, the turn cannot be stored either.
        let _ = alarm::wake_up(&hall).await;
        let played = hall.change(&room, hall.time.now(), |game| {
            // The search is outdated if anything has happened meanwhile.
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
            Ok(done) => {
                if let Some((_, Some(event))) = done {
                    hall.limits.stored(asker, event.len() + OF_AN_EVENT);
                }
                return;
            }
            // The game has changed or cannot continue.
            Err(refusal) if refusal.kind == table::Kind::Conflict => return,
            Err(refusal) => tracing::warn!(
                game = room.id,
                reason = refusal.message,
                "a computer's turn was not stored"
            ),
        }
    }
    tokio::time::sleep(RETRY).await;
    room.forget_thinking(&ticket);
    consider(&hall, &room);
}

/// A lease on a computer's turn, renewed until this is dropped.
struct Taken {
    hall: Arc<Hall>,
    turn: (String, i64),
}

impl Drop for Taken {
    fn drop(&mut self) {
        thinking(&self.hall).remove(&self.turn);
    }
}

fn thinking(hall: &Hall) -> MutexGuard<'_, BTreeSet<(String, i64)>> {
    hall.thinking.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leases a turn unless another server has. Leases only avoid duplicate work; that a computer moves only once is
/// guaranteed by the event's number.
async fn take_on(hall: &Arc<Hall>, room: &Room, seq: i64, shown: bool) -> Option<Taken> {
    let taken = Taken { hall: Arc::clone(hall), turn: (room.id.clone(), seq) };
    let Some(shared) = hall.store.shared() else { return Some(taken) };
    let claimed = shared.claim(&room.id, seq, shown, hall.time.now()).await;
    claimed.is_ok_and(|own| own).then(|| {
        thinking(hall).insert(taken.turn.clone());
        taken
    })
}

/// Checks again after the other server's lease has expired.
async fn wait_for_another(hall: &Arc<Hall>, room: &Arc<Room>, ticket: &Ticket) {
    room.leave_thinking(ticket);
    tokio::time::sleep(ANOTHER).await;
    // If the store cannot be read now, no lease can be taken either.
    let _ = hall.refresh(room).await;
    if !room.is_dropped(ticket) {
        room.forget_thinking(ticket);
        consider(hall, room);
    }
}

/// Renews the leases on the turns being searched here.
pub async fn keep(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let Some(shared) = hall.store.shared() else { return Ok(()) };
    let games: Vec<_> = thinking(hall).iter().map(|(game, _)| game.clone()).collect();
    match games.is_empty() {
        true => Ok(()),
        false => Ok(shared.renew(games, hall.time.now()).await?),
    }
}

/// Takes over turns whose lease has expired: their server may be gone.
pub async fn adopt(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let Some(shared) = hall.store.shared() else { return Ok(()) };
    for game in shared.forsaken(hall.time.now()).await? {
        // Errors have been logged.
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

/// Searches for the turn; none if stopped or if the queue was full.
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
        // Nobody is listening if the game was dropped.
        let _ = answer.send(turn.filter(|_| !choice.ticket.stop.is_stopped()));
    };
    if !hall.engines.submit_once(order, stop, work) {
        return None;
    }
    turn.await.ok().flatten()
}

#[cfg(feature = "many")]
impl Choice {
    /// The turn as a job for a worker. The deadline is relative, since the worker's clock differs.
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

    /// Whether a turn is legal; a worker may run another version.
    fn allows(&self, turn: &str) -> bool {
        self.session.boxed_clone().play(turn).is_ok()
    }

    /// Reads the turn from a job.
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
            seed: System.seed(),
            nodes: None,
        })
    }

    /// Uses another stop flag.
    pub fn stopped_by(mut self, stop: &engine::Stop) -> Choice {
        self.ticket.stop = stop.clone();
        self
    }
}

impl Choice {
    /// Searches within the time left now, after waiting in the queue.
    pub fn make(&self, desk: &mut Desk, time: &Time, pressure: u32) -> Option<String> {
        let session = self.session.as_ref();
        let entry = engine::find(session.info().id)?;
        let limits = self.limits(time.now(), pressure);
        let (bounds, mut random) = ((&limits, &self.ticket.stop), Random::new(self.seed));
        self.who.choose(session, || desk.thinker(entry), bounds, &mut random, &mut |_| {})
    }

    fn limits(&self, at: i64, pressure: u32) -> Limits {
        if self.nodes.is_some() {
            return Limits { nodes: self.nodes, ..Limits::default() };
        }
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
            seed: 1,
            nodes: None,
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
