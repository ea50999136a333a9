//! A board in coloured block characters: the drawing of the pages in coarse pixels, several to a character.
//!
//! Each character shows two colours: of all ways to split its pixels into two groups, the one with the least error.
//! Figures and coordinates are real characters.

use crate::output::blocks::Blocks;
use crate::output::picture;
use resvg::tiny_skia::{Pixmap, Transform};
use rules::diagram::{Diagram, Shape};
use rules::svg::{self, Raster, Theme};
use rules::text::Rgb;

/// One character of a board; a missing colour is the terminal's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    pub ch: char,
    pub ink: Option<Rgb>,
    pub paper: Option<Rgb>,
    /// Whether it is a figure or a coordinate.
    pub is_figure: bool,
    /// The cell of the diagram that it belongs to.
    pub cell: Option<usize>,
}

const BLANK: Tile = Tile { ch: ' ', ink: None, paper: None, is_figure: false, cell: None };

/// A board in characters with its coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Mosaic {
    pub width: usize,
    pub height: usize,
    /// Row by row.
    pub tiles: Vec<Tile>,
    /// Column and row in the middle of each cell.
    pub centres: Vec<(usize, usize)>,
    /// Where the board lies without its coordinates: column, row, width and height.
    pub board: (usize, usize, usize, usize),
    /// From cell to cell and from row to row, in characters.
    pub pitch: (f64, f64),
    /// The middle of each cell, in characters.
    pub places: Vec<(f64, f64)>,
}

/// The size of the cells, and where the board lies among the characters.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// From cell to cell and from row to row.
    pitch: (f64, f64),
    /// Where the drawing begins, in characters: figures lie in the middle of characters where that is possible.
    origin: (f64, f64),
    /// Characters of the board.
    size: (usize, usize),
    /// Characters per unit of the drawing.
    scale: (f64, f64),
}

/// The width of a cell in the drawing, and the distance of its rows.
const CELL: f64 = 48.0;
fn row(shape: Shape) -> f64 {
    match shape {
        Shape::Square => CELL,
        Shape::Hexagon => CELL * 3_f64.sqrt() / 2.0,
    }
}

impl Layout {
    fn new(diagram: &Diagram, pitch: (f64, f64), blocks: Blocks) -> Layout {
        let (wide, high) = pitch;
        let last = |of: fn(&rules::diagram::DrawnCell) -> i16| {
            diagram.cells.iter().map(of).max().unwrap_or(0).max(0) as f64
        };
        let scale = (wide / CELL, high / row(diagram.shape));
        // Figures of hexagons lie in the middle of their cells.
        let halved = blocks.pixels().0 == 2 && wide % 2.0 == 0.0 && diagram.shape == Shape::Hexagon;
        let left = if halved { 0.5 } else { 0.0 };
        let columns = (last(|cell| cell.x) / 2.0 + 1.0) * wide + left;
        let (top, rows) = match diagram.shape {
            Shape::Square => (0.0, (last(|cell| cell.y) + 1.0) * high),
            Shape::Hexagon => {
                // From the tip of a hexagon to its middle.
                let reach = high * 2.0 / 3.0;
                let middle = (reach - 0.5 - 1e-9).ceil() + 0.5;
                (middle - reach, middle + last(|cell| cell.y) * high + reach)
            }
        };
        let size = ((columns - 1e-9).ceil() as usize, (rows - 1e-9).ceil() as usize);
        Layout { pitch, origin: (left, top), size, scale }
    }

    /// A place of the drawing, in characters.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.origin.0 + x * self.scale.0, self.origin.1 + y * self.scale.1)
    }

    /// From the drawing to pixels, of which a character has this many.
    fn transform(&self, (across, down): (f64, f64)) -> Transform {
        let [sx, sy] = [self.scale.0 * across, self.scale.1 * down].map(|part| part as f32);
        let [left, top] = [self.origin.0 * across, self.origin.1 * down].map(|part| part as f32);
        Transform::from_row(sx, 0.0, 0.0, sy, left, top)
    }

    /// The board in this many pixels for each character.
    fn pixels(&self, (across, down): (usize, usize)) -> (u32, u32) {
        ((self.size.0 * across) as u32, (self.size.1 * down) as u32)
    }

    /// The size of a pixel in the drawing's units.
    fn grain(&self, blocks: Blocks) -> f64 {
        let (across, down) = blocks.pixels();
        let wide = 1.0 / (self.scale.0 * across as f64);
        wide.max(1.0 / (self.scale.1 * down as f64))
    }
}

/// The sizes of cells to try, from the largest: characters are twice as high as they are wide.
fn pitches(shape: Shape) -> impl Iterator<Item = (f64, f64)> {
    (2..=40).rev().map(f64::from).map(move |high| match shape {
        Shape::Square => (2.0 * high, high),
        Shape::Hexagon => {
            let regular = high * 4.0 / 3_f64.sqrt();
            let even = 2.0 * (regular / 2.0).round();
            // Even widths put all figures in the middle of a character, if hexagons may be a little flat.
            let wide = if (even / regular - 1.0).abs() < 0.09 { even } else { regular.round() };
            (wide, high)
        }
    })
}

/// The same for pictures, whose cells need not fall on characters: in steps of two pixels.
fn pixel_pitches(shape: Shape, (wide, high): Font) -> impl Iterator<Item = (f64, f64)> {
    let (wide, high) = (f64::from(wide), f64::from(high));
    let rows = (high as u32..=20 * high as u32).rev().step_by(2).map(f64::from);
    rows.map(move |pixels| (pixels * CELL / row(shape) / wide, pixels / high))
}

/// How many pixels a character is wide and high.
pub type Font = (u16, u16);

/// In pixels of this size, four to a cell, no knight, tower or cross can be made out.
const COARSEST: f64 = 12.0;

/// The largest board that fits into these columns and rows; none if even the smallest does not, or if its pieces
/// would be blots.
pub fn mosaic(
    diagram: &Diagram,
    theme: Theme,
    flipped: bool,
    blocks: Blocks,
    room: (u16, u16),
) -> Option<Mosaic> {
    let plan = Plan::largest(diagram, flipped, blocks, room, pitches(diagram.shape))?;
    let grain = Some(plan.layout.grain(blocks)).filter(|grain| *grain < COARSEST)?;
    plan.draw(&svg::raster(diagram, theme, flipped, grain), blocks)
}

/// The largest board that fits as a picture, and the characters shown where something covers the picture.
pub fn pictured(
    diagram: &Diagram,
    theme: Theme,
    flipped: bool,
    blocks: Blocks,
    font: Font,
    room: (u16, u16),
) -> Option<(Mosaic, Pixmap)> {
    let pitches = pixel_pitches(diagram.shape, font);
    let plan = Plan::largest(diagram, flipped, blocks, room, pitches)?;
    let (across, down) = (f64::from(font.0), f64::from(font.1));
    let (left, top) = (plan.corner.0 as f64 * across, plan.corner.1 as f64 * down);
    let transform = plan.layout.transform((across, down));
    let transform = transform.post_translate(left as f32, top as f32);
    let size = ((plan.size.0 as f64 * across) as u32, (plan.size.1 as f64 * down) as u32);
    // Coordinates of squares stand in the middle of their columns and rows, not of a character.
    let cells: Vec<(f64, f64)> = svg::cells(diagram, flipped)
        .into_iter()
        .map(|at| plan.layout.place(at))
        .map(|(x, y)| (x + plan.corner.0 as f64, y + plan.corner.1 as f64))
        .collect();
    let near = |at: f64, of: fn(&(f64, f64)) -> f64| {
        let nearest = cells.iter().map(of).min_by(|a, b| (a - at).abs().total_cmp(&(b - at).abs()));
        nearest.filter(|own| (own - at).abs() < 0.8).unwrap_or(at)
    };
    let middle = |(x, y, text): &(usize, usize, String)| {
        let half = text.chars().count() as f64 / 2.0;
        let (x, y) = (near(*x as f64 + half, |at| at.0), near(*y as f64 + 0.5, |at| at.1));
        (text.clone(), x * across, y * down)
    };
    let labels: Vec<_> = plan.labels.iter().map(middle).collect();
    let svg = |letters: &dyn svg::Lettering| svg::board(diagram, theme, flipped, letters);
    let pixels = picture::labelled(svg, transform, size, (&labels, 0.65 * down)).ok()?;
    let raster = svg::raster(diagram, theme, flipped, plan.layout.grain(blocks));
    Some((plan.draw(&raster, blocks)?, pixels))
}

/// Where board and coordinates lie.
struct Plan {
    layout: Layout,
    /// How wide and high everything is.
    size: (usize, usize),
    /// The upper left corner of the board.
    corner: (usize, usize),
    /// Coordinates with their places.
    labels: Vec<(usize, usize, String)>,
}

impl Plan {
    /// The first of these sizes that fits.
    fn largest(
        diagram: &Diagram,
        flipped: bool,
        blocks: Blocks,
        room: (u16, u16),
        pitches: impl Iterator<Item = (f64, f64)>,
    ) -> Option<Plan> {
        let fits = |size: (usize, usize)| size.0 <= room.0.into() && size.1 <= room.1.into();
        let layouts = pitches.map(|pitch| Layout::new(diagram, pitch, blocks));
        let plans = layouts.filter(|layout| fits(layout.size));
        plans.map(|layout| Plan::new(diagram, flipped, layout)).find(|plan| fits(plan.size))
    }

    fn new(diagram: &Diagram, flipped: bool, layout: Layout) -> Plan {
        let cells = svg::cells(diagram, flipped);
        let places: Vec<_> = cells.iter().map(|at| layout.place(*at)).collect();
        let half = layout.pitch.0 / 2.0;
        let labels: Vec<(i64, i64, &str)> = diagram
            .labels
            .iter()
            .map(|label| {
                let text = label.text.as_str();
                let beside = || {
                    let row =
                        diagram.cells.iter().zip(&places).filter(|(cell, _)| cell.y == label.y);
                    row.map(|(cell, place)| (cell.x, *place))
                };
                let first = beside().min_by_key(|(x, _)| *x);
                let last = beside().max_by_key(|(x, _)| *x);
                let on_left = |(x, y): (f64, f64)| {
                    ((x - half).floor() as i64 - 1 - text.chars().count() as i64, y.floor() as i64)
                };
                let on_right =
                    |(x, y): (f64, f64)| ((x + half).ceil() as i64 + 1, y.floor() as i64);
                let (column, row) = match (first, last) {
                    (Some((x, place)), _) if label.x < x => {
                        if flipped {
                            on_right(place)
                        } else {
                            on_left(place)
                        }
                    }
                    (_, Some((x, place))) if label.x > x => {
                        if flipped {
                            on_left(place)
                        } else {
                            on_right(place)
                        }
                    }
                    _ => above_or_below(diagram, &places, &layout, (label.x, label.y), flipped),
                };
                (column, row, text)
            })
            .collect();
        let ends = labels.iter().map(|(x, y, text)| (x + text.chars().count() as i64, y + 1));
        let (right, bottom) = ends.fold((0, 0), |(a, b), (x, y)| (x.max(a), y.max(b)));
        let left = labels.iter().map(|(x, ..)| *x).fold(0, i64::min);
        let top = labels.iter().map(|(_, y, _)| *y).fold(0, i64::min);
        let (wide, high) = (layout.size.0 as i64, layout.size.1 as i64);
        let size = (right.max(wide) - left, bottom.max(high) - top);
        let labels = labels
            .into_iter()
            .map(|(x, y, text)| ((x - left) as usize, (y - top) as usize, text.to_owned()))
            .collect();
        Plan {
            layout,
            size: (size.0 as usize, size.1 as usize),
            corner: (-left as usize, -top as usize),
            labels,
        }
    }

    fn draw(&self, raster: &Raster, blocks: Blocks) -> Option<Mosaic> {
        let (width, height) = self.size;
        let (left, top) = self.corner;
        let mut tiles = vec![BLANK; width * height];
        let (wide, high) = self.layout.size;
        let (across, down) = blocks.pixels();
        let transform = self.layout.transform((across as f64, down as f64));
        let size = self.layout.pixels((across, down));
        let pixels = picture::drawn(&raster.svg, transform, size).ok()?;
        for (y, x) in (0..high).flat_map(|y| (0..wide).map(move |x| (y, x))) {
            let tile = tile(&pixels, (x * across, y * down), blocks);
            let cell = self.cell_at(raster, x, y);
            tiles[(top + y) * width + left + x] = Tile { cell, ..tile };
        }
        for figure in &raster.figures {
            let (x, y) = self.layout.place(figure.at);
            let first = (x - figure.text.chars().count() as f64 / 2.0 + 0.5 - 1e-6).floor();
            for (column, ch) in (left as i64 + first as i64..).zip(figure.text.chars()) {
                let at = (top + y.max(0.0) as usize) * width + column.max(0) as usize;
                let Some(tile) = tiles.get_mut(at) else { continue };
                let (ink, paper) = (Some(figure.ink), Some(figure.paper));
                *tile = Tile { ch, ink, paper, is_figure: true, ..*tile };
            }
        }
        for (x, y, text) in &self.labels {
            for (i, ch) in text.chars().enumerate() {
                if let Some(tile) = tiles.get_mut(y * width + x + i) {
                    *tile = Tile { ch, is_figure: true, ..BLANK };
                }
            }
        }
        let middle = |at: &(f64, f64)| {
            let (x, y) = self.layout.place(*at);
            (left as f64 + x.max(0.0), top as f64 + y.max(0.0))
        };
        let places: Vec<_> = raster.cells.iter().map(middle).collect();
        let centres = places.iter().map(|(x, y)| (*x as usize, *y as usize)).collect();
        let (board, pitch) = ((left, top, wide, high), self.layout.pitch);
        Some(Mosaic { width, height, tiles, centres, board, pitch, places })
    }

    /// The cell that the middle of a character lies in.
    fn cell_at(&self, raster: &Raster, x: usize, y: usize) -> Option<usize> {
        let Layout { origin, scale, .. } = self.layout;
        let at = ((x as f64 + 0.5 - origin.0) / scale.0, (y as f64 + 0.5 - origin.1) / scale.1);
        let distance = |cell: &(f64, f64)| (cell.0 - at.0).hypot(cell.1 - at.1);
        let cells = raster.cells.iter().enumerate();
        let (cell, place) = cells.min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)))?;
        // From the middle of a square to its corner.
        (distance(place) <= CELL * 0.71).then_some(cell)
    }
}

/// A coordinate above or below its column; between the tips of hexagons there is room for it.
fn above_or_below(
    diagram: &Diagram,
    places: &[(f64, f64)],
    layout: &Layout,
    (x, y): (i16, i16),
    flipped: bool,
) -> (i64, i64) {
    let half = layout.pitch.0 / 2.0;
    let nearest = diagram
        .cells
        .iter()
        .zip(places)
        .min_by_key(|(cell, _)| (i32::from(cell.y - y).abs(), i32::from(cell.x - x).abs()));
    let Some((cell, place)) = nearest else { return (0, 0) };
    let steps = f64::from(x - cell.x) * if flipped { -1.0 } else { 1.0 };
    let column = (place.0 + steps * half - 1e-6).floor() as i64;
    let is_above = (y < cell.y) != flipped;
    let high = layout.pitch.1;
    let reach = match diagram.shape {
        Shape::Square => high / 2.0,
        // To the notch between two tips.
        Shape::Hexagon => high / 3.0,
    };
    let row = match is_above {
        true => ((place.1 - reach + 1e-6).floor() as i64 - 1).max(match diagram.shape {
            Shape::Square => i64::MIN,
            Shape::Hexagon => 0,
        }),
        false => (place.1 + reach - 1e-6).ceil() as i64,
    };
    (column, row)
}

/// The character for the pixels from this one on.
fn tile(pixels: &Pixmap, (left, top): (usize, usize), blocks: Blocks) -> Tile {
    let (across, down) = blocks.pixels();
    let mut parts = [None; 8];
    let count = across * down;
    for (i, part) in parts.iter_mut().take(count).enumerate() {
        let at = (top + i / across) * pixels.width() as usize + left + i % across;
        let pixel = pixels.pixels().get(at).map(|pixel| pixel.demultiply());
        *part = pixel
            .filter(|pixel| pixel.alpha() > 127)
            .map(|pixel| [pixel.red(), pixel.green(), pixel.blue()].map(i64::from));
    }
    let parts = &parts[..count];
    let (ink, paper) = match parts.iter().all(Option::is_some) {
        true => parted(parts),
        // Pixels that are not drawn show the terminal's background.
        false => (parts.iter().enumerate().fold(0, bit_if(Option::is_some)), 0),
    };
    let all = ((1_u16 << count) - 1) as u8;
    let colour = |group: u8| {
        let own = parts.iter().enumerate().filter(|(i, _)| group >> i & 1 == 1);
        let own: Vec<[i64; 3]> = own.filter_map(|(_, part)| *part).collect();
        let number = own.len().max(1) as i64;
        let mean = |of: usize| (own.iter().map(|part| part[of]).sum::<i64>() / number) as u8;
        (!own.is_empty()).then(|| [mean(0), mean(1), mean(2)])
    };
    match (ink, paper) {
        (0, _) => Tile { paper: colour(paper), ..BLANK },
        // A full block of ink may leave gaps; a blank on paper does not.
        (ink, 0) if ink == all => Tile { paper: colour(ink), ..BLANK },
        (ink, paper) => {
            let (ch, ink, paper) = (blocks.character(ink), colour(ink), colour(paper));
            Tile { ch, ink, paper, ..BLANK }
        }
    }
}

/// Adds a bit for each pixel that passes.
fn bit_if<T: Copy>(passes: fn(&T) -> bool) -> impl Fn(u8, (usize, &T)) -> u8 {
    move |bits, (i, part)| bits | u8::from(passes(part)) << i
}

/// The pixels split into ink and paper with the least squared error.
fn parted(parts: &[Option<[i64; 3]>]) -> (u8, u8) {
    let all = ((1_u16 << parts.len()) - 1) as u8;
    if parts.windows(2).all(|two| two[0] == two[1]) {
        return (0, all);
    }
    let colours: Vec<[i64; 3]> = parts.iter().flatten().copied().collect();
    let total = colours.iter().fold([0; 3], |sum, own| plus(sum, *own));
    // The error is least where the sums of both groups, squared and divided by their sizes, are greatest.
    let weight = |sum: [i64; 3], count: i64| {
        (sum.iter().map(|part| part * part).sum::<i64>() as f64) / count as f64
    };
    let mut sums = [[0; 3]; 128];
    let mut best = (f64::MIN, 1);
    // The last pixel is paper: exchanging the groups changes nothing.
    for ink in 1..=usize::from(all >> 1) {
        let lowest = ink.trailing_zeros() as usize;
        sums[ink] = plus(sums[ink & (ink - 1)], colours[lowest]);
        let count = i64::from(ink.count_ones());
        let rest = [0, 1, 2].map(|i| total[i] - sums[ink][i]);
        let worth = weight(sums[ink], count) + weight(rest, colours.len() as i64 - count);
        if worth > best.0 {
            best = (worth, ink as u8);
        }
    }
    (best.1, all & !best.1)
}

fn plus(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagrams() -> Vec<Diagram> {
        engine::GAMES.iter().map(|e| (e.start)(&Default::default()).unwrap().diagram()).collect()
    }

    #[test]
    fn two_colours_are_parted_exactly() {
        let (dark, light) = (Some([10, 20, 30]), Some([200, 210, 220]));
        let parts = [dark, light, light, dark, dark, light];
        assert_eq!(parted(&parts), (0b011001, 0b100110));
        assert_eq!(parted(&[dark; 6]), (0, 63));
    }

    #[test]
    fn boards_fit_their_room_and_cells_are_found() {
        for diagram in diagrams() {
            for blocks in Blocks::ALL {
                for room in [(50, 23), (70, 29), (110, 44), (160, 59)] {
                    for flipped in [false, true] {
                        let drawn = mosaic(&diagram, Theme::Dark, flipped, blocks, room);
                        // Nine rows of halves or quarters leave four pixels for a knight.
                        let is_coarse = room.1 == 23 && blocks.pixels().1 == 2;
                        let Some(drawn) = drawn else {
                            assert!(is_coarse && diagram.cells.len() == 81, "{blocks:?} {room:?}");
                            continue;
                        };
                        assert!(drawn.width <= room.0.into() && drawn.height <= room.1.into());
                        assert_eq!(drawn.tiles.len(), drawn.width * drawn.height);
                        for (cell, (x, y)) in drawn.centres.iter().enumerate() {
                            assert_eq!(drawn.tiles[y * drawn.width + x].cell, Some(cell));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn boards_fill_the_height_of_common_windows() {
        let heights = |room| -> Vec<usize> {
            let drawn = diagrams().into_iter();
            let drawn = drawn.map(|d| mosaic(&d, Theme::Dark, false, Blocks::Sextants, room));
            drawn.map(|drawn| drawn.unwrap().height).collect()
        };
        assert_eq!(heights((51, 23)), [19, 19, 19, 21]);
        assert_eq!(heights((71, 29)), [29, 25, 28, 26]);
        assert_eq!(heights((111, 44)), [39, 43, 37, 41]);
        assert_eq!(heights((171, 59)), [57, 55, 55, 56]);
    }

    /// The pixels of a cell, row by row.
    fn pixels_of(drawn: &Mosaic, cell: usize, blocks: Blocks) -> Vec<Vec<Rgb>> {
        let (across, down) = blocks.pixels();
        let last = ((1_u16 << (across * down)) - 1) as u8;
        let mut rows = Vec::new();
        for tiles in drawn.tiles.chunks(drawn.width) {
            let own: Vec<&Tile> = tiles.iter().filter(|tile| tile.cell == Some(cell)).collect();
            for y in (0..down).filter(|_| !own.is_empty()) {
                let pixel = |tile: &Tile, x: usize| {
                    let mut all = (0..=last).filter(|ink| blocks.character(*ink) == tile.ch);
                    let is_ink = all.next().unwrap_or(0) >> (y * across + x) & 1 == 1;
                    if is_ink { tile.ink } else { tile.paper }.unwrap()
                };
                let row = own.iter().flat_map(|tile| (0..across).map(|x| pixel(tile, x)));
                rows.push(row.collect());
            }
        }
        rows
    }

    fn drawn(game: &str, text: &str, blocks: Blocks, room: (u16, u16)) -> Option<Mosaic> {
        let entry = engine::find(game).unwrap();
        let diagram = (entry.from_text)(text, &Default::default()).unwrap().diagram();
        mosaic(&diagram, Theme::Dark, false, blocks, room)
    }

    #[test]
    fn a_cross_is_the_same_from_every_side() {
        for (blocks, room) in [
            (Blocks::Halves, (51, 23)),
            (Blocks::Quadrants, (51, 23)),
            (Blocks::Sextants, (51, 23)),
            (Blocks::Sextants, (31, 19)),
            (Blocks::Halves, (71, 29)),
        ] {
            let drawn = drawn("gekitai", "6/6/2x3/6/6/6 2", blocks, room).unwrap();
            let is_white = |pixel: &Rgb| pixel.iter().all(|part| *part > 230);
            let rows: Vec<Vec<bool>> = pixels_of(&drawn, 14, blocks)
                .iter()
                .map(|row| row.iter().map(is_white).collect())
                .collect();
            let turned =
                |rows: &[Vec<bool>]| -> Vec<Vec<bool>> { rows.iter().rev().cloned().collect() };
            let mirrored = |row: &Vec<bool>| row.iter().rev().copied().collect::<Vec<bool>>();
            assert!(rows.iter().flatten().any(|is_white| *is_white), "{blocks:?} {room:?}");
            assert_eq!(rows, turned(&rows), "{blocks:?} {room:?}");
            assert!(rows.iter().all(|row| *row == mirrored(row)), "{blocks:?} {room:?}: {rows:?}");
        }
    }

    #[test]
    fn the_order_of_the_discs_of_a_tower_is_seen() {
        for (blocks, room) in [
            (Blocks::Sextants, (31, 19)),
            (Blocks::Sextants, (51, 23)),
            (Blocks::Halves, (51, 23)),
            (Blocks::Sextants, (71, 29)),
            (Blocks::Halves, (71, 29)),
        ] {
            for tower in ["x", "o", "xo", "oxx", "xox", "oxox", "xoxox", "oxxoo"] {
                let text = format!("5/5/2,{tower},2/5/5 1");
                let drawn = drawn("six-making", &text, blocks, room).unwrap();
                let rows = pixels_of(&drawn, 12, blocks);
                let owner = |row: &Vec<Rgb>| {
                    // Of the warm and the cold colours; cells are grey.
                    let [red, _, blue] = row[row.len() / 2].map(i32::from);
                    (red - blue).abs().gt(&45).then(|| usize::from(red > blue))
                };
                let mut seen: Vec<usize> = rows.iter().rev().filter_map(owner).collect();
                seen.dedup();
                let mut expected: Vec<usize> =
                    tower.bytes().map(|b| usize::from(b == b'o')).collect();
                expected.dedup();
                assert_eq!(seen, expected, "{tower} {blocks:?} {room:?}");
            }
        }
    }

    #[test]
    fn boards_whose_pieces_would_be_blots_are_left_to_lines() {
        let knights = "nnnnnnnnn/9/9/9/9/9/9/9/NNNNNNNNN 1";
        let seen = |blocks, room| drawn("jeson-mor", knights, blocks, room).is_some();
        assert!(seen(Blocks::Sextants, (51, 23)) && seen(Blocks::Halves, (71, 29)));
        assert!(!seen(Blocks::Halves, (51, 23)) && !seen(Blocks::Quadrants, (51, 23)));
    }
}
