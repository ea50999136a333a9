//! Forced wins: the attacker enters the ring or captures on it with every move, so that the defender never has the time
//! for a quiet one.

use super::super::quiet::board::Board;
use rules::Bits;

/// A node-limited search for a forced win.
pub(super) struct Forced<'a> {
    board: &'a Board,
    left: u32,
}

impl Forced<'_> {
    pub(super) fn new(board: &Board, most: u32) -> Forced<'_> {
        Forced { board, left: most }
    }

    /// The first move of a forced win of the player to move, who is `behind` on the ring; `None` also if the limit does
    /// not suffice.
    pub(super) fn attack(&mut self, own: u128, their: u128, behind: i32) -> Option<(usize, usize)> {
        if behind > 1 || self.left == 0 {
            return None;
        }
        self.left -= 1;
        let ring = self.board.ring;
        // An entry that takes nothing threatens only if nobody is behind.
        let kinds = [(ring & their, 2 - behind), (ring & !own & !their, 1)];
        for (wanted, gain) in kinds.into_iter().take(if behind == 0 { 2 } else { 1 }) {
            for from in (own & self.board.near).bits() {
                for to in (self.board.jumps(from) & wanted).bits() {
                    let after = own ^ (1 << from | 1 << to);
                    if self.is_lost(after, their & !(1 << to), gain) {
                        return Some((from, to));
                    }
                }
            }
        }
        None
    }

    /// Whether every answer of the player to move, who is one or two behind, loses.
    fn is_lost(&mut self, their: u128, own: u128, behind: i32) -> bool {
        let ring = self.board.ring;
        let kinds = [(ring & their, 2 - behind), (ring & !own & !their, 0)];
        for (wanted, after) in kinds.into_iter().take(if behind == 1 { 2 } else { 1 }) {
            for from in (own & self.board.near).bits() {
                for to in (self.board.jumps(from) & wanted).bits() {
                    let (theirs, mine) = (their & !(1 << to), own ^ (1 << from | 1 << to));
                    if self.attack(theirs, mine, after).is_none() {
                        return false;
                    }
                }
            }
        }
        true
    }
}
