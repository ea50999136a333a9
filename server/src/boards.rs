//! Requests that store nothing and need no engine, over HTTP.

use crate::error::{Asked, Refusal};
use crate::guard::Client;
use crate::live::SERVER;
use crate::replays::Replays;
use axum::extract::{Extension, Path, State};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use requests::{Answer, Budget, Request};
use serde_json::{Map, Value};
use std::net::IpAddr;

/// The fields of a request.
type Fields = Map<String, Value>;

/// The requests.
pub fn router(replays: Replays) -> Router {
    let asked = |ask: &'static str| {
        post(move |replays, client, Asked(fields)| over_http(ask, replays, client, fields))
    };
    let got = |ask: &'static str| {
        get(move |replays, client, Path(game)| over_http(ask, replays, client, one("game", game)))
    };
    let catalogue = get(|replays, client| over_http("catalogue", replays, client, Fields::new()));
    Router::new()
        .route("/api/view", asked("view"))
        .route("/api/edit", asked("edit"))
        .route("/api/tree", asked("tree"))
        .route("/api/record", asked("record"))
        .route("/api/puzzle", asked("puzzle"))
        .route("/api/lesson", asked("lesson"))
        .route("/api/proof", asked("proof"))
        .route("/api/lessons/{game}", got("lessons"))
        .route("/api/puzzles/{game}", got("puzzles"))
        .route("/api/results/{game}", got("results"))
        .route("/api/rules/{game}", got("rules"))
        .route("/api/catalogue", catalogue)
        .with_state(replays)
}

fn one(name: &str, value: String) -> Fields {
    Fields::from_iter([(name.to_owned(), value.into())])
}

async fn over_http(
    ask: &'static str,
    State(replays): State<Replays>,
    client: Option<Extension<Client>>,
    fields: Fields,
) -> Result<Response, Refusal> {
    let client = client.map_or(SERVER, |Extension(client)| client.0);
    answer(ask, &replays, client, fields).await
}

/// Answers on a thread that may take its time: a game of two thousand turns takes a while to replay.
pub async fn answer(
    ask: &'static str,
    replays: &Replays,
    client: IpAddr,
    fields: Fields,
) -> Result<Response, Refusal> {
    let request = Request::read(ask, fields)?;
    let answer = move || request.answer_at_once(&Budget::SERVED);
    Ok(match replays.run(client, answer).await?? {
        Answer::Rules { html } => Html(html).into_response(),
        Answer::Record { record } => record.into_response(),
        answer => Json(answer).into_response(),
    })
}
