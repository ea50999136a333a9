//! A line of progress on standard error, if that is a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line changes.
const EVERY: Duration = Duration::from_millis(250);

pub struct Ticker {
    started: Instant,
    last: Option<Instant>,
    pub terminal: bool,
    /// The columns of the terminal, less one: a line that wraps could not be drawn over.
    columns: usize,
}

impl Ticker {
    pub fn new() -> Ticker {
        let terminal = std::io::stderr().is_terminal();
        let size = ratatui::crossterm::terminal::size().ok().filter(|_| terminal);
        let columns = size.map_or(100, |size| usize::from(size.0).max(20)) - 1;
        Ticker { started: Instant::now(), last: None, terminal, columns }
    }

    /// Shows a line made from the seconds since the start, unless one was shown just now.
    pub fn show(&mut self, line: impl FnOnce(f64) -> String) {
        if !self.terminal || self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        let text: String =
            line(self.started.elapsed().as_secs_f64()).chars().take(self.columns).collect();
        let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
    }

    /// Clears the line for what is printed next.
    pub fn end(&self) {
        if self.last.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
