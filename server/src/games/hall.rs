//! The games in memory, a cache of the store, and everything else that requests share.

use crate::admin::Office;
use crate::clocks::alarm::{self, Alarm};
use crate::clocks::time::Time;
use crate::club::Club;
use crate::cluster::news::News;
use crate::games::plan::{Plan, append, first};
use crate::games::played::{Damaged, Played};
use crate::games::room::Room;
use crate::games::rooms::Rooms;
use crate::http::limits::{self, Limits};
use crate::ids::{self, Chance, Hash, check_id, new_id, no_such_game};
use crate::metrics::Metrics;
use crate::store::{Append, Appended, Store, StoreError};
use crate::supervise::Tasks;
use crate::work::computers;
use crate::work::engines::Engines;
use crate::work::replays::Replays;
use rules::ByPlayer;
use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use table::Refusal;
use table::event::{Created, Ending, Event, Fact, Reason};
use tokio::sync::watch;

/// How often a change is retried after a conflict.
pub(crate) const TRIES: usize = 10;

const ALL: usize = usize::MAX;

/// The address used for work that the server does on its own account.
pub const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// For how many milliseconds an unreadable game is not read again, and how many such games are remembered.
const UNREADABLE_FOR: i64 = 60_000;
const MOST_UNREADABLE: usize = 1_000;

/// After how many milliseconds without a heartbeat a server with a shared store no longer ends games on time: perhaps
/// nobody could play.
const UNSURE: i64 = 2_500;

/// How long it may take to find out whether a move can be stored.
const LOOK: Duration = Duration::from_millis(1_500);

/// The state shared by all requests.
pub struct Hall {
    pub store: Arc<dyn Store>,
    pub engines: Engines,
    /// Long-running work that needs no engine.
    pub replays: Replays,
    pub limits: Arc<Limits>,
    pub metrics: Arc<Metrics>,
    pub time: Time,
    pub chance: Arc<dyn Chance>,
    /// Notifications to servers that share the store.
    pub news: News,
    /// Computers' turns leased by this server: the game and its last event.
    pub thinking: Mutex<BTreeSet<(String, i64)>>,
    /// Workers on other machines.
    #[cfg(feature = "many")]
    pub workers: Option<crate::work::jobs::Workers>,
    /// The deadlines of running clocks.
    pub alarm: Alarm,
    /// Background tasks.
    pub tasks: Tasks,
    /// What operators can change.
    pub office: Office,
    /// Players and the lobby.
    pub club: Club,
    /// Becomes true when the server shuts down.
    pub stopping: watch::Sender<bool>,
    rooms: Mutex<Rooms>,
    /// Unreadable games: when that was noticed, and why.
    unreadable: Mutex<HashMap<String, (i64, String)>>,
}

/// The sender of a command.
#[derive(Clone, Debug)]
pub struct Sender {
    pub address: IpAddr,
    /// The hash of the token presented.
    pub token: Option<Hash>,
}

/// The outcome of one attempt to change a game.
pub(crate) enum Changed {
    /// The number of the first new event and its JSON, which is missing if another task applied it first.
    Stored(i64, Option<Arc<str>>),
    Nothing,
    /// Another event came first: the plan has to be made again.
    Meanwhile,
}

/// Whether an attempt met a conflict although no newer event can be read.
#[derive(Default)]
pub(crate) struct Stuck(bool);

/// The outcome of a command.
#[derive(Debug)]
pub struct Done {
    /// The number of the command's first event.
    pub seq: i64,
    /// That event as JSON.
    pub event: Arc<str>,
    /// The token of the seat taken, if any.
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
    pub fn new(
        store: Arc<dyn Store>,
        engines: Engines,
        replays: Replays,
        limits: Arc<Limits>,
        metrics: Arc<Metrics>,
        (time, chance): (Time, Arc<dyn Chance>),
        news: News,
    ) -> Hall {
        Hall {
            store,
            engines,
            replays,
            limits,
            metrics,
            time,
            chance,
            news,
            thinking: Mutex::default(),
            #[cfg(feature = "many")]
            workers: None,
            alarm: Alarm::default(),
            tasks: Tasks::default(),
            office: Office::default(),
            club: Club::default(),
            stopping: watch::channel(false).0,
            rooms: Mutex::default(),
            unreadable: Mutex::default(),
        }
    }

    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Whether the server stops now, instead of letting requests in progress finish.
    pub fn is_ending(&self) -> bool {
        self.is_stopping() && self.office.drain.borrow().is_none()
    }

    /// A game, from memory or from the store, for the server's own use.
    pub async fn room(self: &Arc<Self>, id: &str) -> Result<Arc<Room>, Refusal> {
        self.room_for(id, SERVER).await
    }

    /// A game, from memory or from the store, charging the address that caused it to be read. The room is up to date
    /// even if another server has changed the game.
    pub async fn room_for(self: &Arc<Self>, id: &str, by: IpAddr) -> Result<Arc<Room>, Refusal> {
        if let Some(room) = self.loaded(id) {
            if self.store.shared().is_some() {
                self.refresh(&room).await?;
            }
            if !room.is_dropped_out() {
                return alarm::recompute_clocks(self, &room).await.map(|()| room);
            }
        }
        self.read_for(id, by).await
    }

    /// Like [`Hall::room_for`], but a room in memory is not refreshed: if it is out of date, the append will
    /// conflict.
    pub async fn room_to_change(
        self: &Arc<Self>,
        id: &str,
        by: IpAddr,
    ) -> Result<Arc<Room>, Refusal> {
        match self.loaded(id) {
            Some(room) => alarm::recompute_clocks(self, &room).await.map(|()| room),
            None => self.read_for(id, by).await,
        }
    }

    async fn read_for(self: &Arc<Self>, id: &str, by: IpAddr) -> Result<Arc<Room>, Refusal> {
        check_id(id)?;
        self.check_readable(id)?;
        let damaged = |error: StoreError| match error {
            StoreError::Damaged(reason) => self.cannot_read(id, reason),
            other => other.into(),
        };
        let events = self.store.events(id, 0, ALL).await.map_err(damaged)?;
        if by != SERVER {
            self.limits.afford(by, limits::GAME + limits::of_events(events.len())).await;
        }
        let tokens = self.store.tokens(id).await.map_err(damaged)?;
        let pauses = self.time.pauses.count();
        let (hall, name) = (Arc::clone(self), id.to_owned());
        // Several requests may have waited for the same game; only the first replays it.
        let replay = move || match hall.loaded(&name) {
            Some(room) => Ok(Some(room)),
            None => Room::replay(&name, &events, tokens, hall.limits.of_a_seat(), by, &hall.time)
                .map(|room| room.map(Arc::new)),
        };
        let replayed = self.replays.run(by, replay).await?;
        let room = replayed.map_err(|error| self.cannot_read(id, error.to_string()))?;
        let room = room.ok_or_else(|| no_such_game(id))?;
        let room = self.keep(room);
        if self.time.pauses.count() != pauses {
            self.alarm.mark_stale([room.id.clone()], self.time.pauses.count());
        }
        self.settled(&room);
        Ok(room)
    }

    /// A game in memory, marked as used.
    fn loaded(&self, id: &str) -> Option<Arc<Room>> {
        let room = self.rooms().by_id.get(id).cloned()?;
        room.touch();
        Some(room)
    }

    /// A game in memory, without marking it as used.
    pub fn in_memory(&self, id: &str) -> Option<Arc<Room>> {
        self.rooms().by_id.get(id).cloned()
    }

    /// The games that have at least one subscriber.
    pub fn followed(&self) -> Vec<Arc<Room>> {
        self.rooms().by_id.values().filter(|room| room.is_followed()).cloned().collect()
    }

    /// Why no move can be stored at the moment, as far as is known. Then clocks may be wrong too, so no game is lost on
    /// time.
    pub fn cannot_store(&self) -> Option<String> {
        let silent = || {
            let silent = self.time.now() - self.store.alive() > UNSURE;
            let since = "the database has not answered for a while";
            (self.store.shared().is_some() && silent).then(|| since.to_owned())
        };
        let owed =
            || self.store.owed().map(|_| "moves could not be stored until just now".to_owned());
        self.store.trouble().reason().or_else(owed).or_else(silent)
    }

    /// Why no move can be stored at the moment; tries it if nothing was stored lately.
    pub async fn try_to_store(self: &Arc<Self>) -> Option<String> {
        if let Some(reason) = self.cannot_store() {
            return Some(reason);
        }
        if !self.store.trouble().is_unproved() {
            return None;
        }
        // In a task of its own: a transaction must not be left open when nobody waits any longer.
        let own = Arc::clone(self);
        let probe = tokio::spawn(async move { own.store.probe(own.time.now()).await });
        match tokio::time::timeout(LOOK, probe).await {
            Ok(Ok(Ok(()))) => self.cannot_store(),
            Ok(Ok(Err(error))) => Some(error.to_string()),
            Ok(Err(_)) | Err(_) => Some("the store is slow to answer".to_owned()),
        }
    }

    /// Adds a game to memory, unless it is there already.
    fn keep(&self, room: Arc<Room>) -> Arc<Room> {
        let mut rooms = self.rooms();
        let kept = rooms.keep(room);
        self.metrics.live_games.store(rooms.by_id.len() as i64, Ordering::Relaxed);
        kept
    }

    fn unreadable(&self) -> MutexGuard<'_, HashMap<String, (i64, String)>> {
        self.unreadable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses a game that was found unreadable recently.
    fn check_readable(&self, id: &str) -> Result<(), Refusal> {
        match self.unreadable().get(id) {
            Some((at, reason)) if self.time.now() - at < UNREADABLE_FOR => Err(unreadable(reason)),
            _ => Ok(()),
        }
    }

    /// Remembers an unreadable game, and logs it once.
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

    /// All games in memory.
    pub fn all_rooms(&self) -> Vec<Arc<Room>> {
        self.rooms().by_id.values().cloned().collect()
    }

    /// The games in memory that have an event later than `at`.
    pub fn went_on_after(&self, at: i64) -> Vec<String> {
        let rooms = self.all_rooms();
        let later = rooms.iter().filter(|room| room.view(|game| game.course.last_at > at));
        later.map(|room| room.id.clone()).collect()
    }

    /// Wakes the subscribers of all games.
    pub fn hint_all(&self) {
        self.rooms().by_id.values().for_each(|room| room.hint());
    }

    /// Evicts games that have not been used since `before`; the store still has them.
    pub fn sweep(&self, before: i64) {
        let mut rooms = self.rooms();
        rooms.forget(|room| room.touched() <= before);
        // The others have grown.
        rooms.stay_within();
        self.metrics.live_games.store(rooms.by_id.len() as i64, Ordering::Relaxed);
    }

    /// Brings a room up to date with the store, or drops it if its last event is not in the store, because a failover
    /// has lost it.
    pub async fn refresh(self: &Arc<Self>, room: &Arc<Room>) -> Result<(), Refusal> {
        let tip = room.tip();
        let events = self.store.events(&room.id, tip.seq - 1, ALL).await?;
        let events = match events.split_first() {
            Some((last, events)) if *last == *tip => events,
            _ => {
                self.drop_room(room);
                return Ok(());
            }
        };
        if events.is_empty() {
            return Ok(());
        }
        // Taking a seat replaces its token.
        let joined = events.iter().any(|event| matches!(event.fact, Fact::Joined { .. }));
        match joined {
            true => {
                let tokens = self.store.tokens(&room.id).await?;
                room.apply(events, |own| *own = tokens)?;
            }
            false => drop(room.apply(events, |_| {})?),
        }
        self.settled(room);
        Ok(())
    }

    /// Evicts a room that contradicts the store; the next request reads the game again.
    fn drop_room(&self, room: &Arc<Room>) {
        // Hold the lock, so that nobody can add the room's successor and set its alarm before the old alarm is gone.
        let mut rooms = self.rooms();
        rooms.remove(room);
        if room.drop_out() {
            self.alarm.forget(&room.id);
            let (game, seq) = (&room.id, room.seq());
            tracing::warn!(
                game,
                seq,
                "the store no longer has the last events of a game; reading it again"
            );
        }
    }

    /// Drops a game from memory because what is stored about it was deleted or rewritten; its subscribers read it
    /// again.
    pub fn forget(&self, id: &str) {
        let mut rooms = self.rooms();
        if let Some(room) = rooms.by_id.get(id).cloned() {
            rooms.remove(&room);
            room.drop_out();
        }
        self.alarm.forget(id);
        self.unreadable().remove(id);
    }

    /// Reacts to a new state: sets the clock's alarm and starts a computer's turn.
    pub fn settled(self: &Arc<Self>, room: &Arc<Room>) {
        // Under the room's lock, so that alarms are set in the order of events.
        room.view_kept(|game| {
            self.alarm.set(&room.id, game.course.seq, game.course.deadline());
        });
        computers::consider(self, room);
    }

    /// Changes a game: plans, appends to the store, then applies and publishes. After a conflict the plan is made
    /// again. Returns the number of the first new event and its JSON, which is missing if another task applied it
    /// first; none if the plan was to do nothing.
    pub async fn change(
        self: &Arc<Self>,
        room: &Arc<Room>,
        received: i64,
        plan: impl Fn(&Played) -> Result<Option<Plan>, Refusal>,
    ) -> Result<Option<(i64, Option<Arc<str>>)>, Refusal> {
        let mut stuck = Stuck::default();
        for _ in 0..TRIES {
            match self.try_to_change(room, received, &plan, &mut stuck).await? {
                Changed::Stored(seq, told) => return Ok(Some((seq, told))),
                Changed::Nothing => return Ok(None),
                Changed::Meanwhile => {}
            }
        }
        Err(busy())
    }

    /// The same once.
    pub(crate) async fn try_to_change(
        self: &Arc<Self>,
        room: &Arc<Room>,
        received: i64,
        plan: impl Fn(&Played) -> Result<Option<Plan>, Refusal>,
        stuck: &mut Stuck,
    ) -> Result<Changed, Refusal> {
        // An event that is stored after a time in which nobody could play would end that time before it is known.
        alarm::keep_time(self).await?;
        let changing = self.alarm.changing().await;
        let planned =
            room.view(|game| plan(game).map(|plan| plan.map(|plan| append(game, plan, received))))?;
        let Some(append) = planned else { return Ok(Changed::Nothing) };
        let after = append.after.clone();
        let (events, token) = (append.events.clone(), append.token);
        let heard = room.view(|game| crate::club::games::news(game, &append));
        match self.store.append(append).await? {
            Appended::Committed => {
                let told = room.apply(&events, |tokens| {
                    if let Some((seat, hash)) = token {
                        tokens[seat] = Some(hash);
                    }
                })?;
                drop(changing);
                self.settled(room);
                heard.iter().for_each(|game| self.club.games.note(game));
                events.last().into_iter().for_each(|last| self.news.moved(&room.id, last.seq));
                let turns = events.iter().filter(|e| matches!(e.fact, Fact::Move { .. }));
                self.metrics.turns.fetch_add(turns.count() as u64, Ordering::Relaxed);
                let stored = |event: &Event| Changed::Stored(event.seq, told);
                return Ok(events.first().map_or(Changed::Nothing, stored));
            }
            Appended::Conflict => {
                drop(changing);
                self.refresh(room).await?;
            }
        }
        if room.is_dropped_out() {
            return Err(Refusal::conflict("the game has changed, read it again"));
        }
        // Twice: something follows the last event in the store, but not its direct successor.
        let still = Some(room.tip()) == after;
        if still && std::mem::replace(&mut stuck.0, true) {
            return Err(Refusal::conflict(
                "some events of this game were lost; it can be viewed but not continued",
            ));
        }
        Ok(Changed::Meanwhile)
    }

    /// Up to `most` events after a number, as JSON: from memory if they are recent, otherwise from the store. Reading
    /// them does not replay any turns and costs little more than their size; the reader is charged, and waits until
    /// it can pay.
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
                told.push(crate::games::room::line(event, &course));
            }
        }
        match told.is_empty() && after < room.seq() {
            true => Err(Refusal::broken("events of this game are missing in the store")),
            false => Ok(told),
        }
    }

    /// Whether an event is still the one a client has seen, judging by its number and, if known, its time.
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

    /// Ends a game if its clock had run out by `at`.
    pub async fn time_out(self: &Arc<Self>, room: &Arc<Room>, at: i64) -> Result<(), Refusal> {
        // After a suspension, a request may arrive before the pause has been noticed.
        alarm::keep_time(self).await?;
        if room.view(|game| game.course.out_of_time(at)).is_none() {
            return Ok(());
        }
        if let Some(reason) = self.cannot_store() {
            let error = format!("clocks are uncertain, because {reason}; try again");
            return Err(Refusal::unavailable(error));
        }
        // Perhaps moves can be stored only since a moment ago. Then the time before has become a pause, which gives this
        // player the time back, but is known here only now.
        alarm::keep_time(self).await?;
        let ended = self.change(room, at, |game| {
            Ok(game.course.out_of_time(at).map(|loser| {
                let winner = Some(loser.other());
                let facts = vec![Fact::Result(Ending::new(winner, Reason::Time))];
                Plan { facts, ..Plan::default() }
            }))
        });
        ended.await.map(|_| ())
    }

    /// Creates a game and returns its id.
    pub async fn make(
        self: &Arc<Self>,
        created: Created,
        tokens: ByPlayer<Option<String>>,
    ) -> Result<String, Refusal> {
        let tokens = tokens.map(|token| token.map(|token| ids::hash(&token)));
        alarm::keep_time(self).await?;
        for _ in 0..TRIES {
            let new =
                first(new_id(self.chance.as_ref())?, created.clone(), tokens, self.time.now());
            let id = new.id.clone();
            let append = Append { game: id.clone(), new_game: Some(new), ..Append::default() };
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
    Refusal::conflict("too many concurrent changes to this game, try again")
}
