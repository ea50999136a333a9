//! A grid of characters that know what they mean and which cell they belong to.

use super::colours;
use crate::diagram::{Tint, Tone};
use crate::svg::Theme;

/// Why a cell is highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is selected.
    Selected,
    /// It belongs to what won the game.
    Winning,
    /// It can be selected now.
    Target,
    /// It belongs to a suggested move.
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
    /// Words on a piece, on paper of its colour.
    Piece(Tint),
    /// The rim between two discs.
    Edge(Tint),
    /// A highlight.
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
    /// A cell of a board for ivory and ebony, from which both stand out.
    Wood(Tone),
    /// A piece.
    Piece(Tint),
    /// A highlighted cell.
    Mark(Mark),
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
    /// Whether it is bold.
    pub bold: bool,
    /// The cell that it lies inside, numbered as in the diagram; none on lines and coordinates.
    pub cell: Option<usize>,
}

impl Glyph {
    /// Nothing, outside the board.
    pub const BLANK: Glyph =
        Glyph { ch: ' ', ink: Ink::Plain, paper: Paper::Plain, bold: false, cell: None };

    /// Whether it is invisible.
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
    if let Some(ink) = colours::ink(Theme::Dark, ink) {
        codes += &format!(";38;5;{}", colours::nearest_of_256(ink));
    }
    if let Some(paper) = colours::paper(Theme::Dark, paper) {
        codes += &format!(";48;5;{}", colours::nearest_of_256(paper));
    }
    codes + "m"
}
