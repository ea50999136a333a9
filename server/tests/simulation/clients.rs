//! Clients: they create games, play over requests and sockets, retry unanswered requests, sleep, and misbehave.

use super::network::{Network, Stream};
use super::world::{MS, Micros, SECOND, World, lock};
use crate::note;
use engine::playouts::random_turn;
use futures_util::{SinkExt, StreamExt};
use rules::random::Random;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// How long a client waits for an answer before it retries.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// A command of a client.
#[derive(Clone, Debug)]
pub struct Sent {
    pub game: String,
    pub seat: usize,
    pub command: String,
    /// When it was first sent, and when it was answered.
    pub first: Micros,
    pub done: Option<Micros>,
    pub answer: Answered,
}

/// The outcome of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Unknown.
    Open,
    /// It was acknowledged with this number.
    Stored(i64),
    Refused(u16, String),
}

/// What all clients know and have been told.
#[derive(Default)]
pub struct Book {
    pub sent: Vec<Sent>,
    /// The games, with the seats' tokens.
    pub games: BTreeMap<String, [Option<String>; 2]>,
    /// Events as received over sockets, by game, number and time: kind, seat and turn.
    pub told: BTreeMap<(String, i64, i64), String>,
    /// Events of which different clients received different versions.
    pub differ: Vec<String>,
    /// Seats whose player has left, or is asleep until the end.
    pub asleep: Vec<(String, usize)>,
    /// Late answers: when, from which server, and how late.
    pub late: Vec<(Micros, usize, Micros)>,
    /// Answers that no server may send.
    pub broken: Vec<String>,
    /// Players who meet in the lobby.
    pub visitors: BTreeSet<String>,
    /// The games arranged there.
    pub met: BTreeSet<String>,
}

pub struct Clients {
    pub network: Arc<Network>,
    pub servers: usize,
    pub book: Mutex<Book>,
    /// The time after which nobody starts a game or falls asleep.
    pub settle: Micros,
}

/// How a game is played.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    pub number: usize,
    pub computer: bool,
    pub clock: Option<(u32, u32)>,
    pub sleepy: bool,
    pub rude: bool,
}

pub type Told = Result<(u16, Value), ()>;

impl Clients {
    pub fn world(&self) -> &Arc<World> {
        &self.network.world
    }

    pub async fn pause(&self, least: Micros, most: Micros) {
        sleep(Duration::from_micros(self.world().between(least, most))).await;
    }

    pub fn anyone(&self) -> usize {
        1 + self.world().draw(self.servers as u64) as usize
    }

    /// The next server to try after one that does not answer.
    fn next(&self, server: usize) -> usize {
        server % self.servers + 1
    }

    /// Sends a request; none if there is no answer within the client's patience.
    pub async fn ask(&self, who: SocketAddr, server: usize, head: &str, body: &str) -> Told {
        let asked = timeout(PATIENCE, self.ask_patiently(who, server, head, body));
        asked.await.map_err(|_| ())?
    }

    async fn ask_patiently(&self, who: SocketAddr, server: usize, head: &str, body: &str) -> Told {
        let stream = self.network.connect(who, server).await.map_err(|_| ())?;
        let text = format!(
            "{head}host: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let (status, text) = exchange(stream, text.as_bytes()).await.ok_or(())?;
        if status == 500 {
            lock(&self.book).broken.push(format!("{head:?}: {text}"));
        }
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    pub async fn get(&self, who: SocketAddr, server: usize, path: &str) -> Told {
        self.ask(who, server, &format!("GET {path} HTTP/1.1\r\n"), "").await
    }

    /// Plays games at one table, one after another.
    pub async fn table(self: Arc<Self>, habits: Habits) {
        for round in 0.. {
            self.pause(0, 500 * MS).await;
            if self.world().now() > self.settle && round > 0 {
                return;
            }
            let Some((id, tokens)) = self.make(habits).await else { continue };
            let seats = (0..2).filter(|seat| tokens[*seat].is_some()).map(|seat| {
                let token = tokens[seat].clone().unwrap_or_default();
                let own =
                    Player { clients: Arc::clone(&self), id: id.clone(), seat, token, habits };
                tokio::spawn(own.play())
            });
            for seat in seats.collect::<Vec<_>>() {
                let _ = seat.await;
            }
        }
    }

    async fn make(&self, habits: Habits) -> Option<(String, [Option<String>; 2])> {
        let person = json!({ "kind": "person" });
        let mut seats = [person.clone(), person];
        if habits.computer {
            seats[self.world().draw(2) as usize] = json!({ "kind": "level", "level": 1 });
        }
        let clock = habits.clock.map_or(json!({ "kind": "none" }), |(seconds, increment)| {
            json!({ "kind": "time", "seconds": seconds, "increment": increment })
        });
        let wanted = json!({ "game": "gekitai", "seats": seats, "clock": clock });
        let head = "POST /api/games HTTP/1.1\r\n";
        let server = self.anyone();
        let (status, made) =
            self.ask(address(habits, 2), server, head, &wanted.to_string()).await.ok()?;
        if status != 201 {
            return None;
        }
        let id = made["id"].as_str()?.to_owned();
        let tokens = [0, 1].map(|i| made["tokens"][i].as_str().map(str::to_owned));
        note!(self.world(), "game {id} at table {}", habits.number);
        lock(&self.book).games.insert(id.clone(), tokens.clone());
        Some((id, tokens))
    }

    /// Many readers at once, who wait as long as necessary.
    pub async fn crowd(self: Arc<Self>, server: usize) {
        let Some(id) = lock(&self.book).games.keys().next().cloned() else { return };
        let head = Arc::<str>::from(format!("GET /api/games/{id} HTTP/1.1\r\n"));
        for i in 0..24 {
            let (clients, head) = (Arc::clone(&self), Arc::clone(&head));
            tokio::spawn(async move {
                let began = clients.world().now();
                let who = SocketAddr::from(([10, 9, 0, i], 1));
                let told = clients.ask_patiently(who, server, &head, "").await;
                let took = clients.world().now() - began;
                if told.is_ok() && took > 13 * SECOND {
                    lock(&clients.book).late.push((began, server, took));
                }
            });
        }
    }
}

pub fn address(habits: Habits, seat: usize) -> SocketAddr {
    SocketAddr::from(([10, 0, habits.number as u8, seat as u8], 1_000))
}

/// Sends a request and reads the whole answer.
async fn exchange(mut stream: Stream, request: &[u8]) -> Option<(u16, String)> {
    stream.write_all(request).await.ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.ok()?;
    let answer = String::from_utf8(answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.get(9..12)?.parse().ok()?;
    if !head.contains("transfer-encoding: chunked") {
        return Some((status, body.to_owned()));
    }
    let (mut text, mut rest) = (String::new(), body);
    loop {
        let (size, after) = rest.split_once("\r\n")?;
        let size = usize::from_str_radix(size, 16).ok()?;
        if size == 0 {
            return Some((status, text));
        }
        text.push_str(after.get(..size)?);
        rest = after.get(size + 2..)?;
    }
}

/// A player at a seat.
pub struct Player {
    pub clients: Arc<Clients>,
    pub id: String,
    pub seat: usize,
    pub token: String,
    pub habits: Habits,
}

/// What the player knows about the game.
struct View {
    turns: Vec<String>,
    to_move: usize,
    over: bool,
    board_seq: i64,
    seq: i64,
    at: i64,
}

impl View {
    fn read(game: &Value) -> Option<View> {
        let turns = game["turns"].as_array()?;
        Some(View {
            turns: turns.iter().filter_map(|turn| turn.as_str().map(str::to_owned)).collect(),
            to_move: game["turn"].as_u64()? as usize,
            over: !game["result"].is_null(),
            board_seq: game["board_seq"].as_i64()?,
            seq: game["seq"].as_i64()?,
            at: game["at"].as_i64()?,
        })
    }

    fn turn(&self, random: &mut Random) -> Option<String> {
        let mut session = (engine::find("gekitai")?.start)(&Default::default()).ok()?;
        self.turns.iter().try_for_each(|turn| session.play(turn).ok())?;
        session.result().is_none().then(|| random_turn(session.as_ref(), random))
    }
}

enum End {
    Over,
    Again,
}

impl Player {
    fn world(&self) -> &World {
        self.clients.world()
    }

    fn address(&self) -> SocketAddr {
        address(self.habits, self.seat)
    }

    pub async fn play(self) {
        loop {
            let by_socket = self.world().once_in(2);
            let end = if by_socket { self.by_socket().await } else { self.by_requests().await };
            if matches!(end, Some(End::Over)) {
                // A failover may lose the result that this player has seen.
                lock(&self.clients.book).asleep.push((self.id.clone(), self.seat));
                return;
            }
            self.clients.pause(20 * MS, 400 * MS).await;
        }
    }

    /// Sometimes falls asleep after a turn, or for good.
    async fn doze(&self) {
        let (world, settle) = (self.world(), self.clients.settle);
        if !self.habits.sleepy || world.now() > settle || !world.once_in(4) {
            return;
        }
        let time = world.between(SECOND, 12 * SECOND);
        if world.now() + time < settle {
            return sleep(Duration::from_micros(time)).await;
        }
        lock(&self.clients.book).asleep.push((self.id.clone(), self.seat));
        std::future::pending().await
    }

    async fn show(&self, server: usize) -> Option<View> {
        let path = format!("/api/games/{}", self.id);
        let (status, game) = self.clients.get(self.address(), server, &path).await.ok()?;
        if status == 200 { View::read(&game) } else { None }
    }

    async fn by_requests(&self) -> Option<End> {
        for _ in 0..self.world().between(1, 6) {
            let view = self.show(self.clients.anyone()).await?;
            if view.over {
                return Some(End::Over);
            }
            if view.to_move == self.seat + 1 {
                self.clients.pause(20 * MS, 1_200 * MS).await;
                self.turn(&view, None, self.clients.anyone()).await?;
                self.doze().await;
            } else {
                self.clients.pause(100 * MS, 500 * MS).await;
            }
        }
        Some(End::Again)
    }

    /// Records a new command; returns its index and body.
    fn command(&self, view: &View) -> Option<(usize, Value)> {
        let mut random = Random::new(self.world().draw(u64::MAX));
        let turn = view.turn(&mut random)?;
        let mut book = lock(&self.clients.book);
        let place = book.sent.len();
        let command = format!("c{place}");
        let (game, first) = (self.id.clone(), self.world().now());
        let (seat, answer) = (self.seat + 1, Answered::Open);
        let body = json!({ "turn": turn, "command": command, "board_seq": view.board_seq });
        book.sent.push(Sent { game, seat, command, first, done: None, answer });
        Some((place, body))
    }

    /// Records the answer to a command.
    fn answered(&self, place: usize, answer: Answered) {
        let mut book = lock(&self.clients.book);
        let sent = &mut book.sent[place];
        note!(self.world(), "{} {} {}: {answer:?}", sent.game, sent.seat, sent.command);
        if sent.answer == Answered::Open {
            (sent.answer, sent.done) = (answer, Some(self.world().now()));
        }
    }

    /// Plays a turn by requests, retrying until it is answered.
    async fn turn(&self, view: &View, begun: Option<(usize, Value)>, first: usize) -> Option<()> {
        let (place, mut body) = begun.or_else(|| self.command(view))?;
        let mut server = first;
        body["type"] = "move".into();
        let head = format!(
            "POST /api/games/{}/commands HTTP/1.1\r\nauthorization: Bearer {}\r\n",
            self.id, self.token
        );
        let body = body.to_string();
        loop {
            if self.habits.rude && self.world().once_in(3) {
                // Send the same command at the same time through another server.
                let (clients, who) = (Arc::clone(&self.clients), self.address());
                let (head, body, other) = (head.clone(), body.clone(), clients.anyone());
                tokio::spawn(async move { clients.ask(who, other, &head, &body).await });
            }
            match self.clients.ask(self.address(), server, &head, &body).await {
                Ok((200, told)) => {
                    let seq = told["seq"].as_i64().unwrap_or(-1);
                    self.answered(place, Answered::Stored(seq));
                    return Some(());
                }
                Ok((status @ (400 | 401 | 403 | 404 | 409 | 422), told)) => {
                    let reason = told["error"].as_str().unwrap_or_default().to_owned();
                    self.answered(place, Answered::Refused(status, reason));
                    return Some(());
                }
                Ok(_) | Err(()) => self.clients.pause(50 * MS, 400 * MS).await,
            }
            server = self.clients.next(server);
        }
    }

    /// Plays over a socket until it is lost.
    async fn by_socket(&self) -> Option<End> {
        let mut view = self.show(self.clients.anyone()).await?;
        if view.over {
            return Some(End::Over);
        }
        let server = self.clients.anyone();
        let opened = timeout(PATIENCE, self.open(server, &view)).await.ok()?;
        let mut socket = opened?;
        let hello = json!({ "type": "hello", "token": self.token });
        socket.send(Message::text(hello.to_string())).await.ok()?;
        if self.habits.rude {
            let noise = ["{", "[]", "{\"type\":\"command\"}", "{\"type\":\"what\"}"];
            let noise = noise[self.world().draw(4) as usize];
            socket.send(Message::text(noise)).await.ok()?;
        }
        let mut waits: Option<(usize, Value)> = None;
        let mut silent = 0;
        loop {
            if waits.is_none() && !view.over && view.to_move == self.seat + 1 {
                self.clients.pause(20 * MS, 900 * MS).await;
                let (place, mut body) = self.command(&view)?;
                (body["type"], body["do"]) = ("command".into(), "move".into());
                socket.send(Message::text(body.to_string())).await.ok();
                waits = Some((place, body));
            }
            match timeout(PATIENCE / 2, socket.next()).await {
                Err(_) if silent < 2 => {
                    silent += 1;
                    let ping = json!({ "type": "ping" });
                    let _ = socket.send(Message::text(ping.to_string())).await;
                }
                Ok(Some(Ok(frame))) => {
                    silent = 0;
                    let Message::Text(text) = frame else { continue };
                    let told: Value = serde_json::from_str(&text).ok()?;
                    if !self.hear(&mut view, &told, &mut waits) {
                        break;
                    }
                }
                _ => break,
            }
            if view.over && waits.is_none() {
                return Some(End::Over);
            }
            if waits.is_none() && view.to_move != self.seat + 1 && self.world().once_in(40) {
                break;
            }
        }
        drop(socket);
        // An unanswered command is repeated by request.
        if let Some(begun) = waits {
            self.turn(&view, Some(begun), self.clients.next(server)).await;
        }
        self.doze().await;
        Some(End::Again)
    }

    async fn open(&self, server: usize, view: &View) -> Option<WebSocketStream<Stream>> {
        let stream = self.clients.network.connect(self.address(), server).await.ok()?;
        let (seq, at) = (view.seq, view.at);
        let url = format!("ws://localhost/api/games/{}/socket?after={seq}&at={at}", self.id);
        tokio_tungstenite::client_async(url, stream).await.ok().map(|(socket, _)| socket)
    }

    /// Handles a frame; returns false if the game has to be read again.
    fn hear(&self, view: &mut View, told: &Value, waits: &mut Option<(usize, Value)>) -> bool {
        match told["type"].as_str() {
            Some("event") => {
                let (seq, at) =
                    (told["seq"].as_i64().unwrap_or(0), told["at"].as_i64().unwrap_or(0));
                let mut book = lock(&self.clients.book);
                let said = format!("{} {} {}", told["kind"], told["seat"], told["turn"]);
                let known = book.told.insert((self.id.clone(), seq, at), said.clone());
                if known.as_ref().is_some_and(|known| *known != said) {
                    book.differ.push(format!("{} {seq}: {known:?} and {said}", self.id));
                }
                if seq != view.seq + 1 {
                    let gap = format!("{} after {} came {seq}", self.id, view.seq);
                    book.differ.push(gap);
                }
                (view.seq, view.at) = (seq, at);
                match told["kind"].as_str() {
                    Some("move") => {
                        view.turns.push(told["turn"].as_str().unwrap_or_default().to_owned());
                        view.board_seq = seq;
                        view.to_move = 3 - view.to_move;
                    }
                    Some("result") => view.over = true,
                    _ => {}
                }
            }
            Some("ack") => {
                if let Some((place, _)) = waits.take() {
                    let seq = told["seq"].as_i64().unwrap_or(-1);
                    self.answered(place, Answered::Stored(seq));
                }
            }
            Some("refused") if told["command"].is_string() => {
                let status = told["status"].as_u64().unwrap_or(0) as u16;
                // Other refusals are temporary; the command is repeated by request.
                if let (400..=422, Some((place, _))) = (status, waits.as_ref()) {
                    let reason = told["error"].as_str().unwrap_or_default().to_owned();
                    self.answered(*place, Answered::Refused(status, reason));
                    *waits = None;
                }
                return false;
            }
            Some("reset" | "restart") => return false,
            _ => {}
        }
        true
    }
}
