//! Rebuilds the archive and the ratings from the events of all games.
//!
//! Records are rewritten in place and deleted only once their game was read and turned out not to produce them. So if
//! this is interrupted, by a full disk or an impatient operator, the archive is no worse than before, and it can simply
//! be run again. Ratings are recomputed at the end.

use super::archive::Derived;
use super::{archive, ratings, records};
use crate::games::hall::Hall;
use crate::store::StoreError;
use crate::store::records::{Change, Range};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::sync::Arc;
use table::Refusal;
use table::event::{Event, Fact};

/// How many games or records are read at a time.
const TOGETHER: usize = 500;

/// Everything derived from single games; the keys end with a moment, which includes the game's id.
const DERIVED: [&str; 6] = ["a/", "ag/", "ap/", "o/", "off/", "p/"];

/// The outcome of a rebuild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    pub games: usize,
    pub archived: usize,
    /// Games whose events cannot be read; their records stay.
    pub unreadable: usize,
    /// A hash of all ratings, equal for equal games.
    pub ratings: String,
}

/// Rebuilds everything; `progress` gets the number of games so far.
pub async fn rebuild(
    hall: &Arc<Hall>,
    mut progress: impl FnMut(usize),
) -> Result<Rebuilt, Refusal> {
    let (mut last, mut kept) = (String::new(), BTreeSet::new());
    let (mut games, mut archived, mut unreadable) = (0, 0, 0);
    loop {
        let page = hall.store.games(&last, TOGETHER).await?;
        let Some(end) = page.last() else { break };
        last.clone_from(end);
        for game in &page {
            games += 1;
            let Some(events) = read(hall, game).await? else {
                unreadable += 1;
                continue;
            };
            // Running games are archived when they end.
            let Some(derived) = archive::add(hall, game, &events).await? else { continue };
            archived += usize::from(derived.entry.is_some());
            kept.extend(derived.records()?.keys().filter_map(|key| mark(key)));
        }
        progress(games);
    }
    for start in DERIVED {
        sweep(hall, start, &kept).await?;
    }
    ratings::rebuild(hall).await?;
    Ok(Rebuilt { games, archived, unreadable, ratings: fingerprint(hall).await? })
}

/// The events of a public game, or just the first one of a private game; none if they cannot be read.
async fn read(hall: &Hall, game: &str) -> Result<Option<Vec<Event>>, Refusal> {
    let read = async |most| match hall.store.events(game, 0, most).await {
        Ok(events) => Ok(Some(events)),
        Err(StoreError::Damaged(reason)) => {
            tracing::warn!(game, reason, "skipped a game that cannot be read");
            Ok(None)
        }
        Err(error) => Err(Refusal::from(error)),
    };
    match read(1).await? {
        Some(first) if is_public(&first) => read(usize::MAX).await,
        other => Ok(other),
    }
}

fn is_public(events: &[Event]) -> bool {
    let first = events.first().map(|event| &event.fact);
    matches!(first, Some(Fact::Created(created)) if created.club.is_some())
}

/// Identifies a rewritten record by the prefix of its key and its moment.
fn mark(key: &str) -> Option<(&'static str, String)> {
    let start = DERIVED.into_iter().find(|start| key.starts_with(start))?;
    let end = key.len().checked_sub(super::archive::MOMENT)?;
    // A game has either all of these records or none.
    let start = if ["ag/", "ap/", "p/"].contains(&start) { "a/" } else { start };
    Some((start, key.get(end..)?.to_owned()))
}

/// Deletes the records that their games no longer produce.
async fn sweep(
    hall: &Hall,
    start: &str,
    kept: &BTreeSet<(&'static str, String)>,
) -> Result<(), Refusal> {
    let mut range = Range::of(start);
    loop {
        let page = records(hall)?.range(range.clone(), TOGETHER).await?;
        let Some(last) = page.last() else { return Ok(()) };
        range.after.clone_from(&last.key);
        let mut stale = Vec::new();
        for stored in &page {
            let known = mark(&stored.key);
            if known.as_ref().is_some_and(|known| kept.contains(known)) {
                continue;
            }
            let moment = known.map(|(_, moment)| moment).unwrap_or_default();
            let game = super::archive::moment(&moment).map(|(_, game)| game).unwrap_or_default();
            // Check again: the game may have ended a moment ago.
            let Some(events) = read(hall, game).await? else { continue };
            let derived = Derived::of(hall, game, &events).await?;
            let all = derived.map(|own| own.records()).transpose()?.unwrap_or_default();
            if !all.contains_key(&stored.key) {
                stale.push(Change::drop(stored.key.clone()));
            }
        }
        if !stale.is_empty() {
            records(hall)?.change(stale).await?;
        }
    }
}

/// A hash of all ratings.
pub async fn fingerprint(hall: &Hall) -> Result<String, Refusal> {
    let mut hash = Sha256::new();
    let mut range = Range::of("rh/");
    loop {
        let page = records(hall)?.range(range.clone(), TOGETHER).await?;
        let Some(last) = page.last() else { break };
        range.after.clone_from(&last.key);
        page.iter().for_each(|own| hash.update(format!("{} {}\n", own.key, own.value)));
    }
    Ok(crate::store::hex(&hash.finalize().into()))
}
