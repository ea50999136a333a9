//! Places for connections: how many each network may have, and who goes first when there are none left.
//!
//! One owner can have many addresses, so connections are counted in networks within networks: all, sites, parts of
//! a site, households. Where a network is full, a newcomer takes the place of the longest-idle connection in its
//! largest part. Players at a seat stay as long as there is anybody else.

use crate::limits::household;
use crate::metrics::Metrics;
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// The limits of a site and of a part of it, as multiples of a household's. A site of IPv4 is a /24: as much as one
/// attacker rents, and less than a carrier or a university has.
const OF_A_SITE: usize = 4;
const OF_A_PART: usize = 2;

/// A tenth of all places is for seats alone.
const FOR_SEATS: usize = 10;

/// A quarter of a household's connections can be players who stay: one token opens any number of sockets.
const STAYING: usize = 4;

/// What a connection is known by.
pub type Id = u64;

/// The networks of an address, the widest first: /48, /56 and /64 of IPv6, /24 and /32 of IPv4.
fn networks(address: IpAddr) -> Vec<IpAddr> {
    match household(address) {
        IpAddr::V4(own) => {
            let [a, b, c, _] = own.octets();
            vec![Ipv4Addr::new(a, b, c, 0).into(), own.into()]
        }
        IpAddr::V6(own) => {
            let [a, b, c, d, ..] = own.segments();
            let part = |d| Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into();
            // The /48 and its first /56 are written alike, but stand at different depths.
            vec![part(0), part(d & 0xff00), own.into()]
        }
    }
}

/// A network with those in it.
#[derive(Debug, Default)]
struct Network {
    /// Connections, and those of them that can be let go.
    held: usize,
    open: usize,
    parts: HashMap<IpAddr, Network>,
    /// Of a household: those that can be let go and those that stay, by when they last did something.
    idle: [BTreeMap<u64, Id>; 2],
}

impl Network {
    fn at(&self, path: &[IpAddr]) -> Option<&Network> {
        path.iter().try_fold(self, |network, part| network.parts.get(part))
    }

    /// Counts a connection in all networks of a path.
    fn enter(&mut self, path: &[IpAddr], id: Id, place: &Holding) {
        self.held += 1;
        self.open += usize::from(!place.stays);
        match path.split_first() {
            None => {
                self.idle[usize::from(place.stays)].insert(place.active, id);
            }
            Some((part, rest)) => self.parts.entry(*part).or_default().enter(rest, id, place),
        }
    }

    fn leave(&mut self, path: &[IpAddr], place: &Holding) {
        self.held -= 1;
        self.open -= usize::from(!place.stays);
        let Some((part, rest)) = path.split_first() else {
            self.idle[usize::from(place.stays)].remove(&place.active);
            return;
        };
        if let Some(network) = self.parts.get_mut(part) {
            network.leave(rest, place);
            if network.held == 0 {
                self.parts.remove(part);
            }
        }
    }

    /// The connection that is let go first: one of the largest part, chosen there in the same way.
    fn first_to_go(&self) -> Option<Id> {
        let most = self.parts.values().max_by_key(|part| (part.open, part.held));
        let own = || self.idle.iter().find_map(|idle| idle.values().next().copied());
        most.map_or_else(own, Network::first_to_go)
    }
}

/// A connection.
#[derive(Clone, Debug)]
struct Holding {
    /// The networks of its address; none while it belongs to a proxy.
    path: Vec<IpAddr>,
    /// A counter's value when it last did something.
    active: u64,
    stays: bool,
}

/// Who has which place, and nothing else.
#[derive(Debug)]
pub struct Ledger {
    most: usize,
    of_one: usize,
    all: Network,
    holdings: HashMap<Id, Holding>,
    last: u64,
}

/// All places are taken, and nobody can be let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Ledger {
    /// Places for all, and for each household.
    pub fn new(most: usize, of_one: usize) -> Ledger {
        let all = Network::default();
        Ledger { most, of_one, all, holdings: HashMap::new(), last: 0 }
    }

    /// A connection of an address, or of a proxy; and one that is let go for it.
    pub fn admit(&mut self, address: Option<IpAddr>) -> Result<(Id, Option<Id>), Full> {
        let path = address.map(networks).unwrap_or_default();
        let gone = self.make_room(&path)?;
        let id = self.tick();
        self.put(id, Holding { path, active: id, stays: false });
        Ok((id, gone))
    }

    /// Notes to whom a connection belongs that a proxy has brought; gives one that is let go for it.
    pub fn claim(&mut self, id: Id, address: IpAddr) -> Result<Option<Id>, Full> {
        let Some(holding) = self.take(id) else { return Ok(None) };
        let path = networks(address);
        // A connection that has an address keeps it.
        let room = if holding.path.is_empty() { self.make_room(&path) } else { Ok(None) };
        let path = if room.is_ok() && holding.path.is_empty() { path } else { holding.path };
        let active = self.tick();
        self.put(id, Holding { path, active, ..holding });
        room
    }

    /// Gives a connection back to the proxy that has brought it.
    pub fn disclaim(&mut self, id: Id) {
        if let Some(holding) = self.take(id) {
            self.put(id, Holding { path: Vec::new(), stays: false, ..holding });
        }
    }

    /// Notes whether a player is at a seat.
    pub fn seat(&mut self, id: Id, seated: bool) {
        let Some(holding) = self.take(id) else { return };
        let staying = self.all.at(&holding.path).map_or(0, |own| own.held - own.open);
        let stays = seated && !holding.path.is_empty() && staying < (self.of_one / STAYING).max(1);
        self.put(id, Holding { stays, ..holding });
    }

    /// Notes that a connection has done something.
    pub fn touch(&mut self, id: Id) {
        let active = self.tick();
        if let Some(holding) = self.take(id) {
            self.put(id, Holding { active, ..holding });
        }
    }

    /// Frees a place.
    pub fn leave(&mut self, id: Id) {
        self.take(id);
    }

    fn tick(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn put(&mut self, id: Id, holding: Holding) {
        match holding.path.is_empty() {
            true => self.all.held += 1,
            false => self.all.enter(&holding.path, id, &holding),
        }
        self.holdings.insert(id, holding);
    }

    fn take(&mut self, id: Id) -> Option<Holding> {
        let holding = self.holdings.remove(&id)?;
        match holding.path.is_empty() {
            true => self.all.held -= 1,
            false => self.all.leave(&holding.path, &holding),
        }
        Some(holding)
    }

    /// Lets a connection go if one of these networks, or the server, has no place left.
    fn make_room(&mut self, path: &[IpAddr]) -> Result<Option<Id>, Full> {
        let full = (0..=path.len()).rev().find(|depth| self.is_full(&path[..*depth], path.len()));
        let Some(depth) = full else { return Ok(None) };
        let household = depth > 0 && depth == path.len();
        let network = self.all.at(&path[..depth]).filter(|_| !household);
        let gone = network.and_then(Network::first_to_go).ok_or(Full)?;
        self.take(gone);
        Ok(Some(gone))
    }

    fn is_full(&self, path: &[IpAddr], deepest: usize) -> bool {
        if path.is_empty() {
            let open = self.most - self.most / FOR_SEATS;
            return self.all.held >= self.most || self.all.open >= open;
        }
        let times = match (path.len(), deepest) {
            (1, _) => OF_A_SITE,
            (depth, deepest) if depth < deepest => OF_A_PART,
            _ => 1,
        };
        self.all.at(path).is_some_and(|network| network.held >= times * self.of_one)
    }
}

/// Places that connections hold; clones share them.
#[derive(Clone, Debug)]
pub struct Places(Arc<Mutex<Shared>>);

#[derive(Debug)]
struct Shared {
    ledger: Ledger,
    /// What is dropped when a connection is let go.
    holds: HashMap<Id, oneshot::Sender<()>>,
    metrics: Arc<Metrics>,
}

impl Shared {
    fn let_go(&mut self, gone: Option<Id>) {
        if let Some(gone) = gone {
            self.holds.remove(&gone);
            self.metrics.let_go.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Places {
    /// Places for all, and for each household.
    pub fn new(most: usize, of_one: usize, metrics: Arc<Metrics>) -> Places {
        let ledger = Ledger::new(most, of_one);
        Places(Arc::new(Mutex::new(Shared { ledger, holds: HashMap::new(), metrics })))
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection of an address, or of a proxy, and what hears when it is taken away.
    pub fn admit(&self, address: Option<IpAddr>) -> Result<(Place, oneshot::Receiver<()>), Full> {
        let (hold, let_go) = oneshot::channel();
        let mut shared = self.lock();
        let (id, gone) = shared.ledger.admit(address)?;
        shared.let_go(gone);
        shared.holds.insert(id, hold);
        drop(shared);
        Ok((Place(Handle { places: self.clone(), id }), let_go))
    }
}

/// A place, until it is dropped.
#[derive(Debug)]
pub struct Place(Handle);

impl Place {
    /// What requests on the connection know of it.
    pub fn handle(&self) -> Handle {
        self.0.clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut shared = self.0.places.lock();
        shared.ledger.leave(self.0.id);
        shared.holds.remove(&self.0.id);
    }
}

/// Names a place, and does not keep it.
#[derive(Clone, Debug)]
pub struct Handle {
    places: Places,
    id: Id,
}

impl Handle {
    /// Notes that a request has come.
    pub fn touch(&self) {
        self.places.lock().ledger.touch(self.id);
    }

    /// Counts the connection as an address's own, as long as the claim lives.
    pub fn claim(&self, address: IpAddr) -> Result<Claim, Full> {
        let mut shared = self.places.lock();
        let brought = shared.ledger.holdings.get(&self.id).is_some_and(|own| own.path.is_empty());
        let gone = shared.ledger.claim(self.id, address)?;
        shared.let_go(gone);
        Ok(Claim { handle: self.clone(), brought })
    }
}

/// A connection on which somebody watches or plays.
#[derive(Debug)]
pub struct Claim {
    handle: Handle,
    /// Whether a proxy has brought it.
    brought: bool,
}

impl Claim {
    /// Notes whether a player is at a seat.
    pub fn seat(&self, seated: bool) {
        self.handle.places.lock().ledger.seat(self.handle.id, seated);
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let ledger = &mut self.handle.places.lock().ledger;
        match self.brought {
            true => ledger.disclaim(self.handle.id),
            false => ledger.seat(self.handle.id, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A household in a part of a site.
    fn home(site: u16, part: u8, number: u8) -> IpAddr {
        let last = u16::from(part) << 8 | u16::from(number);
        Ipv6Addr::new(0x2001, 0xdb8, site, last, 0, 0, 0, 1).into()
    }

    fn held(ledger: &Ledger, address: IpAddr) -> usize {
        ledger.all.at(&networks(address)).map_or(0, |own| own.held)
    }

    /// Lets an address come as often as it is let in.
    fn fill(ledger: &mut Ledger, address: IpAddr, times: usize) -> usize {
        (0..times).filter(|_| ledger.admit(Some(address)).is_ok()).count()
    }

    #[test]
    fn twenty_households_with_all_that_they_may_have_shut_nobody_out() {
        let mut ledger = Ledger::new(19_900, 995);
        for site in 0..20 {
            fill(&mut ledger, home(site, 0, 0), 995);
        }
        for (number, last) in (1..=200).enumerate() {
            let player = IpAddr::from([10, 0, number as u8, last]);
            let (id, _) = ledger.admit(Some(player)).unwrap();
            ledger.seat(id, true);
            assert_eq!(held(&ledger, player), 1, "nobody who is new goes first");
        }
        let left: Vec<_> = (0..20).map(|site| held(&ledger, home(site, 0, 0))).collect();
        let (least, most) = (left.iter().min().unwrap(), left.iter().max().unwrap());
        assert!(most - least <= 1, "they give up as much as each other: {left:?}");
        assert!(ledger.all.held <= 19_900);
    }

    #[test]
    fn a_site_and_its_parts_have_a_few_times_what_a_household_has() {
        let mut ledger = Ledger::new(100_000, 10);
        assert_eq!(fill(&mut ledger, home(1, 0, 0), 11), 10);
        for number in 0..200 {
            fill(&mut ledger, home(1, 0, number), 10);
        }
        let of = |ledger: &Ledger, depth: usize| {
            ledger.all.at(&networks(home(1, 0, 0))[..depth]).unwrap().held
        };
        assert_eq!((of(&ledger, 2), of(&ledger, 1)), (20, 20), "a /56");
        for part in 0..200 {
            fill(&mut ledger, home(1, part, 0), 10);
        }
        assert_eq!(of(&ledger, 1), 40, "a /48");
        for last in 0..200 {
            fill(&mut ledger, [10, 0, 0, last].into(), 10);
        }
        assert_eq!(ledger.all.held, 80, "a /24");
        assert_eq!(fill(&mut ledger, [10, 0, 1, 0].into(), 10), 10);
    }

    #[test]
    fn somebody_whose_neighbour_fills_the_site_is_let_in() {
        let mut ledger = Ledger::new(100_000, 10);
        for part in 0..4 {
            fill(&mut ledger, home(1, part, 0), 10);
        }
        let neighbour = home(1, 9, 9);
        assert!(ledger.admit(Some(neighbour)).unwrap().1.is_some(), "another has gone for it");
        assert_eq!(held(&ledger, neighbour), 1);
    }

    #[test]
    fn the_longest_idle_connection_goes_first_and_players_stay() {
        let mut ledger = Ledger::new(10, 8);
        let one = home(1, 0, 0);
        let ids: Vec<_> = (0..8).map(|_| ledger.admit(Some(one)).unwrap().0).collect();
        ledger.seat(ids[0], true);
        ledger.touch(ids[1]);
        let other = home(2, 0, 0);
        let gone: Vec<_> = (0..4).filter_map(|_| ledger.admit(Some(other)).unwrap().1).collect();
        assert_eq!(gone, ids[2..4], "a tenth is for seats: of ten, nine are watchers at most");
        for id in &ids {
            ledger.seat(*id, true);
        }
        let staying = ledger.all.at(&networks(one)).map(|own| own.held - own.open);
        assert_eq!(staying, Some(2), "a quarter of a household at most");
    }

    #[test]
    fn if_all_are_players_those_of_the_largest_network_go() {
        let mut ledger = Ledger::new(4, 16);
        for (site, count) in [(1, 3), (2, 1)] {
            for _ in 0..count {
                let (id, _) = ledger.admit(Some(home(site, 0, 0))).unwrap();
                ledger.seat(id, true);
            }
        }
        assert!(ledger.admit(Some(home(3, 0, 0))).unwrap().1.is_some());
        assert_eq!([1, 2, 3].map(|site| held(&ledger, home(site, 0, 0))), [2, 1, 1]);
    }

    #[test]
    fn what_a_proxy_brings_is_counted_for_its_client() {
        let mut ledger = Ledger::new(100, 2);
        let one = home(1, 0, 0);
        let ids: Vec<_> = (0..3).map(|_| ledger.admit(None).unwrap().0).collect();
        let claims: Vec<_> = ids.iter().map(|id| ledger.claim(*id, one)).collect();
        assert_eq!(claims, [Ok(None), Ok(None), Err(Full)]);
        assert_eq!((held(&ledger, one), ledger.all.held), (2, 3));
        ledger.disclaim(ids[0]);
        assert_eq!((held(&ledger, one), ledger.all.held), (1, 3));
        assert_eq!(ledger.claim(ids[2], one), Ok(None));
        ids.iter().for_each(|id| ledger.leave(*id));
        assert_eq!((ledger.all.held, ledger.all.open, ledger.all.parts.len()), (0, 0, 0));
    }

    #[tokio::test]
    async fn a_connection_that_is_let_go_hears_of_it() {
        let metrics = Arc::new(Metrics::default());
        let places = Places::new(3, 2, Arc::clone(&metrics));
        let admit = |site: u8| places.admit(Some([10, 0, site, 1].into())).unwrap();
        let (one, let_go) = admit(0);
        one.handle().claim([10, 0, 0, 1].into()).unwrap().seat(true);
        let _others = [admit(1), admit(0), admit(2)];
        assert_eq!(metrics.let_go.load(Ordering::Relaxed), 1);
        assert!(let_go.await.is_err());
    }

    proptest! {
        /// Whatever happens, the counts are those of the connections that there are, and no limit is passed.
        #[test]
        fn the_counts_are_right(steps in prop::collection::vec((0_u8..6, 0_u16..3, 0_u8..3, 0_u8..3), 1..300)) {
            let mut ledger = Ledger::new(20, 4);
            let mut ids = vec![0];
            for (what, site, part, number) in steps {
                let id = ids[usize::from(part) * usize::from(number) * 7 % ids.len()];
                match what {
                    0 => ids.extend(ledger.admit(Some(home(site, part, number))).map(|own| own.0)),
                    1 => ids.extend(ledger.admit(None).map(|own| own.0)),
                    2 => drop(ledger.claim(id, home(site, part, number))),
                    3 => ledger.seat(id, site > 0),
                    4 => ledger.disclaim(id),
                    _ => ledger.leave(id),
                }
                prop_assert_eq!(ledger.all.held, ledger.holdings.len());
                let open = ledger.holdings.values().filter(|own| !own.stays && !own.path.is_empty());
                prop_assert_eq!(ledger.all.open, open.count());
                prop_assert!(ledger.all.held <= 20);
                for site in ledger.all.parts.values() {
                    prop_assert!(site.held <= 16 && site.parts.values().all(|part| part.held <= 8));
                    let homes = site.parts.values().flat_map(|part| part.parts.values());
                    prop_assert!(homes.into_iter().all(|home| home.held <= 4));
                }
            }
        }
    }
}
