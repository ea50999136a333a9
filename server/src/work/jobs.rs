//! Engine work on other machines, over NATS. The server that hands out a job can also do it itself, so a worker that
//! fails costs a moment, never an answer.

use crate::StartError;
use crate::metrics::Metrics;
use crate::work::engines::Engines;
use crate::work::hand::Helper;
use async_nats::{Client, Message, StatusCode};
use engine::Stop;
use futures_util::StreamExt;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// The subjects for jobs and for cancelling them.
const WORK: &str = "quadrille.work";
const STOP: &str = "quadrille.stop";

/// The queue group: each job goes to one of its workers.
const GROUP: &str = "workers";

/// The interval of a worker's heartbeats, and how long it may be silent before and after the first message.
const PULSE: Duration = Duration::from_millis(400);
const FIRST: Duration = Duration::from_millis(300);
const SILENCE: Duration = Duration::from_millis(1_300);

/// The first byte of a worker's message: job accepted or heartbeat, a line of the answer, end of the answer, job
/// refused.
const HAVE: u8 = b'+';
const LINE: u8 = b'>';
const DONE: u8 = b'.';
const REFUSED: u8 = b'-';

/// A connection to the workers.
#[derive(Clone)]
pub struct Workers(Client);

impl Workers {
    /// Connects to NATS, in the background if it is not available yet.
    pub async fn find(addresses: &str) -> Result<Workers, StartError> {
        let (servers, options) = crate::cluster::nats::read(addresses)?;
        let connected = options.retry_on_initial_connect().connect(servers).await;
        connected.map(Workers).map_err(|error| StartError(format!("NATS: {error}")))
    }

    /// Whether NATS is available, for callers that cannot do without.
    pub async fn is_there(&self) -> bool {
        tokio::time::timeout(Duration::from_secs(3), self.0.flush())
            .await
            .is_ok_and(|it| it.is_ok())
    }

    /// Has a worker do a job. `tell` gets each line and returns whether more are wanted. Returns whether the job was
    /// completed; if not, no worker has it any more.
    pub async fn ask(&self, job: &Value, mut tell: impl FnMut(String) -> bool) -> bool {
        let inbox = self.0.new_inbox();
        let Ok(mut answers) = self.0.subscribe(inbox.clone()).await else { return false };
        let asked = Asked { workers: self, inbox: inbox.clone(), done: false };
        let sent = self.0.publish_with_reply(WORK, inbox, job.to_string().into()).await;
        if sent.is_err() || self.0.connection_state() != async_nats::connection::State::Connected {
            return false;
        }
        let mut patience = FIRST;
        loop {
            let Ok(Some(answer)) = tokio::time::timeout(patience, answers.next()).await else {
                return false;
            };
            patience = SILENCE;
            if answer.status == Some(StatusCode::NO_RESPONDERS) {
                return false;
            }
            match answer.payload.split_first() {
                Some((&HAVE, _)) => {}
                Some((&LINE, line)) => {
                    if !tell(String::from_utf8_lossy(line).into_owned()) {
                        return true;
                    }
                }
                Some((&DONE, _)) => {
                    asked.end();
                    return true;
                }
                _ => return false,
            }
        }
    }
}

/// Cancels the job on drop, unless it was completed.
struct Asked<'a> {
    workers: &'a Workers,
    inbox: String,
    done: bool,
}

impl Asked<'_> {
    fn end(mut self) {
        self.done = true;
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if !self.done {
            let (client, inbox) = (self.workers.0.clone(), std::mem::take(&mut self.inbox));
            // If the message is lost, the worker wastes a little time.
            tokio::spawn(async move { client.publish(STOP, inbox.into()).await });
        }
    }
}

type Jobs = Arc<Mutex<HashMap<String, Stop>>>;

fn lock(jobs: &Jobs) -> MutexGuard<'_, HashMap<String, Stop>> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does jobs on this many threads until the future is dropped.
pub async fn work(addresses: &str, threads: usize, helper: Arc<Helper>) -> Result<(), StartError> {
    let failed = |error: &dyn std::fmt::Display| StartError(format!("NATS: {error}"));
    let Workers(client) = Workers::find(addresses).await?;
    let engines = Engines::new(threads, Arc::new(Metrics::default()), None);
    let jobs = Jobs::default();
    let asked = client.queue_subscribe(WORK, GROUP.into()).await;
    let mut asked = asked.map_err(|error| failed(&error))?;
    let mut stopped = client.subscribe(STOP).await.map_err(|error| failed(&error))?;
    loop {
        tokio::select! {
            message = asked.next() => match message {
                Some(message) => begin(&client, &engines, &jobs, &helper, message),
                None => return Err(StartError("the connection to NATS was closed".into())),
            },
            message = stopped.next() => {
                let Some(message) = message else { continue };
                let inbox = String::from_utf8_lossy(&message.payload).into_owned();
                lock(&jobs).remove(&inbox).iter().for_each(Stop::stop);
            }
        }
    }
}

fn begin(client: &Client, engines: &Engines, jobs: &Jobs, helper: &Arc<Helper>, message: Message) {
    let Some(inbox) = message.reply else { return };
    let (lines, mut told) = mpsc::unbounded_channel::<String>();
    let stop = Stop::default();
    let job: Value = serde_json::from_slice(&message.payload).unwrap_or_default();
    let submitted = helper.order(&job).is_some_and(|order| {
        let (helper, switch, load) = (Arc::clone(helper), stop.clone(), engines.load());
        engines.submit_once(order, stop.clone(), move |desk| {
            helper.work(&job, desk, &load, &switch, &mut |line| drop(lines.send(line)));
        })
    });
    let (client, jobs) = (client.clone(), Arc::clone(jobs));
    if submitted {
        lock(&jobs).insert(inbox.to_string(), stop.clone());
    }
    tokio::spawn(async move {
        let say = |kind: u8, text: &str| {
            let payload = [&[kind], text.as_bytes()].concat();
            client.publish(inbox.clone(), payload.into())
        };
        // If this is lost, the server notices the silence and does the job itself.
        if !submitted {
            let _ = say(REFUSED, "").await;
            return;
        }
        let _ = say(HAVE, "").await;
        loop {
            match tokio::time::timeout(PULSE, told.recv()).await {
                Ok(Some(line)) => drop(say(LINE, &line).await),
                Ok(None) => break,
                Err(_) => drop(say(HAVE, "").await),
            }
        }
        lock(&jobs).remove(inbox.as_str());
        let ended = if stop.is_stopped() { REFUSED } else { DONE };
        let _ = say(ended, "").await;
    });
}

/// Works until the process is told to stop; calls `ready` when it has started.
pub fn run(
    addresses: &str,
    threads: usize,
    helper: Arc<Helper>,
    ready: impl FnOnce(),
) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartError(format!("cannot start threads: {error}")))?;
    let done = runtime.block_on(async {
        let stop = crate::start::signal()?;
        crate::cluster::nats::read(addresses)?;
        ready();
        tokio::select! {
            done = work(addresses, threads, helper) => done,
            // The servers take over the jobs in progress.
            () = stop => Ok(()),
        }
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    done
}

/// Delay before a job is offered again when no worker took it.
const NOBODY: Duration = Duration::from_millis(500);

/// Has workers do jobs with one-line answers, `at_once` at a time, until `each` breaks. `waiting` is called while no
/// worker answers.
pub fn all(
    addresses: &str,
    jobs: impl Iterator<Item = Value> + Send,
    at_once: usize,
    mut waiting: impl FnMut(),
    mut each: impl FnMut(String) -> std::ops::ControlFlow<()>,
) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartError(format!("cannot start threads: {error}")))?;
    runtime.block_on(async {
        let workers = Workers::find(addresses).await?;
        if !workers.is_there().await {
            return Err(StartError("NATS does not answer; is it running?".into()));
        }
        let mut jobs = jobs.fuse();
        let mut tasks = tokio::task::JoinSet::new();
        loop {
            while tasks.len() < at_once.max(1)
                && let Some(job) = jobs.next()
            {
                tasks.spawn(insist(workers.clone(), job));
            }
            match tokio::time::timeout(Duration::from_secs(5), tasks.join_next()).await {
                Err(_) => waiting(),
                Ok(None) => return Ok(()),
                Ok(Some(Err(_))) => {}
                Ok(Some(Ok(line))) => {
                    if each(line).is_break() {
                        return Ok(());
                    }
                }
            }
        }
    })
}

/// Offers a job until a worker has completed it.
async fn insist(workers: Workers, job: Value) -> String {
    loop {
        let mut answer = None;
        let tell = |line: String| {
            answer = Some(line);
            true
        };
        if workers.ask(&job, tell).await
            && let Some(answer) = answer
        {
            return answer;
        }
        tokio::time::sleep(NOBODY).await;
    }
}
