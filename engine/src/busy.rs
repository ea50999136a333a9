//! The positions that threads are searching right now, so that the others defer them (as in ABDADA).

use std::sync::atomic::{AtomicU64, Ordering};

/// A lossy set of positions and depths that are being searched.
#[derive(Debug)]
pub struct Busy(Vec<AtomicU64>);

const SLOTS: usize = 1 << 12;

impl Default for Busy {
    fn default() -> Busy {
        Busy((0..SLOTS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Busy {
    fn slot(&self, key: u64, depth: i32) -> (&AtomicU64, u64) {
        let mark = key ^ (depth as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (&self.0[mark as usize % SLOTS], mark)
    }

    /// Whether a thread is searching a position to this depth.
    pub fn has(&self, key: u64, depth: i32) -> bool {
        let (slot, mark) = self.slot(key, depth);
        slot.load(Ordering::Relaxed) == mark
    }

    /// Marks a position as being searched until the result is dropped.
    pub fn begin(&self, key: u64, depth: i32) -> Begun<'_> {
        let (slot, mark) = self.slot(key, depth);
        slot.store(mark, Ordering::Relaxed);
        Begun(slot, mark)
    }
}

/// The mark of a position that is being searched.
#[derive(Debug)]
pub struct Begun<'a>(&'a AtomicU64, u64);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        // Another thread may have begun something else in the same slot.
        let _ = self.0.compare_exchange(self.1, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_busy_at_its_depth_until_the_thread_has_left_it() {
        let busy = Busy::default();
        let begun = busy.begin(77, 3);
        assert_eq!(
            [(77, 3), (77, 4), (78, 3)].map(|(key, depth)| busy.has(key, depth)),
            [true, false, false]
        );
        let other = busy.begin(77 ^ 1 << 40, 3);
        assert!(!busy.has(77, 3), "it has lost its slot");
        drop(begun);
        assert!(busy.has(77 ^ 1 << 40, 3));
        drop(other);
        assert!(!busy.has(77 ^ 1 << 40, 3));
    }
}
