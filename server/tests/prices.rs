//! What requests cost, and what they are charged for it.

use crate::common::{Answer, Local, Made};
use crate::routes;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, header};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use server::http::limits;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tower::ServiceExt;

/// Tests of one program share their processor time, so this one runs in a process of its own.
const ALONE: &str = "QUADRILLE_PRICES";

/// By how much a request may cost more than it is charged: reading the request, the store's threads and the build
/// for tests are not measured.
const MARGIN: u32 = 4;

/// What is too short to be measured, beyond that.
const SHORT: Duration = Duration::from_millis(3);

fn spent() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap()
}

/// Sends a request and waits until nothing works for it any more; gives its cost and its price.
async fn cost(local: &Local, mut request: Request<Body>) -> (Answer, Duration, u64) {
    let hall = local.server.hall();
    request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 999))));
    let (before, charged) = (spent(), hall.limits.charged());
    let response = local.server.router().oneshot(request).await.unwrap();
    let (head, body) = response.into_parts();
    let bytes = to_bytes(body, 16 << 20).await.unwrap();
    while hall.metrics.jobs.iter().any(|jobs| jobs.load(Ordering::Relaxed) > 0) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let (cost, price) = (spent() - before, hall.limits.charged() - charged);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (Answer { status: head.status, headers: head.headers, text }, cost, price)
}

fn get(path: &str) -> Request<Body> {
    let request = Request::get(path).header(header::ACCEPT, "text/html");
    request.header(header::ACCEPT_ENCODING, "gzip").body(Body::empty()).unwrap()
}

fn post(path: &str, body: &Value) -> Request<Body> {
    let request = Request::builder().method(Method::POST).uri(path);
    request.header(header::ACCEPT_ENCODING, "gzip").body(body.to_string().into()).unwrap()
}

/// Everything that can be asked for, at its most expensive.
async fn ask_for_everything() {
    // Enough for all of it.
    let local = Local::with(|config| config.allowance = 10_000_000).await;
    let long = routes::long_game(1_500);
    assert_eq!(long["turns"].as_array().map(Vec::len), Some(1_500));
    let seats = json!([{ "kind": "person" }, { "kind": "person" }]);
    let mut wanted = long.clone();
    (wanted["seats"], wanted["shared"]) = (seats, true.into());
    let made = local.post("/api/games", wanted).await.ok();
    let token = made["tokens"][0].as_str().unwrap().to_owned();
    let game = Made { id: made["id"].as_str().unwrap().into(), tokens: [token.clone(), token] };
    let (page, ..) = cost(&local, Request::get("/learn").body(Body::empty()).unwrap()).await;
    let version = routes::version(&page.text).unwrap().to_owned();
    let posts = routes::posts(&long, 300);
    let (undo, resign) = (json!({ "type": "undo" }), json!({ "type": "resign" }));
    let mut asked: Vec<(String, bool, Request<Body>)> = Vec::new();
    for (route, paths) in routes::ROUTES {
        let own = posts.iter().filter(|(path, _)| path == route);
        let before = asked.len();
        for (path, body) in own {
            // What an engine does is paid for at its own rate, and nothing else of such a request is much.
            let engine =
                ["analysis", "hint", "review", "turn"].iter().any(|kind| path.ends_with(kind));
            let engine = engine || body["search"].is_object();
            asked.push(((*path).to_owned(), engine, post(path, body)));
        }
        for path in *paths {
            let path = path.replace("{id}", &game.id).replace("{version}", &version);
            asked.push((path.clone(), false, get(&path)));
        }
        if *route == "/api/games/{id}/commands" {
            asked.push(("a command that is refused".into(), false, game.request(1, &undo)));
            asked.push(("a command".into(), false, game.request(1, &resign)));
        }
        assert!(asked.len() > before, "nothing is asked of {route}");
    }
    let mut dear = Vec::new();
    println!(
        "{:40} {:>6} {:>10} {:>8} {:>10}",
        "request", "status", "cost, ms", "price", "paid, ms"
    );
    for (name, engine, request) in asked {
        let (answer, cost, price) = cost(&local, request).await;
        let of_one =
            if engine { limits::ENGINE_MICROSECONDS_FOR_ONE } else { limits::MICROSECONDS_FOR_ONE };
        let paid = Duration::from_micros(u64::try_from(of_one).unwrap() * price);
        let (status, ms) = (answer.status.as_u16(), |time: Duration| time.as_secs_f64() * 1e3);
        println!("{name:40} {status:>6} {:>10.2} {price:>8} {:>10.2}", ms(cost), ms(paid));
        assert!(status < 500 && status != 422 && status != 429, "{name}: {}", answer.text);
        if cost > MARGIN * paid + SHORT {
            dear.push(name);
        }
    }
    assert!(dear.is_empty(), "these cost more than is paid for them: {dear:?}");
}

#[test]
fn no_request_costs_more_than_its_price() {
    if std::env::var(ALONE).is_ok() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        return runtime.block_on(ask_for_everything());
    }
    let name = "prices::no_request_costs_more_than_its_price";
    let alone = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    print!("{}", String::from_utf8_lossy(&alone.stdout));
    let (status, said) = (alone.status, String::from_utf8_lossy(&alone.stderr));
    assert!(status.success(), "{status}: {said}");
}
