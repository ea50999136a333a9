//! Drawings as PNG. The font is part of the program: a machine may have none.

use crate::shell::failure::Failure;
use anyhow::{Context, anyhow};
use resvg::{tiny_skia, usvg};
use rules::diagram::Diagram;
use rules::svg;
use std::fmt::Write;
use ttf_parser::{Face, OutlineBuilder};

pub fn png(diagram: &Diagram, style: &svg::Style, width: u32) -> Result<Vec<u8>, Failure> {
    let pixels = pixels(diagram, style, width)?;
    Ok(pixels.encode_png().map_err(|error| anyhow!("cannot encode the PNG: {error}"))?)
}

pub fn pixels(
    diagram: &Diagram,
    style: &svg::Style,
    width: u32,
) -> Result<tiny_skia::Pixmap, Failure> {
    let drawing = svg::outlined(diagram, style, &Letters::new()?);
    let tree = read(&drawing)?;
    let scale = width as f32 / tree.size().width();
    let height = (tree.size().height() * scale).ceil() as u32;
    rendered(&tree, tiny_skia::Transform::from_scale(scale, scale), (width, height))
}

/// A drawing, and over it words of this size around their places in pixels, in a grey that is seen on any ground.
pub fn labelled(
    svg: impl Fn(&dyn svg::Lettering) -> String,
    transform: tiny_skia::Transform,
    (width, height): (u32, u32),
    (labels, size): (&[(String, f64, f64)], f64),
) -> Result<tiny_skia::Pixmap, Failure> {
    let letters = Letters::new()?;
    let mut pixels = drawn(&svg(&letters), transform, (width, height))?;
    let mut words =
        format!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">"#);
    for (text, x, y) in labels {
        let (outline, wide) = svg::Lettering::outline(&letters, text, false);
        let (left, base) = (x - wide * size / 2.0, y + 0.36 * size);
        let place = format!("translate({left} {base}) scale({size} -{size})");
        let _ = write!(words, r##"<path d="{outline}" fill="#808080" transform="{place}"/>"##);
    }
    words.push_str("</svg>");
    resvg::render(&read(&words)?, tiny_skia::Transform::identity(), &mut pixels.as_mut());
    Ok(pixels)
}

/// Drawings one after the other as an animated PNG, which stays on the last one for a while and begins again. Each is in
/// memory only until it is encoded: as pixels, a game can take gigabytes.
pub fn animation(
    diagrams: impl ExactSizeIterator<Item = Diagram>,
    style: &svg::Style,
    width: u32,
) -> Result<Vec<u8>, Failure> {
    let count = diagrams.len();
    let mut frames = diagrams.map(|diagram| pixels(&diagram, style, width));
    let first = frames.next().context("there is nothing to draw")??;
    let mut bytes = Vec::new();
    let wrong = |error: png::EncodingError| anyhow!("cannot encode the PNG: {error}");
    let mut encoder = png::Encoder::new(&mut bytes, first.width(), first.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_animated(count as u32, 0).map_err(wrong)?;
    encoder.set_frame_delay(TENTHS, 10).map_err(wrong)?;
    let mut writer = encoder.write_header().map_err(wrong)?;
    for (number, frame) in std::iter::once(Ok(first)).chain(frames).enumerate() {
        let frame = frame?;
        if number + 1 == count && number > 0 {
            writer.set_frame_delay(4 * TENTHS, 10).map_err(wrong)?;
        }
        let straight: Vec<u8> = frame
            .pixels()
            .iter()
            .map(|pixel| pixel.demultiply())
            .flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()])
            .collect();
        writer.write_image_data(&straight).map_err(wrong)?;
    }
    writer.finish().map_err(wrong)?;
    Ok(bytes)
}

/// How long each drawing of an animation stays.
const TENTHS: u16 = 10;

/// A drawing without letters, in pixels.
pub fn drawn(
    svg: &str,
    transform: tiny_skia::Transform,
    size: (u32, u32),
) -> Result<tiny_skia::Pixmap, Failure> {
    rendered(&read(svg)?, transform, size)
}

fn read(svg: &str) -> Result<usvg::Tree, Failure> {
    Ok(usvg::Tree::from_str(svg, &usvg::Options::default()).context("the drawing is not SVG")?)
}

fn rendered(
    tree: &usvg::Tree,
    transform: tiny_skia::Transform,
    (width, height): (u32, u32),
) -> Result<tiny_skia::Pixmap, Failure> {
    let mut pixels = tiny_skia::Pixmap::new(width, height).context("the picture is too large")?;
    resvg::render(tree, transform, &mut pixels.as_mut());
    Ok(pixels)
}

pub struct Letters {
    regular: Face<'static>,
    bold: Face<'static>,
}

impl Letters {
    fn new() -> Result<Letters, Failure> {
        let face = |data| Face::parse(data, 0).context("the font cannot be read");
        Ok(Letters { regular: face(dejavu::sans::regular())?, bold: face(dejavu::sans::bold())? })
    }
}

#[cfg(test)]
impl Letters {
    /// Letters of one width, as terminals have them.
    pub fn mono() -> Result<Letters, Failure> {
        let face = |data| Face::parse(data, 0).context("the font cannot be read");
        let (regular, bold) = (dejavu::sans_mono::regular(), dejavu::sans_mono::bold());
        Ok(Letters { regular: face(regular)?, bold: face(bold)? })
    }
}

impl svg::Lettering for Letters {
    fn outline(&self, text: &str, bold: bool) -> (String, f64) {
        let face = if bold { &self.bold } else { &self.regular };
        let unit = f64::from(face.units_per_em());
        let mut shape = Shape { path: String::new(), unit, left: 0.0 };
        for letter in text.chars() {
            // Glyph 0 is the font's sign for missing characters.
            let glyph = face.glyph_index(letter).unwrap_or_default();
            face.outline_glyph(glyph, &mut shape);
            shape.left += f64::from(face.glyph_hor_advance(glyph).unwrap_or_default()) / unit;
        }
        (shape.path, shape.left)
    }
}

/// The outline of letters beside each other, as the data of an SVG path.
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
