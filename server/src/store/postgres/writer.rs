//! What appends: together what has queued up, and never twice.
//!
//! A connection that is lost in the middle says nothing about what was asked. Then the same is asked again on
//! another one: it names the numbers it wants, so it is done once, and if they are taken the rows tell by whom.

use super::batch::{APPEND, Columns, first};
use super::link::{Fault, Link};
use super::trouble::Trouble;
use crate::metrics::Metrics;
use crate::store::{Append, Appended, SLOW, StoreError};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::error::SqlState;

/// How many appends are committed together at most.
const MOST_TOGETHER: usize = 256;

/// How long an outcome is asked for before it counts as unknown, and how long apart.
const PATIENCE: Duration = Duration::from_secs(8);
/// After how many failures in a row the rest of a batch is refused.
const MOST_FAILURES: usize = 2;

const PAUSES: [u64; 6] = [10, 30, 100, 300, 700, 1_000];

const FIND: &str =
    "SELECT kind, payload, seat, command, at FROM events WHERE game = $1 AND seq = $2";

/// Something to be stored, and who wants to know.
pub struct Job {
    /// The events.
    pub append: Append,
    /// Hears what became of them.
    pub answer: oneshot::Sender<Result<Appended, StoreError>>,
}

impl Job {
    /// What there can be one of in a statement.
    fn key(&self) -> &str {
        first(&self.append).map_or(&self.append.game, |(game, _)| game)
    }

    fn say(self, done: Result<Appended, StoreError>) {
        // Who asked may have left; what is stored stays stored.
        let _ = self.answer.send(done);
    }
}

/// The writer.
pub struct Writer {
    /// Its connection.
    pub link: Link,
    /// What this server is known by.
    pub holder: i64,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// What others learn of failures.
    pub trouble: Arc<Trouble>,
}

impl Writer {
    /// Writes until nobody can ask for it any more.
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
            let done = self.store(jobs).await;
            self.trouble.waits(false);
            let took = began.elapsed();
            self.metrics.committed(done.count, took, done.error.is_none());
            if took > SLOW {
                tracing::warn!(writes = done.count, ?took, "a transaction took long");
            }
            match done.error {
                // Once for each kind of trouble.
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

    /// Stores appends to different games together, or one by one if that is refused.
    async fn store(&self, jobs: Vec<Job>) -> Done {
        let mut told = Done { count: jobs.len(), error: None };
        let appends: Vec<_> = jobs.iter().map(|job| &job.append).collect();
        match self.settle(&appends, PATIENCE).await {
            Err(fault @ Fault::Refused(..)) if jobs.len() > 1 => {
                // One of them may be to blame. If the database is, they are not tried for long.
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

    /// Asks until it is known what became of the appends, or for as long as there is patience.
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
                            return Ok(done);
                        }
                        Err(fault) => Fault::Lost(fault.reason()),
                    }
                }
                Err(fault) => fault,
            };
            if let Some(append) = appends.first().filter(|_| !fault.is_about_the_data()) {
                self.trouble.failed(append, &fault);
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

    /// What became of each append. What was asked before, without an answer, may be what stands there.
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
        let seat = event.seat.map(|seat| i16::from(seat.number()));
        Ok(rows.iter().any(|row| {
            let found: (String, String, Option<i16>, Option<String>, i64) =
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
        // Another part of it than the first event was not free.
        Fault::Refused(code, _) if code == SqlState::UNIQUE_VIOLATION => Ok(Appended::Conflict),
        Fault::Lost(reason) => Err(StoreError::Unknown(reason)),
        other => Err(StoreError::Failed(other.reason())),
    }
}

/// Those that can be stored together: one for each game, in the order of the games. The others wait.
fn take(waiting: &mut Vec<Job>) -> Vec<Job> {
    let mut games = HashSet::new();
    let (mut jobs, later) = std::mem::take(waiting)
        .into_iter()
        .partition::<Vec<_>, _>(|job| games.insert(job.key().to_owned()));
    *waiting = later;
    jobs.sort_by(|one, other| one.key().cmp(other.key()));
    jobs
}
