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

/// The images of each cell.
static CELL_IMAGES: [[u8; CELLS]; COUNT] = {
    let mut table = [[0; CELLS]; COUNT];
    let mut i = 0;
    while i < COUNT * CELLS {
        let cell = Hex::new(i % CELLS);
        let (row, column) = turned(cell.row() as i8 - 4, cell.column() as i8 - 4, i / CELLS);
        if let Some(image) = Hex::at(row + 4, column + 4) {
            table[i / CELLS][i % CELLS] = image.index() as u8;
        }
        i += 1;
    }
    table
};

fn image_cell(cell: Hex, which: usize) -> Hex {
    Hex::new(CELL_IMAGES[which][cell.index()].into())
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
            *to = hex::cells(from).fold(0, |set, cell| set | image_cell(cell, which).bit());
        }
        for cell in Hex::all() {
            other.heights[image_cell(cell, which).index()] = self.height(cell);
        }
        other.key = other.fresh_key();
        other
    }

    fn image_of(&self, m: Move, which: usize) -> Move {
        match m {
            Move::Place(cell) => Move::Place(image_cell(cell, which)),
            Move::Shift { from, direction, parts } => Move::Shift {
                from: image_cell(from, which),
                direction: image_direction(direction, which),
                parts,
            },
        }
    }
}
