//! Highlights on the board: each kind of mark has a shape of its own.

use super::Board;
use super::canvas::{Canvas, Num, Point};
use super::frame::CELL;
use crate::diagram::DrawnCell;

/// From the middle of a cell to the edge of what stands on it.
const EDGE: f64 = 20.5;

impl Board<'_> {
    fn spot(&self, index: usize) -> Option<(&DrawnCell, Point)> {
        self.diagram.cells.get(index).map(|cell| (cell, self.frame.cell(cell)))
    }

    /// Marks that lie on the board, below the pieces.
    pub(super) fn marks_below(&self, canvas: &mut Canvas) {
        let accent = self.palette.accent;
        let marks = &self.diagram.marks;
        let (depth, width) = match self.painter.is_bold() {
            true => ("0.3", self.painter.at_least(1.6, 0.4)),
            false => ("0.13", self.painter.at_least(1.6, 0.6)),
        };
        let fill = format!(r#"fill="{accent}" fill-opacity="{depth}""#);
        let stroke = format!(r#"stroke-opacity="0.6" stroke-width="{}""#, Num(width));
        let soft = format!(r#"{fill} stroke="{accent}" {stroke}"#);
        for (_, at) in marks.last.iter().filter_map(|&i| self.spot(i)) {
            self.frame.outline(canvas, at, 2.6, &soft);
        }
        let width = Num(self.painter.at_least(3.2, 0.9));
        let solid = format!(r#"stroke="{accent}" stroke-width="{width}""#);
        if let Some((_, at)) = marks.selected.and_then(|i| self.spot(i)) {
            let glow = format!(r#"fill="{accent}" fill-opacity="0.16""#);
            self.frame.outline(canvas, at, 1.5, &glow);
            self.frame.outline(canvas, at, 1.5, &solid);
        }
        for (cell, at) in marks.targets.iter().filter_map(|&i| self.spot(i)) {
            self.target(canvas, cell, at);
        }
        self.winning(canvas);
    }

    fn target(&self, canvas: &mut Canvas, cell: &DrawnCell, at: Point) {
        let (accent, panel) = (self.palette.accent, self.palette.panel);
        if cell.piece.is_some() {
            if self.painter.is_bold() {
                let glow = format!(r#"fill="{accent}" fill-opacity="0.35""#);
                return self.frame.outline(canvas, at, 0.0, &glow);
            }
            canvas.circle(at, 21.4, &format!(r#"stroke="{panel}" stroke-width="4.4""#));
            let ring = format!(r#"stroke="{accent}" stroke-width="2.6" stroke-dasharray="7 4.2""#);
            canvas.circle(at, 21.4, &ring);
        } else {
            let dot = format!(r#"fill="{accent}" stroke="{panel}" stroke-width="1.6""#);
            canvas.circle(at, self.painter.at_least(6.4, 1.1), &dot);
        }
    }

    /// Marks that lie over the pieces.
    pub(super) fn marks_above(&self, canvas: &mut Canvas) {
        let marks = &self.diagram.marks;
        let ends = |&(from, to): &(usize, usize)| Some((self.spot(from)?, self.spot(to)?));
        for (from, to) in marks.arrows.iter().filter_map(ends) {
            self.trail(canvas, from, to);
        }
        for (from, to) in marks.hints.iter().filter_map(ends) {
            self.hint(canvas, from, to);
        }
    }

    /// The pairs of neighbours among the cells that won.
    fn links(&self) -> Vec<(Point, Point)> {
        let spots: Vec<_> =
            self.diagram.marks.winning.iter().filter_map(|&i| self.spot(i)).collect();
        let near = |a: &DrawnCell, b: &DrawnCell| {
            a.x.abs_diff(b.x) <= 2 && a.y.abs_diff(b.y) <= 1 && (a.x, a.y) != (b.x, b.y)
        };
        let mut links = Vec::new();
        for (i, (a, from)) in spots.iter().enumerate() {
            let rest = spots.iter().skip(i + 1).filter(|(b, _)| near(a, b));
            links.extend(rest.map(|(_, to)| (*from, *to)));
        }
        links
    }

    /// Rings around the cells that won, and bars that chain neighbours together. The pieces stand
    /// inside the rings, so that tall ones stay whole.
    fn winning(&self, canvas: &mut Canvas) {
        let (accent, panel) = (self.palette.accent, self.palette.panel);
        let won = &self.diagram.marks.winning;
        let spots: Vec<Point> = won.iter().filter_map(|&i| Some(self.spot(i)?.1)).collect();
        let links = self.links();
        for (colour, ring, bar) in [(panel, 6.8, 13.0), (accent, 4.2, 10.0)] {
            let stroke = format!(r#"stroke="{colour}" stroke-width="{bar}""#);
            for (from, to) in &links {
                canvas.line(*from, *to, &stroke);
            }
            let stroke = format!(r#"stroke="{colour}" stroke-width="{ring}""#);
            for at in &spots {
                canvas.circle(*at, EDGE, &stroke);
            }
        }
        let inside = format!(r#"fill="{panel}""#);
        let glow = format!(r#"fill="{accent}" fill-opacity="0.3""#);
        for at in &spots {
            canvas.circle(*at, EDGE - 2.1, &inside);
            canvas.circle(*at, EDGE - 2.1, &glow);
        }
    }

    /// The path of a piece in the last turn.
    fn trail(&self, canvas: &mut Canvas, from: (&DrawnCell, Point), to: (&DrawnCell, Point)) {
        // The cells at both ends are marked, and a thin line across others would only blur them.
        if self.painter.is_bold() {
            return;
        }
        let (ink, panel) = (self.palette.ink, self.palette.panel);
        let tip = toward(to.1, from.1, clearance(to.0, 6.0));
        let start = toward(from.1, to.1, clearance(from.0, 2.0));
        let neck = toward(tip, from.1, 6.0);
        let casing = format!(r#"stroke="{panel}" stroke-opacity="0.7" stroke-width="4.4""#);
        canvas.line(start, neck, &casing);
        let dashes = format!(r#"stroke="{ink}" stroke-width="1.9" stroke-dasharray="4.2 3""#);
        canvas.line(start, neck, &dashes);
        let head = format!(r#"fill="{ink}" stroke="{panel}" stroke-width="0.8""#);
        self.head(canvas, from.1, tip, (7.0, 3.8), &head);
    }

    /// The path of a suggested move, or the cell of a suggested placement.
    fn hint(&self, canvas: &mut Canvas, from: (&DrawnCell, Point), to: (&DrawnCell, Point)) {
        let (accent, panel) = (self.palette.accent, self.palette.panel);
        if from.1 == to.1 {
            let fill = format!(r#"fill="{accent}" fill-opacity="0.22""#);
            let stroke = format!(r#"stroke="{accent}" stroke-width="2.8""#);
            let ghost = format!(r#"{fill} {stroke} stroke-dasharray="5 3.6""#);
            canvas.circle(to.1, 16.6, &ghost);
            let dot = format!(r#"fill="{accent}""#);
            canvas.circle(to.1, 4.0, &dot);
            return;
        }
        let tip = toward(to.1, from.1, clearance(to.0, 4.0));
        let start = toward(from.1, to.1, clearance(from.0, 4.0));
        let neck = toward(tip, from.1, 11.0);
        for (colour, width) in [(panel, 8.0), (accent, 5.0)] {
            let stroke =
                format!(r#"stroke="{colour}" stroke-width="{width}" stroke-linecap="round""#);
            canvas.line(start, neck, &stroke);
            let head = format!(
                r#"fill="{colour}" stroke="{colour}" stroke-width="{}" stroke-linejoin="round""#,
                Num(width - 4.0)
            );
            self.head(canvas, from.1, tip, (13.0, 8.0), &head);
        }
    }

    /// The head of an arrow; `size` is its length, and its width on either side.
    fn head(&self, canvas: &mut Canvas, from: Point, tip: Point, size: (f64, f64), look: &str) {
        let (long, wide) = size;
        let back = toward(tip, from, long);
        let (dx, dy) = (tip.0 - back.0, tip.1 - back.1);
        let (sx, sy) = (-dy / long * wide, dx / long * wide);
        let (left, right) = ((back.0 + sx, back.1 + sy), (back.0 - sx, back.1 - sy));
        let corners = [tip, left, right].map(|(x, y)| format!("{} {}", Num(x), Num(y)));
        canvas.path(&format!("M{}z", corners.join("L")), look);
    }
}

/// The distance of an arrow from the middle of a cell, which leaves the piece visible.
fn clearance(cell: &DrawnCell, empty: f64) -> f64 {
    if cell.piece.is_some() { EDGE - 2.0 } else { empty }
}

/// The point at this distance from one point towards another.
fn toward(from: Point, to: Point, distance: f64) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let whole = dx.hypot(dy);
    // Ends of the same cell have no direction between them.
    if whole < CELL / 100.0 {
        return from;
    }
    (from.0 + dx / whole * distance, from.1 + dy / whole * distance)
}
