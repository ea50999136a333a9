//! Threads that live as long as a batch.

use crate::wait::lock;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex};

/// Fewer games than this are not worth a thread.
const MIN_PART: usize = 64;

/// The caller's thread and some more. They are started when they are first needed.
pub struct Pool {
    threads: usize,
    /// With the process that started them: one that was forked has to start its own.
    made: Mutex<Option<(u32, Arc<ThreadPool>)>>,
}

impl Pool {
    /// A pool of this many threads.
    pub fn new(threads: usize) -> Pool {
        Pool { threads: threads.max(1), made: Mutex::new(None) }
    }

    /// How many threads it has.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The share of the games that each thread gets.
    pub fn part(&self, games: usize) -> usize {
        games.div_ceil(self.threads).max(MIN_PART)
    }

    /// Runs something that spawns parts of its work, and waits for all of them.
    pub fn scope<'scope, R>(&self, work: impl FnOnce(&Scope<'scope>) -> R) -> R {
        match self.pool() {
            Some(pool) => pool.in_place_scope(work),
            // The system gives no more threads: rayon's own pool, or this thread alone.
            None => rayon::in_place_scope(work),
        }
    }

    /// Does the same with each part, one of them in this thread.
    pub fn each<T: Send>(&self, parts: impl ExactSizeIterator<Item = T>, work: impl Fn(T) + Sync) {
        let mut parts = parts;
        let Some(own) = parts.next() else { return };
        if parts.len() == 0 {
            return work(own);
        }
        let work = &work;
        self.scope(|scope| {
            parts.for_each(|part| scope.spawn(move |_| work(part)));
            work(own);
        });
    }

    fn pool(&self) -> Option<Arc<ThreadPool>> {
        let mut made = lock(&self.made);
        let process = std::process::id();
        if let Some((own, pool)) = made.as_ref()
            && *own == process
        {
            return Some(Arc::clone(pool));
        }
        let name = |number| format!("quadrille-{number}");
        let pool = ThreadPoolBuilder::new().num_threads(self.threads - 1).thread_name(name);
        let pool = Arc::new(pool.build().ok()?);
        // Threads of the process before the fork are not here to be ended.
        std::mem::forget(made.replace((process, Arc::clone(&pool))));
        Some(pool)
    }
}
