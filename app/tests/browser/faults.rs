//! Whole games over a network that delays, cuts and falls silent, on servers that die: every turn that a page has
//! accepted arrives exactly once, and no page is ever reloaded.

use super::driver::{Browser, Driver};
use super::network::quiet;
use super::player::Script;
use super::proxy::{Proxy, Weather};
use super::site::Site;
use fantoccini::wd::WindowHandle as Window;
use rules::random::Random;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// How many games are played in the ordinary tests, and how many at once.
const GAMES: u64 = 3;
const TOGETHER: u64 = 6;

/// How long a batch of games may take: a page that has not finished by then is stuck.
const PATIENCE: Duration = Duration::from_secs(240);

#[tokio::test(flavor = "multi_thread")]
async fn every_turn_that_a_page_has_taken_arrives_exactly_once() {
    let games = std::env::var("QUADRILLE_FAULTY_GAMES").map_or(GAMES, |n| n.parse().unwrap());
    let driver = Driver::start();
    let browser = driver.window(1000, 800).await;
    let home = browser.window().await;
    let (start, mut turns) = (Instant::now(), 0);
    let mut seen = Faults::default();
    for first in (1..=games).step_by(TOGETHER as usize) {
        let mut batch = Vec::new();
        for seed in first..(first + TOGETHER).min(games + 1) {
            batch.push(Game::open(&browser, seed).await);
        }
        let begun = Instant::now();
        while !batch.is_empty() {
            let mut unfinished = Vec::new();
            for game in batch {
                if game.is_done(&browser).await {
                    turns += game.script.turns.len();
                    seen.add(&game.compare(&browser).await);
                } else if begun.elapsed() > PATIENCE {
                    game.give_up(&browser).await;
                } else {
                    unfinished.push(game);
                }
            }
            batch = unfinished;
        }
        browser.turn_to(&home).await;
    }
    println!("{games} games, {turns} turns in {:.0?}, with {seen:?}", start.elapsed());
    assert!(games < GAMES || seen.all() > games as u32, "hardly anything went wrong: {seen:?}");
    browser.close_after_trouble().await;
}

/// What went wrong on purpose.
#[derive(Clone, Copy, Debug, Default)]
struct Faults {
    slow: u32,
    cut: u32,
    silent: u32,
    one_way: u32,
    forgotten: u32,
    requests: u32,
    restarts: u32,
}

impl Faults {
    fn add(&mut self, other: &Faults) {
        self.slow += other.slow;
        self.cut += other.cut;
        self.silent += other.silent;
        self.one_way += other.one_way;
        self.forgotten += other.forgotten;
        self.requests += other.requests;
        self.restarts += other.restarts;
    }

    fn all(&self) -> u32 {
        let network = self.slow + self.cut + self.silent + self.one_way + self.requests;
        network + self.forgotten + self.restarts
    }
}

/// A game between two windows.
struct Game {
    seed: u64,
    id: String,
    script: Script,
    site: Arc<Mutex<Site>>,
    windows: Vec<Window>,
    over: watch::Sender<bool>,
    storm: JoinHandle<(Faults, Proxy)>,
}

impl Game {
    /// Makes a game and opens both its pages; the browser holds both seats.
    async fn open(browser: &Browser, seed: u64) -> Game {
        // Turns of two moves take long, and are for those who play many games.
        let (game, options) = match seed % 8 {
            7 => ("glaisher", json!({})),
            0 | 3 => ("six-making", json!({ "size": 4 })),
            1 | 4 => ("gekitai", json!({ "size": 4 })),
            _ => ("jeson-mor", json!({ "size": 5 })),
        };
        let script = Script::short(game, &options, seed);
        let site = Site::start();
        let proxy = Proxy::start(&site.url).await;
        let made = site.post("/api/games", &request(&script));
        let id = made["id"].as_str().unwrap().to_owned();
        let mut windows = Vec::new();
        for seat in [1, 2] {
            windows.push(browser.another().await);
            let token = made["tokens"][seat - 1].as_str().unwrap();
            browser.open(&proxy.page(&format!("/{id}#{token}"))).await;
            if seat == 2 {
                browser.click("#choose-seat [data-seat=\"2\"]").await;
            }
            browser.find("main[data-ready] .board svg").await;
            let always = if seed.is_multiple_of(2) { "always" } else { "auto" };
            let taste = json!({ "confirm": always }).to_string();
            browser.script(&format!("localStorage['quadrille.prefs'] = {taste:?}")).await;
            let turns = script.turns.iter();
            let turns: Vec<_> =
                turns.map(|t| json!({ "text": t.text, "gestures": t.gestures })).collect();
            let arguments = vec![turns.into(), (seat - 1).into(), seed.into(), (seat == 1).into()];
            browser.run(include_str!("player.js"), arguments).await;
        }
        let site = Arc::new(Mutex::new(site));
        let (over, until) = watch::channel(false);
        let storm =
            Storm { site: Arc::clone(&site), proxy, over: until, faults: Faults::default() };
        let storm = tokio::spawn(storm.rage(seed));
        Game { seed, id, script, site, windows, over, storm }
    }

    /// Whether both pages say that all is done.
    async fn is_done(&self, browser: &Browser) -> bool {
        for window in &self.windows {
            browser.turn_to(window).await;
            if browser.value("window.player?.done").await != json!(true) {
                return false;
            }
        }
        true
    }

    /// Compares what the pages have done with what is stored, when the storm is over.
    async fn compare(self, browser: &Browser) -> Faults {
        self.over.send_replace(true);
        // The proxy stays until the pages have settled.
        let (faults, _proxy) = self.storm.await.unwrap();
        for (i, window) in self.windows.iter().enumerate() {
            browser.turn_to(window).await;
            let taken = browser.value("window.player.confirmed").await;
            let own = self.script.turns.iter().skip(i).step_by(2).map(|turn| &turn.text);
            assert_eq!(taken, json!(own.collect::<Vec<_>>()), "game {}, player {i}", self.seed);
            quiet(browser).await;
            browser.close_window().await;
        }
        let site = self.site.lock().unwrap();
        let events = site.get(&format!("/api/games/{}/events?after=0", self.id));
        let stored = events.as_array().unwrap().iter().filter(|event| event["kind"] == "move");
        let stored: Vec<_> = stored.map(|event| event["turn"].as_str().unwrap()).collect();
        let played: Vec<_> = self.script.turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(stored, played, "game {}", self.seed);
        faults
    }

    async fn give_up(&self, browser: &Browser) -> ! {
        let mut told = format!("game {} is stuck", self.seed);
        for window in &self.windows {
            browser.turn_to(window).await;
            for what in ["window.player", "document.body.innerText", "{ ...localStorage }"] {
                told += &format!("\n{what}: {:#}", browser.value(what).await);
            }
        }
        panic!("{told}");
    }
}

fn request(script: &Script) -> Value {
    json!({
        "game": script.game,
        "options": script.options,
        "seats": [{ "kind": "person", "name": "Ann" }, { "kind": "person", "name": "Bob" }],
        "clock": { "kind": "time", "seconds": 3600, "increment": 5 },
    })
}

/// One trouble after another, each followed by a moment of peace.
struct Storm {
    site: Arc<Mutex<Site>>,
    proxy: Proxy,
    over: watch::Receiver<bool>,
    faults: Faults,
}

impl Storm {
    /// Goes on until nobody is there any more; the seed decides what happens.
    async fn rage(mut self, seed: u64) -> (Faults, Proxy) {
        let mut random = Random::new(seed ^ 0x5707);
        let mut between = move |least: u64, most: u64| least + random.next_u64() % (most - least);
        // On a slow day the ordinary tests see no more trouble than on a quick one.
        let (most, forgotten) = if seed > GAMES { (60, 2) } else { (8, 1) };
        while self.lasts(between(80, 700)).await && self.faults.all() < most {
            let (after, lasts) = (between(0, 60) as usize, between(50, 1_500));
            let faults = &mut self.faults;
            let (count, weather) = match between(0, 12) {
                0 | 1 => (&mut faults.slow, Weather::Slow(between(10, 250))),
                2 | 3 => (&mut faults.cut, Weather::Cut),
                4 | 5 => (&mut faults.silent, Weather::Silent { up: true, down: true, after }),
                6 => (&mut faults.one_way, Weather::Silent { up: true, down: false, after }),
                7 => (&mut faults.one_way, Weather::Silent { up: false, down: true, after }),
                8 => (&mut faults.requests, Weather::SocketsOnly),
                _ if seed.is_multiple_of(3) => {
                    faults.restarts += 1;
                    self.restart(between(0, 2) == 0, between(0, 400)).await;
                    continue;
                }
                _ => continue,
            };
            *count += 1;
            self.proxy.set(weather);
            self.lasts(lasts).await;
            // Some connections never come back; each costs its page the time to notice that.
            if self.faults.forgotten < forgotten && between(0, 6) == 0 {
                self.faults.forgotten += 1;
                self.proxy.bury();
            }
            self.proxy.set(Weather::Clear);
        }
        (self.faults, self.proxy)
    }

    /// Lets some time pass. Returns whether the game still goes on.
    async fn lasts(&mut self, ms: u64) -> bool {
        tokio::time::timeout(Duration::from_millis(ms), self.over.wait_for(|over| *over))
            .await
            .is_err()
    }

    /// Ends the server in one way or the other, and starts it again a little later.
    async fn restart(&self, gently: bool, away: u64) {
        {
            let mut site = self.site.lock().unwrap();
            if gently { site.stop() } else { site.kill() }
        }
        sleep(Duration::from_millis(away)).await;
        let mut site = self.site.lock().unwrap();
        site.start_again();
        self.proxy.lead_to(&site.url);
    }
}
