//! Operators' commands about games, on every kind of store.

use crate::common::{Local, Made, random_game, within};
use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use server::admin::games::{Filter, State, delete, forget, list, show};
use server::admin::retention::clean;
use server::admin::settings::Keep;
use server::admin::{backup, learn_bans, upkeep};
use server::games::room::Presence;
use server::store::upkeep::Banned;
use std::time::Duration;
use tokio::sync::mpsc;

const DAY: i64 = 86_400_000;

/// A server on each kind of store.
async fn all() -> Vec<Local> {
    let mut all = vec![Local::new().await];
    #[cfg(feature = "many")]
    {
        let postgres = crate::common::services::postgres();
        let data = postgres.url(&postgres.database());
        all.push(Local::with(|config| config.data = data.into()).await);
    }
    all.reverse();
    all
}

async fn named(local: &Local, names: [&str; 2]) -> Made {
    let seat = |name: &str| json!({ "kind": "person", "name": name });
    local.make(json!({ "game": "gekitai", "seats": names.map(seat) })).await
}

async fn play_out(local: &Local, game: &Made) {
    for (i, turn) in random_game("gekitai", 500, 7).iter().enumerate() {
        local.play(game, 1 + i % 2, turn).await.ok();
    }
    assert_ne!(local.show(game).await["result"], Value::Null);
}

async fn listed(local: &Local, filter: Filter) -> Vec<String> {
    let (lines, mut told) = mpsc::channel(1_000);
    list(local.server.hall(), &Filter { most: 500, ..filter }, &lines).await.unwrap();
    drop(lines);
    let mut games = Vec::new();
    while let Some(line) = told.recv().await {
        games.push(line["id"].as_str().unwrap().to_owned());
    }
    games.sort();
    games
}

#[tokio::test]
async fn games_are_listed_by_what_has_become_of_them() {
    for local in all().await {
        let [unplayed, begun, over] = [
            named(&local, ["a", "b"]).await,
            named(&local, ["c", "d"]).await,
            named(&local, ["e", "f"]).await,
        ];
        local.play(&begun, 1, "c3").await.ok();
        play_out(&local, &over).await;
        let of = |state| Filter { state: Some(state), ..Filter::default() };
        assert_eq!(listed(&local, of(State::Unplayed)).await, [unplayed.id.as_str()]);
        assert_eq!(listed(&local, of(State::Running)).await, [begun.id.as_str()]);
        assert_eq!(listed(&local, of(State::Finished)).await, [over.id.as_str()]);
        assert_eq!(listed(&local, Filter::default()).await.len(), 3);
        let idle = Filter { idle: Some(3_600), ..Filter::default() };
        assert!(listed(&local, idle.clone()).await.is_empty());
        local.server.hall().time.skip(DAY);
        assert_eq!(listed(&local, idle).await.len(), 3);
        local
            .send_from([10, 0, 0, 9], begun.request(2, &json!({ "type": "move", "turn": "c4" })))
            .await
            .ok();
        let from = |network: &str| Filter { network: Some(network.into()), ..Filter::default() };
        assert_eq!(listed(&local, from("10.0.0.0/24")).await, [begun.id.as_str()]);
        assert!(listed(&local, from("10.0.1.0/24")).await.is_empty());
        let told = show(local.server.hall(), &begun.id).await.unwrap();
        assert_eq!(told["events"].as_array().unwrap().len(), 3);
        assert_eq!(told["seats"][0]["name"], "c");
        local.server.close().await;
    }
}

#[tokio::test]
async fn a_deleted_game_is_gone_for_everybody_who_was_in_it() {
    for local in all().await {
        let (game, other) = (named(&local, ["a", "b"]).await, named(&local, ["a", "b"]).await);
        local.play(&game, 1, "c3").await.ok();
        let room = local.server.hall().room(&game.id).await.unwrap();
        let _there = Presence::new(&room, Vec::new());
        delete(local.server.hall(), &game.id).await.unwrap();
        assert!(room.is_dropped_out());
        let error = local.get(&format!("/api/games/{}", game.id)).await.refused(404);
        assert_eq!(error, format!("there is no game `{}`", game.id));
        local.play(&game, 2, "c4").await.refused(404);
        assert_eq!(delete(local.server.hall(), &game.id).await.unwrap_err().status(), 404);
        assert_eq!(listed(&local, Filter::default()).await, [other.id.as_str()]);
        local.play(&other, 1, "c3").await.ok();
        local.server.close().await;
    }
}

#[tokio::test]
async fn a_persons_name_is_removed_from_all_their_games_and_nobody_elses() {
    for local in all().await {
        let hall = local.server.hall();
        let [own, same, other] = [
            named(&local, ["Ana \"x\"", "Ben"]).await,
            named(&local, ["Cleo", "Ana \"x\""]).await,
            named(&local, ["Ana", "Ben"]).await,
        ];
        local.play(&own, 1, "c3").await.ok();
        let names = async |game: &Made| {
            let told = local.show(game).await;
            [0, 1].map(|seat| told["seats"][seat]["name"].as_str().unwrap().to_owned())
        };
        let mut found = forget(hall, None, Some("Ana \"x\""), false).await.unwrap();
        found.sort();
        let mut both = vec![own.id.clone(), same.id.clone()];
        both.sort();
        assert_eq!(found, both);
        assert_eq!(names(&own).await, ["Ana \"x\"", "Ben"], "nothing has changed yet");
        // Forgetting by token does not affect somebody else's game under the same name.
        let found = forget(hall, Some(&own.tokens[0]), None, true).await.unwrap();
        assert_eq!(found, [own.id.as_str()]);
        assert_eq!(names(&own).await, ["deleted player", "Ben"]);
        assert_eq!(names(&same).await, ["Cleo", "Ana \"x\""]);
        local.play(&own, 2, "c4").await.ok();
        local.play(&own, 1, "d4").await.refused(401);
        assert_eq!(forget(hall, None, Some("Ana \"x\""), true).await.unwrap(), [same.id.as_str()]);
        assert_eq!(names(&same).await, ["Cleo", "deleted player"]);
        assert_eq!(names(&other).await, ["Ana", "Ben"]);
        let events = local.get(&format!("/api/games/{}/events", own.id)).await.text;
        assert!(!events.contains("Ana"), "{events}");
        local.server.close().await;
    }
}

#[tokio::test]
async fn a_banned_address_is_refused_with_the_reason_and_its_neighbours_are_not() {
    for local in all().await {
        let hall = local.server.hall();
        let ask = async |last: u8| {
            let request = Request::get("/api/health").body(Body::empty()).unwrap();
            local.send_from([10, 0, 0, last], request).await
        };
        let banned =
            Banned { network: "10.0.0.7".into(), since: 1, until: None, reason: "spam".into() };
        upkeep(hall).unwrap().prepare().await.unwrap();
        upkeep(hall).unwrap().ban(banned.clone()).await.unwrap();
        learn_bans(hall).await.unwrap();
        assert_eq!(upkeep(hall).unwrap().bans().await.unwrap(), [banned]);
        assert!(ask(7).await.refused(403).contains("banned"));
        ask(8).await.ok();
        assert!(upkeep(hall).unwrap().unban("10.0.0.7").await.unwrap());
        assert!(!upkeep(hall).unwrap().unban("10.0.0.7").await.unwrap());
        learn_bans(hall).await.unwrap();
        ask(7).await.ok();
        local.server.close().await;
    }
}

#[tokio::test]
async fn old_games_are_deleted_by_kind_and_never_while_somebody_is_there() {
    for local in all().await {
        let hall = local.server.hall();
        let [unplayed, begun, over, watched] = [
            named(&local, ["a", "b"]).await,
            named(&local, ["c", "d"]).await,
            named(&local, ["e", "f"]).await,
            named(&local, ["g", "h"]).await,
        ];
        local.play(&begun, 1, "c3").await.ok();
        local.play(&watched, 1, "c3").await.ok();
        play_out(&local, &over).await;
        let clock = json!({ "kind": "days", "days": 7 });
        let person = json!({ "kind": "person" });
        let slow = json!({ "game": "gekitai", "seats": [person, person], "clock": clock });
        let slow = local.make(slow).await;
        local.play(&slow, 1, "c3").await.ok();
        let days = |days: u64| Some(Duration::from_secs(86_400 * days));
        let keep = Keep { finished: days(20), unfinished: days(3), unplayed: days(2) };
        let clean = || clean(hall, keep, Duration::ZERO);
        assert_eq!(clean().await.unwrap(), 0);
        hall.time.skip(4 * DAY);
        let room = hall.room(&watched.id).await.unwrap();
        let follower = room.follow();
        assert_eq!(clean().await.unwrap(), 2);
        for gone in [&unplayed, &begun] {
            local.get(&format!("/api/games/{}", gone.id)).await.refused(404);
        }
        for kept in [&over, &watched, &slow] {
            local.show(kept).await;
        }
        drop((follower, room));
        assert_eq!(clean().await.unwrap(), 1);
        local.get(&format!("/api/games/{}", watched.id)).await.refused(404);
        let text = hall.metrics.text();
        for (why, count) in [("unfinished", 2), ("finished", 0), ("unplayed", 1)] {
            let line = format!("quadrille_deleted_games_total{{why=\"{why}\"}} {count}\n");
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
        local.server.close().await;
    }
}

#[tokio::test]
async fn a_socket_of_a_deleted_game_is_closed_with_the_reason() {
    use futures_util::StreamExt;
    use tokio_tungstenite::tungstenite::Message;
    let local = Local::new().await;
    let game = named(&local, ["a", "b"]).await;
    let Local { server, folder: _folder } = local;
    let hall = std::sync::Arc::clone(server.hall());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/api/games/{}/socket", listener.local_addr().unwrap(), game.id);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve(listener, async {
        let _ = stopped.await;
    }));
    let (mut socket, _) = within(tokio_tungstenite::connect_async(&url)).await.unwrap();
    within(socket.next()).await.unwrap().unwrap();
    delete(&hall, &game.id).await.unwrap();
    drop(hall);
    let reason = within(async {
        loop {
            match socket.next().await.unwrap().unwrap() {
                Message::Close(frame) => return frame.unwrap(),
                _ => continue,
            }
        }
    })
    .await;
    assert_eq!((u16::from(reason.code), reason.reason.as_str()), (1008, "this game was deleted"));
    assert!(
        within(tokio_tungstenite::connect_async(&url)).await.is_err(),
        "there is nothing there"
    );
    drop(stop);
    within(serving).await.unwrap();
}

/// Even if moves are stored all the while, a deleted game is gone completely.
#[cfg(feature = "many")]
#[tokio::test]
async fn a_game_that_is_deleted_while_it_is_played_leaves_nothing_in_the_store() {
    use server::store::{Append, Appended, Tip};
    use std::sync::atomic::{AtomicBool, Ordering};
    use table::event::{Event, Fact};
    for local in all().await {
        let hall = local.server.hall();
        let games: Vec<Made> = {
            let mut games = Vec::new();
            for _ in 0..8 {
                games.push(named(&local, ["a", "b"]).await);
            }
            games
        };
        // A turn stored at the moment of the deletion may be followed by others, until its server has noticed.
        let forgotten = std::sync::Arc::new(AtomicBool::new(false));
        let mut players = tokio::task::JoinSet::new();
        for game in &games {
            let forgotten = std::sync::Arc::clone(&forgotten);
            let (store, id) = (std::sync::Arc::clone(&hall.store), game.id.clone());
            players.spawn(async move {
                let mut last = store.events(&id, 0, 9).await.unwrap().pop().unwrap();
                let mut stored = 0;
                while !forgotten.load(Ordering::Relaxed) {
                    let seq = last.seq + 1;
                    let next = Event {
                        seq,
                        seat: None,
                        at: last.at + 1,
                        fact: Fact::Declined,
                        command: None,
                    };
                    let append = Append {
                        game: id.clone(),
                        after: Some(Tip::of(&last)),
                        events: vec![next.clone()],
                        ..Append::default()
                    };
                    match store.append(append).await.unwrap() {
                        Appended::Committed => last = next,
                        Appended::Conflict => return stored,
                    }
                    stored += 1;
                }
                stored
            });
        }
        let summaries = async || upkeep(hall).unwrap().summaries("", 99).await.unwrap();
        within(async { while summaries().await.iter().any(|game| game.last < 5) {} }).await;
        for game in &games {
            delete(hall, &game.id).await.unwrap();
            assert!(hall.store.events(&game.id, 0, 9).await.unwrap().is_empty());
        }
        forgotten.store(true, Ordering::Relaxed);
        let stored = within(players.join_all()).await;
        assert!(stored.iter().all(|stored| *stored >= 4), "{stored:?}");
        within(async {
            while !summaries().await.is_empty() {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        })
        .await;
        local.server.close().await;
    }
}

#[cfg(feature = "many")]
#[tokio::test]
async fn servers_that_share_a_store_forget_deleted_games_and_learn_of_bans() {
    let servers = crate::many::shared::servers(&[0, 0], |_| {}).await;
    let [here, there] = [&servers[0], &servers[1]];
    let (game, renamed) = (named(here, ["a", "b"]).await, named(here, ["Ana", "b"]).await);
    there.play(&game, 1, "c3").await.ok();
    there.show(&renamed).await;
    let rooms = [&game, &renamed].map(|game| there.server.hall().in_memory(&game.id).unwrap());
    delete(here.server.hall(), &game.id).await.unwrap();
    forget(here.server.hall(), None, Some("Ana"), true).await.unwrap();
    let banned =
        Banned { network: "10.0.0.7".into(), since: 1, until: None, reason: String::new() };
    upkeep(here.server.hall()).unwrap().ban(banned).await.unwrap();
    for room in rooms {
        let mut hints = room.follow();
        within(async {
            while !room.is_dropped_out() {
                hints.changed().await.unwrap();
            }
        })
        .await;
    }
    there.play(&game, 2, "c4").await.refused(404);
    assert_eq!(there.show(&renamed).await["seats"][0]["name"], "deleted player");
    let limits = &there.server.hall().limits;
    within(async {
        while !limits.bans.include([10, 0, 0, 7].into()) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn metrics_tell_each_route_by_its_pattern() {
    let local = Local::new().await;
    let game = named(&local, ["a", "b"]).await;
    local.show(&game).await;
    local.get("/api/games/nothing1").await.refused(404);
    local.get("/api/no/such/thing").await;
    let text = local.server.hall().metrics.text();
    for line in [
        "quadrille_route_requests_total{route=\"/api/games\",status=\"2xx\"} 1",
        "quadrille_route_requests_total{route=\"/api/games/{id}\",status=\"2xx\"} 1",
        "quadrille_route_requests_total{route=\"/api/games/{id}\",status=\"4xx\"} 1",
        "quadrille_request_seconds_count{route=\"/api/games/{id}\"} 2",
        "process_open_fds ",
        "process_resident_memory_bytes ",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(!text.contains(&game.id) && !text.contains("nothing1"), "{text}");
    local.server.close().await;
}

#[cfg(feature = "many")]
#[tokio::test]
async fn a_database_is_verified_like_a_file_and_backed_up_by_its_own_means() {
    let postgres = crate::common::services::postgres();
    let data: std::path::PathBuf = postgres.url(&postgres.database()).into();
    let local = Local::with(|config| config.data.clone_from(&data)).await;
    let game = named(&local, ["a", "b"]).await;
    local.play(&game, 1, "c3").await.ok();
    let check = move || {
        let found = backup::verify(&data, |_| {}).unwrap();
        assert_eq!((found.games, found.events, found.turns, found.damaged), (1, 2, 1, 0));
        assert!(backup::backup(&data, "copy.db".as_ref()).unwrap_err().0.contains("pg_dump"));
    };
    tokio::task::spawn_blocking(check).await.unwrap();
    local.server.close().await;
}

#[tokio::test]
async fn a_backup_is_made_while_the_server_runs_checked_and_restored() {
    let local = Local::new().await;
    let (over, lost) = (named(&local, ["a", "b"]).await, named(&local, ["c", "d"]).await);
    play_out(&local, &over).await;
    let data = local.folder.0.join("games.db");
    let copy = local.folder.0.join("backup.db");
    let turns = local.show(&over).await["turns"].as_array().unwrap().len();
    let blocking =
        async |work: Box<dyn FnOnce() + Send>| tokio::task::spawn_blocking(work).await.unwrap();
    let (from, to) = (data.clone(), copy.clone());
    blocking(Box::new(move || {
        backup::backup(&from, &to).unwrap();
        assert!(backup::backup(&from, &to).is_err(), "nothing is written over");
        let found = backup::verify(&to, |_| {}).unwrap();
        assert_eq!((found.games, found.turns, found.finished, found.damaged), (2, turns, 1, 0));
        // The file in use can be verified, too.
        assert_eq!(backup::verify(&from, |_| {}).unwrap(), found);
        let refused = backup::restore(&to, &from).unwrap_err();
        assert!(refused.0.contains("another server has"), "{refused}");
    }))
    .await;
    delete(local.server.hall(), &lost.id).await.unwrap();
    let Local { server, folder } = local;
    server.close().await;
    blocking(Box::new(move || {
        let aside = backup::restore(&copy, &data).unwrap().unwrap();
        assert_eq!(backup::verify(&data, |_| {}).unwrap().games, 2);
        assert_eq!(backup::verify(&aside, |_| {}).unwrap().games, 1, "what was there is kept");
        let broken = rusqlite::Connection::open(&copy).unwrap();
        let spoil =
            "UPDATE events SET payload = '{\"turn\":\"z9\"}' WHERE kind = 'move' AND seq = 5";
        assert_eq!(broken.execute(spoil, []).unwrap(), 1);
        drop(broken);
        let found = backup::verify(&copy, |_| {}).unwrap();
        assert_eq!((found.games, found.damaged, found.reasons.len()), (2, 1, 1));
    }))
    .await;
    let again = Local { server: server::Server::open(&folder.config()).await.unwrap(), folder };
    again.show(&lost).await;
    again.server.close().await;
}

#[tokio::test]
async fn an_empty_file_is_called_so() {
    let folder = crate::common::Folder::new();
    let file = folder.0.join("empty.db");
    std::fs::write(&file, "").unwrap();
    let check = move || backup::verify(&file, |_| {}).unwrap_err();
    let refused = tokio::task::spawn_blocking(check).await.unwrap();
    assert!(refused.0.contains("is empty"), "{refused}");
}

/// Executes SQL in a store that no server has open.
fn spoil(data: &std::path::Path, sql: &str) {
    #[cfg(feature = "many")]
    if let Some(database) = data.to_str().filter(|data| data.starts_with("postgres")) {
        let database = database.rsplit('/').next().unwrap().split('?').next().unwrap();
        crate::common::services::postgres().ask(database, sql);
        return;
    }
    rusqlite::Connection::open(data).unwrap().execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_check_finds_events_that_are_missing_and_players_that_cannot_be_read() {
    #[allow(unused_mut)]
    let mut stores = vec![None];
    #[cfg(feature = "many")]
    {
        let postgres = crate::common::services::postgres();
        stores.push(Some(std::path::PathBuf::from(postgres.url(&postgres.database()))));
    }
    for shared in stores {
        let local =
            Local::with(|config| config.data = shared.clone().unwrap_or(config.data.clone()));
        let Local { server, folder } = {
            let local = local.await;
            crate::club::player(&local, "Ann").await;
            let game = named(&local, ["a", "b"]).await;
            for (seat, turn) in [(1, "c3"), (2, "d4"), (1, "a1")] {
                local.play(&game, seat, turn).await.ok();
            }
            local
        };
        server.close().await;
        let data = shared.unwrap_or(folder.0.join("games.db"));
        let check = move || {
            let found = backup::verify(&data, |_| {}).unwrap();
            assert_eq!((found.games, found.events, found.players, found.damaged), (1, 4, 1, 0));
            spoil(&data, "DELETE FROM events WHERE seq = 2");
            let found = backup::verify(&data, |_| {}).unwrap();
            assert_eq!((found.games, found.damaged), (1, 1));
            assert!(found.reasons[0].contains("event 2 is missing"), "{:?}", found.reasons);
            spoil(&data, "UPDATE records SET value = '{' WHERE key LIKE 'player/%'");
            let found = backup::verify(&data, |_| {}).unwrap();
            assert_eq!((found.players, found.damaged), (0, 2));
            assert!(found.reasons[1].contains("`player/"), "{:?}", found.reasons);
            spoil(&data, "DELETE FROM records");
            assert_eq!(backup::verify(&data, |_| {}).unwrap().players, 0);
        };
        tokio::task::spawn_blocking(check).await.unwrap();
    }
}
