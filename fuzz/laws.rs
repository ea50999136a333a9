//! The laws of the property tests, for the fuzz targets.

#[path = "../engine/tests/laws/mod.rs"]
mod laws;

pub use laws::*;
