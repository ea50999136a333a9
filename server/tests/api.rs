//! The API, through the router.

use crate::common::{Local, random_game, within};
use axum::body::Body;
use axum::http::{Request, header};
use rules::random::Random;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

#[tokio::test]
async fn a_game_of_each_kind_is_played_to_the_end() {
    let local = Local::new().await;
    for entry in engine::GAMES {
        let game = local.people(entry.info.id).await;
        let turns = random_game(entry.info.id, 400, 7);
        for (i, turn) in turns.iter().enumerate() {
            let done = local.play(&game, i % 2 + 1, turn).await.ok();
            assert_eq!(done["event"]["turn"], turn.as_str());
            assert_eq!(done["seq"], i + 2);
        }
        let shown = local.show(&game).await;
        assert_eq!(shown["turns"], json!(turns));
        let mut session = (entry.start)(&Default::default()).unwrap();
        turns.iter().for_each(|turn| session.play(turn).unwrap());
        assert_eq!(shown["result"].is_null(), session.result().is_none());
        let events = local.events(&game).await;
        let seqs: Vec<_> = events.iter().map(|event| event["seq"].as_i64().unwrap()).collect();
        assert_eq!(seqs, (1..=events.len() as i64).collect::<Vec<_>>());
        assert_eq!(shown["seq"], events.len());
    }
}

#[tokio::test]
async fn a_repeated_command_gets_its_first_answer_and_nothing_happens_twice() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let action = json!({ "type": "move", "turn": "c4", "command": "one", "seq": 2 });
    let first = local.command(&game, 1, action.clone()).await.ok();
    local.play(&game, 2, "d3").await.ok();
    assert_eq!(local.command(&game, 1, action.clone()).await.ok(), first);
    let local = local.restart().await;
    assert_eq!(local.command(&game, 1, action).await.ok(), first);
    assert_eq!(local.show(&game).await["turns"], json!(["c4", "d3"]));
    let other = json!({ "type": "move", "turn": "a1", "command": "one" });
    let other = local.command(&game, 2, other).await.refused(409);
    assert_eq!(other, "it is not your turn", "the other seat has its own commands");
}

#[tokio::test]
async fn a_name_of_a_command_is_not_used_for_another_one() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let named = |mut action: Value| {
        action["command"] = "one".into();
        action
    };
    let sloppy = named(json!({ "type": "move", "turn": " C4 " }));
    let first = local.command(&game, 1, sloppy.clone()).await.ok();
    assert_eq!(first["event"]["turn"], "c4");
    assert!(first["event"].get("said").is_none());
    let local = local.restart().await;
    for other in [
        json!({ "type": "move", "turn": "d4" }),
        json!({ "type": "resign" }),
        json!({ "type": "undo" }),
    ] {
        let refused = local.command(&game, 1, named(other)).await;
        assert_eq!(refused.json()["field"], "command");
        refused.refused(409);
    }
    assert_eq!(local.command(&game, 1, sloppy).await.ok(), first, "the same again is the same");
    for (seat, action) in [
        (2, json!({ "type": "offer-draw" })),
        (1, json!({ "type": "decline", "command": "two" })),
        (1, json!({ "type": "undo", "command": "three" })),
        (2, json!({ "type": "accept", "command": "four" })),
        (1, json!({ "type": "join", "name": " Ann ", "command": "five" })),
        (1, json!({ "type": "resign", "command": "six" })),
        (1, json!({ "type": "rematch", "command": "seven" })),
    ] {
        let mut action = action;
        if action["command"].is_null() {
            action["command"] = "one".into();
        }
        let done = local.command(&game, seat, action.clone()).await.ok();
        assert_eq!(local.command(&game, seat, action).await.ok(), done);
    }
}

#[tokio::test]
async fn commands_at_the_same_time_are_stored_one_after_the_other() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let action = json!({ "type": "move", "turn": "c4", "command": "same" });
    let (a, b, c) = tokio::join!(
        local.command(&game, 1, action.clone()),
        local.command(&game, 1, action.clone()),
        local.command(&game, 1, json!({ "type": "move", "turn": "a1", "command": "other" })),
    );
    assert_eq!(a.status, b.status);
    assert_ne!(a.status.is_success(), c.status.is_success(), "one of two turns is too late");
    assert_eq!(local.events(&game).await.len(), 2);
}

#[tokio::test]
async fn what_is_against_the_rules_is_refused_and_not_stored() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let other = local.people("gekitai").await;
    assert_eq!(local.play(&game, 2, "c4").await.refused(409), "it is not your turn");
    let refused = local.play(&game, 1, "zz").await;
    assert_eq!(refused.json()["field"], "turn");
    assert!(refused.refused(422).contains("`zz` is not a move"));
    let late = json!({ "type": "move", "turn": "c4", "seq": 7 });
    assert_eq!(local.command(&game, 1, late).await.refused(409), "the next event is 2, not 7");
    let seat = json!({ "type": "resign", "seat": 2 });
    assert!(local.command(&game, 1, seat).await.refused(403).contains("seat 2"));
    for action in ["accept", "decline", "undo", "rematch"] {
        local.command(&game, 1, json!({ "type": action })).await.refused(409);
    }
    local.command(&game, 1, json!({ "type": "fly" })).await.refused(400);
    local
        .command(&game, 1, json!({ "type": "resign", "command": "x".repeat(65) }))
        .await
        .refused(400);
    let name = "x".repeat(41);
    local.command(&game, 1, json!({ "type": "join", "name": name })).await.refused(422);
    let stranger = crate::common::Made { tokens: other.tokens.clone(), ..game.clone() };
    assert!(local.play(&stranger, 1, "c4").await.refused(401).contains("no seat"));
    let path = format!("/api/games/{}/commands", game.id);
    let nobody = local.post(&path, json!({ "type": "resign" }));
    assert!(nobody.await.refused(401).contains("Bearer"));
    local.get_as("wrong", &format!("/api/games/{}", game.id)).await.refused(401);
    assert_eq!(local.show(&game).await["seq"], 1);
    local.command(&game, 2, json!({ "type": "resign" })).await.ok();
    for action in [json!({ "type": "move", "turn": "c4" }), json!({ "type": "resign" })] {
        assert_eq!(local.command(&game, 1, action).await.refused(409), "the game is over");
    }
    assert_eq!(local.show(&game).await["seq"], 2);
    local.get("/api/games/nothere1").await.refused(404);
    local.get("/api/games/..%2f..%2fetc").await.refused(404);
}

#[tokio::test]
async fn turns_are_taken_back_when_the_opponent_agrees() {
    let local = Local::new().await;
    let game = local.people("glaisher").await;
    let turns = random_game("glaisher", 3, 1);
    for (i, turn) in turns.iter().enumerate() {
        local.play(&game, i % 2 + 1, turn).await.ok();
    }
    let offer = local.command(&game, 1, json!({ "type": "undo" })).await.ok();
    assert_eq!(offer["event"]["offer"], "undo");
    assert_eq!(local.show(&game).await["offer"], json!({ "kind": "undo", "seat": 1 }));
    local.command(&game, 1, json!({ "type": "accept" })).await.refused(409);
    let undone = local.command(&game, 2, json!({ "type": "accept" })).await.ok();
    assert_eq!(undone["event"]["turns"], 2);
    assert_eq!(local.show(&game).await["turns"], json!(turns[..2]));
    // Now it is player 1's turn again, so their last turn is the first of the game.
    local.command(&game, 1, json!({ "type": "undo" })).await.ok();
    local.command(&game, 2, json!({ "type": "decline" })).await.ok();
    let shown = local.show(&game).await;
    assert_eq!((&shown["offer"], shown["turns"].as_array().unwrap().len()), (&Value::Null, 2));
}

#[tokio::test]
async fn a_draw_is_offered_declined_by_a_move_and_agreed() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let offer = json!({ "type": "offer-draw" });
    local.command(&game, 2, offer.clone()).await.ok();
    local.command(&game, 2, offer.clone()).await.refused(409);
    local.play(&game, 1, "c4").await.ok();
    local.command(&game, 1, json!({ "type": "accept" })).await.refused(409);
    local.command(&game, 2, offer.clone()).await.ok();
    local.command(&game, 1, offer).await.ok();
    let result = local.show(&game).await["result"].clone();
    assert_eq!(result, json!({ "winner": "draw", "reason": "agreed" }));
}

#[tokio::test]
async fn a_game_has_a_picture_for_whoever_shows_a_link_to_it() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let picture = local.get(&format!("/picture/{}", game.id)).await;
    assert_eq!(picture.status.as_u16(), 200);
    assert_eq!(picture.headers["content-type"], "image/png");
    for path in ["/picture/abcdefgh", "/picture/x", "/picture/..%2f"] {
        local.get(path).await.refused(404);
    }
}

#[tokio::test]
async fn a_game_can_be_called_off_until_both_have_moved() {
    let local = Local::new().await;
    let abort = json!({ "type": "abort", "command": "off" });
    for turns in [&[][..], &["c4"]] {
        let game = local.people("gekitai").await;
        for (turn, seat) in turns.iter().zip(1..) {
            local.play(&game, seat, turn).await.ok();
        }
        let told = local.command(&game, 2, abort.clone()).await.ok();
        assert_eq!(told["event"]["seat"], 2);
        assert_eq!(told["event"]["words"], "The game was called off.");
        assert_eq!(told["event"]["winner"], Value::Null);
        let again = local.command(&game, 2, abort.clone()).await.ok();
        assert_eq!(again["seq"], told["seq"], "the same command is done once");
        let shown = local.show(&game).await;
        assert_eq!(shown["result"], json!({ "winner": null, "reason": "aborted" }));
        assert_eq!(shown["ending"], "The game was called off");
        local.play(&game, 1, "a1").await.refused(409);
        local.command(&game, 1, json!({ "type": "rematch" })).await.ok();
    }
    let game = local.people("gekitai").await;
    local.play(&game, 1, "c4").await.ok();
    local.play(&game, 2, "d3").await.ok();
    local.command(&game, 1, abort).await.refused(409);
    assert_eq!(local.show(&game).await["result"], Value::Null);
}

#[tokio::test]
async fn an_offer_outlives_its_makers_own_move_and_ends_with_the_opponents() {
    let local = Local::new().await;
    for (offer, kind) in [("offer-draw", "draw"), ("undo", "undo")] {
        let game = local.people("gekitai").await;
        local.play(&game, 1, "c4").await.ok();
        local.play(&game, 2, "d3").await.ok();
        local.command(&game, 1, json!({ "type": offer })).await.ok();
        local.play(&game, 1, "a1").await.ok();
        let open = json!({ "kind": kind, "seat": 1 });
        assert_eq!(local.show(&game).await["offer"], open, "the opponent may still answer");
        local.play(&game, 2, "f6").await.ok();
        assert_eq!(local.show(&game).await["offer"], Value::Null, "a move is an answer");
        local.command(&game, 2, json!({ "type": "accept" })).await.refused(409);
    }
    let game = local.people("gekitai").await;
    local.command(&game, 1, json!({ "type": "offer-draw" })).await.ok();
    local.play(&game, 1, "c4").await.ok();
    local.command(&game, 2, json!({ "type": "accept" })).await.ok();
    assert_eq!(local.show(&game).await["result"]["reason"], "agreed");
}

#[tokio::test]
async fn a_turn_is_refused_only_if_the_board_has_changed_since() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    assert_eq!(local.show(&game).await["board_seq"], 1);
    let play = |turn: &str, board: i64| json!({ "type": "move", "turn": turn, "board_seq": board });
    // The opponent changes their name and offers a draw while a turn is on its way.
    local.command(&game, 2, json!({ "type": "join", "name": "Bob" })).await.ok();
    local.command(&game, 2, json!({ "type": "offer-draw" })).await.ok();
    assert_eq!(local.command(&game, 1, play("c4", 1)).await.ok()["seq"], 4);
    assert_eq!(local.show(&game).await["board_seq"], 4);
    local.command(&game, 1, json!({ "type": "undo" })).await.ok();
    local.command(&game, 2, json!({ "type": "accept" })).await.ok();
    assert_eq!(local.show(&game).await["board_seq"], 6, "a turn taken back changes the board");
    let late = local.command(&game, 1, play("c4", 4)).await;
    assert_eq!(late.json()["field"], "board_seq");
    assert!(late.refused(409).contains("event 6"));
    local.command(&game, 1, play("c4", 6)).await.ok();
}

#[tokio::test]
async fn a_rematch_exchanges_the_seats_and_each_keeps_the_token() {
    let local = Local::new().await;
    let seats = json!([{ "kind": "person", "name": "Ann" }, { "kind": "open" }]);
    let mut game = local.make(json!({ "game": "gekitai", "seats": seats, "turns": ["a1"] })).await;
    let joined = local.command(&game, 2, json!({ "type": "join", "name": "Bob" })).await.ok();
    game.tokens[1] = joined["token"].as_str().unwrap().to_owned();
    local.command(&game, 2, json!({ "type": "resign" })).await.ok();
    local.command(&game, 1, json!({ "type": "rematch" })).await.ok();
    let path = format!("/api/games/{}/rematch", game.id);
    local.get_as(&game.tokens[0], &path).await.refused(409);
    let made = local.command(&game, 2, json!({ "type": "rematch" })).await.ok();
    let next = local.get_as(&game.tokens[0], &path).await.ok();
    assert_eq!(next["id"], made["event"]["id"]);
    assert_eq!(next["tokens"], json!([null, game.tokens[0]]));
    let [one, two] = game.tokens.clone();
    let next = crate::common::Made { id: next["id"].as_str().unwrap().into(), tokens: [two, one] };
    let shown = local.show(&next).await;
    let names: Vec<_> = (0..2).map(|i| shown["seats"][i]["name"].clone()).collect();
    assert_eq!(names, ["Bob", "Ann"]);
    assert_eq!(shown["turns"], json!(["a1"]));
    local.play(&next, 2, "c4").await.ok();
    local.get(&path).await.refused(401);
}

#[tokio::test]
async fn one_token_plays_both_seats_of_a_shared_game() {
    let local = Local::new().await;
    let person = json!({ "kind": "person" });
    let wanted = json!({ "game": "gekitai", "seats": [person, person], "shared": true });
    let game = local.make(wanted).await;
    assert_eq!(game.tokens[0], game.tokens[1]);
    let shown = local.get_as(&game.tokens[0], &format!("/api/games/{}", game.id)).await.ok();
    assert_eq!(shown["you"], json!([1, 2]));
    for turn in ["c4", "d3", "a1"] {
        local.play(&game, 1, turn).await.ok();
    }
    local.command(&game, 1, json!({ "type": "undo" })).await.ok();
    assert_eq!(local.show(&game).await["turns"], json!(["c4", "d3"]));
    local.command(&game, 1, json!({ "type": "resign", "seat": 2 })).await.ok();
    assert_eq!(local.show(&game).await["result"]["winner"], 1);
    local.command(&game, 1, json!({ "type": "rematch" })).await.ok();
}

#[tokio::test]
async fn a_computer_answers_and_turns_are_taken_back_by_two() {
    let local = Local::new().await;
    for entry in engine::GAMES {
        let seats = json!([{ "kind": "person" }, { "kind": "level", "level": 1 }]);
        let game = local.make(json!({ "game": entry.info.id, "seats": seats })).await;
        let turns = random_game(entry.info.id, 1, 3);
        local.play(&game, 1, &turns[0]).await.ok();
        local.until(&game, 3).await;
        let shown = local.show(&game).await;
        assert_eq!(shown["turns"].as_array().unwrap().len(), 2);
        assert_eq!(shown["seats"][1]["name"], "Level 1");
        local.command(&game, 1, json!({ "type": "offer-draw" })).await.refused(409);
        local.command(&game, 1, json!({ "type": "undo" })).await.ok();
        assert_eq!(local.show(&game).await["turns"], json!([]));
    }
}

#[tokio::test]
async fn a_computer_that_moves_first_does_so_once_the_game_is_looked_at() {
    let local = Local::new().await;
    let session = (engine::find("gekitai").unwrap().start)(&Default::default()).unwrap();
    let player = session.seed_players()[0].id;
    let seats = json!([{ "kind": "seed", "player": player }, { "kind": "person" }]);
    let game = local.make(json!({ "game": "gekitai", "seats": seats })).await;
    local.until(&game, 2).await;
    assert_eq!(local.events(&game).await[1]["seat"], 1);
}

#[tokio::test]
async fn two_computers_play_only_while_somebody_watches() {
    let local = Local::new().await;
    let seats = json!([{ "kind": "level", "level": 1 }, { "kind": "level", "level": 1 }]);
    let game = local.make(json!({ "game": "gekitai", "seats": seats })).await;
    assert_eq!(local.show(&game).await["seq"], 1);
    let jobs = &local.server.hall().metrics.jobs;
    assert_eq!(jobs[0].load(Ordering::Relaxed) + jobs[1].load(Ordering::Relaxed), 0);
    let path = format!("/api/games/{}/events?after=1&follow=true", game.id);
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = tower::ServiceExt::oneshot(local.server.router(), request).await.unwrap();
    local.until(&game, 3).await;
    drop(response);
    let shown = local.show(&game).await;
    assert!(shown["turns"].as_array().unwrap().len() >= 2);
}

#[tokio::test]
async fn games_begin_with_a_position_turns_or_a_record() {
    let local = Local::new().await;
    let person = json!({ "kind": "person" });
    let seats = json!([person, person]);
    let game = local.people("six-making").await;
    let turns = random_game("six-making", 9, 5);
    for (i, turn) in turns.iter().enumerate() {
        local.play(&game, i % 2 + 1, turn).await.ok();
    }
    let record = local.get(&format!("/api/games/{}/record", game.id)).await.text;
    let copy = local.make(json!({ "record": record, "seats": seats })).await;
    assert_eq!(local.show(&copy).await["turns"], json!(turns));
    local.command(&copy, 2, json!({ "type": "undo" })).await.refused(409);
    let text = local.show(&copy).await["start"].clone();
    let placed = json!({ "game": "six-making", "position": text, "turns": turns, "seats": seats });
    let placed = local.make(placed).await;
    assert_eq!(local.show(&placed).await["turns"], json!(turns));
    local.command(&copy, 1, json!({ "type": "resign" })).await.ok();
    let record = local.get(&format!("/api/games/{}/record", copy.id)).await.text;
    assert!(record.contains("[Result \"0-1\"]") && record.trim_end().ends_with("0-1"), "{record}");
}

#[tokio::test]
async fn games_that_cannot_be_are_refused_by_field() {
    let local = Local::new().await;
    let person = json!({ "kind": "person" });
    let two = json!([person, person]);
    let level = json!({ "kind": "level", "level": 11 });
    let seed = json!({ "kind": "seed", "player": "nobody" });
    let long = json!({ "kind": "person", "name": "x".repeat(41) });
    let computer = json!({ "kind": "level", "level": 1 });
    for (wanted, status, field) in [
        (json!({ "seats": two }), 400, "game"),
        (json!({ "game": "chess", "seats": two }), 422, "game"),
        (json!({ "game": "gekitai", "seats": [person] }), 400, "seats"),
        (json!({ "game": "gekitai", "seats": [person, level] }), 422, "seats[1].level"),
        (json!({ "game": "gekitai", "seats": [seed, person] }), 422, "seats[0].player"),
        (json!({ "game": "gekitai", "seats": [long, person] }), 422, "seats[0].name"),
        (json!({ "game": "gekitai", "seats": [person, computer], "shared": true }), 422, "seats"),
        (json!({ "game": "gekitai", "seats": two, "turns": ["zz"] }), 422, "turns[0]"),
        (json!({ "game": "gekitai", "seats": two, "position": 7 }), 400, "position"),
        (json!({ "game": "gekitai", "seats": two, "position": "x" }), 422, "position"),
        (
            json!({ "game": "jeson-mor", "seats": two, "options": { "size": 6 } }),
            422,
            "options.size",
        ),
        (json!({ "record": "1. c4", "seats": two }), 422, "record"),
        (
            json!({ "game": "gekitai", "seats": two, "clock": { "kind": "days", "days": 0 } }),
            422,
            "clock.days",
        ),
    ] {
        let answer = local.post("/api/games", wanted.clone()).await;
        assert_eq!(answer.status.as_u16(), status, "{wanted}: {}", answer.text);
        assert_eq!(answer.json()["field"], field, "{wanted}: {}", answer.text);
    }
    let turns = random_game("gekitai", 400, 7);
    let over = json!({ "game": "gekitai", "seats": two, "turns": turns });
    local.post("/api/games", over).await.refused(422);
}

#[tokio::test]
async fn analyses_and_reviews_come_line_by_line_and_hints_at_once() {
    let local = Local::new().await;
    let place = json!({ "game": "gekitai", "turns": ["c4"], "lines": 3, "time_ms": 2_000 });
    let lines = local.post("/api/analysis", place).await.lines();
    let last = lines.last().unwrap();
    assert_eq!((last["done"].as_bool(), last["lines"].as_array().unwrap().len()), (Some(true), 3));
    assert!(lines[..lines.len() - 1].iter().all(|line| line["done"] == false));
    let turns = random_game("glaisher", 4, 2);
    let review = json!({ "game": "glaisher", "turns": turns, "time_ms": 50 });
    let lines = local.post("/api/review", review).await.lines();
    assert_eq!(lines.iter().map(|line| &line["ply"]).collect::<Vec<_>>(), [4, 3, 2, 1, 0]);
    assert!(lines[3]["loss"].as_i64().unwrap() >= 0 && lines[4]["loss"].is_null());
    let hint = local.post("/api/hint", json!({ "game": "jeson-mor" })).await.ok();
    assert!(hint["engine"]["turn"].is_string() && !hint["seed"]["turns"][0].is_null());
    local.post("/api/analysis", json!({ "game": "gekitai", "lines": 6 })).await.refused(422);
    let over = random_game("gekitai", 400, 7);
    let over = json!({ "game": "gekitai", "turns": over });
    local.post("/api/hint", over.clone()).await.refused(422);
    let lines = local.post("/api/review", over).await;
    assert_eq!(lines.status.as_u16(), 200, "a review takes a whole game");
}

#[tokio::test]
async fn an_analysis_ends_when_nobody_waits_for_it_and_others_queue() {
    let local = Local::new().await;
    let ask = || {
        let body = json!({ "game": "six-making", "time_ms": 60_000 }).to_string();
        let request = Request::post("/api/analysis").body(Body::from(body)).unwrap();
        tower::ServiceExt::oneshot(local.server.router(), request)
    };
    let mut running = vec![ask().await.unwrap(), ask().await.unwrap()];
    let jobs = &local.server.hall().metrics.jobs;
    let count = |i: usize| jobs[i].load(Ordering::Relaxed);
    within(async {
        while count(0) < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let third = ask().await.unwrap();
    assert_eq!(count(1), 1);
    running.push(ask().await.unwrap());
    assert_eq!(ask().await.unwrap().status().as_u16(), 429, "four of one address at most");
    drop((running, third));
    within(async {
        while count(0) + count(1) > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(ask().await.unwrap().status().as_u16(), 200);
}

#[tokio::test]
async fn bytes_at_random_are_refused_everywhere() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let mut random = Random::new(1);
    let paths = [
        "/api/games".to_owned(),
        format!("/api/games/{}/commands", game.id),
        "/api/analysis".into(),
        "/api/review".into(),
        "/api/hint".into(),
    ];
    let good = json!({ "type": "move", "turn": "c4", "game": "gekitaix", "seats": [1, {}] });
    for i in 0..400 {
        let mut bytes: Vec<u8> = match i % 2 {
            0 => (0..random.below(300)).map(|_| random.next_u64() as u8).collect(),
            _ => good.to_string().into_bytes(),
        };
        let at = random.below(bytes.len() + 1);
        bytes.insert(at, random.next_u64() as u8);
        let path = &paths[i % paths.len()];
        let request = Request::post(path)
            .header(header::AUTHORIZATION, format!("Bearer {}", game.tokens[1]))
            .body(Body::from(bytes.clone()))
            .unwrap();
        let answer = local.send(request).await;
        assert!(answer.status.is_client_error(), "{path}: {bytes:?}: {}", answer.text);
        assert!(answer.json()["error"].is_string());
    }
    for path in ["/api/games/%00%ff", "/api/games/a/events?after=x", "/api/%f0%28", "/api/games//"]
    {
        let answer = local.get(path).await;
        assert!(answer.status.is_client_error(), "{path}: {}", answer.status);
    }
    assert_eq!(local.show(&game).await["seq"], 1);
}

#[tokio::test]
async fn events_are_told_alike_wherever_one_begins_and_however_long_ago_they_were() {
    let mut local = Local::new().await;
    let person = json!({ "kind": "person" });
    for entry in engine::GAMES {
        let clock = json!({ "kind": "time", "seconds": 3_000, "increment": 7 });
        let wanted = json!({ "game": entry.info.id, "seats": [person, person], "clock": clock });
        let game = local.make(wanted).await;
        let mut told = vec![local.events(&game).await.remove(0)];
        let mut session = (entry.start)(&Default::default()).unwrap();
        let mut random = Random::new(5);
        while told.len() < 300 && session.result().is_none() {
            let seat = session.turn().number().into();
            let turn = engine::playouts::random_turn(session.as_ref(), &mut random);
            let back = random.below(3) == 0 && told.len() > 4;
            let (seat, action) = match back {
                true => (3 - seat, json!({ "type": "undo" })),
                false => (seat, json!({ "type": "move", "turn": turn })),
            };
            let Some(answer) = (match local.command(&game, seat, action).await {
                answer if answer.status.is_success() => Some(answer.json()),
                _ => None,
            }) else {
                continue;
            };
            told.push(answer["event"].clone());
            match back {
                true => {
                    let accepted = local.command(&game, 3 - seat, json!({ "type": "accept" }));
                    told.push(accepted.await.ok()["event"].clone());
                    while session.undo() && session.in_turn() {}
                }
                false => session.play(&turn).unwrap(),
            }
        }
        let shown = local.show(&game).await;
        assert_eq!(shown["turn"], session.turn().number(), "{}", entry.info.id);
        assert_eq!(shown["turns"], json!(session.history()));
        if session.result().is_some() {
            told.extend(local.events(&game).await.pop());
        }
        local = local.restart().await;
        // While a clock runs, the restart is an event of its own.
        let now = local.events(&game).await;
        assert_eq!(now[..told.len()], told);
        for after in 0..=now.len() {
            let path = format!("/api/games/{}/events?after={after}", game.id);
            assert_eq!(local.get(&path).await.lines(), now[after..], "{after}");
        }
        let path = format!("/api/games/{}/events?after={}", game.id, i64::MIN);
        assert_eq!(local.get(&path).await.lines(), now);
    }
}

#[tokio::test]
async fn stored_events_are_told_without_playing_them_again() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let action = json!({ "type": "move", "turn": "c4", "command": "first" });
    let first = local.command(&game, 1, action.clone()).await.ok();
    for (i, turn) in ["d3", "a1", "f6", "a6", "f1", "c1", "d6", "a3"].iter().enumerate() {
        local.play(&game, 2 - i % 2, turn).await.ok();
    }
    // Append an illegal turn behind this process's back: replaying the game must fail.
    let fact = table::event::Fact::Move { turn: "nonsense".into(), said: None };
    let event = table::event::Event { seq: 11, seat: None, at: 1, fact, command: None };
    let hall = &local.server.hall();
    let append = server::store::Append {
        game: game.id.clone(),
        after: Some(hall.room(&game.id).await.unwrap().tip()),
        events: vec![event],
        ..server::store::Append::default()
    };
    assert_eq!(hall.store.append(append).await, Ok(server::store::Appended::Committed));
    let events = local.events(&game).await;
    assert_eq!(events[1]["turn"], "c4");
    assert_eq!(events.len(), 11);
    assert_eq!(local.command(&game, 1, action).await.ok(), first, "an old command is answered");
}

#[tokio::test]
async fn the_page_of_a_game_comes_with_its_board_as_it_stands() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let page = async |path: &str| {
        let answer = local.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        (answer.text.clone(), answer.headers[header::ETAG].clone())
    };
    let path = format!("/{}", game.id);
    let (empty, tag) = page(&path).await;
    assert_eq!(empty.matches(r#"<div class="picture"#).count(), 2, "both ways round");
    assert!(!empty.contains("data-piece"));
    local.play(&game, 1, "c4").await.ok();
    let (played, next) = page(&path).await;
    assert_eq!(played.matches("data-piece").count(), 2);
    assert_ne!(tag, next, "a browser that has the board of before asks for this one");
    assert!(page(&format!("/embed/{}", game.id)).await.0.contains(r#"class="table embed""#));
    let (missing, _) = page("/abcd1234").await;
    assert!(!missing.contains(r#"<div class="picture"#));
}

#[tokio::test]
async fn a_file_below_its_version_does_not_take_the_place_of_one_without() {
    for first in 0..2 {
        let local = Local::new().await;
        let home = local.get("/").await.text;
        let (_, rest) = home.split_once("/assets/").unwrap();
        let version = rest.split('/').next().unwrap();
        let both = [format!("/assets/{version}/sw.js"), "/sw.js".to_owned()];
        local.get(&both[first]).await;
        let (raw, own) = (local.get(&both[0]).await, local.get(&both[1]).await);
        assert!(raw.text.contains("'{version}'") && own.text.contains(&format!("'{version}'")));
        assert_eq!(own.headers[header::CACHE_CONTROL], "no-cache");
    }
}
