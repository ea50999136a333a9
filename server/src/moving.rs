//! All games of one store, copied to another: from a file to a database that servers share, and back.
//!
//! A game is copied at once or not at all, and compared afterwards; one that is there already is compared
//! only. So a copy that was broken off is begun again, and goes on.

use crate::StartError;
use crate::event::Event;
use crate::ids::Hash;
use crate::metrics::Metrics;
use crate::store::{self, Append, Appended, NewGame, Runner, Running, Store, StoreError};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How many games are listed at once.
const TOGETHER: usize = 500;

/// How lately a server must have run to be running, in milliseconds.
const LATELY: i64 = 5_000;

/// Within what time a server that runs has beaten again.
const BEATS: Duration = Duration::from_millis(2_500);

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// How many games there are.
    pub games: usize,
    /// How many of them were there before.
    pub known: usize,
    /// How many events they have.
    pub events: usize,
    /// The hash of all of them, the same in both stores.
    pub hash: String,
}

/// Copies all games; `progress` hears how many have been.
pub fn run(from: &Path, to: &Path, progress: impl FnMut(usize)) -> Result<Moved, StartError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartError(format!("no threads: {error}")))?;
    runtime.block_on(copy(from, to, progress))
}

async fn copy(
    from: &Path,
    to: &Path,
    mut progress: impl FnMut(usize),
) -> Result<Moved, StartError> {
    let (name, other) = (store::name(from), store::name(to));
    if !store::is_shared(from) && !from.exists() {
        return Err(StartError(format!("there is no file `{name}`")));
    }
    let (source, source_end) = store::open(from, Arc::new(Metrics::default())).await?;
    let (target, target_end) = store::open(to, Arc::new(Metrics::default())).await?;
    let unread = |error: StoreError| StartError(format!("`{name}`: {error}"));
    let unwritten = |error: StoreError| StartError(format!("`{other}`: {error}"));
    if is_beating(&source, from).await? {
        return Err(StartError(format!("a server runs on `{name}`; stop all of them first")));
    }
    let running = source.running().await.map_err(unread)?;
    let running: HashMap<_, _> = running.into_iter().map(|own| (own.game.clone(), own)).collect();
    let mut moved = Moved::default();
    let mut hash = Sha256::new();
    let mut last = String::new();
    loop {
        let games = source.games(&last, TOGETHER).await.map_err(unread)?;
        let Some(end) = games.last() else { break };
        last.clone_from(end);
        for game in &games {
            let whole = Whole::read(&source, game).await.map_err(unread)?;
            if !whole.write(&target, running.get(game)).await.map_err(unwritten)? {
                moved.known += 1;
            }
            let there = Whole::read(&target, game).await.map_err(unwritten)?;
            if there != whole {
                return Err(StartError(format!(
                    "game {game} is in `{other}` already, and is not the same; \
                     nothing of it was changed"
                )));
            }
            there.add_to(&mut hash);
            moved.games += 1;
            moved.events += there.events.len();
            progress(moved.games);
        }
    }
    let pauses = source.pauses(i64::MIN).await.map_err(unread)?;
    target.note(pauses.clone()).await.map_err(unwritten)?;
    // The time until a server runs there is a pause.
    target.beat(source.alive()).await.map_err(unwritten)?;
    let noted = target.pauses(i64::MIN).await.map_err(unwritten)?;
    if pauses.iter().any(|pause| !noted.contains(pause)) {
        return Err(StartError(format!("pauses are missing in `{other}`")));
    }
    moved.hash = store::hex(&hash.finalize().into());
    for (store, end) in [(source, source_end), (target, target_end)] {
        store.close();
        drop(store);
        // What was asked for has been answered.
        let _ = end.await;
    }
    Ok(moved)
}

/// Whether a server runs on a store that servers share.
async fn is_beating(store: &Arc<dyn Store>, data: &Path) -> Result<bool, StartError> {
    let Some(shared) = store.shared() else { return Ok(false) };
    let now = shared.now().await.map_err(|error| StartError(error.to_string()))?;
    if now - store.alive() > LATELY {
        return Ok(false);
    }
    // One may have stopped a moment ago.
    tokio::time::sleep(BEATS).await;
    let (again, _) = store::open(data, Arc::new(Metrics::default())).await?;
    Ok(again.alive() > store.alive())
}

/// All that is stored of a game but its clocks.
#[derive(PartialEq)]
struct Whole {
    game: String,
    events: Vec<Event>,
    tokens: [Option<Hash>; 2],
}

impl Whole {
    async fn read(store: &Arc<dyn Store>, game: &str) -> Result<Whole, StoreError> {
        let events = store.events(game, 0, usize::MAX).await?;
        Ok(Whole { game: game.to_owned(), events, tokens: store.tokens(game).await? })
    }

    /// Stores it; says whether there was nothing of it.
    async fn write(
        &self,
        store: &Arc<dyn Store>,
        runner: Option<&Runner>,
    ) -> Result<bool, StoreError> {
        let Some((first, rest)) = self.events.split_first() else { return Ok(false) };
        let new_game = NewGame { id: self.game.clone(), first: first.clone(), tokens: self.tokens };
        // A file of version 0.1 does not say when: then somebody has to look.
        let running = runner.map(|runner| {
            let (deadline, at) = runner.deadline.unwrap_or((0, 0));
            Running::Until { deadline, at }
        });
        let append = Append {
            game: self.game.clone(),
            after: None,
            events: rest.to_vec(),
            new_game: Some(new_game),
            token: None,
            running,
            computer: None,
        };
        Ok(store.append(append).await? == Appended::Committed)
    }

    fn add_to(&self, hash: &mut Sha256) {
        hash.update(&self.game);
        for event in &self.events {
            let (kind, payload) = event.stored();
            let seat = event.seat.map(|seat| seat.number());
            let (seq, at, command) = (event.seq, event.at, &event.command);
            hash.update(format!("\n{seq} {kind} {payload} {seat:?} {command:?} {at}"));
        }
        for token in self.tokens.iter().flatten() {
            hash.update(token);
        }
    }
}
