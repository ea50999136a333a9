//! Two players and a watcher over real sockets, with everything that can go wrong in a network.

use crate::common::{Folder, Made, random_game, within};
use futures_util::{SinkExt, StreamExt};
use rules::random::Random;
use serde_json::{Value, json};
use server::{Config, Server};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// A listening server that can be restarted on the same port.
struct Remote {
    folder: Folder,
    config: Config,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

impl Remote {
    async fn new() -> Remote {
        let folder = Folder::new();
        let config = folder.config();
        let address = config.listen;
        let mut remote = Remote { folder, config, address, stop: None, task: None };
        remote.start().await;
        remote
    }

    async fn start(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.address = listener.local_addr().unwrap();
        let server = Server::open(&self.config).await.unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        self.stop = Some(stop);
        self.task = Some(tokio::spawn(server.serve(listener, async {
            let _ = stopped.await;
        })));
    }

    async fn stop(&mut self) {
        drop(self.stop.take());
        within(self.task.take().unwrap()).await.unwrap();
    }

    async fn restart(&mut self) {
        self.stop().await;
        self.start().await;
    }

    async fn people(&self, game: &str) -> Made {
        // The store is accessed through a router in the same process as the server, which here is this one.
        let person = json!({ "kind": "person" });
        let body = json!({ "game": game, "seats": [person, person] }).to_string();
        let made = self.post("/api/games", &body).await;
        let tokens = [0, 1].map(|i| made["tokens"][i].as_str().unwrap().to_owned());
        Made { id: made["id"].as_str().unwrap().to_owned(), tokens }
    }

    /// Restarts with a changed configuration.
    async fn with(&mut self, change: impl FnOnce(&mut Config)) {
        self.stop().await;
        change(&mut self.config);
        self.start().await;
    }

    async fn post(&self, path: &str, body: &str) -> Value {
        serde_json::from_str(&self.ask("POST", path, None, body).await.1).unwrap()
    }

    async fn status(&self, path: &str) -> u16 {
        self.ask("GET", path, None, "").await.0
    }

    /// The status and the body of an answer.
    async fn ask(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: &str,
    ) -> (u16, String) {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n"));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\n{}content-length: {}\r\nconnection: close\r\n\r\n",
            self.address,
            token.unwrap_or_default(),
            body.len()
        );
        stream.write_all((head + body).as_bytes()).await.unwrap();
        let mut answer = String::new();
        within(stream.read_to_string(&mut answer)).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    async fn peer(&self, game: &Made, seat: Option<usize>) -> Peer {
        let token = seat.map(|seat| game.tokens[seat - 1].clone());
        let mut peer = Peer {
            address: self.address,
            id: game.id.clone(),
            token,
            seen: Vec::new(),
            others: Vec::new(),
            socket: None,
        };
        peer.connect().await;
        peer
    }
}

/// A client with a socket, which reconnects when it is lost.
struct Peer {
    address: SocketAddr,
    id: String,
    token: Option<String>,
    /// All events, in the order received.
    seen: Vec<Value>,
    /// Everything else.
    others: Vec<Value>,
    socket: Option<WebSocketStream<MaybeTlsStream<TcpStream>>>,
}

impl Peer {
    async fn connect(&mut self) {
        let url =
            format!("ws://{}/api/games/{}/socket?after={}", self.address, self.id, self.seen.len());
        let (socket, _) = within(tokio_tungstenite::connect_async(url)).await.unwrap();
        self.socket = Some(socket);
        let hello = json!({ "type": "hello", "token": self.token });
        assert!(self.say(&hello).await);
    }

    /// Whether a socket can be opened.
    async fn reaches(&self) -> bool {
        let url = format!("ws://{}/api/games/{}/socket", self.address, self.id);
        within(tokio_tungstenite::connect_async(url)).await.is_ok()
    }

    /// Sends a message; returns whether the socket was still open.
    async fn say(&mut self, message: &Value) -> bool {
        self.send(Message::text(message.to_string())).await
    }

    async fn send(&mut self, message: Message) -> bool {
        let Some(socket) = &mut self.socket else { return false };
        socket.send(message).await.is_ok()
    }

    /// The next message; none if the socket is lost.
    async fn hear(&mut self) -> Option<Value> {
        loop {
            let socket = self.socket.as_mut()?;
            match within(socket.next()).await {
                Some(Ok(Message::Text(text))) => {
                    let told: Value = serde_json::from_str(text.as_str()).unwrap();
                    match told["type"] == "event" {
                        true => self.seen.push(told.clone()),
                        false => self.others.push(told.clone()),
                    }
                    return Some(told);
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => self.socket = None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// Receives events up to a number, reconnecting as necessary.
    async fn until(&mut self, seq: usize) {
        while self.seen.len() < seq {
            if self.hear().await.is_none() {
                self.connect().await;
            }
        }
    }

    /// Waits for the answer to a command; none if the socket is lost before.
    async fn answer(&mut self, command: &str) -> Option<Value> {
        loop {
            let told = self.hear().await?;
            if told["command"] == command {
                return Some(told);
            }
        }
    }

    /// The close code sent by the server.
    async fn close_code(&mut self) -> Option<CloseCode> {
        loop {
            match within(self.socket.as_mut()?.next()).await {
                Some(Ok(Message::Close(Some(frame)))) => return Some(frame.code),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    fn assert_whole(&self) {
        let seqs: Vec<_> = self.seen.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "in order, without gaps");
    }
}

fn turns(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["turn"].as_str()).collect()
}

/// What goes wrong with a command.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    None,
    RestartBefore,
    RestartAfterSending,
    RestartAfterAnswer,
    DropBefore,
    DropAfterSending,
    Duplicate,
    WatcherLeaves,
}

const TROUBLES: [Trouble; 8] = [
    Trouble::None,
    Trouble::RestartBefore,
    Trouble::RestartAfterSending,
    Trouble::RestartAfterAnswer,
    Trouble::DropBefore,
    Trouble::DropAfterSending,
    Trouble::Duplicate,
    Trouble::WatcherLeaves,
];

/// Sends a command until it is acknowledged.
async fn insist(remote: &mut Remote, peer: &mut Peer, command: &str, turn: &str, trouble: Trouble) {
    let action = json!({ "type": "command", "do": "move", "turn": turn, "command": command });
    match trouble {
        Trouble::RestartBefore => remote.restart().await,
        Trouble::DropBefore => peer.socket = None,
        _ => {}
    }
    let mut first = true;
    loop {
        if peer.socket.is_none() {
            peer.connect().await;
        }
        peer.say(&action).await;
        match trouble {
            Trouble::RestartAfterSending if first => remote.restart().await,
            Trouble::DropAfterSending if first => peer.socket = None,
            Trouble::Duplicate => drop(peer.say(&action).await),
            _ => {}
        }
        first = false;
        if let Some(answer) = peer.answer(command).await {
            assert_eq!(answer["type"], "ack", "{answer}");
            break;
        }
    }
    if let Trouble::RestartAfterAnswer = trouble {
        remote.restart().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_whatever_happens_between_two_messages() {
    let mut remote = Remote::new().await;
    for (number, entry) in engine::GAMES.iter().enumerate() {
        let game = remote.people(entry.info.id).await;
        let mut players = [remote.peer(&game, Some(1)).await, remote.peer(&game, Some(2)).await];
        let mut watcher = remote.peer(&game, None).await;
        let played = random_game(entry.info.id, 16, number as u64);
        let mut random = Random::new(number as u64);
        for (i, turn) in played.iter().enumerate() {
            // Every kind of trouble occurs in every game, in a different order, at either seat.
            let trouble = TROUBLES[(i + number + i / TROUBLES.len()) % TROUBLES.len()];
            if let Trouble::WatcherLeaves = trouble {
                watcher.socket = None;
            }
            let command = format!("turn-{i}-{}", random.below(1_000));
            insist(&mut remote, &mut players[i % 2], &command, turn, trouble).await;
            players[(i + 1) % 2].until(i + 2).await;
        }
        let all = 1 + played.len();
        for peer in players.iter_mut().chain([&mut watcher]) {
            peer.until(all).await;
            peer.assert_whole();
            assert_eq!(turns(&peer.seen), played);
        }
    }
    remote.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_is_told_who_is_there() {
    let mut remote = Remote::new().await;
    let game = remote.people("gekitai").await;
    let mut one = remote.peer(&game, Some(1)).await;
    let two = remote.peer(&game, Some(2)).await;
    let watcher = remote.peer(&game, None).await;
    let all = json!({ "type": "presence", "seats": [true, true], "watchers": 1 });
    while one.hear().await.unwrap() != all {}
    drop((two, watcher));
    let alone = json!({ "type": "presence", "seats": [true, false], "watchers": 0 });
    while one.hear().await.unwrap() != alone {}
    assert_eq!(one.others[0]["type"], "hello");
    assert_eq!(one.others[0]["you"], json!([1]));
    remote.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_joins_through_a_socket_gets_the_secret_and_plays_on() {
    let mut remote = Remote::new().await;
    let seats = json!([{ "kind": "person" }, { "kind": "open" }]);
    let wanted = json!({ "game": "gekitai", "seats": seats }).to_string();
    let made = remote.post("/api/games", &wanted).await;
    let tokens = [0, 1].map(|i| made["tokens"][i].as_str().unwrap().to_owned());
    let game = Made { id: made["id"].as_str().unwrap().to_owned(), tokens };
    let mut one = remote.peer(&game, Some(1)).await;
    let mut friend = remote.peer(&game, Some(2)).await;
    let mut late = remote.peer(&game, Some(2)).await;
    let present = |seats: [bool; 2], watchers: u32| json!({ "type": "presence", "seats": seats, "watchers": watchers });
    while one.hear().await.unwrap() != present([true, false], 2) {}
    let secret = "friendsfriendsfriends99";
    let join =
        json!({ "type": "command", "do": "join", "name": "Bob", "command": "j", "secret": secret });
    friend.say(&join).await;
    assert_eq!(friend.answer("j").await.unwrap()["token"], secret);
    while one.hear().await.unwrap() != present([true, true], 1) {}
    late.say(&json!({ "type": "command", "do": "join", "command": "l" })).await;
    assert_eq!(late.answer("l").await.unwrap()["status"], 401);
    // The answer may have been lost: repeat the command without any other token.
    let mut again = remote.peer(&game, None).await;
    again.say(&join).await;
    assert_eq!(again.answer("j").await.unwrap()["token"], secret);
    one.say(&json!({ "type": "command", "do": "move", "turn": "c4", "command": "a" })).await;
    assert_eq!(one.answer("a").await.unwrap()["seq"], 3);
    friend.say(&json!({ "type": "command", "do": "move", "turn": "d3", "command": "b" })).await;
    assert_eq!(friend.answer("b").await.unwrap()["seq"], 4);
    again.say(&json!({ "type": "command", "do": "resign", "command": "c" })).await;
    assert_eq!(again.answer("c").await.unwrap()["seq"], 5);
    remote.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ping_of_a_player_or_a_watcher_is_answered() {
    let mut remote = Remote::new().await;
    let game = remote.people("gekitai").await;
    for seat in [Some(1), None] {
        let mut peer = remote.peer(&game, seat).await;
        // The pong contains the number of the last event sent, so that a client knows whether it has them all.
        peer.say(&json!({ "type": "ping" })).await;
        while peer.hear().await.unwrap() != json!({ "type": "pong", "seq": 1 }) {}
    }
    remote.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_is_answered_and_the_socket_goes_on() {
    let mut remote = Remote::new().await;
    let game = remote.people("gekitai").await;
    let mut two = remote.peer(&game, Some(2)).await;
    let mut watcher = remote.peer(&game, None).await;
    let action = json!({ "type": "command", "do": "move", "turn": "c4", "command": "a" });
    two.say(&action).await;
    let refused = two.answer("a").await.unwrap();
    assert_eq!((&refused["type"], &refused["status"]), (&json!("refused"), &json!(409)));
    watcher.say(&action).await;
    assert_eq!(watcher.answer("a").await.unwrap()["status"], 401);
    for strange in ["", "7", "{", "[]", "{\"type\":\"fly\"}", "{\"type\":\"command\",\"do\":{}}"] {
        two.send(Message::text(strange)).await;
        while two.hear().await.unwrap()["status"] != 400 {}
    }
    two.say(&json!({ "type": "command", "do": "resign", "command": "b", "seq": "x" })).await;
    let refused = two.answer("b").await.unwrap();
    assert_eq!((&refused["status"], &refused["field"]), (&json!(400), &json!("seq")));
    assert!(refused["error"].as_str().unwrap().contains("expected a whole number"), "{refused}");
    two.send(Message::binary(vec![0, 159, 146, 150])).await;
    while two.hear().await.unwrap()["status"] != 400 {}
    two.say(&json!({ "type": "hello", "token": "wrong" })).await;
    while two.hear().await.unwrap()["status"] != 401 {}
    let mut one = remote.peer(&game, Some(1)).await;
    one.say(&action).await;
    assert_eq!(one.answer("a").await.unwrap()["seq"], 2);
    two.until(2).await;
    assert_eq!(remote.folder.0.join("games.db").metadata().unwrap().len() % 512, 0);
    remote.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_says_too_much_is_sent_away_and_others_go_on() {
    let mut remote = Remote::new().await;
    let game = remote.people("gekitai").await;
    // An address can save up ten seconds' worth of its allowance.
    let frames =
        [Message::text("{}"), Message::Pong(Default::default()), Message::Ping(Default::default())];
    for frame in frames {
        remote.with(|config| config.allowance = 20).await;
        let mut peer = remote.peer(&game, None).await;
        for _ in 0..230 {
            peer.send(frame.clone()).await;
        }
        assert_eq!(peer.close_code().await, Some(CloseCode::Policy), "{frame:?}");
        // Neither reconnecting nor other requests help.
        let again = tokio::join!(peer.reaches(), remote.status("/api/health"));
        assert_eq!(again, (false, 429), "{frame:?}");
    }
    remote.with(|config| config.allowance = 1_000).await;
    let mut large = remote.peer(&game, Some(1)).await;
    large.send(Message::text("x".repeat(8 * 1024 + 1))).await;
    assert_eq!(large.close_code().await, Some(CloseCode::Policy));
    let mut quiet = remote.peer(&game, Some(2)).await;
    quiet.until(1).await;
    remote.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_that_cannot_be_read_get_their_reason_and_a_farewell_is_answered() {
    use tokio::io::AsyncWriteExt;
    let mut remote = Remote::new().await;
    let game = remote.people("gekitai").await;
    let not_text: &[u8] = &[0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe];
    let not_a_frame: &[u8] = &[0x83, 0x80, 0, 0, 0, 0];
    let without_mask: &[u8] = &[0x81, 0x01, b'x'];
    for (bytes, code) in [
        (not_text, CloseCode::Invalid),
        (not_a_frame, CloseCode::Protocol),
        (without_mask, CloseCode::Protocol),
    ] {
        let mut peer = remote.peer(&game, None).await;
        peer.until(1).await;
        peer.socket.as_mut().unwrap().get_mut().write_all(bytes).await.unwrap();
        assert_eq!(peer.close_code().await, Some(code), "{bytes:?}");
    }
    let mut peer = remote.peer(&game, Some(1)).await;
    let farewell = CloseFrame { code: CloseCode::Normal, reason: "enough".into() };
    peer.send(Message::Close(Some(farewell))).await;
    assert_eq!(peer.close_code().await, Some(CloseCode::Normal));
    remote.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_of_a_seat_are_counted_together_however_they_come() {
    let mut remote = Remote::new().await;
    remote.with(|config| config.allowance = 1_000).await;
    let game = remote.people("gekitai").await;
    let nonsense = json!({ "type": "command", "do": "move", "turn": "zz", "command": "a" });
    let path = format!("/api/games/{}/commands", game.id);
    let mut one = remote.peer(&game, Some(1)).await;
    let began = Instant::now();
    for _ in 0..60 {
        one.say(&nonsense).await;
        assert_eq!(one.answer("a").await.unwrap()["status"], 422);
    }
    let body = json!({ "type": "move", "turn": "zz" }).to_string();
    let asked = (0..200).map(|_| remote.ask("POST", &path, Some(&game.tokens[0]), &body));
    let answers = futures_util::future::join_all(asked).await;
    let granted = answers.iter().filter(|(status, _)| *status == 422).count();
    let refused = answers.iter().filter(|(status, _)| *status == 429).count();
    // Meanwhile the seat's bucket fills by one every 200 ms.
    let filled = began.elapsed().as_millis() as usize / 200;
    assert!((40..=41 + filled).contains(&granted), "{granted}, {filled}");
    assert_eq!(granted + refused, 200);
    for _ in 0..40 {
        one.say(&nonsense).await;
    }
    assert_eq!(one.close_code().await, Some(CloseCode::Policy));
    // The other seat has its own bucket.
    let mut two = remote.peer(&game, Some(2)).await;
    two.say(&nonsense).await;
    assert_eq!(two.answer("a").await.unwrap()["status"], 409);
    remote.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_at_random_do_not_disturb_a_server() {
    use tokio::io::AsyncWriteExt;
    let mut remote = Remote::new().await;
    let game = remote.people("gekitai").await;
    let mut random = Random::new(9);
    for i in 0..60 {
        let mut stream = TcpStream::connect(remote.address).await.unwrap();
        if i % 2 == 0 {
            let head = format!(
                "GET /api/games/{}/socket HTTP/1.1\r\nhost: {}\r\nconnection: upgrade\r\n\
                 upgrade: websocket\r\nsec-websocket-version: 13\r\n\
                 sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                game.id, remote.address
            );
            stream.write_all(head.as_bytes()).await.unwrap();
        }
        let bytes: Vec<u8> = (0..500).map(|_| random.next_u64() as u8).collect();
        // The server may have hung up before everything was sent.
        let _ = stream.write_all(&bytes).await;
    }
    let mut peer = remote.peer(&game, Some(1)).await;
    peer.say(&json!({ "type": "command", "do": "move", "turn": "c4", "command": "a" })).await;
    assert_eq!(peer.answer("a").await.unwrap()["type"], "ack");
    remote.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_tells_sockets_to_come_again_and_takes_less_than_ten_seconds() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut remote = Remote::new().await;
    let game = remote.people("gekitai").await;
    let mut peer = remote.peer(&game, Some(1)).await;
    peer.until(1).await;
    // A client that reads nothing, and an analysis that takes a minute.
    let _idle = remote.peer(&game, None).await;
    let address = remote.address;
    let body = json!({ "game": "six-making", "time_ms": 60_000 }).to_string();
    let mut analysis = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /api/analysis HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    analysis.write_all((head + &body).as_bytes()).await.unwrap();
    // It has started once something was received.
    within(analysis.read_u8()).await.unwrap();
    let reader = tokio::spawn(async move {
        let mut text = Vec::new();
        let _ = analysis.read_to_end(&mut text).await;
    });
    let started = Instant::now();
    remote.stop().await;
    assert!(started.elapsed() < Duration::from_secs(9));
    while peer.hear().await.unwrap()["type"] != "restart" {}
    let code = peer.close_code().await;
    assert_eq!(code, Some(CloseCode::Restart));
    within(reader).await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_socket_from_another_site_is_not_opened() {
    use tungstenite::client::IntoClientRequest;
    let mut remote = Remote::new().await;
    let game = remote.people("gekitai").await;
    let url = format!("ws://{}/api/games/{}/socket", remote.address, game.id);
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("origin", "http://evil.example".parse().unwrap());
    match tokio_tungstenite::connect_async(request).await {
        Err(tungstenite::Error::Http(response)) => assert_eq!(response.status().as_u16(), 403),
        other => panic!("{other:?}"),
    }
    remote.stop().await;
}
