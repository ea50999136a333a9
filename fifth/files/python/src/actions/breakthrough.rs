//! Breakthrough: a number for each step up or down the board, by the cell it leaves, then by the cell it
//! reaches, both row by row from `a1`.

use super::{Numbered, Planes};
use rules::Player;
use rules::breakthrough::{Breakthrough, Cell, Step};
use std::sync::OnceLock;

static NUMBERINGS: [OnceLock<Vec<Step>>; 5] = [const { OnceLock::new() }; 5];

fn steps(size: usize) -> Vec<Step> {
    let ways = [(-1, -1), (0, -1), (1, -1), (-1, 1), (0, 1), (1, 1)];
    let reached = |from: Cell| ways.map(|(columns, rows)| (from, from.step(columns, rows, size)));
    let pairs = Cell::all(size).flat_map(reached);
    pairs.filter_map(|(from, to)| Some(Step { from, to: to? })).collect()
}

impl Numbered for Breakthrough {
    const PLANES: &'static [&'static str] =
        &["own pieces", "the opponent's pieces", "all ones for White, who moves up the board"];

    fn numbering(&self) -> &'static [Step] {
        NUMBERINGS[(self.size() - 4).min(4)].get_or_init(|| steps(self.size()))
    }

    fn number(&self, m: Step) -> usize {
        let found = self.numbering().binary_search_by_key(&(m.from, m.to), |m| (m.from, m.to));
        found.unwrap_or_default()
    }

    fn grid(&self) -> [usize; 2] {
        [self.size(); 2]
    }

    fn observe(&self, player: Player, out: &mut [f32]) {
        let mut planes = Planes::new(self, out);
        for side in [player, player.other()] {
            let plane = planes.next();
            for cell in Cell::all(self.size()).filter(|cell| self.owner(*cell) == Some(side)) {
                plane[place(self, cell)] = 1.0;
            }
        }
        planes.constant(if player == Player::One { 1.0 } else { 0.0 });
    }

    fn places(&self, which: usize) -> Vec<usize> {
        let mut places = vec![0; self.size() * self.size()];
        for cell in Cell::all(self.size()) {
            places[place(self, cell)] = place(self, cell.image(which & 1, self.size()));
        }
        places
    }
}

/// Where a cell lies on a plane: rows of planes run from the top, like those of positions.
fn place(pos: &Breakthrough, cell: Cell) -> usize {
    (pos.size() - 1 - cell.row()) * pos.size() + cell.column()
}
