//! A synchronous standby: what it has not confirmed is committed in the first database, but nobody relies on it.

use super::shared::servers_on;
use super::stuck::{compare, running, until_ready};
use crate::common::services::Postgres;
use crate::common::within;
use crate::stores::{append, event};
use serde_json::json;
use server::store::{self, Append, Appended, Store, StoreError};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::{JoinHandle, block_in_place};

/// A primary whose synchronous standby has died, and a store on it with one event.
struct Alone {
    first: Postgres,
    standby: Postgres,
    database: String,
    store: Arc<dyn Store>,
}

type Pending = JoinHandle<Result<Appended, StoreError>>;

const WAITING: &str = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'
    AND query LIKE '%INSERT INTO events%'";

impl Alone {
    async fn new() -> Alone {
        let (first, mut standby) = block_in_place(|| {
            let first = Postgres::start();
            let standby = first.standby();
            (first, standby)
        });
        let database = first.database();
        let (store, _end) =
            store::open(first.url(&database).as_ref(), Arc::default()).await.unwrap();
        let done = store.append(append("g", vec![event(1, None)])).await;
        assert_eq!(done, Ok(Appended::Committed));
        block_in_place(|| standby.kill());
        Alone { first, standby, database, store }
    }

    fn second() -> Append {
        append("g", vec![event(2, Some("second"))])
    }

    /// Appends the second event, and waits until its commit waits for the standby.
    async fn begin(&self) -> Pending {
        let store = Arc::clone(&self.store);
        let pending = tokio::spawn(async move { store.append(Alone::second()).await });
        within(async {
            while self.first.ask(&self.database, WAITING).is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
        pending
    }

    /// The first database has the event, the standby does not, and nobody is told of it.
    async fn expect_unknown(&self, pending: Pending) {
        let done = within(pending).await.unwrap();
        assert!(matches!(done, Err(StoreError::Unknown(_))), "{done:?}");
        let count = "SELECT count(*) FROM events";
        assert_eq!(self.first.ask(&self.database, count), ["2"]);
        let again = within(self.store.append(Alone::second())).await;
        assert!(again.is_err(), "{again:?}");
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
        let waiting: usize = self.first.ask(&self.database, waiting)[0].parse().unwrap();
        assert!(waiting <= 5, "{waiting} connections wait for the standby");
    }

    /// Once the standby has it, everybody is told.
    async fn expect_stored(mut self) {
        block_in_place(|| self.standby.restart());
        let told = within(async {
            loop {
                match self.store.events("g", 0, 9).await {
                    Ok(events) => return events,
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
        });
        assert_eq!(told.await.len(), 2);
        let again = within(self.store.append(Alone::second())).await;
        assert_eq!(again, Ok(Appended::Conflict), "it was received before");
        block_in_place(|| self.first.kill());
        self.standby.promote();
        let stored = self.standby.ask(&self.database, "SELECT command FROM events WHERE seq = 2");
        assert_eq!(stored, ["second"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_standby_has_not_confirmed_is_told_to_nobody_when_the_first_database_is_restarted()
{
    let mut alone = Alone::new().await;
    let pending = alone.begin().await;
    block_in_place(|| {
        alone.first.kill();
        alone.first.restart();
    });
    alone.expect_unknown(pending).await;
    let read = alone.store.events("g", 0, 9).await;
    assert!(matches!(read, Err(StoreError::Unread(_))), "{read:?}");
    alone.expect_stored().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_ends_the_wait_for_the_standby_says_yes_to_nobody() {
    for how in ["pg_cancel_backend", "pg_terminate_backend"] {
        let alone = Alone::new().await;
        let pending = alone.begin().await;
        alone.first.ask(&alone.database, &format!("SELECT {how}(pid) FROM ({WAITING}) AS waiting"));
        alone.expect_unknown(pending).await;
        alone.expect_stored().await;
    }
}

/// How long the standby is away, which is longer than the player's clock.
const AWAY: Duration = Duration::from_secs(12);
const CLOCK: u32 = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_standby_is_away_no_server_is_ready_and_no_clock_runs() {
    let (first, mut standby) = block_in_place(|| {
        let first = Postgres::start();
        let standby = first.standby();
        (first, standby)
    });
    let database = first.database();
    let local = servers_on(&first.url(&database), &[0, 0], |_| {}).await;
    let began = Instant::now();
    let game = running(&local[0], CLOCK).await;
    block_in_place(|| standby.kill());
    let away = tokio::spawn(async move {
        tokio::time::sleep(AWAY).await;
        block_in_place(|| standby.restart());
        standby
    });
    for local in &local {
        until_ready(local, false).await;
        assert!(!away.is_finished());
    }
    let wish = json!({ "type": "move", "turn": "a1", "command": "once" });
    within(async {
        while local[0].command(&game, 1, wish.clone()).await.status == 503 {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    })
    .await;
    local[0].command(&game, 1, wish).await.ok();
    assert!(began.elapsed() > AWAY, "nothing is acknowledged before the standby has it");
    let _standby = away.await.unwrap();
    let spent = began.elapsed() - AWAY;
    for local in &local {
        until_ready(local, true).await;
        compare(local, &game, CLOCK, spent).await;
    }
}
