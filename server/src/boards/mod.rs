//! Boards without games: positions shown and edited, records as trees, and what there is to play.

mod catalogue;
mod edit;
mod tree;
mod view;

use axum::Router;
use axum::routing::{get, post};

/// The requests that store nothing.
pub fn router() -> Router {
    Router::new()
        .route("/api/view", post(view::answer))
        .route("/api/edit", post(edit::answer))
        .route("/api/tree", post(tree::read))
        .route("/api/record", post(tree::write))
        .route("/api/catalogue", get(catalogue::answer))
        .route("/api/rules/{game}", get(catalogue::rules))
}
