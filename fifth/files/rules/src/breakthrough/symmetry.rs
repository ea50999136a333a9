//! The board and its mirror image.

use super::{Breakthrough, Cell, Step};
use crate::symmetry::Symmetric;

impl Symmetric for Breakthrough {
    const IMAGES: usize = 2;

    fn image(&self, which: usize) -> Self {
        if which == 0 {
            return *self;
        }
        // Left and right exchanged: the bits of each byte reversed, and moved to the first columns.
        let mirrored = |set: u64| set.reverse_bits().swap_bytes() >> (8 - self.size());
        let mut other = Breakthrough { pieces: self.pieces.map(mirrored), ..*self };
        other.key = other.fresh_key();
        other
    }

    fn image_of(&self, m: Step, which: usize) -> Step {
        let image = |cell: Cell| cell.image(which & 1, self.size());
        Step { from: image(m.from), to: image(m.to) }
    }
}
