//! The store is authoritative: what it has committed survives everything, and what it has not committed did not happen.

use crate::common::{Folder, Local, Made, random_game};
use rusqlite::Connection;
use serde_json::{Value, json};
use server::metrics::Metrics;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn database(folder: &Folder) -> Connection {
    Connection::open(folder.0.join("games.db")).unwrap()
}

/// Everything about a game except times.
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
    let hall = &local.server.hall();
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
    let insert =
        "INSERT INTO events (game, seq, kind, payload, seat, at) VALUES (?1, 2, 'move', ?2, 1, 5)";
    database(&local.folder).execute(insert, (&game.id, r#"{"turn":"c4"}"#)).unwrap();
    // According to the cache player 1 is to move, but not according to the store.
    assert_eq!(local.play(&game, 1, "a1").await.refused(409), "it is not your turn");
    local.play(&game, 2, "d3").await.ok();
    assert_eq!(local.show(&game).await["turns"], json!(["c4", "d3"]));
}

#[tokio::test]
async fn a_store_that_fails_acknowledges_nothing_and_the_server_goes_on() {
    // A full disk ends the transaction by itself; after other errors the writer has to.
    for how in ["FAIL", "ABORT", "ROLLBACK"] {
        let local = Local::new().await;
        let game = local.people("gekitai").await;
        let database = database(&local.folder);
        let broken = format!(
            "CREATE TRIGGER broken BEFORE INSERT ON events
             BEGIN SELECT RAISE({how}, 'database or disk is full'); END"
        );
        database.execute_batch(&broken).unwrap();
        let action = json!({ "type": "move", "turn": "c4", "command": "one" });
        let reason = local.command(&game, 1, action.clone()).await.refused(503);
        assert!(reason.contains("disk is full"), "{reason}");
        assert!(reason.contains("nothing was stored"), "{reason}");
        assert_eq!(local.show(&game).await["seq"], 1);
        database.execute_batch("DROP TRIGGER broken").unwrap();
        assert_eq!(local.command(&game, 1, action).await.ok()["seq"], 2);
        let stored = "SELECT count(*) FROM events WHERE command = 'one'";
        assert_eq!(database.query_row(stored, [], |row| row.get::<_, i64>(0)), Ok(1), "{how}");
    }
}

#[tokio::test]
async fn a_heart_that_cannot_beat_does_no_harm() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let database = database(&local.folder);
    let broken = "CREATE TRIGGER broken BEFORE INSERT ON heartbeat
        BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END";
    database.execute_batch(broken).unwrap();
    assert!(local.server.hall().store.beat(1).await.is_err());
    local.play(&game, 1, "c4").await.ok();
    let stored = "SELECT count(*) FROM events WHERE kind = 'move'";
    assert_eq!(database.query_row(stored, [], |row| row.get::<_, i64>(0)), Ok(1));
}

#[tokio::test]
async fn one_of_many_that_are_stored_together_may_meet_a_conflict() {
    let local = Local::new().await;
    let (game, other) = (local.people("gekitai").await, local.people("gekitai").await);
    // Enough for the writer to find most of them waiting.
    let mut tasks = tokio::task::JoinSet::new();
    for i in 0..40 {
        let (router, game) = (local.server.router(), if i % 2 == 0 { &game } else { &other });
        let cell = format!("{}{}", ["a", "b", "c", "d", "e", "f"][i / 2 % 6], i / 12 + 1);
        let body = json!({ "type": "move", "turn": cell, "command": format!("{i}") }).to_string();
        let request = axum::http::Request::post(format!("/api/games/{}/commands", game.id))
            .header("authorization", format!("Bearer {}", game.tokens[0]));
        tasks.spawn(crate::common::send(router, request.body(body.into()).unwrap()));
    }
    let answers = tasks.join_all().await;
    let done = answers.iter().filter(|answer| answer.status.is_success()).count();
    assert_eq!(done, 2, "the first turn of each game");
    assert!(answers.iter().all(|answer| [200, 409].contains(&answer.status.as_u16())));
    assert_eq!((local.events(&game).await.len(), local.events(&other).await.len()), (2, 2));
}

#[tokio::test]
async fn a_damaged_game_is_an_error_of_its_own_and_others_go_on() {
    let mut local = Local::new().await;
    let other = local.people("gekitai").await;
    let mut damaged = Vec::new();
    let damages = [
        "UPDATE events SET payload = '{' WHERE game = ?1",
        "UPDATE events SET payload = x'ff' WHERE game = ?1",
        "UPDATE events SET at = 'noon' WHERE game = ?1",
        "UPDATE events SET at = 9223372036854775807 WHERE game = ?1",
        "UPDATE events SET kind = 'joined', payload = '{}' WHERE game = ?1",
        "UPDATE tokens SET hash = 'ff' WHERE game = ?1",
    ];
    for damage in damages {
        let game = local.people("gekitai").await;
        local.play(&game, 1, "c4").await.ok();
        database(&local.folder).execute(damage, [&game.id]).unwrap();
        damaged.push(game);
    }
    local = local.restart().await;
    for game in damaged {
        let reason = local.get(&format!("/api/games/{}", game.id)).await.refused(500);
        assert!(reason.starts_with("this game cannot be read: "), "{reason}");
        assert!(reason.ends_with("; the host was told"), "{reason}");
        assert_eq!(local.play(&game, 2, "d3").await.refused(500), reason);
    }
    local.play(&other, 1, "c4").await.ok();
}

#[tokio::test]
async fn a_game_with_a_gap_opens_up_to_it_and_takes_no_moves() {
    let mut local = Local::new().await;
    let game = local.people("gekitai").await;
    for (seat, turn) in [(1, "c4"), (2, "d3"), (1, "a1")] {
        local.play(&game, seat, turn).await.ok();
    }
    let damage = "UPDATE events SET seq = 7 WHERE game = ?1 AND seq = 3";
    database(&local.folder).execute(damage, [&game.id]).unwrap();
    local = local.restart().await;
    assert_eq!(local.show(&game).await["turns"], json!(["c4"]));
    assert_eq!(local.events(&game).await.len(), 2);
    let refused = local.play(&game, 2, "d3").await.refused(409);
    assert!(refused.contains("lost"), "{refused}");
    assert_eq!(local.show(&game).await["seq"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_free_when_its_store_has_ended_although_somebody_left_while_it_was_read() {
    let folder = Folder::new();
    let path = folder.config().data;
    let open = || server::store::open(&path, Arc::new(Metrics::default()));
    let (store, end) = open().await.unwrap();
    drop(store);
    let _ = end.await;
    // Enough that reading them takes a while.
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
                INSERT INTO running (game, at) SELECT 'game' || i, 0 FROM n";
    database(&folder).execute_batch(many).unwrap();
    let (store, end) = open().await.unwrap();
    let reader = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.running().await.map(|found| found.len()) }
    });
    tokio::time::sleep(Duration::from_millis(20)).await;
    reader.abort();
    assert!(reader.await.is_err(), "it is still reading");
    store.close();
    drop(store);
    let _ = end.await;
    open().await.expect("nobody has the file open");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_free_when_its_store_has_ended_although_programs_were_started_meanwhile() {
    let folder = Folder::new();
    let path = folder.config().data;
    let done = Arc::new(AtomicBool::new(false));
    // A child process holds all open files until it calls exec.
    let starters = [(); 2].map(|()| {
        let done = Arc::clone(&done);
        std::thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                std::process::Command::new("true").status().unwrap();
            }
        })
    });
    let mut refused = Vec::new();
    for _ in 0..100 {
        match server::store::open(&path, Arc::new(Metrics::default())).await {
            Ok((store, end)) => {
                store.close();
                drop(store);
                let _ = end.await;
            }
            Err(error) => refused.push(error.to_string()),
        }
    }
    done.store(true, Ordering::Relaxed);
    starters.into_iter().for_each(|starter| starter.join().unwrap());
    assert_eq!(refused, [""; 0]);
}
