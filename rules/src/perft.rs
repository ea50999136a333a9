//! Counting the ways a game can go: the first check of any move generator.

use crate::game::Game;

/// The number of ways to play `depth` moves from a position, each of them made.
///
/// ```
/// use quadrille_rules::{Game, gekitai::Gekitai, perft::perft};
/// assert_eq!(perft(&Gekitai::new(&Default::default())?, 2), 1_260);
/// # Ok::<(), quadrille_rules::SetupError>(())
/// ```
pub fn perft<G: Game>(pos: &G, depth: u32) -> u64 {
    walk(pos, depth, false, &mut Vec::new())
}

/// As [`perft`], but counting whole turns.
pub fn perft_turns<G: Game>(pos: &G, turns: u32) -> u64 {
    walk(pos, turns, true, &mut Vec::new())
}

/// One buffer of moves serves all depths: each keeps its own behind those of its parents.
fn walk<G: Game>(pos: &G, depth: u32, turns: bool, moves: &mut Vec<G::Move>) -> u64 {
    if depth == 0 {
        return 1;
    }
    let first = moves.len();
    pos.append_moves(moves);
    let mut count = 0;
    for i in first..moves.len() {
        let next = pos.after(moves[i]);
        let done = !turns || next.turn() != pos.turn();
        count += walk(&next, depth - u32::from(done), turns, moves);
    }
    moves.truncate(first);
    count
}
