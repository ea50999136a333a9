//! The pages, which are part of the program.

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use std::path::PathBuf;

/// The pages; a developer may have them read from a folder instead.
pub fn router(web: Option<PathBuf>) -> Router {
    let index = move || {
        let page = web
            .as_ref()
            .and_then(|folder| std::fs::read_to_string(folder.join("index.html")).ok())
            .unwrap_or_else(|| include_str!("../web/index.html").to_owned());
        async move { Html(page) }
    };
    Router::new().route("/", get(index))
}
