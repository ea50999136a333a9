//! One game in memory, its presence, and a computer's search in it.

use crate::clocks::time::Time;
use crate::cluster::news::BELIEVED;
use crate::games::played::{Damaged, Played};
use crate::http::limits::{Bucket, Limits};
use crate::ids::Hash;
use crate::store::Tip;
use engine::Stop;
use rules::{ByPlayer, Player};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use table::Refusal;
use table::course::Course;
use table::event::Event;
use tokio::sync::watch;

/// How many of the latest events are kept as JSON; clients that need older ones are served from the store.
const RECENT: usize = 8;

/// Approximate bytes of memory for a game, for each turn and for each event.
const OF_A_ROOM: usize = 4_000;
const OF_A_TURN: usize = 150;
const OF_AN_EVENT: usize = 20;

/// Identifies a computer's search, and stops it.
#[derive(Clone, Debug, Default)]
pub struct Ticket {
    number: u64,
    pub stop: Stop,
}

/// A computer's search for the turn after an event.
struct Thinking {
    seq: i64,
    ticket: Ticket,
    /// Whether another server does it.
    elsewhere: bool,
}

struct Inner {
    game: Played,
    /// Whether the room contradicts the store.
    dropped: bool,
    /// The latest events that arrived while the game was in memory, as JSON.
    recent: VecDeque<Arc<str>>,
    seats: ByPlayer<u32>,
    watchers: u32,
    /// Presence on other servers, by their numbers, and until when it counts; also of bots that asked here lately, by
    /// [`of_bot`].
    elsewhere: HashMap<u64, ([u32; 3], i64)>,
    /// Each seat's token bucket.
    buckets: ByPlayer<Bucket>,
    thinking: Option<Thinking>,
    /// Numbers the searches.
    thoughts: u64,
    /// The address on whose behalf computers search here.
    asker: IpAddr,
    greetings: Greetings,
}

/// How many greetings are kept for sockets that lag behind, and how many milliseconds a seat waits between two.
const GREETINGS: usize = 8;
const BETWEEN_GREETINGS: i64 = 2_000;

/// Recent greetings between the players; they are not stored.
#[derive(Default)]
struct Greetings {
    /// Each greeting: who sent it, and its index in [`table::words::GREETINGS`].
    last: VecDeque<(Player, usize)>,
    count: u64,
    at: ByPlayer<i64>,
}

pub struct Room {
    pub id: String,
    /// Approximate memory use in bytes, which grows with the game.
    weight: AtomicUsize,
    inner: Mutex<Inner>,
    /// Counts changes; subscribers look up what has changed.
    hint: watch::Sender<u64>,
    time: Time,
    touched: AtomicI64,
    refreshed: AtomicI64,
}

/// Which seats are connected, and how many watchers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// Whether anybody is at each seat.
    pub seats: ByPlayer<bool>,
    pub watchers: u32,
}

/// An event as JSON.
pub fn line(event: &Event, after: &Course) -> Arc<str> {
    Value::Object(event.json(after)).to_string().into()
}

fn weight(game: &Played) -> usize {
    let events = usize::try_from(game.course.seq).unwrap_or(0);
    OF_A_ROOM + OF_A_TURN * game.course.turns + OF_AN_EVENT * events
}

/// A number that no server has.
fn of_bot(seat: Player) -> u64 {
    u64::MAX - seat.index() as u64
}

fn keep(recent: &mut VecDeque<Arc<str>>, line: Arc<str>) {
    if recent.len() == RECENT {
        recent.pop_front();
    }
    recent.push_back(line);
}

impl Room {
    /// Replays a game; none if it has no events.
    pub fn replay(
        id: &str,
        events: &[Event],
        tokens: ByPlayer<Option<Hash>>,
        bucket: Bucket,
        asker: IpAddr,
        time: &Time,
    ) -> Result<Option<Room>, Damaged> {
        let game = Played::replay(id, events, tokens, &time.pauses)?;
        let Some(game) = game else { return Ok(None) };
        let weight = AtomicUsize::new(weight(&game));
        let recent = VecDeque::with_capacity(RECENT);
        let buckets = ByPlayer::both(bucket);
        let inner = Inner {
            game,
            dropped: false,
            recent,
            seats: ByPlayer::default(),
            watchers: 0,
            elsewhere: HashMap::new(),
            buckets,
            thinking: None,
            thoughts: 0,
            greetings: Greetings::default(),
            asker,
        };
        Ok(Some(Room {
            id: id.to_owned(),
            weight,
            inner: Mutex::new(inner),
            hint: watch::channel(0).0,
            time: time.clone(),
            touched: AtomicI64::new(time.now()),
            refreshed: AtomicI64::new(time.now()),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn view<T>(&self, look: impl FnOnce(&Played) -> T) -> T {
        look(&self.lock().game)
    }

    /// Like [`Room::view`], but none if the room has been dropped.
    pub fn view_kept<T>(&self, look: impl FnOnce(&Played) -> T) -> Option<T> {
        let inner = self.lock();
        (!inner.dropped).then(|| look(&inner.game))
    }

    pub fn tip(&self) -> Tip {
        self.lock().game.tip.clone()
    }

    /// Drops a room that contradicts the store: nothing may be done with it any more. Its subscribers are woken and
    /// find the new one. Returns whether this was the first to notice.
    pub fn drop_out(&self) -> bool {
        let mut inner = self.lock();
        inner.thinking.take().iter().for_each(|thinking| thinking.ticket.stop.stop());
        let first = !std::mem::replace(&mut inner.dropped, true);
        drop(inner);
        self.hint();
        first
    }

    pub fn is_dropped_out(&self) -> bool {
        self.lock().dropped
    }

    /// Charges the seats of a token for a command.
    pub fn pay(&self, limits: &Limits, token: Hash) -> Result<(), Refusal> {
        let inner = &mut *self.lock();
        match inner.game.seats_of(&[token]).first() {
            Some(seat) => limits.spend_of_seat(&mut inner.buckets[*seat]),
            None => Ok(()),
        }
    }

    /// Whether a token plays a seat here.
    pub fn has_seat(&self, token: Hash) -> bool {
        !self.lock().game.seats_of(&[token]).is_empty()
    }

    /// Whether both players have made a turn.
    pub fn is_played(&self) -> bool {
        let game = &self.lock().game;
        game.course.turns >= game.created.turns.len() + 2
    }

    /// The number of the last event.
    pub fn seq(&self) -> i64 {
        self.lock().game.course.seq
    }

    /// Approximate memory use in bytes.
    pub fn weight(&self) -> usize {
        self.weight.load(Ordering::Relaxed)
    }

    /// Marks the room as used.
    pub fn touch(&self) {
        self.touched.store(self.time.now(), Ordering::Relaxed);
    }

    /// When the room was last used.
    pub fn touched(&self) -> i64 {
        self.touched.load(Ordering::Relaxed)
    }

    /// Whether the room should be compared with the store; of several concurrent callers, only one gets true.
    pub fn is_due(&self, every: i64) -> bool {
        let (now, last) = (self.time.now(), self.refreshed.load(Ordering::Relaxed));
        let swap =
            |last| self.refreshed.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed);
        now - last >= every && swap(last).is_ok()
    }

    /// Applies stored events and their effect on the tokens, and wakes subscribers. Events that are already known are
    /// skipped. Returns the JSON of the first event if it was new.
    pub fn apply(
        &self,
        events: &[Event],
        tokens: impl FnOnce(&mut ByPlayer<Option<Hash>>),
    ) -> Result<Option<Arc<str>>, Damaged> {
        let mut inner = self.lock();
        let before = inner.game.course.seq;
        let mut first = None;
        for event in events.iter().filter(|event| event.seq > before) {
            inner.game.apply(event)?;
            let line = line(event, &inner.game.course);
            if events.first().is_some_and(|own| own.seq == event.seq) {
                first = Some(Arc::clone(&line));
            }
            keep(&mut inner.recent, line);
        }
        tokens(&mut inner.game.tokens);
        self.weight.store(weight(&inner.game), Ordering::Relaxed);
        drop(inner);
        self.touch();
        self.hint();
        Ok(first)
    }

    /// Recomputes the clocks from all events and forgets the cached JSON, which contains the old ones. Returns false
    /// if `events` are not complete: the game may have gone on since they were read.
    pub fn recompute_clocks(&self, events: &[Event]) -> bool {
        let mut inner = self.lock();
        let whole = inner.game.recompute_clocks(events);
        inner.recent.clear();
        drop(inner);
        self.hint();
        whole
    }

    /// The events after a number, if all of them are cached.
    pub fn recent(&self, after: i64) -> Option<Vec<Arc<str>>> {
        let inner = self.lock();
        let missing = usize::try_from((inner.game.course.seq - after).max(0)).ok()?;
        let skip = inner.recent.len().checked_sub(missing)?;
        Some(inner.recent.iter().skip(skip).cloned().collect())
    }

    /// Wakes subscribers.
    pub fn hint(&self) {
        self.hint.send_modify(|count| *count += 1);
    }

    /// Sends a greeting from a seat; returns false if the last one was too recent.
    pub fn greet(&self, seat: Player, word: usize) -> bool {
        let now = self.time.now();
        {
            let own = &mut self.lock().greetings;
            if (0..BETWEEN_GREETINGS).contains(&(now - own.at[seat])) {
                return false;
            }
            own.at[seat] = now;
            own.count += 1;
            own.last.push_back((seat, word));
            if own.last.len() > GREETINGS {
                own.last.pop_front();
            }
        }
        self.hint();
        true
    }

    /// The greetings after the first `after`, and how many there were in all.
    pub fn greetings(&self, after: u64) -> (Vec<(Player, usize)>, u64) {
        let inner = self.lock();
        let Greetings { last, count, .. } = &inner.greetings;
        let new = usize::try_from(count.saturating_sub(after)).unwrap_or(GREETINGS);
        (last.iter().skip(last.len().saturating_sub(new)).copied().collect(), *count)
    }

    /// Subscribes to changes.
    pub fn follow(&self) -> watch::Receiver<u64> {
        self.hint.subscribe()
    }

    /// Whether there are subscribers.
    pub fn is_followed(&self) -> bool {
        self.hint.receiver_count() > 0
    }

    /// Who is connected, to any server.
    pub fn present(&self) -> Present {
        let now = self.time.now();
        let inner = self.lock();
        let others = inner.elsewhere.values().filter(|(_, until)| *until > now);
        let [one, two, watchers] = others.fold([0; 3], |sum: [u32; 3], (counts, _)| {
            [0, 1, 2].map(|i| sum[i].saturating_add(counts[i]))
        });
        Present {
            seats: ByPlayer::new(inner.seats[0] > 0 || one > 0, inner.seats[1] > 0 || two > 0),
            watchers: inner.watchers.saturating_add(watchers),
        }
    }

    /// Forgets presence on servers that have been silent for a while.
    pub fn forget_silent(&self) {
        let now = self.time.now();
        let mut inner = self.lock();
        let before = inner.elsewhere.len();
        inner.elsewhere.retain(|_, (_, until)| *until > now);
        let changed = inner.elsewhere.len() != before;
        drop(inner);
        if changed {
            self.hint();
        }
    }

    /// The number of connections here: at each seat, and watching.
    pub fn here(&self) -> [u32; 3] {
        let now = self.time.now();
        let inner = self.lock();
        let is_new = |(_, until): &([u32; 3], i64)| *until > now;
        let bot = |seat| u32::from(inner.elsewhere.get(&of_bot(seat)).is_some_and(is_new));
        let [one, two] = Player::BOTH.map(|seat| inner.seats[seat] + bot(seat));
        [one, two, inner.watchers]
    }

    /// Notes that a bot at these seats has asked about the game: bots need no socket.
    pub fn asked_by_bot(&self, seats: &[Player]) {
        for seat in seats {
            let mut counts = [0; 3];
            counts[seat.index()] = 1;
            self.elsewhere(of_bot(*seat), counts);
        }
    }

    /// Sets the presence on another server.
    pub fn elsewhere(&self, server: u64, counts: [u32; 3]) {
        let until = self.time.now() + BELIEVED;
        let before = self.lock().elsewhere.insert(server, (counts, until));
        if before.map(|(counts, _)| counts) != Some(counts) {
            self.hint();
        }
    }

    fn count(&self, seats: &[Player], change: impl Fn(&mut u32)) {
        let mut inner = self.lock();
        seats.iter().for_each(|seat| change(&mut inner.seats[*seat]));
        if seats.is_empty() {
            change(&mut inner.watchers);
        }
        let unwatched = inner.watchers == 0 && *inner.seats == [0; 2];
        if unwatched && inner.game.is_exhibition() {
            inner.thinking.take().iter().for_each(|thinking| thinking.ticket.stop.stop());
        }
        drop(inner);
        self.touch();
        self.hint();
    }

    /// Like [`Room::view`], for a player at this address: computers search on its behalf from now on.
    pub fn enter<T>(&self, address: IpAddr, look: impl FnOnce(&Played) -> T) -> T {
        let inner = &mut *self.lock();
        inner.asker = address;
        look(&inner.game)
    }

    /// The address that last played here, as far as it is known.
    pub fn last_player(&self) -> Option<IpAddr> {
        Some(self.lock().asker).filter(|address| !address.is_unspecified())
    }

    /// Computers search on behalf of this player from now on.
    pub fn played_by(&self, address: IpAddr) {
        self.lock().asker = address;
    }

    /// In games between computers, they search on behalf of this watcher from now on.
    pub fn watched_by(&self, address: IpAddr) {
        let mut inner = self.lock();
        if inner.game.is_exhibition() {
            inner.asker = address;
        }
    }

    /// Starts a search if a computer is to move, and stops an outdated one. `begin` gets the game, the address the
    /// search is for, and its ticket.
    pub fn think<T>(&self, begin: impl FnOnce(&Played, IpAddr, Ticket) -> T) -> Option<T> {
        let mut inner = self.lock();
        let seq = inner.game.course.seq;
        if inner.thinking.as_ref().is_some_and(|thinking| thinking.seq == seq) {
            return None;
        }
        inner.thinking.take().iter().for_each(|thinking| thinking.ticket.stop.stop());
        inner.game.computer_to_move()?;
        if inner.dropped {
            return None;
        }
        let unwatched = inner.watchers == 0 && *inner.seats == [0; 2];
        if unwatched && inner.game.is_exhibition() {
            return None;
        }
        inner.thoughts += 1;
        let ticket = Ticket { number: inner.thoughts, stop: Stop::default() };
        inner.thinking = Some(Thinking { seq, ticket: ticket.clone(), elsewhere: false });
        Some(begin(&inner.game, inner.asker, ticket))
    }

    /// Whether this search is no longer the current one, even if another one has started for the same event.
    pub fn is_dropped(&self, ticket: &Ticket) -> bool {
        let own = |thinking: &Thinking| thinking.ticket.number == ticket.number;
        !self.lock().thinking.as_ref().is_some_and(own)
    }

    /// Forgets a search, so that another one may start.
    pub fn forget_thinking(&self, ticket: &Ticket) {
        let mut inner = self.lock();
        inner.thinking.take_if(|thinking| thinking.ticket.number == ticket.number);
    }

    /// Marks a search as done by another server.
    pub fn leave_thinking(&self, ticket: &Ticket) {
        let mut inner = self.lock();
        let own = inner.thinking.iter_mut().filter(|own| own.ticket.number == ticket.number);
        own.for_each(|thinking| thinking.elsewhere = true);
    }

    /// Forgets a search that another server was to do.
    pub fn take_thinking_back(&self) {
        self.lock().thinking.take_if(|thinking| thinking.elsewhere);
    }
}

/// A connection's presence, until it is dropped.
pub struct Presence {
    room: Arc<Room>,
    seats: Vec<Player>,
}

impl Presence {
    /// Present at these seats or, if there are none, as a watcher.
    pub fn new(room: &Arc<Room>, seats: Vec<Player>) -> Presence {
        room.count(&seats, |count| *count += 1);
        Presence { room: Arc::clone(room), seats }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.room.count(&self.seats, |count| *count = count.saturating_sub(1));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use engine::Who;
    use table::clock::{Pauses, TimeControl};
    use table::event::{Created, Fact, Seat};

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    /// A room of this weight, last used at `touched`.
    pub fn left(id: &str, weight: usize, touched: i64) -> Room {
        let room = Arc::into_inner(room([Who::Person, Who::Person])).unwrap();
        Room { id: id.to_owned(), weight: weight.into(), touched: AtomicI64::new(touched), ..room }
    }

    fn created(players: [Who; 2], clock: TimeControl) -> Event {
        let start = (engine::find("gekitai").unwrap().start)(&Default::default()).unwrap();
        let created = Created {
            game: "gekitai".into(),
            options: Default::default(),
            start: start.text(),
            turns: Vec::new(),
            seats: players.map(|who| Seat { who, name: None }).into(),
            shared: false,
            clock,
            club: None,
        };
        let fact = Fact::Created(Box::new(created));
        Event { seq: 1, seat: None, at: 0, fact, command: None }
    }

    fn room_of(events: &[Event], pauses: &Pauses) -> Arc<Room> {
        let bucket = Bucket::new(1.0, 1.0, 0);
        let time = Time::new(Arc::new(crate::clocks::time::Machine::default()), 0, pauses.clone());
        let room = Room::replay("abcdefgh", events, ByPlayer::both(None), bucket, HERE, &time);
        Arc::new(room.unwrap().unwrap())
    }

    fn room(players: [Who; 2]) -> Arc<Room> {
        room_of(&[created(players, TimeControl::None)], &Default::default())
    }

    fn think(room: &Room) -> Option<Ticket> {
        room.think(|_, _, ticket| ticket)
    }

    #[test]
    fn an_exhibition_that_is_left_and_entered_again_is_thought_about_once() {
        let room = room([Who::Level { level: 1 }, Who::Level { level: 1 }]);
        assert!(think(&room).is_none(), "nobody watches");
        let watcher = Presence::new(&room, Vec::new());
        let first = think(&room).unwrap();
        assert!(think(&room).is_none(), "it thinks already");
        drop(watcher);
        assert!(first.stop.is_stopped());
        let _again = Presence::new(&room, Vec::new());
        let second = think(&room).unwrap();
        assert!(room.is_dropped(&first), "the first one must not play");
        room.forget_thinking(&first);
        assert!(!room.is_dropped(&second) && !second.stop.is_stopped());
    }

    #[test]
    fn a_game_that_went_on_while_it_was_read_does_not_count_as_recomputed() {
        let pauses = Pauses::default();
        let control = TimeControl::Time { seconds: 60, increment: 0 };
        let mut events = vec![created([Who::Person, Who::Person], control)];
        for (seq, (turn, at)) in (2..).zip([("c4", 1_000), ("d4", 9_000), ("a1", 10_000)]) {
            let seat = Some(if seq % 2 == 0 { Player::One } else { Player::Two });
            let fact = Fact::Move { turn: turn.into(), said: None };
            events.push(Event { seq, seat, at, fact, command: None });
        }
        let room = room_of(&events, &pauses);
        let left = || room.view(|game| game.course.clock.as_ref().unwrap().left(10_000));
        pauses.note(2_000, 8_000);
        assert!(
            !room.recompute_clocks(&events[..3]),
            "the last turn was made after these were read"
        );
        assert_eq!(*left(), [59_000, 52_000]);
        assert!(room.recompute_clocks(&events));
        assert_eq!(*left(), [59_000, 58_000]);
    }

    #[test]
    fn who_only_watches_does_not_take_a_game_over_from_its_player() {
        let other = IpAddr::from([10, 0, 0, 1]);
        let asker = |room: &Room| room.lock().asker;
        let played = room([Who::Person, Who::Level { level: 1 }]);
        played.played_by(HERE);
        played.watched_by(other);
        assert_eq!(asker(&played), HERE);
        let shown = room([Who::Level { level: 1 }, Who::Level { level: 1 }]);
        shown.watched_by(other);
        assert_eq!(asker(&shown), other);
    }
}
