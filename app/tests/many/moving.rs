//! Games move from a file to a database and back.

use super::services::postgres;
use crate::wire::{Folder, Line, Server};
use engine::playouts::random_turn;
use rules::random::Random;
use serde_json::{Value, json};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn move_games(from: &str, to: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.args(["move-games", from, to]).output().unwrap()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Makes games and plays a few turns in each.
fn play(address: &str, count: u64) -> Vec<String> {
    let mut line = Line::open(address).unwrap();
    let games = (0..count).map(|seed| {
        let entry = &engine::GAMES[seed as usize % engine::GAMES.len()];
        let person = json!({ "kind": "person" });
        let clock = json!({ "kind": "time", "seconds": 900 });
        let wanted = json!({ "game": entry.info.id, "seats": [person, person], "clock": clock });
        let (_, made) = line.ask("POST", "/api/games", "", &wanted.to_string()).unwrap();
        let made: Value = serde_json::from_str(&made).unwrap();
        let id = made["id"].as_str().unwrap().to_owned();
        let mut session = (entry.start)(&Default::default()).unwrap();
        for _ in 0..4 {
            let token = made["tokens"][session.turn().index()].as_str().unwrap();
            let turn = random_turn(session.as_ref(), &mut Random::new(seed));
            session.play(&turn).unwrap();
            let wish = json!({ "type": "move", "turn": turn }).to_string();
            let path = format!("/api/games/{id}/commands");
            assert_eq!(line.ask("POST", &path, token, &wish).unwrap().0, 200);
        }
        id
    });
    games.collect()
}

fn events(address: &str, game: &str) -> String {
    let mut line = Line::open(address).unwrap();
    line.ask("GET", &format!("/api/games/{game}/events"), "", "").unwrap().1
}

#[test]
fn games_move_from_a_file_to_a_database_and_back_and_a_second_time_changes_nothing() {
    let folder = Folder::new("moving");
    let file = folder.0.join("games.db");
    let server = Server::start(&file);
    let games = play(&server.address, 12);
    let told: Vec<_> = games.iter().map(|game| events(&server.address, game)).collect();
    server.stop();
    let (from, to) = (file.to_str().unwrap(), postgres().url(&postgres().database()));
    let first = said(&move_games(from, &to));
    assert!(
        first.starts_with("12 games with 60 events are in both, 0 of them already were"),
        "{first}"
    );
    let again = said(&move_games(from, &to));
    assert!(
        again.starts_with("12 games with 60 events are in both, 12 of them already were"),
        "{again}"
    );
    let hash = |text: &str| text.lines().last().unwrap().to_owned();
    assert_eq!(hash(&first), hash(&again));
    let back = folder.0.join("back.db");
    assert_eq!(hash(&said(&move_games(&to, back.to_str().unwrap()))), hash(&first));
    let server = Server::start(&back);
    for (game, told) in games.iter().zip(&told) {
        assert_eq!(&events(&server.address, game), told);
    }
    server.kill();
    // Games that went on are not overwritten.
    let server = Server::start(&back);
    play(&server.address, 1);
    server.stop();
    let database = rusqlite::Connection::open(&back).unwrap();
    let other = "UPDATE events SET at = at + 1 WHERE seq = 3 AND game = ?1";
    assert_eq!(database.execute(other, [&games[0]]), Ok(1));
    drop(database);
    let refused = move_games(back.to_str().unwrap(), &to);
    assert_eq!(refused.status.code(), Some(2));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains(&games[0]) && text.lines().count() == 1, "{text}");
}

#[test]
fn games_are_not_moved_away_from_servers_that_run() {
    let database = postgres().url(&postgres().database());
    let server = Server::start(database.as_ref());
    play(&server.address, 1);
    let folder = Folder::new("moving-away");
    let refused = move_games(&database, folder.0.join("games.db").to_str().unwrap());
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("a server runs on `postgres://127.0.0.1"), "{text}");
    server.kill();
}

/// Makes this many copies of each game in a file.
fn multiply(file: &std::path::Path, copies: u32) {
    let database = rusqlite::Connection::open(file).unwrap();
    let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";
    for (table, rest) in
        [("events", "seq, kind, payload, seat, command, at"), ("tokens", "seat, hash")]
    {
        let sql = format!(
            "{numbers} INSERT INTO {table} (game, {rest})
             SELECT printf('%s%03d', substr(game, 1, length(game) - 3), i), {rest} FROM {table}, n"
        );
        database.execute(&sql, [copies]).unwrap();
    }
}

/// Begins to move games, and kills that when `moved` says that there are more than before. Returns how many were
/// there then.
fn begin_to_move(from: &str, to: &str, moved: &dyn Fn() -> usize) -> usize {
    let before = moved();
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    let command = command.args(["move-games", from, to]).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while moved() <= before && child.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing is moved");
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it was killed before its end");
    moved()
}

#[test]
fn a_move_that_was_killed_in_the_middle_is_begun_again_and_goes_on() {
    let folder = Folder::new("moving-killed");
    let (file, back) = (folder.0.join("games.db"), folder.0.join("back.db"));
    let server = Server::start(&file);
    play(&server.address, 4);
    server.stop();
    multiply(&file, 150);
    let database = postgres().database();
    let (from, to) = (file.to_str().unwrap(), postgres().url(&database));
    // Both ways: the file has 604 games.
    let in_database = || {
        let there = "SELECT CASE WHEN to_regclass('events') IS NULL THEN 0 ELSE 1 END";
        if postgres().ask(&database, there) == ["0"] {
            return 0;
        }
        let count = "SELECT count(DISTINCT game) FROM events";
        postgres().ask(&database, count)[0].parse().unwrap()
    };
    let in_file = || {
        let Ok(database) = rusqlite::Connection::open(&back) else { return 0 };
        let count = "SELECT count(DISTINCT game) FROM events";
        database.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap_or(0) as usize
    };
    let goes_on = |from: &str, to: &str, moved: &dyn Fn() -> usize| {
        let mut before = 0;
        for _ in 0..3 {
            let now = begin_to_move(from, to, moved);
            assert!(before < now && now < 604, "{before} {now}");
            before = now;
        }
        let text = said(&move_games(from, to));
        let known = text.split("both, ").nth(1).and_then(|rest| rest.split(' ').next());
        assert_eq!(known.and_then(|known| known.parse().ok()), Some(before), "{text}");
        assert!(text.starts_with("604 games with 3020 events are in both"), "{text}");
        text.lines().last().unwrap().to_owned()
    };
    let hash = goes_on(from, &to, &in_database);
    assert_eq!(goes_on(&to, back.to_str().unwrap(), &in_file), hash);
}
