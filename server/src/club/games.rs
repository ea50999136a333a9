//! Public games that are not over: from the pairing, which promises them, to the archive.
//!
//! The record of a game is written in the change that pairs its players, before the game itself. Whoever is to play it, or
//! the task that looks after all of them, makes the game if a server died in between.

use super::{archive, record, records, text, value};
use crate::games::hall::Hall;
use crate::games::plan::{Plan, first};
use crate::games::played::Played;
use crate::ids::Hash;
use crate::store::records::{Change, Range, Stored};
use crate::store::{Append, hex, unhex};
use rules::{ByPlayer, Player};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use table::event::{Created, Ending, Event, Fact, Reason};
use table::{Refusal, TimeControl};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// For how many milliseconds a live game waits for its first two turns, and a correspondence game.
const PATIENCE: i64 = 60_000;
const PATIENCE_BY_MAIL: i64 = 5 * 24 * 3_600_000;

/// How often the games are looked at, and how many at once.
const ROUND: Duration = Duration::from_secs(2);
const TOGETHER: usize = 20;

/// How many games are remembered that have ended or begun.
const MOST_HEARD: usize = 10_000;

/// The highest strength that is told apart in the order of games to watch.
const STRONGEST: i64 = 99_999;

/// The games about which something has happened here.
#[derive(Default)]
pub struct Heard {
    games: Mutex<BTreeSet<String>>,
    /// Told when there is one.
    news: Notify,
}

impl Heard {
    fn take(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.games.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that a game has ended or was made here.
    pub fn note(&self, game: &str) {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        if games.len() < MOST_HEARD {
            games.insert(game.to_owned());
        }
        self.news.notify_one();
    }
}

/// A game as it is stored while it goes on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Game {
    /// Its first event.
    created: Value,
    /// The hashes of the seats' tokens.
    seats: [Option<String>; 2],
    /// The mean rating of its players.
    strength: i64,
    pub at: i64,
}

impl Game {
    pub fn new(created: &Created, seats: [Option<Hash>; 2], strength: i64, at: i64) -> Game {
        let created = serde_json::to_value(created).unwrap_or_default();
        Game { created, seats: seats.map(|own| own.map(|own| hex(&own))), strength, at }
    }

    pub fn created(&self) -> Result<Created, Refusal> {
        match Event::fact("created", &self.created.to_string()).map_err(Refusal::broken)? {
            Fact::Created(created) => Ok(*created),
            _ => Err(Refusal::broken("the record of a game holds something else")),
        }
    }

    fn tokens(&self) -> ByPlayer<Option<Hash>> {
        let [one, two] = &self.seats;
        let hash = |own: &Option<String>| own.as_deref().and_then(unhex);
        ByPlayer::new(hash(one), hash(two))
    }

    /// The key by which the strongest game comes first.
    fn watch(&self, game: &str) -> String {
        let strength = self.strength.clamp(0, STRONGEST);
        format!("watch/{:05}{game}", STRONGEST - strength)
    }

    fn lists(&self, game: &str) -> Vec<String> {
        let players = self.created["club"]["players"].as_array().cloned().unwrap_or_default();
        let of_player = |id: &Value| Some(format!("running/{}/{game}", id.as_str()?));
        let mut keys: Vec<_> = players.iter().filter_map(of_player).collect();
        keys.dedup();
        keys.push(self.watch(game));
        keys
    }

    /// The records of a game that begins.
    pub fn records(&self, game: &str) -> Result<Vec<Change>, Refusal> {
        let mut all = vec![Change::new(format!("game/{game}"), text(self)?)];
        all.extend(self.lists(game).into_iter().map(|key| Change::put(key, game)));
        Ok(all)
    }

    /// The changes when it is over.
    pub fn over(&self, game: &str, stored: &Stored) -> Vec<Change> {
        let mut all = vec![stored.delete()];
        all.extend(self.lists(game).into_iter().map(Change::drop));
        all
    }
}

/// Which live game somebody plays.
pub struct Open {
    pub game: Option<String>,
    pub stored: Option<Stored>,
}

/// The live game that somebody plays, and the record that says so.
pub async fn open(hall: &Arc<Hall>, id: &str) -> Result<Open, Refusal> {
    let stored = record(hall, format!("live/{id}")).await?;
    let Some(known) = &stored else { return Ok(Open { game: None, stored }) };
    let goes_on = match record(hall, format!("game/{}", known.value)).await? {
        // It may be over, and not in the archive yet.
        Some(_) => {
            !matches!(hall.room(&known.value).await, Ok(room) if room.view(|game| game.course.result.is_some()))
        }
        None => false,
    };
    let game = goes_on.then(|| known.value.clone());
    Ok(Open { game, stored })
}

/// The change that says that somebody plays a live game.
pub fn plays(known: Option<Stored>, id: &str, game: &str) -> Change {
    match known {
        Some(known) => known.update(game),
        None => Change::new(format!("live/{id}"), game),
    }
}

pub async fn find(hall: &Hall, game: &str) -> Result<Option<(Stored, Game)>, Refusal> {
    let Some(stored) = record(hall, format!("game/{game}")).await? else { return Ok(None) };
    let own = value(&stored)?;
    Ok(Some((stored, own)))
}

/// Whether somebody has a seat in a game.
pub async fn is_between(hall: &Hall, game: &str, seal: Hash) -> Result<bool, Refusal> {
    let tokens = match find(hall, game).await? {
        Some((_, own)) => own.tokens(),
        None => hall.store.tokens(game).await?,
    };
    Ok(tokens.contains(&Some(seal)))
}

/// Makes the game of a record, unless it is there.
pub async fn make(hall: &Arc<Hall>, game: &str, own: &Game) -> Result<(), Refusal> {
    let new = first(game.to_owned(), own.created()?, own.tokens(), own.at);
    let append = Append { game: game.to_owned(), new_game: Some(new), ..Append::default() };
    if hall.store.append(append).await? == crate::store::Appended::Committed {
        hall.metrics.games.fetch_add(1, Ordering::Relaxed);
    }
    // Reading it wakes a computer whose turn it is.
    hall.room(game).await.map(drop)
}

/// The public games about which an append says something that matters here: that one is over, or was made.
pub fn news(game: &Played, append: &Append) -> Vec<String> {
    if game.created.club.is_none() {
        return Vec::new();
    }
    let over = append.events.iter().any(|event| matches!(event.fact, Fact::Result(_)));
    let over = over.then(|| append.game.clone());
    over.into_iter().chain(append.new_game.as_ref().map(|new| new.id.clone())).collect()
}

/// Makes sure that a game that was promised is there, whoever promised it.
pub async fn ready(hall: &Arc<Hall>, game: &str) -> Result<(), Refusal> {
    if hall.in_memory(game).is_some() {
        return Ok(());
    }
    match find(hall, game).await? {
        Some((_, own)) => make(hall, game, &own).await,
        None => Ok(()),
    }
}

/// Looks after all public games, in an endless loop.
pub async fn follow(hall: Arc<Hall>) {
    let (mut last, mut next) = (String::from("game/"), Instant::now() + ROUND);
    loop {
        tokio::select! {
            biased;
            () = hall.club.games.news.notified() => {
                for game in hall.club.games.take() {
                    // What cannot be done now is done in a later round.
                    let _ = look(&hall, &game).await;
                }
            }
            () = sleep_until(next) => {
                next = Instant::now() + ROUND;
                let _ = look_at_some(&hall, &mut last).await;
            }
        }
    }
}

async fn look_at_some(hall: &Arc<Hall>, last: &mut String) -> Result<(), Refusal> {
    super::ratings::rate_all(hall).await?;
    super::deleted::clean(hall).await?;
    let range = Range { after: last.clone(), ..Range::of("game/") };
    let found = records(hall)?.range(range, TOGETHER).await?;
    let end = found.last().filter(|_| found.len() == TOGETHER);
    *last = end.map_or("game/".to_owned(), |end| end.key.clone());
    for stored in found {
        let game = super::last_part(&stored).to_owned();
        if let Err(refusal) = look_after(hall, &game, &stored).await {
            tracing::debug!(game, reason = refusal.message, "a public game is looked at later");
        }
    }
    Ok(())
}

async fn look(hall: &Arc<Hall>, game: &str) -> Result<(), Refusal> {
    match record(hall, format!("game/{game}")).await? {
        Some(stored) => look_after(hall, game, &stored).await,
        None => adopt(hall, game).await,
    }
}

/// Archives a game that is over, makes one that is missing, and calls off one that nobody plays.
async fn look_after(hall: &Arc<Hall>, game: &str, stored: &Stored) -> Result<(), Refusal> {
    let own: Game = value(stored)?;
    let events = hall.store.events(game, 0, usize::MAX).await?;
    let Some(last) = events.last() else { return make(hall, game, &own).await };
    if events.iter().any(|event| matches!(event.fact, Fact::Result(_))) {
        return archive::archive(hall, game, &events, Some((stored, &own))).await;
    }
    let turns = events.iter().filter(|event| matches!(event.fact, Fact::Move { .. })).count();
    let clock = own.created()?.clock;
    let patience = match clock {
        TimeControl::Days { .. } => PATIENCE_BY_MAIL,
        _ => PATIENCE,
    };
    if turns < 2 && hall.time.now() - last.at > patience && hall.cannot_store().is_none() {
        call_off(hall, game).await?;
    }
    Ok(())
}

/// Ends a game in which not both have moved.
async fn call_off(hall: &Arc<Hall>, game: &str) -> Result<(), Refusal> {
    let room = hall.room(game).await?;
    let seen = room.seq();
    let ended = hall.change(&room, hall.time.now(), |game| {
        let waits = game.course.seq == seen && table::referee::can_abort(game);
        let result = Fact::Result(Ending::new(None, Reason::Aborted));
        Ok(waits.then(|| Plan { facts: vec![result], ..Plan::default() }))
    });
    ended.await?;
    hall.club.games.note(game);
    Ok(())
}

/// Takes a public game into the lists that was made by a rematch.
async fn adopt(hall: &Arc<Hall>, game: &str) -> Result<(), Refusal> {
    let events = hall.store.events(game, 0, usize::MAX).await?;
    let over = events.iter().any(|event| matches!(event.fact, Fact::Result(_)));
    let Some(Event { fact: Fact::Created(created), at, .. }) = events.first() else {
        return Ok(());
    };
    let Some(club) = created.club.as_ref().filter(|_| !over) else { return Ok(()) };
    let mut strength = 0;
    for seat in Player::BOTH {
        let player = match &club.players[seat] {
            Some(id) => super::players::by_id(hall, id).await?,
            None => None,
        };
        let who = &created.seats[seat].who;
        strength += super::ratings::strength(hall, player.as_ref(), who, &created.game).await?;
    }
    let [one, two] = hall.store.tokens(game).await?.into();
    let own = Game::new(created, [one, two], strength / 2, *at);
    let mut changes = own.records(game)?;
    let live = !matches!(created.clock, TimeControl::Days { .. });
    let players = club.players.iter().flatten().filter(|_| live);
    changes.extend(players.map(|id| Change::put(format!("live/{id}"), game)));
    // If another server was quicker, that is as well.
    records(hall)?.change(changes).await?;
    Ok(())
}
