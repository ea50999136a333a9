//! Players: a name, and a secret key of which the server keeps only the hash.
//!
//! A player's seats are bound not to the key but to a seal that only the server knows, so the key can be replaced
//! without losing games.

use super::{TRIES, busy, names, record, records, text, value};
use crate::games::hall::Hall;
use crate::ids::{self, Hash, hash, new_id, new_token};
use crate::store::records::{Change, Stored};
use crate::store::{hex, unhex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use table::Refusal;

/// The prefix of a key, to tell it from the token of a seat.
pub const PREFIX: &str = "pk-";

const NOBODYS: &str = "this key belongs to no player: it was replaced, or the player was deleted";

/// For how many milliseconds, and how many, looked-up keys are cached.
const REMEMBERED: i64 = 10_000;
const MOST_REMEMBERED: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    #[serde(skip)]
    pub id: String,
    pub name: String,
    /// The hash of the key, in hexadecimal.
    key: String,
    seal: String,
    pub since: i64,
    #[serde(default)]
    pub bot: bool,
    /// Why an operator has banned the player.
    #[serde(default)]
    pub banned: Option<String>,
}

impl Player {
    /// Takes the place of a token's hash at the player's seats.
    pub fn seal(&self) -> Hash {
        unhex(&self.seal).unwrap_or_default()
    }

    /// The player with another name.
    #[must_use]
    pub fn called(self, name: String) -> Player {
        Player { name, ..self }
    }

    /// The player banned for this reason, or no longer banned.
    #[must_use]
    pub fn banned_for(self, banned: Option<String>) -> Player {
        Player { banned, ..self }
    }

    fn may_play(&self) -> Result<(), Refusal> {
        match &self.banned {
            Some(reason) => {
                Err(Refusal::forbidden(format!("the host has banned this player: {reason}")))
            }
            None => Ok(()),
        }
    }

    pub fn read(stored: &Stored) -> Result<Player, Refusal> {
        let own: Player = value(stored)?;
        Ok(Player { id: super::last_part(stored).to_owned(), ..own })
    }
}

/// A cache of players by the hash of their key, each with the time it was looked up.
#[derive(Default)]
pub struct Known(Mutex<ByKey>);

type ByKey = BTreeMap<Hash, (i64, Option<Arc<Player>>)>;

impl Known {
    fn lock(&self) -> MutexGuard<'_, ByKey> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the cache, because a player has changed.
    pub fn forget(&self) {
        self.lock().clear();
    }

    /// The seal of a cached key.
    pub fn seal(&self, key: &str) -> Option<Hash> {
        let (_, player) = self.lock().get(&hash(key)).cloned()?;
        player.map(|player| player.seal())
    }
}

/// A request to register.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Wanted {
    pub name: String,
    /// A key of the client's choice, which makes the request idempotent.
    #[serde(default)]
    pub key: Option<String>,
    /// Required if the host has closed registration.
    #[serde(default)]
    pub invitation: Option<String>,
    #[serde(default)]
    pub bot: bool,
}

/// An invitation that admits several players.
#[derive(Serialize, Deserialize)]
pub struct Invitation {
    pub left: u32,
    pub until: i64,
}

/// Whether a token has the form of a player's key.
pub fn is_key(token: &str) -> bool {
    token.starts_with(PREFIX)
}

fn checked_key(key: Option<String>, hall: &Hall) -> Result<String, Refusal> {
    let Some(key) = key else { return Ok(format!("{PREFIX}{}", new_token(hall.chance.as_ref())?)) };
    let rest = key.strip_prefix(PREFIX).unwrap_or_default();
    let long = table::referee::SECRET_LENGTH.contains(&rest.len());
    if long && rest.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(key);
    }
    let (least, most) = table::referee::SECRET_LENGTH.into_inner();
    let error =
        format!("a key is `{PREFIX}` and {least} to {most} letters and digits, drawn at random");
    Err(Refusal::not_understood(error).at("key"))
}

fn key_record(key: Hash) -> String {
    format!("key/{}", hex(&key))
}

impl Hall {
    /// The player with this key.
    pub async fn player(&self, key: &str) -> Result<Arc<Player>, Refusal> {
        let known = self.club.known.lock().get(&hash(key)).cloned();
        let now = self.time.now();
        let player = match known {
            Some((at, player)) if (0..REMEMBERED).contains(&(now - at)) => player,
            _ => {
                let player = find(self, hash(key)).await?.map(Arc::new);
                let mut known = self.club.known.lock();
                if known.len() >= MOST_REMEMBERED {
                    known.clear();
                }
                known.insert(hash(key), (now, player.clone()));
                player
            }
        };
        let player = player.ok_or_else(|| Refusal::no_token(NOBODYS))?;
        player.may_play().map(|()| player)
    }

    /// The hash that identifies a token at a seat: its own, or the seal of the player whose key it is.
    pub async fn seat_of(&self, token: &str) -> Result<Hash, Refusal> {
        match is_key(token) {
            true => self.player(token).await.map(|player| player.seal()),
            false => Ok(hash(token)),
        }
    }
}

/// The record of a player as it is now; refused if they were deleted or banned, perhaps on another server, since the key
/// was looked up.
pub async fn still_there(hall: &Hall, player: Option<&Player>) -> Result<Option<Stored>, Refusal> {
    let Some(player) = player else { return Ok(None) };
    let Some(found) = stored(hall, &player.id).await? else {
        return Err(Refusal::no_token(NOBODYS));
    };
    Player::read(&found)?.may_play().map(|()| Some(found))
}

async fn find(hall: &Hall, key: Hash) -> Result<Option<Player>, Refusal> {
    let Some(own) = record(hall, key_record(key)).await? else { return Ok(None) };
    by_id(hall, &own.value).await
}

pub async fn stored(hall: &Hall, id: &str) -> Result<Option<Stored>, Refusal> {
    record(hall, format!("player/{id}")).await
}

pub async fn by_id(hall: &Hall, id: &str) -> Result<Option<Player>, Refusal> {
    stored(hall, id).await?.as_ref().map(Player::read).transpose()
}

/// The id of the player with this name or one that looks like it.
pub async fn by_name(hall: &Hall, name: &str) -> Result<Option<String>, Refusal> {
    let found = records(hall)?.get(names::keys(name).into_iter().collect()).await?;
    Ok(found.into_iter().map(|own| own.value).find(|id| !id.is_empty()))
}

/// The names of these players; those who were deleted, or whose records are damaged, have none.
pub async fn names_of(hall: &Hall, ids: &[String]) -> Result<BTreeMap<String, String>, Refusal> {
    let mut keys: Vec<_> = ids.iter().map(|id| format!("player/{id}")).collect();
    keys.sort_unstable();
    keys.dedup();
    let found = records(hall)?.get(keys).await?;
    let name = |own: &Stored| Player::read(own).ok().map(|player| (player.id, player.name));
    Ok(found.iter().filter_map(name).collect())
}

pub async fn is_closed(hall: &Hall) -> Result<bool, Refusal> {
    Ok(record(hall, "setting/closed".into()).await?.is_some())
}

/// Registers a player and returns it with its key.
pub async fn register(
    hall: &Hall,
    address: IpAddr,
    wanted: Wanted,
) -> Result<(Arc<Player>, String), Refusal> {
    let name = names::checked(&wanted.name)?;
    let key = checked_key(wanted.key.clone(), hall)?;
    if let Some(known) = holder(hall, &name, &key).await? {
        return Ok((known, key));
    }
    let mut paid = false;
    for _ in 0..TRIES {
        let made = try_to_register(hall, address, &wanted, (&name, &key), &mut paid).await;
        if let Ok(Some(player)) = made {
            return Ok((Arc::new(player), key));
        }
        // A copy of this request may have been faster, and have used up name and invitation.
        if let Some(known) = holder(hall, &name, &key).await? {
            if paid {
                hall.limits.give_player_back(address);
            }
            return Ok((known, key));
        }
        made?;
    }
    Err(busy())
}

/// The player who has registered with this name and key, if any.
async fn holder(hall: &Hall, name: &str, key: &str) -> Result<Option<Arc<Player>>, Refusal> {
    let Some(known) = find(hall, hash(key)).await? else { return Ok(None) };
    match known.name == name {
        true => Ok(Some(Arc::new(known))),
        false => {
            let error = "this key belongs to a player of another name";
            Err(Refusal::conflict(error).at("key"))
        }
    }
}

/// One attempt; none if something has changed meanwhile.
async fn try_to_register(
    hall: &Hall,
    address: IpAddr,
    wanted: &Wanted,
    (name, key): (&str, &str),
    paid: &mut bool,
) -> Result<Option<Player>, Refusal> {
    if wanted.invitation.is_none() && is_closed(hall).await? {
        let error = "new players need an invitation here; ask the host for one";
        return Err(Refusal::forbidden(error).at("invitation"));
    }
    // A name that is taken costs no more than the request.
    check_free(hall, name).await?;
    if wanted.invitation.is_none() && !*paid {
        hall.limits.register(address)?;
        *paid = true;
    }
    let id = new_id(hall.chance.as_ref())?;
    let (seal, since) = (new_token(hall.chance.as_ref())?, hall.time.now());
    let (own, seal) = (hex(&hash(key)), hex(&hash(&seal)));
    let (name, bot) = (name.to_owned(), wanted.bot);
    let player = Player { id, name, key: own, seal, since, bot, banned: None };
    let mut changes = vec![
        Change::new(format!("player/{}", player.id), text(&player)?),
        Change::new(key_record(hash(key)), &*player.id),
    ];
    changes.extend(names::keys(&player.name).into_iter().map(|own| Change::new(own, &*player.id)));
    if let Some(code) = &wanted.invitation {
        changes.push(use_invitation(hall, code).await?);
    }
    if !records(hall)?.change(changes).await? {
        return Ok(None);
    }
    hall.club.known.forget();
    tracing::info!(player = player.id, bot, "a new player");
    Ok(Some(player))
}

/// Refuses a name that is taken.
pub async fn check_free(hall: &Hall, name: &str) -> Result<(), Refusal> {
    let taken = records(hall)?.get(names::keys(name).into_iter().collect()).await?;
    match taken.is_empty() {
        true => Ok(()),
        false => Err(Refusal::conflict("this name is taken, or looks like one that is").at("name")),
    }
}

async fn use_invitation(hall: &Hall, code: &str) -> Result<Change, Refusal> {
    let unknown = || Refusal::forbidden("this invitation is not valid any more").at("invitation");
    let key = format!("invite/{}", hex(&hash(code)));
    let found = record(hall, key).await?.ok_or_else(unknown)?;
    let invitation: Invitation = value(&found)?;
    if invitation.until <= hall.time.now() {
        return Err(unknown());
    }
    match invitation.left {
        0 | 1 => Ok(found.delete()),
        left => Ok(found.update(text(&Invitation { left: left - 1, ..invitation })?)),
    }
}

/// Replaces a player's key; the old one stops working at once.
pub async fn replace_key(hall: &Hall, id: &str, key: Option<String>) -> Result<String, Refusal> {
    let key = checked_key(key, hall)?;
    for _ in 0..TRIES {
        let Some(found) = stored(hall, id).await? else { return Err(no_player(id)) };
        let own = Player::read(&found)?;
        let new = hex(&hash(&key));
        if own.key == new {
            return Ok(key);
        }
        let changes = vec![
            found.update(text(&Player { key: new, ..own.clone() })?),
            Change::drop(format!("key/{}", own.key)),
            Change::new(key_record(hash(&key)), id),
        ];
        if records(hall)?.change(changes).await? {
            hall.club.known.forget();
            return Ok(key);
        }
        if find(hall, hash(&key)).await?.is_some_and(|other| other.id != id) {
            return Err(Refusal::conflict("this key belongs to another player").at("key"));
        }
    }
    Err(busy())
}

/// Changes a player, retrying after conflicts.
pub async fn alter(
    hall: &Hall,
    id: &str,
    alter: impl Fn(Player) -> Player,
) -> Result<Player, Refusal> {
    for _ in 0..TRIES {
        let Some(found) = stored(hall, id).await? else { return Err(no_player(id)) };
        let own = Player::read(&found)?;
        let other = alter(own.clone());
        let mut changes = vec![found.update(text(&other)?)];
        let (before, after) = (names::keys(&own.name), names::keys(&other.name));
        changes.extend(after.difference(&before).map(|key| Change::new(key, id)));
        changes.extend(before.difference(&after).map(Change::drop));
        if records(hall)?.change(changes).await? {
            hall.club.known.forget();
            return Ok(other);
        }
        let taken = by_name(hall, &other.name).await?;
        if taken.is_some_and(|taken| taken != id) {
            return Err(
                Refusal::conflict("this name is taken, or looks like one that is").at("name")
            );
        }
    }
    Err(busy())
}

/// Deletes a player: key and name are free at once, and the name disappears from the games a moment later.
pub async fn delete(hall: &Hall, id: &str) -> Result<(), Refusal> {
    for _ in 0..TRIES {
        let Some(found) = stored(hall, id).await? else { return Ok(()) };
        let own = Player::read(&found)?;
        let mut changes = vec![
            found.delete(),
            Change::drop(format!("key/{}", own.key)),
            Change::put(format!("gone/{id}"), "{}"),
        ];
        changes.extend(names::keys(&own.name).into_iter().map(Change::drop));
        if records(hall)?.change(changes).await? {
            hall.club.known.forget();
            tracing::info!(player = id, "a player was deleted");
            return Ok(());
        }
    }
    Err(busy())
}

pub fn no_player(who: &str) -> Refusal {
    Refusal::not_there(format!("there is no player `{}`", rules::game::shorten(who)))
}

/// Refuses malformed ids before querying the store.
pub fn check_id(id: &str) -> Result<(), Refusal> {
    ids::check_id(id).map_err(|_| no_player(id))
}
