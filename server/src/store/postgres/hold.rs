//! Suspends the heartbeats of all servers while this one cannot append: the others may have had nothing to append, so
//! their heartbeats do not show that players can play.

use crate::clocks::time::GAP;
use crate::store::trouble::Trouble;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// For how many milliseconds no heartbeat counts after a server has reported that it cannot append. The report is
/// repeated every second or two. It is shorter than [`GAP`], so that a server killed after a report does not cause a
/// pause by itself, and games whose clock may have run out go on soon.
pub const HELD: i64 = GAP - 1_000;

/// How often the report is repeated.
const TELL: Duration = Duration::from_millis(800);

/// How often a failed append is tried again.
const AGAIN: Duration = Duration::from_millis(500);

/// How many milliseconds before the first report are given back too, at most: a failure is noticed at once, but reported
/// with the next heartbeat.
const UNREPORTED: i64 = 3_000;

/// When heartbeats were last suspended by this server.
#[derive(Default)]
pub struct Hold(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    /// When the suspension was last extended.
    told: Option<Instant>,
    tried: Option<Instant>,
}

impl Hold {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is time to suspend the heartbeats (again).
    pub fn is_to_be_told(&self) -> bool {
        self.seen().told.is_none_or(|at| at.elapsed() > TELL)
    }

    /// Called after the heartbeats were suspended at `now`.
    pub fn told(&self, trouble: &Trouble, now: i64) {
        let mut seen = self.seen();
        if has_lapsed(&seen) {
            // Other servers' heartbeats may have counted meanwhile.
            trouble.settle();
        }
        trouble.owe(now - UNREPORTED);
        seen.told = Some(Instant::now());
    }

    /// Since when time has to become a pause.
    pub fn owed(&self, trouble: &Trouble) -> Option<i64> {
        if has_lapsed(&self.seen()) {
            return None;
        }
        trouble.owed()
    }

    /// Called after the suspension has become a pause.
    pub fn let_go(&self, trouble: &Trouble) {
        self.seen().told = None;
        trouble.settle();
    }

    /// Whether it is time to try a failed append again.
    pub fn is_to_be_tried(&self) -> bool {
        let mut seen = self.seen();
        let due = seen.tried.is_none_or(|at| at.elapsed() >= AGAIN);
        if due {
            seen.tried = Some(Instant::now());
        }
        due
    }
}

fn has_lapsed(seen: &Seen) -> bool {
    seen.told.is_none_or(|at| at.elapsed().as_millis() >= HELD.unsigned_abs().into())
}
