//! The twelve images of the hexagon.

use super::{Glaisher, Move};
use crate::hex::{self, CELLS, Direction, Hex};
use crate::symmetry::Symmetric;

/// Six turns by a sixth, and the same again with rows and columns exchanged.
const COUNT: usize = 12;

/// The image of an offset from the centre.
const fn turned(mut row: i8, mut column: i8, which: usize) -> (i8, i8) {
    let mut turns = which % 6;
    while turns > 0 {
        (row, column) = (column, column - row);
        turns -= 1;
    }
    if which < 6 { (row, column) } else { (column, row) }
}

/// The images of each cell, on the boards of side 3, 4 and 5.
static CELL_IMAGES: [[[u8; CELLS]; COUNT]; 3] = [images(2), images(3), images(4)];

/// The images of each cell of the board whose centre lies in this row and column.
const fn images(centre: i8) -> [[u8; CELLS]; COUNT] {
    let mut table = [[0; CELLS]; COUNT];
    let mut i = 0;
    while i < COUNT * CELLS {
        let cell = Hex::new(i % CELLS);
        let (row, column) = (cell.row() as i8 - centre, cell.column() as i8 - centre);
        let (row, column) = turned(row, column, i / CELLS);
        if let Some(image) = Hex::at(row + centre, column + centre) {
            table[i / CELLS][i % CELLS] = image.index() as u8;
        }
        i += 1;
    }
    table
}

impl Glaisher {
    fn image_cell(&self, cell: Hex, which: usize) -> Hex {
        Hex::new(CELL_IMAGES[self.board().side() - 3][which][cell.index()].into())
    }
}

fn image_direction(direction: Direction, which: usize) -> Direction {
    let (row, column) = direction.step();
    let step = turned(row, column, which);
    Direction::ALL.into_iter().find(|image| image.step() == step).unwrap_or(direction)
}

impl Symmetric for Glaisher {
    const IMAGES: usize = COUNT;

    fn image(&self, which: usize) -> Self {
        let mut other = *self;
        for (to, from) in other.stacks.iter_mut().zip(self.stacks) {
            *to = hex::cells(from).fold(0, |set, cell| set | self.image_cell(cell, which).bit());
        }
        for cell in self.board().all() {
            other.heights[self.image_cell(cell, which).index()] = self.height(cell);
        }
        other.key = other.fresh_key();
        other
    }

    fn image_of(&self, m: Move, which: usize) -> Move {
        match m {
            Move::Place(cell) => Move::Place(self.image_cell(cell, which)),
            Move::Shift { from, direction, parts } => Move::Shift {
                from: self.image_cell(from, which),
                direction: image_direction(direction, which),
                parts,
            },
        }
    }
}
