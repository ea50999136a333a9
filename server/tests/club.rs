//! Players, the lobby, ratings and the archive, on both kinds of store.

mod abuse;

use crate::common::{Answer, Local, within};
use axum::body::Body;
use axum::http::{Method, Request, header};
use engine::playouts::random_turn;
use rules::random::Random;
use serde_json::{Map, Value, json};
use server::club::rebuild::{Rebuilt, fingerprint, rebuild};
use server::club::{games, ratings, records};
use server::store::records::Range;
use std::sync::Arc;
use tokio::task::JoinSet;

/// A server on each kind of store.
pub async fn all() -> Vec<Arc<Local>> {
    let mut all = vec![Arc::new(Local::new().await)];
    #[cfg(feature = "many")]
    {
        let postgres = crate::common::services::postgres();
        let data = postgres.url(&postgres.database());
        all.push(Arc::new(Local::with(|config| config.data = data.into()).await));
    }
    all
}

pub async fn ask(local: &Local, method: Method, path: &str, key: &str, body: Value) -> Answer {
    let request = Request::builder().method(method).uri(path);
    let request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
    local.send(request.body(Body::from(body.to_string())).unwrap()).await
}

pub async fn post(local: &Local, path: &str, key: &str, body: Value) -> Answer {
    ask(local, Method::POST, path, key, body).await
}

/// A player's id and key.
pub async fn player(local: &Local, name: &str) -> (String, String) {
    let made = local.post("/api/players", json!({ "name": name })).await.ok();
    (made["id"].as_str().unwrap().to_owned(), made["key"].as_str().unwrap().to_owned())
}

pub fn terms(rated: bool) -> Value {
    let clock = json!({ "kind": "time", "seconds": 300, "increment": 3 });
    let side = if rated { "random" } else { "first" };
    json!({ "game": "gekitai", "clock": clock, "rated": rated, "side": side })
}

/// Pairs two players: one makes a challenge, the other accepts it.
pub async fn meet(local: &Local, one: &str, other: &str, terms: Value) -> String {
    let made = post(local, "/api/lobby", one, terms).await.ok();
    let (id, version) = (made["challenge"]["id"].as_str().unwrap(), &made["challenge"]["version"]);
    let path = format!("/api/lobby/{id}");
    let met = post(local, &path, other, json!({ "version": version })).await.ok();
    met["game"].as_str().unwrap().to_owned()
}

pub async fn command(local: &Local, game: &str, key: &str, body: Value) -> Answer {
    post(local, &format!("/api/games/{game}/commands"), key, body).await
}

/// The index of the player who moves first.
pub async fn first_of(local: &Local, game: &str, keys: [&str; 2]) -> usize {
    let shown = local.get_as(keys[0], &format!("/api/games/{game}")).await.ok();
    usize::from(shown["you"] != json!([1]))
}

/// Plays some random turns, then one of the players resigns.
pub async fn play(local: &Local, game: &str, keys: [&str; 2], turns: usize, seed: u64) {
    let mut session = (engine::find("gekitai").unwrap().start)(&Map::new()).unwrap();
    let mut random = Random::new(seed);
    let first = first_of(local, game, keys).await;
    for turn in 0..turns {
        let text = random_turn(session.as_ref(), &mut random);
        session.play(&text).unwrap();
        command(local, game, keys[(turn + first) % 2], json!({ "type": "move", "turn": text }))
            .await
            .ok();
        if session.result().is_some() {
            return;
        }
    }
    let loser = keys[seed as usize % 2];
    command(local, game, loser, json!({ "type": "resign" })).await.ok();
}

/// Waits until a game is in the archive.
pub async fn archived(local: &Local, game: &str) {
    let hall = local.server.hall();
    within(async {
        while games::find(hall, game).await.unwrap().is_some() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_name_belongs_to_one_player_whose_key_can_be_replaced() {
    for local in all().await {
        let (id, key) = player(&local, "Ana Lima").await;
        assert!(key.starts_with("pk-"));
        for alike in ["ana lima", "ANA-LIMA", "Ana  Lima ", "Anа Lima".replace('а', "a").as_str()]
        {
            local.post("/api/players", json!({ "name": alike })).await.refused(409);
        }
        local.post("/api/players", json!({ "name": "<script>" })).await.refused(422);
        // A repeated request gets the same answer.
        let own = format!("pk-{}", "k".repeat(26));
        let wanted = json!({ "name": "Ben", "key": own });
        let ben = local.post("/api/players", wanted.clone()).await.ok();
        assert_eq!(local.post("/api/players", wanted).await.ok(), ben);
        local.post("/api/players", json!({ "name": "Cem", "key": own })).await.refused(409);
        local.post("/api/players", json!({ "name": "Cem", "key": "pk-short" })).await.refused(400);
        let me = local.get_as(&key, "/api/me").await.ok();
        assert_eq!((&me["id"], &me["name"]), (&json!(id), &json!("Ana Lima")));
        let found = local.get("/api/players?name=ana%20lima").await.ok();
        assert_eq!(found["id"], json!(id));
        assert!(!found.to_string().contains("key"), "{found}");
        let own = format!("pk-{}", "n".repeat(26));
        let new = post(&local, "/api/me/key", &key, json!({ "key": own })).await.ok();
        assert_eq!(post(&local, "/api/me/key", &key, json!({ "key": own })).await.ok(), new);
        let unknown = json!({ "key": format!("pk-{}", "u".repeat(26)) });
        post(&local, "/api/me/key", &key, unknown).await.refused(401);
        let new = new["key"].as_str().unwrap();
        let reason = local.get_as(&key, "/api/me").await.refused(401);
        assert!(!reason.contains(&key), "{reason}");
        assert_eq!(local.get_as(new, "/api/me").await.ok()["id"], json!(id));
        ask(&local, Method::DELETE, "/api/me", new, json!({})).await.ok();
        local.get_as(new, "/api/me").await.refused(401);
        local.get(&format!("/api/players/{id}")).await.refused(404);
        player(&local, "ana lima").await;
        // Nothing in the store can be used as a token.
        let stored =
            records(local.server.hall()).unwrap().range(Range::of("player/"), 99).await.unwrap();
        assert!(stored.iter().all(|own| !own.value.contains("pk-")), "{stored:?}");
    }
}

#[tokio::test]
async fn registration_is_limited_and_can_be_closed_to_those_without_an_invitation() {
    use server::club::office::{About, obey};
    let local = Local::with(|config| config.new_games = 4).await;
    for name in ["Aa", "Bb", "Cc", "Dd", "Ee"] {
        player(&local, name).await;
    }
    local.post("/api/players", json!({ "name": "Ff" })).await.refused(429);
    for local in all().await {
        let hall = local.server.hall();
        let (lines, mut told) = tokio::sync::mpsc::channel(9);
        obey(hall, About::Registration { open: false }, &lines).await.unwrap();
        assert_eq!(local.get("/api/players").await.ok()["registration"], "closed");
        local.post("/api/players", json!({ "name": "Ann" })).await.refused(403);
        obey(hall, About::Invite { count: 1, admits: 2, seconds: 60 }, &lines).await.unwrap();
        told.recv().await.unwrap();
        let code = told.recv().await.unwrap()["invitation"].as_str().unwrap().to_owned();
        for (name, status) in [("Ann", 201), ("Ben", 201), ("Cem", 403)] {
            let answer =
                local.post("/api/players", json!({ "name": name, "invitation": code })).await;
            assert_eq!(answer.status.as_u16(), status, "{name}: {}", answer.text);
        }
        obey(hall, About::Registration { open: true }, &lines).await.unwrap();
        obey(hall, About::Reserve { name: "Club".into() }, &lines).await.unwrap();
        local.post("/api/players", json!({ "name": "CLUB" })).await.refused(409);
        let (id, key) = player(&local, "Dan").await;
        let rename = About::Rename { player: "Dan".into(), name: "Daniel".into() };
        obey(hall, rename, &lines).await.unwrap();
        assert_eq!(local.get_as(&key, "/api/me").await.ok()["name"], "Daniel");
        let ban = About::BanPlayer { player: id.clone(), reason: "rude".into() };
        obey(hall, ban, &lines).await.unwrap();
        assert!(local.get_as(&key, "/api/me").await.refused(403).contains("rude"));
        obey(hall, About::UnbanPlayer { player: id.clone() }, &lines).await.unwrap();
        local.get_as(&key, "/api/me").await.ok();
        obey(hall, About::NewKey { player: "Daniel".into() }, &lines).await.unwrap();
        let new = within(async {
            loop {
                if let Some(key) = told.recv().await.unwrap()["key"].as_str() {
                    return key.to_owned();
                }
            }
        })
        .await;
        local.get_as(&key, "/api/me").await.refused(401);
        assert_eq!(local.get_as(&new, "/api/me").await.ok()["id"], json!(id));
        player(&local, "Dan").await;
    }
}

#[tokio::test]
async fn of_many_who_accept_a_challenge_one_plays() {
    for local in all().await {
        let (_, ann) = player(&local, "Ann").await;
        let made = post(&local, "/api/lobby", &ann, terms(true)).await.ok();
        let path = format!("/api/lobby/{}", made["challenge"]["id"].as_str().unwrap());
        post(&local, &path, &ann, json!({})).await.refused(409);
        let guest = "g".repeat(22);
        post(&local, &path, &guest, json!({})).await.refused(403);
        post(&local, &path, &ann.replace("pk-", "pk-x"), json!({})).await.refused(401);
        let mut keys = Vec::new();
        for i in 0..12 {
            keys.push(player(&local, &format!("Player {i}")).await.1);
        }
        let mut tasks = JoinSet::new();
        for (i, key) in keys.iter().cloned().enumerate() {
            let (local, path) = (Arc::clone(&local), path.clone());
            tasks.spawn(async move { (i, post(&local, &path, &key, json!({})).await) });
        }
        let done = tasks.join_all().await;
        let won: Vec<_> = done.iter().filter(|(_, own)| own.status.is_success()).collect();
        assert_eq!(won.len(), 1, "{:?}", done.iter().map(|own| &own.1.text).collect::<Vec<_>>());
        let (winner, game) = (won[0].0, won[0].1.json()["game"].as_str().unwrap().to_owned());
        // Winner and maker repeat their requests, as if the answers had been lost.
        assert_eq!(post(&local, &path, &keys[winner], json!({})).await.ok()["game"], json!(game));
        assert_eq!(local.get_as(&ann, &path).await.ok()["game"], json!(game));
        let shown = local.get_as(&ann, &format!("/api/games/{game}")).await.ok();
        let seat = shown["you"][0].as_u64().unwrap() as usize;
        assert_eq!(shown["club"]["rated"], json!(true));
        assert_eq!(shown["seats"][2 - seat]["name"], json!(format!("Player {winner}")));
        let first = [&ann, &keys[winner]][seat - 1];
        let second = [&keys[winner], &ann][seat - 1];
        // Somebody who is playing cannot start another live game.
        post(&local, "/api/lobby", &keys[winner], terms(false)).await.ok();
        let busy = post(&local, "/api/lobby", &keys[winner], terms(false)).await.ok();
        assert_eq!(busy["game"], json!(game));
        let turn = json!({ "type": "move", "turn": "a1" });
        command(&local, &game, second, turn.clone()).await.refused(409);
        command(&local, &game, first, turn).await.ok();
        command(&local, &game, first, json!({ "type": "undo" })).await.refused(409);
        let named = json!({ "type": "join", "name": "Somebody else" });
        command(&local, &game, &ann, named).await.refused(409);
        let watched = local.get("/api/watch").await.ok();
        assert_eq!(
            (&watched["games"][0]["id"], &watched["games"][0]["strength"]),
            (&json!(game), &json!(1_500))
        );
        let me = local.get_as(&keys[winner], "/api/me").await.ok();
        assert_eq!(
            (&me["games"][0]["id"], &me["games"][0]["your_turn"]),
            (&json!(game), &json!(seat == 1))
        );
    }
}

#[tokio::test]
async fn challenges_are_listed_until_they_are_withdrawn_or_replaced() {
    for local in all().await {
        let (id, ann) = player(&local, "Ann").await;
        let guest = "g".repeat(22);
        post(&local, "/api/lobby", &guest, terms(true)).await.refused(422);
        let open = post(&local, "/api/lobby", &guest, terms(false)).await.ok();
        for wrong in [
            json!({ "game": "chess", "clock": { "kind": "days", "days": 1 } }),
            json!({ "game": "gekitai", "clock": { "kind": "none" } }),
            json!({ "game": "gekitai", "clock": { "kind": "days", "days": 900 } }),
        ] {
            assert!(post(&local, "/api/lobby", &ann, wrong).await.status.is_client_error());
        }
        let before = post(&local, "/api/lobby", &ann, terms(false)).await.ok();
        let again = post(&local, "/api/lobby", &ann, terms(true)).await.ok();
        assert_eq!(again["challenge"]["id"], json!(id));
        let seen = &before["challenge"]["version"];
        assert_ne!(&again["challenge"]["version"], seen);
        let path = format!("/api/lobby/{id}");
        post(&local, &path, &guest, json!({ "version": seen })).await.refused(409);
        let mail = json!({ "game": "gekitai", "clock": { "kind": "days", "days": 3 } });
        for _ in 0..10 {
            post(&local, "/api/lobby", &ann, mail.clone()).await.ok();
        }
        post(&local, "/api/lobby", &ann, mail.clone()).await.refused(409);
        post(&local, "/api/lobby", &guest, mail).await.refused(422);
        let count = || async {
            let listed = local.get("/api/lobby").await.ok();
            listed["challenges"].as_array().unwrap().len()
        };
        assert_eq!(count().await, 12);
        ask(&local, Method::DELETE, &path, &guest, json!({})).await.refused(403);
        ask(&local, Method::DELETE, &path, &ann, json!({})).await.ok();
        let own = format!("/api/lobby/{}", open["challenge"]["id"].as_str().unwrap());
        ask(&local, Method::DELETE, &own, &guest, json!({})).await.ok();
        assert_eq!(count().await, 10);
        post(&local, &path, &guest, json!({})).await.refused(404);
    }
}

#[tokio::test]
async fn people_who_want_the_same_are_paired() {
    for local in all().await {
        let (_, ann) = player(&local, "Ann").await;
        let (_, ben) = player(&local, "Ben").await;
        let mut auto = terms(true);
        (auto["auto"], auto["side"]) = (true.into(), "random".into());
        let waits = post(&local, "/api/lobby", &ann, auto.clone()).await.ok();
        assert_eq!(waits["meanwhile"]["level"], json!(4));
        let path = format!("/api/lobby/{}", waits["challenge"]["id"].as_str().unwrap());
        let mut other = auto.clone();
        other["rated"] = false.into();
        let (_, cem) = player(&local, "Cem").await;
        assert!(post(&local, "/api/lobby", &cem, other).await.ok()["challenge"].is_object());
        // Ben's server may hear about Ann a moment later; then both wait and are paired.
        let met = post(&local, "/api/lobby", &ben, auto).await.ok();
        let game = within(async {
            loop {
                let seen = local.get_as(&ann, &path).await.ok();
                if let Some(game) = seen["game"].as_str() {
                    return game.to_owned();
                }
                tokio::time::sleep(std::time::Duration::from_millis(30)).await;
            }
        })
        .await;
        assert!(met["game"].is_null() || met["game"] == json!(game), "{met}");
        for key in [&ann, &ben] {
            let shown = local.get_as(key, &format!("/api/games/{game}")).await.ok();
            assert_eq!(shown["you"].as_array().unwrap().len(), 1);
        }
        let level = json!({ "game": "gekitai", "clock": { "kind": "time", "seconds": 60 }, "level": 1, "rated": true });
        let (_, dan) = player(&local, "Dan").await;
        let begun = post(&local, "/api/lobby", &dan, level.clone()).await.ok();
        assert!(begun["game"].is_string());
        post(&local, "/api/lobby", &ann, level).await.refused(409);
    }
}

/// The ids of the games that a search finds.
pub async fn found(local: &Local, query: &str) -> Vec<String> {
    let page = local.get(&format!("/api/archive?{query}")).await.ok();
    let id = |game: &Value| game["id"].as_str().unwrap().to_owned();
    page["games"].as_array().unwrap().iter().map(id).collect()
}

#[tokio::test]
async fn games_that_are_over_are_rated_and_found() {
    for local in all().await {
        let hall = local.server.hall();
        let (ann_id, ann) = player(&local, "Ann").await;
        let (ben_id, ben) = player(&local, "Ben").await;
        let mut games = Vec::new();
        for i in 0..6 {
            let game = meet(&local, &ann, &ben, terms(i != 4)).await;
            play(&local, &game, [&ann, &ben], 2 + i, i as u64).await;
            archived(&local, &game).await;
            games.insert(0, game);
        }
        // Called off before both players had moved: neither archived nor rated.
        let off = meet(&local, &ann, &ben, terms(true)).await;
        command(&local, &off, &ann, json!({ "type": "abort" })).await.ok();
        archived(&local, &off).await;
        assert_eq!(found(&local, "").await, games);
        assert_eq!(found(&local, &format!("player={ann_id}&against={ben_id}")).await, games);
        assert_eq!(found(&local, "game=gekitai&rated=false").await, [games[1].clone()]);
        assert_eq!(found(&local, "game=glaisher").await, Vec::<String>::new());
        // Games name only unusual options; these have the usual size.
        for (size, expected) in [("6", &games[..]), ("5", &[]), ("%22x%22", &[])] {
            let query = format!("game=gekitai&options=%7B%22size%22%3A{size}%7D");
            assert_eq!(found(&local, &query).await, expected, "{size}");
        }
        assert_eq!(found(&local, "least_turns=6&reason=resigned").await, games[..2]);
        let lost = found(&local, &format!("player={ann_id}&result=lost")).await;
        assert_eq!(lost, [&games[1], &games[3], &games[5]].map(String::clone));
        for wrong in
            ["result=mine", "player=x", "before=zzz", "options=[]", "against=abcdefgh", "most=-1"]
        {
            let answer = local.get(&format!("/api/archive?{wrong}")).await;
            assert!(answer.status.is_client_error(), "{wrong}: {}", answer.text);
        }
        // Page by page.
        let (mut pages, mut before) = (Vec::new(), String::new());
        loop {
            let page = local.get(&format!("/api/archive?most=2{before}")).await.ok();
            pages.extend(page["games"].as_array().unwrap().iter().map(|own| own["id"].clone()));
            let Some(next) = page["next"].as_str() else { break };
            before = format!("&before={next}");
        }
        assert_eq!(pages, games);
        let score = local.get(&format!("/api/archive?player={ann_id}&against={ben_id}")).await.ok();
        assert_eq!(score["score"], json!([3, 0, 3]));
        let lines = local.get("/api/archive/export").await.lines();
        assert_eq!(lines.len(), 6);
        let records = local.get("/api/archive/export?format=records").await;
        assert_eq!(records.text.matches("[Game ").count(), 6, "{}", records.text);
        let profile = local.get(&format!("/api/players/{ann_id}")).await.ok();
        let rating = &profile["ratings"]["gekitai"];
        assert_eq!((&rating["games"], &rating["provisional"]), (&json!(5), &json!(true)));
        let points = local.get(&format!("/api/players/{ann_id}/ratings/gekitai")).await.ok();
        assert_eq!(points["points"].as_array().unwrap().len(), 5);
        assert_eq!(points["points"][4]["rating"], rating["rating"]);
        // Turns from the start, up to symmetry.
        let start = local.get("/api/archive/position?game=gekitai").await.ok();
        assert_eq!((&start["games"], &start["score"][1]), (&json!(6), &json!(0)));
        let turns = start["turns"].as_array().unwrap();
        assert_eq!(turns.iter().map(|own| own["games"].as_u64().unwrap()).sum::<u64>(), 6);
        ratings::rate_all(hall).await.unwrap();
        let before = fingerprint(hall).await.unwrap();
        let again = rebuild(hall, |_| {}).await.unwrap();
        assert_eq!((again.archived, &again.ratings), (6, &before));
        assert_eq!(found(&local, "").await, games);
        // After one of the games is deleted, the ratings are those of the others.
        server::admin::games::delete(hall, &games[3]).await.unwrap();
        ratings::rate_all(hall).await.unwrap();
        let without = fingerprint(hall).await.unwrap();
        assert_ne!(without, before);
        assert_eq!(rebuild(hall, |_| {}).await.unwrap().ratings, without);
        // Once a player is deleted, the name is gone but the games remain.
        ask(&local, Method::DELETE, "/api/me", &ann, json!({})).await.ok();
        within(async {
            loop {
                let shown = local.get(&format!("/api/games/{}", games[0])).await.ok();
                if (0..2).any(|i| shown["seats"][i]["name"] == "deleted player") {
                    return;
                }
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        })
        .await;
        assert_eq!(rebuild(hall, |_| {}).await.unwrap().ratings, without);
    }
}

#[cfg(feature = "many")]
#[tokio::test]
async fn the_same_games_give_the_same_ratings_on_both_stores() {
    let local = Local::new().await;
    let (_, ann) = player(&local, "Ann").await;
    let (_, ben) = player(&local, "Ben").await;
    let (_, cem) = player(&local, "Cem").await;
    for i in 0..9_u64 {
        let (one, other) = [(&ann, &ben), (&ben, &cem), (&cem, &ann)][i as usize % 3];
        let game = meet(&local, one, other, terms(true)).await;
        play(&local, &game, [one, other], 3, i / 2).await;
        archived(&local, &game).await;
    }
    ratings::rate_all(local.server.hall()).await.unwrap();
    let own = fingerprint(local.server.hall()).await.unwrap();
    let Local { server, folder } = local;
    server.close().await;
    let postgres = crate::common::services::postgres();
    let to: std::path::PathBuf = postgres.url(&postgres.database()).into();
    let (from, data) = (folder.0.join("games.db"), to.clone());
    let moved =
        tokio::task::spawn_blocking(move || server::store::moving::run(&from, &data, |_| {}));
    moved.await.unwrap().unwrap();
    let there = Local::with(|config| config.data = to).await;
    let hall = there.server.hall();
    assert_eq!(fingerprint(hall).await.unwrap(), own, "everything is moved");
    let Rebuilt { archived, ratings, .. } = rebuild(hall, |_| {}).await.unwrap();
    assert_eq!((archived, ratings), (9, own));
    there.get_as(&ann, "/api/me").await.ok();
}

#[tokio::test]
async fn a_game_that_was_promised_is_made_even_if_nobody_asks_for_it() {
    let local = Local::new().await;
    let (_, ann) = player(&local, "Ann").await;
    let (_, ben) = player(&local, "Ben").await;
    let game = meet(&local, &ann, &ben, terms(true)).await;
    let hall = local.server.hall();
    // As if the server had died between the pairing and the game.
    hall.store.upkeep().unwrap().delete(&game, None).await.unwrap();
    hall.forget(&game);
    local.get(&format!("/api/games/{game}")).await.refused(404);
    within(async {
        while !local.get(&format!("/api/games/{game}")).await.status.is_success() {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    })
    .await;
    assert!(local.get_as(&ben, &format!("/api/games/{game}")).await.ok()["you"][0].is_u64());
}
