//! A lagging standby takes over, so the last moves are lost. Every server shows what the database has, and games go on
//! from there.

use super::shared::{person, servers_on};
use super::stuck::{Breakable, running};
use crate::common::services::{Postgres, postgres};
use crate::common::wires::Wire;
use crate::common::{Answer, Local, Made, random_game, within};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use server::Server;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

/// A primary and a standby that has fallen behind since its connection was cut.
struct Pair {
    first: Postgres,
    standby: Postgres,
    wire: Wire,
    database: String,
}

impl Pair {
    fn new() -> Pair {
        let first = Postgres::start();
        let database = first.database();
        let wire = Wire::new(first.port);
        let standby = first.lagging_standby(wire.port);
        Pair { first, standby, wire, database }
    }

    /// The URL for whichever of them accepts writes.
    fn url(&self) -> String {
        let (one, two) = (self.first.port, self.standby.port);
        let database = &self.database;
        format!(
            "postgres://quadrille@127.0.0.1:{one},127.0.0.1:{two}/{database}?target_session_attrs=read-write"
        )
    }

    /// Waits until the standby has caught up, then cuts it off.
    fn cut(&self) {
        let count = "SELECT count(*) FROM events";
        while self.standby.ask(&self.database, count) != self.first.ask(&self.database, count) {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.wire.cut();
    }

    fn fail_over(&mut self) {
        self.first.kill();
        self.standby.promote();
    }

    /// The numbers of a game's remaining events.
    fn numbers(&self, game: &Made) -> Vec<String> {
        let find = format!("SELECT seq FROM events WHERE game = '{}' ORDER BY seq", game.id);
        self.standby.ask(&self.database, &find)
    }
}

/// Retries until the database is reachable again.
async fn until_stored<F: Future<Output = Answer>>(ask: impl Fn() -> F) -> Answer {
    within(async {
        loop {
            let answer = ask().await;
            if answer.status != 503 {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await
}

async fn turns(local: &Local, game: &Made) -> usize {
    let path = format!("/api/games/{}", game.id);
    let shown = until_stored(|| local.get(&path)).await.ok();
    shown["turns"].as_array().unwrap().len()
}

async fn play(local: &Local, game: &Made, turns: &[String], from: usize) {
    for (number, turn) in turns.iter().enumerate().skip(from) {
        local.play(game, number % 2 + 1, turn).await.ok();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_failover_every_server_tells_what_the_database_has_and_games_go_on() {
    let mut pair = tokio::task::block_in_place(Pair::new);
    let mut servers = servers_on(&pair.url(), &[0, 0], |_| {}).await;
    let game = servers[0].people("six-making").await;
    let all = random_game("six-making", 30, 5);
    play(&servers[0], &game, &all[..10], 0).await;
    tokio::task::block_in_place(|| pair.cut());
    play(&servers[0], &game, &all[..14], 10).await;
    assert_eq!(turns(&servers[1], &game).await, 14, "the other server knows them too");
    tokio::task::block_in_place(|| pair.fail_over());
    for local in &servers {
        assert_eq!(turns(local, &game).await, 10, "what is not in the database did not happen");
    }
    // A move in a position that no longer exists is refused instead of being stored after a gap.
    let wish = json!({ "type": "move", "turn": all[14], "board_seq": 15 });
    assert_eq!(until_stored(|| servers[0].command(&game, 1, wish.clone())).await.status, 409);
    let told = until_stored(|| servers[1].play(&game, 1, &all[10])).await.ok();
    assert_eq!(told["seq"], 12);
    let again = servers.remove(0).restart().await;
    let fresh = servers_on(&pair.url(), &[0], |_| {}).await;
    drop(again);
    for local in servers.iter().chain(&fresh) {
        assert_eq!(turns(local, &game).await, 11);
    }
    let stored = pair.numbers(&game);
    assert_eq!(stored, (1..=12).map(|seq| seq.to_string()).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_on_top_of_lost_ones_is_refused_by_the_store_itself() {
    let mut pair = tokio::task::block_in_place(Pair::new);
    let servers = servers_on(&pair.url(), &[0], |_| {}).await;
    let game = servers[0].people("six-making").await;
    let all = random_game("six-making", 30, 6);
    play(&servers[0], &game, &all[..4], 0).await;
    tokio::task::block_in_place(|| pair.cut());
    play(&servers[0], &game, &all[..6], 4).await;
    tokio::task::block_in_place(|| pair.fail_over());
    // Nobody has requested the game since, so the server's memory is ahead of the database.
    let first = until_stored(|| servers[0].play(&game, 1, &all[6])).await;
    let stored = pair.numbers(&game);
    let whole: Vec<_> = (1..=stored.len()).map(|seq| seq.to_string()).collect();
    assert_eq!(stored, whole, "{} {}", first.status, first.text);
    assert_eq!(turns(&servers[0], &game).await, stored.len() - 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_that_a_failover_has_lost_is_forgotten_by_every_server() {
    let mut pair = tokio::task::block_in_place(Pair::new);
    let servers = servers_on(&pair.url(), &[0], |_| {}).await;
    let game = running(&servers[0], 60).await;
    let disk = Breakable::new(&pair.first, &pair.database);
    tokio::task::block_in_place(|| pair.cut());
    disk.break_for(Duration::from_secs(3), &servers).await;
    let count = "SELECT count(*) FROM pauses";
    assert_eq!(pair.first.ask(&pair.database, count), ["1"]);
    tokio::task::block_in_place(|| pair.fail_over());
    until_stored(|| servers[0].play(&game, 1, "a1")).await.ok();
    let fresh = servers_on(&pair.url(), &[0], |_| {}).await;
    let left = async |local: &Local| local.show(&game).await["clocks"]["left"][0].as_i64().unwrap();
    let told = left(&fresh[0]).await;
    within(async {
        while left(&servers[0]).await != told {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

/// The next message on a socket, except presence and clocks.
async fn hear<S>(socket: &mut S) -> Value
where
    S: StreamExt<Item = Result<Message, tokio_tungstenite::tungstenite::Error>> + Unpin,
{
    within(async {
        loop {
            let Message::Text(text) = socket.next().await.unwrap().unwrap() else { continue };
            let told: Value = serde_json::from_str(&text).unwrap();
            if !["presence", "clocks"].contains(&told["type"].as_str().unwrap()) {
                return told;
            }
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_follows_a_game_through_a_failover_is_told_to_begin_again() {
    let mut pair = tokio::task::block_in_place(Pair::new);
    let servers = servers_on(&pair.url(), &[0], |_| {}).await;
    let listening = servers_on(&pair.url(), &[0], |_| {}).await.remove(0);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let Local { server, folder: _folder } = listening;
    tokio::spawn(Server::serve(server, listener, std::future::pending()));
    let game = servers[0].people("six-making").await;
    let all = random_game("six-making", 30, 7);
    play(&servers[0], &game, &all[..2], 0).await;
    tokio::task::block_in_place(|| pair.cut());
    play(&servers[0], &game, &all[..4], 2).await;
    let path = format!("ws://{address}/api/games/{}/socket", game.id);
    let connect = async |query: String| {
        let (socket, _) = tokio_tungstenite::connect_async(format!("{path}{query}")).await.unwrap();
        socket
    };
    let mut socket = connect(String::new()).await;
    let mut last = Value::Null;
    for seq in 1..=5 {
        last = hear(&mut socket).await;
        assert_eq!(last["seq"], seq);
    }
    tokio::task::block_in_place(|| pair.fail_over());
    assert_eq!(hear(&mut socket).await, json!({ "type": "reset", "seq": 3 }));
    // A client that was away names the last event with its time; another event has that number now.
    until_stored(|| servers[0].play(&game, 1, &all[2])).await.ok();
    assert_eq!(hear(&mut socket).await["seq"], 4);
    until_stored(|| servers[0].play(&game, 2, &all[3])).await.ok();
    let again = hear(&mut socket).await;
    assert_eq!(again["seq"], 5);
    let mut late = connect(format!("?after=5&at={}", last["at"])).await;
    assert_eq!(hear(&mut late).await, json!({ "type": "reset", "seq": 5 }));
    let mut same = connect(format!("?after=5&at={}", again["at"])).await;
    same.send(Message::text(json!({ "type": "hello" }).to_string())).await.unwrap();
    assert_eq!(hear(&mut same).await["type"], "hello");
}

#[tokio::test]
async fn a_game_that_was_given_a_gap_opens_up_to_it_and_takes_no_moves() {
    let postgres = postgres();
    let database = postgres.database();
    let data = postgres.url(&database);
    let servers = servers_on(&data, &[0], |_| {}).await;
    let seats = [person(), person()];
    let clock = json!({ "kind": "time", "seconds": 600 });
    let wanted = json!({ "game": "six-making", "seats": seats, "clock": clock });
    let game = servers[0].make(wanted).await;
    let all = random_game("six-making", 30, 8);
    play(&servers[0], &game, &all[..6], 0).await;
    // As left by a failover of an earlier version: events 1 to 3, then 6 and 7.
    let lost = format!("DELETE FROM events WHERE game = '{}' AND seq IN (4, 5)", game.id);
    postgres.ask(&database, &lost);
    let fresh = servers_on(&data, &[0], |_| {}).await.remove(0);
    let shown = fresh.show(&game).await;
    assert_eq!((shown["turns"].as_array().unwrap().len(), &shown["seq"]), (2, &json!(3)));
    assert_eq!(fresh.events(&game).await.len(), 3);
    let refused = fresh.play(&game, 1, &all[2]).await.refused(409);
    assert!(refused.contains("lost"), "{refused}");
    assert_eq!(fresh.show(&game).await["result"], Value::Null);
}
