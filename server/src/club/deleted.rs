//! Removes what is left of players who have deleted themselves: their names in games, their open challenges, and their seats
//! in games that go on. It can be interrupted at any point and goes on later.

use super::archive::moment;
use super::{games, records};
use crate::admin::games::DELETED;
use crate::admin::upkeep;
use crate::games::hall::Hall;
use crate::games::plan::Plan;
use crate::store::records::{Change, Range};
use rules::Player;
use std::sync::Arc;
use table::Refusal;
use table::event::{Ending, Event, Fact, Reason};

/// How many players, and how many of their games are looked at in one go.
const PLAYERS: usize = 5;
const GAMES: usize = 100;

/// Does some of what is to be done.
pub async fn clean(hall: &Arc<Hall>) -> Result<(), Refusal> {
    for own in records(hall)?.range(Range::of("gone/"), PLAYERS).await? {
        let id = super::last_part(&own).to_owned();
        leave(hall, &id).await?;
        // The value is the moment of the last game that was looked at.
        let start = format!("ap/{id}/");
        let after = own.value.trim_matches(['{', '}']);
        let range = Range { after: format!("{start}{after}"), ..Range::of(&start) };
        let page = records(hall)?.range(range, GAMES).await?;
        for listed in &page {
            if let Some((_, game)) = moment(super::last_part(listed)) {
                rename(hall, &id, game).await?;
            }
        }
        let goes_on = games_of(hall, &id).await?;
        let change = match page.last() {
            Some(last) => own.update(super::last_part(last)),
            None if goes_on.is_empty() => own.delete(),
            None => continue,
        };
        records(hall)?.change(vec![change]).await?;
    }
    Ok(())
}

async fn games_of(hall: &Hall, id: &str) -> Result<Vec<String>, Refusal> {
    let running = records(hall)?.range(Range::of(&format!("running/{id}/")), GAMES).await?;
    Ok(running.iter().map(|own| super::last_part(own).to_owned()).collect())
}

/// Withdraws challenges and resigns games.
async fn leave(hall: &Arc<Hall>, id: &str) -> Result<(), Refusal> {
    let mut left = records(hall)?.range(Range::of(&format!("challenge/{id}.")), GAMES).await?;
    left.extend(records(hall)?.get(vec![format!("challenge/{id}")]).await?);
    let changes: Vec<_> = left.iter().map(|own| Change::drop(own.key.clone())).collect();
    if !changes.is_empty() {
        records(hall)?.change(changes).await?;
        hall.club.lobby.changed.notify_one();
    }
    for game in games_of(hall, id).await? {
        resign(hall, id, &game).await?;
        rename(hall, id, &game).await?;
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
async fn rename(hall: &Hall, id: &str, game: &str) -> Result<(), Refusal> {
    let events = hall.store.events(game, 0, 1).await?;
    let Some(Event { fact: Fact::Created(created), .. }) = events.first() else { return Ok(()) };
    let mut other = created.as_ref().clone();
    let Some(club) = &created.club else { return Ok(()) };
    for seat in Player::BOTH {
        if club.players[seat].as_deref() == Some(id) {
            other.seats[seat].name = Some(DELETED.to_owned());
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
