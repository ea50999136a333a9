//! The transposition table: what was found out about positions, shared by all threads.
//!
//! Each entry is two words, the second one the data and the first one the key xor the data. A torn
//! write by two threads makes a key that fits nothing, so no lock is needed. The best move is kept as
//! its number: the table is the same for all games.

use crate::score::{Score, WIN};
use prefetch_index::prefetch_index;
use rules::game::MOVE_BITS;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether a score is a bound or exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// The value is at most the score.
    Upper = 1,
    /// The value is at least the score.
    Lower = 2,
    /// The value is the score.
    Exact = 3,
}

/// An entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The value, counted from the position.
    pub score: Score,
    /// How deep it was searched.
    pub depth: i32,
    /// Whether the score is exact.
    pub bound: Bound,
    /// The best move's number.
    pub best: Option<u32>,
    /// The evaluation without search, if it was made.
    pub static_eval: Option<Score>,
}

// From the lowest bit: 16 for the score, 18 for the move, 14 for the static evaluation, 8 for the depth, 2 for the
// bound, 6 for the age.
const NO_MOVE: u64 = (1 << MOVE_BITS) - 1;
/// Evaluations that need more bits are not kept.
const NO_EVAL: i64 = -(1 << 13);
/// Depths are stored relative to this; lower ones are clamped.
const MIN_DEPTH: i32 = -12;
const DEPTH_AT: u32 = 48;
const BOUND_AT: u32 = 56;
const AGE_AT: u32 = 58;

fn depth_of(data: u64) -> i32 {
    (data >> DEPTH_AT & 0xff) as i32 + MIN_DEPTH
}

impl Entry {
    fn pack(self, age: u8) -> u64 {
        let score = (self.score as i16 as u16) as u64;
        let best = self.best.map_or(NO_MOVE, u64::from);
        let fitting = |static_eval: &i64| static_eval.abs() < -NO_EVAL;
        let static_eval = self.static_eval.map(i64::from).filter(fitting).unwrap_or(NO_EVAL);
        let depth = (self.depth - MIN_DEPTH).clamp(0, 255) as u64;
        score
            | best << 16
            | (static_eval as u64 & 0x3fff) << 34
            | depth << DEPTH_AT
            | (self.bound as u64) << BOUND_AT
            | u64::from(age) << AGE_AT
    }

    fn unpack(data: u64) -> Option<Entry> {
        let bound = match data >> BOUND_AT & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        let best = data >> 16 & NO_MOVE;
        let static_eval = (data << 16) as i64 >> 50;
        Some(Entry {
            score: Score::from(data as u16 as i16),
            depth: depth_of(data),
            bound,
            best: (best != NO_MOVE).then_some(best as u32),
            static_eval: (static_eval != NO_EVAL).then_some(static_eval as Score),
        })
    }
}

#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// Two slots in one cache line.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Pair([Slot; 2]);

/// The transposition table; threads share it without a lock.
#[derive(Debug)]
pub struct TranspositionTable {
    pairs: Vec<Pair>,
    age: u8,
}

impl TranspositionTable {
    /// A table of this many mebibytes, with at least one entry.
    pub fn new(mebibytes: usize) -> TranspositionTable {
        let pairs = ((mebibytes << 20) / size_of::<Pair>()).max(1);
        TranspositionTable { pairs: (0..pairs).map(|_| Pair::default()).collect(), age: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.pairs.iter_mut().for_each(|pair| *pair = Pair::default());
        self.age = 0;
    }

    /// Ages all entries, so that they are replaced first; called before each search.
    pub fn new_search(&mut self) {
        self.age = (self.age + 1) % 64;
    }

    /// The place of a key: scaled to the number of pairs, which need not be a power of two.
    #[inline]
    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.pairs.len() as u128) >> 64) as usize
    }

    #[inline]
    fn pair(&self, key: u64) -> &[Slot; 2] {
        &self.pairs[self.place(key)].0
    }

    /// Begins to fetch the entry of a position that is probed soon: a table is larger than the caches, and waiting for
    /// memory took a third of a search.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch_index(&self.pairs, self.place(key));
    }

    /// The entry of a position.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        self.pair(key).iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            (slot.check.load(Ordering::Relaxed) ^ data == key).then(|| Entry::unpack(data))?
        })
    }

    /// How many in a thousand entries are from this search, estimated from a sample (UCI's `hashfull`).
    pub fn fullness(&self) -> u32 {
        let sample = self.pairs.iter().take(500).flat_map(|pair| &pair.0);
        let own = |slot: &&Slot| {
            let data = slot.data.load(Ordering::Relaxed);
            data >> BOUND_AT & 3 != 0 && (data >> AGE_AT) as u8 == self.age
        };
        let (own, all) = (sample.clone().filter(own).count(), sample.count());
        (own * 1000 / all.max(1)) as u32
    }

    /// Stores an entry: the first slot of a pair keeps the deepest of this search, the second the latest.
    #[inline]
    pub fn store(&self, key: u64, entry: Entry) {
        debug_assert!(
            entry.score.abs() <= WIN && entry.best.is_none_or(|best| u64::from(best) < NO_MOVE)
        );
        let pair = self.pair(key);
        let old = pair[0].data.load(Ordering::Relaxed);
        let same = pair[0].check.load(Ordering::Relaxed) ^ old == key;
        let stale = (old >> AGE_AT) as u8 != self.age;
        let shallower = depth_of(old) <= entry.depth;
        let slot = &pair[usize::from(!(same || stale || shallower))];
        let data = entry.pack(self.age);
        slot.data.store(data, Ordering::Relaxed);
        slot.check.store(key ^ data, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_large_as_was_asked_for() {
        for mebibytes in [1, 3, 8] {
            let pairs = TranspositionTable::new(mebibytes).pairs.len();
            assert_eq!(pairs * size_of::<Pair>(), mebibytes << 20);
        }
    }

    #[test]
    fn what_is_put_in_comes_out() {
        let tt = TranspositionTable::new(1);
        for (i, bound) in [Bound::Upper, Bound::Lower, Bound::Exact].into_iter().enumerate() {
            for score in [-30_000, -1, 0, 29_999] {
                let best = [None, Some(0), Some(200_000)][i];
                let static_eval = [None, Some(-8_191), Some(8_191)][i];
                let entry = Entry { score, depth: 16 * i as i32 - 12, bound, best, static_eval };
                let key = 0x1234_5678_9abc_def0 ^ (score as u64) << 7 ^ i as u64;
                tt.store(key, entry);
                assert_eq!(tt.probe(key), Some(entry));
                assert_eq!(tt.probe(key ^ 1 << 63), None);
            }
        }
        assert_eq!(tt.probe(0), None, "an empty slot holds nothing");
    }
}
