//! The board on the screen, as large as there is room for.

use super::app::{Hit, Hits};
use super::look::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use rules::diagram::Diagram;
use rules::text::{Canvas, Scale, Style, canvas};

/// The largest drawing that fits; the smallest one if none does.
pub fn drawing(diagram: &Diagram, look: &Look, flipped: bool, room: (u16, u16)) -> Canvas {
    let draw = |scale| canvas(diagram, &Style { charset: look.charset, flipped, scale });
    let fits = |drawn: &Canvas| {
        drawn.width() <= usize::from(room.0) && drawn.height() <= usize::from(room.1)
    };
    let larger = [Scale::Large, Scale::Medium].map(draw);
    larger.into_iter().find(fits).unwrap_or_else(|| draw(Scale::Small))
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
    for (y, row) in (top..area.bottom()).zip(drawn.rows()) {
        for (x, glyph) in (left..area.right()).zip(row) {
            let Some(cell) = buffer.cell_mut((x, y)) else { continue };
            let mut style = look.glyph(glyph.ink, glyph.paper, glyph.bold);
            if cursor.is_some() && glyph.cell == cursor {
                style = style.add_modifier(Modifier::REVERSED);
            }
            cell.set_char(glyph.ch).set_style(style);
            if let (Some(hits), Some(number)) = (hits, glyph.cell) {
                hits.add(Rect::new(x, y, 1, 1), Hit::Cell(number));
            }
        }
    }
    let (column, row) = drawn.centre(cursor?)?;
    let place = (left + column as u16, top + row as u16);
    area.contains(place.into()).then_some(place)
}
