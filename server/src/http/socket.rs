//! WebSockets: a game's events as they happen, and commands in the other direction.

use crate::club::players::is_key;
use crate::games::hall::{Hall, Sender};
use crate::games::room::{Presence, Present, Room};
use crate::http::HallState;
use crate::http::games::{After, PAGE, claim, query};
use crate::http::guard::Client;
use crate::http::limits;
use crate::http::meter::Meter;
use crate::http::places::{Claim, Handle};
use crate::http::refused::{Answered, Named};
use crate::ids::{Hash, hash};
use axum::extract::Extension;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::http::Uri;
use axum::response::Response;
use requests::read;
use rules::Player;
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use table::event::clocks;
use table::words::GREETINGS;
use table::{Kind, Refusal, referee};
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, interval_at, sleep_until, timeout};

/// The largest frame accepted.
pub const MOST_FRAME: usize = 8 << 10;

/// How often a socket is pinged, and its game compared with the store in case a notification was lost.
pub const PING: Duration = Duration::from_secs(20);

/// How long a client may be silent; it answers pings.
pub const SILENCE: Duration = Duration::from_secs(70);

/// How long a slow client may take to accept a frame.
pub const SLOW: Duration = Duration::from_secs(10);

/// How long, and for how many frames, a closing socket is drained.
const DRAIN: Duration = Duration::from_millis(250);
const MOST_DRAINED: usize = 500;

/// How long a client that has not said hello counts as neither player nor watcher.
const SETTLE: Duration = Duration::from_millis(500);

pub const GOING_AWAY: u16 = 1012;
pub const TRY_AGAIN: u16 = 1013;
const NOT_A_FRAME: u16 = 1002;
const NOT_TEXT: u16 = 1007;
pub const PAST_A_LIMIT: u16 = 1008;

pub async fn upgrade(
    axum::extract::State(hall): HallState,
    Extension(client): Extension<Client>,
    place: Option<Extension<Handle>>,
    Named(id): Named<String>,
    uri: Uri,
    socket: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Answered<Response> {
    let After { after, at, .. } = query(&uri)?;
    let room = hall.room_for(&id, client.0).await?;
    let after = hall.is_there(&room, after, at).await?.then_some(after);
    let socket = socket
        .map_err(|error| Refusal::not_understood(format!("not a WebSocket request: {error}")))?;
    if hall.is_stopping() {
        return Err(Refusal::unavailable("the server is stopping").into());
    }
    let place = place.map(|Extension(place)| claim(&place, client)).transpose()?;
    let sized = socket
        .max_message_size(MOST_FRAME)
        .max_frame_size(MOST_FRAME)
        .read_buffer_size(1 << 10)
        .write_buffer_size(0)
        .max_write_buffer_size(64 << 10);
    Ok(sized.on_upgrade(move |socket| async move {
        hall.metrics.sockets.fetch_add(1, Ordering::Relaxed);
        let mut connection = Connection::new(socket, Arc::clone(&hall), room, client.0, after);
        connection.place = place;
        let meter = Meter::new(&hall.limits, client.0, 0);
        // However it ended, the client can reconnect.
        let _ = meter.run(connection.serve()).await;
        hall.metrics.sockets.fetch_sub(1, Ordering::Relaxed);
    }))
}

/// The socket is closed or must be closed.
struct Closed;

struct Connection {
    socket: WebSocket,
    hall: Arc<Hall>,
    room: Arc<Room>,
    address: IpAddr,
    /// The connection's slot, claimed for this client.
    place: Option<Claim>,
    /// The number of the last event sent.
    sent: i64,
    /// The hash of the token presented.
    token: Option<Hash>,
    /// The player's key, if one was presented: it may be replaced, and its player deleted or banned.
    key: Option<String>,
    presence: Option<Presence>,
    /// The seats at which the client is present.
    at: Vec<Player>,
    shown: Option<Present>,
    /// Changes when there may be something to send.
    hints: watch::Receiver<u64>,
    /// Whether the client was sent events that the store has lost since.
    astray: bool,
    /// How many pauses were known when the clocks were last sent.
    clocks_sent: Option<usize>,
    heard: Instant,
    /// How many greetings have been sent.
    greeted: u64,
}

impl Connection {
    fn new(
        socket: WebSocket,
        hall: Arc<Hall>,
        room: Arc<Room>,
        address: IpAddr,
        after: Option<i64>,
    ) -> Connection {
        let (sent, hints) = (after.unwrap_or_else(|| room.seq()), room.follow());
        let greeted = room.greetings(0).1;
        Connection {
            socket,
            hall,
            room,
            address,
            place: None,
            sent,
            token: None,
            key: None,
            presence: None,
            at: Vec::new(),
            shown: None,
            hints,
            astray: after.is_none(),
            clocks_sent: None,
            heard: Instant::now(),
            greeted,
        }
    }

    async fn serve(&mut self) -> Result<(), Closed> {
        let mut stopping = self.hall.stopping.subscribe();
        let mut ping = interval_at(Instant::now() + PING, PING);
        let settle = Instant::now() + SETTLE;
        let mut let_go = self.place.as_ref().map(Claim::let_go);
        self.catch_up().await?;
        loop {
            let unsettled = self.presence.is_none();
            // In this order, so that a client that sends without a break misses nothing.
            tokio::select! {
                biased;
                _ = stopped(&mut stopping) => return self.take_leave().await,
                _ = self.hints.changed() => self.catch_up().await?,
                _ = ping.tick() => self.ping().await?,
                _ = sleep_until(settle), if unsettled => self.settle().await?,
                () = evicted(&mut let_go) => {
                    return self.close(TRY_AGAIN, "the server is full, reconnect later").await;
                }
                frame = self.socket.recv() => self.hear(frame).await?,
            }
        }
    }

    async fn send(&mut self, text: String) -> Result<(), Closed> {
        let sent = timeout(SLOW, self.socket.send(Message::text(text))).await;
        sent.map_err(|_| Closed)?.map_err(|_| Closed)
    }

    async fn close(&mut self, code: u16, reason: &'static str) -> Result<(), Closed> {
        let frame = CloseFrame { code, reason: reason.into() };
        // The client may be gone.
        let _ = timeout(SLOW, self.socket.send(Message::Close(Some(frame)))).await;
        // Closing a TCP connection with unread data resets it, and the client may never see the close frame.
        let _ = timeout(DRAIN, async {
            for _ in 0..MOST_DRAINED {
                if !matches!(self.socket.recv().await, Some(Ok(_))) {
                    break;
                }
                self.hall.limits.charge(self.address, limits::REQUEST);
            }
        })
        .await;
        Err(Closed)
    }

    async fn too_many(&mut self) -> Result<(), Closed> {
        self.hall.metrics.limited.fetch_add(1, Ordering::Relaxed);
        self.close(PAST_A_LIMIT, "too many messages").await
    }

    async fn take_leave(&mut self) -> Result<(), Closed> {
        self.send(json!({ "type": "restart" }).to_string()).await?;
        self.close(GOING_AWAY, "the server is stopping, reconnect").await
    }

    /// Sends new events, the clocks if a pause has become known, and presence if it has changed.
    async fn catch_up(&mut self) -> Result<(), Closed> {
        if self.room.is_dropped_out() {
            self.enter_again().await?;
        }
        if std::mem::take(&mut self.astray) {
            self.send(json!({ "type": "reset", "seq": self.sent }).to_string()).await?;
        }
        while self.room.seq() > self.sent {
            let events = self.hall.events(&self.room, self.sent, PAGE, Some(self.address)).await;
            for event in events.map_err(|refusal| self.unread(&refusal))? {
                let fields = event.strip_prefix('{').unwrap_or_default();
                self.send(format!(r#"{{"type":"event",{fields}"#)).await?;
                self.sent += 1;
            }
        }
        self.tell_clocks().await?;
        self.tell_greetings().await?;
        self.tell_presence().await
    }

    async fn tell_presence(&mut self) -> Result<(), Closed> {
        let present = self.room.present();
        if self.presence.is_some() && self.shown != Some(present) {
            self.shown = Some(present);
            let Present { seats, watchers } = present;
            let told = json!({ "type": "presence", "seats": seats, "watchers": watchers });
            self.send(told.to_string()).await?;
        }
        Ok(())
    }

    /// Closes the socket because the game could not be read; the client reconnects.
    fn unread(&self, refusal: &Refusal) -> Closed {
        let (game, reason) = (&self.room.id, &refusal.message);
        match refusal.kind {
            // To be expected while the store is down, and there may be thousands of sockets.
            Kind::Unavailable => {
                tracing::debug!(game, reason, "events for a socket cannot be read")
            }
            _ => tracing::warn!(game, reason, "events for a socket cannot be read"),
        }
        Closed
    }

    /// The store has lost events that this client was sent, so the client must read the game again.
    async fn enter_again(&mut self) -> Result<(), Closed> {
        let room = self.hall.room_for(&self.room.id, self.address).await;
        if room.as_ref().is_err_and(|refusal| refusal.kind == Kind::NotThere) {
            return self.close(PAST_A_LIMIT, "this game was deleted").await;
        }
        let room = room.map_err(|refusal| self.unread(&refusal))?;
        (self.sent, self.hints, self.astray) = (room.seq(), room.follow(), true);
        (self.room, self.shown, self.clocks_sent) = (room, None, None);
        if self.presence.is_some() {
            self.be_present();
        }
        Ok(())
    }

    /// Sends greetings, to players only.
    async fn tell_greetings(&mut self) -> Result<(), Closed> {
        let (new, count) = self.room.greetings(self.greeted);
        self.greeted = count;
        let plays = !self.at.is_empty();
        for (seat, word) in new.into_iter().filter(|_| plays) {
            let Some((word, text)) = GREETINGS.get(word) else { continue };
            let told = json!({ "type": "greeting", "seat": seat, "word": word, "text": text });
            self.send(told.to_string()).await?;
        }
        Ok(())
    }

    /// Sends one of the fixed greetings to the opponent.
    async fn greet(&mut self, text: &str) -> Result<(), Closed> {
        let word = serde_json::from_str::<Value>(text).unwrap_or_default()["word"].take();
        let word = GREETINGS.iter().position(|(name, _)| word == *name);
        let from = Sender { address: self.address, token: self.token };
        if self.hall.pay(&self.room, &from).is_err() {
            return self.too_many().await;
        }
        if let Some(refusal) = self.revoked().await {
            self.refuse(None, &refusal.at("token")).await?;
            return self.settle().await;
        }
        let (Some(word), Some(seat)) = (word, self.at.first().copied()) else {
            let names: Vec<_> = GREETINGS.iter().map(|(name, _)| format!("`{name}`")).collect();
            let error = format!("players say one of {}", names.join(", "));
            return self.refuse(None, &Refusal::against(error).at("word")).await;
        };
        if self.room.greet(seat, word) {
            self.hall.news.greeted(&self.room.id, seat, word);
        }
        self.catch_up().await
    }

    /// Sends the clocks at the start and after each pause, since pauses are not events.
    async fn tell_clocks(&mut self) -> Result<(), Closed> {
        let pauses = Some(self.hall.time.pauses.count());
        if self.clocks_sent == pauses {
            return Ok(());
        }
        self.clocks_sent = pauses;
        let at = self.hall.time.now();
        let told = self.room.view(|game| Some(clocks(game.course.clock.as_ref()?, at)));
        let Some(mut told) = told else { return Ok(()) };
        told["type"] = "clocks".into();
        self.send(told.to_string()).await
    }

    async fn ping(&mut self) -> Result<(), Closed> {
        if self.heard.elapsed() > SILENCE {
            return Err(Closed);
        }
        if let Some(refusal) = self.revoked().await {
            self.refuse(None, &refusal.at("token")).await?;
            self.settle().await?;
        }
        if self.room.is_due(PING.as_millis() as i64) {
            // If the store cannot be read now, the next ping tries again.
            let _ = self.hall.refresh(&self.room).await;
        }
        // Nothing else tells that a bot no longer asks.
        self.tell_presence().await?;
        let sent = timeout(SLOW, self.socket.send(Message::Ping(Default::default()))).await;
        sent.map_err(|_| Closed)?.map_err(|_| Closed)
    }

    /// Takes the seat away from a client whose key is no longer valid, and says why.
    async fn revoked(&mut self) -> Option<Refusal> {
        let refusal = self.hall.player(self.key.as_ref()?).await.err()?;
        // If the store is unavailable, nobody loses a seat.
        if !matches!(refusal.kind, Kind::NoToken | Kind::Forbidden) {
            return None;
        }
        (self.token, self.key) = (None, None);
        Some(refusal)
    }

    /// Registers the client as a player or a watcher.
    async fn settle(&mut self) -> Result<(), Closed> {
        self.be_present();
        self.catch_up().await
    }

    /// Updates presence; computers may search on this client's behalf.
    fn be_present(&mut self) {
        self.at = self.taken_seats();
        match self.at.is_empty() {
            true => self.room.watched_by(self.address),
            false => self.room.played_by(self.address),
        }
        self.place.iter().for_each(|place| place.seat(!self.at.is_empty()));
        self.presence = None;
        self.presence = Some(Presence::new(&self.room, self.at.clone()));
        self.hall.settled(&self.room);
    }

    async fn hear(&mut self, frame: Option<Result<Message, axum::Error>>) -> Result<(), Closed> {
        let frame = match frame {
            None => return Err(Closed),
            Some(Err(error)) => {
                let (code, reason) = fault(error);
                return self.close(code, reason).await;
            }
            Some(Ok(frame)) => frame,
        };
        self.heard = Instant::now();
        if self.pay_for_frame().is_err() {
            return self.too_many().await;
        }
        match frame {
            Message::Text(text) => self.obey(text.as_str()).await,
            Message::Binary(_) => self.refuse(None, &not_text()).await,
            Message::Close(_) => {
                // The reply to the close frame goes out when the socket is polled again.
                let _ = timeout(SLOW, self.socket.recv()).await;
                Err(Closed)
            }
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        }
    }

    /// Players at a seat have their own bucket, and so do clients that have not said hello yet.
    fn pay_for_frame(&self) -> Result<(), Refusal> {
        match self.at.is_empty() && self.presence.is_some() {
            true => self.hall.limits.spend(self.address, limits::REQUEST),
            false => self.hall.limits.spend_at_seat(self.address, limits::REQUEST),
        }
    }

    async fn refuse(&mut self, command: Option<Value>, refusal: &Refusal) -> Result<(), Closed> {
        let mut told = json!({ "type": "refused", "command": command });
        told["status"] = refusal.status().into();
        if let Value::Object(fields) = serde_json::to_value(refusal).unwrap_or_default() {
            fields.into_iter().for_each(|(name, value)| told[name] = value);
        }
        self.send(told.to_string()).await
    }

    async fn obey(&mut self, text: &str) -> Result<(), Closed> {
        let message: referee::Message = match read::json(text.as_bytes()) {
            Ok(message) => message,
            Err(refusal) => return self.refuse(named(text), &refusal).await,
        };
        match message.kind.as_deref() {
            Some("hello") => self.hello(message.token.as_deref()).await,
            Some("ping") => self.pong().await,
            Some("command") => self.command(message).await,
            Some("greet") => self.greet(text).await,
            _ => {
                let error = "expected a type of `hello`, `command` or `greet`";
                let refusal = Refusal::not_understood(error).at("type");
                self.refuse(message.command.map(Value::from), &refusal).await
            }
        }
    }

    /// Everything the client should know by now is sent before the answer, whose number lets the client check that.
    async fn pong(&mut self) -> Result<(), Closed> {
        self.catch_up().await?;
        self.send(json!({ "type": "pong", "seq": self.sent }).to_string()).await
    }

    async fn hello(&mut self, token: Option<&str>) -> Result<(), Closed> {
        let own = match token {
            None => None,
            Some(token) => match self.hall.seat_of(token).await {
                Ok(own) => Some(own),
                Err(refusal) => return self.refuse(None, &refusal.at("token")).await,
            },
        };
        let mut seats = self.seats(own);
        if token.is_some() && seats.is_empty() && self.hall.store.shared().is_some() {
            // The seat may just have been taken through another server.
            let _ = self.hall.refresh(&self.room).await;
            seats = self.seats(own);
        }
        if token.is_some() && seats.is_empty() {
            return self.refuse(None, &referee::no_seat().at("token")).await;
        }
        self.token = own;
        self.key = token.filter(|token| is_key(token)).map(str::to_owned);
        let you: Vec<_> = seats.iter().map(|seat| seat.number()).collect();
        let (seq, board_seq) = self.room.view(|game| (game.course.seq, game.course.board_seq));
        let at = self.hall.time.now();
        let answer = json!({
            "type": "hello", "you": you, "seq": seq, "board_seq": board_seq, "at": at,
        });
        self.send(answer.to_string()).await?;
        self.settle().await
    }

    /// The seats of the token presented, without those still open as invitations.
    fn taken_seats(&self) -> Vec<Player> {
        let mut seats = self.seats(self.token);
        self.room.view(|game| seats.retain(|seat| !game.is_invitation(*seat)));
        seats
    }

    fn seats(&self, token: Option<Hash>) -> Vec<Player> {
        let Some(token) = token else { return Vec::new() };
        self.room.view(|game| game.seats_of(&[token]))
    }

    /// Executes a command. Its events are sent before the acknowledgement.
    async fn command(&mut self, message: referee::Message) -> Result<(), Closed> {
        let name = message.command.clone().map(Value::from);
        if let Some(refusal) = self.revoked().await {
            self.refuse(name, &refusal.at("token")).await?;
            return self.settle().await;
        }
        let from = Sender { address: self.address, token: self.token };
        if self.hall.pay(&self.room, &from).is_err() {
            return self.too_many().await;
        }
        let done = match message.of_socket() {
            Ok(command) if self.token.is_none() && !command.has_secret() => {
                Err(Refusal::no_token("say hello with a seat's token first"))
            }
            Ok(command) => self.hall.command(Arc::clone(&self.room), from, command).await,
            Err(refusal) => Err(refusal),
        };
        match done {
            Ok(done) => {
                self.catch_up().await?;
                let mut answer = json!({ "type": "ack", "command": name, "seq": done.seq });
                if let Some(token) = done.token {
                    // A client that has taken a seat plays it from now on.
                    (self.token, self.key) = (Some(hash(&token)), None);
                    answer["token"] = token.into();
                }
                self.send(answer.to_string()).await?;
                match self.at == self.taken_seats() {
                    true => Ok(()),
                    false => self.settle().await,
                }
            }
            // Not being acknowledged, the command is repeated when the client reconnects.
            Err(_) if self.hall.is_stopping() => self.take_leave().await,
            Err(refusal) => self.refuse(name, &refusal).await,
        }
    }
}

/// The close code and reason after a frame that could not be read.
pub fn fault(error: axum::Error) -> (u16, &'static str) {
    use tokio_tungstenite::tungstenite::Error;
    match error.into_inner().downcast_ref::<Error>() {
        Some(Error::Capacity(_)) => (PAST_A_LIMIT, "frames are limited to 8 KiB"),
        Some(Error::Utf8(_)) => (NOT_TEXT, "expected UTF-8"),
        _ => (NOT_A_FRAME, "not a WebSocket frame"),
    }
}

pub fn not_text() -> Refusal {
    Refusal::not_understood("expected a text frame, got a binary one")
}

/// The id of a command that was not understood, so that the client knows which one was refused.
fn named(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text).ok()?.get("command").cloned()
}

/// Waits until somebody else needs the connection's slot.
pub async fn evicted(let_go: &mut Option<oneshot::Receiver<()>>) {
    if let Some(word) = let_go {
        let told = word.await.is_ok();
        *let_go = None;
        if told {
            return;
        }
    }
    // If the sender is gone, the stream itself is cut off.
    std::future::pending().await
}

/// Waits for the server to shut down.
pub async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // If the sender is gone, the server has stopped too.
    let _ = stopping.wait_for(|stops| *stops).await;
}
