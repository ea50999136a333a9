//! The one answer to "can a move be stored?", for clocks, readiness and health checks.
//!
//! A store may answer queries and still accept no events, because its disk is full or a table is locked. So a heartbeat
//! alone does not prove that players can play. After a failed append, or while one takes long, no heartbeat counts
//! until something can be appended: either by a player, or by retrying the failed append in a transaction that is
//! rolled back. Once appends work again, that time becomes a pause, however short it was: failures that come and go
//! would otherwise take the players' time bit by bit.

use super::Append;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long an append may take before heartbeats are suspended.
const SLOW: Duration = Duration::from_millis(400);

/// For how long a stored event shows that another one can be stored.
const PROVES: Duration = Duration::from_secs(2);

/// What is known about appends.
#[derive(Default)]
pub struct Trouble(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    /// When the writer sent the statement it is waiting for.
    waits: Option<Instant>,
    failed: Option<Failed>,
    /// When something was last appended, or could have been.
    proved: Option<Instant>,
    /// Since when appends failed, in milliseconds since 1970, until that time is recorded as a pause.
    owed: Option<i64>,
}

struct Failed {
    /// To be tried again; none if only a heartbeat failed.
    append: Option<Append>,
    reason: String,
    /// The time of the oldest data that could not be written.
    since: i64,
}

impl Trouble {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called when the writer begins to write, and when it is done.
    pub fn waits(&self, waits: bool) {
        self.seen().waits = waits.then(Instant::now);
    }

    /// Called after a write of this time failed for a reason that would affect all of them.
    pub fn failed(&self, since: i64, append: Option<&Append>, reason: String) {
        let mut seen = self.seen();
        let failed = seen.failed.get_or_insert(Failed { append: None, reason, since });
        failed.append = failed.append.take().or_else(|| append.cloned());
    }

    /// Called after a successful append.
    pub fn works(&self) {
        self.seen().failed = None;
    }

    /// Called after events were appended, or could have been.
    pub fn proved(&self) {
        self.seen().proved = Some(Instant::now());
    }

    /// Whether a probe is needed, because nothing was appended lately.
    pub fn is_unproved(&self) -> bool {
        self.seen().proved.is_none_or(|at| at.elapsed() > PROVES)
    }

    /// Why appends may be failing, if they are.
    pub fn reason(&self) -> Option<String> {
        let seen = self.seen();
        let slow = seen.waits.is_some_and(|since| since.elapsed() > SLOW);
        let failed = seen.failed.as_ref().map(|failed| failed.reason.clone());
        failed.or_else(|| slow.then(|| "the store is slow to answer".to_owned()))
    }

    /// The failed append, to be retried as a probe.
    pub fn append(&self) -> Option<Append> {
        self.seen().failed.as_ref().and_then(|failed| failed.append.clone())
    }

    /// The time since the failure, but not before `least`, has to become a pause.
    pub fn owe(&self, least: i64) {
        let mut seen = self.seen();
        if let Some(since) = seen.failed.as_ref().map(|failed| failed.since.max(least)) {
            seen.owed.get_or_insert(since);
        }
    }

    /// Since when time has to become a pause, in milliseconds since 1970.
    pub fn owed(&self) -> Option<i64> {
        self.seen().owed
    }

    /// Called after that time has become a pause, or can no longer become one.
    pub fn settle(&self) {
        self.seen().owed = None;
    }
}
