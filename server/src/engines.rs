//! Engine work: outside the async threads, limited in number, queued, and stopped when nobody waits.

use crate::metrics::Metrics;
use engine::Stop;
use requests::Desk;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How much memory the table of one worker takes.
const MEBIBYTES: usize = 16;

/// How many tasks may wait in a lane.
const MOST_WAITING: usize = 256;

/// What a task is for: turns in games go before analyses, which may take a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A turn or a hint that a player waits for.
    Turn,
    /// An analysis.
    Analysis,
}

type Work = Box<dyn FnOnce(&mut Desk) + Send>;
type Told = Box<dyn Fn(usize) + Send>;

struct Task {
    stop: Stop,
    /// Learns how many come first, whenever that changes.
    told: Told,
    work: Work,
}

#[derive(Default)]
struct Queue {
    turns: VecDeque<Task>,
    analyses: VecDeque<Task>,
    analysing: usize,
    /// The switches of the tasks under way.
    under_way: Vec<Stop>,
    closed: bool,
}

impl Queue {
    fn next(&mut self, most_analyses: usize) -> Option<(Lane, Task)> {
        if let Some(task) = self.turns.pop_front() {
            return Some((Lane::Turn, task));
        }
        if self.analysing >= most_analyses {
            return None;
        }
        let task = self.analyses.pop_front()?;
        self.analysing += 1;
        for (ahead, waiting) in self.analyses.iter().enumerate() {
            (waiting.told)(ahead + 1);
        }
        Some((Lane::Analysis, task))
    }
}

struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
    most_analyses: usize,
    metrics: Arc<Metrics>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, queue: &Queue) {
        let [running, waiting] = &self.metrics.jobs;
        running.store(queue.under_way.len() as i64, Ordering::Relaxed);
        waiting.store((queue.turns.len() + queue.analyses.len()) as i64, Ordering::Relaxed);
    }
}

/// The workers and what waits for them.
pub struct Engines(Arc<Shared>);

impl Engines {
    /// Workers for so many analyses at once, and one more for turns.
    pub fn new(most_analyses: usize, metrics: Arc<Metrics>) -> Engines {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            wake: Condvar::new(),
            most_analyses,
            metrics,
        });
        for _ in 0..=most_analyses {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || work(&shared));
        }
        Engines(shared)
    }

    /// Queues a task, unless too many wait already. It does not begin after its switch was used.
    pub fn submit(
        &self,
        lane: Lane,
        stop: Stop,
        told: impl Fn(usize) + Send + 'static,
        work: impl FnOnce(&mut Desk) + Send + 'static,
    ) -> bool {
        let mut queue = self.0.lock();
        // Those whom nobody waits for any more make room.
        queue.analyses.retain(|task| !task.stop.is_stopped());
        queue.turns.retain(|task| !task.stop.is_stopped());
        let busy = queue.analysing >= self.0.most_analyses;
        let waiting = if lane == Lane::Turn { &mut queue.turns } else { &mut queue.analyses };
        if waiting.len() >= MOST_WAITING {
            return false;
        }
        if lane == Lane::Analysis && busy {
            told(waiting.len() + 1);
        }
        waiting.push_back(Task { stop, told: Box::new(told), work: Box::new(work) });
        self.0.count(&queue);
        self.0.wake.notify_all();
        true
    }

    /// Ends what is under way, and drops what waits.
    pub fn close(&self) {
        let mut queue = self.0.lock();
        queue.closed = true;
        queue.turns.clear();
        queue.analyses.clear();
        queue.under_way.iter().for_each(Stop::stop);
        self.0.wake.notify_all();
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.close();
    }
}

fn work(shared: &Shared) {
    let mut desk = Desk::of_one(MEBIBYTES);
    let mut queue = shared.lock();
    while !queue.closed {
        let Some((lane, task)) = queue.next(shared.most_analyses) else {
            queue = shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let stop = task.stop.clone();
        queue.under_way.push(stop.clone());
        shared.count(&queue);
        drop(queue);
        if !stop.is_stopped() && catch_unwind(AssertUnwindSafe(|| (task.work)(&mut desk))).is_err()
        {
            tracing::error!("an engine task panicked");
            shared.metrics.panics.fetch_add(1, Ordering::Relaxed);
            desk = Desk::of_one(MEBIBYTES);
        }
        // All tasks under this switch are over or about to be.
        stop.stop();
        queue = shared.lock();
        queue.under_way.retain(|own| !own.is_stopped());
        queue.analysing -= usize::from(lane == Lane::Analysis);
        shared.count(&queue);
        shared.wake.notify_all();
    }
}
