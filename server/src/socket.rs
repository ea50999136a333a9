//! Sockets: the events of a game as they happen, and commands on the way back.

use crate::State;
use crate::commands;
use crate::error::{Refusal, read};
use crate::event::clocks;
use crate::games::{After, PAGE, claim, query};
use crate::guard::Client;
use crate::ids::{Hash, hash};
use crate::limits;
use crate::live::{Hall, Sender};
use crate::places::{Claim, Handle};
use crate::room::{Presence, Present, Room};
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, Path};
use axum::http::Uri;
use axum::response::Response;
use rules::Player;
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, interval_at, sleep_until, timeout};

/// The largest frame that is read.
const MOST_FRAME: usize = 8 << 10;

/// How often a quiet socket gets a ping, and the store is asked whether a hint was lost.
const PING: Duration = Duration::from_secs(20);

/// How long a peer may be silent, pings included.
const SILENCE: Duration = Duration::from_secs(70);

/// How long a peer may take to read.
const SLOW: Duration = Duration::from_secs(10);

/// How long, and how many frames, a socket that is being closed is read for.
const DRAIN: Duration = Duration::from_millis(250);
const MOST_DRAINED: usize = 500;

/// How long somebody who has not said hello is neither player nor watcher.
const SETTLE: Duration = Duration::from_millis(500);

const GOING_AWAY: u16 = 1012;
const NOT_A_FRAME: u16 = 1002;
const NOT_TEXT: u16 = 1007;
const PAST_A_LIMIT: u16 = 1008;

/// Opens a socket.
pub async fn upgrade(
    axum::extract::State(state): axum::extract::State<Arc<State>>,
    Extension(client): Extension<Client>,
    place: Option<Extension<Handle>>,
    Path(id): Path<String>,
    uri: Uri,
    socket: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Refusal> {
    let After { after, at, .. } = query(&uri)?;
    let room = state.hall.room_for(&id, client.0).await?;
    let after = state.hall.is_there(&room, after, at).await?.then_some(after);
    let socket = socket.map_err(|error| Refusal::bad(format!("no WebSocket: {error}")))?;
    if state.hall.is_stopping() {
        return Err(Refusal::unavailable("the server is stopping"));
    }
    let hall = Arc::clone(&state.hall);
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
        // Whatever ended it, the peer comes again if it wants to.
        let _ = connection.serve().await;
        hall.metrics.sockets.fetch_sub(1, Ordering::Relaxed);
    }))
}

/// A socket is to be closed, or is closed already.
struct Closed;

struct Connection {
    socket: WebSocket,
    hall: Arc<Hall>,
    room: Arc<Room>,
    /// From where it comes.
    address: IpAddr,
    /// Its place among all connections.
    place: Option<Claim>,
    /// The last event that was sent.
    sent: i64,
    /// The hash of the token that was shown.
    token: Option<Hash>,
    presence: Option<Presence>,
    /// The seats at which it is present.
    at: Vec<Player>,
    shown: Option<Present>,
    /// Says when there is something to look at.
    hints: watch::Receiver<u64>,
    /// Whether the peer has been told something that the store has lost.
    astray: bool,
    /// How many pauses there were when the clocks were told.
    told: Option<usize>,
    heard: Instant,
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
        Connection {
            socket,
            hall,
            room,
            address,
            place: None,
            sent,
            token: None,
            presence: None,
            at: Vec::new(),
            shown: None,
            hints,
            astray: after.is_none(),
            told: None,
            heard: Instant::now(),
        }
    }

    async fn serve(&mut self) -> Result<(), Closed> {
        let mut stopping = self.hall.stopping.subscribe();
        let mut ping = interval_at(Instant::now() + PING, PING);
        let settle = Instant::now() + SETTLE;
        self.catch_up().await?;
        loop {
            let unsettled = self.presence.is_none();
            tokio::select! {
                frame = self.socket.recv() => self.hear(frame).await?,
                _ = self.hints.changed() => self.catch_up().await?,
                _ = ping.tick() => self.ping().await?,
                _ = sleep_until(settle), if unsettled => self.settle().await?,
                _ = stopped(&mut stopping) => return self.take_leave().await,
            }
        }
    }

    async fn send(&mut self, text: String) -> Result<(), Closed> {
        let sent = timeout(SLOW, self.socket.send(Message::text(text))).await;
        sent.map_err(|_| Closed)?.map_err(|_| Closed)
    }

    async fn close(&mut self, code: u16, reason: &'static str) -> Result<(), Closed> {
        let frame = CloseFrame { code, reason: reason.into() };
        // A peer that is gone needs no farewell.
        let _ = timeout(SLOW, self.socket.send(Message::Close(Some(frame)))).await;
        // If a socket is dropped with something unread, its peer may never see why.
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
        self.close(GOING_AWAY, "the server stops, come again").await
    }

    /// Sends the events that have not been sent, and who is present if that has changed.
    async fn catch_up(&mut self) -> Result<(), Closed> {
        if self.room.is_dropped_out() {
            self.enter_again().await?;
        }
        if std::mem::take(&mut self.astray) {
            self.send(json!({ "type": "reset", "seq": self.sent }).to_string()).await?;
        }
        while self.room.seq() > self.sent {
            let events = self.hall.events(&self.room, self.sent, PAGE, Some(self.address)).await;
            let events = events.map_err(|_| Closed)?;
            for event in events {
                let fields = event.strip_prefix('{').unwrap_or_default();
                self.send(format!(r#"{{"type":"event",{fields}"#)).await?;
                self.sent += 1;
            }
        }
        self.tell_clocks().await?;
        let present = self.room.present();
        if self.presence.is_some() && self.shown != Some(present) {
            self.shown = Some(present);
            let Present { seats, watchers } = present;
            let told = json!({ "type": "presence", "seats": seats, "watchers": watchers });
            self.send(told.to_string()).await?;
        }
        Ok(())
    }

    /// The store has lost what was told from this room: the peer has to read the game again.
    async fn enter_again(&mut self) -> Result<(), Closed> {
        let room = self.hall.room_for(&self.room.id, self.address).await.map_err(|_| Closed)?;
        (self.sent, self.hints, self.astray) = (room.seq(), room.follow(), true);
        (self.room, self.shown, self.told) = (room, None, None);
        if self.presence.is_some() {
            self.be_present();
        }
        Ok(())
    }

    /// Sends the clocks at first and after each pause, of which no event tells.
    async fn tell_clocks(&mut self) -> Result<(), Closed> {
        let pauses = Some(self.hall.time.pauses.count());
        if self.told == pauses {
            return Ok(());
        }
        self.told = pauses;
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
        if self.room.is_due(PING.as_millis() as i64) {
            // A store that cannot be read now is asked again later.
            let _ = self.hall.refresh(&self.room).await;
        }
        let sent = timeout(SLOW, self.socket.send(Message::Ping(Default::default()))).await;
        sent.map_err(|_| Closed)?.map_err(|_| Closed)
    }

    /// Notes who this is.
    async fn settle(&mut self) -> Result<(), Closed> {
        self.be_present();
        self.catch_up().await
    }

    /// Is at its seats, or watches: computers may think for it.
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
        if self.hall.limits.spend(self.address, limits::REQUEST).is_err() {
            return self.too_many().await;
        }
        match frame {
            Message::Text(text) => self.obey(text.as_str()).await,
            Message::Binary(_) => {
                self.refuse(None, &Refusal::bad("expected text, got bytes")).await
            }
            Message::Close(_) => {
                // The answer has been made, and goes out with the next look at the socket.
                let _ = timeout(SLOW, self.socket.recv()).await;
                Err(Closed)
            }
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        }
    }

    async fn refuse(&mut self, command: Option<Value>, refusal: &Refusal) -> Result<(), Closed> {
        let mut told = json!({ "type": "refused", "command": command });
        told["status"] = refusal.status().into();
        if let Value::Object(fields) = refusal.json() {
            fields.into_iter().for_each(|(name, value)| told[name] = value);
        }
        self.send(told.to_string()).await
    }

    async fn obey(&mut self, text: &str) -> Result<(), Closed> {
        let message: commands::Message = match read(text.as_bytes()) {
            Ok(message) => message,
            Err(refusal) => return self.refuse(named(text), &refusal).await,
        };
        match message.kind.as_deref() {
            Some("hello") => self.hello(message.token.as_deref()).await,
            Some("ping") => self.send(json!({ "type": "pong" }).to_string()).await,
            Some("command") => self.command(message).await,
            _ => {
                let refusal = Refusal::bad("expected a type of `hello` or `command`").at("type");
                self.refuse(message.command.map(Value::from), &refusal).await
            }
        }
    }

    async fn hello(&mut self, token: Option<&str>) -> Result<(), Closed> {
        let token = token.map(hash);
        let mut seats = self.seats(token);
        if token.is_some() && seats.is_empty() && self.hall.store.shared().is_some() {
            // The seat may have been taken at another server, a moment ago.
            let _ = self.hall.refresh(&self.room).await;
            seats = self.seats(token);
        }
        if token.is_some() && seats.is_empty() {
            return self.refuse(None, &commands::no_seat().at("token")).await;
        }
        self.token = token;
        let you: Vec<_> = seats.iter().map(|seat| seat.number()).collect();
        let (seq, board_seq) = self.room.view(|game| (game.course.seq, game.course.board_seq));
        let at = self.hall.time.now();
        let answer = json!({
            "type": "hello", "you": you, "seq": seq, "board_seq": board_seq, "at": at,
        });
        self.send(answer.to_string()).await?;
        self.settle().await
    }

    /// The seats of the token that was shown, unless it is an invitation.
    fn taken_seats(&self) -> Vec<Player> {
        let mut seats = self.seats(self.token);
        self.room.view(|game| seats.retain(|seat| !game.is_invitation(*seat)));
        seats
    }

    /// The seats that a token plays.
    fn seats(&self, token: Option<Hash>) -> Vec<Player> {
        let Some(token) = token else { return Vec::new() };
        self.room.view(|game| game.seats_of(&[token]))
    }

    /// Does a command. Its event is sent before the answer.
    async fn command(&mut self, message: commands::Message) -> Result<(), Closed> {
        let name = message.command.clone().map(Value::from);
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
                    // Who has taken a seat plays it from here on.
                    self.token = Some(hash(&token));
                    answer["token"] = token.into();
                }
                self.send(answer.to_string()).await?;
                match self.at == self.taken_seats() {
                    true => Ok(()),
                    false => self.settle().await,
                }
            }
            // Without an answer the peer repeats the command when it has come again.
            Err(_) if self.hall.is_stopping() => self.take_leave().await,
            Err(refusal) => self.refuse(name, &refusal).await,
        }
    }
}

/// With which code and for which reason a socket is closed after a frame that could not be read.
fn fault(error: axum::Error) -> (u16, &'static str) {
    use tokio_tungstenite::tungstenite::Error;
    match error.into_inner().downcast_ref::<Error>() {
        Some(Error::Capacity(_)) => (PAST_A_LIMIT, "a frame of 8 KiB at most"),
        Some(Error::Utf8(_)) => (NOT_TEXT, "text in UTF-8 was expected"),
        _ => (NOT_A_FRAME, "that is not a frame of a WebSocket"),
    }
}

/// The name of a command that was not understood, so that its sender learns which one it was.
fn named(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text).ok()?.get("command").cloned()
}

/// Waits until the server stops.
async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A server that is gone has stopped, too.
    let _ = stopping.wait_for(|stops| *stops).await;
}
