//! Perft: counts the leaf nodes of the game tree, the first check of any move generator.

use crate::game::Game;

/// The number of sequences of `depth` moves from a position; the last move is made too, not just counted.
///
/// ```
/// use rules::{Game, gekitai::Gekitai, perft::perft};
/// assert_eq!(perft(&Gekitai::new(&Default::default())?, 2), 1_260);
/// # Ok::<(), rules::SetupError>(())
/// ```
pub fn perft<G: Game>(pos: &G, depth: u32) -> u64 {
    walk(pos, depth, false, &mut Vec::new())
}

/// As [`perft`], but counting whole turns.
pub fn perft_turns<G: Game>(pos: &G, turns: u32) -> u64 {
    walk(pos, turns, true, &mut Vec::new())
}

/// One buffer of moves serves all depths: each keeps its own after those of its parents.
fn walk<G: Game>(pos: &G, depth: u32, turns: bool, moves: &mut Vec<G::Move>) -> u64 {
    if depth == 0 {
        return 1;
    }
    let first = moves.len();
    pos.append_moves(moves);
    let mut count = 0;
    for i in first..moves.len() {
        // Made in place: copying a position right after writing to it would stall.
        let mut next = pos.clone();
        next.play_unchecked(moves[i]);
        let left = depth - u32::from(!turns || next.turn() != pos.turn());
        count += match left {
            0 => {
                // The last move is made too: it is what the benchmark measures.
                std::hint::black_box(&next);
                1
            }
            left => walk(&next, left, turns, moves),
        };
    }
    moves.truncate(first);
    count
}
