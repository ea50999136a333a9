//! The plan of a simulation, drawn from its seed: servers, a store, players and faults.

use super::clients::Habits;
use super::cluster::Full;
use super::disk::Bad;
use super::world::{MS, Micros, SECOND};
use rules::random::Random;

/// The kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    File,
    Database,
}

/// Faults. Servers are numbered from 1.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// The process is killed and restarted.
    Kill(usize),
    /// The process is asked to stop, and restarted once it has.
    Stop(usize),
    /// The process is suspended.
    Suspend(usize),
    /// The machine sleeps.
    Sleep(usize),
    /// The machine's clock is set forward or back, in milliseconds.
    Clock(usize, i64),
    /// No packets pass between clients and the server.
    Silence(usize),
    /// All client connections are cut.
    Cut(usize),
    /// Many readers at once.
    Crowd(usize),
    /// The server cannot reach the database.
    Away(usize),
    /// The database hangs.
    Hang,
    Full(Full),
    /// The table of events is locked.
    Lock,
    /// The database refuses new connections.
    Crowded,
    /// Every statement takes longer, in microseconds.
    Slow(Micros),
    /// All connections to the database are cut.
    Close,
    /// The database's clock is set forward or back, in milliseconds.
    DatabaseClock(i64),
    /// A standby takes over that is this many microseconds behind.
    FailOver(Micros),
    /// The disk of a server with a file fails.
    Disk(Bad),
}

#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub at: Micros,
    pub time: Micros,
    pub what: What,
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub servers: usize,
    pub keeps: Keeps,
    pub news: bool,
    /// How long an engine searches.
    pub search: Micros,
    pub tables: Vec<Habits>,
    /// How many players are in the lobby.
    pub visitors: usize,
    pub faults: Vec<Fault>,
    /// When the last fault ends.
    pub healed: Micros,
}

impl Plan {
    pub fn new(seed: u64) -> Plan {
        let mut random = Random::new(seed ^ 0x5151);
        let mut draw = |below: usize| random.below(below);
        let keeps = if draw(4) == 0 { Keeps::File } else { Keeps::Database };
        let servers = if keeps == Keeps::File { 1 } else { 2 + draw(2) };
        let tables = (0..2 + draw(3)).map(|number| Habits {
            number,
            computer: draw(2) == 0,
            clock: (draw(4) > 0).then(|| (8 + draw(12) as u32, draw(3) as u32)),
            sleepy: draw(2) == 0,
            rude: draw(4) == 0,
        });
        let tables = tables.collect();
        let (news, search) = (draw(2) == 0, [20, 300, 1_500][draw(3)] * MS);
        // In most plans a failover loses nothing.
        let behind = if draw(3) == 0 { SECOND } else { 0 };
        let mut faults: Vec<Fault> = Vec::new();
        let mut at = SECOND + draw(3_000) as u64 * MS;
        for _ in 0..1 + draw(6) {
            let time = [200, 900, 2_500, 6_000, 9_000][draw(5)] * MS + draw(900) as u64 * MS;
            let what = what(&mut draw, keeps, servers, behind);
            let time = if matches!(what, What::Hang) && draw(3) == 0 { 2 * time } else { time };
            faults.push(Fault { at, time, what });
            if matches!(what, What::Hang | What::Away(_)) && draw(2) == 0 {
                let crowd = What::Crowd(1 + draw(servers));
                faults.push(Fault { at: at + 100 * MS, time: 0, what: crowd });
            }
            at += draw(4_000) as u64 * MS;
        }
        let healed = faults.iter().map(|fault| fault.at + fault.time).max().unwrap_or(0) + SECOND;
        // Drawn last, so that the rest of a plan stays the same as before visitors were added.
        let visitors = [0, 0, 2, 3][draw(4)];
        Plan { seed, servers, keeps, news, search, tables, visitors, faults, healed }
    }
}

impl Plan {
    /// Parts that can be left out: `f0` is the first fault, `t0` the first table, `v` are the visitors.
    pub fn parts(&self) -> Vec<String> {
        let faults = (0..self.faults.len()).map(|i| format!("f{i}"));
        let tables = (0..self.tables.len()).map(|i| format!("t{i}"));
        let visitors = (self.visitors > 0).then(|| "v".to_owned());
        visitors.into_iter().chain(tables).chain(faults).collect()
    }

    /// The same plan without these parts.
    pub fn without(&self, parts: &[String]) -> Plan {
        let stays = |kind: char, i: usize| !parts.contains(&format!("{kind}{i}"));
        let mut plan = self.clone();
        plan.faults =
            (0..).zip(&self.faults).filter(|(i, _)| stays('f', *i)).map(|own| *own.1).collect();
        plan.tables =
            (0..).zip(&self.tables).filter(|(i, _)| stays('t', *i)).map(|own| *own.1).collect();
        if parts.iter().any(|part| part == "v") {
            plan.visitors = 0;
        }
        plan
    }

    /// Whether a failover may lose events.
    pub fn loses(&self) -> bool {
        self.faults.iter().any(|fault| matches!(fault.what, What::FailOver(1..)))
    }
}

fn what(
    draw: &mut impl FnMut(usize) -> usize,
    keeps: Keeps,
    servers: usize,
    behind: Micros,
) -> What {
    let server = 1 + draw(servers);
    let jump = [-3_600_000, -20_000, 700, 8_000, 3_600_000][draw(5)];
    let general = [
        What::Kill(server),
        What::Kill(server),
        What::Stop(server),
        What::Suspend(server),
        What::Sleep(server),
        What::Clock(server, jump),
        What::Silence(server),
        What::Cut(server),
    ];
    if draw(2) == 0 {
        return general[draw(general.len())];
    }
    if keeps == Keeps::File {
        return What::Disk([Bad::Full, Bad::FullAtCommit, Bad::Sync, Bad::Hangs][draw(4)]);
    }
    let of_database = [
        What::Away(server),
        What::Hang,
        What::Hang,
        What::Full(Full::Events),
        What::Full(Full::Events),
        What::Full(Full::Everything),
        What::Lock,
        What::Crowded,
        What::Slow([20, 300, 1_200][draw(3)] * MS),
        What::Close,
        What::DatabaseClock(jump),
        What::FailOver(behind * draw(4) as u64),
        What::FailOver(behind * (1 + draw(3)) as u64),
    ];
    of_database[draw(of_database.len())]
}
