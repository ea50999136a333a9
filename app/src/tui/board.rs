//! The board on the screen, as large as there is room for.

use super::app::{Hit, Hits};
use super::look::Look;
use crate::output::mosaic::{Mosaic, Tile, mosaic};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use rules::diagram::{Diagram, DrawnCell};
use rules::text::{self, Canvas, Glyph, Ink, Paper, Rgb, Scale, canvas};
use std::cell::RefCell;
use std::rc::Rc;

/// A board in characters, in colours that the terminal has.
pub struct Drawn {
    width: usize,
    height: usize,
    spots: Vec<Spot>,
    centres: Vec<Option<(usize, usize)>>,
}

/// One character of a board.
#[derive(Clone, Copy)]
struct Spot {
    ch: char,
    style: Style,
    /// What it looks like under the cursor.
    pointed: Style,
    /// The cell that a click here means.
    hit: Option<usize>,
    /// Whether it lies inside that cell.
    inside: bool,
}

impl Drawn {
    pub fn width(&self) -> u16 {
        u16::try_from(self.width).unwrap_or(u16::MAX)
    }

    fn fits(&self, room: (u16, u16)) -> bool {
        self.width <= usize::from(room.0) && self.height <= usize::from(room.1)
    }

    fn of_canvas(drawn: &Canvas, look: &Look) -> Drawn {
        let ground = |glyph: &Glyph| !matches!(glyph.paper, Paper::Piece(_));
        let spot = |(i, glyph): (usize, &Glyph)| {
            let style = look.glyph(glyph.ink, glyph.paper, glyph.bold);
            let mut all = drawn.rows().flatten();
            let pointed = match look.cursor() {
                Some(colour) if ground(glyph) => style.bg(colour),
                // A piece keeps its colours where there is ground around it to show the cursor.
                Some(_) if all.any(|own| own.cell == glyph.cell && ground(own)) => style,
                _ => style.add_modifier(Modifier::REVERSED),
            };
            let (column, row) = (i % drawn.width().max(1), i / drawn.width().max(1));
            let hit = glyph.cell.or_else(|| nearest(drawn, column, row));
            Spot { ch: glyph.ch, style, pointed, hit, inside: glyph.cell.is_some() }
        };
        let spots: Vec<Spot> = drawn.rows().flatten().enumerate().map(spot).collect();
        let count = spots.iter().filter_map(|spot| spot.hit).max().map_or(0, |last| last + 1);
        let centres = (0..count).map(|cell| drawn.centre(cell)).collect();
        Drawn { width: drawn.width(), height: drawn.height(), spots, centres }
    }

    fn of_mosaic(drawn: &Mosaic, diagram: &Diagram, look: &Look) -> Drawn {
        let tone = |cell: &DrawnCell| text::paper(look.theme, Paper::Cell(cell.tone));
        let tones: Vec<Option<Rgb>> = diagram.cells.iter().map(tone).collect();
        let grounds: Vec<Option<Rgb>> =
            tones.iter().enumerate().map(|(cell, tone)| ground(drawn, cell, *tone)).collect();
        let spot = |tile: &Tile| {
            let of = |colour: Option<Rgb>| colour.map(|rgb| look.rgb(rgb));
            let style = match (tile.is_figure, tile.paper) {
                (true, None) => look.glyph(Ink::Soft, Paper::Plain, false),
                (true, _) => style(of(tile.ink), of(tile.paper)).add_modifier(Modifier::BOLD),
                (false, _) => style(of(tile.ink), of(tile.paper)),
            };
            let ground = tile.cell.and_then(|cell| grounds.get(cell).copied().flatten());
            let under = |colour: Option<Rgb>| match (colour, ground) {
                (Some(rgb), Some(ground)) if is_like(rgb, ground) => look.cursor(),
                _ => of(colour),
            };
            let pointed = Style { fg: under(tile.ink), bg: under(tile.paper), ..style };
            Spot { ch: tile.ch, style, pointed, hit: tile.cell, inside: tile.cell.is_some() }
        };
        let spots = drawn.tiles.iter().map(spot).collect();
        let centres = drawn.centres.iter().copied().map(Some).collect();
        Drawn { width: drawn.width, height: drawn.height, spots, centres }
    }
}

fn style(fg: Option<Color>, bg: Option<Color>) -> Style {
    Style { fg, bg, ..Style::new() }
}

/// The colour of a cell beside what stands on it: the one of its characters that is nearest to the plain cell, which a
/// mark may have tinted.
fn ground(drawn: &Mosaic, cell: usize, tone: Option<Rgb>) -> Option<Rgb> {
    let tone = tone?;
    let own = drawn.tiles.iter().filter(|tile| tile.cell == Some(cell));
    own.filter_map(|tile| tile.paper).min_by_key(|paper| distance(*paper, tone))
}

fn distance(one: Rgb, two: Rgb) -> u32 {
    one.iter().zip(two).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

/// Whether two colours are shades of one.
fn is_like(one: Rgb, two: Rgb) -> bool {
    distance(one, two) < 32 * 32
}

/// What a drawing depends on.
#[derive(Clone, PartialEq)]
struct Wanted {
    diagram: Diagram,
    look: Look,
    flipped: bool,
    room: (u16, u16),
}

/// How many drawings are remembered: a screen shows one or two, and some frames of motion.
const REMEMBERED: usize = 4;

thread_local! {
    /// The last drawings: most frames change nothing on the board, and drawing takes longer than all the rest.
    static LAST: RefCell<Vec<(Wanted, Rc<Drawn>)>> = const { RefCell::new(Vec::new()) };
}

/// The largest drawing that fits; the smallest one if none does.
fn drawing(diagram: &Diagram, look: &Look, flipped: bool, room: (u16, u16)) -> Rc<Drawn> {
    let wanted = Wanted { diagram: diagram.clone(), look: *look, flipped, room };
    LAST.with_borrow_mut(|last| {
        if let Some((_, drawn)) = last.iter().find(|(own, _)| *own == wanted) {
            return drawn.clone();
        }
        let blocks = look.mosaic();
        let mosaic = blocks.and_then(|own| mosaic(diagram, look.theme, flipped, own, room));
        let drawn = Rc::new(match mosaic {
            Some(mosaic) => Drawn::of_mosaic(&mosaic, diagram, look),
            None => Drawn::of_canvas(&plain(diagram, look, flipped, room), look),
        });
        last.insert(0, (wanted, drawn.clone()));
        last.truncate(REMEMBERED);
        drawn
    })
}

/// The drawing in lines and letters.
pub fn plain(diagram: &Diagram, look: &Look, flipped: bool, room: (u16, u16)) -> Canvas {
    let scale = Scale::Room(room.0, room.1);
    canvas(diagram, &text::Style { charset: look.charset, flipped, scale })
}

/// The drawing in a room if it fits there.
pub fn fitting(
    diagram: &Diagram,
    look: &Look,
    flipped: bool,
    room: (u16, u16),
) -> Option<Rc<Drawn>> {
    Some(drawing(diagram, look, flipped, room)).filter(|drawn| drawn.fits(room))
}

/// The drawing beside a panel of this width, and whether both fit; otherwise the drawing in the whole room.
pub fn beside(
    diagram: &Diagram,
    look: &Look,
    flipped: bool,
    room: Rect,
    panel: u16,
) -> (Rc<Drawn>, bool) {
    let width = room.width.saturating_sub(panel);
    match fitting(diagram, look, flipped, (width, room.height)) {
        Some(drawn) => (drawn, true),
        None => (drawing(diagram, look, flipped, (room.width, room.height)), false),
    }
}

/// Draws a board in the middle of an area if it fits there, to be looked at.
pub fn show(diagram: &Diagram, look: &Look, area: Rect, buffer: &mut Buffer) {
    if let Some(drawn) = fitting(diagram, look, false, (area.width, area.height)) {
        put(&drawn, None, area, buffer, None);
    }
}

/// Puts a drawing in the middle of an area; what does not fit is cut off. Notes its cells in `hits`, if
/// given, and says where the middle of the cursor's cell is.
pub fn put(
    drawn: &Drawn,
    cursor: Option<usize>,
    area: Rect,
    buffer: &mut Buffer,
    hits: Option<&Hits>,
) -> Option<(u16, u16)> {
    let spare = |room: u16, size: usize| room.saturating_sub(size as u16) / 2;
    let left = area.x + spare(area.width, drawn.width);
    let top = area.y + spare(area.height, drawn.height);
    for (y, row) in (top..area.bottom()).zip(drawn.spots.chunks(drawn.width.max(1))) {
        let mut run: Option<(u16, usize)> = None;
        let mut end = left;
        for (x, spot) in (left..area.right()).zip(row) {
            let Some(cell) = buffer.cell_mut((x, y)) else { continue };
            let is_pointed = cursor.is_some() && spot.inside && spot.hit == cursor;
            cell.set_char(spot.ch).set_style(if is_pointed { spot.pointed } else { spot.style });
            if run.map(|(_, cell)| cell) != spot.hit {
                note(hits, run, x, y);
                run = spot.hit.map(|cell| (x, cell));
            }
            end = x + 1;
        }
        note(hits, run, end, y);
    }
    let (column, row) = drawn.centres.get(cursor?).copied().flatten()?;
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
