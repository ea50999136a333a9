//! Figures that keep their form at any size, in quarters of characters.

/// The block characters by which quarters are filled: upper left, upper right, lower left, lower right.
const QUARTERS: [char; 16] =
    [' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█'];

/// How often a quarter is looked at in each direction.
const SAMPLES: i32 = 6;

/// The outline of a knight that looks to the left, from (0, 0) in the upper left corner to (1, 1).
const KNIGHT: [(f64, f64); 21] = [
    (0.36, 0.0),
    (0.54, 0.13),
    (0.68, 0.18),
    (0.80, 0.32),
    (0.87, 0.52),
    (0.88, 0.74),
    (0.98, 0.86),
    (0.98, 1.0),
    (0.10, 1.0),
    (0.10, 0.86),
    (0.22, 0.78),
    (0.30, 0.66),
    (0.46, 0.54),
    (0.44, 0.48),
    (0.34, 0.52),
    (0.20, 0.62),
    (0.10, 0.62),
    (0.03, 0.50),
    (0.10, 0.40),
    (0.22, 0.26),
    (0.30, 0.16),
];

/// Knights of three and four lines are too small for their outline, and are drawn by hand.
const SMALL_KNIGHTS: [&[&str]; 2] =
    [&[" ▗▟▙▖", "▝▀▟█▌", " ▟██▙"], &["  ▟█▄  ", " ▟███▙ ", "▝▀▟███▌", " ▟████▙"]];

/// What can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    /// A chess knight, looking to the right or to the left.
    Knight {
        right: bool,
    },
    Cross,
    Ring,
}

/// Figures that have been drawn already: all knights of a board look the same.
#[derive(Default)]
pub(super) struct Figures(Vec<((Figure, i32, i32), Vec<String>)>);

impl Figures {
    /// A figure in lines of this many characters.
    pub fn get(&mut self, figure: Figure, width: i32, height: i32) -> Vec<String> {
        let key = (figure, width, height);
        if let Some((_, lines)) = self.0.iter().find(|(own, _)| *own == key) {
            return lines.clone();
        }
        let lines = drawn(figure, width, height);
        self.0.push((key, lines.clone()));
        lines
    }
}

fn drawn(figure: Figure, width: i32, height: i32) -> Vec<String> {
    let small = SMALL_KNIGHTS.iter().find(|own| {
        let columns = own.first().map_or(0, |line| line.chars().count());
        (columns as i32, own.len() as i32) == (width, height)
    });
    if let (Figure::Knight { right }, Some(small)) = (figure, small) {
        let turned = |line: &str| line.chars().rev().map(mirrored).collect();
        return small
            .iter()
            .map(|line| if right { turned(line) } else { (*line).to_owned() })
            .collect();
    }
    let (columns, rows) = (2 * width, 2 * height);
    let filled = |x: i32, y: i32| is_filled(figure, (x, y), (columns, rows));
    let character = |column: i32, row: i32| {
        let quarters = [(0, 0), (1, 0), (0, 1), (1, 1)];
        let number = quarters.iter().rev().fold(0, |number, (dx, dy)| {
            2 * number + usize::from(filled(2 * column + dx, 2 * row + dy))
        });
        QUARTERS.get(number).copied().unwrap_or(' ')
    };
    (0..height).map(|row| (0..width).map(|column| character(column, row)).collect()).collect()
}

/// Whether at least half of a quarter lies inside a figure.
fn is_filled(figure: Figure, (x, y): (i32, i32), (columns, rows): (i32, i32)) -> bool {
    let at = |whole: i32, part: i32, of: i32| {
        (f64::from(whole) + (f64::from(part) + 0.5) / f64::from(SAMPLES)) / f64::from(of.max(1))
    };
    let inside = (0..SAMPLES * SAMPLES)
        .filter(|i| contains(figure, at(x, i % SAMPLES, columns), at(y, i / SAMPLES, rows)))
        .count() as i32;
    2 * inside >= SAMPLES * SAMPLES
}

fn contains(figure: Figure, x: f64, y: f64) -> bool {
    let (across, down) = (2.0 * x - 1.0, 2.0 * y - 1.0);
    match figure {
        Figure::Knight { right } => is_in_knight(if right { 1.0 - x } else { x }, y),
        Figure::Cross => {
            (across.abs() - down.abs()).abs() < 0.32 && across.abs() < 0.86 && down.abs() < 0.92
        }
        Figure::Ring => (0.48..0.98).contains(&across.hypot(down)),
    }
}

/// Whether a ray to the right leaves the outline an odd number of times.
fn is_in_knight(x: f64, y: f64) -> bool {
    let ends = KNIGHT.iter().zip(KNIGHT.iter().cycle().skip(1));
    let crossed = ends.filter(|((x1, y1), (x2, y2))| {
        (*y1 > y) != (*y2 > y) && x < (x2 - x1) * (y - y1) / (y2 - y1) + x1
    });
    crossed.count() % 2 == 1
}

/// A block character as in a mirror.
fn mirrored(c: char) -> char {
    let number = QUARTERS.iter().position(|own| *own == c).unwrap_or(0);
    let swapped = (number & 0b0101) << 1 | (number & 0b1010) >> 1;
    QUARTERS.get(swapped).copied().unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knights_of_the_two_players_face_each_other_at_every_size() {
        for (width, height) in [(5, 3), (7, 4), (9, 5), (13, 7)] {
            let left = drawn(Figure::Knight { right: false }, width, height);
            let right = drawn(Figure::Knight { right: true }, width, height);
            let turned: Vec<String> =
                left.iter().map(|line| line.chars().rev().map(mirrored).collect()).collect();
            assert_eq!(right, turned);
            assert_ne!(right, left);
            assert!(left.iter().all(|line| line.chars().count() == width as usize));
        }
    }

    #[test]
    fn a_knight_has_ears_a_mouth_and_a_foot() {
        let expected = ["  ▗█▄▖   ", " ▗████▙▖ ", "▐█▛▀███▙ ", "  ▄█████ ", " ███████▙"];
        assert_eq!(drawn(Figure::Knight { right: false }, 9, 5), expected);
    }
}
