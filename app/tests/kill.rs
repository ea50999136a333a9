//! `kill -9` under load: every turn that was acknowledged is there afterwards, exactly once.
//!
//! Twenty rounds; more with `QUADRILLE_KILL_ROUNDS`. A round starts the server on the store of all
//! rounds before, checks the games of the last one, lets four pairs of bots play over HTTP, and kills the
//! process after a random number of acknowledged turns.

use crate::wire::{Folder, Line, Server};
use engine::Session;
use engine::playouts::random_turn;
use rules::random::Random;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const PAIRS: usize = 4;

/// One game and what its bots know of it.
struct Pair {
    id: String,
    tokens: [String; 2],
    session: Box<dyn Session>,
    /// What was acknowledged: the number of the event and the turn.
    acknowledged: Vec<(u64, String)>,
    /// A turn that was sent and not answered, with its command.
    open: Option<(String, String)>,
    commands: usize,
    random: Random,
}

impl Pair {
    fn make(line: &mut Line, seed: u64) -> Option<Pair> {
        let entry = &engine::GAMES[seed as usize % engine::GAMES.len()];
        let person = json!({ "kind": "person" });
        let wanted = json!({ "game": entry.info.id, "seats": [person, person] });
        let (status, body) = line.ask("POST", "/api/games", "", &wanted.to_string())?;
        assert_eq!(status, 201, "{body}");
        let made: Value = serde_json::from_str(&body).unwrap();
        let tokens = [0, 1].map(|i| made["tokens"][i].as_str().unwrap().to_owned());
        Some(Pair {
            id: made["id"].as_str().unwrap().to_owned(),
            tokens,
            session: (entry.start)(&Default::default()).unwrap(),
            acknowledged: Vec::new(),
            open: None,
            commands: 0,
            random: Random::new(seed),
        })
    }

    /// Sends a turn, a new one or the one that was not answered; none if the server is gone.
    fn step(&mut self, line: &mut Line) -> Option<()> {
        if self.open.is_none() {
            self.commands += 1;
            let command = format!("c{}", self.commands);
            self.open = Some((command, random_turn(self.session.as_ref(), &mut self.random)));
        }
        let (command, turn) = self.open.clone()?;
        let wish = json!({ "type": "move", "turn": turn, "command": command }).to_string();
        let path = format!("/api/games/{}/commands", self.id);
        let token = self.tokens[self.session.turn().index()].clone();
        let (status, body) = line.ask("POST", &path, &token, &wish)?;
        assert_eq!(status, 200, "{body}");
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer["event"]["turn"], turn.as_str());
        self.session.play(&turn).unwrap();
        self.acknowledged.push((answer["seq"].as_u64().unwrap(), turn));
        self.open = None;
        Some(())
    }

    /// Compares with what the store has: all that was acknowledged, and at most one turn more, which was
    /// sent and not answered. Returns whether that one is there.
    fn check(&self, line: &mut Line) -> bool {
        let path = format!("/api/games/{}/events", self.id);
        let (status, body) = line.ask("GET", &path, "", "").unwrap();
        assert_eq!(status, 200, "{body}");
        let events: Vec<Value> = body.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let seqs: Vec<_> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, (1..=events.len() as u64).collect::<Vec<_>>());
        let moves = events.iter().filter(|event| event["kind"] == "move");
        let turn = |event: &Value| event["turn"].as_str().unwrap().to_owned();
        let stored: Vec<_> = moves.map(|e| (e["seq"].as_u64().unwrap(), turn(e))).collect();
        let (known, more) = stored.split_at(self.acknowledged.len().min(stored.len()));
        assert_eq!(known, self.acknowledged, "acknowledged turns of game {}", self.id);
        match (more, &self.open) {
            ([], _) => false,
            ([(_, one)], Some((_, open))) => {
                assert_eq!(one, open);
                true
            }
            _ => panic!("turns of game {} that nobody made: {more:?}", self.id),
        }
    }
}

/// Plays on until the server is gone, with a new game whenever one is over. Returns all games.
fn play(address: &str, mut pairs: Vec<Pair>, seed: u64, acknowledged: &AtomicUsize) -> Vec<Pair> {
    let Some(mut line) = Line::open(address) else { return pairs };
    for number in 0.. {
        if pairs.last().is_none_or(|pair| pair.session.result().is_some()) {
            let Some(pair) = Pair::make(&mut line, seed + number) else { return pairs };
            pairs.push(pair);
        }
        let Some(pair) = pairs.last_mut() else { return pairs };
        if pair.step(&mut line).is_none() {
            return pairs;
        }
        acknowledged.fetch_add(1, Ordering::SeqCst);
    }
    pairs
}

#[test]
fn every_acknowledged_turn_survives_kill_9_exactly_once() {
    let rounds = std::env::var("QUADRILLE_KILL_ROUNDS").ok().and_then(|n| n.parse().ok());
    let rounds: u64 = rounds.unwrap_or(20);
    let folder = Folder::new("kill");
    let mut dice = Random::new(rounds);
    let mut pairs: Vec<Vec<Pair>> = (0..PAIRS).map(|_| Vec::new()).collect();
    let (mut acknowledged, mut open, mut stored) = (0, 0, 0);
    for round in 0..rounds {
        let server = Server::start(&folder.0);
        let mut line = Line::open(&server.address).unwrap();
        for own in &mut pairs {
            open += own.iter().filter(|pair| pair.open.is_some()).count();
            stored += own.iter().filter(|pair| pair.check(&mut line)).count();
            // Only the last game goes on; it repeats the command that was not answered.
            own.drain(..own.len().saturating_sub(1));
        }
        let count = Arc::new(AtomicUsize::new(0));
        let most = 1 + dice.below(40);
        let bots = pairs.drain(..).enumerate().map(|(i, own)| {
            let (address, count) = (server.address.clone(), Arc::clone(&count));
            let seed = round * 1_000 + i as u64 * 100;
            std::thread::spawn(move || play(&address, own, seed, &count))
        });
        let threads: Vec<_> = bots.collect();
        while count.load(Ordering::SeqCst) < most && threads.iter().any(|t| !t.is_finished()) {
            std::thread::yield_now();
        }
        server.kill();
        pairs.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
        acknowledged += count.load(Ordering::SeqCst);
    }
    let server = Server::start(&folder.0);
    let mut line = Line::open(&server.address).unwrap();
    for pair in pairs.iter().flatten() {
        pair.check(&mut line);
    }
    server.kill();
    println!(
        "{rounds} rounds: {acknowledged} turns acknowledged, none lost or doubled; {open} sent and not \
         answered, of which {stored} had been stored"
    );
    assert!(acknowledged >= rounds as usize);
}

#[test]
fn a_computer_whose_clock_runs_moves_after_a_restart_though_nobody_looks() {
    let folder = Folder::new("woken");
    let data = folder.0.join("games.db");
    let server = Server::start(&data);
    let mut line = Line::open(&server.address).unwrap();
    let seats = json!([{ "kind": "person" }, { "kind": "level", "level": 10 }]);
    let clock = json!({ "kind": "time", "seconds": 60 });
    let wanted = json!({ "game": "glaisher", "seats": seats, "clock": clock }).to_string();
    let (_, made) = line.ask("POST", "/api/games", "", &wanted).unwrap();
    let made: Value = serde_json::from_str(&made).unwrap();
    let (id, token) = (made["id"].as_str().unwrap(), made["tokens"][0].as_str().unwrap());
    let start = (engine::find("glaisher").unwrap().start)(&Default::default()).unwrap();
    let turn = random_turn(start.as_ref(), &mut Random::new(1));
    let wish = json!({ "type": "move", "turn": turn }).to_string();
    let path = format!("/api/games/{id}/commands");
    assert_eq!(line.ask("POST", &path, token, &wish).unwrap().0, 200);
    server.kill();
    let metrics = format!("127.0.0.1:{}", crate::wire::free_port());
    let mut command = crate::wire::serve(&data);
    let server = Server::spawn(command.args(["--metrics", &metrics])).unwrap();
    // The metrics tell without asking for the game: that would wake the computer.
    let began = Instant::now();
    loop {
        let mut line = Line::open(&metrics).unwrap();
        let (_, text) = line.ask("GET", "/metrics", "", "").unwrap();
        if text.lines().any(|line| line == "quadrille_turns_total 1") {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "the computer does not move");
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(server);
}
