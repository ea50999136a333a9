//! The table of the proof-number search: sixteen bytes an entry, shared by all threads.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of a settled position: a proof number of a refuted one, a disproof number of a proven one.
pub(super) const INFINITE: u32 = (1 << 16) - 1;

/// What identifies a position: a mixed hash of the least of its images, and 19 bits of another hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) hash: u64,
    pub(super) more: u32,
}

/// How many bits of the second hash are kept.
pub(super) const MORE_BITS: u32 = 19;

/// What is known of a position. Packed, from below: 16 bits proof number, 16 bits disproof number, six bits for the
/// logarithm of the work, six for the rank of a win, one that marks a refutation by repetition, and the key's 19.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Known(u64);

impl Known {
    /// Both numbers, and the rank of a win.
    pub(super) fn new(proof: u32, disproof: u32, rank: u32, work: u64) -> Known {
        let numbers = u64::from(proof.min(INFINITE)) | u64::from(disproof.min(INFINITE)) << 16;
        Known(numbers | logarithm(work) << 32 | u64::from(rank.min(63)) << 38)
    }

    /// A refutation that holds only while a position with this trace is on the path.
    pub(super) fn leaning(trace: u32, work: u64) -> Known {
        Known(u64::from(trace) | logarithm(work) << 32 | 1 << 44)
    }

    pub(super) fn leans(self) -> bool {
        self.0 >> 44 & 1 == 1
    }

    /// The trace of the position that a leaning refutation needs.
    pub(super) fn trace(self) -> u32 {
        self.0 as u32
    }

    pub(super) fn proof(self) -> u32 {
        self.0 as u32 & INFINITE
    }

    pub(super) fn disproof(self) -> u32 {
        (self.0 >> 16) as u32 & INFINITE
    }

    pub(super) fn rank(self) -> u8 {
        (self.0 >> 38 & 63) as u8
    }

    /// The logarithm of the nodes it took.
    pub(super) fn work(self) -> u8 {
        (self.0 >> 32 & 63) as u8
    }

    pub(super) fn is_settled(self) -> bool {
        !self.leans() && (self.proof() == 0 || self.disproof() == 0)
    }
}

pub(super) fn logarithm(work: u64) -> u64 {
    u64::from(64 - work.leading_zeros())
}

/// Entries per bucket.
const WAYS: usize = 4;

/// A cache line. The first half of an entry is the hash XORed with the data, so that an entry of which two threads
/// wrote a half each fits no position.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Place([[AtomicU64; 2]; WAYS]);

/// The table; in a full bucket the entry that cost least is replaced.
#[derive(Debug)]
pub(super) struct Memory {
    places: Vec<Place>,
}

impl Memory {
    /// A table of about this many MiB.
    pub(super) fn new(mebibytes: usize) -> Memory {
        let count = ((mebibytes << 20) / size_of::<Place>()).max(1);
        Memory { places: (0..count).map(|_| Place::default()).collect() }
    }

    #[inline]
    fn place(&self, key: Key) -> &Place {
        &self.places[((u128::from(key.hash) * self.places.len() as u128) >> 64) as usize]
    }

    #[inline]
    pub(super) fn get(&self, key: Key) -> Option<Known> {
        self.place(key)
            .0
            .iter()
            .map(load)
            .find(|entry| is_of(*entry, key))
            .map(|(_, data)| Known(data))
    }

    /// Stores an entry, but never over a settled one of the same position.
    #[inline]
    pub(super) fn put(&self, key: Key, known: Known) {
        let data = known.0 | u64::from(key.more) << (64 - MORE_BITS);
        let place = self.place(key);
        let mut least = (u8::MAX, 0);
        for (i, entry) in place.0.iter().enumerate() {
            let entry = load(entry);
            if is_of(entry, key) {
                if Known(entry.1).is_settled() && !known.is_settled() {
                    return;
                }
                least = (0, i);
                break;
            }
            let work = if entry.1 == 0 { 0 } else { 1 + Known(entry.1).work() };
            least = least.min((work, i));
        }
        let [check, own] = &place.0[least.1];
        check.store(key.hash ^ data, Ordering::Relaxed);
        own.store(data, Ordering::Relaxed);
    }

    /// Forgets a position.
    pub(super) fn forget(&self, key: Key) {
        for entry in self.place(key).0.iter().filter(|entry| is_of(load(entry), key)) {
            entry.iter().for_each(|half| half.store(0, Ordering::Relaxed));
        }
    }

    /// The load factor, estimated from a sample.
    pub(super) fn used(&self) -> f64 {
        let step = (self.places.len() / 4096).max(1);
        let sample = self.places.iter().step_by(step).flat_map(|place| &place.0);
        let used = sample.clone().filter(|entry| load(entry).1 != 0).count();
        used as f64 / sample.count() as f64
    }

    /// Writes the size, and for each bucket which of its entries follow: those that cost more than a few nodes, since
    /// searching the others again is quicker than reading them.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&(self.places.len() as u64).to_le_bytes())?;
        for place in &self.places {
            let (mut which, mut bytes) = (0u8, Vec::with_capacity(size_of::<Place>()));
            for (i, entry) in place.0.iter().enumerate() {
                let (check, data) = load(entry);
                if data != 0 && Known(data).work() >= WRITTEN {
                    which |= 1 << i;
                    bytes.extend_from_slice(&check.to_le_bytes());
                    bytes.extend_from_slice(&data.to_le_bytes());
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
        let places = u64::from_le_bytes(number);
        if places != memory.places.len() as u64 {
            let wanted = places.saturating_mul(size_of::<Place>() as u64) >> 20;
            let message = format!("it was made with --memory {wanted}; ask for the same");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        for place in &memory.places {
            let mut which = [0];
            input.read_exact(&mut which)?;
            for (i, entry) in place.0.iter().enumerate() {
                for half in entry.iter().filter(|_| which[0] >> i & 1 == 1) {
                    input.read_exact(&mut number)?;
                    half.store(u64::from_le_bytes(number), Ordering::Relaxed);
                }
            }
        }
        Ok(memory)
    }
}

/// Entries whose logarithm of work is smaller are not written to files.
const WRITTEN: u8 = 4;

#[inline]
fn load([check, data]: &[AtomicU64; 2]) -> (u64, u64) {
    (check.load(Ordering::Relaxed), data.load(Ordering::Relaxed))
}

#[inline]
fn is_of((check, data): (u64, u64), key: Key) -> bool {
    data != 0 && check ^ data == key.hash && (data >> (64 - MORE_BITS)) as u32 == key.more
}
