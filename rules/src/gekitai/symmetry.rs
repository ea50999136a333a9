//! The eight images of a board.

use super::{Cell, Gekitai, moves::Place};
use crate::symmetry::Symmetric;

/// Left and right exchanged, on a board of this size.
fn mirrored(set: u64, size: usize) -> u64 {
    set.reverse_bits().swap_bytes() >> (8 - size)
}

/// Top and bottom exchanged, on a board of this size.
fn flipped(set: u64, size: usize) -> u64 {
    set.swap_bytes() >> (8 * (8 - size))
}

/// Rows and columns exchanged.
fn transposed(set: u64) -> u64 {
    let swap = |set: u64, mask: u64, shift: u32| {
        let differs = (set ^ set >> shift) & mask;
        set ^ differs ^ differs << shift
    };
    let set = swap(set, 0x00aa_00aa_00aa_00aa, 7);
    let set = swap(set, 0x0000_cccc_0000_cccc, 14);
    swap(set, 0x0000_0000_f0f0_f0f0, 28)
}

fn image(set: u64, which: usize, size: usize) -> u64 {
    let set = if which & 1 == 0 { set } else { mirrored(set, size) };
    let set = if which & 2 == 0 { set } else { flipped(set, size) };
    if which & 4 == 0 { set } else { transposed(set) }
}

impl Gekitai {
    /// The least image of both players' sets, the mover's first, and which one it is.
    fn least(&self) -> ([u64; 2], usize) {
        let size = self.size();
        let sets = [self.markers(self.turn), self.markers(self.turn.other())];
        let mut least = (sets, 0);
        for which in 1..Self::IMAGES {
            least = least.min((sets.map(|set| image(set, which, size)), which));
        }
        least
    }
}

impl Symmetric for Gekitai {
    const IMAGES: usize = 8;

    fn image(&self, which: usize) -> Self {
        let markers = self.markers.map(|set| image(set, which, self.size()));
        let mut other = Gekitai { markers, ..*self };
        other.key = other.fresh_key();
        other
    }

    fn image_of(&self, m: Place, which: usize) -> Place {
        Place(Cell::image(m.0, which, self.size()))
    }

    fn canonical(&self) -> (Self, usize) {
        let (_, which) = self.least();
        (self.image(which), which)
    }

    /// Equal for positions that differ only by exchanging the players.
    fn canonical_key(&self) -> u64 {
        let mix = |key: u64, set: u64| {
            let key = (key ^ set).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (key ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        };
        let ([mine, theirs], _) = self.least();
        let key = mix(mix(0, mine), theirs);
        key ^ key >> 32
    }
}
