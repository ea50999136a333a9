//! The pool of engine threads. Tasks run in the order of [`crate::work::queue`] and are stopped when nobody waits for
//! them.

use crate::http::limits::{Limits, of_engine};
use crate::http::meter::thread_time;
use crate::http::networks::household;
use crate::metrics::Metrics;
use crate::work::queue::{Order, Queue, Waiting};
use engine::Stop;
use requests::Desk;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The size of each thread's transposition table.
const MEBIBYTES: usize = 16;

/// How often the keeper looks for tasks that have used up their time.
const LOOK: Duration = Duration::from_millis(250);

/// Whether a task is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Finished.
    Done,
    /// There is more to do, and other tasks may go first.
    More,
}

type Work = Box<dyn FnMut(&mut Desk) -> Progress + Send>;
type OnAhead = Box<dyn Fn(usize) + Send>;

struct Task {
    stop: Stop,
    /// Called with the number of tasks ahead whenever that changes.
    on_ahead: OnAhead,
    /// The number last reported.
    ahead: usize,
    work: Work,
}

struct State {
    queue: Queue<Task>,
    /// The stop flags of running tasks, by task number.
    under_way: Vec<(u64, Stop)>,
    closed: bool,
}

struct Pool {
    state: Mutex<State>,
    wake: Condvar,
    /// Wakes simulated threads.
    wake_simulated: Notify,
    /// Wakes the keeper when a task is queued.
    wake_keeper: Condvar,
    workers: usize,
    turns_waiting: AtomicUsize,
    metrics: Arc<Metrics>,
    /// Charges addresses for engine time; none on a worker, where only servers ask.
    limits: Option<Arc<Limits>>,
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, state: &State) {
        let [running, waiting] = &self.metrics.jobs;
        running.store(state.queue.running() as i64, Ordering::Relaxed);
        waiting.store(state.queue.waiting() as i64, Ordering::Relaxed);
        self.turns_waiting.store(state.queue.turns_waiting(), Ordering::Relaxed);
    }
}

/// Reports queue positions to long tasks that have not started.
fn tell_positions(queue: &mut Queue<Task>) {
    for (ahead, waiting) in (1..).zip(queue.long_waiting()) {
        let task = &mut waiting.task;
        if task.ahead != ahead {
            task.ahead = ahead;
            (task.on_ahead)(ahead);
        }
    }
}

/// The load of the pool.
pub struct Load(Arc<Pool>);

impl Load {
    /// The factor by which the time of each turn is divided: 1 plus the number of waiting turns per thread.
    pub fn of_turns(&self) -> u32 {
        let waiting = self.0.turns_waiting.load(Ordering::Relaxed);
        u32::try_from(1 + waiting / self.0.workers).unwrap_or(u32::MAX)
    }
}

/// A simulated search takes this long and visits this many nodes, however fast the machine is.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    pub time: Duration,
    pub nodes: u64,
}

/// The engine threads and their queue.
pub struct Engines(Arc<Pool>, Option<Search>);

impl Engines {
    pub fn new(workers: usize, metrics: Arc<Metrics>, limits: Option<Arc<Limits>>) -> Engines {
        let pool = Engines::pool(workers, metrics, limits);
        for _ in 0..workers {
            let pool = Arc::clone(&pool);
            std::thread::spawn(move || work(&pool));
        }
        let keeper = Arc::clone(&pool);
        std::thread::spawn(move || keep(&keeper));
        Engines(pool, None)
    }

    /// Tasks instead of threads, so that everything happens in a repeatable order.
    pub fn simulated(workers: usize, metrics: Arc<Metrics>, search: Search) -> Engines {
        let pool = Engines::pool(workers, metrics, None);
        for _ in 0..workers {
            tokio::spawn(work_simulated(Arc::clone(&pool), search.time));
        }
        Engines(pool, Some(search))
    }

    /// The nodes that a simulated search may visit.
    pub fn nodes(&self) -> Option<u64> {
        self.1.map(|search| search.nodes)
    }

    fn pool(workers: usize, metrics: Arc<Metrics>, limits: Option<Arc<Limits>>) -> Arc<Pool> {
        let state = State { queue: Queue::new(workers), under_way: Vec::new(), closed: false };
        Arc::new(Pool {
            state: Mutex::new(state),
            wake: Condvar::new(),
            wake_simulated: Notify::new(),
            wake_keeper: Condvar::new(),
            workers,
            turns_waiting: AtomicUsize::new(0),
            metrics,
            limits,
        })
    }

    /// Queues a task that is done in one step; returns false if the queue is full.
    pub fn submit_once(
        &self,
        order: Order,
        stop: Stop,
        work: impl FnOnce(&mut Desk) + Send + 'static,
    ) -> bool {
        let mut work = Some(work);
        self.submit(
            order,
            stop,
            |_| {},
            move |desk| {
                work.take().into_iter().for_each(|work| work(desk));
                Progress::Done
            },
        )
    }

    /// Queues a task; returns false if the queue is full. It is not continued once `stop` is set. Long tasks are told
    /// their position in the queue.
    pub fn submit(
        &self,
        order: Order,
        stop: Stop,
        on_ahead: impl Fn(usize) + Send + 'static,
        work: impl FnMut(&mut Desk) -> Progress + Send + 'static,
    ) -> bool {
        let mut state = self.0.lock();
        // Abandoned tasks make room.
        state.queue.retain(|task| !task.stop.is_stopped());
        let order = Order { address: household(order.address), ..order };
        let task = Task { stop, on_ahead: Box::new(on_ahead), ahead: 0, work: Box::new(work) };
        if state.closed || state.queue.push(order, task).is_none() {
            return false;
        }
        if state.queue.is_busy() {
            tell_positions(&mut state.queue);
        }
        self.0.count(&state);
        self.0.wake.notify_all();
        self.0.wake_simulated.notify_waiters();
        self.0.wake_keeper.notify_one();
        true
    }

    pub fn load(&self) -> Load {
        Load(Arc::clone(&self.0))
    }

    /// Stops running tasks and drops queued ones.
    pub fn close(&self) {
        let mut state = self.0.lock();
        state.closed = true;
        state.queue.retain(|_| false);
        state.under_way.iter().for_each(|(_, stop)| stop.stop());
        self.0.wake.notify_all();
        self.0.wake_simulated.notify_waiters();
        self.0.wake_keeper.notify_all();
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.close();
    }
}

/// Lowers the thread's priority if there are more engine threads than cores: moves must not wait for searches.
#[cfg(target_os = "linux")]
fn give_way() {
    // On Linux this affects only the calling thread. If it is refused, the thread keeps its priority.
    let _ = rustix::process::setpriority_process(None, 10);
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}

fn work(pool: &Pool) {
    give_way();
    let mut desk = Desk::of_one(MEBIBYTES);
    let mut state = pool.lock();
    while !state.closed {
        let Some(mut next) = state.queue.next(Instant::now()) else {
            tell_positions(&mut state.queue);
            state = pool.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        begin(pool, &mut state, &next);
        drop(state);
        let before = thread_time();
        let progress = advance(pool, &mut desk, &mut next);
        if let Some(limits) = &pool.limits {
            let time = thread_time().saturating_sub(before);
            limits.charge(next.order.address, of_engine(time));
        }
        state = pool.lock();
        finish(pool, &mut state, next, progress);
        pool.wake.notify_all();
    }
}

async fn work_simulated(pool: Arc<Pool>, time: Duration) {
    let mut desk = Desk::of_one(1);
    loop {
        let woken = pool.wake_simulated.notified();
        let next = {
            let mut state = pool.lock();
            if state.closed {
                return;
            }
            let next = state.queue.next(Instant::now());
            next.iter().for_each(|next| begin(&pool, &mut state, next));
            next
        };
        let Some(mut next) = next else {
            woken.await;
            continue;
        };
        tokio::time::sleep(time).await;
        let progress = advance(&pool, &mut desk, &mut next);
        finish(&pool, &mut pool.lock(), next, progress);
        pool.wake_simulated.notify_waiters();
    }
}

fn begin(pool: &Pool, state: &mut State, next: &Waiting<Task>) {
    state.under_way.push((next.number, next.task.stop.clone()));
    tell_positions(&mut state.queue);
    pool.count(state);
}

fn finish(pool: &Pool, state: &mut State, next: Waiting<Task>, progress: Progress) {
    state.under_way.retain(|(own, _)| *own != next.number);
    state.queue.finished(next.number);
    match progress {
        Progress::More if !state.closed => state.queue.put(Waiting { begun: true, ..next }),
        _ => drop(next),
    }
    pool.count(state);
}

/// Runs one step of a task; one that panics or is stopped is finished.
fn advance(pool: &Pool, desk: &mut Desk, next: &mut Waiting<Task>) -> Progress {
    let task = &mut next.task;
    if task.stop.is_stopped() {
        return Progress::Done;
    }
    catch_unwind(AssertUnwindSafe(|| (task.work)(desk))).unwrap_or_else(|_| {
        tracing::error!("an engine task panicked");
        pool.metrics.panics.fetch_add(1, Ordering::Relaxed);
        *desk = Desk::of_one(MEBIBYTES);
        Progress::Done
    })
}

/// Stops long tasks that have used up their time while others wait.
fn keep(pool: &Pool) {
    let mut state = pool.lock();
    while !state.closed {
        if let Some(number) = state.queue.overdue(Instant::now()) {
            let own = state.under_way.iter().find(|(own, _)| *own == number);
            own.into_iter().for_each(|(_, stop)| stop.stop());
        }
        state = match state.queue.waiting() {
            0 => pool.wake_keeper.wait(state).unwrap_or_else(PoisonError::into_inner),
            _ => {
                let waited = pool.wake_keeper.wait_timeout(state, LOOK);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::queue::{Kind, Lane};
    use std::sync::mpsc::{Receiver, Sender, channel};

    fn order(address: u8, kind: Kind) -> Order {
        Order { address: [10, 0, 0, address].into(), lane: Lane::Asked(kind) }
    }

    /// A task that runs until released and reports when it has started.
    fn long(engines: &Engines, order: Order) -> (Receiver<()>, Sender<()>, Receiver<usize>) {
        let ((begin, begun), (go, gone), (tell, told)) = (channel(), channel(), channel());
        let work = move |_: &mut Desk| {
            begin.send(()).unwrap();
            // Dropping the sender releases it too.
            let _ = gone.recv();
            Progress::Done
        };
        let tell = move |ahead: usize| tell.send(ahead).unwrap();
        assert!(engines.submit(order, Stop::default(), tell, work));
        (begun, go, told)
    }

    #[test]
    fn who_waits_learns_how_many_come_first() {
        let engines = Engines::new(3, Arc::default(), None);
        let running = [1, 2].map(|address| long(&engines, order(address, Kind::Analysis)));
        running.iter().for_each(|(begun, ..)| begun.recv().unwrap());
        let [first, second] = [3, 4].map(|address| long(&engines, order(address, Kind::Analysis)));
        assert_eq!((first.2.recv(), second.2.recv()), (Ok(1), Ok(2)));
        drop(running);
        first.0.recv().unwrap();
        second.0.recv().unwrap();
    }

    #[test]
    fn a_short_task_does_not_wait_for_long_ones_and_what_panics_is_over() {
        let engines = Engines::new(3, Arc::default(), None);
        let running: Vec<_> = (0..4).map(|_| long(&engines, order(1, Kind::Review))).collect();
        running[0].0.recv().unwrap();
        let (answer, answered) = channel();
        let panics = |_: &mut Desk| panic!("on purpose");
        assert!(engines.submit_once(order(2, Kind::Hint), Stop::default(), panics));
        let hint = move |_: &mut Desk| answer.send(7).unwrap();
        assert!(engines.submit_once(order(2, Kind::Hint), Stop::default(), hint));
        assert_eq!(answered.recv(), Ok(7));
        assert_eq!(engines.0.metrics.panics.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_steps_of_two_addresses_take_turns() {
        let engines = Engines::new(2, Arc::default(), None);
        let (tell, told) = channel();
        let (begun, go, _told) = long(&engines, order(9, Kind::Review));
        begun.recv().unwrap();
        for name in ["a", "b"] {
            let tell = tell.clone();
            let mut left = 3;
            let work = move |_: &mut Desk| {
                tell.send(name).unwrap();
                left -= 1;
                if left == 0 { Progress::Done } else { Progress::More }
            };
            let address = name.as_bytes()[0];
            assert!(engines.submit(order(address, Kind::Review), Stop::default(), |_| {}, work));
        }
        drop((tell, go));
        assert_eq!(told.iter().collect::<String>(), "ababab");
    }
}
