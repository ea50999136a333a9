//! JSON Schema of what programs are told about players, the lobby and the archive. The answers are built by hand: by
//! [`Entry::told`](super::archive::Entry::told), [`Challenge::told`](super::lobby::Challenge::told) and the handlers.

// Nobody makes a value of these types.
#![allow(dead_code)]

use super::lobby::Side;
use rules::{ByPlayer, Player};
use schemars::JsonSchema;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use table::TimeControl;
use table::event::Ending;
use table::schema::Told;

/// A player who was made, with the secret key.
#[derive(JsonSchema)]
pub struct Registered {
    id: String,
    name: String,
    bot: bool,
    key: String,
}

/// The player with a name; without one, whether anybody may become a player.
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

/// A player as everybody may see them.
#[derive(JsonSchema)]
pub struct Profile {
    id: String,
    name: String,
    bot: bool,
    /// When the player was made, in milliseconds since 1970.
    since: i64,
    /// The ratings by game; none before the first rated one.
    ratings: BTreeMap<String, PlayerRating>,
}

#[derive(JsonSchema)]
pub struct PlayerRating {
    rating: i32,
    deviation: i32,
    /// Whether the deviation is large yet.
    provisional: bool,
    /// How many rated games there were.
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

/// The sender.
#[derive(JsonSchema)]
pub struct Me {
    #[schemars(flatten)]
    profile: Profile,
    /// The games that go on, those first in which it is the sender's turn.
    games: Vec<OwnGame>,
}

/// A game that the sender plays.
#[derive(JsonSchema)]
pub struct OwnGame {
    id: String,
    game: String,
    options: Map<String, Value>,
    clock: TimeControl,
    /// The sender's seat.
    you: Player,
    your_turn: bool,
    over: bool,
    /// When the running clock runs out, in milliseconds since 1970.
    deadline: Option<i64>,
    opponent: Opponent,
    /// How many turns have been played.
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

/// Public games that go on, the strongest first.
#[derive(JsonSchema)]
pub struct Watched {
    games: Vec<WatchedGame>,
}

#[derive(JsonSchema)]
pub struct WatchedGame {
    #[schemars(flatten)]
    game: Told,
    /// The board as it stands, in one line.
    position: String,
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
    /// Which state of it this is; whoever accepts it can name that.
    version: i64,
    /// The id of the player who made it; none for a guest.
    player: Option<String>,
    name: Option<String>,
    bot: bool,
    /// The maker's rating in this game.
    rating: Option<i32>,
    provisional: bool,
    game: String,
    options: Map<String, Value>,
    clock: TimeControl,
    /// The side that its maker wants.
    side: Side,
    rated: bool,
    /// Whether anybody who wants the same may be the opponent.
    auto: bool,
    /// When it was made, in milliseconds since 1970.
    since: i64,
}

/// A game to be played, or the challenge that waits for an opponent.
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
    /// Who is there in the meantime, for those who want to play now.
    #[schemars(skip_serializing_if = "Option::is_none")]
    meanwhile: Option<Meanwhile>,
}

#[derive(JsonSchema)]
pub struct Meanwhile {
    /// A level of about the sender's strength.
    level: u8,
}

#[derive(JsonSchema)]
pub struct Withdrawn {
    /// The id of the challenge.
    withdrawn: String,
}

/// Wins, draws and losses; of a position wins of player 1, draws, wins of player 2.
type Score = [u32; 3];

/// Public games that are over, newest first.
#[derive(JsonSchema)]
pub struct ArchivePage {
    games: Vec<ArchivedGame>,
    /// Where the next page begins, if there may be more.
    next: Option<String>,
    /// Wins, draws and losses of a player against an opponent.
    #[schemars(skip_serializing_if = "Option::is_none")]
    score: Option<Score>,
}

/// A public game that is over.
#[derive(JsonSchema)]
pub struct ArchivedGame {
    id: String,
    game: String,
    options: Map<String, Value>,
    clock: TimeControl,
    seats: ByPlayer<ArchivedSeat>,
    rated: bool,
    result: Ending,
    /// How many turns were played.
    turns: usize,
    /// When it ended, in milliseconds since 1970.
    at: i64,
}

/// Who played.
#[derive(JsonSchema)]
#[schemars(tag = "kind", rename_all = "lowercase")]
pub enum ArchivedSeat {
    Guest,
    Level {
        level: Option<u8>,
    },
    Player {
        id: String,
        /// None if the player was deleted.
        name: Option<String>,
    },
}

/// What was played in a position, whichever way the board was turned.
#[derive(JsonSchema)]
pub struct Explored {
    /// How many games had it.
    games: usize,
    /// Whether there may be older ones.
    more: bool,
    /// Wins of player 1, draws, wins of player 2.
    score: Score,
    /// Most often played first.
    turns: Vec<ExploredTurn>,
    /// The last games that had it.
    last: Vec<ArchivedGame>,
}

#[derive(JsonSchema)]
pub struct ExploredTurn {
    turn: String,
    games: u32,
    score: Score,
}
