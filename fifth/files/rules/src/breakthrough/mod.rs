//! Breakthrough: two rows of pieces each, and the first to reach the far side wins.
//!
//! The rules are in `pages/breakthrough.md`. A board of any size is kept eight cells wide; row 1 is
//! White's, at the bottom.

mod moves;
mod notation;
mod setup;
mod show;
mod symmetry;

use crate::by_player::ByPlayer;
use crate::edit::{Brush, Stroke};
use crate::game::{Game, Info, OptionInfo, Outcome, Player, SetupError, Values};
use crate::grid::{Layout, Square, outside};
pub use moves::Step;
use moves::{KEYS, TURN_KEY};
pub use setup::{Options, Setup};

/// A cell; column letter from the left, row number from the bottom.
pub type Cell = Square<8>;

/// A position of Breakthrough. Moves are ordered by the cell they leave, then by the cell they reach,
/// both row by row from `a1`.
///
/// ```
/// use rules::{Game, Notation, Outcome, Player, breakthrough::Breakthrough};
/// let mut pos = Breakthrough::from_text("6/1w4/6/6/4b1/6 1", &Default::default())?;
/// pos.play("b5-c6".parse()?)?; // White reaches the far row:
/// assert_eq!(pos.outcome(), Some(Outcome::Win(Player::One)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Breakthrough {
    pieces: ByPlayer<u64>,
    key: u64,
    turn: Player,
    outcome: Option<Outcome>,
    size: u8,
}

static INFO: Info = Info {
    id: "breakthrough",
    name: "Breakthrough",
    tagline: "be the first to reach the far side of the board",
    players: ByPlayer::new("White", "Black"),
    uci: None,
    options: &[OptionInfo {
        name: "size",
        label: "Board side",
        about: "cells along a side of the board",
        values: Values::Range(4, 8),
        default: "6",
    }],
    brushes: &[
        Brush { id: "white", label: "white piece", stroke: Stroke::Put(Player::One) },
        Brush { id: "black", label: "black piece", stroke: Stroke::Put(Player::Two) },
        Brush { id: "none", label: "nothing", stroke: Stroke::Wipe },
    ],
    rules: page!("../../pages/breakthrough.md"),
    lessons: &[],
    samples: &[
        ("initial", "bbbbbb/bbbbbb/6/6/wwwwww/wwwwww 1"),
        ("intermediate", "b4b/1b1b2/2w3/3b2/w1w2w/2w3 1"),
        ("final", "b1w2b/1b4/6/3b2/w1w2w/2w3 2"),
    ],
};

impl Breakthrough {
    /// The cells along a side.
    pub fn size(&self) -> usize {
        usize::from(self.size)
    }

    fn layout(&self) -> Layout<8> {
        Layout { size: self.size(), first_row_at_top: false }
    }

    /// The set of a player's pieces, bit 8 × row + column.
    #[inline]
    pub fn pieces(&self, player: Player) -> u64 {
        self.pieces[player]
    }

    /// The player whose piece stands on a cell.
    pub fn owner(&self, cell: Cell) -> Option<Player> {
        Player::BOTH.into_iter().find(|player| self.pieces(*player) >> cell.index() & 1 == 1)
    }

    /// The cells of the row that a player wants to reach.
    fn goal(&self, player: Player) -> u64 {
        match player {
            Player::One => 0xff << (8 * (self.size() - 1)),
            Player::Two => 0xff,
        }
    }

    /// The result, when this player is to move.
    fn judge(&self, turn: Player) -> Option<Outcome> {
        let has_arrived = |player| self.pieces(player) & self.goal(player) != 0;
        if has_arrived(turn.other()) || !self.can_move(turn) {
            return Some(Outcome::Win(turn.other()));
        }
        has_arrived(turn).then_some(Outcome::Win(turn))
    }

    fn fresh_key(&self) -> u64 {
        let mut key = if self.turn == Player::Two { TURN_KEY } else { 0 };
        for player in Player::BOTH {
            for cell in moves::cells(self.pieces(player)) {
                key ^= KEYS[player][cell.index()];
            }
        }
        key
    }
}

impl Game for Breakthrough {
    common_items!();
    type Move = Step;

    fn options(&self) -> Options {
        Options { size: self.size }
    }

    fn append_moves(&self, out: &mut Vec<Step>) {
        if self.outcome.is_none() {
            self.append_steps(self.turn, out);
        }
    }

    fn pack(m: Step) -> u32 {
        (m.from.index() << 6 | m.to.index()) as u32
    }

    fn unpack(code: u32) -> Option<Step> {
        let cell = |bits: u32| Cell::new(bits as usize & 63);
        (code < 1 << 12).then(|| Step { from: cell(code >> 6), to: cell(code) })
    }

    fn play_unchecked(&mut self, m: Step) {
        self.step(m);
    }

    fn objection(&self, m: Step) -> String {
        let Step { from, to } = m;
        if let Some(reason) = outside(&[from, to], self.size()) {
            return reason;
        }
        match (self.owner(from), self.owner(to)) {
            (None, _) => format!("there is no piece on {from}"),
            (Some(owner), _) if owner != self.turn => {
                format!("the piece on {from} is the opponent's")
            }
            (_, Some(owner)) if owner == self.turn => format!("your own piece stands on {to}"),
            (_, Some(_)) if from.column() == to.column() => {
                format!("{to} is occupied: a piece captures diagonally only")
            }
            _ => format!("a piece steps one row forward, not from {from} to {to}"),
        }
    }
}
