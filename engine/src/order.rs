//! Move ordering: killer moves, history scores and the move picker.

use crate::evaluate::{SLOT_BITS, ScoredMove};
use rules::Player;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// The killer moves of each ply, and the history score of each move.
#[derive(Debug)]
pub struct History<M> {
    killers: Vec<[Option<M>; 2]>,
    scores: Scores,
}

/// History scores, which threads of one search share. Concurrent updates may be lost, which does no
/// harm.
#[derive(Clone, Debug)]
pub struct Scores(Arc<[AtomicI32]>);

impl Default for Scores {
    fn default() -> Scores {
        Scores((0..2 << SLOT_BITS).map(|_| AtomicI32::new(0)).collect())
    }
}

/// History scores stay below this.
const MAX_HISTORY: i32 = 1 << 14;

impl<M: Copy + Eq> History<M> {
    /// No killers, and these scores.
    pub fn new(scores: Scores) -> Self {
        History { killers: Vec::new(), scores }
    }

    /// The killers of a ply and the scores of a player's moves.
    pub fn at(&self, ply: usize, player: Player) -> PlayerHistory<'_, M> {
        let killers = self.killers.get(ply).copied().unwrap_or_default();
        let scores = &self.scores.0[player.index() << SLOT_BITS..][..1 << SLOT_BITS];
        PlayerHistory { killers, scores }
    }

    /// Notes that a move caused a beta cutoff.
    pub fn reward(&mut self, ply: usize, m: M, player: Player, slot: usize, depth: i32) {
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, [None; 2]);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
        self.add(player, slot, (depth * depth).min(400));
    }

    /// Notes that a move was tried before the one that caused the cutoff.
    pub fn penalise(&mut self, player: Player, slot: usize, depth: i32) {
        self.add(player, slot, -(depth * depth).min(400));
    }

    /// Adds a bonus, the smaller the nearer the score is to its limit ("history gravity").
    fn add(&mut self, player: Player, slot: usize, bonus: i32) {
        let count = &self.scores.0[player.index() << SLOT_BITS | slot];
        let before = count.load(Ordering::Relaxed);
        count.store(before + bonus - before * bonus.abs() / MAX_HISTORY, Ordering::Relaxed);
    }
}

/// Killers and history scores for one player at one ply.
#[derive(Debug)]
pub struct PlayerHistory<'a, M> {
    killers: [Option<M>; 2],
    scores: &'a [AtomicI32],
}

impl<M: Copy + Eq> PlayerHistory<'_, M> {
    /// The ordering score of a move.
    #[inline]
    pub fn score(&self, m: M, slot: usize) -> i32 {
        let [first, second] = self.killers;
        let killer = if first == Some(m) {
            1 << 20
        } else if second == Some(m) {
            1 << 19
        } else {
            0
        };
        killer + self.scores[slot].load(Ordering::Relaxed)
    }
}

/// The moves of a node, in the order in which they are tried.
pub struct MovePicker<M> {
    /// The transposition table's move, tried before any other is generated.
    pub tt_move: Option<M>,
    /// The others, once they are generated.
    pub list: Vec<ScoredMove<M>>,
    /// Whether they have been.
    pub listed: bool,
    /// How many of the list are sorted.
    sorted: usize,
    /// How many were picked so far, the table's included.
    pub taken: usize,
    /// The picked moves that other threads are searching, with their places in the order.
    pub deferred: Vec<(usize, M)>,
}

/// How many moves are sorted at once: if the first causes no cutoff, many will be tried.
const SORTED_AT_ONCE: usize = 8;

impl<M: Copy + PartialEq> MovePicker<M> {
    /// The table's move, and a list that is still to be filled.
    pub fn new(tt_move: Option<M>, list: Vec<ScoredMove<M>>) -> Self {
        MovePicker { tt_move, list, listed: false, sorted: 0, taken: 0, deferred: Vec::new() }
    }

    /// The move at this place of the sorted list.
    pub fn next(&mut self, at: usize) -> Option<M> {
        if at >= self.sorted {
            self.sorted = at + if at == 0 { 1 } else { SORTED_AT_ONCE };
            partial_sort(self.list.get_mut(at..)?, self.sorted - at);
        }
        self.list.get(at).map(|(_, _, m)| *m)
    }

    /// The moves that were tried.
    pub fn tried(&self) -> impl Iterator<Item = M> {
        let from_list = if self.listed { &self.list[..] } else { &[] };
        let taken = self.tt_move.into_iter().chain(from_list.iter().map(|(_, _, m)| *m));
        let deferred = |m: &M| self.deferred.iter().any(|(_, other)| other == m);
        taken.take(self.taken).filter(move |m| !deferred(m))
    }
}

/// The sort key: higher moves are tried earlier, equal scores in generator order.
fn rank<M>((worth, index, _): &ScoredMove<M>) -> i64 {
    i64::from(*worth) << 16 | i64::from(!*index)
}

/// Sorts the best `count` moves to the front.
fn partial_sort<M>(moves: &mut [ScoredMove<M>], count: usize) {
    let (front, rest) = moves.split_at_mut(count.min(moves.len()));
    let rise = |front: &mut [ScoredMove<M>], mut i: usize| {
        while i > 0 && rank(&front[i]) > rank(&front[i - 1]) {
            front.swap(i, i - 1);
            i -= 1;
        }
    };
    (1..front.len()).for_each(|i| rise(front, i));
    let Some(last) = front.len().checked_sub(1) else { return };
    let mut least = (front[last].0, rank(&front[last]));
    for other in rest {
        // A cheap test first: most moves score less.
        if other.0 >= least.0 && rank(other) > least.1 {
            std::mem::swap(other, &mut front[last]);
            rise(front, last);
            least = (front[last].0, rank(&front[last]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_thread_learns_orders_the_moves_of_the_other() {
        let scores = Scores::default();
        let [mut one, other] = [(); 2].map(|()| History::<u8>::new(scores.clone()));
        one.reward(3, 7, Player::Two, 70, 5);
        one.penalise(Player::Two, 80, 2);
        let score = |m, slot| other.at(3, Player::Two).score(m, slot);
        // Killers are per thread.
        assert_eq!([score(7, 70), score(8, 80), score(9, 90)], [25, -4, 0]);
        assert_eq!(other.at(3, Player::One).score(7, 70), 0);
    }
}
