//! What each game contributes to the search: its evaluator and its parameters.

pub mod gekitai;
pub mod glaisher;
pub mod jeson_mor;
mod seen;
pub mod six_making;

use crate::levels::{self, Skills};
use crate::seed::Seed;
use crate::solve::Prove;
#[cfg(not(target_family = "wasm"))]
use crate::solve::atlas::Row;
use rules::{Notation, Show, Symmetric};
pub use seen::Judgement;

/// A game that the engine plays.
pub trait Play: Notation + Show + Symmetric {
    /// The game's evaluator.
    type Judge: Prove<Game = Self> + Default + 'static;
    /// The evaluator without a net; games without nets have only one.
    fn by_hand() -> Self::Judge {
        Self::Judge::default()
    }

    /// The players and the evaluation of the game's original program, if any.
    const SEED: Option<Seed<Self>> = None;
    /// The parameters of the levels.
    const SKILLS: Skills = levels::USUAL;
    /// How much stronger than `beginner` each level is, in Elo (`quadrille baselines`); empty if nobody measured it.
    const LEVEL_ELO: &'static [i32] = &[];
    /// The score at which 73 of 100 games are won, fitted to games by `examples/curve.rs`.
    const LOG_ODDS: f64 = 100.0;
    /// The depth of the bench, which should take about a second.
    const BENCH_DEPTH: u32;
    /// The most turns a puzzle may take to win.
    const PUZZLE_TURNS: u32 = 5;
    /// No other turn of a puzzle may win within this many turns more than the solution.
    const PUZZLE_MARGIN: u32 = 1;
    /// Whether puzzles are rated by a search without `known`, with which all would be easy.
    const PUZZLE_RATED_BLIND: bool = false;
    /// The positions of the game's atlas.
    #[cfg(not(target_family = "wasm"))]
    fn atlas() -> Vec<Row> {
        Vec::new()
    }
    /// Whether certificates about the game come with the program. If not, the WebAssembly program leaves out
    /// the code that follows them.
    const HAS_PROOFS: bool = false;
}

/// Every whole turn, move by move, with the position after it.
pub(crate) fn whole_turns<G: Play>(pos: &G) -> Vec<(Vec<G::Move>, G)> {
    let mut turns = Vec::new();
    pos.each_turn(|moves, next| turns.push((moves.to_vec(), next)));
    turns
}
