//! Engine work for other machines. Whoever hands it out can do it itself: a worker that falls silent costs a
//! moment, never an answer.

use crate::StartError;
use crate::engines::{Engines, Load};
use crate::metrics::Metrics;
use crate::queue::Order;
use async_nats::{Client, Message, StatusCode};
use engine::Stop;
use futures_util::StreamExt;
use requests::Desk;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;

/// Where work is asked for, and where it is said that nobody wants it any more.
const WORK: &str = "quadrille.work";
const STOP: &str = "quadrille.stop";

/// Workers of this group share what is asked for.
const GROUP: &str = "workers";

/// How often a worker says that it still has a job, and how long it may say nothing at first and later.
const PULSE: Duration = Duration::from_millis(400);
const FIRST: Duration = Duration::from_millis(300);
const SILENCE: Duration = Duration::from_millis(1_300);

/// What workers say: that they have the job, a line of the answer, that this was all, that they do not want it.
const HAVE: u8 = b'+';
const LINE: u8 = b'>';
const DONE: u8 = b'.';
const REFUSED: u8 = b'-';

/// The way to the workers.
#[derive(Clone)]
pub struct Workers(Client);

impl Workers {
    /// Finds them at these addresses, or will find them.
    pub async fn find(addresses: &str) -> Result<Workers, StartError> {
        let (servers, options) = crate::nats::read(addresses)?;
        let connected = options.retry_on_initial_connect().connect(servers).await;
        connected.map(Workers).map_err(|error| StartError(format!("NATS: {error}")))
    }

    /// Waits until NATS is there, for somebody who can do nothing without.
    pub async fn is_there(&self) -> bool {
        tokio::time::timeout(Duration::from_secs(3), self.0.flush())
            .await
            .is_ok_and(|it| it.is_ok())
    }

    /// Has a job done by a worker; `tell` gets its lines and says whether more of them are wanted. Says whether
    /// it was done whole; if not, nobody has it any more.
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

/// Ends the work when nobody waits for it.
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
            // A worker that does not hear it works in vain, for a while.
            tokio::spawn(async move { client.publish(STOP, inbox.into()).await });
        }
    }
}

/// How a worker does a job.
pub trait Hand: Send + Sync + 'static {
    /// Whose it is and how urgent; none if it cannot be done here.
    fn order(&self, job: &Value) -> Option<Order>;

    /// Does it, and tells its lines.
    fn work(
        &self,
        job: &Value,
        desk: &mut Desk,
        load: &Load,
        stop: &Stop,
        tell: &mut dyn FnMut(String),
    );
}

type Jobs = Arc<Mutex<HashMap<String, Stop>>>;

fn lock(jobs: &Jobs) -> MutexGuard<'_, HashMap<String, Stop>> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does jobs on so many threads, until the future is dropped.
pub async fn work(addresses: &str, threads: usize, hand: Arc<dyn Hand>) -> Result<(), StartError> {
    let failed = |error: &dyn std::fmt::Display| StartError(format!("NATS: {error}"));
    let Workers(client) = Workers::find(addresses).await?;
    let engines = Engines::new(threads, Arc::new(Metrics::default()));
    let jobs = Jobs::default();
    let asked = client.queue_subscribe(WORK, GROUP.into()).await;
    let mut asked = asked.map_err(|error| failed(&error))?;
    let mut stopped = client.subscribe(STOP).await.map_err(|error| failed(&error))?;
    loop {
        tokio::select! {
            message = asked.next() => match message {
                Some(message) => begin(&client, &engines, &jobs, &hand, message),
                None => return Err(StartError("the connection to NATS has ended".into())),
            },
            message = stopped.next() => {
                let Some(message) = message else { continue };
                let inbox = String::from_utf8_lossy(&message.payload).into_owned();
                lock(&jobs).remove(&inbox).iter().for_each(Stop::stop);
            }
        }
    }
}

fn begin(client: &Client, engines: &Engines, jobs: &Jobs, hand: &Arc<dyn Hand>, message: Message) {
    let Some(inbox) = message.reply else { return };
    let (lines, mut told) = mpsc::unbounded_channel::<String>();
    let stop = Stop::default();
    let job: Value = serde_json::from_slice(&message.payload).unwrap_or_default();
    let submitted = hand.order(&job).is_some_and(|order| {
        let (hand, switch, load) = (Arc::clone(hand), stop.clone(), engines.load());
        engines.submit_once(order, stop.clone(), move |desk| {
            hand.work(&job, desk, &load, &switch, &mut |line| drop(lines.send(line)));
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
        // Who asked notices silence, and does it without a worker.
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

/// Works until the process is told to stop; `ready` hears when it has begun.
pub fn run(
    addresses: &str,
    threads: usize,
    hand: Arc<dyn Hand>,
    ready: impl FnOnce(),
) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartError(format!("no threads: {error}")))?;
    let done = runtime.block_on(async {
        let stop = crate::signal()?;
        crate::nats::read(addresses)?;
        ready();
        tokio::select! {
            done = work(addresses, threads, hand) => done,
            // What is under way is done by those who asked for it.
            () = stop => Ok(()),
        }
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    done
}

/// How long to wait before somebody is asked again, when no worker was there.
const NOBODY: Duration = Duration::from_millis(500);

/// Has jobs done that each have one line as their answer, so many at once, until `each` breaks off; `waiting`
/// hears when no worker is there.
pub fn all(
    addresses: &str,
    jobs: impl Iterator<Item = Value> + Send,
    at_once: usize,
    mut waiting: impl FnMut(),
    mut each: impl FnMut(String) -> std::ops::ControlFlow<()>,
) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartError(format!("no threads: {error}")))?;
    runtime.block_on(async {
        let workers = Workers::find(addresses).await?;
        if !workers.is_there().await {
            return Err(StartError("NATS does not answer; is it there?".into()));
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

/// Asks until a worker has done it.
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
