//! Between the program and the shell that started it: turns arguments and files into positions, mistyped words into
//! suggestions, Ctrl-C into a stop, long work into a line of progress, and errors into exit codes.
//!
//! Used by commands, `lines` and `tui`. It uses `cli` and `table`, and starts neither a command nor a screen.

pub mod effort;
pub mod failure;
pub mod input;
pub mod interrupt;
pub mod progress;
pub mod signals;
pub mod similar;
