//! Servers that share a database.

mod failover;
mod faults;
mod lost;
pub mod shared;
mod stuck;
mod versions;
