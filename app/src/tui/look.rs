//! Colours and characters: one accent, themes, and what replaces them on terminals that show less.

use crate::output::inline::Protocol;
use ratatui::style::{Color, Modifier, Style};
use rules::diagram::{Diagram, Tint, Tone};
use rules::text::{Charset, Ink, Mark, Paper, Theme};
use rules::text::{ground, ink_of_16, nearest_of_256, paper_of_16};

/// How many colours the terminal has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// None, or NO_COLOR is set.
    None,
    /// Sixteen, whose shades are up to the terminal.
    Sixteen,
    #[default]
    Indexed,
    /// 24-bit colour.
    True,
}

/// What the terminal can show, and what the user likes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    pub depth: Depth,
    pub theme: Theme,
    pub charset: Charset,
    /// How the terminal shows pictures, if it does.
    pub pictures: Option<Protocol>,
}

/// The accent: black letters on it can be read.
const ACCENT: u8 = 79;

impl Look {
    /// Reads the environment variables that describe the terminal.
    pub fn of_terminal(ascii: bool) -> Look {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let charset = crate::output::pages::charset(ascii);
        let pictures = Protocol::of_terminal(variable);
        Look { depth: depth(variable), theme: Theme::default(), charset, pictures }
    }

    pub fn color(&self) -> bool {
        self.depth != Depth::None
    }

    /// One of the 256 colours, or one of sixteen instead.
    fn ink(&self, index: u8, instead: Option<u8>) -> Style {
        let index = match self.depth {
            Depth::None => return Style::new(),
            Depth::Sixteen => instead,
            Depth::Indexed | Depth::True => Some(index),
        };
        index.map_or_else(Style::new, |index| Style::new().fg(Color::Indexed(index)))
    }

    pub fn soft(&self) -> Style {
        // The grey that is as readable on white as on black.
        if self.theme == Theme::Contrast { Style::new() } else { self.ink(243, None) }
    }

    /// Titles, and what should be seen first.
    pub fn strong(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub fn chosen(&self) -> Style {
        match self.depth {
            Depth::Indexed | Depth::True if self.theme != Theme::Contrast => {
                Style::new().fg(Color::Indexed(16)).bg(Color::Indexed(ACCENT))
            }
            _ => Style::new().add_modifier(Modifier::REVERSED),
        }
    }

    /// The ground of the cell that the keys have reached; none where it is shown in reverse.
    pub fn cursor(&self, paper: Paper) -> Option<Color> {
        match (self.depth, paper) {
            (Depth::None, _) => None,
            (_, Paper::Wood(_) | Paper::WoodMark(_)) => {
                self.glyph(Ink::Plain, Paper::WoodMark(Mark::Selected), false).bg
            }
            (Depth::Sixteen, _) => Some(Color::Indexed(14)),
            (Depth::Indexed | Depth::True, _) => Some(Color::Indexed(ACCENT)),
        }
    }

    /// Whether the colours of the cells tell the rows of a board apart.
    pub fn tells_rows_apart(&self, diagram: &Diagram) -> bool {
        let [light, dark] = [Tone::Light, Tone::Dark]
            .map(|tone| self.glyph(Ink::Plain, ground(diagram, tone), false).bg);
        light != dark
    }

    /// Keys, and lines drawn with the accent.
    pub fn accent(&self) -> Style {
        // Darker than the accent itself, to be readable on white as well.
        self.ink(36, Some(6)).add_modifier(Modifier::BOLD)
    }

    pub fn warning(&self) -> Style {
        self.ink(167, Some(1)).add_modifier(Modifier::BOLD)
    }

    /// The colour of a player's pieces.
    pub fn piece(&self, tint: Tint) -> Style {
        self.glyph(Ink::Piece(tint), Paper::Piece(tint), true)
    }

    /// The colours of a character of the board.
    pub fn glyph(&self, ink: Ink, paper: Paper, bold: bool) -> Style {
        let mut style = Style::new();
        if bold {
            style = style.add_modifier(Modifier::BOLD);
        }
        let (ink, paper) = match self.depth {
            Depth::None => (None, None),
            Depth::Sixteen => {
                (ink_of_16(ink).map(Color::Indexed), paper_of_16(paper).map(Color::Indexed))
            }
            Depth::Indexed | Depth::True => {
                let of = |rgb: [u8; 3]| match self.depth {
                    Depth::True => Color::Rgb(rgb[0], rgb[1], rgb[2]),
                    _ => Color::Indexed(nearest_of_256(rgb)),
                };
                (self.theme.ink(ink).map(of), self.theme.paper(paper).map(of))
            }
        };
        Style { fg: ink, bg: paper, ..style }
    }

    /// A sign, or its replacement in ASCII.
    pub fn sign<'a>(&self, unicode: &'a str, ascii: &'a str) -> &'a str {
        match self.charset {
            Charset::Unicode => unicode,
            Charset::Ascii => ascii,
        }
    }
}

/// How many colours a terminal with these variables has.
fn depth(variable: impl Fn(&str) -> Option<String>) -> Depth {
    let term = variable("TERM").unwrap_or_default();
    let colours = variable("COLORTERM").unwrap_or_default();
    if variable("NO_COLOR").is_some() || term.is_empty() {
        return Depth::None;
    }
    let begins = |names: &[&str]| names.iter().any(|name| term.starts_with(name));
    if begins(&["dumb", "vt"]) || term.ends_with("-mono") || term.ends_with("-m") {
        Depth::None
    } else if colours.contains("truecolor")
        || colours.contains("24bit")
        || term.ends_with("-direct")
    {
        Depth::True
    } else if term.contains("256") || term.contains("88") {
        Depth::Indexed
    } else if term.ends_with("color") || begins(&["linux", "ansi", "cygwin", "cons"]) {
        // `xterm-16color`, `rxvt-color` and the like say that there are few.
        Depth::Sixteen
    } else {
        Depth::Indexed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_as_many_as_the_terminal_has() {
        let cases = [
            ("xterm-256color", "", Depth::Indexed),
            ("xterm-256color", "truecolor", Depth::True),
            ("xterm-16color", "", Depth::Sixteen),
            ("xterm", "", Depth::Indexed),
            ("linux", "", Depth::Sixteen),
            ("vt100", "", Depth::None),
            ("xterm-mono", "", Depth::None),
            ("", "truecolor", Depth::None),
        ];
        for (term, colours, expected) in cases {
            let variable = |name: &str| match name {
                "TERM" => Some(term.to_owned()).filter(|term| !term.is_empty()),
                "COLORTERM" => Some(colours.to_owned()),
                _ => None,
            };
            assert_eq!(depth(variable), expected, "{term} {colours}");
        }
    }

    #[test]
    fn nothing_is_coloured_where_no_colour_is_wanted() {
        let look = Look { depth: Depth::None, ..Look::default() };
        let style = look.glyph(Ink::Piece(Tint::Red), Paper::Piece(Tint::Red), false);
        assert_eq!(style, Style::new());
        assert_eq!(look.chosen(), Style::new().add_modifier(Modifier::REVERSED));
    }

    #[test]
    fn sixteen_colours_are_all_that_such_a_terminal_gets() {
        for theme in Theme::ALL {
            let look = Look { depth: Depth::Sixteen, theme, ..Look::default() };
            let styles = [look.soft(), look.accent(), look.warning(), look.chosen()]
                .into_iter()
                .chain([look.piece(Tint::Red), look.piece(Tint::Ebony)]);
            for style in styles {
                for color in [style.fg, style.bg].into_iter().flatten() {
                    assert!(matches!(color, Color::Indexed(..16)), "{color:?}");
                }
            }
        }
    }
}
