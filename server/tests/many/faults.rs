//! Whatever the database does, everything acknowledged is there afterwards, exactly once, and nothing refused is.

use crate::common::services::{Postgres, postgres};
use crate::common::within;
use crate::stores::{append, event};
use server::store::{self, Append, Appended, Store, StoreError, Tip};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

const GAMES: usize = 24;

/// Tasks that each append to a game and record the outcomes.
struct People {
    tasks: JoinSet<Told>,
    over: Arc<AtomicBool>,
    stored: Arc<AtomicUsize>,
}

/// The recorded outcomes of a task: the ids of what was stored, in order, and of what was not.
struct Told {
    game: String,
    stored: Vec<String>,
    refused: HashSet<String>,
}

impl People {
    async fn begin(data: &str) -> People {
        let (store, _end) = store::open(data.as_ref(), Arc::default()).await.unwrap();
        let (over, stored) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let mut tasks = JoinSet::new();
        for number in 0..GAMES {
            let (store, over, count) = (Arc::clone(&store), Arc::clone(&over), Arc::clone(&stored));
            tasks.spawn(async move {
                let mut told =
                    Told { game: format!("g{number}"), stored: vec![], refused: HashSet::new() };
                while !over.load(Ordering::SeqCst) {
                    told.append(&store).await;
                    count.fetch_add(1, Ordering::SeqCst);
                }
                told
            });
        }
        People { tasks, over, stored }
    }

    /// Waits until `count` more appends were stored.
    async fn store_more(&self, count: usize) {
        let wanted = self.stored.load(Ordering::SeqCst) + count;
        within(async {
            while self.stored.load(Ordering::SeqCst) < wanted {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await;
    }

    /// Stops, and compares the recorded outcomes with the database.
    async fn compare(self, postgres: &Postgres, database: &str) {
        self.over.store(true, Ordering::SeqCst);
        for told in within(self.tasks.join_all()).await {
            let find =
                format!("SELECT command FROM events WHERE game = '{}' ORDER BY seq", told.game);
            let rows = postgres.ask(database, &find);
            assert_eq!(rows, told.stored, "{}", told.game);
            assert!(rows.iter().all(|name| !told.refused.contains(name)), "{}", told.game);
        }
    }
}

impl Told {
    /// Appends the next event with a new command id for each attempt, but with the same one while the outcome is
    /// unknown.
    async fn append(&mut self, store: &Arc<dyn Store>) {
        let seq = self.stored.len() as i64 + 1;
        let after = self.stored.last().map(|last| Tip::of(&event(seq - 1, Some(last))));
        let mut open = None;
        loop {
            let new = format!("c{}", self.stored.len() + self.refused.len());
            let name = open.clone().unwrap_or(new);
            let own = append(&self.game, vec![event(seq, Some(&name))]);
            match store.append(Append { after: after.clone(), ..own }).await {
                Ok(Appended::Committed) => return self.stored.push(name),
                Ok(Appended::Conflict) => {
                    // Nobody else appends here, so it must be an earlier attempt with unknown outcome.
                    assert_eq!(open.as_ref(), Some(&name), "{} {seq}", self.game);
                    return self.stored.push(name);
                }
                Err(StoreError::Unknown(_)) => open = Some(name),
                // An earlier attempt with unknown outcome may have been stored.
                Err(StoreError::Failed(_)) if open.is_some() => {}
                Err(StoreError::Failed(_)) => drop(self.refused.insert(name)),
                Err(other) => panic!("{other}"),
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

/// Terminates all connections to a database.
fn hang_up(postgres: &Postgres, database: &str) {
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    postgres.ask(database, end);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_acknowledged_is_kept_however_often_connections_end() {
    let postgres = postgres();
    let database = postgres.database();
    let people = People::begin(&postgres.url(&database)).await;
    for _ in 0..15 {
        people.store_more(GAMES).await;
        hang_up(postgres, &database);
    }
    people.store_more(GAMES).await;
    people.compare(postgres, &database).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_acknowledged_is_kept_when_the_database_is_killed() {
    let mut postgres = Postgres::start();
    let database = postgres.database();
    let people = People::begin(&postgres.url(&database)).await;
    for _ in 0..3 {
        people.store_more(GAMES * 4).await;
        tokio::task::block_in_place(|| {
            postgres.kill();
            postgres.restart();
        });
    }
    people.store_more(GAMES).await;
    people.compare(&postgres, &database).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_acknowledged_is_kept_when_a_standby_takes_over() {
    let mut first = Postgres::start();
    let database = first.database();
    let standby = tokio::task::block_in_place(|| first.standby());
    let (one, two) = (first.port, standby.port);
    let data = format!(
        "postgres://quadrille@127.0.0.1:{one},127.0.0.1:{two}/{database}?target_session_attrs=read-write"
    );
    let people = People::begin(&data).await;
    people.store_more(GAMES * 4).await;
    tokio::task::block_in_place(|| {
        first.kill();
        standby.promote();
    });
    people.store_more(GAMES * 4).await;
    people.compare(&standby, &database).await;
}

#[tokio::test]
async fn what_a_full_disk_refuses_is_not_there_and_the_next_is_tried_again() {
    let postgres = postgres();
    let database = postgres.database();
    let (store, _end) =
        store::open(postgres.url(&database).as_ref(), Arc::default()).await.unwrap();
    let made = "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$";
    postgres.ask(&database, made);
    // While the rows are written, and when they are committed.
    for when in ["TRIGGER full_disk BEFORE", "CONSTRAINT TRIGGER full_disk AFTER"] {
        let deferred = if when.starts_with('C') { "DEFERRABLE INITIALLY DEFERRED" } else { "" };
        let trigger = format!(
            "CREATE {when} INSERT ON events {deferred} FOR EACH ROW EXECUTE FUNCTION full_disk()"
        );
        postgres.ask(&database, &trigger);
        let mut both = JoinSet::new();
        for game in ["one", "two"] {
            let store = Arc::clone(&store);
            both.spawn(async move { store.append(append(game, vec![event(1, None)])).await });
        }
        for done in both.join_all().await {
            let reason = "No space left on device".to_owned();
            assert_eq!(done, Err(StoreError::Failed(reason)), "{when}");
        }
        assert_eq!(postgres.ask(&database, "SELECT count(*) FROM events"), ["0"]);
        postgres.ask(&database, "DROP TRIGGER full_disk ON events");
    }
    let done = store.append(append("one", vec![event(1, None)])).await;
    assert_eq!(done, Ok(Appended::Committed));
}

#[tokio::test]
async fn a_database_that_takes_nothing_refuses_and_is_used_again_when_it_does() {
    let postgres = postgres();
    let database = postgres.database();
    let (store, _end) =
        store::open(postgres.url(&database).as_ref(), Arc::default()).await.unwrap();
    let set = |how: &str| {
        postgres.ask("postgres", &format!("ALTER DATABASE {database} {how}"));
        hang_up(postgres, &database);
    };
    // As on a standby that has not been promoted.
    set("SET default_transaction_read_only = on");
    let done = within(store.append(append("one", vec![event(1, None)]))).await;
    assert!(matches!(&done, Err(StoreError::Failed(why)) if why.contains("read-only")), "{done:?}");
    assert!(store.events("one", 0, 9).await.unwrap().is_empty());
    set("RESET default_transaction_read_only");
    let done = within(store.append(append("one", vec![event(1, None)]))).await;
    assert_eq!(done, Ok(Appended::Committed));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_somebody_has_locked_takes_no_others_with_it() {
    let postgres = postgres();
    let database = postgres.database();
    let (store, _end) =
        store::open(postgres.url(&database).as_ref(), Arc::default()).await.unwrap();
    store.append(append("warm", vec![event(1, None)])).await.unwrap();
    // An open transaction with an event.
    let (port, name) = (postgres.port.to_string(), database.clone());
    let locked = std::thread::spawn(move || {
        let row = "INSERT INTO events VALUES ('locked', 1, 'declined', '{}', NULL, NULL, 1)";
        let sql = format!("BEGIN; {row}; SELECT pg_sleep(13); ROLLBACK");
        let mut psql = std::process::Command::new("psql");
        psql.args(["-h", "127.0.0.1", "-U", "quadrille", "-p", &port, "-d", &name, "-c", &sql]);
        psql.output().unwrap()
    });
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%'
        AND wait_event = 'PgSleep' AND datname = current_database()";
    while postgres.ask(&database, waits) != ["1"] {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut all = JoinSet::new();
    for game in ["a", "locked", "z1", "z2", "z3"] {
        let store = Arc::clone(&store);
        all.spawn(
            async move { (game, within(store.append(append(game, vec![event(1, None)]))).await) },
        );
    }
    for (game, done) in all.join_all().await {
        assert_eq!(done.is_ok(), game != "locked", "{game}: {done:?}");
    }
    assert!(!locked.is_finished(), "they did not wait for it");
}
