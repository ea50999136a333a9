//! Which move to try first.

use crate::evaluate::SLOT_BITS;

/// What earlier branches of the search have taught: the moves that ended nodes at each height, and how well
/// each move did.
#[derive(Debug)]
pub struct Memory<M> {
    killers: Vec<[Option<M>; 2]>,
    success: Vec<i32>,
}

/// Past successes stay below this.
const MOST: i32 = 1 << 14;

impl<M: Copy + Eq> Memory<M> {
    /// An empty memory.
    pub fn new() -> Self {
        Memory { killers: Vec::new(), success: vec![0; 2 << SLOT_BITS] }
    }

    /// What is remembered for a player's moves at a height.
    pub fn at(&self, height: usize, player: usize) -> Remembered<'_, M> {
        let killers = self.killers.get(height).copied().unwrap_or_default();
        let success = &self.success[player << SLOT_BITS..][..1 << SLOT_BITS];
        Remembered { killers, success }
    }

    /// Notes that a move was good enough to end its node.
    pub fn reward(&mut self, height: usize, m: M, player: usize, slot: usize, depth: i32) {
        if self.killers.len() <= height {
            self.killers.resize(height + 1, [None; 2]);
        }
        let killers = &mut self.killers[height];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
        self.add(player, slot, (depth * depth).min(400));
    }

    /// Notes that a move was tried in vain before the one that ended the node.
    pub fn blame(&mut self, player: usize, slot: usize, depth: i32) {
        self.add(player, slot, -(depth * depth).min(400));
    }

    /// Moves a count towards its limit, the slower the nearer it is.
    fn add(&mut self, player: usize, slot: usize, bonus: i32) {
        let count = &mut self.success[player << SLOT_BITS | slot];
        *count += bonus - *count * bonus.abs() / MOST;
    }
}

/// What earlier branches make of a player's moves at a height.
#[derive(Debug)]
pub struct Remembered<'a, M> {
    killers: [Option<M>; 2],
    success: &'a [i32],
}

impl<M: Copy + Eq> Remembered<'_, M> {
    /// What they make of a move.
    #[inline]
    pub fn worth(&self, m: M, slot: usize) -> i32 {
        let [first, second] = self.killers;
        let killer = if first == Some(m) {
            1 << 20
        } else if second == Some(m) {
            1 << 19
        } else {
            0
        };
        killer + self.success[slot]
    }
}

impl<M: Copy + Eq> Default for Memory<M> {
    fn default() -> Self {
        Memory::new()
    }
}
