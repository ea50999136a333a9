//! Cleans up after players who have deleted themselves: their names in games, their open challenges, and their seats in
//! running games. If an operator has renamed a player, games and challenges get the new name. Either can be interrupted
//! at any point and is resumed later.

use super::archive::moment;
use super::lobby::Challenge;
use super::{busy, games, players, records, text};
use crate::admin::games::DELETED;
use crate::admin::upkeep;
use crate::games::hall::Hall;
use crate::games::plan::Plan;
use crate::store::records::{Change, Range, Stored};
use rules::Player;
use std::sync::Arc;
use table::Refusal;
use table::event::{Ending, Event, Fact, Reason};

/// How many players, and how many games of each, are processed at a time.
const PLAYERS: usize = 5;
const GAMES: usize = 100;

/// Schedules a renamed player's games to be updated.
pub fn renamed(id: &str) -> Change {
    Change::put(format!("renamed/{id}"), "")
}

/// Does some of the work. A failure for one player does not hold up the others.
pub async fn clean(hall: &Arc<Hall>) -> Result<(), Refusal> {
    for start in ["gone/", "renamed/"] {
        for own in records(hall)?.range(Range::of(start), PLAYERS).await? {
            if let Err(refusal) = clean_one(hall, &own).await {
                let (player, reason) = (super::last_part(&own), refusal.message);
                tracing::warn!(player, reason, "cannot rename a player's games; will try again");
            }
        }
    }
    Ok(())
}

async fn clean_one(hall: &Arc<Hall>, own: &Stored) -> Result<(), Refusal> {
    let (id, is_gone) = (super::last_part(own).to_owned(), own.key.starts_with("gone/"));
    if is_gone {
        leave(hall, &id).await?;
    }
    let player = if is_gone { None } else { players::by_id(hall, &id).await? };
    let name = player.map_or(DELETED.to_owned(), |player| player.name);
    if !is_gone {
        rename_challenges(hall, &id, &name).await?;
    }
    // The value is a cursor: the key of the last game that was processed.
    let page = games_after(hall, &id, own.value.trim_matches(['{', '}'])).await?;
    for key in &page {
        let last = key.rsplit('/').next().unwrap_or_default();
        rename(hall, &id, moment(last).map_or(last, |(_, game)| game), &name).await?;
    }
    let change = match page.last() {
        Some(last) => own.update(last),
        None if is_gone && !games_of(hall, &id).await?.is_empty() => return Ok(()),
        None => own.delete(),
    };
    records(hall)?.change(vec![change]).await?;
    Ok(())
}

/// The keys of a player's games after the cursor: archived, called off, and running ones.
async fn games_after(hall: &Hall, id: &str, cursor: &str) -> Result<Vec<String>, Refusal> {
    let mut keys = Vec::new();
    for list in ["ap", "off", "running"] {
        let own = Range::of(&format!("{list}/{id}/"));
        let after = own.after.as_str().max(cursor).to_owned();
        if after < own.before && keys.len() < GAMES {
            let found = records(hall)?.range(Range { after, ..own }, GAMES - keys.len()).await?;
            keys.extend(found.into_iter().map(|stored| stored.key));
        }
    }
    Ok(keys)
}

async fn games_of(hall: &Hall, id: &str) -> Result<Vec<String>, Refusal> {
    let running = records(hall)?.range(Range::of(&format!("running/{id}/")), GAMES).await?;
    Ok(running.iter().map(|own| super::last_part(own).to_owned()).collect())
}

async fn challenges_of(hall: &Hall, id: &str) -> Result<Vec<Stored>, Refusal> {
    let mut all = records(hall)?.range(Range::of(&format!("challenge/{id}.")), GAMES).await?;
    all.extend(records(hall)?.get(vec![format!("challenge/{id}")]).await?);
    Ok(all)
}

/// Withdraws a player's challenges.
pub async fn withdraw(hall: &Hall, id: &str) -> Result<(), Refusal> {
    let left = challenges_of(hall, id).await?;
    let changes: Vec<_> = left.iter().map(|own| Change::drop(own.key.clone())).collect();
    if !changes.is_empty() {
        records(hall)?.change(changes).await?;
        hall.club.lobby.changed.notify_one();
    }
    Ok(())
}

/// Lists a player's challenges under this name.
async fn rename_challenges(hall: &Hall, id: &str, name: &str) -> Result<(), Refusal> {
    for stored in challenges_of(hall, id).await? {
        let Ok(own) = Challenge::read(&stored) else { continue };
        if own.name.as_deref() == Some(name) {
            continue;
        }
        if !records(hall)?.change(vec![stored.update(text(&own.called(name))?)]).await? {
            return Err(busy());
        }
        hall.club.lobby.changed.notify_one();
    }
    Ok(())
}

/// Withdraws the player's challenges and resigns their games.
async fn leave(hall: &Arc<Hall>, id: &str) -> Result<(), Refusal> {
    withdraw(hall, id).await?;
    for game in games_of(hall, id).await? {
        resign(hall, id, &game).await?;
        rename(hall, id, &game, DELETED).await?;
        hall.club.games.note(&game);
    }
    Ok(())
}

async fn resign(hall: &Arc<Hall>, id: &str, game: &str) -> Result<(), Refusal> {
    let Some((_, own)) = games::find(hall, game).await? else { return Ok(()) };
    let Some(club) = own.created()?.club else { return Ok(()) };
    let seat = Player::BOTH.into_iter().find(|seat| club.players[*seat].as_deref() == Some(id));
    let room = hall.room(game).await?;
    let ended = hall.change(&room, hall.time.now(), |game| {
        let result = match (game.course.result, table::referee::can_abort(game)) {
            (Some(_), _) => return Ok(None),
            (None, true) => Ending::new(None, Reason::Aborted),
            (None, false) => Ending::new(seat.map(Player::other), Reason::Resigned),
        };
        Ok(Some(Plan { seat, facts: vec![Fact::Result(result)], ..Plan::default() }))
    });
    ended.await.map(drop)
}

/// Replaces the name of a player in a game.
async fn rename(hall: &Hall, id: &str, game: &str, name: &str) -> Result<(), Refusal> {
    let events = hall.store.events(game, 0, 1).await?;
    let Some(Event { fact: Fact::Created(created), .. }) = events.first() else { return Ok(()) };
    let mut other = created.as_ref().clone();
    let Some(club) = &created.club else { return Ok(()) };
    for seat in Player::BOTH {
        if club.players[seat].as_deref() == Some(id) {
            other.seats[seat].name = Some(name.to_owned());
        }
    }
    if other == **created {
        return Ok(());
    }
    let event = Event { fact: Fact::Created(Box::new(other)), ..events[0].clone() };
    upkeep(hall)?.prepare().await?;
    upkeep(hall)?.rewrite(game, vec![(event.seq, event.stored().1)], Vec::new()).await?;
    hall.forget(game);
    Ok(())
}
