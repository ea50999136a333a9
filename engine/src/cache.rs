//! The transposition table: what was found out about positions, shared by all threads.
//!
//! Each entry is two words, the second one the data and the first one the key xor the data. A torn
//! write by two threads makes a key that fits nothing, so no lock is needed. The best move is kept as
//! its number: the table is the same for all games.

use crate::score::Score;
use rules::game::MOVE_BITS;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a score says.
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

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The value, counted from the position.
    pub score: Score,
    /// How deep it was searched.
    pub depth: i32,
    /// What the score says.
    pub bound: Bound,
    /// The best move's number.
    pub best: Option<u32>,
    /// The estimate without search, where one was made.
    pub stand: Option<Score>,
}

// From the lowest bit: 16 for the score, 18 for the move, 14 for the estimate, 8 for the depth, 2 for the
// bound, 6 for the age.
const NO_MOVE: u64 = (1 << MOVE_BITS) - 1;
/// Estimates that need more bits are not kept.
const NO_STAND: i64 = -(1 << 13);
/// The least depth that is told from lesser ones.
const LEAST_DEPTH: i32 = -12;
const DEPTH_AT: u32 = 48;
const BOUND_AT: u32 = 56;
const AGE_AT: u32 = 58;

fn depth_of(data: u64) -> i32 {
    (data >> DEPTH_AT & 0xff) as i32 + LEAST_DEPTH
}

impl Entry {
    fn pack(self, age: u8) -> u64 {
        let score = (self.score as i16 as u16) as u64;
        let best = self.best.map_or(NO_MOVE, u64::from);
        let fitting = |stand: &i64| stand.abs() < -NO_STAND;
        let stand = self.stand.map(i64::from).filter(fitting).unwrap_or(NO_STAND);
        let depth = (self.depth - LEAST_DEPTH).clamp(0, 255) as u64;
        score
            | best << 16
            | (stand as u64 & 0x3fff) << 34
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
        let stand = (data << 16) as i64 >> 50;
        Some(Entry {
            score: Score::from(data as u16 as i16),
            depth: depth_of(data),
            bound,
            best: (best != NO_MOVE).then_some(best as u32),
            stand: (stand != NO_STAND).then_some(stand as Score),
        })
    }
}

#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// The transposition table; threads share it without a lock.
#[derive(Debug)]
pub struct Cache {
    slots: Vec<[Slot; 2]>,
    age: u8,
}

impl Cache {
    /// A table of this many mebibytes, with at least one entry.
    pub fn new(mebibytes: usize) -> Cache {
        let pairs = ((mebibytes << 20) / size_of::<[Slot; 2]>()).max(1);
        Cache { slots: (0..pairs).map(|_| Default::default()).collect(), age: 0 }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|pair| *pair = Default::default());
        self.age = 0;
    }

    /// Makes older entries give way: to be called before each search.
    pub fn grow_old(&mut self) {
        self.age = (self.age + 1) % 64;
    }

    fn pair(&self, key: u64) -> &[Slot; 2] {
        // The key as a fraction of all keys chooses, so any number of pairs will do.
        let at = (u128::from(key) * self.slots.len() as u128) >> 64;
        &self.slots[at as usize]
    }

    /// What is known of a position.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        self.pair(key).iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            (slot.check.load(Ordering::Relaxed) ^ data == key).then(|| Entry::unpack(data))?
        })
    }

    /// Remembers: in the first place what is deep and of this search, in the second one whatever came
    /// last.
    #[inline]
    pub fn put(&self, key: u64, entry: Entry) {
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

    /// How many of a thousand entries are in use.
    pub fn per_mille(&self) -> usize {
        let sample = self.slots.len().min(500);
        let used = |slot: &&Slot| {
            slot.data.load(Ordering::Relaxed) >> AGE_AT == u64::from(self.age)
                && slot.data.load(Ordering::Relaxed) != 0
        };
        let count = self.slots[..sample].iter().flatten().filter(used).count();
        count * 1000 / (2 * sample).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_large_as_was_asked_for() {
        for mebibytes in [1, 3, 8] {
            let pairs = Cache::new(mebibytes).slots.len();
            assert_eq!(pairs * size_of::<[Slot; 2]>(), mebibytes << 20);
        }
    }

    #[test]
    fn what_is_put_in_comes_out() {
        let cache = Cache::new(1);
        for (i, bound) in [Bound::Upper, Bound::Lower, Bound::Exact].into_iter().enumerate() {
            for score in [-30_000, -1, 0, 29_999] {
                let best = [None, Some(0), Some(200_000)][i];
                let stand = [None, Some(-8_191), Some(8_191)][i];
                let entry = Entry { score, depth: 16 * i as i32 - 12, bound, best, stand };
                let key = 0x1234_5678_9abc_def0 ^ (score as u64) << 7 ^ i as u64;
                cache.put(key, entry);
                assert_eq!(cache.get(key), Some(entry));
                assert_eq!(cache.get(key ^ 1 << 63), None);
            }
        }
        assert_eq!(cache.get(0), None, "an empty slot holds nothing");
    }
}
