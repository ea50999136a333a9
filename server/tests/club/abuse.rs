//! What people might do to the club on purpose, or when many ask at once.

use super::*;
use futures_util::future::join_all;
use server::games::hall::Hall;
use server::http::limits;
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

/// Copies the only game in the archive this many times, each a minute older.
async fn copy_archived(hall: &Hall, count: usize) {
    let found = records(hall).unwrap().range(Range::of("a/"), 2).await.unwrap();
    let [one] = &found[..] else { panic!("{found:?}") };
    let own: Value = serde_json::from_str(&one.value).unwrap();
    for start in (0..count).step_by(100) {
        let copy = |i: usize| {
            let (at, id) =
                (own["at"].as_i64().unwrap() - 60_000 * (i as i64 + 1), format!("{i:08}"));
            let mut copy = own.clone();
            (copy["at"], copy["id"]) = (at.into(), id.as_str().into());
            let moment = server::club::archive::moment_of(at, &id);
            let lists = own["seats"].as_array().unwrap().iter().filter_map(Value::as_str);
            let mut puts: Vec<_> =
                lists.map(|id| Change::put(format!("ap/{id}/{moment}"), "")).collect();
            puts.push(Change::put(format!("a/{moment}"), copy.to_string()));
            puts
        };
        let puts = (start..count.min(start + 100)).flat_map(copy).collect();
        assert!(records(hall).unwrap().change(puts).await.unwrap());
    }
}

/// Two players, who have played one game, which is archived.
async fn one_archived(local: &Local) -> [(String, String); 2] {
    let (ann, ben) = (player(local, "Ann").await, player(local, "Ben").await);
    let game = meet(local, &ann.1, &ben.1, terms(true)).await;
    play(local, &game, [&ann.1, &ben.1], 3, 1).await;
    archived(local, &game).await;
    [ann, ben]
}

#[tokio::test]
async fn an_export_is_whole_or_breaks_off_when_the_server_stops() {
    use futures_util::StreamExt;
    use tower::ServiceExt;
    for drains in [false, true] {
        let local = Local::new().await;
        let hall = local.server.hall();
        one_archived(&local).await;
        copy_archived(hall, 600).await;
        let request = Request::get("/api/archive/export").body(Body::empty()).unwrap();
        let response = local.server.router().oneshot(request).await.unwrap();
        let mut body = response.into_body().into_data_stream();
        let mut lines = count(&body.next().await.unwrap().unwrap());
        if drains {
            hall.office.drain.send_replace(Some(Duration::from_secs(9)));
        }
        hall.stopping.send_replace(true);
        let mut broken = false;
        while let Some(page) = within(body.next()).await {
            match page {
                Ok(page) => lines += count(&page),
                Err(_) => broken = true,
            }
        }
        assert_eq!((lines == 601, broken), (drains, !drains), "{lines} lines");
    }
}

fn count(page: &[u8]) -> usize {
    page.iter().filter(|byte| **byte == b'\n').count()
}

/// All bytes of the file of games and of its log.
fn bytes_of(folder: &crate::common::Folder) -> Vec<u8> {
    let files = std::fs::read_dir(&folder.0).unwrap();
    files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
}

#[tokio::test]
async fn nothing_of_a_deleted_player_stays_in_the_file() {
    let local = Local::new().await;
    let hall = local.server.hall();
    let (lines, _told) = tokio::sync::mpsc::channel(99);
    let mut gone = Vec::new();
    // Enough players for several pages of the file.
    for i in 0..60 {
        let (id, key) = player(&local, &format!("Quetzalcoatl {i}")).await;
        post(&local, "/api/lobby", &key, mail()).await.ok();
        let about = server::club::office::About::Rename {
            player: format!("id:{id}"),
            name: format!("Huitzilopochtli {i}"),
        };
        server::club::office::obey(hall, about, &lines).await.unwrap();
        gone.push(key);
    }
    for key in &gone {
        ask(&local, Method::DELETE, "/api/me", key, json!({})).await.ok();
    }
    within(async {
        while !keys_of(hall, &["gone/", "renamed/", "challenge/"]).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let Local { server, folder } = local;
    server.close().await;
    let all = bytes_of(&folder);
    let hashes = gone.iter().map(|key| server::store::hex(&server::ids::hash(key)));
    let words = ["Quetzalcoatl", "Huitzilopochtli"].map(str::to_owned).into_iter().chain(hashes);
    let left: Vec<_> = words
        .filter(|word| all.windows(word.len()).any(|bytes| bytes == word.as_bytes()))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_challenge_is_listed_under_its_makers_name_and_not_after_a_ban() {
    use server::club::office::{About, obey};
    for local in all().await {
        let hall = local.server.hall();
        let (lines, _told) = tokio::sync::mpsc::channel(9);
        let (id, ann) = player(&local, "Ann").await;
        for wanted in [mail(), terms(false)] {
            post(&local, "/api/lobby", &ann, wanted).await.ok();
        }
        let listed = || async {
            let listed = local.get("/api/lobby").await.ok()["challenges"].take();
            let names = listed.as_array().unwrap().iter();
            names.map(|own| own["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(listed().await, ["Ann", "Ann"]);
        let who = || format!("id:{id}");
        obey(hall, About::Rename { player: who(), name: "Zoe".into() }, &lines).await.unwrap();
        within(async {
            while listed().await != ["Zoe", "Zoe"] {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        })
        .await;
        let ban = About::BanPlayer { player: who(), reason: "rude".into() };
        obey(hall, ban, &lines).await.unwrap();
        assert_eq!(listed().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn whoever_reads_many_records_pays_for_them() {
    for local in all().await {
        let hall = local.server.hall();
        let [(ann, _), (ben, _)] = one_archived(&local).await;
        copy_archived(hall, 500).await;
        let start = (engine::find("gekitai").unwrap().start)(&Map::new()).unwrap();
        let position = server::club::archive::name_of(start.as_ref());
        let put = |i: i64| {
            let moment = server::club::archive::moment_of(i, "zzzzzzzz");
            let rating = "1500.0000 80.0000 0.06000000 5";
            let own = Change::put(format!("rh/{ann}/gekitai/{moment}"), rating);
            [own, Change::put(format!("p/{position}{moment}"), "1")]
        };
        let puts = (0..500).flat_map(put).collect();
        assert!(records(hall).unwrap().change(puts).await.unwrap());
        for (path, read) in [
            ("/api/archive/position?game=gekitai".to_owned(), 501),
            (format!("/api/players/{ann}/ratings/gekitai"), 501),
            // Once for the page and once for the score.
            (format!("/api/archive?player={ann}&against={ben}&most=100"), 100 + 501),
        ] {
            let before = hall.limits.charged();
            local.get(&path).await.ok();
            let paid = hall.limits.charged() - before;
            let least = u64::from(limits::of_events(read));
            assert!(paid >= least, "{path}: {paid} for {read} records, expected {least}");
        }
    }
}

#[tokio::test]
async fn challenges_that_were_accepted_do_not_count_as_open() {
    for local in all().await {
        let (_, ann) = player(&local, "Ann").await;
        let (_, ben) = player(&local, "Ben").await;
        for _ in 0..12 {
            meet(&local, &ann, &ben, mail()).await;
        }
        for _ in 0..10 {
            post(&local, "/api/lobby", &ann, mail()).await.ok();
        }
        post(&local, "/api/lobby", &ann, mail()).await.refused(409);
    }
}

#[tokio::test]
async fn of_many_correspondence_challenges_at_once_ten_are_made() {
    for local in all().await {
        let (_, ann) = player(&local, "Ann").await;
        let made = join_all((0..40).map(|_| post(&local, "/api/lobby", &ann, mail()))).await;
        let open = made.iter().filter(|own| own.status.is_success()).count();
        let stored = keys_of(local.server.hall(), &["challenge/"]).await.len();
        assert!((1..=10).contains(&open), "{open}");
        assert_eq!(stored, open);
        for _ in open..10 {
            post(&local, "/api/lobby", &ann, mail()).await.ok();
        }
        post(&local, "/api/lobby", &ann, mail()).await.refused(409);
    }
}

#[tokio::test]
async fn of_many_guests_of_a_network_at_once_no_more_than_its_share_are_listed() {
    let local = Local::with(|config| config.new_games = 4).await;
    let send = async |i: usize| {
        let request = Request::post("/api/lobby")
            .header(header::AUTHORIZATION, format!("Bearer {i:022}"))
            .body(Body::from(terms(false).to_string()));
        local.send_from([10, 0, 0, 2], request.unwrap()).await
    };
    let made = join_all((0..150).map(send)).await;
    assert_eq!(made.iter().filter(|own| own.status.is_success()).count(), 50);
    assert_eq!(keys_of(local.server.hall(), &["challenge/"]).await.len(), 50);
    // One that is withdrawn makes room for another.
    let id = made.iter().find_map(|own| own.json()["challenge"]["id"].as_str().map(str::to_owned));
    let winner = made.iter().position(|own| own.status.is_success()).unwrap();
    let path = format!("/api/lobby/{}", id.unwrap());
    ask(&local, Method::DELETE, &path, &format!("{winner:022}"), json!({})).await.ok();
    local.get("/api/lobby").await.ok();
    assert!(send(999).await.status.is_success());
}

#[tokio::test]
async fn a_registration_that_is_repeated_at_once_is_made_once_and_answered_alike() {
    for local in all().await {
        let limits = &local.server.hall().limits;
        limits.change(100_000, 8, 1_000);
        let key = format!("pk-{}", "k".repeat(26));
        let wanted = json!({ "name": "Ann", "key": key });
        let done = join_all((0..6).map(|_| local.post("/api/players", wanted.clone()))).await;
        let told: Vec<_> = done.into_iter().map(|own| (own.status.as_u16(), own.text)).collect();
        assert!(told.iter().all(|own| own.0 == 201 && *own == told[0]), "{told:?}");
        // Ten may register in an hour.
        for i in 0..9 {
            player(&local, &format!("Ben {i}")).await;
        }
        local.post("/api/players", json!({ "name": "Fay" })).await.refused(429);
    }
}

#[tokio::test]
async fn guests_play_levels_only_live() {
    let local = Local::new().await;
    let guest = "g".repeat(22);
    let mut wanted = mail();
    wanted["level"] = 1.into();
    post(&local, "/api/lobby", &guest, wanted).await.refused(422);
    assert_eq!(reserved(local.server.hall()).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_game_is_searched_for_whatever_its_capitals() {
    let local = Local::new().await;
    let [(ann, _), _] = one_archived(&local).await;
    for query in ["game=Gekitai".to_owned(), format!("player={ann}&game=GEKITAI")] {
        assert_eq!(found(&local, &query).await.len(), 1, "{query}");
    }
}

#[tokio::test]
async fn a_score_counts_all_games_whatever_results_are_searched_for() {
    let local = Local::new().await;
    let [(ann, _), (ben, _)] = one_archived(&local).await;
    let score = async |more: &str| {
        let path = format!("/api/archive?player={ann}&against={ben}{more}");
        local.get(&path).await.ok()["score"].take()
    };
    let all = score("").await;
    assert_eq!(all.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum::<u64>(), 1);
    for result in ["won", "lost", "draw"] {
        assert_eq!(score(&format!("&result={result}")).await, all, "{result}");
    }
}

#[tokio::test]
async fn a_deleted_player_has_no_rating_history() {
    let local = Local::new().await;
    let [(id, ann), _] = one_archived(&local).await;
    let path = format!("/api/players/{id}/ratings/gekitai");
    assert_eq!(local.get(&path).await.ok()["points"].as_array().unwrap().len(), 1);
    ask(&local, Method::DELETE, "/api/me", &ann, json!({})).await.ok();
    local.get(&path).await.refused(404);
}

#[tokio::test]
async fn the_scheme_of_a_key_may_be_written_small() {
    let local = Local::new().await;
    let (id, ann) = player(&local, "Ann").await;
    for scheme in ["bearer", "BEARER", "Bearer"] {
        let request =
            Request::get("/api/me").header(header::AUTHORIZATION, format!("{scheme} {ann}"));
        let me = local.send(request.body(Body::empty()).unwrap()).await.ok();
        assert_eq!(me["id"], json!(id), "{scheme}");
    }
}

#[tokio::test]
async fn a_path_that_is_no_text_is_refused_in_json() {
    let local = Local::new().await;
    for path in ["/api/players/%FF", "/api/lobby/%FF", "/api/games/%FF", "/api/games/%FF/events"] {
        local.get(path).await.refused(400);
    }
}

#[tokio::test]
async fn nothing_is_reserved_by_an_empty_name() {
    use server::club::office::{About, obey};
    let local = Local::new().await;
    let (lines, _told) = tokio::sync::mpsc::channel(9);
    let reserve = obey(local.server.hall(), About::Reserve { name: " ".into() }, &lines).await;
    assert!(reserve.is_err());
    assert_eq!(keys_of(local.server.hall(), &["name/"]).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_damaged_player_keeps_nobody_from_reading_the_archive() {
    for local in all().await {
        let [(ann, _), _] = one_archived(&local).await;
        let spoil = vec![Change::put(format!("player/{ann}"), "{")];
        assert!(records(local.server.hall()).unwrap().change(spoil).await.unwrap());
        assert_eq!(found(&local, "").await.len(), 1);
    }
}
