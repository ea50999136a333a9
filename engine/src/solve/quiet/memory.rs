//! The transposition table of the quiet-move search: eight bytes an entry, shared by all threads.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// Entries per bucket: a cache line.
const WAYS: usize = 8;

/// The key bits in an entry; the key's upper bits choose the bucket.
const CHECK: u64 = (1 << 45) - 1;

/// The largest bound that fits an entry.
pub(super) const MOST: u32 = 62;

/// An entry. Packed, it is the key's lower 45 bits, twice six bits for bounds and seven for the move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// One more than the largest bound without a win.
    pub(super) fails: u8,
    /// 63 minus the smallest bound with a win; 0 if none is known.
    pub(super) wins: u8,
    /// One more than the index of the deciding move; 0 if there is none.
    pub(super) best: u8,
}

impl Known {
    fn pack(self, key: u64) -> u64 {
        let data = u64::from(self.fails) << 13 | u64::from(self.wins) << 7 | u64::from(self.best);
        (key & CHECK) << 19 | data
    }

    fn unpack(entry: u64) -> Known {
        let six = |at: u32| (entry >> at & 63) as u8;
        Known { fails: six(13), wins: six(7), best: (entry & 127) as u8 }
    }

    /// The bound of the search that found this.
    fn bound(self) -> u8 {
        let wins = if self.wins == 0 { 0 } else { 63 - self.wins };
        self.fails.saturating_sub(1).max(wins)
    }

    /// Whether the attacker wins within a bound, if that is known.
    #[inline]
    pub(super) fn answer(self, left: u32) -> Option<bool> {
        if left < u32::from(self.fails) {
            return Some(false);
        }
        (self.wins > 0 && left >= u32::from(63 - self.wins)).then_some(true)
    }

    pub(super) fn learn(&mut self, left: u32, wins: bool, best: Option<u8>) {
        let bound = left.min(MOST - 1) as u8;
        if wins {
            self.wins = self.wins.max(63 - bound);
        } else {
            self.fails = self.fails.max(bound + 1);
        }
        self.best = best.map_or(self.best, |best| (best + 1) & 127);
    }
}

/// The table; in a full bucket the entry with the smallest bound is replaced.
pub(super) struct Memory {
    entries: Vec<AtomicU64>,
}

impl Memory {
    /// A table of about this many MiB.
    pub(super) fn new(mebibytes: usize) -> Memory {
        let places = ((mebibytes << 20) / (8 * WAYS)).max(1);
        Memory { entries: (0..places * WAYS).map(|_| AtomicU64::new(0)).collect() }
    }

    pub(super) fn places(&self) -> usize {
        self.entries.len() / WAYS
    }

    /// The index of a key's bucket.
    #[inline]
    pub(super) fn number(&self, key: u64) -> usize {
        ((u128::from(key) * self.places() as u128) >> 64) as usize
    }

    #[inline]
    fn place(&self, key: u64) -> &[AtomicU64] {
        &self.entries[self.number(key) * WAYS..][..WAYS]
    }

    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Known> {
        let check = key & CHECK;
        let mut entries = self.place(key).iter().map(|entry| entry.load(Ordering::Relaxed));
        entries.find(|entry| entry >> 19 == check && entry & 0x7_ffff != 0).map(Known::unpack)
    }

    #[inline]
    pub(super) fn put(&self, key: u64, known: Known) {
        let place = self.place(key);
        let packed = known.pack(key);
        let mut least = (u8::MAX, 0);
        for (i, entry) in place.iter().enumerate() {
            let entry = entry.load(Ordering::Relaxed);
            if entry >> 19 == key & CHECK || entry == 0 {
                place[i].store(packed, Ordering::Relaxed);
                return;
            }
            least = least.min((Known::unpack(entry).bound(), i));
        }
        place[least.1].store(packed, Ordering::Relaxed);
    }

    /// The load factor, estimated from a sample.
    pub(super) fn used(&self) -> f64 {
        let step = (self.entries.len() / 4096).max(1);
        let sample = self.entries.iter().step_by(step);
        let used = sample.clone().filter(|entry| entry.load(Ordering::Relaxed) != 0).count();
        used as f64 / sample.count() as f64
    }

    /// Writes the size, and for each bucket which of its entries follow: those whose bound is at least
    /// `least`, since searching the others again is quicker than reading them.
    pub(super) fn write(&self, out: &mut impl Write, least: u8) -> io::Result<()> {
        out.write_all(&(self.places() as u64).to_le_bytes())?;
        for place in self.entries.chunks(WAYS) {
            let (mut which, mut bytes) = (0u8, Vec::with_capacity(8 * WAYS));
            for (i, entry) in place.iter().enumerate() {
                let entry = entry.load(Ordering::Relaxed);
                if entry != 0 && Known::unpack(entry).bound() >= least {
                    which |= 1 << i;
                    bytes.extend_from_slice(&entry.to_le_bytes());
                }
            }
            out.write_all(&[which])?;
            out.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Reads what `write` wrote; the size must be that of a table of this many MiB.
    pub(super) fn read(input: &mut impl Read, mebibytes: usize) -> io::Result<Memory> {
        let memory = Memory::new(mebibytes);
        let mut number = [0; 8];
        input.read_exact(&mut number)?;
        if u64::from_le_bytes(number) != memory.places() as u64 {
            let wanted = (u64::from_le_bytes(number).saturating_mul(8 * WAYS as u64)) >> 20;
            let message = format!("it was made with --memory {wanted}; ask for the same");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        for place in memory.entries.chunks(WAYS) {
            let mut which = [0];
            input.read_exact(&mut which)?;
            for (i, entry) in place.iter().enumerate() {
                if which[0] >> i & 1 == 1 {
                    input.read_exact(&mut number)?;
                    entry.store(u64::from_le_bytes(number), Ordering::Relaxed);
                }
            }
        }
        Ok(memory)
    }
}
