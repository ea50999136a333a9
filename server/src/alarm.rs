//! When clocks run out, and the time in which they do not run.
//!
//! A clock runs while players can play: while a server runs, is awake, and can store something. The heart beats
//! every second while a clock runs, and a gap between two things that were stored is a pause. It is noted once,
//! for all games; no game has an event of it.

use crate::error::{Kind, Refusal};
use crate::live::Hall;
use crate::room::Room;
use crate::time::GAP;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// How long after its time a game is ended: a turn that came in time may still be on its way to the store.
const GRACE: i64 = 100;

/// How often the server notes that it runs, and how long it waits for a store that fails.
const BEAT: Duration = Duration::from_secs(1);

/// How many games are handled at once.
const TOGETHER: usize = 256;

#[derive(Default)]
struct Due {
    in_order: BTreeSet<(i64, String)>,
    /// The time of each game, with the number of the event from which it follows.
    of_game: HashMap<String, (i64, i64)>,
}

/// The times at which clocks run out.
#[derive(Default)]
pub struct Alarm {
    due: Mutex<Due>,
    changed: Notify,
    /// One pause is noted at a time.
    pausing: tokio::sync::Mutex<()>,
    /// How often the shared store was told of a pause, and up to which of these times its pauses are known here.
    told: AtomicU64,
    learned: AtomicU64,
    /// Pauses are taken in by one at a time.
    learning: Mutex<()>,
    /// Games whose clock cannot be kept.
    given_up: Mutex<HashSet<String>>,
    /// Games in memory that went on before a pause in which they did was known here, with how many pauses were
    /// known when that was found.
    stale: Mutex<HashMap<String, usize>>,
}

impl Alarm {
    fn lock(&self) -> MutexGuard<'_, Due> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the time of a game as it follows from an event, or none. What follows from an older event than
    /// what is known comes too late.
    pub fn set(&self, game: &str, seq: i64, deadline: Option<i64>) {
        let mut due = self.lock();
        let known = due.of_game.get(game).copied();
        if known.is_some_and(|(_, newer)| newer > seq) {
            return;
        }
        match deadline {
            Some(at) => due.of_game.insert(game.to_owned(), (at, seq)),
            None => due.of_game.remove(game),
        };
        let before = known.map(|(at, _)| at);
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

    fn given_up(&self) -> MutexGuard<'_, HashSet<String>> {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stale(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.stale.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The clocks of these games are reckoned again when somebody asks for them, and with the next beat, by so
    /// many pauses at least.
    pub fn reckon_again(&self, games: impl IntoIterator<Item = String>, pauses: usize) {
        self.stale().extend(games.into_iter().map(|game| (game, pauses)));
    }

    /// Whether the shared store may know a pause that is not known here.
    fn is_unlearned(&self) -> bool {
        self.learned.load(Ordering::SeqCst) < self.told.load(Ordering::SeqCst)
    }

    /// Forgets a game.
    pub fn forget(&self, game: &str) {
        let mut due = self.lock();
        if let Some((at, _)) = due.of_game.remove(game) {
            due.in_order.remove(&(at, game.to_owned()));
        }
    }

    /// Moves what had not come when a pause began to so much later.
    fn shift(&self, from: i64, by: i64) {
        let mut due = self.lock();
        let late = due.in_order.split_off(&(from, String::new()));
        for (at, game) in late {
            if let Some((own, _)) = due.of_game.get_mut(&game) {
                *own = at + by;
            }
            due.in_order.insert((at + by, game));
        }
        self.changed.notify_one();
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
}

/// Ends games whose time is up, for ever.
pub async fn ring(hall: Arc<Hall>) {
    loop {
        let changed = hall.alarm.changed.notified();
        let Some(next) = hall.alarm.next() else {
            changed.await;
            continue;
        };
        let at = hall.time.now();
        let wait = next + GRACE - at;
        if wait > 0 {
            // Not too long: after a pause, time may have skipped.
            let wait = Duration::from_millis(wait.unsigned_abs()).min(BEAT);
            let _ = tokio::time::timeout(wait, changed).await;
            continue;
        }
        if !end(&hall, hall.alarm.come(at - GRACE), at).await {
            tokio::time::sleep(BEAT).await;
        }
    }
}

/// Ends these games if their time is up, many at once, so that the store can commit it together. Says whether
/// the store was ready for all of them.
async fn end(hall: &Arc<Hall>, games: Vec<String>, at: i64) -> bool {
    let mut tasks = JoinSet::new();
    for game in games {
        let hall = Arc::clone(hall);
        tasks.spawn(async move {
            let Err(refusal) = end_one(&hall, &game, at).await else { return true };
            if refusal.kind == Kind::Unavailable {
                return false;
            }
            // After a failover it is another game, which is read again and has its own clock.
            if refusal.kind == Kind::Conflict && hall.in_memory(&game).is_none() {
                return true;
            }
            // It would ring for ever.
            hall.alarm.forget(&game);
            hall.alarm.given_up().insert(game.clone());
            tracing::error!(game, reason = refusal.error, "a clock is not kept any more");
            true
        });
    }
    let mut ready = true;
    while let Some(done) = tasks.join_next().await {
        ready &= done.unwrap_or(false);
    }
    ready
}

async fn end_one(hall: &Arc<Hall>, id: &str, at: i64) -> Result<(), Refusal> {
    let room = hall.room(id).await?;
    hall.time_out(&room, at).await?;
    // What memory says is what counts: an alarm that rang in vain is set right.
    hall.settled(&room);
    Ok(())
}

/// Notes every second that the server runs, while a clock does, and looks at the machine's clock.
pub async fn beat(hall: Arc<Hall>) {
    loop {
        tokio::time::sleep(BEAT).await;
        // The writer has logged what failed, and the next beat comes in a second.
        if hall.store.shared().is_some() {
            let _ = beat_together(&hall).await;
        } else if follow_the_machine(&hall).await.is_ok()
            && keep_time(&hall).await.is_ok()
            && hall.alarm.next().is_some()
        {
            let _ = hall.store.beat(hall.time.now()).await;
        }
    }
}

/// Sets the time right by the store, notes that a server runs, and learns what others have noted.
async fn beat_together(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let Some(shared) = hall.store.shared() else { return Ok(()) };
    let asked = hall.time.steady();
    let there = shared.now().await?;
    if let Some(to) = hall.time.follow(asked, there) {
        let _one = hall.alarm.pausing.lock().await;
        pause(hall, hall.time.now(), to).await?;
        hall.time.skip((to - hall.time.now()).max(0));
    }
    keep_time(hall).await?;
    hall.store.beat(hall.time.now()).await?;
    learn(hall).await
}

/// Takes in the pauses that the store knows.
async fn learn(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let told = hall.alarm.told.load(Ordering::SeqCst);
    let pauses = hall.store.pauses(hall.time.pauses.last()).await?;
    take_in(hall, &pauses);
    hall.alarm.learned.fetch_max(told, Ordering::SeqCst);
    reckon_stale(hall).await
}

fn take_in(hall: &Hall, pauses: &[(i64, i64)]) {
    let _one = hall.alarm.learning.lock().unwrap_or_else(PoisonError::into_inner);
    for &(from, to) in pauses {
        let from = from.max(hall.time.pauses.last());
        if from >= to {
            continue;
        }
        hall.time.pauses.note(from, to);
        hall.alarm.shift(from, to - from);
        hall.alarm.reckon_again(hall.went_on_after(from), hall.time.pauses.count());
        hall.hint_all();
    }
}

/// Another server may have noted a pause, or stored something that was received in it, before this one knew of
/// the pause: then clocks here are not those of the others.
async fn reckon_stale(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let games: Vec<_> = hall.alarm.stale().keys().cloned().collect();
    for game in games {
        match hall.in_memory(&game) {
            // What cannot be read now is read with the next beat.
            Some(room) => reckon(hall, &room).await?,
            None => drop(hall.alarm.stale().remove(&game)),
        }
    }
    Ok(())
}

/// How often a game is read that goes on meanwhile, before it is left to the next beat.
const AGAIN: usize = 8;

/// Reckons the clocks of a game in memory again, if they are not those of the others.
pub async fn reckon(hall: &Arc<Hall>, room: &Arc<Room>) -> Result<(), Refusal> {
    for _ in 0..AGAIN {
        if !hall.alarm.stale().contains_key(&room.id) {
            break;
        }
        let events = hall.store.events(&room.id, 0, usize::MAX).await?;
        let known = hall.time.pauses.count();
        // If the game has gone on since it was read, it is read again.
        if !room.reckon(&events) {
            continue;
        }
        hall.settled(room);
        // Another pause may have become known.
        let mut stale = hall.alarm.stale();
        if stale.get(&room.id).is_some_and(|pauses| *pauses <= known) {
            stale.remove(&room.id);
        }
    }
    Ok(())
}

/// How long after its time a clock is let run out by a server that does not have the game in memory.
const STRANGER: i64 = 600;

/// Ends games whose time was up a while ago: the server that had them may be gone. Says whether the store was
/// ready for all of them.
pub async fn end_overdue(hall: &Arc<Hall>) -> Result<bool, Refusal> {
    let Some(shared) = hall.store.shared() else { return Ok(true) };
    let at = hall.time.now();
    let mut games = shared.overdue(at - STRANGER).await?;
    games.retain(|runner| {
        let deadline = runner.deadline.map(|(deadline, at)| (at, deadline - at));
        let due = deadline.is_none_or(|(from, left)| hall.time.pauses.after(from, left) <= at);
        due && !hall.alarm.given_up().contains(&runner.game)
    });
    let games: Vec<_> = games.into_iter().take(TOGETHER).map(|runner| runner.game).collect();
    Ok(games.is_empty() || end(hall, games, at).await)
}

/// After a start: the time in which no server ran is a pause, and alarms are set without reading any game.
pub async fn resume(hall: &Arc<Hall>) -> Result<(), Refusal> {
    if hall.store.shared().is_some() {
        // Unless another server runs, in which case this is none.
        pause(hall, hall.store.alive(), hall.time.now()).await?;
        return beat_together(hall).await;
    }
    let games = hall.store.running().await?;
    if !games.is_empty() {
        pause(hall, hall.store.alive(), hall.time.now()).await?;
    }
    for runner in games {
        // Files of version 0.1 do not say when: then somebody has to look.
        let at = runner.deadline.map_or(0, |(deadline, at)| {
            let left = deadline - at;
            hall.time.pauses.after(at, left)
        });
        hall.alarm.set(&runner.game, 0, Some(at));
    }
    Ok(())
}

/// After a start: lets the computers go on whose clocks run, those with the least time first. Only the games
/// themselves say whose turn it is, so they are read one by one, while the server answers already. Servers that share
/// a store find such games in it (`computers::adopt`).
pub async fn wake_computers(hall: Arc<Hall>) {
    if hall.store.shared().is_some() {
        return;
    }
    let games: Vec<_> = hall.alarm.lock().in_order.iter().map(|(_, game)| game.clone()).collect();
    for game in games {
        // What cannot be read has been logged.
        let _ = hall.room(&game).await;
    }
}

/// Gives back the time in which the server stood still or could store nothing, while a clock ran.
pub async fn keep_time(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let shared = hall.store.shared().is_some();
    let runs = || shared || hall.alarm.next().is_some();
    let gap = || runs() && hall.time.now() - hall.store.alive() > GAP;
    // Once a pause is stored, the store says that a server ran until its end: nobody may go on before the pause
    // counts here too. A shared store may be long in coming, and there everybody learns it by himself.
    if shared && hall.alarm.is_unlearned() {
        learn(hall).await?;
    }
    if shared && !gap() {
        return Ok(());
    }
    let _one = hall.alarm.pausing.lock().await;
    match gap() {
        true => pause(hall, hall.store.alive(), hall.time.now()).await.map(drop),
        false => Ok(()),
    }
}

/// Skips to the machine's clock if that has gone ahead.
async fn follow_the_machine(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let Some(to) = hall.time.ahead() else { return Ok(()) };
    let _one = hall.alarm.pausing.lock().await;
    let from = hall.time.now();
    if let Some((from, to)) = pause(hall, from, to).await? {
        hall.time.skip(to - from);
    }
    Ok(())
}

/// Stores a pause, then lets it count.
async fn pause(hall: &Arc<Hall>, from: i64, to: i64) -> Result<Option<(i64, i64)>, Refusal> {
    if hall.store.shared().is_some() {
        // Whoever has noted it: nothing may be done before it is known here.
        hall.alarm.told.fetch_add(1, Ordering::SeqCst);
        let pause = hall.store.pause(from, to).await?;
        learn(hall).await?;
        return Ok(pause);
    }
    let pause = hall.store.pause(from, to).await?;
    if let Some((from, to)) = pause {
        hall.time.pauses.note(from, to);
        hall.alarm.shift(from, to - from);
        hall.hint_all();
    }
    Ok(pause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_time_comes_first_and_can_be_moved() {
        let alarm = Alarm::default();
        alarm.set("a", 1, Some(20));
        alarm.set("b", 1, Some(10));
        assert_eq!(alarm.next(), Some(10));
        alarm.set("b", 2, Some(30));
        assert_eq!(alarm.come(25), ["a"]);
        alarm.set("a", 2, None);
        assert_eq!(alarm.next(), Some(30));
        alarm.forget("b");
        assert_eq!(alarm.next(), None);
    }

    #[test]
    fn of_two_that_set_a_time_at_once_the_later_event_wins() {
        let alarm = Alarm::default();
        alarm.set("a", 3, Some(10));
        alarm.set("a", 2, Some(90));
        alarm.set("a", 2, None);
        assert_eq!(alarm.next(), Some(10));
    }

    #[test]
    fn a_pause_moves_what_had_not_come_when_it_began() {
        let alarm = Alarm::default();
        for (game, at) in [("a", 99), ("b", 100), ("c", 150)] {
            alarm.set(game, 1, Some(at));
        }
        alarm.shift(100, 1_000);
        assert_eq!(alarm.come(1_099), ["a"]);
        assert_eq!(alarm.come(1_150), ["a", "b", "c"]);
        alarm.set("b", 2, None);
        assert_eq!(alarm.come(2_000), ["a", "c"]);
    }
}
