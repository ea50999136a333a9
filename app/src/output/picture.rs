//! Drawings as PNG.

use crate::shell::failure::Failure;
use anyhow::{Context, anyhow};
use resvg::{tiny_skia, usvg};
use rules::diagram::Diagram;
use rules::svg;
use server::pages::Letters;
use std::fmt::Write;

pub fn png(diagram: &Diagram, style: &svg::Style, width: u32) -> Result<Vec<u8>, Failure> {
    let pixels = pixels(diagram, style, width)?;
    Ok(pixels.encode_png().map_err(|error| anyhow!("cannot encode the PNG: {error}"))?)
}

pub fn pixels(
    diagram: &Diagram,
    style: &svg::Style,
    width: u32,
) -> Result<tiny_skia::Pixmap, Failure> {
    let drawing = svg::outlined(diagram, style, &letters()?);
    let tree = read(&drawing)?;
    let scale = width as f32 / tree.size().width();
    let height = (tree.size().height() * scale).ceil() as u32;
    rendered(&tree, tiny_skia::Transform::from_scale(scale, scale), (width, height))
}

/// A drawing with labels of this size centred on these places in pixels, in a grey that is visible on any background.
pub fn labelled(
    svg: impl Fn(&dyn svg::Lettering) -> String,
    transform: tiny_skia::Transform,
    (width, height): (u32, u32),
    (labels, size): (&[(String, f64, f64)], f64),
) -> Result<tiny_skia::Pixmap, Failure> {
    let letters = letters()?;
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

/// Drawings one after the other as an animated PNG, which stays on the last one for a while and begins again. Each is
/// in memory only until it is encoded: as pixels, a game can take gigabytes.
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
        writer.write_image_data(&straight(&frame)).map_err(wrong)?;
    }
    writer.finish().map_err(wrong)?;
    Ok(bytes)
}

/// A PNG that is a little larger than others, and made in a quarter of their time.
pub fn quick_png(pixels: &tiny_skia::Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&straight(pixels))?;
    writer.finish()?;
    Ok(bytes)
}

/// The parts of the pixels, not multiplied by how opaque they are.
fn straight(pixels: &tiny_skia::Pixmap) -> Vec<u8> {
    let pixels = pixels.pixels().iter().map(|pixel| pixel.demultiply());
    pixels.flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]).collect()
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

fn letters() -> Result<Letters, Failure> {
    Ok(Letters::new().map_err(|error| anyhow!(error))?)
}
