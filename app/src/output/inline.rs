//! Pictures inside a terminal, by the protocols of kitty and of iTerm2, and as sixels.
//!
//! The crates for this (`ratatui-image`, `icy_sixel`) send a whole image whenever anything in it changes, and the
//! former brings the crate `image` and waits for the terminal before the first frame.

use crate::output::picture;
use crate::shell::failure::Failure;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use resvg::tiny_skia::Pixmap;
use rules::diagram::Diagram;
use rules::svg;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The protocol by which a terminal shows a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Kitty,
    Iterm,
    Sixel,
}

impl Protocol {
    /// The protocol of the terminal that the environment describes; none if it is not known to show pictures.
    pub fn of_terminal(variable: impl Fn(&str) -> Option<String>) -> Option<Protocol> {
        let read = |name: &str| variable(name).unwrap_or_default();
        let (term, program) = (read("TERM"), read("TERM_PROGRAM"));
        let begins = |names: &[&str]| names.iter().any(|name| term.starts_with(name));
        // tmux and screen do not pass pictures on to the outer terminal.
        if term.contains("sixel") || begins(&["foot", "mlterm", "yaft", "contour"]) {
            Some(Protocol::Sixel)
        } else if begins(&["tmux", "screen"]) {
            None
        } else if begins(&["xterm-kitty", "xterm-ghostty"]) || program == "ghostty" {
            Some(Protocol::Kitty)
        } else if ["iTerm.app", "WezTerm", "mintty", "vscode"].contains(&program.as_str()) {
            Some(Protocol::Iterm)
        } else {
            None
        }
    }

    /// A drawing of this width in pixels, as the bytes to write.
    pub fn picture(
        self,
        diagram: &Diagram,
        style: &svg::Style,
        width: u32,
    ) -> Result<Vec<u8>, Failure> {
        Ok(match self {
            Protocol::Kitty => {
                with_line_feed(parts(&picture::png(diagram, style, width)?, "f=100,a=T,"))
            }
            Protocol::Iterm => iterm(&picture::png(diagram, style, width)?),
            Protocol::Sixel => with_line_feed(sixel(&picture::pixels(diagram, style, width)?)),
        })
    }

    /// A picture over these columns and rows from the cursor on, which takes the place of the one with its number.
    pub fn part(self, pixels: &Pixmap, number: u32, (columns, rows): (u16, u16)) -> Vec<u8> {
        let png = || picture::quick_png(pixels).unwrap_or_default();
        match self {
            Protocol::Kitty => {
                let id = FIRST_PART + number;
                parts(&png(), &format!("f=100,a=T,i={id},p=1,q=2,C=1,c={columns},r={rows},"))
            }
            Protocol::Iterm => {
                let size = format!("width={columns};height={rows};preserveAspectRatio=0");
                let (size, png) = (format!("{size};doNotMoveCursor=1"), png());
                let (count, text) = (png.len(), STANDARD.encode(&png));
                format!("\x1b]1337;File=inline=1;size={count};{size}:{text}\x07").into_bytes()
            }
            Protocol::Sixel => sixel(pixels),
        }
    }

    /// The bytes that remove such a picture.
    pub fn erasing(self, number: u32) -> Vec<u8> {
        match self {
            Protocol::Kitty => {
                format!("\x1b_Ga=d,d=I,i={},q=2\x1b\\", FIRST_PART + number).into_bytes()
            }
            // They disappear when characters are written over them.
            Protocol::Iterm | Protocol::Sixel => Vec::new(),
        }
    }
}

/// The number of the first part among all pictures of a terminal that speaks kitty's protocol: other programs
/// begin at 1.
const FIRST_PART: u32 = 0x0071_0000;

/// How many colours a picture of sixels may have.
const COLOURS: usize = 255;

/// The most bytes in one escape sequence of kitty's protocol.
const CHUNK: usize = 4096;

fn with_line_feed(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}

/// A PNG as kitty's protocol sends it: in parts, of which the first says what it is.
fn parts(png: &[u8], what: &str) -> Vec<u8> {
    let text = STANDARD.encode(png);
    let chunks: Vec<&[u8]> = text.as_bytes().chunks(CHUNK).collect();
    let mut out = Vec::new();
    for (i, chunk) in chunks.iter().enumerate() {
        let more = u8::from(i + 1 < chunks.len());
        let first = if i == 0 { what } else { "" };
        out.extend(format!("\x1b_G{first}m={more};").into_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\x1b\\");
    }
    out
}

/// A PNG as iTerm2's protocol sends it.
fn iterm(png: &[u8]) -> Vec<u8> {
    format!("\x1b]1337;File=inline=1;size={}:{}\x07\n", png.len(), STANDARD.encode(png))
        .into_bytes()
}

/// Pixels as sixels: bands of six rows, each drawn once for every colour in it.
fn sixel(pixels: &Pixmap) -> Vec<u8> {
    let (width, height) = (pixels.width() as usize, pixels.height() as usize);
    let (palette, indices) = indexed(pixels);
    let mut out = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    for (i, [r, g, b]) in palette.iter().enumerate() {
        let percent = |part: &u8| (u32::from(*part) * 100 + 127) / 255;
        let _ = write!(out, "#{i};2;{};{};{}", percent(r), percent(g), percent(b));
    }
    for band in indices.chunks(width * 6) {
        let mut rows = vec![Vec::new(); palette.len()];
        for (y, line) in band.chunks(width).enumerate() {
            for (x, index) in line.iter().enumerate() {
                let Some(index) = index else { continue };
                let row = &mut rows[usize::from(*index)];
                row.resize(width, 0_u8);
                row[x] |= 1 << y;
            }
        }
        for (index, row) in rows.iter().enumerate() {
            let last = row.iter().rposition(|pixels| *pixels != 0);
            let Some(row) = last.and_then(|last| row.get(..=last)) else { continue };
            let _ = write!(out, "#{index}");
            row.chunk_by(|a, b| a == b).for_each(|run| repeat(&mut out, run[0], run.len()));
            out.push('$');
        }
        out.push('-');
    }
    out.push_str("\x1b\\");
    out.into_bytes()
}

/// Writes the same six pixels this many times.
fn repeat(out: &mut String, pixels: u8, count: usize) {
    let sign = char::from(63 + pixels);
    match count {
        4.. => drop(write!(out, "!{count}{sign}")),
        _ => out.extend(std::iter::repeat_n(sign, count)),
    }
}

/// The colours of a picture, and which of them each pixel has; none where nothing is drawn.
fn indexed(pixels: &Pixmap) -> (Vec<[u8; 3]>, Vec<Option<u8>>) {
    let colour = |pixel: &resvg::tiny_skia::PremultipliedColorU8| {
        let pixel = pixel.demultiply();
        // Shades that look alike become one colour.
        let coarse = |part: u8| part & 0xfc | part >> 6;
        (pixel.alpha() > 127).then(|| [pixel.red(), pixel.green(), pixel.blue()].map(coarse))
    };
    // Most neighbours are alike.
    let runs = pixels.pixels().chunk_by(|a, b| a == b).map(|run| (colour(&run[0]), run.len()));
    let runs: Vec<_> = runs.collect();
    let mut counts: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    for (colour, count) in &runs {
        if let Some(colour) = colour {
            *counts.entry(*colour).or_default() += count;
        }
    }
    let mut palette: Vec<[u8; 3]> = counts.keys().copied().collect();
    palette.sort_by_key(|colour| std::cmp::Reverse(counts[colour]));
    let rare = palette.split_off(COLOURS.min(palette.len()));
    let distance = |a: &[u8; 3], b: &[u8; 3]| -> u32 {
        a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
    };
    let nearest = |colour: &[u8; 3]| {
        let own = palette.iter().enumerate().min_by_key(|(_, own)| distance(own, colour));
        own.map_or(0, |(i, _)| i)
    };
    let own = palette.iter().copied().enumerate().map(|(i, colour)| (colour, i as u8));
    let others = rare.iter().map(|colour| (*colour, nearest(colour) as u8));
    let known: BTreeMap<[u8; 3], u8> = own.chain(others).collect();
    let index = |(colour, count): (Option<[u8; 3]>, usize)| {
        std::iter::repeat_n(colour.map(|colour| known[&colour]), count)
    };
    (palette, runs.into_iter().flat_map(index).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixels_are_bands_of_six_rows_in_few_colours() {
        let mut pixels = Pixmap::new(5, 7).unwrap();
        pixels.fill(resvg::tiny_skia::Color::from_rgba8(255, 0, 0, 255));
        let sent = String::from_utf8(sixel(&pixels)).unwrap();
        assert_eq!(sent, "\x1bP0;1;0q\"1;1;5;7#0;2;100;0;0#0!5~$-#0!5@$-\x1b\\");
        for entry in engine::GAMES {
            let diagram = (entry.start)(&Default::default()).unwrap().diagram();
            let pixels = picture::pixels(&diagram, &svg::Style::default(), 200).unwrap();
            let (palette, indices) = indexed(&pixels);
            assert!(palette.len() <= COLOURS);
            assert!(indices.iter().flatten().all(|i| usize::from(*i) < palette.len()));
        }
    }

    #[test]
    fn terminals_that_show_pictures_are_known_by_their_names() {
        let of = |term: &str, program: &str| {
            Protocol::of_terminal(|name| match name {
                "TERM" => Some(term.to_owned()),
                "TERM_PROGRAM" => Some(program.to_owned()),
                _ => None,
            })
        };
        assert_eq!(of("xterm-kitty", ""), Some(Protocol::Kitty));
        assert_eq!(of("xterm-256color", "iTerm.app"), Some(Protocol::Iterm));
        assert_eq!(of("foot", ""), Some(Protocol::Sixel));
        assert_eq!(of("tmux-256color", "WezTerm"), None);
        assert_eq!(of("xterm-256color", ""), None);
    }

    #[test]
    fn a_large_picture_is_sent_in_parts_of_which_the_last_says_so() {
        let sent = String::from_utf8(parts(&[7; 10_000], "f=100,a=T,")).unwrap();
        assert!(sent.starts_with("\x1b_Gf=100,a=T,m=1;"));
        assert_eq!(sent.matches("\x1b_G").count(), 4);
        assert_eq!(sent.matches("m=0;").count(), 1);
        assert!(iterm(b"foo").ends_with(b"size=3:Zm9v\x07\n"));
    }
}
