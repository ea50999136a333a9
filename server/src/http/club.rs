//! HTTP requests about players, the archive and running public games. The lobby has its own module.

use crate::club::archive::{self, Search};
use crate::club::players::{self, Player, Wanted};
use crate::club::{explore, games, ratings, records};
use crate::games::hall::Hall;
use crate::http::HallState;
use crate::http::games::{bearer, claim};
use crate::http::guard::Client;
use crate::http::limits;
use crate::http::places::Handle;
use crate::http::refused::{Answered, Asked, Named};
use crate::http::stream::Pages;
use crate::store::records::Range;
use axum::extract::{Extension, Query, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use requests::{Budget, Given};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use table::{Kind, Refusal};
use tokio::sync::mpsc;

/// How many running games of a player, and how many games to watch, are listed.
const MOST_RUNNING: usize = 200;
const MOST_WATCHED: usize = 12;

pub fn router() -> Router<Arc<Hall>> {
    Router::new()
        .route("/api/players", post(register).get(named))
        .route("/api/players/{id}", get(show))
        .route("/api/players/{id}/ratings/{game}", get(history))
        .route("/api/me", get(me).delete(delete))
        .route("/api/me/key", post(replace))
        .route("/api/watch", get(watch))
        .route("/api/archive", get(search))
        .route("/api/archive/export", get(export))
        .route("/api/archive/position", get(position))
}

/// The player whose key was sent.
pub async fn player(hall: &Hall, headers: &HeaderMap) -> Result<Arc<Player>, Refusal> {
    match bearer(headers)? {
        Some(key) => hall.player(key).await,
        None => {
            Err(Refusal::no_token("a player's key is required, as `Authorization: Bearer KEY`"))
        }
    }
}

/// Parses the query string.
fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Refusal> {
    Query::try_from_uri(uri)
        .map(|Query(asked)| asked)
        .map_err(|error| Refusal::not_understood(format!("the query: {}", error.body_text())))
}

async fn register(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    Asked(wanted): Asked<Wanted>,
) -> Answered<Response> {
    let (player, key) = players::register(&hall, client.0, wanted).await?;
    let told = json!({ "id": player.id, "name": player.name, "bot": player.bot, "key": key });
    Ok((StatusCode::CREATED, Json(told)).into_response())
}

#[derive(Deserialize)]
struct ByName {
    name: String,
}

/// The player with this name; without a name, whether registration is open.
async fn named(State(hall): HallState, uri: Uri) -> Answered<Json<Value>> {
    if uri.query().is_none() {
        let registration = if players::is_closed(&hall).await? { "closed" } else { "open" };
        return Ok(Json(json!({ "registration": registration })));
    }
    let ByName { name } = query(&uri)?;
    let id = players::by_name(&hall, &name).await?.ok_or_else(|| players::no_player(&name))?;
    profile(&hall, &id).await.map(Json)
}

async fn show(State(hall): HallState, Named(id): Named<String>) -> Answered<Json<Value>> {
    profile(&hall, &id).await.map(Json)
}

/// A player's public profile.
async fn profile(hall: &Hall, id: &str) -> Answered<Value> {
    players::check_id(id)?;
    let player = players::by_id(hall, id).await?.ok_or_else(|| players::no_player(id))?;
    let mut all = Map::new();
    for game in engine::GAMES {
        let own = ratings::current(hall, id, game.info.id).await?;
        if own.games > 0 {
            all.insert(game.info.id.to_owned(), own.told());
        }
    }
    Ok(json!({
        "id": player.id, "name": player.name, "bot": player.bot, "since": player.since, "ratings": all,
    }))
}

async fn history(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    Named((id, game)): Named<(String, String)>,
) -> Answered<Json<Value>> {
    players::check_id(&id)?;
    let game = requests::game(&game)?.info.id;
    players::by_id(&hall, &id).await?.ok_or_else(|| players::no_player(&id))?;
    let points = ratings::history(&hall, &id, game).await?;
    hall.limits.charge(client.0, limits::of_events(points.len()));
    Ok(Json(json!({ "game": game, "points": points })))
}

/// The player's running games, those in which it is their turn first.
async fn me(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    headers: HeaderMap,
) -> Answered<Json<Value>> {
    let player = player(&hall, &headers).await?;
    let mut told = profile(&hall, &player.id).await?;
    let range = Range::of(&format!("running/{}/", player.id));
    let mut all = Vec::new();
    for own in records(&hall)?.range(range, MOST_RUNNING).await? {
        // Loading the game on the next line is charged to the server, so charge the client here.
        hall.limits.charge(client.0, limits::GAME);
        games::ready(&hall, &own.value).await?;
        let Ok(room) = hall.room_for(&own.value, client.0).await else { continue };
        let game = room.view(|game| {
            let seats = game.seats_of(&[player.seal()]);
            let seat = seats.first()?;
            let yours = game.course.result.is_none() && game.course.turn == *seat;
            let opponent = seat.other();
            let who = serde_json::to_value(&game.seat(opponent).who).unwrap_or_default();
            Some(json!({
                "id": game.id, "game": game.created.game, "options": game.created.options,
                "clock": game.created.clock, "you": seat.number(), "your_turn": yours,
                "over": game.course.result.is_some(), "deadline": game.course.deadline(),
                "opponent": { "name": game.course.names[opponent].as_deref(), "kind": who["kind"] },
                "turns": game.course.turns, "at": game.course.last_at,
            }))
        });
        all.extend(game);
    }
    all.sort_by_key(|game| {
        (game["your_turn"] != true, game["deadline"].as_i64(), game["at"].as_i64())
    });
    told["games"] = all.into();
    Ok(Json(told))
}

/// The new key.
#[derive(Deserialize, JsonSchema)]
pub(super) struct NewKey {
    /// A key of the client's choice, which makes the request idempotent.
    #[serde(default)]
    key: Option<String>,
}

async fn replace(
    State(hall): HallState,
    headers: HeaderMap,
    Asked(NewKey { key }): Asked<NewKey>,
) -> Answered<Json<Value>> {
    let known = match player(&hall, &headers).await {
        Ok(known) => known,
        // The client may have missed the answer to an earlier request. Then the old key is no longer valid, but the new
        // one is.
        Err(refusal) => match &key {
            Some(new) if refusal.kind == Kind::NoToken => {
                hall.player(new).await.map_err(|_| refusal)?
            }
            _ => return Err(refusal.into()),
        },
    };
    let key = players::replace_key(&hall, &known.id, key).await?;
    Ok(Json(json!({ "id": known.id, "key": key })))
}

async fn delete(State(hall): HallState, headers: HeaderMap) -> Answered<Json<Value>> {
    let player = player(&hall, &headers).await?;
    players::delete(&hall, &player.id).await?;
    Ok(Json(json!({ "deleted": player.id })))
}

/// Running public games, the strongest first, with their current positions.
async fn watch(
    State(hall): HallState,
    Extension(client): Extension<Client>,
) -> Answered<Json<Value>> {
    let mut games = Vec::new();
    for own in records(&hall)?.range(Range::of("watch/"), MOST_WATCHED).await? {
        let Ok(room) = hall.room_for(&own.value, client.0).await else { continue };
        let strength = games::strength_of(&own.key);
        let now = hall.time.now();
        games.push(room.view(|game| {
            let mut told = game.json(&game.id, now);
            told.insert("position".into(), game.session.text().into());
            told.insert("strength".into(), strength.into());
            Value::Object(told)
        }));
    }
    Ok(Json(json!({ "games": games })))
}

async fn search(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    uri: Uri,
) -> Answered<Json<Value>> {
    let search = query::<Search>(&uri)?.checked()?;
    let page = search.page(&hall).await?;
    hall.limits.charge(client.0, limits::of_events(page.looked_at));
    let mut told = json!({ "games": archive::told(&hall, &page.games).await?, "next": page.next });
    if search.against.is_some() && search.before.is_none() {
        let (score, looked_at) = archive::score(&hall, &search).await?;
        hall.limits.charge(client.0, limits::of_events(looked_at));
        told["score"] = json!(score);
    }
    Ok(Json(told))
}

/// A position of a game.
#[derive(Deserialize, JsonSchema)]
pub(super) struct At {
    game: String,
    /// The options as a JSON object.
    #[serde(default)]
    options: Option<String>,
    /// In one line; the starting position by default.
    #[serde(default)]
    position: Option<String>,
}

async fn position(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    uri: Uri,
) -> Answered<Json<Value>> {
    let At { game, options, position } = query(&uri)?;
    let options = options.map(|text| serde_json::from_str(&text)).transpose();
    let options =
        options.map_err(|_| Refusal::not_understood("expected an object in JSON").at("options"))?;
    let position = position.map(Value::from);
    let given = Given { game: Some(game), options, position, turns: None, moves: None };
    let session = given.open(&Budget::SERVED)?;
    Ok(Json(explore::explore(&hall, client.0, session).await?))
}

/// Streams all games that match a search, as lines of JSON or as records.
async fn export(
    State(hall): HallState,
    Extension(client): Extension<Client>,
    place: Option<Extension<Handle>>,
    uri: Uri,
) -> Answered<Response> {
    let mut search = query::<Search>(&uri)?.checked()?;
    search.most = Some(archive::MOST);
    let place = place.map(|Extension(place)| claim(&place, client)).transpose()?;
    let (pages, told) = mpsc::channel(1);
    let as_records = search.format.as_deref() == Some("records");
    tokio::spawn(async move {
        let _place = place;
        loop {
            // An answer that breaks off is known to be incomplete.
            let page = match hall.is_ending() {
                true => Err(Refusal::unavailable("the server is stopping")),
                false => exported(&hall, client, &mut search, as_records).await,
            };
            let done = page.is_err() || search.before.is_none();
            if pages.send(page).await.is_err() || done {
                return;
            }
        }
    });
    let kind = if as_records { "text/plain; charset=utf-8" } else { "application/x-ndjson" };
    Ok(([(header::CONTENT_TYPE, kind)], Pages::new(told)).into_response())
}

/// The next page of an export.
async fn exported(
    hall: &Arc<Hall>,
    client: Client,
    search: &mut Search,
    as_records: bool,
) -> Result<String, Refusal> {
    let page = search.page(hall).await?;
    hall.limits.afford(client.0, limits::of_events(page.looked_at)).await;
    search.before = page.next;
    if as_records {
        return records_of(hall, client, &page.games).await;
    }
    let told = archive::told(hall, &page.games).await?;
    Ok(told.iter().map(|game| format!("{game}\n")).collect())
}

async fn records_of(
    hall: &Arc<Hall>,
    client: Client,
    games: &[archive::Entry],
) -> Result<String, Refusal> {
    let mut text = String::new();
    for entry in games {
        let room = match hall.room_for(&entry.id, client.0).await {
            Ok(room) => room,
            // Abort the response, so that the client knows it is incomplete.
            Err(refusal) if refusal.kind == Kind::Unavailable => return Err(refusal),
            Err(refusal) => {
                let Refusal { message, .. } = refusal;
                text += &format!(
                    "[Game \"{}\"]\n[Id \"{}\"]\n\n{{ cannot be read: {message} }} *\n\n",
                    entry.game, entry.id
                );
                continue;
            }
        };
        let record =
            hall.replays.run(client.0, move || room.view(|game| game.record()).to_string());
        text += &record.await?;
        text.push('\n');
    }
    Ok(text)
}
