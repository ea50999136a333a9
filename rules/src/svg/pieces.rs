//! Pieces, drawn around the middle of a cell that is 48 wide.
//!
//! Bodies come first and figures last, so that no mark and no neighbour can hide a figure.

use super::canvas::{Canvas, Num, Point, Type};
use super::frame::CELL;
use super::palette::{Paint, Palette};
use super::raster::COARSE;
use crate::by_player::ByPlayer;
use crate::diagram::{Look, Piece, Seat};
use crate::game::Player;

/// Beyond this height a pile stops growing and only its figure counts on.
const TALLEST: u8 = 8;

/// Draws pieces in the colours of the players.
pub(super) struct Painter<'a> {
    pub palette: &'a Palette,
    pub players: &'a ByPlayer<Seat>,
    /// The size of a pixel, if pixels are coarse; 0 for drawings of any size.
    pub grain: f64,
}

/// From this grain on, shadows, gleams and the sides of flat pieces would only be blurs.
const BOLD: f64 = 2.4;

/// From this grain on, round discs would blur into each other.
const FLAT: f64 = 3.1;

impl Painter<'_> {
    /// A length that is at least this part of a coarse pixel.
    pub(super) fn at_least(&self, length: f64, part: f64) -> f64 {
        length.max(part * self.grain)
    }

    /// Whether pixels are too coarse for details. Never in pages, whose program need not contain such drawings.
    pub(super) fn is_bold(&self) -> bool {
        !cfg!(target_family = "wasm") && self.grain >= BOLD
    }

    fn paint(&self, player: Player) -> &'static Paint {
        Paint::of(self.players[player].tint)
    }

    /// Draws all of a piece but its figure.
    pub(super) fn body(&self, canvas: &mut Canvas, piece: &Piece) {
        let owner = piece.owner;
        match &piece.look {
            Look::Marker if owner == Player::One => self.cross(canvas),
            Look::Marker => self.ring(canvas),
            Look::Knight => self.knight(canvas, owner),
            Look::Stack(height) => self.pile(canvas, &Pile::stack(owner, *height)),
            Look::Tower { discs, .. } => self.pile(canvas, &Pile::tower(discs)),
        }
    }

    /// Draws the figure of a piece, if it has one.
    pub(super) fn figure(&self, canvas: &mut Canvas, at: Point, piece: &Piece) {
        let paint = self.paint(piece.owner);
        match &piece.look {
            Look::Stack(height) => {
                let size = match height {
                    0..10 => 18.0,
                    10..100 => 15.0,
                    _ => 11.5,
                };
                let pile = Pile::stack(piece.owner, *height);
                let text = height.to_string();
                let at = (at.0, at.1 + pile.top());
                canvas.text(at, &text, paint.ink, Type { size, weight: 700, centred: true });
            }
            Look::Tower { letter, .. } => self.badge(canvas, at, piece.owner, *letter),
            Look::Marker | Look::Knight => {}
        }
    }

    fn shadow(&self, canvas: &mut Canvas, at: Point, rx: f64, ry: f64) {
        if self.is_bold() {
            return;
        }
        let shade = format!(r##"fill="#000" fill-opacity="{}""##, self.palette.shade);
        canvas.ellipse(at, rx, ry, &shade);
    }

    fn cross(&self, canvas: &mut Canvas) {
        let Paint { face, side, edge, ink } = self.paint(Player::One);
        if self.is_bold() {
            canvas.circle((0.0, 0.0), 21.5, &format!(r#"fill="{face}" {CRISP}"#));
            let width = Num(self.at_least(6.0, 0.8));
            let stroke = format!(r#"stroke="{ink}" stroke-width="{width}" {CRISP}"#);
            // Ends in the middle of a large pixel would take only some of the four.
            let arm = if self.grain > 4.5 { 12.4 } else { 11.0 };
            let cross = format!("M-{arm} -{arm}L{arm} {arm}M{arm} -{arm}L-{arm} {arm}");
            return canvas.path(&cross, &stroke);
        }
        self.shadow(canvas, (0.0, 4.5), 17.6, 17.0);
        canvas.circle((0.0, 2.2), 16.8, &format!(r#"fill="{side}" stroke="{edge}""#));
        canvas.circle((0.0, -1.4), 16.8, &format!(r#"fill="{face}" stroke="{side}""#));
        canvas.circle((0.0, -1.4), 15.2, GLEAM);
        for (y, colour, width) in [(-2.2, edge, 6.4), (-1.4, ink, 5.0)] {
            let (high, low) = (Num(y - 6.2), Num(y + 6.2));
            let cut = format!("M-6.2 {high}L6.2 {low}M6.2 {high}L-6.2 {low}");
            let stroke = format!(r#"stroke="{colour}" stroke-width="{}""#, Num(width));
            canvas.path(&cut, &format!(r#"{stroke} stroke-linecap="round""#));
        }
    }

    fn ring(&self, canvas: &mut Canvas) {
        let Paint { face, side, edge, .. } = self.paint(Player::Two);
        if self.is_bold() {
            let width = Num(14.0);
            return canvas.circle(
                (0.0, 0.0),
                14.0,
                &format!(r#"stroke="{face}" stroke-width="{width}" {CRISP}"#),
            );
        }
        let mut washer = |y: f64, attributes: &str| {
            let (outer, hole) = (Num(y - 16.8), Num(y - 7.4));
            let outer = format!("M0 {outer}a16.8 16.8 0 1 1 -0.01 0z");
            let d = format!("{outer}M0 {hole}a7.4 7.4 0 1 0 0.01 0z");
            canvas.path(&d, &format!(r#"fill-rule="evenodd" {attributes}"#));
        };
        let shade = self.palette.shade;
        washer(5.0, &format!(r##"fill="#000" fill-opacity="{shade}""##));
        washer(2.2, &format!(r#"fill="{side}" stroke="{edge}""#));
        washer(-1.4, &format!(r#"fill="{face}" stroke="{side}""#));
        canvas.circle((0.0, -1.4), 15.2, GLEAM);
        canvas.circle((0.0, -1.4), 9.0, GLEAM);
    }

    /// The two players' knights face each other.
    fn knight(&self, canvas: &mut Canvas, owner: Player) {
        let Paint { face, side, ink, .. } = self.paint(owner);
        let turn = if owner == Player::One { "scale(-1.12 1.12)" } else { "scale(1.12)" };
        if self.is_bold() && self.grain >= COARSE {
            return self.coarse_knight(canvas, owner);
        }
        if self.is_bold() {
            return self.bold_knight(canvas, turn, (face, ink));
        }
        self.shadow(canvas, (0.0, 20.2), 17.0, 3.4);
        let joins = r#"stroke-linejoin="round" stroke-linecap="round""#;
        let outline = Num(1.5);
        canvas.open(&format!(
            r#"<g transform="{turn}" stroke="{ink}" stroke-width="{outline}" {joins}>"#
        ));
        canvas.path(KNIGHT_HEAD, &format!(r#"fill="{face}""#));
        canvas.path(KNIGHT_MANE, &format!(r#"fill="{side}" stroke-width="1.1""#));
        canvas.path(KNIGHT_FOOT, &format!(r#"fill="{face}""#));
        canvas.path(KNIGHT_LINES, r#"stroke-width="1.2""#);
        canvas.path(KNIGHT_EYE, &format!(r#"fill="{ink}" stroke="none""#));
        canvas.close("g");
    }

    /// The outline is as wide as a coarse pixel, or it would have gaps; all of it lies outside the knight.
    fn bold_knight(&self, canvas: &mut Canvas, turn: &str, (face, ink): (&str, &str)) {
        canvas.open(&format!(r#"<g transform="{turn}" {CRISP}>"#));
        let rim = Num(2.0 * self.grain);
        let rim =
            format!(r#"fill="{ink}" stroke="{ink}" stroke-width="{rim}" stroke-linejoin="round""#);
        for shape in [KNIGHT_HEAD, KNIGHT_FOOT] {
            canvas.path(shape, &rim);
        }
        for shape in [KNIGHT_HEAD, KNIGHT_FOOT] {
            canvas.path(shape, &format!(r#"fill="{face}""#));
        }
        canvas.close("g");
    }

    /// A silhouette on a ground from which both players' knights stand out.
    fn coarse_knight(&self, canvas: &mut Canvas, owner: Player) {
        let Paint { face, edge, .. } = self.paint(owner);
        let face = if owner == Player::One { face } else { "#000000" };
        canvas.circle((0.0, 0.0), 24.0, &format!(r#"fill="{edge}" {CRISP}"#));
        let turn = if owner == Player::One { "scale(-1.3 1.22)" } else { "scale(1.3 1.22)" };
        canvas.open(&format!(r#"<g transform="{turn}" fill="{face}" {CRISP}>"#));
        canvas.path(KNIGHT_HEAD, "");
        canvas.path(KNIGHT_FOOT, "");
        canvas.close("g");
    }

    fn pile(&self, canvas: &mut Canvas, pile: &Pile) {
        if pile.notched && self.is_bold() && self.grain >= FLAT {
            return self.coarse_tower(canvas, pile);
        }
        let at = (pile.x, pile.base + 2.4);
        self.shadow(canvas, at, pile.rx + 1.6, pile.ry + 0.8);
        for (below, player) in pile.discs.iter().enumerate() {
            self.disc(canvas, pile, below, *player);
        }
        if let Some(owner) = pile.discs.last() {
            self.face(canvas, pile, *owner);
        }
    }

    /// A tower whose discs are whole rows of pixels.
    fn coarse_tower(&self, canvas: &mut Canvas, pile: &Pile) {
        /// How much narrower the first and the last row are.
        const ROUND: f64 = 3.5;
        let (row, count) = (self.grain, pile.discs.len() as f64);
        let room = ((CELL / row - 1.0) / count).floor();
        let thick = (row * (pile.thick / row).round().min(room).max(1.0)).min(CELL / count);
        // A character has only two colours, so the ground below is left out.
        let rows_below = match row > COARSE {
            true => 0.0,
            false => ((CELL / 2.0 - pile.base) / row).round(),
        };
        let lowest = (count * thick + row - CELL / 2.0).min(CELL / 2.0);
        let base = (CELL / 2.0 - row * rows_below).max(lowest);
        let mut bar = |inset: f64, top: f64, high: f64, fill: &str| {
            // A little more than whole pixels of all widths.
            let (left, wide) = (-12.1 + inset, 30.2 - 2.0 * inset);
            let d =
                format!("M{} {}h{}v{}h-{}z", Num(left), Num(top), Num(wide), Num(high), Num(wide));
            canvas.path(&d, &format!("{fill} {CRISP}"));
        };
        let mut top = base;
        let foot = if thick > 1.5 * row { row } else { 0.0 };
        for (below, owner) in pile.discs.iter().enumerate() {
            let Paint { face, side, .. } = self.paint(*owner);
            top -= thick;
            bar(0.0, top, thick - foot, &format!(r#"fill="{face}""#));
            if foot > 0.0 {
                let inset = if below == 0 { ROUND } else { 0.0 };
                bar(inset, top + thick - foot, foot, &format!(r#"fill="{side}""#));
            }
        }
        let Some(owner) = pile.discs.last() else { return };
        for fill in [format!(r#"fill="{}""#, self.paint(*owner).face), LID.to_owned()] {
            bar(ROUND, top - row, row, &fill);
        }
    }

    /// The side of a disc that has `below` others under it.
    fn disc(&self, canvas: &mut Canvas, pile: &Pile, below: usize, owner: Player) {
        let Paint { face, side, edge, ink } = self.paint(owner);
        let fill = if pile.notched { face } else { side };
        let y = pile.base - pile.thick * (below + 1) as f64;
        let (left, thick) = (Num(pile.x - pile.rx), Num(pile.thick));
        let arc = format!("a{} {} 0 0 0 {} 0", Num(pile.rx), Num(pile.ry), Num(2.0 * pile.rx));
        let d = format!("M{left} {}v{thick}{arc}v-{thick}z", Num(y));
        let thin = Num(self.at_least(0.7, 0.3));
        canvas.path(&d, &format!(r#"fill="{fill}" stroke="{edge}" stroke-width="{thin}""#));
        if pile.notched && owner == Player::One && !self.is_bold() {
            let d = format!("M{left} {}{arc}", Num(y + pile.thick / 2.0));
            let width = Num((pile.thick * 0.3).min(1.7));
            let stroke = format!(r#"stroke="{ink}" stroke-width="{width}""#);
            canvas.path(&d, &format!("{stroke} {NOTCHES}"));
        }
    }

    /// The upper side of the top disc: player 1's carries a ring.
    fn face(&self, canvas: &mut Canvas, pile: &Pile, owner: Player) {
        let Paint { face, edge, ink, .. } = self.paint(owner);
        let (middle, rx, ry) = ((pile.x, pile.top()), pile.rx, pile.ry);
        canvas.ellipse(
            middle,
            rx,
            ry,
            &format!(r#"fill="{face}" stroke="{edge}" stroke-width="0.7""#),
        );
        if pile.notched {
            canvas.ellipse(middle, rx, ry, r##"fill="#fff" fill-opacity="0.22""##);
        }
        if self.is_bold() {
            return;
        }
        canvas.ellipse(middle, rx - 1.1, ry - 1.1, GLEAM);
        if owner == Player::One {
            let inlay = format!(r#"stroke="{ink}" stroke-opacity="0.75" stroke-width="1.4""#);
            canvas.ellipse(middle, rx * 0.8, ry * 0.8, &inlay);
        }
    }

    /// The letter of a tower, in a corner that no tower reaches: square for player 1, round for
    /// player 2.
    fn badge(&self, canvas: &mut Canvas, (x, y): Point, owner: Player, letter: char) {
        let Paint { face, edge, ink, .. } = self.paint(owner);
        let corner = if owner == Player::One { 2.5 } else { 6.7 };
        let (left, top) = (Num(x - 22.0), Num(y - 22.0));
        let place = format!(r#"x="{left}" y="{top}" width="13.4" height="13.4" rx="{corner}""#);
        let look = format!(r#"fill="{face}" stroke="{edge}" stroke-width="0.7""#);
        canvas.add(&format!("<rect {place} {look}/>"));
        let text = letter.to_string();
        let look = Type { size: 10.5, weight: 700, centred: true };
        canvas.text((x - 15.3, y - 15.3), &text, ink, look);
    }
}

/// Half-covered pixels would blur figures of a few pixels.
const CRISP: &str = r#"shape-rendering="crispEdges""#;

/// The upper side of a tower is lighter than its discs.
const LID: &str = r##"fill="#fff" fill-opacity="0.3""##;

/// Light along the edge of a face.
const GLEAM: &str = r##"stroke="#fff" stroke-opacity="0.4" stroke-width="1.1""##;

/// Dashes that end as they begin on the side of a tower's disc.
const NOTCHES: &str = r#"stroke-dasharray="2.8 2.54" stroke-dashoffset="2.8""#;

const KNIGHT_HEAD: &str = "M-8.5 12.5C-8.5 6 -1.5 4.5 -1.2 -1.8C-3.4 0.4 -5.8 0.4 -7.4 1.6L-10 4\
C-11.6 5.3 -14.4 4.4 -14.9 2.2C-15.2 0.6 -14.4 -0.9 -13.4 -2.3C-11.4 -5.2 -10.4 -8 -8.8 -10.6\
C-7.8 -12.2 -6.2 -13.4 -4.6 -14L-4.9 -19.2C-2.6 -18.3 -0.8 -16.8 0.4 -14.9\
C8.6 -13.6 12.6 -5.4 11.6 3.4C11.2 6.9 10.2 9.6 9.6 12.5Z";
const KNIGHT_MANE: &str = "M0.4 -14.9C8.6 -13.6 12.6 -5.4 11.6 3.4C11.2 6.9 10.2 9.6 9.6 12.5\
C8.4 10.6 7.9 9 8 7C6.8 5.6 6.4 4 6.6 2C5.2 0.6 4.8 -1.2 5 -3.2C3.4 -4.4 2.8 -6.2 2.8 -8.2\
C1.2 -9.8 0.4 -12 0.4 -14.9Z";
const KNIGHT_FOOT: &str = "M-10.5 12.5H10.5C11.6 12.5 12 13.2 12 14V15H12.6\
C13.6 15 14 15.6 14 16.4V19H-14V16.4C-14 15.6 -13.6 15 -12.6 15\
H-12V14C-12 13.2 -11.6 12.5 -10.5 12.5Z";
const KNIGHT_LINES: &str = "M-12 15H12M-12.6 1.4L-12.2 0.8M-1.2 -1.8C-0.6 -3.2 -0.8 -4.6 -1.4 -5.6";
const KNIGHT_EYE: &str = "M-8 -6.6C-7.4 -8.6 -5.6 -9 -4.4 -8.2C-4.8 -6.6 -6.4 -5.8 -8 -6.6Z";

/// Discs on top of each other, seen slightly from above.
pub(super) struct Pile {
    /// The owners of the discs, from the bottom to the top.
    discs: Vec<Player>,
    /// How far it stands to the right of the middle.
    x: f64,
    rx: f64,
    ry: f64,
    thick: f64,
    /// The middle of the underside; taller piles stand further down.
    base: f64,
    /// Whether the discs of player 1 are notched.
    notched: bool,
}

impl Pile {
    pub(super) fn stack(owner: Player, height: u8) -> Pile {
        let shown = height.clamp(1, TALLEST);
        Pile {
            discs: vec![owner; usize::from(shown)],
            x: 0.0,
            rx: 17.5,
            ry: 12.5,
            thick: 3.4,
            base: 2.0 + 0.9 * f64::from(shown),
            notched: false,
        }
    }

    fn tower(discs: &[Player]) -> Pile {
        let count = discs.len() as f64;
        Pile {
            discs: discs.to_vec(),
            x: 3.8,
            rx: 12.8,
            ry: 5.0,
            thick: (34.0 / count.max(1.0)).min(6.6),
            base: (10.0 + 1.5 * count).min(17.0),
            notched: true,
        }
    }

    /// The middle of the upper side.
    pub(super) fn top(&self) -> f64 {
        self.base - self.thick * self.discs.len() as f64
    }
}
