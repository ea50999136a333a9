//! The store: the one truth. Whatever it has not committed has not happened.
//!
//! One task writes, and commits together what has queued up; others read. The SQL is common to SQLite and
//! PostgreSQL.

use crate::StartError;
use crate::event::Event;
use crate::ids::Hash;
use crate::metrics::Metrics;
use rules::Player;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection, QueryBuilder, Row, Sqlite};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

const SCHEMA: [&str; 4] = [
    "CREATE TABLE IF NOT EXISTS events (
        game TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
        seat SMALLINT, command TEXT, at BIGINT NOT NULL,
        PRIMARY KEY (game, seq), UNIQUE (game, seat, command))",
    // Only hashes: who reads the file cannot play.
    "CREATE TABLE IF NOT EXISTS tokens (
        game TEXT NOT NULL, seat SMALLINT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (game, seat))",
    // The games whose clock runs, so that a start finds them without reading all.
    "CREATE TABLE IF NOT EXISTS running (game TEXT NOT NULL PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS heartbeat (id SMALLINT NOT NULL PRIMARY KEY, at BIGINT NOT NULL)",
];

const INSERT_EVENT: &str = "INSERT INTO events (game, seq, kind, payload, seat, command, at)
    VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING";
const INSERT_TOKEN: &str = "INSERT INTO tokens (game, seat, hash) VALUES ($1, $2, $3)";
const REPLACE_TOKEN: &str = "UPDATE tokens SET hash = $1 WHERE game = $2 AND seat = $3";
const SET_RUNNING: &str = "INSERT INTO running (game) VALUES ($1) ON CONFLICT DO NOTHING";
const CLEAR_RUNNING: &str = "DELETE FROM running WHERE game = $1";
const BEAT: &str = "INSERT INTO heartbeat (id, at) VALUES (1, $1)
    ON CONFLICT (id) DO UPDATE SET at = excluded.at";

/// How many appends are committed together at most, and how many may wait.
const MOST_TOGETHER: usize = 256;
const MOST_WAITING: usize = 4_096;

/// Why the store did not do something.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The database did not.
    #[error("the store failed: {0}")]
    Failed(String),
    /// What was read is no game.
    #[error("the store is damaged: {0}")]
    Damaged(String),
    /// It has been closed.
    #[error("the server is stopping")]
    Closed,
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        StoreError::Failed(error.to_string())
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
    /// Whether a clock of the game runs from now on, where that changes.
    pub running: Option<bool>,
}

impl Append {
    /// The event, if it is the only thing to be stored.
    fn single(&self) -> Option<&Event> {
        match self.events.as_slice() {
            [event] => {
                let alone = self.new_game.is_none() && self.token.is_none();
                (alone && self.running.is_none()).then_some(event)
            }
            _ => None,
        }
    }
}

enum Write {
    Append(Box<Append>, oneshot::Sender<Result<Appended, StoreError>>),
    Beat(i64),
}

/// The way to the store; clones share it.
#[derive(Clone)]
pub struct Store {
    /// Dropped before the queue, so that the writer is the last to hold it.
    _lock: Arc<File>,
    writes: mpsc::Sender<Write>,
    readers: SqlitePool,
}

impl Store {
    /// Opens the file, which no other process may have open.
    pub async fn open(
        path: &Path,
        metrics: Arc<Metrics>,
    ) -> Result<(Store, JoinHandle<()>), StartError> {
        let name = path.display();
        let failed = |error: &dyn std::fmt::Display| {
            StartError(format!("cannot keep games in `{name}`: {error}"))
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        }
        let lock = Arc::new(lock(path)?);
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(Duration::from_secs(5))
            .disable_statement_logging();
        let mut writer =
            SqliteConnection::connect_with(&options).await.map_err(|error| failed(&error))?;
        for statement in SCHEMA {
            sqlx::query(statement).execute(&mut writer).await.map_err(|error| failed(&error))?;
        }
        let readers = SqlitePoolOptions::new()
            .max_connections(2)
            .connect_with(options)
            .await
            .map_err(|error| failed(&error))?;
        let (writes, queue) = mpsc::channel(MOST_WAITING);
        let held = Arc::clone(&lock);
        let task = tokio::spawn(async move {
            write(writer, queue, metrics).await;
            drop(held);
        });
        Ok((Store { _lock: lock, writes, readers }, task))
    }

    /// Stores events at the numbers they have, unless something else has them.
    pub async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let (answer, done) = oneshot::channel();
        self.writes
            .send(Write::Append(Box::new(append), answer))
            .await
            .map_err(|_| StoreError::Closed)?;
        done.await.map_err(|_| StoreError::Closed)?
    }

    /// Notes that the server runs.
    pub async fn beat(&self, at: i64) {
        // A store that is closed has nobody to tell.
        let _ = self.writes.send(Write::Beat(at)).await;
    }

    /// When the server was last known to run.
    pub async fn last_beat(&self) -> Result<Option<i64>, StoreError> {
        let row = sqlx::query("SELECT at FROM heartbeat WHERE id = 1")
            .fetch_optional(&self.readers)
            .await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// The events of a game behind a number, in order, and not more than so many.
    pub async fn events(
        &self,
        game: &str,
        after: i64,
        most: usize,
    ) -> Result<Vec<Event>, StoreError> {
        let rows = sqlx::query(
            "SELECT seq, kind, payload, seat, command, at FROM events
             WHERE game = $1 AND seq > $2 ORDER BY seq LIMIT $3",
        )
        .bind(game)
        .bind(after)
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .fetch_all(&self.readers)
        .await?;
        rows.iter().map(event).collect()
    }

    /// Hashes of the tokens of a game.
    pub async fn tokens(&self, game: &str) -> Result<[Option<Hash>; 2], StoreError> {
        let rows = sqlx::query("SELECT seat, hash FROM tokens WHERE game = $1")
            .bind(game)
            .fetch_all(&self.readers)
            .await?;
        let mut tokens = [None; 2];
        for row in rows {
            let (seat, hash): (i16, String) = (row.try_get(0)?, row.try_get(1)?);
            let seat =
                usize::try_from(seat).ok().and_then(|seat| tokens.get_mut(seat.wrapping_sub(1)));
            if let Some(own) = seat {
                *own = unhex(&hash);
            }
        }
        Ok(tokens)
    }

    /// The games whose clock runs.
    pub async fn running(&self) -> Result<Vec<String>, StoreError> {
        let rows =
            sqlx::query("SELECT game FROM running ORDER BY game").fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// Closes the readers; the writer ends when the last clone is gone.
    pub async fn close(&self) {
        self.readers.close().await;
    }
}

/// A lock beside the file: a lock on the file itself would get in the way of the database's own.
fn lock(path: &Path) -> Result<File, StartError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let failed = |error: std::io::Error| {
        StartError(format!("cannot keep games in `{}`: {error}", path.display()))
    };
    let file = File::create(&name).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StartError(format!(
            "another server has `{}` open; stop it or name another file with --data",
            path.display()
        ))),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

fn event(row: &sqlx::sqlite::SqliteRow) -> Result<Event, StoreError> {
    let seq: i64 = row.try_get(0)?;
    let (kind, payload): (String, String) = (row.try_get(1)?, row.try_get(2)?);
    let seat: Option<i16> = row.try_get(3)?;
    let damaged = |reason: String| StoreError::Damaged(format!("event {seq}: {reason}"));
    let fact = Event::fact(&kind, &payload).map_err(|error| damaged(error.to_string()))?;
    let seat = seat.map(|n| Player::try_from(n as u8)).transpose().map_err(damaged)?;
    Ok(Event { seq, seat, at: row.try_get(5)?, fact, command: row.try_get(4)? })
}

/// Writes until nobody can ask for it any more.
async fn write(
    mut conn: SqliteConnection,
    mut queue: mpsc::Receiver<Write>,
    metrics: Arc<Metrics>,
) {
    let mut writes = Vec::with_capacity(MOST_TOGETHER);
    while queue.recv_many(&mut writes, MOST_TOGETHER).await > 0 {
        let started = Instant::now();
        let outcome = commit(&mut conn, &writes).await;
        metrics.committed(writes.len(), started.elapsed(), outcome.is_ok());
        match outcome {
            Ok(answers) => {
                for (write, answer) in writes.drain(..).zip(answers) {
                    if let (Write::Append(_, waiting), Some(answer)) = (write, answer) {
                        // Who asked may have left; what is stored stays stored.
                        let _ = waiting.send(Ok(answer));
                    }
                }
            }
            Err(error) => {
                tracing::error!(%error, "the store failed");
                for write in writes.drain(..) {
                    if let Write::Append(_, answer) = write {
                        let _ = answer.send(Err(StoreError::Failed(error.to_string())));
                    }
                }
            }
        }
    }
    if let Err(error) = conn.close().await {
        tracing::error!(%error, "the store did not close well");
    }
}

/// Does all writes in one transaction and gives the answers to those that are appends.
async fn commit(
    conn: &mut SqliteConnection,
    writes: &[Write],
) -> Result<Vec<Option<Appended>>, sqlx::Error> {
    let mut transaction = conn.begin().await?;
    let mut answers = vec![None; writes.len()];
    insert_together(&mut transaction, writes, &mut answers).await?;
    for (write, answer) in writes.iter().zip(&mut answers) {
        match write {
            Write::Append(wanted, _) if answer.is_none() => {
                *answer = Some(append(&mut transaction, wanted).await?);
            }
            Write::Append(..) => {}
            Write::Beat(at) => {
                sqlx::query(BEAT).bind(at).execute(&mut *transaction).await?;
            }
        }
    }
    transaction.commit().await?;
    Ok(answers)
}

/// Stores all appends of a single event with one statement: most are, and each statement is a way to
/// another thread and back. Of two for the same number the later one is left unanswered.
async fn insert_together(
    conn: &mut SqliteConnection,
    writes: &[Write],
    answers: &mut [Option<Appended>],
) -> Result<(), sqlx::Error> {
    let mut places = HashMap::new();
    let mut rows = Vec::new();
    for (write, answer) in writes.iter().zip(answers) {
        let Write::Append(wanted, _) = write else { continue };
        let Some(event) = wanted.single() else { continue };
        if let Entry::Vacant(place) = places.entry((wanted.game.clone(), event.seq)) {
            // Until the database says otherwise.
            *answer = Some(Appended::Conflict);
            place.insert(answer);
            rows.push((wanted.game.clone(), event));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let mut query = QueryBuilder::<Sqlite>::new(
        "INSERT INTO events (game, seq, kind, payload, seat, command, at) ",
    );
    query.push_values(rows, |mut row, (game, event)| {
        let (kind, payload) = event.stored();
        row.push_bind(game).push_bind(event.seq).push_bind(kind).push_bind(payload);
        row.push_bind(event.seat.map(|seat| i16::from(seat.number())));
        row.push_bind(event.command.clone()).push_bind(event.at);
    });
    query.push(" ON CONFLICT DO NOTHING RETURNING game, seq");
    for row in query.build().persistent(false).fetch_all(conn).await? {
        if let Some(answer) = places.get_mut(&(row.try_get(0)?, row.try_get(1)?)) {
            **answer = Some(Appended::Committed);
        }
    }
    Ok(())
}

/// Stores events, or nothing if the first of them is not free.
async fn append(conn: &mut SqliteConnection, wanted: &Append) -> Result<Appended, sqlx::Error> {
    let game = wanted.game.as_str();
    // Within the transaction of all: what fails here takes nobody else's with it.
    let mut own = conn.begin().await?;
    if let Some(new) = &wanted.new_game
        && !make(&mut own, new).await?
    {
        return own.rollback().await.map(|()| Appended::Conflict);
    }
    for event in &wanted.events {
        if !insert(&mut own, game, event).await? {
            return own.rollback().await.map(|()| Appended::Conflict);
        }
    }
    if let Some((seat, hash)) = &wanted.token {
        let query = sqlx::query(REPLACE_TOKEN).bind(hex(hash)).bind(game);
        query.bind(i16::from(seat.number())).execute(&mut *own).await?;
    }
    if let Some(running) = wanted.running {
        let statement = if running { SET_RUNNING } else { CLEAR_RUNNING };
        sqlx::query(statement).bind(game).execute(&mut *own).await?;
    }
    own.commit().await.map(|()| Appended::Committed)
}

/// Makes a game; says whether its id was free.
async fn make(conn: &mut SqliteConnection, new: &NewGame) -> Result<bool, sqlx::Error> {
    if !insert(conn, &new.id, &new.first).await? {
        return Ok(false);
    }
    for (seat, hash) in (1_i16..).zip(&new.tokens) {
        let Some(hash) = hash else { continue };
        let query = sqlx::query(INSERT_TOKEN).bind(&new.id).bind(seat).bind(hex(hash));
        query.execute(&mut *conn).await?;
    }
    Ok(true)
}

/// Inserts an event; says whether its number and its command were free.
async fn insert(
    conn: &mut SqliteConnection,
    game: &str,
    event: &Event,
) -> Result<bool, sqlx::Error> {
    let (kind, payload) = event.stored();
    let done = sqlx::query(INSERT_EVENT)
        .bind(game)
        .bind(event.seq)
        .bind(kind)
        .bind(payload)
        .bind(event.seat.map(|seat| i16::from(seat.number())))
        .bind(event.command.as_deref())
        .bind(event.at)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
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
