//! Ends games whose clock has run out, and records pauses during which no clock runs.
//!
//! Clocks run only while players can play: while a server is up, awake and able to store events. A heartbeat is
//! stored every second while a clock runs, and a gap between two stored timestamps is a pause. A pause is recorded
//! once for all games and is not an event of any game.

use crate::clocks::time::GAP;
use crate::cluster::news;
use crate::games::hall::Hall;
use crate::games::room::Room;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use table::event::{Event, Fact};
use table::{Kind, Refusal};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Grace period in milliseconds before a game is lost on time: a turn made in time may still be on its way to the
/// store.
const GRACE: i64 = 100;

/// The heartbeat interval, and the retry delay while the store fails.
const BEAT: Duration = Duration::from_secs(1);

/// How many games are ended concurrently.
const TOGETHER: usize = 256;

#[derive(Default)]
struct Due {
    in_order: BTreeSet<(i64, String)>,
    /// The deadline of each game, and the number of the event it was computed from.
    of_game: HashMap<String, (i64, i64)>,
}

/// The deadlines of all running clocks.
#[derive(Default)]
pub struct Alarm {
    due: Mutex<Due>,
    changed: Notify,
    /// Held while a pause is being recorded.
    pausing: tokio::sync::Mutex<()>,
    /// Held for reading from the plan of an event until it is applied, and for writing while this server, which has the
    /// store to itself, records and applies a pause: an event applied in between would be sent with a clock that the
    /// pause changes.
    changing: tokio::sync::RwLock<()>,
    /// How many statements that may record a pause in a shared store, or bring one to light, are under way; how many
    /// have ended; and how many of those had ended before the pauses known here were read.
    under_way: AtomicU64,
    ended: AtomicU64,
    learned: AtomicU64,
    /// Held while pauses are being applied.
    learning: Mutex<()>,
    /// The shared store's epoch, once it is known.
    epoch: Mutex<Option<String>>,
    /// Games whose alarm was given up after a permanent error.
    given_up: Mutex<HashSet<String>>,
    /// Games in memory with events inside a pause that was not known here when they were applied, so their clocks are
    /// wrong. The value is how many pauses were known when that was noticed.
    stale: Mutex<BTreeMap<String, usize>>,
}

impl Alarm {
    fn lock(&self) -> MutexGuard<'_, Due> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets or clears the deadline computed from event `seq`. Ignored if a newer event has already set it.
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

    fn epoch(&self) -> MutexGuard<'_, Option<String>> {
        self.epoch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn given_up(&self) -> MutexGuard<'_, HashSet<String>> {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stale(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.stale.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Schedules the clocks of these games to be recomputed, with at least `pauses` pauses: when a game is next asked
    /// for, or else at the next heartbeat.
    pub fn mark_stale(&self, games: impl IntoIterator<Item = String>, pauses: usize) {
        self.stale().extend(games.into_iter().map(|game| (game, pauses)));
    }

    /// Keeps pauses away until the guard is dropped.
    pub async fn changing(&self) -> tokio::sync::RwLockReadGuard<'_, ()> {
        self.changing.read().await
    }

    /// Announces a statement after which the shared store may hold a pause that is not known here, until the guard is
    /// dropped and the pauses are read again.
    fn announce(&self) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        UnderWay(self)
    }

    /// Whether the shared store may hold a pause that is not known here yet.
    fn is_unlearned(&self) -> bool {
        // A statement that ends between the two reads has counted as ended by the second one.
        self.under_way.load(Ordering::SeqCst) > 0
            || self.learned.load(Ordering::SeqCst) < self.ended.load(Ordering::SeqCst)
    }

    pub fn forget(&self, game: &str) {
        let mut due = self.lock();
        if let Some((at, _)) = due.of_game.remove(game) {
            due.in_order.remove(&(at, game.to_owned()));
        }
    }

    /// Postpones every deadline from `from` on by `by` ms: nobody loses time while nothing could be stored.
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

    /// The earliest deadline.
    fn next(&self) -> Option<i64> {
        self.lock().in_order.first().map(|(at, _)| *at)
    }

    /// Up to [`TOGETHER`] games whose deadline has passed.
    fn due(&self, at: i64) -> Vec<String> {
        let due = self.lock();
        let come = due.in_order.iter().take_while(|(deadline, _)| *deadline <= at);
        come.take(TOGETHER).map(|(_, game)| game.clone()).collect()
    }
}

/// See [`Alarm::announce`].
struct UnderWay<'a>(&'a Alarm);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::SeqCst);
        self.0.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Ends games whose time is up, in an endless loop.
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
            // Wake up at least once per heartbeat: after a pause the time may have jumped.
            let wait = Duration::from_millis(wait.unsigned_abs()).min(BEAT);
            let _ = tokio::time::timeout(wait, changed).await;
            continue;
        }
        if !end(&hall, hall.alarm.due(at - GRACE), at).await {
            tokio::time::sleep(BEAT).await;
        }
    }
}

/// Ends those of these games whose time is up, concurrently so that the store can commit them together. Returns
/// whether the store was available for all of them.
async fn end(hall: &Arc<Hall>, games: Vec<String>, at: i64) -> bool {
    let mut tasks = JoinSet::new();
    for game in games {
        let hall = Arc::clone(hall);
        tasks.spawn(async move {
            let Err(refusal) = end_one(&hall, &game, at).await else { return true };
            if refusal.kind == Kind::Unavailable {
                return false;
            }
            // After a failover the store has a different history; the game is read again with its own clock.
            if refusal.kind == Kind::Conflict && hall.in_memory(&game).is_none() {
                return true;
            }
            // Otherwise the alarm would go off forever.
            hall.alarm.forget(&game);
            hall.alarm.given_up().insert(game.clone());
            tracing::error!(game, reason = refusal.message, "giving up on a game's clock");
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
    // The alarm may have been outdated; set it from the state in memory.
    hall.settled(&room);
    Ok(())
}

/// Stores a heartbeat every second while a clock runs, and follows the machine's clock.
pub async fn beat(hall: Arc<Hall>) {
    loop {
        tokio::time::sleep(BEAT).await;
        // The writer has already logged errors, and the next heartbeat is a second away.
        if hall.store.shared().is_some() {
            let _ = beat_together(&hall).await;
        } else if keep_time(&hall).await.is_ok()
            && follow_the_machine(&hall).await.is_ok()
            && (hall.alarm.next().is_some() || hall.store.trouble().reason().is_some())
        {
            look_at_the_store(&hall).await;
            let _ = hall.store.beat(hall.time.now()).await;
        }
    }
}

/// While a clock runs, notices that no move could be stored before somebody's move fails.
async fn look_at_the_store(hall: &Arc<Hall>) {
    if hall.alarm.next().is_some() && hall.store.trouble().is_unproved() {
        // A failure is remembered, and suspends the heartbeats.
        let _ = hall.store.probe(hall.time.now()).await;
    }
}

/// Adjusts the time to the store's clock, stores a heartbeat, and fetches pauses recorded by other servers.
async fn beat_together(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let Some(shared) = hall.store.shared() else { return Ok(()) };
    notice_failover(hall, shared.epoch().await?).await?;
    keep_time(hall).await?;
    let asked = hall.time.steady();
    let there = shared.now().await?;
    if let Some(to) = hall.time.follow(asked, there) {
        let _one = hall.alarm.pausing.lock().await;
        pause(hall, hall.time.now(), to).await?;
        hall.time.skip((to - hall.time.now()).max(0));
    }
    look_at_the_store(hall).await;
    // Another server may record a pause before this heartbeat is stored; until it is known here, no game may end.
    let under_way = hall.alarm.announce();
    hall.store.beat(hall.time.now()).await?;
    drop(under_way);
    learn(hall).await
}

/// If another database has taken over, compares everything in memory with it: it may have lost events and pauses.
async fn notice_failover(hall: &Arc<Hall>, epoch: Option<String>) -> Result<(), Refusal> {
    let known = hall.alarm.epoch().clone();
    if epoch.is_none() || epoch == known {
        return Ok(());
    }
    if known.is_some() {
        tracing::warn!("another database has taken over; comparing all games with it");
        let pauses = hall.store.pauses(i64::MIN).await?;
        if hall.time.pauses.replace(pauses) {
            hall.alarm.mark_stale(hall.went_on_after(i64::MIN), 0);
        }
        let before = hall.all_rooms();
        news::compare_all(hall).await?;
        // A computer's turn in a game that has lost events may be on nobody's list any more.
        for room in before.iter().filter(|room| room.is_dropped_out()) {
            hall.room(&room.id).await?;
        }
        recompute_stale(hall).await?;
    }
    *hall.alarm.epoch() = epoch;
    Ok(())
}

/// Follows the shared store's clock at once if this machine may have slept. Otherwise moves would be stored with a time
/// in the past until the next heartbeat, and the opponent's clock would have run since then.
pub async fn wake_up(hall: &Arc<Hall>) -> Result<(), Refusal> {
    match hall.store.shared().is_some() && hall.time.may_have_slept() {
        true => beat_together(hall).await,
        false => Ok(()),
    }
}

/// Fetches new pauses from the store.
async fn learn(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let ended = hall.alarm.ended.load(Ordering::SeqCst);
    let pauses = hall.store.pauses(hall.time.pauses.last()).await?;
    apply_pauses(hall, &pauses);
    hall.alarm.learned.fetch_max(ended, Ordering::SeqCst);
    recompute_stale(hall).await
}

fn apply_pauses(hall: &Hall, pauses: &[(i64, i64)]) {
    let _one = hall.alarm.learning.lock().unwrap_or_else(PoisonError::into_inner);
    for &(from, to) in pauses {
        let from = from.max(hall.time.pauses.last());
        if from >= to {
            continue;
        }
        hall.time.pauses.note(from, to);
        hall.alarm.shift(from, to - from);
        hall.alarm.mark_stale(hall.went_on_after(from), hall.time.pauses.count());
        hall.hint_all();
    }
}

/// Another server may have recorded a pause, or stored an event received during it, before this one knew of the
/// pause. Then the clocks in memory differ from those of the other servers and have to be recomputed.
async fn recompute_stale(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let games: Vec<_> = hall.alarm.stale().keys().cloned().collect();
    for game in games {
        match hall.in_memory(&game) {
            // If the store cannot be read now, the next heartbeat tries again.
            Some(room) => recompute_clocks(hall, &room).await?,
            None => drop(hall.alarm.stale().remove(&game)),
        }
    }
    Ok(())
}

/// How often a game that keeps changing is re-read before it is left to the next heartbeat.
const AGAIN: usize = 8;

/// Recomputes the clocks of a game in memory if they are stale.
pub async fn recompute_clocks(hall: &Arc<Hall>, room: &Arc<Room>) -> Result<(), Refusal> {
    for _ in 0..AGAIN {
        if !hall.alarm.stale().contains_key(&room.id) {
            break;
        }
        let events = hall.store.events(&room.id, 0, usize::MAX).await?;
        let known = hall.time.pauses.count();
        // The game has changed since the events were read; read them again.
        if !room.recompute_clocks(&events) {
            continue;
        }
        hall.settled(room);
        // Still stale if another pause has become known meanwhile.
        let mut stale = hall.alarm.stale();
        if stale.get(&room.id).is_some_and(|pauses| *pauses <= known) {
            stale.remove(&room.id);
        }
    }
    Ok(())
}

/// How many milliseconds after the deadline a server ends a game that it does not have in memory.
const STRANGER: i64 = 600;

/// Ends overdue games of a shared store: the server that had them in memory may be gone. Returns whether the store
/// was available for all of them.
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

/// On startup: records the downtime as a pause and sets the alarms, without reading any game.
pub async fn resume(hall: &Arc<Hall>) -> Result<(), Refusal> {
    if hall.store.shared().is_some() {
        // Records nothing if another server has been running.
        pause(hall, hall.store.alive(), hall.time.now()).await?;
        return beat_together(hall).await;
    }
    let games = hall.store.running().await?;
    if !games.is_empty() {
        pause(hall, hall.store.alive(), hall.time.now()).await?;
    }
    for runner in games {
        // Files of version 0.1 do not store the deadline; 0 makes the alarm read the game at once.
        let at = runner.deadline.map_or(0, |(deadline, at)| {
            let left = deadline - at;
            hall.time.pauses.after(at, left)
        });
        hall.alarm.set(&runner.game, 0, Some(at));
    }
    Ok(())
}

/// On startup: resumes computers whose clocks run, most urgent first. Only the games themselves say whose turn it is,
/// so they are read one by one while the server already answers requests. With a shared store, `computers::adopt`
/// finds such games.
pub async fn wake_computers(hall: Arc<Hall>) {
    let mut games: Vec<_> =
        hall.alarm.lock().in_order.iter().map(|(_, game)| game.clone()).collect();
    while hall.store.shared().is_none() && !games.is_empty() {
        let mut unread = Vec::new();
        for game in games {
            if wake_computer(&hall, &game).await.is_err() {
                unread.push(game);
            }
        }
        games = unread;
        tokio::time::sleep(BEAT).await;
    }
    // The work is done, but a supervised task that returns would be restarted.
    std::future::pending().await
}

/// An error only if the game cannot be read now, but perhaps later.
async fn wake_computer(hall: &Arc<Hall>, game: &str) -> Result<(), Refusal> {
    // The first event names the seats, and costs much less than replaying a game between people.
    let read = async {
        let first = hall.store.events(game, 0, 1).await?;
        if !first.first().is_some_and(is_between_people) {
            hall.room(game).await?;
        }
        Ok(())
    };
    match read.await {
        Err(refusal @ Refusal { kind: Kind::Unavailable, .. }) => Err(refusal),
        // Others have been logged.
        _ => Ok(()),
    }
}

fn is_between_people(first: &Event) -> bool {
    let Fact::Created(created) = &first.fact else { return false };
    created.seats.iter().all(|seat| !seat.who.is_computer())
}

/// Records a pause if the server was suspended or could not store anything while a clock ran.
pub async fn keep_time(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let shared = hall.store.shared().is_some();
    // Once a pause is stored, the store says that a server ran until its end, so nothing may go on before the pause
    // counts here too. A shared store may be slow to answer, so there every caller fetches it without waiting for the
    // lock. The gap is looked at first: one that has just been closed has left a pause to learn.
    if shared {
        let closed = gap(hall).is_none();
        if hall.alarm.is_unlearned() {
            learn(hall).await?;
        }
        if closed {
            return Ok(());
        }
    }
    let one = hall.alarm.pausing.lock().await;
    if gap(hall).is_none() {
        return Ok(());
    }
    drop(one);
    // In a task of its own: the caller may be cancelled, but a pause that is stored has to count here too.
    let hall = Arc::clone(hall);
    let noted = tokio::spawn(async move {
        let _one = hall.alarm.pausing.lock().await;
        match gap(&hall) {
            Some(from) => pause(&hall, from, hall.time.now()).await.map(drop),
            None => Ok(()),
        }
    });
    noted.await.unwrap_or_else(|_| Err(Refusal::broken("internal error; it has been logged")))
}

/// Since when nobody could play, if that is not noted yet.
fn gap(hall: &Hall) -> Option<i64> {
    let alive = hall.store.alive();
    let runs = || hall.store.shared().is_some() || hall.alarm.next().is_some();
    let silent = || (hall.time.now() - alive > GAP && runs()).then_some(alive);
    hall.store.owed().or_else(silent)
}

/// Jumps to the machine's clock if that is ahead.
async fn follow_the_machine(hall: &Arc<Hall>) -> Result<(), Refusal> {
    let Some(to) = hall.time.ahead() else { return Ok(()) };
    let _one = hall.alarm.pausing.lock().await;
    let from = hall.time.now();
    if let Some((from, to)) = pause(hall, from, to).await? {
        hall.time.skip(to - from);
    }
    Ok(())
}

/// Stores a pause, then applies it.
async fn pause(hall: &Arc<Hall>, from: i64, to: i64) -> Result<Option<(i64, i64)>, Refusal> {
    if hall.store.shared().is_some() {
        // Whichever server records the pause, nothing may go on here before it is known.
        let under_way = hall.alarm.announce();
        let pause = hall.store.pause(from, to).await?;
        drop(under_way);
        learn(hall).await?;
        return Ok(pause);
    }
    let changing = hall.alarm.changing.write().await;
    let pause = hall.store.pause(from, to).await?;
    if let Some(pause) = pause {
        apply_pauses(hall, &[pause]);
        drop(changing);
        // Moves may have been stored during the pause, if only their confirmation failed. If they cannot be read now,
        // the games are still known to be stale.
        let _ = recompute_stale(hall).await;
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
        assert_eq!(alarm.due(25), ["a"]);
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
    fn pauses_that_were_read_while_a_statement_was_under_way_do_not_count() {
        let alarm = Alarm::default();
        let learn = |read: &dyn Fn()| {
            let ended = alarm.ended.load(Ordering::SeqCst);
            read();
            alarm.learned.fetch_max(ended, Ordering::SeqCst);
        };
        assert!(!alarm.is_unlearned());
        let under_way = alarm.announce();
        learn(&|| {});
        assert!(alarm.is_unlearned(), "it may store its pause only now");
        let under_way = std::cell::RefCell::new(Some(under_way));
        learn(&|| drop(under_way.take()));
        assert!(alarm.is_unlearned(), "it may have stored its pause after they were read");
        learn(&|| {});
        assert!(!alarm.is_unlearned());
    }

    #[test]
    fn a_pause_moves_what_had_not_come_when_it_began() {
        let alarm = Alarm::default();
        for (game, at) in [("a", 99), ("b", 100), ("c", 150)] {
            alarm.set(game, 1, Some(at));
        }
        alarm.shift(100, 1_000);
        assert_eq!(alarm.due(1_099), ["a"]);
        assert_eq!(alarm.due(1_150), ["a", "b", "c"]);
        alarm.set("b", 2, None);
        assert_eq!(alarm.due(2_000), ["a", "c"]);
    }
}
