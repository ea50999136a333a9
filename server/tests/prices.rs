//! What requests cost, and what is charged for them.

use crate::common::{Answer, Local, Made, random_game, within};
use crate::routes;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, header};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use server::club::records;
use server::http::limits;
use server::store::records::Change;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tower::ServiceExt;

/// Tests in one process share its CPU time, so this one runs in a process of its own.
const ALONE: &str = "QUADRILLE_PRICES";

/// By which factor the cost of a request may exceed its price: reading the request, the store's threads and the test
/// build are not accounted for.
const MARGIN: u32 = 4;

/// Additional tolerance, for costs too short to be measured.
const SHORT: Duration = Duration::from_millis(3);

fn spent() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap()
}

/// Sends a request and waits until all work for it has ended; returns its cost and its price.
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

/// Sends the most expensive request of every kind.
async fn ask_for_everything() {
    // Enough allowance for everything.
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
            // Engine time has a rate of its own, and everything else about such a request is cheap.
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
    tell_columns();
    for (name, engine, request) in asked {
        let (answer, cost, price) = cost(&local, request).await;
        let status = answer.status.as_u16();
        assert!(status < 500 && status != 422 && status != 429, "{name}: {}", answer.text);
        if is_dear(&name, engine, &answer, cost, price) {
            dear.push(name);
        }
    }
    assert!(dear.is_empty(), "these cost more than is paid for them: {dear:?}");
}

fn tell_columns() {
    println!(
        "{:60} {:>6} {:>10} {:>10} {:>8} {:>10}",
        "request", "status", "bytes", "cost, ms", "price", "paid, ms"
    );
}

/// Whether an answer cost more than its price; if so, prints it.
fn is_dear(name: &str, engine: bool, answer: &Answer, cost: Duration, price: u64) -> bool {
    let of_one =
        if engine { limits::ENGINE_MICROSECONDS_FOR_ONE } else { limits::MICROSECONDS_FOR_ONE };
    let paid = Duration::from_micros(u64::try_from(of_one).unwrap() * price);
    let (status, ms) = (answer.status.as_u16(), |time: Duration| time.as_secs_f64() * 1e3);
    let bytes = answer.text.len();
    println!("{name:60} {status:>6} {bytes:>10} {:>10.2} {price:>8} {:>10.2}", ms(cost), ms(paid));
    cost > MARGIN * paid + SHORT
}

/// How many correspondence games a player has, how many turns each of them has, how many games are archived, and how
/// many challenges are open: the most that one answer can contain.
const PLAYED: usize = 50;
const TURNS: usize = 10;
const ARCHIVED: usize = 100;
const OPEN: usize = 2_000;

fn get_as(key: &str, path: &str) -> Request<Body> {
    let mut request = get(path);
    let value = format!("Bearer {key}").parse().unwrap();
    request.headers_mut().insert(header::AUTHORIZATION, value);
    request
}

/// Players, one of whom has as much as possible of everything.
struct Club {
    local: Local,
    /// That player first, then the opponents.
    ids: Vec<String>,
    keys: Vec<String>,
}

impl Club {
    async fn new() -> Club {
        let local = Local::with(|config| {
            (config.allowance, config.new_games) = (100_000_000, 1_000_000);
        });
        let local = local.await;
        let (mut ids, mut keys) = (Vec::new(), Vec::new());
        for number in 0..=(ARCHIVED + PLAYED) / 10 {
            let name = format!("Player {number}");
            let made = local.post("/api/players", json!({ "name": name })).await.ok();
            ids.push(made["id"].as_str().unwrap().to_owned());
            keys.push(made["key"].as_str().unwrap().to_owned());
        }
        Club { local, ids, keys }
    }

    fn request(&self, key: &str, path: &str, body: &Value) -> Request<Body> {
        let mut request = post(path, body);
        let value = format!("Bearer {key}").parse().unwrap();
        request.headers_mut().insert(header::AUTHORIZATION, value);
        request.headers_mut().remove(header::ACCEPT_ENCODING);
        request
    }

    async fn post(&self, key: &str, path: &str, body: Value) -> Value {
        self.local.send(self.request(key, path, &body)).await.ok()
    }

    /// A correspondence game after some turns: its path and its first player's key.
    async fn game(&self, number: usize) -> (String, String) {
        let maker = 1 + number / 10;
        let clock = json!({ "kind": "days", "days": 3 });
        let wanted = json!({ "game": "gekitai", "clock": clock, "rated": true });
        let made = self.post(&self.keys[maker], "/api/lobby", wanted).await;
        let (id, version) = (&made["challenge"]["id"], &made["challenge"]["version"]);
        let path = format!("/api/lobby/{}", id.as_str().unwrap());
        let met = self.post(&self.keys[0], &path, json!({ "version": version })).await;
        let path = format!("/api/games/{}", met["game"].as_str().unwrap());
        let game = self.local.send(get_as(&self.keys[0], &path)).await.ok();
        let mut keys = [&self.keys[maker], &self.keys[0]];
        if game["club"]["players"][0] == *self.ids[0] {
            keys.reverse();
        }
        let path = format!("{path}/commands");
        let turns = random_game("gekitai", TURNS, number as u64);
        for (turn, key) in turns.iter().zip(keys.into_iter().cycle()) {
            self.post(key, &path, json!({ "type": "move", "turn": turn })).await;
        }
        (path, keys[0].clone())
    }

    /// Fills the lobby with copies of one challenge.
    async fn fill_lobby(&self) {
        let clock = json!({ "kind": "days", "days": 5 });
        let wanted = json!({ "game": "glaisher", "clock": clock, "rated": true });
        let made = self.post(&self.keys[0], "/api/lobby", wanted).await;
        let id = made["challenge"]["id"].as_str().unwrap();
        let store = records(self.local.server.hall()).unwrap();
        let one = store.get(vec![format!("challenge/{id}")]).await.unwrap().remove(0);
        for hundred in 0..OPEN / 100 {
            let copies = (0..100).map(|i| {
                let own = format!("{id}{hundred:02}{i:02}");
                Change::put(format!("challenge/{own}"), one.value.replace(id, &own))
            });
            assert!(store.change(copies.collect()).await.unwrap());
        }
    }
}

/// Requests with the largest answers about the club.
async fn ask_the_club() {
    let club = Club::new().await;
    let (local, hall) = (&club.local, club.local.server.hall());
    // Ten by each of the others, who play at the same time.
    let others = (0..(ARCHIVED + PLAYED) / 10).map(|other| {
        let club = &club;
        async move {
            for number in 10 * other..10 * other + 10 {
                let (path, one) = club.game(number).await;
                if number < ARCHIVED {
                    // Some have ended by themselves.
                    let resign = club.request(&one, &path, &json!({ "type": "resign" }));
                    club.local.send(resign).await;
                }
            }
        }
    });
    futures_util::future::join_all(others).await;
    within(async {
        while local.get("/api/archive?most=100").await.ok()["games"].as_array().unwrap().len()
            < ARCHIVED
        {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
    club.fill_lobby().await;
    let (id, other, key) = (&club.ids[0], &club.ids[1], &club.keys[0]);
    let mut dear = Vec::new();
    tell_columns();
    for (path, least) in [
        ("/api/me".to_owned(), 10_000),
        ("/api/watch".into(), 5_000),
        ("/api/lobby".into(), 200_000),
        ("/api/archive?most=100".into(), 10_000),
        (format!("/api/archive?player={id}&against={other}&game=gekitai&rated=true"), 1_000),
        ("/api/archive/export".into(), 10_000),
        ("/api/archive/export?format=records".into(), 5_000),
        ("/api/archive/position?game=gekitai".into(), 500),
        (format!("/api/players/{id}"), 50),
        (format!("/api/players/{id}/ratings/gekitai"), 1_000),
    ] {
        // Other tasks may have loaded the games already, so take the most expensive of several attempts.
        let mut tries = Vec::new();
        for _ in 0..3 {
            hall.sweep(i64::MAX);
            let mut request = get_as(key, &path);
            request.headers_mut().remove(header::ACCEPT_ENCODING);
            tries.push(cost(local, request).await);
        }
        let (answer, cost, price) = tries.into_iter().max_by_key(|(.., price)| *price).unwrap();
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert!(answer.text.len() >= least, "{path} is to be large: {}", answer.text);
        if is_dear(&path, false, &answer, cost, price) {
            dear.push(path);
        }
    }
    assert!(dear.is_empty(), "these cost more than is paid for them: {dear:?}");
}

#[test]
fn no_request_costs_more_than_its_price() {
    alone("prices::no_request_costs_more_than_its_price", ask_for_everything());
}

#[test]
fn no_answer_of_the_club_costs_more_than_its_price() {
    alone("prices::no_answer_of_the_club_costs_more_than_its_price", ask_the_club());
}

/// Runs a test in a process of its own.
fn alone(name: &str, test: impl Future<Output = ()>) {
    if std::env::var(ALONE).is_ok() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        return runtime.block_on(test);
    }
    let alone = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    print!("{}", String::from_utf8_lossy(&alone.stdout));
    let (status, said) = (alone.status, String::from_utf8_lossy(&alone.stderr));
    assert!(status.success(), "{status}: {said}");
}
