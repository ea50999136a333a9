//! Where work is done: async threads must not do it.

use crate::common::Local;
use crate::routes;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, header};
use rustix::time::{ClockId, clock_gettime};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use tower::ServiceExt;

/// The routes found in the server's source.
fn written(source: &Path) -> BTreeSet<String> {
    let mut routes = BTreeSet::new();
    for file in std::fs::read_dir(source).into_iter().flatten().flatten() {
        if file.path().is_dir() {
            routes.extend(written(&file.path()));
            continue;
        }
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        let calls = code.split(".route(").skip(1);
        let path =
            |call: &str| Some(call.trim_start().strip_prefix('"')?.split('"').next()?.into());
        routes.extend(calls.filter_map(path));
    }
    // It is served on a separate address that is not public.
    routes.remove("/metrics");
    routes
}

const TIMES: u32 = 5;

/// The CPU time of this test's thread.
fn spent() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

/// The mean CPU time of a request on this thread, including the first one.
async fn cost(local: &Local, path: &str) -> Duration {
    let mut all = Duration::ZERO;
    for _ in 0..TIMES {
        let mut request = Request::get(path)
            .header(header::ACCEPT_ENCODING, "gzip")
            .header(header::ACCEPT, "text/html")
            .body(Body::empty())
            .unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 999))));
        let before = spent();
        let response = local.server.router().oneshot(request).await.unwrap();
        axum::body::to_bytes(response.into_body(), 8 << 20).await.unwrap();
        all += spent() - before;
    }
    all / TIMES
}

#[test]
fn every_route_is_besieged() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let known: BTreeSet<_> = routes::ROUTES.iter().map(|(route, _)| (*route).to_owned()).collect();
    assert_eq!(written(&source), known, "examples/bots/routes.rs has all of them");
}

/// The runtime of this test has one thread: anything drawn, serialised or compressed there would show in its CPU time.
#[tokio::test]
async fn pages_are_drawn_and_packed_on_other_threads() {
    let local = Local::new().await;
    let game = local.people("six-making").await;
    local.play(&game, 1, "a1").await.ok();
    let home = local.get("/").await;
    let version = routes::version(&home.text).unwrap();
    let usual = cost(&local, "/api/health").await;
    for path in routes::paths(&game.id, version) {
        let own = cost(&local, &path).await;
        assert!(own < 30 * usual, "{path} takes {own:?} of a thread, /api/health {usual:?}");
    }
}
