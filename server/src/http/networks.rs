//! The networks that an address belongs to. One attacker can have many addresses, so limits apply to networks, too.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The limits of a site, as multiples of a household's. An IPv4 site is a /24: as much as one attacker rents, and less
/// than a carrier or a university has.
pub const OF_A_SITE: usize = 4;

/// The limit of a part of a site, as a multiple of a household's.
pub const OF_A_PART: usize = 2;

/// Reduces an IPv6 address to its /64, since one customer usually has all of it.
pub fn household(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(own) => {
            let [a, b, c, d, ..] = own.segments();
            own.to_ipv4_mapped().map_or(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into(), IpAddr::V4)
        }
    }
}

/// The networks of an address, widest first: /48, /56 and /64 for IPv6, /24 and /32 for IPv4.
pub fn networks(address: IpAddr) -> Vec<IpAddr> {
    match household(address) {
        IpAddr::V4(own) => {
            let [a, b, c, _] = own.octets();
            vec![Ipv4Addr::new(a, b, c, 0).into(), own.into()]
        }
        IpAddr::V6(own) => {
            let [a, b, c, d, ..] = own.segments();
            let part = |d| Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into();
            // A /48 and its first /56 look the same, but are at different depths.
            vec![part(0), part(d & 0xff00), own.into()]
        }
    }
}

/// How many times a household's limit applies to the network at this depth of [`networks`], of which there are
/// `count`.
pub fn times(depth: usize, count: usize) -> usize {
    match depth {
        _ if depth + 1 == count => 1,
        0 => OF_A_SITE,
        _ => OF_A_PART,
    }
}
