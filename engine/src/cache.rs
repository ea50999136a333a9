//! The transposition table: what was found out about positions, shared by all threads.
//!
//! Each entry is two words, the second one the data and the first one the key xor the data. A torn
//! write by two threads makes a key that fits nothing, so no lock is needed. The best move is kept as
//! its index in generator order: the table is the same for all games.

use crate::score::Score;
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
    /// The best move's index in generator order.
    pub best: Option<u16>,
}

const NO_MOVE: u64 = 0xffff;

impl Entry {
    fn pack(self, age: u8) -> u64 {
        let score = (self.score as i16 as u16) as u64;
        let best = self.best.map_or(NO_MOVE, u64::from);
        let depth = self.depth.clamp(-8, 240) + 8;
        score | best << 16 | (depth as u64) << 32 | (self.bound as u64) << 40 | u64::from(age) << 48
    }

    fn unpack(data: u64) -> Option<Entry> {
        let bound = match data >> 40 & 0xff {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        let best = data >> 16 & 0xffff;
        Some(Entry {
            score: Score::from(data as u16 as i16),
            depth: (data >> 32 & 0xff) as i32 - 8,
            bound,
            best: (best != NO_MOVE).then_some(best as u16),
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
        self.age = self.age.wrapping_add(1);
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
        let stale = (old >> 48) as u8 != self.age;
        let shallower = (old >> 32 & 0xff) as i32 - 8 <= entry.depth;
        let slot = &pair[usize::from(!(same || stale || shallower))];
        let data = entry.pack(self.age);
        slot.data.store(data, Ordering::Relaxed);
        slot.check.store(key ^ data, Ordering::Relaxed);
    }

    /// How many of a thousand entries are in use.
    pub fn per_mille(&self) -> usize {
        let sample = self.slots.len().min(500);
        let used = |slot: &&Slot| {
            slot.data.load(Ordering::Relaxed) >> 48 == u64::from(self.age)
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
                let best = [None, Some(0), Some(4_000)][i];
                let entry = Entry { score, depth: 7 * i as i32 - 4, bound, best };
                let key = 0x1234_5678_9abc_def0 ^ (score as u64) << 7 ^ i as u64;
                cache.put(key, entry);
                assert_eq!(cache.get(key), Some(entry));
                assert_eq!(cache.get(key ^ 1 << 63), None);
            }
        }
        assert_eq!(cache.get(0), None, "an empty slot holds nothing");
    }
}
