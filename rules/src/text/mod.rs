//! Positions as text: any [`Diagram`] in the characters of a terminal.
//!
//! [`canvas`] draws the board in characters that carry meanings instead of colours; [`text`] adds the words
//! below it and, if wanted, the colours. Nothing depends on colour alone.

mod canvas;
mod colours;
mod lines;
mod piece;
mod plan;
#[cfg(test)]
mod tests;

pub use canvas::{Canvas, Glyph, Ink, Mark, Paper, ansi};
pub use colours::{Rgb, ink, ink_of_16, nearest_of_256, paper, paper_of_16};

use crate::diagram::{Diagram, Seat};
use crate::game::Player;
use plan::Plan;

/// The characters a terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charset {
    /// Box-drawing lines, discs and chess signs.
    #[default]
    Unicode,
    /// Nothing but ASCII.
    Ascii,
}

/// How large the cells are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Everything fits 80 columns and 24 rows.
    #[default]
    Small,
    /// Somewhat larger: hexagons with more room, all rows of squares ruled.
    Medium,
    /// As large as looks good.
    Large,
    /// The largest drawing that fits into these columns and rows, or the smallest if none does. Lines part its rows
    /// unless only a smaller one fits.
    Room(u16, u16),
}

impl Scale {
    /// The scales with a name, from the smallest.
    pub const ALL: [Scale; 3] = [Scale::Small, Scale::Medium, Scale::Large];
}

/// How a diagram is to be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Which characters may be used.
    pub charset: Charset,
    /// Whether the board is rotated by 180°.
    pub flipped: bool,
    /// How large the cells are.
    pub scale: Scale,
}

/// Draws the board and its coordinates.
pub fn canvas(diagram: &Diagram, style: &Style) -> Canvas {
    let plan = Plan::new(diagram, style);
    let (width, height) = plan.size;
    let mut canvas = Canvas::new(width, height);
    lines::draw(&mut canvas, diagram, &plan, style.charset);
    piece::draw(&mut canvas, diagram, &plan, style.charset);
    for note in &plan.notes {
        canvas.write(note.column, note.row, &note.text, Ink::Soft);
    }
    plan.cells.iter().for_each(|&place| canvas.add_centre(place));
    canvas
}

/// Draws the board and its coordinates, and writes the status and what the players have below it.
pub fn text(diagram: &Diagram, style: &Style, color: bool) -> String {
    let canvas = canvas(diagram, style);
    let mut out = String::new();
    for row in canvas.rows() {
        write_row(&mut out, row, color);
    }
    if !diagram.status.is_empty() {
        out += &format!("\n{}\n", diagram.status);
    }
    for (player, seat) in diagram.players.pairs() {
        let holdings = holdings(seat);
        if !holdings.is_empty() {
            out += &sign(diagram, player, style.charset, color);
            out += &format!("  {holdings}\n");
        }
    }
    out
}

/// Adds one line without the blanks at its end.
fn write_row(out: &mut String, row: &[Glyph], color: bool) {
    let end = row.iter().rposition(|glyph| !glyph.is_blank()).map_or(0, |last| last + 1);
    let mut current = ansi(Ink::Plain, Paper::Plain, false);
    let plain = current.clone();
    for glyph in row.iter().take(end) {
        let wanted = ansi(glyph.ink, glyph.paper, glyph.bold);
        if color && wanted != current {
            *out += &wanted;
            current = wanted;
        }
        out.push(glyph.ch);
    }
    if color && current != plain {
        *out += &plain;
    }
    out.push('\n');
}

/// A player's pieces on the board and in reserve.
fn holdings(seat: &Seat) -> String {
    let reserve = seat.reserve.map(|number| format!("{number} in reserve"));
    let count = Some(seat.count.clone()).filter(|count| !count.is_empty());
    reserve.into_iter().chain(count).collect::<Vec<_>>().join(", ")
}

/// How a player's pieces look, and the name, which may be the same.
fn sign(diagram: &Diagram, player: Player, charset: Charset, color: bool) -> String {
    let names = diagram.players.each_ref().map(|seat| seat.name);
    let name = names[player];
    let look = diagram.cells.iter().find_map(|c| Some(&c.piece.as_ref()?.look));
    let symbol = look.map(|look| piece::symbol(diagram, look, player, charset).to_string());
    let symbol = symbol.filter(|symbol| !symbol.eq_ignore_ascii_case(name));
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let (chip, rest) = match symbol {
        Some(symbol) => (symbol, format!("  {name:width$}")),
        None => (format!("{name:width$}"), String::new()),
    };
    if !color {
        return chip + &rest;
    }
    let tint = piece::tint(diagram, player);
    let plain = ansi(Ink::Plain, Paper::Plain, false);
    format!("{} {chip} {plain}{rest}", ansi(Ink::Piece(tint), Paper::Piece(tint), true))
}
