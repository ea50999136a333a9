//! Time controls as they are typed, and the time as the table counts it.

use rules::game::shorten;
use serde_json::{Value, json};
use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use table::{Clock, TimeControl};

/// A time control, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Time for the whole game.
    time: i64,
    /// The increment for each turn.
    increment: i64,
}

impl Terms {
    /// Reads minutes and seconds: `5+3`, `0.5+0`, `10`.
    pub fn parse(text: &str) -> Result<Terms, String> {
        let (minutes, seconds) = text.split_once('+').unwrap_or((text, "0"));
        let read = |text: &str| {
            text.trim().parse().ok().filter(|number: &f64| (0.0..=600.0).contains(number))
        };
        let millis = |seconds: f64| (seconds * 1000.0).round() as i64;
        match (read(minutes), read(seconds)) {
            (Some(minutes), Some(seconds)) if minutes + seconds > 0.0 => {
                Ok(Terms { time: millis(minutes * 60.0), increment: millis(seconds) })
            }
            _ => Err(format!(
                "a clock is minutes and seconds for each turn, as in `5+3`, got `{}`",
                shorten(text)
            )),
        }
    }

    /// The terms of a game on a server; none without a clock and for correspondence.
    pub fn of(control: TimeControl) -> Option<Terms> {
        match control {
            TimeControl::Time { seconds, increment } => Some(Terms {
                time: i64::from(seconds) * 1000,
                increment: i64::from(increment) * 1000,
            }),
            TimeControl::None | TimeControl::Days { .. } => None,
        }
    }

    /// The terms as a server takes them: whole seconds.
    pub fn json(&self) -> Value {
        let seconds = |millis: i64| (millis + 500) / 1000;
        json!({"kind": "time", "seconds": seconds(self.time), "increment": seconds(self.increment)})
    }

    /// The text that [`Terms::parse`] reads.
    pub fn code(&self) -> String {
        format!("{}+{}", self.time as f64 / 60_000.0, self.increment as f64 / 1000.0)
    }

    /// Both clocks, full and stopped.
    pub fn clock(&self) -> Clock {
        Clock::timed(self.time.max(self.increment), self.increment)
    }
}

/// Milliseconds since 1970. The system's clock is read only once, so that setting it changes nobody's time.
pub fn millis(now: Instant) -> i64 {
    static START: LazyLock<(Instant, i64)> = LazyLock::new(|| {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (Instant::now(), at.as_millis() as i64)
    });
    let (start, at) = *START;
    let since = now.saturating_duration_since(start).as_millis() as i64;
    at + since - start.saturating_duration_since(now).as_millis() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_as_they_are_written() {
        for text in ["5+3", "0.5+0", "0+10"] {
            assert_eq!(Terms::parse(text).unwrap().code(), text);
        }
        for text in ["", "0+0", "-1+3", "5+x", "1e9", "nan+1"] {
            assert!(Terms::parse(text).unwrap_err().contains("as in `5+3`"), "{text}");
        }
    }
}
