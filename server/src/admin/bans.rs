//! Addresses and networks that an operator has banned; every request is checked against them.

use crate::store::upkeep::Banned;
use std::net::IpAddr;
use std::sync::{PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};
use table::Refusal;

/// The maximum number of bans, since every request is checked against all of them.
pub const MOST: usize = 10_000;

/// An address, or all addresses with a common prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    /// The prefix, padded with zeros; IPv4 addresses are mapped into IPv6.
    start: u128,
    /// The length of the prefix in bits.
    length: u32,
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(own) => own.to_ipv6_mapped().to_bits(),
        IpAddr::V6(own) => own.to_bits(),
    }
}

fn mask(length: u32) -> u128 {
    u128::MAX.checked_shl(128 - length).unwrap_or(0)
}

impl Network {
    /// Reads `203.0.113.7`, `203.0.113.0/24` or `2001:db8::/48`.
    pub fn read(text: &str) -> Result<Network, String> {
        let wrong = || {
            let shown = rules::game::shorten(text);
            format!(
                "expected an address or a network such as 203.0.113.7 or 2001:db8::/48, got `{shown}`"
            )
        };
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length.parse::<u32>().map_err(|_| wrong())?)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let length = length.unwrap_or(most);
        if length > most {
            return Err(wrong());
        }
        if length < 8 {
            return Err(format!("a network prefix has at least 8 bits, got `{text}`"));
        }
        let length = length + 128 - most;
        let network = Network { start: bits(address) & mask(length), length };
        match address.is_loopback() {
            true => Err(format!("`{text}` is this machine, which cannot be banned")),
            false => Ok(network),
        }
    }

    pub fn includes(self, address: IpAddr) -> bool {
        bits(address) & mask(self.length) == self.start
    }
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let address = std::net::Ipv6Addr::from_bits(self.start);
        match address.to_ipv4_mapped() {
            Some(own) if self.length == 128 => write!(f, "{own}"),
            Some(own) if self.length >= 96 => write!(f, "{own}/{}", self.length - 96),
            _ if self.length == 128 => write!(f, "{address}"),
            _ => write!(f, "{address}/{}", self.length),
        }
    }
}

/// The bans in force, each with its expiry in milliseconds since 1970.
#[derive(Debug, Default)]
pub struct Bans(RwLock<Vec<(Network, Option<i64>)>>);

impl Bans {
    /// Replaces all bans with those of the store.
    pub fn set(&self, bans: &[Banned]) {
        let read = |banned: &Banned| Some((Network::read(&banned.network).ok()?, banned.until));
        let bans = bans.iter().filter_map(read).take(MOST).collect();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = bans;
    }

    pub fn include(&self, address: IpAddr) -> bool {
        let bans = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = bans.iter().filter(|(network, _)| network.includes(address));
        // Read the clock only for addresses that are, or were, banned.
        found.into_iter().any(|(_, until)| until.is_none_or(|until| until > now()))
    }

    /// Refuses a banned address.
    pub fn check(&self, address: IpAddr) -> Result<(), Refusal> {
        match self.include(address) {
            true => {
                Err(Refusal::forbidden("this address was banned by the operator of this server"))
            }
            false => Ok(()),
        }
    }
}

/// The machine's clock rather than the server's time: setting it may shorten or lengthen a ban, which does no harm.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_includes_the_addresses_that_begin_like_it() {
        for (network, shown, inside, outside) in [
            ("203.0.113.7", "203.0.113.7", "203.0.113.7", "203.0.113.8"),
            ("203.0.113.77/24", "203.0.113.0/24", "::ffff:203.0.113.9", "203.0.114.1"),
            ("2001:db8:7::1/48", "2001:db8:7::/48", "2001:db8:7:ffff::1", "2001:db8:8::1"),
            ("2001:db8::5", "2001:db8::5", "2001:db8::5", "2001:db8::6"),
        ] {
            let read = Network::read(network).unwrap();
            assert_eq!(read.to_string(), shown);
            assert_eq!(Network::read(shown), Ok(read));
            assert!(read.includes(address(inside)), "{network} {inside}");
            assert!(!read.includes(address(outside)), "{network} {outside}");
        }
        for wrong in ["", "here", "10.0.0.1/33", "10.0.0.0/7", "127.0.0.1", "::1", "10.0.0.0/-1"] {
            assert!(Network::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_ban_ends_when_its_time_has_come() {
        let ban = |network: &str, until| Banned {
            network: network.into(),
            since: 0,
            until,
            reason: String::new(),
        };
        let bans = Bans::default();
        bans.set(&[
            ban("10.0.0.1", None),
            ban("10.0.0.2", Some(1)),
            ban("10.1.0.0/16", Some(i64::MAX)),
        ]);
        assert!(bans.check(address("10.0.0.1")).is_err());
        assert!(bans.check(address("10.0.0.2")).is_ok());
        assert!(bans.check(address("10.1.2.3")).is_err());
        assert!(bans.check(address("10.2.2.3")).is_ok());
    }
}
