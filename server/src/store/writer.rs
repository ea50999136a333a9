//! The one thread that writes.
//!
//! A connection that met an error is never used again. Nothing is called stored before its transaction has been
//! committed, the connection is outside of any, and a second connection has read it. What became of a commit
//! that failed is found out before anybody is told.

use super::file::{self, Lock};
use super::sqlite::is_damage;
use super::{Append, Appended, NewGame, Running, SLOW, StoreError, hex};
use crate::event::{Event, Tip};
use crate::metrics::Metrics;
use rusqlite::ffi::SQLITE_IOERR_WRITE;
use rusqlite::{Connection, ErrorCode, OptionalExtension};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

const INSERT_EVENT: &str = "INSERT INTO events (game, seq, kind, payload, seat, command, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
const INSERT_TOKEN: &str = "INSERT INTO tokens (game, seat, hash) VALUES (?1, ?2, ?3)
    ON CONFLICT (game, seat) DO UPDATE SET hash = excluded.hash";
const REPLACE_TOKEN: &str = "UPDATE tokens SET hash = ?1 WHERE game = ?2 AND seat = ?3";
const SET_RUNNING: &str = "INSERT INTO running (game, deadline, at) VALUES (?1, ?2, ?3)
    ON CONFLICT (game) DO UPDATE SET deadline = excluded.deadline, at = excluded.at";
const CLEAR_RUNNING: &str = "DELETE FROM running WHERE game = ?1";
const BEAT: &str = "INSERT INTO heartbeat (id, at) VALUES (1, ?1)
    ON CONFLICT (id) DO UPDATE SET at = excluded.at";
const PAUSE: &str = "INSERT INTO pauses (since, until) VALUES (?1, ?2)
    ON CONFLICT (since) DO UPDATE SET until = excluded.until";
const MARK: &str = "INSERT INTO heartbeat (id, at) VALUES (0, 1)
    ON CONFLICT (id) DO UPDATE SET at = at + 1";
const LAST: &str = "SELECT seq, kind, seat, command, at FROM events WHERE game = ?1
    ORDER BY seq DESC LIMIT 1";
const FIND: &str = "SELECT seat, command, at FROM events WHERE game = ?1 AND seq = ?2";

/// How many writes are committed together at most.
const MOST_TOGETHER: usize = 256;

/// How often, and how long apart, the outcome of a commit is asked for before it counts as unknown.
const TRIES: u32 = 4;
const PATIENCE: Duration = Duration::from_millis(50);

type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// Something to be written.
pub enum Write {
    /// Events.
    Append(Box<Append>, Answer<Appended>),
    /// That the server runs.
    Beat(i64, Answer<()>),
    /// That no clock ran between two times.
    Pause(i64, i64, Answer<Option<(i64, i64)>>),
    /// Pauses of another store.
    Note(Vec<(i64, i64)>, Answer<()>),
}

/// What became of a write, if the transaction is committed.
#[derive(Clone, Copy, Debug)]
enum Done {
    Appended(Appended),
    Beaten,
    Paused(Option<(i64, i64)>),
    Noted,
}

impl Write {
    fn answer(self, done: Result<Done, StoreError>) {
        // Who asked may have left; what is stored stays stored.
        match (self, done) {
            (Write::Append(_, answer), Ok(Done::Appended(done))) => drop(answer.send(Ok(done))),
            (Write::Beat(_, answer), Ok(Done::Beaten)) => drop(answer.send(Ok(()))),
            (Write::Pause(_, _, answer), Ok(Done::Paused(done))) => drop(answer.send(Ok(done))),
            (Write::Note(_, answer), Ok(Done::Noted)) => drop(answer.send(Ok(()))),
            (Write::Append(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Beat(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Pause(_, _, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Note(_, answer), Err(error)) => drop(answer.send(Err(error))),
            // Jobs and what became of them are in the same order.
            _ => {}
        }
    }

    /// The latest time that the write tells of.
    fn at(&self) -> i64 {
        match self {
            Write::Append(append, _) => {
                let new = append.new_game.iter().map(|new| new.first.at);
                append.events.iter().map(|event| event.at).chain(new).max().unwrap_or(0)
            }
            Write::Beat(at, _) => *at,
            Write::Pause(_, to, _) => *to,
            // They are older than what is kept with them.
            Write::Note(..) => 0,
        }
    }
}

/// Why a transaction was not acknowledged.
struct Failure {
    error: String,
    /// Another try cannot help.
    damage: bool,
    /// What would have become of the writes, if the transaction may have been committed all the same.
    perhaps: Option<Vec<Done>>,
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure { damage: is_damage(&error), error: error.to_string(), perhaps: None }
    }
}

/// The writer.
pub struct Writer {
    path: PathBuf,
    metrics: Arc<Metrics>,
    alive: Arc<AtomicI64>,
    connection: Option<Connection>,
    /// Reads what the other one has written.
    witness: Option<Connection>,
    /// The errors since something was last committed.
    failing: Vec<String>,
    /// Dropped last: to close a file gives up the locks of the whole process on it.
    _lock: Arc<Lock>,
}

impl Writer {
    /// A writer to a file that is open already.
    pub fn new(
        path: &Path,
        connection: Connection,
        metrics: Arc<Metrics>,
        alive: Arc<AtomicI64>,
        lock: Arc<Lock>,
    ) -> Writer {
        Writer {
            path: path.to_owned(),
            metrics,
            alive,
            connection: Some(connection),
            witness: None,
            failing: Vec::new(),
            _lock: lock,
        }
    }

    /// Writes until nobody can ask for it any more.
    pub fn run(mut self, mut queue: mpsc::Receiver<Write>) {
        let mut writes = Vec::with_capacity(MOST_TOGETHER);
        while queue.blocking_recv_many(&mut writes, MOST_TOGETHER) > 0 {
            let started = Instant::now();
            let outcome = self.commit(&writes);
            self.metrics.committed(writes.len(), started.elapsed(), outcome.is_ok());
            match outcome {
                Ok(done) => {
                    self.works();
                    let latest = writes.iter().map(Write::at).max().unwrap_or(0);
                    self.alive.fetch_max(latest, Ordering::Relaxed);
                    writes.drain(..).zip(done).for_each(|(write, done)| write.answer(Ok(done)));
                }
                Err(failure) => self.fail(&mut writes, failure),
            }
        }
        drop(self.witness.take());
        if let Some(Err((_, error))) = self.connection.take().map(Connection::close) {
            tracing::error!(%error, "the store did not close well");
        }
    }

    fn works(&mut self) {
        if !self.failing.is_empty() {
            self.failing.clear();
            tracing::warn!("the store works again");
        }
    }

    /// Answers writes whose transaction failed.
    fn fail(&mut self, writes: &mut Vec<Write>, failure: Failure) {
        let Failure { error, damage, perhaps } = failure;
        // Once for each kind of trouble: a heart beats every second.
        if !self.failing.contains(&error) {
            tracing::error!(error, "the store failed");
            self.failing.push(error.clone());
        }
        let refused = match damage {
            true => StoreError::Damaged(error.clone()),
            false => StoreError::Failed(error.clone()),
        };
        // What is open is settled before the next transaction, which may be about the same games.
        let answers = match perhaps {
            None => vec![Err(refused); writes.len()],
            Some(done) => match self.find_out(writes, &done) {
                Some(found) => found.into_iter().map(|own| own.ok_or(refused.clone())).collect(),
                None => vec![Err(StoreError::Unknown(error)); writes.len()],
            },
        };
        writes.drain(..).zip(answers).for_each(|(write, answer)| write.answer(answer));
    }

    fn connection(&mut self) -> rusqlite::Result<&Connection> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => file::connect(&self.path)?,
        };
        Ok(self.connection.insert(connection))
    }

    fn witness(&mut self) -> rusqlite::Result<&Connection> {
        let witness = match self.witness.take() {
            Some(witness) => witness,
            None => file::reader(&self.path)?,
        };
        Ok(self.witness.insert(witness))
    }

    /// Does all writes in one transaction. After any error both connections are gone.
    fn commit(&mut self, writes: &[Write]) -> Result<Vec<Done>, Failure> {
        let done = self.try_to_commit(writes);
        if done.is_err() {
            (self.connection, self.witness) = (None, None);
        }
        done
    }

    fn try_to_commit(&mut self, writes: &[Write]) -> Result<Vec<Done>, Failure> {
        let mut alive = self.alive.load(Ordering::Relaxed);
        let began = Instant::now();
        let connection = self.connection()?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut done = Vec::with_capacity(writes.len());
        for write in writes {
            done.push(perform(connection, write, alive)?);
            alive = alive.max(write.at());
        }
        let written = began.elapsed();
        let committed = connection.execute_batch("COMMIT");
        let outside = connection.is_autocommit();
        note_time(writes.len(), written, began.elapsed() - written);
        match committed {
            Ok(()) if outside => {}
            Ok(()) => return Err(Failure::open("a commit left its transaction open", done)),
            Err(error) if left_nothing(&error) => return Err(error.into()),
            Err(error) => return Err(Failure { perhaps: Some(done), ..error.into() }),
        }
        match self.witness().and_then(|witness| read_back(witness, writes, &done)) {
            Ok(found) if found.iter().all(Option::is_some) => Ok(done),
            Ok(_) => Err(Failure::open("what was committed cannot be read", done)),
            Err(error) => Err(Failure { perhaps: Some(done), ..error.into() }),
        }
    }

    /// What became of a transaction whose commit failed: what each write did, or none if it did nothing.
    /// Says nothing if that cannot be known now.
    fn find_out(&mut self, writes: &[Write], done: &[Done]) -> Option<Vec<Option<Done>>> {
        for again in 0..TRIES {
            if again > 0 {
                std::thread::sleep(PATIENCE);
            }
            match self.mark().and_then(|()| read_back(self.witness()?, writes, done)) {
                Ok(mut found) => {
                    // A conflict may have been with another part of a transaction that is not there.
                    for own in &mut found {
                        own.take_if(|own| matches!(own, Done::Appended(Appended::Conflict)));
                    }
                    return Some(found);
                }
                Err(_) => (self.connection, self.witness) = (None, None),
            }
        }
        None
    }

    /// Commits something else. A log may hold a transaction whose sync or index failed: nobody sees it,
    /// but a start would bring it back. The next commit is written over it.
    fn mark(&mut self) -> rusqlite::Result<()> {
        let connection = self.connection()?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        connection.prepare_cached(MARK)?.execute([])?;
        connection.execute_batch("COMMIT")
    }
}

impl Failure {
    /// Something went wrong that SQLite did not say, after which everything may be stored.
    fn open(error: &str, done: Vec<Done>) -> Failure {
        Failure { error: error.to_owned(), damage: false, perhaps: Some(done) }
    }
}

/// Tells the host of a transaction for which everybody had to wait, and of which part: in the commit the disk is
/// waited for.
fn note_time(writes: usize, written: Duration, committed: Duration) {
    if written + committed > SLOW {
        tracing::warn!(writes, ?written, ?committed, "a transaction took long");
    }
}

/// Whether a commit that failed so has certainly left nothing that a start could find: the last frame of the
/// log, which makes a transaction whole, is written last, and a write that fails is never whole. After a failed
/// sync, or without a place in the index, the whole transaction may stand in the log.
fn left_nothing(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(inner, _) = error else { return false };
    matches!(inner.code, ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        || inner.extended_code == SQLITE_IOERR_WRITE
}

/// What each write did, or none if a connection does not see it.
fn read_back(
    witness: &Connection,
    writes: &[Write],
    done: &[Done],
) -> rusqlite::Result<Vec<Option<Done>>> {
    let sees = |(write, done): (&Write, &Done)| {
        let seen = match (write, done) {
            (Write::Append(append, _), Done::Appended(Appended::Committed)) => {
                let new = append.new_game.iter().map(|new| (new.id.as_str(), &new.first));
                let own = append.events.iter().map(|event| (append.game.as_str(), event));
                // All or none: the last of them stands for them.
                let Some((game, event)) = new.chain(own).last() else { return Ok(Some(*done)) };
                is_there(witness, game, event)?
            }
            (Write::Pause(..), Done::Paused(Some(pause))) => {
                let find = "SELECT 1 FROM pauses WHERE since = ?1 AND until = ?2";
                witness.prepare_cached(find)?.exists(*pause)?
            }
            _ => true,
        };
        Ok(seen.then_some(*done))
    };
    writes.iter().zip(done).map(sees).collect()
}

fn is_there(connection: &Connection, game: &str, event: &Event) -> rusqlite::Result<bool> {
    let found = connection
        .prepare_cached(FIND)?
        .query_row((game, event.seq), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let seat = event.seat.map(|seat| i64::from(seat.number()));
    Ok(found == Some((seat, event.command.clone(), event.at)))
}

fn perform(connection: &Connection, write: &Write, alive: i64) -> rusqlite::Result<Done> {
    match write {
        Write::Append(wanted, _) => append(connection, wanted).map(Done::Appended),
        Write::Beat(at, _) => {
            connection.prepare_cached(BEAT)?.execute([at])?;
            Ok(Done::Beaten)
        }
        Write::Pause(from, to, _) => {
            let from = *from.max(&alive);
            if from >= *to {
                return Ok(Done::Paused(None));
            }
            connection.prepare_cached(PAUSE)?.execute([from, *to])?;
            connection.prepare_cached(BEAT)?.execute([to])?;
            Ok(Done::Paused(Some((from, *to))))
        }
        Write::Note(pauses, _) => {
            for pause in pauses {
                connection.prepare_cached(PAUSE)?.execute([pause.0, pause.1])?;
            }
            Ok(Done::Noted)
        }
    }
}

/// Stores events, or nothing if one of them is not free.
fn append(connection: &Connection, wanted: &Append) -> rusqlite::Result<Appended> {
    let alone = wanted.events.len() + usize::from(wanted.new_game.is_some()) == 1;
    if !alone {
        // Within the transaction of all: what meets a conflict here takes nobody else's with it.
        connection.execute_batch("SAVEPOINT own")?;
    }
    let free = insert_all(connection, wanted)?;
    match (alone, free) {
        (true, _) => {}
        (false, true) => connection.execute_batch("RELEASE own")?,
        (false, false) => connection.execute_batch("ROLLBACK TO own; RELEASE own")?,
    }
    Ok(if free { Appended::Committed } else { Appended::Conflict })
}

/// Inserts everything, and what cannot fail last: until the first thing that is not free.
fn insert_all(connection: &Connection, wanted: &Append) -> rusqlite::Result<bool> {
    let game = wanted.game.as_str();
    if !follows(connection, wanted)? {
        return Ok(false);
    }
    if let Some(new) = &wanted.new_game
        && !make(connection, new)?
    {
        return Ok(false);
    }
    for event in &wanted.events {
        if !insert(connection, game, event)? {
            return Ok(false);
        }
    }
    if let Some((seat, hash)) = &wanted.token {
        let row = (hex(hash), game, seat.number());
        connection.prepare_cached(REPLACE_TOKEN)?.execute(row)?;
    }
    match wanted.running {
        Some(Running::Until { deadline, at }) => {
            connection.prepare_cached(SET_RUNNING)?.execute((game, deadline, at))?;
        }
        Some(Running::Stopped) => {
            connection.prepare_cached(CLEAR_RUNNING)?.execute([game])?;
        }
        None => {}
    }
    Ok(true)
}

/// Whether the last event of the game is the one that the append names.
fn follows(connection: &Connection, wanted: &Append) -> rusqlite::Result<bool> {
    let found = connection
        .prepare_cached(LAST)?
        .query_row([&wanted.game], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    let named = wanted.after.clone().map(|Tip { seq, kind, seat, command, at }| {
        (seq, kind, seat.map(|seat| i64::from(seat.number())), command, at)
    });
    Ok(found == named)
}

/// Makes a game; says whether its id was free.
fn make(connection: &Connection, new: &NewGame) -> rusqlite::Result<bool> {
    if !insert(connection, &new.id, &new.first)? {
        return Ok(false);
    }
    for (seat, hash) in (1_i64..).zip(&new.tokens) {
        let Some(hash) = hash else { continue };
        connection.prepare_cached(INSERT_TOKEN)?.execute((&new.id, seat, hex(hash)))?;
    }
    Ok(true)
}

/// Inserts an event; says whether its number and its command were free.
fn insert(connection: &Connection, game: &str, event: &Event) -> rusqlite::Result<bool> {
    let (kind, payload) = event.stored();
    let seat = event.seat.map(|seat| i64::from(seat.number()));
    let row = (game, event.seq, kind, payload, seat, event.command.as_deref(), event.at);
    Ok(connection.prepare_cached(INSERT_EVENT)?.execute(row)? == 1)
}
