//! The store is the truth: what it has survives everything, what it has not did not happen.

use crate::common::{Folder, Local, Made, random_game};
use serde_json::{Value, json};
use server::Server;
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

async fn database(local: &Local) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(local.folder.0.join("games.db"));
    SqliteConnection::connect_with(&options).await.unwrap()
}

/// A game in every respect, but for the time of day.
async fn told(local: &Local, game: &Made) -> (Value, Vec<Value>) {
    let mut shown = local.show(game).await;
    shown["clocks"] = Value::Null;
    (shown, local.events(game).await)
}

#[tokio::test]
async fn a_game_is_the_same_after_every_restart() {
    let mut local = Local::new().await;
    let mut games = Vec::new();
    for entry in engine::GAMES {
        games.push((local.people(entry.info.id).await, random_game(entry.info.id, 6, 11)));
    }
    for ply in 0..6 {
        for (game, turns) in &games {
            local.play(game, ply % 2 + 1, &turns[ply]).await.ok();
        }
        let mut before = Vec::new();
        for (game, _) in &games {
            before.push(told(&local, game).await);
        }
        local = local.restart().await;
        for ((game, _), before) in games.iter().zip(&before) {
            assert_eq!(&told(&local, game).await, before);
        }
    }
    let (game, _) = &games[0];
    local.command(game, 1, json!({ "type": "offer-draw" })).await.ok();
    local.command(game, 2, json!({ "type": "accept" })).await.ok();
    local.command(game, 2, json!({ "type": "rematch" })).await.ok();
    let before = told(&local, game).await;
    local = local.restart().await;
    assert_eq!(told(&local, game).await, before);
    local.command(game, 1, json!({ "type": "rematch" })).await.ok();
}

#[tokio::test]
async fn a_game_that_was_dropped_from_memory_is_read_again() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    local.play(&game, 1, "c4").await.ok();
    let hall = &local.server.state().hall;
    hall.sweep(i64::MAX);
    assert_eq!(hall.metrics.live_games.load(std::sync::atomic::Ordering::Relaxed), 0);
    local.play(&game, 2, "d3").await.ok();
    let room = hall.room(&game.id).await.unwrap();
    hall.sweep(i64::MAX);
    assert_eq!(hall.metrics.live_games.load(std::sync::atomic::Ordering::Relaxed), 1);
    assert_eq!(room.seq(), 3);
}

#[tokio::test]
async fn what_another_process_has_stored_is_found_and_nothing_is_overwritten() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    assert_eq!(local.show(&game).await["seq"], 1);
    let mut database = database(&local).await;
    sqlx::query(
        "INSERT INTO events (game, seq, kind, payload, seat, at) VALUES ($1, 2, 'move', $2, 1, 5)",
    )
    .bind(&game.id)
    .bind(r#"{"turn":"c4"}"#)
    .execute(&mut database)
    .await
    .unwrap();
    // The cache believes that player 1 is to move; the store knows better.
    assert_eq!(local.play(&game, 1, "a1").await.refused(409), "it is not your turn");
    local.play(&game, 2, "d3").await.ok();
    assert_eq!(local.show(&game).await["turns"], json!(["c4", "d3"]));
}

#[tokio::test]
async fn a_store_that_fails_acknowledges_nothing_and_the_server_goes_on() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let mut database = database(&local).await;
    let broken = "CREATE TRIGGER broken BEFORE INSERT ON events
        BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END";
    sqlx::query(broken).execute(&mut database).await.unwrap();
    let action = json!({ "type": "move", "turn": "c4", "command": "one" });
    let reason = local.command(&game, 1, action.clone()).await.refused(503);
    assert!(reason.contains("disk is full"), "{reason}");
    assert!(reason.contains("nothing was stored"), "{reason}");
    assert_eq!(local.show(&game).await["seq"], 1);
    sqlx::query("DROP TRIGGER broken").execute(&mut database).await.unwrap();
    assert_eq!(local.command(&game, 1, action).await.ok()["seq"], 2);
}

#[tokio::test]
async fn a_damaged_game_is_an_error_of_its_own_and_others_go_on() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let other = local.people("gekitai").await;
    let mut database = database(&local).await;
    sqlx::query("UPDATE events SET payload = '{' WHERE game = $1")
        .bind(&game.id)
        .execute(&mut database)
        .await
        .unwrap();
    let answer = local.get(&format!("/api/games/{}", game.id)).await;
    assert!(answer.refused(500).contains("damaged"));
    local.play(&other, 1, "c4").await.ok();
}

#[tokio::test]
async fn a_file_is_opened_by_one_server_at_a_time() {
    let local = Local::new().await;
    let error = Server::open(&local.folder.config()).await.err().unwrap().to_string();
    assert!(error.contains("another server has"), "{error}");
    assert!(!error.contains('\n'));
    let local = local.restart().await;
    assert_eq!(local.get("/api/health").await.status.as_u16(), 200);
}

#[tokio::test]
async fn a_file_that_is_no_store_is_refused_in_one_line() {
    let folder = Folder::new();
    std::fs::write(
        folder.0.join("games.db"),
        "this is no database, but it is long enough".repeat(99),
    )
    .unwrap();
    let error = Server::open(&folder.config()).await.err().unwrap().to_string();
    assert!(error.contains("games.db") && !error.contains('\n'), "{error}");
}

async fn timed(local: &Local, clock: Value) -> Made {
    let person = json!({ "kind": "person" });
    local.make(json!({ "game": "gekitai", "seats": [person, person], "clock": clock })).await
}

#[tokio::test]
async fn a_clock_runs_from_the_first_turn_and_the_server_ends_the_game() {
    let local = Local::new().await;
    let game = timed(&local, json!({ "kind": "time", "seconds": 1, "increment": 9 })).await;
    let clocks = local.show(&game).await["clocks"].clone();
    assert_eq!((&clocks["left"], &clocks["running"]), (&json!([1_000, 1_000]), &Value::Null));
    let first = local.play(&game, 1, "c4").await.ok();
    let clocks = first["event"]["clocks"].clone();
    assert_eq!((&clocks["left"], &clocks["running"]), (&json!([1_000, 1_000]), &json!(2)));
    local.until(&game, 3).await;
    let events = local.events(&game).await;
    assert_eq!(events[2]["kind"], "result");
    assert_eq!((&events[2]["winner"], &events[2]["reason"]), (&json!(1), &json!("time")));
    assert_eq!(events[2]["clocks"]["left"], json!([1_000, 0]));
    assert!(events[2]["at"].as_i64() >= events[1]["at"].as_i64().map(|at| at + 1_000));
    assert_eq!(local.play(&game, 2, "d3").await.refused(409), "the game is over");
}

#[tokio::test]
async fn a_clock_waits_for_an_open_seat() {
    let local = Local::new().await;
    let seats = json!([{ "kind": "person" }, { "kind": "open" }]);
    let clock = json!({ "kind": "days", "days": 2 });
    let game = local.make(json!({ "game": "gekitai", "seats": seats, "clock": clock })).await;
    local.play(&game, 1, "c4").await.ok();
    assert_eq!(local.show(&game).await["clocks"]["running"], Value::Null);
    let joined = local.command(&game, 2, json!({ "type": "join", "name": "Bob" })).await.ok();
    assert_eq!(joined["event"]["clocks"]["running"], 2);
    assert_eq!(joined["event"]["clocks"]["left"][1], 2 * 24 * 60 * 60 * 1_000);
}

#[tokio::test]
async fn the_time_in_which_no_server_runs_costs_nobody_time() {
    let local = Local::new().await;
    let game = timed(&local, json!({ "kind": "time", "seconds": 60 })).await;
    local.play(&game, 1, "c4").await.ok();
    let untimed = local.people("gekitai").await;
    local.play(&untimed, 1, "c4").await.ok();
    // As if the server had been killed an hour after the last beat: set everything back.
    let mut database = database(&local).await;
    let hour = 3_600_000;
    let Local { server, folder } = local;
    server.close().await;
    for statement in [
        "UPDATE events SET at = at - $1",
        "UPDATE heartbeat SET at = at - $1",
        "UPDATE heartbeat SET at = at + 2000 - $1 * 0",
    ] {
        sqlx::query(statement).bind(hour).execute(&mut database).await.unwrap();
    }
    let local = Local { server: Server::open(&folder.config()).await.unwrap(), folder };
    let events = local.events(&game).await;
    let paused = events.last().unwrap();
    assert_eq!(paused["kind"], "paused");
    let (from, to) = (paused["from"].as_i64().unwrap(), paused["to"].as_i64().unwrap());
    assert!(to - from >= hour - 10_000);
    let since = events[1]["at"].as_i64().unwrap();
    let left = paused["clocks"]["left"][1].as_i64().unwrap();
    assert_eq!(left, 60_000 - (from - since), "only what passed before the pause counts");
    assert!((50_000..=58_000).contains(&left), "{left}");
    assert_eq!(local.events(&untimed).await.len(), 2, "a game without a clock is left alone");
    local.play(&game, 2, "d3").await.ok();
    let local = local.restart().await;
    assert_eq!(local.show(&game).await["result"], Value::Null);
}
