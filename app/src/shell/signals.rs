//! Signals, with what is left of them on systems that are not Unix: Ctrl-C and being ended.

use signal_hook::consts::{SIGINT, SIGTERM};
use std::io;

/// The request that a signal stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "nobody asks for the others there"))]
pub enum Wish {
    End,
    /// Ctrl-Z.
    Suspend,
    /// The window has another size.
    Resize,
}

#[cfg(unix)]
pub use signal_hook::consts::SIGTSTP;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGWINCH};

/// Signals that end the program.
#[cfg(unix)]
pub const ENDING: &[i32] = &[SIGHUP, SIGINT, SIGTERM];
#[cfg(not(unix))]
pub const ENDING: &[i32] = &[SIGINT, SIGTERM];

/// Signals that matter to a program which has the whole screen.
#[cfg(unix)]
pub const SCREEN: &[i32] = &[SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH];
#[cfg(not(unix))]
pub const SCREEN: &[i32] = ENDING;

#[cfg(unix)]
pub fn wish(signal: i32) -> Wish {
    match signal {
        SIGTSTP => Wish::Suspend,
        SIGWINCH => Wish::Resize,
        _ => Wish::End,
    }
}

#[cfg(not(unix))]
pub fn wish(_: i32) -> Wish {
    Wish::End
}

/// Applies the default action of a signal.
pub fn obey(signal: i32) -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal)
}

/// Calls `heard` on a thread of its own with every signal, until it returns false.
#[cfg(unix)]
pub fn listen(
    signals: &[i32],
    mut heard: impl FnMut(i32) -> bool + Send + 'static,
) -> io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new(signals)?;
    std::thread::spawn(move || signals.forever().all(&mut heard));
    Ok(())
}

/// The same where a handler can only set a flag, which is polled twenty times a second.
#[cfg(not(unix))]
pub fn listen(
    signals: &[i32],
    mut heard: impl FnMut(i32) -> bool + Send + 'static,
) -> io::Result<()> {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let mut flags = Vec::new();
    for signal in signals {
        let flag = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(*signal, Arc::clone(&flag))?;
        flags.push((*signal, flag));
    }
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(std::time::Duration::from_millis(50));
            let mut came = flags.iter().filter(|(_, flag)| flag.swap(false, Ordering::Relaxed));
            if !came.all(|(signal, _)| heard(*signal)) {
                return;
            }
        }
    });
    Ok(())
}
