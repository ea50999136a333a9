//! Long-running work without an engine, such as replaying games and drawing positions: on blocking threads, a few at
//! a time, and in turns between addresses.

use crate::games::hall::SERVER;
use crate::http::limits::{Limits, of_work};
use crate::http::meter::thread_time;
use crate::http::networks::household;
use crate::work::fair::Rotation;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use table::Refusal;
use tokio::sync::oneshot;

/// The most tasks that one address may have queued.
const MOST_OF_ONE: usize = 256;

#[derive(Debug, Default)]
struct State {
    /// The addresses of running tasks.
    running: Vec<IpAddr>,
    waiting: Rotation<IpAddr, VecDeque<oneshot::Sender<Place>>>,
}

/// A limited number of slots for work, at most half of them for one address; clones share them. The address that
/// causes the work is charged for its CPU time.
#[derive(Clone, Debug)]
pub struct Replays {
    most: usize,
    limits: Arc<Limits>,
    /// Whether work runs at once on the caller's thread, and free of charge, as in a simulation.
    inline: bool,
    state: Arc<Mutex<State>>,
}

/// A slot, freed on drop.
#[derive(Debug)]
struct Place {
    replays: Replays,
    address: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.replays.lock();
        if let Some(at) = state.running.iter().position(|own| *own == self.address) {
            state.running.swap_remove(at);
        }
        self.replays.grant(state);
    }
}

impl Replays {
    /// At least two slots.
    pub fn new(most: usize, limits: Arc<Limits>) -> Replays {
        Replays { most: most.max(2), limits, inline: false, state: Arc::default() }
    }

    /// For simulations: work is done on the caller's thread.
    pub fn inline(self) -> Replays {
        Replays { inline: true, ..self }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs work on a blocking thread once it is this address's turn.
    pub async fn run<T: Send + 'static>(
        &self,
        address: IpAddr,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let place = self.place(household(address))?.await;
        let place = place.map_err(|_| Refusal::unavailable("the server is stopping"))?;
        if address != SERVER {
            // Otherwise work that was queued before the address ran into debt would not be paid for.
            self.limits.spend(address, 0)?;
        }
        if self.inline {
            return Ok(work());
        }
        let limits = Arc::clone(&self.limits);
        let work = move || {
            let before = thread_time();
            let done = work();
            let time = thread_time().saturating_sub(before);
            limits.worked(time);
            if address != SERVER {
                limits.charge(address, of_work(time));
            }
            drop(place);
            done
        };
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|_| Refusal::broken("internal error; it has been logged"))
    }

    /// Queues for a slot.
    fn place(&self, address: IpAddr) -> Result<oneshot::Receiver<Place>, Refusal> {
        let (grant, granted) = oneshot::channel();
        let mut state = self.lock();
        let own = state.waiting.of(address);
        if own.len() >= MOST_OF_ONE {
            return Err(Refusal::too_many("too many requests from this address are queued", 2));
        }
        own.push_back(grant);
        self.grant(state);
        Ok(granted)
    }

    /// Gives free slots to waiting tasks.
    fn grant(&self, mut state: MutexGuard<'_, State>) {
        let mut left = Vec::new();
        while state.running.len() < self.most {
            let State { running, waiting } = &mut *state;
            let of_one = |address: &IpAddr| running.iter().filter(|own| *own == address).count();
            let next = waiting.next(|address, own| {
                let free = of_one(address) < (self.most / 2).max(1);
                free.then(|| own.pop_front()).flatten().map(|grant| (*address, grant))
            });
            let Some((address, grant)) = next else { break };
            // Skip tasks that were cancelled. A slot is dropped only after the lock is released, since dropping takes
            // it.
            if grant.is_closed() {
                continue;
            }
            running.push(address);
            left.extend(grant.send(Place { replays: self.clone(), address }).err());
        }
        state.waiting.retain(|own| !own.is_empty());
        drop(state);
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    fn replays() -> Replays {
        Replays::new(2, Arc::new(Limits::new(1_000_000, 1, false)))
    }

    const ONE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    /// Work that runs until it is released.
    fn held(
        replays: &Replays,
        address: IpAddr,
    ) -> (tokio::task::JoinHandle<Result<(), Refusal>>, mpsc::Sender<()>) {
        let (go, gone) = mpsc::channel();
        let replays = replays.clone();
        let work = move || {
            let _ = gone.recv();
        };
        (tokio::spawn(async move { replays.run(address, work).await }), go)
    }

    async fn until(replays: &Replays, running: usize, waiting: usize) {
        let now = || {
            let state = replays.lock();
            let queued: usize = state.waiting.iter().map(|(_, own)| own.len()).sum();
            (state.running.len(), queued)
        };
        while now() != (running, waiting) {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn one_address_leaves_half_to_others() {
        let replays = replays();
        let (first, go_first) = held(&replays, ONE);
        let (second, go_second) = held(&replays, ONE);
        until(&replays, 1, 1).await;
        assert_eq!(replays.run(OTHER, || 7).await, Ok(7));
        drop((go_first, go_second));
        assert_eq!((first.await.unwrap(), second.await.unwrap()), (Ok(()), Ok(())));
        until(&replays, 0, 0).await;
    }

    #[tokio::test]
    async fn who_leaves_the_queue_is_passed_over() {
        let replays = replays();
        let (first, go) = held(&replays, ONE);
        until(&replays, 1, 0).await;
        let (second, _go_second) = held(&replays, ONE);
        until(&replays, 1, 1).await;
        second.abort();
        assert!(second.await.unwrap_err().is_cancelled());
        drop(go);
        first.await.unwrap().unwrap();
        assert_eq!(replays.run(ONE, || 8).await, Ok(8));
        until(&replays, 0, 0).await;
    }

    #[tokio::test]
    async fn so_much_of_an_address_may_wait_and_others_still_come() {
        let replays = replays();
        let held: Vec<_> = (0..=MOST_OF_ONE).map(|_| held(&replays, ONE)).collect();
        until(&replays, 1, MOST_OF_ONE).await;
        let refused = replays.run(ONE, || 9).await.unwrap_err();
        assert!(matches!(refused.kind, table::Kind::TooMany { .. }));
        assert_eq!(replays.run(OTHER, || 9).await, Ok(9));
        for (work, go) in held {
            drop(go);
            work.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn an_address_pays_for_the_time_its_work_takes() {
        let busy = |time: Duration| {
            let before = thread_time();
            while thread_time() - before < time {
                std::hint::spin_loop();
            }
        };
        let limits = Arc::new(Limits::new(10, 1, false));
        let replays = Replays::new(2, Arc::clone(&limits));
        // The bucket holds 100, the price of 25 ms.
        replays.run(ONE, move || busy(Duration::from_millis(10))).await.unwrap();
        assert!(limits.spend(ONE, 40).is_ok() && limits.spend(ONE, 40).is_err());
        replays.run(ONE, move || busy(Duration::from_millis(20))).await.unwrap();
        assert!(limits.spend(ONE, 1).is_err(), "it is in debt");
        let refused = replays.run(ONE, || 7).await.unwrap_err();
        assert!(matches!(refused.kind, table::Kind::TooMany { retry_after: 1.. }), "{refused:?}");
        assert!(limits.spend(OTHER, 100).is_ok());
    }

    #[tokio::test]
    async fn what_panics_frees_its_place() {
        let replays = replays();
        for _ in 0..3 {
            assert!(replays.run(ONE, || panic!("on purpose")).await.is_err());
        }
        assert_eq!(replays.run(ONE, || 1).await, Ok(1));
    }
}
