//! Many games, while one address asks for as much as it can.
//!
//! `siege ADDRESS GAMES MOVES_PER_SECOND SECONDS [CONTROL]`, on the machine of the server, which listens on the
//! loopback and has its usual limits: `quadrille serve --data siege.db`. Each game comes from an address of
//! its own, with two sockets; some more are played against computers with clocks. As many are played at a second
//! server, CONTROL, which nobody attacks: it tells what the machine needs for a move meanwhile.
//! They are measured for SECONDS, and again while an attacker on 127.0.0.66 uses fifty connections
//! for what costs a server most, for fetching everything that can be fetched, for fetching one page, and for asking every
//! route for its most expensive answer; the last also from 200 addresses with three connections each. It ends with
//! exit code 1 if p99 reaches 50 ms under attack, or a computer loses on time.

mod bots;

use bots::{Bot, Crowd, Failed, Http, Made, Sorted, Times, make, open_socket};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;

const ATTACKER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 66));

/// Games against computers, with their clock and level.
const COMPUTERS: u8 = 20;
const CLOCK_SECONDS: u64 = 30;
const MOST_TURNS: u64 = 80;

/// The addresses of an attack from many.
const ADDRESSES: u32 = 200;

/// How many turns the attacker's longest game has.
const LONG: usize = 1_890;

/// The pause before each measurement.
const SETTLE: Duration = Duration::from_secs(5);

/// The limit for p99 under attack, in milliseconds.
const MOST: f64 = 50.0;

/// Statistics of the computers.
#[derive(Default)]
struct Computers {
    times: Times,
    games: AtomicU64,
    lost: AtomicU64,
}

/// What the attacker achieved.
#[derive(Default)]
struct Loot {
    granted: AtomicU64,
    refused: AtomicU64,
    broken: AtomicU64,
}

impl Loot {
    fn told(&self) -> String {
        let [granted, refused, broken] = [&self.granted, &self.refused, &self.broken]
            .map(|counter| counter.load(Ordering::Relaxed));
        format!("the attacker was granted {granted}, refused {refused} and cut off {broken} times")
    }
}

fn main() -> Result<ExitCode, Failed> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let ([address, games, rate, seconds, control @ ..], true) = (args.as_slice(), args.len() < 6)
    else {
        return Err("usage: siege ADDRESS GAMES MOVES_PER_SECOND SECONDS [CONTROL]".into());
    };
    let control: Option<SocketAddr> = control.first().map(|own| own.parse()).transpose()?;
    let (to, games): (SocketAddr, u32) = (address.parse()?, games.parse()?);
    let (rate, seconds): (f64, u64) = (rate.parse()?, seconds.parse()?);
    server::http::connections::open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let held = runtime.block_on(siege(to, control, games, rate, Duration::from_secs(seconds)));
    runtime.shutdown_background();
    Ok(if held? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the attacker's fifty connections do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Attack {
    /// The most expensive requests.
    Costly,
    /// Everything that can be fetched.
    Everything,
    /// The largest page.
    OnePage,
    /// The most expensive request to every route.
    EveryRoute,
    /// The same from 200 addresses, each in its own network.
    ManyAddresses,
}

const PAGE: &str = "/puzzles/glaisher/50";

async fn siege(
    to: SocketAddr,
    control: Option<SocketAddr>,
    games: u32,
    rate: f64,
    seconds: Duration,
) -> Result<bool, Failed> {
    let attacks = [
        Attack::Costly,
        Attack::Everything,
        Attack::OnePage,
        Attack::EveryRoute,
        Attack::ManyAddresses,
    ];
    let long = bots::routes::long_game(LONG);
    let warm_up = SETTLE + Duration::from_millis(u64::from(games) * 5);
    let measured = seconds + (SETTLE + seconds) * attacks.len() as u32;
    let until = Instant::now() + warm_up + measured + Duration::from_secs(1);
    let pause = Some(Duration::from_secs_f64(f64::from(games) / rate));
    let crowd = |to| Arc::new(Crowd { to: vec![to], pause, until, times: Times::default() });
    let crowds: Vec<_> = [to].into_iter().chain(control).map(crowd).collect();
    let computers = Arc::new(Computers::default());
    let mut others = JoinSet::new();
    for (crowd, number) in crowds.iter().flat_map(|crowd| (0..games).map(move |n| (crowd, n))) {
        let crowd = Arc::clone(crowd);
        // Each in a network of its own.
        let [.., high, low] = number.to_be_bytes();
        let from = IpAddr::from([127, 100 + high, low, 1]);
        others.spawn(async move {
            tokio::time::sleep(Duration::from_millis(u64::from(number) * 5)).await;
            while Instant::now() < crowd.until {
                crowd.play(from, u64::from(number)).await?;
            }
            Ok::<(), Failed>(())
        });
    }
    for number in 0..COMPUTERS {
        let computers = Arc::clone(&computers);
        others.spawn(async move {
            while Instant::now() < until {
                against_computer(to, number, until, &computers).await?;
            }
            Ok(())
        });
    }
    tokio::time::sleep(warm_up).await;
    measure("quiet", &crowds, &computers, seconds).await;
    let mut p99 = 0_f64;
    for attack in attacks {
        let (loot, over) = (Arc::new(Loot::default()), Arc::new(AtomicBool::new(false)));
        let attacker = besiege(attack, to, long.clone(), Arc::clone(&loot), Arc::clone(&over));
        let attacker = tokio::spawn(attacker);
        tokio::time::sleep(SETTLE).await;
        let moves = measure(&format!("{attack:?}"), &crowds, &computers, seconds).await;
        p99 = p99.max(moves.at(0.99));
        over.store(true, Ordering::Relaxed);
        attacker.abort();
        println!("{:10}  {}", "", loot.told());
    }
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let (games_of_computers, lost) = (count(&computers.games), count(&computers.lost));
    println!("computers have lost on time in {lost} of {games_of_computers} games");
    let mut failures = 0;
    while let Some(done) = others.join_next().await {
        if let Err(error) = done? {
            failures += 1;
            eprintln!("a game of others failed: {error}");
        }
    }
    let held = p99 < MOST && lost == 0 && failures == 0;
    println!("{}: p99 {p99:.1} ms", if held { "it held" } else { "it did not hold" });
    Ok(held)
}

/// Measures moves between players and replies of computers for a while. Returns the moves at the server under attack.
async fn measure(
    name: &str,
    crowds: &[Arc<Crowd>],
    computers: &Computers,
    time: Duration,
) -> Sorted {
    crowds.iter().for_each(|crowd| drop(crowd.times.take()));
    computers.times.take();
    tokio::time::sleep(time).await;
    let mut all: Vec<_> = crowds.iter().map(|crowd| crowd.times.take()).collect();
    let replies = computers.times.take();
    for (moves, place) in all.iter().zip(["", ", control"]) {
        println!(
            "{:20}: {} moves ({:.0}/s), p50 {:.1} ms, p99 {:.1} ms, most {:.1} ms",
            format!("{name}{place}"),
            moves.count(),
            moves.count() as f64 / time.as_secs_f64(),
            moves.at(0.5),
            moves.at(0.99),
            moves.at(1.0),
        );
    }
    println!(
        "{:20}: {} replies of computers, p50 {:.0} ms, p99 {:.0} ms",
        "",
        replies.count(),
        replies.at(0.5),
        replies.at(0.99),
    );
    all.swap_remove(0)
}

/// Plays a game against a computer whose clock runs.
async fn against_computer(
    to: SocketAddr,
    number: u8,
    until: Instant,
    computers: &Computers,
) -> Result<(), Failed> {
    let from = IpAddr::from([127, 2, number, 1]);
    let game = engine::GAMES[usize::from(number) % engine::GAMES.len()].info.id;
    let seats = json!([{ "kind": "person" }, { "kind": "level", "level": 1 + number % 10 }]);
    let clock = json!({ "kind": "time", "seconds": CLOCK_SECONDS, "increment": number % 2 });
    let made = make(from, to, &json!({ "game": game, "seats": seats, "clock": clock })).await?;
    let socket = open_socket(from, to, &made.id, 1, made.tokens[0].as_deref()).await?;
    let mut bot = Bot::new(socket, game, 1, u64::from(number) + 7)?;
    loop {
        // Its own time must not run out.
        if bot.commands == MOST_TURNS {
            return Ok(());
        }
        if bot.is_to_move() {
            bot.play(Duration::from_millis(300), until).await?;
        }
        loop {
            let Some(told) = bot.hear(until).await? else { return Ok(()) };
            match told["kind"].as_str() {
                Some("move") => {
                    if told["seat"] == 2 {
                        computers.times.note(bot.since_sent());
                    }
                    bot.session.play(told["turn"].as_str().unwrap_or_default())?;
                    break;
                }
                Some("result") => {
                    computers.games.fetch_add(1, Ordering::Relaxed);
                    let lost = told["reason"] == "time" && told["winner"] == 1;
                    computers.lost.fetch_add(u64::from(lost), Ordering::Relaxed);
                    return Ok(());
                }
                _ => {}
            }
        }
    }
}

/// What all connections of the attacker share.
#[derive(Clone)]
struct Attacker {
    from: IpAddr,
    to: SocketAddr,
    loot: Arc<Loot>,
    over: Arc<AtomicBool>,
    /// The long game, as a request and as created.
    long: Arc<Value>,
    made: Arc<Made>,
}

/// Fifty connections at once.
async fn besiege(
    attack: Attack,
    to: SocketAddr,
    long: Value,
    loot: Arc<Loot>,
    over: Arc<AtomicBool>,
) -> Result<(), Failed> {
    let person = json!({ "kind": "person" });
    let mut wanted = long.clone();
    wanted["shared"] = true.into();
    wanted["seats"] = json!([person, person]);
    let made = make(ATTACKER, to, &wanted).await?;
    let own =
        Attacker { from: ATTACKER, to, loot, over, long: Arc::new(long), made: Arc::new(made) };
    if attack == Attack::Costly {
        own.lengthen().await?;
    }
    let paths = Arc::new(match attack {
        Attack::Costly => Vec::new(),
        Attack::Everything => own.paths().await?,
        Attack::OnePage => vec![PAGE.to_owned()],
        Attack::EveryRoute | Attack::ManyAddresses => own.paths().await?,
    });
    let posts = Arc::new(bots::routes::posts(&own.long, 1_000));
    let mut tasks = JoinSet::new();
    let (count, every) = match attack {
        Attack::ManyAddresses => (3 * ADDRESSES, true),
        attack => (50, attack == Attack::EveryRoute),
    };
    for number in 0..count {
        let (mut own, paths, posts) = (own.clone(), Arc::clone(&paths), Arc::clone(&posts));
        if attack == Attack::ManyAddresses {
            own.from = IpAddr::from([127, 10, (number % ADDRESSES) as u8, 66]);
        }
        tasks.spawn(async move {
            while !own.over.load(Ordering::Relaxed) {
                // However it ended, start again.
                let ended = match (paths.is_empty(), every) {
                    (true, _) => own.strike(number).await,
                    (_, true) => own.ask_for_all(&paths, &posts, number as usize).await,
                    _ => own.fetch(&paths, number as usize).await,
                };
                if ended.is_err() {
                    own.loot.broken.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
    }
    tasks.join_all().await;
    Ok(())
}

impl Attacker {
    fn count(&self, status: u16) {
        let counter = if status == 429 { &self.loot.refused } else { &self.loot.granted };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    async fn ask(
        &self,
        http: &mut Http,
        path: &str,
        token: &str,
        body: &Value,
    ) -> Result<(u16, Value), Failed> {
        let method = if body.is_null() { "GET" } else { "POST" };
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = http.ask(method, path, token, &text).await?;
        self.count(status);
        Ok((status, serde_json::from_slice(&answer).unwrap_or_default()))
    }

    /// Plays and takes back in the long game, so that it has many events.
    async fn lengthen(&self) -> Result<(), Failed> {
        let mut http = Http::open(ATTACKER, self.to).await?;
        let token = self.made.tokens[0].as_deref().unwrap_or_default();
        let path = format!("/api/games/{}/commands", self.made.id);
        let given = self.long.as_ref();
        let shown = self.ask(&mut http, "/api/view", "", given).await?.1;
        let turn = &shown["steps"][0]["text"];
        for number in 0..60 {
            let first = json!({ "type": "move", "turn": turn, "command": format!("m{number}") });
            self.ask(&mut http, &path, token, &first).await?;
            self.ask(&mut http, &path, token, &json!({ "type": "undo" })).await?;
        }
        Ok(())
    }

    /// Everything that can be fetched.
    async fn paths(&self) -> Result<Vec<String>, Failed> {
        let (_, home) = Http::open(ATTACKER, self.to).await?.ask("GET", "/", "", "").await?;
        let home = String::from_utf8(home)?;
        let version = bots::routes::version(&home).ok_or("a page without files")?;
        Ok(bots::routes::paths(&self.made.id, version))
    }

    /// Fetches one path after another, compressed.
    async fn fetch(&self, paths: &[String], first: usize) -> Result<(), Failed> {
        let mut http = Http::open(ATTACKER, self.to).await?;
        http.packed = true;
        for path in paths.iter().cycle().skip(first) {
            let (status, _) = http.ask("GET", path, "", "").await?;
            self.count(status);
        }
        Ok(())
    }

    /// Asks every route for its most expensive answer, one after the other.
    async fn ask_for_all(
        &self,
        paths: &[String],
        posts: &[(&'static str, Value)],
        first: usize,
    ) -> Result<(), Failed> {
        let mut http = Http::open(self.from, self.to).await?;
        http.packed = true;
        let gets = paths.iter().map(|path| ("GET", path.as_str(), String::new()));
        let posts = posts.iter().map(|(path, body)| ("POST", *path, body.to_string()));
        let all: Vec<_> = gets.chain(posts).collect();
        for (method, path, body) in all.iter().cycle().skip(first * 7) {
            let (status, _) = http.ask(method, path, "", body).await?;
            self.count(status);
        }
        Ok(())
    }

    /// One of many ways to keep a server busy, until it fails.
    async fn strike(&self, number: u32) -> Result<(), Failed> {
        match number {
            0..8 => self.again("events?after=0", &Value::Null).await,
            8..12 => self.again("", &Value::Null).await,
            12..14 => self.again("record", &Value::Null).await,
            14..18 => self.again("commands", &json!({ "type": "undo", "command": "m1" })).await,
            18..22 => self.anew("/api/view", self.long.as_ref().clone()).await,
            22..24 => self.anew("/api/games", self.with_seats()).await,
            24..26 => self.anew("/api/review", self.with_time(2_000)).await,
            26..28 => self.anew("/api/analysis", self.with_time(60_000)).await,
            28..30 => self.anew("/api/hint", json!({ "game": "six-making" })).await,
            30..33 => self.rematches().await,
            33..41 => self.exhibition().await,
            41..44 => self.pongs().await,
            44..48 => self.half_a_head().await,
            _ => self.anew("/api/nonsense", json!({})).await,
        }
    }

    fn with_seats(&self) -> Value {
        let mut wanted = self.long.as_ref().clone();
        wanted["seats"] = json!([{ "kind": "person" }, { "kind": "person" }]);
        wanted
    }

    fn with_time(&self, ms: u64) -> Value {
        let mut wanted = self.long.as_ref().clone();
        wanted["time_ms"] = ms.into();
        wanted
    }

    /// Repeats a request about the long game.
    async fn again(&self, what: &str, body: &Value) -> Result<(), Failed> {
        let mut http = Http::open(ATTACKER, self.to).await?;
        let token = self.made.tokens[0].as_deref().unwrap_or_default();
        let path = format!("/api/games/{}/{what}", self.made.id);
        let path = path.trim_end_matches('/');
        loop {
            self.ask(&mut http, path, token, body).await?;
        }
    }

    /// Repeats a request.
    async fn anew(&self, path: &str, body: Value) -> Result<(), Failed> {
        let mut http = Http::open(ATTACKER, self.to).await?;
        loop {
            self.ask(&mut http, path, "", &body).await?;
        }
    }

    /// Resigns and asks for a rematch.
    async fn rematches(&self) -> Result<(), Failed> {
        let mut http = Http::open(ATTACKER, self.to).await?;
        let mut wanted = self.with_seats();
        wanted["shared"] = true.into();
        let (_, made) = self.ask(&mut http, "/api/games", "", &wanted).await?;
        let mut id = made["id"].as_str().ok_or("no game was made")?.to_owned();
        let token = made["tokens"][0].as_str().ok_or("no token")?.to_owned();
        loop {
            let path = format!("/api/games/{id}/commands");
            self.ask(&mut http, &path, &token, &json!({ "type": "resign" })).await?;
            let rematch = json!({ "type": "rematch" });
            let (_, answer) = self.ask(&mut http, &path, &token, &rematch).await?;
            if let Some(next) = answer["event"]["id"].as_str() {
                next.clone_into(&mut id);
            }
        }
    }

    /// Watches strong computers that play each other.
    async fn exhibition(&self) -> Result<(), Failed> {
        let level = json!({ "kind": "level", "level": 10 });
        let wanted = json!({ "game": "six-making", "seats": [level, level] });
        let made = make(ATTACKER, self.to, &wanted).await?;
        let mut socket = open_socket(ATTACKER, self.to, &made.id, 0, None).await?;
        while let Some(frame) = socket.next().await {
            frame?;
            self.count(200);
        }
        Ok(())
    }

    /// Sends unsolicited pongs.
    async fn pongs(&self) -> Result<(), Failed> {
        let mut socket = open_socket(ATTACKER, self.to, &self.made.id, 0, None).await?;
        loop {
            socket.send(Message::Pong(Default::default())).await?;
        }
    }

    /// Starts a request and never completes it.
    async fn half_a_head(&self) -> Result<(), Failed> {
        let mut stream = bots::connect(ATTACKER, self.to).await?;
        stream.write_all(b"GET / HTTP/1.1\r\nhost: local").await?;
        stream.read_to_end(&mut Vec::new()).await?;
        Ok(())
    }
}
