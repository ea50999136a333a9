//! Deletes games that have been idle for longer than the settings allow, a few at a time.

use crate::admin::games::{State, count, state};
use crate::admin::settings::Keep;
use crate::admin::upkeep;
use crate::club::archive;
use crate::games::hall::Hall;
use crate::store::upkeep::Summary;
use std::sync::Arc;
use std::time::Duration;
use table::Refusal;

/// The interval between rounds, and the delay before the first one.
const ROUND: Duration = Duration::from_secs(3_600);
const FIRST: Duration = Duration::from_secs(60);

/// The batch size, and the pause between batches.
const TOGETHER: usize = 100;
const PAUSE: Duration = Duration::from_millis(200);

/// Runs the rounds, in an endless loop.
pub async fn run(hall: Arc<Hall>) {
    let mut settings = hall.office.settings.subscribe();
    let mut wait = FIRST;
    loop {
        tokio::select! {
            biased;
            () = tokio::time::sleep(wait) => wait = ROUND,
            // An operator who has changed the settings wants to see their effect.
            _ = settings.changed() => wait = Duration::from_secs(1),
        }
        let keep = settings.borrow_and_update().keep;
        if wait == ROUND
            && let Err(refusal) = clean(&hall, keep, PAUSE).await
        {
            tracing::warn!(reason = refusal.message, "cannot delete old games; will try again");
        }
    }
}

/// Deletes all expired games and returns how many there were.
pub async fn clean(hall: &Arc<Hall>, keep: Keep, pause: Duration) -> Result<usize, Refusal> {
    if keep == Keep::default() {
        return Ok(0);
    }
    upkeep(hall)?.prepare().await?;
    let (mut last, mut deleted) = (String::new(), 0);
    loop {
        let page = upkeep(hall)?.summaries(&last, TOGETHER).await?;
        let Some(end) = page.last() else { break };
        last.clone_from(&end.game);
        for game in page.iter().filter(|game| is_old(game, keep, hall.time.now())) {
            // Somebody may be watching it, or about to play.
            if hall.in_memory(&game.game).is_some_and(|room| room.is_followed()) {
                continue;
            }
            // An unreadable game is not in the archive.
            let events = match is_public(game) {
                true => hall.store.events(&game.game, 0, usize::MAX).await.unwrap_or_default(),
                false => Vec::new(),
            };
            // A move that is being stored right now saves the game: then it is no longer the last event.
            if upkeep(hall)?.delete(&game.game, Some(game.last)).await? {
                hall.forget(&game.game);
                if is_public(game) {
                    archive::forget(hall, &game.game, &events).await?;
                }
                count(hall, state(game) as usize);
                deleted += 1;
            }
        }
        tokio::time::sleep(pause).await;
    }
    if deleted > 0 {
        tracing::info!(deleted, "old games deleted");
    }
    Ok(deleted)
}

fn is_public(game: &Summary) -> bool {
    game.created.as_deref().is_some_and(|created| created.contains("\"club\":{"))
}

/// Public games in which both players have moved belong to the archive, and ratings depend on them.
fn is_archived(game: &Summary) -> bool {
    is_public(game) && game.turns >= 2
}

/// Whether a game has expired. While its clock runs, it is being played, however slowly.
fn is_old(game: &Summary, keep: Keep, now: i64) -> bool {
    if is_archived(game) {
        return false;
    }
    let most = match state(game) {
        State::Finished => keep.finished,
        State::Running => keep.unfinished,
        State::Unplayed => keep.unplayed,
    };
    let age = u128::try_from(now - game.last_at).unwrap_or(0);
    !game.running && most.is_some_and(|most| age > most.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    fn game(turns: i64, finished: bool, running: bool, age: i64) -> Summary {
        let (game, created) = ("abcdefgh".to_owned(), None);
        let (began, last_at) = (0, 1_000 * DAY - age);
        Summary { game, created, last: 9, turns, began, last_at, finished, running }
    }

    #[test]
    fn each_kind_of_game_has_an_age_of_its_own_and_a_running_clock_none() {
        let days = |days: u64| Some(Duration::from_secs(86_400 * days));
        let keep = Keep { finished: days(30), unfinished: days(10), unplayed: days(2) };
        let is_old = |game: Summary| is_old(&game, keep, 1_000 * DAY);
        assert!(is_old(game(9, true, false, 31 * DAY)) && !is_old(game(9, true, false, 30 * DAY)));
        assert!(is_old(game(9, false, false, 11 * DAY)) && !is_old(game(9, false, false, DAY)));
        assert!(is_old(game(0, false, false, 3 * DAY)) && !is_old(game(0, false, false, DAY)));
        assert!(!is_old(game(9, false, true, 900 * DAY)));
        let created = Some(r#"{"game":"gekitai","club":{"players":["abcdefgh",null]}}"#.to_owned());
        let public = |turns, finished| Summary {
            created: created.clone(),
            ..game(turns, finished, false, 90 * DAY)
        };
        assert!(!is_old(public(2, true)) && !is_old(public(9, false)), "it is in the archive");
        assert!(is_old(public(1, true)) && is_old(public(0, false)), "it was never played");
        let none = Keep { finished: None, ..keep };
        assert!(!super::is_old(&game(9, true, false, 900 * DAY), none, 1_000 * DAY));
    }
}
