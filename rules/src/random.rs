//! SplitMix64: the one source of pseudo-random numbers.
//!
//! Hash keys, seeded players and playouts are drawn from it. Its sequences are part of the project's
//! promises (the same seed gives the same game), so the constants never change.

/// The increment of the state.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A generator of 64-bit numbers, copied and seeded at will.
///
/// ```
/// use rules::random::Random;
/// let (mut a, mut b) = (Random::new(7), Random::new(7));
/// assert_eq!(a.next_u64(), b.next_u64());
/// assert!(a.below(6) < 6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    /// A generator whose whole sequence follows from `seed`.
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The seed of a generator that continues from here.
    pub const fn state(&self) -> u64 {
        self.0
    }

    /// The next number of the sequence.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; the bias of the multiply-shift is below 2⁻³² for every `n` used here.
    ///
    /// `n` must not be zero.
    pub const fn below(&mut self, n: usize) -> usize {
        ((self.next_u64() as u128 * n as u128) >> 64) as usize
    }

    /// A random element of a slice; `None` if it is empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() {
            return None;
        }
        items.get(self.below(items.len()))
    }
}

/// A bijection that distributes keys evenly. The least of several keys is small, and a table indexed by the
/// upper bits would fill at one end.
#[inline]
pub const fn spread(key: u64) -> u64 {
    Random::new(key).next_u64()
}

/// One of the keys of [`keys`], where there is no room for a table.
#[inline]
pub const fn key(seed: u64, index: usize) -> u64 {
    Random::new(seed.wrapping_add((index as u64).wrapping_mul(STEP))).next_u64()
}

/// A table of `N` keys, for hashing; made at compile time.
pub const fn keys<const N: usize>(seed: u64) -> [u64; N] {
    let mut random = Random::new(seed);
    let mut table = [0; N];
    let mut i = 0;
    while i < N {
        table[i] = random.next_u64();
        i += 1;
    }
    table
}
