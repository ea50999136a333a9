//! What operators do with stored games: list and delete them, remove names, ban addresses.
//!
//! Two extra tables let servers notice it. They are created when missing and need no new format, since older versions
//! ignore them.

use super::{Reply, StoreError};
use crate::ids::Hash;
use rules::Player;

/// A stored game as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub game: String,
    /// The payload of its first event; none if that was deleted.
    pub created: Option<String>,
    /// The number of the last event.
    pub last: i64,
    pub turns: i64,
    pub began: i64,
    pub last_at: i64,
    pub finished: bool,
    /// Whether a player's clock runs.
    pub running: bool,
}

/// An address or network whose requests are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Banned {
    pub network: String,
    pub since: i64,
    /// When the ban expires, if it does.
    pub until: Option<i64>,
    pub reason: String,
}

pub trait Upkeep: Send + Sync {
    /// Creates the tables.
    fn prepare(&self) -> Reply<'_, ()>;

    /// Up to `most` games after this id, in alphabetical order.
    fn summaries<'a>(&'a self, after: &'a str, most: usize) -> Reply<'a, Vec<Summary>>;

    /// The number of a game's last event, even if events before it are missing.
    fn last_event<'a>(&'a self, game: &'a str) -> Reply<'a, Option<i64>>;

    /// Deletes everything stored about a game; if `last` is given, only if that is still its last event. Returns
    /// whether anything was deleted. An append that runs at the same time may leave events without the ones before
    /// them, which no server reads; deleting again removes them.
    fn delete<'a>(&'a self, game: &'a str, last: Option<i64>) -> Reply<'a, bool>;

    /// The seats that a token plays.
    fn seats_of(&self, token: Hash) -> Reply<'_, Vec<(String, Player)>>;

    /// Scans up to `most` games after this id. Returns the last id, and those with an event that mentions this name.
    fn named<'a>(
        &'a self,
        name: &'a str,
        after: &'a str,
        most: usize,
    ) -> Reply<'a, (Option<String>, Vec<String>)>;

    /// Replaces the JSON of events, by number, and deletes the tokens of seats.
    fn rewrite<'a>(
        &'a self,
        game: &'a str,
        events: Vec<(i64, String)>,
        tokens: Vec<Player>,
    ) -> Reply<'a, ()>;

    fn bans(&self) -> Reply<'_, Vec<Banned>>;

    fn ban(&self, banned: Banned) -> Reply<'_, ()>;

    /// Returns whether the network was banned.
    fn unban<'a>(&'a self, network: &'a str) -> Reply<'a, bool>;

    /// Games that any server has deleted or rewritten in the last minutes, each with the number of that change. Only a
    /// shared store has to report them.
    fn changed(&self) -> Reply<'_, Vec<(i64, String)>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// Seats as the table `tokens` numbers them.
pub(super) fn seat(game: String, seat: i64) -> Result<(String, Player), StoreError> {
    let number = u8::try_from(seat).unwrap_or(u8::MAX);
    let seat = Player::try_from(number).map_err(StoreError::Damaged)?;
    Ok((game, seat))
}

/// A name as it appears in the JSON of an event.
pub(super) fn name_in_json(name: &str) -> String {
    format!("\"name\":{}", serde_json::Value::from(name))
}
