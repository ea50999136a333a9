//! Square boards: cells with their names, directions and jumps.

use std::fmt;

/// A cell of a square board that is stored `WIDTH` cells wide, counted row by row.
///
/// Its name is a column letter and a row number. Whether row 1 is drawn at the top or at the bottom
/// is the game's business: it says so with a [`Layout`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square<const WIDTH: usize>(u8);

impl<const WIDTH: usize> Square<WIDTH> {
    /// The cell in a column and row, both counted from 0.
    pub const fn at(column: usize, row: usize) -> Self {
        debug_assert!(column < WIDTH && row < WIDTH);
        Square((row * WIDTH + column) as u8)
    }

    /// The cell with this number.
    pub const fn new(index: usize) -> Self {
        debug_assert!(index < WIDTH * WIDTH);
        Square(index as u8)
    }

    /// The cell's number: row times width plus column.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The column, from 0.
    pub const fn column(self) -> usize {
        self.index() % WIDTH
    }

    /// The row, from 0.
    pub const fn row(self) -> usize {
        self.index() / WIDTH
    }

    /// Whether the cell lies on a board of this size.
    pub const fn is_on(self, size: usize) -> bool {
        self.column() < size && self.row() < size
    }

    /// The cell this many columns and rows away, if it lies on a board of this size.
    pub const fn step(self, columns: i8, rows: i8, size: usize) -> Option<Self> {
        let (column, row) = (self.column() as i8 + columns, self.row() as i8 + rows);
        if column < 0 || row < 0 || column >= size as i8 || row >= size as i8 {
            return None;
        }
        Some(Square::at(column as usize, row as usize))
    }

    /// The cells of a board of this size, row by row.
    pub fn all(size: usize) -> impl DoubleEndedIterator<Item = Self> {
        (0..size * size).map(move |i| Square::at(i % size, i / size))
    }

    /// One of the eight images of the cell on a board of this size: the bits of `which` mirror columns,
    /// mirror rows, and then transpose.
    #[inline]
    pub const fn image(self, which: usize, size: usize) -> Self {
        let (column, row) = (self.column(), self.row());
        let column = if which & 1 == 0 { column } else { size - 1 - column };
        let row = if which & 2 == 0 { row } else { size - 1 - row };
        if which & 4 == 0 { Square::at(column, row) } else { Square::at(row, column) }
    }

    /// Reads a name such as `c4`, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        let mut chars = text.chars();
        let column = chars.next()?.to_ascii_lowercase();
        let digits = chars.as_str();
        if digits.is_empty() || digits.len() > 2 || digits.starts_with('0') {
            return None;
        }
        let row: usize = if digits.bytes().all(|b| b.is_ascii_digit()) {
            digits.parse().ok()?
        } else {
            return None;
        };
        let column = (column as usize).checked_sub('a' as usize)?;
        (column < WIDTH && row <= WIDTH).then(|| Square::at(column, row - 1))
    }
}

impl<const WIDTH: usize> fmt::Display for Square<WIDTH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.column() as u8) as char, self.row() + 1)
    }
}

impl<const WIDTH: usize> fmt::Debug for Square<WIDTH> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The orientation of a square board, in drawings and in rows of text.
#[derive(Clone, Copy, Debug)]
pub struct Layout<const WIDTH: usize> {
    /// The cells along a side.
    pub size: usize,
    /// Whether row 1 is the top row; otherwise it is the bottom row.
    pub first_row_at_top: bool,
}

impl<const WIDTH: usize> Layout<WIDTH> {
    /// Turns a row into its distance from the top row, and back.
    fn flip(self, row: usize) -> usize {
        if self.first_row_at_top { row } else { self.size - 1 - row }
    }

    /// The rows from the top to the bottom, each from left to right.
    pub fn rows(self) -> impl Iterator<Item = impl Iterator<Item = Square<WIDTH>>> {
        let row = move |y| (0..self.size).map(move |column| Square::at(column, self.flip(y)));
        (0..self.size).map(row)
    }

    /// The number of a cell, counted row by row from the top.
    pub fn number(self, cell: Square<WIDTH>) -> usize {
        self.flip(cell.row()) * self.size + cell.column()
    }
}

/// The objection to a move outside the board; `None` if it is inside.
pub fn outside<const WIDTH: usize>(cells: &[Square<WIDTH>], size: usize) -> Option<String> {
    let cell = cells.iter().find(|cell| !cell.is_on(size))?;
    Some(format!("{cell} is not on the board of {size} by {size} cells"))
}

/// The eight directions on a square board, as columns and rows; the orthogonal ones come first.
pub const DIRECTIONS: [(i8, i8); 8] =
    [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];

/// The eight jumps of a knight, as columns and rows.
pub const KNIGHT_JUMPS: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_written_in_lower_case() {
        for name in ["a1", "C4", "h8"] {
            assert_eq!(Square::<8>::parse(name).unwrap().to_string(), name.to_lowercase());
        }
    }

    #[test]
    fn what_is_not_on_the_board_has_no_cell() {
        for name in ["", "a", "a0", "a9", "i1", "a01", "1a", "a1 ", "é1", "a+1", "a٣"] {
            assert_eq!(Square::<8>::parse(name), None, "{name}");
        }
    }
}
