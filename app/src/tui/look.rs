//! Colours and characters: one accent, and what replaces it on a terminal without colours.

use ratatui::style::{Color, Modifier, Style};
use rules::diagram::Tint;
use rules::text::{Charset, Ink, Paper};

/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Whether there are 256 colours.
    pub color: bool,
    /// Which characters there are.
    pub charset: Charset,
}

/// The accent, readable below black letters on any background.
const ACCENT: u8 = 79;

impl Look {
    /// What the environment says about the terminal.
    pub fn of_terminal(ascii: bool) -> Look {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let term = variable("TERM").unwrap_or_default();
        let poor = ["dumb", "linux", "ansi", "vt"].iter().any(|name| term.starts_with(name));
        let color = variable("NO_COLOR").is_none() && !poor && !term.is_empty();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable);
        let narrow = locale.is_some_and(|locale| !locale.to_ascii_lowercase().contains("utf"));
        let charset = if ascii || narrow { Charset::Ascii } else { Charset::Unicode };
        Look { color, charset }
    }

    fn ink(&self, index: u8) -> Style {
        if self.color { Style::new().fg(Color::Indexed(index)) } else { Style::new() }
    }

    /// Words that matter less.
    pub fn soft(&self) -> Style {
        // The grey that is as readable on white as on black.
        self.ink(243)
    }

    /// Titles, and what should be seen first.
    pub fn strong(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What is selected.
    pub fn chosen(&self) -> Style {
        match self.color {
            true => Style::new().fg(Color::Indexed(16)).bg(Color::Indexed(ACCENT)),
            false => Style::new().add_modifier(Modifier::REVERSED),
        }
    }

    /// Keys, and lines drawn with the accent.
    pub fn accent(&self) -> Style {
        // Darker than the accent itself, to be readable on white as well.
        self.ink(36).add_modifier(Modifier::BOLD)
    }

    /// What went wrong.
    pub fn warning(&self) -> Style {
        self.ink(167).add_modifier(Modifier::BOLD)
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
        if !self.color {
            return style;
        }
        if let Some(index) = ink.index() {
            style = style.fg(Color::Indexed(index));
        }
        if let Some(index) = paper.index() {
            style = style.bg(Color::Indexed(index));
        }
        style
    }

    /// A sign, or its replacement in ASCII.
    pub fn sign<'a>(&self, unicode: &'a str, ascii: &'a str) -> &'a str {
        match self.charset {
            Charset::Unicode => unicode,
            Charset::Ascii => ascii,
        }
    }
}
