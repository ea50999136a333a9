//! When a search has to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How much may be spent on one decision; what is not set is not limited.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Time.
    pub time: Option<Duration>,
    /// Positions looked at.
    pub nodes: Option<u64>,
    /// Moves looked ahead.
    pub depth: Option<u32>,
    /// How many best lines to find.
    pub lines: usize,
    /// How many threads to use.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: None, nodes: None, depth: None, lines: 1, threads: 1 }
    }
}

impl Limits {
    /// So much time and nothing else.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }

    /// So many positions and nothing else.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A fair share of a clock: a thirtieth of what is left and most of the increment, but never so
    /// much that the clock could run out.
    pub fn clock(left: Duration, increment: Duration) -> Limits {
        let share = left / 30 + increment * 3 / 4;
        Limits::time(share.min(left * 4 / 5).max(Duration::from_millis(1)))
    }
}

/// A switch that ends a search from outside.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends the search, now or when it begins.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// One search under way: its limits and what has been spent by all its threads.
#[derive(Debug)]
pub struct Control {
    limits: Limits,
    stop: Stop,
    started: Instant,
    nodes: AtomicU64,
    /// Set when any limit is reached, so that all threads end together.
    done: AtomicBool,
}

/// How many nodes a thread visits between two looks at the clock.
pub const POLL: u64 = 256;

impl Control {
    /// A search that begins now.
    pub fn new(limits: &Limits, stop: &Stop) -> Control {
        Control {
            limits: limits.clone(),
            stop: stop.clone(),
            started: Instant::now(),
            nodes: AtomicU64::new(0),
            done: AtomicBool::new(false),
        }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How long it has been going on.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How many nodes all threads have reported.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Adds the nodes of a thread and says whether it has to end.
    pub fn spend(&self, nodes: u64) -> bool {
        let total = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        let over = self.limits.nodes.is_some_and(|most| total >= most)
            || self.limits.time.is_some_and(|most| self.elapsed() >= most)
            || self.stop.is_stopped();
        if over {
            self.finish();
        }
        self.is_done()
    }

    /// Ends all threads.
    pub fn finish(&self) {
        self.done.store(true, Ordering::Relaxed);
    }

    /// Whether a limit has been reached.
    pub fn is_done(&self) -> bool {
        self.done.load(Ordering::Relaxed)
    }

    /// How many nodes a thread may visit before it must report: fewer near a limit, so that one thread
    /// ends on the very node.
    pub fn quota(&self) -> u64 {
        match self.limits.nodes {
            Some(most) => most.saturating_sub(self.nodes()).clamp(1, POLL),
            None => POLL,
        }
    }
}

/// Counts the nodes of one thread and reports them now and then.
#[derive(Debug)]
pub struct Meter<'a> {
    control: &'a Control,
    nodes: u64,
    quota: u64,
    stopped: bool,
}

impl<'a> Meter<'a> {
    /// A meter at nought.
    pub fn new(control: &'a Control) -> Meter<'a> {
        Meter { control, nodes: 0, quota: control.quota(), stopped: false }
    }

    /// Counts a node and says whether the thread has to end.
    #[inline]
    pub fn tick(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.quota {
            self.stopped |= self.control.spend(self.nodes);
            self.nodes = 0;
            self.quota = self.control.quota();
        }
        self.stopped
    }

    /// Whether the thread has to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// How many nodes have not been reported yet.
    pub fn unreported(&self) -> u64 {
        self.nodes
    }
}
