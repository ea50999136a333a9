//! Open challenges: who wants to play what. The store is the truth, and each server has a copy for those who watch.
//!
//! A live challenge stays as long as its maker is connected. The server to which that is says so from time to time in a
//! record of its own; a correspondence challenge stays until its time is over.

use super::games::Open;
use super::pairing::With;
use super::players::Player;
use super::{TRIES, busy, games, pairing, players, ratings, record, records, text, value};
use crate::games::hall::Hall;
use crate::http::limits::Limits;
use crate::http::networks::{household, networks, times};
use crate::ids::{Hash, new_id};
use crate::store::records::{Change, Range, Stored};
use crate::store::{hex, unhex};
use requests::{Budget, Given};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use table::{Refusal, TimeControl};
use tokio::sync::{Notify, broadcast};

/// How many challenges there are at most, and how many of them come from one household while it may make
/// [`USUAL_NEW_GAMES`](crate::http::limits::USUAL_NEW_GAMES).
pub const MOST: usize = 2_000;
pub const MOST_OF_A_HOUSEHOLD: usize = 100;

/// How many records of challenges are read: those that were taken stay for a while.
pub const MOST_READ: usize = 2 * MOST;

/// How many correspondence challenges a player may have, and for how many milliseconds they are open.
const MOST_BY_MAIL: usize = 10;
const OPEN_FOR: i64 = 14 * 24 * 3_600_000;

/// For how many milliseconds a challenge that was taken is told to its maker.
pub const TOLD_FOR: i64 = 120_000;

/// How many updates a slow reader may be behind.
const BEHIND: usize = 256;

/// How many bytes of challenges go into one message, unless a single one is longer: a socket's buffer holds 64 KiB.
const MOST_TOLD: usize = 24 << 10;

/// Somebody who wants to play.
#[derive(Clone, Debug)]
pub struct Party {
    pub player: Option<Arc<Player>>,
    pub seal: Hash,
    /// Where the request came from that makes them play, which pays for the game.
    pub from: Option<IpAddr>,
}

/// What a guest is called who has this seal: long enough that nobody finds a secret with the same.
pub fn guest(seal: &Hash) -> String {
    hex(seal).split_at(20).0.to_owned()
}

impl Party {
    /// What identifies them in the lobby: a player's id, and for guests what follows from their secret.
    pub fn id(&self) -> String {
        match &self.player {
            Some(player) => player.id.clone(),
            None => guest(&self.seal),
        }
    }

    pub fn is_bot(&self) -> bool {
        self.player.as_ref().is_some_and(|player| player.bot)
    }
}

/// Which side the maker of a challenge wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "SideWanted")]
pub enum Side {
    First,
    Second,
    #[default]
    Random,
}

/// What is to be played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    pub game: String,
    #[serde(default)]
    pub options: Map<String, Value>,
    pub clock: TimeControl,
    #[serde(default)]
    pub side: Side,
    #[serde(default)]
    pub rated: bool,
}

impl Terms {
    /// The same as the rules write it, or what is wrong.
    pub fn checked(self) -> Result<Terms, Refusal> {
        self.clock.check()?;
        if self.clock == TimeControl::None {
            return Err(Refusal::against("a game in the lobby has a clock").at("clock"));
        }
        let (game, options) = (Some(self.game.clone()), Some(self.options.clone()));
        let given = Given { game, options, position: None, turns: None, moves: None };
        let session = given.open(&Budget::SERVED)?;
        if self.rated {
            let usual = Given { options: None, ..given }.open(&Budget::SERVED)?;
            // Some sides and boards are known to win: whoever chose them could have any rating.
            if session.options() != usual.options() {
                let error = "rated games are played with the usual options";
                return Err(Refusal::against(error).at("options"));
            }
            if self.side != Side::Random {
                let error = "in rated games chance decides who begins";
                return Err(Refusal::against(error).at("side"));
            }
        }
        Ok(Terms { game: session.info().id.to_owned(), options: session.options(), ..self })
    }

    pub fn is_live(&self) -> bool {
        !matches!(self.clock, TimeControl::Days { .. })
    }
}

/// A challenge as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Challenge {
    #[serde(skip)]
    pub id: String,
    /// The player who made it; none for a guest.
    pub player: Option<String>,
    pub name: Option<String>,
    #[serde(default)]
    pub bot: bool,
    /// The maker's rating in this game.
    pub rating: i32,
    pub provisional: bool,
    #[serde(flatten)]
    pub terms: Terms,
    /// Whether anybody who wants the same and is about as strong may be the opponent.
    pub auto: bool,
    seal: String,
    /// Drawn anew whenever there is something else to accept. Records that are deleted and made again count from 1.
    #[serde(default)]
    pub edition: i64,
    /// The household that it came from.
    #[serde(default)]
    network: Option<IpAddr>,
    /// The server to which the maker is connected.
    pub server: String,
    pub since: i64,
    pub taken: Option<Taken>,
}

/// The game that a challenge became.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    pub game: String,
    pub at: i64,
}

impl Challenge {
    pub fn read(stored: &Stored) -> Result<Challenge, Refusal> {
        let own: Challenge = value(stored)?;
        Ok(Challenge { id: super::last_part(stored).to_owned(), ..own })
    }

    pub fn seal(&self) -> Hash {
        unhex(&self.seal).unwrap_or_default()
    }

    /// The same when it has become a game.
    #[must_use]
    pub fn taken(self, game: &str, at: i64) -> Challenge {
        Challenge { taken: Some(Taken { game: game.to_owned(), at }), ..self }
    }

    pub fn is_open(&self) -> bool {
        self.taken.is_none()
    }

    /// Who made it: the first part of its id.
    pub fn maker(&self) -> &str {
        self.id.split('.').next().unwrap_or_default()
    }

    pub fn is_over(&self, now: i64) -> bool {
        !self.terms.is_live() && now - self.since > OPEN_FOR
    }

    /// The challenge as programs read it.
    pub fn told(&self) -> Value {
        json!({
            "id": self.id, "version": self.edition, "player": self.player, "name": self.name, "bot": self.bot,
            "rating": self.player.as_ref().map(|_| self.rating), "provisional": self.provisional,
            "game": self.terms.game, "options": self.terms.options, "clock": self.terms.clock,
            "side": self.terms.side, "rated": self.terms.rated, "auto": self.auto, "since": self.since,
        })
    }
}

/// What those who watch the lobby are told.
#[derive(Clone, Debug)]
pub enum Update {
    /// What has changed in the list, as JSON.
    List(Arc<str>),
    /// A challenge of this maker became this game.
    Paired { maker: String, challenge: String, game: String },
}

/// Who is connected here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here {
    pub sockets: usize,
    pub seen: i64,
    /// Whether the last word came over a socket, whose end is noticed at once.
    pub by_socket: bool,
    /// Where the last word came from.
    pub from: Option<IpAddr>,
}

/// A challenge as the store had it last.
#[derive(Clone, Debug)]
pub struct Listed {
    pub version: i64,
    pub value: String,
    pub own: Challenge,
}

/// The lobby as this server knows it.
pub struct Lobby {
    /// Identifies this process.
    pub server: std::sync::OnceLock<String>,
    list: Mutex<BTreeMap<String, Listed>>,
    here: Mutex<BTreeMap<String, Here>>,
    pub updates: broadcast::Sender<Update>,
    /// Told when something has changed here.
    pub changed: Notify,
}

impl Default for Lobby {
    fn default() -> Lobby {
        Lobby {
            server: Default::default(),
            list: Mutex::default(),
            here: Mutex::default(),
            updates: broadcast::channel(BEHIND).0,
            changed: Notify::new(),
        }
    }
}

impl Lobby {
    pub fn list(&self) -> MutexGuard<'_, BTreeMap<String, Listed>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn here(&self) -> MutexGuard<'_, BTreeMap<String, Here>> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that somebody is there.
    pub fn seen(&self, maker: &str, at: i64, from: Option<IpAddr>) {
        let mut all = self.here();
        let here = all.entry(maker.to_owned()).or_default();
        here.from = from.or(here.from);
        here.by_socket = here.sockets > 0;
        here.seen = at;
    }

    /// The open challenges as programs read them.
    pub fn told(&self) -> Vec<Value> {
        let list = self.list();
        list.values().filter(|one| one.own.is_open()).map(|one| one.own.told()).collect()
    }

    /// The list as messages, the first of which replaces what the reader had.
    pub fn messages(&self) -> Vec<String> {
        let mut parts = parts(self.told()).into_iter();
        let all = parts.next().unwrap_or_default();
        let more = parts.map(|added| json!({ "type": "lobby", "added": added, "gone": [] }));
        std::iter::once(json!({ "type": "lobby", "all": all }))
            .chain(more)
            .map(|one| one.to_string())
            .collect()
    }

    /// Refuses another challenge where there are too many already, in all or from the networks of an address.
    fn has_room(&self, id: &str, from: Option<IpAddr>, limits: &Limits) -> Result<(), Refusal> {
        let list = self.list();
        let open = || list.values().map(|one| &one.own).filter(|own| own.is_open() && own.id != id);
        if open().count() >= MOST {
            return Err(Refusal::unavailable("the lobby is full, try again later"));
        }
        let own = from.map(networks).unwrap_or_default();
        for (depth, network) in own.iter().enumerate() {
            let is_near = |other: &&Challenge| {
                other.network.is_some_and(|from| networks(from).get(depth) == Some(network))
            };
            if open().filter(is_near).count() >= limits.challenges() * times(depth, own.len()) {
                let error = "your network has too many open challenges; accept one of the list";
                return Err(Refusal::too_many(error, 60));
            }
        }
        Ok(())
    }
}

/// Values in parts, each of which fits into a message.
pub fn parts(all: Vec<Value>) -> Vec<Vec<Value>> {
    let (mut parts, mut room) = (Vec::<Vec<Value>>::new(), 0);
    for own in all {
        let length = own.to_string().len() + 1;
        match parts.last_mut().filter(|_| length <= room) {
            Some(last) => last.push(own),
            None => {
                parts.push(vec![own]);
                room = MOST_TOLD;
            }
        }
        room = room.saturating_sub(length);
    }
    parts
}

impl Hall {
    /// Identifies this server in the lobby.
    pub fn lobby_name(&self) -> String {
        let name = || format!("{:016x}", self.chance.seed());
        self.club.lobby.server.get_or_init(name).clone()
    }
}

fn key(id: &str) -> String {
    format!("challenge/{id}")
}

/// The challenge with this id.
pub async fn find(hall: &Hall, id: &str) -> Result<Option<(Stored, Challenge)>, Refusal> {
    let known = id.len() <= 20 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.');
    if !known {
        return Ok(None);
    }
    let Some(found) = record(hall, key(id)).await? else { return Ok(None) };
    let challenge = Challenge::read(&found)?;
    Ok(Some((found, challenge)))
}

const LIVE_ONLY: &str = "guests play live: a correspondence game needs a player who comes back";

/// What became of a wish to play.
#[derive(Debug)]
pub enum Met {
    /// It waits as this challenge.
    Waits(Box<Challenge>),
    /// It is being played.
    Plays(String),
}

/// Makes a challenge; a live one replaces the one that its maker had.
pub async fn challenge(
    hall: &Arc<Hall>,
    party: &Party,
    terms: Terms,
    auto: bool,
) -> Result<Met, Refusal> {
    if terms.rated && party.player.is_none() {
        return Err(Refusal::against("only players have ratings, and you are a guest").at("rated"));
    }
    let (base, live) = (party.id(), terms.is_live());
    if !live && party.player.is_none() {
        return Err(Refusal::against(LIVE_ONLY).at("clock"));
    }
    let id = match live {
        true => base.clone(),
        false => format!("{base}.{}", new_id(hall.chance.as_ref())?),
    };
    if !live {
        let own = Range::of(&key(&format!("{base}.")));
        if records(hall)?.range(own, MOST_BY_MAIL).await?.len() >= MOST_BY_MAIL {
            let error =
                format!("you have {MOST_BY_MAIL} correspondence challenges already; withdraw one");
            return Err(Refusal::conflict(error));
        }
    }
    hall.club.lobby.has_room(&id, party.from, &hall.limits)?;
    players::is_still_there(hall, party.player.as_deref()).await?;
    let rating = ratings::shown(hall, party.player.as_deref(), &terms.game).await?;
    for _ in 0..TRIES {
        if live
            && !party.is_bot()
            && let Open { game: Some(game), .. } = games::open(hall, &base).await?
        {
            games::ready(hall, &game).await?;
            return Ok(Met::Plays(game));
        }
        let before = record(hall, key(&id)).await?;
        let challenge = Challenge {
            id: id.clone(),
            player: party.player.as_ref().map(|player| player.id.clone()),
            name: party.player.as_ref().map(|player| player.name.clone()),
            bot: party.is_bot(),
            rating: rating.shown(),
            provisional: rating.is_provisional(),
            terms: terms.clone(),
            auto,
            seal: hex(&party.seal),
            edition: (hall.chance.seed() >> 11).cast_signed(),
            network: party.from.map(household),
            server: hall.lobby_name(),
            since: hall.time.now(),
            taken: None,
        };
        if auto
            && live
            && let Some(other) = pairing::partner(hall, &challenge)
        {
            // Something else may have changed, as when a game that is over is put away.
            for _ in 0..4 {
                let side = challenge.terms.side;
                if let Some(game) = pairing::accept(hall, party, side, &other).await? {
                    return Ok(Met::Plays(game));
                }
            }
        }
        let value = text(&challenge)?;
        let change = match &before {
            Some(before) => before.update(value),
            None => Change::new(key(&id), value),
        };
        if records(hall)?.change(vec![change]).await? {
            hall.club.lobby.seen(&base, hall.time.now(), party.from);
            hall.club.lobby.changed.notify_one();
            return Ok(Met::Waits(Box::new(challenge)));
        }
    }
    Err(busy())
}

/// Accepts a challenge; `version` is the one that the sender has seen.
pub async fn accept(
    hall: &Arc<Hall>,
    party: &Party,
    id: &str,
    version: Option<i64>,
) -> Result<String, Refusal> {
    let gone = || Refusal::not_there("this challenge is not open any more");
    players::is_still_there(hall, party.player.as_deref()).await?;
    for _ in 0..TRIES {
        let Some((stored, challenge)) = find(hall, id).await? else { return Err(gone()) };
        if let Some(taken) = &challenge.taken {
            // An answer may have been lost.
            return match games::is_between(hall, &taken.game, party.seal).await? {
                true => games::ready(hall, &taken.game).await.map(|()| taken.game.clone()),
                false => Err(Refusal::conflict("somebody else has accepted this challenge")),
            };
        }
        if version.is_some_and(|seen| seen != challenge.edition)
            || challenge.is_over(hall.time.now())
        {
            return Err(
                Refusal::conflict("this challenge has changed, look at it again").at("version")
            );
        }
        if challenge.maker() == party.id() {
            return Err(Refusal::conflict("this is your own challenge"));
        }
        if challenge.terms.rated && party.player.is_none() {
            let error = "only players have ratings, and you are a guest";
            return Err(Refusal::forbidden(error));
        }
        if !challenge.terms.is_live() && party.player.is_none() {
            return Err(Refusal::forbidden(LIVE_ONLY));
        }
        if let Some(game) =
            pairing::seat(hall, (&stored, &challenge), party, With::Side(Side::Random)).await?
        {
            return Ok(game);
        }
    }
    Err(busy())
}

/// Withdraws a challenge of a maker.
pub async fn withdraw(hall: &Hall, party: &Party, id: &str) -> Result<(), Refusal> {
    for _ in 0..TRIES {
        let Some((stored, challenge)) = find(hall, id).await? else { return Ok(()) };
        if challenge.seal() != party.seal {
            return Err(Refusal::forbidden("this challenge is not yours"));
        }
        if let Some(taken) = challenge.taken {
            return Err(Refusal::conflict(format!("it was accepted: the game is {}", taken.game)));
        }
        if records(hall)?.change(vec![stored.delete()]).await? {
            hall.club.lobby.changed.notify_one();
            return Ok(());
        }
    }
    Err(busy())
}

/// Notes that a maker is connected to this server. Returns the challenges of theirs that became games which are not over.
pub async fn arrive(hall: &Arc<Hall>, party: &Party) -> Result<Vec<(String, String)>, Refusal> {
    let maker = party.id();
    hall.club.lobby.seen(&maker, hall.time.now(), party.from);
    let mut found = records(hall)?.get(vec![key(&maker)]).await?;
    if party.player.is_some() {
        found.extend(
            records(hall)?.range(Range::of(&key(&format!("{maker}."))), 2 * MOST_BY_MAIL).await?,
        );
    }
    let mut paired = Vec::new();
    for stored in found {
        let challenge = Challenge::read(&stored)?;
        if let Some(taken) = &challenge.taken {
            // If that is not possible now, whoever opens the game tries again.
            let _ = games::ready(hall, &taken.game).await;
            if games::goes_on(hall, &taken.game).await? {
                paired.push((challenge.id, taken.game.clone()));
            }
        } else if challenge.terms.is_live() && challenge.server != hall.lobby_name() {
            let moved = Challenge { server: hall.lobby_name(), ..challenge };
            // If it changes meanwhile, the next word from the maker tries again.
            records(hall)?.change(vec![stored.update(text(&moved)?)]).await?;
            hall.club.lobby.changed.notify_one();
        }
    }
    Ok(paired)
}
