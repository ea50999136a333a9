//! Open seats: an invitation works for one player, once.

use crate::common::{Local, Made};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::JoinSet;

async fn open_game(local: &Local) -> Made {
    let seats = json!([{ "kind": "person", "name": "Ann" }, { "kind": "open" }]);
    local.make(json!({ "game": "gekitai", "seats": seats })).await
}

fn holding(game: &Made, token: &Value) -> Made {
    let tokens = [game.tokens[0].clone(), token.as_str().unwrap().to_owned()];
    Made { id: game.id.clone(), tokens }
}

const SECRET: &str = "0123456789abcdefghijKLMNOP";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_hundred_who_join_at_once_one_gets_the_seat() {
    let local = Arc::new(Local::new().await);
    let game = open_game(&local).await;
    let mut tries = JoinSet::new();
    for number in 0..100 {
        let (local, game) = (Arc::clone(&local), game.clone());
        tries.spawn(async move {
            // Some of them use the same command id, which must not make them the same command.
            let mut join = json!({ "type": "join", "name": format!("Guest {number}") });
            match number % 3 {
                0 => join["command"] = "join".into(),
                1 => join["secret"] = format!("{SECRET}{number}").into(),
                _ => {}
            }
            let answer = local.command(&game, 2, join).await;
            match answer.status.is_success() {
                true => Some((number, answer.json()["token"].clone())),
                false => {
                    assert!([401, 409].contains(&answer.status.as_u16()), "{}", answer.text);
                    None
                }
            }
        });
    }
    let answers: Vec<_> = tries.join_all().await.into_iter().flatten().collect();
    let [(number, token)] = answers.as_slice() else { panic!("{answers:?}") };
    let shown = local.show(&game).await;
    assert_eq!(shown["seats"][1]["name"], format!("Guest {number}"));
    assert_eq!(shown["seq"], 2);
    let taken = holding(&game, token);
    local.play(&taken, 1, "c4").await.ok();
    // The invitation is now worthless, even to the game's creator.
    let path = format!("/api/games/{}", game.id);
    assert!(local.get_as(&game.tokens[1], &path).await.refused(401).contains("been taken"));
    for action in ["join", "resign"] {
        local.command(&game, 2, json!({ "type": action })).await.refused(401);
    }
    local.play(&game, 2, "d3").await.refused(401);
    local.play(&taken, 2, "d3").await.ok();
}

#[tokio::test]
async fn who_lost_the_answer_joins_again_with_the_same_secret() {
    let local = Local::new().await;
    let game = open_game(&local).await;
    let join = json!({ "type": "join", "name": "Bob", "command": "one", "secret": SECRET });
    let first = local.command(&game, 2, join.clone()).await.ok();
    assert_eq!(first["token"], SECRET);
    assert_eq!(local.command(&game, 2, join.clone()).await.ok(), first);
    let local = local.restart().await;
    assert_eq!(local.command(&game, 2, join.clone()).await.ok(), first);
    assert_eq!(local.show(&game).await["seq"], 2);
    // Another secret with the same command id belongs to somebody else.
    let mut other = join.clone();
    other["secret"] = "x".repeat(22).into();
    local.command(&game, 2, other).await.refused(401);
    let taken = holding(&game, &first["token"]);
    local.play(&taken, 1, "c4").await.ok();
    local.play(&taken, 2, "d3").await.ok();
}

#[tokio::test]
async fn a_secret_that_others_know_or_could_guess_is_refused() {
    let local = Local::new().await;
    let game = open_game(&local).await;
    let join = |secret: &str| json!({ "type": "join", "secret": secret });
    for weak in ["", "short", &"x".repeat(21), &"x".repeat(65), "not only letters, and digits"] {
        let answer = local.command(&game, 2, join(weak)).await;
        assert_eq!(answer.json()["field"], "secret", "{weak}");
        answer.refused(400);
    }
    let answer = local.command(&game, 2, join(&game.tokens[1])).await;
    assert_eq!(answer.json()["field"], "secret");
    answer.refused(422);
    assert_eq!(local.show(&game).await["seats"][1]["joined"], false);
}

#[tokio::test]
async fn an_invitation_watches_and_joins_and_does_nothing_else() {
    let local = Local::new().await;
    let game = open_game(&local).await;
    let path = format!("/api/games/{}", game.id);
    assert_eq!(local.get_as(&game.tokens[1], &path).await.ok()["you"], json!([2]));
    local.play(&game, 1, "c4").await.ok();
    for action in ["resign", "offer-draw", "accept", "decline", "undo", "rematch"] {
        let reason = local.command(&game, 2, json!({ "type": action })).await.refused(409);
        assert!(reason.contains("join first"), "{reason}");
    }
    assert_eq!(local.show(&game).await["seq"], 2);
}

#[tokio::test]
async fn who_plays_a_turn_with_the_invitation_has_taken_the_seat_with_it() {
    let local = Local::new().await;
    let game = open_game(&local).await;
    local.play(&game, 1, "c4").await.ok();
    local.play(&game, 2, "d3").await.ok();
    assert_eq!(local.show(&game).await["seats"][1]["joined"], true);
    let late = json!({ "type": "join", "secret": SECRET });
    assert!(local.command(&game, 2, late).await.refused(409).contains("taken"));
    local.command(&game, 2, json!({ "type": "resign" })).await.ok();
}

#[tokio::test]
async fn a_name_can_be_changed_by_whoever_has_the_seat_before_the_first_turn() {
    let local = Local::new().await;
    let game = open_game(&local).await;
    let joined = local.command(&game, 2, json!({ "type": "join" })).await.ok();
    let taken = holding(&game, &joined["token"]);
    let renamed = local.command(&taken, 2, json!({ "type": "join", "name": "Bob" })).await.ok();
    assert!(renamed.get("token").is_none(), "the seat keeps its secret");
    assert_eq!(local.show(&game).await["seats"][1]["name"], "Bob");
    local.play(&taken, 1, "c4").await.ok();
    local.command(&taken, 2, json!({ "type": "join", "name": "Bert" })).await.refused(409);
}

/// For instance, it was queued while the connection was cut.
#[tokio::test]
async fn a_turn_from_before_an_offer_leaves_it_to_be_answered() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    local.play(&game, 1, "c4").await.ok();
    local.command(&game, 1, json!({ "type": "offer-draw" })).await.ok();
    let turn = json!({ "type": "move", "turn": "a1", "command": "one", "board_seq": 2, "seen": 2 });
    assert_eq!(local.command(&game, 2, turn.clone()).await.ok()["seq"], 4);
    let open = json!({ "kind": "draw", "seat": 1 });
    assert_eq!(local.show(&game).await["offer"], open);
    assert_eq!(local.command(&game, 2, turn).await.ok()["seq"], 4, "the same again");
    let events = local.events(&game).await;
    assert_eq!((&events[4]["kind"], &events[4]["seat"]), (&json!("offer"), &json!(1)));
    local.command(&game, 2, json!({ "type": "accept" })).await.ok();
    assert_eq!(local.show(&game).await["result"]["reason"], "agreed");
}
