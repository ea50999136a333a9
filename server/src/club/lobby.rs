//! The lobby: open challenges. The store is authoritative; each server keeps a copy for its subscribers.
//!
//! A live challenge lasts while its maker is connected: the maker's server keeps a heartbeat record in the store. A
//! correspondence challenge lasts until it expires.

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

/// The maximum number of challenges, and how many of them may come from one household if it may create
/// [`USUAL_NEW_GAMES`](crate::http::limits::USUAL_NEW_GAMES).
pub const MOST: usize = 2_000;
pub const MOST_OF_A_HOUSEHOLD: usize = 100;

/// How many challenge records are read: those that were accepted stay for a while.
pub const MOST_READ: usize = 2 * MOST;

/// How many open correspondence challenges a player may have, and how many milliseconds they stay open.
const MOST_BY_MAIL: usize = 10;
const OPEN_FOR: i64 = 14 * 24 * 3_600_000;

/// For how many milliseconds the maker of an accepted challenge can find out about it.
pub const TOLD_FOR: i64 = 120_000;

/// Within how many milliseconds a challenge is in this server's copy of the lobby.
const LISTED_WITHIN: i64 = 5_000;

/// How many updates a slow subscriber may lag behind.
const BEHIND: usize = 256;

/// The maximum size of a message in bytes, unless a single challenge is larger: a socket's buffer holds 64 KiB.
const MOST_TOLD: usize = 24 << 10;

/// A player or guest who wants to play.
#[derive(Clone, Debug)]
pub struct Party {
    pub player: Option<Arc<Player>>,
    pub seal: Hash,
    /// The address that made the request; it pays for the game.
    pub from: Option<IpAddr>,
}

/// A guest's id, derived from the seal: long enough that nobody finds another secret with the same id.
pub fn guest(seal: &Hash) -> String {
    hex(seal).split_at(20).0.to_owned()
}

impl Party {
    /// Identifies them in the lobby: a player's id, or one derived from a guest's secret.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "SideWanted")]
pub enum Side {
    First,
    Second,
    #[default]
    Random,
}

/// What is to be played, and how.
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
    /// Validates and normalises the terms.
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
            // Some sides and boards are known wins: whoever could choose them could get any rating.
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

    /// Refuses what guests cannot play.
    pub fn check_for(&self, party: &Party) -> Result<(), Refusal> {
        if party.player.is_some() {
            return Ok(());
        }
        if self.rated {
            let error = "only players have ratings, and you are a guest";
            return Err(Refusal::against(error).at("rated"));
        }
        match self.is_live() {
            true => Ok(()),
            false => Err(Refusal::against(LIVE_ONLY).at("clock")),
        }
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
    /// Whether anybody of similar strength who wants the same is accepted automatically.
    pub auto: bool,
    seal: String,
    /// Random, and new whenever the terms change: the record's version does not do, since it restarts at 1 when a
    /// record is deleted and created again.
    #[serde(default)]
    pub edition: i64,
    /// The household of the maker's address.
    #[serde(default)]
    network: Option<IpAddr>,
    /// The server that the maker is connected to.
    pub server: String,
    pub since: i64,
    pub taken: Option<Taken>,
}

/// The game that came of a challenge.
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

    /// The challenge of a maker with another name.
    #[must_use]
    pub fn called(self, name: &str) -> Challenge {
        Challenge { name: Some(name.to_owned()), ..self }
    }

    /// The challenge after it was accepted.
    #[must_use]
    pub fn taken(self, game: &str, at: i64) -> Challenge {
        Challenge { taken: Some(Taken { game: game.to_owned(), at }), ..self }
    }

    pub fn is_open(&self) -> bool {
        self.taken.is_none()
    }

    /// The maker's id: the first part of the challenge's.
    pub fn maker(&self) -> &str {
        self.id.split('.').next().unwrap_or_default()
    }

    pub fn is_over(&self, now: i64) -> bool {
        !self.terms.is_live() && now - self.since > OPEN_FOR
    }

    /// The challenge as the API returns it.
    pub fn told(&self) -> Value {
        json!({
            "id": self.id, "version": self.edition, "player": self.player, "name": self.name, "bot": self.bot,
            "rating": self.player.as_ref().map(|_| self.rating), "provisional": self.provisional,
            "game": self.terms.game, "options": self.terms.options, "clock": self.terms.clock,
            "side": self.terms.side, "rated": self.terms.rated, "auto": self.auto, "since": self.since,
        })
    }
}

/// A message to the lobby's subscribers.
#[derive(Clone, Debug)]
pub enum Update {
    /// Changes to the list, as JSON.
    List(Arc<str>),
    /// This maker's challenge was accepted.
    Paired { maker: String, challenge: String, game: String },
}

/// A player's or guest's presence on this server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here {
    pub sockets: usize,
    pub seen: i64,
    /// Whether they were last seen on a socket, whose end is noticed at once.
    pub by_socket: bool,
    /// The address from which they were last seen.
    pub from: Option<IpAddr>,
}

/// A challenge as last read from the store.
#[derive(Clone, Debug)]
pub struct Listed {
    pub version: i64,
    pub value: String,
    pub own: Challenge,
}

/// This server's copy of the lobby.
pub struct Lobby {
    /// A random id of this process.
    pub server: std::sync::OnceLock<String>,
    list: Mutex<BTreeMap<String, Listed>>,
    here: Mutex<BTreeMap<String, Here>>,
    made: Mutex<BTreeMap<String, (Option<IpAddr>, i64)>>,
    pub updates: broadcast::Sender<Update>,
    /// Notified when something has changed here.
    pub changed: Notify,
}

impl Default for Lobby {
    fn default() -> Lobby {
        Lobby {
            server: Default::default(),
            list: Mutex::default(),
            here: Mutex::default(),
            made: Mutex::default(),
            updates: broadcast::channel(BEHIND).0,
            changed: Notify::new(),
        }
    }
}

impl Lobby {
    pub fn list(&self) -> MutexGuard<'_, BTreeMap<String, Listed>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The challenges that were made here just now and may not be in the list yet: household and time.
    pub fn made(&self) -> MutexGuard<'_, BTreeMap<String, (Option<IpAddr>, i64)>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn here(&self) -> MutexGuard<'_, BTreeMap<String, Here>> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that somebody is present.
    pub fn seen(&self, maker: &str, at: i64, from: Option<IpAddr>) {
        let mut all = self.here();
        let here = all.entry(maker.to_owned()).or_default();
        here.from = from.or(here.from);
        here.by_socket = here.sockets > 0;
        here.seen = at;
    }

    /// The open challenges as the API returns them.
    pub fn told(&self) -> Vec<Value> {
        let list = self.list();
        list.values().filter(|one| one.own.is_open()).map(|one| one.own.told()).collect()
    }

    /// The list as messages, the first of which replaces whatever the client had.
    pub fn messages(&self) -> Vec<String> {
        let mut parts = parts(self.told()).into_iter();
        let all = parts.next().unwrap_or_default();
        let more = parts.map(|added| json!({ "type": "lobby", "added": added, "gone": [] }));
        std::iter::once(json!({ "type": "lobby", "all": all }))
            .chain(more)
            .map(|one| one.to_string())
            .collect()
    }

    /// Takes a place for another challenge. Refused if there are too many already, in total or from the networks of an
    /// address; those that are being made count, too.
    fn take_place(
        &self,
        id: &str,
        from: Option<IpAddr>,
        limits: &Limits,
        now: i64,
    ) -> Result<(), Refusal> {
        let list = self.list();
        let mut made = self.made();
        made.retain(|_, (_, at)| now - *at < LISTED_WITHIN);
        let listed = list.values().map(|one| &one.own).filter(|own| own.is_open());
        let listed = listed.map(|own| (&own.id, own.network));
        let all: Vec<_> =
            listed.chain(made.iter().map(|(id, (network, _))| (id, *network))).collect();
        let open = || all.iter().filter(|(own, _)| *own != id).map(|(_, network)| network);
        if open().count() >= MOST {
            return Err(Refusal::unavailable("the lobby is full, try again later"));
        }
        let own = from.map(networks).unwrap_or_default();
        for (depth, network) in own.iter().enumerate() {
            let is_near = |other: &&Option<IpAddr>| {
                other.is_some_and(|from| networks(from).get(depth) == Some(network))
            };
            if open().filter(is_near).count() >= limits.challenges() * times(depth, own.len()) {
                let error = "your network has too many open challenges; accept one of the list";
                return Err(Refusal::too_many(error, 60));
            }
        }
        made.insert(id.to_owned(), (from.map(household), now));
        Ok(())
    }
}

/// Splits values into parts that fit into one message each.
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
    /// This server's id in the lobby.
    pub fn lobby_name(&self) -> String {
        let name = || format!("{:016x}", self.chance.seed());
        self.club.lobby.server.get_or_init(name).clone()
    }
}

fn key(id: &str) -> String {
    format!("challenge/{id}")
}

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

/// The outcome of a request to play.
#[derive(Debug)]
pub enum Met {
    /// Nobody fits yet: this challenge is waiting.
    Waits(Box<Challenge>),
    /// The id of the game.
    Plays(String),
}

/// Makes a challenge; a live one replaces the maker's previous one.
pub async fn challenge(
    hall: &Arc<Hall>,
    party: &Party,
    terms: Terms,
    auto: bool,
) -> Result<Met, Refusal> {
    terms.check_for(party)?;
    let base = party.id();
    let id = match terms.is_live() {
        true => base,
        false => format!("{base}.{}", new_id(hall.chance.as_ref())?),
    };
    let lobby = &hall.club.lobby;
    lobby.take_place(&id, party.from, &hall.limits, hall.time.now())?;
    let met = meet(hall, party, &id, terms, auto).await;
    if !matches!(met, Ok(Met::Waits(_))) {
        lobby.made().remove(&id);
    }
    met
}

/// Stores a challenge, or begins a game with somebody who wants the same.
async fn meet(
    hall: &Arc<Hall>,
    party: &Party,
    id: &str,
    terms: Terms,
    auto: bool,
) -> Result<Met, Refusal> {
    let (base, live) = (party.id(), terms.is_live());
    let rating = ratings::shown(hall, party.player.as_deref(), &terms.game).await?;
    for _ in 0..TRIES {
        let known = players::still_there(hall, party.player.as_deref()).await?;
        let name = known.as_ref().map(Player::read).transpose()?.map(|player| player.name);
        if !live && open_by_mail(hall, &base).await? >= MOST_BY_MAIL {
            let error =
                format!("you have {MOST_BY_MAIL} correspondence challenges already; withdraw one");
            return Err(Refusal::conflict(error));
        }
        if live
            && !party.is_bot()
            && let Open { game: Some(game), .. } = games::open(hall, &base).await?
        {
            games::enter(hall, &game).await?;
            return Ok(Met::Plays(game));
        }
        let before = record(hall, key(id)).await?;
        let challenge = Challenge {
            id: id.to_owned(),
            player: party.player.as_ref().map(|player| player.id.clone()),
            name,
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
            // A conflict may be about something else, such as a finished game being archived, so try again.
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
            None => Change::new(key(id), value),
        };
        // Conflicts with a ban, a new name, and another challenge of the same player.
        let guard = known.iter().map(|known| known.update(known.value.clone()));
        if records(hall)?.change(guard.chain([change]).collect()).await? {
            hall.club.lobby.seen(&base, hall.time.now(), party.from);
            hall.club.lobby.changed.notify_one();
            return Ok(Met::Waits(Box::new(challenge)));
        }
    }
    Err(busy())
}

/// How many correspondence challenges of a player are open.
async fn open_by_mail(hall: &Hall, maker: &str) -> Result<usize, Refusal> {
    let own = Range::of(&key(&format!("{maker}.")));
    let found = records(hall)?.range(own, MOST_READ).await?;
    let open = |own: &&Stored| Challenge::read(own).is_ok_and(|own| own.is_open());
    Ok(found.iter().filter(open).count())
}

/// Accepts a challenge; `version` is the one that the client has seen.
pub async fn accept(
    hall: &Arc<Hall>,
    party: &Party,
    id: &str,
    version: Option<i64>,
) -> Result<String, Refusal> {
    let gone = || Refusal::not_there("this challenge is not open any more");
    players::still_there(hall, party.player.as_deref()).await?;
    for _ in 0..TRIES {
        let Some((stored, challenge)) = find(hall, id).await? else { return Err(gone()) };
        if let Some(taken) = &challenge.taken {
            // The client may have missed the answer to an earlier request.
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

/// Withdraws a party's own challenge.
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
            hall.club.lobby.made().remove(id);
            hall.club.lobby.changed.notify_one();
            return Ok(());
        }
    }
    Err(busy())
}

/// Notes that somebody is connected to this server. Returns their accepted challenges whose games are still running.
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
            // If this fails, whoever opens the game tries again.
            let _ = games::ready(hall, &taken.game).await;
            if games::goes_on(hall, &taken.game).await? {
                paired.push((challenge.id, taken.game.clone()));
            }
        } else if challenge.terms.is_live() && challenge.server != hall.lobby_name() {
            let moved = Challenge { server: hall.lobby_name(), ..challenge };
            // If it conflicts, the maker's next request tries again.
            records(hall)?.change(vec![stored.update(text(&moved)?)]).await?;
            hall.club.lobby.changed.notify_one();
        }
    }
    Ok(paired)
}
