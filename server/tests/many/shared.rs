//! Any server serves any game, whatever its own clock says.

use crate::common::services::{nats, postgres};
use crate::common::{Folder, Local, Made, random_game, within};
use axum::http::Request;
use serde_json::{Value, json};
use server::clocks::time::Source;
use server::games::room::Presence;
use server::metrics::Metrics;
use server::{Config, Server};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A machine whose wall clock is off by this many milliseconds.
struct Wrong(Instant, i64);

impl Source for Wrong {
    fn steady(&self) -> Duration {
        self.0.elapsed() + Duration::from_millis(self.1.unsigned_abs())
    }

    fn wall(&self) -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        i64::try_from(now.as_millis()).unwrap() + self.1
    }
}

/// Servers sharing a database, with clocks that are off by this much.
pub async fn servers(clocks: &[i64], change: impl Fn(&mut Config)) -> Vec<Local> {
    let postgres = postgres();
    servers_on(&postgres.url(&postgres.database()), clocks, change).await
}

/// Servers sharing an existing database.
pub async fn servers_on(data: &str, clocks: &[i64], change: impl Fn(&mut Config)) -> Vec<Local> {
    let mut servers = Vec::new();
    for wrong in clocks {
        let folder = Folder::new();
        let mut config = folder.config();
        config.data = data.into();
        change(&mut config);
        let source = Arc::new(Wrong(Instant::now(), *wrong));
        servers.push(Local { server: Server::open_at(&config, source).await.unwrap(), folder });
    }
    servers
}

fn with_news(config: &mut Config) {
    config.nats = Some(nats().url());
}

async fn with_clock(local: &Local, seats: [Value; 2], seconds: u32) -> Made {
    let clock = json!({ "kind": "time", "seconds": seconds });
    local.make(json!({ "game": "gekitai", "seats": seats, "clock": clock })).await
}

pub fn person() -> Value {
    json!({ "kind": "person" })
}

/// Waits until a server knows that a game has this many events.
async fn follows(local: &Local, game: &Made, seq: i64) {
    let room = local.server.hall().in_memory(&game.id).expect("it is in memory");
    let mut hints = room.follow();
    within(async {
        while room.seq() < seq {
            hints.changed().await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn players_at_different_servers_are_never_refused_what_the_store_allows() {
    let servers = servers(&[0, 0, 0], |_| {}).await;
    let game = servers[0].people("six-making").await;
    let turns = random_game("six-making", 60, 5);
    for (i, turn) in turns.iter().enumerate() {
        // All servers have it in memory, and nearly all are out of date.
        servers[i % 3].play(&game, i % 2 + 1, turn).await.ok();
        assert_eq!(servers[(i + 1) % 3].show(&game).await["seq"], i + 2);
    }
    let told = servers[0].events(&game).await;
    for local in &servers {
        assert_eq!(local.events(&game).await, told);
    }
    let refused = servers[1].play(&game, 1, "a1").await;
    assert!(!refused.status.is_success());
}

#[tokio::test]
async fn a_move_is_durable_whatever_the_defaults_of_the_database_are() {
    let postgres = postgres();
    let database = postgres.database();
    for setting in ["default_transaction_isolation = 'serializable'", "synchronous_commit = off"] {
        postgres.ask(&database, &format!("ALTER DATABASE {database} SET {setting}"));
    }
    let servers = servers_on(&postgres.url(&database), &[0, 0], |_| {}).await;
    postgres.ask(
        &database,
        "CREATE FUNCTION look() RETURNS TRIGGER AS $$ BEGIN
             ASSERT current_setting('synchronous_commit') = 'on', 'not durable';
             ASSERT current_setting('transaction_isolation') = 'read committed', 'isolation';
             RETURN NULL;
         END $$ LANGUAGE plpgsql;
         CREATE TRIGGER look BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION look()",
    );
    let game = servers[0].people("gekitai").await;
    servers[1].play(&game, 1, "c4").await.ok();
    // Two servers want the same event number: one gets it, the other re-reads the game.
    let (one, two) = tokio::join!(servers[0].play(&game, 2, "d4"), servers[1].play(&game, 2, "e4"));
    let stored = [one, two].iter().filter(|answer| answer.status == 200).count();
    assert_eq!(stored, 1);
    assert_eq!(servers[0].events(&game).await, servers[1].events(&game).await);
}

#[tokio::test]
async fn a_command_that_is_repeated_at_another_server_is_done_once() {
    let servers = servers(&[0, 0], |_| {}).await;
    let game = servers[0].people("gekitai").await;
    servers[1].show(&game).await;
    let action = json!({ "type": "move", "turn": "c4", "command": "one" });
    let first = servers[0].command(&game, 1, action.clone()).await.ok();
    assert_eq!(servers[1].command(&game, 1, action).await.ok(), first);
    assert_eq!(servers[1].events(&game).await.len(), 2);
}

#[tokio::test]
async fn what_is_new_is_heard_with_nats_and_looked_up_without() {
    for news in [true, false] {
        let change = |config: &mut Config| {
            if news {
                with_news(config);
            }
        };
        let servers = servers(&[0, 0], change).await;
        let metric =
            |local: &Local, which: fn(&Metrics) -> i64| which(&local.server.hall().metrics);
        let connected = |metrics: &Metrics| metrics.connected.load(Ordering::Relaxed);
        let missed = |metrics: &Metrics| metrics.missed.load(Ordering::Relaxed) as i64;
        within(async {
            while news && servers.iter().any(|local| metric(local, connected) == 0) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
        let health = servers[0].get("/api/health").await.ok();
        assert_eq!(health["news"], if news { "ok" } else { "away" });
        let game = servers[0].people("gekitai").await;
        servers[1].show(&game).await;
        let mut heard = 0;
        for (i, turn) in random_game("gekitai", 6, 5).iter().enumerate() {
            let before = metric(&servers[1], missed);
            let watch = follows(&servers[1], &game, i as i64 + 2);
            let (_, _) = tokio::join!(watch, servers[0].play(&game, i % 2 + 1, turn));
            // On a busy machine, polling may be faster than the notification.
            heard += usize::from(metric(&servers[1], missed) == before);
        }
        match news {
            true => assert!(heard >= 4, "{heard}"),
            false => assert_eq!(heard, 0),
        }
    }
}

#[tokio::test]
async fn clocks_agree_though_those_of_the_machines_are_minutes_apart() {
    let servers = servers(&[0, 600_000, -420_000], |_| {}).await;
    let game = with_clock(&servers[0], [person(), person()], 60).await;
    let turns = random_game("gekitai", 12, 3);
    for (i, turn) in turns.iter().enumerate() {
        servers[i % 3].play(&game, i % 2 + 1, turn).await.ok();
    }
    let events = servers[0].events(&game).await;
    let times: Vec<_> = events.iter().map(|event| event["at"].as_i64().unwrap()).collect();
    assert!(times.windows(2).all(|two| two[0] <= two[1]), "{times:?}");
    let whole = times.last().unwrap() - times[0];
    assert!(whole < 20_000, "{whole}");
    for local in &servers {
        let shown = local.show(&game).await;
        let left: Vec<_> = (0..2).map(|i| shown["clocks"]["left"][i].as_i64().unwrap()).collect();
        assert!(left.iter().all(|own| (30_000..=60_000).contains(own)), "{left:?}");
        let now = local.server.hall().time.now();
        let other = servers[0].server.hall().time.now();
        assert!((now - other).abs() < 1_000, "{now} {other}");
    }
}

#[tokio::test]
async fn a_flag_falls_though_the_server_of_the_game_has_gone_and_no_pause_is_noted() {
    let mut servers = servers(&[0, 300_000], |_| {}).await;
    let game = with_clock(&servers[0], [person(), person()], 2).await;
    servers[0].play(&game, 1, "c4").await.ok();
    let gone = servers.remove(0);
    gone.server.close().await;
    let left = &servers[0];
    within(async {
        while left.show(&game).await["result"].is_null() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let shown = left.show(&game).await;
    assert_eq!(shown["result"], json!({ "winner": 1, "reason": "time" }));
    assert_eq!(left.server.hall().time.pauses.count(), 0);
}

#[tokio::test]
async fn a_computer_moves_once_however_many_servers_have_its_game() {
    let servers = servers(&[0, 0, 0], with_news).await;
    let computer = json!({ "kind": "level", "level": 1 });
    let seats = json!([person(), computer]);
    let game = servers[0].make(json!({ "game": "gekitai", "seats": seats })).await;
    for local in &servers {
        local.show(&game).await;
    }
    let mut played = 0;
    for turn in ["a1", "f6", "a6", "f1", "c3", "d4", "b5", "e2"] {
        // The computer may have occupied the cell.
        if played == 4 || !servers[played % 3].play(&game, 1, turn).await.status.is_success() {
            continue;
        }
        played += 1;
        let seq = 1 + 2 * played as i64;
        within(async {
            while servers[0].show(&game).await["seq"].as_i64() < Some(seq) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    let events = servers[2].events(&game).await;
    let moves: Vec<_> = events.iter().filter(|event| event["kind"] == "move").collect();
    for (i, event) in moves.iter().enumerate() {
        assert_eq!(event["seat"], i % 2 + 1, "{events:?}");
    }
    // Sometimes the computer wins before that.
    let over = events.iter().any(|event| event["kind"] == "result");
    assert!(moves.len() == 8 || over, "{events:?}");
}

#[tokio::test]
async fn who_asks_for_a_clock_gets_it_with_every_pause_that_is_known() {
    let servers = servers(&[0, 0], |_| {}).await;
    let mut games = Vec::new();
    for _ in 0..60 {
        let game = with_clock(&servers[0], [person(), person()], 60).await;
        servers[0].play(&game, 1, "c4").await.ok();
        games.push(game);
    }
    let time = &servers[1].server.hall().time;
    let from = time.now();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let to = time.now();
    for game in &games {
        servers[1].play(game, 2, "d4").await.ok();
    }
    // Another server has recorded a pause for that time, so the clocks of all these games have to be recomputed.
    servers[0].server.hall().store.note(vec![(from, to)]).await.unwrap();
    within(async {
        while time.pauses.count() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
    for game in &games {
        let told = servers[1].show(game).await;
        let events = servers[1].events(game).await;
        let at = |seq: usize| events[seq - 1]["at"].as_i64().unwrap();
        // The servers' clocks differ by a few milliseconds, so the last turns may lie in the pause.
        let paused = to.min(at(3)) - from.max(at(2));
        let left = 60_000 - (at(3) - at(2) - paused);
        assert_eq!(told["clocks"]["left"][1], left, "{told}");
    }
}

#[tokio::test]
async fn a_computer_answers_though_the_server_that_should_let_it_has_gone() {
    let mut servers = servers(&[0, 0], |_| {}).await;
    let seats = json!([person(), { "kind": "level", "level": 10 }]);
    let game = servers[0].make(json!({ "game": "gekitai", "seats": seats })).await;
    servers[0].play(&game, 1, "c4").await.ok();
    // At this level a turn takes a second and a half; this server stops before that.
    servers.remove(0).server.close().await;
    within(async {
        while servers[0].show(&game).await["seq"] != 3 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_address_has_one_purse_at_all_servers_about() {
    let servers = servers(&[0, 0], |config| {
        with_news(config);
        config.new_games = 4;
    })
    .await;
    let wanted = json!({ "game": "gekitai", "seats": [person(), person()] });
    within(async {
        // What an address has spent on one server reaches the other within two seconds.
        for i in 0.. {
            let request = Request::post("/api/games").body(wanted.to_string().into()).unwrap();
            let answer = servers[i % 2].send_from([10, 0, 0, 77], request).await;
            if answer.status == 429 {
                assert!((4..=6).contains(&i), "{i} games");
                break;
            }
            tokio::time::sleep(Duration::from_millis(1_500)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn who_sits_at_one_server_is_seen_at_another_until_he_leaves() {
    let servers = servers(&[0, 0], with_news).await;
    let game = servers[0].people("gekitai").await;
    let here = servers[0].server.hall().room(&game.id).await.unwrap();
    let there = servers[1].server.hall().room(&game.id).await.unwrap();
    let (_follows, mut hints) = (here.follow(), there.follow());
    let presence = Presence::new(&here, vec![rules::Player::Two]);
    let mut until = async |seats: [bool; 2]| {
        within(async {
            while there.present().seats != seats.into() {
                hints.changed().await.unwrap();
            }
        })
        .await;
    };
    until([false, true]).await;
    drop(presence);
    until([false, false]).await;
}

#[tokio::test]
async fn a_pause_that_is_known_later_than_what_was_stored_in_it_counts_the_same_at_all_servers() {
    let database = postgres().database();
    let servers = servers_on(&postgres().url(&database), &[0, 0], |_| {}).await;
    let game = with_clock(&servers[0], [person(), person()], 60).await;
    servers[0].play(&game, 1, "c4").await.ok();
    tokio::time::sleep(Duration::from_millis(400)).await;
    servers[0].play(&game, 2, "a1").await.ok();
    tokio::time::sleep(Duration::from_millis(200)).await;
    servers[0].play(&game, 1, "f6").await.ok();
    let told = servers[0].events(&game).await;
    let left = |events: &[Value], i: usize| events[i]["clocks"]["left"][1].as_i64().unwrap();
    // As recorded by a server that could not reach the database for a while.
    let at = told[2]["at"].as_i64().unwrap();
    let noted = format!("INSERT INTO pauses (since, until) VALUES ({}, {})", at - 300, at + 100);
    postgres().ask(&database, &noted);
    within(async {
        for local in &servers {
            while left(&local.events(&game).await, 2) != left(&told, 2) + 300 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    })
    .await;
    let later = servers_on(&postgres().url(&database), &[0], |_| {}).await;
    for local in [&servers[0], &servers[1]] {
        assert_eq!(local.events(&game).await, later[0].events(&game).await);
    }
    // So does what follows.
    servers[0].play(&game, 2, "a6").await.ok();
    assert_eq!(servers[0].events(&game).await, later[0].events(&game).await);
}
