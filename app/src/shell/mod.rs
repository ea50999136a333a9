//! Between the program and the shell that started it: what the user typed or named becomes a position, a
//! mistyped word a suggestion, Ctrl-C a stop, long work a line of progress, and trouble an exit code.
//!
//! Used by commands, `lines` and `tui`. It uses `cli` and `table`, and starts neither a command nor a screen.

pub mod effort;
pub mod failure;
pub mod input;
pub mod interrupt;
pub mod progress;
pub mod signals;
pub mod similar;
