//! What each game teaches the search.

pub mod gekitai;
pub mod glaisher;
pub mod jeson_mor;
mod seen;
pub mod six_making;

use crate::levels::{self, Skills};
use crate::seed::Seed;
use crate::solve::Prove;
use rules::{Notation, Show, Symmetric};
pub use seen::Judgement;

/// A game that the engine plays.
pub trait Play: Notation + Show + Symmetric {
    /// What the search knows of the game beyond its rules.
    type Judge: Prove<Game = Self> + Default + 'static;
    /// The judgement that is asked for; the only one where nothing was learned.
    fn judge(_judgement: Judgement) -> Self::Judge {
        Self::Judge::default()
    }

    /// The players and the evaluation of the game's original program, where there is one.
    const SEED: Option<Seed<Self>> = None;
    /// How well the levels play.
    const SKILLS: Skills = levels::USUAL;
    /// The score at which 73 of 100 games are won, fitted to games by `examples/curve.rs`.
    const LOG_ODDS: f64 = 100.0;
    /// How deep the bench looks: a second or so for all its positions.
    const BENCH_DEPTH: u32;
    /// The most turns a puzzle may take to win.
    const PUZZLE_TURNS: u32 = 5;
    /// How many turns later than the solution no other turn of a puzzle wins either.
    const PUZZLE_MARGIN: u32 = 1;
    /// Whether puzzles are rated by a search without what is certain: with it, all are easy.
    const PUZZLE_RATED_BLIND: bool = false;
    /// Whether certificates about the game come with the program. If not, the program of the pages does without
    /// the code that follows them.
    const HAS_PROOFS: bool = false;
}

/// Every whole turn, move by move, with the position after it.
pub(crate) fn whole_turns<G: Play>(pos: &G) -> Vec<(Vec<G::Move>, G)> {
    let mut turns = Vec::new();
    for m in pos.moves() {
        let next = pos.after(m);
        if next.turn() == pos.turn() && next.outcome().is_none() {
            let rest = whole_turns(&next).into_iter();
            turns.extend(rest.map(|(moves, end)| ([vec![m], moves].concat(), end)));
        } else {
            turns.push((vec![m], next));
        }
    }
    turns
}
