//! Where cells and coordinates lie.

use super::Style;
use super::canvas::{Canvas, Num, Point};
use crate::diagram::{Diagram, DrawnCell, Label, Shape};

/// The width of a cell; pieces are drawn to this scale.
pub(super) const CELL: f64 = 48.0;
const HALF: f64 = CELL / 2.0;
/// Between the outermost cells and the edge of the tile.
const MARGIN: f64 = 20.0;
/// Between the middle of a coordinate and the edge of the tile.
const LABEL_MARGIN: f64 = 13.0;
/// Between the edge of a square board and the middle of a coordinate.
const LABEL_GAP: f64 = 14.0;

/// Turns half cells and rows into places on the drawing.
pub(super) struct Frame {
    shape: Shape,
    /// On a flipped board, the sum of a place and the place opposite it.
    turned: Option<Point>,
    /// What is added so that the upper left corner is the origin.
    offset: Point,
    /// The right and the lower end of the tile.
    pub size: Point,
}

impl Frame {
    pub(super) fn new(diagram: &Diagram, style: &Style) -> Frame {
        Frame::with(diagram, style, MARGIN)
    }

    /// A frame that ends with the outermost cells.
    pub(super) fn tight(diagram: &Diagram, flipped: bool) -> Frame {
        Frame::with(diagram, &Style { flipped, coordinates: false, ..Style::default() }, 0.0)
    }

    fn with(diagram: &Diagram, style: &Style, margin: f64) -> Frame {
        let raw: Vec<_> = diagram.cells.iter().map(|c| raw(diagram.shape, c.x, c.y)).collect();
        let (low, high) = bounds(&raw, (0.0, 0.0), None);
        let turned = style.flipped.then_some((low.0 + high.0, low.1 + high.1));
        let mut frame = Frame { shape: diagram.shape, turned, offset: (0.0, 0.0), size: high };
        let reach = (HALF + margin, frame.reach() + margin);
        let mut limits = bounds(&raw, reach, None);
        if style.coordinates {
            let labels: Vec<_> = diagram.labels.iter().map(|l| frame.label(l, diagram)).collect();
            limits = bounds(&labels, (LABEL_MARGIN, LABEL_MARGIN), Some(limits));
        }
        let (low, high) = limits;
        frame.offset = (-low.0, -low.1);
        frame.size = (high.0 - low.0, high.1 - low.1);
        frame
    }

    /// The middle of a cell.
    pub(super) fn cell(&self, cell: &DrawnCell) -> Point {
        self.place(raw(self.shape, cell.x, cell.y))
    }

    /// The middle of a coordinate. On a square board it moves close to its row or column.
    pub(super) fn label(&self, label: &Label, diagram: &Diagram) -> Point {
        let (x, y) = self.place(raw(self.shape, label.x, label.y));
        if self.shape == Shape::Hexagon {
            return (x, y);
        }
        let distance = |p: &Point| (p.0 - x).hypot(p.1 - y);
        let cells = diagram.cells.iter().map(|cell| self.cell(cell));
        let Some(near) = cells.min_by(|a, b| distance(a).total_cmp(&distance(b))) else {
            return (x, y);
        };
        let far = distance(&near);
        let part = if far > 0.0 { ((HALF + LABEL_GAP) / far).min(1.0) } else { 1.0 };
        (near.0 + (x - near.0) * part, near.1 + (y - near.1) * part)
    }

    /// Draws the outline of a cell, moved in on every side. Only outlines that are moved in have round
    /// corners, so that full ones leave no gaps.
    pub(super) fn outline(&self, canvas: &mut Canvas, at: Point, inset: f64, attributes: &str) {
        if self.shape == Shape::Square {
            let (x, y) = (Num(at.0 - HALF + inset), Num(at.1 - HALF + inset));
            let (side, corner) =
                (Num(CELL - 2.0 * inset), Num(if inset > 0.0 { 4.0 } else { 0.0 }));
            let place = format!(r#"x="{x}" y="{y}" width="{side}" height="{side}""#);
            canvas.add(&format!(r#"<rect {place} rx="{corner}" {attributes}/>"#));
        } else {
            let half = HALF - inset;
            let tall = half / 3_f64.sqrt();
            let (left, wide) = (Num(-half), Num(half));
            let (up, tip) = (Num(-tall), Num(tall));
            let (rise, fall) = (Num(-2.0 * tall), Num(2.0 * tall));
            let (x, y) = (Num(at.0), Num(at.1 - 2.0 * tall));
            let d = format!("M{x} {y}l{wide} {tip}v{fall}l{left} {tip}l{left} {up}v{rise}z");
            canvas.path(&d, attributes);
        }
    }

    /// From the middle of a cell to its upper end.
    fn reach(&self) -> f64 {
        match self.shape {
            Shape::Square => HALF,
            Shape::Hexagon => CELL / 3_f64.sqrt(),
        }
    }

    fn place(&self, (x, y): Point) -> Point {
        let (x, y) = self.turned.map_or((x, y), |(sum_x, sum_y)| (sum_x - x, sum_y - y));
        (x + self.offset.0, y + self.offset.1)
    }
}

fn raw(shape: Shape, x: i16, y: i16) -> Point {
    let row = match shape {
        Shape::Square => CELL,
        Shape::Hexagon => CELL * 3_f64.sqrt() / 2.0,
    };
    (f64::from(x) * HALF, f64::from(y) * row)
}

/// The corners of a box around places with this reach, and around another box.
fn bounds(places: &[Point], reach: Point, around: Option<(Point, Point)>) -> (Point, Point) {
    let boxes =
        places.iter().map(|&(x, y)| ((x - reach.0, y - reach.1), (x + reach.0, y + reach.1)));
    let join = |a: (Point, Point), b: (Point, Point)| {
        let low = (a.0.0.min(b.0.0), a.0.1.min(b.0.1));
        (low, (a.1.0.max(b.1.0), a.1.1.max(b.1.1)))
    };
    let nothing = ((-reach.0, -reach.1), reach);
    boxes.chain(around).reduce(join).unwrap_or(nothing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::tests::squares;

    #[test]
    fn turning_twice_changes_nothing() {
        let diagram = squares(3);
        let upright = Frame::new(&diagram, &Style { coordinates: false, ..Style::default() });
        let style = Style { flipped: true, coordinates: false, ..Style::default() };
        let turned = Frame::new(&diagram, &style);
        for (cell, opposite) in diagram.cells.iter().zip(diagram.cells.iter().rev()) {
            assert_eq!(turned.cell(cell), upright.cell(opposite));
            assert_eq!(turned.cell(opposite), upright.cell(cell));
        }
    }
}
