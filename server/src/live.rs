//! Games in memory: a cache of what the store says, and hints to those who follow a game.

use crate::alarm::{self, Alarm};
use crate::clock::Clock;
use crate::computers;
use crate::engines::Engines;
use crate::error::Refusal;
use crate::event::{Created, Fact, Reason};
use crate::ids::{self, Hash, check_id, new_id, no_such_game};
use crate::limits::{self, Limits};
use crate::metrics::Metrics;
use crate::news::News;
pub use crate::plan::Plan;
use crate::plan::{append, first};
use crate::played::{Damaged, Played};
use crate::replays::Replays;
use crate::room::Room;
use crate::rooms::Rooms;
use crate::store::{Append, Appended, Store, StoreError};
use crate::time::Time;
use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// How often a change is tried anew when somebody else was quicker.
pub(crate) const TRIES: usize = 10;

/// All events of a game.
const ALL: usize = usize::MAX;

/// The address of what the server does by itself.
pub const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// For how many milliseconds a game that could not be read is not read again, and how many such games are
/// remembered.
const UNREADABLE_FOR: i64 = 60_000;
const MOST_UNREADABLE: usize = 1_000;

/// After how many milliseconds without a beat a server that shares its store lets no clock run out: nobody may
/// have been able to play.
const UNSURE: i64 = 2_500;

/// Everything that requests share.
pub struct Hall {
    /// The truth.
    pub store: Arc<dyn Store>,
    /// Engine work.
    pub engines: Engines,
    /// What takes a while without an engine.
    pub replays: Replays,
    /// How much everybody may ask for.
    pub limits: Arc<Limits>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// What time it is.
    pub time: Time,
    /// The way to servers that share the store.
    pub news: News,
    /// Games in which a computer's turn was taken on here, and after which event.
    pub thinking: Mutex<HashSet<(String, i64)>>,
    /// The way to those who do engine work.
    #[cfg(feature = "many")]
    pub workers: Option<crate::jobs::Workers>,
    /// When clocks run out.
    pub alarm: Alarm,
    /// Turns true when the server stops.
    pub stopping: watch::Sender<bool>,
    rooms: Mutex<Rooms>,
    /// Games that cannot be read, when that was found and why.
    unreadable: Mutex<HashMap<String, (i64, String)>>,
}

/// Who sends a command.
#[derive(Clone, Debug)]
pub struct Sender {
    /// From where.
    pub address: IpAddr,
    /// The hash of the token that was shown.
    pub token: Option<Hash>,
}

/// What came of a command: its first event.
#[derive(Debug)]
pub struct Done {
    /// The number of the event.
    pub seq: i64,
    /// The event as it is told.
    pub event: Arc<str>,
    /// The secret of a seat that was taken.
    pub token: Option<String>,
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        match error {
            StoreError::Damaged(_) => Refusal::broken(error),
            _ => Refusal::unavailable(error),
        }
    }
}

impl From<Damaged> for Refusal {
    fn from(error: Damaged) -> Refusal {
        tracing::error!(%error, "the store is damaged");
        Refusal::from(StoreError::Damaged(error.to_string()))
    }
}

impl Hall {
    /// An empty hall.
    pub fn new(
        store: Arc<dyn Store>,
        engines: Engines,
        replays: Replays,
        limits: Arc<Limits>,
        metrics: Arc<Metrics>,
        time: Time,
        news: News,
    ) -> Hall {
        Hall {
            store,
            engines,
            replays,
            limits,
            metrics,
            time,
            news,
            thinking: Mutex::default(),
            #[cfg(feature = "many")]
            workers: None,
            alarm: Alarm::default(),
            stopping: watch::channel(false).0,
            rooms: Mutex::default(),
            unreadable: Mutex::default(),
        }
    }

    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the server stops.
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// A game, from memory or from the store, for the server itself.
    pub async fn room(self: &Arc<Self>, id: &str) -> Result<Arc<Room>, Refusal> {
        self.room_for(id, SERVER).await
    }

    /// A game, from memory or from the store, for somebody who pays for reading it. It is as the store has it
    /// now, whichever server has changed it.
    pub async fn room_for(self: &Arc<Self>, id: &str, by: IpAddr) -> Result<Arc<Room>, Refusal> {
        if let Some(room) = self.known(id) {
            if self.store.shared().is_some() {
                self.refresh(&room).await?;
            }
            if !room.is_dropped_out() {
                return alarm::reckon(self, &room).await.map(|()| room);
            }
        }
        self.read_for(id, by).await
    }

    /// The same for somebody who wants to change it: what is out of date in memory shows then.
    pub async fn room_to_change(
        self: &Arc<Self>,
        id: &str,
        by: IpAddr,
    ) -> Result<Arc<Room>, Refusal> {
        match self.known(id) {
            Some(room) => alarm::reckon(self, &room).await.map(|()| room),
            None => self.read_for(id, by).await,
        }
    }

    async fn read_for(self: &Arc<Self>, id: &str, by: IpAddr) -> Result<Arc<Room>, Refusal> {
        check_id(id)?;
        self.is_readable(id)?;
        let damaged = |error: StoreError| match error {
            StoreError::Damaged(reason) => self.cannot_read(id, reason),
            other => other.into(),
        };
        let events = self.store.events(id, 0, ALL).await.map_err(damaged)?;
        if by != SERVER {
            self.limits.afford(by, limits::of_events(events.len())).await;
        }
        let tokens = self.store.tokens(id).await.map_err(damaged)?;
        let pauses = self.time.pauses.count();
        let (hall, name) = (Arc::clone(self), id.to_owned());
        // Many may have waited for the same game: one of them replays it.
        let replay = move || match hall.known(&name) {
            Some(room) => Ok(Some(room)),
            None => Room::replay(&name, &events, tokens, hall.limits.of_a_seat(), by, &hall.time)
                .map(|room| room.map(Arc::new)),
        };
        let replayed = self.replays.run(by, replay).await?;
        let room = replayed.map_err(|error| self.cannot_read(id, error.to_string()))?;
        let room = room.ok_or_else(|| no_such_game(id))?;
        let room = self.keep(room);
        if self.time.pauses.count() != pauses {
            self.alarm.reckon_again([room.id.clone()], self.time.pauses.count());
        }
        self.settled(&room);
        Ok(room)
    }

    /// A game that is in memory.
    fn known(&self, id: &str) -> Option<Arc<Room>> {
        let room = self.rooms().by_id.get(id).cloned()?;
        room.touch();
        Some(room)
    }

    /// A game that is in memory, for somebody who only looks whether it is.
    pub fn in_memory(&self, id: &str) -> Option<Arc<Room>> {
        self.rooms().by_id.get(id).cloned()
    }

    /// The games that somebody follows.
    pub fn followed(&self) -> Vec<Arc<Room>> {
        self.rooms().by_id.values().filter(|room| room.is_followed()).cloned().collect()
    }

    /// Whether the shared store has not been reached for so long that others may know better.
    pub fn is_unsure(&self) -> bool {
        self.store.shared().is_some() && self.time.now() - self.store.alive() > UNSURE
    }

    /// Keeps a game in memory.
    fn keep(&self, room: Arc<Room>) -> Arc<Room> {
        let mut rooms = self.rooms();
        let kept = rooms.keep(room);
        self.metrics.live_games.store(rooms.by_id.len() as i64, Ordering::Relaxed);
        kept
    }

    fn unreadable(&self) -> MutexGuard<'_, HashMap<String, (i64, String)>> {
        self.unreadable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a game that could not be read a while ago.
    fn is_readable(&self, id: &str) -> Result<(), Refusal> {
        match self.unreadable().get(id) {
            Some((at, reason)) if self.time.now() - at < UNREADABLE_FOR => Err(unreadable(reason)),
            _ => Ok(()),
        }
    }

    /// Notes a game that cannot be read, and tells the host, once.
    fn cannot_read(&self, id: &str, reason: String) -> Refusal {
        let mut known = self.unreadable();
        if known.len() >= MOST_UNREADABLE {
            known.clear();
        }
        let refusal = unreadable(&reason);
        let before = known.insert(id.to_owned(), (self.time.now(), reason.clone()));
        if before.is_none_or(|(_, before)| before != reason) {
            tracing::error!(game = id, reason, "a game cannot be read");
        }
        refusal
    }

    /// The games in memory that have an event after a time.
    pub fn went_on_after(&self, at: i64) -> Vec<String> {
        let rooms: Vec<_> = self.rooms().by_id.values().cloned().collect();
        let later = rooms.iter().filter(|room| room.view(|game| game.course.last_at > at));
        later.map(|room| room.id.clone()).collect()
    }

    /// Lets everybody look again who follows a game.
    pub fn hint_all(&self) {
        self.rooms().by_id.values().for_each(|room| room.hint());
    }

    /// Forgets games that nobody has looked at since a time; the store has them.
    pub fn sweep(&self, before: i64) {
        let mut rooms = self.rooms();
        rooms.forget(|room| room.touched() <= before);
        rooms.by_id.shrink_to_fit();
        self.metrics.live_games.store(rooms.by_id.len() as i64, Ordering::Relaxed);
    }

    /// Brings a room up to what the store says, or drops it if its last event is not in the store: a failover
    /// has lost that one.
    pub async fn refresh(self: &Arc<Self>, room: &Arc<Room>) -> Result<(), Refusal> {
        let tip = room.tip();
        let events = self.store.events(&room.id, tip.seq - 1, ALL).await?;
        let events = match events.split_first() {
            Some((last, events)) if last.tip() == tip => events,
            _ => {
                self.drop_room(room);
                return Ok(());
            }
        };
        if events.is_empty() {
            return Ok(());
        }
        // Who has taken a seat has got another token.
        let joined = events.iter().any(|event| matches!(event.fact, Fact::Joined { .. }));
        match joined {
            true => {
                let tokens = self.store.tokens(&room.id).await?;
                room.apply(events, |own| *own = tokens)?;
            }
            false => room.apply(events, |_| {})?,
        }
        self.settled(room);
        Ok(())
    }

    /// Forgets a room that is not what the store says; whoever wants the game reads it again.
    fn drop_room(&self, room: &Arc<Room>) {
        // Nobody may keep another room, and set its alarm, before this one's is gone.
        let mut rooms = self.rooms();
        rooms.remove(room);
        if room.drop_out() {
            self.alarm.forget(&room.id);
            let (game, seq) = (&room.id, room.seq());
            tracing::warn!(
                game,
                seq,
                "the database has lost the last events of a game; it is read again"
            );
        }
    }

    /// What follows from a new state: an alarm for the clock, work for a computer.
    pub fn settled(self: &Arc<Self>, room: &Arc<Room>) {
        // While the room is locked: what comes later is set later.
        room.view_kept(|game| {
            let deadline = game.course.clock.as_ref().and_then(Clock::deadline);
            self.alarm.set(&room.id, game.course.seq, deadline);
        });
        computers::consider(self, room);
    }

    /// Lets something happen in a game: stored first, then told. The plan is made again when somebody
    /// else was quicker. Gives the number of the first event; none where the plan is to do nothing.
    pub async fn change(
        self: &Arc<Self>,
        room: &Arc<Room>,
        received: i64,
        plan: impl Fn(&Played) -> Result<Option<Plan>, Refusal>,
    ) -> Result<Option<i64>, Refusal> {
        let mut stuck = false;
        for _ in 0..TRIES {
            let planned = room.view(|game| {
                plan(game).map(|plan| plan.map(|plan| append(game, plan, received)))
            })?;
            let Some(append) = planned else { return Ok(None) };
            let after = append.after.clone();
            let (events, token) = (append.events.clone(), append.token);
            match self.store.append(append).await? {
                Appended::Committed => {
                    room.apply(&events, |tokens| {
                        if let Some((seat, hash)) = token {
                            tokens[seat.index()] = Some(hash);
                        }
                    })?;
                    self.settled(room);
                    self.news.moved(&room.id, room.seq());
                    let turns = events.iter().filter(|e| matches!(e.fact, Fact::Move { .. }));
                    self.metrics.turns.fetch_add(turns.count() as u64, Ordering::Relaxed);
                    return Ok(events.first().map(|event| event.seq));
                }
                Appended::Conflict => self.refresh(room).await?,
            }
            if room.is_dropped_out() {
                return Err(Refusal::conflict("the game is not what it was, look at it again"));
            }
            if Some(room.tip()) != after {
                continue;
            }
            // There is something behind the last event, but not what follows it.
            if std::mem::replace(&mut stuck, true) {
                return Err(Refusal::conflict(
                    "some events of this game were lost; it can be looked at, but not played on",
                ));
            }
        }
        Err(busy())
    }

    /// Some of the events behind a number as they are told: from memory if they are recent, or else from
    /// the store. That plays no turn again, and costs little more than the events' bytes; the reader pays
    /// for it, and waits until that is possible.
    pub async fn events(
        self: &Arc<Self>,
        room: &Arc<Room>,
        after: i64,
        most: usize,
        reader: Option<IpAddr>,
    ) -> Result<Vec<Arc<str>>, Refusal> {
        if let Some(recent) = room.recent(after) {
            return Ok(recent);
        }
        if let Some(reader) = reader {
            let count = usize::try_from(room.seq() - after).unwrap_or(0).min(most);
            self.limits.afford(reader, limits::of_events(count)).await;
        }
        let mut course = room.view(|game| game.mark(after).clone());
        let from = after.min(course.seq);
        let before = usize::try_from(after - from).unwrap_or(0);
        let events = self.store.events(&room.id, from, before.saturating_add(most)).await?;
        let mut told = Vec::with_capacity(events.len());
        for event in &events {
            if event.seq > course.seq {
                course.apply(event);
            }
            if event.seq > after {
                told.push(crate::room::line(event, &course));
            }
        }
        match told.is_empty() && after < room.seq() {
            true => Err(Refusal::broken("events of this game are missing in the store")),
            false => Ok(told),
        }
    }

    /// Whether an event is still the one that somebody has been told: its number and, if known, its time.
    pub async fn is_there(&self, room: &Room, seq: i64, at: Option<i64>) -> Result<bool, Refusal> {
        let tip = room.tip();
        match at {
            Some(at) if seq == tip.seq => Ok(at == tip.at),
            Some(at) if (1..tip.seq).contains(&seq) => {
                let events = self.store.events(&room.id, seq - 1, 1).await?;
                Ok(events.first().is_some_and(|event| event.at == at))
            }
            _ => Ok(seq <= tip.seq),
        }
    }

    /// Ends a game whose clock had run out at a time.
    pub async fn time_out(self: &Arc<Self>, room: &Arc<Room>, at: i64) -> Result<(), Refusal> {
        // A server that has just woken up may be asked before it has noticed.
        alarm::keep_time(self).await?;
        if room.view(|game| game.course.out_of_time(at)).is_none() {
            return Ok(());
        }
        if self.is_unsure() {
            let error =
                "the store has not been reached for a while, and the clock with it; try again";
            return Err(Refusal::unavailable(error));
        }
        let ended = self.change(room, at, |game| {
            Ok(game.course.out_of_time(at).map(|loser| {
                let winner = Some(loser.other());
                let facts = vec![Fact::Result { winner, reason: Reason::Time }];
                Plan { facts, ..Plan::default() }
            }))
        });
        ended.await.map(|_| ())
    }

    /// Makes a game.
    pub async fn make(
        self: &Arc<Self>,
        created: Created,
        tokens: [Option<String>; 2],
    ) -> Result<String, Refusal> {
        let tokens = tokens.map(|token| token.map(|token| ids::hash(&token)));
        for _ in 0..TRIES {
            let new = first(new_id()?, created.clone(), tokens, self.time.now());
            let id = new.id.clone();
            let append = Append {
                game: id.clone(),
                after: None,
                events: vec![],
                new_game: Some(new),
                token: None,
                running: None,
                computer: None,
            };
            if self.store.append(append).await? == Appended::Committed {
                self.metrics.games.fetch_add(1, Ordering::Relaxed);
                return Ok(id);
            }
        }
        Err(Refusal::unavailable("no free id was found, try again"))
    }
}

fn unreadable(reason: &str) -> Refusal {
    Refusal::broken(format!("this game cannot be read: {reason}; the host was told"))
}

pub(crate) fn busy() -> Refusal {
    Refusal::conflict("too much happens at once in this game, try again")
}
