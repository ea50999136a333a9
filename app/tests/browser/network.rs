//! What a page tells and keeps when the server, the network or the page itself goes away.

use super::driver::{Browser, Driver};
use super::hosts::kept;
use super::proxy::{Proxy, Weather};
use super::site::Site;
use fantoccini::wd::WindowHandle as Window;
use serde_json::{Value, json};

/// A game of two people behind a network, with a page for each in the windows of one browser.
struct Table {
    site: Site,
    proxy: Proxy,
    browser: Browser,
    id: String,
    tokens: [String; 2],
    ann: Window,
    bob: Window,
    // The browser ends with its driver.
    _driver: Driver,
}

impl Table {
    async fn new(clock: Value) -> Table {
        let (driver, site) = (Driver::start(), Site::start());
        let proxy = Proxy::start(&site.url).await;
        let browser = driver.window(1280, 800).await;
        let seats =
            json!([{ "kind": "person", "name": "Ann" }, { "kind": "person", "name": "Bob" }]);
        let request = json!({ "game": "gekitai", "seats": seats, "clock": clock });
        let made = site.post("/api/games", &request);
        let token = |i: usize| made["tokens"][i].as_str().unwrap().to_owned();
        let (id, tokens) = (made["id"].as_str().unwrap().to_owned(), [token(0), token(1)]);
        let ann = browser.window().await;
        browser.open(&proxy.page(&format!("/{id}#{}", tokens[0]))).await;
        connected(&browser).await;
        let bob = browser.another().await;
        browser.open(&proxy.page(&format!("/{id}#{}", tokens[1]))).await;
        browser.click("#choose-seat [data-seat=\"2\"]").await;
        connected(&browser).await;
        Table { site, proxy, browser, id, tokens, ann, bob, _driver: driver }
    }

    async fn turn_to_ann(&self) -> &Browser {
        self.browser.turn_to(&self.ann).await;
        &self.browser
    }

    async fn turn_to_bob(&self) -> &Browser {
        self.browser.turn_to(&self.bob).await;
        &self.browser
    }

    /// The turns that are stored.
    fn stored(&self) -> Value {
        self.site.get(&format!("/api/games/{}", self.id))["turns"].clone()
    }

    /// Plays without the pages.
    fn play(&self, seat: usize, turn: &str) {
        let command = json!({ "type": "move", "turn": turn });
        self.site.command(&self.id, &self.tokens[seat - 1], &command).unwrap();
    }

    /// Restarts the server, and leads the network there.
    fn start_again(&mut self) {
        self.site.start_again();
        self.proxy.lead_to(&self.site.url);
    }

    async fn close(self) {
        self.browser.close_after_trouble().await;
    }
}

async fn connected(browser: &Browser) {
    browser.find("main[data-ready] .board svg").await;
    browser.until_text("#connection", "Connected").await;
}

/// Waits until a cell may be tapped.
async fn ready(browser: &Browser, cell: &str) {
    let may = format!("document.querySelector('#cell-{cell}')?.matches('.grab, .target')");
    browser.until(&format!("{cell} can be tapped"), &may).await;
}

async fn tap(browser: &Browser, cell: &str) {
    ready(browser, cell).await;
    browser.click(&format!("#cell-{cell}")).await;
}

async fn listed(browser: &Browser, turns: usize) {
    let count = format!("document.querySelectorAll('.turns [data-ply]').length === {turns}");
    browser.until(&format!("{turns} turns"), &count).await;
}

/// Waits until the connection has recovered and nothing mentions it any more.
pub async fn quiet(browser: &Browser) {
    browser.until_text("#connection", "Connected").await;
    browser.until("no line about it", "document.querySelector('#link').hidden").await;
    let live = "!/Connection lost|offline|restarting|Connected again/.test(document.querySelector('#live').textContent)";
    browser.until("nothing is announced any more", live).await;
    let errors = "document.querySelector('#move-error').textContent === ''";
    browser.until("no error stands", errors).await;
}

async fn confirm_always(browser: &Browser) {
    browser.script("localStorage['quadrille.prefs'] = '{\"confirm\":\"always\"}'").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_confirmed_while_the_server_restarts_is_played_once() {
    let mut table = Table::new(json!({ "kind": "time", "seconds": 600, "increment": 5 })).await;
    table.play(1, "c3");
    table.play(2, "d4");
    table.play(1, "a6");
    let bob = table.turn_to_bob().await;
    listed(bob, 3).await;
    confirm_always(bob).await;
    tap(bob, "f1").await;
    bob.until_text("#prompt", "Play f1?").await;
    table.site.stop();
    let bob = &table.browser;
    bob.click("#stage-play").await;
    bob.until_text("#prompt", "Turn f1 waits to be sent").await;
    bob.until_text("#link", "Server restarting").await;
    bob.until_text("#live", "Server restarting").await;
    table.start_again();
    let bob = &table.browser;
    listed(bob, 4).await;
    quiet(bob).await;
    let events = table.site.get(&format!("/api/games/{}/events?after=0", table.id));
    let kinds: Vec<_> = events.as_array().unwrap().iter().map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["created", "move", "move", "move", "move"]);
    assert_eq!(table.stored(), json!(["c3", "d4", "a6", "f1"]));
    table.close().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes long: ./check --long"]
async fn a_connection_that_died_in_silence_or_in_sleep_is_replaced() {
    let table = Table::new(json!({ "kind": "none" })).await;
    // The network has forgotten the connections, and says nothing.
    table.proxy.bury();
    table.play(1, "c3");
    let bob = table.turn_to_bob().await;
    listed(bob, 1).await;
    ready(bob, "e5").await;
    // What was played while nothing got through arrives when something does.
    table.proxy.set(Weather::Silent { up: true, down: true, after: 3 });
    tap(bob, "e5").await;
    bob.until_text("#prompt", "Turn e5 waits to be sent").await;
    bob.until_text("#link", "Connection lost").await;
    table.proxy.bury();
    table.proxy.set(Weather::Clear);
    listed(bob, 2).await;
    quiet(bob).await;
    // A lid is closed, the network forgets, and the opponent plays.
    bob.cdp("Page.setWebLifecycleState", json!({ "state": "frozen" })).await;
    table.proxy.bury();
    table.play(1, "a1");
    bob.cdp("Page.setWebLifecycleState", json!({ "state": "active" })).await;
    listed(bob, 3).await;
    quiet(bob).await;
    assert_eq!(table.stored(), json!(["c3", "e5", "a1"]));
    table.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_airplane_mode_commands_wait_and_are_sent_in_order_when_it_ends() {
    let table = Table::new(json!({ "kind": "none" })).await;
    let ann = table.turn_to_ann().await;
    let conditions = |offline: bool| json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    tap(ann, "c3").await;
    listed(ann, 1).await;
    ann.cdp("Network.enable", json!({})).await;
    ann.cdp("Network.emulateNetworkConditions", conditions(true)).await;
    table.proxy.set(Weather::Cut);
    ann.until_text("#link", "Offline").await;
    ann.pick("#offer-draw").await;
    ann.until_text("#outbox", "Your draw offer waits to be sent").await;
    ann.until("once is enough", "document.querySelector('#offer-draw').disabled").await;
    table.play(2, "f6");
    table.proxy.set(Weather::Clear);
    ann.cdp("Network.emulateNetworkConditions", conditions(false)).await;
    ann.until("all is sent", "!document.querySelector('#outbox').childElementCount").await;
    listed(ann, 2).await;
    ann.until_text("#notice", "A draw is offered").await;
    // A refusal says why, and disappears when something else has happened.
    let refused = table.site.command(&table.id, &table.tokens[1], &json!({ "type": "decline" }));
    refused.unwrap();
    ann.until_text("#live", "Bob declines").await;
    quiet(ann).await;
    table.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_with_its_reason_until_something_else_happens() {
    let table = Table::new(json!({ "kind": "none" })).await;
    let ann = table.turn_to_ann().await;
    table.proxy.set(Weather::Cut);
    ann.until_text("#link", "Connection lost").await;
    tap(ann, "c3").await;
    ann.until_text("#prompt", "Turn c3 waits to be sent").await;
    // Ann has played something else elsewhere.
    table.play(1, "d4");
    table.play(2, "a1");
    table.proxy.set(Weather::Clear);
    ann.until_text("#move-error", "board").await;
    listed(ann, 2).await;
    tap(ann, "f6").await;
    listed(ann, 3).await;
    quiet(ann).await;
    assert_eq!(table.stored(), json!(["d4", "a1", "f6"]));
    table.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_outlives_the_page_on_which_it_was_played() {
    let table = Table::new(json!({ "kind": "none" })).await;
    let browser = table.turn_to_ann().await;
    let second = browser.another().await;
    browser.open(&table.proxy.page(&format!("/{}", table.id))).await;
    browser.click("#choose-seat [data-seat=\"1\"]").await;
    connected(browser).await;
    // Played on one page, seen on the other, which delivers it when the first is gone.
    table.proxy.set(Weather::Cut);
    browser.turn_to(&table.ann).await;
    browser.until_text("#link", "Connection lost").await;
    tap(browser, "c3").await;
    browser.until_text("#prompt", "Turn c3 waits to be sent").await;
    browser.close_window().await;
    browser.turn_to(&second).await;
    browser.until_text("#prompt", "Turn c3 waits to be sent").await;
    table.proxy.set(Weather::Clear);
    listed(browser, 1).await;
    quiet(browser).await;
    table.play(2, "e5");
    ready(browser, "a1").await;
    // The only page of the seat is gone before anything was sent: the next one sends it.
    table.proxy.set(Weather::Silent { up: true, down: true, after: 0 });
    tap(browser, "a1").await;
    browser.until_text("#prompt", "Turn a1").await;
    browser.close_window().await;
    table.proxy.cut().await;
    table.proxy.set(Weather::Clear);
    assert_eq!(table.stored(), json!(["c3", "e5"]), "it was not sent");
    browser.turn_to(&table.bob).await;
    let third = browser.another().await;
    browser.open(&table.proxy.page(&format!("/{}", table.id))).await;
    browser.click("#choose-seat [data-seat=\"1\"]").await;
    listed(browser, 3).await;
    quiet(browser).await;
    assert_eq!(table.stored(), json!(["c3", "e5", "a1"]));
    browser.turn_to(&third).await;
    table.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_server_the_board_is_turned_and_the_rules_are_read() {
    let table = Table::new(json!({ "kind": "none" })).await;
    let ann = table.turn_to_ann().await;
    table.proxy.set(Weather::Cut);
    ann.pick("#rules-open").await;
    ann.until_text("#rules-panel", "Goal").await;
    ann.click("#rules-close").await;
    ann.until_text("#link", "reconnecting").await;
    // Board and seats are turned together.
    let below = "document.querySelector('#seat-1').classList.contains('bottom')";
    let lowest = "(([a, b]) => a.getBoundingClientRect().top > b.getBoundingClientRect().top)\
        ([document.querySelector('#cell-a6'), document.querySelector('#cell-a1')])";
    assert_eq!(ann.value(&format!("[{below}, {lowest}]")).await, json!([true, true]));
    ann.click("#flip").await;
    ann.until("both are turned", &format!("!{below} && !{lowest}")).await;
    tap(ann, "b2").await;
    ann.until_text("#prompt", "b2 waits to be sent").await;
    table.proxy.set(Weather::Clear);
    listed(ann, 1).await;
    quiet(ann).await;
    assert_eq!(table.stored(), json!(["b2"]));
    table.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offers_are_seen_heard_and_read_and_answered_where_they_are_told() {
    let table = Table::new(json!({ "kind": "none" })).await;
    let count = "window.sounds = 0; \
        const { prototype } = AudioContext; const { createBufferSource } = prototype; \
        prototype.createBufferSource = function () { window.sounds++; return createBufferSource.call(this); }";
    let bob = table.turn_to_bob().await;
    bob.script(count).await;
    // A browser makes no sound before the page was touched.
    bob.click("#prompt").await;
    let ann = table.turn_to_ann().await;
    tap(ann, "c3").await;
    listed(ann, 1).await;
    for (asks, words, title) in [
        ("#offer-draw", "Ann offers a draw.", "Draw offered"),
        ("#undo", "Ann asks to take back a turn.", "Takeback asked"),
    ] {
        let bob = table.turn_to_bob().await;
        bob.script("window.sounds = 0").await;
        let ann = table.turn_to_ann().await;
        match asks {
            "#undo" => ann.click(asks).await,
            seldom => ann.pick(seldom).await,
        }
        let bob = table.turn_to_bob().await;
        bob.until_text("#live", words).await;
        bob.until_text("#notice", words).await;
        bob.until("the title tells", &format!("document.title.startsWith({title:?})")).await;
        bob.until("a sound is made", "window.sounds > 0").await;
        bob.click("#notice #decline").await;
        bob.until("it is answered", "!document.querySelector('#notice').childElementCount").await;
        bob.until("the title goes on", "document.title.startsWith('Your turn')").await;
        let ann = table.turn_to_ann().await;
        ann.until_text("#live", "Bob declines").await;
    }
    let ann = table.turn_to_ann().await;
    ann.pick("#resign").await;
    ann.click("dialog[open] button.primary").await;
    ann.click("#rematch").await;
    let bob = table.turn_to_bob().await;
    bob.until_text("#live", "Ann asks for a rematch").await;
    bob.until("the title tells", "document.title.startsWith('Rematch asked')").await;
    bob.click("#notice #accept").await;
    bob.until("the next game", &format!("location.pathname !== '/{}'", table.id)).await;
    bob.until_text("#seat-1", "Bob (you)").await;
    table.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_is_opened_while_the_server_is_away_shows_its_board_and_goes_on_by_itself() {
    let table = Table::new(json!({ "kind": "none" })).await;
    let ann = table.turn_to_ann().await;
    tap(ann, "c3").await;
    listed(ann, 1).await;
    kept(ann).await;
    table.proxy.cut().await;
    ann.reload().await;
    ann.until_text("#away", "The board is as you left it").await;
    ann.until_text("h1", "Gekitai").await;
    ann.find(".board [data-piece]").await;
    table.play(2, "f6");
    table.proxy.set(Weather::Clear);
    ann.click("#choose-seat [data-seat=\"1\"]").await;
    listed(ann, 2).await;
    ready(ann, "a1").await;
    table.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_did_not_come_through_is_noticed_within_seconds() {
    let table = Table::new(json!({ "kind": "none" })).await;
    let bob = table.turn_to_bob().await;
    let lose = "const { parse } = JSON; JSON.parse = (text, reviver) => { \
        const told = parse(text, reviver); \
        if (told?.type !== 'event' || window.lost) return told; \
        window.lost = told; return { type: 'noise' }; }";
    bob.script(lose).await;
    table.play(1, "c3");
    bob.until("the event is lost", "window.lost?.turn === 'c3'").await;
    // Nothing else happens in this game.
    listed(bob, 1).await;
    ready(bob, "e5").await;
    table.close().await;
}
