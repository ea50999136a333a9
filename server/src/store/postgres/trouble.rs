//! Whether moves can be stored: what the writer has seen, and how it is found out that it can go on.
//!
//! A database may answer everything and still take no events: its disk is full, a table is locked. So nobody may
//! conclude from a heartbeat that players can play. After an append has failed, or while one takes long, no beat
//! counts, until something can be appended: by a player, or by trying the append that failed in a transaction that is
//! rolled back. After a failure the beats of other servers do not count either, since they may have nothing to append
//! (`HOLD`).

use super::link::Fault;
use crate::store::Append;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an append may take before no beat counts.
const SLOW: Duration = Duration::from_millis(400);

/// How often it is tried whether an append that failed can be made.
const AGAIN: Duration = Duration::from_millis(500);

/// How often others are told that nothing can be appended.
const TELL: Duration = Duration::from_millis(800);

/// What the writer has seen last.
#[derive(Default)]
pub struct Trouble(Mutex<Seen>);

#[derive(Default)]
struct Seen {
    /// Since when the writer has waited for an answer.
    waits: Option<Instant>,
    /// An append that failed, and why.
    failed: Option<(Append, String)>,
    /// When it was last tried.
    tried: Option<Instant>,
    /// When the other servers were last told.
    told: Option<Instant>,
}

impl Trouble {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The writer asks for something, or has its answer.
    pub fn waits(&self, waits: bool) {
        self.seen().waits = waits.then(Instant::now);
    }

    /// An append has failed for a reason that is not its own.
    pub fn failed(&self, append: &Append, fault: &Fault) {
        let failed = (append.clone(), fault.clone().reason());
        self.seen().failed.get_or_insert(failed);
    }

    /// Something could be appended.
    pub fn works(&self) {
        self.seen().failed = None;
    }

    /// Whether the other servers are to be told now that an append has failed.
    pub fn is_to_be_told(&self) -> bool {
        let mut seen = self.seen();
        let due = seen.failed.is_some() && seen.told.is_none_or(|at| at.elapsed() > TELL);
        if due {
            seen.told = Some(Instant::now());
        }
        due
    }

    /// Why nothing is known to be storable now.
    pub fn reason(&self) -> Option<String> {
        let seen = self.seen();
        let slow = seen.waits.is_some_and(|since| since.elapsed() > SLOW);
        let failed = seen.failed.as_ref().map(|(_, reason)| reason.clone());
        failed.or_else(|| slow.then(|| "the database takes long".to_owned()))
    }

    /// The append that failed, for one who tries it again: not more often than makes sense.
    pub fn to_try(&self) -> Option<Append> {
        let mut seen = self.seen();
        if seen.tried.is_some_and(|at| at.elapsed() < AGAIN) {
            return None;
        }
        let append = seen.failed.as_ref().map(|(append, _)| append.clone());
        if append.is_some() {
            seen.tried = Some(Instant::now());
        }
        append
    }
}
