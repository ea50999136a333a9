//! Proofs: who wins for certain.

pub mod proof;
pub mod strategy;
