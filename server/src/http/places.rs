//! Connection slots: how many each network may have, and which connection is evicted when there are none left.
//!
//! One attacker can have many addresses, so connections are counted in nested networks: everything, sites, parts of a
//! site, households. If a network is full, a newcomer replaces the longest-idle connection in its largest part. Players
//! at a seat are evicted last. In a full household a newcomer replaces only connections that have been idle for a
//! while; otherwise one client could keep evicting its neighbours, who would keep reconnecting.

use crate::http::networks::{networks, times};
use crate::metrics::Metrics;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// One in this many slots is reserved for players at a seat.
pub const FOR_SEATS: usize = 10;

/// One in this many connections of a household can be protected from eviction as a player's: a single token can open
/// any number of sockets.
pub const STAYING: usize = 4;

/// For how many milliseconds a connection must have been idle to make room for another one of its household.
pub const IDLE: i64 = 60_000;

/// How many evicted sockets may be closing at once; any more are cut off.
const MOST_LEAVING: usize = 50;

pub type Id = u64;

#[derive(Debug, Default)]
struct Network {
    /// The number of connections, and of those that are not protected.
    held: usize,
    open: usize,
    parts: HashMap<IpAddr, Network>,
    /// For a household: its unprotected and its protected connections, by last activity.
    idle: [BTreeMap<u64, Id>; 2],
}

impl Network {
    fn at(&self, path: &[IpAddr]) -> Option<&Network> {
        path.iter().try_fold(self, |network, part| network.parts.get(part))
    }

    /// Adds a connection to all networks on the path.
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

    /// The connection to evict first: one in the largest part, chosen there in the same way.
    fn first_to_go(&self) -> Option<Id> {
        let most = self.parts.values().max_by_key(|part| (part.open, part.held));
        let own = || self.idle.iter().find_map(|idle| idle.values().next().copied());
        most.map_or_else(own, Network::first_to_go)
    }
}

/// A connection's entry in the ledger.
#[derive(Clone, Debug)]
struct Holding {
    /// The networks of its address; empty while it belongs to a proxy.
    path: Vec<IpAddr>,
    /// The value of the activity counter when it was last active.
    active: u64,
    /// The same in milliseconds.
    at: i64,
    stays: bool,
}

/// The accounting of connections, without any I/O.
#[derive(Debug)]
pub struct Ledger {
    most: usize,
    of_one: usize,
    all: Network,
    holdings: HashMap<Id, Holding>,
    last: u64,
}

/// All slots are taken, and no connection can be evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Ledger {
    /// `most` slots in total, and `of_one` for each household.
    pub fn new(most: usize, of_one: usize) -> Ledger {
        let all = Network::default();
        Ledger { most, of_one, all, holdings: HashMap::new(), last: 0 }
    }

    /// Admits a connection from an address, or from a proxy if there is none. Returns its id and the connection
    /// evicted for it.
    pub fn admit(&mut self, address: Option<IpAddr>, at: i64) -> Result<(Id, Option<Id>), Full> {
        let path = address.map(networks).unwrap_or_default();
        let gone = self.make_room(&path, at)?;
        let id = self.tick();
        self.put(id, Holding { path, active: id, at, stays: false });
        Ok((id, gone))
    }

    /// Attributes a proxy's connection to a client; returns the connection evicted for it.
    pub fn claim(&mut self, id: Id, address: IpAddr, at: i64) -> Result<Option<Id>, Full> {
        let Some(holding) = self.take(id) else { return Ok(None) };
        let path = networks(address);
        // A connection that already has an address keeps it.
        let room = if holding.path.is_empty() { self.make_room(&path, at) } else { Ok(None) };
        let path = if room.is_ok() && holding.path.is_empty() { path } else { holding.path };
        let active = self.tick();
        self.put(id, Holding { path, active, at, ..holding });
        room
    }

    /// Returns a connection to the proxy it came from.
    pub fn disclaim(&mut self, id: Id) {
        if let Some(holding) = self.take(id) {
            self.put(id, Holding { path: Vec::new(), stays: false, ..holding });
        }
    }

    /// Marks whether a player is at a seat.
    pub fn seat(&mut self, id: Id, seated: bool) {
        let Some(holding) = self.take(id) else { return };
        let staying = self.all.at(&holding.path).map_or(0, |own| own.held - own.open);
        let stays = seated && !holding.path.is_empty() && staying < (self.of_one / STAYING).max(1);
        self.put(id, Holding { stays, ..holding });
    }

    /// Marks a connection as active.
    pub fn touch(&mut self, id: Id, at: i64) {
        let active = self.tick();
        if let Some(holding) = self.take(id) {
            self.put(id, Holding { active, at, ..holding });
        }
    }

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

    /// Evicts a connection if one of these networks, or the whole server, is full.
    fn make_room(&mut self, path: &[IpAddr], at: i64) -> Result<Option<Id>, Full> {
        let full = (0..=path.len()).rev().find(|depth| self.is_full(&path[..*depth], path.len()));
        let Some(depth) = full else { return Ok(None) };
        let network = self.all.at(&path[..depth]).ok_or(Full)?;
        let household = depth > 0 && depth == path.len();
        let gone = match household {
            true => network.idle[0].values().next().copied().filter(|id| self.is_idle(*id, at)),
            false => network.first_to_go(),
        };
        let gone = gone.ok_or(Full)?;
        self.take(gone);
        Ok(Some(gone))
    }

    fn is_idle(&self, id: Id, at: i64) -> bool {
        self.holdings.get(&id).is_some_and(|own| at - own.at >= IDLE)
    }

    fn is_full(&self, path: &[IpAddr], deepest: usize) -> bool {
        if path.is_empty() {
            let open = self.most - self.most / FOR_SEATS;
            return self.all.held >= self.most || self.all.open >= open;
        }
        let most = times(path.len() - 1, deepest) * self.of_one;
        self.all.at(path).is_some_and(|network| network.held >= most)
    }
}

/// Connection slots; clones share them.
#[derive(Clone, Debug)]
pub struct Places(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    ledger: Ledger,
    holds: HashMap<Id, Hold>,
    /// Evicted sockets that have not been closed yet.
    leaving: HashSet<Id>,
    began: Instant,
    metrics: Arc<Metrics>,
}

/// Keeps a connection open. Dropping it cuts the connection off.
#[derive(Debug)]
struct Hold {
    stream: oneshot::Sender<()>,
    /// Asks a socket to close itself.
    socket: Option<oneshot::Sender<()>>,
}

impl Inner {
    /// Milliseconds since startup.
    fn now(&self) -> i64 {
        i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// Cuts off an evicted connection; a socket may send a close frame first.
    fn let_go(&mut self, gone: Option<Id>) {
        let Some(gone) = gone else { return };
        self.metrics.let_go.fetch_add(1, Ordering::Relaxed);
        let Some(Hold { stream, socket: Some(socket) }) = self.holds.remove(&gone) else { return };
        if self.leaving.len() < MOST_LEAVING {
            self.leaving.insert(gone);
            // If it fails, the connection has ended.
            let _ = stream.send(());
            let _ = socket.send(());
        }
    }
}

impl Places {
    /// `most` slots in total, and `of_one` for each household.
    pub fn new(most: usize, of_one: usize, metrics: Arc<Metrics>) -> Places {
        let (ledger, holds) = (Ledger::new(most, of_one), HashMap::new());
        let (leaving, began) = (HashSet::new(), Instant::now());
        Places(Arc::new(Mutex::new(Inner { ledger, holds, leaving, began, metrics })))
    }

    /// Changes how many connections a household may have; existing ones stay.
    pub fn allow(&self, of_one: usize) {
        self.lock().ledger.of_one = of_one;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection from an address, or from a proxy if there is none. On eviction, the receiver fails if the
    /// connection is to be cut off at once, and resolves if it may close itself.
    pub fn admit(&self, address: Option<IpAddr>) -> Result<(Place, oneshot::Receiver<()>), Full> {
        let (stream, let_go) = oneshot::channel();
        let mut inner = self.lock();
        let at = inner.now();
        let (id, gone) = inner.ledger.admit(address, at)?;
        inner.let_go(gone);
        inner.holds.insert(id, Hold { stream, socket: None });
        drop(inner);
        Ok((Place(Handle { places: self.clone(), id }), let_go))
    }
}

/// A connection slot, freed on drop.
#[derive(Debug)]
pub struct Place(Handle);

impl Place {
    /// A weak reference for the requests on this connection.
    pub fn handle(&self) -> Handle {
        self.0.clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inner = self.0.places.lock();
        inner.ledger.leave(self.0.id);
        inner.holds.remove(&self.0.id);
        inner.leaving.remove(&self.0.id);
    }
}

/// Refers to a slot without holding it.
#[derive(Clone, Debug)]
pub struct Handle {
    places: Places,
    id: Id,
}

impl Handle {
    /// Marks the connection as active.
    pub fn touch(&self) {
        let mut inner = self.places.lock();
        let at = inner.now();
        inner.ledger.touch(self.id, at);
    }

    /// Attributes the connection to an address until the claim is dropped.
    pub fn claim(&self, address: IpAddr) -> Result<Claim, Full> {
        let mut inner = self.places.lock();
        let brought = inner.ledger.holdings.get(&self.id).is_some_and(|own| own.path.is_empty());
        let at = inner.now();
        let gone = inner.ledger.claim(self.id, address, at)?;
        inner.let_go(gone);
        Ok(Claim { handle: self.clone(), brought })
    }
}

/// A connection that was claimed for a client.
#[derive(Debug)]
pub struct Claim {
    handle: Handle,
    /// Whether it came through a proxy.
    brought: bool,
}

impl Claim {
    /// Resolves when the connection is evicted; it then has a second to close itself.
    pub fn let_go(&self) -> oneshot::Receiver<()> {
        let (socket, let_go) = oneshot::channel();
        if let Some(hold) = self.handle.places.lock().holds.get_mut(&self.handle.id) {
            hold.socket = Some(socket);
        }
        let_go
    }

    /// Marks whether a player is at a seat.
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
    use std::net::Ipv6Addr;

    /// A household in a part of a site.
    fn home(site: u16, part: u8, number: u8) -> IpAddr {
        let last = u16::from(part) << 8 | u16::from(number);
        Ipv6Addr::new(0x2001, 0xdb8, site, last, 0, 0, 0, 1).into()
    }

    fn held(ledger: &Ledger, address: IpAddr) -> usize {
        ledger.all.at(&networks(address)).map_or(0, |own| own.held)
    }

    /// Connects this many times; returns how often it was admitted.
    fn fill(ledger: &mut Ledger, address: IpAddr, times: usize) -> usize {
        (0..times).filter(|_| ledger.admit(Some(address), 0).is_ok()).count()
    }

    #[test]
    fn twenty_households_with_all_that_they_may_have_shut_nobody_out() {
        let mut ledger = Ledger::new(19_900, 995);
        for site in 0..20 {
            fill(&mut ledger, home(site, 0, 0), 995);
        }
        for (number, last) in (1..=200).enumerate() {
            let player = IpAddr::from([10, 0, number as u8, last]);
            let (id, _) = ledger.admit(Some(player), 0).unwrap();
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
        assert!(ledger.admit(Some(neighbour), 0).unwrap().1.is_some(), "another has gone for it");
        assert_eq!(held(&ledger, neighbour), 1);
    }

    #[test]
    fn the_longest_idle_connection_goes_first_and_players_stay() {
        let mut ledger = Ledger::new(10, 8);
        let one = home(1, 0, 0);
        let ids: Vec<_> = (0..8).map(|_| ledger.admit(Some(one), 0).unwrap().0).collect();
        ledger.seat(ids[0], true);
        ledger.touch(ids[1], 0);
        let other = home(2, 0, 0);
        let gone: Vec<_> = (0..4).filter_map(|_| ledger.admit(Some(other), 0).unwrap().1).collect();
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
                let (id, _) = ledger.admit(Some(home(site, 0, 0)), 0).unwrap();
                ledger.seat(id, true);
            }
        }
        assert!(ledger.admit(Some(home(3, 0, 0)), 0).unwrap().1.is_some());
        assert_eq!([1, 2, 3].map(|site| held(&ledger, home(site, 0, 0))), [2, 1, 1]);
    }

    #[test]
    fn in_a_full_household_what_has_been_idle_for_a_minute_makes_room() {
        let mut ledger = Ledger::new(100, 4);
        let one = home(1, 0, 0);
        let ids: Vec<_> = (0..4).map(|_| ledger.admit(Some(one), 0).unwrap().0).collect();
        ledger.seat(ids[0], true);
        ledger.touch(ids[1], 1);
        assert_eq!(ledger.admit(Some(one), IDLE - 1), Err(Full));
        assert_eq!(ledger.admit(Some(one), IDLE).unwrap().1, Some(ids[2]));
        assert_eq!(ledger.admit(Some(one), IDLE).unwrap().1, Some(ids[3]));
        assert_eq!(
            ledger.admit(Some(one), IDLE),
            Err(Full),
            "the player stays, the others are new"
        );
    }

    #[test]
    fn what_a_proxy_brings_is_counted_for_its_client() {
        let mut ledger = Ledger::new(100, 2);
        let one = home(1, 0, 0);
        let ids: Vec<_> = (0..3).map(|_| ledger.admit(None, 0).unwrap().0).collect();
        let claims: Vec<_> = ids.iter().map(|id| ledger.claim(*id, one, 0)).collect();
        assert_eq!(claims, [Ok(None), Ok(None), Err(Full)]);
        assert_eq!((held(&ledger, one), ledger.all.held), (2, 3));
        ledger.disclaim(ids[0]);
        assert_eq!((held(&ledger, one), ledger.all.held), (1, 3));
        assert_eq!(ledger.claim(ids[2], one, 0), Ok(None));
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

    #[tokio::test]
    async fn some_sockets_at_a_time_that_are_let_go_may_say_goodbye() {
        let places = Places::new(100, 1_000, Arc::default());
        let mut sockets = Vec::new();
        for _ in 0..90 {
            let (place, _) = places.admit(Some([10, 0, 0, 1].into())).unwrap();
            let claim = place.handle().claim([10, 0, 0, 1].into()).unwrap();
            sockets.push((claim.let_go(), claim, place));
        }
        let come = |site: u8| places.admit(Some([10, 0, site, 1].into())).unwrap();
        let _others: Vec<_> = (0..MOST_LEAVING as u8 + 2).map(|n| come(n + 1)).collect();
        let mut words = sockets.iter_mut().map(|(word, ..)| word.try_recv());
        assert_eq!(words.by_ref().filter(|word| word.is_ok()).count(), MOST_LEAVING);
        drop(words);
        // One has gone, so another may say something.
        drop(sockets.remove(0));
        let _other = come(200);
        assert_eq!(sockets.iter_mut().filter_map(|(word, ..)| word.try_recv().ok()).count(), 1);
    }

    proptest! {
        /// Whatever happens, the counts match the connections, and no limit is exceeded.
        #[test]
        fn the_counts_are_right(steps in prop::collection::vec((0_u8..6, 0_u16..3, 0_u8..3, 0_u8..3), 1..300)) {
            let mut ledger = Ledger::new(20, 4);
            let mut ids = vec![0];
            for (what, site, part, number) in steps {
                let id = ids[usize::from(part) * usize::from(number) * 7 % ids.len()];
                match what {
                    0 => ids.extend(ledger.admit(Some(home(site, part, number)), 0).map(|own| own.0)),
                    1 => ids.extend(ledger.admit(None, 0).map(|own| own.0)),
                    2 => drop(ledger.claim(id, home(site, part, number), 0)),
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
