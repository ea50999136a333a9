//! What proofs and tables need of a game, beside what a search asks for.

use super::complete::Solution;
use super::retrograde::Value;
use crate::evaluate::{Evaluate, MoveOf};
use rules::Game;
use std::path::Path;

/// A judgement that helps to prove. Everything may be left as it is.
pub trait Prove: Evaluate {
    /// Whether `known` is certain to see a win with this turn, if there is one.
    fn overlooks_no_win(&self, _pos: &Self::Game) -> bool {
        false
    }

    /// How the moves end that carry out wins which `known` sees beyond this turn, and how many of them it
    /// may take: for certificates, which must not rely on `known`.
    fn forcing(&self, _pos: &Self::Game) -> Option<(String, u32)> {
        None
    }

    /// The key under which proofs are kept: the same for all positions that a symmetry makes equal.
    fn proof_key(&self, pos: &Self::Game) -> u64 {
        pos.key()
    }

    /// Within how many turns a win is looked for exactly before the main search, where that pays.
    fn exact_turns(&self) -> u32 {
        0
    }

    /// Reads what `book` needs, so that no turn has to wait for it.
    fn prepare(&self) {}

    /// A move of a strategy that is proven to win, and in how many turns of the mover it does at most.
    fn book(&self, _pos: &Self::Game) -> Option<(MoveOf<Self>, u32)> {
        None
    }

    /// The exact result and distance of a position, where a table is installed that has it.
    fn exact(&self, _pos: &Self::Game) -> Option<Value> {
        None
    }

    /// Solves every position of the game with the options of this one into a file, where there is a table
    /// for that. Calls `go_on` with how far it is, which says whether to go on.
    fn tabulate(
        &self,
        _pos: &Self::Game,
        _file: &Path,
        _go_on: &mut dyn FnMut(String) -> bool,
    ) -> Option<Result<Solution<Self::Game>, String>> {
        None
    }
}
