//! Jumping and capturing.

use super::{Cell, Goal, JesonMor};
use crate::bits::Bits;
use crate::by_player::ByPlayer;
use crate::game::{Outcome, ParseMoveError};
use crate::grid::KNIGHT_JUMPS;
use crate::random::{Random, keys};
use std::fmt;
use std::str::FromStr;

/// A knight's jump, with a capture where an enemy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Jump {
    /// The cell it leaves.
    pub from: Cell,
    /// The cell it reaches.
    pub to: Cell,
}

impl fmt::Display for Jump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

impl FromStr for Jump {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Jump, ParseMoveError> {
        read(text.trim()).ok_or_else(|| ParseMoveError::new(text, "two cells such as `c1-a2`"))
    }
}

/// `c1-a2`, or without the dash: then the second cell begins at the second letter.
fn read(text: &str) -> Option<Jump> {
    let (from, to) = match text.split_once('-') {
        Some(cells) => cells,
        None => {
            let second = text.char_indices().skip(1).find(|(_, c)| c.is_ascii_alphabetic())?.0;
            text.split_at_checked(second)?
        }
    };
    Some(Jump { from: Cell::parse(from)?, to: Cell::parse(to)? })
}

pub(super) static KEYS: ByPlayer<[u64; 121]> = ByPlayer::new(keys(0x6a6d_3031), keys(0x6a6d_3032));
pub(super) const TURN_KEY: u64 = Random::new(0x6a6d_3033).next_u64();

/// The cells a knight's jump away, for each board size (5, 7, 9, 11) and cell.
static JUMPS: [[u128; 121]; 4] = {
    let mut table = [[0; 121]; 4];
    let mut i = 0;
    while i < 4 * 121 * 8 {
        let (which, cell, jump) = (i / 8 / 121, i / 8 % 121, KNIGHT_JUMPS[i % 8]);
        let size = 5 + 2 * which;
        if Cell::new(cell).is_on(size)
            && let Some(to) = Cell::new(cell).step(jump.0, jump.1, size)
        {
            table[which][cell] |= 1 << to.index();
        }
        i += 1;
    }
    table
};

/// The cells a knight's jump away from a cell, on a board of this size (5, 7, 9 or 11).
#[inline]
pub fn jumps(cell: Cell, size: usize) -> u128 {
    JUMPS[((size - 5) / 2) & 3][cell.index()]
}

/// The cells of a set, in order.
#[inline]
pub(super) fn cells(set: u128) -> impl Iterator<Item = Cell> {
    set.bits().map(Cell::new)
}

/// Whether knights have a jump to a cell without one of them.
#[inline]
pub(super) fn any(own: u128, size: usize) -> bool {
    cells(own).any(|from| jumps(from, size) & !own != 0)
}

#[inline]
pub(super) fn append(own: u128, size: usize, out: &mut Vec<Jump>) {
    for from in cells(own) {
        out.reserve(8);
        for to in cells(jumps(from, size) & !own) {
            out.push(Jump { from, to });
        }
    }
}

impl JesonMor {
    #[inline]
    pub(super) fn jump(&mut self, m: Jump) {
        let (mover, other) = (self.turn, self.turn.other());
        let (from, to) = (m.from.index(), m.to.index());
        let keys = &KEYS[mover];
        self.knights[mover] ^= 1 << from | 1 << to;
        self.key ^= keys[from] ^ keys[to] ^ TURN_KEY;
        if self.knights[other] >> to & 1 == 1 {
            self.knights[other] ^= 1 << to;
            self.key ^= KEYS[other][to];
        }
        let goal = match self.goal {
            Goal::Leave => m.from,
            Goal::Reach => m.to,
        };
        // A side without knights has no jumps either.
        let wins = goal == self.centre() || !any(self.knights[other], self.size());
        self.outcome = wins.then_some(Outcome::Win(mover));
        self.turn = other;
    }
}

impl JesonMor {
    /// Whether a jump leaves or reaches the centre, as the goal is, or captures the last knight.
    ///
    /// A player with a knight always has a jump: a knight can reach every cell from every other, so some
    /// knight can jump to a cell without an own knight unless they fill the board.
    #[inline]
    pub(super) fn has_winning_jump(&self) -> bool {
        let [own, their] = [self.knights(self.turn), self.knights(self.turn.other())];
        let near = jumps(self.centre(), self.size());
        let holds = own >> self.centre().index() & 1 == 1;
        let wins = match self.goal {
            Goal::Leave => holds && near & !own != 0,
            Goal::Reach => near & own != 0,
        };
        wins || their.is_power_of_two()
            && cells(own).any(|cell| jumps(cell, self.size()) & their != 0)
    }
}

impl JesonMor {
    /// If the opponent stands in the centre and could leave it next, appends the jumps that capture that
    /// knight, since all others lose, and returns true.
    pub(super) fn append_captures_in_the_centre(&self, out: &mut Vec<Jump>) -> bool {
        let [own, their] = [self.knights(self.turn), self.knights(self.turn.other())];
        let near = jumps(self.centre(), self.size());
        let held = their >> self.centre().index() & 1 == 1;
        // After a capture elsewhere the knight has more cells to leave to, not fewer.
        if self.goal != Goal::Leave || self.outcome.is_some() || !held || near & !their == 0 {
            return false;
        }
        out.extend(cells(own & near).map(|from| Jump { from, to: self.centre() }));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_with_and_without_a_dash() {
        for text in ["c1-a2", "C1A2", " c1a2 ", "c1-A2"] {
            assert_eq!(text.parse::<Jump>().unwrap().to_string(), "c1-a2");
        }
        assert_eq!("k11j9".parse::<Jump>().unwrap().to_string(), "k11-j9");
        for text in ["", "c1", "c1-", "-a2", "c1--a2", "c1 a2", "l1-a2", "é1a2", "aé"] {
            assert!(text.parse::<Jump>().is_err(), "{text}");
        }
    }
}
