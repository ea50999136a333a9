//! The pages in a real Chromium, against the real server.

mod contrast;
mod device;
mod driver;
mod evening;
mod faults;
mod host;
mod hosts;
mod links;
mod network;
mod online;
mod player;
mod proxy;
mod sight;
mod site;
mod study;

use driver::{Browser, Driver};
use player::{Hand, Script, games, make};
use serde_json::{Value, json};
use site::Site;

/// Makes a game and opens it in a window.
async fn open_game(site: &Site, browser: &Browser, request: &Value) -> String {
    let made = site.post("/api/games", request);
    let (id, token) = (made["id"].as_str().unwrap(), made["tokens"][0].as_str().unwrap());
    browser.open(&site.page(&format!("/{id}#{token}"))).await;
    browser.find("main[data-ready] .board svg").await;
    id.to_owned()
}

/// Plays a whole game at one screen; half-way the page is reloaded.
async fn play_whole(browser: &Browser, site: &Site, script: &Script, hand: Hand) {
    open_game(site, browser, &script.at_one_screen()).await;
    for (i, turn) in script.turns.iter().enumerate() {
        if i == script.turns.len() / 2 {
            browser.reload().await;
        }
        make(browser, turn, i + 1, hand).await;
    }
    browser.until_text("#prompt", "won").await;
    browser.until_text(".seat.won", script.winner).await;
    browser.until_text("#live", "won").await;
}

macro_rules! with_the_mouse {
    ($($name:ident: $game:ty,)*) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let (driver, site) = (Driver::start(), Site::start());
            let browser = driver.window(1280, 900).await;
            let script = Script::random(<$game as rules::Game>::INFO.id, &json!({}));
            play_whole(&browser, &site, &script, Hand::Mouse).await;
            browser.close().await;
        })*
    };
}

mod a_whole_game_of_each_kind_is_played_with_the_mouse {
    use super::*;
    rules::every_game!(with_the_mouse);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_is_played_with_the_keyboard() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    play_whole(&browser, &site, &Script::random("gekitai", &json!({})), Hand::Keyboard).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_is_played_on_a_phone_with_a_finger() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.phone().await;
    let script = Script::random("six-making", &json!({ "size": 4 }));
    play_whole(&browser, &site, &script, Hand::Finger).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_are_typed_and_dragged_and_taken_back() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    let seats = json!([{ "kind": "person" }, { "kind": "person" }]);
    let request = json!({ "game": "jeson-mor", "shared": true, "seats": seats });
    open_game(&site, &browser, &request).await;
    browser.write("#move-text", "c1-d3\u{E007}").await;
    browser.until_text(".turns [data-ply=\"1\"]", "c1-d3").await;
    browser.drag("#cell-c9", "#cell-d7").await;
    browser.until_text(".turns [data-ply=\"2\"]", "c9-d7").await;
    browser.write("#move-text", "a1-a2\u{E007}").await;
    browser.until_text("#move-error", "a1-a2").await;
    browser.click("#undo").await;
    browser.until("one turn is left", "!document.querySelector('.turns [data-ply=\"2\"]')").await;
    browser.until_text("#live", "taken back").await;
    browser.close_after_refusals().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_staged_turn_shows_its_stages_and_goes_back() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    let seats = json!([{ "kind": "person" }, { "kind": "person" }]);
    open_game(&site, &browser, &json!({ "game": "glaisher", "shared": true, "seats": seats }))
        .await;
    browser.click("#cell-a2").await;
    browser.until_text(".stages .done", "a2").await;
    browser.find("#cell-a2[aria-selected=true]").await;
    let choices = browser.value("document.querySelectorAll('.chips button').length").await;
    assert!(choices.as_u64().unwrap() > 1, "{choices} choices for the parts");
    browser.keys("\u{E00C}").await;
    browser.until("nothing is chosen", "!document.querySelector('.stages .done')").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_computer_answers_and_gives_hints_and_both_turns_are_taken_back() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/")).await;
    browser.click("[data-game=\"gekitai\"]").await;
    browser.find("#new-game[open]").await;
    browser.click("#start").await;
    browser.find("main[data-ready] .board svg").await;
    browser.until("it lives here", "location.pathname === '/play'").await;
    browser.click("#hint").await;
    browser.until("a hint is drawn", "document.querySelector('.marks .hint')").await;
    browser.click("#cell-c3").await;
    browser.find(".turns [data-ply=\"2\"]").await;
    browser.until_text("#live", "Your turn").await;
    // Both turns outlive the page.
    browser.reload().await;
    browser.find(".turns [data-ply=\"2\"]").await;
    browser.click("#undo").await;
    browser.until("both are gone", "!document.querySelector('.turns [data-ply]')").await;
    browser.pick("#resign").await;
    browser.click("dialog[open] button.primary").await;
    browser.find(".card.over").await;
    // Home knows the game.
    browser.open(&site.page("/")).await;
    browser.until_text(".mine", "Level 3 won").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_is_a_grid_of_named_buttons() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    let seats = json!([{ "kind": "person" }, { "kind": "person" }]);
    open_game(&site, &browser, &json!({ "game": "glaisher", "shared": true, "seats": seats }))
        .await;
    let spoken = browser.spoken().await;
    let says = |role: &str, part: &str| {
        assert!(
            spoken.iter().any(|(r, name)| r == role && name.contains(part)),
            "no {role} with {part:?} in {spoken:#?}"
        );
    };
    says("grid", "Board");
    says("gridcell", "a2, red stack of 6");
    says("gridcell", "legal move");
    says("textbox", "Type a move");
    says("button", "Take back");
    says("heading", "Glaisher");
    assert!(spoken.iter().any(|(role, _)| role == "status"), "no live region");
    let unnamed: Vec<_> = spoken
        .iter()
        .filter(|(role, name)| {
            matches!(role.as_str(), "button" | "link" | "textbox" | "combobox") && name.is_empty()
        })
        .collect();
    assert!(unnamed.is_empty(), "without a name: {unnamed:?}");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_is_wider_than_a_phone() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.phone().await;
    let mut paths: Vec<String> =
        ["/", "/analysis", "/editor", "/learn", "/puzzles", "/results"].map(str::to_owned).to_vec();
    for game in games() {
        paths.extend(
            ["rules", "analysis", "editor", "learn", "puzzles", "results"]
                .map(|page| format!("/{page}/{game}")),
        );
        paths.push(format!("/puzzles/{game}/1"));
    }
    for path in paths {
        browser.open(&site.page(&path)).await;
        browser.find("main[data-ready]").await;
        let width = browser.value("document.documentElement.scrollWidth").await;
        assert!(width.as_u64().unwrap() <= 360, "{path} is {width} pixels wide");
    }
    browser.close().await;
}
