//! The store: the one truth. Whatever it has not committed has not happened.
//!
//! It is a file of SQLite, which one server has for itself, or a database that speaks the protocol of
//! PostgreSQL, which any number of servers share.

mod file;
#[cfg(feature = "many")]
mod postgres;
mod readers;
mod sqlite;
mod writer;

use crate::StartError;
use crate::event::{Event, Tip};
use crate::ids::Hash;
use crate::metrics::Metrics;
use rules::Player;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// The last millisecond of the year 9999. What is later was not written by a server.
const LAST_TIME: i64 = 253_402_300_799_999;

/// Why the store did not do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A write failed, and left nothing behind.
    #[error("the store failed: {0}; nothing was stored, try again")]
    Failed(String),
    /// A write failed in a way that leaves its outcome open.
    #[error(
        "the store failed: {0}; it is not known whether this was stored: repeat the command under the \
         same name, or look at the game first"
    )]
    Unknown(String),
    /// A read failed.
    #[error("the store cannot be read now: {0}; try again")]
    Unread(String),
    /// What is in the file cannot be what was written.
    #[error("the store is damaged: {0}; the host was told")]
    Damaged(String),
    /// It has been closed.
    #[error("the server is stopping")]
    Closed,
}

/// What came of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is stored for good.
    Committed,
    /// Nothing was stored: the last event of the game is not the one that was named, or this command was
    /// received before.
    Conflict,
}

/// A game to be made: its first event and its tokens.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// Its id.
    pub id: String,
    /// How it began.
    pub first: Event,
    /// Hashes of the seats' tokens.
    pub tokens: [Option<Hash>; 2],
}

/// What becomes of the clocks of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Running {
    /// One runs.
    Until {
        /// When it runs out, if no pause comes.
        deadline: i64,
        /// The time at which that was reckoned.
        at: i64,
    },
    /// None does.
    Stopped,
}

/// Events that are stored together or not at all.
#[derive(Clone, Debug)]
pub struct Append {
    /// The game.
    pub game: String,
    /// The last event of the game, which these follow; none if the game is new.
    pub after: Option<Tip>,
    /// The events, numbered on from the last one.
    pub events: Vec<Event>,
    /// Another game that is made with them.
    pub new_game: Option<NewGame>,
    /// A seat's token that takes the place of the one before.
    pub token: Option<(Player, Hash)>,
    /// The clocks, where that changes.
    pub running: Option<Running>,
    /// Whether a computer has to answer a person then, where that changes.
    pub computer: Option<bool>,
}

/// A game whose clock runs, as a start finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    /// The game.
    pub game: String,
    /// When the clock runs out if no pause comes, and when that was reckoned; not known of a file of
    /// version 0.1.
    pub deadline: Option<(i64, i64)>,
}

/// What a store answers, in a while.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// What keeps the games.
pub trait Store: Send + Sync {
    /// Stores events behind the one they name, if that is still the last of the game.
    fn append(&self, append: Append) -> Reply<'_, Appended>;

    /// Notes that a server runs.
    fn beat(&self, at: i64) -> Reply<'_, ()>;

    /// Notes that no clock ran between these times. Whatever was stored meanwhile shows that a server ran
    /// then; the answer is the pause as it is, or none.
    fn pause(&self, from: i64, to: i64) -> Reply<'_, Option<(i64, i64)>>;

    /// Until when a server is known to have run, as far as this one has heard.
    fn alive(&self) -> i64;

    /// The events of a game behind a number, in order and without a gap, `most` of them at most.
    fn events<'a>(&'a self, game: &'a str, after: i64, most: usize) -> Reply<'a, Vec<Event>>;

    /// Hashes of the tokens of a game.
    fn tokens<'a>(&'a self, game: &'a str) -> Reply<'a, [Option<Hash>; 2]>;

    /// The games whose clock runs.
    fn running(&self) -> Reply<'_, Vec<Runner>>;

    /// The times in which no clock ran and that ended after a time, in order.
    fn pauses(&self, after: i64) -> Reply<'_, Vec<(i64, i64)>>;

    /// The games behind this one in the order of their names, and not more than so many.
    fn games<'a>(&'a self, after: &'a str, most: usize) -> Reply<'a, Vec<String>>;

    /// Notes pauses of another store as they are.
    fn note(&self, pauses: Vec<(i64, i64)>) -> Reply<'_, ()>;

    /// Closes what reads; what writes ends when nobody can ask for it any more.
    fn close(&self);

    /// What there is for servers that share the store; none if one has it for itself.
    fn shared(&self) -> Option<&dyn Shared> {
        None
    }
}

/// What servers need that share a store.
pub trait Shared: Send + Sync {
    /// What time it is there, and not before the last beat of any server.
    fn now(&self) -> Reply<'_, i64>;

    /// Number and time of the last event of each of these games.
    fn last(&self, games: Vec<String>) -> Reply<'_, Vec<(String, i64, i64)>>;

    /// Games whose clock had run out at a time if there was no pause, those with the earliest time first.
    fn overdue(&self, at: i64) -> Reply<'_, Vec<Runner>>;

    /// Takes on the computer's turn after an event for a while, unless another server has it; says whether.
    /// What is only shown is forgotten when nobody plays it.
    fn claim<'a>(&'a self, game: &'a str, seq: i64, shown: bool, at: i64) -> Reply<'a, bool>;

    /// Keeps the computers' turns of these games for a while.
    fn renew(&self, games: Vec<String>, at: i64) -> Reply<'_, ()>;

    /// Games in which a computer has to answer and no server has taken that on.
    fn forsaken(&self, at: i64) -> Reply<'_, Vec<String>>;

    /// No computer has to answer an event of a game up to this one.
    fn release<'a>(&'a self, game: &'a str, seq: i64) -> Reply<'a, ()>;
}

/// For how many milliseconds a server has taken on a computer's turn: it says so again while it thinks.
pub const LEASE: i64 = 700;

/// A transaction that takes longer is worth a word to the host: everybody waits for it.
const SLOW: Duration = Duration::from_millis(500);

/// Whether this names a database that servers share.
pub fn is_shared(data: &Path) -> bool {
    let text = data.to_str().unwrap_or_default();
    ["postgres://", "postgresql://"].iter().any(|start| text.starts_with(start))
}

/// The name of a store for people, without the password.
pub fn name(data: &Path) -> String {
    let text = data.display().to_string();
    if !is_shared(data) {
        return text;
    }
    // The last `@` ends the name and the password, which may hold others.
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let path = path.split('?').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// Opens a store. The receiver hears when everything that was begun is written.
pub async fn open(
    data: &Path,
    metrics: Arc<Metrics>,
) -> Result<(Arc<dyn Store>, oneshot::Receiver<()>), StartError> {
    if !is_shared(data) {
        let (store, end) = sqlite::Sqlite::open(data, metrics)?;
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

/// What a row says of an event.
struct Row {
    seq: i64,
    kind: String,
    payload: String,
    seat: Option<i64>,
    command: Option<String>,
    at: i64,
}

impl Row {
    /// The event, if that can be one.
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

/// The events up to the first number that is missing. Versions before 0.2.1 could leave a gap: a failover lost
/// events, and others were appended behind them.
fn unbroken(game: &str, after: i64, mut events: Vec<Event>) -> Vec<Event> {
    let whole = (after + 1..).zip(&events).take_while(|(seq, event)| event.seq == *seq).count();
    if whole < events.len() {
        let missing = after + 1 + whole as i64;
        tracing::warn!(game, missing, "an event is missing; the game is read up to it");
        events.truncate(whole);
    }
    events
}

/// The tokens of a game from its rows.
fn tokens(rows: impl IntoIterator<Item = (i64, String)>) -> [Option<Hash>; 2] {
    let mut tokens = [None; 2];
    for (seat, hash) in rows {
        let seat = usize::try_from(seat).unwrap_or(0);
        if let Some(own) = tokens.get_mut(seat.wrapping_sub(1)) {
            *own = unhex(&hash);
        }
    }
    tokens
}

/// A hash as text.
pub fn hex(hash: &Hash) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Hash> {
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
