//! Progress on standard error: a line that changes on a terminal, a line a minute in a file.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line of a terminal changes.
const EVERY: Duration = Duration::from_millis(250);

/// How often a line is written elsewhere: only what takes long leaves a trace in logs.
const EVERY_LOGGED: Duration = Duration::from_secs(60);

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
        let now = Instant::now();
        let is_due = match self.terminal {
            true => self.last.is_none_or(|last| now - last >= EVERY),
            false => now - self.last.unwrap_or(self.started) >= EVERY_LOGGED,
        };
        if !is_due {
            return;
        }
        self.last = Some(now);
        let seconds = self.started.elapsed().as_secs_f64();
        let text = line(seconds);
        let mut err = std::io::stderr();
        let _ = if self.terminal {
            let text: String = text.chars().take(self.columns).collect();
            write!(err, "\r\x1b[K{text}")
        } else {
            writeln!(err, "{seconds:.0} s: {text}")
        };
    }

    /// Clears the line for what is printed next.
    pub fn end(&self) {
        if self.terminal && self.last.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
