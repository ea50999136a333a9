//! A line on standard error that shows how work goes on, if it is a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line changes.
const EVERY: Duration = Duration::from_millis(250);

/// A line that is drawn over itself.
pub struct Ticker {
    started: Instant,
    last: Option<Instant>,
    terminal: bool,
}

impl Ticker {
    pub fn new() -> Ticker {
        let terminal = std::io::stderr().is_terminal();
        Ticker { started: Instant::now(), last: None, terminal }
    }

    /// Shows a line made from the seconds since the start, unless one was shown just now.
    pub fn show(&mut self, line: impl FnOnce(f64) -> String) {
        if !self.terminal || self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        let text: String = line(self.started.elapsed().as_secs_f64()).chars().take(100).collect();
        let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
    }

    /// Clears the line for what is printed next.
    pub fn end(&self) {
        if self.last.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
