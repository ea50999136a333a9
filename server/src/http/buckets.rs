//! Token buckets.

use crate::http::networks::{networks, times};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

/// A token bucket.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    most: f64,
    per_ms: f64,
    level: f64,
    at: i64,
}

impl Bucket {
    /// A full bucket that refills in `in_ms` milliseconds.
    pub fn new(most: f64, in_ms: f64, at: i64) -> Bucket {
        Bucket { most, per_ms: most / in_ms, level: most, at }
    }

    /// A full bucket, `times` as large and as fast.
    pub fn full(self, times: f64, at: i64) -> Bucket {
        let most = self.most * times;
        Bucket { most, per_ms: self.per_ms * times, level: most, at }
    }

    /// Takes tokens out, or returns after how many milliseconds that will be possible. A full bucket can pay any
    /// price and go into debt.
    pub fn take(&mut self, price: f64, at: i64) -> Result<(), i64> {
        match self.wait(price, at) {
            0 => {
                self.level -= price;
                Ok(())
            }
            wait => Err(wait),
        }
    }

    /// Takes tokens out for what is already done, going into debt if necessary; a negative price gives some back.
    pub fn owe(&mut self, price: f64, at: i64) {
        self.fill(at);
        self.level = (self.level - price).clamp(-self.most, self.most);
    }

    /// After how many milliseconds the bucket can pay.
    fn wait(&mut self, price: f64, at: i64) -> i64 {
        self.fill(at);
        let missing = price.min(self.most) - self.level;
        if missing <= 0.0 { 0 } else { ((missing / self.per_ms).ceil() as i64).max(1) }
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

/// From this number of buckets on, full ones are removed.
const MANY: usize = 10_000;

#[derive(Debug)]
struct Kept<K> {
    /// What a new bucket is like.
    new: Bucket,
    buckets: HashMap<K, Bucket>,
    /// The number of buckets at which full ones are removed next.
    sweep_at: usize,
}

/// A token bucket for each key; one that is not there is full.
#[derive(Debug)]
pub struct Buckets<K>(Mutex<Kept<K>>);

impl<K: Hash + Eq + Copy> Buckets<K> {
    pub fn new(new: Bucket) -> Buckets<K> {
        Buckets(Mutex::new(Kept { new, buckets: HashMap::new(), sweep_at: MANY }))
    }

    /// Changes the size of all buckets; what was taken out of them stays taken.
    pub fn resize(&self, new: Bucket) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (size, rate) = (new.most / kept.new.most, new.per_ms / kept.new.per_ms);
        kept.new = new;
        for bucket in kept.buckets.values_mut() {
            let missing = bucket.most - bucket.level;
            (bucket.most, bucket.per_ms) = (bucket.most * size, bucket.per_ms * rate);
            bucket.level = bucket.most - missing.min(2.0 * bucket.most);
        }
    }

    /// Works on the buckets of these keys; each comes with its size as a multiple of the usual one.
    fn with<T>(
        &self,
        keys: &[(K, f64)],
        at: i64,
        work: impl FnOnce(&mut dyn FnMut(&mut dyn FnMut(&mut Bucket))) -> T,
    ) -> T {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.buckets.len() >= kept.sweep_at {
            kept.buckets.retain(|_, bucket| !bucket.is_full(at));
            kept.buckets.shrink_to_fit();
            kept.sweep_at = (2 * kept.buckets.len()).max(MANY);
        }
        let new = kept.new;
        work(&mut |each| {
            for (key, times) in keys {
                each(kept.buckets.entry(*key).or_insert_with(|| new.full(*times, at)));
            }
        })
    }

    /// Takes tokens out of all these buckets, or out of none; `reserve` is the share of each bucket, from 0 to 1, that
    /// must remain.
    pub fn take(&self, keys: &[(K, f64)], price: f64, reserve: f64, at: i64) -> Result<(), i64> {
        self.with(keys, at, |all| {
            let mut wait = 0;
            all(&mut |bucket| wait = wait.max(bucket.wait(price + reserve * bucket.most, at)));
            if wait > 0 {
                return Err(wait);
            }
            all(&mut |bucket| bucket.level -= price);
            Ok(())
        })
    }

    /// Takes tokens out for what is already done, going into debt if necessary.
    pub fn owe(&self, keys: &[(K, f64)], price: f64, at: i64) {
        self.with(keys, at, |all| all(&mut |bucket| bucket.owe(price, at)));
    }
}

/// The buckets of an address: its household's, and larger ones of the networks around it.
pub fn of_networks(address: IpAddr) -> Vec<((usize, IpAddr), f64)> {
    let networks = networks(address);
    let count = networks.len();
    let key = |(depth, own)| ((depth, own), times(depth, count) as f64);
    networks.into_iter().enumerate().map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_what_it_holds_and_fills_with_time() {
        let mut bucket = Bucket::new(2.0, 20_000.0, 0);
        let mut take = |price: u32, at| bucket.take(f64::from(price), at);
        assert_eq!([take(1, 0), take(1, 0), take(1, 0)], [Ok(()), Ok(()), Err(10_000)]);
        assert_eq!(take(1, 10_000), Ok(()));
        assert_eq!(take(1, 10_001), Err(9_999));
        assert_eq!(take(1, 5_000), Err(9_999), "time that runs backwards fills nothing");
        assert_eq!([take(1, 99_000), take(1, 99_000)], [Ok(()), Ok(())]);
    }

    #[test]
    fn what_costs_more_than_a_bucket_holds_needs_a_full_one_and_is_paid_off_later() {
        let mut bucket = Bucket::new(10.0, 10_000.0, 0);
        assert_eq!(bucket.take(1.0, 0), Ok(()));
        assert_eq!(bucket.take(30.0, 0), Err(1_000));
        assert_eq!(bucket.take(30.0, 1_000), Ok(()));
        assert_eq!(bucket.take(1.0, 1_000), Err(21_000));
    }

    #[test]
    fn keys_that_were_quiet_are_forgotten_and_others_are_not() {
        let buckets = Buckets::new(Bucket::new(1.0, 1_000.0, 0));
        let take = |key: usize, at| buckets.take(&[(key, 1.0)], 1.0, 0.0, at);
        for key in 0..MANY {
            assert!(take(key, key as i64).is_ok());
        }
        let at = MANY as i64;
        assert!(take(MANY, at).is_ok());
        let kept = buckets.0.lock().unwrap().buckets.len();
        assert_eq!(kept, 1_000, "those of the last second");
        assert!(take(MANY - 1, at).is_err());
    }

    #[test]
    fn a_network_has_a_few_times_what_a_household_has() {
        let buckets = Buckets::new(Bucket::new(10.0, 1_000.0, 0));
        let count = |addresses: &mut dyn Iterator<Item = IpAddr>| {
            let all = addresses.flat_map(|one| std::iter::repeat_n(of_networks(one), 20));
            all.filter(|keys| buckets.take(keys, 1.0, 0.0, 0).is_ok()).count()
        };
        assert_eq!(count(&mut (0..200).map(|last| [10, 0, 0, last].into())), 40, "a /24");
        let of = |d: u16| std::net::Ipv6Addr::new(0x2001, 0xdb8, 1, d, 0, 0, 0, 1).into();
        assert_eq!(count(&mut (0..200).map(of)), 20, "a /56");
        assert_eq!(count(&mut (1..200).map(|part| of(part << 8))), 20, "the rest of its /48");
    }

    #[test]
    fn a_reserve_is_left_for_those_who_need_none() {
        let buckets = Buckets::new(Bucket::new(10.0, 10_000.0, 0));
        let keys = [('a', 1.0)];
        assert_eq!(buckets.take(&keys, 5.0, 0.5, 0), Ok(()));
        assert_eq!(buckets.take(&keys, 1.0, 0.5, 0), Err(1_000));
        assert_eq!(buckets.take(&keys, 5.0, 0.0, 0), Ok(()));
    }
}
