//! Jeson Mor: a number for each knight's jump within the board, by the cell it leaves, then by the cell it
//! reaches, both row by row from `a1`.

use super::{Numbered, Planes};
use rules::jeson_mor::{Cell, JesonMor, Jump, jumps};
use rules::{Bits, Player};
use std::sync::OnceLock;

/// The numbers on a board of one size.
struct Board {
    moves: Vec<Jump>,
    /// The number of the first jump from each cell.
    first: [u16; 121],
}

static BOARDS: [OnceLock<Board>; 4] = [const { OnceLock::new() }; 4];

fn board(size: usize) -> &'static Board {
    BOARDS[((size - 5) / 2).min(3)].get_or_init(|| {
        let (mut moves, mut first) = (Vec::new(), [0; 121]);
        for from in Cell::all(size) {
            first[from.index()] = moves.len() as u16;
            let reached = Cell::all(size).filter(|to| jumps(from, size) >> to.index() & 1 == 1);
            moves.extend(reached.map(|to| Jump { from, to }));
        }
        Board { moves, first }
    })
}

impl Numbered for JesonMor {
    const PLANES: &'static [&'static str] =
        &["own knights", "the opponent's knights", "the centre"];

    fn numbering(&self) -> &'static [Jump] {
        &board(self.size()).moves
    }

    #[inline]
    fn number(&self, m: Jump) -> usize {
        let before = jumps(m.from, self.size()) & ((1 << m.to.index()) - 1);
        usize::from(board(self.size()).first[m.from.index()]) + before.count_ones() as usize
    }

    fn grid(&self) -> [usize; 2] {
        [self.size(); 2]
    }

    fn observe(&self, player: Player, out: &mut [f32]) {
        let mut planes = Planes::new(self, out);
        for side in [player, player.other()] {
            let plane = planes.next();
            for cell in self.knights(side).bits().map(Cell::new) {
                plane[place(self, cell)] = 1.0;
            }
        }
        planes.next()[place(self, self.centre())] = 1.0;
    }

    // A knight that was taken does not come back.
    fn settles(&self, m: Jump) -> bool {
        Player::BOTH.iter().any(|side| self.knights(*side) >> m.to.index() & 1 == 1)
    }

    fn places(&self, which: usize) -> Vec<usize> {
        let size = self.size();
        let mut places = vec![0; size * size];
        for cell in Cell::all(size) {
            places[place(self, cell)] = place(self, cell.image(which, size));
        }
        places
    }
}

/// Where a cell lies on a plane: rows of planes run from the top, like those of positions.
fn place(pos: &JesonMor, cell: Cell) -> usize {
    (pos.size() - 1 - cell.row()) * pos.size() + cell.column()
}
