//! What the meanings of characters look like, by theme and by what a terminal can show.

use super::canvas::{Ink, Mark, Paper};
use crate::diagram::{Tint, Tone};

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// A set of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Quiet greys, for dark windows.
    #[default]
    Dark,
    /// Warm paper, for light windows.
    Light,
    /// Black, white and pure colours.
    Contrast,
    /// The colours of the pages in a browser.
    Slate,
}

impl Theme {
    /// All themes.
    pub const ALL: [Theme; 4] = [Theme::Dark, Theme::Light, Theme::Contrast, Theme::Slate];

    /// The name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::Dark => "dark",
            Theme::Light => "light",
            Theme::Contrast => "contrast",
            Theme::Slate => "slate",
        }
    }

    /// The theme of this name.
    pub fn named(name: &str) -> Option<Theme> {
        Theme::ALL.into_iter().find(|theme| theme.name() == name)
    }

    /// The colour of a character; none for the terminal's own.
    pub const fn ink(self, ink: Ink) -> Option<Rgb> {
        Some(match (self, ink) {
            (_, Ink::Plain) => return None,
            // The grey that is as readable on white as on black.
            (Theme::Contrast, Ink::Soft) => return None,
            (_, Ink::Soft) => [118, 118, 118],
            (Theme::Light, Ink::Grid) => [128, 116, 96],
            (Theme::Contrast, Ink::Grid) => [160, 160, 160],
            (Theme::Slate, Ink::Grid) => [86, 100, 116],
            (Theme::Dark, Ink::Grid) => [148, 148, 148],
            (Theme::Light, Ink::Goal) => [150, 75, 0],
            (_, Ink::Goal) => [255, 215, 135],
            (_, Ink::Piece(Tint::Red | Tint::Blue)) => [255, 255, 255],
            (_, Ink::Piece(Tint::Ebony)) => [255, 255, 215],
            (_, Ink::Piece(Tint::Yellow | Tint::Orange | Tint::Ivory)) => [0, 0, 0],
            (_, Ink::Body(tint)) => self.body(tint),
            (_, Ink::Edge(tint)) => edge(tint),
            (Theme::Light, Ink::Mark(Mark::Target)) => [0, 95, 60],
            (_, Ink::Mark(Mark::Target)) => [135, 255, 175],
            (_, Ink::Mark(Mark::Hint | Mark::Last)) => [255, 255, 255],
            (_, Ink::Mark(Mark::Selected | Mark::Winning)) => [0, 0, 0],
        })
    }

    /// The colour behind a character; none for the terminal's own.
    pub const fn paper(self, paper: Paper) -> Option<Rgb> {
        Some(match (self, paper) {
            (_, Paper::Plain) => return None,
            (Theme::Light, Paper::Board | Paper::Mark(Mark::Target)) => [214, 203, 182],
            (Theme::Contrast, Paper::Board | Paper::Mark(Mark::Target)) => [0, 0, 0],
            (Theme::Slate, Paper::Board | Paper::Mark(Mark::Target)) => [30, 38, 48],
            (Theme::Dark, Paper::Board | Paper::Mark(Mark::Target)) => [68, 68, 68],
            (Theme::Light, Paper::Cell(Tone::Light)) => [245, 238, 224],
            (Theme::Light, Paper::Cell(Tone::Dark)) => [220, 208, 184],
            (Theme::Light, Paper::Cell(Tone::Goal)) => [250, 220, 160],
            (Theme::Contrast, Paper::Cell(Tone::Light | Tone::Dark)) => [0, 0, 0],
            (Theme::Contrast, Paper::Cell(Tone::Goal)) => [60, 0, 90],
            (Theme::Slate, Paper::Cell(Tone::Light)) => [52, 64, 78],
            (Theme::Slate, Paper::Cell(Tone::Dark)) => [38, 47, 58],
            (Theme::Slate, Paper::Cell(Tone::Goal)) => [120, 88, 30],
            (Theme::Dark, Paper::Cell(Tone::Light)) => [88, 88, 88],
            (Theme::Dark, Paper::Cell(Tone::Dark)) => [58, 58, 58],
            (Theme::Dark, Paper::Cell(Tone::Goal)) => [135, 95, 0],
            (Theme::Contrast, Paper::Wood(Tone::Goal)) => [175, 0, 175],
            (Theme::Contrast, Paper::Wood(_)) => [110, 110, 110],
            (_, Paper::Wood(Tone::Light)) => [175, 135, 95],
            (_, Paper::Wood(Tone::Dark)) => [124, 88, 44],
            (_, Paper::Wood(Tone::Goal)) => [0, 95, 175],
            (_, Paper::Piece(tint)) => self.body(tint),
            (_, Paper::Mark(Mark::Selected)) => [95, 215, 175],
            (_, Paper::Mark(Mark::Winning)) => [255, 255, 255],
            (_, Paper::WoodMark(Mark::Selected | Mark::Target)) => [0, 135, 135],
            (_, Paper::WoodMark(Mark::Winning)) => [215, 95, 135],
            (_, Paper::Mark(Mark::Hint) | Paper::WoodMark(Mark::Hint)) => [135, 95, 175],
            (_, Paper::Mark(Mark::Last) | Paper::WoodMark(Mark::Last)) => [0, 135, 95],
        })
    }

    /// The colour of a piece.
    const fn body(self, tint: Tint) -> Rgb {
        match (self, tint) {
            (Theme::Contrast, Tint::Red) => [215, 0, 0],
            (Theme::Contrast, Tint::Yellow) => [255, 255, 0],
            (Theme::Contrast, Tint::Ivory) => [255, 255, 255],
            (Theme::Slate, Tint::Red) => [190, 46, 42],
            (Theme::Slate, Tint::Yellow) => [236, 184, 48],
            (Theme::Slate, Tint::Blue) => [46, 104, 190],
            (Theme::Slate, Tint::Orange) => [226, 128, 42],
            (_, Tint::Red) => [215, 0, 0],
            (_, Tint::Yellow) => [255, 215, 0],
            (_, Tint::Blue) => [0, 95, 215],
            (_, Tint::Orange) => [255, 135, 0],
            (_, Tint::Ivory) => [255, 255, 215],
            (_, Tint::Ebony) => [0, 0, 0],
        }
    }
}

/// The rim between two discs of one colour.
const fn edge(tint: Tint) -> Rgb {
    match tint {
        Tint::Red => [95, 0, 0],
        Tint::Yellow => [135, 95, 0],
        Tint::Blue => [0, 0, 95],
        Tint::Orange => [135, 55, 0],
        Tint::Ivory => [135, 135, 95],
        Tint::Ebony => [138, 138, 138],
    }
}

/// The nearest of the 240 colours that all terminals with 256 of them agree on.
pub fn nearest_of_256(rgb: Rgb) -> u8 {
    let step = |part: u8| match part {
        0..48 => 0,
        48..115 => 1,
        _ => (part - 35) / 40,
    };
    let cube = 16 + 36 * step(rgb[0]) + 6 * step(rgb[1]) + step(rgb[2]);
    let mean = rgb.iter().map(|part| u16::from(*part)).sum::<u16>() / 3;
    let grey = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    let distance = |index: &u8| {
        let parts = of_256(*index).into_iter().zip(rgb);
        parts.map(|(own, part)| (i32::from(own) - i32::from(part)).pow(2)).sum::<i32>()
    };
    [cube, grey].into_iter().min_by_key(distance).unwrap_or(cube)
}

/// One of the colours from 16 to 255: a cube of six steps a side, then greys.
fn of_256(index: u8) -> Rgb {
    match index.checked_sub(232) {
        Some(grey) => [8 + 10 * grey; 3],
        None => {
            let number = index.saturating_sub(16);
            [number / 36, number / 6 % 6, number % 6]
                .map(|step| if step == 0 { 0 } else { 55 + 40 * step })
        }
    }
}

/// The ink among the sixteen colours whose shades are up to the terminal; none for its own.
pub const fn ink_of_16(ink: Ink) -> Option<u8> {
    Some(match ink {
        Ink::Plain | Ink::Soft | Ink::Grid => return None,
        Ink::Goal => 3,
        Ink::Piece(Tint::Red | Tint::Blue) => 15,
        Ink::Piece(Tint::Ebony) => 15,
        Ink::Piece(Tint::Yellow | Tint::Orange | Tint::Ivory) => 0,
        Ink::Body(tint) => body_of_16(tint),
        Ink::Edge(Tint::Ebony) => 15,
        Ink::Edge(_) => 0,
        Ink::Mark(Mark::Target) => 2,
        Ink::Mark(Mark::Hint) => 15,
        Ink::Mark(Mark::Selected | Mark::Winning | Mark::Last) => 0,
    })
}

/// The paper among the sixteen colours; none for the terminal's own.
pub const fn paper_of_16(paper: Paper) -> Option<u8> {
    Some(match paper {
        Paper::Plain | Paper::Board | Paper::Cell(Tone::Light | Tone::Dark) => return None,
        Paper::Mark(Mark::Target) => return None,
        Paper::Cell(Tone::Goal) | Paper::Wood(Tone::Goal) => 5,
        // Of the sixteen only these are far enough from both white and black, whatever the terminal makes of them.
        Paper::Wood(Tone::Light | Tone::Dark) => 8,
        Paper::WoodMark(Mark::Selected | Mark::Target) => 13,
        Paper::WoodMark(Mark::Winning) => 9,
        Paper::WoodMark(Mark::Last) => 12,
        Paper::Piece(tint) => body_of_16(tint),
        Paper::Mark(Mark::Selected) => 14,
        Paper::Mark(Mark::Winning) => 15,
        Paper::Mark(Mark::Hint) | Paper::WoodMark(Mark::Hint) => 5,
        // No piece is green.
        Paper::Mark(Mark::Last) => 2,
    })
}

const fn body_of_16(tint: Tint) -> u8 {
    match tint {
        Tint::Red => 1,
        Tint::Yellow => 11,
        Tint::Blue => 4,
        Tint::Orange => 3,
        Tint::Ivory => 15,
        Tint::Ebony => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(rgb: Rgb) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2])
    }

    fn contrast(one: Rgb, two: Rgb) -> f64 {
        let (one, two) = (luminance(one), luminance(two));
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    #[test]
    fn colours_of_the_palette_are_their_own_nearest() {
        assert!((16..=231).all(|index| nearest_of_256(of_256(index)) == index));
        assert_eq!([nearest_of_256([215, 0, 0]), nearest_of_256([88, 88, 88])], [160, 240]);
    }

    #[test]
    fn words_on_pieces_and_knights_on_wood_can_be_seen_in_every_theme() {
        let tints = [Tint::Red, Tint::Yellow, Tint::Blue, Tint::Orange, Tint::Ivory, Tint::Ebony];
        for theme in Theme::ALL {
            for tint in tints {
                let (ink, paper) = (theme.ink(Ink::Piece(tint)), theme.paper(Paper::Piece(tint)));
                let seen = contrast(ink.unwrap(), paper.unwrap());
                assert!(seen >= 4.5, "{theme:?} {tint:?}: {seen:.2}");
            }
            for tint in [Tint::Ivory, Tint::Ebony] {
                for tone in [Tone::Light, Tone::Dark, Tone::Goal] {
                    let wood = theme.paper(Paper::Wood(tone)).unwrap();
                    let seen = contrast(theme.ink(Ink::Body(tint)).unwrap(), wood);
                    assert!(seen >= 3.0, "{theme:?} {tint:?} on {tone:?}: {seen:.2}");
                }
                for mark in [Mark::Selected, Mark::Winning, Mark::Hint, Mark::Last] {
                    let paper = theme.paper(Paper::WoodMark(mark)).unwrap();
                    let seen = contrast(theme.ink(Ink::Body(tint)).unwrap(), paper);
                    assert!(seen >= 3.0, "{theme:?} {tint:?} on {mark:?}: {seen:.2}");
                }
            }
            for mark in [Mark::Selected, Mark::Winning, Mark::Hint, Mark::Last] {
                for paper in [Paper::Mark(mark), Paper::WoodMark(mark)] {
                    let (ink, paper) = (theme.ink(Ink::Mark(mark)), theme.paper(paper));
                    let seen = contrast(ink.unwrap(), paper.unwrap());
                    assert!(seen >= 4.4, "{theme:?} {mark:?}: {seen:.2}");
                }
            }
        }
    }
}
