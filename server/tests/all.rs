//! All tests that send requests to the server, in one binary.

mod admin;
mod api;
mod boards;
mod clocks;
mod club;
mod common;
mod contrast;
mod formats;
mod laws;
mod many;
mod meeting;
mod openapi;
#[cfg(unix)]
mod prices;
#[path = "../examples/bots/routes.rs"]
mod routes;
mod safety;
mod schemas;
mod seats;
mod simulation;
mod sockets;
mod store;
mod stores;
#[cfg(unix)]
mod work;
