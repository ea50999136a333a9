//! The moves of a node in the order in which the search tries them, and what it learns about that order.

use super::{Node, Searcher};
use crate::busy::Busy;
use crate::evaluate::{Evaluate, ScoredMove};
use crate::order::MovePicker;
use crate::transposition::Entry;
use rules::Game;

impl<G: Game, E: Evaluate<Game = G>> Searcher<'_, E> {
    /// The table's move, if it may be tried here.
    pub(super) fn tt_move(
        &self,
        node: &Node<'_, G>,
        entry: Option<Entry>,
        quiescence: bool,
    ) -> Option<G::Move> {
        let pos = node.pos;
        let m = G::unpack(entry?.best?)?;
        let barred = node.ply == 0 && self.excluded.contains(&m)
            || quiescence && !self.evaluator.is_noisy(pos, m);
        (!barred && pos.is_legal(m)).then_some(m)
    }

    /// The next move and its place in the order. Moves that other threads are searching are deferred (as in
    /// ABDADA): when their turn comes, the table may have their values.
    pub(super) fn next_undeferred(
        &mut self,
        node: &Node<'_, G>,
        moves: &mut MovePicker<G::Move>,
        limit: usize,
        quiescence: bool,
        busy: Option<(&Busy, i32)>,
    ) -> Option<(usize, G::Move)> {
        let Some((busy, depth)) = busy else {
            if moves.taken >= limit {
                return None;
            }
            let m = self.next_move(node, moves, quiescence)?;
            moves.taken += 1;
            return Some((moves.taken - 1, m));
        };
        let is_busy = |m: G::Move| busy.has(node.pos.after(m).key(), depth);
        while moves.taken < limit {
            let i = moves.taken;
            let Some(m) = self.next_move(node, moves, quiescence) else { break };
            moves.taken += 1;
            if i == 0 || !is_busy(m) {
                return Some((i, m));
            }
            moves.deferred.push((i, m));
        }
        let at = moves.deferred.iter().position(|(_, m)| !is_busy(*m)).unwrap_or(0);
        (!moves.deferred.is_empty()).then(|| moves.deferred.remove(at))
    }

    /// The next move to try: the table's, then the best of the list, which is generated when it is needed.
    fn next_move(
        &mut self,
        node: &Node<'_, G>,
        moves: &mut MovePicker<G::Move>,
        quiescence: bool,
    ) -> Option<G::Move> {
        if moves.taken == 0 && moves.tt_move.is_some() {
            return moves.tt_move;
        }
        if !moves.listed {
            let (pos, judge, list) = (node.pos, self.evaluator, &mut moves.list);
            self.generate_moves(pos, node.ply, list);
            if quiescence {
                list.retain(|(_, _, m)| judge.is_noisy(pos, *m));
            }
            let at = moves.tt_move.and_then(|first| list.iter().position(|(_, _, m)| *m == first));
            at.map(|at| list.swap_remove(at));
            moves.listed = true;
        }
        moves.next(moves.taken - usize::from(moves.tt_move.is_some()))
    }

    /// The moves of a node with their ordering scores.
    fn generate_moves(&mut self, pos: &G, ply: usize, out: &mut Vec<ScoredMove<G::Move>>) {
        let player = pos.turn();
        let (judge, moves) = (self.evaluator, &mut self.generated);
        moves.clear();
        pos.append_moves(moves);
        judge.prune(pos, moves, |m| *m);
        if ply == 0 {
            if moves.is_empty() {
                // Even a lost game needs a move.
                pos.append_moves(moves);
            }
            moves.retain(|m| !self.excluded.contains(m));
        }
        let history = self.history.at(ply, player);
        let scored =
            |(index, m): (u16, &G::Move)| (history.score(*m, judge.history_slot(*m)), index, *m);
        out.clear();
        out.extend((0u16..).zip(moves.iter()).map(scored));
        judge.score_moves(pos, &self.states[ply], out);
    }

    /// Rewards the move that caused a beta cutoff and penalises those tried before it.
    pub(super) fn update_history(
        &mut self,
        node: &Node<'_, G>,
        m: G::Move,
        tried: impl Iterator<Item = G::Move>,
        depth: i32,
    ) {
        let (player, depth) = (node.pos.turn(), depth.max(1));
        for other in tried.filter(|other| *other != m) {
            self.history.penalise(player, self.evaluator.history_slot(other), depth);
        }
        self.history.reward(node.ply, m, player, self.evaluator.history_slot(m), depth);
    }
}
