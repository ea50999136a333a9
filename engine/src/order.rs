//! Which move to try first.

use crate::evaluate::{SLOT_BITS, Weighed};

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

/// The moves of a node, in the order in which they are tried.
pub struct Moves<M> {
    /// The table's move is tried before others are looked at.
    pub table: Option<M>,
    /// The others, once they are listed.
    pub list: Vec<Weighed<M>>,
    /// Whether they are.
    pub listed: bool,
    /// How many of the list are in their places.
    ordered: usize,
    /// How many were taken so far, the table's among them.
    pub taken: usize,
    /// Those of them that other threads were at, with their places.
    pub put_off: Vec<(usize, M)>,
}

/// How many moves are brought into order at once: where the first does not end the node, many are tried.
const ORDERED: usize = 8;

impl<M: Copy + PartialEq> Moves<M> {
    /// The table's move, and a list that is still to be filled.
    pub fn new(table: Option<M>, list: Vec<Weighed<M>>) -> Self {
        Moves { table, list, listed: false, ordered: 0, taken: 0, put_off: Vec::new() }
    }

    /// The move of the list to try after so many others of it.
    pub fn next(&mut self, at: usize) -> Option<M> {
        if at >= self.ordered {
            self.ordered = at + if at == 0 { 1 } else { ORDERED };
            bring_forward(self.list.get_mut(at..)?, self.ordered - at);
        }
        self.list.get(at).map(|(_, _, m)| *m)
    }

    /// The moves that were tried.
    pub fn tried(&self) -> impl Iterator<Item = M> {
        let from_list = if self.listed { &self.list[..] } else { &[] };
        let taken = self.table.into_iter().chain(from_list.iter().map(|(_, _, m)| *m));
        let put_off = |m: &M| self.put_off.iter().any(|(_, other)| other == m);
        taken.take(self.taken).filter(move |m| !put_off(m))
    }
}

/// The higher, the earlier a move is tried; the first of equals wins.
fn rank<M>((worth, index, _): &Weighed<M>) -> i64 {
    i64::from(*worth) << 16 | i64::from(!*index)
}

/// Brings the best moves, so many, to the front, the best one first.
fn bring_forward<M>(moves: &mut [Weighed<M>], count: usize) {
    let (front, rest) = moves.split_at_mut(count.min(moves.len()));
    let rise = |front: &mut [Weighed<M>], mut i: usize| {
        while i > 0 && rank(&front[i]) > rank(&front[i - 1]) {
            front.swap(i, i - 1);
            i -= 1;
        }
    };
    (1..front.len()).for_each(|i| rise(front, i));
    let Some(last) = front.len().checked_sub(1) else { return };
    let mut least = (front[last].0, rank(&front[last]));
    for other in rest {
        // Most are worth less, which is quicker to see.
        if other.0 >= least.0 && rank(other) > least.1 {
            std::mem::swap(other, &mut front[last]);
            rise(front, last);
            least = (front[last].0, rank(&front[last]));
        }
    }
}
