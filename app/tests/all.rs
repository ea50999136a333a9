//! All tests of the program as its users run it, in one binary.

mod arena;
mod browser;
mod cli;
mod deploy;
mod documents;
mod faults;
mod floods;
mod hostile;
mod kill;
mod lines;
#[cfg(feature = "many")]
mod many;
mod protocols;
mod serve;
mod siege;
mod solve;
mod terminal;
mod transports;
mod wasm;
mod wire;
