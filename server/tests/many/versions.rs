//! Two versions side by side on one database, as during a rolling update.

use super::shared::{person, servers, servers_on};
use crate::common::services::{Nats, postgres};
use crate::common::{random_game, within};
use futures_util::StreamExt;
use serde_json::json;
use server::store;
use std::sync::Arc;
use std::time::Duration;

/// What a later version might add, while claiming that programs of the first format still work.
const LATER: &str = "
    ALTER TABLE events ADD COLUMN later TEXT DEFAULT 'x' NOT NULL;
    ALTER TABLE tokens ADD COLUMN later BIGINT;
    ALTER TABLE running ADD COLUMN later BIGINT;
    ALTER TABLE computing ADD COLUMN later BIGINT;
    ALTER TABLE heartbeat ADD COLUMN later BIGINT;
    ALTER TABLE pauses ADD COLUMN later TEXT;
    CREATE TABLE later (game TEXT NOT NULL PRIMARY KEY);
    CREATE INDEX later_index ON events (at);
    INSERT INTO quadrille_format (format, least) VALUES (2, 1)";

#[tokio::test]
async fn servers_go_on_and_start_again_when_a_later_version_has_added_to_the_tables() {
    let database = postgres().database();
    let data = postgres().url(&database);
    let before = servers_on(&data, &[0], |_| {}).await;
    let clock = json!({ "kind": "time", "seconds": 600 });
    let seats = [person(), person()];
    let game =
        before[0].make(json!({ "game": "six-making", "seats": seats, "clock": clock })).await;
    let turns = random_game("six-making", 40, 7);
    let (first, rest) = turns.split_at(6);
    for (i, turn) in first.iter().enumerate() {
        before[0].play(&game, i % 2 + 1, turn).await.ok();
    }
    postgres().ask(&database, LATER);
    let after = servers_on(&data, &[0], |_| {}).await;
    let both = [&before[0], &after[0]];
    for (i, turn) in (first.len()..).zip(rest) {
        both[i % 2].play(&game, i % 2 + 1, turn).await.ok();
    }
    assert_eq!(before[0].events(&game).await, after[0].events(&game).await);
    let kept = "SELECT DISTINCT later FROM events";
    assert_eq!(postgres().ask(&database, kept), ["x"], "what they do not know is left alone");
    // A format incompatible with the first one: running servers go on, but none can start.
    postgres().ask(&database, "INSERT INTO quadrille_format (format, least) VALUES (3, 3)");
    assert_eq!(before[0].show(&game).await["seq"], turns.len() + 1);
    let refused = store::open(data.as_ref(), Arc::default()).await.err().unwrap().to_string();
    assert!(
        refused.contains("it has format 3, but this version knows formats 1 to 1"),
        "{refused}"
    );
}

/// Answers like a worker whose messages this version does not understand.
async fn strange_worker(
    nats: &Nats,
    answers: &'static [&'static str],
) -> tokio::task::JoinHandle<usize> {
    let client = async_nats::connect(nats.url()).await.unwrap();
    let mut asked = client.queue_subscribe("quadrille.work", "workers".into()).await.unwrap();
    client.flush().await.unwrap();
    tokio::spawn(async move {
        let mut count = 0;
        for answer in answers {
            let message = asked.next().await.unwrap();
            let inbox = message.reply.unwrap();
            for part in answer.split(' ') {
                client.publish(inbox.clone(), part.into()).await.unwrap();
            }
            count += 1;
        }
        client.flush().await.unwrap();
        count
    })
}

#[tokio::test]
async fn what_workers_of_another_version_answer_is_looked_at_and_done_here_if_it_will_not_do() {
    let nats = Nats::start();
    // It refuses, sends garbage, plays an illegal turn, and has no answer.
    let worker = strange_worker(&nats, &["-", "+ ?what", "+ >z9 .", "+ ."]).await;
    let servers = servers(&[0], |config| config.nats = Some(nats.url())).await;
    let seats = json!([person(), { "kind": "level", "level": 1 }]);
    // A game that nobody can win so soon.
    let game = servers[0].make(json!({ "game": "six-making", "seats": seats })).await;
    let connected = || {
        let metrics = &servers[0].server.hall().metrics;
        metrics.connected.load(std::sync::atomic::Ordering::Relaxed) == 1
    };
    within(async {
        while !connected() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    for i in 0..4 {
        // At least one of these is legal.
        for turn in ["a1", "e5", "a5", "e1", "c3", "b2", "d4", "b4"] {
            if servers[0].play(&game, 1, turn).await.status.is_success() {
                break;
            }
        }
        within(async {
            while servers[0].show(&game).await["seq"] != 3 + 2 * i {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }
    assert_eq!(worker.await.unwrap(), 4, "it was asked each time");
}

#[tokio::test]
async fn words_of_another_version_between_servers_are_passed_over() {
    let nats = Nats::start();
    let servers = servers(&[0, 0], |config| config.nats = Some(nats.url())).await;
    let game = servers[0].people("gekitai").await;
    servers[1].show(&game).await;
    let client = async_nats::connect(nats.url()).await.unwrap();
    let id = &game.id;
    let words = [
        String::new(),
        "no number\nm x 1".to_owned(),
        format!(
            "77\nz {id} 3 of a later version\nm {id}\nm {id} many\nm {id} 99 and more\np {id} 1\na x 1 1"
        ),
    ];
    for text in words {
        client.publish("quadrille.news", text.into()).await.unwrap();
    }
    client.publish("quadrille.news", vec![0xff, 0xfe].into()).await.unwrap();
    client.flush().await.unwrap();
    for (i, turn) in ["c4", "a1", "f6", "a6"].into_iter().enumerate() {
        servers[i % 2].play(&game, i % 2 + 1, turn).await.ok();
        assert_eq!(servers[(i + 1) % 2].show(&game).await["seq"], i + 2);
    }
}
