//! Clocks run while people can play, whatever happens to the machine's clock.

use crate::club::{command, first_of, meet, player, terms};
use crate::common::{Folder, Local, Made, random_game, within};
use futures_util::StreamExt;
use rusqlite::Connection;
use serde_json::{Value, json};
use server::Server;
use server::clocks::time::Source;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;

const SECOND: i64 = 1_000;
const HOUR: i64 = 3_600 * SECOND;

/// A machine's clocks, which stand still until a test moves them.
struct Hands {
    steady: AtomicI64,
    wall: AtomicI64,
}

impl Source for Hands {
    fn steady(&self) -> Duration {
        Duration::from_millis(self.steady.load(Ordering::SeqCst).unsigned_abs())
    }

    fn wall(&self) -> i64 {
        self.wall.load(Ordering::SeqCst)
    }
}

impl Hands {
    fn new() -> Arc<Hands> {
        Arc::new(Hands { steady: 5.into(), wall: 1_800_000_000_000_i64.into() })
    }

    /// Sets the wall clock, or makes the machine sleep.
    fn set(&self, by: i64) {
        self.wall.fetch_add(by, Ordering::SeqCst);
    }

    /// Time passes.
    fn pass(&self, by: i64) {
        self.steady.fetch_add(by, Ordering::SeqCst);
        self.set(by);
    }
}

/// A server whose time is controlled by the test.
struct Timed {
    local: Local,
    hands: Arc<Hands>,
}

impl Timed {
    async fn new() -> Timed {
        let (folder, hands) = (Folder::new(), Hands::new());
        let server = Server::open_at(&folder.config(), Arc::clone(&hands) as _).await.unwrap();
        Timed { local: Local { server, folder }, hands }
    }

    /// Stops the server, sets the machine's clock, and starts the server again.
    async fn restart(self, set: i64) -> Timed {
        let Timed { local: Local { server, folder }, hands } = self;
        server.close().await;
        hands.set(set);
        let server = Server::open_at(&folder.config(), Arc::clone(&hands) as _).await.unwrap();
        Timed { local: Local { server, folder }, hands }
    }

    async fn make(&self, clock: Value) -> Made {
        let person = json!({ "kind": "person" });
        let seats = json!([person, person]);
        self.local.make(json!({ "game": "gekitai", "seats": seats, "clock": clock })).await
    }

    /// A game in which the clock of player 2 runs, with this many seconds left.
    async fn running(&self, seconds: u32) -> Made {
        let game = self.make(json!({ "kind": "time", "seconds": seconds })).await;
        self.local.play(&game, 1, "c4").await.ok();
        game
    }

    async fn left(&self, game: &Made) -> i64 {
        self.local.show(game).await["clocks"]["left"][1].as_i64().unwrap()
    }

    /// Waits until the server has noticed this many pauses.
    async fn until_paused(&self, count: usize) {
        let pauses = &self.local.server.hall().time.pauses;
        within(async {
            while pauses.count() < count {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
    }

    fn database(&self) -> Connection {
        Connection::open(self.local.folder.0.join("games.db")).unwrap()
    }
}

#[tokio::test]
async fn a_clock_runs_from_the_first_turn_and_the_server_ends_the_game() {
    let timed = Timed::new().await;
    let (local, hands) = (&timed.local, &timed.hands);
    let game = timed.make(json!({ "kind": "time", "seconds": 4, "increment": 9 })).await;
    hands.pass(3_000);
    let clocks = local.show(&game).await["clocks"].clone();
    assert_eq!((&clocks["left"], &clocks["running"]), (&json!([4_000, 4_000]), &Value::Null));
    let first = local.play(&game, 1, "c4").await.ok();
    let clocks = first["event"]["clocks"].clone();
    assert_eq!((&clocks["left"], &clocks["running"]), (&json!([4_000, 4_000]), &json!(2)));
    hands.pass(3_999);
    assert_eq!(timed.left(&game).await, 1);
    hands.pass(200);
    local.until(&game, 3).await;
    let events = local.events(&game).await;
    assert_eq!(events[2]["kind"], "result");
    assert_eq!((&events[2]["winner"], &events[2]["reason"]), (&json!(1), &json!("time")));
    assert_eq!(events[2]["clocks"]["left"], json!([4_000, 0]));
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
    assert_eq!(joined["event"]["clocks"]["left"][1], 48 * HOUR);
}

#[tokio::test]
async fn a_clock_of_the_machine_that_is_set_changes_no_game() {
    for by in [-5 * HOUR, 5 * HOUR] {
        let timed = Timed::new().await;
        let game = timed.running(60).await;
        timed.hands.pass(2 * SECOND);
        timed.hands.set(by);
        if by > 0 {
            timed.until_paused(1).await;
        }
        assert_eq!(timed.left(&game).await, 58_000, "{by}");
        timed.hands.pass(3 * SECOND);
        assert_eq!(timed.left(&game).await, 55_000, "{by}");
        let played = timed.local.play(&game, 2, "d3").await.ok();
        assert_eq!(played["event"]["clocks"]["left"], json!([60_000, 55_000]), "{by}");
        // And the flag falls when it should.
        let short = timed.running(4).await;
        timed.hands.set(-by);
        timed.hands.pass(3_900);
        assert_eq!(timed.left(&short).await, 100, "{by}");
        timed.hands.pass(300);
        timed.local.until(&short, 3).await;
        assert_eq!(timed.local.show(&short).await["result"]["reason"], "time");
        assert_eq!(timed.local.show(&game).await["result"], Value::Null);
        assert_eq!(timed.local.events(&game).await.len(), 3, "no event tells of it");
    }
}

#[tokio::test]
async fn a_restart_under_another_clock_of_the_machine_changes_no_game() {
    for by in [0, -5 * HOUR, 5 * HOUR] {
        let timed = Timed::new().await;
        let game = timed.running(60).await;
        timed.hands.pass(SECOND);
        // The last heartbeat is the one stored while stopping.
        let timed = timed.restart(by).await;
        assert_eq!(timed.left(&game).await, 59_000, "{by}");
        timed.hands.pass(4 * SECOND);
        assert_eq!(timed.left(&game).await, 55_000, "{by}");
        let played = timed.local.play(&game, 2, "d3").await.ok();
        assert_eq!(played["event"]["clocks"]["left"], json!([60_000, 55_000]), "{by}");
        let timed = timed.restart(-by).await;
        timed.hands.pass(2 * SECOND);
        let clocks = timed.local.show(&game).await["clocks"].clone();
        assert_eq!(clocks["left"], json!([58_000, 55_000]), "{by}");
        let short = timed.running(3).await;
        let timed = timed.restart(by).await;
        timed.hands.pass(3_200);
        timed.local.until(&short, 3).await;
        assert_eq!(timed.local.events(&game).await.len(), 3, "no event tells of a restart");
    }
}

#[tokio::test]
async fn a_server_that_stands_still_takes_nobody_s_time() {
    let timed = Timed::new().await;
    let game = timed.running(60).await;
    timed.hands.pass(2 * SECOND);
    timed.local.server.hall().store.beat(1_800_000_002_000).await.unwrap();
    timed.hands.pass(8 * HOUR);
    // The player's request arrives before the server next checks the time.
    timed.local.play(&game, 2, "d3").await.ok();
    let clocks = timed.local.show(&game).await["clocks"].clone();
    assert_eq!(clocks["left"], json!([60_000, 58_000]));
}

#[tokio::test]
async fn what_is_stored_first_after_a_standstill_does_not_hide_it() {
    let computer = json!({ "kind": "level", "level": 1 });
    let clock = json!({ "kind": "time", "seconds": 60 });
    for seats in [json!([{ "kind": "person" }, computer]), json!([computer, { "kind": "person" }])]
    {
        let timed = Timed::new().await;
        let game = timed.running(60).await;
        timed.hands.pass(2 * SECOND);
        // Just after a heartbeat, so that the next one is later than what is stored now.
        let beaten = 1_800_000_002_000;
        let store = &timed.local.server.hall().store;
        within(async {
            while store.alive() < beaten {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        timed.hands.pass(8 * HOUR);
        let wanted = json!({ "game": "gekitai", "seats": seats, "clock": clock });
        let new = timed.local.make(wanted).await;
        if seats[0] == computer {
            timed.local.until(&new, 2).await;
        }
        assert_eq!(timed.left(&game).await, 58_000, "after a game with {seats}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_loses_the_time_in_which_nothing_was_stored_whoever_notices_first() {
    const GAMES: usize = 24;
    let timed = Arc::new(Timed::new().await);
    let turns = Arc::new(random_game("gekitai", 12, 3));
    let mut games = Vec::new();
    for _ in 0..GAMES {
        games.push(timed.make(json!({ "kind": "time", "seconds": 60 })).await);
    }
    let games = Arc::new(games);
    for i in 0..turns.len() {
        let mut tasks = tokio::task::JoinSet::new();
        for game in 0..GAMES {
            let (timed, games, turns) =
                (Arc::clone(&timed), Arc::clone(&games), Arc::clone(&turns));
            tasks.spawn(async move {
                // Staggered, so that some arrive while the first is recording the pause.
                tokio::time::sleep(Duration::from_micros(50 * game as u64)).await;
                timed.local.play(&games[game], i % 2 + 1, &turns[i]).await.ok();
            });
        }
        while let Some(played) = tasks.join_next().await {
            played.unwrap();
        }
        timed.hands.pass(8 * HOUR);
    }
}

#[tokio::test]
async fn a_sleep_of_the_machine_takes_nobody_s_time() {
    let timed = Timed::new().await;
    let game = timed.running(60).await;
    timed.hands.set(8 * HOUR);
    timed.until_paused(1).await;
    assert_eq!(timed.left(&game).await, 60_000);
    let at = timed.local.play(&game, 2, "d3").await.ok()["event"]["at"].clone();
    assert_eq!(at, 1_800_000_000_000_i64 + 8 * HOUR, "what is stored has the right date");
}

#[tokio::test]
async fn a_public_game_is_not_called_off_for_turns_that_nobody_could_make() {
    for turns in [0, 1] {
        is_not_called_off(turns).await;
    }
}

/// Stops the server after this many turns of a public game.
async fn is_not_called_off(turns: usize) {
    let timed = Timed::new().await;
    let (_, ann) = player(&timed.local, "Ann").await;
    let (_, ben) = player(&timed.local, "Ben").await;
    let game = meet(&timed.local, &ann, &ben, terms(true)).await;
    let first = [&ann, &ben][first_of(&timed.local, &game, [&ann, &ben]).await];
    for _ in 0..turns {
        let turn = json!({ "type": "move", "turn": "a1" });
        command(&timed.local, &game, first, turn).await.ok();
    }
    timed.hands.pass(2 * SECOND);
    let timed = timed.restart(HOUR).await;
    let hall = timed.local.server.hall();
    let look = async || {
        hall.club.games.note(&game);
        tokio::time::sleep(Duration::from_millis(400)).await;
        timed.local.get(&format!("/api/games/{game}")).await.ok()["result"].take()
    };
    assert_eq!(look().await, Value::Null);
    for _ in 0..14 {
        timed.hands.pass(4 * SECOND);
        hall.store.beat(hall.time.now()).await.unwrap();
    }
    assert_eq!(look().await, Value::Null, "58 seconds have passed");
    timed.hands.pass(5 * SECOND - 1);
    assert_eq!(look().await["reason"], "aborted");
}

#[tokio::test]
async fn a_store_that_fails_takes_nobody_s_time() {
    let timed = Timed::new().await;
    let game = timed.running(60).await;
    let database = timed.database();
    let broken = |table: &str| {
        format!(
            "CREATE TRIGGER no_{table} BEFORE INSERT ON {table}
             BEGIN SELECT RAISE(ROLLBACK, 'database or disk is full'); END;"
        )
    };
    database.execute_batch(&(broken("events") + &broken("heartbeat") + &broken("pauses"))).unwrap();
    for _ in 0..20 {
        timed.hands.pass(4 * SECOND);
        timed.local.play(&game, 2, "d3").await.refused(503);
    }
    database
        .execute_batch("DROP TRIGGER no_events; DROP TRIGGER no_heartbeat; DROP TRIGGER no_pauses")
        .unwrap();
    let played = timed.local.play(&game, 2, "d3").await.ok();
    let left = played["event"]["clocks"]["left"][1].as_i64().unwrap();
    assert!(left >= 55_000, "{left}");
}

#[tokio::test]
async fn the_file_says_when_each_clock_runs_out() {
    let timed = Timed::new().await;
    let stored = |game: &Made| -> Option<i64> {
        let find = "SELECT deadline FROM running WHERE game = ?1";
        timed.database().query_row(find, [&game.id], |row| row.get(0)).ok()
    };
    let hall = &timed.local.server.hall();
    for (i, clock) in [
        json!({ "kind": "time", "seconds": 300, "increment": 7 }),
        json!({ "kind": "days", "days": 3 }),
    ]
    .into_iter()
    .enumerate()
    {
        let seats = json!([{ "kind": "person" }, { "kind": "open" }]);
        let game = json!({ "game": "six-making", "seats": seats, "clock": clock });
        let mut game = timed.local.make(game).await;
        let turns = random_game("six-making", 4, i as u64);
        let mut actions = vec![(2, json!({ "type": "join" }))];
        for (i, turn) in turns.iter().enumerate() {
            actions.push((i % 2 + 1, json!({ "type": "move", "turn": turn })));
        }
        for (seat, action) in [(1, "undo"), (2, "accept"), (2, "offer-draw"), (1, "decline")] {
            actions.push((seat, json!({ "type": action })));
        }
        // Player 1 has taken back the third turn, and with it the fourth.
        actions.push((1, json!({ "type": "move", "turn": turns[2] })));
        actions.push((1, json!({ "type": "undo" })));
        actions.push((2, json!({ "type": "accept" })));
        actions.push((2, json!({ "type": "resign" })));
        for (seat, action) in actions {
            timed.hands.pass(1_300);
            let done = timed.local.command(&game, seat, action.clone()).await.ok();
            if let Some(token) = done["token"].as_str() {
                game.tokens[1] = token.to_owned();
            }
            let room = hall.room(&game.id).await.unwrap();
            let deadline = room.view(|game| game.course.clock.as_ref().unwrap().deadline());
            assert_eq!(stored(&game), deadline, "after {action}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_is_told_the_clocks_when_it_comes_and_after_a_pause() {
    let timed = Timed::new().await;
    let game = timed.running(60).await;
    let Timed { local: Local { server, folder: _folder }, hands } = timed;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let task = tokio::spawn(server.serve(listener, async {
        let _ = stopped.await;
    }));
    hands.pass(2 * SECOND);
    let url = format!("ws://{address}/api/games/{}/socket?after=2", game.id);
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
    let mut clocks = async || loop {
        let frame = within(socket.next()).await.unwrap().unwrap();
        let told: Value = serde_json::from_str(frame.to_text().unwrap()).unwrap_or_default();
        if told["type"] == "clocks" {
            return told;
        }
    };
    let at = 1_800_000_002_000_i64;
    let expected = json!({ "left": [60_000, 58_000], "running": 2, "at": at, "type": "clocks" });
    assert_eq!(clocks().await, expected);
    hands.set(5 * HOUR);
    let told = clocks().await;
    assert_eq!(told["left"], json!([60_000, 58_000]));
    assert!(told["at"].as_i64().unwrap() >= at);
    drop(stop);
    within(task).await.unwrap();
}
