//! Running public games, from the pairing, which reserves them, to the archive.
//!
//! The record of a game is written together with the pairing, before the game itself. If a server dies in between, the
//! game is created by the first player to open it, or by the task that looks after all games.

use super::{archive, record, records, text, value};
use crate::games::hall::Hall;
use crate::games::plan::{Plan, first};
use crate::games::played::Played;
use crate::ids::Hash;
use crate::store::records::{Change, Range, Stored};
use crate::store::{Append, NewGame, hex, unhex};
use rules::{ByPlayer, Player};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use table::event::{Created, Ending, Event, Fact, Reason};
use table::{Kind, Refusal, TimeControl};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// How many milliseconds a live game waits for each of its first two turns, and the minimum for correspondence games.
const PATIENCE: i64 = 60_000;
const PATIENCE_BY_MAIL: i64 = 5 * DAY;

/// How soon a reserved rematch has to be stored before it stops counting as running, and when the reservation is
/// dropped, in milliseconds.
const AGREED_WITHIN: i64 = 10_000;
const DROPPED_AFTER: i64 = 60_000;

const DAY: i64 = 24 * 3_600_000;

/// How often the games are checked, and how many at a time.
const ROUND: Duration = Duration::from_secs(2);
const TOGETHER: usize = 20;

/// How many games that have started or ended are remembered.
const MOST_HEARD: usize = 10_000;

/// Games above this strength are not ranked any further.
const STRONGEST: i64 = 99_999;

/// Games that have started or ended on this server and need attention.
#[derive(Default)]
pub struct Heard {
    games: Mutex<BTreeSet<String>>,
    /// Since when this server has looked after games.
    began: AtomicI64,
    /// Notified when there are any.
    news: Notify,
}

impl Heard {
    fn take(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.games.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes that a game was created or has ended here.
    pub fn note(&self, game: &str) {
        let mut games = self.games.lock().unwrap_or_else(PoisonError::into_inner);
        if games.len() < MOST_HEARD {
            games.insert(game.to_owned());
        }
        self.news.notify_one();
    }
}

/// The strength in the key of a game to watch.
pub fn strength_of(key: &str) -> Option<i64> {
    let digits = key.strip_prefix("watch/")?.get(..5)?;
    Some(STRONGEST - digits.parse::<i64>().ok()?)
}

/// The record of a running game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Game {
    /// The payload of its first event.
    created: Value,
    /// The hashes of the seats' tokens.
    seats: [Option<String>; 2],
    /// The mean rating of the players.
    strength: i64,
    pub at: i64,
    /// Whether it is a rematch, which is created only by the event that agrees on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    rematch: bool,
}

impl Game {
    pub fn new(created: &Created, seats: [Option<Hash>; 2], strength: i64, at: i64) -> Game {
        let created = serde_json::to_value(created).unwrap_or_default();
        Game {
            created,
            seats: seats.map(|own| own.map(|own| hex(&own))),
            strength,
            at,
            rematch: false,
        }
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

    /// The ids of its players in the lobby, including guests and bots.
    fn people(&self) -> Vec<String> {
        let of_seat = |seat: usize| {
            let player = self.created["club"]["players"][seat].as_str().map(str::to_owned);
            let seal = self.seats[seat].as_deref().and_then(unhex);
            player.or_else(|| seal.map(|seal| super::lobby::guest(&seal)))
        };
        let mut people: Vec<_> = (0..2).filter_map(of_seat).collect();
        people.dedup();
        people
    }

    fn is_live(&self) -> bool {
        self.created["clock"]["kind"] != "days"
    }

    /// The key that sorts the strongest game first.
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

    /// The records of a new game.
    pub fn records(&self, game: &str) -> Result<Vec<Change>, Refusal> {
        let mut all = vec![Change::new(format!("game/{game}"), text(self)?)];
        all.extend(self.lists(game).into_iter().map(|key| Change::put(key, game)));
        Ok(all)
    }

    /// The changes to make when the game is over.
    pub fn over(&self, game: &str, stored: &Stored) -> Vec<Change> {
        let mut all = vec![stored.delete()];
        all.extend(self.lists(game).into_iter().map(Change::drop));
        all
    }
}

/// The live game that somebody is playing, if any, and the record that says so, which may be out of date.
pub struct Open {
    pub game: Option<String>,
    pub stored: Option<Stored>,
}

pub async fn open(hall: &Arc<Hall>, id: &str) -> Result<Open, Refusal> {
    let stored = record(hall, format!("live/{id}")).await?;
    let Some(known) = &stored else { return Ok(Open { game: None, stored }) };
    let goes_on = goes_on(hall, &known.value).await?;
    let game = goes_on.then(|| known.value.clone());
    Ok(Open { game, stored })
}

/// Whether a public game is still running.
pub async fn goes_on(hall: &Arc<Hall>, game: &str) -> Result<bool, Refusal> {
    let Some((_, own)) = find(hall, game).await? else { return Ok(false) };
    Ok(match hall.room(game).await {
        // It may be over but not yet archived.
        Ok(room) => room.view(|game| game.course.result.is_none()),
        Err(_) => !own.rematch || hall.time.now() - own.at < AGREED_WITHIN,
    })
}

/// Makes sure that somebody can be sent to a live game that goes on.
pub async fn enter(hall: &Arc<Hall>, game: &str) -> Result<(), Refusal> {
    ready(hall, game).await?;
    match hall.room(game).await {
        // It is a rematch, which was reserved and is about to be stored or dropped.
        Err(refusal) if refusal.kind == Kind::NotThere => {
            Err(Refusal::unavailable("your next game is being made, try again"))
        }
        found => found.map(drop),
    }
}

/// Records which live game somebody is playing.
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

/// Creates the game of a record, unless it exists.
pub async fn make(hall: &Arc<Hall>, game: &str, own: &Game) -> Result<(), Refusal> {
    let new = first(game.to_owned(), own.created()?, own.tokens(), own.at);
    let append = Append { game: game.to_owned(), new_game: Some(new), ..Append::default() };
    if hall.store.append(append).await? == crate::store::Appended::Committed {
        hall.metrics.games.fetch_add(1, Ordering::Relaxed);
    }
    // Loading it starts the search if a computer is to move.
    hall.room(game).await.map(drop)
}

/// The public games that an append has created or ended.
pub fn news(game: &Played, append: &Append) -> Vec<String> {
    if game.created.club.is_none() {
        return Vec::new();
    }
    let over = append.events.iter().any(|event| matches!(event.fact, Fact::Result(_)));
    let over = over.then(|| append.game.clone());
    over.into_iter().chain(append.new_game.as_ref().map(|new| new.id.clone())).collect()
}

/// Makes sure that a reserved game exists, whoever reserved it.
pub async fn ready(hall: &Arc<Hall>, game: &str) -> Result<(), Refusal> {
    if hall.in_memory(game).is_some() {
        return Ok(());
    }
    match find(hall, game).await? {
        Some((_, own)) if !own.rematch => make(hall, game, &own).await,
        _ => Ok(()),
    }
}

/// Reserves a rematch of a public game before it is stored, so that it is listed whatever happens next, and its players
/// are in no other live game.
pub async fn promise(hall: &Arc<Hall>, before: &str, new: &NewGame) -> Result<(), Refusal> {
    let Fact::Created(created) = &new.first.fact else { return Ok(()) };
    let Some(club) = &created.club else { return Ok(()) };
    if find(hall, &new.id).await?.is_some() {
        return Ok(());
    }
    let mut strength = 0;
    for seat in Player::BOTH {
        let player = match &club.players[seat] {
            Some(id) => super::players::by_id(hall, id).await?,
            None => None,
        };
        let who = &created.seats[seat].who;
        strength += super::ratings::strength(hall, player.as_ref(), who, &created.game).await?;
    }
    let seats = new.tokens.into();
    let own = Game { rematch: true, ..Game::new(created, seats, strength / 2, hall.time.now()) };
    // It may conflict with the end of the game before, after which its players are set free.
    for _ in 0..super::TRIES {
        let mut changes = own.records(&new.id)?;
        for id in own.people().iter().filter(|_| own.is_live()) {
            if super::players::by_id(hall, id).await?.is_some_and(|player| player.bot) {
                continue;
            }
            let Open { game: playing, stored } = open(hall, id).await?;
            if let Some(other) = playing.filter(|other| other != before) {
                let error = format!("one of you is playing already: finish the game {other} first");
                return Err(Refusal::conflict(error));
            }
            changes.push(plays(stored, id, &new.id));
        }
        if records(hall)?.change(changes).await? {
            return Ok(());
        }
    }
    Err(super::busy())
}

/// Takes back the reservation of a rematch that was not stored. If this fails, the task that looks after all games
/// does it later.
pub async fn withdraw(hall: &Arc<Hall>, game: &str) {
    let withdrawn = async {
        let Some((stored, own)) = find(hall, game).await? else { return Ok(()) };
        match hall.store.events(game, 0, 1).await?.is_empty() {
            true => drop_reserved(hall, game, &stored, &own).await,
            false => Ok(()),
        }
    };
    let withdrawn: Result<(), Refusal> = withdrawn.await;
    if let Err(refusal) = withdrawn {
        tracing::debug!(game, reason = refusal.message, "a rematch stays reserved for now");
    }
}

async fn drop_reserved(
    hall: &Hall,
    game: &str,
    stored: &Stored,
    own: &Game,
) -> Result<(), Refusal> {
    records(hall)?.change(own.over(game, stored)).await?;
    set_free(hall, game, own).await
}

/// Releases the players of a live game that is over.
pub async fn set_free(hall: &Hall, game: &str, own: &Game) -> Result<(), Refusal> {
    let keys = own.people().iter().map(|id| format!("live/{id}")).collect();
    for stored in records(hall)?.get(keys).await? {
        if stored.value == game {
            // If the record has changed, they are playing another game already.
            records(hall)?.change(vec![stored.delete()]).await?;
        }
    }
    Ok(())
}

/// Looks after all public games, in an endless loop.
pub async fn follow(hall: Arc<Hall>) {
    hall.club.games.began.store(hall.time.now(), Ordering::Relaxed);
    let (mut last, mut next) = (String::from("game/"), Instant::now() + ROUND);
    loop {
        tokio::select! {
            biased;
            () = hall.club.games.news.notified() => {
                for game in hall.club.games.take() {
                    // If this fails, a later round tries again.
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

/// Does part of the upkeep. One failure does not prevent the rest.
async fn look_at_some(hall: &Arc<Hall>, last: &mut String) -> Result<(), Refusal> {
    let later = |what: &str, done: Result<(), Refusal>| {
        if let Err(refusal) = done {
            tracing::debug!(reason = refusal.message, "{what} failed; will try again");
        }
    };
    later("rating games", super::ratings::rate_all(hall).await);
    later("removing names", super::deleted::clean(hall).await);
    let range = Range { after: last.clone(), ..Range::of("game/") };
    let found = records(hall)?.range(range, TOGETHER).await?;
    let end = found.last().filter(|_| found.len() == TOGETHER);
    *last = end.map_or("game/".to_owned(), |end| end.key.clone());
    for stored in found {
        let game = super::last_part(&stored).to_owned();
        if let Err(refusal) = look_after(hall, &game, &stored).await {
            tracing::debug!(
                game,
                reason = refusal.message,
                "checking a public game failed; will try again"
            );
        }
    }
    Ok(())
}

async fn look(hall: &Arc<Hall>, game: &str) -> Result<(), Refusal> {
    match record(hall, format!("game/{game}")).await? {
        Some(stored) => look_after(hall, game, &stored).await,
        None => Ok(()),
    }
}

/// Archives a game that is over, creates one that is missing, and calls off one that nobody plays.
async fn look_after(hall: &Arc<Hall>, game: &str, stored: &Stored) -> Result<(), Refusal> {
    let own: Game = value(stored)?;
    let events = hall.store.events(game, 0, usize::MAX).await?;
    let now = hall.time.now();
    let Some(last) = events.last() else {
        if !own.rematch {
            return make(hall, game, &own).await;
        }
        if now - own.at > DROPPED_AFTER && hall.cannot_store().is_none() {
            drop_reserved(hall, game, stored, &own).await?;
        }
        return Ok(());
    };
    if events.iter().any(|event| matches!(event.fact, Fact::Result(_))) {
        archive::archive(hall, game, &events, Some((stored, &own))).await?;
        return set_free(hall, game, &own).await;
    }
    let turns = events.iter().filter(|event| matches!(event.fact, Fact::Move { .. })).count();
    // If no clock ran before this server started, no pause is recorded.
    let began = if own.is_live() { hall.club.games.began.load(Ordering::Relaxed) } else { 0 };
    let since = last.at.max(began);
    let waited = now - since - hall.time.pauses.between(since, now);
    if turns < 2 && waited > patience(own.created()?.clock) && hall.cannot_store().is_none() {
        call_off(hall, game).await?;
    }
    Ok(())
}

/// How long a game waits for each of its first two turns: in correspondence games a day longer than a turn may take.
fn patience(clock: TimeControl) -> i64 {
    match clock {
        TimeControl::Days { days } => PATIENCE_BY_MAIL.max((i64::from(days) + 1) * DAY),
        _ => PATIENCE,
    }
}

/// Aborts a game in which not both players have moved.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_game_is_called_off_before_its_first_turn_was_due() {
        for days in [1, 3, 7, 30] {
            assert!(patience(TimeControl::Days { days }) > i64::from(days) * DAY, "{days}");
        }
        let live = TimeControl::Time { seconds: 300, increment: 3 };
        assert_eq!(patience(live), 60_000);
    }
}
