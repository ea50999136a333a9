//! How much one address may ask for, and how much it may have under way.
//!
//! Whatever can be asked for has a price, and an address pays for requests, commands, frames of sockets and
//! what it reads from one purse that fills with time. The purse belongs to the address: to connect again
//! does not fill it.

use crate::error::Refusal;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The price of a request, and of a frame of a socket, pings and pongs included.
pub const REQUEST: u32 = 1;

/// What a command costs beyond the request or the frame that brings it.
pub const COMMAND: u32 = 4;

/// The price of so many events that are read from the store.
pub fn of_events(count: usize) -> u32 {
    u32::try_from(count.div_ceil(20)).unwrap_or(u32::MAX)
}

/// What it costs to tell so many turns, beyond the request.
pub fn of_turns(count: usize) -> u32 {
    u32::try_from(count / 50).unwrap_or(u32::MAX)
}

/// The price of work by its processor time, beyond the request that caused it: an address can keep a quarter of a
/// core busy.
pub fn of_work(time: Duration) -> u32 {
    u32::try_from(time.as_micros() / 250).unwrap_or(u32::MAX)
}

/// The price of reading a body of this many bytes.
pub fn of_body(length: u64) -> u32 {
    u32::try_from(length >> 12).unwrap_or(u32::MAX)
}

/// The price of sending this many bytes.
pub fn of_answer(length: u64) -> u32 {
    u32::try_from(length >> 15).unwrap_or(u32::MAX)
}

/// For how many seconds an address can save up.
const SAVED_SECONDS: u32 = 10;

/// Commands of one seat: so many at once, and as many again in so many milliseconds, where an address may
/// ask for [`USUAL_ALLOWANCE`] in a second, and in proportion elsewhere.
const OF_A_SEAT: f64 = 100.0;
const SEAT_WINDOW: f64 = 20_000.0;

/// What an address may ask for in a second unless the host says otherwise.
pub const USUAL_ALLOWANCE: u32 = 1_000;

/// How many games an address may make in a minute unless the host says otherwise.
pub const USUAL_NEW_GAMES: u32 = 8;

/// How many connections an address may have unless the host says otherwise.
pub const USUAL_CONNECTIONS: usize = 1_000;

/// How many searches an address may have under way or waiting.
const SEARCHES: usize = 4;

const MINUTE: f64 = 60_000.0;

/// Fills with time, and whatever is paid is taken out.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    most: f64,
    per_ms: f64,
    level: f64,
    at: i64,
}

impl Bucket {
    /// A full bucket that holds so much, and fills within so many milliseconds.
    pub fn new(most: f64, in_ms: f64, at: i64) -> Bucket {
        Bucket { most, per_ms: most / in_ms, level: most, at }
    }

    /// Takes a price out, or tells after how many milliseconds that will be possible. Who has a full bucket
    /// can pay any price, and is in debt then.
    pub fn take(&mut self, price: u32, at: i64) -> Result<(), i64> {
        self.fill(at);
        let price = f64::from(price);
        let needed = price.min(self.most);
        if self.level >= needed {
            self.level -= price;
            return Ok(());
        }
        Err(((needed - self.level) / self.per_ms).ceil() as i64)
    }

    fn fill(&mut self, at: i64) {
        let passed = (at - self.at).max(0) as f64;
        self.level = (self.level + passed * self.per_ms).min(self.most);
        self.at = self.at.max(at);
    }

    fn is_full(&mut self, at: i64) -> bool {
        self.fill(at);
        self.level >= self.most
    }
}

/// From how many addresses on those that have been quiet are forgotten.
const MANY_ADDRESSES: usize = 10_000;

/// A bucket for each address.
#[derive(Debug)]
struct Buckets {
    new: Bucket,
    /// Whether others are told what was taken out.
    told: bool,
    of: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    buckets: HashMap<IpAddr, Bucket>,
    /// What was taken out since others were told.
    spent: HashMap<IpAddr, u32>,
    /// At how many of them the full ones are looked for again.
    sweep_at: usize,
}

impl Kept {
    /// Notes what others are to be told.
    fn note(&mut self, address: IpAddr, price: u32) {
        let spent = self.spent.entry(address).or_default();
        *spent = spent.saturating_add(price);
    }
}

impl Buckets {
    fn new(new: Bucket, told: bool) -> Buckets {
        let kept =
            Kept { buckets: HashMap::new(), spent: HashMap::new(), sweep_at: MANY_ADDRESSES };
        Buckets { new, told, of: Mutex::new(kept) }
    }

    fn take(&self, address: IpAddr, price: u32, at: i64) -> Result<(), i64> {
        let mut kept = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.buckets.len() >= kept.sweep_at {
            kept.buckets.retain(|_, bucket| !bucket.is_full(at));
            kept.buckets.shrink_to_fit();
            kept.sweep_at = (2 * kept.buckets.len()).max(MANY_ADDRESSES);
        }
        let new = Bucket { at, ..self.new };
        let address = household(address);
        kept.buckets.entry(address).or_insert(new).take(price, at)?;
        if self.told {
            kept.note(address, price);
        }
        Ok(())
    }

    /// Takes a price out for what has been done already, even if it is not there.
    fn owe(&self, address: IpAddr, price: u32, at: i64) {
        let address = household(address);
        self.charge(address, price, at);
        if self.told {
            self.of.lock().unwrap_or_else(PoisonError::into_inner).note(address, price);
        }
    }

    /// What was taken out since this was asked last.
    fn spent(&self) -> HashMap<IpAddr, u32> {
        std::mem::take(&mut self.of.lock().unwrap_or_else(PoisonError::into_inner).spent)
    }

    /// Takes out what was paid elsewhere, even if it is not there.
    fn charge(&self, address: IpAddr, price: u32, at: i64) {
        let mut kept = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        let new = Bucket { at, ..self.new };
        let bucket = kept.buckets.entry(address).or_insert(new);
        bucket.fill(at);
        bucket.level = (bucket.level - f64::from(price)).max(-bucket.most);
    }
}

/// What every address may ask for.
#[derive(Debug)]
pub struct Limits {
    began: Instant,
    asked: Buckets,
    new_games: Buckets,
    most_new_games: u32,
    of_a_seat: Bucket,
    /// Searches under way or waiting.
    pub searches: AtOnce,
}

impl Limits {
    /// The allowance of an address in a second, and its new games in a minute. Other servers may be told what was
    /// spent.
    pub fn new(allowance: u32, new_games: u32, told: bool) -> Limits {
        let saved = f64::from(allowance) * f64::from(SAVED_SECONDS);
        let of_a_seat = OF_A_SEAT * f64::from(allowance) / f64::from(USUAL_ALLOWANCE);
        Limits {
            began: Instant::now(),
            asked: Buckets::new(Bucket::new(saved, f64::from(SAVED_SECONDS) * 1_000.0, 0), told),
            new_games: Buckets::new(Bucket::new(f64::from(new_games), MINUTE, 0), told),
            most_new_games: new_games,
            of_a_seat: Bucket::new(of_a_seat.max(1.0), SEAT_WINDOW, 0),
            searches: AtOnce::new(SEARCHES, "searches"),
        }
    }

    /// Milliseconds since the start, on a clock that nobody sets.
    fn now(&self) -> i64 {
        i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// Lets an address pay, or refuses.
    pub fn spend(&self, address: IpAddr, price: u32) -> Result<(), Refusal> {
        self.asked.take(address, price, self.now()).map_err(|wait| {
            let seconds = seconds(wait);
            let error = format!("this address asks for too much, wait {seconds} s");
            Refusal::too_many(error, seconds)
        })
    }

    /// Charges an address for what has been done for it: its price was not known before.
    pub fn charge(&self, address: IpAddr, price: u32) {
        if price > 0 {
            self.asked.owe(address, price, self.now());
        }
    }

    /// Waits until an address can pay.
    pub async fn afford(&self, address: IpAddr, price: u32) {
        while let Err(wait) = self.asked.take(address, price, self.now()) {
            tokio::time::sleep(Duration::from_millis(wait.unsigned_abs())).await;
        }
    }

    /// Lets an address make a game, in whatever way, or refuses.
    pub fn make_game(&self, address: IpAddr) -> Result<(), Refusal> {
        self.new_games.take(address, 1, self.now()).map_err(|wait| {
            let (most, seconds) = (self.most_new_games, seconds(wait));
            let error =
                format!("new games of one address: at most {most} a minute, wait {seconds} s");
            Refusal::too_many(error, seconds)
        })
    }

    /// What addresses have spent here since this was asked last, and how many games they have made.
    pub fn spent_here(&self) -> HashMap<IpAddr, [u32; 2]> {
        let mut spent: HashMap<_, _> =
            self.asked.spent().into_iter().map(|(address, asked)| (address, [asked, 0])).collect();
        for (address, made) in self.new_games.spent() {
            spent.entry(address).or_default()[1] = made;
        }
        spent
    }

    /// Charges an address for what it has asked of another server.
    pub fn spent_elsewhere(&self, address: IpAddr, [asked, made]: [u32; 2]) {
        let at = self.now();
        self.asked.charge(address, asked, at);
        self.new_games.charge(address, made, at);
    }

    /// What a seat may do, which lasts as long as its game is in memory.
    pub fn of_a_seat(&self) -> Bucket {
        Bucket { at: self.now(), ..self.of_a_seat }
    }

    /// Lets a seat do one thing more, or refuses.
    pub fn spend_of_seat(&self, seat: &mut Bucket) -> Result<(), Refusal> {
        seat.take(1, self.now()).map_err(|wait| {
            let seconds = seconds(wait);
            Refusal::too_many(format!("too many commands of one seat, wait {seconds} s"), seconds)
        })
    }
}

fn seconds(ms: i64) -> u64 {
    ms.unsigned_abs().div_ceil(1_000)
}

/// How much each address may have under way.
#[derive(Clone, Debug)]
pub struct AtOnce {
    most: usize,
    of: &'static str,
    held: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl AtOnce {
    /// So many of what is named.
    pub fn new(most: usize, of: &'static str) -> AtOnce {
        AtOnce { most, of, held: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets an address have one more until the slot is dropped, or refuses.
    pub fn take(&self, address: IpAddr) -> Result<Slot, Refusal> {
        let address = household(address);
        let mut held = self.lock();
        let count = held.entry(address).or_default();
        if *count >= self.most {
            let error = format!("at most {} {} of one address at once", self.most, self.of);
            return Err(Refusal::too_many(error, 5));
        }
        *count += 1;
        drop(held);
        Ok(Slot { limit: self.clone(), address })
    }
}

/// Something under way.
#[derive(Debug)]
pub struct Slot {
    limit: AtOnce,
    address: IpAddr,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut held = self.limit.lock();
        if let Some(count) = held.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.address);
            }
        }
    }
}

/// Who has one address of IPv6 has 2⁶⁴ of them.
pub fn household(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(own) => {
            let [a, b, c, d, ..] = own.segments();
            own.to_ipv4_mapped().map_or(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into(), IpAddr::V4)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_bucket_gives_what_it_holds_and_fills_with_time() {
        let mut bucket = Bucket::new(2.0, 20_000.0, 0);
        let mut take = |price, at| bucket.take(price, at);
        assert_eq!([take(1, 0), take(1, 0), take(1, 0)], [Ok(()), Ok(()), Err(10_000)]);
        assert_eq!(take(1, 10_000), Ok(()));
        assert_eq!(take(1, 10_001), Err(9_999));
        assert_eq!(take(1, 5_000), Err(9_999), "time that runs backwards fills nothing");
        assert_eq!([take(1, 99_000), take(1, 99_000)], [Ok(()), Ok(())]);
    }

    #[test]
    fn what_costs_more_than_a_bucket_holds_needs_a_full_one_and_is_paid_off_later() {
        let mut bucket = Bucket::new(10.0, 10_000.0, 0);
        assert_eq!(bucket.take(1, 0), Ok(()));
        assert_eq!(bucket.take(30, 0), Err(1_000));
        assert_eq!(bucket.take(30, 1_000), Ok(()));
        assert_eq!(bucket.take(1, 1_000), Err(21_000));
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
    fn addresses_that_were_quiet_are_forgotten_and_others_are_not() {
        let buckets = Buckets::new(Bucket::new(1.0, 1_000.0, 0), false);
        let of = |n: u32| IpAddr::from(n.to_be_bytes());
        for n in 0..MANY_ADDRESSES as u32 {
            assert!(buckets.take(of(n), 1, i64::from(n)).is_ok());
        }
        let at = MANY_ADDRESSES as i64;
        assert!(buckets.take(of(MANY_ADDRESSES as u32), 1, at).is_ok());
        let kept = buckets.of.lock().unwrap().buckets.len();
        assert_eq!(kept, 1_000, "those of the last second");
        assert!(buckets.take(of(MANY_ADDRESSES as u32 - 1), 1, at).is_err());
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
