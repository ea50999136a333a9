//! JSON Schema of the API's answers about players, the lobby and the archive. The answers themselves are built by hand:
//! by [`Entry::told`](super::archive::Entry::told), [`Challenge::told`](super::lobby::Challenge::told) and the
//! handlers.

// The types only describe; no values of them exist.
#![allow(dead_code)]

use super::lobby::Side;
use rules::{ByPlayer, Player};
use schemars::JsonSchema;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use table::TimeControl;
use table::event::Ending;
use table::schema::Told;

/// A new player, with the secret key.
#[derive(JsonSchema)]
pub struct Registered {
    id: String,
    name: String,
    bot: bool,
    key: String,
}

/// The player with this name; without a name, whether registration is open.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Found {
    Profile(Profile),
    Registration { registration: Registration },
}

#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub enum Registration {
    Open,
    Closed,
}

/// A player's public profile.
#[derive(JsonSchema)]
pub struct Profile {
    id: String,
    name: String,
    bot: bool,
    /// When the player registered, in milliseconds since 1970.
    since: i64,
    /// Ratings by game; only games in which the player is rated.
    ratings: BTreeMap<String, PlayerRating>,
}

#[derive(JsonSchema)]
pub struct PlayerRating {
    rating: i32,
    deviation: i32,
    /// Whether the deviation is still large.
    provisional: bool,
    /// How many rated games it is based on.
    games: u32,
}

/// A player's ratings after each of the last rated games, oldest first.
#[derive(JsonSchema)]
pub struct RatingHistory {
    game: String,
    points: Vec<RatingPoint>,
}

#[derive(JsonSchema)]
pub struct RatingPoint {
    /// When the game ended, in milliseconds since 1970.
    at: i64,
    /// The id of the game.
    game: String,
    rating: i32,
    deviation: i32,
}

/// The player whose key was sent.
#[derive(JsonSchema)]
pub struct Me {
    #[schemars(flatten)]
    profile: Profile,
    /// Running games, those in which it is the player's turn first.
    games: Vec<OwnGame>,
}

/// A running game of the player.
#[derive(JsonSchema)]
pub struct OwnGame {
    id: String,
    game: String,
    options: Map<String, Value>,
    clock: TimeControl,
    /// The player's seat.
    you: Player,
    your_turn: bool,
    over: bool,
    /// When the running clock runs out, in milliseconds since 1970.
    deadline: Option<i64>,
    opponent: Opponent,
    turns: usize,
    /// When the last event happened.
    at: i64,
}

#[derive(JsonSchema)]
pub struct Opponent {
    name: Option<String>,
    /// `person` or `level`.
    kind: String,
}

#[derive(JsonSchema)]
pub struct KeyReplaced {
    id: String,
    key: String,
}

#[derive(JsonSchema)]
pub struct PlayerDeleted {
    /// The player's id.
    deleted: String,
}

/// Running public games, the strongest first.
#[derive(JsonSchema)]
pub struct Watched {
    games: Vec<WatchedGame>,
}

#[derive(JsonSchema)]
pub struct WatchedGame {
    #[schemars(flatten)]
    game: Told,
    /// The current position, in one line.
    position: String,
    /// The mean rating of the two.
    strength: Option<i64>,
}

/// The open challenges.
#[derive(JsonSchema)]
pub struct LobbyList {
    challenges: Vec<ToldChallenge>,
}

#[derive(JsonSchema)]
#[schemars(rename = "Challenge")]
pub struct ToldChallenge {
    id: String,
    /// Changes with the challenge. Accepting it with this version makes sure that it is the one that was shown.
    version: i64,
    /// The id of the player who made it; null for a guest.
    player: Option<String>,
    name: Option<String>,
    bot: bool,
    /// The maker's rating in this game.
    rating: Option<i32>,
    provisional: bool,
    game: String,
    options: Map<String, Value>,
    clock: TimeControl,
    /// The side that the maker wants.
    side: Side,
    rated: bool,
    /// Whether anybody of similar strength who wants the same is accepted automatically.
    auto: bool,
    /// When it was made, in milliseconds since 1970.
    since: i64,
}

/// The game to play, or the challenge if nobody has accepted it yet.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum Met {
    Plays(GameToPlay),
    Waits(Waiting),
}

#[derive(JsonSchema)]
pub struct GameToPlay {
    /// The id of the game.
    game: String,
    /// The address of its page.
    path: String,
}

#[derive(JsonSchema)]
pub struct Waiting {
    challenge: ToldChallenge,
    /// Something to do while waiting, for those who want to play now.
    #[schemars(skip_serializing_if = "Option::is_none")]
    meanwhile: Option<Meanwhile>,
}

#[derive(JsonSchema)]
pub struct Meanwhile {
    /// An engine level of similar strength.
    level: u8,
}

#[derive(JsonSchema)]
pub struct Withdrawn {
    /// The id of the challenge.
    withdrawn: String,
}

/// Wins, draws and losses; for a position: wins of player 1, draws, wins of player 2.
type Score = [u32; 3];

/// Finished public games, newest first.
#[derive(JsonSchema)]
pub struct ArchivePage {
    games: Vec<ArchivedGame>,
    /// To be sent as `before` for the next page, if there may be one.
    next: Option<String>,
    /// Wins, draws and losses of the player against the opponent.
    #[schemars(skip_serializing_if = "Option::is_none")]
    score: Option<Score>,
}

/// A finished public game.
#[derive(JsonSchema)]
pub struct ArchivedGame {
    id: String,
    game: String,
    options: Map<String, Value>,
    clock: TimeControl,
    seats: ByPlayer<ArchivedSeat>,
    rated: bool,
    result: Ending,
    turns: usize,
    /// When it ended, in milliseconds since 1970.
    at: i64,
}

#[derive(JsonSchema)]
#[schemars(tag = "kind", rename_all = "lowercase")]
pub enum ArchivedSeat {
    Guest,
    Level {
        level: Option<u8>,
    },
    Player {
        id: String,
        /// Null if the player was deleted.
        name: Option<String>,
    },
}

/// What was played in a position, up to symmetry.
#[derive(JsonSchema)]
pub struct Explored {
    /// How many games reached it.
    games: usize,
    /// Whether older games may have reached it, too.
    more: bool,
    /// Wins of player 1, draws, wins of player 2.
    score: Score,
    /// Most frequent first.
    turns: Vec<ExploredTurn>,
    /// The latest games that reached it.
    last: Vec<ArchivedGame>,
}

#[derive(JsonSchema)]
pub struct ExploredTurn {
    turn: String,
    games: u32,
    score: Score,
}
