//! Gekitai: place a marker, push its neighbours away, line up three.
//!
//! The rules are in `pages/gekitai.md`. A board of any size is kept eight cells wide, so that the
//! shifts that find lines are the same for all of them.

mod lessons;
mod moves;
mod notation;
mod setup;
mod show;
mod symmetry;

use crate::by_player::ByPlayer;
use crate::edit::{Brush, Stroke};
use crate::game::{Game, Info, OptionInfo, Outcome, Player, SetupError, Values};
use crate::grid::{Layout, Square, outside};
use moves::{KEYS, TURN_KEY};
pub use setup::{Both, Options, Setup};

/// A cell; column letter from the left, row number from the top.
pub type Cell = Square<8>;

/// A position of Gekitai. Moves are cells, ordered row by row from `a1`.
///
/// ```
/// use rules::{Game, gekitai::Gekitai};
/// let mut pos = Gekitai::new(&Default::default())?;
/// pos.play("c3".parse()?)?; //   c   d   e          c   d   e
/// pos.play("d3".parse()?)?; // 3 X ◄─O         3  ·   O   ·   and X stands on b3
/// assert_eq!(pos.setup().board[2], ".x.o..");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gekitai {
    markers: ByPlayer<u64>,
    key: u64,
    turn: Player,
    outcome: Option<Outcome>,
    size: u8,
    /// How many markers each player has.
    limit: u8,
    both: Both,
}

static INFO: Info = Info {
    id: "gekitai",
    name: "Gekitai",
    tagline: "place a marker, push its neighbours away, line up three",
    players: ByPlayer::new("X", "O"),
    uci: None,
    options: &[
        OptionInfo {
            name: "size",
            label: "Board side",
            about: "cells along a side of the board",
            values: Values::Range(4, 8),
            default: "6",
        },
        OptionInfo {
            name: "markers",
            label: "Markers",
            about: "markers of each player; all of them on the board wins",
            values: Values::Range(1, 32),
            default: "8",
        },
        OptionInfo {
            name: "both",
            label: "Both line up",
            about: "who wins when one placement completes both players' lines",
            values: Values::Words(&["mover", "draw"]),
            default: "mover",
        },
    ],
    brushes: &[
        Brush { id: "x", label: "marker of X", stroke: Stroke::Put(Player::One) },
        Brush { id: "o", label: "marker of O", stroke: Stroke::Put(Player::Two) },
        Brush { id: "none", label: "nothing", stroke: Stroke::Wipe },
    ],
    rules: page!("../../pages/gekitai.md"),
    lessons: lessons::LESSONS,
    samples: &[
        ("initial", "6/6/6/6/6/6 1"),
        ("intermediate", "2x1x1/6/o2x2/4ox/1o4/4o1 1"),
        ("final", "x2x2/6/1ooox1/6/o1xx2/5o 1"),
    ],
};

impl Gekitai {
    /// The cells along a side.
    pub fn size(&self) -> usize {
        usize::from(self.size)
    }

    fn layout(&self) -> Layout<8> {
        Layout { size: self.size(), first_row_at_top: true }
    }

    /// The set of a player's markers, bit 8 × row + column.
    pub fn markers(&self, player: Player) -> u64 {
        self.markers[player]
    }

    fn owner(&self, cell: Cell) -> Option<Player> {
        Player::BOTH.into_iter().find(|player| self.markers(*player) >> cell.index() & 1 == 1)
    }

    /// How many markers a player has beside the board.
    pub fn reserve(&self, player: Player) -> u8 {
        self.limit - self.markers(player).count_ones() as u8
    }

    /// The set of the board's cells.
    pub fn board(&self) -> u64 {
        moves::BOARDS[self.size() & 15]
    }

    /// The set of empty cells.
    pub fn empty(&self) -> u64 {
        self.board() & !(self.markers[Player::One] | self.markers[Player::Two])
    }

    #[inline]
    fn wins(&self, markers: u64) -> bool {
        markers.count_ones() >= u32::from(self.limit) || moves::lines(markers) != 0
    }

    /// The result after `mover` has placed and pushed; the opponent's markers win only if they moved.
    #[inline]
    fn judge(&self, mover: Player, mine: u64, theirs: u64, moved: bool) -> Option<Outcome> {
        match (self.wins(mine), moved && self.wins(theirs)) {
            (false, false) => None,
            (true, true) if self.both == Both::Draw => Some(Outcome::Draw),
            (true, _) => Some(Outcome::Win(mover)),
            (false, true) => Some(Outcome::Win(mover.other())),
        }
    }

    fn fresh_key(&self) -> u64 {
        let mut key = if self.turn == Player::Two { TURN_KEY } else { 0 };
        for player in Player::BOTH {
            for cell in moves::cells(self.markers(player)) {
                key ^= KEYS[player][cell.index()];
            }
        }
        key
    }
}

impl Game for Gekitai {
    common_items!();
    type Move = moves::Place;

    fn options(&self) -> Options {
        Options { size: self.size, markers: self.limit, both: self.both }
    }

    #[inline]
    fn append_moves(&self, out: &mut Vec<moves::Place>) {
        if self.outcome.is_none() {
            out.reserve(64);
            out.extend(moves::cells(self.empty()).map(Place));
        }
    }

    #[inline]
    fn is_legal(&self, m: moves::Place) -> bool {
        self.outcome.is_none() && self.empty() >> m.0.index() & 1 == 1
    }

    #[inline]
    fn pack(m: moves::Place) -> u32 {
        m.0.index() as u32
    }

    #[inline]
    fn unpack(code: u32) -> Option<moves::Place> {
        (code < 64).then(|| moves::Place(Cell::new(code as usize)))
    }

    #[inline]
    fn play_unchecked(&mut self, m: moves::Place) {
        self.place(m.0);
    }

    fn objection(&self, m: moves::Place) -> String {
        outside(&[m.0], self.size()).unwrap_or_else(|| format!("{} is occupied", m.0))
    }
}

pub use moves::{Place, lines};
