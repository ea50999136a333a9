//! Colours and characters: one accent, themes, and what replaces them on terminals that show less.

use crate::output::blocks::Blocks;
use crate::output::inline::Protocol;
use crate::output::mosaic::Font;
use crate::saves::Choices;
use ratatui::style::{Color, Modifier, Style};
use rules::diagram::Tint;
use rules::svg::Theme;
use rules::text::{self, Charset, Ink, Paper, Rgb};
use rules::text::{ink_of_16, nearest_of_256, paper_of_16};

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

/// What the terminal can show, and the user's preferences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub depth: Depth,
    pub theme: Theme,
    pub charset: Charset,
    /// How the terminal shows pictures, if it has said so, and whether boards are pictures there.
    pub shows: Option<Graphics>,
    pub live: bool,
    /// The characters that boards are drawn with; none for lines and letters.
    pub blocks: Option<Blocks>,
    /// The theme that suits the terminal's background, and whether it is used.
    pub ground: Theme,
    pub follows: bool,
    /// The colour of keys, of chosen rows and of the cursor, if the user has chosen one.
    pub accent: Option<Rgb>,
}

/// How a terminal shows pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graphics {
    pub protocol: Protocol,
    pub font: Font,
    /// The size of the font according to the terminal's driver.
    pub driver: Option<Font>,
}

/// The names of boards in lines and letters and of pictures, beside those of block characters.
pub const LINES: &str = "lines";
pub const PICTURE: &str = "picture";

impl Default for Look {
    fn default() -> Look {
        let (depth, charset) = (Depth::default(), Charset::default());
        let (theme, ground) = (Theme::Dark, Theme::Dark);
        let (shows, live, blocks, follows) = (None, true, None, true);
        Look { depth, theme, charset, shows, live, blocks, ground, follows, accent: None }
    }
}

/// The accent: black letters on it can be read.
const ACCENT: u8 = 79;

impl Look {
    /// Reads the environment variables that describe the terminal.
    pub fn of_terminal(ascii: bool) -> Look {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let charset = crate::output::pages::charset(ascii);
        let ground = ground(variable);
        Look { depth: depth(variable), charset, ground, ..Look::default() }
    }

    /// Takes the theme and the characters that were chosen; unknown ones default to what suits the terminal.
    pub fn choose(&mut self, choices: &Choices) {
        let variable = |name: &str| std::env::var(name).ok();
        let theme = Theme::named(&choices.theme);
        self.follows = theme.is_none();
        self.theme = theme.unwrap_or(self.ground);
        self.live = ["", PICTURE].contains(&choices.blocks.as_str());
        self.blocks = match choices.blocks.as_str() {
            LINES => None,
            name => Some(Blocks::named(name).unwrap_or_else(|| Blocks::of_terminal(variable))),
        };
    }

    /// Notes the colour of the terminal's background.
    pub fn learn(&mut self, background: Rgb) {
        let [red, green, blue] = background.map(u32::from);
        // Luma as television defines it: the eye sees green as brighter than blue.
        let is_light = 299 * red + 587 * green + 114 * blue > 128_000;
        self.ground = if is_light { Theme::Light } else { Theme::Dark };
        if self.follows {
            self.theme = self.ground;
        }
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
                let own = self.accent.map(|accent| (self.rgb(on(accent)), self.rgb(accent)));
                let (ink, paper) = own.unwrap_or((Color::Indexed(16), Color::Indexed(ACCENT)));
                Style::new().fg(ink).bg(paper)
            }
            _ => Style::new().add_modifier(Modifier::REVERSED),
        }
    }

    /// The background of the cell under the cursor; `None` where the cell is shown in reverse video.
    pub fn cursor(&self) -> Option<Color> {
        match self.depth {
            Depth::None => None,
            Depth::Sixteen => Some(Color::Indexed(14)),
            Depth::Indexed | Depth::True => {
                Some(self.accent.map_or(Color::Indexed(ACCENT), |accent| self.rgb(accent)))
            }
        }
    }

    /// How boards are shown as pictures, if they are.
    pub fn graphics(&self) -> Option<Graphics> {
        self.shows.filter(|_| self.live && self.mosaic().is_some())
    }

    /// The colour of the cursor in a picture.
    pub fn cursor_rgb(&self) -> Rgb {
        let usual = if self.theme == Theme::Contrast { [255, 255, 0] } else { [0x5f, 0xd7, 0xaf] };
        self.accent.unwrap_or(usual)
    }

    /// The block characters for boards, where there are colours to fill them with.
    pub fn mosaic(&self) -> Option<Blocks> {
        let shows = self.depth >= Depth::Indexed && self.charset == Charset::Unicode;
        self.blocks.filter(|_| shows)
    }

    /// A colour, or the nearest one that the terminal has.
    pub fn rgb(&self, [red, green, blue]: Rgb) -> Color {
        match self.depth {
            Depth::True => Color::Rgb(red, green, blue),
            _ => Color::Indexed(nearest_of_256([red, green, blue])),
        }
    }

    /// Keys, and lines drawn with the accent.
    pub fn accent(&self) -> Style {
        // Darker than the accent itself, to be readable on white as well.
        let usual = self.ink(36, Some(6)).add_modifier(Modifier::BOLD);
        let own = self.accent.filter(|_| self.depth >= Depth::Indexed);
        own.map_or(usual, |accent| usual.fg(self.rgb(accent)))
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
                let of = |rgb| self.rgb(rgb);
                (text::ink(self.theme, ink).map(of), text::paper(self.theme, paper).map(of))
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

/// Black or white, whichever can be read on a colour.
fn on([red, green, blue]: Rgb) -> Rgb {
    let light = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    if light > 128_000 { [0; 3] } else { [255; 3] }
}

/// The theme for the background that some terminals announce: `15;0` is white on black.
fn ground(variable: impl Fn(&str) -> Option<String>) -> Theme {
    let colours = variable("COLORFGBG").unwrap_or_default();
    match colours.rsplit(';').next() {
        Some("7" | "15") => Theme::Light,
        _ => Theme::Dark,
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
