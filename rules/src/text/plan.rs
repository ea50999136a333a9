//! Where cells and coordinates lie among the characters.

use super::{Scale, Style};
use crate::diagram::{Diagram, Shape};

/// Coordinates are clamped to this, to bound memory; no board is that large.
const FARTHEST: i16 = 120;

/// The measures of all cells of a board.
///
/// The main line of a cell goes through its middle. A square has lines of the same width above and
/// below it; those of a hexagon become shorter by a character on each side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The shape of the cells.
    pub shape: Shape,
    /// How many characters the main line has on either side of the middle one.
    pub half: i32,
    /// How many lines lie above the main one.
    pub above: i32,
    /// How many lines lie below the main one.
    pub below: i32,
    /// Whether lines are drawn between the rows of squares.
    pub ruled: bool,
}

/// The most lines of a square, and characters beside the middle of a hexagon: larger ones look empty.
const LARGEST: i32 = 9;

impl Frame {
    /// Chooses measures for a diagram at a scale.
    fn new(diagram: &Diagram, scale: Scale) -> Frame {
        let (half, above, below) = match (diagram.shape, scale, diagram.towers) {
            (Shape::Hexagon, Scale::Medium, _) => (2, 2, 2),
            (Shape::Hexagon, Scale::Large, _) => (3, 3, 3),
            (Shape::Hexagon, _, _) => (1, 1, 1),
            (Shape::Square, Scale::Large, true) => (5, 2, 3),
            (Shape::Square, _, true) => (3, 0, 1),
            (Shape::Square, Scale::Large, false) => (3, 1, 1),
            (Shape::Square, _, false) => (1, 0, 0),
        };
        // With more rows, a ruled board would leave no room in a small terminal.
        let ruled = scale != Scale::Small || above + below > 0 || rows(diagram) <= 9;
        Frame { shape: diagram.shape, half, above, below, ruled }
    }

    /// The measures to try for a room, from the largest to the smallest.
    fn all(diagram: &Diagram) -> Vec<Frame> {
        let shape = diagram.shape;
        if shape == Shape::Hexagon {
            let whole = (1..=LARGEST).rev();
            let frame = |half| Frame { shape, half, above: half, below: half, ruled: true };
            let flat = Frame { shape, half: 1, above: 0, below: 0, ruled: false };
            return whole.map(frame).chain([flat]).collect();
        }
        // Letters and discs of a tower need a line each and some width.
        let (least, narrowest) = if diagram.towers { (2, 3) } else { (1, 1) };
        // A sign in the upper one of two lines would look as if it hung there.
        let heights = (least..=LARGEST).rev().filter(|lines| diagram.towers || *lines != 2);
        let sizes = heights.flat_map(|lines: i32| {
            let halves = ((lines - 1).max(narrowest)..=(lines + 1).max(narrowest)).rev();
            // Larger pieces are worth more than lines between the rows, which the colours tell apart.
            [true, false]
                .into_iter()
                .flat_map(move |ruled| halves.clone().map(move |half| (lines, half, ruled)))
        });
        let frame = |(lines, half, ruled): (i32, i32, bool)| {
            let above = (lines - 1) / 2;
            Frame { shape, half, above, below: lines - 1 - above, ruled }
        };
        sizes.map(frame).collect()
    }

    /// Column and row of the middle of a cell.
    fn centre(&self, x: i16, y: i16) -> (i32, i32) {
        let x = i32::from(x.clamp(-FARTHEST, FARTHEST));
        let y = i32::from(y.clamp(-FARTHEST, FARTHEST));
        let pitch = match self.shape {
            Shape::Square => self.above + 1 + self.below + i32::from(self.ruled),
            Shape::Hexagon => self.above + 1,
        };
        (x * (self.half + 1), y * pitch)
    }

    /// How many rows above and below its main line a cell takes with its border; the corners of a
    /// hexagon lie between its sides, not beyond them.
    fn outer(&self) -> (i32, i32) {
        match self.shape {
            Shape::Square => (self.above + 1, self.below + 1),
            Shape::Hexagon => (self.above, self.below),
        }
    }

    /// The lines of a cell, counted from the main one, and how many characters each has on either
    /// side of the middle one.
    pub fn lines(&self) -> impl Iterator<Item = (i32, i32)> + use<> {
        let Frame { shape, half, .. } = *self;
        (-self.above..=self.below).map(move |line| match shape {
            Shape::Square => (line, half),
            Shape::Hexagon => (line, half - line.abs()),
        })
    }

    /// Whether a mark must stand above and below a piece, as there is no room beside it.
    pub fn is_narrow(&self) -> bool {
        self.shape == Shape::Hexagon && self.half == 1 && self.above > 0
    }

    /// How many lines a cell has.
    pub fn height(&self) -> i32 {
        self.above + 1 + self.below
    }
}

/// A coordinate and where it is written.
pub(super) struct Note {
    pub column: i32,
    pub row: i32,
    pub text: String,
}

/// The places of all things on a canvas.
pub(super) struct Plan {
    /// The measures of the cells.
    pub frame: Frame,
    /// Column and row of the middle of each cell.
    pub cells: Vec<(i32, i32)>,
    /// The coordinates beside the board.
    pub notes: Vec<Note>,
    /// How wide and high everything is.
    pub size: (usize, usize),
}

impl Plan {
    /// Lays out a diagram so that everything just fits.
    pub fn new(diagram: &Diagram, style: &Style) -> Plan {
        let Scale::Room(columns, rows) = style.scale else {
            return Plan::with(Frame::new(diagram, style.scale), diagram, style);
        };
        let mut last = Plan::with(Frame::new(diagram, Scale::Small), diagram, style);
        let all = Frame::all(diagram);
        // Those without lines are for windows in which nothing else fits.
        let (ruled, others): (Vec<&Frame>, Vec<&Frame>) = all.iter().partition(|frame| frame.ruled);
        for frame in ruled.into_iter().chain(others) {
            last = Plan::with(*frame, diagram, style);
            if last.size.0 <= usize::from(columns) && last.size.1 <= usize::from(rows) {
                break;
            }
        }
        last
    }

    /// Lays out a diagram with cells of these measures.
    fn with(frame: Frame, diagram: &Diagram, style: &Style) -> Plan {
        let place = |x: i16, y: i16| match style.flipped {
            true => frame.centre(x.saturating_neg(), y.saturating_neg()),
            false => frame.centre(x, y),
        };
        let cells: Vec<_> = diagram.cells.iter().map(|c| place(c.x, c.y)).collect();
        let labels = diagram.labels.iter();
        let notes = labels.map(|l| note(&frame, &cells, place(l.x, l.y), &l.text)).collect();
        let mut plan = Plan { frame, cells, notes, size: (0, 0) };
        plan.fit();
        plan
    }

    /// Moves everything to the upper left corner and measures it.
    fn fit(&mut self) {
        let (above, below) = self.frame.outer();
        let side = self.frame.half + 1;
        let corners = self.cells.iter().flat_map(|&(column, row)| {
            [(column - side, row - above), (column + side, row + below)]
        });
        let ends = self
            .notes
            .iter()
            .flat_map(|n| [(n.column, n.row), (n.column + length(&n.text).max(1) - 1, n.row)]);
        let (columns, rows): (Vec<_>, Vec<_>) = corners.chain(ends).unzip();
        let (left, width) = extent(&columns);
        let (top, height) = extent(&rows);
        self.size = (width, height);
        self.cells.iter_mut().for_each(|c| *c = (c.0 - left, c.1 - top));
        for note in &mut self.notes {
            note.column -= left;
            note.row -= top;
        }
    }
}

/// Where a coordinate stands: close to the end of its row, or above or below its column.
fn note(frame: &Frame, cells: &[(i32, i32)], (column, row): (i32, i32), text: &str) -> Note {
    let text = text.to_string();
    let gap = frame.half + 3;
    let beside = || cells.iter().filter(|c| c.1 == row).map(|c| c.0);
    if let Some(first) = beside().min().filter(|&first| column < first) {
        return Note { column: first - gap + 1 - length(&text), row, text };
    }
    if let Some(last) = beside().max().filter(|&last| column > last) {
        return Note { column: last + gap, row, text };
    }
    let (above, below) = frame.outer();
    let top = cells.iter().map(|c| c.1 - above - 1).min().unwrap_or(row);
    let bottom = cells.iter().map(|c| c.1 + below + 1).max().unwrap_or(row);
    let row = if row < top + above + 1 {
        top
    } else if row > bottom - below - 1 {
        bottom
    } else {
        row
    };
    Note { column: column - (length(&text) - 1) / 2, row, text }
}

/// How many rows the board has.
fn rows(diagram: &Diagram) -> usize {
    extent(&diagram.cells.iter().map(|c| i32::from(c.y)).collect::<Vec<_>>()).1
}

/// The least number, and how many there are from it to the greatest.
fn extent(numbers: &[i32]) -> (i32, usize) {
    let least = numbers.iter().copied().min().unwrap_or(0);
    let greatest = numbers.iter().copied().max().unwrap_or(-1);
    (least, usize::try_from(greatest - least + 1).unwrap_or(0))
}

/// How many columns a text takes.
fn length(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(0)
}
