//! The lines around the cells.

use super::Charset;
use super::canvas::{Canvas, Glyph, Ink, Paper};
use super::plan::{Frame, Plan};
use crate::diagram::{Diagram, Shape, Tone};

/// The box-drawing characters by the weight, none, light or heavy, of the lines that go up, right,
/// down and left from the middle.
const BOXES: &str =
    " ╴╸╷╮┑╻┒┓╶─╾╭┬┭┎┰┱╺╼━┍┮┯┏┲┳╵╯┙│┤┥╽┧┪╰┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋";

/// Draws the borders of all cells; that of the goal is heavy, so that it shows below any piece.
pub(super) fn draw(canvas: &mut Canvas, diagram: &Diagram, plan: &Plan, charset: Charset) {
    match plan.frame.shape {
        Shape::Square => squares(canvas, diagram, plan, charset),
        Shape::Hexagon => hexagons(canvas, diagram, plan, charset),
    }
}

/// Writes one character of the grid.
fn put(canvas: &mut Canvas, column: i32, row: i32, ch: char, paper: Paper) {
    if let Some(glyph) = canvas.at(column, row) {
        *glyph = Glyph { ch, ink: Ink::Grid, paper, bold: false, cell: None };
    }
}

/// The weights of the lines that meet at each character: up, right, down, left.
struct Crossings {
    width: usize,
    weights: Vec<[u8; 4]>,
}

impl Crossings {
    /// Makes the line from a character in one direction at least this heavy.
    fn raise(&mut self, column: i32, row: i32, direction: usize, weight: u8) {
        let (Ok(column), Ok(row)) = (usize::try_from(column), usize::try_from(row)) else { return };
        let crossing = self.weights.get_mut(row * self.width + column);
        if let Some(line) = crossing.and_then(|c| c.get_mut(direction)) {
            *line = weight.max(*line);
        }
    }

    /// Draws a line to the right.
    fn across(&mut self, columns: std::ops::Range<i32>, row: i32, weight: u8) {
        for column in columns {
            self.raise(column, row, 1, weight);
            self.raise(column + 1, row, 3, weight);
        }
    }

    /// Draws a line down.
    fn down(&mut self, column: i32, rows: std::ops::Range<i32>, weight: u8) {
        for row in rows {
            self.raise(column, row, 2, weight);
            self.raise(column, row + 1, 0, weight);
        }
    }
}

fn squares(canvas: &mut Canvas, diagram: &Diagram, plan: &Plan, charset: Charset) {
    let (width, height) = plan.size;
    let mut crossings = Crossings { width, weights: vec![[0; 4]; width * height] };
    let first = plan.cells.iter().map(|c| c.1).min().unwrap_or(0);
    let last = plan.cells.iter().map(|c| c.1).max().unwrap_or(0);
    let Frame { half, above, below, ruled, .. } = plan.frame;
    for (cell, &(column, row)) in diagram.cells.iter().zip(&plan.cells) {
        let weight = if cell.tone == Tone::Goal { 2 } else { 1 };
        let (left, right) = (column - half - 1, column + half + 1);
        let (top, bottom) = (row - above - 1, row + below + 1);
        // Where rows touch, a heavy side must not reach into the rows above and below.
        let ends = if ruled { weight } else { 1 };
        for side in [left, right] {
            crossings.down(side, top..bottom, ends);
            crossings.raise(side, row, 0, weight);
            crossings.raise(side, row, 2, weight);
        }
        if ruled || row == first {
            crossings.across(left..right, top, weight);
        }
        if ruled || row == last {
            crossings.across(left..right, bottom, weight);
        }
    }
    for (row, crossings) in (0..).zip(crossings.weights.chunks(width.max(1))) {
        for (column, &weights) in (0..).zip(crossings) {
            if weights != [0; 4] {
                put(canvas, column, row, crossing(weights, charset), Paper::Board);
            }
        }
    }
}

/// The character where lines of these weights meet.
fn crossing(weights: [u8; 4], charset: Charset) -> char {
    let number = weights.iter().fold(0, |number, &w| 3 * number + usize::from(w));
    match (charset, weights) {
        (Charset::Unicode, _) => BOXES.chars().nth(number).unwrap_or('┼'),
        (Charset::Ascii, w) if w.contains(&2) => '#',
        (Charset::Ascii, [_, 0, _, 0]) => '|',
        (Charset::Ascii, [0, _, 0, _]) => '-',
        (Charset::Ascii, _) => '+',
    }
}

fn hexagons(canvas: &mut Canvas, diagram: &Diagram, plan: &Plan, charset: Charset) {
    let (rising, falling, upright, heavy) = match charset {
        Charset::Unicode => ('╱', '╲', '│', '┃'),
        Charset::Ascii => ('/', '\\', '|', '#'),
    };
    // Slopes on paper of their own would look like stairs.
    let paper = Paper::Cell(Tone::Light);
    for (cell, &(column, row)) in diagram.cells.iter().zip(&plan.cells) {
        let upright = if cell.tone == Tone::Goal { heavy } else { upright };
        for (line, reach) in plan.frame.lines() {
            let (left, right) = match line.signum() {
                -1 => (rising, falling),
                0 => (upright, upright),
                _ => (falling, rising),
            };
            put(canvas, column - reach - 1, row + line, left, paper);
            put(canvas, column + reach + 1, row + line, right, paper);
        }
    }
}
