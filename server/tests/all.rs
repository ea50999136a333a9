//! All tests of the server that go through its requests, in one binary.

mod api;
mod boards;
mod clocks;
mod common;
mod contrast;
mod formats;
#[cfg(feature = "many")]
mod many;
#[path = "../examples/bots/routes.rs"]
mod routes;
mod safety;
mod seats;
mod sockets;
mod store;
mod stores;
#[cfg(unix)]
mod work;
