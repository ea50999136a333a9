//! Six MaKING: towers that move like chess pieces, and the first king wins.
//!
//! The rules are in `pages/six-making.md`. Both boards are kept five cells wide.

mod lessons;
mod moves;
mod notation;
mod setup;
mod show;
mod symmetry;
mod tower;

use crate::by_player::ByPlayer;
use crate::edit::{Brush, Stroke};
use crate::game::{Game, Info, OptionInfo, Outcome, Player, SetupError, Values};
use crate::grid::{Layout, Square};
pub use moves::Move;
pub use setup::{Options, SelfDefeat, Setup};
pub use tower::Tower;

/// A cell; column letter from the left, row number from the top.
pub type Cell = Square<5>;

/// The height from which a tower is a king and ends the game.
pub const KING: usize = 6;

/// A position of Six MaKING.
///
/// Moves are ordered: placements row by row from `a1`; then towers by their cell, by the cell they go
/// to, the whole tower first and then its top 1, 2, … discs.
///
/// Two positions are equal if play can continue in the same way: the last move counts only where ko forbids
/// undoing it.
///
/// ```
/// use rules::{Game, Notation, Outcome, Player, six_making::SixMaking};
/// let mut pos = SixMaking::from_text("xo,x,3/oxoo,4/5/5/5 1", &Default::default())?;
/// pos.play("a1-a2:1".parse()?)?; // A rook's top disc goes one cell down and makes a queen.
/// assert_eq!(pos.setup().board[1][0], "oxooo");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SixMaking {
    towers: [Tower; 25],
    occupied: u32,
    key: u64,
    /// The discs of each player that are on the board.
    discs: ByPlayer<u8>,
    turn: Player,
    outcome: Option<Outcome>,
    size: u8,
    self_defeat: SelfDefeat,
    /// The opponent's last move, if it is known.
    last: Option<Last>,
    /// Whether undoing the last move would be legal but for the ko rule.
    ko: bool,
}

/// A move with all that is needed to undo it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Placed { cell: Cell },
    Moved { from: Cell, to: Cell, discs: u8 },
}

static INFO: Info = Info {
    id: "six-making",
    name: "Six MaKING",
    tagline: "build towers that move like chess pieces, and top the first king",
    players: ByPlayer::new("X", "O"),
    uci: None,
    options: &[
        OptionInfo {
            name: "size",
            label: "Board side",
            about: "cells along a side: 5 with 16 discs each, or 4 with 12",
            values: Values::Numbers(&[4, 5]),
            default: "5",
        },
        OptionInfo {
            name: "self_defeat",
            label: "Self-defeat",
            about: "whether a move may build a king that the opponent tops, and so lose",
            values: Values::Words(&["forbidden", "allowed"]),
            default: "forbidden",
        },
    ],
    brushes: &[
        Brush { id: "x", label: "disc of X on top", stroke: Stroke::Put(Player::One) },
        Brush { id: "o", label: "disc of O on top", stroke: Stroke::Put(Player::Two) },
        Brush { id: "less", label: "one disc less", stroke: Stroke::Lift },
        Brush { id: "none", label: "nothing", stroke: Stroke::Wipe },
    ],
    rules: page!("../../pages/six-making.md"),
    lessons: lessons::LESSONS,
    samples: &[
        ("initial", "4/4/4/4 1"),
        ("intermediate", "1,xo,x,o/4/o,1,oox,1/1,x,2 1"),
        ("final", "o,xoooxx,1,o/4/o,3/1,x,2 2"),
    ],
};

impl SixMaking {
    /// The cells along a side.
    pub fn size(&self) -> usize {
        usize::from(self.size)
    }

    fn layout(&self) -> Layout<5> {
        Layout { size: self.size(), first_row_at_top: true }
    }

    /// The tower on a cell, which may be empty.
    #[inline]
    pub fn tower(&self, cell: Cell) -> Tower {
        self.towers[cell.index()]
    }

    /// The set of cells with a tower, bit 5 × row + column.
    #[inline]
    pub fn occupied(&self) -> u32 {
        self.occupied
    }

    /// The set of towers that the tower on a cell can move onto.
    #[inline]
    pub fn reach(&self, cell: Cell) -> u32 {
        moves::reach(cell, self.tower(cell).height(), self.occupied)
    }

    /// How many discs a player has in reserve.
    #[inline]
    pub fn reserve(&self, player: Player) -> u8 {
        setup::discs_each(self.size) - self.discs[player]
    }

    /// Whether a move may build a king that the opponent tops.
    pub fn self_defeat(&self) -> SelfDefeat {
        self.self_defeat
    }

    /// The move that the ko rule forbids, if it forbids one.
    #[inline]
    pub fn ko(&self) -> Option<Move> {
        match self.last {
            Some(Last::Moved { from, to, discs }) if self.ko => {
                Some(Move::carry(to, from, discs, self.tower(to).height()))
            }
            _ => None,
        }
    }

    fn king(&self) -> Option<Cell> {
        Cell::all(self.size()).find(|cell| self.tower(*cell).height() >= KING)
    }
}

impl PartialEq for SixMaking {
    fn eq(&self, other: &Self) -> bool {
        self.towers == other.towers
            && self.turn == other.turn
            && self.size == other.size
            && self.self_defeat == other.self_defeat
            && self.ko() == other.ko()
    }
}

impl Eq for SixMaking {}

impl std::hash::Hash for SixMaking {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl Game for SixMaking {
    common_items!();
    type Move = Move;

    fn options(&self) -> Options {
        Options { size: self.size, self_defeat: self.self_defeat }
    }

    #[inline]
    fn append_moves(&self, out: &mut Vec<Move>) {
        if self.outcome.is_none() {
            self.append_placements(out);
            self.append_carries(out);
        }
    }

    #[inline]
    fn is_legal(&self, m: Move) -> bool {
        self.outcome.is_none() && self.may_make(m)
    }

    /// Five bits for each cell and three for the discs: 0 for a whole tower, 7 for a placement.
    #[inline]
    fn pack(m: Move) -> u32 {
        let (from, to, discs) = match m {
            Move::Place(cell) => (cell, cell, 7),
            Move::Tower { from, to } => (from, to, 0),
            Move::Top { from, to, discs } => (from, to, discs & 7),
        };
        (from.index() << 8 | to.index() << 3) as u32 | u32::from(discs)
    }

    #[inline]
    fn unpack(code: u32) -> Option<Move> {
        let cell = |bits: u32| (bits < 25).then(|| Cell::new(bits as usize));
        let (from, to) = (cell(code >> 8)?, cell(code >> 3 & 31)?);
        Some(match code & 7 {
            0 => Move::Tower { from, to },
            7 => Move::Place(to),
            discs => Move::Top { from, to, discs: discs as u8 },
        })
    }

    #[inline]
    fn play_unchecked(&mut self, m: Move) {
        self.make(m);
    }

    fn objection(&self, m: Move) -> String {
        self.object(m)
    }
}
