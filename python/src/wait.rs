//! Long work, during which Python goes on and Ctrl-C is heard.

use engine::Stop;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// How often Ctrl-C is looked for.
const INTERVAL: Duration = Duration::from_millis(20);
/// How long an interrupted search may take to end before it is left to itself.
const PATIENCE: Duration = Duration::from_secs(2);
/// As much as the main thread has.
const STACK: usize = 8 << 20;

/// A thread that does something in the background.
pub fn begin<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<JoinHandle<T>> {
    Ok(Builder::new().name("quadrille".into()).stack_size(STACK).spawn(work)?)
}

/// Does something without Python's lock. Ctrl-C sets the switch and raises `KeyboardInterrupt`; a panic
/// becomes an exception.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    stop: &Stop,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (done, ended) = channel::<()>();
    let thread = begin(move || {
        // Dropped at the end, by a panic too.
        let _done = done;
        work()
    })?;
    next(py, stop, &Mutex::new(ended))?;
    py.detach(|| thread.join()).map_err(|panic| resume_unwind(panic))
}

/// The next message of a thread, or nothing when it has ended. Ctrl-C ends its work.
pub fn next<T: Send>(
    py: Python<'_>,
    stop: &Stop,
    news: &Mutex<Receiver<T>>,
) -> PyResult<Option<T>> {
    let told =
        |time| py.detach(|| news.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time));
    loop {
        match told(INTERVAL) {
            Ok(told) => return Ok(Some(told)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(interrupt) = py.check_signals() {
            stop.stop();
            let _ = told(PATIENCE);
            return Err(interrupt);
        }
    }
}
