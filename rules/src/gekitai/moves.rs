//! Placing and pushing.

use super::{Cell, Gekitai};
use crate::bits::Bits;
use crate::by_player::ByPlayer;
use crate::game::{ParseMoveError, Player};
use crate::grid::DIRECTIONS;
use crate::random::{Random, keys};
use std::fmt;
use std::str::FromStr;

/// Places a marker on an empty cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place(pub Cell);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Place {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Place, ParseMoveError> {
        let expected = "a cell such as `c4`";
        Cell::parse(text.trim()).map(Place).ok_or_else(|| ParseMoveError::new(text, expected))
    }
}

pub(super) static KEYS: ByPlayer<[u64; 64]> = ByPlayer::new(keys(0x6765_6b31), keys(0x6765_6b32));
pub(super) const TURN_KEY: u64 = Random::new(0x6765_6b33).next_u64();

/// The set of cells of each board size; sixteen, so that four bits need no check.
pub(super) static BOARDS: [u64; 16] = {
    let mut boards = [0; 16];
    let mut size = 0;
    while size <= 8 {
        let mut row = 0;
        while row < size {
            boards[size] |= ((1 << size) - 1) << (8 * row);
            row += 1;
        }
        size += 1;
    }
    boards
};

static NEIGHBOURS: [u64; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 512 {
        let (columns, rows) = DIRECTIONS[i % 8];
        if let Some(to) = Cell::new(i / 8).step(columns, rows, 8) {
            table[i / 8] |= 1 << to.index();
        }
        i += 1;
    }
    table
};

/// For a cell and its neighbour, the cell behind the neighbour; `OFF` off the 8×8 board.
static BEHIND: [[u8; 64]; 64] = {
    let mut table = [[OFF; 64]; 64];
    let mut i = 0;
    while i < 512 {
        let (columns, rows) = DIRECTIONS[i % 8];
        let cell = Cell::new(i / 8);
        if let Some(near) = cell.step(columns, rows, 8)
            && let Some(far) = near.step(columns, rows, 8)
        {
            table[i / 8][near.index()] = far.index() as u8;
        }
        i += 1;
    }
    table
};

const OFF: u8 = 64;

/// The cell behind a neighbour as a set, empty when it is off the board.
#[inline]
fn behind(at: usize, near: usize, board: u64) -> u64 {
    1u64.checked_shl(BEHIND[at][near].into()).unwrap_or(0) & board
}

/// The first cells of all lines of three: rows, columns and both diagonals.
pub const fn lines(set: u64) -> u64 {
    const LEFT_SIX: u64 = 0x3f3f_3f3f_3f3f_3f3f;
    const RIGHT_SIX: u64 = 0xfcfc_fcfc_fcfc_fcfc;
    (set & set >> 1 & set >> 2 & LEFT_SIX)
        | (set & set >> 8 & set >> 16)
        | (set & set >> 9 & set >> 18 & LEFT_SIX)
        | (set & set >> 7 & set >> 14 & RIGHT_SIX)
}

/// The cells of a set, in order.
#[inline]
pub(super) fn cells(set: u64) -> impl Iterator<Item = Cell> {
    set.bits().map(Cell::new)
}

impl Gekitai {
    #[inline]
    pub(super) fn place(&mut self, cell: Cell) {
        let mover = self.turn;
        let at = cell.index();
        let board = self.board();
        let occupied = self.markers[Player::One] | self.markers[Player::Two];
        let [mut mine, before] = [self.markers(mover), self.markers(mover.other())];
        let mut theirs = before;
        let mut key = self.key ^ KEYS[mover][at] ^ TURN_KEY;
        mine |= 1 << at;
        let mut near = occupied & NEIGHBOURS[at];
        while near != 0 {
            let from = near.trailing_zeros() as usize;
            let bit = near & near.wrapping_neg();
            near ^= bit;
            // Cells behind neighbours are never neighbours themselves, so the order does not matter.
            let to = behind(at, from, board);
            if to & occupied != 0 {
                continue;
            }
            let owner = if theirs & bit != 0 {
                theirs ^= bit | to;
                mover.other()
            } else {
                mine ^= bit | to;
                mover
            };
            key ^= KEYS[owner][from];
            if to != 0 {
                key ^= KEYS[owner][to.trailing_zeros() as usize];
            }
        }
        self.markers[mover] = mine;
        self.markers[mover.other()] = theirs;
        self.key = key;
        self.turn = mover.other();
        self.outcome = self.judge(mover, mine, theirs, theirs != before);
    }

    /// A player's own markers after a placement and its pushes, ignoring the opponent's.
    #[inline]
    pub fn own_after(&self, player: Player, cell: Cell) -> u64 {
        let at = cell.index();
        let occupied = self.markers[Player::One] | self.markers[Player::Two];
        let own = self.markers(player);
        let mut after = own | 1 << at;
        let mut near = own & NEIGHBOURS[at];
        while near != 0 {
            let bit = near & near.wrapping_neg();
            near ^= bit;
            let to = behind(at, bit.trailing_zeros() as usize, self.board());
            if to & occupied == 0 {
                after ^= bit | to;
            }
        }
        after
    }

    /// The set of a set's neighbours, those inside it included.
    #[inline]
    pub fn around(&self, set: u64) -> u64 {
        const LEFT: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        const RIGHT: u64 = 0xfefe_fefe_fefe_fefe;
        let row = set | set >> 1 & LEFT | set << 1 & RIGHT;
        (row | row >> 8 | row << 8) & self.board()
    }

    /// Each neighbour that a placement pushes, and the cell it is pushed to, if that is on the board.
    pub(super) fn pushes(&self, cell: Cell) -> Vec<(Cell, Option<Cell>)> {
        let occupied = self.markers[Player::One] | self.markers[Player::Two];
        let pushed = |near: Cell| {
            let to = behind(cell.index(), near.index(), self.board());
            (to & occupied == 0)
                .then(|| (near, (to != 0).then(|| Cell::new(to.trailing_zeros() as usize))))
        };
        cells(occupied & NEIGHBOURS[cell.index()]).filter_map(pushed).collect()
    }
}
