//! A standby that lags is promoted while bots play. What it had heard of is the truth for everybody, and games go
//! on from there.

use super::services::{Nats, Postgres};
use super::wires::Wire;
use crate::wire::{Line, Server, serve};
use engine::Session;
use engine::playouts::random_turn;
use rules::random::Random;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const BOTS: u64 = 12;

/// A move that was acknowledged: when it was sent, its command, and the number that it got.
struct Acknowledged {
    sent: Instant,
    game: String,
    command: String,
    seq: u64,
}

/// What the bots share.
struct Stage {
    addresses: Mutex<Vec<String>>,
    over: AtomicBool,
    acknowledged: AtomicUsize,
}

impl Stage {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn ask(
        &self,
        dice: &mut Random,
        method: &str,
        path: &str,
        token: &str,
        body: &str,
    ) -> Option<(u16, Value)> {
        let addresses = self.addresses.lock().unwrap().clone();
        let address = &addresses[dice.below(addresses.len())];
        let mut line = Line::patient(address, Duration::from_secs(15))?;
        let (status, body) = line.ask(method, path, token, body)?;
        Some((status, serde_json::from_str(&body).unwrap_or_default()))
    }

    /// Waits until the bots have had some more moves acknowledged.
    fn wait_for(&self, more: usize) {
        let wanted = self.acknowledged.load(Ordering::SeqCst) + more;
        let began = Instant::now();
        while self.acknowledged.load(Ordering::SeqCst) < wanted {
            assert!(began.elapsed() < Duration::from_secs(60), "nothing is acknowledged any more");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The match as a server tells it.
fn session(shown: &Value) -> Option<Box<dyn Session>> {
    let entry = engine::find(shown["game"].as_str()?)?;
    let mut session = (entry.start)(&Default::default()).ok()?;
    for turn in shown["turns"].as_array()? {
        session.play(turn.as_str()?).expect("a server tells what is legal");
    }
    Some(session)
}

/// Plays both seats of games until it is over.
fn play(stage: &Stage, seed: u64) -> Vec<Acknowledged> {
    let mut dice = Random::new(seed);
    let mut told = Vec::new();
    while !stage.is_over() {
        let person = json!({ "kind": "person" });
        let wanted = json!({ "game": "six-making", "seats": [person, person] }).to_string();
        let Some((201, made)) = stage.ask(&mut dice, "POST", "/api/games", "", &wanted) else {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        play_game(stage, &mut dice, &made, &mut told);
    }
    told
}

fn play_game(stage: &Stage, dice: &mut Random, made: &Value, told: &mut Vec<Acknowledged>) {
    let path = format!("/api/games/{}", made["id"].as_str().unwrap());
    let mut number = 0;
    while !stage.is_over() {
        let shown = match stage.ask(dice, "GET", &path, "", "") {
            Some((200, shown)) => shown,
            // The game itself may have been lost.
            Some((404, _)) => return,
            _ => {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            }
        };
        let session = session(&shown).unwrap();
        if session.result().is_some() {
            return;
        }
        number += 1;
        let (command, turn) = (format!("c{number}"), random_turn(session.as_ref(), dice));
        let wish = json!({
            "type": "move", "turn": turn, "command": command, "board_seq": shown["board_seq"],
        });
        let token = made["tokens"][session.turn().index()].as_str().unwrap();
        while !stage.is_over() {
            let sent = Instant::now();
            let commands = format!("{path}/commands");
            match stage.ask(dice, "POST", &commands, token, &wish.to_string()) {
                Some((200, done)) => {
                    let game = made["id"].as_str().unwrap().to_owned();
                    let seq = done["seq"].as_u64().unwrap();
                    told.push(Acknowledged { sent, game, command, seq });
                    stage.acknowledged.fetch_add(1, Ordering::SeqCst);
                    break;
                }
                Some((404 | 409, _)) => break,
                Some((503, _)) | None => std::thread::sleep(Duration::from_millis(20)),
                Some((status, body)) => panic!("{status} {body}"),
            }
        }
        std::thread::sleep(Duration::from_millis(20 + dice.below(60) as u64));
    }
}

/// The commands of each game's events, by number.
type Stored = HashMap<String, Vec<(u64, String)>>;

fn stored(postgres: &Postgres, database: &str) -> Stored {
    let find = "SELECT game, seq, coalesce(command, '') FROM events ORDER BY game, seq";
    let mut games = Stored::new();
    for row in postgres.ask(database, find) {
        let mut fields = row.split('|');
        let mut next = || fields.next().unwrap().to_owned();
        games.entry(next()).or_default().push((next().parse().unwrap(), next()));
    }
    games
}

/// Every server tells what the database has, and nothing else.
fn compare(addresses: &[String], games: &Stored) {
    for address in addresses {
        for (game, rows) in games {
            let mut line = Line::open(address).unwrap();
            let path = format!("/api/games/{game}/events");
            let (status, body) = line.ask("GET", &path, "", "").unwrap();
            assert_eq!(status, 200, "{body}");
            let told: Vec<Value> =
                body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let numbers: Vec<_> = told.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
            let wanted: Vec<_> = rows.iter().map(|(seq, _)| *seq).collect();
            assert_eq!(numbers, wanted, "game {game} at {address}");
        }
    }
}

#[test]
fn games_go_on_from_what_a_lagging_standby_has_when_it_is_promoted_under_load() {
    let mut first = Postgres::start();
    let (database, nats) = (first.database(), Nats::start());
    let wire = Wire::new(first.port);
    let standby = first.lagging_standby(wire.port);
    let data = format!(
        "postgres://quadrille@127.0.0.1:{},127.0.0.1:{}/{database}?target_session_attrs=read-write",
        first.port, standby.port
    );
    let start = || {
        let mut command = serve(Path::new(&data));
        Server::spawn(command.args(["--nats", &nats.url()]).stderr(std::process::Stdio::null()))
            .unwrap_or_else(|output| panic!("no server: {output:?}"))
    };
    let mut servers = [start(), start()];
    let addresses = servers.iter().map(|server| server.address.clone()).collect();
    let stage =
        Stage { addresses: Mutex::new(addresses), over: false.into(), acknowledged: 0.into() };
    let (kept, promoted, told) = std::thread::scope(|scope| {
        let stage = &stage;
        let bots: Vec<_> = (0..BOTS).map(|seed| scope.spawn(move || play(stage, seed))).collect();
        stage.wait_for(100);
        wire.cut();
        stage.wait_for(60);
        let kept = stored(&standby, &database);
        first.kill();
        standby.promote();
        let promoted = Instant::now();
        stage.wait_for(100);
        stage.over.store(true, Ordering::SeqCst);
        let told = bots.into_iter().flat_map(|bot| bot.join().unwrap()).collect::<Vec<_>>();
        (kept, promoted, told)
    });
    let games = stored(&standby, &database);
    for (game, rows) in &games {
        let numbers = rows.iter().map(|(seq, _)| *seq);
        assert!(numbers.eq(1..=rows.len() as u64), "game {game} has a gap: {rows:?}");
        let before = kept.get(game).map_or(&[][..], Vec::as_slice);
        assert!(rows.starts_with(before), "game {game} has lost what the standby had");
    }
    let is_there = |own: &&Acknowledged| {
        let rows = games.get(&own.game);
        rows.is_some_and(|rows| rows.contains(&(own.seq, own.command.clone())))
    };
    let (there, lost): (Vec<_>, Vec<_>) = told.iter().partition(is_there);
    let late: Vec<_> = lost.iter().filter(|own| own.sent > promoted).collect();
    println!(
        "{} games, {} moves acknowledged, {} lost with the primary, {} of those acknowledged later",
        games.len(),
        told.len(),
        lost.len(),
        late.len()
    );
    assert!(late.is_empty(), "acknowledged by the new primary and lost");
    assert!(!lost.is_empty() && there.len() >= 200, "the standby lagged, and bots played");
    let addresses = || stage.addresses.lock().unwrap().clone();
    compare(&addresses(), &games);
    // A server that starts now has nothing in memory, and tells the same.
    servers[0] = start();
    *stage.addresses.lock().unwrap() =
        servers.iter().map(|server| server.address.clone()).collect();
    compare(&addresses(), &games);
}
