//! The eight images of a board.

use super::moves::{KEYS, TURN_KEY, cells};
use super::{Cell, JesonMor, Jump};
use crate::game::Player;
use crate::random::spread;
use crate::symmetry::Symmetric;

/// The eight images of each cell, for each size (5, 7, 9, 11).
static IMAGES: [[[u8; 8]; 121]; 4] = {
    let mut table = [[[0; 8]; 121]; 4];
    let mut i = 0;
    while i < 4 * 121 * 8 {
        let (which, cell, image) = (i / 8 / 121, i / 8 % 121, i % 8);
        let size = 5 + 2 * which;
        if Cell::new(cell).is_on(size) {
            table[which][cell][image] = Cell::new(cell).image(image, size).index() as u8;
        }
        i += 1;
    }
    table
};

#[inline]
fn images(cell: Cell, size: usize) -> &'static [u8; 8] {
    &IMAGES[((size - 5) / 2) & 3][cell.index()]
}

impl Symmetric for JesonMor {
    const IMAGES: usize = 8;

    fn image(&self, which: usize) -> Self {
        let image = |set: u128| {
            let turned = cells(set).map(|cell| images(cell, self.size())[which & 7]);
            turned.fold(0, |set, cell| set | 1 << cell)
        };
        let mut other = JesonMor { knights: self.knights.map(image), ..*self };
        other.key = other.fresh_key();
        other
    }

    fn image_of(&self, m: Jump, which: usize) -> Jump {
        let image = |cell: Cell| cell.image(which, self.size());
        Jump { from: image(m.from), to: image(m.to) }
    }

    fn canonical(&self) -> (Self, usize) {
        let keys = self.image_keys();
        let which = (0..8).min_by_key(|which| keys[*which]).unwrap_or_default();
        (if which == 0 { *self } else { self.image(which) }, which)
    }

    fn canonical_key(&self) -> u64 {
        spread(self.image_keys().into_iter().fold(u64::MAX, u64::min))
    }
}

impl JesonMor {
    /// The keys of all eight images.
    #[inline]
    fn image_keys(&self) -> [u64; 8] {
        let turn = if self.turn == Player::Two { TURN_KEY } else { 0 };
        let mut keys = [turn; 8];
        for player in Player::BOTH {
            for cell in cells(self.knights(player)) {
                for (key, image) in keys.iter_mut().zip(images(cell, self.size())) {
                    *key ^= KEYS[player][usize::from(*image)];
                }
            }
        }
        keys
    }
}
