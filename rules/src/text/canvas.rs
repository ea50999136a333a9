//! A grid of characters that know what they mean and which cell they belong to.

use crate::diagram::{Tint, Tone};

/// Why a cell is pointed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It has been chosen.
    Selected,
    /// It belongs to what won the game.
    Winning,
    /// It may be chosen now.
    Target,
    /// It belongs to a proposed move.
    Hint,
    /// The last turn changed it.
    Last,
}

/// The colour of a character, by meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Words, in the colour the terminal writes in.
    Plain,
    /// Coordinates.
    Soft,
    /// The lines between cells.
    Grid,
    /// The sign on the cell the game is about.
    Goal,
    /// A piece, on paper of its own colour.
    Piece(Tint),
    /// What points out a cell.
    Mark(Mark),
}

/// The colour behind a character, by meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// The background of the terminal.
    Plain,
    /// The board between its cells.
    Board,
    /// A cell.
    Cell(Tone),
    /// A piece.
    Piece(Tint),
    /// A cell that is pointed out.
    Mark(Mark),
}

impl Ink {
    /// The number among the 256 colours of a terminal; none for its usual one.
    pub const fn index(self) -> Option<u8> {
        match self {
            Ink::Plain => None,
            // The grey that is as readable on white as on black.
            Ink::Soft => Some(243),
            Ink::Grid => Some(246),
            Ink::Goal => Some(222),
            Ink::Piece(Tint::Red | Tint::Blue) => Some(231),
            Ink::Piece(Tint::Ebony) => Some(230),
            Ink::Piece(Tint::Yellow | Tint::Orange | Tint::Ivory) => Some(16),
            Ink::Mark(Mark::Target) => Some(121),
            Ink::Mark(Mark::Hint | Mark::Last) => Some(231),
            Ink::Mark(Mark::Selected | Mark::Winning) => Some(16),
        }
    }
}

impl Paper {
    /// The number among the 256 colours of a terminal; none for its usual one.
    pub const fn index(self) -> Option<u8> {
        match self {
            Paper::Plain => None,
            Paper::Board | Paper::Mark(Mark::Target) => Some(238),
            Paper::Cell(Tone::Light) => Some(240),
            Paper::Cell(Tone::Dark) => Some(237),
            Paper::Cell(Tone::Goal) => Some(94),
            Paper::Piece(Tint::Red) => Some(160),
            Paper::Piece(Tint::Yellow) => Some(220),
            Paper::Piece(Tint::Blue) => Some(26),
            Paper::Piece(Tint::Orange) => Some(208),
            Paper::Piece(Tint::Ivory) => Some(230),
            Paper::Piece(Tint::Ebony) => Some(16),
            Paper::Mark(Mark::Selected) => Some(79),
            Paper::Mark(Mark::Winning) => Some(231),
            Paper::Mark(Mark::Hint) => Some(97),
            Paper::Mark(Mark::Last) => Some(29),
        }
    }
}

/// One character of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// The character, always one column wide.
    pub ch: char,
    /// Its colour.
    pub ink: Ink,
    /// The colour behind it.
    pub paper: Paper,
    /// Whether it is printed heavily.
    pub bold: bool,
    /// The cell that it lies inside, numbered as in the diagram; none on lines and coordinates.
    pub cell: Option<usize>,
}

impl Glyph {
    /// Nothing, outside the board.
    pub const BLANK: Glyph =
        Glyph { ch: ' ', ink: Ink::Plain, paper: Paper::Plain, bold: false, cell: None };

    /// Whether nothing would be seen of it.
    pub fn is_blank(&self) -> bool {
        self.ch == ' ' && self.paper == Paper::Plain
    }
}

/// A drawing in characters; all rows are equally wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canvas {
    width: usize,
    height: usize,
    glyphs: Vec<Glyph>,
    centres: Vec<Option<(usize, usize)>>,
}

impl Canvas {
    /// An empty drawing.
    pub(super) fn new(width: usize, height: usize) -> Canvas {
        let glyphs = vec![Glyph::BLANK; width * height];
        Canvas { width, height, glyphs, centres: Vec::new() }
    }

    /// How many columns it has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many rows it has.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The character in a column and row.
    pub fn get(&self, column: usize, row: usize) -> Option<&Glyph> {
        (column < self.width).then(|| self.glyphs.get(row * self.width + column)).flatten()
    }

    /// The rows, from the top.
    pub fn rows(&self) -> impl Iterator<Item = &[Glyph]> {
        self.glyphs.chunks(self.width.max(1))
    }

    /// The cell that a character lies inside.
    pub fn cell_at(&self, column: usize, row: usize) -> Option<usize> {
        self.get(column, row)?.cell
    }

    /// Column and row of the character in the middle of a cell.
    pub fn centre(&self, cell: usize) -> Option<(usize, usize)> {
        self.centres.get(cell).copied().flatten()
    }

    /// Remembers the middle of the next cell.
    pub(super) fn add_centre(&mut self, (column, row): (i32, i32)) {
        let centre = usize::try_from(column).ok().zip(usize::try_from(row).ok());
        self.centres.push(centre);
    }

    /// The character in a column and row, to be changed; none outside.
    pub(super) fn at(&mut self, column: i32, row: i32) -> Option<&mut Glyph> {
        let (column, row) = (usize::try_from(column).ok()?, usize::try_from(row).ok()?);
        (column < self.width).then(|| self.glyphs.get_mut(row * self.width + column)).flatten()
    }

    /// Writes characters to the right of a place, keeping what they lie on.
    pub(super) fn write(&mut self, column: i32, row: i32, text: &str, ink: Ink) {
        for (i, ch) in (column..).zip(text.chars()) {
            if let Some(glyph) = self.at(i, row) {
                *glyph = Glyph { ch, ink, ..*glyph };
            }
        }
    }
}

/// The escape sequence that sets these colours, in the 256 colours most terminals have.
pub fn ansi(ink: Ink, paper: Paper, bold: bool) -> String {
    let mut codes = String::from("\x1b[0");
    if bold {
        codes += ";1";
    }
    if let Some(index) = ink.index() {
        codes += &format!(";38;5;{index}");
    }
    if let Some(index) = paper.index() {
        codes += &format!(";48;5;{index}");
    }
    codes + "m"
}
