//! Servers that share a database.

mod faults;
mod lost;
mod shared;
mod versions;
