//! Long work, during which Python keeps running and Ctrl-C works.

use engine::Stop;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// How often Ctrl-C is checked.
const INTERVAL: Duration = Duration::from_millis(20);
/// How long an interrupted search may take to end before it is abandoned.
const PATIENCE: Duration = Duration::from_secs(2);
/// As much as the main thread has.
const STACK: usize = 8 << 20;

/// A background thread and its messages.
pub struct Work<T, R> {
    news: Mutex<Receiver<T>>,
    thread: Mutex<Option<JoinHandle<R>>>,
    stop: Stop,
}

impl<T: Send, R: Send> Work<T, R> {
    /// Starts the work, which the stop flag ends.
    pub fn begin(
        stop: &Stop,
        work: impl FnOnce(Sender<T>) -> R + Send + 'static,
    ) -> PyResult<Work<T, R>>
    where
        T: 'static,
        R: 'static,
    {
        let (tell, news) = channel();
        let thread = Builder::new().name("quadrille".into()).stack_size(STACK);
        let thread = thread.spawn(move || work(tell))?;
        Ok(Work { news: Mutex::new(news), thread: Mutex::new(Some(thread)), stop: stop.clone() })
    }

    /// The next message, or `None` when the work has ended. Ctrl-C sets the flag and raises `KeyboardInterrupt`.
    pub fn next(&self, py: Python<'_>) -> PyResult<Option<T>> {
        let told = |time| py.detach(|| lock(&self.news).recv_timeout(time));
        loop {
            match told(INTERVAL) {
                Ok(told) => return Ok(Some(told)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(interrupt) = py.check_signals() {
                self.stop.stop();
                let _ = told(PATIENCE);
                return Err(interrupt);
            }
        }
    }

    /// The result; a panic becomes an exception. `None` if it was taken before.
    pub fn end(&self, py: Python<'_>) -> Option<R> {
        let thread = lock(&self.thread).take()?;
        Some(py.detach(|| thread.join()).unwrap_or_else(|panic| resume_unwind(panic)))
    }

    /// Ends it early.
    pub fn stop(&self) {
        self.stop.stop();
    }
}

/// Does something without the GIL, until Ctrl-C sets the flag.
pub fn wait<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> R + Send + 'static,
) -> PyResult<R> {
    wait_until(py, &Stop::default(), work)
}

/// The same with a flag that others may set, too.
pub fn wait_until<R: Send + 'static>(
    py: Python<'_>,
    stop: &Stop,
    work: impl FnOnce(&Stop) -> R + Send + 'static,
) -> PyResult<R> {
    let switch = stop.clone();
    let thread = Work::<(), R>::begin(stop, move |tell| {
        let done = work(&switch);
        drop(tell);
        done
    })?;
    thread.next(py)?;
    thread.end(py).ok_or_else(|| PyRuntimeError::new_err("the work has ended before"))
}

/// Nothing here is left half done when a thread panics.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fails as a mistake of the program would, for tests of what becomes of it.
#[pyfunction]
#[pyo3(signature = (*, thread=false))]
pub fn _panic(py: Python<'_>, thread: bool) -> PyResult<()> {
    let fail = || -> PyResult<()> { panic!("a mistake of the program") };
    if thread { wait(py, move |_| fail())? } else { fail() }
}
