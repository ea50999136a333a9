//! Makes the archive and the ratings again from the events of all games.

use super::{archive, ratings, records};
use crate::games::hall::Hall;
use crate::store::records::Range;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use table::Refusal;
use table::event::{Event, Fact};

/// How many records are deleted, and how many games are listed at once.
const TOGETHER: usize = 500;

/// All that follows from events.
const DERIVED: [&str; 7] = ["a/", "ap/", "ag/", "p/", "o/", "c/", "rh/"];

/// What a rebuilding has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    pub games: usize,
    pub archived: usize,
    /// The hash of all ratings, which is the same wherever the same games are.
    pub ratings: String,
}

/// Deletes what follows from events and makes it again; `progress` gets the number of games looked at.
pub async fn rebuild(
    hall: &Arc<Hall>,
    mut progress: impl FnMut(usize),
) -> Result<Rebuilt, Refusal> {
    for start in DERIVED {
        while records(hall)?.clear(Range::of(start), TOGETHER).await? > 0 {}
    }
    let (mut last, mut games, mut archived) = (String::new(), 0, 0);
    loop {
        let page = hall.store.games(&last, TOGETHER).await?;
        let Some(end) = page.last() else { break };
        last.clone_from(end);
        for game in &page {
            games += 1;
            let first = hall.store.events(game, 0, 1).await?;
            let Some(Event { fact: Fact::Created(created), .. }) = first.first() else { continue };
            if created.club.is_none() {
                continue;
            }
            let events = hall.store.events(game, 0, usize::MAX).await?;
            // What goes on is archived when it is over.
            archive::archive(hall, game, &events, None).await?;
            archived += usize::from(events.iter().any(|own| matches!(own.fact, Fact::Result(_))));
        }
        progress(games);
    }
    ratings::rate_all(hall).await?;
    Ok(Rebuilt { games, archived, ratings: fingerprint(hall).await? })
}

/// The hash of all ratings.
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
