//! A game on a server, whose connection is played by the test.

use super::*;
use crate::online::{Link, News, Opened, Unsent};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

/// Asserts that a text is on the screen.
fn sees(rig: &Rig, text: &str) {
    let frame = rig.frame();
    assert!(frame.contains(text), "no `{text}` in\n{frame}");
}

/// A game of Gekitai on a server, after these turns; without a seat, one looks on.
fn opened(turns: &[&str], own: Option<Player>) -> Opened {
    let seats = json!([{"kind": "person", "name": "Ana"}, {"kind": "person", "name": "Ben"}]);
    let game = json!({"game": "gekitai", "turns": turns, "seq": 1 + turns.len(), "at": 1,
        "board_seq": 1 + turns.len(), "seats": seats});
    let state = table::State::read(&game).unwrap();
    let sitting = Sitting::followed(state, own.into_iter().collect()).unwrap();
    let link = Link::parse("http://127.0.0.1:1/k3Vx9QmZ#s").unwrap();
    Opened { sitting, link, unsent: None, invitation: None }
}

fn at_server(turns: &[&str], own: Option<Player>) -> Rig {
    let mut rig = Rig::new();
    rig.app.go(Next::Online(Box::new(opened(turns, own))));
    rig
}

fn hear(rig: &mut Rig, frame: Value) {
    rig.tell(Message::Net(News::Frame(serde_json::from_value(frame).unwrap())));
}

/// A seat at a server that listens, and what the program sends after the hello.
fn connected(mut game: Opened) -> (Rig, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    game.link = Link::parse(&format!("{}/k3Vx9QmZ#s", listener.local_addr().unwrap())).unwrap();
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let mut socket = tungstenite::accept(listener.accept().unwrap().0).unwrap();
        while let Ok(message) = socket.read() {
            let Ok(said) = serde_json::from_str::<Value>(&message.to_string()) else { continue };
            let is_news = said["type"] != "hello" && said["type"] != "ping";
            if is_news && tell.send(said).is_err() {
                return;
            }
        }
    });
    let mut rig = Rig::new();
    let (net, news) = channel();
    rig.app.context.net = Some(net);
    rig.app.go(Next::Online(Box::new(game)));
    rig.tell(news.recv_timeout(Duration::from_secs(20)).unwrap());
    (rig, told)
}

#[test]
fn a_turn_names_the_last_event_that_its_player_has_seen() {
    let (mut rig, told) = connected(opened(&["a1", "b2"], Some(Player::One)));
    let offer =
        json!({"type": "event", "kind": "offer", "offer": "draw", "seat": 2, "seq": 4, "at": 2});
    hear(&mut rig, offer);
    rig.keys("c3<Enter>");
    let turn = told.recv_timeout(Duration::from_secs(20)).unwrap();
    let said = ["do", "turn", "board_seq", "seen"].map(|field| turn[field].clone());
    assert_eq!(said, [json!("move"), json!("c3"), json!(3), json!(4)], "{turn}");
}

#[test]
fn a_turn_that_was_kept_names_only_what_its_board_was_made_by() {
    let mut game = opened(&["a1", "b2"], Some(Player::One));
    game.sitting.state.course.seq = 4;
    game.unsent = Some(Unsent { turn: "c3".into(), board_seq: 3, name: Some("a-1".into()) });
    let (rig, told) = connected(game);
    assert_eq!(rig.history(), ["a1", "b2", "c3"]);
    let turn = told.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!((&turn["board_seq"], &turn["seen"]), (&json!(3), &json!(3)), "{turn}");
    assert_eq!(turn["command"], "a-1", "{turn}");
}

#[test]
fn fixed_words_are_said_and_heard_in_the_menu_of_a_game() {
    let (mut rig, told) = connected(opened(&["a1", "b2"], Some(Player::One)));
    let hello = json!({"type": "greeting", "seat": 2, "word": "hello", "text": "Hello"});
    hear(&mut rig, hello.clone());
    sees(&rig, "Ben (O): Hello");
    rig.keys("p");
    rig.click("Say something");
    sees(&rig, "Well played");
    rig.keys("<Down><Enter>");
    let said = told.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(said, json!({"type": "greet", "word": "good-luck"}));
    sees(&rig, "you: Good luck");
    rig.keys("p");
    rig.click("Say something");
    rig.click("Mute");
    sees(&rig, "muted");
    rig.keys("f");
    hear(&mut rig, hello);
    assert!(!rig.frame().contains("Ben (O): Hello"), "{}", rig.frame());
    rig.keys("p");
    rig.click("Say something");
    sees(&rig, "Hear the other side");
}

#[test]
fn whoever_looks_on_or_has_no_connection_says_nothing() {
    let mut rig = at_server(&["a1", "b2"], None);
    rig.keys("p");
    rig.click("Say something");
    sees(&rig, "Mute the other side");
    assert!(!rig.frame().contains("Hello"), "{}", rig.frame());
    let mut rig = at_server(&["a1", "b2"], Some(Player::One));
    rig.keys("p");
    rig.click("Say something");
    rig.click("Hello");
    sees(&rig, "`Hello` was not said");
}

#[test]
fn a_turn_chosen_ahead_is_forgotten_when_turns_are_taken_back() {
    let mut rig = at_server(&["a1", "b2"], Some(Player::One));
    rig.keys("c3<Enter>");
    hear(
        &mut rig,
        json!({"type": "event", "kind": "move", "seat": 1, "seq": 4, "turn": "c3", "at": 2}),
    );
    rig.keys("d4<Enter>");
    sees(&rig, "d4 is played as soon as it is legal");
    hear(
        &mut rig,
        json!({"type": "event", "kind": "undone", "seat": 2, "seq": 5, "turns": 2, "at": 3}),
    );
    assert_eq!(rig.history(), ["a1", "b2"]);
}

#[test]
fn the_last_row_offers_what_a_finished_game_on_a_server_has() {
    for own in [Some(Player::One), None] {
        let mut rig = at_server(&["a1", "b2"], own);
        let result = json!({"type": "event", "kind": "result", "seat": 1, "seq": 4, "winner": 2,
            "reason": "resigned", "at": 2});
        hear(&mut rig, result);
        rig.size = LARGE;
        let frame = rig.frame();
        let footer = frame.lines().last().unwrap();
        assert!(footer.contains("look back"), "{footer}");
        assert!(!footer.contains("N swap") && !footer.contains("u undo"), "{footer}");
        assert_eq!(footer.contains("n rematch"), own.is_some(), "{footer}");
    }
}

#[test]
fn an_invitation_is_on_the_screen_and_can_be_copied_until_the_seat_is_taken() {
    let mut game = opened(&[], Some(Player::One));
    let link = "http://games.example:8000/k3Vx9QmZ#0123456789abcdefghijkl";
    game.sitting.state.created.seats[Player::Two].who = engine::Who::Open;
    game.sitting.state.course.joined[Player::Two] = false;
    game.invitation = Some(link.into());
    let mut rig = Rig::new();
    rig.app.go(Next::Online(Box::new(game)));
    for size in [SMALL, LARGE, (60, 20)] {
        rig.size = size;
        let shown: String = rig.frame().split_whitespace().collect();
        assert!(shown.contains("games.example:8000"), "{size:?}\n{}", rig.frame());
        sees(&rig, "L copies it");
    }
    rig.keys("L");
    assert_eq!(rig.app.copied.take().as_deref(), Some(link));
    rig.keys("p");
    sees(&rig, "Copy the invitation");
    rig.keys("<Esc>");
    hear(
        &mut rig,
        json!({"type": "event", "kind": "joined", "seat": 2, "seq": 2, "name": "Ben", "at": 2}),
    );
    rig.keys("f");
    assert!(!rig.frame().contains("games.example"), "{}", rig.frame());
    rig.keys("L");
    assert!(rig.app.copied.is_none());
}
