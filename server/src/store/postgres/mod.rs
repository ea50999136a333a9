//! A store shared by several servers: a PostgreSQL-compatible database.
//!
//! No lock is held across two round trips: every append is a single statement, and so is every other operation.
//! Nothing specific to PostgreSQL itself is needed.

pub mod batch;
mod hold;
pub mod link;
pub mod records;
pub mod rows;
pub mod schema;
pub mod upkeep;
pub mod writer;

use super::records::Records;
use super::trouble::Trouble;
use super::upkeep::Upkeep;
use super::{Append, Appended, LEASE, Reply, Row, Runner, SharedStore, Store, StoreError};
use crate::StartError;
use crate::clocks::time::GAP;
use crate::ids::{Chance, Hash, System};
use crate::metrics::Metrics;
use batch::{APPEND, Columns};
use hold::{HELD, Hold};
use link::{Address, Database, Fault, Link, Values};
use rows::Cells;
use rules::ByPlayer;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use table::event::Event;
use tokio::sync::{mpsc, oneshot};
use writer::{Job, Writer};

/// The capacity of the writer's queue.
const MOST_WAITING: usize = 4_096;

/// The number of connections for reading.
const READERS: usize = 2;

pub const EVENTS: &str = "SELECT seq, kind, payload, seat, command, at FROM events
    WHERE game = $1 AND seq > $2 ORDER BY seq LIMIT $3";
pub const TOKENS: &str = "SELECT seat, hash FROM tokens WHERE game = $1";
pub const RUNNING: &str =
    "SELECT game, deadline, at FROM running WHERE deadline <= $1 ORDER BY deadline";
pub const PAUSES: &str = "SELECT since, until FROM pauses WHERE until > $1 ORDER BY since";
pub const GAMES: &str = "SELECT DISTINCT game FROM events WHERE game > $1 ORDER BY game LIMIT $2";
pub const NOTE: &str = "INSERT INTO pauses (since, until)
    SELECT * FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT (since) DO NOTHING";
// Row 1 is the last heartbeat. While a server cannot append, row 2 says until when no heartbeat counts.
pub const BEAT: &str = "INSERT INTO heartbeat (id, at) VALUES (1, $1)
    ON CONFLICT (id) DO UPDATE SET at = greatest(heartbeat.at, excluded.at)
    WHERE NOT EXISTS (SELECT FROM heartbeat AS held WHERE held.id = 2 AND held.at > $1)
    RETURNING at";
pub const HOLD: &str = "INSERT INTO heartbeat (id, at)
    VALUES (2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $1)
    ON CONFLICT (id) DO UPDATE SET at = greatest(heartbeat.at, excluded.at) RETURNING at";
// The row lock serialises this with heartbeats: if several servers were suspended, only one records the pause. If there
// was no heartbeat for longer than $3, it begins at the last one, or at a turn that was stored later. A server that has
// suspended the heartbeats since $4 knows that the pause is real, however short; it also begins at the last heartbeat,
// because another server, which may be gone, may have suspended them before. The pause ends the suspension, whichever
// server asked for it: that server may have recovered before its request was executed. A server still in trouble
// repeats its request.
pub const PAUSE: &str = "
    WITH last AS (
        SELECT greatest($1, at, (SELECT max(running.at) FROM running WHERE running.at <= $2)) AS at,
            coalesce((SELECT max(until) FROM pauses), 0) AS paused
        FROM heartbeat WHERE id = 1 AND at > 0 FOR UPDATE),
    noted AS (
        INSERT INTO pauses (since, until)
        SELECT greatest(paused, since), $2
        FROM last, LATERAL (SELECT CASE WHEN $4 - at > $3 OR $4 < $2
            THEN least(at, $4::bigint) ELSE $4::bigint END) AS begun (since)
        WHERE greatest(paused, since) < $2
        ON CONFLICT (since) DO UPDATE SET until = greatest(pauses.until, excluded.until)
        RETURNING since, until),
    beat AS (UPDATE heartbeat SET at = greatest(heartbeat.at, $2) FROM last WHERE id = 1),
    free AS (UPDATE heartbeat SET at = 0 FROM last WHERE id = 2)
    SELECT noted.since, noted.until FROM last LEFT JOIN noted ON true";
pub const NOW: &str = "SELECT greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    coalesce((SELECT at FROM heartbeat WHERE id = 1), 0))";
// The timeline, which begins the name of the current WAL file.
pub const EPOCH: &str = "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";
pub const LAST_BEAT: &str = "SELECT greatest(
    coalesce((SELECT at FROM heartbeat WHERE id = 1), 0), coalesce((SELECT max(until) FROM pauses), 0))";
pub const LAST: &str =
    "SELECT wanted.game, last.seq, last.at FROM unnest($1::text[]) AS wanted (game)
    CROSS JOIN LATERAL (SELECT seq, at FROM events WHERE events.game = wanted.game
        ORDER BY seq DESC LIMIT 1) AS last";
pub const CLAIM: &str = "INSERT INTO computing (game, seq, holder, until, shown)
    VALUES ($1, $2, $3, $4::bigint + $6::bigint, $5)
    ON CONFLICT (game) DO UPDATE SET seq = excluded.seq, holder = excluded.holder,
        until = excluded.until, shown = excluded.shown
    WHERE computing.holder = excluded.holder OR computing.until < $4 OR computing.seq < excluded.seq
    RETURNING seq";
pub const RENEW: &str = "UPDATE computing SET until = $2 WHERE holder = $3 AND game = ANY($1)";
pub const RELEASE: &str = "DELETE FROM computing WHERE game = $1 AND seq <= $2";
pub const FORSAKEN: &str =
    "SELECT game FROM computing WHERE until < $1 AND NOT shown ORDER BY until LIMIT 256";
// Leases of games between computers that nobody watches any more.
pub const FORGET: &str = "DELETE FROM computing WHERE shown AND until < $1::bigint - 60000";

pub struct Postgres {
    readers: Vec<Link>,
    turn: AtomicUsize,
    /// For heartbeats, which must not wait for other statements.
    pulse: Link,
    /// For changes of records, which may wait for each other.
    records: Link,
    /// For checking whether appends work, by one task at a time.
    rehearsal: tokio::sync::Mutex<Link>,
    trouble: Arc<Trouble>,
    hold: Hold,
    writes: mpsc::Sender<Job>,
    alive: AtomicI64,
    holder: i64,
    closed: AtomicBool,
}

impl Postgres {
    /// Opens the database. The receiver resolves when the writer has ended.
    pub async fn open(
        data: &Path,
        metrics: Arc<Metrics>,
    ) -> Result<(Postgres, oneshot::Receiver<()>), StartError> {
        let address = Address::read(data.to_str().unwrap_or_default());
        let address = address.map_err(|error| failed(data, error))?;
        Postgres::open_at(&(Arc::new(address) as _), data, System.seed(), metrics).await
    }

    /// The same for a given database; `holder` identifies this server.
    pub async fn open_at(
        database: &Arc<dyn Database>,
        data: &Path,
        holder: u64,
        metrics: Arc<Metrics>,
    ) -> Result<(Postgres, oneshot::Receiver<()>), StartError> {
        let failed = |error: String| failed(data, error);
        let pulse = Link::new(database);
        schema::prepare(&pulse).await.map_err(failed)?;
        let last = pulse.read(LAST_BEAT, &[]).await.map_err(|fault| failed(fault.reason()))?;
        let last = last.first().map_or(0, |row| row.get(0));
        let holder = i64::from_le_bytes(holder.to_le_bytes());
        let (writes, queue) = mpsc::channel(MOST_WAITING);
        let (ended, end) = oneshot::channel();
        let trouble = Arc::new(Trouble::default());
        let (link, seen) = (Link::new(database), Arc::clone(&trouble));
        let writer = Writer { link, holder, metrics, trouble: seen };
        tokio::spawn(async move {
            writer.run(queue).await;
            // Perhaps nobody is waiting.
            let _ = ended.send(());
        });
        let store = Postgres {
            readers: (0..READERS).map(|_| Link::new(database)).collect(),
            turn: AtomicUsize::new(0),
            pulse,
            records: Link::new(database),
            rehearsal: tokio::sync::Mutex::new(Link::new(database)),
            trouble,
            hold: Hold::default(),
            writes,
            alive: AtomicI64::new(last),
            holder,
            closed: AtomicBool::new(false),
        };
        store.prepare_records().await.map_err(failed)?;
        Ok((store, end))
    }

    async fn read(&self, sql: &'static str, values: Values<'_>) -> Result<Cells, StoreError> {
        if self.closed.load(Ordering::Relaxed) {
            return Err(StoreError::Closed);
        }
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let link = self.readers.get(turn % READERS).unwrap_or(&self.pulse);
        link.read(sql, values).await.map_err(|fault| StoreError::Unread(fault.reason()))
    }

    /// Executes an idempotent write.
    async fn write(&self, sql: &'static str, values: Values<'_>) -> Result<Cells, StoreError> {
        self.pulse.read(sql, values).await.map_err(|fault| match fault {
            Fault::Lost(reason) => StoreError::Unknown(reason),
            other => StoreError::Failed(other.reason()),
        })
    }

    /// Fails while nothing can be appended, and suspends the heartbeats of the other servers.
    async fn can_append(&self, now: i64) -> Result<(), StoreError> {
        let done = self.look_into_trouble().await;
        // If this write fails too, the other servers cannot store heartbeats either.
        if self.trouble.append().is_some()
            && self.hold.is_to_be_told()
            && self.write(HOLD, &[&HELD]).await.is_ok()
        {
            self.hold.told(&self.trouble, now);
        }
        done
    }

    async fn look_into_trouble(&self) -> Result<(), StoreError> {
        let Some(reason) = self.trouble.reason() else { return Ok(()) };
        if let Ok(link) = self.rehearsal.try_lock()
            && let Some(append) = self.trouble.append()
            && self.hold.is_to_be_tried()
        {
            let columns = Columns::new([&append], self.holder);
            match link.rehearse(APPEND, &columns.values()).await {
                Err(fault) if !fault.is_about_the_data() => {
                    return Err(StoreError::Failed(fault.reason()));
                }
                _ => self.trouble.works(),
            }
        }
        match self.trouble.reason() {
            None => Ok(()),
            Some(_) => Err(StoreError::Failed(reason)),
        }
    }

    async fn runners(&self, until: i64) -> Result<Vec<Runner>, StoreError> {
        let rows = self.read(RUNNING, &[&until]).await?;
        let runner = |row: &rows::Row| {
            let deadline: Option<i64> = row.get(1);
            Runner { game: row.get(0), deadline: deadline.map(|own| (own, row.get(2))) }
        };
        Ok(rows.iter().map(runner).collect())
    }
}

fn failed(data: &Path, error: String) -> StartError {
    StartError(format!("cannot keep games in `{}`: {error}", super::name(data)))
}

impl Store for Postgres {
    fn append(&self, append: Append) -> Reply<'_, Appended> {
        Box::pin(async move {
            let (answer, done) = oneshot::channel();
            let job = Job { append, answer };
            self.writes.send(job).await.map_err(|_| StoreError::Closed)?;
            done.await.map_err(|_| StoreError::unanswered())?
        })
    }

    fn beat(&self, at: i64) -> Reply<'_, ()> {
        Box::pin(async move {
            self.can_append(at).await?;
            // That time has to become a pause first.
            if self.owed().is_some() {
                return Ok(());
            }
            let counts = !self.write(BEAT, &[&at]).await?.is_empty();
            if counts {
                // Other servers' heartbeats do not show that this server could append, so only its own counts.
                self.alive.fetch_max(at, Ordering::Relaxed);
            }
            Ok(())
        })
    }

    fn pause(&self, from: i64, to: i64) -> Reply<'_, Option<(i64, i64)>> {
        Box::pin(async move {
            self.can_append(to).await?;
            // Only a server that knows that appends work again may end a pause.
            if self.trouble.is_unproved() {
                self.probe(to).await?;
            }
            let held = self.hold.owed(&self.trouble).is_some();
            let (last, since) = if held { (self.alive(), from) } else { (from, to) };
            let rows = self.write(PAUSE, &[&last, &to, &GAP, &since]).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            self.hold.let_go(&self.trouble);
            self.alive.fetch_max(to, Ordering::Relaxed);
            Ok(row.get::<Option<i64>>(0).zip(row.get(1)))
        })
    }

    fn alive(&self) -> i64 {
        self.alive.load(Ordering::Relaxed)
    }

    fn trouble(&self) -> &Trouble {
        &self.trouble
    }

    fn probe(&self, at: i64) -> Reply<'_, ()> {
        Box::pin(async move {
            let link = self.rehearsal.lock().await;
            // Somebody else may have tried it meanwhile.
            if !self.trouble.is_unproved() {
                return Ok(());
            }
            let append = super::probe(self.holder, at);
            let columns = Columns::new([&append], self.holder);
            let mut tried = link.rehearse(APPEND, &columns.values()).await;
            // A connection that was lost while nobody used it says nothing about the next one.
            if let Err(Fault::Lost(_) | Fault::Away(_)) = tried {
                tried = link.rehearse(APPEND, &columns.values()).await;
            }
            match tried {
                Ok(()) => self.trouble.proved(),
                Err(fault) => {
                    let reason = fault.reason();
                    self.trouble.failed(at, Some(&append), reason.clone());
                    return Err(StoreError::Failed(reason));
                }
            }
            Ok(())
        })
    }

    fn owed(&self) -> Option<i64> {
        self.hold.owed(&self.trouble)
    }

    fn events<'a>(&'a self, game: &'a str, after: i64, most: usize) -> Reply<'a, Vec<Event>> {
        Box::pin(async move {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = self.read(EVENTS, &[&game, &after, &most]).await?;
            let event = |row: &rows::Row| {
                let (seq, kind, payload) = (row.get(0), row.get(1), row.get(2));
                let (seat, command, at) = (row.get(3), row.get(4), row.get(5));
                Row { seq, kind, payload, seat, command, at }.event()
            };
            let events = rows.iter().map(event).collect::<Result<_, _>>()?;
            Ok(super::unbroken(game, after, events))
        })
    }

    fn tokens<'a>(&'a self, game: &'a str) -> Reply<'a, ByPlayer<Option<Hash>>> {
        Box::pin(async move {
            let rows = self.read(TOKENS, &[&game]).await?;
            super::tokens(rows.iter().map(|row| (row.get(0), row.get(1))))
        })
    }

    fn running(&self) -> Reply<'_, Vec<Runner>> {
        Box::pin(self.runners(i64::MAX))
    }

    fn pauses(&self, after: i64) -> Reply<'_, Vec<(i64, i64)>> {
        Box::pin(async move {
            let rows = self.read(PAUSES, &[&after]).await?;
            Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
        })
    }

    fn games<'a>(&'a self, after: &'a str, most: usize) -> Reply<'a, Vec<String>> {
        Box::pin(async move {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = self.read(GAMES, &[&after, &most]).await?;
            Ok(rows.iter().map(|row| row.get(0)).collect())
        })
    }

    fn note(&self, pauses: Vec<(i64, i64)>) -> Reply<'_, ()> {
        Box::pin(async move {
            let (since, until): (Vec<_>, Vec<_>) = pauses.into_iter().unzip();
            self.write(NOTE, &[&since, &until]).await.map(drop)
        })
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    fn shared(&self) -> Option<&dyn SharedStore> {
        Some(self)
    }

    fn upkeep(&self) -> Option<&dyn Upkeep> {
        Some(self)
    }

    fn records(&self) -> Option<&dyn Records> {
        Some(self)
    }
}

impl SharedStore for Postgres {
    fn now(&self) -> Reply<'_, i64> {
        Box::pin(async move {
            let rows = self.pulse.query(NOW, &[]).await;
            let rows = rows.map_err(|fault| StoreError::Unread(fault.reason()))?;
            rows.first().map(|row| row.get(0)).ok_or(StoreError::Closed)
        })
    }

    fn epoch(&self) -> Reply<'_, Option<String>> {
        Box::pin(async move {
            match self.pulse.read(EPOCH, &[]).await {
                Ok(rows) => Ok(rows.first().map(|row| row.get(0))),
                // A compatible database that has no timelines.
                Err(Fault::Refused(..)) => Ok(None),
                Err(fault) => Err(StoreError::Unread(fault.reason())),
            }
        })
    }

    fn last(&self, games: Vec<String>) -> Reply<'_, Vec<(String, i64, i64)>> {
        Box::pin(async move {
            let rows = self.read(LAST, &[&games]).await?;
            Ok(rows.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect())
        })
    }

    fn overdue(&self, at: i64) -> Reply<'_, Vec<Runner>> {
        Box::pin(self.runners(at))
    }

    fn claim<'a>(&'a self, game: &'a str, seq: i64, shown: bool, at: i64) -> Reply<'a, bool> {
        Box::pin(async move {
            let values: Values<'_> = &[&game, &seq, &self.holder, &at, &shown, &LEASE];
            Ok(!self.write(CLAIM, values).await?.is_empty())
        })
    }

    fn renew(&self, games: Vec<String>, at: i64) -> Reply<'_, ()> {
        Box::pin(async move {
            self.write(RENEW, &[&games, &(at + LEASE), &self.holder]).await.map(drop)
        })
    }

    fn forsaken(&self, at: i64) -> Reply<'_, Vec<String>> {
        Box::pin(async move {
            self.write(FORGET, &[&at]).await?;
            let rows = self.read(FORSAKEN, &[&at]).await?;
            Ok(rows.iter().map(|row| row.get(0)).collect())
        })
    }

    fn release<'a>(&'a self, game: &'a str, seq: i64) -> Reply<'a, ()> {
        Box::pin(async move { self.write(RELEASE, &[&game, &seq]).await.map(drop) })
    }
}
