//! Six MaKING: first a number for each placement, row by row from `a1`; then for each pair of cells that
//! lie a knight's jump or a straight line apart, the whole tower and its top 1, 2, … discs.

use super::{Numbered, Planes};
use rules::six_making::{Cell, KING, Move, SixMaking};
use rules::{Player, Symmetric};
use std::sync::OnceLock;

/// The numbers on a board of one size.
struct Board {
    moves: Vec<Move>,
    /// The number of moving the whole tower, by the cells it leaves and reaches.
    whole: [[u16; 25]; 25],
}

static BOARDS: [OnceLock<Board>; 2] = [const { OnceLock::new() }; 2];

/// How many discs at most can move from one cell to the other and leave some behind: only a knight, which is
/// three discs, jumps, and a queen, which is five, reaches all that lies in line.
fn most_discs(from: Cell, to: Cell) -> Option<u8> {
    let (columns, rows) = (from.column().abs_diff(to.column()), from.row().abs_diff(to.row()));
    match (columns.min(rows), columns.max(rows)) {
        (_, 0) => None,
        (1, 2) => Some(2),
        (0, _) => Some(4),
        (few, many) if few == many => Some(4),
        _ => None,
    }
}

fn board(size: usize) -> &'static Board {
    BOARDS[usize::from(size != 4)].get_or_init(|| {
        let mut moves: Vec<Move> = Cell::all(size).map(Move::Place).collect();
        let mut whole = [[0; 25]; 25];
        for from in Cell::all(size) {
            for to in Cell::all(size) {
                let Some(most) = most_discs(from, to) else { continue };
                whole[from.index()][to.index()] = moves.len() as u16;
                moves.push(Move::Tower { from, to });
                moves.extend((1..=most).map(|discs| Move::Top { from, to, discs }));
            }
        }
        Board { moves, whole }
    })
}

impl Numbered for SixMaking {
    const PLANES: &'static [&'static str] = &[
        "own discs on top of towers",
        "own discs second from the top",
        "own discs third from the top",
        "own discs fourth from the top",
        "own discs fifth from the top",
        "the opponent's discs on top of towers",
        "the opponent's discs second from the top",
        "the opponent's discs third from the top",
        "the opponent's discs fourth from the top",
        "the opponent's discs fifth from the top",
        "towers of one disc",
        "towers of two discs",
        "towers of three discs",
        "towers of four discs",
        "towers of five discs",
        "towers of six discs and more",
        "own discs beside the board, as a part of all",
        "the opponent's discs beside the board, as a part of all",
        "the tower that ko keeps from moving, as fifths: how many discs",
        "the cell that ko keeps it from",
    ];

    fn numbering(&self) -> &'static [Move] {
        &board(self.size()).moves
    }

    #[inline]
    fn number(&self, m: Move) -> usize {
        let whole =
            |from: Cell, to: Cell| usize::from(board(self.size()).whole[from.index()][to.index()]);
        match m {
            Move::Place(cell) => place(self, cell),
            Move::Tower { from, to } => whole(from, to),
            Move::Top { from, to, discs } => whole(from, to) + usize::from(discs),
        }
    }

    fn grid(&self) -> [usize; 2] {
        [self.size(); 2]
    }

    fn observe(&self, player: Player, out: &mut [f32]) {
        let cells = self.size() * self.size();
        for cell in Cell::all(self.size()) {
            let (tower, at) = (self.tower(cell), place(self, cell));
            for (depth, owner) in tower.discs().rev().take(5).enumerate() {
                let side = if owner == player { 0 } else { 5 };
                out[(side + depth) * cells + at] = 1.0;
            }
            if !tower.is_empty() {
                out[(9 + tower.height().min(KING)) * cells + at] = 1.0;
            }
        }
        let mut planes = Planes::new(self, out.get_mut(16 * cells..).unwrap_or_default());
        let each = if self.size() == 4 { 12.0 } else { 16.0 };
        for side in [player, player.other()] {
            planes.constant(f32::from(self.reserve(side)) / each);
        }
        let (from, to, discs) = match self.ko() {
            Some(Move::Tower { from, to }) => (from, to, self.tower(from).height() as u8),
            Some(Move::Top { from, to, discs }) => (from, to, discs),
            Some(Move::Place(_)) | None => return,
        };
        planes.next()[place(self, from)] = f32::from(discs) / 5.0;
        planes.next()[place(self, to)] = 1.0;
    }

    // Discs stay on the board.
    fn settles(&self, m: Move) -> bool {
        matches!(m, Move::Place(_))
    }

    fn places(&self, which: usize) -> Vec<usize> {
        let image = |cell| self.number(self.image_of(Move::Place(cell), which));
        Cell::all(self.size()).map(image).collect()
    }
}

fn place(pos: &SixMaking, cell: Cell) -> usize {
    cell.row() * pos.size() + cell.column()
}
