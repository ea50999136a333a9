//! HTTP requests and WebSockets of the lobby.

use crate::club::lobby::{self, Here, Met, Party, Side, Terms, Update};
use crate::club::{games, news, pairing, players, ratings};
use crate::games::hall::Hall;
use crate::http::HallState;
use crate::http::games::{bearer, claim};
use crate::http::guard::Client;
use crate::http::limits;
use crate::http::meter::Meter;
use crate::http::places::{Claim, Handle};
use crate::http::refused::{Answered, Asked, Named};
use crate::http::socket::{
    GOING_AWAY, MOST_FRAME, PAST_A_LIMIT, PING, SILENCE, SLOW, TRY_AGAIN, evicted, fault, not_text,
    stopped,
};
use crate::ids::hash;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use table::{Kind, Refusal, TimeControl};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::{Instant, interval_at, timeout};

/// The price of making or accepting a challenge, in addition to the request.
const PRICE: u32 = 10;

pub fn router() -> Router<Arc<Hall>> {
    Router::new()
        .route("/api/lobby", get(list).post(challenge))
        .route("/api/lobby/socket", get(upgrade))
        .route("/api/lobby/{id}", get(show).post(accept).delete(withdraw))
}

/// The sender: the player whose key was sent, or a guest with a secret.
async fn party(hall: &Hall, client: Client, headers: &HeaderMap) -> Result<Party, Refusal> {
    let token = bearer(headers)?.ok_or_else(|| {
        let error =
            "a player's key or a guest's secret is required, as `Authorization: Bearer KEY`";
        Refusal::no_token(error)
    })?;
    of_token(hall, client.0, token).await
}

async fn of_token(hall: &Hall, address: IpAddr, token: &str) -> Result<Party, Refusal> {
    let from = Some(address);
    if players::is_key(token) {
        let player = hall.player(token).await?;
        return Ok(Party { seal: player.seal(), player: Some(player), from });
    }
    let lengths = table::referee::SECRET_LENGTH;
    if lengths.contains(&token.len()) && token.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(Party { player: None, seal: hash(token), from });
    }
    let (least, most) = lengths.into_inner();
    let error =
        format!("a guest's secret has {least} to {most} letters and digits, drawn at random");
    Err(Refusal::no_token(error))
}

async fn list(State(hall): HallState) -> Answered<Json<Value>> {
    if hall.club.lobby.updates.receiver_count() == 0 {
        news::refresh(&hall).await?;
    }
    Ok(Json(json!({ "challenges": hall.club.lobby.told() })))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Wanted {
    game: String,
    #[serde(default)]
    options: Map<String, Value>,
    clock: TimeControl,
    #[serde(default)]
    side: Side,
    #[serde(default)]
    rated: bool,
    /// Whether to accept anybody of similar strength who wants the same: "play now".
    #[serde(default)]
    auto: bool,
    /// Play against this engine level instead.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10))]
    level: Option<u8>,
}

/// The answer with the game to play.
fn plays(game: &str, status: StatusCode) -> Response {
    (status, Json(json!({ "game": game, "path": format!("/{game}") }))).into_response()
}

fn runs(hall: &Hall) -> Result<(), Refusal> {
    match hall.is_stopping() {
        true => Err(Refusal::unavailable("the server is stopping")),
        false => Ok(()),
    }
}

async fn challenge(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
    Asked(wanted): Asked<Wanted>,
) -> Answered<Response> {
    runs(&hall)?;
    hall.limits.spend(client.0, PRICE)?;
    hall.limits.may_store(client.0, limits::FOR_TURNS)?;
    let party = party(&hall, client, &headers).await?;
    let Wanted { game, options, clock, side, rated, auto, level } = wanted;
    let terms = Terms { game, options, clock, side, rated };
    let terms = hall.replays.run(client.0, move || terms.checked()).await??;
    if let Some(level) = level {
        if !(1..=10).contains(&level) {
            return Err(Refusal::against("levels are 1 to 10").at("level").into());
        }
        hall.limits.make_game(client.0)?;
        let made = pairing::against_level(&hall, &party, &terms, level).await;
        let game = made.inspect_err(|_| hall.limits.give_game_back(client.0))?;
        pairing::begun(&hall, &game, client.0);
        return Ok(plays(&game, StatusCode::CREATED));
    }
    let rating = ratings::shown(&hall, party.player.as_deref(), &terms.game).await?;
    match lobby::challenge(&hall, &party, terms, auto).await? {
        Met::Plays(game) => Ok(plays(&game, StatusCode::CREATED)),
        Met::Waits(challenge) => {
            let mut told = json!({ "challenge": challenge.told() });
            if auto {
                told["meanwhile"] = json!({ "level": ratings::level_near(rating.shown()) });
            }
            Ok((StatusCode::CREATED, Json(told)).into_response())
        }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Accepted {
    /// The version of the challenge that the client has seen.
    #[serde(default)]
    version: Option<i64>,
}

async fn accept(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    Named(id): Named<String>,
    headers: HeaderMap,
    Asked(Accepted { version }): Asked<Accepted>,
) -> Answered<Response> {
    runs(&hall)?;
    hall.limits.spend(client.0, PRICE)?;
    let party = party(&hall, client, &headers).await?;
    let game = lobby::accept(&hall, &party, &id, version).await?;
    Ok(plays(&game, StatusCode::OK))
}

/// Shows a challenge. If the sender made it, they count as present.
async fn show(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    Named(id): Named<String>,
    headers: HeaderMap,
) -> Answered<Response> {
    if bearer(&headers)?.is_some() {
        let party = party(&hall, client, &headers).await?;
        if id.split('.').next() == Some(party.id().as_str()) {
            lobby::arrive(&hall, &party).await?;
        }
    }
    let gone = || Refusal::not_there("this challenge is not open any more");
    let (_, challenge) = lobby::find(&hall, &id).await?.ok_or_else(gone)?;
    Ok(match &challenge.taken {
        Some(taken) => {
            games::ready(&hall, &taken.game).await?;
            plays(&taken.game, StatusCode::OK)
        }
        None => Json(json!({ "challenge": challenge.told() })).into_response(),
    })
}

async fn withdraw(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    Named(id): Named<String>,
    headers: HeaderMap,
) -> Answered<Json<Value>> {
    let party = party(&hall, client, &headers).await?;
    lobby::withdraw(&hall, &party, &id).await?;
    Ok(Json(json!({ "withdrawn": id })))
}

async fn upgrade(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    place: Option<Extension<Handle>>,
    socket: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Answered<Response> {
    let socket = socket
        .map_err(|error| Refusal::not_understood(format!("not a WebSocket request: {error}")))?;
    runs(&hall)?;
    let place = place.map(|Extension(place)| claim(&place, client)).transpose()?;
    let sized = socket
        .max_message_size(MOST_FRAME)
        .max_frame_size(MOST_FRAME)
        .read_buffer_size(1 << 10)
        .write_buffer_size(0)
        .max_write_buffer_size(64 << 10);
    Ok(sized.on_upgrade(move |socket| async move {
        hall.metrics.sockets.fetch_add(1, Ordering::Relaxed);
        let updates = hall.club.lobby.updates.subscribe();
        let visitor = Visitor {
            socket,
            hall: Arc::clone(&hall),
            address: client.0,
            place,
            updates,
            present: None,
            token: None,
        };
        let meter = Meter::new(&hall.limits, client.0, 0);
        // However it ended, the client can reconnect.
        let _ = meter.run(visitor.serve()).await;
        hall.metrics.sockets.fetch_sub(1, Ordering::Relaxed);
    }))
}

/// The presence of a player or guest, until it is dropped.
struct Present {
    hall: Arc<Hall>,
    maker: String,
}

impl Present {
    fn new(hall: &Arc<Hall>, maker: String, from: IpAddr) -> Present {
        let mut here = hall.club.lobby.here();
        let Here { sockets, .. } = here.get(&maker).copied().unwrap_or_default();
        let (seen, from) = (hall.time.now(), Some(from));
        here.insert(maker.clone(), Here { sockets: sockets + 1, seen, by_socket: true, from });
        drop(here);
        Present { hall: Arc::clone(hall), maker }
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        let mut all = self.hall.club.lobby.here();
        if let Some(here) = all.get_mut(&self.maker) {
            here.sockets = here.sockets.saturating_sub(1);
            here.seen = self.hall.time.now();
        }
    }
}

/// The socket is closed or must be closed.
struct Closed;

/// A WebSocket that is subscribed to the lobby.
struct Visitor {
    socket: WebSocket,
    hall: Arc<Hall>,
    address: IpAddr,
    place: Option<Claim>,
    updates: broadcast::Receiver<Update>,
    present: Option<Present>,
    /// The token of its last hello.
    token: Option<String>,
}

impl Visitor {
    async fn serve(mut self) -> Result<(), Closed> {
        let mut stopping = self.hall.stopping.subscribe();
        let mut ping = interval_at(Instant::now() + PING, PING);
        let mut let_go = self.place.as_ref().map(Claim::let_go);
        let mut heard = Instant::now();
        self.tell_all().await?;
        loop {
            tokio::select! {
                biased;
                _ = stopped(&mut stopping) => {
                    self.send(json!({ "type": "restart" }).to_string()).await?;
                    return self.close(GOING_AWAY, "the server is stopping, reconnect").await;
                }
                () = evicted(&mut let_go) => {
                    return self.close(TRY_AGAIN, "the server is full, reconnect later").await;
                }
                update = self.updates.recv() => self.tell(update).await?,
                _ = ping.tick() => {
                    if heard.elapsed() > SILENCE {
                        return Err(Closed);
                    }
                    self.check().await?;
                    self.send_frame(Message::Ping(Default::default())).await?;
                }
                frame = self.socket.recv() => {
                    let frame = match frame {
                        None => return Err(Closed),
                        Some(Err(error)) => {
                            let (code, reason) = fault(error);
                            return self.close(code, reason).await;
                        }
                        Some(Ok(frame)) => frame,
                    };
                    heard = Instant::now();
                    if self.hall.limits.spend(self.address, limits::REQUEST).is_err() {
                        self.hall.metrics.limited.fetch_add(1, Ordering::Relaxed);
                        return self.close(PAST_A_LIMIT, "too many messages").await;
                    }
                    match frame {
                        Message::Text(text) => self.hear(text.as_str()).await?,
                        Message::Binary(_) => self.refuse(&not_text()).await?,
                        Message::Close(_) => return Err(Closed),
                        Message::Ping(_) | Message::Pong(_) => {}
                    }
                }
            }
        }
    }

    async fn send_frame(&mut self, frame: Message) -> Result<(), Closed> {
        timeout(SLOW, self.socket.send(frame)).await.map_err(|_| Closed)?.map_err(|_| Closed)
    }

    async fn send(&mut self, text: String) -> Result<(), Closed> {
        self.send_frame(Message::text(text)).await
    }

    async fn close(&mut self, code: u16, reason: &'static str) -> Result<(), Closed> {
        let frame = CloseFrame { code, reason: reason.into() };
        // The client may be gone.
        let _ = self.send_frame(Message::Close(Some(frame))).await;
        Err(Closed)
    }

    /// Sends the whole list.
    async fn tell_all(&mut self) -> Result<(), Closed> {
        // Nobody else was subscribed, so the list may be out of date.
        if self.hall.club.lobby.updates.receiver_count() == 1 {
            let _ = news::refresh(&self.hall).await;
        }
        for message in self.hall.club.lobby.messages() {
            self.send(message).await?;
        }
        Ok(())
    }

    /// Signs a player out whose key was replaced, or who was deleted or banned.
    async fn check(&mut self) -> Result<(), Closed> {
        let Some(token) = self.token.clone() else { return Ok(()) };
        match of_token(&self.hall, self.address, &token).await {
            Err(refusal) if matches!(refusal.kind, Kind::NoToken | Kind::Forbidden) => {
                (self.present, self.token) = (None, None);
                self.refuse(&refusal).await
            }
            // If the store is unavailable, nobody is signed out.
            _ => Ok(()),
        }
    }

    async fn refuse(&mut self, refusal: &Refusal) -> Result<(), Closed> {
        let (status, error) = (refusal.status(), &refusal.message);
        let told = json!({ "type": "refused", "status": status, "error": error });
        self.send(told.to_string()).await
    }

    async fn tell_paired(&mut self, challenge: &str, game: &str) -> Result<(), Closed> {
        let told = json!({ "type": "paired", "challenge": challenge, "game": game });
        self.send(told.to_string()).await
    }

    async fn tell(&mut self, update: Result<Update, RecvError>) -> Result<(), Closed> {
        match update {
            Ok(Update::List(text)) => self.send(text.to_string()).await,
            Ok(Update::Paired { maker, challenge, game }) => {
                if self.present.as_ref().is_none_or(|own| own.maker != maker) {
                    return Ok(());
                }
                self.tell_paired(&challenge, &game).await
            }
            // The subscriber was too slow and has missed updates.
            Err(RecvError::Lagged(_)) => {
                self.tell_all().await?;
                match self.token.clone() {
                    Some(token) => self.hello(&token).await,
                    None => Ok(()),
                }
            }
            Err(RecvError::Closed) => Err(Closed),
        }
    }

    async fn hear(&mut self, text: &str) -> Result<(), Closed> {
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        match message["type"].as_str() {
            Some("ping") => self.send(json!({ "type": "pong" }).to_string()).await,
            Some("hello") => self.hello(message["token"].as_str().unwrap_or_default()).await,
            _ => {
                let error = "expected a type of `hello` or `ping`";
                self.refuse(&Refusal::not_understood(error)).await
            }
        }
    }

    /// Marks the sender as present, which keeps their challenge open, and reports challenges that were accepted.
    async fn hello(&mut self, token: &str) -> Result<(), Closed> {
        let party = match of_token(&self.hall, self.address, token).await {
            Ok(party) => party,
            Err(refusal) => return self.refuse(&refusal).await,
        };
        let maker = party.id();
        if self.present.as_ref().is_none_or(|own| own.maker != maker) {
            self.present = None;
            self.present = Some(Present::new(&self.hall, maker.clone(), self.address));
        }
        self.token = Some(token.to_owned());
        match lobby::arrive(&self.hall, &party).await {
            Ok(paired) => {
                self.send(json!({ "type": "hello", "you": maker }).to_string()).await?;
                for (challenge, game) in paired {
                    self.tell_paired(&challenge, &game).await?;
                }
                Ok(())
            }
            Err(refusal) => self.refuse(&refusal).await,
        }
    }
}
