//! The store: the one truth. Whatever it has not committed has not happened.
//!
//! One thread writes, and commits together what has queued up; others read. The SQL is common to SQLite and
//! PostgreSQL.

mod file;
mod readers;
mod writer;

use crate::StartError;
use crate::event::Event;
use crate::ids::Hash;
use crate::metrics::Metrics;
use readers::Readers;
use rules::Player;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::sync::{mpsc, oneshot};
use writer::{Write, Writer};

/// How many writes may wait for the writer.
const MOST_WAITING: usize = 4_096;

/// Among how many of the last events the latest is looked for: those of one commit are in no order.
const LAST_EVENTS: i64 = 4_096;

/// The last millisecond of the year 9999. What is later was not written by a server.
const LAST_TIME: i64 = 253_402_300_799_999;

/// Why the store did not do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A write failed, and left nothing behind.
    #[error("the store failed: {0}; nothing was stored, try again")]
    Failed(String),
    /// A write failed in a way that leaves its outcome open.
    #[error(
        "the store failed: {0}; it is not known whether this was stored: repeat the command under the \
         same name, or look at the game first"
    )]
    Unknown(String),
    /// A read failed.
    #[error("the store cannot be read now: {0}; try again")]
    Unread(String),
    /// What is in the file cannot be what was written.
    #[error("the store is damaged: {0}; the host was told")]
    Damaged(String),
    /// It has been closed.
    #[error("the server is stopping")]
    Closed,
}

/// Whether another try can help.
fn is_damage(error: &rusqlite::Error) -> bool {
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

/// Of a read: writes have a word of their own.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match is_damage(&error) {
            true => StoreError::Damaged(error.to_string()),
            false => StoreError::Unread(error.to_string()),
        }
    }
}

/// What came of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is stored for good.
    Committed,
    /// Something else has this number, or this command was received before; nothing was stored.
    Conflict,
}

/// A game to be made: its first event and its tokens.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// Its id.
    pub id: String,
    /// How it began.
    pub first: Event,
    /// Hashes of the seats' tokens.
    pub tokens: [Option<Hash>; 2],
}

/// What becomes of the clocks of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Running {
    /// One runs.
    Until {
        /// When it runs out, if no pause comes.
        deadline: i64,
        /// The time at which that was reckoned.
        at: i64,
    },
    /// None does.
    Stopped,
}

/// Events that are stored together or not at all.
#[derive(Clone, Debug)]
pub struct Append {
    /// The game.
    pub game: String,
    /// The events, numbered on from the last one.
    pub events: Vec<Event>,
    /// Another game that is made with them.
    pub new_game: Option<NewGame>,
    /// A seat's token that takes the place of the one before.
    pub token: Option<(Player, Hash)>,
    /// The clocks, where that changes.
    pub running: Option<Running>,
}

/// A game whose clock runs, as a start finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    /// The game.
    pub game: String,
    /// When the clock runs out if no pause comes, and when that was reckoned; not known of a file of
    /// version 0.1.
    pub deadline: Option<(i64, i64)>,
}

/// The way to the store; clones share it.
#[derive(Clone)]
pub struct Store {
    /// Dropped before the queue, so that the writer is the last to hold the file.
    readers: Arc<Readers>,
    writes: mpsc::Sender<Write>,
    alive: Arc<AtomicI64>,
}

impl Store {
    /// Opens the file, which no other process may have open. The receiver hears when the writer has ended.
    pub async fn open(
        path: &Path,
        metrics: Arc<Metrics>,
    ) -> Result<(Store, oneshot::Receiver<()>), StartError> {
        let failed = |error: &dyn std::fmt::Display| {
            StartError(format!("cannot keep games in `{}`: {error}", path.display()))
        };
        let (lock, connection) = file::open(path)?;
        let last = last_time(&connection).map_err(|error| failed(&error))?;
        let (lock, alive) = (Arc::new(lock), Arc::new(AtomicI64::new(last)));
        let readers = Arc::new(Readers::new(path, Arc::clone(&lock)));
        let (writes, queue) = mpsc::channel(MOST_WAITING);
        let (ended, end) = oneshot::channel();
        let writer = Writer::new(path, connection, metrics, Arc::clone(&alive), lock);
        let thread = std::thread::Builder::new().name("store".into());
        let started = thread.spawn(move || {
            writer.run(queue);
            // Nobody may be waiting for it.
            let _ = ended.send(());
        });
        started.map_err(|error| failed(&error))?;
        Ok((Store { readers, writes, alive }, end))
    }

    async fn ask<T>(
        &self,
        write: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Write,
    ) -> Result<T, StoreError> {
        let (answer, done) = oneshot::channel();
        self.writes.send(write(answer)).await.map_err(|_| StoreError::Closed)?;
        done.await.map_err(|_| StoreError::Closed)?
    }

    /// Stores events at the numbers they have, unless something else has them.
    pub async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        self.ask(|answer| Write::Append(Box::new(append), answer)).await
    }

    /// Notes that the server runs.
    pub async fn beat(&self, at: i64) -> Result<(), StoreError> {
        self.ask(|answer| Write::Beat(at, answer)).await
    }

    /// Notes that no clock ran between these times. Whatever was stored meanwhile shows that the server
    /// ran then; the answer is the pause as it is, or none.
    pub async fn pause(&self, from: i64, to: i64) -> Result<Option<(i64, i64)>, StoreError> {
        self.ask(|answer| Write::Pause(from, to, answer)).await
    }

    /// The time of the last thing that was stored.
    pub fn alive(&self) -> i64 {
        self.alive.load(Ordering::Relaxed)
    }

    /// The events of a game behind a number, in order, and not more than so many.
    pub async fn events(
        &self,
        game: &str,
        after: i64,
        most: usize,
    ) -> Result<Vec<Event>, StoreError> {
        let (game, most) = (game.to_owned(), i64::try_from(most).unwrap_or(i64::MAX));
        let read = move |connection: &Connection| {
            let mut statement = connection.prepare_cached(
                "SELECT seq, kind, payload, seat, command, at FROM events
                 WHERE game = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
            )?;
            let mut rows = statement.query((game, after, most))?;
            let mut events = Vec::new();
            while let Some(row) = rows.next()? {
                events.push(event(row)?);
            }
            Ok(events)
        };
        self.readers.read(read).await
    }

    /// Hashes of the tokens of a game.
    pub async fn tokens(&self, game: &str) -> Result<[Option<Hash>; 2], StoreError> {
        let game = game.to_owned();
        let read = move |connection: &Connection| {
            let mut statement =
                connection.prepare_cached("SELECT seat, hash FROM tokens WHERE game = ?1")?;
            let mut rows = statement.query([game])?;
            let mut tokens = [None; 2];
            while let Some(row) = rows.next()? {
                let (seat, hash): (i64, String) = (row.get(0)?, row.get(1)?);
                let seat = usize::try_from(seat).unwrap_or(0);
                if let Some(own) = tokens.get_mut(seat.wrapping_sub(1)) {
                    *own = unhex(&hash);
                }
            }
            Ok(tokens)
        };
        self.readers.read(read).await
    }

    /// The games whose clock runs.
    pub async fn running(&self) -> Result<Vec<Runner>, StoreError> {
        let read = |connection: &Connection| {
            let mut statement = connection.prepare("SELECT game, deadline, at FROM running")?;
            let rows = statement.query_map([], |row| {
                let (deadline, at): (Option<i64>, i64) = (row.get(1)?, row.get(2)?);
                Ok(Runner { game: row.get(0)?, deadline: deadline.map(|own| (own, at)) })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        self.readers.read(read).await
    }

    /// The times in which no clock ran, in order.
    pub async fn pauses(&self) -> Result<Vec<(i64, i64)>, StoreError> {
        let read = |connection: &Connection| {
            let mut statement =
                connection.prepare("SELECT since, until FROM pauses ORDER BY since")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        self.readers.read(read).await
    }

    /// Closes the readers; the writer ends when the last clone is gone.
    pub fn close(&self) {
        self.readers.close();
    }
}

/// When a server was last known to run.
fn last_time(connection: &Connection) -> rusqlite::Result<i64> {
    let one = |sql: &str| connection.query_row(sql, [], |row| row.get(0)).optional();
    let beat: Option<i64> = one("SELECT at FROM heartbeat WHERE id = 1")?;
    let pause: Option<i64> = one("SELECT until FROM pauses ORDER BY since DESC LIMIT 1")?;
    let event: Option<i64> = connection.query_row(
        // What is damaged must not stand in the way of a start.
        "SELECT max(at) FROM (SELECT at FROM events ORDER BY rowid DESC LIMIT ?1)
         WHERE typeof(at) = 'integer' AND at BETWEEN 0 AND ?2",
        [LAST_EVENTS, LAST_TIME],
        |row| row.get(0),
    )?;
    Ok([beat, pause, event].into_iter().flatten().max().unwrap_or(0))
}

fn event(row: &Row<'_>) -> Result<Event, StoreError> {
    let seq: i64 = row.get(0)?;
    let (kind, payload): (String, String) = (row.get(1)?, row.get(2)?);
    let seat: Option<i64> = row.get(3)?;
    let damaged = |reason: String| StoreError::Damaged(format!("event {seq}: {reason}"));
    let fact = Event::fact(&kind, &payload).map_err(|error| damaged(error.to_string()))?;
    let number = |seat: i64| u8::try_from(seat).unwrap_or(u8::MAX);
    let seat = seat.map(|seat| Player::try_from(number(seat))).transpose().map_err(damaged)?;
    let at: i64 = row.get(5)?;
    if !(0..=LAST_TIME).contains(&at) {
        return Err(damaged(format!("its time is {at}")));
    }
    Ok(Event { seq, seat, at, fact, command: row.get(4)? })
}

fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    for (i, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(hash)
}
