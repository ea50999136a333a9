//! Identifies the event that an append expects to be the last.

use sha2::{Digest, Sha256};
use table::event::Event;

/// Identifies a stored event. Its number is not enough: after a failover another event may have the same number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tip {
    pub seq: i64,
    pub at: i64,
    /// The digest of everything stored about the event, in hexadecimal.
    pub digest: String,
}

impl Tip {
    pub fn of(event: &Event) -> Tip {
        let (kind, payload) = event.stored();
        let seat = event.seat.map_or(0, |seat| seat.number());
        // `postgres::batch::APPEND` computes the same digest. JSON contains no line feeds and the command comes last,
        // so different events give different texts.
        let mut text = format!("{} {} {seat} {kind}\n{payload}", event.seq, event.at);
        event.command.iter().for_each(|command| text.extend(["\n", command]));
        Tip { seq: event.seq, at: event.at, digest: super::hex(&Sha256::digest(text).into()) }
    }
}
