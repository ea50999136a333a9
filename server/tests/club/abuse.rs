//! What people might do to the club on purpose, or when many ask at once.

use super::*;
use futures_util::future::join_all;
use server::games::hall::Hall;
use server::store::records::Change;
use std::time::Duration;

fn mail() -> Value {
    json!({ "game": "gekitai", "clock": { "kind": "days", "days": 3 } })
}

/// The keys of the records that begin like this.
async fn keys_of(hall: &Hall, starts: &[&str]) -> Vec<String> {
    let mut keys = Vec::new();
    for start in starts {
        let found = records(hall).unwrap().range(Range::of(start), 9_999).await.unwrap();
        keys.extend(found.into_iter().map(|own| own.key));
    }
    keys
}

/// The records of running games.
async fn reserved(hall: &Hall) -> Vec<String> {
    keys_of(hall, &["game/", "running/", "watch/", "live/"]).await
}

/// Waits until no game is running.
async fn all_over(hall: &Hall) {
    within(async {
        while !reserved(hall).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

/// Starts a game against a level and aborts it at once.
async fn aborted(local: &Local, key: &str, mut wanted: Value) -> String {
    wanted["level"] = 1.into();
    let made = post(local, "/api/lobby", key, wanted).await.ok();
    let game = made["game"].as_str().unwrap().to_owned();
    command(local, &game, key, json!({ "type": "abort" })).await.ok();
    game
}

#[tokio::test]
async fn a_rematch_that_is_refused_leaves_no_game_behind() {
    for local in all().await {
        let hall = local.server.hall();
        let (_, ann) = player(&local, "Ann").await;
        for wanted in [mail(), terms(false)] {
            let game = aborted(&local, &ann, wanted).await;
            all_over(hall).await;
            for _ in 0..6 {
                let rematch = json!({ "type": "rematch", "seq": 1 });
                command(&local, &game, &ann, rematch).await.refused(409);
            }
            assert_eq!(reserved(hall).await, Vec::<String>::new());
        }
    }
}

#[tokio::test]
async fn a_rematch_that_is_not_paid_for_leaves_its_player_free() {
    let local = Local::with(|config| config.new_games = 2).await;
    let (hall, guest) = (local.server.hall(), "g".repeat(22));
    let game = aborted(&local, &guest, terms(false)).await;
    all_over(hall).await;
    let again = command(&local, &game, &guest, json!({ "type": "rematch" })).await.ok();
    let next = again["event"]["id"].as_str().unwrap().to_owned();
    command(&local, &next, &guest, json!({ "type": "abort" })).await.ok();
    all_over(hall).await;
    command(&local, &next, &guest, json!({ "type": "rematch" })).await.refused(429);
    assert_eq!(reserved(hall).await, Vec::<String>::new());
    let waits = post(&local, "/api/lobby", &guest, terms(false)).await.ok();
    assert!(waits["challenge"]["id"].is_string(), "{waits}");
}

#[tokio::test]
async fn of_many_who_agree_on_a_rematch_at_once_one_makes_a_game_and_no_other_is_listed() {
    for local in all().await {
        let hall = local.server.hall();
        let (_, ann) = player(&local, "Ann").await;
        let (_, ben) = player(&local, "Ben").await;
        let game = meet(&local, &ann, &ben, mail()).await;
        command(&local, &game, &ann, json!({ "type": "abort" })).await.ok();
        all_over(hall).await;
        command(&local, &game, &ann, json!({ "type": "rematch" })).await.ok();
        let agree = || command(&local, &game, &ben, json!({ "type": "rematch" }));
        let done = join_all((0..12).map(|_| agree())).await;
        let made: Vec<_> = done.iter().filter(|own| own.status.is_success()).collect();
        assert_eq!(made.len(), 1, "{:?}", done.iter().map(|own| &own.text).collect::<Vec<_>>());
        let next = made[0].json()["event"]["id"].as_str().unwrap().to_owned();
        assert_eq!(keys_of(hall, &["game/"]).await, [format!("game/{next}")]);
        assert_eq!(keys_of(hall, &["watch/"]).await.len(), 1);
        local.get(&format!("/api/games/{next}")).await.ok();
    }
}

#[tokio::test]
async fn nobody_is_sent_to_a_rematch_that_was_only_reserved() {
    for local in all().await {
        let hall = local.server.hall();
        let (ann_id, ann) = player(&local, "Ann").await;
        let made = post(&local, "/api/lobby", &ann, {
            let mut wanted = terms(false);
            wanted["level"] = 1.into();
            wanted
        });
        let game = made.await.ok()["game"].as_str().unwrap().to_owned();
        // As if the server had died between reserving a rematch and storing it.
        let stored = records(hall).unwrap().get(vec![format!("game/{game}")]).await.unwrap();
        let mut own: Value = serde_json::from_str(&stored[0].value).unwrap();
        (own["rematch"], own["at"]) = (true.into(), hall.time.now().into());
        let reserve = vec![
            Change::put("game/zzzzzzzz", own.to_string()),
            Change::put(format!("live/{ann_id}"), "zzzzzzzz"),
        ];
        assert!(records(hall).unwrap().change(reserve).await.unwrap());
        post(&local, "/api/lobby", &ann, terms(false)).await.refused(503);
    }
}
