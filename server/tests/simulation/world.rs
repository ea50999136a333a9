//! Simulated time, and the processes that run in it.
//!
//! Every process has a tokio runtime of its own with a paused clock, so that it can be killed (dropped) or suspended (not
//! run). Everything between processes goes through one queue of events in the order of simulated time. A process runs
//! when an event concerns it, and otherwise every few milliseconds, so its timers are a little late, as on a busy
//! machine.
//!
//! Why not `turmoil`: by its documentation it runs every host in every tick of a fixed width; it has no suspended processes
//! and no machines whose clocks jump; and its network is one of TCP connections, whereas the database here is cut at the
//! level of statements, so that no protocol has to be imitated.

use rules::random::Random;
use server::clocks::time::Source;
use server::ids::Chance;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Simulated time, in microseconds.
pub type Micros = u64;

pub const MS: Micros = 1_000;
pub const SECOND: Micros = 1_000_000;

/// What the machines' clocks show when the simulation begins, in milliseconds.
pub const EPOCH: i64 = 1_800_000_000_000;

type Event = (usize, Box<dyn FnOnce() + Send>);
type Events = BTreeMap<(Micros, u64), Event>;

pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Time, randomness, the event queue, and the trace.
pub struct World {
    seed: u64,
    now: AtomicU64,
    /// How many events there have been, and the pending ones.
    queue: Mutex<(u64, Events)>,
    random: Mutex<Random>,
    trace: Mutex<String>,
}

impl World {
    pub fn new(seed: u64) -> Arc<World> {
        Arc::new(World {
            seed,
            now: AtomicU64::new(0),
            queue: Mutex::default(),
            random: Mutex::new(Random::new(seed)),
            trace: Mutex::default(),
        })
    }

    pub fn now(&self) -> Micros {
        self.now.load(Ordering::Relaxed)
    }

    /// The true time in milliseconds since 1970.
    pub fn millis(&self) -> i64 {
        EPOCH + (self.now() / MS) as i64
    }

    /// A number below `below`.
    pub fn draw(&self, below: u64) -> u64 {
        lock(&self.random).below(below.max(1) as usize) as u64
    }

    /// A separate generator for something shared by several tasks: the order in which tokio wakes tasks waiting for the
    /// same thing cannot be controlled, and the draws of one must not depend on the others.
    pub fn own(&self, name: u64) -> Random {
        Random::new(rules::random::spread(self.seed ^ name.wrapping_mul(0x9e37_79b9)))
    }

    pub fn between(&self, least: u64, most: u64) -> u64 {
        least + self.draw(most - least + 1)
    }

    /// True once in `times`.
    pub fn once_in(&self, times: u64) -> bool {
        self.draw(times) == 0
    }

    /// Schedules an event, after which `process` runs.
    pub fn at(&self, time: Micros, process: usize, event: impl FnOnce() + Send + 'static) {
        let (count, queue) = &mut *lock(&self.queue);
        *count += 1;
        queue.insert((time.max(self.now()), *count), (process, Box::new(event)));
    }

    pub fn after(&self, time: Micros, process: usize, event: impl FnOnce() + Send + 'static) {
        self.at(self.now() + time, process, event);
    }

    fn next(&self, until: Micros) -> Option<(Micros, Event)> {
        let queue = &mut lock(&self.queue).1;
        let first = queue.first_entry()?;
        let time = first.key().0;
        (time <= until).then(|| (time, first.remove()))
    }

    /// Adds a line to the trace, which must be the same for equal seeds.
    pub fn note(&self, text: std::fmt::Arguments<'_>) {
        let now = self.now();
        let _ = writeln!(lock(&self.trace), "{}.{:06} {text}", now / SECOND, now % SECOND);
    }

    pub fn trace(&self) -> String {
        lock(&self.trace).clone()
    }
}

/// Adds a line to the trace.
#[macro_export]
macro_rules! note {
    ($world:expr, $($arg:tt)*) => { $world.note(format_args!($($arg)*)) };
}

impl Chance for World {
    fn fill(&self, bytes: &mut [u8]) -> bool {
        let mut random = lock(&self.random);
        bytes.iter_mut().for_each(|byte| *byte = random.below(256) as u8);
        true
    }
}

/// The clocks of a machine.
pub struct Clocks {
    world: Arc<World>,
    /// For how long the machine has slept, while its monotonic clock stood still.
    pub slept: AtomicU64,
    /// How far its wall clock is off, in milliseconds.
    pub wrong: AtomicI64,
}

impl Clocks {
    pub fn new(world: &Arc<World>) -> Arc<Clocks> {
        Arc::new(Clocks { world: Arc::clone(world), slept: 0.into(), wrong: 0.into() })
    }

    /// The monotonic clock.
    fn micros(&self) -> Micros {
        self.world.now() - self.slept.load(Ordering::Relaxed)
    }
}

impl Source for Clocks {
    fn steady(&self) -> Duration {
        Duration::from_micros(self.micros())
    }

    fn wall(&self) -> i64 {
        self.world.millis() + self.wrong.load(Ordering::Relaxed)
    }
}

/// Resolves when the runtime has nothing to do. Its clock then stands still, because the runtime was woken.
#[derive(Clone, Default)]
struct Idle(Arc<(AtomicBool, Mutex<Option<Waker>>)>);

impl Idle {
    fn parked(&self) {
        self.0.0.store(true, Ordering::Relaxed);
        lock(&self.0.1).take().into_iter().for_each(Waker::wake);
    }
}

impl Future for Idle {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.0.0.swap(false, Ordering::Relaxed) {
            return Poll::Ready(());
        }
        *lock(&self.0.1) = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// A process with its runtime.
pub struct Process {
    runtime: Runtime,
    idle: Idle,
    /// How far its clock has advanced, by the machine's monotonic clock.
    clock: Micros,
    began: Micros,
    next: Micros,
    pub suspended: bool,
}

impl Process {
    pub fn start(clocks: &Clocks, main: impl Future<Output = ()> + Send + 'static) -> Process {
        let idle = Idle::default();
        let parked = idle.clone();
        let runtime = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .on_thread_park(move || parked.parked())
            .build()
            .unwrap();
        runtime.spawn(main);
        let began = clocks.micros();
        Process { runtime, idle, clock: 0, began, next: clocks.world.now(), suspended: false }
    }

    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(task);
    }

    /// Runs the process until it waits.
    fn run(&mut self, clocks: &Clocks) {
        self.next = clocks.world.now() + clocks.world.between(MS, 12 * MS);
        let clock = clocks.micros() - self.began;
        let by = Duration::from_micros(clock.saturating_sub(self.clock));
        self.clock = clock.max(self.clock);
        let idle = self.idle.clone();
        self.runtime.block_on(async {
            if !by.is_zero() {
                tokio::time::advance(by).await;
            }
            idle.0.0.store(false, Ordering::Relaxed);
            idle.await;
        });
    }
}

/// All processes. Number 0 is the clients'; each server has its own.
pub struct Processes {
    pub world: Arc<World>,
    pub all: Vec<Option<Process>>,
    pub clocks: Vec<Arc<Clocks>>,
}

impl Processes {
    pub fn new(world: &Arc<World>, count: usize) -> Processes {
        let clocks = (0..count).map(|_| Clocks::new(world)).collect();
        Processes { world: Arc::clone(world), all: (0..count).map(|_| None).collect(), clocks }
    }

    /// Advances time.
    pub fn run_until(&mut self, end: Micros) {
        loop {
            let awake = self.all.iter().flatten().filter(|process| !process.suspended);
            let next = awake.map(|process| process.next).min().unwrap_or(end).min(end);
            if let Some((time, (process, event))) = self.world.next(next) {
                self.world.now.store(time, Ordering::Relaxed);
                event();
                self.run(process);
                continue;
            }
            self.world.now.store(next.max(self.world.now()), Ordering::Relaxed);
            for i in 0..self.all.len() {
                if self.all[i].as_ref().is_some_and(|own| own.next <= next) {
                    self.run(i);
                }
            }
            if next >= end {
                return;
            }
        }
    }

    fn run(&mut self, number: usize) {
        if let Some(process) = self.all[number].as_mut().filter(|process| !process.suspended) {
            process.run(&self.clocks[number]);
        }
    }
}
