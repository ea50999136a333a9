//! Engine work: on threads of its own, in the order of [`crate::queue`], and ended when nobody waits for it.

use crate::limits::household;
use crate::metrics::Metrics;
use crate::queue::{Order, Queue, Waiting};
use engine::Stop;
use requests::Desk;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How much memory the table of one worker takes.
const MEBIBYTES: usize = 16;

/// How often the keeper looks whether something has had its time.
const LOOK: Duration = Duration::from_millis(250);

/// What is left of a task after some work on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing.
    Done,
    /// More of the same, for which others need not wait.
    More,
}

type Work = Box<dyn FnMut(&mut Desk) -> Progress + Send>;
type Told = Box<dyn Fn(usize) + Send>;

struct Task {
    stop: Stop,
    /// Learns how many come first, whenever that changes.
    told: Told,
    /// What was told last.
    ahead: usize,
    work: Work,
}

struct State {
    queue: Queue<Task>,
    /// The switches of the tasks under way, by their numbers.
    under_way: Vec<(u64, Stop)>,
    closed: bool,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    /// Wakes the keeper when something waits.
    wake_keeper: Condvar,
    workers: usize,
    turns_waiting: AtomicUsize,
    metrics: Arc<Metrics>,
}

impl Shared {
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

/// Tells those that wait for something long how many come first.
fn tell(queue: &mut Queue<Task>) {
    for (ahead, waiting) in (1..).zip(queue.long_waiting()) {
        let task = &mut waiting.task;
        if task.ahead != ahead {
            task.ahead = ahead;
            (task.told)(ahead);
        }
    }
}

/// How much the workers have to do.
pub struct Load(Arc<Shared>);

impl Load {
    /// How many times more turns are to be found than there are workers: each turn has less time then.
    pub fn of_turns(&self) -> u32 {
        let waiting = self.0.turns_waiting.load(Ordering::Relaxed);
        u32::try_from(1 + waiting / self.0.workers).unwrap_or(u32::MAX)
    }
}

/// The workers and what waits for them.
pub struct Engines(Arc<Shared>);

impl Engines {
    /// So many workers.
    pub fn new(workers: usize, metrics: Arc<Metrics>) -> Engines {
        let state = State { queue: Queue::new(workers), under_way: Vec::new(), closed: false };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            wake: Condvar::new(),
            wake_keeper: Condvar::new(),
            workers,
            turns_waiting: AtomicUsize::new(0),
            metrics,
        });
        for _ in 0..workers {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || work(&shared));
        }
        let keeper = Arc::clone(&shared);
        std::thread::spawn(move || keep(&keeper));
        Engines(shared)
    }

    /// Queues a task that is done in one go, unless too many wait already.
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

    /// Queues a task, unless too many wait already. It does not go on after its switch was used; who waits
    /// for something long is told how many come first.
    pub fn submit(
        &self,
        order: Order,
        stop: Stop,
        told: impl Fn(usize) + Send + 'static,
        work: impl FnMut(&mut Desk) -> Progress + Send + 'static,
    ) -> bool {
        let mut state = self.0.lock();
        // Those whom nobody waits for any more make room.
        state.queue.retain(|task| !task.stop.is_stopped());
        let order = Order { address: household(order.address), ..order };
        let task = Task { stop, told: Box::new(told), ahead: 0, work: Box::new(work) };
        if state.closed || state.queue.push(order, task).is_none() {
            return false;
        }
        if state.queue.is_busy() {
            tell(&mut state.queue);
        }
        self.0.count(&state);
        self.0.wake.notify_all();
        self.0.wake_keeper.notify_one();
        true
    }

    /// How much there is to do.
    pub fn load(&self) -> Load {
        Load(Arc::clone(&self.0))
    }

    /// Ends what is under way, and drops what waits.
    pub fn close(&self) {
        let mut state = self.0.lock();
        state.closed = true;
        state.queue.retain(|_| false);
        state.under_way.iter().for_each(|(_, stop)| stop.stop());
        self.0.wake.notify_all();
        self.0.wake_keeper.notify_all();
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.close();
    }
}

fn work(shared: &Shared) {
    let mut desk = Desk::of_one(MEBIBYTES);
    let mut state = shared.lock();
    while !state.closed {
        let Some(mut next) = state.queue.next(Instant::now()) else {
            tell(&mut state.queue);
            state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        let number = next.number;
        state.under_way.push((number, next.task.stop.clone()));
        tell(&mut state.queue);
        shared.count(&state);
        drop(state);
        let progress = advance(shared, &mut desk, &mut next);
        state = shared.lock();
        state.under_way.retain(|(own, _)| *own != number);
        state.queue.finished(number);
        match progress {
            Progress::More if !state.closed => state.queue.put(Waiting { begun: true, ..next }),
            _ => drop(next),
        }
        shared.count(&state);
        shared.wake.notify_all();
    }
}

/// Does some of a task; one that panics or that nobody waits for is over.
fn advance(shared: &Shared, desk: &mut Desk, next: &mut Waiting<Task>) -> Progress {
    let task = &mut next.task;
    if task.stop.is_stopped() {
        return Progress::Done;
    }
    catch_unwind(AssertUnwindSafe(|| (task.work)(desk))).unwrap_or_else(|_| {
        tracing::error!("an engine task panicked");
        shared.metrics.panics.fetch_add(1, Ordering::Relaxed);
        *desk = Desk::of_one(MEBIBYTES);
        Progress::Done
    })
}

/// Ends what has had its time while others wait.
fn keep(shared: &Shared) {
    let mut state = shared.lock();
    while !state.closed {
        if let Some(number) = state.queue.overdue(Instant::now()) {
            let own = state.under_way.iter().find(|(own, _)| *own == number);
            own.into_iter().for_each(|(_, stop)| stop.stop());
        }
        state = match state.queue.waiting() {
            0 => shared.wake_keeper.wait(state).unwrap_or_else(PoisonError::into_inner),
            _ => {
                let waited = shared.wake_keeper.wait_timeout(state, LOOK);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Kind, Lane};
    use std::sync::mpsc::{Receiver, Sender, channel};

    fn order(address: u8, kind: Kind) -> Order {
        Order { address: [10, 0, 0, address].into(), lane: Lane::Asked(kind) }
    }

    /// Something that goes on until it is let go, and says when it has begun.
    fn long(engines: &Engines, order: Order) -> (Receiver<()>, Sender<()>, Receiver<usize>) {
        let ((begin, begun), (go, gone), (tell, told)) = (channel(), channel(), channel());
        let work = move |_: &mut Desk| {
            begin.send(()).unwrap();
            // Whoever is dropped is let go.
            let _ = gone.recv();
            Progress::Done
        };
        let tell = move |ahead: usize| tell.send(ahead).unwrap();
        assert!(engines.submit(order, Stop::default(), tell, work));
        (begun, go, told)
    }

    #[test]
    fn who_waits_learns_how_many_come_first() {
        let engines = Engines::new(3, Arc::default());
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
        let engines = Engines::new(3, Arc::default());
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
        let engines = Engines::new(2, Arc::default());
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
