//! Requests that store nothing and need no engine, over HTTP.

use crate::error::{Asked, Refusal};
use axum::extract::Path;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use requests::{Answer, Budget, Request};
use serde_json::{Map, Value};

/// The fields of a request.
type Fields = Map<String, Value>;

/// The requests.
pub fn router() -> Router {
    let asked = |ask: &'static str| post(move |Asked(fields)| answer(ask, fields));
    Router::new()
        .route("/api/view", asked("view"))
        .route("/api/edit", asked("edit"))
        .route("/api/tree", asked("tree"))
        .route("/api/record", asked("record"))
        .route("/api/puzzle", asked("puzzle"))
        .route("/api/puzzles/{game}", get(|Path(game)| answer("puzzles", one("game", game))))
        .route("/api/rules/{game}", get(|Path(game)| answer("rules", one("game", game))))
        .route("/api/catalogue", get(|| answer("catalogue", Fields::new())))
}

fn one(name: &str, value: String) -> Fields {
    Fields::from_iter([(name.to_owned(), value.into())])
}

/// Answers on a thread that may take its time: a game of two thousand turns takes a while to replay.
pub async fn answer(ask: &'static str, fields: Fields) -> Result<Response, Refusal> {
    let request = Request::read(ask, fields)?;
    let answer = move || request.answer_at_once(&Budget::SERVED);
    let answered = tokio::task::spawn_blocking(answer).await;
    Ok(match answered.map_err(|_| Refusal::broken("an error inside; it has been logged"))?? {
        Answer::Rules { html } => Html(html).into_response(),
        Answer::Record { record } => record.into_response(),
        answer => Json(answer).into_response(),
    })
}
