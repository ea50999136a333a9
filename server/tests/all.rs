//! All tests of the server that go through its requests, in one binary.

mod api;
mod boards;
mod common;
mod contrast;
mod safety;
mod seats;
mod sockets;
mod store;
