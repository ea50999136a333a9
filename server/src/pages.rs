//! The pages: one document, whose scripts look at the address, and its files.

use crate::assets::{Files, kind};
use crate::error::Refusal;
use crate::first;
use crate::guard::Client;
use crate::ids::check_id;
use crate::live::Hall;
use axum::Router;
use axum::extract::{Extension, Path};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rules::game::shorten;
use std::path::PathBuf;
use std::sync::Arc;

/// The files as answers.
impl Files {
    fn page(&self, path: &str, asked: &HeaderMap) -> Response {
        self.document_of(format!("\"{}\"", self.version()), asked, || self.page_at(path))
    }

    /// The page of a game, with its board as it stands.
    fn game_page(&self, asked: &HeaderMap, (seq, board): (i64, String)) -> Response {
        let tag = format!("\"{}-{seq}\"", self.version());
        self.document_of(tag, asked, || self.page_with(Some(board)))
    }

    /// A document, unless the browser has it.
    fn document_of(
        &self,
        tag: String,
        asked: &HeaderMap,
        make: impl FnOnce() -> String,
    ) -> Response {
        let same = asked
            .get(header::IF_NONE_MATCH)
            .is_some_and(|old| old.to_str().is_ok_and(|old| old.trim_start_matches("W/") == tag));
        let mut response = if same && !self.may_change() {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            make().into_response()
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind("index.html")));
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
        let mut page = self.page("/404", &HeaderMap::new());
        *page.status_mut() = StatusCode::NOT_FOUND;
        page
    }

    fn manifest_file(&self) -> Response {
        fresh("manifest.webmanifest", self.manifest())
    }

    fn keeper_file(&self) -> Result<Response, Refusal> {
        let script = self.keeper().ok_or_else(|| Refusal::missing("no such file"))?;
        Ok(fresh("sw.js", script))
    }

    /// A file as it is kept, for browsers that can unpack it.
    fn packed_file(&self, version: &str, name: &str, asked: &HeaderMap) -> Option<Response> {
        let packs = asked.get(header::ACCEPT_ENCODING)?.to_str().ok()?.contains("gzip");
        let bytes = self.packed(name).filter(|_| packs && version == self.version())?;
        let headers = [
            (header::CONTENT_ENCODING, HeaderValue::from_static("gzip")),
            (header::VARY, HeaderValue::from_static("accept-encoding")),
        ];
        Some((headers, self.notes(name), bytes).into_response())
    }

    fn fetch(&self, version: &str, name: &str, asked: &HeaderMap) -> Result<Response, Refusal> {
        match self.packed_file(version, name, asked) {
            Some(packed) => Ok(packed),
            None => self.file(version, name),
        }
    }

    /// What a file is, and how long it may be kept.
    fn notes(&self, name: &str) -> [(HeaderName, HeaderValue); 2] {
        let keep =
            if self.may_change() { "no-store" } else { "public, max-age=31536000, immutable" };
        [
            (header::CONTENT_TYPE, HeaderValue::from_static(kind(name))),
            (header::CACHE_CONTROL, HeaderValue::from_static(keep)),
        ]
    }

    fn file(&self, version: &str, name: &str) -> Result<Response, Refusal> {
        let bytes = self.bytes(name).filter(|_| version == self.version());
        let bytes = bytes.ok_or_else(|| Refusal::missing("no such file"))?;
        Ok((self.notes(name), bytes).into_response())
    }
}

/// A file whose address names no version: browsers ask for it each time.
fn fresh(name: &str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind(name))),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, text).into_response()
}

/// For programs that look for what there is: pages, but no games of others.
const ROBOTS: &str = "User-agent: *\nDisallow: /api/\nDisallow: /embed/\n";

/// The number of the last event of a game, and its board as it is drawn into a document.
async fn board(hall: &Arc<Hall>, id: &str, client: Client, embed: bool) -> Option<(i64, String)> {
    let room = hall.room_for(id, client.0).await.ok()?;
    let draw = move || (room.seq(), room.view(|game| first::table(game, embed)));
    hall.replays.run(client.0, draw).await.ok()
}

/// The pages; a developer may have them read from a folder instead. Where games are kept, theirs come with a board.
pub fn router(web: Option<PathBuf>, hall: Option<&Arc<Hall>>) -> Router {
    let files = Arc::new(Files::new(web));
    let page = || {
        let files = files.clone();
        get(move |uri: Uri, headers: HeaderMap| async move { files.page(uri.path(), &headers) })
    };
    // Pages that there may not be: whoever asks for something else learns that it is missing.
    let page_of = |there_is: fn(&str) -> bool| {
        let files = files.clone();
        get(move |uri: Uri, Path(name): Path<String>, headers: HeaderMap| async move {
            match there_is(&name) {
                true => files.page(uri.path(), &headers),
                false => files.missing(uri.path(), &headers),
            }
        })
    };
    // A game that there is not is a page all the same: it says so.
    let game = |embed: bool| {
        let (files, hall) = (files.clone(), hall.cloned());
        get(
            move |uri: Uri,
                  Path(id): Path<String>,
                  client: Option<Extension<Client>>,
                  headers: HeaderMap| async move {
                if check_id(&id).is_err() {
                    return files.missing(uri.path(), &headers);
                }
                let drawn = match (hall, client) {
                    (Some(hall), Some(Extension(client))) => board(&hall, &id, client, embed).await,
                    _ => None,
                };
                match drawn {
                    Some(board) => files.game_page(&headers, board),
                    None => files.page(uri.path(), &headers),
                }
            },
        )
    };
    let has_rules = |game: &str| game == "all" || engine::find(game).is_some();
    let (assets, icon, others) = (files.clone(), files.clone(), files.clone());
    let (manifest, keeper) = (files.clone(), files.clone());
    Router::new()
        .route("/", page())
        .route("/{id}", game(false))
        .route("/analysis", page())
        .route("/analysis/{*rest}", page())
        .route("/editor", page())
        .route("/play", page())
        .route("/editor/{*rest}", page())
        .route("/rules/{game}", page_of(has_rules))
        .route("/embed/{id}", game(true))
        .route("/learn", page())
        .route("/learn/{*rest}", page())
        .route("/puzzles", page())
        .route("/puzzles/{*rest}", page())
        .route("/results", page())
        .route("/results/{*rest}", page())
        .route("/manifest.webmanifest", get(move || async move { manifest.manifest_file() }))
        .route("/sw.js", get(move || async move { keeper.keeper_file() }))
        .route("/robots.txt", get(|| async { ROBOTS }))
        .route("/favicon.ico", get(move || async move { icon.file(icon.version(), "icon.svg") }))
        .route(
            "/assets/{version}/{name}",
            get(
                move |Path((version, name)): Path<(String, String)>, asked: HeaderMap| async move {
                    assets.fetch(&version, &name, &asked)
                },
            ),
        )
        .fallback(move |uri: Uri, headers: HeaderMap| async move {
            others.missing(uri.path(), &headers)
        })
}
