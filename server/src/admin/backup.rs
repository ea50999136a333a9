//! Backups of an SQLite file: taking one while a server runs, checking that every game in it replays and every player
//! can be read, and restoring it.

use crate::StartError;
use crate::club::players;
use crate::games::played::Played;
use crate::store::records::Range;
use crate::store::{self, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::clock::Pauses;

/// Games are listed in pages of this size.
const TOGETHER: usize = 500;

/// At most this many damaged games and players are reported with their reasons.
const MOST_TOLD: usize = 20;

/// The outcome of [`verify`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    pub games: usize,
    pub events: usize,
    pub turns: usize,
    pub finished: usize,
    pub players: usize,
    /// How many games cannot be replayed and players cannot be read; `reasons` explains the first of them.
    pub damaged: usize,
    pub reasons: Vec<String>,
}

impl Verified {
    fn note_damage(&mut self, reason: String) {
        self.damaged += 1;
        if self.reasons.len() < MOST_TOLD {
            self.reasons.push(reason);
        }
    }
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

/// Replays every game and reads every player of a file or database without changing anything; `progress` gets the
/// number of games so far.
pub fn verify(data: &Path, progress: impl FnMut(usize)) -> Result<Verified, StartError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| StartError(format!("cannot start a runtime: {error}")))?;
    let name = store::name(data);
    let done = runtime.block_on(async {
        let store = store::open_to_read(data).await?;
        let read = async {
            let mut found = replay_all(&store, progress).await?;
            read_players(&store, &mut found).await.map(|()| found)
        };
        let read = read.await;
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
                Err(reason) => found.note_damage(reason),
            }
            found.games += 1;
            progress(found.games);
        }
    }
}

async fn read_players(
    store: &Arc<dyn Store>,
    found: &mut Verified,
) -> Result<(), store::StoreError> {
    let Some(records) = store.records() else { return Ok(()) };
    let mut range = Range::of("player/");
    loop {
        let page = records.range(range.clone(), TOGETHER).await?;
        let Some(last) = page.last() else { return Ok(()) };
        range.after.clone_from(&last.key);
        for own in &page {
            match players::Player::read(own) {
                Ok(_) => found.players += 1,
                Err(_) => found.note_damage(format!("`{}` cannot be read", own.key)),
            }
        }
    }
}

async fn replay(
    store: &Arc<dyn Store>,
    game: &str,
    pauses: &Pauses,
) -> Result<(usize, Played), String> {
    let named = |error: store::StoreError| format!("game {game}: {error}");
    // Before the events, because a server may append to the game.
    let last = match store.upkeep() {
        Some(upkeep) => upkeep.last_event(game).await.map_err(named)?,
        None => None,
    };
    let events = store.events(game, 0, usize::MAX).await.map_err(named)?;
    // Those after a missing one are not returned.
    let missing = events.len() as i64 + 1;
    if last.is_some_and(|last| last >= missing) {
        return Err(format!("game {game}: event {missing} is missing"));
    }
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
