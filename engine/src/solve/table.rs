//! The transposition table of a proof-number search, of fixed size, and its file format.

use std::io::{self, Read, Write};

/// The proof number of a disproved position, or the disproof number of a proven one.
pub const INFINITE: u32 = 1 << 30;

/// A table entry: both numbers, their cost, and the lower 48 bits of the key. The bucket gives the rest if
/// there are 65,536 buckets (4 MiB) or more.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    check: [u16; 3],
    work: Work,
    proof: u32,
    disproof: u32,
}

impl Entry {
    fn is_empty(self) -> bool {
        (self.proof, self.disproof) == (0, 0)
    }

    fn is_of(self, key: u64) -> bool {
        self.check == check(key) && !self.is_empty()
    }
}

fn check(key: u64) -> [u16; 3] {
    [key as u16, (key >> 16) as u16, (key >> 32) as u16]
}

/// A node count, rounded down: a five-bit exponent and an eleven-bit mantissa.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Work(u16);

impl Work {
    fn of(positions: u64) -> Work {
        let positions = positions.clamp(1, u64::from(u32::MAX));
        let shift = (64 - positions.leading_zeros()).saturating_sub(11);
        Work((shift << 11) as u16 | (positions >> shift) as u16)
    }

    fn positions(self) -> u64 {
        u64::from(self.0 & 0x7ff) << (self.0 >> 11)
    }
}

/// Entries per bucket: as many as fit a cache line.
const WAYS: usize = 4;

/// The table of a proof-number search; in a full bucket the cheapest entry is replaced.
#[derive(Debug)]
pub struct Table {
    places: Vec<[Entry; WAYS]>,
}

impl Table {
    /// A table of about this many MiB.
    pub fn new(mebibytes: usize) -> Table {
        let places = ((mebibytes << 20) / size_of::<[Entry; WAYS]>()).max(1);
        Table { places: vec![Default::default(); places] }
    }

    /// Clears the table.
    pub fn clear(&mut self) {
        self.places.fill(Default::default());
    }

    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.places.len() as u128) >> 64) as usize
    }

    /// The proof and the disproof number of a position, if stored.
    #[inline]
    pub fn get(&self, key: u64) -> Option<(u32, u32)> {
        let entries = &self.places[self.place(key)];
        let found = entries.iter().find(|entry| entry.is_of(key))?;
        Some((found.proof, found.disproof))
    }

    /// Stores both numbers and what it cost to find them.
    #[inline]
    pub fn put(&mut self, key: u64, (proof, disproof): (u32, u32), work: u64) {
        let place = self.place(key);
        let entries = &mut self.places[place];
        let same = entries.iter().position(|entry| entry.is_of(key));
        let least = || (0..WAYS).min_by_key(|i| entries[*i].work).unwrap_or_default();
        let i = same.unwrap_or_else(least);
        let before = same.map_or(0, |i| entries[i].work.positions());
        let work = Work::of(before.saturating_add(work));
        entries[i] = Entry { check: check(key), work, proof, disproof };
    }

    /// How many entries are in use.
    pub fn used(&self) -> usize {
        self.places.iter().flatten().filter(|entry| !entry.is_empty()).count()
    }

    /// Writes the size, the number of entries in use, and each of them with its index.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&(self.places.len() as u64).to_le_bytes())?;
        out.write_all(&(self.used() as u64).to_le_bytes())?;
        for (place, entries) in self.places.iter().enumerate() {
            for entry in entries.iter().filter(|entry| !entry.is_empty()) {
                let Entry { check: [a, b, c], work, proof, disproof } = *entry;
                let pair = |low: u16, high: u16| u32::from(low) | u32::from(high) << 16;
                for field in [place as u32, pair(a, b), pair(c, work.0), proof, disproof] {
                    out.write_all(&field.to_le_bytes())?;
                }
            }
        }
        Ok(())
    }

    /// Reads what `write` wrote into a table of at most this many MiB.
    pub fn read(input: &mut impl Read, most_mebibytes: usize) -> io::Result<Table> {
        let damaged = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let (places, used) = (read_u64(input)?, read_u64(input)?);
        let most = (most_mebibytes << 20) / size_of::<[Entry; WAYS]>();
        if places == 0 || places > most.max(1) as u64 {
            return Err(damaged("it needs more memory than is allowed"));
        }
        let mut table = Table { places: vec![Default::default(); places as usize] };
        for _ in 0..used {
            let [place, check, more, proof, disproof] = read_fields(input)?;
            let entries = table.places.get_mut(place as usize);
            let free = entries.and_then(|entries| entries.iter_mut().find(|e| e.is_empty()));
            let check = [check as u16, (check >> 16) as u16, more as u16];
            let work = Work((more >> 16) as u16);
            *free.ok_or_else(|| damaged("an entry has no place"))? =
                Entry { check, work, proof, disproof };
        }
        Ok(table)
    }
}

fn read_u64(input: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn read_fields(input: &mut impl Read) -> io::Result<[u32; 5]> {
    let mut fields = [0; 5];
    for field in &mut fields {
        let mut bytes = [0; 4];
        input.read_exact(&mut bytes)?;
        *field = u32::from_le_bytes(bytes);
    }
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_back_and_forgets_what_cost_least() {
        let mut table = Table::new(1);
        for i in 1..5_000u64 {
            table.put(i.wrapping_mul(0x9e37_79b9_7f4a_7c15), (i as u32, 7), i);
        }
        let mut bytes = Vec::new();
        table.write(&mut bytes).unwrap();
        let again = Table::read(&mut bytes.as_slice(), 1).unwrap();
        for i in 1..5_000u64 {
            let key = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            assert_eq!(again.get(key), table.get(key));
        }
        assert!(table.used() > 4_900 && again.used() == table.used());
        assert!(Table::read(&mut &bytes[..bytes.len() - 1], 1).is_err());
        // Keys that differ in a single bit are not confused, down to a table of 4 MiB.
        let mut wide = Table::new(4);
        wide.put(0x1234_5678_9abc_def0, (3, 4), 1);
        for bit in 0..64 {
            assert_eq!(wide.get(0x1234_5678_9abc_def0 ^ 1 << bit), None, "bit {bit}");
        }
        // A bucket has four entries; the cheapest of five is gone.
        let mut small = Table::new(0);
        (1..=5).for_each(|i| small.put(i, (1, 1), i));
        assert_eq!((small.get(1), small.get(5)), (None, Some((1, 1))));
    }

    #[test]
    fn work_is_rounded_down_by_little_and_keeps_its_order() {
        let numbers = (2..40).flat_map(|i| [(1u64 << i) - 1, 1 << i, (1 << i) + 1]);
        let all: Vec<Work> = numbers.clone().map(Work::of).collect();
        assert!(all.is_sorted() && all.iter().all(|work| *work != Work::default()));
        for number in numbers.filter(|number| (1..=u64::from(u32::MAX)).contains(number)) {
            let kept = Work::of(number).positions();
            assert!(kept <= number && number - kept <= number / 1024, "{number}: {kept}");
        }
    }
}
