//! The strip below the board: the status, and the pieces beside the board.

use super::Board;
use super::canvas::{Canvas, Num, Point, Type};
use crate::diagram::{Diagram, Look, Piece, Seat};
use crate::game::Player;

const MARGIN: f64 = 20.0;
const PADDING: f64 = 13.0;
const LINE: f64 = 21.0;
const SIZE: f64 = 15.0;
const SMALL: f64 = 13.0;
const SEAT: f64 = 25.0;
const ICON: f64 = 24.0;

/// The words of the strip, broken into lines.
pub(super) struct Caption {
    lines: Vec<String>,
    seats: Vec<(Player, String)>,
    /// Whether both seats fit beside each other.
    abreast: bool,
}

impl Caption {
    pub(super) fn new(diagram: &Diagram, width: f64) -> Caption {
        let inner = width - 2.0 * MARGIN;
        let words = |(player, seat): (Player, &Seat)| {
            Some((player, format!("{}: {} in hand", seat.name, seat.reserve?)))
        };
        let seats: Vec<_> = diagram.players.pairs().filter_map(words).collect();
        let room = letters(inner / 2.0 - ICON, SMALL);
        let abreast = seats.iter().all(|(_, words)| words.chars().count() <= room);
        Caption { lines: wrap(&diagram.status, letters(inner, SIZE)), seats, abreast }
    }

    pub(super) fn height(&self) -> f64 {
        let rows = if self.abreast { self.seats.len().min(1) } else { self.seats.len() };
        2.0 * PADDING + LINE * self.lines.len() as f64 + SEAT * rows as f64
    }
}

/// How many letters fit: no font is at hand to measure with, but letters average less than this.
fn letters(width: f64, size: f64) -> usize {
    (width / (0.57 * size)).max(1.0) as usize
}

impl Board<'_> {
    pub(super) fn caption(&self, canvas: &mut Canvas, caption: &Caption) {
        let (width, top) = self.frame.size;
        self.strip(canvas, caption.height());
        let mut y = top + PADDING + LINE / 2.0;
        for line in &caption.lines {
            let look = Type { size: SIZE, weight: 600, centred: false };
            canvas.text((MARGIN, y), line, self.palette.ink, look);
            y += LINE;
        }
        let step = if caption.abreast { (width / 2.0 - MARGIN, 0.0) } else { (0.0, SEAT) };
        let mut at = (MARGIN, y + 3.0);
        for (player, words) in &caption.seats {
            self.seat(canvas, *player, words, at);
            at = (at.0 + step.0, at.1 + step.1);
        }
    }

    fn strip(&self, canvas: &mut Canvas, height: f64) {
        let (width, top) = self.frame.size;
        let (inner, side) = (Num(width - 1.0), Num(height - 13.5));
        let (up, bottom) = (Num(13.5 - height), Num(26.0 - width + 1.0));
        let d = format!(
            "M0.5 {}h{inner}v{side}a13 13 0 0 1 -13 13h{bottom}a13 13 0 0 1 -13 -13v{up}z",
            Num(top)
        );
        let (panel, rim) = (self.palette.panel, self.palette.rim);
        canvas.path(&d, &format!(r#"fill="{panel}" stroke="{rim}""#));
    }

    fn seat(&self, canvas: &mut Canvas, player: Player, words: &str, (x, y): Point) {
        let (icon, middle) = (Num(x + 9.0), Num(y));
        canvas.open(&format!(r#"<g transform="translate({icon} {middle}) scale(0.5)">"#));
        self.painter.body(canvas, &Piece { owner: player, look: self.spare() });
        canvas.close("g");
        let ink = self.palette.ink;
        canvas.text((x + ICON, y), words, ink, Type { size: SMALL, weight: 400, centred: false });
    }

    /// What a piece in hand looks like.
    fn spare(&self) -> Look {
        if self.diagram.towers { Look::Stack(1) } else { Look::Marker }
    }
}

/// Breaks text between words.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
