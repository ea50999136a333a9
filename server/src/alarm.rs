//! When clocks run out, and what a clock does while the server does not run.

use crate::error::Refusal;
use crate::event::Fact;
use crate::ids::now;
use crate::live::{Hall, Plan};
use crate::room::Room;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// How long after its time a game is ended: a turn that came in time may still be on its way to the store.
const GRACE: i64 = 100;

/// How often the server notes that it runs.
const BEAT: Duration = Duration::from_secs(1);

/// A gap between two looks at the time that is no delay but a sleep of the machine.
const ASLEEP: i64 = 5_000;

/// How many games are handled at once.
const TOGETHER: usize = 256;

#[derive(Default)]
struct Due {
    in_order: BTreeSet<(i64, String)>,
    of_game: HashMap<String, i64>,
}

/// The times at which clocks run out.
#[derive(Default)]
pub struct Alarm {
    due: Mutex<Due>,
    changed: Notify,
    /// When somebody last looked at the time, while a clock runs.
    looked: AtomicI64,
}

impl Alarm {
    fn lock(&self) -> MutexGuard<'_, Due> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the time of a game, or none.
    pub fn set(&self, game: &str, deadline: Option<i64>) {
        let mut due = self.lock();
        let before = match deadline {
            Some(at) => due.of_game.insert(game.to_owned(), at),
            None => due.of_game.remove(game),
        };
        if before == deadline {
            return;
        }
        if let Some(at) = before {
            due.in_order.remove(&(at, game.to_owned()));
        }
        if let Some(at) = deadline {
            if due.in_order.is_empty() {
                self.look(now());
            }
            due.in_order.insert((at, game.to_owned()));
            self.changed.notify_one();
        }
    }

    /// Notes that somebody has looked at the time.
    fn look(&self, at: i64) {
        self.looked.store(at, Ordering::Relaxed);
    }

    /// Since when the machine has slept, if nobody has looked at the time for so long.
    pub fn asleep_since(&self, at: i64) -> Option<i64> {
        let looked = self.looked.load(Ordering::Relaxed);
        (looked > 0 && at - looked > ASLEEP).then_some(looked)
    }

    /// The earliest time.
    fn next(&self) -> Option<i64> {
        self.lock().in_order.first().map(|(at, _)| *at)
    }

    /// The games whose time has come, some of them.
    fn come(&self, at: i64) -> Vec<String> {
        let due = self.lock();
        let come = due.in_order.iter().take_while(|(deadline, _)| *deadline <= at);
        come.take(TOGETHER).map(|(_, game)| game.clone()).collect()
    }

    /// The games whose clock runs.
    fn all(&self) -> Vec<String> {
        self.lock().of_game.keys().cloned().collect()
    }
}

/// Ends games whose time is up, for ever. Time in which the machine slept is given back first.
pub async fn ring(hall: Arc<Hall>) {
    loop {
        let changed = hall.alarm.changed.notified();
        let Some(next) = hall.alarm.next() else {
            changed.await;
            continue;
        };
        let at = now();
        if let Some(since) = hall.alarm.asleep_since(at) {
            pause(&hall, hall.alarm.all(), since, at).await;
        }
        hall.alarm.look(at);
        let wait = next + GRACE - at;
        if wait > 0 {
            // A wait of days would not notice that the machine slept.
            let wait = Duration::from_millis(wait.unsigned_abs()).min(BEAT);
            let _ = tokio::time::timeout(wait, changed).await;
            continue;
        }
        let games = hall.alarm.come(at - GRACE);
        for_each(&hall, games, move |hall, id| async move {
            let room = hall.room(&id).await?;
            hall.time_out(&room, at).await?;
            // What memory says is what counts: an alarm that rang in vain is set right.
            hall.settled(&room);
            Ok(())
        })
        .await;
    }
}

/// Notes every second that the server runs, while a clock does.
pub async fn beat(hall: Arc<Hall>) {
    loop {
        tokio::time::sleep(BEAT).await;
        if hall.alarm.next().is_some() {
            hall.store.beat(now()).await;
        }
    }
}

/// After a start: gives back the time in which no server ran.
pub async fn resume(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let games = hall.store.running().await?;
    let last = hall.store.last_beat().await?.unwrap_or(0);
    if !games.is_empty() {
        pause(hall, games, last, now()).await;
    }
    Ok(())
}

async fn pause(hall: &Arc<Hall>, games: Vec<String>, last: i64, to: i64) {
    for_each(hall, games, move |hall, id| async move {
        let room = hall.room(&id).await?;
        pause_one(&hall, &room, last, to).await
    })
    .await;
}

/// Gives back the time since the server was last known to run, if a clock ran.
pub async fn pause_one(
    hall: &Arc<Hall>,
    room: &Arc<Room>,
    last: i64,
    to: i64,
) -> Result<(), Refusal> {
    let paused = hall.change(room, to, |game| {
        // Whatever happened after that shows that the server ran.
        let from = last.max(game.course.last_at);
        let runs = game.course.clock.as_ref().is_some_and(|clock| clock.running().is_some());
        let facts = vec![Fact::Paused { from, to }];
        Ok((runs && from < to).then(|| Plan { facts, ..Plan::default() }))
    });
    paused.await.map(|_| ())
}

/// Does something to many games, so that the store can commit it together.
async fn for_each<F, W>(hall: &Arc<Hall>, games: Vec<String>, work: F)
where
    F: Fn(Arc<Hall>, String) -> W,
    W: Future<Output = Result<(), Refusal>> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    for game in games {
        if tasks.len() >= TOGETHER {
            tasks.join_next().await;
        }
        let work = work(Arc::clone(hall), game.clone());
        tasks.spawn(async move {
            if let Err(refusal) = work.await {
                tracing::warn!(game, reason = refusal.error, "a clock could not be kept");
            }
        });
    }
    while tasks.join_next().await.is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_time_comes_first_and_can_be_moved() {
        let alarm = Alarm::default();
        alarm.set("a", Some(20));
        alarm.set("b", Some(10));
        assert_eq!(alarm.next(), Some(10));
        alarm.set("b", Some(30));
        assert_eq!(alarm.come(25), ["a"]);
        alarm.set("a", None);
        assert_eq!((alarm.next(), alarm.all()), (Some(30), vec!["b".to_owned()]));
    }

    #[test]
    fn a_long_gap_between_two_looks_is_a_sleep() {
        let alarm = Alarm::default();
        assert_eq!(alarm.asleep_since(now()), None, "no clock runs");
        alarm.set("a", Some(now() + 60_000));
        assert_eq!(alarm.asleep_since(now()), None, "a clock has just begun to run");
        alarm.look(1_000);
        assert_eq!(alarm.asleep_since(6_000), None);
        assert_eq!(alarm.asleep_since(6_001), Some(1_000));
    }
}
