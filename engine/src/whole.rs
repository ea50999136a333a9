//! Lines of whole turns: where a turn takes several moves, a search may end its line between them.

use crate::cache::Cache;
use crate::evaluate::{Evaluate, weigh};
use crate::score::win_after;
use rules::{Game, Outcome};

/// Whether a move has ended the turn of its player.
pub(crate) fn ends_turn<G: Game>(pos: &G, next: &G) -> bool {
    next.turn() != pos.turn() || next.outcome().is_some()
}

/// Whether the next move leaves its player with more to do.
pub(crate) fn takes_more_moves<G: Game>(pos: &G) -> bool {
    pos.moves().first().is_some_and(|m| !ends_turn(pos, &pos.after(*m)))
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

/// The position after a line that does not complete its first turn.
pub(crate) fn within_first_turn<G: Game>(start: &G, line: &[G::Move]) -> Option<G> {
    let (pos, whole) = follow(start, line);
    (whole == 0).then_some(pos)
}

/// Goes on with a line that ends within a turn as long as the table knows how: that is what cut it short.
pub(crate) fn extend<G: Game, E: Evaluate<Game = G>>(
    start: &G,
    line: &mut Vec<G::Move>,
    judge: &E,
    cache: &Cache,
) {
    let (mut pos, whole) = follow(start, line);
    while (whole < line.len() || line.is_empty())
        && let Some(m) = known_move(&pos, judge, cache)
    {
        line.push(m);
        let next = pos.after(m);
        if ends_turn(&pos, &next) {
            return;
        }
        pos = next;
    }
}

/// Makes a line end with a turn, without looking at another position. A first turn that the table does
/// not complete is completed by what wins or looks best, a later one is dropped.
pub(crate) fn make_whole<G: Game, E: Evaluate<Game = G>>(
    start: &G,
    line: &mut Vec<G::Move>,
    judge: &E,
    cache: &Cache,
) {
    extend(start, line, judge, cache);
    let (_, whole) = follow(start, line);
    if whole > 0 {
        return line.truncate(whole);
    }
    while let Some(pos) = within_first_turn(start, line)
        && let Some(m) = best_looking_move(&pos, judge)
    {
        line.push(m);
    }
}

/// The best move that the table knows.
fn known_move<G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    judge: &E,
    cache: &Cache,
) -> Option<G::Move> {
    let best = cache.get(judge.key(pos))?.best?;
    pos.moves().get(usize::from(best)).copied()
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
    let mut selected: Vec<_> = (0u16..).zip(moves.iter().copied()).collect();
    judge.select(pos, &mut selected);
    if selected.is_empty() {
        return moves.first().copied();
    }
    let mut weighed: Vec<_> = selected.into_iter().map(|(index, m)| (0, index, m)).collect();
    weigh(judge, pos, &mut weighed);
    let first = |(worth, index, _): &(i32, u16, G::Move)| (*worth, std::cmp::Reverse(*index));
    weighed.into_iter().max_by_key(first).map(|(_, _, m)| m)
}
