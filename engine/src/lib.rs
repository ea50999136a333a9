//! Search and evaluation, and the layer that user interfaces use.
//!
//! The rules are in `quadrille-rules`, generic over the game. Here they are erased: a [`Session`] is a
//! match of any game, and [`GAMES`] lists them all. This crate never prints.

// The checksums of the data files are computed at compile time, over megabytes of certificates.
#![cfg_attr(target_family = "wasm", allow(long_running_const_eval))]

pub mod arena;
pub mod beginner;
pub mod bench;
mod brain;
pub mod busy;
pub mod control;
#[cfg(not(target_family = "wasm"))]
pub mod data;
pub mod evaluate;
pub mod levels;
pub mod net;
mod order;
pub mod parts;
pub mod play;
pub mod playouts;
pub mod puzzles;
pub mod registry;
pub mod score;
pub mod search;
pub mod seed;
pub mod session;
pub mod solve;
pub mod think;
pub mod thinker;
pub mod transposition;
pub mod who;
mod whole;

pub use control::{Limits, Stop};
pub use registry::{Entry, GAMES, find};
pub use session::{Session, Step};
pub use thinker::{AnalysedLine, Analysis, Thinker};
pub use who::Who;
