//! Servers that share a database.

mod failover;
mod faults;
mod lost;
mod shared;
mod stuck;
mod versions;
