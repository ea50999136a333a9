//! An evening in the lobby: three people with names and a guest meet, play a rated game, watch, and look it up.

use super::driver::{Browser, Driver};
use super::player::{Hand, Script, make, seen};
use super::site::Site;
use serde_json::json;

/// Comes to the lobby and takes a name.
async fn arrive(driver: &Driver, site: &Site, name: &str) -> Browser {
    let browser = driver.window(1100, 900).await;
    browser.open(&site.page("/lobby")).await;
    browser.write("#player-name", name).await;
    browser.click("#register button").await;
    browser.until_text("#account", &format!("You are {name}")).await;
    browser
}

async fn key_of(browser: &Browser) -> String {
    let key = browser.value("JSON.parse(localStorage['quadrille.player']).key").await;
    key.as_str().unwrap().to_owned()
}

/// Nothing is wider than the window.
async fn fits(browser: &Browser) {
    let sizes = browser.value("[document.documentElement.scrollWidth, screen.width]").await;
    assert!(sizes[0].as_u64() <= sizes[1].as_u64(), "{sizes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn three_people_and_a_guest_spend_an_evening() {
    let (driver, site) = (Driver::start(), Site::start());
    let ann = arrive(&driver, &site, "Ann").await;
    let ben = arrive(&driver, &site, "Ben").await;
    let cem = arrive(&driver, &site, "Cem").await;
    let guest = driver.phone().await;
    guest.open(&site.page("/lobby")).await;

    let choose = "const game = document.querySelector('#lobby-game'); game.value = 'gekitai';
        game.dispatchEvent(new Event('change'))";
    ann.script(choose).await;
    // Games of players are rated unless they want something else.
    ann.click("#make-challenge").await;
    for browser in [&ben, &cem, &guest] {
        browser.until_text("table.open", "Ann").await;
    }
    guest.until_text("table.open tr", "Take a name").await;
    fits(&guest).await;
    guest.open(&site.page("/")).await;
    guest.until_text("#lobby tr", "Ann").await;
    fits(&guest).await;
    guest.open(&site.page("/lobby")).await;
    ben.click("tr[data-id] button.primary").await;
    for browser in [&ann, &ben] {
        browser.find("main[data-ready] .board svg").await;
        browser.until_text(".seat", "Ann").await;
    }
    for browser in [&cem, &guest] {
        browser.find(".watched a.live").await;
    }
    guest.click(".watched a.live").await;
    guest.find("main[data-ready] .board svg").await;

    let ann_begins = "document.querySelector('#seat-1').textContent.includes('Ann')";
    let ann_begins = guest.value(ann_begins).await == true;
    let script = Script::random("gekitai", &json!({}));
    for (i, turn) in script.turns.iter().enumerate() {
        let first = (i % 2 == 0) == ann_begins;
        let (mover, other) = if first { (&ann, &ben) } else { (&ben, &ann) };
        make(mover, turn, i + 1, Hand::Mouse).await;
        seen(other, turn, i + 1).await;
        seen(&guest, turn, i + 1).await;
    }
    for browser in [&ann, &ben, &guest] {
        browser.until_text(".seat.won", "").await;
    }
    ann.click("#more").await;
    ann.click("#greet-open").await;
    ann.click("[data-word=\"good-game\"]").await;
    ben.until_text(".toast", "Good game").await;

    cem.open(&site.page("/archive")).await;
    cem.write("#archive-player", "Ann").await;
    cem.click("#archive-search button.primary").await;
    cem.until_text("table.open", "Ann").await;
    guest.open(&site.page("/archive")).await;
    guest.until_text("table.open", "Ann").await;
    fits(&guest).await;
    cem.click("table.open td a[href*=\"player/\"]").await;
    cem.until_text("main", "1 rated game").await;

    // A link with somebody's key changes nothing unless its reader wants that.
    let key = key_of(&ann).await;
    cem.open(&site.page("/")).await;
    cem.open(&site.page(&format!("/lobby#{key}"))).await;
    cem.until_text("dialog", "the key of Ann").await;
    cem.click("dialog button[value=\"no\"]").await;
    cem.until_text("#account", "You are Cem").await;
    for browser in [&ann, &ben, &cem, &guest] {
        let url = browser.url().await;
        assert!(!url.contains("pk-"), "a key is in the address: {url}");
        let from = browser.value("document.referrer").await;
        assert!(!from.as_str().unwrap_or_default().contains("pk-"), "{from}");
    }
    for browser in [ann, ben, cem, guest] {
        browser.close().await;
    }
}
