//! The colours of a theme and of the pieces.

use super::Theme;
use crate::diagram::{Tint, Tone};

/// The colours of everything but the pieces.
pub(crate) struct Palette {
    /// The tile that carries the board.
    pub tile: &'static str,
    /// The edge of that tile, and of the board on it.
    pub rim: &'static str,
    /// Plain cells.
    pub cell: &'static str,
    /// Their neighbours on a chequered board.
    pub alt: &'static str,
    /// The goal cell.
    pub goal: &'static str,
    /// Hairlines around cells.
    pub line: &'static str,
    /// Text and arrows.
    pub ink: &'static str,
    /// Coordinates.
    pub soft: &'static str,
    /// Marks.
    pub accent: &'static str,
    /// The strip of the caption, and the casing that lifts marks off the board.
    pub panel: &'static str,
    /// How dark shadows are.
    pub shade: &'static str,
}

const LIGHT: Palette = Palette {
    tile: "#e6dccb",
    rim: "#cdbea4",
    cell: "#f6f0e4",
    alt: "#e9decb",
    goal: "#d9e6dc",
    line: "#cdbfa6",
    ink: "#2b2620",
    soft: "#645845",
    accent: "#0b6e6e",
    panel: "#fffdf8",
    shade: "0.2",
};

const DARK: Palette = Palette {
    tile: "#222930",
    rim: "#161b20",
    cell: "#3a4551",
    alt: "#2f3944",
    goal: "#2b4a50",
    line: "#4a5764",
    ink: "#ece8e0",
    soft: "#a9b5c1",
    accent: "#5accc3",
    panel: "#1a2026",
    shade: "0.38",
};

const CONTRAST: Palette = Palette {
    tile: "#000000",
    rim: "#ffffff",
    cell: "#000000",
    alt: "#2b2b2b",
    goal: "#4b0070",
    line: "#9a9a9a",
    ink: "#ffffff",
    soft: "#ffffff",
    accent: "#00e5ff",
    panel: "#000000",
    shade: "0",
};

const PAGE: Palette = Palette {
    tile: "var(--board-tile)",
    rim: "var(--board-rim)",
    cell: "var(--board-cell)",
    alt: "var(--board-alt)",
    goal: "var(--board-goal)",
    line: "var(--board-line)",
    ink: "var(--board-ink)",
    soft: "var(--board-soft)",
    accent: "var(--board-accent)",
    panel: "var(--board-panel)",
    shade: "var(--board-shade)",
};

impl Palette {
    pub(crate) fn of(theme: Theme) -> &'static Palette {
        match theme {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
            Theme::Contrast => &CONTRAST,
            Theme::Page => &PAGE,
        }
    }

    pub(crate) fn tone(&self, tone: Tone) -> &'static str {
        match tone {
            Tone::Light => self.cell,
            Tone::Dark => self.alt,
            Tone::Goal => self.goal,
        }
    }
}

/// The colours of one player's pieces.
pub(crate) struct Paint {
    /// The upper side.
    pub face: &'static str,
    /// The side of a pile.
    pub side: &'static str,
    /// Outlines and the gaps between discs.
    pub edge: &'static str,
    /// Figures and forms on the face.
    pub ink: &'static str,
}

impl Paint {
    pub(crate) fn of(tint: Tint) -> &'static Paint {
        match tint {
            Tint::Red => &RED,
            Tint::Yellow => &YELLOW,
            Tint::Blue => &BLUE,
            Tint::Orange => &ORANGE,
            Tint::Ivory => &IVORY,
            Tint::Ebony => &EBONY,
        }
    }
}

const RED: Paint = Paint { face: "#c8402f", side: "#962d20", edge: "#641a11", ink: "#ffffff" };
const YELLOW: Paint = Paint { face: "#f0b633", side: "#bf8714", edge: "#7d5606", ink: "#3b2900" };
const BLUE: Paint = Paint { face: "#2f6fb0", side: "#205285", edge: "#123253", ink: "#ffffff" };
const ORANGE: Paint = Paint { face: "#e88b35", side: "#b3621a", edge: "#743b07", ink: "#2e1602" };
const IVORY: Paint = Paint { face: "#fbf5e8", side: "#d6c8aa", edge: "#8a7a5a", ink: "#2f2b27" };
const EBONY: Paint = Paint { face: "#35312d", side: "#1b1917", edge: "#857c70", ink: "#f6efe0" };

/// The parts of a colour `#rrggbb`; black for anything else.
pub(crate) fn rgb(colour: &str) -> [u8; 3] {
    let number = colour.strip_prefix('#').and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let [_, red, green, blue] = number.unwrap_or(0).to_be_bytes();
    [red, green, blue]
}
