//! All tests of the program as its users run it, in one binary.

mod architecture;
mod arena;
mod browser;
mod cli;
mod club;
mod data;
mod deploy;
mod documents;
mod faults;
mod fifth;
mod floods;
mod hostile;
mod kill;
mod limits;
mod lines;
#[cfg(feature = "many")]
mod many;
#[cfg(unix)]
mod operator;
mod protocols;
mod results;
mod review;
mod serve;
mod siege;
mod solve;
mod terminal;
mod transports;
mod wasm;
mod wire;

/// Whether all cases are wanted, as `./check --long` wants them.
fn is_long() -> bool {
    std::env::var_os("QUADRILLE_LONG").is_some()
}
