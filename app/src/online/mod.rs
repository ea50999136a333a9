//! Games on a server: `quadrille join` and `quadrille watch`.
//!
//! A thread holds the connection and tells what happens as messages; it connects again when the connection
//! is lost, asks for what it missed, and repeats what was not answered. The secret of a seat is kept in a
//! file that only the user can read.

mod line;
mod link;
mod remote;
mod seats;
mod stream;

pub use line::{Line, News};
pub use link::Link;
pub use remote::{Rematch, Remote, Told};
pub use seats::Seats;

use crate::failure::Failure;
use crate::saves::Saves;
use crate::table::Sitter;
use crate::table::clock::{Clock, Terms};
use crate::table::{Given, Table};
use rules::{Outcome, Player};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long leaving waits for the server to acknowledge what was played: a connection that is dead without a
/// word is noticed in that time, and opened again.
pub const PATIENCE: Duration = Duration::from_secs(12);

/// Said when the server has gone back to an earlier position.
pub const GONE_BACK: &str = "the server has lost the last turns; the game goes on from here";

/// What the server does not have of what was shown as played, in words; nothing if it has everything.
pub fn lost(unsent: &[String], refused: &[String]) -> Option<String> {
    let said = |what: &str, list: &[String]| {
        (!list.is_empty()).then(|| format!("the server {what} {}", list.join(", ")))
    };
    let parts = [said("has not acknowledged", unsent), said("has refused", refused)];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// A game on a server as it was when it was opened.
pub struct Opened {
    pub table: Table,
    pub seat: Seat,
}

/// What is known of a game on a server beside its table.
#[derive(Clone, Debug)]
pub struct Seat {
    pub link: Link,
    /// The players that the user plays; none for a watcher.
    pub own: Vec<Player>,
    /// The last event that is known: its number and its time.
    pub seq: u64,
    pub at: Option<i64>,
    /// The last event that changed the board.
    pub board_seq: u64,
    /// How many turns the server knows.
    pub turns: usize,
    /// Who has offered what.
    pub offer: Option<(String, Player)>,
    /// Who is connected.
    pub present: [bool; 2],
    /// Whether the connection is there.
    pub connected: bool,
}

/// Sits down at a game, with the secret of the link or one that is remembered.
pub fn join(link: &str, name: &str, saves: &Saves) -> Result<Opened, Failure> {
    let mut link = Link::parse(link).map_err(Failure::user)?;
    let seats = Seats::open(saves);
    let known = seats.secret(&link).map_err(Failure::user)?;
    if known.is_none() && link.token.is_none() {
        return Err(Failure::user(
            "this link has no secret behind `#`: with `quadrille watch` you can look on",
        ));
    }
    let invitation = link.token.clone();
    if known.is_some() {
        link.token = known;
    }
    let mut shown = line::get(&link).map_err(Failure::user)?;
    if shown.get("you").is_none() && invitation.is_some() && link.token != invitation {
        // What is remembered may be older than the link.
        link.token = invitation;
        shown = line::get(&link).map_err(Failure::user)?;
    }
    let own = players(shown.get("you"));
    let Some(first) = own.first() else {
        return Err(Failure::user(
            "the secret of this link plays no seat: somebody else may have taken it; \
             `quadrille watch` looks on",
        ));
    };
    let is_taken = shown["seats"][first.index()]["joined"].as_bool().unwrap_or(true);
    if !is_taken {
        let secret = seats::secret().map_err(Failure::user)?;
        // Kept before it is sent: an answer that gets lost must not lose the seat.
        seats.keep(&link, &secret).map_err(Failure::user)?;
        let command = json!({"type": "join", "name": name, "secret": secret, "command": secret});
        line::post(&link, &command).map_err(Failure::user)?;
        link.token = Some(secret);
        shown = line::get(&link).map_err(Failure::user)?;
    } else if let Some(token) = &link.token {
        seats.keep(&link, token).map_err(Failure::user)?;
    }
    opened(link, own, &shown)
}

/// Looks on at a game.
pub fn watch(link: &str) -> Result<Opened, Failure> {
    let link = Link { token: None, ..Link::parse(link).map_err(Failure::user)? };
    let shown = line::get(&link).map_err(Failure::user)?;
    opened(link, Vec::new(), &shown)
}

fn players(list: Option<&Value>) -> Vec<Player> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(player).collect()
}

fn opened(link: Link, own: Vec<Player>, shown: &Value) -> Result<Opened, Failure> {
    let table = table(&own, shown).map_err(|error| {
        Failure::user(format!("what {} tells of this game cannot be read: {error}", link.host))
    })?;
    let number = |name: &str| shown[name].as_u64().unwrap_or(0);
    let seat = Seat {
        own,
        seq: number("seq"),
        at: shown["at"].as_i64(),
        board_seq: number("board_seq"),
        turns: table.game.turns_played(),
        offer: offer(&shown["offer"]),
        present: [false; 2],
        connected: false,
        link,
    };
    Ok(Opened { table, seat })
}

/// The table of a game as a server shows it.
fn table(own: &[Player], shown: &Value) -> Result<Table, String> {
    let entry = requests::game(shown["game"].as_str().unwrap_or_default())
        .map_err(|refusal| refusal.message)?;
    let none = serde_json::Map::new();
    let options = shown["options"].as_object().unwrap_or(&none);
    let mut game = match shown["start"].as_str() {
        Some(start) => (entry.from_text)(start, options),
        None => (entry.start)(options),
    }
    .map_err(|error| error.to_string())?;
    for turn in shown["turns"].as_array().into_iter().flatten() {
        game.play(turn.as_str().unwrap_or_default()).map_err(|error| error.to_string())?;
    }
    let sitters = Player::BOTH.map(|player| {
        let name = shown["seats"][player.index()]["name"].as_str().unwrap_or_default();
        let sitter = Sitter::person(name);
        if own.contains(&player) { sitter } else { sitter.elsewhere() }
    });
    let clock = (shown["clock"]["kind"] == "time").then(|| {
        let seconds = |name: &str| {
            Duration::from_secs(shown["clock"][name].as_u64().unwrap_or(0).min(1_000_000))
        };
        Clock::new(Terms { time: seconds("seconds"), increment: seconds("increment") })
    });
    let mut table = Table::new(entry, game, sitters, clock);
    set_clocks(&mut table, &shown["clocks"], Instant::now());
    table.given = given(&shown["result"], &table);
    Ok(table)
}

/// Sets the clocks as the server tells them.
fn set_clocks(table: &mut Table, clocks: &Value, now: Instant) {
    let left = |i: usize| clocks["left"][i].as_u64().map(Duration::from_millis);
    let running = player(&clocks["running"]);
    if let (Some(clock), Some(one), Some(two)) = (&mut table.clock, left(0), left(1)) {
        clock.set([one, two]);
        clock.run(running, now);
    }
}

/// The result that a server tells and the board does not show.
fn given(result: &Value, table: &Table) -> Option<Given> {
    let outcome = match (result["winner"].as_u64(), result["winner"].as_str()) {
        (Some(1), _) => Outcome::Win(Player::One),
        (Some(2), _) => Outcome::Win(Player::Two),
        (_, Some("draw")) => Outcome::Draw,
        _ => return None,
    };
    let loser = outcome.winner().map(|winner| table.name(winner.other())).unwrap_or_default();
    let how = match result["reason"].as_str() {
        Some("resigned") => format!("{loser} resigned"),
        Some("time") => format!("{loser} ran out of time"),
        Some("agreed") => "both agreed".into(),
        Some("repetition") => "the position occurred for the third time".into(),
        _ => "by the rules".into(),
    };
    Some(Given { outcome, how })
}

/// An open offer.
fn offer(offer: &Value) -> Option<(String, Player)> {
    Some((offer["kind"].as_str()?.to_owned(), player(&offer["seat"])?))
}

/// The player with a number.
fn player(number: &Value) -> Option<Player> {
    Player::BOTH.get((number.as_u64()? as usize).checked_sub(1)?).copied()
}
