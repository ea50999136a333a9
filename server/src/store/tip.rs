//! The event that an append expects to be the last.

use sha2::{Digest, Sha256};
use std::ops::Deref;
use std::sync::Arc;
use table::event::Event;

/// A stored event. Its number is not enough to identify it: after a failover another event may have the same number.
#[derive(Clone, Debug, PartialEq)]
pub struct Tip(Arc<Event>);

impl Deref for Tip {
    type Target = Event;

    fn deref(&self) -> &Event {
        &self.0
    }
}

impl Tip {
    pub fn of(event: &Event) -> Tip {
        Tip(Arc::new(event.clone()))
    }

    /// The digest of everything stored about the event, in hexadecimal, for stores that compare it themselves.
    #[cfg(feature = "many")]
    pub fn digest(&self) -> String {
        let (kind, payload) = self.stored();
        let seat = self.seat.map_or(0, |seat| seat.number());
        // `postgres::batch::APPEND` computes the same digest. JSON contains no line feeds and the command comes last,
        // so different events give different texts.
        let mut text = format!("{} {} {seat} {kind}\n{payload}", self.seq, self.at);
        self.command.iter().for_each(|command| text.extend(["\n", command]));
        super::hex(&Sha256::digest(text).into())
    }
}
