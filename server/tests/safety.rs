//! Who is let in, how much they may do, and what goes back with every answer.

use crate::common::Local;
use axum::body::Body;
use axum::http::{Method, Request, header};
use serde_json::json;

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
    // Without a proxy on this machine nobody can name another address.
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
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{path}: {policy}");
        let framed = policy.ends_with("frame-ancestors *");
        assert_eq!(framed, path.starts_with("/embed/"), "{path}: {policy}");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(headers[header::REFERRER_POLICY], "no-referrer");
        assert!(!headers.contains_key(header::SET_COOKIE));
    }
    let wrong = Request::delete("/api/games").body(Body::empty()).unwrap();
    assert!(local.send(wrong).await.refused(405).contains("`DELETE`"));
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
