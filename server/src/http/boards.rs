//! HTTP requests that store nothing and need no engine.

use crate::games::hall::SERVER;
use crate::http::guard::Client;
use crate::http::refused::{Answered, Asked, Named};
use crate::pages::{Document, Documents};
use crate::work::replays::Replays;
use axum::Router;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use requests::{Answer, Budget, Request};
use serde_json::{Map, Value};
use std::net::IpAddr;
use table::Refusal;

type Fields = Map<String, Value>;

pub fn router(documents: Documents) -> Router {
    let asked = |ask: &'static str| {
        post(move |replays, client, Asked(fields)| over_http(ask, replays, client, fields))
    };
    // Answers to requests without a body are the same for everybody, so they are cached.
    let got = |ask: &'static str| {
        let documents = documents.clone();
        get(move |client, uri: Uri, headers, Named(game)| {
            cached(ask, documents, client, uri, headers, one("game", game))
        })
    };
    let all = documents.clone();
    let catalogue = get(move |client, uri: Uri, headers| {
        cached("catalogue", all, client, uri, headers, Fields::new())
    });
    Router::new()
        .route("/api/view", asked("view"))
        .route("/api/edit", asked("edit"))
        .route("/api/tree", asked("tree"))
        .route("/api/record", asked("record"))
        .route("/api/branch", asked("branch"))
        .route("/api/table", asked("table"))
        .route("/api/puzzle", asked("puzzle"))
        .route("/api/lesson", asked("lesson"))
        .route("/api/proof", asked("proof"))
        .route("/api/lessons/{game}", got("lessons"))
        .route("/api/puzzles/{game}", got("puzzles"))
        .route("/api/results/{game}", got("results"))
        .route("/api/atlas/{game}", got("atlas"))
        .route("/api/rules/{game}", got("rules"))
        .route("/api/catalogue", catalogue)
        .with_state(documents.replays)
}

fn one(name: &str, value: String) -> Fields {
    Fields::from_iter([(name.to_owned(), value.into())])
}

async fn over_http(
    ask: &'static str,
    State(replays): State<Replays>,
    client: Option<Extension<Client>>,
    fields: Fields,
) -> Answered<Response> {
    let client = client.map_or(SERVER, |Extension(client)| client.0);
    Ok(answer(ask, &replays, client, fields).await?)
}

/// Answers a request that is the same for everybody from the cache.
async fn cached(
    ask: &'static str,
    documents: Documents,
    client: Option<Extension<Client>>,
    uri: Uri,
    headers: HeaderMap,
    fields: Fields,
) -> Answered<Response> {
    let client = client.map_or(SERVER, |Extension(client)| client.0);
    let request = Request::read(ask, fields)?;
    let make = move || {
        let (kind, body) = written(request.answer_at_once(&Budget::SERVED)?)?;
        Ok(Document::new(kind, body, None))
    };
    Ok(documents.get(uri.path(), client, make).await?.answer(&headers))
}

/// Answers on a blocking thread: replaying a game of two thousand turns takes a while.
pub async fn answer(
    ask: &'static str,
    replays: &Replays,
    client: IpAddr,
    fields: Fields,
) -> Result<Response, Refusal> {
    let request = Request::read(ask, fields)?;
    let answer = move || written(request.answer_at_once(&Budget::SERVED)?);
    let (kind, body) = replays.run(client, answer).await??;
    Ok(([(header::CONTENT_TYPE, kind)], body).into_response())
}

/// The content type and body of an answer.
fn written(answer: Answer) -> Result<(&'static str, String), Refusal> {
    Ok(match answer {
        Answer::Rules { html } => ("text/html; charset=utf-8", html),
        Answer::Record { record } => ("text/plain; charset=utf-8", record),
        answer => ("application/json", serde_json::to_string(&answer).map_err(Refusal::broken)?),
    })
}
