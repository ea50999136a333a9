//! Time and node limits of a turn, and when its searches must stop.
//!
//! A [`Control`] is made when a turn begins. Each stage of the turn gets a [`Share`] of it and each thread of
//! a stage a [`Meter`], so that no stage can spend another's share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The limits of one turn; `None` means unlimited.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Hard time limit, from the start of the turn to its answer.
    pub time: Option<Duration>,
    /// Soft time limit: less is used if successive depths agree, more if they differ.
    pub soft: Option<Duration>,
    /// Node limit of all searches together.
    pub nodes: Option<u64>,
    /// Depth limit, in moves.
    pub depth: Option<u32>,
    /// Number of best lines to find (MultiPV).
    pub lines: usize,
    /// Number of threads.
    pub threads: usize,
    /// Whether to search alone, without what certificates prove.
    pub unaided: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: None,
            soft: None,
            nodes: None,
            depth: None,
            lines: 1,
            threads: 1,
            unaided: false,
        }
    }
}

impl Limits {
    /// Limited by time alone.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }

    /// Limited by nodes alone.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A turn's share of the clock: a thirtieth of the time left and most of the increment, which is added
    /// after the turn; three times as much if the choice is difficult. Never more than half of the time left,
    /// in case the machine is busy when the turn should be sent.
    pub fn clock(left: Duration, increment: Duration) -> Limits {
        let share = (left / 30).saturating_add(increment / 4 * 3).min(left / 2);
        Limits { soft: Some(share), ..Limits::time(share.saturating_mul(3).min(left / 2)) }
    }

    /// The same limits with at most this much time.
    #[must_use]
    pub fn within(self, most: Duration) -> Limits {
        let least = |time: Option<Duration>| time.map(|time| time.min(most));
        Limits { time: least(self.time).or(Some(most)), soft: least(self.soft), ..self }
    }
}

/// A flag that stops a search from outside.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the search, even one that has not started yet.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the search was stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The budget of one turn: its limits and what all its searches have spent so far.
#[derive(Debug)]
pub struct Control {
    limits: Limits,
    stop: Stop,
    started: Instant,
    /// Nodes reserved by meters, which return what they do not use.
    nodes: AtomicU64,
}

impl Control {
    /// The budget of a turn that starts now.
    pub fn new(limits: &Limits, stop: &Stop) -> Control {
        Control {
            limits: limits.clone(),
            stop: stop.clone(),
            started: Instant::now(),
            nodes: AtomicU64::new(0),
        }
    }

    /// The limits of the whole turn.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Time since the start of the turn.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Nodes that all searches have visited or reserved.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// The whole remaining budget.
    pub fn rest(&self) -> Share<'_> {
        Share { control: self, until: self.limits.time, most: self.limits.nodes }
    }

    /// The remaining soft limit, in time and in nodes, divided by `parts`.
    pub fn part(&self, parts: u32) -> Share<'_> {
        let (elapsed, nodes) = (self.elapsed(), self.nodes());
        let until = |time: Duration| elapsed + time.saturating_sub(elapsed) / parts;
        let most = |most: u64| nodes + most.saturating_sub(nodes) / u64::from(parts);
        Share {
            control: self,
            until: self.limits.soft.or(self.limits.time).map(until),
            most: self.limits.nodes.map(most),
        }
    }

    /// Reserves nodes: as many as wanted, or what remains below `most`.
    fn take(&self, wanted: u64, most: Option<u64>) -> u64 {
        let Some(most) = most else {
            self.nodes.fetch_add(wanted, Ordering::Relaxed);
            return wanted;
        };
        let after = |nodes: u64| nodes + wanted.min(most.saturating_sub(nodes));
        let before = self
            .nodes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |nodes| Some(after(nodes)));
        before.map_or(0, |before| after(before) - before)
    }
}

/// The share of a turn's budget for one of its stages.
#[derive(Clone, Copy, Debug)]
pub struct Share<'a> {
    control: &'a Control,
    /// Deadline since the start of the turn.
    until: Option<Duration>,
    /// Limit on the nodes of the whole turn.
    most: Option<u64>,
}

impl<'a> From<&'a Control> for Share<'a> {
    fn from(control: &'a Control) -> Self {
        control.rest()
    }
}

impl<'a> Share<'a> {
    /// The budget that this is a share of.
    pub fn control(&self) -> &'a Control {
        self.control
    }

    /// Whether the share's time has passed, or the search was stopped.
    pub fn is_over(&self) -> bool {
        self.until.is_some_and(|until| self.control.elapsed() >= until)
            || self.control.stop.is_stopped()
    }

    /// A meter for one thread.
    pub fn meter(self) -> Meter<'a> {
        Meter::new(self, None)
    }

    /// A meter for a thread that also stops when the flag is set.
    pub fn meter_until(self, ended: &'a AtomicBool) -> Meter<'a> {
        Meter::new(self, Some(ended))
    }
}

/// How often a thread reads the clock.
const INTERVAL: Duration = Duration::from_micros(250);
/// The most nodes between two readings.
const MOST_UNSEEN: u64 = 1 << 12;

/// Counts the nodes of one thread within a share, and tells it when to stop.
///
/// It reserves nodes before they are visited, so that the limit is never exceeded. A batch is as large as recently
/// fitted between two clock readings: a node takes microseconds in one search and most of a millisecond in
/// another.
#[derive(Debug)]
pub struct Meter<'a> {
    share: Share<'a>,
    ended: Option<&'a AtomicBool>,
    /// Nodes reserved and not yet visited.
    left: u64,
    /// The size of the last reservation.
    taken: u64,
    /// Time of the last reservation.
    looked: Duration,
    /// Estimated nanoseconds per node: rises at once, falls slowly.
    cost: u64,
    stopped: bool,
}

impl<'a> Meter<'a> {
    fn new(share: Share<'a>, ended: Option<&'a AtomicBool>) -> Meter<'a> {
        let looked = share.control.elapsed();
        let mut meter = Meter { share, ended, left: 0, taken: 0, looked, cost: 0, stopped: false };
        meter.take(1);
        meter
    }

    /// Counts a node and returns whether the thread must stop.
    #[inline]
    pub fn tick(&mut self) -> bool {
        if self.left > 1 {
            self.left -= 1;
            return false;
        }
        self.look()
    }

    /// Whether the thread must stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Nodes of the turn so far, as far as this thread knows.
    pub fn nodes(&self) -> u64 {
        self.share.control.nodes().saturating_sub(self.left)
    }

    #[cold]
    fn look(&mut self) -> bool {
        if self.stopped {
            return true;
        }
        self.left = 0;
        let now = self.share.control.elapsed();
        let took = now.saturating_sub(self.looked).as_nanos() as u64;
        self.looked = now;
        self.cost = (took / self.taken.max(1)).max(self.cost - self.cost / 4).max(1);
        let over = self.share.until.is_some_and(|until| now >= until)
            || self.share.control.stop.is_stopped()
            || self.ended.is_some_and(|ended| ended.load(Ordering::Relaxed));
        let fitting = INTERVAL.as_nanos() as u64 / self.cost;
        let wanted = fitting.min(2 * self.taken).clamp(1, MOST_UNSEEN);
        self.take(if over { 0 } else { wanted });
        self.stopped
    }

    fn take(&mut self, wanted: u64) {
        self.left = self.share.control.take(wanted, self.share.most);
        self.taken = self.left;
        self.stopped = self.left == 0;
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.share.control.nodes.fetch_sub(self.left, Ordering::Relaxed);
    }
}
