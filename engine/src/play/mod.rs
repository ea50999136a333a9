//! What each game teaches the search.

pub mod gekitai;
pub mod glaisher;
pub mod jeson_mor;
pub mod six_making;

use crate::evaluate::Evaluate;
use crate::seed::Seed;
use rules::{Notation, Show, Symmetric};

/// A game that the engine plays.
pub trait Play: Notation + Show + Seed + Symmetric {
    /// Its judgement.
    type Judge: Evaluate<Self> + Default + 'static;
    /// How deep the bench looks: a second or so for all its positions.
    const BENCH_DEPTH: u32;
}

impl Play for rules::gekitai::Gekitai {
    type Judge = gekitai::Judge;
    const BENCH_DEPTH: u32 = 6;
}
impl Play for rules::glaisher::Glaisher {
    type Judge = glaisher::Judge;
    const BENCH_DEPTH: u32 = 4;
}
impl Play for rules::jeson_mor::JesonMor {
    type Judge = jeson_mor::Judge;
    const BENCH_DEPTH: u32 = 7;
}
impl Play for rules::six_making::SixMaking {
    type Judge = six_making::Judge;
    const BENCH_DEPTH: u32 = 6;
}
