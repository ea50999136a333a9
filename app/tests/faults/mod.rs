//! Whatever the disk does: what was acknowledged is there afterwards, exactly once, and what was refused is not.
//!
//! A real server runs under a shim that lets the n-th write, sync, change of size, mapping, lock or opening of
//! its files fail, once or for a while. Then it is killed, and a server without faults is asked. Fifty
//! faults; more with `QUADRILLE_FAULTS`, and all there are with a number that is large enough.

#![cfg(target_os = "linux")]

mod client;
mod disk;
mod shim;

use crate::wire::{Folder, Line, Server, serve};
use client::{Client, Known};
use rules::random::Random;
use serde_json::json;
use shim::{Control, EAGAIN, EIO, ENFILE, ENOMEM, ENOSPC, Fault};
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// When calls fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Phase {
    /// While a new file is made.
    New,
    /// While a file of version 0.1 is brought up to date.
    Upgrade,
    /// While a server starts on what a killed one has left.
    Start,
    /// While people play.
    Play,
    /// While there are only heartbeats.
    Beat,
    /// While the server stops.
    Stop,
}

const PHASES: [Phase; 6] =
    [Phase::New, Phase::Upgrade, Phase::Start, Phase::Play, Phase::Beat, Phase::Stop];

/// What can fail, and how often in a row: once, and for a while.
const KINDS: [(char, i32, [usize; 2]); 9] = [
    ('w', ENOSPC, [1, 30]),
    ('w', EIO, [1, 30]),
    ('s', EIO, [1, 12]),
    ('t', ENOSPC, [1, 10]),
    ('t', EIO, [1, 10]),
    ('m', ENOMEM, [1, 10]),
    ('l', EAGAIN, [1, 90]),
    ('l', EIO, [1, 20]),
    ('o', ENFILE, [1, 10]),
];

/// How many servers are tormented at the same time: they wait more than they work.
const WORKERS: usize = 6;

/// A store, the servers on it one after the other, and what they said.
struct World {
    folder: Folder,
    control: Control,
    known: Known,
    /// Where the files are kept as they were when they were last synced.
    synced: Option<PathBuf>,
}

impl World {
    fn new(name: &str) -> World {
        let folder = Folder::new(name);
        let control = Control::new(&folder.0);
        World { folder, control, known: Known::default(), synced: None }
    }

    fn data(&self) -> PathBuf {
        self.folder.0.join("games.db")
    }

    fn spawn(&self) -> Result<Server, std::process::Output> {
        let mut command = self.control.over(serve(&self.data()));
        command.envs(self.synced.iter().map(|folder| ("QUADRILLE_SYNCED", folder)));
        command.stderr(Stdio::piped());
        Server::spawn(&mut command)
    }

    /// Reduces the files to what had been synced.
    fn cut_power(&self) {
        for end in ["", "-wal", "-shm"] {
            let name = format!("games.db{end}");
            let (file, kept) =
                (self.folder.0.join(&name), self.synced.as_ref().unwrap().join(&name));
            let _ = std::fs::remove_file(&file);
            if kept.exists() {
                std::fs::copy(kept, file).unwrap();
            }
        }
    }

    /// A server that meets no fault, after what was known has been compared with what it reads.
    fn start(&mut self) -> Server {
        self.control.disarm();
        let server = self.spawn().unwrap_or_else(|output| panic!("no server: {output:?}"));
        self.known.check(&server.address, &self.data());
        // Games that were compared once are only counted from now on.
        self.known.games.clear();
        server
    }

    /// Starts a server while calls fail. It may refuse, in one line; then the next one starts.
    fn start_with(&mut self, fault: Option<&Fault>) -> (Server, String) {
        match fault {
            Some(fault) => self.control.arm(fault),
            None => self.control.count(),
        }
        match self.spawn() {
            Ok(server) => {
                let met = self.control.met();
                self.control.disarm();
                (server, met)
            }
            Err(output) => {
                let said = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(2), "{said}");
                let last = said.lines().last().unwrap_or_default();
                assert!(last.contains("games.db"), "{said}");
                let met = self.control.met();
                (self.start(), met)
            }
        }
    }

    /// Lets people play everything they can, two games at a time, unless one who is refused leaves.
    fn play(&mut self, server: &Server, seed: u64) {
        let address = &server.address;
        let left = AtomicBool::new(false);
        let (one, two) = std::thread::scope(|scope| {
            let one = scope.spawn(|| {
                let mut client = Client::new(address, seed, Some(&left));
                client.with_clocks();
                client.known
            });
            let mut client = Client::new(address, seed + 1, Some(&left));
            client.shared();
            (one.join().unwrap(), client.known)
        });
        self.known.add(one);
        self.known.add(two);
    }

    /// One server, from its start to its end, with a fault in one phase; or all calls of that phase
    /// counted. Returns the calls that failed, or the calls.
    fn round(&mut self, phase: Phase, fault: Option<&Fault>, seed: u64) -> String {
        self.control.clear();
        let mut met = String::new();
        let server = match phase {
            Phase::New | Phase::Upgrade | Phase::Start => {
                let (server, own) = self.start_with(fault);
                met = own;
                server
            }
            _ => self.start(),
        };
        let arm = |world: &mut World| match fault {
            Some(fault) => world.control.arm(fault),
            None => world.control.count(),
        };
        if phase == Phase::Play {
            arm(self);
        }
        self.play(&server, seed);
        if phase == Phase::Play {
            met = self.control.met();
            self.control.disarm();
            // Some are killed in the middle of it, others have to recover.
            if seed.is_multiple_of(2) {
                self.play(&server, seed + 3);
            }
        }
        if phase == Phase::Beat {
            arm(self);
            met = self.quiet(fault);
            self.control.disarm();
            self.play(&server, seed + 7);
        }
        if phase != Phase::Stop {
            server.kill();
            return met;
        }
        arm(self);
        server.stop();
        self.control.met()
    }

    /// Waits while only heartbeats are stored: until all planned calls have failed, and two seconds at most.
    fn quiet(&self, fault: Option<&Fault>) -> String {
        let began = Instant::now();
        loop {
            let met = self.control.met();
            let enough = fault.is_some_and(|fault| met.len() >= fault.count);
            if enough || began.elapsed() > Duration::from_millis(2_200) {
                return met;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// All faults there are, as many of each kind as a round without faults makes calls, and a few more.
fn all_faults(world: &mut World) -> Vec<(Phase, Fault)> {
    let mut all = Vec::new();
    for (phase, seed) in PHASES.into_iter().zip(1..) {
        let calls = match phase {
            Phase::New => World::new("faults-counted-new").round(phase, None, seed),
            Phase::Upgrade => upgraded("faults-counted-old").round(phase, None, seed),
            _ => world.round(phase, None, seed),
        };
        for (class, error, counts) in KINDS {
            let calls = calls.chars().filter(|own| *own == class).count();
            let most = if calls == 0 { 0 } else { calls + calls / 4 + 2 };
            for (skip, count) in (0..most).flat_map(|skip| counts.map(|count| (skip, count))) {
                all.push((phase, Fault { class, error, skip, count }));
            }
        }
    }
    all
}

/// A store of version 0.1 with some games.
fn upgraded(name: &str) -> World {
    let mut world = World::new(name);
    let database = rusqlite::Connection::open(world.data()).unwrap();
    let games = include_str!("../../../server/tests/files/games-0.1.sql");
    database.execute_batch(games).unwrap();
    world.known.made = 6;
    world
}

/// Takes faults from the list until enough have been met.
fn torment(worker: usize, faults: &Mutex<Vec<(Phase, Fault)>>, met: &Met, wanted: usize) -> World {
    let mut world = World::new(&format!("faults-{worker}"));
    while met.all.load(Ordering::SeqCst) < wanted {
        let Some((phase, fault)) = faults.lock().unwrap().pop() else { break };
        let seed = (fault.skip * 1_001 + fault.count) as u64;
        let name = format!("faults-{worker}-own");
        let mut own = match phase {
            Phase::New => Some(World::new(&name)),
            Phase::Upgrade => Some(upgraded(&name)),
            _ => None,
        };
        let place = own.as_mut().unwrap_or(&mut world);
        // A failure is reported with the fault that led to it.
        let round = std::panic::AssertUnwindSafe(|| {
            let met = place.round(phase, Some(&fault), seed);
            place.start().kill();
            met
        });
        let failed = std::panic::catch_unwind(round).unwrap_or_else(|failure| {
            eprintln!("in phase {phase:?} with {fault:?}");
            std::panic::resume_unwind(failure);
        });
        if let Some(own) = own {
            world.known.refusals += own.known.refusals;
            world.known.unknown += own.known.unknown;
        }
        met.note(phase, &fault, &failed);
    }
    world
}

/// What was met.
#[derive(Default)]
struct Met {
    all: AtomicUsize,
    /// By phase, class, error and duration: whether a round has gone through without meeting the fault.
    through: Mutex<HashMap<(Phase, char, i32, usize), bool>>,
}

impl Met {
    fn note(&self, phase: Phase, fault: &Fault, failed: &str) {
        self.all.fetch_add(usize::from(!failed.is_empty()), Ordering::SeqCst);
        let kind = (phase, fault.class, fault.error, fault.count);
        *self.through.lock().unwrap().entry(kind).or_default() |= failed.is_empty();
    }
}

#[test]
fn what_is_acknowledged_is_kept_whichever_call_of_the_system_fails() {
    let wanted = std::env::var("QUADRILLE_FAULTS").ok().and_then(|n| n.parse().ok());
    let wanted: usize = wanted.unwrap_or(50);
    let began = Instant::now();
    let mut world = World::new("faults");
    let mut faults = all_faults(&mut world);
    let all = faults.len();
    let mut dice = Random::new(wanted as u64);
    faults.sort_by_cached_key(|_| dice.next_u64());
    let (faults, met) = (Mutex::new(faults), Met::default());
    let (mut refusals, mut unknown) = (0, 0);
    std::thread::scope(|scope| {
        let workers = (0..WORKERS).map(|worker| {
            let (faults, met) = (&faults, &met);
            scope.spawn(move || torment(worker, faults, met, wanted))
        });
        for worker in workers.collect::<Vec<_>>() {
            let world = worker.join().unwrap();
            refusals += world.known.refusals;
            unknown += world.known.unknown;
        }
    });
    let count = met.all.load(Ordering::SeqCst);
    println!(
        "{count} faults met of {all} there are, in {} s: nothing lost, nothing doubled; {refusals} \
         requests refused meanwhile, {unknown} of them with an unknown outcome",
        began.elapsed().as_secs()
    );
    if faults.into_inner().unwrap().is_empty() {
        for (kind, through) in met.through.into_inner().unwrap() {
            assert!(through, "{kind:?}: there are more calls than were made to fail");
        }
    } else {
        assert!(count >= wanted);
    }
}

#[test]
fn a_full_disk_while_only_the_heart_beats_loses_nothing() {
    let mut world = World::new("faults-full");
    let server = world.start();
    let mut client = Client::new(&server.address, 3, None);
    client.with_clocks();
    world.control.arm(&Fault { class: 'w', error: ENOSPC, skip: 0, count: 1 << 30 });
    // Two beats at least; each is tried once.
    while world.control.met().len() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    world.control.disarm();
    client.shared();
    client.with_clocks();
    assert_eq!(client.known.refusals, 0, "there is space again");
    world.known = client.known;
    server.kill();
    world.start().kill();
}

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    let mut world = World::new("faults-power");
    let synced = world.folder.0.join("synced");
    std::fs::create_dir(&synced).unwrap();
    world.synced = Some(synced);
    for seed in 1..=6 {
        let server = world.start();
        let mut client = Client::new(&server.address, seed, None);
        client.with_clocks();
        client.shared();
        assert_eq!(client.known.refusals, 0);
        world.known.add(client.known);
        server.kill();
        world.cut_power();
    }
    world.start().kill();
}

#[test]
fn a_refused_commit_whose_sync_failed_does_not_come_back() {
    let mut world = World::new("faults-sync");
    let (mut refused, mut unknown) = (0, 0);
    for (count, seed) in [1, 2, 3, 4, 50].into_iter().zip(1..) {
        let server = world.start();
        let mut client = Client::new(&server.address, seed, None);
        let person = json!({ "kind": "person" });
        let wanted = json!({ "game": "gekitai", "seats": [person, person], "shared": true });
        let game = client.make(&wanted).unwrap();
        // Whoever is refused leaves, and the server is killed before it stores anything else.
        let left = AtomicBool::new(false);
        let mut client = client.who_may_leave(&left);
        world.control.arm(&Fault { class: 's', error: EIO, skip: 0, count });
        client.play(game);
        refused += client.known.refusals - client.known.unknown;
        unknown += client.known.unknown;
        world.known.add(client.known);
        server.kill();
    }
    world.start().kill();
    assert!(refused > 0 && unknown > 0, "{refused} refused, {unknown} unknown");
}

#[test]
fn a_running_clock_of_a_game_that_cannot_be_read_is_told_once() {
    let mut world = World::new("faults-unreadable");
    let server = world.start();
    let mut client = Client::new(&server.address, 3, None);
    let clock = json!({ "kind": "time", "seconds": 1 });
    let person = json!({ "kind": "person" });
    let wanted = json!({ "game": "gekitai", "seats": [person, person], "clock": clock });
    for game in 0..2 {
        assert_eq!(client.make(&wanted), Some(game));
        client.play(game).unwrap();
    }
    let damaged = client.known.games[0].id().to_owned();
    server.kill();
    let database = rusqlite::Connection::open(world.data()).unwrap();
    let damage = "UPDATE events SET payload = '{' WHERE seq = 2 AND game = ?1";
    assert_eq!(database.execute(damage, [&damaged]), Ok(1));
    drop(database);
    let mut server = world.spawn().unwrap();
    // The other clock runs out meanwhile, and a moment later than this one.
    let mut line = Line::open(&server.address).unwrap();
    let path = format!("/api/games/{}/events?follow=true", client.known.games[1].id());
    let (status, events) = line.ask("GET", &path, "", "").unwrap();
    assert!(status == 200 && events.contains(r#""reason":"time""#), "{events}");
    let (status, body) = line.ask("GET", &format!("/api/games/{damaged}"), "", "").unwrap();
    assert!(status == 500 && body.contains("this game cannot be read: event 2"), "{body}");
    let mut log = server.child.stderr.take().unwrap();
    server.kill();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut log, &mut said).unwrap();
    // That it cannot be read, that its clock is not kept, and the request.
    assert_eq!(said.lines().filter(|line| line.contains(&damaged)).count(), 3, "{said}");
}
