//! HTTP requests about games stored here.

use crate::club::players;
use crate::games::hall::{Done, Hall, Sender};
use crate::games::played::Played;
use crate::games::room::{Presence, Room};
use crate::http::guard::Client;
use crate::http::limits;
use crate::http::meter::Meter;
use crate::http::places::{Claim, Handle};
use crate::http::refused::{Answered, Asked, Named};
use crate::http::stream::Pages;
use crate::http::{HallState, socket};
use crate::ids::{Chance, new_token};
use axum::extract::{Extension, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use engine::{Session, Who};
use requests::tree::Format;
use requests::{Budget, Given};
use rules::record::Record;
use rules::{ByPlayer, Player};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::net::IpAddr;
use std::sync::Arc;
use table::Refusal;
use table::Rematch;
use table::event::{Created, Seat};
use table::referee::{self, Message};
use tokio::sync::mpsc;

pub fn router() -> Router<Arc<Hall>> {
    Router::new()
        .route("/api/games", post(make))
        .route("/api/games/{id}", get(show))
        .route("/api/games/{id}/commands", post(command))
        .route("/api/games/{id}/events", get(events))
        .route("/api/games/{id}/socket", get(socket::upgrade))
        .route("/api/games/{id}/record", get(record))
        .route("/api/games/{id}/rematch", get(rematch))
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Wanted {
    #[serde(default)]
    game: Option<String>,
    #[serde(default)]
    options: Option<Map<String, Value>>,
    #[serde(default)]
    #[schemars(with = "Option<requests::schema::AnyPosition>")]
    position: Option<Value>,
    #[serde(default)]
    turns: Option<Vec<String>>,
    #[serde(default)]
    record: Option<String>,
    seats: ByPlayer<Seat>,
    #[serde(default)]
    shared: bool,
    #[serde(default)]
    clock: Option<table::TimeControl>,
}

/// A new game, with a token for each seat that a person plays.
#[derive(Serialize, JsonSchema)]
pub(super) struct Made {
    id: String,
    /// The address of its page.
    path: String,
    tokens: ByPlayer<Option<String>>,
}

impl Made {
    fn new(id: String, tokens: ByPlayer<Option<String>>) -> Json<Made> {
        let path = format!("/{id}");
        Json(Made { id, path, tokens })
    }
}

async fn make(
    axum::extract::State(hall): HallState,
    Extension(client): Extension<Client>,
    Asked(wanted): Asked<Wanted>,
) -> Answered<Response> {
    let checked = move || {
        let created = wanted.created()?;
        let length = serde_json::to_string(&created).map_or(0, |text| text.len());
        Ok::<_, Refusal>((created, length))
    };
    let (created, length) = hall.replays.run(client.0, checked).await??;
    if hall.is_stopping() {
        return Err(Refusal::unavailable("the server is stopping").into());
    }
    hall.limits.make_game(client.0)?;
    let tokens = tokens(&created, hall.chance.as_ref())?;
    let id = hall.make(created, tokens.clone()).await?;
    hall.limits.made(&id, client.0);
    hall.limits.stored(client.0, limits::OF_A_GAME + limits::OF_AN_EVENT + length);
    Ok((StatusCode::CREATED, Made::new(id, tokens)).into_response())
}

/// One token for each seat that a person plays, or a common one if the game is shared.
fn tokens(created: &Created, chance: &dyn Chance) -> Result<ByPlayer<Option<String>>, Refusal> {
    let is_person = |seat: Player| !created.seats[seat].who.is_computer();
    let token = |seat: Player| is_person(seat).then(|| new_token(chance)).transpose();
    let first = token(Player::One)?;
    let second = if created.shared { first.clone() } else { token(Player::Two)? };
    Ok(ByPlayer::new(first, second))
}

impl Wanted {
    /// Validates the settings.
    fn created(self) -> Result<Created, Refusal> {
        let clock = self.clock.unwrap_or_default();
        clock.check()?;
        let session = self.session()?;
        if session.turns_played() > Budget::SERVED.turns {
            let error = format!("a game can start with at most {} turns", Budget::SERVED.turns);
            return Err(Refusal::against(error).at("record"));
        }
        if session.result().is_some() {
            return Err(Refusal::against("the game is over in this position").at("position"));
        }
        if session.in_turn() {
            return Err(Refusal::against("the last turn is not complete").at("turns"));
        }
        if self.shared && self.seats.iter().any(|seat| seat.who != Who::Person) {
            return Err(Refusal::against("in a shared game both seats must be people").at("seats"));
        }
        let [one, two] = self.seats.into();
        let seats = ByPlayer::new(
            checked(one, session.as_ref()).map_err(|refusal| refusal.within("seats[0]"))?,
            checked(two, session.as_ref()).map_err(|refusal| refusal.within("seats[1]"))?,
        );
        Ok(Created {
            game: session.info().id.to_owned(),
            options: session.options(),
            start: session.start().text(),
            turns: session.history(),
            seats,
            shared: self.shared,
            clock,
            club: None,
        })
    }

    fn session(&self) -> Result<Box<dyn Session>, Refusal> {
        let at_record = |error| Refusal::against(error).at("record");
        if let Some(text) = &self.record {
            let record = Record::parse(text).map_err(|e| at_record(e.to_string()))?;
            let named = record.game().map_err(|e| at_record(e.to_string()))?;
            let own = requests::game(named).map_err(|refusal| refusal.at("record"))?;
            if self.game.as_ref().is_some_and(|asked| !asked.eq_ignore_ascii_case(own.info.id)) {
                return Err(at_record(format!("this is a game of {}", own.info.id)));
            }
            return (own.from_record)(&record).map_err(|e| at_record(e.to_string()));
        }
        let game = self.game.clone();
        let game = game.ok_or_else(|| Refusal::not_understood("the game is missing").at("game"))?;
        let (options, position) = (self.options.clone(), self.position.clone());
        let given =
            Given { game: Some(game), options, position, turns: self.turns.clone(), moves: None };
        given.open(&Budget::SERVED)
    }
}

/// Checks the name of a person, or that the game has this computer player.
fn checked(seat: Seat, session: &dyn Session) -> Result<Seat, Refusal> {
    let name = match seat.who {
        Who::Person => referee::name(seat.name.as_deref())?,
        _ => None,
    };
    let who = seat.who.in_game(session);
    let who = who.map_err(|unknown| Refusal::against(unknown.message).at(unknown.field))?;
    Ok(Seat { who, name })
}

/// The token in the `Authorization` header, if there is one.
pub fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let token = value.to_str().ok().and_then(|text| text.split_once(' '));
    let token = token.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    token.map(|(_, token)| Some(token.trim())).ok_or_else(|| {
        Refusal::no_token("expected a seat's token as `Authorization: Bearer TOKEN`")
    })
}

/// The token of a request that requires one.
fn token(headers: &HeaderMap) -> Result<&str, Refusal> {
    bearer(headers)?.ok_or_else(|| {
        Refusal::no_token("a seat's token is required, as `Authorization: Bearer TOKEN`")
    })
}

/// The seats that a token plays; refused if there are none.
async fn seats(hall: &Hall, room: &Room, token: &str) -> Result<Vec<Player>, Refusal> {
    let own = hall.seat_of(token).await?;
    let seats = room.view(|game| game.seats_of(&[own]));
    if seats.is_empty() {
        return Err(referee::no_seat());
    }
    if players::is_key(token) && hall.player(token).await?.bot {
        room.asked_by_bot(&seats);
    }
    Ok(seats)
}

async fn show(
    axum::extract::State(hall): HallState,
    Extension(client): Extension<Client>,
    Named(id): Named<String>,
    headers: HeaderMap,
) -> Answered<Response> {
    let room = hall.room_for(&id, client.0).await?;
    pay_for_turns(&hall, &room, client)?;
    let you = match bearer(&headers)? {
        Some(token) => Some(seats(&hall, &room, token).await?),
        None => None,
    };
    let time = hall.time.clone();
    let told = move || {
        // Only once the room is locked; otherwise the clocks of a later event could be computed for an earlier time.
        let mut fields = room.view(|game| game.json(&game.id, time.now()));
        if let Some(seats) = you {
            let seats: Vec<_> = seats.into_iter().map(Player::number).collect();
            fields.insert("you".into(), seats.into());
        }
        Json(Value::Object(fields)).into_response()
    };
    Ok(hall.replays.run(client.0, told).await?)
}

/// Charges an address for reading all turns of a game.
fn pay_for_turns(hall: &Hall, room: &Room, client: Client) -> Result<(), Refusal> {
    let turns = room.view(|game| game.course.turns);
    hall.limits.spend(client.0, limits::of_turns(turns))
}

async fn command(
    axum::extract::State(hall): HallState,
    Extension(client): Extension<Client>,
    Named(id): Named<String>,
    headers: HeaderMap,
    Asked(message): Asked<Message>,
) -> Answered<Response> {
    let command = message.of_request()?;
    let room = hall.room_to_change(&id, client.0).await?;
    let own = hall.seat_of(token(&headers)?).await?;
    let from = Sender { address: client.0, token: Some(own) };
    hall.pay(&room, &from)?;
    let Done { seq, event, token } = hall.command(room, from, command).await?;
    // Tokens are alphanumeric, so they need no escaping.
    let token = token.map(|token| format!(r#","token":"{token}""#)).unwrap_or_default();
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Ok((kind, format!(r#"{{"seq":{seq},"event":{event}{token}}}"#)).into_response())
}

/// Which events to send.
#[derive(Deserialize)]
pub struct After {
    /// Only events after this number.
    #[serde(default)]
    pub after: i64,
    /// When the event with that number happened, according to the client.
    pub at: Option<i64>,
    /// Whether to keep the response open for new events.
    #[serde(default)]
    pub follow: bool,
}

/// Parses the query string.
pub fn query(uri: &axum::http::Uri) -> Result<After, Refusal> {
    let query = Query::try_from_uri(uri);
    query.map(|Query(asked): Query<After>| After { after: asked.after.max(0), ..asked }).map_err(
        |_| {
            Refusal::not_understood(
                "expected `after=NUMBER`, `at=TIME` and `follow=true` or `follow=false`",
            )
        },
    )
}

async fn events(
    axum::extract::State(hall): HallState,
    Extension(client): Extension<Client>,
    place: Option<Extension<Handle>>,
    Named(id): Named<String>,
    uri: axum::http::Uri,
) -> Answered<Pages> {
    let After { after, at, follow } = query(&uri)?;
    let room = hall.room_for(&id, client.0).await?;
    if at.is_some() && !hall.is_there(&room, after, at).await? {
        let error = format!("event {after} has changed or was lost; read the game again");
        return Err(Refusal::conflict(error).at("after").into());
    }
    let place = place.filter(|_| follow).map(|Extension(place)| claim(&place, client));
    let place = place.transpose()?;
    let (pages, told) = mpsc::channel(1);
    let (hall, reader) = (Arc::clone(&hall), client.0);
    let mut teller = Teller { hall, room, reader, last: after, pages };
    // An error now is a proper refusal; a later one can only abort the response.
    let first = teller.page().await?;
    let meter = Meter::new(&teller.hall.limits, reader, 0);
    tokio::spawn(meter.run(async move {
        let presence = follow.then(|| Presence::new(&teller.room, Vec::new()));
        if follow {
            teller.room.watched_by(reader);
            teller.hall.settled(&teller.room);
        }
        if teller.send(first).await
            && teller.tell().await
            && let Some(presence) = presence
        {
            teller.follow(presence).await;
        }
        drop(place);
    }));
    Ok(Pages::new(told))
}

/// Attributes the connection to the client that follows a game on it, and counts it against that client's limit.
pub fn claim(place: &Handle, client: Client) -> Result<Claim, Refusal> {
    let error = "too many connections from this address or its network";
    place.claim(client.0).map_err(|_| Refusal::too_many(error, 5))
}

/// How many events are read from the store at a time. For a client that does not read, two pages are buffered.
pub const PAGE: usize = 50;

/// Streams a game's events at the client's own pace, without buffering what it has not read.
struct Teller {
    hall: Arc<Hall>,
    room: Arc<Room>,
    reader: IpAddr,
    last: i64,
    pages: mpsc::Sender<Result<String, Refusal>>,
}

impl Teller {
    /// The next lines; empty if the client is up to date.
    async fn page(&mut self) -> Result<String, Refusal> {
        if self.last >= self.room.seq() {
            return Ok(String::new());
        }
        let events = self.hall.events(&self.room, self.last, PAGE, Some(self.reader)).await?;
        self.last += events.len() as i64;
        Ok(events.iter().flat_map(|line| [line, "\n"]).collect())
    }

    /// Returns whether the client is still connected.
    async fn send(&self, page: String) -> bool {
        page.is_empty() || self.pages.send(Ok(page)).await.is_ok()
    }

    /// Sends all events there are; returns whether the client is still connected and nothing failed.
    async fn tell(&mut self) -> bool {
        loop {
            let page = match self.page().await {
                Ok(page) if page.is_empty() => return true,
                page => page,
            };
            let failed = page.is_err();
            if self.pages.send(page).await.is_err() || failed {
                return false;
            }
        }
    }

    /// Sends new events as they come, until the game ends, the client disconnects or the server shuts down.
    async fn follow(mut self, _presence: Presence) {
        let mut hints = self.room.follow();
        let mut stopping = self.hall.stopping.subscribe();
        self.last = self.last.min(self.room.seq());
        loop {
            hints.mark_unchanged();
            if !self.tell().await {
                return;
            }
            let ended =
                |game: &Played| game.course.result.is_some() && game.course.seq == self.last;
            if self.room.view_kept(ended).unwrap_or(true) {
                return;
            }
            tokio::select! {
                biased;
                _ = hints.changed() => {}
                _ = self.pages.closed() => return,
                _ = stopping.changed() => return,
            }
        }
    }
}

/// The requested format of a record.
#[derive(Deserialize)]
struct As {
    #[serde(default)]
    format: Format,
}

async fn record(
    axum::extract::State(hall): HallState,
    Extension(client): Extension<Client>,
    Named(id): Named<String>,
    uri: axum::http::Uri,
) -> Answered<String> {
    let asked = Query::try_from_uri(&uri);
    let Query(As { format }) = asked.map_err(|_| {
        Refusal::not_understood("expected `format=record` or `format=sgf`").at("format")
    })?;
    let room = hall.room_for(&id, client.0).await?;
    pay_for_turns(&hall, &room, client)?;
    let write = move || format.write(&room.view(|game| game.record()));
    Ok(hall.replays.run(client.0, write).await?)
}

/// The id of the rematch, for a player of this game; players keep their tokens and exchange seats.
async fn rematch(
    axum::extract::State(hall): HallState,
    Extension(client): Extension<Client>,
    Named(id): Named<String>,
    headers: HeaderMap,
) -> Answered<Json<Made>> {
    let room = hall.room_for(&id, client.0).await?;
    let token = token(&headers)?;
    let seats = seats(&hall, &room, token).await?;
    let Some(Rematch::Made(next)) = room.view(|game| game.rematch.clone()) else {
        return Err(Refusal::conflict("there is no rematch yet").into());
    };
    let mut tokens = ByPlayer::default();
    for seat in seats {
        tokens[seat.other()] = Some(token.to_owned());
    }
    Ok(Made::new(next, tokens))
}
