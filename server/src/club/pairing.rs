//! Pairs a challenge with whoever accepts it, or with another challenge on the same terms. The challenges, the new game
//! and the note that both are playing change in one transaction, so nobody is paired twice.

use super::games::{self, Game, Open};
use super::lobby::{Challenge, Party, Side, Terms};
use super::players::{self, Player};
use super::{records, text};
use crate::games::hall::Hall;
use crate::http::limits;
use crate::ids::{Hash, new_id};
use crate::store::records::Stored;
use engine::Who;
use rules::ByPlayer;
use std::net::IpAddr;
use std::sync::Arc;
use table::event::{Club, Created, Seat};
use table::{Kind, Refusal};

/// How far apart ratings may be at first, and after how many milliseconds that doubles.
const NEAR: i32 = 100;
const WIDER: i64 = 5_000;

/// How far apart the ratings may be after waiting for this many milliseconds.
pub fn reach(waited: i64) -> i32 {
    NEAR << (waited / WIDER).clamp(0, 16)
}

/// Whether two challenges can be paired.
fn fits(one: &Challenge, other: &Challenge, now: i64) -> bool {
    let sides = match (one.terms.side, other.terms.side) {
        (Side::Random, _) | (_, Side::Random) => true,
        (one, other) => one != other,
    };
    let Terms { game, options, clock, rated, .. } = &one.terms;
    let same = (game, options, clock, rated)
        == (&other.terms.game, &other.terms.options, &other.terms.clock, &other.terms.rated);
    let apart = (one.rating - other.rating).abs();
    let near = apart <= reach(now - one.since).max(reach(now - other.since));
    same && sides && near && one.maker() != other.maker()
}

/// The best match: the challenge closest in rating, and the oldest of those.
pub fn partner(hall: &Hall, own: &Challenge) -> Option<Challenge> {
    let (list, now) = (hall.club.lobby.list(), hall.time.now());
    let open = list.values().map(|one| &one.own);
    let open = open.filter(|other| other.auto && other.is_open() && other.terms.is_live());
    let fitting = open.filter(|other| fits(own, other, now));
    fitting.min_by_key(|other| ((own.rating - other.rating).abs(), other.since)).cloned()
}

/// Accepts a challenge that was found in memory, for somebody who wants this side; none if it is no longer open.
pub async fn accept(
    hall: &Arc<Hall>,
    party: &Party,
    side: Side,
    other: &Challenge,
) -> Result<Option<String>, Refusal> {
    let Some((stored, challenge)) = super::lobby::find(hall, &other.id).await? else {
        return Ok(None);
    };
    match challenge.edition == other.edition && challenge.is_open() {
        true => seat(hall, (&stored, &challenge), party, With::Side(side)).await,
        false => Ok(None),
    }
}

/// Pairs two challenges found in memory, at the expense of an address; returns the game, or none if either has changed.
pub async fn pair(
    hall: &Arc<Hall>,
    one: &Challenge,
    other: &Challenge,
    from: Option<IpAddr>,
) -> Result<Option<String>, Refusal> {
    let found = super::lobby::find(hall, &one.id).await?;
    let with = super::lobby::find(hall, &other.id).await?;
    let (Some((stored, one)), Some((with, other))) = (found, with) else { return Ok(None) };
    if !one.is_open() || !other.is_open() || !fits(&one, &other, hall.time.now()) {
        return Ok(None);
    }
    let Some(party) = maker(hall, &with, &other).await? else { return Ok(None) };
    let party = Party { from, ..party };
    seat(hall, (&stored, &one), &party, With::Challenge(&with, &other)).await
}

/// The maker of a challenge. If they were deleted or banned since, returns none and removes the challenge.
async fn maker(
    hall: &Hall,
    stored: &Stored,
    challenge: &Challenge,
) -> Result<Option<Party>, Refusal> {
    let seal = challenge.seal();
    let Some(id) = &challenge.player else {
        return Ok(Some(Party { player: None, seal, from: None }));
    };
    match players::by_id(hall, id).await? {
        Some(player) if player.banned.is_none() => {
            Ok(Some(Party { player: Some(Arc::new(player)), seal, from: None }))
        }
        _ => {
            records(hall)?.change(vec![stored.delete()]).await?;
            hall.club.lobby.changed.notify_one();
            Ok(None)
        }
    }
}

/// Which seat the maker of a challenge gets: 0 or 1.
fn maker_seat(hall: &Hall, one: Side, other: Side) -> usize {
    match (one, other) {
        (Side::First, _) | (Side::Random, Side::Second) => 0,
        (Side::Second, _) | (Side::Random, Side::First) => 1,
        (Side::Random, Side::Random) => usize::from(hall.chance.seed() % 2 == 1),
    }
}

/// What a challenge is paired with.
#[derive(Clone, Copy)]
pub enum With<'a> {
    Side(Side),
    Challenge(&'a Stored, &'a Challenge),
}

/// Seats the maker of a challenge and somebody else, whose address pays for the game. Returns the game, or none if
/// something has changed meanwhile.
pub async fn seat(
    hall: &Arc<Hall>,
    open: (&Stored, &Challenge),
    party: &Party,
    with: With<'_>,
) -> Result<Option<String>, Refusal> {
    let Some(from) = party.from else { return start_game(hall, open, party, with).await };
    hall.limits.make_game(from)?;
    let met = start_game(hall, open, party, with).await;
    match &met {
        Ok(Some(game)) => begun(hall, game, from),
        _ => hall.limits.give_game_back(from),
    }
    met
}

/// Notes who has paid for a new game, and charges the address for storing it.
pub fn begun(hall: &Hall, game: &str, from: IpAddr) {
    hall.limits.made(game, from);
    hall.limits.stored(from, limits::OF_A_GAME + limits::OF_AN_EVENT);
}

async fn start_game(
    hall: &Arc<Hall>,
    (stored, challenge): (&Stored, &Challenge),
    party: &Party,
    with: With<'_>,
) -> Result<Option<String>, Refusal> {
    let (now, live) = (hall.time.now(), challenge.terms.is_live());
    let game = new_id(hall.chance.as_ref())?;
    let taken = |own: &Challenge| text(&own.clone().taken(&game, now));
    let Some(maker) = maker(hall, stored, challenge).await? else { return Ok(None) };
    let mut changes = vec![stored.update(taken(challenge)?)];
    let side = match with {
        With::Challenge(other, own) => {
            changes.push(other.update(taken(own)?));
            own.terms.side
        }
        With::Side(side) => {
            // Accepting a challenge withdraws one's own.
            if live
                && let Some((own, open)) = super::lobby::find(hall, &party.id()).await?
                && open.is_open()
            {
                changes.push(own.delete());
            }
            side
        }
    };
    let waits = match with {
        With::Challenge(other, _) => Some(other),
        With::Side(_) => None,
    };
    if live {
        for (own, waits) in [(&maker, Some(stored)), (party, waits)] {
            if own.is_bot() {
                continue;
            }
            let Open { game: playing, stored: known } = games::open(hall, &own.id()).await?;
            match (playing, waits) {
                (None, _) => changes.push(games::plays(known, &own.id(), &game)),
                // The challenge is stale: its maker has started another game since.
                (Some(_), Some(over)) => {
                    records(hall)?.change(vec![over.delete()]).await?;
                    return Ok(None);
                }
                (Some(game), None) => {
                    let error = format!("you are playing already: finish the game {game} first");
                    return Err(Refusal::conflict(error));
                }
            }
        }
    }
    let first = maker_seat(hall, challenge.terms.side, side) == 0;
    let parties = if first { [&maker, party] } else { [party, &maker] };
    let seats = parties.map(|own| (own.player.as_deref(), Who::Person, Some(own.seal)));
    let made = new_game(hall, &challenge.terms, seats, now).await?;
    changes.extend(made.records(&game)?);
    if !records(hall)?.change(changes).await? {
        return Ok(None);
    }
    hall.club.lobby.changed.notify_one();
    games::make(hall, &game, &made).await?;
    Ok(Some(game))
}

/// A game against the engine, which begins at once.
pub async fn against_level(
    hall: &Arc<Hall>,
    party: &Party,
    terms: &Terms,
    level: u8,
) -> Result<String, Refusal> {
    terms.check_for(party)?;
    for _ in 0..super::TRIES {
        let game = new_id(hall.chance.as_ref())?;
        let mut changes = Vec::new();
        if terms.is_live() && !party.is_bot() {
            let Open { game: playing, stored } = games::open(hall, &party.id()).await?;
            if let Some(game) = playing {
                let error = format!("you are playing already: finish the game {game} first");
                return Err(Refusal::conflict(error));
            }
            changes.push(games::plays(stored, &party.id(), &game));
            if let Some((own, open)) = super::lobby::find(hall, &party.id()).await?
                && open.is_open()
            {
                changes.push(own.delete());
            }
        }
        let own = (party.player.as_deref(), Who::Person, Some(party.seal));
        let engine = (None, Who::Level { level }, None);
        let first = maker_seat(hall, terms.side, Side::Random) == 0;
        let seats = if first { [own, engine] } else { [engine, own] };
        let made = new_game(hall, terms, seats, hall.time.now()).await?;
        changes.extend(made.records(&game)?);
        if records(hall)?.change(changes).await? {
            hall.club.lobby.changed.notify_one();
            games::make(hall, &game, &made).await?;
            return Ok(game);
        }
    }
    Err(super::busy())
}

/// The record of a new game.
async fn new_game(
    hall: &Hall,
    terms: &Terms,
    seats: [(Option<&Player>, Who, Option<Hash>); 2],
    at: i64,
) -> Result<Game, Refusal> {
    let mut strength = 0;
    for (player, who, _) in &seats {
        strength += super::ratings::strength(hall, *player, who, &terms.game).await?;
    }
    let [one, two] = seats;
    let options = (Some(terms.game.clone()), Some(terms.options.clone()));
    let given = requests::Given {
        game: options.0,
        options: options.1,
        position: None,
        turns: None,
        moves: None,
    };
    let session = given.open(&requests::Budget::SERVED)?;
    let seat = |(player, who, _): &(Option<&Player>, Who, Option<Hash>)| {
        let who = who.clone().in_game(session.as_ref());
        let who = who.map_err(|unknown| Refusal::against(unknown.message).at("level"))?;
        Ok::<_, Refusal>(Seat { who, name: player.map(|player| player.name.clone()) })
    };
    let id = |player: Option<&Player>| player.map(|player| player.id.clone());
    let club = Club { players: ByPlayer::new(id(one.0), id(two.0)), rated: terms.rated };
    let created = Created {
        game: terms.game.clone(),
        options: session.options(),
        start: session.start().text(),
        turns: Vec::new(),
        seats: ByPlayer::new(seat(&one)?, seat(&two)?),
        shared: false,
        clock: terms.clock,
        club: Some(club),
    };
    Ok(Game::new(&created, [one.2, two.2], strength / 2, at))
}

/// Pairs waiting players, oldest challenge first.
pub async fn pair_all(hall: &Arc<Hall>) {
    let own = hall.lobby_name();
    let mut waiting: Vec<Challenge> = {
        let list = hall.club.lobby.list();
        let open = list.values().map(|one| &one.own);
        open.filter(|one| one.auto && one.is_open() && one.terms.is_live()).cloned().collect()
    };
    waiting.sort_by_key(|one| (one.since, one.id.clone()));
    let mut gone = std::collections::BTreeSet::new();
    // If the older one is waiting on another server, that one pairs them.
    for one in waiting.iter().filter(|one| one.server == own) {
        if gone.contains(&one.id) {
            continue;
        }
        let now = hall.time.now();
        let others = waiting.iter().filter(|other| {
            !gone.contains(&other.id)
                && (other.since, &other.id) > (one.since, &one.id)
                && fits(one, other, now)
        });
        let best = others.min_by_key(|other| ((one.rating - other.rating).abs(), other.since));
        if let Some(other) = best {
            gone.extend([one.id.clone(), other.id.clone()]);
            if let Err(refusal) = pair_paid(hall, one, other).await {
                let reason = refusal.message;
                tracing::debug!(one.id, other.id, reason, "pairing failed; will try again");
            }
        }
    }
}

/// Pairs two challenges, at the expense of whichever can pay.
async fn pair_paid(hall: &Arc<Hall>, one: &Challenge, other: &Challenge) -> Result<(), Refusal> {
    let from = |own: &Challenge| hall.club.lobby.here().get(own.maker()).and_then(|here| here.from);
    let (first, second) = (from(one), from(other));
    match pair(hall, one, other, first.or(second)).await {
        Err(refusal) if matches!(refusal.kind, Kind::TooMany { .. }) && second.is_some() => {
            pair(hall, one, other, second).await.map(drop)
        }
        done => done.map(drop),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_reaches_everybody_in_the_end() {
        assert_eq!((reach(0), reach(5_000), reach(12_000)), (100, 200, 400));
        assert!(reach(30_000) > 3_000 && reach(i64::MAX) > 3_000);
        assert_eq!(reach(-1), 100, "a clock that differs a little");
    }
}
