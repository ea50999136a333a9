//! Where people meet: players without accounts, the lobby, ratings, and the archive of public games. `docs/http.md`
//! documents the API.
//!
//! Everything is stored as records, which are changed in atomic transactions with optimistic concurrency; what is in
//! memory here is a copy for readers. The keys:
//!
//! | key | |
//! |---|---|
//! | `player/ID`, `key/HASH`, `name/LOOKS` | a player, and who has a key or a name |
//! | `invite/HASH`, `setting/NAME` | invitations, what operators set |
//! | `gone/ID`, `renamed/ID` | players whose names in games are still to be removed, or replaced |
//! | `challenge/ID`, `server/ID`, `live/ID` | challenges, the servers their makers are connected to, who plays now |
//! | `game/ID`, `running/PLAYER/ID`, `watch/STRENGTH ID` | public games that are not over |
//! | `off/PLAYER/TIME ID` | public games that were called off before both had moved |
//! | `a/TIME ID`, `ap/PLAYER/…`, `ag/GAME/…`, `p/POSITION…` | public games that are over, by player, game and position |
//! | `o/GAME/TIME ID`, `c/GAME`, `rh/PLAYER/GAME/TIME ID` | rated games in their order, how far they are rated, the ratings after each |
//!
//! The last three rows follow from the events of games alone.

pub mod archive;
pub mod deleted;
pub mod explore;
pub mod games;
pub mod lobby;
pub mod meet;
pub mod names;
pub mod news;
pub mod office;
pub mod pairing;
pub mod players;
pub mod ratings;
pub mod rebuild;
pub mod schema;

use crate::games::hall::Hall;
use crate::store::records::{Records, Stored};
use serde::Serialize;
use serde::de::DeserializeOwned;
use table::Refusal;

/// How often a change is retried after a conflict.
const TRIES: usize = 12;

/// The club's state in memory.
#[derive(Default)]
pub struct Club {
    pub known: players::Known,
    pub lobby: lobby::Lobby,
    pub games: games::Heard,
}

pub fn records(hall: &Hall) -> Result<&dyn Records, Refusal> {
    hall.store.records().ok_or_else(|| Refusal::unavailable("this store keeps only games"))
}

/// The record with this key.
async fn record(hall: &Hall, key: String) -> Result<Option<Stored>, Refusal> {
    Ok(records(hall)?.get(vec![key]).await?.pop())
}

/// The value of a record.
fn value<T: DeserializeOwned>(stored: &Stored) -> Result<T, Refusal> {
    serde_json::from_str(&stored.value).map_err(|error| {
        tracing::error!(key = stored.key, %error, "a record is damaged");
        Refusal::broken(format!("the record `{}` is damaged; the host was told", stored.key))
    })
}

fn text(value: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(value).map_err(Refusal::broken)
}

/// The last part of a record's key.
fn last_part(stored: &Stored) -> &str {
    stored.key.rsplit('/').next().unwrap_or_default()
}

/// The refusal after too many conflicts.
fn busy() -> Refusal {
    Refusal::unavailable("too many changes at the same time, try again")
}
