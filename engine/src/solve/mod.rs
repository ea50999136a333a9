//! Proofs: who wins for certain, and how anyone can check it.

pub mod bound;
pub mod certificate;
pub mod check;
mod checkpoint;
pub mod complete;
pub mod knights;
mod knowledge;
pub mod proof;
pub mod question;
pub mod report;
pub mod retrograde;
pub mod strategy;
pub mod table;

pub use knights::{Exact, install, results};
pub use knowledge::Prove;
