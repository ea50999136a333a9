//! Lines of whole turns: where a turn takes several moves, a search may end its line between them.

use crate::cache::Cache;
use crate::evaluate::{Evaluate, weigh};
use crate::score::win_after;
use rules::{Game, Outcome};

/// Whether a move has ended the turn of its player.
pub(crate) fn ends_turn<G: Game>(pos: &G, next: &G) -> bool {
    next.turn() != pos.turn() || next.outcome().is_some()
}

/// Where a line ends, and how many of its moves make whole turns.
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

/// Makes a line end with a turn, without looking at another position. A search that had to end early may
/// have left the first turn unfinished, or none: the table's move completes it, or what wins or looks best.
pub(crate) fn make_whole<G: Game, E: Evaluate<Game = G>>(
    start: &G,
    line: &mut Vec<G::Move>,
    judge: &E,
    cache: &Cache,
) {
    loop {
        let (pos, whole) = follow(start, line);
        if whole > 0 {
            return line.truncate(whole);
        }
        let Some(m) = known_move(&pos, judge, cache).or_else(|| best_looking_move(&pos, judge))
        else {
            return;
        };
        line.push(m);
    }
}

/// The best move that the table knows.
fn known_move<G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    judge: &E,
    cache: &Cache,
) -> Option<G::Move> {
    let m = G::unpack(cache.get(judge.key(pos))?.best?)?;
    pos.is_legal(m).then_some(m)
}

/// A move that wins with this turn, or the one that a search would try first.
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
    let mut weighed: Vec<_> = (0u16..).zip(&moves).map(|(index, m)| (0, index, *m)).collect();
    judge.select(pos, &mut weighed, |(_, _, m)| *m);
    if weighed.is_empty() {
        return moves.first().copied();
    }
    weigh(judge, pos, &mut weighed);
    let first = |(worth, index, _): &(i32, u16, G::Move)| (*worth, std::cmp::Reverse(*index));
    weighed.into_iter().max_by_key(first).map(|(_, _, m)| m)
}
