//! What a game teaches the search: estimates, certain knowledge, and which moves look good.

use crate::score::Score;
use crate::solve::complete::Solved;
use crate::solve::retrograde::Value;
use rules::Game;
use std::hash::{Hash, Hasher};
use std::path::Path;

/// The judgement of one game. Everything but `evaluate` may be left as it is.
pub trait Evaluate<G: Game>: Send + Sync {
    /// An estimate for the player to move.
    fn evaluate(&self, pos: &G) -> Score;

    /// What is certain without search: a proven score, counted from this position.
    fn known(&self, _pos: &G) -> Option<Score> {
        None
    }

    /// Whether `known` is certain to see a win with this turn, if there is one.
    fn overlooks_no_win(&self, _pos: &G) -> bool {
        false
    }

    /// How the moves end that carry out wins which `known` sees beyond this turn, and how many of them it
    /// may take: for certificates, which must not rely on `known`.
    fn forcing(&self, _pos: &G) -> Option<(String, u32)> {
        None
    }

    /// The exact result and distance of a position, where a table is installed that has it.
    fn exact(&self, _pos: &G) -> Option<Value> {
        None
    }

    /// Solves every position of the game with the options of this one into a file, where there is a table
    /// for that. `go_on` hears how far it is and says whether to go on.
    fn tabulate(
        &self,
        _pos: &G,
        _file: &Path,
        _go_on: &mut dyn FnMut(String) -> bool,
    ) -> Option<Result<Box<dyn Solved<G>>, String>> {
        None
    }

    /// Drops moves that are certain to lose at once or to gain nothing over others. May drop all: then
    /// every move loses as `hopeless` says.
    fn select(&self, _pos: &G, _moves: &mut Vec<(u16, G::Move)>) {}

    /// The score when `select` has dropped every move.
    fn hopeless(&self, _pos: &G) -> Score {
        -crate::score::win_after(2)
    }

    /// Whether the position is too lively to be estimated: the search goes on at depth zero.
    fn is_lively(&self, _pos: &G) -> bool {
        false
    }

    /// Whether `is_noisy` may hold for any move here.
    fn has_noise(&self, _pos: &G) -> bool {
        false
    }

    /// Whether a move is followed even where quiet ones are not: a capture, say.
    fn is_noisy(&self, _pos: &G, _m: G::Move) -> bool {
        false
    }

    /// Whether a move costs no depth.
    fn is_free(&self, _pos: &G, _m: G::Move, _next: &G) -> bool {
        false
    }

    /// How good a move looks; larger is tried earlier. Must stay below a million either way.
    fn promise(&self, _pos: &G, _m: G::Move) -> i32 {
        0
    }

    /// How many of the best-looking moves are tried at so many moves from the horizon. The others are
    /// looked at only if all of these lose.
    fn width(&self, _depth: i32) -> usize {
        usize::MAX
    }

    /// Adds to each move of a list, which begins with its worth, how good it looks.
    fn weigh(&self, pos: &G, moves: &mut [(i32, u16, G::Move)]) {
        for (worth, _, m) in moves {
            *worth += self.promise(pos, *m);
        }
    }

    /// Where a move is counted in the table of past successes.
    fn slot(&self, m: G::Move) -> usize {
        let mut hasher = Mixer(0);
        m.hash(&mut hasher);
        (hasher.finish() >> (64 - SLOT_BITS)) as usize
    }

    /// The key under which the table keeps the position; may be the same for mirror images.
    fn key(&self, pos: &G) -> u64 {
        pos.key()
    }

    /// Reads what `book` needs, so that no turn has to wait for it.
    fn prepare(&self) {}

    /// A move of a strategy that is proven to win, and in how many turns of the mover it does at most.
    fn book(&self, _pos: &G) -> Option<(G::Move, u32)> {
        None
    }

    /// Whether a proof search pays before the main search.
    fn proves(&self) -> bool {
        false
    }

    /// Within how many turns a win is looked for exactly before the main search, where that pays.
    fn exact_turns(&self) -> u32 {
        0
    }

    /// What a clear advantage is worth, for players that err on purpose.
    fn unit(&self) -> i32 {
        100
    }

    /// The key under which proofs are kept: the same for all positions that a symmetry makes equal.
    fn proof_key(&self, pos: &G) -> u64 {
        pos.key()
    }
}

/// The table of past successes has two to the power of this many places.
pub const SLOT_BITS: u32 = 12;

/// A quick hash of small values.
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64((*byte).into());
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(n.into());
    }

    fn write_isize(&mut self, n: isize) {
        self.write_u64(n as u64);
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Evaluates by a hash of the position: worthless for play, priceless for tests, since every mistake
/// of a search changes the result.
#[derive(Debug, Default)]
pub struct HashEvaluate;

impl<G: Game> Evaluate<G> for HashEvaluate {
    fn evaluate(&self, pos: &G) -> Score {
        (pos.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as Score % 2_000 - 1_000
    }
}
