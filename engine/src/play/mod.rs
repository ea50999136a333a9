//! What each game teaches the search.

pub mod gekitai;
pub mod glaisher;
pub mod jeson_mor;
pub mod six_making;

use crate::evaluate::Evaluate;
use crate::seed::Seed;
use rules::{Notation, Show};

/// A game that the engine plays.
pub trait Play: Notation + Show + Seed {
    /// Its judgement.
    type Judge: Evaluate<Self> + Default + 'static;
}

impl Play for rules::gekitai::Gekitai {
    type Judge = gekitai::Judge;
}
impl Play for rules::glaisher::Glaisher {
    type Judge = glaisher::Judge;
}
impl Play for rules::jeson_mor::JesonMor {
    type Judge = jeson_mor::Judge;
}
impl Play for rules::six_making::SixMaking {
    type Judge = six_making::Judge;
}
