//! Servers that share a database.

mod failover;
mod faults;
mod lost;
pub mod shared;
mod standby;
mod stuck;
mod versions;
