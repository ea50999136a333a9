//! The files of `quadrille site` on ordinary hosts, at their root and below a path: first and later visits, every kind
//! of page, addresses from outside, no network, and a browser that still has version 0.2.

use super::driver::{Browser, Driver, is_trouble};
use super::host::{Host, Program};
use crate::is_long;
use std::time::{Duration, Instant};

/// Waits until the service worker controls the page, and so has cached the pages.
pub async fn kept(browser: &Browser) {
    browser.until("the pages are kept", "navigator.serviceWorker.controller").await;
}

/// What a page of each kind must show.
const SHELF: &str = "main[data-ready] .shelf";
const BOARD: &str = "main[data-ready] .board svg";
const DOCUMENT: &str = "main[data-ready] #docs-words";

/// Pages by the addresses that people type or pass on.
const PAGES: [(&str, &str); 16] = [
    ("", SHELF),
    ("puzzles", SHELF),
    ("puzzles/gekitai/", "main[data-ready] .numbers"),
    ("puzzles/gekitai/50", BOARD),
    ("learn", SHELF),
    ("learn/six-making", BOARD),
    ("learn/glaisher/2", BOARD),
    ("analysis/", SHELF),
    ("analysis/jeson-mor", BOARD),
    ("analysis/jeson-mor/?position=4n/5/2N2/5/5_2", BOARD),
    ("editor/glaisher/", BOARD),
    ("editor/gekitai?position=6/6/2x3/6/6/6_2", BOARD),
    ("results", SHELF),
    ("results/jeson-mor/3", BOARD),
    ("rules/all", SHELF),
    ("rules/glaisher/index.html", "main[data-ready] .prose svg"),
];

/// Opens every kind of page by its address; a third of them in a short run.
async fn open_all(browser: &Browser, host: &Host) {
    for (path, sight) in PAGES.into_iter().step_by(if is_long() { 1 } else { 3 }) {
        browser.open(&host.page(path)).await;
        browser.find(sight).await;
    }
}

/// Clicks something that leads to another page, and waits for that.
async fn follow(browser: &Browser, host: &Host, css: &str, path: &str, sight: &str) {
    browser.script("document.body.classList.add('left')").await;
    browser.click(css).await;
    browser.until("another page", "!document.body.classList.contains('left')").await;
    browser.find(sight).await;
    let url = browser.url().await;
    assert!(url.starts_with(&host.page(path)), "{css} leads to {url}");
}

/// Clicks through pages of every kind.
async fn click_through(browser: &Browser, host: &Host) {
    let nav = |page: &str| format!("header nav [data-page={page}]");
    let tile = |page: &str| format!(".shelf a[href$='{page}/gekitai/']");
    follow(browser, host, &nav("puzzles"), "puzzles", SHELF).await;
    follow(browser, host, &tile("puzzles"), "puzzles/gekitai", ".numbers").await;
    follow(browser, host, ".numbers a[href$='/1/']", "puzzles/gekitai/1", BOARD).await;
    browser.click("#puzzle-solution").await;
    follow(browser, host, "#puzzle-analyse", "analysis/gekitai", BOARD).await;
    browser.find("#lines li button").await;
    follow(browser, host, &nav("learn"), "learn", SHELF).await;
    follow(browser, host, &tile("learn"), "learn/gekitai", BOARD).await;
    follow(browser, host, ".stages li:nth-child(2) a", "learn/gekitai/2", BOARD).await;
    follow(browser, host, ".place .state a", "rules/gekitai", ".prose").await;
    follow(browser, host, &nav("editor"), "editor", SHELF).await;
    follow(browser, host, &tile("editor"), "editor/gekitai", BOARD).await;
    browser.click("#cell-c3").await;
    browser.until("the address follows", "location.href.includes('2x3')").await;
    browser.reload().await;
    browser.until_text("#edit-status", "to move").await;
    browser.find("#cell-c3[aria-label*='X']").await;
    follow(browser, host, ".brand", "", SHELF).await;
    follow(browser, host, "a[href*=results]", "results", SHELF).await;
    follow(browser, host, ".known li a", "results/", BOARD).await;
    follow(browser, host, ".brand", "", SHELF).await;
    follow(browser, host, ".page-end a[href$='docs/']", "docs", DOCUMENT).await;
    follow(browser, host, ".prose a[href*='docs/levels']", "docs/levels", DOCUMENT).await;
    follow(browser, host, ".brand", "", SHELF).await;
}

/// Plays two turns against the computer, and comes back to the game from home.
async fn play(browser: &Browser, host: &Host) {
    browser.open(&host.page("?new=gekitai")).await;
    browser.find("#new-game[open]").await;
    browser.click("#start").await;
    browser.find(BOARD).await;
    browser.click("#cell-c3").await;
    browser.find(".turns [data-ply=\"2\"]").await;
    browser.open(&host.page("")).await;
    follow(browser, host, ".games li a", "play", BOARD).await;
    browser.find(".turns [data-ply=\"2\"]").await;
}

/// A person's visits, from the first one to one without a network.
async fn visit(program: Program, base: &'static str) {
    visit_for(program, base, true).await;
}

/// The same, in a short run without clicking through the pages.
async fn visit_briefly(program: Program, base: &'static str) {
    visit_for(program, base, is_long()).await;
}

async fn visit_for(program: Program, base: &'static str, through: bool) {
    let (driver, mut host) = (Driver::start(), Host::start(program, base));
    let browser = driver.window(1280, 900).await;
    browser.open(&host.page("")).await;
    kept(&browser).await;
    if through {
        click_through(&browser, &host).await;
        play(&browser, &host).await;
    }
    open_all(&browser, &host).await;
    // Addresses from outside, as a first visitor opens them.
    browser.ignore_workers(true).await;
    open_all(&browser, &host).await;
    browser.ignore_workers(false).await;
    host.go_away();
    open_all(&browser, &host).await;
    if through {
        browser.open(&host.page("docs/levels")).await;
        browser.find(DOCUMENT).await;
    }
    // Positions were once part of the path.
    browser.open(&host.page("analysis/jeson-mor/4n/5/2N2/5/5_2")).await;
    browser.find(BOARD).await;
    // If nothing appends the slash to a folder's path, the browser looks for its files beside it before the page can.
    let beside = |message: &str| {
        matches!(program, Program::NginxWithFallback) && message.contains("status of 404")
    };
    browser.close_where(|message| is_trouble(message) || beside(message)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes long: ./check --long"]
async fn the_site_works_at_the_root_of_pythons_host() {
    visit_briefly(Program::Python, "/").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_site_works_below_a_path_of_pythons_host() {
    // Scripts put the path into documents, where `$&` must not mean anything.
    visit(Program::Python, "/some/$&/path/").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes long: ./check --long"]
async fn the_site_works_at_the_root_of_nginx() {
    visit(Program::Nginx, "/").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes long: ./check --long"]
async fn the_site_works_below_a_path_of_nginx() {
    visit_briefly(Program::Nginx, "/learn/gekitai/").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes long: ./check --long"]
async fn the_site_works_where_nothing_is_redirected() {
    visit_briefly(Program::NginxWithFallback, "/some/path/").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_host_does_not_find_the_page_finds_at_the_root_and_below_a_path() {
    let driver = Driver::start();
    for base in ["/", "/some/path/"] {
        let host = Host::start(Program::NginxWithFallback, base);
        let browser = driver.window(1280, 900).await;
        browser.ignore_workers(true).await;
        browser.open(&host.page("analysis/jeson-mor/4n/5/2N2/5/5_2")).await;
        browser.find(BOARD).await;
        browser.find("#lines li button").await;
        for path in ["nothing", "nothing/at/all"] {
            browser.open(&host.page(path)).await;
            browser.until_text("main h1", "Page not found").await;
            let home = browser.value("document.querySelector('main .button').href").await;
            assert_eq!(home, host.page("").as_str(), "{path}");
        }
        browser.close_where(|message| message.contains("404")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_whose_version_shows_no_page_but_home_is_cured_by_the_next_one() {
    let driver = Driver::start();
    for (i, program) in [Program::Python, Program::Nginx].into_iter().enumerate() {
        for at_home in [true, false] {
            // Half of the pairs: writing the site four times takes a minute.
            if (i == 0) != at_home && !is_long() {
                continue;
            }
            let host = Host::empty(program, "/");
            write_version_0_2(&host);
            let browser = driver.window(1280, 900).await;
            browser.open(&host.page("")).await;
            kept(&browser).await;
            assert!(!browser.try_to_open(&host.page("puzzles")).await, "version 0.2 is not broken");
            std::fs::remove_dir_all(host.site()).unwrap();
            std::fs::create_dir_all(host.site()).unwrap();
            host.write_site();
            // A visit may look for a new worker while the site is still being written: then the next one finds it.
            let page = host.page(if at_home { "" } else { "puzzles" });
            let begin = Instant::now();
            while !is_cured(&browser, &page).await {
                assert!(begin.elapsed() < Duration::from_secs(90), "{program:?}: not cured");
            }
            if at_home {
                follow(&browser, &host, "header nav [data-page=puzzles]", "puzzles", SHELF).await;
            }
            let left = browser.promised("{ return (await caches.keys()).join(' '); }").await;
            assert!(!left.as_str().unwrap().contains("5459f0cf0f25"), "{left} is left");
            browser.close_after_trouble().await;
        }
    }
}

/// Visits a page for a while: version 0.2 shows it as it was, or not at all, until it gives way to the next one by
/// itself.
async fn is_cured(browser: &Browser, page: &str) -> bool {
    browser.try_to_open(page).await;
    let begin = Instant::now();
    // Chromium looks for a new worker when a second has passed without a visit.
    while begin.elapsed() < Duration::from_secs(5) {
        if browser.shows(SHELF).await {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    false
}

/// A site whose worker, home and way to a new version are those of version 0.2.
fn write_version_0_2(host: &Host) {
    let site = host.site();
    for folder in ["assets/5459f0cf0f25", "play", "puzzles"] {
        std::fs::create_dir_all(site.join(folder)).unwrap();
    }
    let page = include_str!("version-0.2/index.html");
    for (name, text) in [
        ("sw.js", include_str!("version-0.2/sw.js")),
        ("assets/5459f0cf0f25/main.js", include_str!("version-0.2/main.js")),
        ("index.html", page),
        ("play/index.html", page),
        ("puzzles/index.html", page),
    ] {
        std::fs::write(site.join(name), text).unwrap();
    }
}
