//! Two browsers that play each other, and a third that watches.

use super::driver::Driver;
use super::open_game;
use super::player::{Hand, Script, make, seen};
use super::site::Site;
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn two_browsers_play_and_a_third_watches() {
    let (driver, site) = (Driver::start(), Site::start());
    let (ann, bob) = (driver.window(1200, 900).await, driver.window(1000, 800).await);
    let watcher = driver.window(800, 700).await;
    let script = Script::random("gekitai", &json!({}));

    ann.open(&site.page("/")).await;
    ann.click("[data-game=\"gekitai\"]").await;
    ann.click("#new-game input[value=\"link\"]").await;
    ann.write("#name", "Ann").await;
    ann.click("#start").await;
    ann.find("#invite-link").await;
    let invitation = ann.value("document.querySelector('#invite-link').value").await;
    bob.open(invitation.as_str().unwrap()).await;
    bob.write("#join-name", "Bob").await;
    bob.click("#join").await;
    ann.until_text("#seat-2", "Bob").await;
    ann.until_text("#live", "Bob has joined").await;
    let url = ann.url().await;
    assert!(!url.contains('#'), "the secret stays in the address: {url}");
    watcher.open(&url).await;
    watcher.find("main[data-ready] .board svg").await;
    watcher
        .until("nothing can be played", "!document.querySelector('#move-text').checkVisibility()")
        .await;

    for (i, turn) in script.turns.iter().enumerate() {
        let (mover, other) = if i % 2 == 0 { (&ann, &bob) } else { (&bob, &ann) };
        make(mover, turn, i + 1, Hand::Mouse).await;
        seen(other, turn, i + 1).await;
        seen(&watcher, turn, i + 1).await;
        other.until_text("#live", &turn.text).await;
        match i {
            2 => bob.reload().await,
            3 => ann.reload().await,
            4 => watcher.reload().await,
            _ => {}
        }
        if i == 5 {
            // The turn is taken back when the other agrees, and played again.
            mover.click("#undo").await;
            other.click("#accept").await;
            let gone = format!("!document.querySelector('.turns [data-ply=\"{}\"]')", i + 1);
            for browser in [mover, other, &watcher] {
                browser.until("the turn is gone", &gone).await;
            }
            make(mover, turn, i + 1, Hand::Mouse).await;
            seen(other, turn, i + 1).await;
        }
    }
    for browser in [&ann, &bob, &watcher] {
        browser.until_text(".seat.won", script.winner).await;
    }
    ann.click("#rematch").await;
    bob.until_text("#notice", "rematch").await;
    bob.click("#rematch").await;
    // The seats are exchanged: now Bob begins.
    for browser in [&ann, &bob] {
        browser.until_text("#seat-1.turn", "Bob").await;
    }
    for browser in [ann, bob, watcher] {
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_helped_in_a_game_between_people() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1200, 900).await;
    let person = json!({ "kind": "person" });
    let clock = json!({ "kind": "time", "seconds": 600, "increment": 0 });
    for (other, clock, shared, helped) in [
        (&person, &clock, false, false),
        (&person, &json!({ "kind": "none" }), false, false),
        (&person, &clock, true, false),
        (&json!({ "kind": "level", "level": 1 }), &clock, false, true),
    ] {
        let seats = json!([person, other]);
        let request =
            json!({ "game": "gekitai", "seats": seats, "clock": clock, "shared": shared });
        open_game(&site, &browser, &request).await;
        let offered = browser.value("document.querySelector('#hint').checkVisibility()").await;
        assert_eq!(offered, helped, "the button in {request}");
        browser.keys("h").await;
        if helped {
            browser.find(".marks .hint").await;
        } else {
            tokio::time::sleep(Duration::from_secs(2)).await;
            let hint = browser.value("document.querySelector('.marks .hint')").await;
            assert!(hint.is_null(), "the key in {request}");
        }
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_opened_from_the_menu_has_the_focus_and_escape_closes_it_from_everywhere() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1200, 900).await;
    let person = json!({ "kind": "person" });
    open_game(&site, &browser, &json!({ "game": "gekitai", "seats": [person, person] })).await;
    let focus = "document.activeElement.id";
    for closed_from in ["#rules-close", "#cell-a1"] {
        browser.pick("#rules-open").await;
        browser.until("the rules have the focus", &format!("{focus} === 'rules-close'")).await;
        browser.script(&format!("document.querySelector({closed_from:?}).focus()")).await;
        browser.keys("\u{E00C}").await;
        browser.until("they are closed", "!document.querySelector('#rules-panel')").await;
        let banners = "document.querySelectorAll('body > header, dialog header').length";
        assert_eq!(browser.value(banners).await, json!(1));
    }
    browser.pick("#type-open").await;
    browser.until("one may type", &format!("{focus} === 'move-text'")).await;
    browser.keys("\u{E00C}z").await;
    browser.until("only the board", "!document.querySelector('.bar').checkVisibility()").await;
    let heard = browser.spoken().await;
    assert!(heard.contains(&("heading".into(), "Gekitai".into())), "{heard:?}");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_chosen_ahead_is_marked_lightly_and_gone_when_the_game_ends() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1200, 900).await;
    let seats = json!([{ "kind": "person", "name": "Ann" }, { "kind": "person", "name": "Bo" }]);
    let made = site.post("/api/games", &json!({ "game": "gekitai", "seats": seats }));
    let token = |i: usize| made["tokens"][i].as_str().unwrap().to_owned();
    let id = made["id"].as_str().unwrap();
    for (i, turn) in ["c3", "d4", "a6"].into_iter().enumerate() {
        let command = json!({ "type": "move", "turn": turn });
        site.command(id, &token(i % 2), &command).unwrap();
    }
    browser.open(&site.page(&format!("/{id}#{}", token(0)))).await;
    browser.find("main[data-ready] .board svg").await;
    browser.click("#cell-f6").await;
    browser.until_text("#prompt", "f6 will be played next").await;
    let fill = "getComputedStyle(document.querySelector('.marks .later.spot')).fill";
    assert_eq!(browser.value(fill).await, json!("none"), "the cell is covered");
    site.command(id, &token(1), &json!({ "type": "resign" })).unwrap();
    browser.until_text("#prompt", "Ann has won by resignation").await;
    let marked = browser.value("document.querySelector('.marks .later')").await;
    assert!(marked.is_null(), "what will not be played is still marked");
    // And the list of one's games says who has won.
    browser.open(&site.page("/")).await;
    browser.until_text(".mine", "Ann won").await;
    browser.close().await;
}
