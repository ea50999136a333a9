//! A board for coarse pixels, such as the halves or sixths of a terminal's characters.
//!
//! It is the same drawing with thicker lines and fewer shades, without what lies around the cells. Figures and
//! coordinates are handed out: small text does not survive pixels, so they are written as characters.

use super::canvas::{Canvas, Lettering, Num};
use super::frame::Frame;
use super::palette::{Paint, Palette, rgb};
use super::pieces::{Painter, Pile};
use super::{Board, Theme};
use crate::diagram::{Diagram, Look, Piece};

/// From this grain on a knight is a silhouette on a ground of its own: there is no room for an outline.
pub(super) const COARSE: f64 = 6.0;

/// A drawing without figures, and where they belong.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    /// The drawing, which ends with the outermost cells.
    pub svg: String,
    /// Its width and height.
    pub size: (f64, f64),
    /// The middle of each cell.
    pub cells: Vec<(f64, f64)>,
    /// The figures of the pieces.
    pub figures: Vec<Figure>,
}

/// A figure on a piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its middle.
    pub at: (f64, f64),
    /// A height, or the letter or sign of a piece.
    pub text: String,
    /// Its colour.
    pub ink: [u8; 3],
    /// The colour of the piece.
    pub paper: [u8; 3],
}

/// The middle of each cell of such a drawing.
pub fn cells(diagram: &Diagram, flipped: bool) -> Vec<(f64, f64)> {
    let frame = Frame::tight(diagram, flipped);
    diagram.cells.iter().map(|cell| frame.cell(cell)).collect()
}

/// The board for pixels of this size; a cell is 48 wide.
pub fn raster(diagram: &Diagram, theme: Theme, flipped: bool, grain: f64) -> Raster {
    let frame = Frame::tight(diagram, flipped);
    let (size, cells) = (frame.size, diagram.cells.iter().map(|cell| frame.cell(cell)).collect());
    let svg = markup(diagram, theme, frame, grain.max(0.01), Canvas::new(None));
    let mut drawn = Raster { svg, size, cells, figures: Vec::new() };
    let figures = diagram.cells.iter().zip(&drawn.cells);
    drawn.figures =
        figures.filter_map(|(cell, at)| figure(diagram, cell.piece.as_ref()?, *at)).collect();
    drawn
}

/// The whole drawing with its figures, without what lies around the cells.
pub fn board(diagram: &Diagram, theme: Theme, flipped: bool, font: &dyn Lettering) -> String {
    markup(diagram, theme, Frame::tight(diagram, flipped), 0.0, Canvas::new(Some(font)))
}

fn markup(
    diagram: &Diagram,
    theme: Theme,
    frame: Frame,
    grain: f64,
    mut canvas: Canvas<'_>,
) -> String {
    let palette = Palette::of(theme);
    let painter = Painter { palette, players: &diagram.players, grain };
    let (wide, high) = (Num(frame.size.0), Num(frame.size.1));
    let board = Board { diagram, frame, palette, painter, named: false };
    canvas.open(&format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" fill="none">"#
    ));
    board.cells(&mut canvas);
    board.marks_below(&mut canvas);
    board.pieces(&mut canvas);
    canvas.close("svg");
    canvas.finish()
}

fn figure(diagram: &Diagram, piece: &Piece, (x, y): (f64, f64)) -> Option<Figure> {
    let Paint { face, ink, .. } = Paint::of(diagram.players[piece.owner].tint);
    let (at, text) = match &piece.look {
        Look::Stack(height) => {
            let top = Pile::stack(piece.owner, *height).top();
            ((x, y + top), height.to_string())
        }
        Look::Tower { letter, .. } => ((x - 15.3, y - 15.3), letter.to_string()),
        Look::Marker | Look::Knight => return None,
    };
    Some(Figure { at, text, ink: rgb(ink), paper: rgb(face) })
}
