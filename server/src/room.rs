//! One game in memory, and who is there.

use crate::course::Course;
use crate::error::Refusal;
use crate::event::{Event, Tip};
use crate::ids::Hash;
use crate::limits::{Bucket, Limits};
use crate::news::BELIEVED;
use crate::played::{Damaged, Played};
use crate::time::Time;
use engine::Stop;
use rules::Player;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// How many events are kept as they are told: who has fewer reads the store.
const RECENT: usize = 8;

/// About how many bytes a game takes, and a turn and an event of it.
const OF_A_ROOM: usize = 4_000;
const OF_A_TURN: usize = 150;
const OF_AN_EVENT: usize = 20;

/// What one thinking of a computer is known by, and the switch that ends it.
#[derive(Clone, Debug, Default)]
pub struct Ticket {
    number: u64,
    /// The switch.
    pub stop: Stop,
}

/// A computer's thinking about what follows an event.
struct Thinking {
    seq: i64,
    ticket: Ticket,
    /// Whether another server does it.
    elsewhere: bool,
}

struct Inner {
    game: Played,
    /// Whether the store has another game than this room.
    dropped: bool,
    /// The last events that came while the game was in memory, as lines of JSON.
    recent: VecDeque<Arc<str>>,
    seats: [u32; 2],
    watchers: u32,
    /// Who is connected to other servers, and until when that is believed.
    elsewhere: HashMap<u64, ([u32; 3], i64)>,
    /// What each seat may still do.
    buckets: [Bucket; 2],
    thinking: Option<Thinking>,
    /// How often a computer has begun to think.
    thoughts: u64,
    /// For whom computers think here.
    asker: IpAddr,
}

/// A game in memory.
pub struct Room {
    /// The game's id.
    pub id: String,
    /// About how many bytes it takes.
    pub weight: usize,
    inner: Mutex<Inner>,
    /// Counts changes; what has changed is to be looked up.
    hint: watch::Sender<u64>,
    time: Time,
    touched: AtomicI64,
    refreshed: AtomicI64,
}

/// Who is connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Present {
    /// Whether somebody is at each seat.
    pub seats: [bool; 2],
    /// How many watch.
    pub watchers: u32,
}

/// An event as it is told, one line.
pub fn line(event: &Event, after: &Course) -> Arc<str> {
    Value::Object(event.json(after.clock.as_ref())).to_string().into()
}

fn keep(recent: &mut VecDeque<Arc<str>>, line: Arc<str>) {
    if recent.len() == RECENT {
        recent.pop_front();
    }
    recent.push_back(line);
}

impl Room {
    /// The room of a game that has these events; none if there are none.
    pub fn replay(
        id: &str,
        events: &[Event],
        tokens: [Option<Hash>; 2],
        bucket: Bucket,
        asker: IpAddr,
        time: &Time,
    ) -> Result<Option<Room>, Damaged> {
        let game = Played::replay(id, events, tokens, &time.pauses)?;
        let Some(game) = game else { return Ok(None) };
        let weight = OF_A_ROOM + OF_A_TURN * game.course.turns + OF_AN_EVENT * events.len();
        let recent = VecDeque::with_capacity(RECENT);
        let buckets = [bucket; 2];
        let inner = Inner {
            game,
            dropped: false,
            recent,
            seats: [0; 2],
            watchers: 0,
            elsewhere: HashMap::new(),
            buckets,
            thinking: None,
            thoughts: 0,
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

    /// Looks at the game.
    pub fn view<T>(&self, look: impl FnOnce(&Played) -> T) -> T {
        look(&self.lock().game)
    }

    /// Looks at the game unless the room has been dropped.
    pub fn view_kept<T>(&self, look: impl FnOnce(&Played) -> T) -> Option<T> {
        let inner = self.lock();
        (!inner.dropped).then(|| look(&inner.game))
    }

    /// The last event.
    pub fn tip(&self) -> Tip {
        self.lock().game.tip.clone()
    }

    /// Marks a room that is ahead of its store, or beside it: nobody may go on with it. Those who follow it are
    /// hinted, and find another one. Says whether this is the first to notice.
    pub fn drop_out(&self) -> bool {
        let mut inner = self.lock();
        inner.thinking.take().iter().for_each(|thinking| thinking.ticket.stop.stop());
        let first = !std::mem::replace(&mut inner.dropped, true);
        drop(inner);
        self.hint();
        first
    }

    /// Whether the room has been dropped.
    pub fn is_dropped_out(&self) -> bool {
        self.lock().dropped
    }

    /// Lets the seats of a token pay for a command, or refuses.
    pub fn pay(&self, limits: &Limits, token: Hash) -> Result<(), Refusal> {
        let inner = &mut *self.lock();
        match inner.game.seats_of(&[token]).first() {
            Some(seat) => limits.spend_of_seat(&mut inner.buckets[seat.index()]),
            None => Ok(()),
        }
    }

    /// The number of the last event.
    pub fn seq(&self) -> i64 {
        self.lock().game.course.seq
    }

    /// Notes that somebody was here.
    pub fn touch(&self) {
        self.touched.store(self.time.now(), Ordering::Relaxed);
    }

    /// When somebody was here last.
    pub fn touched(&self) -> i64 {
        self.touched.load(Ordering::Relaxed)
    }

    /// Whether it is time to compare with the store; says yes to one of many who ask.
    pub fn is_due(&self, every: i64) -> bool {
        let (now, last) = (self.time.now(), self.refreshed.load(Ordering::Relaxed));
        let swap =
            |last| self.refreshed.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed);
        now - last >= every && swap(last).is_ok()
    }

    /// Takes in stored events, with what they did to the seats' tokens, and tells those who follow; what is
    /// known already is passed over.
    pub fn apply(
        &self,
        events: &[Event],
        tokens: impl FnOnce(&mut [Option<Hash>; 2]),
    ) -> Result<(), Damaged> {
        let mut inner = self.lock();
        let before = inner.game.course.seq;
        for event in events.iter().filter(|event| event.seq > before) {
            inner.game.apply(event)?;
            let line = line(event, &inner.game.course);
            keep(&mut inner.recent, line);
        }
        tokens(&mut inner.game.tokens);
        drop(inner);
        self.touch();
        self.hint();
        Ok(())
    }

    /// Reckons the clocks again from all events; what was told of them is told anew to whoever asks. Says whether
    /// these were all: the game may have gone on since they were read.
    pub fn reckon(&self, events: &[Event]) -> bool {
        let mut inner = self.lock();
        let whole = inner.game.reckon(events);
        inner.recent.clear();
        drop(inner);
        self.hint();
        whole
    }

    /// The events behind a number, if all of them are kept here.
    pub fn recent(&self, after: i64) -> Option<Vec<Arc<str>>> {
        let inner = self.lock();
        let missing = usize::try_from((inner.game.course.seq - after).max(0)).ok()?;
        let skip = inner.recent.len().checked_sub(missing)?;
        Some(inner.recent.iter().skip(skip).cloned().collect())
    }

    /// Tells those who follow to look again.
    pub fn hint(&self) {
        self.hint.send_modify(|count| *count += 1);
    }

    /// Follows the changes.
    pub fn follow(&self) -> watch::Receiver<u64> {
        self.hint.subscribe()
    }

    /// Whether somebody wants to hear of changes.
    pub fn is_followed(&self) -> bool {
        self.hint.receiver_count() > 0
    }

    /// Who is connected, to whichever server.
    pub fn present(&self) -> Present {
        let inner = self.lock();
        let others = inner.elsewhere.values();
        let [one, two, watchers] = others.fold([0; 3], |sum: [u32; 3], (counts, _)| {
            [0, 1, 2].map(|i| sum[i].saturating_add(counts[i]))
        });
        Present {
            seats: [inner.seats[0] > 0 || one > 0, inner.seats[1] > 0 || two > 0],
            watchers: inner.watchers.saturating_add(watchers),
        }
    }

    /// Forgets those of servers of which nothing has been heard for a while.
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

    /// How many are connected here, at each seat and as watchers.
    pub fn here(&self) -> [u32; 3] {
        let inner = self.lock();
        [inner.seats[0], inner.seats[1], inner.watchers]
    }

    /// Notes how many are connected to another server.
    pub fn elsewhere(&self, server: u64, counts: [u32; 3]) {
        let until = self.time.now() + BELIEVED;
        let before = self.lock().elsewhere.insert(server, (counts, until));
        if before.map(|(counts, _)| counts) != Some(counts) {
            self.hint();
        }
    }

    fn count(&self, seats: &[Player], change: impl Fn(&mut u32)) {
        let mut inner = self.lock();
        seats.iter().for_each(|seat| change(&mut inner.seats[seat.index()]));
        if seats.is_empty() {
            change(&mut inner.watchers);
        }
        let unwatched = inner.watchers == 0 && inner.seats == [0; 2];
        if unwatched && inner.game.is_exhibition() {
            inner.thinking.take().iter().for_each(|thinking| thinking.ticket.stop.stop());
        }
        drop(inner);
        self.touch();
        self.hint();
    }

    /// Notes who plays here: computers think on behalf of that address.
    pub fn played_by(&self, address: IpAddr) {
        self.lock().asker = address;
    }

    /// Notes who watches, for whom computers play each other.
    pub fn watched_by(&self, address: IpAddr) {
        let mut inner = self.lock();
        if inner.game.is_exhibition() {
            inner.asker = address;
        }
    }

    /// Begins the thinking of a computer that has to move, ends one that is out of date. What is given
    /// to `begin` is the game, for whom it is, and what the thinking is known by.
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
        let unwatched = inner.watchers == 0 && inner.seats == [0; 2];
        if unwatched && inner.game.is_exhibition() {
            return None;
        }
        inner.thoughts += 1;
        let ticket = Ticket { number: inner.thoughts, stop: Stop::default() };
        inner.thinking = Some(Thinking { seq, ticket: ticket.clone(), elsewhere: false });
        Some(begin(&inner.game, inner.asker, ticket))
    }

    /// Whether a thinking has ended for want of a reason. Another one about the same event may have begun.
    pub fn is_dropped(&self, ticket: &Ticket) -> bool {
        let own = |thinking: &Thinking| thinking.ticket.number == ticket.number;
        !self.lock().thinking.as_ref().is_some_and(own)
    }

    /// Forgets a thinking, so that another one may begin.
    pub fn forget_thinking(&self, ticket: &Ticket) {
        let mut inner = self.lock();
        inner.thinking.take_if(|thinking| thinking.ticket.number == ticket.number);
    }

    /// Notes that another server does what was to be thought about here.
    pub fn leave_thinking(&self, ticket: &Ticket) {
        let mut inner = self.lock();
        let own = inner.thinking.iter_mut().filter(|own| own.ticket.number == ticket.number);
        own.for_each(|thinking| thinking.elsewhere = true);
    }

    /// The other server does not do it any more.
    pub fn take_thinking_back(&self) {
        self.lock().thinking.take_if(|thinking| thinking.elsewhere);
    }
}

/// Somebody is connected as long as this lives.
pub struct Presence {
    room: Arc<Room>,
    seats: Vec<Player>,
}

impl Presence {
    /// At these seats, or as a watcher.
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
    use crate::clock::{Pauses, TimeControl};
    use crate::event::{Created, Fact, Seat};
    use engine::Who;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    /// A room that weighs so much and was left at a time.
    pub fn left(id: &str, weight: usize, touched: i64) -> Room {
        let room = Arc::into_inner(room([Who::Person, Who::Person])).unwrap();
        Room { id: id.to_owned(), weight, touched: AtomicI64::new(touched), ..room }
    }

    fn created(players: [Who; 2], clock: TimeControl) -> Event {
        let start = (engine::find("gekitai").unwrap().start)(&Default::default()).unwrap();
        let created = Created {
            game: "gekitai".into(),
            options: Default::default(),
            start: start.text(),
            turns: Vec::new(),
            seats: players.map(|who| Seat { who, name: None }),
            shared: false,
            clock,
        };
        let fact = Fact::Created(Box::new(created));
        Event { seq: 1, seat: None, at: 0, fact, command: None }
    }

    fn room_of(events: &[Event], pauses: &Pauses) -> Arc<Room> {
        let bucket = Bucket::new(1.0, 1.0, 0);
        let time = Time::new(Arc::new(crate::time::Machine::default()), 0, pauses.clone());
        let room = Room::replay("abcdefgh", events, [None; 2], bucket, HERE, &time);
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
    fn a_game_that_went_on_while_it_was_read_is_not_called_reckoned() {
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
        assert!(!room.reckon(&events[..3]), "the last turn was made after these were read");
        assert_eq!(left(), [59_000, 52_000]);
        assert!(room.reckon(&events));
        assert_eq!(left(), [59_000, 58_000]);
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
