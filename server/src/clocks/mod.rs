//! The server's time. `time` is monotonic; `alarm` ends games whose clock has run out, stores heartbeats, and records
//! the pauses during which nobody could play. How clocks are computed is in `table::clock`.

pub mod alarm;
pub mod time;
