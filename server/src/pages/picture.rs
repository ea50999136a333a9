//! Boards as PNG, for link previews. The font is embedded, since a machine may have none.

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg;
use rules::diagram::Diagram;
use rules::svg::{self, Style};
use std::fmt::Write;
use ttf_parser::{Face, OutlineBuilder};

/// The aspect ratio that social networks ask for (others are cropped), at less than half the work of their largest
/// size.
const SIZE: (u32, u32) = (800, 420);
const MARGIN: f32 = 10.0;

/// A board centred on the background of the light theme.
pub(super) fn png(diagram: &Diagram) -> Result<Vec<u8>, String> {
    let drawing = svg::outlined(diagram, &Style::default(), &Letters::new()?);
    let wrong = |error: usvg::Error| format!("the drawing is not SVG: {error}");
    let tree = usvg::Tree::from_str(&drawing, &usvg::Options::default()).map_err(wrong)?;
    let (wide, high) = (tree.size().width(), tree.size().height());
    let room = |side: u32| side as f32 - 2.0 * MARGIN;
    let scale = (room(SIZE.0) / wide).min(room(SIZE.1) / high);
    let middle = |side: u32, own: f32| (side as f32 - scale * own) / 2.0;
    let place = Transform::from_scale(scale, scale)
        .post_translate(middle(SIZE.0, wide), middle(SIZE.1, high));
    let mut pixels = Pixmap::new(SIZE.0, SIZE.1).ok_or("the picture is too large")?;
    pixels.fill(Color::from_rgba8(0xf4, 0xef, 0xe6, 0xff));
    resvg::render(&tree, place, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| format!("cannot encode the PNG: {error}"))
}

/// Renders text as outlines.
pub struct Letters {
    regular: Face<'static>,
    bold: Face<'static>,
}

impl Letters {
    /// The embedded font.
    pub fn new() -> Result<Letters, String> {
        Letters::read(dejavu::sans::regular(), dejavu::sans::bold())
    }

    /// A monospaced font, as in terminals.
    pub fn mono() -> Result<Letters, String> {
        Letters::read(dejavu::sans_mono::regular(), dejavu::sans_mono::bold())
    }

    fn read(regular: &'static [u8], bold: &'static [u8]) -> Result<Letters, String> {
        let wrong = |error| format!("the font cannot be read: {error}");
        let face = |data| Face::parse(data, 0).map_err(wrong);
        Ok(Letters { regular: face(regular)?, bold: face(bold)? })
    }
}

impl svg::Lettering for Letters {
    fn outline(&self, text: &str, bold: bool) -> (String, f64) {
        let face = if bold { &self.bold } else { &self.regular };
        let unit = f64::from(face.units_per_em());
        let mut shape = Shape { path: String::new(), unit, left: 0.0 };
        for letter in text.chars() {
            // Glyph 0 is the replacement for missing characters.
            let glyph = face.glyph_index(letter).unwrap_or_default();
            face.outline_glyph(glyph, &mut shape);
            shape.left += f64::from(face.glyph_hor_advance(glyph).unwrap_or_default()) / unit;
        }
        (shape.path, shape.left)
    }
}

/// Outlines of adjacent letters, as SVG path data.
struct Shape {
    path: String,
    unit: f64,
    left: f64,
}

impl Shape {
    fn add(&mut self, command: char, points: &[(f32, f32)]) {
        self.path.push(command);
        for (x, y) in points {
            let (x, y) = (self.left + f64::from(*x) / self.unit, f64::from(*y) / self.unit);
            let _ = write!(self.path, "{x:.4} {y:.4} ");
        }
    }
}

impl OutlineBuilder for Shape {
    fn move_to(&mut self, x: f32, y: f32) {
        self.add('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.add('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.add('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.add('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.path.push('Z');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_each_game_has_the_shape_that_networks_ask_for_and_is_small() {
        for entry in engine::GAMES {
            let session = (entry.start)(&Default::default()).unwrap();
            let png = png(&session.diagram()).unwrap();
            assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
            let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
            assert_eq!((side(16), side(20)), SIZE);
            assert!(png.len() < 100_000, "{}: {} bytes", entry.info.id, png.len());
        }
    }
}
