//! Requests about games that are played here.

use crate::State;
use crate::commands::{self, Message};
use crate::error::{Asked, Refusal};
use crate::event::{Created, Seat};
use crate::guard::Client;
use crate::ids::{hash, new_token};
use crate::limits;
use crate::live::{Done, Hall, Sender};
use crate::places::{Claim, Handle};
use crate::played::{Played, Rematch};
use crate::room::{Presence, Room};
use crate::stream::Pages;
use crate::{clock, socket};
use axum::extract::{Extension, Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use engine::{Session, Who};
use requests::{Budget, Given};
use rules::Player;
use rules::record::Record;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The requests.
pub fn router() -> Router<Arc<State>> {
    Router::new()
        .route("/api/games", post(make))
        .route("/api/games/{id}", get(show))
        .route("/api/games/{id}/commands", post(command))
        .route("/api/games/{id}/events", get(events))
        .route("/api/games/{id}/socket", get(socket::upgrade))
        .route("/api/games/{id}/record", get(record))
        .route("/api/games/{id}/rematch", get(rematch))
}

type Shared = axum::extract::State<Arc<State>>;

/// A game to be made.
#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    game: Option<String>,
    #[serde(default)]
    options: Option<Map<String, Value>>,
    #[serde(default)]
    position: Option<Value>,
    #[serde(default)]
    turns: Option<Vec<String>>,
    #[serde(default)]
    record: Option<String>,
    seats: [Seat; 2],
    #[serde(default)]
    shared: bool,
    #[serde(default)]
    clock: Option<clock::TimeControl>,
}

async fn make(
    axum::extract::State(state): Shared,
    Extension(client): Extension<Client>,
    Asked(wanted): Asked<Wanted>,
) -> Result<Response, Refusal> {
    let created = state.hall.replays.run(client.0, move || wanted.created()).await??;
    if state.hall.is_stopping() {
        return Err(Refusal::unavailable("the server is stopping"));
    }
    state.hall.limits.make_game(client.0)?;
    let tokens = tokens(&created)?;
    let id = state.hall.make(created, tokens.clone()).await?;
    let answer = json!({ "id": id, "path": format!("/{id}"), "tokens": tokens });
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}

/// A secret for each seat that a person plays; one for both if they share it.
fn tokens(created: &Created) -> Result<[Option<String>; 2], Refusal> {
    let token = |seat: &Seat| (!seat.who.is_computer()).then(new_token).transpose();
    let [one, two] = &created.seats;
    let first = token(one)?;
    let second = if created.shared { first.clone() } else { token(two)? };
    Ok([first, second])
}

impl Wanted {
    /// The game as it will be stored, if it can be played.
    fn created(self) -> Result<Created, Refusal> {
        let clock = self.clock.unwrap_or_default();
        clock.check()?;
        let session = self.session()?;
        if session.turns_played() > Budget::SERVED.turns {
            let error = format!("a game begins with at most {} turns", Budget::SERVED.turns);
            return Err(Refusal::against(error).at("record"));
        }
        if session.result().is_some() {
            return Err(Refusal::against("the game is over in this position").at("position"));
        }
        if session.in_turn() {
            return Err(Refusal::against("the last turn is not complete").at("turns"));
        }
        if self.shared && self.seats.iter().any(|seat| seat.who != Who::Person) {
            return Err(Refusal::against("who shares a game plays both seats").at("seats"));
        }
        let [one, two] = self.seats;
        let seats = [
            checked(one, session.as_ref()).map_err(|e| within("seats[0]", e))?,
            checked(two, session.as_ref()).map_err(|e| within("seats[1]", e))?,
        ];
        Ok(Created {
            game: session.info().id.to_owned(),
            options: session.options(),
            start: session.start().text(),
            turns: session.history(),
            seats,
            shared: self.shared,
            clock,
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
        let game = game.ok_or_else(|| Refusal::bad("which game? name it").at("game"))?;
        let (options, position) = (self.options.clone(), self.position.clone());
        let given =
            Given { game: Some(game), options, position, turns: self.turns.clone(), moves: None };
        Ok(given.open(&Budget::SERVED)?)
    }
}

fn within(seat: &str, refusal: Refusal) -> Refusal {
    let field = refusal.field.as_ref().map_or_else(|| seat.into(), |own| format!("{seat}.{own}"));
    refusal.at(field)
}

/// A seat whose player the game has.
fn checked(seat: Seat, session: &dyn Session) -> Result<Seat, Refusal> {
    let name = match seat.who {
        Who::Person => commands::name(seat.name.as_deref())?,
        _ => None,
    };
    let who = seat.who.in_game(session);
    let who = who.map_err(|unknown| Refusal::against(unknown.message).at(unknown.field))?;
    Ok(Seat { who, name })
}

/// The token of a request.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let token = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer "));
    token.map(|token| Some(token.trim())).ok_or_else(|| {
        Refusal::no_token("the token of a seat is sent as `Authorization: Bearer TOKEN`")
    })
}

/// The token of a request that needs one.
fn token(headers: &HeaderMap) -> Result<&str, Refusal> {
    bearer(headers)?.ok_or_else(|| {
        Refusal::no_token("a seat's token is needed, as `Authorization: Bearer TOKEN`")
    })
}

/// The seats that a token plays.
fn seats(room: &Room, token: &str) -> Result<Vec<Player>, Refusal> {
    let seats = room.view(|game| game.seats_of(&[hash(token)]));
    match seats.is_empty() {
        true => Err(commands::no_seat()),
        false => Ok(seats),
    }
}

async fn show(
    axum::extract::State(state): Shared,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let room = state.hall.room_for(&id, client.0).await?;
    pay_for_turns(&state.hall, &room, client)?;
    let you = bearer(&headers)?.map(|token| seats(&room, token)).transpose()?;
    let hall = Arc::clone(&state.hall);
    let told = move || {
        let mut fields = room.view(|game| game.json(hall.time.now()));
        if let Some(seats) = you {
            let seats: Vec<_> = seats.into_iter().map(Player::number).collect();
            fields.insert("you".into(), seats.into());
        }
        Json(Value::Object(fields)).into_response()
    };
    state.hall.replays.run(client.0, told).await
}

/// Lets an address pay for being told all turns of a game, or refuses.
fn pay_for_turns(hall: &Hall, room: &Room, client: Client) -> Result<(), Refusal> {
    let turns = room.view(|game| game.course.turns);
    hall.limits.spend(client.0, limits::of_turns(turns))
}

async fn command(
    axum::extract::State(state): Shared,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Asked(message): Asked<Message>,
) -> Result<Response, Refusal> {
    let command = message.of_request()?;
    let room = state.hall.room_to_change(&id, client.0).await?;
    let from = Sender { address: client.0, token: Some(hash(token(&headers)?)) };
    state.hall.pay(&room, &from)?;
    let Done { seq, event, token } = state.hall.command(room, from, command).await?;
    // A token is letters and digits.
    let token = token.map(|token| format!(r#","token":"{token}""#)).unwrap_or_default();
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Ok((kind, format!(r#"{{"seq":{seq},"event":{event}{token}}}"#)).into_response())
}

/// Which events are wanted.
#[derive(Deserialize)]
pub struct After {
    /// Those behind this number.
    #[serde(default)]
    pub after: i64,
    /// When the event with this number happened, as far as the reader was told.
    pub at: Option<i64>,
    /// Whether to wait for more.
    #[serde(default)]
    pub follow: bool,
}

/// Reads what stands behind `?`.
pub fn query(uri: &axum::http::Uri) -> Result<After, Refusal> {
    let query = Query::try_from_uri(uri);
    query.map(|Query(asked): Query<After>| After { after: asked.after.max(0), ..asked }).map_err(
        |_| Refusal::bad("expected `after=NUMBER`, `at=TIME` and `follow=true` or `follow=false`"),
    )
}

async fn events(
    axum::extract::State(state): Shared,
    Extension(client): Extension<Client>,
    place: Option<Extension<Handle>>,
    Path(id): Path<String>,
    uri: axum::http::Uri,
) -> Result<Pages, Refusal> {
    let After { after, at, follow } = query(&uri)?;
    let room = state.hall.room_for(&id, client.0).await?;
    if at.is_some() && !state.hall.is_there(&room, after, at).await? {
        let error = format!("event {after} is another one now, or lost; read the game again");
        return Err(Refusal::conflict(error).at("after"));
    }
    let place = place.filter(|_| follow).map(|Extension(place)| claim(&place, client));
    let place = place.transpose()?;
    let (pages, told) = mpsc::channel(1);
    let (hall, reader) = (Arc::clone(&state.hall), client.0);
    let mut teller = Teller { hall, room, reader, last: after, pages };
    // What fails at once is refused; what fails later can only break off.
    let first = teller.page().await?;
    tokio::spawn(async move {
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
    });
    Ok(Pages::new(told))
}

/// Counts a connection as the client's who follows a game on it, or refuses.
pub fn claim(place: &Handle, client: Client) -> Result<Claim, Refusal> {
    let error = "too many connections of this address or its network";
    place.claim(client.0).map_err(|_| Refusal::too_many(error, 5))
}

/// How many events are read from the store at once.
pub const PAGE: usize = 200;

/// Tells the events of a game to somebody who reads at their own pace: what has not been read is not kept.
struct Teller {
    hall: Arc<Hall>,
    room: Arc<Room>,
    reader: IpAddr,
    last: i64,
    pages: mpsc::Sender<Result<String, Refusal>>,
}

impl Teller {
    /// The next lines.
    async fn page(&mut self) -> Result<String, Refusal> {
        if self.last >= self.room.seq() {
            return Ok(String::new());
        }
        let events = self.hall.events(&self.room, self.last, PAGE, Some(self.reader)).await?;
        self.last += events.len() as i64;
        Ok(events.iter().flat_map(|line| [line, "\n"]).collect())
    }

    /// Says whether the reader is still there.
    async fn send(&self, page: String) -> bool {
        page.is_empty() || self.pages.send(Ok(page)).await.is_ok()
    }

    /// Tells what there is; says whether there is somebody who wants more.
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

    /// Tells events as they come, until the game has a result, the reader leaves or the server stops.
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
                _ = hints.changed() => {}
                _ = self.pages.closed() => return,
                _ = stopping.changed() => return,
            }
        }
    }
}

async fn record(
    axum::extract::State(state): Shared,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
) -> Result<String, Refusal> {
    let room = state.hall.room_for(&id, client.0).await?;
    pay_for_turns(&state.hall, &room, client)?;
    let write = move || room.view(Played::record).to_string();
    state.hall.replays.run(client.0, write).await
}

/// Where the next game is, for one of its players; each keeps the token and has the other seat.
async fn rematch(
    axum::extract::State(state): Shared,
    Extension(client): Extension<Client>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    let room = state.hall.room_for(&id, client.0).await?;
    let token = token(&headers)?;
    let seats = seats(&room, token)?;
    let Some(Rematch::Made(next)) = room.view(|game| game.rematch.clone()) else {
        return Err(Refusal::conflict("the next game has not been made"));
    };
    let mut tokens = [None; 2];
    for seat in seats {
        tokens[seat.other().index()] = Some(token);
    }
    Ok(Json(json!({ "id": next, "path": format!("/{next}"), "tokens": tokens })))
}
