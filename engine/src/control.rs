//! What a turn may spend, and when its searches have to end.
//!
//! One [`Control`] is made when a turn begins. Each stage of the turn gets a [`Share`] of it, each thread
//! of a stage a [`Meter`], so that no stage can spend what another one was promised.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How much may be spent on one turn; what is not set is not limited.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// From the beginning of the turn to its answer.
    pub time: Option<Duration>,
    /// What the turn should take: less where depth after depth says the same, more where they differ.
    pub soft: Option<Duration>,
    /// Positions that may be looked at, by whatever search.
    pub nodes: Option<u64>,
    /// How many moves the search looks ahead.
    pub depth: Option<u32>,
    /// How many best lines to find.
    pub lines: usize,
    /// How many threads to use.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: None, soft: None, nodes: None, depth: None, lines: 1, threads: 1 }
    }
}

impl Limits {
    /// Limited by time alone.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::default() }
    }

    /// Limited by positions alone.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A fair share of a clock: a thirtieth of what is left and most of the increment, which comes after
    /// the turn; three times as much where the turn is hard to decide. Never more than half of what is left:
    /// the other half is for a machine that has other things to do when the turn should be sent.
    pub fn clock(left: Duration, increment: Duration) -> Limits {
        let share = (left / 30).saturating_add(increment / 4 * 3).min(left / 2);
        Limits { soft: Some(share), ..Limits::time(share.saturating_mul(3).min(left / 2)) }
    }

    /// The same, but the turn takes no longer than this.
    #[must_use]
    pub fn within(self, most: Duration) -> Limits {
        let least = |time: Option<Duration>| time.map(|time| time.min(most));
        Limits { time: least(self.time).or(Some(most)), soft: least(self.soft), ..self }
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

/// The budget of one turn: its limits, and what all its searches have spent so far.
#[derive(Debug)]
pub struct Control {
    limits: Limits,
    stop: Stop,
    started: Instant,
    /// Nodes that meters have taken; what they do not use they give back.
    nodes: AtomicU64,
}

impl Control {
    /// A turn that begins now.
    pub fn new(limits: &Limits, stop: &Stop) -> Control {
        Control {
            limits: limits.clone(),
            stop: stop.clone(),
            started: Instant::now(),
            nodes: AtomicU64::new(0),
        }
    }

    /// What may be spent on the whole turn.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How long the turn has been going on.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How many nodes all searches have visited, and meters in use have taken.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// All that is left.
    pub fn rest(&self) -> Share<'_> {
        Share { control: self, until: self.limits.time, most: self.limits.nodes }
    }

    /// What is left of what the turn should take, divided by `parts`: in time and in nodes.
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

    /// Takes nodes out of the budget: as many as are wanted, or what remains below `most`.
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

/// The part of a turn's budget that one of its stages may spend: deadlines within those of the turn.
#[derive(Clone, Copy, Debug)]
pub struct Share<'a> {
    control: &'a Control,
    /// Since the turn began.
    until: Option<Duration>,
    /// Of all nodes of the turn.
    most: Option<u64>,
}

impl<'a> From<&'a Control> for Share<'a> {
    fn from(control: &'a Control) -> Self {
        control.rest()
    }
}

impl<'a> Share<'a> {
    /// The turn that this is a part of.
    pub fn control(&self) -> &'a Control {
        self.control
    }

    /// A meter for one thread.
    pub fn meter(self) -> Meter<'a> {
        Meter::new(self, None)
    }

    /// A meter for a thread that also ends when the flag is set.
    pub fn meter_until(self, ended: &'a AtomicBool) -> Meter<'a> {
        Meter::new(self, Some(ended))
    }
}

/// How often a thread looks at the clock.
const INTERVAL: Duration = Duration::from_micros(250);
/// The most nodes it visits in between.
const MOST_UNSEEN: u64 = 1 << 12;

/// Counts the nodes of one thread within a share, and tells it when to end.
///
/// It takes nodes out of the budget before they are visited, so that the last one is never exceeded, and
/// as many at once as have lately filled the interval between two looks at the clock: positions cost
/// microseconds in one search and a large part of a millisecond in another.
#[derive(Debug)]
pub struct Meter<'a> {
    share: Share<'a>,
    ended: Option<&'a AtomicBool>,
    /// Nodes that have been taken and not been visited.
    left: u64,
    /// How many were taken last.
    taken: u64,
    /// When that was.
    looked: Duration,
    /// What a node costs in nanoseconds: rises at once, falls slowly.
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

    /// Counts a node and says whether the thread has to end.
    #[inline]
    pub fn tick(&mut self) -> bool {
        if self.left > 1 {
            self.left -= 1;
            return false;
        }
        self.look()
    }

    /// Whether the thread has to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// How many nodes the turn has visited so far, as far as this thread can know.
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
