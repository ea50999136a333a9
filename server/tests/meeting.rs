//! The club under stress: crowds, lost messages, cheats, and players who want to be forgotten.

use crate::club::{all, archived, ask, command, first_of, found, meet, play, player, post, terms};
use crate::common::{Folder, Local, within};
use axum::body::Body;
use axum::http::{Method, Request, header};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use server::Server;
use server::club::office::{About, obey};
use server::club::rebuild::rebuild;
use server::club::{games, ratings, records};
use server::games::hall::Hall;
use server::store::records::{Change, Range};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// A server on a port.
struct Listening {
    hall: Arc<Hall>,
    address: SocketAddr,
    _folder: Folder,
}

impl Listening {
    async fn new() -> Listening {
        let folder = Folder::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Server::open(&folder.config()).await.unwrap();
        let hall = Arc::clone(server.hall());
        tokio::spawn(server.serve(listener, std::future::pending()));
        Listening { hall, address, _folder: folder }
    }

    async fn socket(&self, path: &str) -> Socket {
        let url = format!("ws://{}{path}", self.address);
        Socket(tokio_tungstenite::connect_async(url).await.unwrap().0)
    }

    async fn ask(&self, method: &str, path: &str, key: &str, body: Value) -> Value {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let body = body.to_string();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {key}\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).await.unwrap();
        let mut answer = String::new();
        within(stream.read_to_string(&mut answer)).await.unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    async fn player(&self, name: &str) -> String {
        let key = format!("pk-{}{}", name.to_lowercase(), "k".repeat(26 - name.len()));
        self.ask("POST", "/api/players", &key, json!({ "name": name, "key": key })).await;
        key
    }
}

struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    async fn say(&mut self, message: Value) {
        self.0.send(Message::text(message.to_string())).await.unwrap();
    }

    /// The next message of a type, and those before it.
    async fn until(&mut self, kind: &str) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        within(async {
            loop {
                match self.0.next().await {
                    Some(Ok(Message::Text(text))) => {
                        let message: Value = serde_json::from_str(&text).unwrap();
                        if message["type"] == kind {
                            return (message, std::mem::take(&mut before));
                        }
                        before.push(message);
                    }
                    Some(Ok(Message::Ping(_))) => {}
                    other => panic!("expected `{kind}`, got {other:?} after {before:?}"),
                }
            }
        })
        .await
    }
}

/// Waits until nobody is recorded as playing a live game.
async fn all_free(hall: &Hall) {
    within(async {
        while !records(hall).unwrap().range(Range::of("live/"), 9).await.unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

/// Puts correspondence challenges into the store, as if this many people had made them.
async fn crowd(hall: &Hall, ann: &str, like: &str, count: usize) {
    let own = records(hall).unwrap().get(vec![format!("challenge/{like}")]).await.unwrap();
    let value = &own[0].value;
    for start in (0..count).step_by(250) {
        let numbers = start..count.min(start + 250);
        let put = |i| Change::put(format!("challenge/{ann}.{i:08}"), value.clone());
        assert!(records(hall).unwrap().change(numbers.map(put).collect()).await.unwrap());
    }
}

#[tokio::test]
async fn whoever_comes_to_a_full_lobby_gets_the_whole_list() {
    let listening = Listening::new().await;
    let ann = listening.player("Ann").await;
    let mail = json!({ "game": "gekitai", "clock": { "kind": "days", "days": 3 } });
    let made = listening.ask("POST", "/api/lobby", &ann, mail).await;
    let id = made["challenge"]["id"].as_str().unwrap();
    for count in [1_000, 1_999] {
        crowd(&listening.hall, id.split('.').next().unwrap(), id, count).await;
        let mut socket = listening.socket("/api/lobby/socket").await;
        let mut known = BTreeSet::new();
        within(async {
            while known.len() < count + 1 {
                let (message, _) = socket.until("lobby").await;
                let all = message["all"].as_array().or(message["added"].as_array());
                let ids = all.into_iter().flatten().map(|one| one["id"].to_string());
                known.extend(ids);
            }
        })
        .await;
        socket.say(json!({ "type": "ping" })).await;
        socket.until("pong").await;
    }
}

#[tokio::test]
async fn whoever_missed_that_somebody_plays_hears_of_it_on_coming_back() {
    let listening = Listening::new().await;
    let (ann, ben) = (listening.player("Ann").await, listening.player("Ben").await);
    let hello = json!({ "type": "hello", "token": ann });
    let mut socket = listening.socket("/api/lobby/socket").await;
    socket.say(hello.clone()).await;
    let (you, _) = socket.until("hello").await;
    listening.ask("POST", "/api/lobby", &ann, terms(false)).await;
    drop(socket);
    let path = format!("/api/lobby/{}", you["you"].as_str().unwrap());
    let met = listening.ask("POST", &path, &ben, json!({})).await;
    for ends in [false, true] {
        let mut socket = listening.socket("/api/lobby/socket").await;
        socket.say(hello.clone()).await;
        assert_eq!(socket.until("paired").await.0["game"], met["game"]);
        if ends {
            let path = format!("/api/games/{}/commands", met["game"].as_str().unwrap());
            listening.ask("POST", &path, &ann, json!({ "type": "abort" })).await;
        }
    }
    // Nobody is sent to a game that is over.
    let mut socket = listening.socket("/api/lobby/socket").await;
    socket.say(hello).await;
    socket.say(json!({ "type": "ping" })).await;
    let (_, before) = socket.until("pong").await;
    assert!(before.iter().all(|message| message["type"] != "paired"), "{before:?}");
}

#[tokio::test]
async fn a_bot_that_asks_is_there_without_a_socket() {
    let listening = Listening::new().await;
    let ann = listening.player("Ann").await;
    let robo = format!("pk-{}", "r".repeat(26));
    let bot = json!({ "name": "Robo", "key": robo, "bot": true });
    listening.ask("POST", "/api/players", &robo, bot).await;
    let made = listening.ask("POST", "/api/lobby", &ann, terms(false)).await;
    let path = format!("/api/lobby/{}", made["challenge"]["id"].as_str().unwrap());
    let met = listening.ask("POST", &path, &robo, json!({})).await;
    let path = format!("/api/games/{}", met["game"].as_str().unwrap());
    let mut socket = listening.socket(&format!("{path}/socket")).await;
    socket.say(json!({ "type": "hello", "token": ann })).await;
    assert_eq!(socket.until("presence").await.0["seats"], json!([true, false]));
    listening.ask("GET", &path, &robo, json!({})).await;
    assert_eq!(socket.until("presence").await.0["seats"], json!([true, true]));
}

#[tokio::test]
async fn an_open_socket_plays_no_longer_than_its_key() {
    let listening = Listening::new().await;
    let (ann, ben) = (listening.player("Ann").await, listening.player("Ben").await);
    let made = listening.ask("POST", "/api/lobby", &ann, terms(false)).await;
    let path = format!("/api/lobby/{}", made["challenge"]["id"].as_str().unwrap());
    let met = listening.ask("POST", &path, &ben, json!({})).await;
    let game = met["game"].as_str().unwrap();
    let mut socket = listening.socket(&format!("/api/games/{game}/socket")).await;
    socket.say(json!({ "type": "hello", "token": ann })).await;
    assert_eq!(socket.until("hello").await.0["you"], json!([1]));
    listening.ask("POST", "/api/me/key", &ann, json!({})).await;
    let turn = json!({ "type": "command", "command": "1", "action": "move", "turn": "a1" });
    socket.say(turn).await;
    assert_eq!(socket.until("refused").await.0["status"], json!(401));
    let shown = listening.ask("GET", &format!("/api/games/{game}"), &ben, json!({})).await;
    assert_eq!(shown["turns"], json!([]));
}

#[tokio::test]
async fn nobody_greets_with_a_key_that_was_replaced() {
    let listening = Listening::new().await;
    let (ann, ben) = (listening.player("Ann").await, listening.player("Ben").await);
    let made = listening.ask("POST", "/api/lobby", &ann, terms(false)).await;
    let path = format!("/api/lobby/{}", made["challenge"]["id"].as_str().unwrap());
    let met = listening.ask("POST", &path, &ben, json!({})).await;
    let path = format!("/api/games/{}/socket", met["game"].as_str().unwrap());
    let (mut own, mut other) = (listening.socket(&path).await, listening.socket(&path).await);
    for (socket, token) in [(&mut own, &ann), (&mut other, &ben)] {
        socket.say(json!({ "type": "hello", "token": token })).await;
        socket.until("hello").await;
    }
    listening.ask("POST", "/api/me/key", &ann, json!({})).await;
    own.say(json!({ "type": "greet", "word": "hello" })).await;
    assert_eq!(own.until("refused").await.0["status"], json!(401));
    other.say(json!({ "type": "ping" })).await;
    let (_, before) = other.until("pong").await;
    assert!(before.iter().all(|message| message["type"] != "greeting"), "{before:?}");
}

#[tokio::test]
async fn the_lobby_says_why_it_does_not_take_a_frame() {
    let listening = Listening::new().await;
    let mut socket = listening.socket("/api/lobby/socket").await;
    socket.0.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    assert_eq!(socket.until("refused").await.0["status"], json!(400));
    socket.0.send(Message::text("x".repeat(9_000))).await.unwrap();
    let closed = within(async {
        loop {
            match socket.0.next().await {
                Some(Ok(Message::Close(frame))) => return frame.map(|frame| frame.code),
                Some(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    })
    .await;
    assert_eq!(closed.map(u16::from), Some(1008));
}

#[tokio::test]
async fn players_greet_each_other_with_fixed_words_and_not_too_often() {
    let listening = Listening::new().await;
    let (ann, ben) = (listening.player("Ann").await, listening.player("Ben").await);
    let made = listening.ask("POST", "/api/lobby", &ann, terms(false)).await;
    let path = format!("/api/lobby/{}", made["challenge"]["id"].as_str().unwrap());
    let met = listening.ask("POST", &path, &ben, json!({})).await;
    let path = format!("/api/games/{}/socket", met["game"].as_str().unwrap());
    let mut sockets = Vec::new();
    for token in [Some(&ann), Some(&ben), None] {
        let mut socket = listening.socket(&path).await;
        let hello = match token {
            Some(token) => json!({ "type": "hello", "token": token }),
            None => json!({ "type": "hello" }),
        };
        socket.say(hello).await;
        socket.until("hello").await;
        sockets.push(socket);
    }
    for word in ["hello", "thanks"] {
        sockets[0].say(json!({ "type": "greet", "word": word })).await;
    }
    let greeting = json!({ "type": "greeting", "seat": 1, "word": "hello", "text": "Hello" });
    assert_eq!(sockets[1].until("greeting").await.0, greeting);
    for word in [json!("you cheat"), json!(7), json!(null)] {
        sockets[1].say(json!({ "type": "greet", "word": word })).await;
        assert_eq!(sockets[1].until("refused").await.0["field"], "word");
    }
    sockets[2].say(json!({ "type": "greet", "word": "hello" })).await;
    sockets[2].until("refused").await;
    for socket in &mut sockets[1..] {
        socket.say(json!({ "type": "ping" })).await;
        let (_, before) = socket.until("pong").await;
        assert!(before.iter().all(|own| own["type"] != "greeting"), "{before:?}");
    }
}

#[tokio::test]
async fn a_challenge_that_is_made_again_is_another_one() {
    for local in all().await {
        let (id, ann) = player(&local, "Ann").await;
        let (_, ben) = player(&local, "Ben").await;
        let path = format!("/api/lobby/{id}");
        let seen = post(&local, "/api/lobby", &ann, terms(false)).await.ok();
        local.get("/api/lobby").await.ok();
        ask(&local, Method::DELETE, &path, &ann, json!({})).await.ok();
        let now = post(&local, "/api/lobby", &ann, terms(true)).await.ok();
        let version = json!({ "version": seen["challenge"]["version"] });
        post(&local, &path, &ben, version).await.refused(409);
        let listed = local.get("/api/lobby").await.ok();
        assert_eq!(listed["challenges"][0], now["challenge"]);
    }
}

#[tokio::test]
async fn a_network_has_its_share_of_the_lobby_and_pays_for_every_game() {
    let local = Local::with(|config| config.new_games = 4).await;
    let send = async |address: [u8; 4], secret: String, body: Value| {
        let request = Request::post("/api/lobby")
            .header(header::AUTHORIZATION, format!("Bearer {secret}"))
            .body(Body::from(body.to_string()));
        local.send_from(address, request.unwrap()).await
    };
    let mut auto = terms(false);
    (auto["auto"], auto["side"]) = (true.into(), "random".into());
    // Two guests who keep meeting cannot create more games than they could directly.
    for i in 0..40 {
        send([10, 0, 0, 1], format!("{i:022}"), auto.clone()).await;
        local.get("/api/lobby").await.ok();
    }
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let made = records(local.server.hall()).unwrap().range(Range::of("game/"), 99).await.unwrap();
    assert!((1..=4).contains(&made.len()), "{}", made.len());
    let mut listed = 0;
    for i in 0..70 {
        let answer = send([10, 0, 0, 2], format!("9{i:021}"), terms(false)).await;
        listed += usize::from(answer.status.is_success());
        // Another network is not affected.
        local.get("/api/lobby").await.ok();
    }
    assert_eq!(listed, 50, "half of what a household has with twice as many games");
    assert!(send([10, 9, 0, 1], "8".repeat(22), terms(false)).await.status.is_success());
}

#[tokio::test]
async fn chance_seats_rated_games_which_have_the_usual_options() {
    let local = Local::new().await;
    let (_, ann) = player(&local, "Ann").await;
    let mut chosen = terms(true);
    chosen["side"] = "first".into();
    post(&local, "/api/lobby", &ann, chosen.clone()).await.refused(422);
    chosen["level"] = 1.into();
    post(&local, "/api/lobby", &ann, chosen).await.refused(422);
    let mut small = terms(true);
    (small["game"], small["options"]) = ("jeson-mor".into(), json!({ "size": 5 }));
    post(&local, "/api/lobby", &ann, small.clone()).await.refused(422);
    small["rated"] = false.into();
    post(&local, "/api/lobby", &ann, small).await.ok();
}

#[tokio::test]
async fn guests_cannot_be_mistaken_for_each_other_and_play_live() {
    let local = Local::new().await;
    let (_, ann) = player(&local, "Ann").await;
    let guest = "g".repeat(22);
    let made = post(&local, "/api/lobby", &guest, terms(false)).await.ok();
    assert_eq!(made["challenge"]["id"].as_str().unwrap().len(), 20);
    let mail = json!({ "game": "gekitai", "clock": { "kind": "days", "days": 3 } });
    let made = post(&local, "/api/lobby", &ann, mail).await.ok();
    let path = format!("/api/lobby/{}", made["challenge"]["id"].as_str().unwrap());
    post(&local, &path, &guest, json!({})).await.refused(403);
}

#[tokio::test]
async fn whoever_wants_to_begin_begins() {
    let local = Local::new().await;
    let (one, other) = ("a".repeat(22), "b".repeat(22));
    let mut wanted = terms(false);
    (wanted["auto"], wanted["side"]) = (true.into(), "random".into());
    for round in 0..6 {
        post(&local, "/api/lobby", &one, wanted.clone()).await.ok();
        local.get("/api/lobby").await.ok();
        let mut first = wanted.clone();
        first["side"] = "first".into();
        let met = post(&local, "/api/lobby", &other, first).await.ok();
        let game = met["game"].as_str().unwrap_or_else(|| panic!("round {round}: {met}"));
        assert_eq!(first_of(&local, game, [&other, &one]).await, 0, "round {round}");
        command(&local, game, &one, json!({ "type": "abort" })).await.ok();
        all_free(local.server.hall()).await;
    }
}

#[tokio::test]
async fn a_name_that_is_the_id_of_somebody_else_is_told_apart() {
    let local = Local::new().await;
    let hall = local.server.hall();
    let (lines, _told) = tokio::sync::mpsc::channel(99);
    let mut id = String::new();
    // A name needs a letter and must not mix scripts, which also holds for nearly all ids.
    for i in 0..20 {
        id = player(&local, &format!("Player {i}")).await.0;
        if id.contains(|c: char| c.is_ascii_alphabetic()) {
            break;
        }
    }
    let (other, _) = player(&local, &id).await;
    let show = |player: String| obey(hall, About::Show { player }, &lines);
    assert!(show(id.clone()).await.unwrap_err().message.contains("id of one player"));
    show(format!("id:{id}")).await.unwrap();
    show(format!("name:{id}")).await.unwrap();
    show(other).await.unwrap();
}

#[tokio::test]
async fn those_who_are_banned_meet_nobody() {
    for local in all().await {
        let hall = local.server.hall();
        let (id, ann) = player(&local, "Ann").await;
        let (_, ben) = player(&local, "Ben").await;
        post(&local, "/api/lobby", &ann, terms(false)).await.ok();
        let (lines, _told) = tokio::sync::mpsc::channel(9);
        let ban = About::BanPlayer { player: id.clone(), reason: "rude".into() };
        obey(hall, ban, &lines).await.unwrap();
        post(&local, &format!("/api/lobby/{id}"), &ben, json!({})).await.refused(404);
    }
}

#[tokio::test]
async fn a_rematch_is_listed_and_nobody_plays_two_live_games() {
    for local in all().await {
        let hall = local.server.hall();
        let (_, ann) = player(&local, "Ann").await;
        let (_, ben) = player(&local, "Ben").await;
        let (_, cem) = player(&local, "Cem").await;
        let game = meet(&local, &ann, &ben, terms(true)).await;
        play(&local, &game, [&ann, &ben], 2, 0).await;
        archived(&local, &game).await;
        let again = json!({ "type": "rematch" });
        command(&local, &game, &ann, again.clone()).await.ok();
        // Ann has started another game meanwhile.
        let other = meet(&local, &cem, &ann, terms(false)).await;
        let refused = command(&local, &game, &ben, again.clone()).await.refused(409);
        assert!(refused.contains(&other), "{refused}");
        command(&local, &other, &ann, json!({ "type": "abort" })).await.ok();
        archived(&local, &other).await;
        command(&local, &game, &ben, again).await.ok();
        let next = local.get_as(&ann, &format!("/api/games/{game}/rematch")).await.ok();
        let next = next["id"].as_str().unwrap();
        // As if the server had died before it could do anything about it.
        assert!(games::find(hall, next).await.unwrap().is_some(), "it is listed at once");
        let busy = post(&local, "/api/lobby", &ben, terms(false)).await.ok();
        assert_eq!(busy["game"], json!(next));
        play(&local, next, [&ann, &ben], 2, 1).await;
        archived(&local, next).await;
        assert_eq!(found(&local, "").await, [next, &game]);
        all_free(hall).await;
    }
}

/// Waits until the seats of a game have these names.
async fn named(local: &Local, game: &str, names: [&str; 2]) {
    within(async {
        loop {
            let shown = local.get(&format!("/api/games/{game}")).await.ok();
            let seats = [0, 1].map(|i| shown["seats"][i]["name"].as_str().unwrap().to_owned());
            if names.iter().all(|name| seats.iter().any(|own| own == name)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn names_change_and_go_in_every_game() {
    for local in all().await {
        let hall = local.server.hall();
        let (id, ann) = player(&local, "Ann").await;
        let (_, ben) = player(&local, "Ben").await;
        let off = meet(&local, &ann, &ben, terms(true)).await;
        command(&local, &off, &ann, json!({ "type": "abort" })).await.ok();
        archived(&local, &off).await;
        let over = meet(&local, &ann, &ben, terms(true)).await;
        play(&local, &over, [&ann, &ben], 2, 0).await;
        archived(&local, &over).await;
        let goes_on = meet(&local, &ann, &ben, terms(true)).await;
        let (lines, _told) = tokio::sync::mpsc::channel(9);
        let rename = About::Rename { player: id, name: "Anna".into() };
        obey(hall, rename, &lines).await.unwrap();
        for game in [&off, &over, &goes_on] {
            named(&local, game, ["Anna", "Ben"]).await;
        }
        ask(&local, Method::DELETE, "/api/me", &ann, json!({})).await.ok();
        for game in [&off, &over, &goes_on] {
            named(&local, game, ["deleted player", "Ben"]).await;
        }
    }
}

#[tokio::test]
async fn an_archive_is_made_again_whatever_cannot_be_read() {
    for local in all().await {
        let hall = local.server.hall();
        let (_, ann) = player(&local, "Ann").await;
        let (_, ben) = player(&local, "Ben").await;
        let mut all = Vec::new();
        for i in 0..3 {
            let game = meet(&local, &ann, &ben, terms(true)).await;
            play(&local, &game, [&ann, &ben], 2, i).await;
            archived(&local, &game).await;
            all.insert(0, game);
        }
        let private = local.people("gekitai").await;
        ratings::rate_all(hall).await.unwrap();
        let before = server::club::rebuild::fingerprint(hall).await.unwrap();
        hall.store.upkeep().unwrap().prepare().await.unwrap();
        for damaged in [&private.id, &all[1]] {
            let wrong = vec![(1, "no JSON".to_owned())];
            hall.store.upkeep().unwrap().rewrite(damaged, wrong, Vec::new()).await.unwrap();
            hall.forget(damaged);
        }
        let stale = "0000000001abcdefgh";
        let put =
            [format!("a/{stale}"), format!("ag/gekitai/{stale}"), format!("p/0123456789{stale}")];
        let put = put.map(|key| Change::put(key, "{}")).to_vec();
        records(hall).unwrap().change(put).await.unwrap();
        let done = rebuild(hall, |_| {}).await.unwrap();
        assert_eq!((done.games, done.archived, done.unreadable), (4, 2, 2));
        assert_eq!(done.ratings, before, "what was known of a damaged game stays");
        assert_eq!(found(&local, "game=gekitai").await, all);
        for start in ["a/0000", "ag/gekitai/0000", "p/0123456789"] {
            assert_eq!(records(hall).unwrap().range(Range::of(start), 9).await.unwrap(), []);
        }
    }
}

#[tokio::test]
async fn a_damaged_record_keeps_no_game_from_being_looked_after() {
    let local = Local::new().await;
    let hall = local.server.hall();
    let (_, ann) = player(&local, "Ann").await;
    let (_, ben) = player(&local, "Ben").await;
    let damaged = [
        ("c/glaisher", ""),
        ("o/glaisher/0000000002abcdefgh", "zzzzzzzz yyyyyyyy 1"),
        ("rh/zzzzzzzz/glaisher/0000000001abcdefgh", "no rating"),
    ];
    let put = damaged.map(|(key, value)| Change::put(key, value)).to_vec();
    records(hall).unwrap().change(put).await.unwrap();
    let game = meet(&local, &ann, &ben, terms(true)).await;
    // As if the server had died between the pairing and the game.
    hall.store.upkeep().unwrap().delete(&game, None).await.unwrap();
    hall.forget(&game);
    within(async {
        while !local.get(&format!("/api/games/{game}")).await.status.is_success() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}
