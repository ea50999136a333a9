//! The HTTP interface: admission and rate limits (`guard`, `limits`, `connections`, `places`), and the routes (`games`,
//! `socket`, `analysis`, `boards`, `club`, `lobby`), which `description` documents. A handler reads a request, calls
//! [`crate::games`], [`crate::club`] or [`crate::work`], and writes the answer; it decides nothing about games and
//! never touches their events.

pub mod analysis;
pub mod boards;
pub mod buckets;
pub mod club;
pub mod connections;
pub mod description;
pub mod games;
pub mod guard;
pub mod limits;
pub mod listener;
pub mod lobby;
pub mod meter;
pub mod networks;
pub mod places;
pub mod refused;
pub mod socket;
pub mod stream;

use crate::Config;
use crate::games::hall::Hall;
use crate::pages::{self, Documents, packing};
use axum::extract::{Request, State};
use axum::routing::get;
use axum::{Json, Router, middleware};
use guard::Guard;
use refused::{Answered, Refused};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use table::{Kind, Refusal};

/// The state of the handlers.
pub type HallState = State<Arc<Hall>>;

/// All routes, behind the guard.
pub fn router(config: &Config, hall: &Arc<Hall>) -> Router {
    let (metrics, limits) = (Arc::clone(&hall.metrics), Arc::clone(&hall.limits));
    let (base, own) = (config.base_url.as_deref(), Arc::clone(hall));
    let seated = Box::new(move |request: &Request| is_of_player(&own, request));
    let guard = Guard::new(config.listen, base, &config.proxies, limits, metrics, seated);
    let replays = hall.replays.clone();
    let documents = Documents::new(replays.clone());
    let router = Router::new()
        .merge(games::router())
        .merge(analysis::router())
        .merge(club::router())
        .merge(lobby::router())
        .route("/api/health", get(health))
        .route("/api/ready", get(ready))
        .with_state(Arc::clone(hall))
        .merge(boards::router(documents.clone()))
        .merge(description::router(&documents))
        .merge(pages::router(config.web.clone(), base, documents, Some(hall)))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(replays, packing::answers));
    guard::around(router, guard)
}

/// Whether a request comes with a seat's token for a game in memory, or opens a WebSocket, which sends its token later.
fn is_of_player(hall: &Hall, request: &Request) -> bool {
    let Some(rest) = request.uri().path().strip_prefix("/api/games/") else { return false };
    let (id, what) = rest.split_once('/').unwrap_or((rest, ""));
    let token = games::bearer(request.headers()).ok().flatten();
    let token = token.map(|token| hall.club.known.seal(token).unwrap_or(crate::ids::hash(token)));
    hall.in_memory(id).is_some_and(|room| match token {
        Some(token) => room.has_seat(token),
        None => what == "socket",
    })
}

/// The health of a running server; `store` and `news` are `ok` or `away`.
#[derive(Serialize, JsonSchema)]
struct Health {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<&'static str>,
    /// Whether notifications from other servers arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    news: Option<&'static str>,
}

/// Liveness: whether the process works. Load balancers should ask [`ready`].
async fn health(State(hall): HallState) -> Answered<Json<Health>> {
    runs(&hall)?;
    let word = |there: bool| if there { "ok" } else { "away" };
    let (stores, shared) = (hall.cannot_store().is_none(), hall.store.shared().is_some());
    let connected = hall.metrics.connected.load(Ordering::Relaxed) == 1;
    Ok(Json(Health {
        status: "ok",
        store: (!stores || shared).then(|| word(stores)),
        news: shared.then(|| word(connected)),
    }))
}

#[derive(Serialize, JsonSchema)]
struct Ready {
    status: &'static str,
}

/// Readiness: whether a move can be stored.
async fn ready(State(hall): HallState) -> Answered<Json<Ready>> {
    runs(&hall)?;
    match hall.try_to_store().await {
        Some(reason) => {
            Err(Refusal::unavailable(format!("no move can be stored: {reason}")).into())
        }
        None => Ok(Json(Ready { status: "ready" })),
    }
}

fn runs(hall: &Hall) -> Result<(), Refusal> {
    if hall.is_stopping() {
        return Err(Refusal::unavailable("the server is stopping"));
    }
    match hall.tasks.failing() {
        Some(task) => {
            let error = format!("the task `{task}` died and is being restarted");
            Err(Refusal::unavailable(error))
        }
        None => Ok(()),
    }
}

async fn wrong_method(request: Request) -> Refused {
    let path = rules::game::shorten(request.uri().path());
    let error = format!("method `{}` is not allowed for `{path}`", request.method());
    Refusal::new(Kind::WrongMethod, error).into()
}
