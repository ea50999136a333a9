//! What the meanings of characters look like, by theme and by what a terminal can show.

use super::canvas::{Ink, Mark, Paper};
use crate::diagram::{Tint, Tone};
use crate::svg::Theme;
use crate::svg::palette::{Paint, Palette, rgb};

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The colour of a character; none for the terminal's own.
pub fn ink(theme: Theme, ink: Ink) -> Option<Rgb> {
    let palette = Palette::of(theme);
    Some(match ink {
        Ink::Plain => return None,
        Ink::Soft if theme == Theme::Contrast => return None,
        // The grey that is as readable on white as on black.
        Ink::Soft => [118, 118, 118],
        Ink::Grid => rgb(palette.soft),
        Ink::Goal | Ink::Mark(Mark::Target) => rgb(palette.accent),
        Ink::Piece(tint) => rgb(Paint::of(tint).ink),
        Ink::Edge(tint) => rgb(Paint::of(tint).edge),
        Ink::Mark(Mark::Hint | Mark::Last) => [255, 255, 255],
        Ink::Mark(Mark::Selected | Mark::Winning) => [0, 0, 0],
    })
}

/// The colour behind a character; none for the terminal's own.
pub fn paper(theme: Theme, paper: Paper) -> Option<Rgb> {
    let palette = Palette::of(theme);
    Some(match paper {
        Paper::Plain => return None,
        Paper::Board => rgb(palette.tone(Tone::Dark)),
        Paper::Cell(tone) => rgb(palette.tone(tone)),
        Paper::Wood(Tone::Light) => [156, 134, 102],
        Paper::Wood(Tone::Dark) => [126, 106, 78],
        Paper::Wood(Tone::Goal) => [0, 105, 150],
        Paper::Mark(Mark::Target) => rgb(palette.cell),
        Paper::Piece(tint) => rgb(Paint::of(tint).face),
        Paper::Mark(Mark::Selected) => [95, 215, 175],
        // Far from every piece, ivory and ebony included.
        Paper::Mark(Mark::Winning) => [215, 95, 135],
        Paper::Mark(Mark::Hint) => [135, 95, 175],
        Paper::Mark(Mark::Last) => [0, 120, 85],
    })
}

/// The nearest of the 240 colours that all terminals with 256 of them agree on.
pub fn nearest_of_256(rgb: Rgb) -> u8 {
    // The nearest to the red of the pieces would be an orange.
    if rgb == self::rgb(Paint::of(Tint::Red).face) {
        return 160;
    }
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
        // Of the sixteen only this is far enough from both white and black, whatever the terminal makes of them.
        Paper::Wood(Tone::Light | Tone::Dark) => 8,
        Paper::Piece(tint) => body_of_16(tint),
        Paper::Mark(Mark::Selected) => 14,
        Paper::Mark(Mark::Winning) => 13,
        Paper::Mark(Mark::Hint) => 5,
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
    fn words_on_pieces_and_marks_can_be_read_in_every_theme() {
        let tints = [Tint::Red, Tint::Yellow, Tint::Blue, Tint::Orange, Tint::Ivory, Tint::Ebony];
        let pieces = tints.map(|tint| (Ink::Piece(tint), Paper::Piece(tint)));
        let marks = [Mark::Selected, Mark::Winning, Mark::Hint, Mark::Last];
        let marks = marks.map(|mark| (Ink::Mark(mark), Paper::Mark(mark)));
        for theme in Theme::ALL {
            for (own, ground) in pieces.iter().chain(&marks) {
                let (ink, paper) = (ink(theme, *own), paper(theme, *ground));
                let seen = contrast(ink.unwrap(), paper.unwrap());
                assert!(seen >= 4.5, "{theme:?} {own:?}: {seen:.2}");
            }
        }
    }
}
