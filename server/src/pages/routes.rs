//! The routes of the pages and their files.

use super::assets::{Files, kind};
use super::docs;
use super::documents::{Document, Documents};
use super::preview::Preview;
use super::{first, picture};
use crate::games::hall::{Hall, SERVER};
use crate::games::room::Room;
use crate::http::guard::Client;
use crate::http::refused::Answered;
use crate::ids::check_id;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rules::game::shorten;
use std::borrow::Cow;
use std::convert::Infallible;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use table::{Refusal, State};

/// Serves files and pages.
struct Site {
    files: Arc<Files>,
    documents: Documents,
}

/// The client's address, and the headers of the request.
struct Asked {
    client: IpAddr,
    headers: HeaderMap,
}

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked, Infallible> {
        let client = parts.extensions.get::<Client>().map_or(SERVER, |client| client.0);
        Ok(Asked { client, headers: parts.headers.clone() })
    }
}

/// The path of a page without content, which the scripts fill in.
const BARE: &str = "/404";

impl Site {
    /// A document from the cache, unless its files may change.
    async fn document(
        &self,
        name: &str,
        asked: &Asked,
        make: impl FnOnce(&Files) -> Result<Document, Refusal> + Send + 'static,
    ) -> Answered<Response> {
        let files = Arc::clone(&self.files);
        let changes = files.may_change();
        let make = move || make(&files);
        let made = match changes {
            true => self.documents.replays.run(asked.client, make).await?,
            false => self.documents.get(name, asked.client, make).await,
        };
        Ok(made?.answer(&asked.headers))
    }

    async fn page(&self, path: &str, asked: &Asked) -> Answered<Response> {
        let tag = format!("\"{}\"", self.files.version());
        let own = path.to_owned();
        self.page_of(path, tag, asked, move |files| files.page_at(&own)).await
    }

    /// The page of a game, with the current position.
    async fn game(
        &self,
        path: &str,
        room: Arc<Room>,
        embed: bool,
        asked: &Asked,
    ) -> Answered<Response> {
        // Two stores may hold different events with the same number, but not also with the same time.
        let (seq, at) = room.view(|game| (game.course.seq, game.course.last_at));
        let tag = format!("\"{}-{seq}-{at}\"", self.files.version());
        let name = format!("{path} {seq} {at}");
        let draw = move |files: &Files| {
            // Copied, so that drawing does not keep the players waiting.
            let (id, state) = room.view(|game| (game.id.clone(), State::clone(game)));
            let content = first::table(state.session.as_ref(), &state.created, embed);
            files.page_with(Some(content), &Preview::of_game(&id, &state))
        };
        self.page_of(&name, tag, asked, draw).await
    }

    /// The current position of a game as a picture, for link previews.
    async fn picture(&self, room: Arc<Room>, asked: &Asked) -> Answered<Response> {
        let (id, seq, at) =
            room.view(|game| (game.id.clone(), game.course.seq, game.course.last_at));
        let draw = move |_: &Files| {
            let session = room.view(|game| game.session.boxed_clone());
            let png = picture::png(&session.diagram()).map_err(Refusal::broken)?;
            Ok(Document::new(kind(".png"), png, None))
        };
        let mut response = self.document(&format!("picture {id} {seq} {at}"), asked, draw).await?;
        // The URL in the page contains the last event's number, but the one requested may be older.
        let keep = HeaderValue::from_static("public, max-age=60");
        response.headers_mut().insert(header::CACHE_CONTROL, keep);
        Ok(response)
    }

    /// A page, or 304 if the browser has this version.
    async fn page_of(
        &self,
        name: &str,
        tag: String,
        asked: &Asked,
        draw: impl FnOnce(&Files) -> String + Send + 'static,
    ) -> Answered<Response> {
        let old = asked.headers.get(header::IF_NONE_MATCH);
        let same = old
            .is_some_and(|old| old.to_str().is_ok_and(|old| old.trim_start_matches("W/") == tag));
        let mut response = if same && !self.files.may_change() {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let make = |files: &Files| Ok(Document::new(kind("index.html"), draw(files), None));
            self.document(name, asked, make).await?
        };
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind("index.html")));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        Ok(response)
    }

    /// The response for an unknown path: a page for browsers, a refusal for programs.
    async fn missing(&self, path: &str, mut asked: Asked) -> Answered<Response> {
        let accept = asked.headers.get(header::ACCEPT);
        let wants_page = accept
            .is_some_and(|kinds| kinds.to_str().is_ok_and(|kinds| kinds.contains("text/html")));
        if !wants_page || path.starts_with("/api/") {
            return Err(
                Refusal::not_there(format!("there is nothing at `{}`", shorten(path))).into()
            );
        }
        asked.headers.remove(header::IF_NONE_MATCH);
        let mut page = self.page(BARE, &asked).await?;
        *page.status_mut() = StatusCode::NOT_FOUND;
        Ok(page)
    }

    /// A file without a version in its URL, which browsers have to revalidate.
    async fn fresh(
        &self,
        name: &'static str,
        asked: &Asked,
        text: fn(&Files) -> Option<String>,
    ) -> Answered<Response> {
        let make = move |files: &Files| {
            let text = text(files).ok_or_else(|| Refusal::not_there("no such file"))?;
            Ok(Document::new(kind(name), text, None))
        };
        let mut response = self.document(&format!("/{name}"), asked, make).await?;
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        Ok(response)
    }

    /// A file with a version in its URL.
    async fn file(&self, version: &str, name: &str, asked: &Asked) -> Answered<Response> {
        if version != self.files.version() {
            return Err(Refusal::not_there("no such file").into());
        }
        let own = name.to_owned();
        let make = move |files: &Files| {
            let plain = files.bytes(&own).ok_or_else(|| Refusal::not_there("no such file"))?;
            Ok(Document::new(kind(&own), shared(plain), files.packed(&own).map(shared)))
        };
        // The prefix distinguishes them from files without a version: `sw.js` is not `assets/…/sw.js`.
        let mut response = self.document(&format!("assets/{name}"), asked, make).await?;
        let changes = self.files.may_change();
        let keep = if changes { "no-store" } else { "public, max-age=31536000, immutable" };
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
        Ok(response)
    }
}

/// The bytes, copied only if they have to be.
fn shared(bytes: Cow<'static, [u8]>) -> Bytes {
    match bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    }
}

/// Search engines may index pages, but not people's games.
const ROBOTS: &str = "User-agent: *\nDisallow: /api/\nDisallow: /embed/\n";

/// The routes of the pages, whose files are embedded or come from the folder `web`. With a `hall`, the pages of games
/// contain the board; with a `host`, link previews have a picture.
pub fn router(
    web: Option<PathBuf>,
    host: Option<&str>,
    documents: Documents,
    hall: Option<&Arc<Hall>>,
) -> Router {
    let site = Arc::new(Site { files: Arc::new(Files::new(web).at(host)), documents });
    let page = || {
        let site = site.clone();
        get(move |uri: Uri, asked: Asked| async move { site.page(uri.path(), &asked).await })
    };
    // These pages exist only for some names.
    let page_of = |there_is: fn(&str) -> bool| {
        let site = site.clone();
        get(move |uri: Uri, Path(name): Path<String>, asked: Asked| async move {
            match there_is(&name) {
                true => site.page(uri.path(), &asked).await,
                false => site.missing(uri.path(), asked).await,
            }
        })
    };
    // A game that does not exist also gets a page, which says so.
    let game = |embed: bool| {
        let (site, hall) = (site.clone(), hall.cloned());
        get(move |uri: Uri, Path(id): Path<String>, asked: Asked| async move {
            if check_id(&id).is_err() {
                return site.missing(uri.path(), asked).await;
            }
            let room = match hall {
                Some(hall) => hall.room_for(&id, asked.client).await.ok(),
                None => None,
            };
            match room {
                Some(room) => site.game(uri.path(), room, embed, &asked).await,
                None => site.page(BARE, &asked).await,
            }
        })
    };
    let picture = {
        let (site, hall) = (site.clone(), hall.cloned());
        get(move |Path(id): Path<String>, asked: Asked| async move {
            check_id(&id).map_err(|_| Refusal::not_there("there is no such game"))?;
            let hall = hall.ok_or_else(|| Refusal::not_there("there are no games here"))?;
            let room = hall.room_for(&id, asked.client).await?;
            site.picture(room, &asked).await
        })
    };
    let has_rules = |game: &str| game == "all" || engine::find(game).is_some();
    let fresh = |name: &'static str, text: fn(&Files) -> Option<String>| {
        let site = site.clone();
        get(move |asked: Asked| async move { site.fresh(name, &asked, text).await })
    };
    let (assets, icon, others) = (site.clone(), site.clone(), site.clone());
    Router::new()
        .route("/", page())
        .route("/{id}", game(false))
        .route("/analysis", page())
        .route("/analysis/{*rest}", page())
        .route("/docs", page())
        .route("/docs/{name}", page_of(docs::is_name))
        .route("/editor", page())
        .route("/play", page())
        .route("/editor/{*rest}", page())
        .route("/rules/{game}", page_of(has_rules))
        .route("/embed/{id}", game(true))
        .route("/archive", page())
        .route("/learn", page())
        .route("/learn/{*rest}", page())
        .route("/lobby", page())
        .route("/picture/{id}", picture)
        .route("/player/{id}", page())
        .route("/puzzles", page())
        .route("/puzzles/{*rest}", page())
        .route("/results", page())
        .route("/results/{*rest}", page())
        .route(
            "/manifest.webmanifest",
            fresh("manifest.webmanifest", |files| Some(files.manifest())),
        )
        .route("/sw.js", fresh("sw.js", Files::keeper))
        .route("/robots.txt", get(|| async { ROBOTS }))
        .route(
            "/favicon.ico",
            get(move |asked: Asked| async move {
                icon.file(icon.files.version(), "icon.svg", &asked).await
            }),
        )
        .route(
            "/assets/{version}/{*name}",
            get(move |Path((version, name)): Path<(String, String)>, asked: Asked| async move {
                assets.file(&version, &name, &asked).await
            }),
        )
        .fallback(
            move |uri: Uri, asked: Asked| async move { others.missing(uri.path(), asked).await },
        )
}
