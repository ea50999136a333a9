//! A store that servers share: a database that speaks the protocol of PostgreSQL.
//!
//! Nothing of it is locked across two requests, and nothing is used that only PostgreSQL has: every append is
//! one statement, and so is everything else.

mod batch;
mod link;
mod schema;
mod trouble;
mod writer;

use super::{Append, Appended, LEASE, Reply, Row, Runner, Shared, Store, StoreError};
use crate::StartError;
use crate::event::Event;
use crate::ids::Hash;
use crate::metrics::Metrics;
use crate::time::GAP;
use batch::{APPEND, Columns};
use link::{Address, Fault, Link, Values};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use tokio::sync::{mpsc, oneshot};
use trouble::Trouble;
use writer::{Job, Writer};

/// How many appends may wait for the writer.
const MOST_WAITING: usize = 4_096;

/// How many connections read.
const READERS: usize = 2;

/// For how many milliseconds no beat counts after a server has said that it cannot append. It says so every
/// second or two. If it is killed meanwhile, that alone does not make a pause.
const HELD: i64 = GAP - 1_000;

const EVENTS: &str = "SELECT seq, kind, payload, seat, command, at FROM events
    WHERE game = $1 AND seq > $2 ORDER BY seq LIMIT $3";
const TOKENS: &str = "SELECT seat, hash FROM tokens WHERE game = $1";
const RUNNING: &str =
    "SELECT game, deadline, at FROM running WHERE deadline <= $1 ORDER BY deadline";
const PAUSES: &str = "SELECT since, until FROM pauses WHERE until > $1 ORDER BY since";
const GAMES: &str = "SELECT DISTINCT game FROM events WHERE game > $1 ORDER BY game LIMIT $2";
const NOTE: &str = "INSERT INTO pauses (since, until)
    SELECT * FROM unnest($1::bigint[], $2::bigint[]) ON CONFLICT (since) DO NOTHING";
// Row 1 is when a server last beat. Row 2 says until when none counts, since a server cannot append.
const BEAT: &str = "INSERT INTO heartbeat (id, at) VALUES (1, $1)
    ON CONFLICT (id) DO UPDATE SET at = greatest(heartbeat.at, excluded.at)
    WHERE NOT EXISTS (SELECT FROM heartbeat AS held WHERE held.id = 2 AND held.at > $1)
    RETURNING at";
const HOLD: &str = "INSERT INTO heartbeat (id, at)
    VALUES (2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $1)
    ON CONFLICT (id) DO UPDATE SET at = greatest(heartbeat.at, excluded.at) RETURNING at";
// Another server may hold it for longer.
const LET_GO: &str = "UPDATE heartbeat SET at = 0 WHERE id = 2 AND at <= $1";
// Whoever beats meanwhile waits, or is waited for: of several servers that have slept one notes the pause.
const PAUSE: &str = "
    WITH last AS (SELECT at FROM heartbeat WHERE id = 1
        AND NOT EXISTS (SELECT FROM heartbeat AS held WHERE held.id = 2 AND held.at > $2) FOR UPDATE),
    noted AS (
        INSERT INTO pauses (since, until)
        SELECT greatest($1, at), $2 FROM last WHERE at > 0 AND $2 - greatest($1, at) > $3
        ON CONFLICT (since) DO UPDATE SET until = greatest(pauses.until, excluded.until)
        RETURNING since, until),
    beat AS (UPDATE heartbeat SET at = greatest(heartbeat.at, $2) FROM last WHERE id = 1)
    SELECT noted.since, noted.until FROM last LEFT JOIN noted ON true";
const NOW: &str = "SELECT greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    coalesce((SELECT at FROM heartbeat WHERE id = 1), 0))";
const LAST_BEAT: &str = "SELECT greatest(
    coalesce((SELECT at FROM heartbeat WHERE id = 1), 0), coalesce((SELECT max(until) FROM pauses), 0))";
const LAST: &str = "SELECT wanted.game, last.seq, last.at FROM unnest($1::text[]) AS wanted (game)
    CROSS JOIN LATERAL (SELECT seq, at FROM events WHERE events.game = wanted.game
        ORDER BY seq DESC LIMIT 1) AS last";
const CLAIM: &str = "INSERT INTO computing (game, seq, holder, until, shown)
    VALUES ($1, $2, $3, $4::bigint + $6::bigint, $5)
    ON CONFLICT (game) DO UPDATE SET seq = excluded.seq, holder = excluded.holder,
        until = excluded.until, shown = excluded.shown
    WHERE computing.holder = excluded.holder OR computing.until < $4 OR computing.seq < excluded.seq
    RETURNING seq";
const RENEW: &str = "UPDATE computing SET until = $2 WHERE holder = $3 AND game = ANY($1)";
const RELEASE: &str = "DELETE FROM computing WHERE game = $1 AND seq <= $2";
const FORSAKEN: &str =
    "SELECT game FROM computing WHERE until < $1 AND NOT shown ORDER BY until LIMIT 256";
// What was shown to somebody who left.
const FORGET: &str = "DELETE FROM computing WHERE shown AND until < $1 - 60000";

/// The way to the database.
pub struct Postgres {
    readers: Vec<Link>,
    turn: AtomicUsize,
    /// For the heart, which must not wait for anybody.
    pulse: Link,
    /// For trying whether something can be appended, by one at a time.
    rehearsal: tokio::sync::Mutex<Link>,
    trouble: Arc<Trouble>,
    /// Until when no beat counts by this server's own word; 0 if it has let go.
    held: AtomicI64,
    writes: mpsc::Sender<Job>,
    alive: AtomicI64,
    holder: i64,
    closed: AtomicBool,
}

impl Postgres {
    /// Opens the database. The receiver hears when the writer has ended.
    pub async fn open(
        data: &Path,
        metrics: Arc<Metrics>,
    ) -> Result<(Postgres, oneshot::Receiver<()>), StartError> {
        let failed = |error: String| {
            StartError(format!("cannot keep games in `{}`: {error}", super::name(data)))
        };
        let address = Address::read(data.to_str().unwrap_or_default()).map_err(failed)?;
        let address = Arc::new(address);
        let pulse = Link::new(&address);
        schema::prepare(&pulse).await.map_err(failed)?;
        let last = pulse.read(LAST_BEAT, &[]).await.map_err(|fault| failed(fault.reason()))?;
        let last = last.first().map_or(0, |row| row.get(0));
        let holder = i64::from_le_bytes(crate::ids::seed().to_le_bytes());
        let (writes, queue) = mpsc::channel(MOST_WAITING);
        let (ended, end) = oneshot::channel();
        let trouble = Arc::new(Trouble::default());
        let (link, seen) = (Link::new(&address), Arc::clone(&trouble));
        let writer = Writer { link, holder, metrics, trouble: seen };
        tokio::spawn(async move {
            writer.run(queue).await;
            // Nobody may be waiting for it.
            let _ = ended.send(());
        });
        let store = Postgres {
            readers: (0..READERS).map(|_| Link::new(&address)).collect(),
            turn: AtomicUsize::new(0),
            pulse,
            rehearsal: tokio::sync::Mutex::new(Link::new(&address)),
            trouble,
            held: AtomicI64::new(0),
            writes,
            alive: AtomicI64::new(last),
            holder,
            closed: AtomicBool::new(false),
        };
        Ok((store, end))
    }

    async fn read(
        &self,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Vec<tokio_postgres::Row>, StoreError> {
        if self.closed.load(Ordering::Relaxed) {
            return Err(StoreError::Closed);
        }
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let link = self.readers.get(turn % READERS).unwrap_or(&self.pulse);
        link.read(sql, values).await.map_err(|fault| StoreError::Unread(fault.reason()))
    }

    /// Has something done that can be done twice.
    async fn write(
        &self,
        sql: &'static str,
        values: Values<'_>,
    ) -> Result<Vec<tokio_postgres::Row>, StoreError> {
        self.pulse.read(sql, values).await.map_err(|fault| match fault {
            Fault::Lost(reason) => StoreError::Unknown(reason),
            other => StoreError::Failed(other.reason()),
        })
    }

    /// Refuses while nothing can be appended, and lets the other servers know.
    async fn can_append(&self) -> Result<(), StoreError> {
        let done = self.look_into_trouble().await;
        let held = self.held.load(Ordering::Relaxed);
        if done.is_ok() && held > 0 {
            self.write(LET_GO, &[&held]).await?;
            self.held.store(0, Ordering::Relaxed);
        }
        // If that cannot be said either, the others do not beat.
        if done.is_err()
            && self.trouble.is_to_be_told()
            && let Ok(rows) = self.write(HOLD, &[&HELD]).await
        {
            self.held.store(rows.first().map_or(0, |row| row.get(0)), Ordering::Relaxed);
        }
        done
    }

    async fn look_into_trouble(&self) -> Result<(), StoreError> {
        let Some(reason) = self.trouble.reason() else { return Ok(()) };
        if let Ok(link) = self.rehearsal.try_lock()
            && let Some(append) = self.trouble.to_try()
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
        let runner = |row: &tokio_postgres::Row| {
            let deadline: Option<i64> = row.get(1);
            Runner { game: row.get(0), deadline: deadline.map(|own| (own, row.get(2))) }
        };
        Ok(rows.iter().map(runner).collect())
    }
}

impl Store for Postgres {
    fn append(&self, append: Append) -> Reply<'_, Appended> {
        Box::pin(async move {
            let (answer, done) = oneshot::channel();
            let job = Job { append, answer };
            self.writes.send(job).await.map_err(|_| StoreError::Closed)?;
            done.await.map_err(|_| StoreError::Closed)?
        })
    }

    fn beat(&self, at: i64) -> Reply<'_, ()> {
        Box::pin(async move {
            self.can_append().await?;
            let counts = !self.write(BEAT, &[&at]).await?.is_empty();
            if counts {
                // What others have noted says nothing about whether this server could.
                self.alive.fetch_max(at, Ordering::Relaxed);
            }
            Ok(())
        })
    }

    fn pause(&self, from: i64, to: i64) -> Reply<'_, Option<(i64, i64)>> {
        Box::pin(async move {
            self.can_append().await?;
            let rows = self.write(PAUSE, &[&from, &to, &GAP]).await?;
            // None while another server cannot append: the pause has not ended yet.
            let Some(row) = rows.first() else { return Ok(None) };
            self.alive.fetch_max(to, Ordering::Relaxed);
            Ok(row.get::<_, Option<i64>>(0).zip(row.get(1)))
        })
    }

    fn alive(&self) -> i64 {
        self.alive.load(Ordering::Relaxed)
    }

    fn events<'a>(&'a self, game: &'a str, after: i64, most: usize) -> Reply<'a, Vec<Event>> {
        Box::pin(async move {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = self.read(EVENTS, &[&game, &after, &most]).await?;
            let event = |row: &tokio_postgres::Row| {
                let seat: Option<i16> = row.get(3);
                let (seq, kind, payload) = (row.get(0), row.get(1), row.get(2));
                let (seat, command, at) = (seat.map(i64::from), row.get(4), row.get(5));
                Row { seq, kind, payload, seat, command, at }.event()
            };
            let events = rows.iter().map(event).collect::<Result<_, _>>()?;
            Ok(super::unbroken(game, after, events))
        })
    }

    fn tokens<'a>(&'a self, game: &'a str) -> Reply<'a, [Option<Hash>; 2]> {
        Box::pin(async move {
            let rows = self.read(TOKENS, &[&game]).await?;
            Ok(super::tokens(rows.iter().map(|row| (i64::from(row.get::<_, i16>(0)), row.get(1)))))
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

    fn shared(&self) -> Option<&dyn Shared> {
        Some(self)
    }
}

impl Shared for Postgres {
    fn now(&self) -> Reply<'_, i64> {
        Box::pin(async move {
            let rows = self.pulse.query(NOW, &[]).await;
            let rows = rows.map_err(|fault| StoreError::Unread(fault.reason()))?;
            rows.first().map(|row| row.get(0)).ok_or(StoreError::Closed)
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
