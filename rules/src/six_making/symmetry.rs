//! The eight images of a board.

use super::{Cell, Last, Move, SixMaking, Tower};
use crate::symmetry::Symmetric;

impl Symmetric for SixMaking {
    const IMAGES: usize = 8;

    fn image(&self, which: usize) -> Self {
        let image = |cell: Cell| cell.image(which, self.size());
        let mut other = *self;
        other.towers = [Tower::EMPTY; 25];
        other.occupied = 0;
        for cell in Cell::all(self.size()) {
            let (tower, to) = (self.tower(cell), image(cell).index());
            other.towers[to] = tower;
            other.occupied |= u32::from(!tower.is_empty()) << to;
        }
        other.last = self.last.map(|last| match last {
            Last::Placed { cell } => Last::Placed { cell: image(cell) },
            Last::Moved { from, to, discs } => {
                Last::Moved { from: image(from), to: image(to), discs }
            }
        });
        other.key = other.fresh_key();
        other
    }

    fn image_of(&self, m: Move, which: usize) -> Move {
        let image = |cell: Cell| cell.image(which, self.size());
        match m {
            Move::Place(cell) => Move::Place(image(cell)),
            Move::Tower { from, to } => Move::Tower { from: image(from), to: image(to) },
            Move::Top { from, to, discs } => Move::Top { from: image(from), to: image(to), discs },
        }
    }
}
