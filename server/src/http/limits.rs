//! Rate limits: how much one address may ask for and store, and how much it may have in progress.
//!
//! Everything has a price, at least that of the processor time it takes. An address pays for requests, socket frames
//! and what it reads from a single token bucket, which reconnecting does not refill. Players at a seat
//! pay for their commands from another one, so that nobody at their address can keep them from playing.

pub use crate::http::buckets::Bucket;

use crate::admin::bans::Bans;
use crate::club::lobby::MOST_OF_A_HOUSEHOLD;
use crate::http::buckets::{Buckets, of_networks};
use crate::http::meter::{Load, thread_time};
use crate::http::networks::household;
use crate::ids::Hash;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use table::Refusal;
use tokio::time::Instant;

/// The price of a request or a socket frame, including pings and pongs.
pub const REQUEST: u32 = 1;

/// The price of a command, in addition to its request or frame.
pub const COMMAND: u32 = 4;

/// How many stored events or records can be read for a price of 1.
pub const EVENTS_FOR_ONE: usize = 20;

/// How many turns can be sent for a price of 1.
pub const TURNS_FOR_ONE: usize = 50;

/// How many microseconds of processor time a price of 1 buys: an address can keep a quarter of a core busy.
pub const MICROSECONDS_FOR_ONE: u128 = 250;

/// How many microseconds of an engine thread's CPU time a price of 1 buys. Engine threads have a low priority, so they
/// cost others little, and searches take long.
pub const ENGINE_MICROSECONDS_FOR_ONE: u128 = 4_000;

/// How many bytes of a body are read for a price of 1.
pub const BODY_FOR_ONE: u64 = 4 << 10;

/// How many bytes of an answer are sent for a price of 1.
pub const ANSWER_FOR_ONE: u64 = 32 << 10;

/// The price of loading a game, besides its events: several reads on threads whose time is not measured.
pub const GAME: u32 = 2;

/// The price of reading events or records from the store.
pub fn of_events(count: usize) -> u32 {
    u32::try_from(count.div_ceil(EVENTS_FOR_ONE)).unwrap_or(u32::MAX)
}

/// The price of sending the turns of a game, in addition to the request.
pub fn of_turns(count: usize) -> u32 {
    u32::try_from(count / TURNS_FOR_ONE).unwrap_or(u32::MAX)
}

/// The price of work by its CPU time, in addition to the request that caused it.
pub fn of_work(time: Duration) -> u32 {
    u32::try_from(time.as_micros() / MICROSECONDS_FOR_ONE).unwrap_or(u32::MAX)
}

/// The price of an engine's CPU time.
pub fn of_engine(time: Duration) -> u32 {
    u32::try_from(time.as_micros() / ENGINE_MICROSECONDS_FOR_ONE).unwrap_or(u32::MAX)
}

/// The price of reading a body of this many bytes.
pub fn of_body(length: u64) -> u32 {
    u32::try_from(length / BODY_FOR_ONE).unwrap_or(u32::MAX)
}

/// The price of sending this many bytes.
pub fn of_answer(length: u64) -> u32 {
    u32::try_from(length / ANSWER_FOR_ONE).unwrap_or(u32::MAX)
}

/// The bucket's capacity, in seconds of the allowance.
pub const SAVED_SECONDS: u32 = 10;

/// A seat's token bucket for commands: its capacity, and the milliseconds in which it refills. These apply to
/// [`USUAL_ALLOWANCE`]; with another allowance the capacity is scaled.
pub const OF_A_SEAT: f64 = 100.0;

/// Milliseconds in which a seat that has sent all its commands may send as many again.
pub const SEAT_WINDOW: f64 = 20_000.0;

/// The default for how much an address may spend per second.
pub const USUAL_ALLOWANCE: u32 = 1_000;

/// The default for how many games an address may create per minute.
pub const USUAL_NEW_GAMES: u32 = 8;

/// This many new games per minute for an address allow a seat one rematch per minute.
pub const NEW_GAMES_FOR_A_REMATCH: u32 = 2;

/// How many bytes an address may store in a day, with [`USUAL_NEW_GAMES`]; with another number it is scaled.
pub const USUAL_STORED: u64 = 16 << 20;

/// The share of it that is reserved for turns: new games are refused first.
pub const FOR_TURNS: f64 = 0.5;

/// A lower bound for the bytes that a stored event takes besides its JSON: row, index, command id, and the turn as it
/// was sent.
pub const OF_AN_EVENT: usize = 300;

/// Roughly how many bytes a stored game takes besides its events.
pub const OF_A_GAME: usize = 500;

/// The default for how many connections an address may have.
pub const USUAL_CONNECTIONS: usize = 1_000;

/// How many bytes of unread answers are buffered for an address. Pages and files do not count, since all their readers
/// share one copy.
pub const UNREAD: usize = 4 << 20;

/// How many searches an address may have running or queued.
pub const SEARCHES: usize = 4;

/// How many players an address may register per hour, for each game that it may create per minute: ten by default.
pub const PLAYERS_FOR_A_GAME: f64 = 1.25;

const MINUTE: f64 = 60_000.0;
const DAY: f64 = 24.0 * 60.0 * MINUTE;

/// How many unplayed games are remembered.
const MOST_UNPLAYED: usize = 10_000;

type Networks = Buckets<(usize, IpAddr)>;

/// The rate limits of all addresses.
#[derive(Debug)]
pub struct Limits {
    began: Instant,
    asked: Networks,
    /// For the commands and frames of players at a seat.
    seats: Networks,
    new_games: Networks,
    players: Networks,
    most_new_games: AtomicU32,
    /// New games that have not been played yet, each with the address that paid for it.
    unplayed: Mutex<HashMap<String, IpAddr>>,
    rematches: Buckets<Hash>,
    stored: Networks,
    of_a_seat: RwLock<Bucket>,
    /// How many connections an address may have.
    connections: AtomicUsize,
    /// Banned addresses.
    pub bans: Bans,
    cores: f64,
    /// A thread's CPU time; a simulation has none.
    pub clock: fn() -> Duration,
    load: Mutex<Load>,
    /// The sum of all charges.
    charged: AtomicU64,
    /// What addresses have spent since it was last published to other servers, and the games they have made.
    spent: Option<Mutex<BTreeMap<IpAddr, [u32; 2]>>>,
    /// Searches running or queued.
    pub searches: AtOnce,
    /// Bytes of answers that are not read yet.
    pub unread: AtOnce,
}

impl Limits {
    /// `allowance` is per second, `new_games` per minute, both for one address. If `published`, spending is recorded to
    /// be published to other servers.
    pub fn new(allowance: u32, new_games: u32, published: bool) -> Limits {
        let [asked, made, rematches, stored, of_a_seat, players] = buckets(allowance, new_games);
        Limits {
            began: Instant::now(),
            asked: Buckets::new(asked),
            seats: Buckets::new(asked),
            new_games: Buckets::new(made),
            players: Buckets::new(players),
            unplayed: Mutex::default(),
            most_new_games: new_games.into(),
            rematches: Buckets::new(rematches),
            stored: Buckets::new(stored),
            of_a_seat: RwLock::new(of_a_seat),
            connections: USUAL_CONNECTIONS.into(),
            bans: Bans::default(),
            cores: std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64),
            clock: thread_time,
            load: Mutex::default(),
            charged: AtomicU64::new(0),
            spent: published.then(Mutex::default),
            searches: AtOnce::new(SEARCHES, "searches"),
            unread: AtOnce::new(UNREAD, "bytes of unread answers"),
        }
    }

    /// Changes the limits of a running server. Seats of games in memory keep theirs.
    pub fn change(&self, allowance: u32, new_games: u32, connections: usize) {
        let [asked, made, rematches, stored, of_a_seat, players] = buckets(allowance, new_games);
        self.players.resize(players);
        self.asked.resize(asked);
        self.seats.resize(asked);
        self.new_games.resize(made);
        self.rematches.resize(rematches);
        self.stored.resize(stored);
        self.most_new_games.store(new_games, Ordering::Relaxed);
        *self.of_a_seat.write().unwrap_or_else(PoisonError::into_inner) = of_a_seat;
        self.connections.store(connections, Ordering::Relaxed);
    }

    /// How many connections an address may have.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Milliseconds since startup, on a monotonic clock.
    fn now(&self) -> i64 {
        i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    fn load(&self) -> MutexGuard<'_, Load> {
        self.load.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the CPU time of answers to the load.
    pub fn worked(&self, time: Duration) {
        self.load().add(time.as_secs_f64() * 1e6, self.cores, self.now());
    }

    /// The load factor by which prices are multiplied.
    pub fn factor(&self) -> f64 {
        self.load().factor
    }

    /// The sum of all charges since startup, before the load factor.
    pub fn charged(&self) -> u64 {
        self.charged.load(Ordering::Relaxed)
    }

    fn note(&self, address: IpAddr, price: u32, games: u32) {
        self.charged.fetch_add(price.into(), Ordering::Relaxed);
        if let Some(spent) = &self.spent {
            let mut spent = spent.lock().unwrap_or_else(PoisonError::into_inner);
            let [asked, made] = spent.entry(household(address)).or_default();
            (*asked, *made) = (asked.saturating_add(price), made.saturating_add(games));
        }
    }

    fn take(&self, address: IpAddr, price: u32) -> Result<(), i64> {
        let dear = f64::from(price) * self.factor();
        self.asked.take(&of_networks(address), dear, 0.0, self.now())?;
        self.note(address, price, 0);
        Ok(())
    }

    /// Charges an address, or refuses. A price of 0 is refused to those in debt.
    pub fn spend(&self, address: IpAddr, price: u32) -> Result<(), Refusal> {
        self.bans.check(address)?;
        self.take(address, price).map_err(|wait| {
            let seconds = seconds(wait);
            let error = format!("this address has asked for too much, wait {seconds} s");
            Refusal::too_many(error, seconds)
        })
    }

    /// Charges an address for what a player at a seat does, or refuses. The load factor does not apply.
    pub fn spend_at_seat(&self, address: IpAddr, price: u32) -> Result<(), Refusal> {
        let taken = self.seats.take(&of_networks(address), f64::from(price), 0.0, self.now());
        taken.map_err(|wait| {
            let seconds = seconds(wait);
            let error =
                format!("players at this address have asked for too much, wait {seconds} s");
            Refusal::too_many(error, seconds)
        })?;
        self.charged.fetch_add(price.into(), Ordering::Relaxed);
        Ok(())
    }

    /// Charges an address for work already done, whose price was not known in advance.
    pub fn charge(&self, address: IpAddr, price: u32) {
        if price > 0 {
            let dear = f64::from(price) * self.factor();
            self.asked.owe(&of_networks(address), dear, self.now());
            self.note(address, price, 0);
        }
    }

    /// Waits until an address can pay.
    pub async fn afford(&self, address: IpAddr, price: u32) {
        while let Err(wait) = self.take(address, price) {
            tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await;
        }
    }

    /// Charges an address for a new game, or refuses.
    pub fn make_game(&self, address: IpAddr) -> Result<(), Refusal> {
        self.may_store(address, FOR_TURNS)?;
        let taken = self.new_games.take(&of_networks(address), 1.0, 0.0, self.now());
        taken.map_err(|wait| {
            let (most, seconds) = (self.most_new_games.load(Ordering::Relaxed), seconds(wait));
            let error =
                format!("new games from one address: at most {most} a minute, wait {seconds} s");
            Refusal::too_many(error, seconds)
        })?;
        self.note(address, 0, 1);
        Ok(())
    }

    /// Refunds a new game that was not created after all.
    pub fn give_game_back(&self, address: IpAddr) {
        self.new_games.owe(&of_networks(address), -1.0, self.now());
    }

    /// How many open challenges a household may have.
    pub fn challenges(&self) -> usize {
        let games = self.most_new_games.load(Ordering::Relaxed) as usize;
        (MOST_OF_A_HOUSEHOLD * games / USUAL_NEW_GAMES as usize).max(1)
    }

    /// Charges an address for a new player, or refuses.
    pub fn register(&self, address: IpAddr) -> Result<(), Refusal> {
        let taken = self.players.take(&of_networks(address), 1.0, 0.0, self.now());
        taken.map_err(|wait| {
            let seconds = seconds(wait);
            let error = format!("too many new players from one address, wait {seconds} s");
            Refusal::too_many(error, seconds)
        })
    }

    /// Refunds a player who was not registered after all.
    pub fn give_player_back(&self, address: IpAddr) {
        self.players.owe(&of_networks(address), -1.0, self.now());
    }

    /// Remembers who paid for a game, until it is played.
    pub fn made(&self, id: &str, address: IpAddr) {
        let mut unplayed = self.unplayed.lock().unwrap_or_else(PoisonError::into_inner);
        if unplayed.len() >= MOST_UNPLAYED {
            unplayed.clear();
        }
        unplayed.insert(id.to_owned(), address);
    }

    /// Refunds a game once both players have moved, so a class behind one address can start as many games as it plays.
    pub fn is_played(&self, id: &str) {
        let payer = self.unplayed.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(address) = payer {
            self.new_games.owe(&of_networks(address), -1.0, self.now());
        }
    }

    /// Charges a seat for a rematch, or refuses. Players keep their tokens, so the next game's rematch counts, too.
    pub fn make_rematch(&self, address: IpAddr, token: Hash) -> Result<(), Refusal> {
        self.may_store(address, FOR_TURNS)?;
        self.rematches.take(&[(token, 1.0)], 1.0, 0.0, self.now()).map_err(|wait| {
            let seconds = seconds(wait);
            Refusal::too_many(format!("too many rematches, wait {seconds} s"), seconds)
        })
    }

    /// Refuses what would be stored if an address has stored too much today; `reserve` is the part of its
    /// budget that must be left.
    pub fn may_store(&self, address: IpAddr, reserve: f64) -> Result<(), Refusal> {
        self.stored.take(&of_networks(address), 0.0, reserve, self.now()).map_err(|wait| {
            let seconds = seconds(wait);
            let error = format!("this address has stored too much today, wait {seconds} s");
            Refusal::too_many(error, seconds)
        })
    }

    /// Charges an address for bytes that were stored.
    pub fn stored(&self, address: IpAddr, bytes: usize) {
        self.stored.owe(&of_networks(address), bytes as f64, self.now());
    }

    /// What addresses have spent here since the last call, and how many games they have created.
    pub fn spent_here(&self) -> BTreeMap<IpAddr, [u32; 2]> {
        let take = |spent: &Mutex<BTreeMap<_, _>>| {
            std::mem::take(&mut *spent.lock().unwrap_or_else(PoisonError::into_inner))
        };
        self.spent.as_ref().map(take).unwrap_or_default()
    }

    /// Charges an address for what it has spent on another server.
    pub fn spent_elsewhere(&self, address: IpAddr, [asked, made]: [u32; 2]) {
        let (keys, at) = (of_networks(address), self.now());
        self.asked.owe(&keys, f64::from(asked), at);
        self.new_games.owe(&keys, f64::from(made), at);
    }

    /// A new token bucket for a seat, which lives as long as its game is in memory.
    pub fn of_a_seat(&self) -> Bucket {
        let new = *self.of_a_seat.read().unwrap_or_else(PoisonError::into_inner);
        new.full(1.0, self.now())
    }

    /// Charges a seat for a command, or refuses.
    pub fn spend_of_seat(&self, seat: &mut Bucket) -> Result<(), Refusal> {
        seat.take(1.0, self.now()).map_err(|wait| {
            let seconds = seconds(wait);
            Refusal::too_many(format!("too many commands from one seat, wait {seconds} s"), seconds)
        })
    }
}

/// An address's buckets for requests, new games, rematches and stored bytes, and a seat's for commands.
fn buckets(allowance: u32, new_games: u32) -> [Bucket; 6] {
    let (saved, games) = (f64::from(SAVED_SECONDS), f64::from(new_games));
    let of_a_seat = OF_A_SEAT * f64::from(allowance) / f64::from(USUAL_ALLOWANCE);
    let rematches = (games / f64::from(NEW_GAMES_FOR_A_REMATCH)).max(1.0);
    let stored = USUAL_STORED as f64 * games / f64::from(USUAL_NEW_GAMES);
    [
        Bucket::new(f64::from(allowance) * saved, saved * 1_000.0, 0),
        Bucket::new(games, MINUTE, 0),
        Bucket::new(rematches, MINUTE, 0),
        Bucket::new(stored, DAY, 0),
        Bucket::new(of_a_seat.max(1.0), SEAT_WINDOW, 0),
        Bucket::new((games * PLAYERS_FOR_A_GAME).max(1.0), 60.0 * MINUTE, 0),
    ]
}

fn seconds(ms: i64) -> u64 {
    ms.unsigned_abs().div_ceil(1_000)
}

/// A limit on what each address may have in progress, whatever is counted.
#[derive(Clone, Debug)]
pub struct AtOnce {
    most: usize,
    of: &'static str,
    held: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl AtOnce {
    pub fn new(most: usize, of: &'static str) -> AtOnce {
        AtOnce { most, of, held: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one of the address's slots, or refuses. Dropping the slot frees it.
    pub fn take(&self, address: IpAddr) -> Result<Slot, Refusal> {
        self.take_some(address, 1)
    }

    /// Takes several slots at once, possibly exceeding the limit if the address holds none.
    pub fn take_some(&self, address: IpAddr, some: usize) -> Result<Slot, Refusal> {
        let address = household(address);
        let mut held = self.lock();
        let count = held.entry(address).or_default();
        if *count > 0 && count.saturating_add(some) > self.most {
            let error = format!("at most {} {} per address at once", self.most, self.of);
            return Err(Refusal::too_many(error, 5));
        }
        *count += some;
        drop(held);
        Ok(Slot { limit: self.clone(), address, some })
    }
}

/// Slots in use; dropping this frees them.
#[derive(Debug)]
pub struct Slot {
    limit: AtOnce,
    address: IpAddr,
    some: usize,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut held = self.limit.lock();
        if let Some(count) = held.get_mut(&self.address) {
            *count -= self.some;
            if *count == 0 {
                held.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use table::Kind;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn addresses_are_counted_apart_and_those_of_one_household_together() {
        let limits = Limits::new(1_000, 1, false);
        assert!(limits.make_game(address("10.0.0.1")).is_ok());
        let refused = limits.make_game(address("10.0.0.1")).unwrap_err();
        assert!(matches!(refused.kind, Kind::TooMany { retry_after: 59..=60 }), "{refused:?}");
        assert!(limits.make_game(address("::ffff:10.0.0.1")).is_err());
        assert!(limits.make_game(address("10.0.0.2")).is_ok());
        assert!(limits.make_game(address("2001:db8::1")).is_ok());
        assert!(limits.make_game(address("2001:db8::2")).is_err());
        assert!(limits.make_game(address("2001:db8:0:1::2")).is_ok());
    }

    #[test]
    fn changed_limits_hold_at_once_and_what_was_spent_stays_spent() {
        let limits = Limits::new(1_000, 2, false);
        let one = address("10.0.0.1");
        assert!(limits.make_game(one).is_ok() && limits.make_game(one).is_ok());
        assert!(limits.make_game(one).is_err());
        limits.change(1_000, 4, 7);
        assert_eq!(limits.connections(), 7);
        assert!(limits.make_game(one).is_ok() && limits.make_game(one).is_ok());
        let refused = limits.make_game(one).unwrap_err();
        assert!(refused.message.contains("at most 4 a minute"), "{refused}");
        limits.change(1_000, 1, 7);
        assert!(limits.make_game(one).is_err());
        assert!(limits.make_game(address("10.9.0.2")).is_ok());
        assert!(limits.make_game(address("10.9.0.2")).is_err());
    }

    #[test]
    fn a_game_that_is_played_no_longer_counts_as_new() {
        let limits = Limits::new(1_000, 1, false);
        let one = address("10.0.0.1");
        limits.make_game(one).unwrap();
        limits.made("a", one);
        assert!(limits.make_game(one).is_err());
        limits.is_played("b");
        assert!(limits.make_game(one).is_err());
        limits.is_played("a");
        assert!(limits.make_game(one).is_ok());
        limits.is_played("a");
        assert!(limits.make_game(one).is_err(), "once");
    }

    #[test]
    fn an_address_and_its_network_store_so_much_in_a_day() {
        let limits = Limits::new(1_000, USUAL_NEW_GAMES, false);
        let (one, half) = (address("2001:db8:1::1"), USUAL_STORED as usize / 2);
        limits.stored(one, half + 1);
        let refused = limits.make_game(one).unwrap_err();
        assert!(matches!(refused.kind, Kind::TooMany { retry_after: 1 }), "{refused:?}");
        assert!(limits.may_store(one, 0.0).is_ok(), "turns go on");
        limits.stored(one, half);
        limits.stored(one, half);
        let refused = limits.may_store(one, 0.0).unwrap_err();
        let hours = 12 * 3_600;
        let told = matches!(refused.kind, Kind::TooMany { retry_after } if retry_after.abs_diff(hours) < 60);
        assert!(told, "{refused:?}");
        for part in 1..4 {
            let other =
                IpAddr::from(std::net::Ipv6Addr::new(0x2001, 0xdb8, 1, part << 8, 0, 0, 0, 1));
            assert!(limits.may_store(other, 0.0).is_ok());
            limits.stored(other, 2 * half);
        }
        assert!(limits.may_store(address("2001:db8:1:ffff::1"), 0.0).is_err(), "the /48");
        assert!(limits.may_store(address("2001:db8:2::1"), 0.0).is_ok());
    }

    #[test]
    fn players_have_a_purse_of_their_own() {
        let limits = Limits::new(10, 1, false);
        let one = address("10.0.0.1");
        limits.charge(one, 150);
        assert!(limits.spend(one, 0).is_err(), "it is in debt");
        assert!(limits.spend_at_seat(one, 5).is_ok());
    }

    #[test]
    fn a_slot_is_free_again_when_it_is_dropped() {
        let limit = AtOnce::new(1, "things");
        let one = address("127.0.0.1");
        let slot = limit.take(one).unwrap();
        assert!(limit.take(one).is_err());
        assert!(limit.take(address("127.0.0.2")).is_ok());
        drop(slot);
        assert!(limit.take(one).is_ok());
    }
}
