//! Ctrl-C ends a search and keeps what it has found; a second one ends the program at once.

use crate::shell::failure::Failure;
use crate::shell::signals;
use engine::Stop;
use signal_hook::consts::SIGINT;

/// A stop that Ctrl-C triggers.
pub fn stops() -> Result<Stop, Failure> {
    let stop = Stop::default();
    let own = stop.clone();
    let mut is_first = true;
    signals::listen(&[SIGINT], move |signal| {
        own.stop();
        if !std::mem::take(&mut is_first) {
            let _ = signals::obey(signal);
        }
        true
    })?;
    Ok(stop)
}
