//! The store, the source of truth: what it has not committed has not happened.
//!
//! It is either an SQLite file, which one server has to itself, or a PostgreSQL-compatible database shared by any
//! number of servers.

mod copying;
pub mod disk;
mod file;
pub mod moving;
#[cfg(feature = "many")]
pub mod postgres;
mod readers;
pub mod records;
mod sqlite;
mod sqlite_events;
mod sqlite_records;
mod sqlite_upkeep;
mod tip;
pub mod trouble;
pub mod upkeep;
mod writer;

pub use copying::{copy_file, open_to_read, replace_file};
pub use tip::Tip;

use crate::StartError;
use crate::ids::Hash;
use crate::metrics::Metrics;
use crate::outside::SimulatedStore;
use records::Records;
use rules::{ByPlayer, Player};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use table::event::{Event, Fact};
use tokio::sync::oneshot;
use trouble::Trouble;
use upkeep::Upkeep;

/// The last millisecond of the year 9999; no server wrote anything later.
const LAST_TIME: i64 = 253_402_300_799_999;

/// Why a store operation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A write failed and left nothing behind.
    #[error("the store failed: {0}; nothing was stored, try again")]
    Failed(String),
    /// A write failed and may or may not have been committed.
    #[error(
        "the store failed: {0}; it is not known whether this was stored: repeat the command with the \
         same id, or read the game first"
    )]
    Unknown(String),
    #[error("the store cannot be read now: {0}; try again")]
    Unread(String),
    /// The stored data cannot be what a server wrote.
    #[error("the store is damaged: {0}; the host was told")]
    Damaged(String),
    /// The store has been closed.
    #[error("the server is stopping")]
    Closed,
}

/// An append that tests whether anything can be stored, for the server with this number. No game has such an id, so it
/// does not conflict with real events or another server's probe.
fn probe(server: i64, at: i64) -> Append {
    let fact = Fact::Move { turn: "0".repeat(16), said: None };
    let first = Event { seq: 1, seat: None, at, fact, command: None };
    Append { game: format!("probe {server:x}"), events: vec![first], ..Append::default() }
}

impl StoreError {
    /// The answer to a write that was taken from the queue but never answered.
    fn unanswered() -> StoreError {
        StoreError::Unknown("the writer panicked".into())
    }
}

/// The outcome of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    Committed,
    /// Nothing was stored: the last event of the game is not the expected one, or this command was stored before.
    Conflict,
}

/// A game to be created.
#[derive(Clone, Debug)]
pub struct NewGame {
    pub id: String,
    pub first: Event,
    pub tokens: ByPlayer<Option<Hash>>,
}

/// A change to the running clock of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Running {
    /// A clock runs.
    Until {
        /// When it runs out if there is no pause.
        deadline: i64,
        /// When that was computed.
        at: i64,
    },
    /// No clock runs.
    Stopped,
}

/// Events to be stored in one transaction.
#[derive(Clone, Debug, Default)]
pub struct Append {
    pub game: String,
    /// The event that must be the game's last; none if the game is new.
    pub after: Option<Tip>,
    /// The events, numbered consecutively after that one.
    pub events: Vec<Event>,
    /// Another game to be created in the same transaction.
    pub new_game: Option<NewGame>,
    /// A seat's new token.
    pub token: Option<(Player, Hash)>,
    /// The change to the running clock, if any.
    pub running: Option<Running>,
    /// Whether a computer is to move against a person afterwards; none if that does not change.
    pub computer: Option<bool>,
}

impl Append {
    /// The time of the latest event.
    pub fn at(&self) -> i64 {
        let new = self.new_game.iter().map(|new| new.first.at);
        self.events.iter().map(|event| event.at).chain(new).max().unwrap_or(0)
    }
}

/// A game whose clock runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    pub game: String,
    /// When the clock runs out if there is no pause, and when that was computed; unknown in files of version 0.1.
    pub deadline: Option<(i64, i64)>,
}

/// The future result of a store operation.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Append-only event logs, one for each game. Appends are numbered; a taken number is a conflict, not an error.
pub trait Store: Send + Sync {
    /// Stores events if the game's last event is still the expected one.
    fn append(&self, append: Append) -> Reply<'_, Appended>;

    /// Stores a heartbeat.
    fn beat(&self, at: i64) -> Reply<'_, ()>;

    /// Records a pause. Unless time is owed, its start is moved past anything stored meanwhile, which proves that a
    /// server was running. Returns the pause as recorded, or none if nothing is left of it.
    fn pause(&self, from: i64, to: i64) -> Reply<'_, Option<(i64, i64)>>;

    /// The latest time at which a server is known to have been running, as far as this server knows.
    fn alive(&self) -> i64;

    /// Whether events can be stored at the moment.
    fn trouble(&self) -> &Trouble;

    /// Appends an event at this time and takes it back, to find out whether a move could be stored.
    fn probe(&self, at: i64) -> Reply<'_, ()>;

    /// Since when appends failed, in milliseconds since 1970, if that time is not recorded as a pause yet.
    fn owed(&self) -> Option<i64> {
        self.trouble().owed()
    }

    /// Up to `most` events of a game after a number, consecutive and in order.
    fn events<'a>(&'a self, game: &'a str, after: i64, most: usize) -> Reply<'a, Vec<Event>>;

    /// The hashes of a game's tokens.
    fn tokens<'a>(&'a self, game: &'a str) -> Reply<'a, ByPlayer<Option<Hash>>>;

    fn running(&self) -> Reply<'_, Vec<Runner>>;

    /// The pauses that ended after a time, in order.
    fn pauses(&self, after: i64) -> Reply<'_, Vec<(i64, i64)>>;

    /// Up to `most` game ids after this one, in alphabetical order.
    fn games<'a>(&'a self, after: &'a str, most: usize) -> Reply<'a, Vec<String>>;

    /// Stores pauses copied from another store.
    fn note(&self, pauses: Vec<(i64, i64)>) -> Reply<'_, ()>;

    /// Closes the readers; the writer ends when its queue is closed and empty.
    fn close(&self);

    /// The operations for a store shared by several servers; none if this server has it to itself.
    fn shared(&self) -> Option<&dyn SharedStore> {
        None
    }

    /// The operations for operators, if the store supports them.
    fn upkeep(&self) -> Option<&dyn Upkeep> {
        None
    }

    /// The records kept alongside games, if the store supports them.
    fn records(&self) -> Option<&dyn Records> {
        None
    }
}

/// Coordination between servers that share a store.
pub trait SharedStore: Send + Sync {
    /// The database's clock, but not before the last heartbeat of any server.
    fn now(&self) -> Reply<'_, i64>;

    /// Differs after a standby has taken over, which may have lost what was stored last; none if the database does not
    /// say.
    fn epoch(&self) -> Reply<'_, Option<String>>;

    /// The number and time of the last event of each of these games.
    fn last(&self, games: Vec<String>) -> Reply<'_, Vec<(String, i64, i64)>>;

    /// Games whose clock had run out at a time if there was no pause, earliest first.
    fn overdue(&self, at: i64) -> Reply<'_, Vec<Runner>>;

    /// Leases the computer's turn after an event, unless another server holds the lease; returns whether it did.
    /// Leases of games between computers (`shown`) are dropped some time after they expire.
    fn claim<'a>(&'a self, game: &'a str, seq: i64, shown: bool, at: i64) -> Reply<'a, bool>;

    /// Renews the leases of these games.
    fn renew(&self, games: Vec<String>, at: i64) -> Reply<'_, ()>;

    /// Games in which a computer is to move and the lease has expired.
    fn forsaken(&self, at: i64) -> Reply<'_, Vec<String>>;

    /// Removes the lease of a game's events up to this one.
    fn release<'a>(&'a self, game: &'a str, seq: i64) -> Reply<'a, ()>;
}

/// How many milliseconds a lease on a computer's turn lasts; it is renewed during the search.
pub const LEASE: i64 = 700;

/// Transactions slower than this are logged, because everybody waits for them.
const SLOW: Duration = Duration::from_millis(500);

/// Whether this is the URL of a shared database.
pub fn is_shared(data: &Path) -> bool {
    let text = data.to_str().unwrap_or_default();
    ["postgres://", "postgresql://"].iter().any(|start| text.starts_with(start))
}

/// The store's name for display, without the password.
pub fn name(data: &Path) -> String {
    let text = data.display().to_string();
    if !is_shared(data) {
        return text;
    }
    // User and password end at the last `@`; the password may contain others.
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let path = path.split('?').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// Opens the store of a simulated server.
pub async fn open_simulated(
    data: &Path,
    store: &SimulatedStore,
    metrics: Arc<Metrics>,
) -> Result<(Arc<dyn Store>, oneshot::Receiver<()>), StartError> {
    match store {
        SimulatedStore::File(disk) => {
            let (store, end) = sqlite::Sqlite::open(data, metrics, Some(Arc::clone(disk)))?;
            Ok((Arc::new(store), end))
        }
        #[cfg(feature = "many")]
        SimulatedStore::Database(database, holder) => {
            let open = postgres::Postgres::open_at(database, data, *holder, metrics);
            let (store, end) = open.await?;
            Ok((Arc::new(store), end))
        }
    }
}

/// Opens a store. The receiver resolves when everything has been written.
pub async fn open(
    data: &Path,
    metrics: Arc<Metrics>,
) -> Result<(Arc<dyn Store>, oneshot::Receiver<()>), StartError> {
    if !is_shared(data) {
        let (store, end) = sqlite::Sqlite::open(data, metrics, None)?;
        return Ok((Arc::new(store), end));
    }
    #[cfg(feature = "many")]
    {
        let (store, end) = postgres::Postgres::open(data, metrics).await?;
        Ok((Arc::new(store), end))
    }
    #[cfg(not(feature = "many"))]
    Err(StartError(crate::NOT_MANY.into()))
}

/// A row of the table `events`.
struct Row {
    seq: i64,
    kind: String,
    payload: String,
    seat: Option<i64>,
    command: Option<String>,
    at: i64,
}

impl Row {
    /// Parses and checks the event.
    fn event(self) -> Result<Event, StoreError> {
        let Row { seq, kind, payload, seat, command, at } = self;
        let damaged = |reason: String| StoreError::Damaged(format!("event {seq}: {reason}"));
        let fact = Event::fact(&kind, &payload).map_err(|error| damaged(error.to_string()))?;
        let number = |seat: i64| u8::try_from(seat).unwrap_or(u8::MAX);
        let seat = seat.map(|seat| Player::try_from(number(seat))).transpose().map_err(damaged)?;
        if !(0..=LAST_TIME).contains(&at) {
            return Err(damaged(format!("its time is {at}")));
        }
        Ok(Event { seq, seat, at, fact, command })
    }
}

/// Drops the events after the first missing number. Versions before 0.2.1 could leave such a gap when a failover lost
/// events and others were appended after them.
fn unbroken(game: &str, after: i64, mut events: Vec<Event>) -> Vec<Event> {
    let whole = (after + 1..).zip(&events).take_while(|(seq, event)| event.seq == *seq).count();
    if whole < events.len() {
        let missing = after + 1 + whole as i64;
        tracing::warn!(game, missing, "an event is missing; events after it are ignored");
        events.truncate(whole);
    }
    events
}

/// Reads the tokens of a game, by seat.
fn tokens(
    rows: impl IntoIterator<Item = (i64, String)>,
) -> Result<ByPlayer<Option<Hash>>, StoreError> {
    let mut tokens = ByPlayer::both(None);
    for (number, hash) in rows {
        let seat = u8::try_from(number).ok().and_then(|number| Player::try_from(number).ok());
        let (Some(seat), Some(hash)) = (seat, unhex(&hash)) else {
            return Err(StoreError::Damaged(format!("the token of seat {number}")));
        };
        tokens[seat] = Some(hash);
    }
    Ok(tokens)
}

pub fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn unhex(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    for (i, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_store_holds_no_password() {
        for (data, told) in [
            ("/var/games.db", "/var/games.db"),
            ("postgres://ann:p@ss@db.example:5432/games", "postgres://db.example:5432/games"),
            ("postgres://ann:secret@db1:1,db2/games", "postgres://db1:1,db2/games"),
            ("postgresql://db/games?password=secret", "postgresql://db/games"),
            ("postgres://ann:secret@db?sslmode=require", "postgres://db"),
        ] {
            assert_eq!(name(Path::new(data)), told);
        }
    }
}
