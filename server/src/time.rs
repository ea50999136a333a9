//! The server's time, which runs evenly and is never set back.
//!
//! It begins with the machine's clock, or with the last time that the store knows if that is later, and then
//! follows a steady clock. So nobody who sets the machine's clock takes time from a player or gives it. When
//! the machine's clock has gone ahead (it was set, or the machine slept and the steady clock stood still),
//! the server's time skips to it; the skip is noted as a pause first, so that no clock runs in it.

use crate::clock::Pauses;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How far the machine's clock may be ahead before the server's time skips to it, and how long nothing may
/// be stored before that is a pause, in milliseconds.
pub const GAP: i64 = 5_000;

/// Where time comes from. Tests have their own.
pub trait Source: Send + Sync {
    /// Time since some moment that does not change, whatever the machine's clock is set to.
    fn steady(&self) -> Duration;

    /// The machine's clock, in milliseconds since 1970.
    fn wall(&self) -> i64;
}

/// The clocks of this machine.
#[derive(Debug)]
pub struct Machine(Instant);

impl Default for Machine {
    fn default() -> Machine {
        Machine(Instant::now())
    }
}

impl Source for Machine {
    fn steady(&self) -> Duration {
        self.0.elapsed()
    }

    fn wall(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

/// The server's time; clones share it.
#[derive(Clone)]
pub struct Time {
    source: Arc<dyn Source>,
    /// What is added to the steady clock.
    offset: Arc<AtomicI64>,
    /// When no clock ran.
    pub pauses: Pauses,
}

impl Time {
    /// Begins with the machine's clock, but not before `last`.
    pub fn new(source: Arc<dyn Source>, last: i64, pauses: Pauses) -> Time {
        let wall = source.wall();
        if last - wall > GAP {
            let seconds = (last - wall) / 1_000;
            tracing::warn!(
                seconds,
                "this machine's clock is behind the last event of the store; time goes on from there"
            );
        }
        let offset = wall.max(last) - millis(source.steady());
        Time { source, offset: Arc::new(AtomicI64::new(offset)), pauses }
    }

    /// Begins with what a store that servers share has said it is, when it was asked at `asked`.
    pub fn of_store(source: Arc<dyn Source>, asked: Duration, there: i64, pauses: Pauses) -> Time {
        let between = (asked + source.steady()) / 2;
        let offset = AtomicI64::new(there - millis(between));
        Time { source, offset: Arc::new(offset), pauses }
    }

    /// A moment on a clock that nobody sets.
    pub fn steady(&self) -> Duration {
        self.source.steady()
    }

    /// Follows the clock of a store that servers share: asked at `asked`, it has said `there`. So it is at least
    /// that now, and not later than that and the way there and back. What is missing is made up at once,
    /// what is too much over a while. Gives the time to skip to, if that is far ahead.
    pub fn follow(&self, asked: Duration, there: i64) -> Option<i64> {
        let way = millis(self.source.steady().saturating_sub(asked));
        let here = self.now();
        if there - here > GAP {
            return Some(there);
        }
        let step = match here {
            late if late < there => there - late,
            early if early > there + way => -1,
            _ => 0,
        };
        self.offset.fetch_add(step, Ordering::Relaxed);
        None
    }

    /// Milliseconds since 1970, in the server's reckoning.
    pub fn now(&self) -> i64 {
        self.offset.load(Ordering::Relaxed) + millis(self.source.steady())
    }

    /// The time on the machine's clock, if that has gone ahead.
    pub fn ahead(&self) -> Option<i64> {
        let wall = self.source.wall();
        (wall - self.now() > GAP).then_some(wall)
    }

    /// Moves on by so many milliseconds, which must have been noted as a pause.
    pub fn skip(&self, by: i64) {
        self.offset.fetch_add(by, Ordering::Relaxed);
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clocks that stand until they are moved.
    #[derive(Default)]
    struct Hands {
        steady: AtomicI64,
        wall: AtomicI64,
    }

    impl Source for Hands {
        fn steady(&self) -> Duration {
            Duration::from_millis(self.steady.load(Ordering::Relaxed).unsigned_abs())
        }

        fn wall(&self) -> i64 {
            self.wall.load(Ordering::Relaxed)
        }
    }

    fn at(steady: i64, wall: i64, last: i64) -> (Arc<Hands>, Time) {
        let hands = Arc::new(Hands { steady: steady.into(), wall: wall.into() });
        let time = Time::new(Arc::clone(&hands) as Arc<dyn Source>, last, Pauses::default());
        (hands, time)
    }

    #[test]
    fn a_clock_that_is_set_back_changes_nothing() {
        let (hands, time) = at(77, 1_000_000, 0);
        assert_eq!(time.now(), 1_000_000);
        hands.wall.store(0, Ordering::Relaxed);
        hands.steady.store(1_077, Ordering::Relaxed);
        assert_eq!((time.now(), time.ahead()), (1_001_000, None));
    }

    #[test]
    fn a_clock_that_is_set_forward_is_noticed_and_followed_when_asked() {
        let (hands, time) = at(0, 1_000_000, 0);
        hands.wall.store(1_000_000 + GAP, Ordering::Relaxed);
        assert_eq!(time.ahead(), None, "a correction is no skip");
        hands.wall.store(9_000_000, Ordering::Relaxed);
        assert_eq!((time.now(), time.ahead()), (1_000_000, Some(9_000_000)));
        time.skip(8_000_000);
        assert_eq!((time.now(), time.ahead()), (9_000_000, None));
    }

    #[test]
    fn the_clock_of_a_store_is_followed_whatever_the_machine_says() {
        let hands = Arc::new(Hands { steady: 1_000.into(), wall: 7.into() });
        let source = Arc::clone(&hands) as Arc<dyn Source>;
        let asked = Duration::from_millis(980);
        let time = Time::of_store(source, asked, 5_000_000, Pauses::default());
        assert_eq!(time.now(), 5_000_010, "half of the way back has passed");
        let ask = |there: i64| time.follow(Duration::from_millis(990), there);
        assert_eq!((ask(5_000_000), time.now()), (None, 5_000_010), "it may be so");
        assert_eq!((ask(5_000_015), time.now()), (None, 5_000_015));
        assert_eq!((ask(4_000_000), time.now()), (None, 5_000_014), "not at once");
        assert_eq!(ask(5_000_015 + GAP), Some(5_000_015 + GAP));
        hands.wall.store(i64::MAX, Ordering::Relaxed);
        assert_eq!(time.now(), 5_000_014);
    }

    #[test]
    fn a_start_before_the_last_event_goes_on_from_there() {
        let (hands, time) = at(0, 1_000, 5_000_000);
        assert_eq!(time.now(), 5_000_000);
        hands.steady.store(20, Ordering::Relaxed);
        assert_eq!(time.now(), 5_000_020);
    }
}
