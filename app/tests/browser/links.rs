//! Links to seats: none can destroy what a browser holds, and an invitation gives a seat to exactly one.

use super::driver::{Browser, Driver};
use super::proxy::{Proxy, Weather};
use super::site::Site;
use serde_json::{Value, json};

/// What the browser keeps of seats.
async fn kept(browser: &Browser) -> Value {
    let seats = "Object.fromEntries(Object.entries(localStorage).filter(([key]) => key.startsWith('quadrille.seat.')).sort())";
    browser.value(seats).await
}

async fn open(browser: &Browser, url: &str) {
    // Another fragment alone does not reload a page.
    browser.open("about:blank").await;
    browser.open(url).await;
}

fn make(site: &Site, seats: Value) -> (String, [String; 2]) {
    let made = site.post("/api/games", &json!({ "game": "gekitai", "seats": seats }));
    let token = |i: usize| made["tokens"][i].as_str().unwrap().to_owned();
    (made["id"].as_str().unwrap().to_owned(), [token(0), token(1)])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_checked_before_it_is_kept_and_never_replaces_a_seat() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(390, 844).await;
    let (id, [one, two]) = make(&site, json!([{ "kind": "person" }, { "kind": "person" }]));
    open(&browser, &site.page(&format!("/{id}#{one}"))).await;
    browser.until_text("#seat-1", "You").await;
    let before = kept(&browser).await;
    assert_eq!(before, json!({ format!("quadrille.seat.{id}.1"): one }));
    for junk in ["anything", "%", "ä%00", "aaaaaaaaaaaaaaaaaaaaaa"] {
        open(&browser, &site.page(&format!("/{id}#{junk}"))).await;
        browser.until_text("#seat-note", "opens no seat").await;
        browser.until_text("#seat-1", "You").await;
        assert_eq!(kept(&browser).await, before, "after #{junk}");
    }
    // The other seat of the same game: one chooses, and both are kept.
    open(&browser, &site.page(&format!("/{id}#{two}"))).await;
    browser.click("#choose-seat [data-seat=\"2\"]").await;
    browser.until_text("#seat-2", "You").await;
    let both =
        json!({ format!("quadrille.seat.{id}.1"): one, format!("quadrille.seat.{id}.2"): two });
    assert_eq!(kept(&browser).await, both);
    browser.reload().await;
    browser.until_text("#seat-2", "You").await;
    // While nothing can be checked, nothing is kept or thrown away.
    let proxy = Proxy::start(&site.url).await;
    open(&browser, &proxy.page(&format!("/{id}#{one}"))).await;
    browser.until_text("#seat-1", "You").await;
    let there = kept(&browser).await;
    browser.open("about:blank").await;
    browser.open(&proxy.page("/rules/all")).await;
    browser.find("main[data-ready]").await;
    // The page of a game is built on one that is already loaded, as the network is going away.
    let module = |name: &str| {
        format!(
            "import(new URL('{name}.js', document.querySelector('script[type=module]').src).href)"
        )
    };
    let (game, status) = (module("game/game"), module("connection/status"));
    browser
        .promised(&format!(
            "{{ history.replaceState(null, '', '/{id}#{two}'); window.page = await {game}; (await {status}).followRequests(); }}"
        ))
        .await;
    proxy.set(Weather::Cut);
    let open = "page.gamePage(document.querySelector('main'), location.pathname.slice(1))";
    browser.script(open).await;
    browser.until_text("#link", "does not answer").await;
    assert_eq!(kept(&browser).await, there);
    proxy.set(Weather::Clear);
    browser.click("#choose-seat [data-seat=\"1\"]").await;
    browser.until_text("#seat-1", "You").await;
    browser.close_after_trouble().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_seats_exactly_one_and_the_others_watch() {
    let (driver, site) = (Driver::start(), Site::start());
    let proxy = Proxy::start(&site.url).await;
    let (id, [own, invitation]) =
        make(&site, json!([{ "kind": "person", "name": "Ann" }, { "kind": "open" }]));
    let link = proxy.page(&format!("/{id}#{invitation}"));
    // The creator of the game opens the invitation, too, and keeps the first seat.
    let ann = driver.window(1280, 800).await;
    open(&ann, &proxy.page(&format!("/{id}#{own}"))).await;
    ann.until_text("#seat-1", "Ann (you)").await;
    open(&ann, &link).await;
    ann.click("#choose-seat [data-seat=\"1\"]").await;
    ann.until_text("#seat-1", "Ann (you)").await;

    let (bob, cem) = (driver.window(1280, 800).await, driver.window(390, 844).await);
    for (browser, name) in [(&bob, "Bob"), (&cem, "Cem")] {
        browser.open(&link).await;
        browser.write("#join-name", name).await;
    }
    // Bob's answer is lost on the way back, and his page finds out that he sits.
    proxy.set(Weather::Silent { up: false, down: true, after: 0 });
    bob.click("#join").await;
    bob.until_text("#join", "Joining").await;
    let joined = || site.get(&format!("/api/games/{id}"))["seats"][1]["joined"] == json!(true);
    while !joined() {
        tokio::task::yield_now().await;
    }
    proxy.cut().await;
    proxy.set(Weather::Clear);
    bob.until_text("#seat-2", "Bob (you)").await;
    cem.until_text("#seat-note", "taken").await;
    cem.until("Cem watches", "!document.querySelector('#move-text').checkVisibility()").await;
    let secret = kept(&bob).await[format!("quadrille.seat.{id}.2")].clone();
    assert!(secret.is_string() && secret != json!(invitation), "{secret}");
    // From now on the invitation is worth nothing.
    open(&cem, &link).await;
    cem.until_text("#seat-note", "has been used").await;
    assert_eq!(kept(&cem).await, json!({}));
    ann.until_text("#seat-2", "Bob").await;
    bob.reload().await;
    bob.until_text("#seat-2", "Bob (you)").await;
    for browser in [ann, bob, cem] {
        browser.close_after_trouble().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn seats_of_the_older_pages_are_brought_over() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1000, 800).await;
    let (id, [_, two]) = make(&site, json!([{ "kind": "person" }, { "kind": "person" }]));
    browser.open(&site.page("/")).await;
    let old = json!([{ "id": id, "game": "gekitai", "token": two, "at": 1 }]).to_string();
    browser.script(&format!("localStorage['quadrille.games'] = {old:?}")).await;
    browser.open(&site.page(&format!("/{id}"))).await;
    browser.until_text("#seat-2", "You").await;
    assert_eq!(kept(&browser).await, json!({ format!("quadrille.seat.{id}.2"): two }));
    browser.open(&site.page("/")).await;
    browser.until_text(".mine", "Gekitai").await;
    browser.close().await;
}
