//! When clocks run out, and what a clock does while the server does not run.

use crate::error::Refusal;
use crate::event::Deed;
use crate::ids::now;
use crate::live::{Hall, Plan};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// How long after its time a game is ended: a turn that came in time may still be on its way to the store.
const GRACE: i64 = 100;

/// How often the server notes that it runs.
const BEAT: Duration = Duration::from_secs(1);

/// A gap between two beats that is no delay but a sleep.
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
            due.in_order.insert((at, game.to_owned()));
            self.changed.notify_one();
        }
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

/// Ends games whose time is up, for ever.
pub async fn ring(hall: Arc<Hall>) {
    loop {
        let wait = hall.alarm.next().map(|at| (at + GRACE - now()).max(0));
        let changed = hall.alarm.changed.notified();
        match wait {
            None => changed.await,
            // A wait of days would not notice that the machine slept.
            Some(wait) if wait > 0 => {
                let wait = Duration::from_millis(wait.unsigned_abs()).min(BEAT);
                let _ = tokio::time::timeout(wait, changed).await;
            }
            Some(_) => {
                let at = now();
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
    }
}

/// Notes every second that the server runs, while a clock does. Time that passed while the machine slept
/// is given back.
pub async fn beat(hall: Arc<Hall>) {
    let mut last = now();
    loop {
        tokio::time::sleep(BEAT).await;
        let at = now();
        let games = hall.alarm.all();
        if games.is_empty() {
            last = at;
            continue;
        }
        if at - last > ASLEEP {
            pause(&hall, games, last, at).await;
        }
        hall.store.beat(at).await;
        last = at;
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
        hall.change(&room, to, |game| {
            if game.clock.as_ref().is_none_or(|clock| clock.running().is_none()) {
                return Err(Refusal::conflict("no clock runs"));
            }
            // Whatever happened after the last beat shows that the server ran.
            let deeds = vec![Deed::Paused { from: last.max(game.last_at).min(to), to }];
            Ok(Plan { deeds, ..Plan::default() })
        })
        .await
        .map(drop)
    })
    .await;
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
}
