//! Everything a server takes from outside: time, randomness, threads, the store and the other servers. A simulation
//! provides its own, so that a run can be repeated from its seed.

use crate::clocks::time::{Machine, Source};
use crate::cluster::news::{Inbox, News};
use crate::ids::{Chance, System};
use crate::store::disk::Disk;
#[cfg(feature = "many")]
use crate::store::postgres::link::Database;
use crate::work::engines::Search;
use std::sync::Arc;

/// The surroundings of a server.
pub struct Outside {
    pub source: Arc<dyn Source>,
    pub chance: Arc<dyn Chance>,
    /// Simulated surroundings instead of threads, files and connections.
    pub simulated: Option<Simulated>,
}

impl Default for Outside {
    fn default() -> Outside {
        Outside::with_clock(Arc::new(Machine::default()))
    }
}

impl Outside {
    /// The real world, but with this clock.
    pub fn with_clock(source: Arc<dyn Source>) -> Outside {
        Outside { source, chance: Arc::new(System), simulated: None }
    }
}

pub struct Simulated {
    /// How long searches take.
    pub search: Search,
    pub store: SimulatedStore,
    /// Channels to and from the other servers.
    pub news: Option<(News, Inbox)>,
}

/// Where a simulated server keeps its games.
pub enum SimulatedStore {
    /// In the SQLite file of the configuration, on this disk.
    File(Arc<dyn Disk>),
    /// In a shared database; the number identifies the server there.
    #[cfg(feature = "many")]
    Database(Arc<dyn Database>, u64),
}
