//! The pages without a server: the files of `quadrille site`, from a static host.

use super::driver::Driver;
use super::host::{Host, Program};
use super::hosts::kept;
use super::site::Site;

#[tokio::test(flavor = "multi_thread")]
async fn a_game_of_this_browser_is_handed_to_a_server_and_is_one_game() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/?new=gekitai")).await;
    browser.find("#new-game[open]").await;
    browser.click("#start").await;
    browser.find("main[data-ready] .board svg").await;
    browser.click("#cell-c3").await;
    browser.find(".turns [data-ply=\"2\"]").await;
    browser.pick("#share").await;
    browser.click("#hand-over").await;
    browser.until("it has an address", "/^.[0-9A-Za-z]{8}$/.test(location.pathname)").await;
    browser.find(".turns [data-ply=\"2\"]").await;
    let url = browser.url().await;
    let id = url.rsplit('/').next().unwrap();
    assert_eq!(site.get(&format!("/api/games/{id}"))["turns"].as_array().unwrap().len(), 2);
    browser.open(&site.page("/")).await;
    browser.find(".games li").await;
    let games = browser.value("document.querySelectorAll('.games li').length").await;
    assert_eq!(games, 1);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_the_browser_has_no_room_for_is_refused_with_what_to_do() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/?new=gekitai")).await;
    browser.find("#new-game[open]").await;
    browser.click("#start").await;
    browser.find("main[data-ready] .board svg").await;
    let full = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }";
    browser.script(full).await;
    browser.write("#move-text", "c3\u{E007}").await;
    browser.until_text("#move-error", "no room left").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_chosen_while_the_computer_thinks_and_taken_back() {
    let (driver, site) = (Driver::start(), Site::start());
    let browser = driver.window(1280, 900).await;
    browser.open(&site.page("/?new=jeson-mor")).await;
    browser.find("#new-game[open]").await;
    browser.value("document.querySelector('#one').value = 'level:10'").await;
    browser.click("#start").await;
    browser.find("main[data-ready] .board svg").await;
    // All within one task, so that the computer cannot answer in between.
    let taps = "(async () => { const tap = (name) => document.querySelector(`#cell-${name}`).click(); \
        const until = async (is) => { while (!is()) await new Promise((on) => setTimeout(on, 5)); }; \
        const prompt = () => document.querySelector('#prompt').textContent; \
        tap('c1'); tap('d3'); \
        await until(() => document.querySelector('.turns [data-ply=\"1\"]')); \
        tap('a1'); tap('b3'); await until(() => prompt().includes('a1-b3')); \
        tap('e5'); await until(() => !prompt().includes('a1-b3')); \
        tap('g1'); tap('f3'); await until(() => prompt().includes('g1-f3')); return 'chosen'; })()";
    assert_eq!(browser.promised(&format!("{{ return await {taps}; }}")).await, "chosen");
    browser.until_text(".turns [data-ply=\"3\"]", "g1-f3").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_site_plays_solves_and_analyses_without_a_network() {
    let (driver, mut host) = (Driver::start(), Host::start(Program::Python, "/"));
    let browser = driver.window(1280, 900).await;
    browser.open(&host.page("")).await;
    kept(&browser).await;
    host.go_away();
    browser.open(&host.page("?new=gekitai")).await;
    browser.find("#new-game[open]").await;
    let link = browser.value("document.querySelector('input[value=link]')").await;
    assert!(link.is_null(), "a friend by link needs a server");
    browser.value("document.querySelector('input[value=watch]').click()").await;
    browser.value("document.querySelector('#two').value = 'level:1'").await;
    browser.click("#start").await;
    browser.find(".seat.won, .stage.over").await;
    browser.click("#review").await;
    browser.until_text("#live", "Review done").await;
    browser.open(&host.page("analysis/jeson-mor/4n/5/2N2/5/5_2")).await;
    browser.find("#lines li button").await;
    browser.open(&host.page("puzzles/six-making/1")).await;
    browser.click("#puzzle-solution").await;
    browser.find(".turns [data-ply=\"1\"]").await;
    browser.open(&host.page("results/jeson-mor/3")).await;
    browser.until_text("#distance", "Black wins in 11 more turns").await;
    browser.write("#move-text", "a1-b3\u{E007}").await;
    browser.find(".turns [data-ply=\"2\"]").await;
    browser.close_after_trouble().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_version_says_so_and_comes_whole_when_it_is_wanted() {
    let (driver, host) = (Driver::start(), Host::start(Program::Python, "/"));
    let browser = driver.window(1280, 900).await;
    browser.open(&host.page("")).await;
    kept(&browser).await;
    let version =
        "new URL(document.querySelector('script[type=module]').src).pathname.split('/')[2]";
    let old = browser.value(version).await;
    let new = "another";
    host.release(new);
    // The old version keeps working as a whole, and offers the new one.
    browser.open(&host.page("puzzles")).await;
    assert_eq!(browser.value(version).await, old);
    browser.find("main[data-ready] .shelf").await;
    browser.find("#take-over").await;
    browser.click("#take-over").await;
    browser.until("the new one", &format!("{version} === {new:?}")).await;
    browser.find("main[data-ready] .shelf").await;
    browser.close_after_trouble().await;
}
