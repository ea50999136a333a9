//! Servers that share a database.

mod lost;
mod shared;
