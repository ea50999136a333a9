//! Access control, rate limits, and security headers.

use crate::common::{Local, Made};
use axum::body::Body;
use axum::http::{Method, Request, header};
use serde_json::{Value, json};

fn wanted() -> String {
    let person = json!({ "kind": "person" });
    json!({ "game": "gekitai", "seats": [person, person] }).to_string()
}

async fn status(local: &Local, method: Method, path: &str, headers: &[(&str, &str)]) -> u16 {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    local.send(request.body(wanted().into()).unwrap()).await.status.as_u16()
}

#[tokio::test]
async fn pages_of_other_sites_change_nothing_and_open_no_socket() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let socket = format!("/api/games/{}/socket", game.id);
    let upgrade = ("upgrade", "websocket");
    let post = |headers: Vec<(&'static str, &'static str)>| {
        let local = &local;
        async move { status(local, Method::POST, "/api/games", &headers).await }
    };
    let host = ("host", "127.0.0.1:8000");
    assert_eq!(post(vec![host]).await, 201, "no browser, no origin");
    assert_eq!(post(vec![host, ("origin", "http://127.0.0.1:8000")]).await, 201);
    assert_eq!(post(vec![host, ("sec-fetch-site", "same-origin")]).await, 201);
    for foreign in ["http://evil.example", "null", "http://127.0.0.1:9000", "file://", "\u{1}"] {
        if header::HeaderValue::from_str(foreign).is_err() {
            continue;
        }
        assert_eq!(post(vec![host, ("origin", foreign)]).await, 403, "{foreign}");
        let headers = [host, ("origin", foreign), upgrade];
        assert_eq!(status(&local, Method::GET, &socket, &headers).await, 403, "{foreign}");
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(post(vec![host, ("sec-fetch-site", site)]).await, 403, "{site}");
    }
    assert_eq!(post(vec![("host", "evil.example"), ("origin", "http://evil.example")]).await, 403);
    let shown = format!("/api/games/{}", game.id);
    let reading = [host, ("origin", "http://evil.example")];
    assert_eq!(status(&local, Method::GET, &shown, &reading).await, 200, "reading is free");
}

#[tokio::test]
async fn behind_a_proxy_the_name_that_people_see_is_known() {
    let named = |config: &mut server::Config| {
        config.base_url = Some("https://play.example.org".into());
        config.new_games = 1;
    };
    let local = Local::with(named).await;
    let headers = [("host", "play.example.org"), ("origin", "https://play.example.org")];
    assert_eq!(status(&local, Method::POST, "/api/games", &headers).await, 201);
    let foreign = [("host", "other.example.org"), ("origin", "https://other.example.org")];
    assert_eq!(status(&local, Method::POST, "/api/games", &foreign).await, 403);
    // Without a proxy on this machine, X-Forwarded-For is ignored.
    let forged = [("host", "play.example.org"), ("x-forwarded-for", "10.9.8.7")];
    assert_eq!(status(&local, Method::POST, "/api/games", &forged).await, 429);
}

#[tokio::test]
async fn an_address_makes_eight_games_a_minute_and_then_has_to_wait() {
    let local = Local::with(|config| config.new_games = 8).await;
    for _ in 0..8 {
        assert_eq!(status(&local, Method::POST, "/api/games", &[]).await, 201);
    }
    let request = Request::post("/api/games").body(wanted().into()).unwrap();
    let answer = local.send(request).await;
    assert_eq!(answer.status.as_u16(), 429);
    assert!(answer.headers[header::RETRY_AFTER].to_str().unwrap().parse::<u32>().unwrap() <= 8);
    assert!(answer.json()["error"].as_str().unwrap().contains("at most 8 a minute"));
    assert_eq!(local.get("/api/health").await.status.as_u16(), 200);
}

#[tokio::test]
async fn large_bodies_are_refused() {
    let local = Local::new().await;
    for size in [64 << 10, (64 << 10) + 1, 1 << 20] {
        let body = Body::from(vec![b' '; size]);
        let answer = local.send(Request::post("/api/games").body(body).unwrap()).await;
        let expected = if size <= 64 << 10 { 400 } else { 413 };
        assert_eq!(answer.status.as_u16(), expected, "{size}");
        assert!(answer.json()["error"].is_string());
    }
}

#[tokio::test]
async fn every_answer_carries_the_policy_and_only_embed_may_be_framed() {
    let local = Local::new().await;
    for path in ["/", "/api/health", "/api/nothing", "/nothing/here", "/embed/abcdefgh"] {
        let headers = local.get(path).await.headers;
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"),
            "{path}: {policy}"
        );
        let framed = policy.ends_with("frame-ancestors *");
        assert_eq!(framed, path.starts_with("/embed/"), "{path}: {policy}");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(headers[header::REFERRER_POLICY], "no-referrer");
        assert_eq!(headers["cross-origin-opener-policy"], "same-origin");
        assert!(headers["permissions-policy"].to_str().unwrap().contains("camera=()"));
        assert!(!headers.contains_key(header::SET_COOKIE));
    }
    let wrong = Request::delete("/api/games").body(Body::empty()).unwrap();
    assert!(local.send(wrong).await.refused(405).contains("`DELETE`"));
}

#[tokio::test]
async fn a_request_names_one_host() {
    let local = Local::new().await;
    let two = [("host", "127.0.0.1:8000"), ("host", "evil.example")];
    assert_eq!(status(&local, Method::GET, "/api/health", &two[..1]).await, 200);
    assert_eq!(status(&local, Method::GET, "/api/health", &two).await, 400);
    let twice = [two[0], two[0]];
    assert_eq!(status(&local, Method::POST, "/api/games", &twice).await, 400);
}

#[tokio::test]
async fn what_there_is_not_is_missing() {
    let local = Local::new().await;
    for path in ["/", "/abcdefgh", "/embed/abcdefgh", "/rules/all", "/rules/gekitai", "/analysis/x"]
    {
        let answer = local.get(path).await;
        assert_eq!(answer.status.as_u16(), 200, "{path}");
        assert!(answer.text.starts_with("<!doctype html>"), "{path}");
    }
    for path in [
        "/nothing",
        "/manifest.json",
        "/apple-touch-icon.png",
        "/embed/x",
        "/rules/chess",
        "/a/b",
        "/assets/x/main.js",
        "/api/nothing",
    ] {
        let reason = local.get(path).await.refused(404);
        assert!(!reason.is_empty(), "{path}");
        let browser = Request::get(path).header(header::ACCEPT, "text/html,*/*;q=0.8");
        let answer = local.send(browser.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status.as_u16(), 404, "{path}");
        let page = answer.text.starts_with("<!doctype html>");
        assert_eq!(page, !path.starts_with("/api/") && !path.starts_with("/assets/"), "{path}");
    }
    let robots = local.get("/robots.txt").await;
    assert!(robots.text.starts_with("User-agent: *\n"), "{}", robots.text);
    let icon = local.get("/favicon.ico").await;
    assert_eq!(icon.headers[header::CONTENT_TYPE], "image/svg+xml");
}

#[tokio::test]
async fn a_token_is_stored_as_a_hash_only() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    local.play(&game, 1, "c4").await.ok();
    let folder = local.folder.0.clone();
    let find = |secret: &str| {
        std::fs::read_dir(&folder).unwrap().any(|file| {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
        })
    };
    assert!(find(&game.id), "the store is in this folder");
    assert!(!find(&game.tokens[0]) && !find(&game.tokens[1]));
    assert!(game.tokens.iter().all(|token| token.len() == 22), "22 letters of 62: 130 bits");
}

#[tokio::test]
async fn a_seat_has_its_own_rematches_whoever_else_makes_games_at_its_address() {
    let local = Local::with(|config| config.new_games = 4).await;
    let person = json!({ "kind": "person" });
    let wanted = json!({ "game": "gekitai", "shared": true, "seats": [person, person] });
    let one = [10, 0, 0, 1];
    let request = |body: &Value| Request::post("/api/games").body(body.to_string().into()).unwrap();
    let made = local.send_from(one, request(&wanted)).await.ok();
    for _ in 1..4 {
        local.send_from(one, request(&wanted)).await.ok();
    }
    assert!(local.send_from(one, request(&wanted)).await.refused(429).contains("4 a minute"));
    let token = made["tokens"][0].as_str().unwrap().to_owned();
    let mut game =
        Made { id: made["id"].as_str().unwrap().into(), tokens: [token.clone(), token.clone()] };
    for _ in 0..2 {
        local.send_from(one, game.request(1, &json!({ "type": "resign" }))).await.ok();
        let next = local.send_from(one, game.request(1, &json!({ "type": "rematch" }))).await.ok();
        game.id = next["event"]["id"].as_str().unwrap().to_owned();
    }
    local.send_from(one, game.request(1, &json!({ "type": "resign" }))).await.ok();
    let third = local.send_from(one, game.request(1, &json!({ "type": "rematch" }))).await;
    assert!(third.headers.contains_key(header::RETRY_AFTER));
    assert!(third.refused(429).contains("rematches"));
    assert_eq!(local.show(&game).await["rematch"], Value::Null, "nothing was stored");
}

#[tokio::test]
async fn a_class_of_thirty_at_one_address_can_play() {
    let local = Local::with(|config| config.new_games = 8).await;
    let school = [10, 0, 0, 1];
    let make = async || {
        let request = Request::post("/api/games").body(wanted().into()).unwrap();
        local.send_from(school, request).await
    };
    let mut games = 0;
    while games < 15 {
        let mut made = Vec::new();
        loop {
            let answer = make().await;
            if answer.status.as_u16() == 429 {
                break;
            }
            made.push(answer.ok());
        }
        // Each pair starts a game and plays it.
        games += made.len();
        assert!(!made.is_empty(), "after {games} games");
        for game in made {
            let tokens = [0, 1].map(|i| game["tokens"][i].as_str().unwrap().to_owned());
            let game = Made { id: game["id"].as_str().unwrap().into(), tokens };
            for (seat, turn) in [(1, "c3"), (2, "d4")] {
                let wish = json!({ "type": "move", "turn": turn });
                local.send_from(school, game.request(seat, &wish)).await.ok();
            }
        }
    }
}

#[tokio::test]
async fn an_address_spends_what_it_has_saved_and_its_players_and_others_have_their_own() {
    let local = Local::with(|config| config.allowance = 20).await;
    let game = local.people("gekitai").await;
    local.show(&game).await;
    let (one, other) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let health = || Request::get("/api/health").body(Body::empty()).unwrap();
    let began = std::time::Instant::now();
    // The bucket holds 200 and fills by 20 per second.
    let mut granted = 0;
    let refused = loop {
        match local.send_from(one, health()).await {
            answer if answer.status.is_success() => granted += 1,
            answer => break answer,
        }
    };
    let filled = 20 * (began.elapsed().as_secs() + 1);
    assert!((10..=200 + filled).contains(&granted), "{granted}");
    assert_eq!(refused.headers[header::RETRY_AFTER], "1");
    assert!(refused.refused(429).contains("too much"));
    local.server.hall().limits.charge(one.into(), 100);
    let turn = json!({ "type": "move", "turn": "c3" });
    local.send_from(one, game.request(1, &turn)).await.ok();
    local.send_from(one, health()).await.refused(429);
    local.send_from(other, health()).await.ok();
}

#[tokio::test]
async fn an_address_stores_so_much_in_a_day() {
    let local = Local::with(|config| config.new_games = 8).await;
    let game = local.people("gekitai").await;
    let (one, other) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let limits = &local.server.hall().limits;
    let make = async |from| {
        let request = Request::post("/api/games").body(wanted().into()).unwrap();
        local.send_from(from, request).await
    };
    let most = server::http::limits::USUAL_STORED as usize;
    limits.stored(one.into(), most / 2 + 10_000);
    let refused = make(one).await;
    assert!(refused.headers.contains_key(header::RETRY_AFTER));
    assert!(refused.refused(429).contains("stored too much"));
    make(other).await.ok();
    let turn = |turn: &str| json!({ "type": "move", "turn": turn });
    local.send_from(one, game.request(1, &turn("c3"))).await.ok();
    limits.stored(one.into(), most / 2);
    let refused = local.send_from(one, game.request(2, &turn("d4"))).await;
    assert!(refused.refused(429).contains("stored too much"));
    local.send_from(other, game.request(2, &turn("d4"))).await.ok();
}

#[tokio::test]
async fn of_all_lines_that_name_an_address_the_last_one_counts() {
    let named = |config: &mut server::Config| {
        config.base_url = Some("https://play.example.org".into());
        config.proxies = vec![[10, 8, 8, 8].into()];
        config.new_games = 1;
    };
    let local = Local::with(named).await;
    let make = |peer: [u8; 4], lines: &[&str]| {
        let mut request = Request::post("/api/games").header(header::HOST, "play.example.org");
        for line in lines {
            request = request.header("x-forwarded-for", *line);
        }
        let request = request.body(wanted().into()).unwrap();
        let local = &local;
        async move { local.send_from(peer, request).await.status.as_u16() }
    };
    let proxy = [127, 0, 0, 1];
    assert_eq!(make(proxy, &["10.0.0.1", "10.0.0.9"]).await, 201);
    assert_eq!(make(proxy, &["10.0.0.2", "10.0.0.9"]).await, 429, "the proxy's line is the last");
    assert_eq!(make(proxy, &["10.0.0.3", "10.0.0.4, 10.0.0.9:4711"]).await, 429);
    assert_eq!(make(proxy, &["10.0.0.9, 10.0.0.5"]).await, 201);
    assert_eq!(make([10, 9, 9, 9], &["10.0.0.6"]).await, 201, "whoever is no proxy is itself");
    assert_eq!(make([10, 9, 9, 9], &["10.0.0.7"]).await, 429);
    let balancer = [10, 8, 8, 8];
    assert_eq!(make(balancer, &["10.0.0.10"]).await, 201);
    assert_eq!(
        make(balancer, &["10.0.0.11"]).await,
        201,
        "it is believed as one of this machine is"
    );
    assert_eq!(make(balancer, &["10.0.0.11"]).await, 429);
}

#[tokio::test]
async fn pages_of_other_sites_may_read_what_anybody_may_read_and_nothing_else() {
    let local = Local::new().await;
    let game = local.people("gekitai").await;
    let host = ("host", "127.0.0.1:8000");
    let sent = async |method: Method, path: &str| {
        let request = Request::builder().method(method).uri(path).header(host.0, host.1);
        let request = request.header("origin", "https://other.example");
        local.send(request.body(Body::empty()).unwrap()).await
    };
    let allowed = |headers: &axum::http::HeaderMap| {
        headers.get(header::ACCESS_CONTROL_ALLOW_ORIGIN).map(|own| own.to_str().unwrap().to_owned())
    };
    for path in ["/api/catalogue", &format!("/api/games/{}", game.id), "/api/results/gekitai"] {
        let answer = sent(Method::GET, path).await;
        assert_eq!(
            (answer.status.as_u16(), allowed(&answer.headers)),
            (200, Some("*".into())),
            "{path}"
        );
    }
    // The preflight request that a browser sends before a token or JSON; it must not be granted.
    let asked = sent(Method::OPTIONS, &format!("/api/games/{}/commands", game.id)).await;
    assert!(!asked.status.is_success());
    assert!(asked.headers.get(header::ACCESS_CONTROL_ALLOW_HEADERS).is_none());
    let posted = sent(Method::POST, "/api/games").await;
    assert_eq!((posted.status.as_u16(), allowed(&posted.headers)), (403, None));
    assert_eq!(allowed(&sent(Method::GET, "/").await.headers), None, "pages are no data");
}
