//! Games on a server: `quadrille join` and `quadrille watch`.
//!
//! A thread holds the connection and tells what happens as messages; it connects again when the connection
//! is lost, asks for what it missed, and repeats what was not answered. The secret of a seat is kept in a
//! file that only the user can read.

pub mod club;
mod connection;
mod link;
mod remote;
mod seats;
mod stream;

pub use connection::{Connection, News};
pub use link::Link;
pub use remote::{Answer, Change, Remote, open_offer};
pub use seats::Unsent;

use crate::saves::Saves;
use crate::sitting::Sitting;
use crate::sitting::clock::{Terms, millis};
use rules::{ByPlayer, Player};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use table::State;

/// How long leaving waits for the server to acknowledge what was played: in that time a connection that died silently
/// is noticed and opened again.
pub const PATIENCE: Duration = Duration::from_secs(12);

/// Said when the server has gone back to an earlier position.
pub const GONE_BACK: &str = "the server has lost the last turns; the game goes on from here";

/// What was shown as played and the server does not have, in words; `None` if it has everything.
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
    pub sitting: Sitting,
    pub link: Link,
    /// A turn of an earlier session that the server has not acknowledged, to be sent now.
    pub unsent: Option<Unsent>,
    /// The link for the other player, while nobody has taken that seat.
    pub invitation: Option<String>,
}

/// A game as a server shows it.
pub struct Shown {
    pub state: State,
    /// The seats that the token plays.
    you: Vec<Player>,
}

impl Shown {
    fn read(told: &Value) -> Result<Shown, String> {
        #[derive(Deserialize)]
        struct Beside {
            you: Option<Vec<Player>>,
            clocks: Option<Clocks>,
        }
        let Beside { you, clocks } = Beside::deserialize(told).map_err(|e| e.to_string())?;
        let mut state = State::read(told)?;
        clocks.iter().for_each(|clocks| clocks.set(&mut state, Instant::now()));
        Ok(Shown { state, you: you.unwrap_or_default() })
    }
}

/// Clocks as a server tells them.
#[derive(Debug, Deserialize)]
pub struct Clocks {
    left: ByPlayer<i64>,
    running: Option<Player>,
}

impl Clocks {
    /// Counted from the local time of arrival: the machines' clocks differ, and the latency is small.
    fn set(&self, state: &mut State, now: Instant) {
        if let Some(clock) = &mut state.course.clock {
            clock.set(self.left, self.running, millis(now));
        }
    }
}

/// Sits down at a game, with the secret of the link or one that is remembered.
pub fn join(link: &str, name: &str, saves: &Saves) -> Result<Opened, String> {
    let mut link = Link::parse(link)?;
    let known = seats::secret(saves, &link)?;
    if known.is_none() && link.token.is_none() {
        return Err("this link has no secret after `#`: `quadrille watch` lets you look on".into());
    }
    let invitation = link.token.clone();
    if known.is_some() {
        link.token = known;
    }
    let plays = |shown: &Shown| !shown.you.is_empty();
    let mut shown = connection::get(&link)?.filter(plays);
    if shown.is_none() && invitation.is_some() && link.token != invitation {
        // What is remembered may be older than the link.
        link.token = invitation;
        shown = connection::get(&link)?.filter(plays);
    }
    let Some(mut shown) = shown else {
        return Err("the secret of this link plays no seat: somebody else may have taken it; \
                    `quadrille watch` looks on"
            .into());
    };
    if shown.you.iter().any(|player| !shown.state.course.joined[*player]) {
        let secret =
            server::ids::new_token(&server::ids::System).map_err(|refusal| refusal.message)?;
        // Kept before it is sent: an answer that gets lost must not lose the seat.
        seats::keep(saves, &link, &secret)?;
        let command = json!({"type": "join", "name": name, "secret": secret, "command": secret});
        connection::post(&link, &command)?;
        link.token = Some(secret);
        shown.state = show(&link)?.state;
    } else if let Some(token) = &link.token {
        seats::keep(saves, &link, token)?;
    }
    let unsent = seats::take_unsent(saves, &link, shown.state.course.board_seq)?;
    Ok(Opened { unsent, ..opened(link, shown)? })
}

/// A game to be created on a server.
pub struct Wanted {
    pub game: &'static str,
    /// The options that differ from the default.
    pub options: Map<String, Value>,
    /// The seat of whoever makes it; the other one is open.
    pub own: Player,
    pub name: String,
    pub clock: Option<Terms>,
}

/// The links of a new game.
pub struct Made {
    pub own: String,
    /// For the other player: whoever opens it first gets the seat.
    pub theirs: String,
}

/// Makes a game on a server, and keeps the secret of the own seat.
pub fn invite(server: &str, wanted: &Wanted, saves: &Saves) -> Result<Made, String> {
    let seat = |player| match player == wanted.own {
        true => json!({"kind": "person", "name": wanted.name}),
        false => json!({"kind": "open"}),
    };
    let mut game = json!({
        "game": wanted.game,
        "options": wanted.options,
        "seats": Player::BOTH.map(seat),
    });
    if let Some(terms) = &wanted.clock {
        game["clock"] = terms.json();
    }
    let server = Link::server(server)?;
    #[derive(Deserialize)]
    struct Answer {
        id: String,
        tokens: [Option<String>; 2],
    }
    let told = connection::create(&server, &game)?;
    let Answer { id, tokens } = Answer::deserialize(told).map_err(|error| {
        format!("{} sent something that is not a new game: {error}", server.host)
    })?;
    let link = |player: Player| {
        let token = tokens[player.index()].clone();
        let link = Link { id: id.clone(), token, ..server.clone() };
        (link.of_game(&id), link)
    };
    let (own, kept) = link(wanted.own);
    if let Some(token) = &kept.token {
        seats::keep(saves, &kept, token)?;
    }
    Ok(Made { own, theirs: link(wanted.own.other()).0 })
}

/// Creates a game on a server and joins it, with the link for the other player.
pub fn invite_and_join(server: &str, wanted: &Wanted, saves: &Saves) -> Result<Opened, String> {
    let made = invite(server, wanted, saves)?;
    let opened = join(&made.own, &wanted.name, saves)?;
    Ok(Opened { invitation: Some(made.theirs), ..opened })
}

/// Watches a game.
pub fn watch(link: &str) -> Result<Opened, String> {
    let link = Link { token: None, ..Link::parse(link)? };
    let shown = Shown { you: Vec::new(), ..show(&link)? };
    opened(link, shown)
}

fn show(link: &Link) -> Result<Shown, String> {
    let refused = || format!("{} does not accept the secret of this seat", link.host);
    connection::get(link)?.ok_or_else(refused)
}

fn opened(link: Link, shown: Shown) -> Result<Opened, String> {
    let sitting = Sitting::followed(shown.state, shown.you)?;
    Ok(Opened { sitting, link, unsent: None, invitation: None })
}
