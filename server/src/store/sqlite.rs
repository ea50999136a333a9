//! A store for a single server: an SQLite file.
//!
//! One thread writes and commits queued writes together; other threads read.

use super::disk::Disk;
use super::readers::Readers;
use super::records::Records;
use super::trouble::Trouble;
use super::upkeep::Upkeep;
use super::writer::{Write, Writer};
use super::{
    Append, Appended, LAST_TIME, Reply, Row, Runner, Store, StoreError, file, sqlite_records,
};
use crate::StartError;
use crate::ids::Hash;
use crate::metrics::Metrics;
use rules::ByPlayer;
use rusqlite::{Connection, ErrorCode, OptionalExtension};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use table::event::Event;
use tokio::sync::{mpsc, oneshot};

/// The capacity of the writer's queue.
const MOST_WAITING: usize = 4_096;

/// The latest event is looked for among this many last rows, since events committed together are not in order of
/// time.
const LAST_EVENTS: i64 = 4_096;

/// Whether the file is damaged, so that retrying is pointless.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(inner, _) => {
            matches!(inner.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        }
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::Utf8Error(..) => true,
        _ => false,
    }
}

/// For reads; write errors are classified by the writer.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match is_damage(&error) {
            true => StoreError::Damaged(error.to_string()),
            false => StoreError::Unread(error.to_string()),
        }
    }
}

pub struct Sqlite {
    readers: Arc<Readers>,
    has_records: bool,
    writes: mpsc::Sender<Write>,
    alive: Arc<AtomicI64>,
    trouble: Arc<Trouble>,
}

impl Sqlite {
    /// Opens the file exclusively, on a simulated disk if one is given. The receiver resolves when it has been closed.
    pub fn open(
        path: &Path,
        metrics: Arc<Metrics>,
        disk: Option<Arc<dyn Disk>>,
    ) -> Result<(Sqlite, oneshot::Receiver<()>), StartError> {
        let failed = |error: &dyn std::fmt::Display| {
            StartError(format!("cannot keep games in `{}`: {error}", path.display()))
        };
        let (lock, connection, freed) = file::open(path)?;
        let last = last_time(&connection).map_err(|error| failed(&error))?;
        sqlite_records::prepare(&connection).map_err(|error| failed(&error))?;
        let (lock, alive) = (Arc::new(lock), Arc::new(AtomicI64::new(last)));
        let lent = Some(Arc::clone(&lock));
        let readers = Arc::new(Readers::new(path, lent, disk.is_some()));
        let (writes, queue) = mpsc::channel(MOST_WAITING);
        let trouble = Arc::new(Trouble::default());
        let seen = Arc::clone(&trouble);
        let writer = Writer::new(path, connection, metrics, Arc::clone(&alive), seen, lock);
        match disk {
            Some(disk) => drop(tokio::spawn(writer.run_simulated(queue, disk))),
            None => {
                let thread = std::thread::Builder::new().name("store".into());
                thread.spawn(move || writer.run(queue)).map_err(|error| failed(&error))?;
            }
        }
        Ok((Sqlite { readers, has_records: true, writes, alive, trouble }, freed))
    }

    /// Opens a file that another process may have open; writing to it fails. Those of version 0.2 have no records.
    pub(super) fn to_read(path: &Path, has_records: bool) -> Sqlite {
        let readers = Arc::new(Readers::new(path, None, false));
        let (alive, trouble) = (Arc::default(), Arc::default());
        Sqlite { readers, has_records, writes: mpsc::channel(1).0, alive, trouble }
    }

    /// The connections for reading, which keep the file locked.
    pub(super) fn readers(&self) -> &Arc<Readers> {
        &self.readers
    }

    pub(super) async fn ask<T>(
        &self,
        write: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Write,
    ) -> Result<T, StoreError> {
        let (answer, done) = oneshot::channel();
        self.writes.send(write(answer)).await.map_err(|_| StoreError::Closed)?;
        done.await.map_err(|_| StoreError::unanswered())?
    }
}

impl Store for Sqlite {
    fn append(&self, append: Append) -> Reply<'_, Appended> {
        Box::pin(self.ask(|answer| Write::Append(Box::new(append), answer)))
    }

    fn beat(&self, at: i64) -> Reply<'_, ()> {
        Box::pin(self.ask(move |answer| Write::Beat(at, answer)))
    }

    fn pause(&self, from: i64, to: i64) -> Reply<'_, Option<(i64, i64)>> {
        Box::pin(self.ask(move |answer| Write::Pause(from, to, answer)))
    }

    fn alive(&self) -> i64 {
        self.alive.load(Ordering::Relaxed)
    }

    fn trouble(&self) -> &Trouble {
        &self.trouble
    }

    fn probe(&self, at: i64) -> Reply<'_, ()> {
        Box::pin(self.ask(move |answer| Write::Probe(Box::new(super::probe(0, at)), answer)))
    }

    fn events<'a>(&'a self, game: &'a str, after: i64, most: usize) -> Reply<'a, Vec<Event>> {
        let (game, most) = (game.to_owned(), i64::try_from(most).unwrap_or(i64::MAX));
        let read = move |connection: &Connection| {
            let mut statement = connection.prepare_cached(
                "SELECT seq, kind, payload, seat, command, at FROM events
                 WHERE game = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
            )?;
            let rows = statement.query_map((&game, after, most), row)?;
            let events = rows.map(|row| row?.event()).collect::<Result<_, _>>()?;
            Ok(super::unbroken(&game, after, events))
        };
        Box::pin(self.readers.read(read))
    }

    fn tokens<'a>(&'a self, game: &'a str) -> Reply<'a, ByPlayer<Option<Hash>>> {
        let game = game.to_owned();
        let read = move |connection: &Connection| {
            let mut statement =
                connection.prepare_cached("SELECT seat, hash FROM tokens WHERE game = ?1")?;
            let rows = statement.query_map([game], |row| Ok((row.get(0)?, row.get(1)?)))?;
            super::tokens(rows.collect::<Result<Vec<_>, _>>()?)
        };
        Box::pin(self.readers.read(read))
    }

    fn running(&self) -> Reply<'_, Vec<Runner>> {
        let read = |connection: &Connection| {
            let mut statement = connection.prepare("SELECT game, deadline, at FROM running")?;
            let rows = statement.query_map([], |row| {
                let (deadline, at): (Option<i64>, i64) = (row.get(1)?, row.get(2)?);
                Ok(Runner { game: row.get(0)?, deadline: deadline.map(|own| (own, at)) })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        Box::pin(self.readers.read(read))
    }

    fn pauses(&self, after: i64) -> Reply<'_, Vec<(i64, i64)>> {
        let read = move |connection: &Connection| {
            let find = "SELECT since, until FROM pauses WHERE until > ?1 ORDER BY since";
            let mut statement = connection.prepare(find)?;
            let rows = statement.query_map([after], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        Box::pin(self.readers.read(read))
    }

    fn games<'a>(&'a self, after: &'a str, most: usize) -> Reply<'a, Vec<String>> {
        let (after, most) = (after.to_owned(), i64::try_from(most).unwrap_or(i64::MAX));
        let read = move |connection: &Connection| {
            let find = "SELECT DISTINCT game FROM events WHERE game > ?1 ORDER BY game LIMIT ?2";
            let mut statement = connection.prepare_cached(find)?;
            let rows = statement.query_map((after, most), |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        Box::pin(self.readers.read(read))
    }

    fn note(&self, pauses: Vec<(i64, i64)>) -> Reply<'_, ()> {
        Box::pin(self.ask(move |answer| Write::Note(pauses, answer)))
    }

    fn close(&self) {
        self.readers.close();
    }

    fn upkeep(&self) -> Option<&dyn Upkeep> {
        Some(self)
    }

    fn records(&self) -> Option<&dyn Records> {
        if self.has_records { Some(self) } else { None }
    }
}

/// Reads a row of the table `events`.
pub fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        seq: row.get(0)?,
        kind: row.get(1)?,
        payload: row.get(2)?,
        seat: row.get(3)?,
        command: row.get(4)?,
        at: row.get(5)?,
    })
}

/// The latest time at which a server is known to have been running.
fn last_time(connection: &Connection) -> rusqlite::Result<i64> {
    let one = |sql: &str| connection.query_row(sql, [], |row| row.get(0)).optional();
    let beat: Option<i64> = one("SELECT at FROM heartbeat WHERE id = 1")?;
    let pause: Option<i64> = one("SELECT until FROM pauses ORDER BY since DESC LIMIT 1")?;
    let event: Option<i64> = connection.query_row(
        // Damaged rows must not prevent startup.
        "SELECT max(at) FROM (SELECT at FROM events ORDER BY rowid DESC LIMIT ?1)
         WHERE typeof(at) = 'integer' AND at BETWEEN 0 AND ?2",
        [LAST_EVENTS, LAST_TIME],
        |row| row.get(0),
    )?;
    Ok([beat, pause, event].into_iter().flatten().max().unwrap_or(0))
}
