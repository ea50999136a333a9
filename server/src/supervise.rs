//! Supervised background tasks: one that dies is logged, counted and restarted, and the server reports itself
//! unhealthy until it runs again.

use crate::metrics::Metrics;
use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::task::{JoinHandle, JoinSet};

/// Delay before a restart, so that a task that dies immediately does not spin.
const PAUSE: Duration = Duration::from_millis(if cfg!(test) { 5 } else { 1_000 });

/// The tasks that are down; clones share the set.
#[derive(Clone, Debug, Default)]
pub struct Tasks(Arc<Mutex<HashSet<&'static str>>>);

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, HashSet<&'static str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A task that is down.
    pub fn failing(&self) -> Option<&'static str> {
        self.lock().iter().min().copied()
    }

    /// Spawns a task that is meant to run forever, and restarts it whenever it ends. Aborting the handle ends both.
    pub fn keep<F>(
        &self,
        name: &'static str,
        metrics: &Arc<Metrics>,
        mut start: impl FnMut() -> F + Send + 'static,
    ) -> JoinHandle<()>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (tasks, metrics) = (self.clone(), Arc::clone(metrics));
        tokio::spawn(async move {
            loop {
                // In a `JoinSet` of its own, so that aborting this task aborts that one.
                let mut running = JoinSet::new();
                let begun = std::panic::catch_unwind(AssertUnwindSafe(&mut start));
                if let Ok(task) = begun {
                    running.spawn(task);
                    tasks.lock().remove(name);
                }
                let panicked = match running.join_next().await {
                    Some(Ok(())) => false,
                    Some(Err(_)) | None => true,
                };
                tasks.lock().insert(name);
                metrics.restarts.fetch_add(1, Ordering::Relaxed);
                tracing::error!(
                    task = name,
                    panicked,
                    "a background task died and will be restarted"
                );
                tokio::time::sleep(PAUSE).await;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[tokio::test]
    async fn a_task_that_dies_is_counted_and_started_again() {
        let (tasks, metrics) = (Tasks::default(), Arc::new(Metrics::default()));
        let runs = Arc::new(AtomicUsize::new(0));
        let (seen, died) = (Arc::clone(&runs), Arc::new(tokio::sync::Notify::new()));
        let tell = Arc::clone(&died);
        let keeper = tasks.keep("clocks", &metrics, move || {
            let (run, tell) = (seen.fetch_add(1, Ordering::Relaxed), Arc::clone(&tell));
            async move {
                if run < 2 {
                    tell.notify_one();
                    panic!("it dies");
                }
                std::future::pending::<()>().await;
            }
        });
        died.notified().await;
        while tasks.failing().is_none() {
            tokio::task::yield_now().await;
        }
        assert_eq!(tasks.failing(), Some("clocks"), "while nobody does its work");
        while runs.load(Ordering::Relaxed) < 3 || tasks.failing().is_some() {
            tokio::time::sleep(PAUSE).await;
        }
        assert_eq!(metrics.restarts.load(Ordering::Relaxed), 2);
        keeper.abort();
    }
}
