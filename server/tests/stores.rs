//! The behaviour common to all stores.

use crate::common::Folder;
use rules::Player;
use server::outside::SimulatedStore;
use server::store::disk::Disk;
use server::store::records::{Change, Range, Stored};
use server::store::{self, Append, Appended, NewGame, Runner, Running, Store, Tip};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use table::event::{Ending, Event, Fact, Reason};
use tokio::task::JoinSet;

/// A store's location.
struct Kept {
    data: PathBuf,
    _folder: Folder,
}

impl Kept {
    async fn open(&self) -> (Arc<dyn Store>, tokio::sync::oneshot::Receiver<()>) {
        store::open(&self.data, Arc::default()).await.unwrap()
    }
}

/// A store of each kind.
fn all() -> Vec<Kept> {
    let folder = Folder::new();
    let mut all = vec![Kept { data: folder.0.join("games.db"), _folder: folder }];
    #[cfg(feature = "many")]
    {
        let postgres = crate::common::services::postgres();
        let data = postgres.url(&postgres.database()).into();
        all.push(Kept { data, _folder: Folder::new() });
    }
    // They are distinguished only by their names.
    all.reverse();
    all
}

pub fn event(seq: i64, command: Option<&str>) -> Event {
    let fact = Fact::Move { turn: format!("a{seq}"), said: None };
    let command = command.map(str::to_owned);
    Event { seq, seat: Some(Player::One), at: 1_000 + seq, fact, command }
}

/// An append after an event without a command, or to a new game.
pub fn append(game: &str, events: Vec<Event>) -> Append {
    let first = events.first().filter(|first| first.seq > 1);
    let after = first.map(|first| Tip::of(&event(first.seq - 1, None)));
    Append { game: game.to_owned(), after, events, ..Append::default() }
}

fn new_game(id: &str) -> NewGame {
    let first = Event { seat: None, ..event(1, None) };
    NewGame { id: id.to_owned(), first, tokens: [Some([7; 32]), None].into() }
}

async fn numbers(store: &Arc<dyn Store>, game: &str) -> Vec<i64> {
    let events = store.events(game, 0, usize::MAX).await.unwrap();
    events.iter().map(|event| event.seq).collect()
}

#[tokio::test]
async fn an_append_has_the_number_it_names_or_leaves_nothing() {
    for kept in all() {
        let (store, _end) = kept.open().await;
        let one = append("one", vec![event(1, Some("a")), event(2, None)]);
        assert_eq!(store.append(one.clone()).await, Ok(Appended::Committed));
        assert_eq!(store.append(one).await, Ok(Appended::Conflict));
        assert_eq!(store.events("one", 1, 1).await.unwrap(), [event(2, None)]);
        // The number is free but the command id is taken; and the other way round.
        let mut late = append("one", vec![event(3, Some("a")), event(4, None)]);
        late.new_game = Some(new_game("other"));
        late.token = Some((Player::Two, [9; 32]));
        late.running = Some(Running::Until { deadline: 9, at: 8 });
        late.computer = Some(true);
        assert_eq!(store.append(late.clone()).await, Ok(Appended::Conflict));
        late.events = vec![event(2, Some("b")), event(3, None)];
        assert_eq!(store.append(late).await, Ok(Appended::Conflict));
        assert_eq!(numbers(&store, "one").await, [1, 2]);
        assert!(numbers(&store, "other").await.is_empty());
        assert_eq!(store.tokens("one").await, Ok([None; 2].into()));
        assert_eq!(store.running().await, Ok(vec![]));
        // If the game to be created exists already, the whole append is a conflict.
        let mut made = append("", vec![]);
        made.new_game = Some(new_game("other"));
        made.game = "other".into();
        assert_eq!(store.append(made.clone()).await, Ok(Appended::Committed));
        assert_eq!(store.append(made).await, Ok(Appended::Conflict));
        let mut again = append("one", vec![event(3, None)]);
        again.new_game = Some(new_game("other"));
        assert_eq!(store.append(again).await, Ok(Appended::Conflict));
        assert_eq!(numbers(&store, "one").await, [1, 2]);
        assert_eq!(store.tokens("other").await, Ok([Some([7; 32]), None].into()));
    }
}

#[tokio::test]
async fn of_many_that_are_stored_together_one_that_meets_a_conflict_fails_alone() {
    for kept in all() {
        let (store, _end) = kept.open().await;
        assert!(store.append(append("taken", vec![event(1, None)])).await.is_ok());
        let mut tasks = JoinSet::new();
        for i in 0..200 {
            let store = Arc::clone(&store);
            let (game, events) = match i % 10 {
                // The first number is taken, or a later one, or all of them.
                0 => ("taken".to_owned(), vec![event(1, None), event(2, None)]),
                1 => (format!("g{i}"), vec![event(1, Some("c")), event(2, Some("c"))]),
                _ => (format!("g{i}"), vec![event(1, Some("c")), event(2, None)]),
            };
            tasks.spawn(async move { (i, store.append(append(&game, events)).await) });
        }
        for (i, done) in tasks.join_all().await {
            let own = if i % 10 < 2 { Appended::Conflict } else { Appended::Committed };
            assert_eq!(done, Ok(own), "{i}");
            if i % 10 > 0 {
                let stored = numbers(&store, &format!("g{i}")).await.len();
                assert_eq!(stored, if i % 10 == 1 { 0 } else { 2 });
            }
        }
        assert_eq!(numbers(&store, "taken").await, [1]);
    }
}

#[tokio::test]
async fn an_append_is_stored_only_behind_the_event_that_it_names() {
    for kept in all() {
        let (store, _end) = kept.open().await;
        let one = append("one", vec![event(1, None), event(2, Some("a"))]);
        assert_eq!(store.append(one).await, Ok(Appended::Committed));
        let last = event(2, Some("a"));
        let behind = |last: &Event| {
            let next = append("one", vec![event(last.seq + 1, Some("next"))]);
            Append { after: Some(Tip::of(last)), ..next }
        };
        for other in [
            event(1, None),
            event(3, None),
            Event { at: last.at + 1, ..last.clone() },
            Event { command: None, ..last.clone() },
            Event { seat: Some(Player::Two), ..last.clone() },
            Event { fact: Fact::Declined, ..last.clone() },
            // The same number, kind, seat, command and time, but a different turn.
            Event { fact: Fact::Move { turn: "b2".into(), said: None }, ..last.clone() },
        ] {
            let done = store.append(behind(&other)).await;
            assert_eq!(done, Ok(Appended::Conflict), "{other:?}");
        }
        let unnamed = Append { after: None, ..behind(&last) };
        assert_eq!(store.append(unnamed).await, Ok(Appended::Conflict));
        assert_eq!(store.append(behind(&last)).await, Ok(Appended::Committed));
        assert_eq!(numbers(&store, "one").await, [1, 2, 3]);
    }
}

/// Runs statements on the tables of a store.
async fn execute(kept: &Kept, sql: &str) {
    #[cfg(feature = "many")]
    if store::is_shared(&kept.data) {
        use server::store::postgres::link::{Address, Database, Fault};
        let address = Address::read(kept.data.to_str().unwrap()).unwrap();
        let session = address.connect().await.map_err(Fault::reason).unwrap();
        return session.batch(sql).await.map_err(Fault::reason).unwrap();
    }
    rusqlite::Connection::open(&kept.data).unwrap().execute_batch(sql).unwrap();
}

/// A server computes the digest of the last event after reading it, a database from its own columns: both must agree,
/// whichever version has written the event.
#[tokio::test]
async fn an_append_follows_events_of_older_versions() {
    let dumps = [include_str!("files/games-0.1.sql"), include_str!("files/games-0.2.sql")];
    for (dump, kept) in
        dumps.into_iter().flat_map(|dump| all().into_iter().map(move |kept| (dump, kept)))
    {
        let (store, _end) = kept.open().await;
        let rows = dump.lines().filter(|line| line.starts_with("INSERT INTO events VALUES"));
        execute(&kept, &rows.collect::<Vec<_>>().join("\n")).await;
        let games = store.games("", 100).await.unwrap();
        assert!(games.len() > 5, "{} games", games.len());
        for game in &games {
            let events = store.events(game, 0, usize::MAX).await.unwrap();
            for known in 1..=events.len() {
                let after = Some(Tip::of(&events[known - 1]));
                let next = Event { fact: Fact::Declined, ..event(events.len() as i64 + 1, None) };
                let done = store.append(Append { after, ..append(game, vec![next]) }).await;
                let own =
                    if known < events.len() { Appended::Conflict } else { Appended::Committed };
                assert_eq!(done, Ok(own), "after {:?}", events[known - 1]);
            }
        }
    }
}

#[tokio::test]
async fn of_several_for_the_same_number_one_is_stored() {
    for kept in all() {
        let (store, _end) = kept.open().await;
        let mut tasks = JoinSet::new();
        for i in 0..60 {
            let store = Arc::clone(&store);
            let own = append(&format!("g{}", i % 6), vec![event(1, Some(&format!("c{i}")))]);
            tasks.spawn(async move { store.append(own).await });
        }
        let done = tasks.join_all().await;
        assert_eq!(done.iter().filter(|done| **done == Ok(Appended::Committed)).count(), 6);
        assert_eq!(done.iter().filter(|done| **done == Ok(Appended::Conflict)).count(), 54);
    }
}

#[tokio::test]
async fn what_is_stored_is_there_when_the_store_is_opened_again() {
    for kept in all() {
        let (store, end) = kept.open().await;
        let mut one = append("one", vec![event(1, Some("ä \"x\""))]);
        one.running = Some(Running::Until { deadline: 70_000, at: 1_001 });
        one.new_game = Some(new_game("two"));
        store.append(one).await.unwrap();
        let mut joined = append("two", vec![]);
        joined.after = Some(Tip::of(&new_game("two").first));
        joined.events =
            vec![Event { fact: Fact::Joined { name: Some("Ann".into()) }, ..event(2, None) }];
        joined.token = Some((Player::One, [9; 32]));
        store.append(joined).await.unwrap();
        store.beat(5_000).await.unwrap();
        assert_eq!(store.pause(5_000, 90_000).await, Ok(Some((5_000, 90_000))));
        assert_eq!(store.pause(6_000, 80_000).await, Ok(None), "a server ran then");
        let told = (store.events("one", 0, 9).await, store.events("two", 0, 9).await);
        store.close();
        drop(store);
        end.await.unwrap();
        let (store, _end) = kept.open().await;
        assert!(store.alive() >= 90_000);
        assert_eq!((store.events("one", 0, 9).await, store.events("two", 0, 9).await), told);
        assert_eq!(store.tokens("two").await, Ok([Some([9; 32]), None].into()));
        let runner = Runner { game: "one".into(), deadline: Some((70_000, 1_001)) };
        assert_eq!(store.running().await, Ok(vec![runner]));
        assert_eq!(store.pauses(0).await, Ok(vec![(5_000, 90_000)]));
        assert_eq!(store.pauses(90_000).await, Ok(vec![]));
        let fact = Fact::Result(Ending::new(None, Reason::Agreed));
        let mut ended = append("one", vec![Event { fact, ..event(2, None) }]);
        ended.after = Some(Tip::of(&event(1, Some("ä \"x\""))));
        ended.running = Some(Running::Stopped);
        assert_eq!(store.append(ended).await, Ok(Appended::Committed));
        assert_eq!(store.running().await, Ok(vec![]));
    }
}

/// A disk whose transactions fail as a test requires.
#[derive(Default)]
struct OwnDisk {
    is_full: AtomicBool,
    /// Called between a commit and reading it back.
    after_commit: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Disk for OwnDisk {
    fn delay(&self) -> Duration {
        Duration::ZERO
    }

    fn write(&self) -> rusqlite::Result<()> {
        let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
        match self.is_full.load(Ordering::Relaxed) {
            true => Err(rusqlite::Error::SqliteFailure(full, None)),
            false => Ok(()),
        }
    }

    fn commit(&self) -> rusqlite::Result<()> {
        Ok(())
    }

    fn sync(&self) -> rusqlite::Result<()> {
        let call = self.after_commit.lock().unwrap().take();
        call.into_iter().for_each(|call| call());
        Ok(())
    }
}

async fn on_own_disk(folder: &Folder) -> (Arc<OwnDisk>, Arc<dyn Store>) {
    let disk = Arc::new(OwnDisk::default());
    let simulated = SimulatedStore::File(Arc::clone(&disk) as Arc<dyn Disk>);
    let data = folder.0.join("games.db");
    let opened = store::open_simulated(&data, &simulated, Arc::default()).await;
    (disk, opened.unwrap().0)
}

/// Clients have seen its clock, which must remain true.
#[tokio::test]
async fn a_pause_begins_after_an_event_that_was_stored_behind_a_failure() {
    let folder = Folder::new();
    let (disk, store) = on_own_disk(&folder).await;
    for game in ["fails", "works"] {
        let new_game = Some(new_game(game));
        let append = Append { new_game, ..append(game, vec![]) };
        assert_eq!(store.append(append).await.unwrap(), Appended::Committed);
    }
    let at = |at: i64| Event { at, ..event(2, None) };
    disk.is_full.store(true, Ordering::Relaxed);
    let after = Some(Tip::of(&new_game("").first));
    let next = |game: &str, at: Event| Append { after: after.clone(), ..append(game, vec![at]) };
    store.append(next("fails", at(1_700))).await.unwrap_err();
    assert_eq!(store.owed(), Some(1_700));
    disk.is_full.store(false, Ordering::Relaxed);
    assert_eq!(store.append(next("works", at(1_750))).await.unwrap(), Appended::Committed);
    // A heartbeat does not prove that anybody could have moved.
    store.beat(1_780).await.unwrap();
    assert_eq!(store.pause(1_700, 1_800).await.unwrap(), Some((1_750, 1_800)));
    assert_eq!(store.owed(), None);
}

/// Records have no time of their own.
#[tokio::test]
async fn a_change_of_records_that_fails_first_makes_the_pause_no_longer() {
    let folder = Folder::new();
    let (disk, store) = on_own_disk(&folder).await;
    let new = Append { new_game: Some(new_game("one")), ..append("one", vec![]) };
    assert_eq!(store.append(new).await, Ok(Appended::Committed));
    // From here on a player is thinking, and the server is up.
    store.beat(20_000).await.unwrap();
    disk.is_full.store(true, Ordering::Relaxed);
    let records = store.records().unwrap();
    records.change(vec![Change::put("key", "value")]).await.unwrap_err();
    let after = Some(Tip::of(&new_game("").first));
    let turn = Event { at: 20_500, ..event(2, None) };
    let turn = Append { after, ..append("one", vec![turn]) };
    store.append(turn.clone()).await.unwrap_err();
    assert_eq!(store.owed(), Some(20_000));
    disk.is_full.store(false, Ordering::Relaxed);
    assert_eq!(store.pause(20_000, 21_000).await.unwrap(), Some((20_000, 21_000)));
    assert_eq!(store.append(turn).await, Ok(Appended::Committed));
}

#[tokio::test]
async fn a_writer_that_panics_goes_on_with_the_next_writes() {
    let folder = Folder::new();
    let (disk, store) = on_own_disk(&folder).await;
    let new = |game: &str| Append { new_game: Some(new_game(game)), ..append(game, vec![]) };
    *disk.after_commit.lock().unwrap() = Some(Box::new(|| panic!("a fault of the program")));
    let unknown = store.append(new("one")).await.unwrap_err();
    assert!(matches!(unknown, store::StoreError::Unknown(_)), "{unknown}");
    assert_eq!(numbers(&store, "one").await, [1], "it was committed, and nobody knew");
    assert_eq!(store.append(new("two")).await, Ok(Appended::Committed));
    assert_eq!(store.append(new("one")).await, Ok(Appended::Conflict));
}

#[tokio::test]
async fn whether_something_can_be_stored_is_found_out_without_storing_anything() {
    for kept in all() {
        let (store, _end) = kept.open().await;
        assert!(store.trouble().is_unproved(), "nothing was stored yet");
        store.probe(5_000).await.unwrap();
        assert!(!store.trouble().is_unproved());
        assert_eq!(store.games("", 10).await, Ok(vec![]), "a probe leaves no game");
        let before = store.alive();
        store.probe(9_000).await.unwrap();
        assert_eq!(store.alive(), before, "nor does it say that a move was stored then");
    }
    let folder = Folder::new();
    let (disk, store) = on_own_disk(&folder).await;
    disk.is_full.store(true, Ordering::Relaxed);
    store.probe(5_000).await.unwrap_err();
    assert!(store.trouble().reason().is_some());
    // What failed is retried with the next heartbeat.
    store.beat(6_000).await.unwrap_err();
    disk.is_full.store(false, Ordering::Relaxed);
    store.beat(7_000).await.unwrap();
    assert_eq!(store.trouble().reason(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_is_deleted_right_after_a_commit_does_not_look_like_a_lost_one() {
    let folder = Folder::new();
    let (disk, store) = on_own_disk(&folder).await;
    let made = Append { new_game: Some(new_game("gone")), ..append("gone", vec![]) };
    assert_eq!(store.append(made).await.unwrap(), Appended::Committed);
    let (own, runtime) = (Arc::clone(&store), tokio::runtime::Handle::current());
    let (deleted, done) = std::sync::mpsc::channel();
    *disk.after_commit.lock().unwrap() = Some(Box::new(move || {
        let (told, heard) = std::sync::mpsc::channel();
        // In a thread of its own, because this one is blocked.
        std::thread::spawn(move || {
            let gone = runtime.block_on(own.upkeep().unwrap().delete("gone", None));
            let _ = (told.send(()), deleted.send(gone));
        });
        // It should block; if it does not, let it finish first.
        let _ = heard.recv_timeout(Duration::from_millis(500));
    }));
    let next = Append {
        after: Some(Tip::of(&new_game("").first)),
        ..append("gone", vec![event(2, None)])
    };
    assert_eq!(store.append(next).await.unwrap(), Appended::Committed);
    let gone = tokio::task::spawn_blocking(move || done.recv_timeout(Duration::from_secs(20)));
    assert!(gone.await.unwrap().unwrap().unwrap());
    assert!(numbers(&store, "gone").await.is_empty());
    assert_eq!(store.trouble().reason(), None);
}

fn record(key: &str, value: &str, version: i64) -> Stored {
    Stored { key: key.to_owned(), value: value.to_owned(), version }
}

#[tokio::test]
async fn a_change_of_records_is_made_whole_or_not_at_all() {
    for kept in all() {
        let (store, _end) = kept.open().await;
        let records = store.records().unwrap();
        let (a, b) = (record("x/a", "1", 1), record("x/b", "2", 1));
        let both = vec![Change::new("x/a", "1"), Change::new("x/b", "2")];
        assert_eq!(records.change(both.clone()).await, Ok(true));
        assert_eq!(records.change(both).await, Ok(false));
        // The first part matches its version, the second does not.
        for wrong in [Change::new("x/b", "9"), record("x/b", "", 2).update("9"), b.delete()] {
            let late = matches!(wrong, Change::Delete { .. });
            let other = if late { record("x/a", "", 7).delete() } else { a.update("9") };
            assert_eq!(
                records.change(vec![Change::put("x/c", "9"), other, wrong]).await,
                Ok(false)
            );
        }
        let all = Range::of("x/");
        assert_eq!(records.range(all.clone(), 9).await, Ok(vec![a.clone(), b.clone()]));
        let done = vec![a.update("3"), b.delete(), Change::put("x/c", "4"), Change::drop("x/d")];
        assert_eq!(records.change(done).await, Ok(true));
        assert_eq!(records.change(vec![Change::put("x/c", "5")]).await, Ok(true));
        let (a, c) = (record("x/a", "3", 2), record("x/c", "5", 2));
        let keys = ["x/c", "x/b", "x/a"].map(str::to_owned).to_vec();
        let mut found = records.get(keys).await.unwrap();
        found.sort_by(|one, other| one.key.cmp(&other.key));
        assert_eq!(found, [a.clone(), c.clone()]);
        let backwards = Range::from_the_end("x/");
        assert_eq!(records.range(backwards, 1).await, Ok(vec![c]));
        assert_eq!(records.clear(Range::of("x/b"), 9).await, Ok(0));
        assert_eq!(records.clear(all.clone(), 1).await, Ok(1));
        assert_eq!(records.clear(all, 9).await, Ok(1));
    }
}

#[tokio::test]
async fn of_many_who_change_the_same_record_each_sees_what_the_one_before_left() {
    for kept in all() {
        let (store, _end) = kept.open().await;
        assert_eq!(store.records().unwrap().change(vec![Change::new("n", "0")]).await, Ok(true));
        let mut tasks = JoinSet::new();
        for i in 0..20 {
            let store = Arc::clone(&store);
            tasks.spawn(async move {
                let records = store.records().unwrap();
                loop {
                    let own = records.get(vec!["n".into()]).await.unwrap().remove(0);
                    let next = own.value.parse::<i64>().unwrap() + 1;
                    // Two keys, in alternating order.
                    let other = Change::put(format!("m{}", i % 2), next.to_string());
                    let mut both = vec![own.update(next.to_string()), other];
                    both.rotate_left(i % 2);
                    if records.change(both).await.unwrap() {
                        return;
                    }
                }
            });
        }
        tasks.join_all().await;
        let last = store.records().unwrap().get(vec!["n".into()]).await.unwrap();
        assert_eq!(last, [record("n", "20", 21)]);
    }
}
