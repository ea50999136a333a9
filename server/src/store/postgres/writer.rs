//! The writer task: commits queued appends together, and each at most once.
//!
//! A connection lost in mid-statement leaves the outcome open. The same statement is then repeated on a new
//! connection: it is idempotent because it names the event numbers it wants, and if they are taken, the rows show by
//! whom.

use super::batch::{APPEND, Columns, first};
use super::link::{Fault, Link};
use crate::metrics::Metrics;
use crate::store::trouble::Trouble;
use crate::store::{Append, Appended, SLOW, StoreError};
use futures_util::FutureExt;
use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_postgres::error::SqlState;

/// The most appends in one statement.
const MOST_TOGETHER: usize = 256;

/// How long to retry before an outcome is reported as unknown.
const PATIENCE: Duration = Duration::from_secs(8);
/// After this many consecutive failures the rest of a batch is refused.
const MOST_FAILURES: usize = 2;

/// Delays between attempts, in milliseconds.
const PAUSES: [u64; 6] = [10, 30, 100, 300, 700, 1_000];

pub const FIND: &str =
    "SELECT kind, payload, seat, command, at FROM events WHERE game = $1 AND seq = $2";

/// An append, with a channel for its answer.
pub struct Job {
    pub append: Append,
    pub answer: oneshot::Sender<Result<Appended, StoreError>>,
}

impl Job {
    /// The game that the append's first event belongs to; a statement can contain each game only once.
    fn key(&self) -> &str {
        first(&self.append).map_or(&self.append.game, |(game, _)| game)
    }

    fn say(self, done: Result<Appended, StoreError>) {
        // The caller may be gone; what is stored stays stored.
        let _ = self.answer.send(done);
    }
}

pub struct Writer {
    pub link: Link,
    /// This server's id as a holder of leases.
    pub holder: i64,
    pub metrics: Arc<Metrics>,
    pub trouble: Arc<Trouble>,
}

impl Writer {
    /// Writes until the queue is closed.
    pub async fn run(self, mut queue: mpsc::Receiver<Job>) {
        let mut waiting: Vec<Job> = Vec::new();
        let mut failing = String::new();
        loop {
            if waiting.is_empty() && queue.recv_many(&mut waiting, MOST_TOGETHER).await == 0 {
                return;
            }
            let jobs = take(&mut waiting);
            let began = Instant::now();
            self.trouble.waits(true);
            let count = jobs.len();
            // A fault of the program must not end the writer: nothing could be stored until a restart.
            let done = AssertUnwindSafe(self.store(jobs)).catch_unwind().await;
            let done = done.unwrap_or_else(|_| {
                self.metrics.restarts.fetch_add(1, Ordering::Relaxed);
                Done { count, error: Some("the writer panicked".into()) }
            });
            self.trouble.waits(false);
            let took = began.elapsed();
            self.metrics.committed(done.count, took, done.error.is_none());
            if took > SLOW {
                tracing::warn!(writes = done.count, ?took, "slow transaction");
            }
            match done.error {
                // Log each error once.
                Some(error) if error != failing => {
                    tracing::error!(error, "the store failed");
                    failing = error;
                }
                None if !failing.is_empty() => {
                    tracing::warn!("the store works again");
                    failing.clear();
                }
                _ => {}
            }
        }
    }

    /// Stores appends to different games together, or one by one if the batch is refused.
    async fn store(&self, jobs: Vec<Job>) -> Done {
        let mut told = Done { count: jobs.len(), error: None };
        let appends: Vec<_> = jobs.iter().map(|job| &job.append).collect();
        match self.settle(&appends, PATIENCE).await {
            Err(fault @ Fault::Refused(..)) if jobs.len() > 1 => {
                // A single append may be to blame. If it is the database, do not retry for long.
                let own = fault.is_about_the_data();
                let (patience, mut failures) = (if own { PATIENCE } else { Duration::ZERO }, 0);
                for job in jobs {
                    let done = match failures < MOST_FAILURES {
                        true => self.alone(&job.append, patience).await,
                        false => refused(fault.clone()),
                    };
                    failures = if own || done.is_ok() { 0 } else { failures + 1 };
                    told.note(&done);
                    job.say(done);
                }
            }
            Err(fault) => {
                let refused = refused(fault);
                told.note(&refused);
                jobs.into_iter().for_each(|job| job.say(refused.clone()));
            }
            Ok(done) => jobs.into_iter().zip(done).for_each(|(job, done)| job.say(Ok(done))),
        }
        told
    }

    async fn alone(&self, append: &Append, patience: Duration) -> Result<Appended, StoreError> {
        match self.settle(&[append], patience).await {
            Ok(done) => Ok(done.first().copied().unwrap_or(Appended::Conflict)),
            Err(fault) => refused(fault),
        }
    }

    /// Retries until the outcome of the appends is known, or `patience` runs out.
    async fn settle(
        &self,
        appends: &[&Append],
        patience: Duration,
    ) -> Result<Vec<Appended>, Fault> {
        let columns = Columns::new(appends.iter().copied(), self.holder);
        let began = Instant::now();
        let mut lost = None;
        let mut again = 0;
        loop {
            let fault = match self.link.query(APPEND, &columns.values()).await {
                Ok(rows) => {
                    let stored: HashSet<String> = rows.iter().map(|row| row.get(0)).collect();
                    match self.compare(appends, &stored, lost.is_some()).await {
                        Ok(done) => {
                            self.trouble.works();
                            self.trouble.proved();
                            return Ok(done);
                        }
                        Err(fault) => Fault::Lost(fault.reason()),
                    }
                }
                Err(fault) => fault,
            };
            if let Some(append) = appends.first().filter(|_| !fault.is_about_the_data()) {
                self.trouble.failed(append.at(), Some(append), fault.clone().reason());
            }
            if let Fault::Lost(reason) = &fault {
                lost = Some(reason.clone());
                self.metrics.store_lost();
            }
            let passes = fault.passes() && began.elapsed() < patience;
            match (passes, lost.take()) {
                (true, before) => lost = before,
                (false, Some(reason)) => return Err(Fault::Lost(reason)),
                (false, None) => return Err(fault),
            }
            let pause = PAUSES.get(again).or(PAUSES.last()).copied().unwrap_or_default();
            again += 1;
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    /// The outcome of each append. A conflict may be with our own earlier attempt, if that was not answered.
    async fn compare(
        &self,
        appends: &[&Append],
        stored: &HashSet<String>,
        asked_before: bool,
    ) -> Result<Vec<Appended>, Fault> {
        let mut done = Vec::with_capacity(appends.len());
        for append in appends {
            let game = first(append).map_or(append.game.as_str(), |(game, _)| game);
            let own = stored.contains(game) || (asked_before && self.is_there(append).await?);
            done.push(if own { Appended::Committed } else { Appended::Conflict });
        }
        Ok(done)
    }

    async fn is_there(&self, append: &Append) -> Result<bool, Fault> {
        let Some((game, event)) = first(append) else { return Ok(false) };
        let rows = self.link.read(FIND, &[&game, &event.seq]).await?;
        let (kind, payload) = event.stored();
        let seat = event.seat.map(|seat| i64::from(seat.number()));
        Ok(rows.iter().any(|row| {
            let found: (String, String, Option<i64>, Option<String>, i64) =
                (row.get(0), row.get(1), row.get(2), row.get(3), row.get(4));
            found == (kind.clone(), payload.clone(), seat, event.command.clone(), event.at)
        }))
    }
}

/// How a batch went.
struct Done {
    count: usize,
    error: Option<String>,
}

impl Done {
    fn note(&mut self, done: &Result<Appended, StoreError>) {
        if let Err(StoreError::Failed(error) | StoreError::Unknown(error)) = done {
            self.error = Some(error.clone());
        }
    }
}

fn refused(fault: Fault) -> Result<Appended, StoreError> {
    match fault {
        // An event other than the first conflicted.
        Fault::Refused(code, _) if code == SqlState::UNIQUE_VIOLATION => Ok(Appended::Conflict),
        Fault::Lost(reason) => Err(StoreError::Unknown(reason)),
        other => Err(StoreError::Failed(other.reason())),
    }
}

/// Takes one append per game, sorted by game; the others stay in the queue.
fn take(waiting: &mut Vec<Job>) -> Vec<Job> {
    let mut games = HashSet::new();
    let (mut jobs, later) = std::mem::take(waiting)
        .into_iter()
        .partition::<Vec<_>, _>(|job| games.insert(job.key().to_owned()));
    *waiting = later;
    jobs.sort_by(|one, other| one.key().cmp(other.key()));
    jobs
}
