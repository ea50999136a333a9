//! Block characters: each shows some of its pixels.

/// The block characters that a terminal's font has, each with more pixels to a character than the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Eighths, of Unicode 16.
    Octants,
    /// Sixths, of Unicode 13.
    Sextants,
    Quadrants,
    Halves,
}

impl Blocks {
    pub const ALL: [Blocks; 4] =
        [Blocks::Octants, Blocks::Sextants, Blocks::Quadrants, Blocks::Halves];

    pub const fn name(self) -> &'static str {
        match self {
            Blocks::Octants => "octants",
            Blocks::Sextants => "sextants",
            Blocks::Quadrants => "quadrants",
            Blocks::Halves => "halves",
        }
    }

    pub fn named(name: &str) -> Option<Blocks> {
        Blocks::ALL.into_iter().find(|blocks| blocks.name() == name)
    }

    /// The finest blocks that the terminal of this environment is known to show.
    pub fn of_terminal(variable: impl Fn(&str) -> Option<String>) -> Blocks {
        let read = |name: &str| variable(name).unwrap_or_default();
        let (term, program) = (read("TERM"), read("TERM_PROGRAM"));
        let begins = |names: &[&str]| names.iter().any(|name| term.starts_with(name));
        let vte = read("VTE_VERSION").parse::<u32>().unwrap_or(0);
        // These draw block characters themselves, whatever the font has.
        if begins(&["xterm-kitty", "xterm-ghostty", "foot"]) || program == "ghostty" {
            Blocks::Octants
        } else if begins(&["alacritty", "contour", "wezterm"])
            || ["WezTerm", "iTerm.app"].contains(&program.as_str())
            || vte >= 6200
            || variable("KONSOLE_VERSION").is_some()
            || variable("WT_SESSION").is_some()
        {
            Blocks::Sextants
        } else if term.starts_with("linux") {
            Blocks::Halves
        } else {
            Blocks::Quadrants
        }
    }

    /// How many pixels a character has across and down.
    pub const fn pixels(self) -> (usize, usize) {
        match self {
            Blocks::Octants => (2, 4),
            Blocks::Sextants => (2, 3),
            Blocks::Quadrants => (2, 2),
            Blocks::Halves => (1, 2),
        }
    }

    /// The character in which these pixels are ink: the first bit is the upper left one, and rows follow each other.
    pub fn character(self, ink: u8) -> char {
        match self {
            Blocks::Octants => octant(ink),
            Blocks::Sextants => sextant(ink),
            Blocks::Quadrants => QUADRANTS[usize::from(ink & 15)],
            Blocks::Halves => [' ', '▀', '▄', '█'][usize::from(ink & 3)],
        }
    }
}

const QUADRANTS: [char; 16] =
    [' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█'];

/// Sextants are numbered by their pixels, without those that older characters show.
fn sextant(ink: u8) -> char {
    match ink & 63 {
        0 => ' ',
        21 => '▌',
        42 => '▐',
        63 => '█',
        ink => {
            let older = u32::from(ink > 21) + u32::from(ink > 42);
            char::from_u32(0x1fb00 + u32::from(ink) - 1 - older).unwrap_or(' ')
        }
    }
}

/// The octants that older characters show, in the order of their pixels.
const OLDER_OCTANTS: [(u8, char); 26] = [
    (0, ' '),
    (1, '\u{1cea8}'),
    (2, '\u{1ceab}'),
    (3, '\u{1fb82}'),
    (5, '▘'),
    (10, '▝'),
    (15, '▀'),
    (20, '\u{1fbe6}'),
    (40, '\u{1fbe7}'),
    (63, '\u{1fb85}'),
    (64, '\u{1cea3}'),
    (80, '▖'),
    (85, '▌'),
    (90, '▞'),
    (95, '▛'),
    (128, '\u{1cea0}'),
    (160, '▗'),
    (165, '▚'),
    (170, '▐'),
    (175, '▜'),
    (192, '▂'),
    (240, '▄'),
    (245, '▙'),
    (250, '▟'),
    (252, '▆'),
    (255, '█'),
];

fn octant(ink: u8) -> char {
    match OLDER_OCTANTS.binary_search_by_key(&ink, |(own, _)| *own) {
        Ok(found) => OLDER_OCTANTS[found].1,
        Err(older) => {
            let number = u32::from(ink) - older as u32;
            char::from_u32(0x1cd00 + number).unwrap_or(' ')
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_pattern_of_pixels_has_a_character_of_its_own() {
        for blocks in Blocks::ALL {
            let (across, down) = blocks.pixels();
            let count = 1_u16 << (across * down);
            let all: BTreeSet<char> = (0..count).map(|ink| blocks.character(ink as u8)).collect();
            assert_eq!(all.len(), usize::from(count), "{blocks:?}");
        }
        assert_eq!([sextant(1), sextant(20), sextant(22)], ['\u{1fb00}', '\u{1fb13}', '\u{1fb14}']);
        assert_eq!([octant(4), octant(254)], ['\u{1cd00}', '\u{1cde5}']);
    }
}
