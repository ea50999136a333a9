//! Backups of an SQLite file: taking one while a server runs, checking that every game in it replays, and restoring it.

use crate::StartError;
use crate::games::played::Played;
use crate::store::{self, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::clock::Pauses;

/// Games are listed in pages of this size.
const TOGETHER: usize = 500;

/// At most this many damaged games are reported with their reasons.
const MOST_TOLD: usize = 20;

/// The outcome of [`verify`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    pub games: usize,
    pub events: usize,
    pub turns: usize,
    pub finished: usize,
    /// How many games cannot be replayed; `reasons` explains the first of them.
    pub damaged: usize,
    pub reasons: Vec<String>,
}

const OF_POSTGRES: &str = "PostgreSQL has its own: `pg_dump -Fc NAME > games.dump` while the servers run, and \
    `pg_restore -d NAME games.dump` into an empty database while they do not";

fn not_shared(data: &Path) -> Result<(), StartError> {
    match store::is_shared(data) {
        true => Err(StartError(OF_POSTGRES.into())),
        false => Ok(()),
    }
}

/// Copies an SQLite store, even while a server is using it.
pub fn backup(data: &Path, to: &Path) -> Result<(), StartError> {
    not_shared(data)?;
    store::copy_file(data, to)
}

/// Replays every game of a file or database without changing anything; `progress` gets the number of games so far.
pub fn verify(data: &Path, progress: impl FnMut(usize)) -> Result<Verified, StartError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| StartError(format!("cannot start a runtime: {error}")))?;
    let name = store::name(data);
    let done = runtime.block_on(async {
        let store = store::open_to_read(data).await?;
        let read = replay_all(&store, progress).await;
        store.close();
        read.map_err(|error| StartError(format!("`{name}`: {error}")))
    });
    drop(runtime);
    done
}

async fn replay_all(
    store: &Arc<dyn Store>,
    mut progress: impl FnMut(usize),
) -> Result<Verified, store::StoreError> {
    let pauses = Pauses::new(store.pauses(i64::MIN).await?);
    let (mut found, mut last) = (Verified::default(), String::new());
    loop {
        let games = store.games(&last, TOGETHER).await?;
        let Some(end) = games.last() else { return Ok(found) };
        last.clone_from(end);
        for game in &games {
            match replay(store, game, &pauses).await {
                Ok((events, played)) => {
                    found.events += events;
                    found.turns += played.course.turns;
                    found.finished += usize::from(played.course.result.is_some());
                }
                Err(reason) => {
                    found.damaged += 1;
                    if found.reasons.len() < MOST_TOLD {
                        found.reasons.push(reason);
                    }
                }
            }
            found.games += 1;
            progress(found.games);
        }
    }
}

async fn replay(
    store: &Arc<dyn Store>,
    game: &str,
    pauses: &Pauses,
) -> Result<(usize, Played), String> {
    let named = |error: store::StoreError| format!("game {game}: {error}");
    let events = store.events(game, 0, usize::MAX).await.map_err(named)?;
    let tokens = store.tokens(game).await.map_err(named)?;
    let played =
        Played::replay(game, &events, tokens, pauses).map_err(|error| error.to_string())?;
    let played = played.ok_or_else(|| format!("game {game}: its first event is missing"))?;
    Ok((events.len(), played))
}

/// Puts a backup, which the caller has verified, in place of a file that no server has open. Returns where the old
/// file, if any, was moved.
pub fn restore(backup: &Path, data: &Path) -> Result<Option<PathBuf>, StartError> {
    not_shared(data)?;
    store::replace_file(data, backup)
}
