//! The board on the screen, as large as there is room for.

use super::app::{Hit, Hits};
use super::live::{Live, Patch};
use super::look::{Depth, Look};
use crate::output::mosaic::{self, Font, Mosaic, Tile, mosaic};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use resvg::tiny_skia::{
    Color as Shade, IntRect, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform,
};
use rules::diagram::{Diagram, DrawnCell, Piece, Shape};
use rules::text::{self, Canvas, Glyph, Ink, Mark, Paper, Rgb, Scale, canvas};
use std::cell::RefCell;
use std::rc::Rc;

/// A board in characters, in colours that the terminal has.
pub struct Drawn {
    width: usize,
    height: usize,
    spots: Vec<Spot>,
    centres: Vec<Option<(usize, usize)>>,
    picture: Option<Picture>,
}

/// A board in pixels, over its characters.
struct Picture {
    pixels: Rc<Pixmap>,
    /// The middle of each cell.
    middles: Vec<(f32, f32)>,
    shape: Shape,
    /// The width of a cell.
    side: f32,
    /// How many characters a part has that is sent at once.
    part: (u16, u16),
    cursor: Shade,
}

impl Picture {
    fn new(
        pixels: Pixmap,
        drawn: &Mosaic,
        diagram: &Diagram,
        (wide, high): Font,
        look: &Look,
    ) -> Picture {
        let middle =
            |(x, y): (f64, f64)| ((x * f64::from(wide)) as f32, (y * f64::from(high)) as f32);
        // The cursor changes the edge of a cell only: large cells are sent in parts.
        let count = (drawn.pitch.1 / 4.0).ceil();
        let part = ((drawn.pitch.0 / count).ceil() as u16, (drawn.pitch.1 / count).ceil() as u16);
        let [red, green, blue] = look.cursor_rgb();
        Picture {
            pixels: Rc::new(pixels),
            middles: drawn.places.iter().copied().map(middle).collect(),
            shape: diagram.shape,
            side: (drawn.pitch.0 * f64::from(wide)) as f32,
            part,
            cursor: Shade::from_rgba8(red, green, blue, 255),
        }
    }

    /// The cell under the cursor with a frame around it.
    fn cursor(&self, cursor: Option<usize>) -> Option<Patch> {
        let (x, y) = *self.middles.get(cursor?)?;
        // The letters of towers begin close to the corner.
        let width = (self.side / 18.0).max(2.0);
        let half = self.side / 2.0;
        let high = match self.shape {
            Shape::Square => half,
            Shape::Hexagon => 2.0 * half / 3_f32.sqrt() + width,
        };
        let [left, top] = [x - half, y - high].map(|at| at.max(0.0) as i32);
        let [right, bottom] = [x + half, y + high].map(|at| at.ceil() as i32);
        let (wide, high) = (self.pixels.width() as i32, self.pixels.height() as i32);
        let place = IntRect::from_ltrb(left, top, right.min(wide), bottom.min(high))?;
        let mut pixels = self.pixels.clone_rect(place)?;
        let path = self.outline((x - left as f32, y - top as f32), 0.8 * width)?;
        for (width, colour) in [(1.6 * width, Shade::BLACK), (width, self.cursor)] {
            let mut paint = Paint { anti_alias: true, ..Paint::default() };
            paint.set_color(colour);
            let stroke = Stroke { width, line_join: LineJoin::Round, ..Stroke::default() };
            pixels.stroke_path(&path, &paint, &stroke, Transform::identity(), None);
        }
        Some(Patch { place, pixels: Rc::new(pixels) })
    }

    /// The outline of a cell, moved in on every side.
    fn outline(&self, (x, y): (f32, f32), inset: f32) -> Option<Path> {
        let half = self.side / 2.0 - inset;
        let tall = half / 3_f32.sqrt();
        let corners: &[(f32, f32)] = match self.shape {
            Shape::Square => &[(-half, -half), (half, -half), (half, half), (-half, half)],
            Shape::Hexagon => &[
                (0.0, -2.0 * tall),
                (half, -tall),
                (half, tall),
                (0.0, 2.0 * tall),
                (-half, tall),
                (-half, -tall),
            ],
        };
        let mut path = PathBuilder::new();
        for (number, (dx, dy)) in corners.iter().enumerate() {
            match number {
                0 => path.move_to(x + dx, y + dy),
                _ => path.line_to(x + dx, y + dy),
            }
        }
        path.close();
        path.finish()
    }
}

/// One character of a board.
#[derive(Clone, Copy)]
struct Spot {
    ch: char,
    style: Style,
    /// Its style under the cursor.
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

    pub fn height(&self) -> u16 {
        u16::try_from(self.height).unwrap_or(u16::MAX)
    }

    fn fits(&self, room: (u16, u16)) -> bool {
        self.width <= usize::from(room.0) && self.height <= usize::from(room.1)
    }

    fn of_canvas(drawn: &Canvas, look: &Look, is_square: bool) -> Drawn {
        // Where rows touch, colours tell them apart, of which sixteen are too few.
        let lined = is_square && look.depth < Depth::Indexed;
        let ground = |glyph: &Glyph| !matches!(glyph.paper, Paper::Piece(_));
        let spot = |(i, glyph): (usize, &Glyph)| {
            let (column, row) = (i % drawn.width().max(1), i / drawn.width().max(1));
            let mut style = look.glyph(glyph.ink, glyph.paper, glyph.bold);
            if lined && ground(glyph) && is_last_row(drawn, column, row) {
                style = style.add_modifier(Modifier::UNDERLINED);
            }
            let mut all = drawn.rows().flatten();
            let pointed = match look.cursor() {
                Some(colour) if ground(glyph) => style.bg(colour),
                // A piece keeps its colours where there is ground around it to show the cursor.
                Some(_) if all.any(|own| own.cell == glyph.cell && ground(own)) => style,
                _ => style.add_modifier(Modifier::REVERSED),
            };
            let hit = glyph.cell.or_else(|| nearest(drawn, column, row));
            Spot { ch: glyph.ch, style, pointed, hit, inside: glyph.cell.is_some() }
        };
        let spots: Vec<Spot> = drawn.rows().flatten().enumerate().map(spot).collect();
        let count = spots.iter().filter_map(|spot| spot.hit).max().map_or(0, |last| last + 1);
        let centres = (0..count).map(|cell| drawn.centre(cell)).collect();
        Drawn { width: drawn.width(), height: drawn.height(), spots, centres, picture: None }
    }

    fn of_mosaic(drawn: &Mosaic, diagram: &Diagram, look: &Look) -> Drawn {
        let tone = |cell: &DrawnCell| text::paper(look.theme, Paper::Cell(cell.tone));
        let tones: Vec<Option<Rgb>> = diagram.cells.iter().map(tone).collect();
        let grounds: Vec<Option<Rgb>> =
            tones.iter().enumerate().map(|(cell, tone)| ground(drawn, cell, *tone)).collect();
        let kept: Vec<Vec<Rgb>> =
            diagram.cells.iter().map(|cell| kept(diagram, cell, look)).collect();
        let spot = |tile: &Tile| {
            let of = |colour: Option<Rgb>| colour.map(|rgb| look.rgb(rgb));
            let style = match (tile.is_figure, tile.paper) {
                (true, None) => look.glyph(Ink::Soft, Paper::Plain, false),
                (true, _) => style(of(tile.ink), of(tile.paper)).add_modifier(Modifier::BOLD),
                (false, _) => style(of(tile.ink), of(tile.paper)),
            };
            let ground = tile.cell.and_then(|cell| grounds.get(cell).copied().flatten());
            let kept = tile.cell.and_then(|cell| kept.get(cell)).map_or(&[][..], |kept| kept);
            let under = |colour: Option<Rgb>| match (colour, ground) {
                (Some(rgb), Some(ground)) if is_ground(rgb, ground, kept) => look.cursor(),
                _ => of(colour),
            };
            let pointed = Style { fg: under(tile.ink), bg: under(tile.paper), ..style };
            Spot { ch: tile.ch, style, pointed, hit: tile.cell, inside: tile.cell.is_some() }
        };
        let spots = drawn.tiles.iter().map(spot).collect();
        let centres = drawn.centres.iter().copied().map(Some).collect();
        Drawn { width: drawn.width, height: drawn.height, spots, centres, picture: None }
    }

    fn of_picture(
        diagram: &Diagram,
        look: &Look,
        flipped: bool,
        room: (u16, u16),
    ) -> Option<Drawn> {
        let (graphics, blocks) = (look.graphics()?, look.mosaic()?);
        let (theme, font) = (look.theme, graphics.font);
        let (drawn, pixels) = mosaic::pictured(diagram, theme, flipped, blocks, font, room)?;
        let picture = Some(Picture::new(pixels, &drawn, diagram, font, look));
        Some(Drawn { picture, ..Drawn::of_mosaic(&drawn, diagram, look) })
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

/// The colours in a cell that stay as they are under the cursor.
fn kept(diagram: &Diagram, cell: &DrawnCell, look: &Look) -> Vec<Rgb> {
    let mark = text::ink(look.theme, Ink::Mark(Mark::Target));
    let of = |piece: &Piece| {
        let tint = diagram.players[piece.owner].tint;
        let inks = [Ink::Piece(tint), Ink::Edge(tint)].map(|ink| text::ink(look.theme, ink));
        let face = text::paper(look.theme, Paper::Piece(tint));
        let side = face.map(|face| face.map(|part| part / 2));
        inks.into_iter().chain([face, side])
    };
    mark.into_iter().chain(cell.piece.iter().flat_map(of).flatten()).collect()
}

/// Whether a colour is the ground of a cell, or a shadow or the casing of a mark on it, rather than what is kept.
fn is_ground(colour: Rgb, ground: Rgb, kept: &[Rgb]) -> bool {
    let shadow = ground.map(|part| part / 2);
    let nearest = distance(colour, ground).min(distance(colour, shadow));
    nearest < 64 * 64 && kept.iter().all(|own| nearest < distance(colour, *own))
}

/// Everything that a drawing depends on.
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
    /// The last drawings: most frames change nothing on the board, and drawing takes longer than everything else.
    static LAST: RefCell<Vec<(Wanted, Rc<Drawn>)>> = const { RefCell::new(Vec::new()) };
}

/// The largest drawing that fits; the smallest one if none does.
fn drawing(diagram: &Diagram, look: &Look, flipped: bool, room: (u16, u16)) -> Rc<Drawn> {
    let wanted = Wanted { diagram: diagram.clone(), look: *look, flipped, room };
    LAST.with_borrow_mut(|last| {
        if let Some((_, drawn)) = last.iter().find(|(own, _)| *own == wanted) {
            return drawn.clone();
        }
        let of_blocks = || {
            let mosaic = mosaic(diagram, look.theme, flipped, look.mosaic()?, room)?;
            Some(Drawn::of_mosaic(&mosaic, diagram, look))
        };
        let drawn = Drawn::of_picture(diagram, look, flipped, room).or_else(of_blocks);
        let drawn = drawn.unwrap_or_else(|| {
            let is_square = diagram.shape == Shape::Square;
            Drawn::of_canvas(&plain(diagram, look, flipped, room), look, is_square)
        });
        let drawn = Rc::new(drawn);
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

/// Draws a board that only shows a position, in the middle of an area if it fits there.
pub fn show(diagram: &Diagram, look: &Look, area: Rect, buffer: &mut Buffer, hits: &Hits) {
    if let Some(drawn) = fitting(diagram, look, false, (area.width, area.height)) {
        place(&drawn, None, area, buffer, (hits, false));
    }
}

/// Puts a drawing in the middle of an area; what does not fit is cut off. Each cell can be clicked. Returns where the
/// middle of the cursor's cell is.
pub fn put(
    drawn: &Drawn,
    cursor: Option<usize>,
    area: Rect,
    buffer: &mut Buffer,
    hits: &Hits,
) -> Option<(u16, u16)> {
    place(drawn, cursor, area, buffer, (hits, true))
}

fn place(
    drawn: &Drawn,
    cursor: Option<usize>,
    area: Rect,
    buffer: &mut Buffer,
    (all, clicked): (&Hits, bool),
) -> Option<(u16, u16)> {
    let hits = clicked.then_some(all);
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
    if let Some(picture) = drawn.picture.as_ref().filter(|_| drawn.fits((area.width, area.height)))
    {
        let area = Rect::new(left, top, drawn.width as u16, drawn.height as u16);
        let (pixels, patch) = (picture.pixels.clone(), picture.cursor(cursor));
        let live = Live { area, pixels, patch, part: picture.part };
        live.claim(buffer);
        all.show(live);
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

/// Whether a character is in a cell, and another cell lies right below it.
fn is_last_row(drawn: &Canvas, column: usize, row: usize) -> bool {
    let [own, below] = [row, row + 1].map(|row| drawn.cell_at(column, row));
    own.is_some() && below.is_some_and(|below| own != Some(below))
}

/// The cell beside a character of the lines between cells: a click there means one of them.
fn nearest(drawn: &Canvas, column: usize, row: usize) -> Option<usize> {
    let beside = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)];
    beside.into_iter().find_map(|(dx, dy)| {
        drawn.cell_at(column.checked_add_signed(dx)?, row.checked_add_signed(dy)?)
    })
}
