//! The pages, which are part of the program.
//!
//! All pages are one document whose scripts look at the address. Its files lie below a path that names
//! their version, so that browsers may keep them for ever and never mix two versions.

use crate::error::Refusal;
use crate::ids::check_id;
use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rules::game::shorten;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

/// Names the files of the folder `web` with their contents.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../web/", $name)))),*]
    };
}

static FILES: &[(&str, &str)] = files![
    "analysis.js",
    "api.js",
    "arrive.js",
    "board.js",
    "clock.js",
    "commands.js",
    "connection.js",
    "dom.js",
    "editor.js",
    "game.js",
    "gesture.js",
    "graph.js",
    "home.js",
    "icon.svg",
    "index.html",
    "join.js",
    "live.js",
    "main.js",
    "notices.js",
    "outbox.js",
    "play.js",
    "prefs.js",
    "reach.js",
    "review.js",
    "rules.js",
    "seats.js",
    "socket.js",
    "sound.js",
    "status.js",
    "styles.css",
    "text.js",
    "theme.js",
    "thinking.js",
    "tree.js",
    "turns.js",
];

/// Where index.html says that its files are.
const PLACE: &str = "/assets/";

/// The files, from the program or from a folder.
struct Files {
    folder: Option<PathBuf>,
    version: String,
}

impl Files {
    fn new(folder: Option<PathBuf>) -> Files {
        let mut hash = Sha256::new();
        for (name, text) in FILES {
            hash.update(name);
            hash.update(text);
        }
        let hash: String = hash.finalize().iter().take(6).map(|b| format!("{b:02x}")).collect();
        let version = if folder.is_some() { "folder".to_owned() } else { hash };
        Files { folder, version }
    }

    fn text(&self, name: &str) -> Option<Cow<'static, str>> {
        let (name, text) = FILES.iter().find(|(own, _)| *own == name)?;
        let file = self.folder.as_ref().and_then(|f| std::fs::read_to_string(f.join(name)).ok());
        Some(file.map_or(Cow::Borrowed(*text), Cow::Owned))
    }

    fn index(&self, asked: &HeaderMap) -> Response {
        let tag = format!("\"{}\"", self.version);
        let same = asked
            .get(header::IF_NONE_MATCH)
            .is_some_and(|old| old.to_str().is_ok_and(|old| old.trim_start_matches("W/") == tag));
        let mut response = if same && self.folder.is_none() {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let page = self.text("index.html").unwrap_or_default();
            page.replace(PLACE, &format!("{PLACE}{}/", self.version)).into_response()
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, kind("index.html"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        response
    }

    /// The answer to an address where nothing is: the page says so to people, the refusal to programs.
    fn missing(&self, path: &str, asked: &HeaderMap) -> Response {
        let wants_page = asked
            .get(header::ACCEPT)
            .is_some_and(|kinds| kinds.to_str().is_ok_and(|kinds| kinds.contains("text/html")));
        if !wants_page || path.starts_with("/api/") {
            let error = format!("there is nothing at `{}`", shorten(path));
            return Refusal::missing(error).into_response();
        }
        let mut page = self.index(&HeaderMap::new());
        *page.status_mut() = StatusCode::NOT_FOUND;
        page
    }

    fn file(&self, version: &str, name: &str) -> Result<Response, Refusal> {
        let text = self.text(name).filter(|_| version == self.version);
        let text = text.ok_or_else(|| Refusal::missing("no such file"))?;
        let keep =
            if self.folder.is_some() { "no-store" } else { "public, max-age=31536000, immutable" };
        let headers = [
            (header::CONTENT_TYPE, kind(name)),
            (header::CACHE_CONTROL, HeaderValue::from_static(keep)),
        ];
        Ok((headers, text).into_response())
    }
}

fn kind(name: &str) -> HeaderValue {
    HeaderValue::from_static(match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    })
}

/// For programs that look for what there is: pages, but no games of others.
const ROBOTS: &str = "User-agent: *\nDisallow: /api/\nDisallow: /embed/\n";

/// The pages; a developer may have them read from a folder instead.
pub fn router(web: Option<PathBuf>) -> Router {
    let files = Arc::new(Files::new(web));
    let page = || {
        let files = files.clone();
        get(move |headers: HeaderMap| async move { files.index(&headers) })
    };
    // Pages that there may not be: whoever asks for something else learns that it is missing.
    let page_of = |there_is: fn(&str) -> bool| {
        let files = files.clone();
        get(move |uri: Uri, Path(name): Path<String>, headers: HeaderMap| async move {
            match there_is(&name) {
                true => files.index(&headers),
                false => files.missing(uri.path(), &headers),
            }
        })
    };
    let is_game = |id: &str| check_id(id).is_ok();
    let has_rules = |game: &str| game == "all" || engine::find(game).is_some();
    let (assets, icon, others) = (files.clone(), files.clone(), files.clone());
    Router::new()
        .route("/", page())
        .route("/{id}", page_of(is_game))
        .route("/analysis", page())
        .route("/analysis/{*rest}", page())
        .route("/editor", page())
        .route("/editor/{*rest}", page())
        .route("/rules/{game}", page_of(has_rules))
        .route("/embed/{id}", page_of(is_game))
        .route("/robots.txt", get(|| async { ROBOTS }))
        .route("/favicon.ico", get(move || async move { icon.file(&icon.version, "icon.svg") }))
        .route(
            "/assets/{version}/{name}",
            get(move |Path((version, name)): Path<(String, String)>| async move {
                assets.file(&version, &name)
            }),
        )
        .fallback(move |uri: Uri, headers: HeaderMap| async move {
            others.missing(uri.path(), &headers)
        })
}
