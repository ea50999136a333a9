//! The writer thread.
//!
//! A connection that has failed is never used again. Nothing is acknowledged before its transaction has been
//! committed, the connection is in autocommit mode again, and a second connection has read the data back. After a
//! failed commit its outcome is determined before anybody gets an answer.

use super::disk::Disk;
use super::file::{self, Lock};
use super::records::{Change, Range};
use super::sqlite::is_damage;
use super::sqlite_events::{append, is_there, rehearse};
use super::trouble::Trouble;
use super::{Append, Appended, SLOW, StoreError, sqlite_records};
use crate::metrics::Metrics;
use rusqlite::ffi::SQLITE_IOERR_WRITE;
use rusqlite::{Connection, ErrorCode};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

const BEAT: &str = "INSERT INTO heartbeat (id, at) VALUES (1, ?1)
    ON CONFLICT (id) DO UPDATE SET at = excluded.at";
const PAUSE: &str = "INSERT INTO pauses (since, until) VALUES (?1, ?2)
    ON CONFLICT (since) DO UPDATE SET until = excluded.until";
const LAST_PAUSE: &str = "SELECT coalesce(max(until), 0) FROM pauses";
const MARK: &str = "INSERT INTO heartbeat (id, at) VALUES (0, 1)
    ON CONFLICT (id) DO UPDATE SET at = at + 1";

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
    /// An append to be tried and taken back.
    Probe(Box<Append>, Answer<()>),
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
    Probed,
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
            (Write::Probe(_, answer), Ok(Done::Probed)) => drop(answer.send(Ok(()))),
            (Write::Append(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Beat(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Pause(_, _, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Note(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Change(_, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Clear(_, _, answer), Err(error)) => drop(answer.send(Err(error))),
            (Write::Probe(_, answer), Err(error)) => drop(answer.send(Err(error))),
            // Writes and their results are in the same order.
            _ => {}
        }
    }

    /// The latest timestamp in what is to be stored, if there is one.
    fn at(&self) -> Option<i64> {
        match self {
            Write::Append(append, _) => Some(append.at()),
            Write::Beat(at, _) => Some(*at),
            Write::Pause(_, to, _) => Some(*to),
            // Copied pauses are older than anything else, records have no time, and a probe leaves nothing.
            Write::Note(..) | Write::Change(..) | Write::Clear(..) | Write::Probe(..) => None,
        }
    }

    /// The events to be appended, for good or only to try.
    fn append(&self) -> Option<&Append> {
        match self {
            Write::Append(append, _) | Write::Probe(append, _) => Some(append),
            _ => None,
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
            self.store_or_recover(&mut writes);
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
            self.store_or_recover(&mut writes);
        }
        self.close();
    }

    /// A bug must not end the writer: nothing could be stored until a restart. Callers waiting for an answer are told
    /// that the outcome is not known.
    fn store_or_recover(&mut self, writes: &mut Vec<Write>) {
        self.trouble.waits(true);
        if catch_unwind(AssertUnwindSafe(|| self.store(writes))).is_err() {
            writes.clear();
            (self.connection, self.witness) = (None, None);
            self.metrics.restarts.fetch_add(1, Ordering::Relaxed);
            // If that fails too, the next transaction overwrites what may be left of this one.
            let marked = self.mark().is_ok();
            tracing::error!(marked, "the store's writer panicked; continuing with the next writes");
        }
        self.trouble.waits(false);
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
                if writes.iter().any(|write| write.append().is_some()) {
                    self.trouble.proved();
                }
                if writes.iter().any(|write| matches!(write, Write::Pause(..))) {
                    self.trouble.settle();
                }
                self.stored(writes.iter());
                writes.drain(..).zip(done).for_each(|(write, done)| write.answer(Ok(done)));
            }
            Err(failure) => self.fail(writes, failure),
        }
    }

    /// Remembers the times of what has certainly been stored.
    fn stored<'a>(&mut self, writes: impl Iterator<Item = &'a Write>) {
        for write in writes {
            let Some(at) = write.at() else { continue };
            self.alive.fetch_max(at, Ordering::Relaxed);
            if matches!(write, Write::Append(..)) {
                self.played = self.played.max(at);
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
        let append = writes.iter().find_map(Write::append);
        let since = append.map(Append::at).or_else(|| writes.iter().find_map(Write::at));
        // A write without a time of its own failed after the last thing that was stored.
        let since = since.unwrap_or_else(|| self.alive.load(Ordering::Relaxed));
        self.trouble.failed(since, append, error.to_owned());
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
        // A pause begins after everything that was stored before it. If time is owed, heartbeats do not count, but
        // events do, because clients have already seen their clocks.
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
                last = last.max(write.at().unwrap_or(last));
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
        Write::Probe(append, _) => rehearse(connection, append).map(|()| Done::Probed),
    }
}
