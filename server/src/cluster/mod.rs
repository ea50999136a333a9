//! Servers that share a store notify each other of changes (`news`, over NATS). Every message may be lost: the store
//! is polled anyway.

#[cfg(feature = "many")]
pub mod nats;
pub mod news;
