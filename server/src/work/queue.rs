//! The scheduling of engine work, without any I/O; the threads are in [`crate::work::engines`].
//!
//! Computers whose clocks run come first, by deadline. Then addresses take turns, and within an address the kinds of
//! work. No address gets all threads: one is always left to others, and one is never busy with a long task. Games
//! between computers come last.

use crate::work::fair::Rotation;
use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;

/// The most tasks that one address, and all together, may have queued.
const MOST_OF_ONE: usize = 256;
const MOST: usize = 4_096;

/// Time slices of a long task while another address waits to run one: normally, and if its own address has more than
/// its share or a computer's clock runs.
const QUANTUM: Duration = Duration::from_secs(10);
const SHORT_QUANTUM: Duration = Duration::from_secs(2);

/// A kind of engine work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A computer's turn in a game without a clock.
    Turn,
    Hint,
    Query,
    Analysis,
    Review,
}

impl Kind {
    /// Whether it may take longer than a turn.
    fn is_long(self) -> bool {
        matches!(self, Kind::Query | Kind::Analysis | Kind::Review)
    }

    /// Whether it can be stopped early and still give a result.
    fn can_be_cut(self) -> bool {
        matches!(self, Kind::Query | Kind::Analysis)
    }
}

/// A task's priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// A computer's turn with this deadline.
    Clocked(i64),
    /// A request.
    Asked(Kind),
    /// A turn in a game between computers.
    Exhibition,
}

/// The address a task is for, and its priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub address: IpAddr,
    pub lane: Lane,
}

impl Order {
    fn is_long(&self) -> bool {
        matches!(self.lane, Lane::Asked(kind) if kind.is_long())
    }
}

/// A queued task.
#[derive(Debug)]
pub struct Waiting<T> {
    /// Numbered in order of arrival.
    pub number: u64,
    pub order: Order,
    /// Whether it has run before.
    pub begun: bool,
    pub task: T,
}

#[derive(Debug)]
struct Running {
    number: u64,
    order: Order,
    since: Instant,
}

type Tasks<T> = VecDeque<Waiting<T>>;

/// Queued and running tasks.
#[derive(Debug)]
pub struct Queue<T> {
    workers: usize,
    count: u64,
    clocked: BTreeMap<(i64, u64), Waiting<T>>,
    asked: Rotation<IpAddr, Rotation<Kind, Tasks<T>>>,
    exhibitions: Rotation<IpAddr, Tasks<T>>,
    running: Vec<Running>,
}

impl<T> Queue<T> {
    /// For at least two threads.
    pub fn new(workers: usize) -> Queue<T> {
        Queue {
            workers: workers.max(2),
            count: 0,
            clocked: BTreeMap::new(),
            asked: Rotation::default(),
            exhibitions: Rotation::default(),
            running: Vec::new(),
        }
    }

    /// How many threads one address, or all long tasks together, may occupy.
    fn most(&self) -> usize {
        self.workers - 1
    }

    /// How many threads the long tasks of one address may occupy while another address waits to run one.
    fn share(&self) -> usize {
        (self.workers / 2).max(1)
    }

    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// Whether no long task can start now.
    pub fn is_busy(&self) -> bool {
        self.running.len() == self.workers || self.held(Order::is_long) >= self.most()
    }

    fn tasks(&self) -> impl Iterator<Item = &Waiting<T>> {
        let asked = self.asked.iter().flat_map(|(_, kinds)| kinds.iter().flat_map(|(_, own)| own));
        let exhibitions = self.exhibitions.iter().flat_map(|(_, own)| own);
        self.clocked.values().chain(asked).chain(exhibitions)
    }

    pub fn waiting(&self) -> usize {
        self.tasks().count()
    }

    /// How many turns are queued, not counting games between computers.
    pub fn turns_waiting(&self) -> usize {
        let turn = |task: &&Waiting<T>| {
            matches!(task.order.lane, Lane::Clocked(_) | Lane::Asked(Kind::Turn))
        };
        self.tasks().filter(turn).count()
    }

    /// Queues a task and returns its number; none if the queue is full.
    pub fn push(&mut self, order: Order, task: T) -> Option<u64> {
        let of_one = self.tasks().filter(|own| own.order.address == order.address).count();
        if of_one >= MOST_OF_ONE || self.waiting() >= MOST {
            return None;
        }
        self.count += 1;
        let number = self.count;
        self.put(Waiting { number, order, begun: false, task });
        Some(number)
    }

    /// Queues a task, or the rest of one, behind the others.
    pub fn put(&mut self, task: Waiting<T>) {
        let Order { address, lane } = task.order;
        match lane {
            Lane::Clocked(deadline) => {
                self.clocked.insert((deadline, task.number), task);
            }
            Lane::Asked(kind) => self.asked.of(address).of(kind).push_back(task),
            Lane::Exhibition => self.exhibitions.of(address).push_back(task),
        }
    }

    fn held(&self, count: impl Fn(&Order) -> bool) -> usize {
        self.running.iter().filter(|own| count(&own.order)).count()
    }

    /// The next task for an idle thread; it counts as running from now on.
    pub fn next(&mut self, now: Instant) -> Option<Waiting<T>> {
        let next =
            self.next_clocked().or_else(|| self.next_asked()).or_else(|| self.next_exhibition())?;
        let Waiting { number, order, .. } = next;
        self.running.push(Running { number, order, since: now });
        Some(next)
    }

    fn is_greedy(&self, address: &IpAddr) -> bool {
        self.held(|order| order.address == *address) >= self.most()
    }

    fn next_clocked(&mut self) -> Option<Waiting<T>> {
        let granted = |task: &&Waiting<T>| !self.is_greedy(&task.order.address);
        let first = self.clocked.values().find(granted)?;
        let Lane::Clocked(deadline) = first.order.lane else { return None };
        let key = (deadline, first.number);
        self.clocked.remove(&key)
    }

    fn next_asked(&mut self) -> Option<Waiting<T>> {
        let mut asked = std::mem::take(&mut self.asked);
        let long_held = |address: Option<&IpAddr>| {
            self.held(|order| order.is_long() && address.is_none_or(|own| *own == order.address))
        };
        let wants_long: Vec<_> = asked
            .iter()
            .filter(|(_, kinds)| kinds.iter().any(|(kind, own)| kind.is_long() && !own.is_empty()))
            .map(|(address, _)| *address)
            .collect();
        let next = asked.next(|address, kinds| {
            if self.is_greedy(address) {
                return None;
            }
            let others_wait = wants_long.iter().any(|other| other != address);
            let long_of_one = long_held(Some(address));
            let long =
                long_held(None) < self.most() && (!others_wait || long_of_one < self.share());
            kinds.next(|kind, own| if kind.is_long() && !long { None } else { own.pop_front() })
        });
        asked.retain(|kinds| {
            kinds.retain(|own| !own.is_empty());
            kinds.iter().next().is_some()
        });
        self.asked = asked;
        next
    }

    fn next_exhibition(&mut self) -> Option<Waiting<T>> {
        let shown = self.held(|order| order.lane == Lane::Exhibition);
        if shown >= (self.most() / 2).max(1) {
            return None;
        }
        let mut exhibitions = std::mem::take(&mut self.exhibitions);
        let next = exhibitions.next(|address, own| match self.is_greedy(address) {
            true => None,
            false => own.pop_front(),
        });
        exhibitions.retain(|own| !own.is_empty());
        self.exhibitions = exhibitions;
        next
    }

    pub fn finished(&mut self, number: u64) {
        self.running.retain(|own| own.number != number);
    }

    /// A running task that has used up its time while others wait and can be stopped early.
    pub fn overdue(&self, now: Instant) -> Option<u64> {
        if self.running.len() < self.most() {
            return None;
        }
        let of = |address: &IpAddr| self.held(|order| order.is_long() && order.address == *address);
        let quantum = |own: &Running| {
            let greedy = of(&own.order.address) > self.share();
            let pressed = !self.clocked.is_empty() && self.running.len() == self.workers;
            let wanted = self
                .tasks()
                .any(|task| task.order.is_long() && task.order.address != own.order.address);
            match wanted {
                _ if pressed => Some(SHORT_QUANTUM),
                true if greedy => Some(SHORT_QUANTUM),
                true => Some(QUANTUM),
                false => None,
            }
        };
        let is_overdue = |own: &&Running| {
            let cut = matches!(own.order.lane, Lane::Asked(kind) if kind.can_be_cut());
            cut && quantum(own).is_some_and(|most| now.duration_since(own.since) >= most)
        };
        let rank = |own: &&Running| (of(&own.order.address), now.duration_since(own.since));
        self.running.iter().filter(is_overdue).max_by_key(rank).map(|own| own.number)
    }

    /// Long tasks that have not started, in order of arrival.
    pub fn long_waiting(&mut self) -> Vec<&mut Waiting<T>> {
        let mut found = Vec::new();
        for (_, kinds) in self.asked.iter_mut() {
            for (kind, own) in kinds.iter_mut() {
                if kind.is_long() {
                    found.extend(own.iter_mut().filter(|task| !task.begun));
                }
            }
        }
        found.sort_by_key(|task| task.number);
        found
    }

    /// Removes the queued tasks for which `keep` is false.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.clocked.retain(|_, own| keep(&own.task));
        self.asked.retain(|kinds| {
            kinds.retain(|own| {
                own.retain(|task| keep(&task.task));
                !own.is_empty()
            });
            kinds.iter().next().is_some()
        });
        self.exhibitions.retain(|own| {
            own.retain(|task| keep(&task.task));
            !own.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(address: u8, lane: Lane) -> Order {
        Order { address: [10, 0, 0, address].into(), lane }
    }

    fn asked(address: u8, kind: Kind) -> Order {
        order(address, Lane::Asked(kind))
    }

    /// Starts tasks until no more may start.
    fn all(queue: &mut Queue<&'static str>) -> Vec<&'static str> {
        let now = Instant::now();
        std::iter::from_fn(|| queue.next(now)).map(|next| next.task).collect()
    }

    /// Runs tasks one after another.
    fn one_by_one(queue: &mut Queue<&'static str>) -> Vec<&'static str> {
        let mut done = Vec::new();
        while let Some(next) = queue.next(Instant::now()) {
            queue.finished(next.number);
            done.push(next.task);
        }
        done
    }

    #[test]
    fn a_clock_that_runs_out_first_comes_first() {
        let mut queue = Queue::new(3);
        queue.push(order(9, Lane::Exhibition), "show");
        queue.push(asked(1, Kind::Hint), "hint");
        queue.push(order(2, Lane::Clocked(500)), "late");
        queue.push(order(3, Lane::Clocked(100)), "soon");
        assert_eq!(one_by_one(&mut queue), ["soon", "late", "hint", "show"]);
    }

    #[test]
    fn addresses_take_turns_and_so_do_the_kinds_of_one() {
        let mut queue = Queue::new(3);
        for task in ["a1", "a2", "a3"] {
            queue.push(asked(1, Kind::Turn), task);
        }
        queue.push(asked(1, Kind::Hint), "hint of a");
        queue.push(asked(2, Kind::Turn), "b1");
        queue.push(asked(3, Kind::Analysis), "c1");
        assert_eq!(one_by_one(&mut queue), ["a1", "b1", "c1", "hint of a", "a2", "a3"]);
    }

    #[test]
    fn one_address_never_has_all_workers() {
        for lane in [Lane::Asked(Kind::Turn), Lane::Clocked(1), Lane::Asked(Kind::Hint)] {
            let mut queue = Queue::new(3);
            for _ in 0..10 {
                queue.push(order(1, lane), "greedy");
            }
            assert_eq!(all(&mut queue), ["greedy"; 2]);
            queue.push(order(2, lane), "other");
            assert_eq!(all(&mut queue), ["other"]);
        }
    }

    #[test]
    fn what_is_long_leaves_a_worker_and_half_of_the_others_to_those_who_wait() {
        let mut queue = Queue::new(3);
        for _ in 0..3 {
            queue.push(asked(1, Kind::Review), "greedy");
        }
        queue.push(asked(2, Kind::Analysis), "other");
        assert_eq!(all(&mut queue), ["greedy", "other"]);
        queue.push(asked(3, Kind::Turn), "turn");
        assert_eq!(all(&mut queue), ["turn"]);
        let mut alone = Queue::new(3);
        for _ in 0..3 {
            alone.push(asked(1, Kind::Analysis), "alone");
        }
        assert_eq!(all(&mut alone), ["alone"; 2], "nobody else waits");
    }

    #[test]
    fn the_rest_of_something_long_waits_for_its_turn_again() {
        let mut queue = Queue::new(2);
        queue.push(asked(1, Kind::Review), "review");
        queue.push(asked(2, Kind::Review), "other");
        let mut done = Vec::new();
        for _ in 0..4 {
            let next = queue.next(Instant::now()).unwrap();
            queue.finished(next.number);
            done.push(next.task);
            queue.put(Waiting { begun: true, ..next });
        }
        assert_eq!(done, ["review", "other", "review", "other"]);
    }

    #[test]
    fn what_is_shown_comes_last_and_has_one_worker() {
        let mut queue = Queue::new(3);
        for _ in 0..3 {
            queue.push(order(1, Lane::Exhibition), "show");
        }
        queue.push(order(2, Lane::Exhibition), "other show");
        queue.push(asked(3, Kind::Turn), "turn");
        assert_eq!(all(&mut queue), ["turn", "show"]);
        let mut queue = Queue::new(3);
        for (address, task) in [(1, "a"), (1, "b"), (2, "c")] {
            queue.push(order(address, Lane::Exhibition), task);
        }
        assert_eq!(one_by_one(&mut queue), ["a", "c", "b"]);
    }

    #[test]
    fn an_analysis_ends_early_when_others_wait() {
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let mut queue = Queue::new(3);
        queue.push(asked(1, Kind::Analysis), "one");
        queue.push(asked(1, Kind::Analysis), "two");
        let one = queue.next(start).unwrap().number;
        let two = queue.next(after(1)).unwrap().number;
        assert_eq!(queue.overdue(after(60)), None, "nobody waits");
        queue.push(asked(1, Kind::Analysis), "three");
        assert_eq!(queue.overdue(after(60)), None, "nobody else waits");
        queue.push(asked(2, Kind::Review), "other");
        assert_eq!(queue.overdue(after(1)), None);
        assert_eq!(queue.overdue(after(2)), Some(one), "more than its share");
        queue.finished(one);
        assert_eq!(queue.next(after(2)).map(|next| next.task), Some("other"));
        queue.push(asked(3, Kind::Analysis), "third");
        assert_eq!(queue.overdue(after(9)), None);
        assert_eq!(queue.overdue(after(12)), Some(two), "its own time is over");
    }

    #[test]
    fn a_running_clock_ends_an_analysis_if_no_worker_is_free() {
        let start = Instant::now();
        let mut queue = Queue::new(2);
        queue.push(asked(1, Kind::Analysis), "one");
        let one = queue.next(start).unwrap().number;
        queue.push(order(2, Lane::Clocked(9)), "turn");
        let later = start + Duration::from_secs(3);
        assert_eq!(queue.overdue(later), None, "a worker is free");
        queue.next(later).unwrap();
        queue.push(order(3, Lane::Clocked(9)), "turn");
        assert_eq!(queue.overdue(later), Some(one));
    }

    #[test]
    fn an_address_may_have_so_much_waiting_and_others_still_come() {
        let mut queue = Queue::new(2);
        for _ in 0..MOST_OF_ONE {
            assert!(queue.push(asked(1, Kind::Turn), "much").is_some());
        }
        assert!(queue.push(asked(1, Kind::Hint), "more").is_none());
        assert!(queue.push(asked(2, Kind::Hint), "other").is_some());
        queue.retain(|task| *task == "other");
        assert_eq!(all(&mut queue), ["other"]);
        assert!(queue.push(asked(1, Kind::Hint), "more").is_some());
    }
}
