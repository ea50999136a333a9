//! The server's time, which runs evenly and never goes back.
//!
//! It starts at the machine's clock, or at the latest time in the store if that is later, and then follows a
//! monotonic clock. Setting the machine's clock therefore neither takes time from a player nor gives any. When the
//! machine's clock is ahead (it was set, or the machine was suspended and the monotonic clock stood still), the
//! server's time jumps to it; the jump is recorded as a pause first, so that no player's clock runs during it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use table::clock::Pauses;

/// How many milliseconds the machine's clock may be ahead before the server's time jumps to it, and how long nothing
/// may be stored before that counts as a pause.
pub const GAP: i64 = 5_000;

/// How many milliseconds the wall clock may gain on the monotonic one before the machine is taken to have slept.
const SLEPT: i64 = 200;

fn apart(source: &dyn Source) -> i64 {
    source.wall() - millis(source.steady())
}

/// A source of time; tests provide their own.
pub trait Source: Send + Sync {
    /// A monotonic clock.
    fn steady(&self) -> Duration;

    /// The wall clock, in milliseconds since 1970.
    fn wall(&self) -> i64;
}

/// The clocks of the operating system.
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
    /// Added to the monotonic clock, in milliseconds.
    offset: Arc<AtomicI64>,
    /// By how much the machine's clock was ahead of the monotonic one when the store's clock was last followed.
    apart: Arc<AtomicI64>,
    /// The times at which no player's clock ran.
    pub pauses: Pauses,
}

impl Time {
    /// Starts at the machine's clock, but not before `last`.
    pub fn new(source: Arc<dyn Source>, last: i64, pauses: Pauses) -> Time {
        let wall = source.wall();
        if last - wall > GAP {
            let seconds = (last - wall) / 1_000;
            tracing::warn!(
                seconds,
                "this machine's clock is behind the last stored event; continuing from that event's time"
            );
        }
        let offset = wall.max(last) - millis(source.steady());
        Time::with(source, offset, pauses)
    }

    /// Starts at a shared store's clock, which read `there` after being asked at `asked`.
    pub fn of_store(source: Arc<dyn Source>, asked: Duration, there: i64, pauses: Pauses) -> Time {
        let between = (asked + source.steady()) / 2;
        Time::with(source, there - millis(between), pauses)
    }

    fn with(source: Arc<dyn Source>, offset: i64, pauses: Pauses) -> Time {
        let apart = AtomicI64::new(apart(source.as_ref()));
        Time { source, offset: Arc::new(AtomicI64::new(offset)), apart: Arc::new(apart), pauses }
    }

    /// Whether the machine may have slept since the store's clock was last followed: its monotonic clock stood still
    /// then, but not its wall clock.
    pub fn may_have_slept(&self) -> bool {
        apart(self.source.as_ref()) - self.apart.load(Ordering::Relaxed) > SLEPT
    }

    /// The monotonic clock.
    pub fn steady(&self) -> Duration {
        self.source.steady()
    }

    /// Follows a shared store's clock, which read `there` after being asked at `asked`. The true time then lies
    /// between `there` and `there` plus the round trip. A server that is behind catches up at once; one that is ahead
    /// slows down by 1 ms per call. If it is far behind, nothing is adjusted and the time to jump to is returned.
    pub fn follow(&self, asked: Duration, there: i64) -> Option<i64> {
        self.apart.store(apart(self.source.as_ref()), Ordering::Relaxed);
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

    /// Milliseconds since 1970.
    pub fn now(&self) -> i64 {
        self.offset.load(Ordering::Relaxed) + millis(self.source.steady())
    }

    /// The machine's clock, if it is ahead by more than [`GAP`].
    pub fn ahead(&self) -> Option<i64> {
        let wall = self.source.wall();
        (wall - self.now() > GAP).then_some(wall)
    }

    /// Jumps ahead by `by` ms, which must have been recorded as a pause.
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

    /// Clocks that only move when told to.
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
