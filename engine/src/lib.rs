//! What a good move is, and the layer that user interfaces see.
//!
//! The rules are in `quadrille-rules`, generic over the game. Here they are erased: a [`Session`] is a
//! match of any game, and [`GAMES`] lists them all. This crate never prints.

pub mod playouts;
pub mod registry;
pub mod session;

pub use registry::{Entry, GAMES, find};
pub use session::{Session, Step};
