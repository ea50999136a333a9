//! Operators' commands about games: list, show and delete them, and remove a person's name.

use crate::admin::upkeep;
use crate::games::hall::Hall;
use crate::games::room::Room;
use crate::ids::{check_id, hash, no_such_game};
use crate::store::upkeep::Summary;
use rules::Player;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use table::Refusal;
use table::event::{Event, Fact};
use tokio::sync::mpsc;

/// Replaces the name of somebody whose data was deleted.
pub const DELETED: &str = "deleted player";

/// How many games are read from the store at a time.
const PAGE: usize = 500;

/// An append that began before a deletion has finished after this time.
const LATE: Duration = Duration::from_secs(5);

/// Which games to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Filter {
    pub state: Option<State>,
    /// Only games whose last event is at least this many seconds old.
    pub idle: Option<u64>,
    /// Only games in memory that were last played from this address or network.
    pub network: Option<String>,
    pub most: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Started but not finished.
    Running,
    Finished,
    /// Without a single turn.
    Unplayed,
}

pub fn state(summary: &Summary) -> State {
    match summary {
        Summary { finished: true, .. } => State::Finished,
        Summary { turns: 0, .. } => State::Unplayed,
        _ => State::Running,
    }
}

/// Sends one line for each matching game.
pub async fn list(
    hall: &Arc<Hall>,
    filter: &Filter,
    lines: &mpsc::Sender<Value>,
) -> Result<(), Refusal> {
    let network = filter.network.as_deref().map(crate::admin::bans::Network::read);
    let network = network.transpose().map_err(Refusal::not_understood)?;
    let idle = i64::try_from(filter.idle.unwrap_or(0)).unwrap_or(i64::MAX);
    let latest = hall.time.now().saturating_sub(idle.saturating_mul(1_000));
    let (mut last, mut left) = (String::new(), filter.most);
    loop {
        let page = upkeep(hall)?.summaries(&last, PAGE).await?;
        let Some(end) = page.last() else { return Ok(()) };
        last.clone_from(&end.game);
        for summary in page {
            let room = hall.in_memory(&summary.game);
            let address = room.as_deref().and_then(Room::last_player);
            let fits = summary.last_at <= latest
                && filter.state.is_none_or(|wanted| wanted == state(&summary))
                && network.is_none_or(|own| address.is_some_and(|from| own.includes(from)));
            if !fits {
                continue;
            }
            if left == 0 {
                let _ = lines.send(json!({ "more": true })).await;
                return Ok(());
            }
            left -= 1;
            // The client may have disconnected.
            if lines.send(line(&summary, room.as_deref(), address)).await.is_err() {
                return Ok(());
            }
        }
    }
}

fn line(summary: &Summary, room: Option<&Room>, address: Option<IpAddr>) -> Value {
    let created = summary.created.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let created: Value = created.unwrap_or_default();
    let connected = room.map_or(0, |room| room.here().iter().sum());
    json!({
        "id": summary.game, "game": created["game"], "state": state(summary),
        "turns": summary.turns, "events": summary.last, "began": summary.began,
        "last": summary.last_at, "clock": summary.running, "connected": connected,
        "address": address,
    })
}

/// Everything about a game but the board: seats, clocks, presence and events.
pub async fn show(hall: &Arc<Hall>, id: &str) -> Result<Value, Refusal> {
    let room = hall.room(id).await?;
    let events = hall.store.events(id, 0, usize::MAX).await?;
    let mut told = room.view(|game| game.json(id, hall.time.now()));
    let present = room.present();
    told.insert("present".into(), json!(present.seats));
    told.insert("watchers".into(), present.watchers.into());
    told.insert("address".into(), json!(room.last_player()));
    let taken = room.view(|game| game.tokens.map(|token| token.is_some()));
    told.insert("tokens".into(), json!(taken));
    let event = |event: &Event| {
        let (kind, payload) = event.stored();
        let payload: Value = serde_json::from_str(&payload).unwrap_or_default();
        let seat = event.seat.map(Player::number);
        json!({ "seq": event.seq, "at": event.at, "kind": kind, "seat": seat, "payload": payload })
    };
    told.insert("events".into(), events.iter().map(event).collect());
    Ok(Value::Object(told))
}

/// Deletes a game on this server and all others that share the store.
pub async fn delete(hall: &Arc<Hall>, id: &str) -> Result<(), Refusal> {
    check_id(id)?;
    upkeep(hall)?.prepare().await?;
    // An unreadable game is not in the archive.
    if let Ok(events) = hall.store.events(id, 0, usize::MAX).await {
        crate::club::archive::forget(hall, id, &events).await?;
    }
    let deleted = upkeep(hall)?.delete(id, None).await?;
    hall.forget(id);
    if !deleted {
        return Err(no_such_game(id));
    }
    count(hall, 3);
    tracing::warn!(game = id, "deleted by an operator");
    if hall.store.shared().is_some() {
        let (hall, id) = (Arc::clone(hall), id.to_owned());
        tokio::spawn(async move {
            tokio::time::sleep(LATE).await;
            if let Some(upkeep) = hall.store.upkeep() {
                // If this fails, no server reads the few events that may be left.
                let _ = upkeep.delete(&id, None).await;
            }
        });
    }
    Ok(())
}

/// Counts a deleted game by reason, an index into [`crate::metrics::DELETED`].
pub fn count(hall: &Hall, why: usize) {
    hall.metrics.deleted.get(why).into_iter().for_each(|counter| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
}

/// The person whose name is to be removed.
enum Person<'a> {
    /// The player at one of these seats.
    At(Vec<Player>),
    Named(&'a str),
}

impl Person<'_> {
    fn is(&self, seat: Player, name: &str) -> bool {
        match self {
            Person::At(seats) => seats.contains(&seat),
            Person::Named(own) => *own == name,
        }
    }

    /// The events that mention the person, rewritten without the name.
    fn renamed(&self, events: &[Event]) -> Vec<(i64, String)> {
        let rename = |seat: Player, name: &mut Option<String>| {
            let found = name.as_deref().is_some_and(|own| own != DELETED && self.is(seat, own));
            if found {
                *name = Some(DELETED.to_owned());
            }
            found
        };
        let mut changed = Vec::new();
        for event in events {
            let mut event = event.clone();
            let seat = event.seat.unwrap_or(Player::One);
            let found = match &mut event.fact {
                Fact::Created(created) => {
                    let both = Player::BOTH.map(|seat| rename(seat, &mut created.seats[seat].name));
                    both.contains(&true)
                }
                Fact::Joined { name } => rename(seat, name),
                _ => false,
            };
            if found {
                changed.push((event.seq, event.stored().1));
            }
        }
        changed
    }
}

/// Removes a person's name from all their games. Given a token, also revokes it. Returns the games.
pub async fn forget(
    hall: &Arc<Hall>,
    token: Option<&str>,
    name: Option<&str>,
    sure: bool,
) -> Result<Vec<String>, Refusal> {
    let people = people(hall, token, name).await?;
    if sure && !people.is_empty() {
        upkeep(hall)?.prepare().await?;
    }
    let mut games = Vec::new();
    for (game, person) in people {
        let events = hall.store.events(&game, 0, usize::MAX).await?;
        let (renamed, seats) = (
            person.renamed(&events),
            match &person {
                Person::At(seats) => seats.clone(),
                Person::Named(_) => Vec::new(),
            },
        );
        if renamed.is_empty() && seats.is_empty() {
            continue;
        }
        if sure {
            upkeep(hall)?.rewrite(&game, renamed, seats).await?;
            hall.forget(&game);
        }
        games.push(game);
    }
    if sure && !games.is_empty() {
        tracing::warn!(games = games.len(), "a person's data were deleted by an operator");
    }
    Ok(games)
}

async fn people<'a>(
    hall: &Hall,
    token: Option<&str>,
    name: Option<&'a str>,
) -> Result<Vec<(String, Person<'a>)>, Refusal> {
    let mut people: Vec<(String, Person<'a>)> = Vec::new();
    match (token, name) {
        (Some(token), None) => {
            for (game, seat) in upkeep(hall)?.seats_of(hash(token)).await? {
                match people.last_mut() {
                    Some((last, Person::At(seats))) if *last == game => seats.push(seat),
                    _ => people.push((game, Person::At(vec![seat]))),
                }
            }
        }
        (None, Some(name)) => {
            let mut last = String::new();
            loop {
                let (end, games) = upkeep(hall)?.named(name, &last, PAGE).await?;
                people.extend(games.into_iter().map(|game| (game, Person::Named(name))));
                let Some(end) = end else { break };
                last = end;
            }
        }
        _ => return Err(Refusal::not_understood("expected either a token or a name")),
    }
    Ok(people)
}
