//! Completes lines to whole turns: where a turn takes several moves, a search may end its line in the middle.

use crate::evaluate::{Evaluate, score_moves};
use crate::score::win_after;
use crate::transposition::TranspositionTable;
use rules::{Game, Outcome};

/// Whether a move ended its player's turn.
pub(crate) fn ends_turn<G: Game>(pos: &G, next: &G) -> bool {
    next.turn() != pos.turn() || next.outcome().is_some()
}

/// The position at the end of a line, and how many of its moves form whole turns.
fn follow<G: Game>(start: &G, line: &[G::Move]) -> (G, usize) {
    let (mut pos, mut whole) = (start.clone(), 0);
    for (m, number) in line.iter().zip(1..) {
        let next = pos.after(*m);
        if ends_turn(&pos, &next) {
            whole = number;
        }
        pos = next;
    }
    (pos, whole)
}

/// Cuts or completes a line to whole turns without a search. A search that was stopped early may have left
/// the first turn incomplete or empty: it is completed by the table's moves, or else by one that wins or
/// comes first in move ordering.
pub(crate) fn make_whole<G: Game, E: Evaluate<Game = G>>(
    start: &G,
    line: &mut Vec<G::Move>,
    judge: &E,
    tt: &TranspositionTable,
) {
    loop {
        let (pos, whole) = follow(start, line);
        if whole > 0 {
            return line.truncate(whole);
        }
        let Some(m) = known_move(&pos, judge, tt).or_else(|| best_looking_move(&pos, judge)) else {
            return;
        };
        line.push(m);
    }
}

/// The best move in the transposition table.
fn known_move<G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    judge: &E,
    tt: &TranspositionTable,
) -> Option<G::Move> {
    let m = G::unpack(tt.probe(judge.key(pos))?.best?)?;
    pos.is_legal(m).then_some(m)
}

/// A move that wins in this turn, or the first by move ordering.
fn best_looking_move<G: Game, E: Evaluate<Game = G>>(pos: &G, judge: &E) -> Option<G::Move> {
    let wins = |m: &G::Move| {
        let next = pos.after(*m);
        next.outcome() == Some(Outcome::Win(pos.turn()))
            || !ends_turn(pos, &next) && judge.known(&next) == Some(win_after(1))
    };
    let moves = pos.moves();
    if let Some(m) = moves.iter().copied().find(wins) {
        return Some(m);
    }
    let mut scored: Vec<_> = (0u16..).zip(&moves).map(|(index, m)| (0, index, *m)).collect();
    judge.prune(pos, &mut scored, |(_, _, m)| *m);
    if scored.is_empty() {
        return moves.first().copied();
    }
    score_moves(judge, pos, &mut scored);
    let first = |(worth, index, _): &(i32, u16, G::Move)| (*worth, std::cmp::Reverse(*index));
    scored.into_iter().max_by_key(first).map(|(_, _, m)| m)
}
