//! Gekitai: a number for each cell, row by row from `a1`.

use super::{Numbered, Planes};
use rules::gekitai::{Cell, Gekitai, Place};
use rules::{Bits, Game, Player, Symmetric};
use std::sync::OnceLock;

static NUMBERINGS: [OnceLock<Vec<Place>>; 5] = [const { OnceLock::new() }; 5];

impl Numbered for Gekitai {
    const PLANES: &'static [&'static str] = &[
        "own markers",
        "the opponent's markers",
        "own markers beside the board, as a part of all",
        "the opponent's markers beside the board, as a part of all",
    ];

    fn numbering(&self) -> &'static [Place] {
        let all = || Cell::all(self.size()).map(Place).collect();
        NUMBERINGS[(self.size() - 4).min(4)].get_or_init(all)
    }

    #[inline]
    fn number(&self, m: Place) -> usize {
        m.0.row() * self.size() + m.0.column()
    }

    fn grid(&self) -> [usize; 2] {
        [self.size(); 2]
    }

    fn observe(&self, player: Player, out: &mut [f32]) {
        let mut planes = Planes::new(self, out);
        let sides = [player, player.other()];
        for side in sides {
            let plane = planes.next();
            for cell in self.markers(side).bits().map(Cell::new) {
                plane[cell.row() * self.size() + cell.column()] = 1.0;
            }
        }
        let all = f32::from(self.options().markers);
        for side in sides {
            planes.constant(f32::from(self.reserve(side)) / all);
        }
    }

    fn places(&self, which: usize) -> Vec<usize> {
        let moves = self.numbering().iter();
        moves.map(|m| self.number(self.image_of(*m, which))).collect()
    }
}
