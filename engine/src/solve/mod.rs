//! Solvers, and the certificates with which anyone can check their results.

pub mod atlas;
mod attempt;
pub mod bound;
pub mod certificate;
pub mod check;
mod checkpoint;
pub mod closed;
pub mod complete;
mod file;
pub mod follow;
pub mod hold;
pub mod knights;
mod knowledge;
pub mod numbers;
pub mod plain;
pub mod proof;
pub mod question;
pub mod quiet;
pub mod report;
pub mod retrograde;
pub mod shipped;
pub mod strategy;
pub mod table;

pub use file::{LONGEST_LINE, MOST_BYTES, MOST_MOVES, MOST_STORED, MOST_TRIED};
pub use knights::{Exact, install, results};
pub use knowledge::{Numbered, Prove, Within};
