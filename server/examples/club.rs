//! Measures the lobby and the archive, on a server of its own.
//!
//! `club lobby CHALLENGES WATCHERS OFFERS` opens CHALLENGES challenges and WATCHERS sockets, then posts OFFERS more challenges
//! and measures how long each takes to reach every watcher.
//!
//! `club archive GAMES` stores GAMES finished games of a hundred players in a new file, then measures searches, the size of
//! the file and the time of a start. The file is deleted afterwards.

use engine::playouts::random_turn;
use futures_util::{SinkExt, StreamExt};
use rules::random::Random;
use rules::{ByPlayer, Player};
use serde_json::{Map, Value, json};
use server::club::lobby::{self, Met, Party, Terms};
use server::club::{archive, records};
use server::games::hall::Hall;
use server::games::plan::first;
use server::ids::hash;
use server::store::records::Change;
use server::store::{Append, Tip};
use server::{Config, Server};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::TimeControl;
use table::event::{Club, Created, Ending, Event, Fact, Reason, Seat};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;

type Failed = Box<dyn std::error::Error + Send + Sync>;

/// How many players the finished games have, and how many lines of play.
const PLAYERS: usize = 100;
const LINES: u64 = 500;

/// How many games are stored concurrently.
const TOGETHER: usize = 64;

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let folder = std::env::temp_dir().join(format!("quadrille-club-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = match words[..] {
        ["lobby", challenges, watchers, offers] => {
            crowd(&folder, challenges.parse()?, watchers.parse()?, offers.parse()?).await
        }
        ["archive", games] => many_games(&folder, games.parse()?).await,
        _ => Err("usage: club lobby CHALLENGES WATCHERS OFFERS | club archive GAMES".into()),
    };
    std::fs::remove_dir_all(&folder)?;
    done
}

fn config(folder: &std::path::Path) -> Config {
    Config {
        listen: ([127, 0, 0, 1], 0).into(),
        data: folder.join("games.db"),
        nats: None,
        proxies: Vec::new(),
        base_url: None,
        web: None,
        metrics: None,
        new_games: 100_000,
        allowance: 10_000_000,
        connections: 10_000,
        operator: Default::default(),
    }
}

fn wanted(clock: TimeControl) -> Result<Terms, Failed> {
    let wanted = json!({ "game": "gekitai", "clock": clock });
    Ok(serde_json::from_value::<Terms>(wanted)?.checked().map_err(|refusal| refusal.message)?)
}

fn part(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    let at = (times.len() as f64 * share) as usize;
    times.get(at.min(times.len().saturating_sub(1))).copied().unwrap_or_default()
}

async fn crowd(
    folder: &std::path::Path,
    challenges: usize,
    watchers: usize,
    offers: usize,
) -> Result<(), Failed> {
    server::http::connections::open_files();
    let server = Server::open(&config(folder)).await?;
    let hall = Arc::clone(server.hall());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(server.serve(listener, std::future::pending()));
    // In correspondence games nobody has to stay connected.
    let guest = |i: usize| Party { player: None, seal: hash(&format!("{i:022}")), from: None };
    let live = wanted(TimeControl::Time { seconds: 300, increment: 3 })?;
    let said = |refusal: table::Refusal| Failed::from(refusal.message);
    let made = lobby::challenge(&hall, &guest(0), live.clone(), false).await.map_err(said)?;
    let Met::Waits(one) = made else { return Err("nobody was to play".into()) };
    let key = format!("challenge/{}", one.id);
    let stored = records(&hall).map_err(said)?.get(vec![key]).await?;
    let mut value: Value = serde_json::from_str(&stored[0].value)?;
    value["clock"] = json!({ "kind": "days", "days": 3 });
    let all: Vec<_> = (0..challenges)
        .map(|i| Change::put(format!("challenge/aaaaaaaa.{i:08}"), value.to_string()))
        .collect();
    for some in all.chunks(250) {
        records(&hall).map_err(said)?.change(some.to_vec()).await?;
    }
    let (tell, mut heard) = mpsc::unbounded_channel();
    let mut tasks = JoinSet::new();
    for _ in 0..watchers {
        let tell = tell.clone();
        tasks.spawn(async move {
            watch(&format!("ws://{address}/api/lobby/socket"), challenges, tell).await
        });
    }
    let began = Instant::now();
    for _ in 0..watchers {
        heard.recv().await;
    }
    println!("{watchers} watchers have the list of {challenges} after {:.1?}", began.elapsed());
    let (mut times, mut last) = (Vec::new(), Vec::new());
    for offer in 0..offers {
        let party = guest(1_000_000 + offer);
        let sent = Instant::now();
        let made = lobby::challenge(&hall, &party, live.clone(), false).await.map_err(said)?;
        let Met::Waits(_) = made else { return Err("nobody was to play".into()) };
        let mut slowest = Duration::ZERO;
        for _ in 0..watchers {
            let at: Instant = heard.recv().await.ok_or("all watchers are gone")?;
            slowest = at.duration_since(sent);
            times.push(slowest);
        }
        last.push(slowest);
        lobby::withdraw(&hall, &party, &party.id()).await.map_err(said)?;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    println!(
        "{offers} offers: in a list after {:.1?} (half), {:.1?} (99 %); in everybody's after {:.1?} (99 %)",
        part(&mut times, 0.5),
        part(&mut times, 0.99),
        part(&mut last, 0.99)
    );
    tasks.abort_all();
    Ok(())
}

/// Reports when the whole list has arrived, and then each offer.
async fn watch(
    url: &str,
    count: usize,
    tell: mpsc::UnboundedSender<Instant>,
) -> Result<(), Failed> {
    let (mut socket, _) = tokio_tungstenite::connect_async(url).await?;
    let (mut known, mut whole) = (HashSet::new(), false);
    while let Some(message) = socket.next().await {
        let text = match message? {
            Message::Text(text) => text,
            Message::Ping(data) => {
                socket.send(Message::Pong(data)).await?;
                continue;
            }
            _ => continue,
        };
        let at = Instant::now();
        let told: Value = serde_json::from_str(&text)?;
        let new = told["all"].as_array().or(told["added"].as_array()).into_iter().flatten();
        for one in new {
            let is_new = known.insert(one["id"].as_str().unwrap_or_default().to_owned());
            if is_new && whole {
                tell.send(at)?;
            }
        }
        if !whole && known.len() >= count {
            whole = true;
            tell.send(at)?;
        }
    }
    Ok(())
}

/// A game of two of the players, as it is stored.
fn game(i: usize, line: &[String]) -> (String, Created, Vec<Event>) {
    let id = format!("{i:08}");
    let players =
        [i % PLAYERS, (i / PLAYERS + i + 1) % PLAYERS].map(|own| Some(format!("p{own:07}")));
    let entry = engine::find("gekitai").expect("it is there");
    let start = (entry.start)(&Map::new()).expect("there is a start");
    let seat = || Seat { who: engine::Who::Person, name: Some("Somebody".into()) };
    let [one, two] = players;
    let created = Created {
        game: "gekitai".into(),
        options: start.options(),
        start: start.text(),
        turns: Vec::new(),
        seats: ByPlayer::new(seat(), seat()),
        shared: false,
        clock: TimeControl::Time { seconds: 300, increment: 3 },
        club: Some(Club { players: ByPlayer::new(one, two), rated: true }),
    };
    let mut facts = vec![(None, Fact::Created(Box::new(created.clone())))];
    for (at, turn) in line.iter().enumerate() {
        let seat = if at.is_multiple_of(2) { Player::One } else { Player::Two };
        facts.push((Some(seat), Fact::Move { turn: turn.clone(), said: None }));
    }
    let winner = if i.is_multiple_of(2) { Player::One } else { Player::Two };
    facts.push((None, Fact::Result(Ending::new(Some(winner), Reason::Resigned))));
    let at = 1_700_000_000_000 + 1_000 * i as i64;
    let event = |(seq, (seat, fact))| Event { seq: seq as i64 + 1, seat, at, fact, command: None };
    (id, created, facts.into_iter().enumerate().map(event).collect())
}

async fn store(hall: Arc<Hall>, i: usize, line: Vec<String>) -> Result<(), Failed> {
    let (id, created, events) = game(i, &line);
    let new = first(id.clone(), created, ByPlayer::both(None), events[0].at);
    let append = Append { game: id.clone(), new_game: Some(new), ..Append::default() };
    hall.store.append(append).await?;
    let after = Some(Tip::of(&events[0]));
    let rest = events[1..].to_vec();
    let append = Append { game: id.clone(), after, events: rest, ..Append::default() };
    hall.store.append(append).await?;
    // Ratings are computed at the end.
    archive::add(&hall, &id, &events).await.map_err(|refusal| refusal.message)?;
    Ok(())
}

async fn many_games(folder: &std::path::Path, games: usize) -> Result<(), Failed> {
    let lines: Vec<Vec<String>> = (0..LINES).map(line).collect();
    let server = Server::open(&config(folder)).await?;
    let hall = Arc::clone(server.hall());
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for i in 0..games {
        if tasks.len() >= TOGETHER {
            tasks.join_next().await.ok_or("no task")???;
        }
        tasks.spawn(store(Arc::clone(&hall), i, lines[i % lines.len()].clone()));
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    println!("{games} games stored and archived in {:.1?}", began.elapsed());
    let began = Instant::now();
    server::club::ratings::rebuild(&hall).await.map_err(|refusal| refusal.message)?;
    println!("rated in {:.1?}", began.elapsed());
    searches(&hall, games).await?;
    drop(hall);
    server.close().await;
    let size: u64 = size(folder.to_path_buf())?;
    println!("the file: {:.1} MB, {} bytes a game", size as f64 / 1e6, size / games.max(1) as u64);
    let began = Instant::now();
    let server = Server::open(&config(folder)).await?;
    println!("start: {:.1?}; memory of this process: {}", began.elapsed(), memory());
    server.close().await;
    Ok(())
}

/// Some turns at random.
fn line(seed: u64) -> Vec<String> {
    let entry = engine::find("gekitai").expect("it is there");
    let mut session = (entry.start)(&Map::new()).expect("there is a start");
    let mut random = Random::new(seed);
    for _ in 0..20 {
        if session.result().is_some() {
            break;
        }
        let turn = random_turn(session.as_ref(), &mut random);
        if session.play(&turn).is_err() {
            break;
        }
    }
    session.history()
}

async fn searches(hall: &Arc<Hall>, games: usize) -> Result<(), Failed> {
    let said = |refusal: table::Refusal| Failed::from(refusal.message);
    let player = Some("p0000007".to_owned());
    let deep = archive::moment_of(1_700_000_000_000 + 1_000 * (games as i64 / 100), "");
    let searches = [
        ("by player, page 1", archive::Search { player: player.clone(), ..Default::default() }),
        ("all, page 1", archive::Search::default()),
        ("all, after 99 % of them", archive::Search { before: Some(deep), ..Default::default() }),
    ];
    for (what, search) in searches {
        let mut times = Vec::new();
        for _ in 0..50 {
            let began = Instant::now();
            search.page(hall).await.map_err(said)?;
            times.push(began.elapsed());
        }
        println!(
            "{what}: {:.1?} (half), {:.1?} (99 %)",
            part(&mut times, 0.5),
            part(&mut times, 0.99)
        );
    }
    let mut times = Vec::new();
    for _ in 0..10 {
        let session = (engine::find("gekitai").expect("it is there").start)(&Map::new());
        let session = session.map_err(|error| error.to_string())?;
        let began = Instant::now();
        server::club::explore::explore(hall, [127, 0, 0, 1].into(), session).await.map_err(said)?;
        times.push(began.elapsed());
    }
    println!(
        "by position, the start: {:.1?} (half), {:.1?} (the slowest)",
        part(&mut times, 0.5),
        part(&mut times, 1.0)
    );
    Ok(())
}

fn size(folder: PathBuf) -> Result<u64, Failed> {
    let mut all = 0;
    for file in std::fs::read_dir(folder)? {
        all += file?.metadata()?.len();
    }
    Ok(all)
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("unknown");
    line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
}
