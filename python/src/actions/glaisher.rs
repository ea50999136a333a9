//! Glaisher: first a number for each placement, cell by cell; then the shifts by cell, by direction and by
//! the set of their parts, as long as the tallest part stays on the board.

use super::{Numbered, Planes};
use rules::glaisher::{Glaisher, Move};
use rules::hex::{Board, CELLS, Direction, Hex, cells};
use rules::{Player, Symmetric};
use std::sync::OnceLock;

/// The numbers with these options.
struct Shifts {
    moves: Vec<Move>,
    /// The number of the first shift, by cell and direction.
    first: [[u16; 6]; CELLS],
    /// How many smaller sets of parts are allowed, for each set.
    smaller: [u16; 256],
}

static SHIFTS: [[OnceLock<Shifts>; 2]; 3] = [const { [const { OnceLock::new() }; 2] }; 3];

fn shifts(board: &Board, min_parts: u8) -> &'static Shifts {
    SHIFTS[board.side() - 3][usize::from(min_parts > 1)].get_or_init(|| {
        let allowed = |set: usize| set.count_ones() >= u32::from(min_parts.max(1));
        let mut smaller = [0; 256];
        for set in 1..256 {
            smaller[set] = smaller[set - 1] + u16::from(allowed(set - 1));
        }
        let mut moves: Vec<Move> = board.all().map(Move::Place).collect();
        let mut first = [[0; 6]; CELLS];
        for from in board.all() {
            for direction in Direction::ALL {
                first[from.index()][direction as usize] = moves.len() as u16;
                let sets = (1..1 << board.room(from, direction)).filter(|set| allowed(*set));
                moves.extend(sets.filter_map(|set| shift(from, direction, set)));
            }
        }
        Shifts { moves, first, smaller }
    })
}

/// The shift with a set of parts, as its text spells it.
fn shift(from: Hex, direction: Direction, set: usize) -> Option<Move> {
    let parts = (1..=8).filter(|part| set >> (part - 1) & 1 == 1);
    let digits: String = parts.map(|part| part.to_string()).collect();
    format!("{from}-{}:{digits}", direction.name()).parse().ok()
}

impl Numbered for Glaisher {
    const PLANES: &'static [&'static str] = &[
        "own stacks",
        "the opponent's stacks",
        "the heights of own stacks, in sixths",
        "the heights of the opponent's stacks, in sixths",
        "all ones in the middle of a turn, when a piece is to be placed",
        "the cells of the board",
    ];

    fn numbering(&self) -> &'static [Move] {
        &shifts(self.board(), self.min_parts()).moves
    }

    #[inline]
    fn number(&self, m: Move) -> usize {
        match m {
            Move::Place(cell) => self.board().number(cell),
            Move::Shift { from, direction, parts } => {
                let Shifts { first, smaller, .. } = shifts(self.board(), self.min_parts());
                let set = usize::from(parts.bits());
                usize::from(first[from.index()][direction as usize] + smaller[set])
            }
        }
    }

    fn grid(&self) -> [usize; 2] {
        [self.board().rows(); 2]
    }

    fn observe(&self, player: Player, out: &mut [f32]) {
        let sides = [player, player.other()];
        let mut planes = Planes::new(self, out);
        for side in sides {
            let plane = planes.next();
            cells(self.stacks(side)).for_each(|cell| plane[place(self, cell)] = 1.0);
        }
        for side in sides {
            let plane = planes.next();
            for cell in cells(self.stacks(side)) {
                plane[place(self, cell)] = f32::from(self.height(cell)) / 6.0;
            }
        }
        planes.constant(if self.is_placing() { 1.0 } else { 0.0 });
        let plane = planes.next();
        self.board().all().for_each(|cell| plane[place(self, cell)] = 1.0);
    }

    // Heights add up, and each turn brings another piece.
    fn settles(&self, _m: Move) -> bool {
        true
    }

    fn places(&self, which: usize) -> Vec<usize> {
        let rows = self.board().rows();
        let mut places: Vec<usize> = (0..rows * rows).collect();
        for cell in self.board().all() {
            if let Move::Place(image) = self.image_of(Move::Place(cell), which) {
                places[place(self, cell)] = place(self, image);
            }
        }
        places
    }
}

/// Where a cell lies on a plane: by its row and its column, so that one direction is a diagonal.
fn place(pos: &Glaisher, cell: Hex) -> usize {
    cell.row() * pos.board().rows() + cell.column()
}
