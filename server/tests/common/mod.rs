//! Helpers shared by the tests.

#![allow(dead_code, missing_docs)]

#[cfg(feature = "many")]
pub mod services;
#[cfg(feature = "many")]
pub mod wires;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode, header};
use engine::playouts::random_turn;
use rules::random::Random;
use serde_json::{Value, json};
use server::{Config, Server};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tower::ServiceExt;

/// A temporary folder.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("quadrille-server-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn config(&self) -> Config {
        Config {
            listen: ([127, 0, 0, 1], 0).into(),
            data: self.0.join("games.db"),
            nats: None,
            proxies: Vec::new(),
            base_url: None,
            web: None,
            metrics: None,
            new_games: 1_000,
            allowance: 100_000,
            connections: 1_000,
            operator: Default::default(),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server whose router is called directly.
pub struct Local {
    pub server: Server,
    pub folder: Folder,
}

/// An answer.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }

    pub fn lines(&self) -> Vec<Value> {
        self.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status.is_success(), "{}: {}", self.status, self.text);
        self.json()
    }

    /// The error message of a refusal with this status.
    #[track_caller]
    pub fn refused(self, status: u16) -> String {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        self.json()["error"].as_str().expect("a refusal has a reason").to_owned()
    }
}

impl Local {
    pub async fn new() -> Local {
        Local::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut Config)) -> Local {
        let folder = Folder::new();
        let mut config = folder.config();
        change(&mut config);
        Local { server: Server::open(&config).await.unwrap(), folder }
    }

    /// Stops the server and starts it again on the same store.
    pub async fn restart(self) -> Local {
        let Local { server, folder } = self;
        server.close().await;
        Local { server: Server::open(&folder.config()).await.unwrap(), folder }
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        send(self.server.router(), request).await
    }

    /// Sends a request as if from this address.
    pub async fn send_from(&self, address: [u8; 4], mut request: Request<Body>) -> Answer {
        let peer = SocketAddr::from((address, 999));
        request.extensions_mut().insert(ConnectInfo(peer));
        self.send(request).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub async fn get_as(&self, token: &str, path: &str) -> Answer {
        let request = Request::get(path).header(header::AUTHORIZATION, format!("Bearer {token}"));
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Request::post(path).body(body.to_string().into()).unwrap()).await
    }

    pub async fn make(&self, wanted: Value) -> Made {
        let made = self.post("/api/games", wanted).await.ok();
        let tokens = [0, 1].map(|i| made["tokens"][i].as_str().unwrap_or_default().to_owned());
        Made { id: made["id"].as_str().unwrap().to_owned(), tokens }
    }

    /// A game between two people.
    pub async fn people(&self, game: &str) -> Made {
        let person = json!({ "kind": "person" });
        self.make(json!({ "game": game, "seats": [person, person] })).await
    }

    pub async fn command(&self, game: &Made, seat: usize, body: Value) -> Answer {
        self.send(game.request(seat, &body)).await
    }

    pub async fn play(&self, game: &Made, seat: usize, turn: &str) -> Answer {
        self.command(game, seat, json!({ "type": "move", "turn": turn })).await
    }

    pub async fn show(&self, game: &Made) -> Value {
        self.get(&format!("/api/games/{}", game.id)).await.ok()
    }

    pub async fn events(&self, game: &Made) -> Vec<Value> {
        self.get(&format!("/api/games/{}/events", game.id)).await.lines()
    }

    /// Waits until a game has this many events.
    pub async fn until(&self, game: &Made, seq: i64) {
        let room = self.server.hall().room(&game.id).await.unwrap();
        let mut hints = room.follow();
        within(async {
            while room.seq() < seq {
                hints.changed().await.unwrap();
            }
        })
        .await;
    }
}

/// A game and the tokens of its seats.
#[derive(Clone)]
pub struct Made {
    pub id: String,
    pub tokens: [String; 2],
}

impl Made {
    /// A command from a seat, as a request.
    pub fn request(&self, seat: usize, body: &Value) -> Request<Body> {
        let path = format!("/api/games/{}/commands", self.id);
        let token = format!("Bearer {}", self.tokens[seat - 1]);
        let request = Request::post(path).header(header::AUTHORIZATION, token);
        request.body(body.to_string().into()).unwrap()
    }
}

pub async fn send(router: Router, request: Request<Body>) -> Answer {
    let response = router.oneshot(request).await.unwrap();
    let (head, body) = response.into_parts();
    let bytes = within(to_bytes(body, 1 << 20)).await.unwrap();
    // Pictures are binary.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Answer { status: head.status, headers: head.headers, text }
}

/// Fails instead of hanging.
pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("within 30 seconds")
}

/// Random legal turns, until the game is over or there are `most`.
pub fn random_game(id: &str, most: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut session = (engine::find(id).unwrap().start)(&Default::default()).unwrap();
    while session.turns_played() < most && session.result().is_none() {
        let turn = random_turn(session.as_ref(), &mut random);
        session.play(&turn).unwrap();
    }
    session.history()
}
