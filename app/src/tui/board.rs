//! The board on the screen, as large as there is room for.

use super::app::{Hit, Hits};
use super::look::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use rules::diagram::Diagram;
use rules::text::{Canvas, Glyph, Paper, Scale, Style, canvas};

/// The largest drawing that fits; the smallest one if none does.
pub fn drawing(diagram: &Diagram, look: &Look, flipped: bool, room: (u16, u16)) -> Canvas {
    let scale = match look.tells_rows_apart(diagram) {
        true => Scale::Room(room.0, room.1),
        false => Scale::RuledRoom(room.0, room.1),
    };
    canvas(diagram, &Style { charset: look.charset, flipped, scale })
}

/// The drawing beside a panel of this width, and whether both fit; otherwise the drawing in the whole room.
pub fn beside(
    diagram: &Diagram,
    look: &Look,
    flipped: bool,
    room: Rect,
    panel: u16,
) -> (Canvas, bool) {
    let width = room.width.saturating_sub(panel);
    let drawn = drawing(diagram, look, flipped, (width, room.height));
    match fits(&drawn, (width, room.height)) {
        true => (drawn, true),
        false => (drawing(diagram, look, flipped, (room.width, room.height)), false),
    }
}

fn fits(drawn: &Canvas, room: (u16, u16)) -> bool {
    drawn.width() <= usize::from(room.0) && drawn.height() <= usize::from(room.1)
}

/// Draws a board in the middle of an area if it fits there, to be looked at.
pub fn show(diagram: &Diagram, look: &Look, area: Rect, buffer: &mut Buffer) {
    let drawn = drawing(diagram, look, false, (area.width, area.height));
    if fits(&drawn, (area.width, area.height)) {
        put(&drawn, look, None, area, buffer, None);
    }
}

/// Puts a drawing in the middle of an area; what does not fit is cut off. Notes its cells in `hits`, if
/// given, and says where the middle of the cursor's cell is.
pub fn put(
    drawn: &Canvas,
    look: &Look,
    cursor: Option<usize>,
    area: Rect,
    buffer: &mut Buffer,
    hits: Option<&Hits>,
) -> Option<(u16, u16)> {
    let spare = |room: u16, size: usize| room.saturating_sub(size as u16) / 2;
    let left = area.x + spare(area.width, drawn.width());
    let top = area.y + spare(area.height, drawn.height());
    let is_ground = |glyph: &Glyph| glyph.cell == cursor && !matches!(glyph.paper, Paper::Piece(_));
    let has_ground = cursor.is_some() && drawn.rows().flatten().any(is_ground);
    for ((y, row), line) in (top..area.bottom()).zip(drawn.rows()).zip(0..) {
        let mut run: Option<(u16, usize)> = None;
        let mut end = left;
        for ((x, glyph), column) in (left..area.right()).zip(row).zip(0..) {
            let Some(cell) = buffer.cell_mut((x, y)) else { continue };
            let mut style = look.glyph(glyph.ink, glyph.paper, glyph.bold);
            if cursor.is_some() && glyph.cell == cursor {
                style = match (look.cursor(glyph.paper), glyph.paper) {
                    // A piece keeps its colours where there is ground around it to show the cursor.
                    (Some(ground), paper) if !matches!(paper, Paper::Piece(_)) => style.bg(ground),
                    (Some(_), _) if has_ground => style,
                    _ => style.add_modifier(Modifier::REVERSED),
                };
            }
            cell.set_char(glyph.ch).set_style(style);
            let hit = glyph.cell.or_else(|| nearest(drawn, column, line));
            if run.map(|(_, cell)| cell) != hit {
                note(hits, run, x, y);
                run = hit.map(|cell| (x, cell));
            }
            end = x + 1;
        }
        note(hits, run, end, y);
    }
    let (column, row) = drawn.centre(cursor?)?;
    let place = (left + column as u16, top + row as u16);
    area.contains(place.into()).then_some(place)
}

/// Notes that characters of a row up to this one mean a cell.
fn note(hits: Option<&Hits>, run: Option<(u16, usize)>, end: u16, y: u16) {
    if let (Some(hits), Some((first, cell))) = (hits, run) {
        hits.add(Rect::new(first, y, end.saturating_sub(first), 1), Hit::Cell(cell));
    }
}

/// The cell beside a character of the lines between cells: a click there means one of them.
fn nearest(drawn: &Canvas, column: usize, row: usize) -> Option<usize> {
    let beside = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)];
    beside.into_iter().find_map(|(dx, dy)| {
        drawn.cell_at(column.checked_add_signed(dx)?, row.checked_add_signed(dy)?)
    })
}
