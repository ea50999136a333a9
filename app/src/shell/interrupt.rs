//! Ctrl-C ends a search and keeps what it has found; a second one ends the program at once.

use crate::shell::failure::Failure;
use engine::Stop;
use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;

/// A stop that Ctrl-C triggers.
pub fn stops() -> Result<Stop, Failure> {
    let stop = Stop::default();
    let own = stop.clone();
    let mut signals = Signals::new([SIGINT])?;
    std::thread::spawn(move || {
        for (count, _) in signals.forever().enumerate() {
            own.stop();
            if count > 0 {
                let _ = signal_hook::low_level::emulate_default_handler(SIGINT);
            }
        }
    });
    Ok(stop)
}
