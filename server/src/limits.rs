//! How much one sender may do in how much time.

use crate::error::Refusal;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Fills with time, and each message takes one out.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    most: f64,
    per_ms: f64,
    level: f64,
    at: i64,
}

impl Bucket {
    /// A full bucket: so many at once, and as many again in so many milliseconds.
    pub fn new(most: u32, in_ms: i64, at: i64) -> Bucket {
        let most = f64::from(most);
        Bucket { most, per_ms: most / in_ms as f64, level: most, at }
    }

    /// Takes one out, or tells after how many milliseconds there will be one.
    pub fn take(&mut self, at: i64) -> Result<(), i64> {
        self.fill(at);
        if self.level >= 1.0 {
            self.level -= 1.0;
            return Ok(());
        }
        Err(((1.0 - self.level) / self.per_ms).ceil() as i64)
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

/// How many addresses are remembered before those that have been quiet are forgotten.
const MOST_ADDRESSES: usize = 10_000;

/// A minute.
const MINUTE: i64 = 60_000;

/// How often each address may do something in a minute.
#[derive(Debug)]
pub struct PerMinute {
    most: u32,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

impl PerMinute {
    /// So often.
    pub fn new(most: u32) -> PerMinute {
        PerMinute { most, buckets: Mutex::default() }
    }

    /// Lets an address do it once more, or refuses.
    pub fn take(&self, address: IpAddr, at: i64) -> Result<(), Refusal> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST_ADDRESSES {
            buckets.retain(|_, bucket| !bucket.is_full(at));
        }
        let new = || Bucket::new(self.most, MINUTE, at);
        let bucket = buckets.entry(household(address)).or_insert_with(new);
        bucket.take(at).map_err(|wait| {
            let seconds = wait.unsigned_abs().div_ceil(1_000);
            let error = format!("at most {} a minute, wait {seconds} s", self.most);
            Refusal::too_many(error, seconds)
        })
    }
}

/// How much each address may have under way.
#[derive(Clone, Debug)]
pub struct AtOnce {
    most: usize,
    held: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl AtOnce {
    /// So much.
    pub fn new(most: usize) -> AtOnce {
        AtOnce { most, held: Arc::default() }
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
            return Err(Refusal::too_many(format!("at most {} at once", self.most), 5));
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
fn household(address: IpAddr) -> IpAddr {
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

    #[test]
    fn a_bucket_gives_what_it_holds_and_fills_with_time() {
        let mut bucket = Bucket::new(2, 20_000, 0);
        assert_eq!([bucket.take(0), bucket.take(0), bucket.take(0)], [Ok(()), Ok(()), Err(10_000)]);
        assert_eq!(bucket.take(10_000), Ok(()));
        assert_eq!(bucket.take(10_001), Err(9_999));
        assert_eq!(bucket.take(5_000), Err(9_999), "time that runs backwards fills nothing");
        assert_eq!([bucket.take(99_000), bucket.take(99_000)], [Ok(()), Ok(())]);
    }

    #[test]
    fn addresses_are_counted_apart_and_those_of_one_household_together() {
        let limit = PerMinute::new(1);
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        assert!(limit.take(address("10.0.0.1"), 0).is_ok());
        let refused = limit.take(address("10.0.0.1"), 0).unwrap_err();
        assert_eq!(refused.kind, Kind::TooMany { retry_after: 60 });
        assert!(limit.take(address("10.0.0.2"), 0).is_ok());
        assert!(limit.take(address("2001:db8::1"), 0).is_ok());
        assert!(limit.take(address("2001:db8::2"), 0).is_err());
        assert!(limit.take(address("2001:db8:0:1::2"), 0).is_ok());
    }

    #[test]
    fn a_slot_is_free_again_when_it_is_dropped() {
        let limit = AtOnce::new(1);
        let address = IpAddr::from([127, 0, 0, 1]);
        let slot = limit.take(address).unwrap();
        assert!(limit.take(address).is_err());
        drop(slot);
        assert!(limit.take(address).is_ok());
    }
}
