//! Copies all games from one store to another, in either direction between SQLite and PostgreSQL.
//!
//! Each game is copied in one transaction and compared afterwards; games that exist in the target are only compared.
//! So an interrupted copy can simply be restarted.

use crate::StartError;
use crate::ids::Hash;
use crate::metrics::Metrics;
use crate::store::records::{Change, Range};
use crate::store::{self, Append, Appended, NewGame, Runner, Running, Store, StoreError};
use rules::ByPlayer;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use table::event::Event;

/// How many games are listed at once.
const TOGETHER: usize = 500;

/// A server may still be running if its last heartbeat is at most this many milliseconds old.
const LATELY: i64 = 5_000;

/// A running server stores another heartbeat within this time.
const BEATS: Duration = Duration::from_millis(2_500);

/// The result of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    pub games: usize,
    /// How many of the games already existed in the target.
    pub known: usize,
    pub events: usize,
    /// The hash of all games, which is the same in both stores.
    pub hash: String,
}

/// Copies all games; `progress` gets the number copied so far.
pub fn run(from: &Path, to: &Path, progress: impl FnMut(usize)) -> Result<Moved, StartError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| StartError(format!("cannot start a runtime: {error}")))?;
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
        return Err(StartError(format!("a server runs on `{name}`; stop all servers first")));
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
                    "game {game} already exists in `{other}` and differs; \
                     nothing of it was changed"
                )));
            }
            there.add_to(&mut hash);
            moved.games += 1;
            moved.events += there.events.len();
            progress(moved.games);
        }
    }
    copy_records(&source, &target).await.map_err(unwritten)?;
    let pauses = source.pauses(i64::MIN).await.map_err(unread)?;
    target.note(pauses.clone()).await.map_err(unwritten)?;
    // The time until a server starts on the target becomes a pause.
    target.beat(source.alive()).await.map_err(unwritten)?;
    let noted = target.pauses(i64::MIN).await.map_err(unwritten)?;
    if pauses.iter().any(|pause| !noted.contains(pause)) {
        return Err(StartError(format!("some pauses were not copied to `{other}`")));
    }
    moved.hash = store::hex(&hash.finalize().into());
    for (store, end) in [(source, source_end), (target, target_end)] {
        store.close();
        drop(store);
        // All operations have completed.
        let _ = end.await;
    }
    Ok(moved)
}

/// Copies all records: players, and what is kept about public games. Records that exist in the target stay as they are.
async fn copy_records(source: &Arc<dyn Store>, target: &Arc<dyn Store>) -> Result<(), StoreError> {
    let (Some(source), Some(target)) = (source.records(), target.records()) else { return Ok(()) };
    // Keys that begin with `~` concern only the store they are in; all others begin with a letter.
    let mut range = Range { after: String::new(), before: "~".into(), backwards: false };
    loop {
        let page = source.range(range.clone(), TOGETHER).await?;
        let Some(last) = page.last() else { return Ok(()) };
        range.after.clone_from(&last.key);
        let known = target.get(page.iter().map(|own| own.key.clone()).collect()).await?;
        let known: HashSet<_> = known.into_iter().map(|own| own.key).collect();
        let new = page.into_iter().filter(|own| !known.contains(&own.key));
        let changes: Vec<_> = new.map(|own| Change::put(own.key, own.value)).collect();
        if !changes.is_empty() {
            target.change(changes).await?;
        }
    }
}

/// Whether a server is running on a shared store.
async fn is_beating(store: &Arc<dyn Store>, data: &Path) -> Result<bool, StartError> {
    let Some(shared) = store.shared() else { return Ok(false) };
    let now = shared.now().await.map_err(|error| StartError(error.to_string()))?;
    if now - store.alive() > LATELY {
        return Ok(false);
    }
    // The server may just have stopped.
    tokio::time::sleep(BEATS).await;
    let (again, _) = store::open(data, Arc::new(Metrics::default())).await?;
    Ok(again.alive() > store.alive())
}

/// Everything stored about a game except its clocks.
#[derive(PartialEq)]
struct Whole {
    game: String,
    events: Vec<Event>,
    tokens: ByPlayer<Option<Hash>>,
}

impl Whole {
    async fn read(store: &Arc<dyn Store>, game: &str) -> Result<Whole, StoreError> {
        let events = store.events(game, 0, usize::MAX).await?;
        Ok(Whole { game: game.to_owned(), events, tokens: store.tokens(game).await? })
    }

    /// Stores the game; returns whether it was new.
    async fn write(
        &self,
        store: &Arc<dyn Store>,
        runner: Option<&Runner>,
    ) -> Result<bool, StoreError> {
        let Some((first, rest)) = self.events.split_first() else { return Ok(false) };
        let new_game = NewGame { id: self.game.clone(), first: first.clone(), tokens: self.tokens };
        // Files of version 0.1 do not store the deadline; 0 makes the server check the game at once.
        let running = runner.map(|runner| {
            let (deadline, at) = runner.deadline.unwrap_or((0, 0));
            Running::Until { deadline, at }
        });
        let append = Append {
            game: self.game.clone(),
            events: rest.to_vec(),
            new_game: Some(new_game),
            running,
            ..Append::default()
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
