//! The writer thread.
//!
//! A connection that has failed is never used again. Nothing is acknowledged before its transaction has been
//! committed, the connection is in autocommit mode again, and a second connection has read the data back. After a
//! failed commit its outcome is determined before anybody gets an answer.

use super::disk::Disk;
use super::file::{self, Lock};
use super::records::{Change, Range};
use super::sqlite::{self, is_damage};
use super::trouble::Trouble;
use super::{Append, Appended, NewGame, Running, SLOW, StoreError, Tip, hex, sqlite_records};
use crate::metrics::Metrics;
use rusqlite::ffi::SQLITE_IOERR_WRITE;
use rusqlite::{Connection, ErrorCode, OptionalExtension};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use table::event::Event;
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
const LAST_PAUSE: &str = "SELECT coalesce(max(until), 0) FROM pauses";
const MARK: &str = "INSERT INTO heartbeat (id, at) VALUES (0, 1)
    ON CONFLICT (id) DO UPDATE SET at = at + 1";
const LAST: &str = "SELECT seq, kind, payload, seat, command, at FROM events WHERE game = ?1
    ORDER BY seq DESC LIMIT 1";
const FIND: &str =
    "SELECT seq, kind, payload, seat, command, at FROM events WHERE game = ?1 AND seq = ?2";

/// The most writes in one transaction.
const MOST_TOGETHER: usize = 256;

/// How often, and at what interval, to check the outcome of a failed commit before reporting it as unknown.
const TRIES: u32 = 4;
const PATIENCE: Duration = Duration::from_millis(50);

type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// A queued write, with a channel for its answer.
pub enum Write {
    Append(Box<Append>, Answer<Appended>),
    /// A heartbeat.
    Beat(i64, Answer<()>),
    /// A pause.
    Pause(i64, i64, Answer<Option<(i64, i64)>>),
    /// Pauses copied from another store.
    Note(Vec<(i64, i64)>, Answer<()>),
    /// Changed records; the answer is the number of the change, if it was made.
    Change(Vec<Change>, Answer<Option<i64>>),
    /// Records to delete.
    Clear(Range, i64, Answer<usize>),
}

/// The result of a write, provided that its transaction is committed.
#[derive(Clone, Copy, Debug)]
enum Done {
    Appended(Appended),
    Beaten,
    Paused(Option<(i64, i64)>),
    Noted,
    Changed(Option<i64>),
    Cleared(usize),
}

impl Write {
    fn answer(self, done: Result<Done, StoreError>) {
        // The caller may be gone; what is stored stays stored.
        match (self, done) {
            (Write::Append(_, answer), Ok(Done::Appended(done))) => drop(answer.send(Ok(done))),
            (Write::Beat(_, answer), Ok(Done::Beaten)) => drop(answer.send(Ok(()))),
            (Write::Pause(_, _, answer), Ok(Done::Paused(done))) => drop(answer.send(Ok(done))),
            (Write::Note(_, answer), Ok(Done::Noted)) => drop(answer.send(Ok(()))),
            (Write::Change(_, answer), Ok(Done::Changed(done))) => drop(answer.send(Ok(done))),
            (Write::Clear(_, _, answer), Ok(Done::Cleared(done))) => drop(answer.send(Ok(done))),
            (Write::Append(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Beat(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Pause(_, _, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Note(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Change(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Clear(_, _, answer), Err(error)) => drop(answer.send(Err(error))),
            // Writes and their results are in the same order.
            _ => {}
        }
    }

    /// The latest timestamp in the write.
    fn at(&self) -> i64 {
        match self {
            Write::Append(append, _) => append.at(),
            Write::Beat(at, _) => *at,
            Write::Pause(_, to, _) => *to,
            // Copied pauses are older than anything else, and records have no time.
            Write::Note(..) | Write::Change(..) | Write::Clear(..) => 0,
        }
    }
}

/// Why a transaction was not acknowledged.
struct Failure {
    error: String,
    /// The file is damaged, so retrying is pointless.
    damage: bool,
    /// Something in these writes is to blame, and others would succeed.
    data: bool,
    /// The results of the writes, if the transaction may have been committed after all.
    perhaps: Option<Vec<Done>>,
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        let data = [ErrorCode::TooBig, ErrorCode::ConstraintViolation, ErrorCode::TypeMismatch];
        Failure {
            damage: is_damage(&error),
            data: error.sqlite_error_code().is_some_and(|code| data.contains(&code)),
            error: error.to_string(),
            perhaps: None,
        }
    }
}

pub struct Writer {
    path: PathBuf,
    metrics: Arc<Metrics>,
    alive: Arc<AtomicI64>,
    trouble: Arc<Trouble>,
    connection: Option<Connection>,
    /// A second connection, to read back what was committed.
    witness: Option<Connection>,
    /// Errors since the last commit, each logged once.
    failing: Vec<String>,
    disk: Option<Arc<dyn Disk>>,
    /// The time of the latest event stored by this writer.
    played: i64,
    /// Dropped last: closing any descriptor of a file releases all of the process's locks on it.
    lock: Arc<Lock>,
}

impl Writer {
    pub fn new(
        path: &Path,
        connection: Connection,
        metrics: Arc<Metrics>,
        alive: Arc<AtomicI64>,
        trouble: Arc<Trouble>,
        lock: Arc<Lock>,
    ) -> Writer {
        Writer {
            path: path.to_owned(),
            metrics,
            alive,
            trouble,
            connection: Some(connection),
            witness: None,
            failing: Vec::new(),
            disk: None,
            played: 0,
            lock,
        }
    }

    /// Writes until the queue is closed.
    pub fn run(mut self, mut queue: mpsc::Receiver<Write>) {
        let mut writes = Vec::with_capacity(MOST_TOGETHER);
        while queue.blocking_recv_many(&mut writes, MOST_TOGETHER) > 0 {
            self.trouble.waits(true);
            self.store(&mut writes);
            self.trouble.waits(false);
        }
        self.close();
    }

    /// The same as a task, on a simulated disk.
    pub async fn run_simulated(mut self, mut queue: mpsc::Receiver<Write>, disk: Arc<dyn Disk>) {
        self.disk = Some(Arc::clone(&disk));
        let mut writes = Vec::with_capacity(MOST_TOGETHER);
        while queue.recv_many(&mut writes, MOST_TOGETHER).await > 0 {
            self.trouble.waits(true);
            tokio::time::sleep(disk.delay()).await;
            self.store(&mut writes);
            self.trouble.waits(false);
        }
        self.close();
    }

    /// Stores writes in one transaction and answers them.
    fn store(&mut self, writes: &mut Vec<Write>) {
        let lock = Arc::clone(&self.lock);
        let _one = lock.change();
        let started = Instant::now();
        let outcome = self.commit(writes);
        self.metrics.committed(writes.len(), started.elapsed(), outcome.is_ok());
        match outcome {
            Ok(done) => {
                self.works();
                if writes.iter().any(|write| matches!(write, Write::Pause(..))) {
                    self.trouble.settle();
                }
                self.stored(writes.iter());
                writes.drain(..).zip(done).for_each(|(write, done)| write.answer(Ok(done)));
            }
            Err(failure) => self.fail(writes, failure),
        }
    }

    /// Remembers the times of what is stored for certain.
    fn stored<'a>(&mut self, writes: impl Iterator<Item = &'a Write>) {
        for write in writes {
            self.alive.fetch_max(write.at(), Ordering::Relaxed);
            if matches!(write, Write::Append(..)) {
                self.played = self.played.max(write.at());
            }
        }
    }

    fn close(mut self) {
        drop(self.witness.take());
        if let Some(Err((_, error))) = self.connection.take().map(Connection::close) {
            tracing::error!(%error, "closing the store failed");
        }
    }

    fn works(&mut self) {
        self.trouble.works();
        if !self.failing.is_empty() {
            self.failing.clear();
            tracing::warn!("the store works again");
        }
    }

    fn note_trouble(&self, writes: &[Write], error: &str) {
        let append = writes.iter().find_map(|write| match write {
            Write::Append(append, _) => Some(append.as_ref()),
            _ => None,
        });
        let since = append.map(Append::at).or_else(|| writes.first().map(Write::at));
        self.trouble.failed(since.unwrap_or_default(), append, error.to_owned());
        if append.is_some() {
            self.trouble.owe(0);
        }
    }

    /// Answers the writes of a failed transaction.
    fn fail(&mut self, writes: &mut Vec<Write>, failure: Failure) {
        let Failure { error, damage, data, perhaps } = failure;
        if !data {
            self.note_trouble(writes, &error);
        }
        // Log each error once: there is a heartbeat every second.
        if !self.failing.contains(&error) {
            tracing::error!(error, "the store failed");
            self.failing.push(error.clone());
        }
        let refused = match damage {
            true => StoreError::Damaged(error.clone()),
            false => StoreError::Failed(error.clone()),
        };
        // Determine the outcome before the next transaction, which may concern the same games.
        let answers = match perhaps {
            None => vec![Err(refused); writes.len()],
            Some(done) => match self.find_out(writes, &done) {
                Some(found) => {
                    // Without this, the next pause would begin before what has just been found.
                    let stored = writes.iter().zip(&found).filter(|(_, own)| own.is_some());
                    self.stored(stored.map(|(write, _)| write));
                    found.into_iter().map(|own| own.ok_or(refused.clone())).collect()
                }
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

    /// Performs all writes in one transaction. After an error both connections are closed.
    fn commit(&mut self, writes: &[Write]) -> Result<Vec<Done>, Failure> {
        let done = self.try_to_commit(writes);
        if done.is_err() {
            (self.connection, self.witness) = (None, None);
        }
        done
    }

    fn try_to_commit(&mut self, writes: &[Write]) -> Result<Vec<Done>, Failure> {
        // A pause begins after everything that was stored before it. If time is owed, heartbeats do not count, but events
        // do: their clocks have been told.
        let owed = self.trouble.owed().is_some();
        let mut last = if owed { self.played } else { self.alive.load(Ordering::Relaxed) };
        let began = Instant::now();
        let failed = self.trouble.append();
        let disk = self.disk.clone();
        disk.as_ref().map_or(Ok(()), |disk| disk.write())?;
        let connection = self.connection()?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        if let Some(append) = failed {
            rehearse(connection, &append)?;
        }
        let mut done = Vec::with_capacity(writes.len());
        for write in writes {
            done.push(perform(connection, write, last)?);
            if !owed || matches!(write, Write::Append(..)) {
                last = last.max(write.at());
            }
        }
        let written = began.elapsed();
        let committed = disk.as_ref().map_or(Ok(()), |disk| disk.commit());
        let committed = committed.and_then(|()| connection.execute_batch("COMMIT"));
        let committed = committed.and_then(|()| disk.map_or(Ok(()), |disk| disk.sync()));
        let outside = connection.is_autocommit();
        note_time(writes.len(), written, began.elapsed() - written);
        match committed {
            Ok(()) if outside => {}
            Ok(()) => {
                return Err(Failure::open("the transaction is still open after its commit", done));
            }
            Err(error) if left_nothing(&error) => return Err(error.into()),
            Err(error) => return Err(Failure { perhaps: Some(done), ..error.into() }),
        }
        match self.witness().and_then(|witness| read_back(witness, writes, &done)) {
            Ok(found) if found.iter().all(Option::is_some) => Ok(done),
            Ok(_) => Err(Failure::open("committed data cannot be read back", done)),
            Err(error) => Err(Failure { perhaps: Some(done), ..error.into() }),
        }
    }

    /// Determines the outcome of a failed commit: the result of each write, or none if it was not stored. Returns
    /// none if that cannot be determined now.
    fn find_out(&mut self, writes: &[Write], done: &[Done]) -> Option<Vec<Option<Done>>> {
        for again in 0..TRIES {
            if again > 0 && self.disk.is_none() {
                std::thread::sleep(PATIENCE);
            }
            match self.mark().and_then(|()| read_back(self.witness()?, writes, done)) {
                Ok(mut found) => {
                    // The conflict may have been with another write of the same transaction, which was not stored
                    // either.
                    for own in &mut found {
                        own.take_if(|own| {
                            matches!(
                                own,
                                Done::Appended(Appended::Conflict)
                                    | Done::Changed(None)
                                    | Done::Cleared(_)
                            )
                        });
                    }
                    return Some(found);
                }
                Err(_) => (self.connection, self.witness) = (None, None),
            }
        }
        None
    }

    /// Commits a marker. The WAL may contain a transaction whose sync or index update failed: no connection sees it,
    /// but recovery on restart would bring it back. The marker's commit overwrites it.
    fn mark(&mut self) -> rusqlite::Result<()> {
        let connection = self.connection()?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        connection.prepare_cached(MARK)?.execute([])?;
        connection.execute_batch("COMMIT")
    }
}

impl Failure {
    /// A failure that SQLite did not report, so everything may have been stored.
    fn open(error: &str, done: Vec<Done>) -> Failure {
        Failure { error: error.to_owned(), damage: false, data: false, perhaps: Some(done) }
    }
}

/// Logs a slow transaction and which part was slow; the commit is where it waits for the disk.
fn note_time(writes: usize, written: Duration, committed: Duration) {
    if written + committed > SLOW {
        tracing::warn!(writes, ?written, ?committed, "slow transaction");
    }
}

/// Whether a failed commit has certainly left nothing in the WAL that recovery could find. The commit frame is
/// written last, and a failed write never completes it. But after a failed sync or index update the complete
/// transaction may be in the WAL.
fn left_nothing(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(inner, _) = error else { return false };
    matches!(inner.code, ErrorCode::DiskFull | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        || inner.extended_code == SQLITE_IOERR_WRITE
}

/// The result of each write, or none if this connection does not see it.
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
                // A transaction is atomic, so checking the last event is enough.
                let Some((game, event)) = new.chain(own).last() else { return Ok(Some(*done)) };
                is_there(witness, game, event)?
            }
            (Write::Pause(..), Done::Paused(Some(pause))) => {
                let find = "SELECT 1 FROM pauses WHERE since = ?1 AND until = ?2";
                witness.prepare_cached(find)?.exists(*pause)?
            }
            (Write::Change(..), Done::Changed(Some(number))) => {
                sqlite_records::is_done(witness, *number)?
            }
            _ => true,
        };
        Ok(seen.then_some(*done))
    };
    writes.iter().zip(done).map(sees).collect()
}

fn is_there(connection: &Connection, game: &str, event: &Event) -> rusqlite::Result<bool> {
    let mut find = connection.prepare_cached(FIND)?;
    let found = find.query_row((game, event.seq), sqlite::row).optional()?;
    Ok(found.and_then(|row| row.event().ok()).as_ref() == Some(event))
}

/// Performs a write; a pause begins at `last` or later.
fn perform(connection: &Connection, write: &Write, last: i64) -> rusqlite::Result<Done> {
    match write {
        Write::Append(wanted, _) => append(connection, wanted).map(Done::Appended),
        Write::Beat(at, _) => {
            connection.prepare_cached(BEAT)?.execute([at])?;
            Ok(Done::Beaten)
        }
        Write::Pause(from, to, _) => {
            let paused: i64 =
                connection.prepare_cached(LAST_PAUSE)?.query_row([], |row| row.get(0))?;
            let from = last.max(paused).max(*from);
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
        Write::Change(changes, _) => {
            sqlite_records::perform(connection, changes).map(Done::Changed)
        }
        Write::Clear(range, most, _) => {
            sqlite_records::clear(connection, range, *most).map(Done::Cleared)
        }
    }
}

/// Writes what could not be stored before and takes it back. The transaction then needs as much room on the disk as if it
/// stayed, so a small heartbeat cannot succeed where a move fails.
fn rehearse(connection: &Connection, append: &Append) -> rusqlite::Result<()> {
    connection.execute_batch("SAVEPOINT rehearsal")?;
    insert_all(connection, append)?;
    connection.execute_batch("ROLLBACK TO rehearsal; RELEASE rehearsal")
}

/// Stores events, or nothing at all on a conflict.
fn append(connection: &Connection, wanted: &Append) -> rusqlite::Result<Appended> {
    let alone = wanted.events.len() + usize::from(wanted.new_game.is_some()) == 1;
    if !alone {
        // A savepoint, so that a conflict does not undo the other writes of the transaction.
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

/// Inserts everything, stopping at the first conflict; what cannot conflict comes last.
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

/// Whether the game's last event is the expected one.
fn follows(connection: &Connection, wanted: &Append) -> rusqlite::Result<bool> {
    let mut find = connection.prepare_cached(LAST)?;
    // A damaged row is a conflict, which concerns this game alone.
    let last = find.query_row([&wanted.game], |row| Ok(sqlite::row(row).ok())).optional()?;
    Ok(match (last, &wanted.after) {
        (None, None) => true,
        // Compared as events: version 0.1 wrote their JSON a little differently.
        (Some(last), Some(named)) => {
            last.and_then(|row| row.event().ok()).is_some_and(|last| Tip::of(&last) == *named)
        }
        _ => false,
    })
}

/// Creates a game; returns false if its id is taken.
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

/// Inserts an event; returns false if its number or command id is taken.
fn insert(connection: &Connection, game: &str, event: &Event) -> rusqlite::Result<bool> {
    let (kind, payload) = event.stored();
    let seat = event.seat.map(|seat| i64::from(seat.number()));
    let row = (game, event.seq, kind, payload, seat, event.command.as_deref(), event.at);
    Ok(connection.prepare_cached(INSERT_EVENT)?.execute(row)? == 1)
}
