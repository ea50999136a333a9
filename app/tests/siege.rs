//! Servers, as processes, that somebody wants to keep from others: by asking for much, and by holding places.

use crate::wire::{Folder, Server};
use engine::playouts::random_turn;
use rules::random::Random;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

#[allow(dead_code)]
#[path = "../../server/examples/bots/routes.rs"]
mod routes;

/// Nothing here takes longer than this, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server behind a proxy, so that clients can claim an address.
fn start(folder: &Path, files: usize, more: &[&str]) -> Server {
    let mut command = Command::new("sh");
    command.args(["-c", r#"ulimit -n "$0" && exec "$@""#, &files.to_string()]);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).unwrap();
    let (address, base) = (free.to_string(), format!("http://{free}"));
    command.args([env!("CARGO_BIN_EXE_quadrille"), "serve", "--listen", &address]);
    command.args(["--base-url", &base, "--data"]).arg(folder).args(more);
    Server::spawn(&mut command).unwrap_or_else(|output| panic!("no server: {output:?}"))
}

/// A connection on which requests of one address are made.
struct Visitor {
    stream: BufReader<TcpStream>,
    from: String,
}

impl Visitor {
    fn open(server: &Server, from: &str) -> Visitor {
        let stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Visitor { stream: BufReader::new(stream), from: from.to_owned() }
    }

    /// The status and body of an answer; none if the server does not want this connection any more.
    fn ask(&mut self, method: &str, path: &str, more: &str, body: &str) -> Option<(u16, Vec<u8>)> {
        let (from, length) = (&self.from, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: {from}\r\n\
             content-length: {length}\r\n{more}\r\n{body}"
        );
        self.stream.get_mut().write_all(head.as_bytes()).ok()?;
        let status = self.line()?.split(' ').nth(1)?.parse().ok()?;
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line()?.to_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(number) = line.strip_prefix("content-length: ") {
                length = number.parse().ok()?;
            }
            chunked |= line == "transfer-encoding: chunked";
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).ok()?;
        while chunked {
            let size = usize::from_str_radix(&self.line()?, 16).ok()?;
            let mut chunk = vec![0; size + 2];
            self.stream.read_exact(&mut chunk).ok()?;
            body.extend_from_slice(&chunk[..size]);
            chunked = size > 0;
        }
        Some((status, body))
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let some = self.stream.read_line(&mut line).ok()? > 0;
        some.then(|| line.trim_end().to_owned())
    }

    fn get(&mut self, path: &str) -> Option<u16> {
        let more = "accept: text/html\r\naccept-encoding: gzip\r\n";
        self.ask("GET", path, more, "").map(|(status, _)| status)
    }

    /// The id of a new game, and the token of both seats.
    fn make(&mut self, game: &str) -> (String, String) {
        let person = json!({ "kind": "person" });
        let wanted = json!({ "game": game, "shared": true, "seats": [person, person] });
        let (status, body) = self.ask("POST", "/api/games", "", &wanted.to_string()).unwrap();
        assert_eq!(status, 201, "{}", String::from_utf8_lossy(&body));
        let made: Value = serde_json::from_slice(&body).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&made["id"]), text(&made["tokens"][0]))
    }

    fn play(&mut self, (id, token): &(String, String), turn: &str) -> Option<u16> {
        let path = format!("/api/games/{id}/commands");
        let token = format!("authorization: Bearer {token}\r\n");
        let wish = json!({ "type": "move", "turn": turn }).to_string();
        self.ask("POST", &path, &token, &wish).map(|(status, _)| status)
    }
}

/// Plays at one address for a while, two turns a second; gives how long each took.
fn turns(server: &Server, number: u8, time: Duration) -> Vec<Duration> {
    let mut visitor = Visitor::open(server, &format!("10.7.0.{number}"));
    let mut random = Random::new(u64::from(number));
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < time {
        let game = visitor.make("jeson-mor");
        let mut session = (engine::find("jeson-mor").unwrap().start)(&Default::default()).unwrap();
        while began.elapsed() < time && session.result().is_none() {
            let turn = random_turn(session.as_ref(), &mut random);
            session.play(&turn).unwrap();
            let sent = Instant::now();
            assert_eq!(visitor.play(&game, &turn), Some(200));
            times.push(sent.elapsed());
            std::thread::sleep(Duration::from_millis(500));
        }
    }
    times
}

/// The time that half of all turns of eight players do not exceed.
fn median(server: &Server, time: Duration) -> Duration {
    let mut times: Vec<_> = std::thread::scope(|scope| {
        let players: Vec<_> =
            (1..=8).map(|number| scope.spawn(move || turns(server, number, time))).collect();
        players.into_iter().flat_map(|player| player.join().unwrap()).collect()
    });
    times.sort_unstable();
    times[times.len() / 2]
}

/// A second server, which nobody attacks, tells what this machine needs for a turn meanwhile.
#[test]
fn fifty_connections_that_fetch_every_page_again_and_again_hold_nobody_up() {
    let folders = ["attacked", "control"].map(Folder::new);
    // A build for tests takes longer for everything, so an address may ask for less than usual.
    let less = ["--allowance", "300"];
    let [attacked, control] = [0, 1].map(|i| start(&folders[i].0, 2_000, &less));
    let mut visitor = Visitor::open(&attacked, "10.6.6.6");
    let (_, home) = visitor.ask("GET", "/", "", "").unwrap();
    let home = String::from_utf8(home).unwrap();
    let game = visitor.make("six-making");
    let all = routes::paths(&game.0, routes::version(&home).unwrap());
    // Half of the connections fetch the page that takes longest to draw.
    let longest = [String::from("/puzzles/glaisher/50")];
    let (over, answers) = (AtomicBool::new(false), AtomicUsize::new(0));
    let strike = |number: usize| {
        let mut visitor = Visitor::open(&attacked, "10.6.6.6");
        let paths = if number < 25 { &all[..] } else { &longest[..] };
        for path in paths.iter().cycle().skip(number) {
            if over.load(Ordering::Relaxed) {
                return;
            }
            let status = visitor.get(path).expect("requests of an open connection are answered");
            answers.fetch_add(usize::from(status == 200), Ordering::Relaxed);
        }
    };
    let time = Duration::from_secs(6);
    let (besieged, usual) = std::thread::scope(|scope| {
        (0..50).for_each(|number| drop(scope.spawn(move || strike(number))));
        let besieged = scope.spawn(|| median(&attacked, time));
        let usual = scope.spawn(|| median(&control, time)).join();
        let besieged = besieged.join();
        over.store(true, Ordering::Relaxed);
        (besieged.unwrap(), usual.unwrap())
    });
    println!(
        "median of a turn: {besieged:?} beside {} pages for an attacker, {usual:?} on another server",
        answers.load(Ordering::Relaxed)
    );
    assert!(answers.load(Ordering::Relaxed) >= 50, "the attacker was there");
    // Where pages are drawn on the threads that answer, it is forty times as much
    // and more.
    let usual = usual.max(Duration::from_millis(10));
    assert!(besieged < 10 * usual, "{besieged:?}, where another server needs {usual:?}");
}

/// A watcher's socket, or a player's if there is a token; `None` if the server has no place for it.
fn socket(
    server: &Server,
    from: &str,
    id: &str,
    token: Option<&str>,
) -> Option<WebSocket<TcpStream>> {
    let stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = http::Request::get(format!("ws://127.0.0.1/api/games/{id}/socket"))
        .header("host", "127.0.0.1")
        .header("connection", "Upgrade")
        .header("upgrade", "websocket")
        .header("sec-websocket-version", "13")
        .header("sec-websocket-key", tungstenite::handshake::client::generate_key())
        .header("x-forwarded-for", from);
    let (mut socket, _) = tungstenite::client(request.body(()).unwrap(), stream).ok()?;
    if let Some(token) = token {
        let hello = json!({ "type": "hello", "token": token });
        socket.send(Message::text(hello.to_string())).ok()?;
    }
    Some(socket)
}

/// Reads until a message of this type comes.
fn until(socket: &mut WebSocket<TcpStream>, kind: &str) -> Value {
    loop {
        if let Message::Text(text) = socket.read().expect("the socket is open") {
            let told: Value = serde_json::from_str(text.as_str()).unwrap();
            if told["type"] == kind {
                return told;
            }
        }
    }
}

/// What the server takes of the memory, in bytes.
fn memory(server: &Server) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// How many clients of one address ask for a long game again and again and read nothing, how often, and what each may
/// cost. A connection and its task take about a third of that; the answers alone would be 1.2 MB.
const DEAF: usize = 150;
const QUESTIONS: usize = 80;
const MOST_FOR_EACH: usize = 100 << 10;

#[test]
fn clients_that_do_not_read_take_little_memory() {
    let folder = Folder::new("deaf");
    let server = start(&folder.0, 2_000, &["--connections", "1000", "--allowance", "1000000"]);
    let mut maker = Visitor::open(&server, "10.7.0.1");
    let mut wanted = routes::long_game(1_500);
    let person = json!({ "kind": "person" });
    (wanted["seats"], wanted["shared"]) = (json!([person, person]), true.into());
    let (status, made) = maker.ask("POST", "/api/games", "", &wanted.to_string()).unwrap();
    assert_eq!(status, 201);
    let made: Value = serde_json::from_slice(&made).unwrap();
    let path = format!("/api/games/{}", made["id"].as_str().unwrap());
    let (_, shown) = maker.ask("GET", &path, "", "").unwrap();
    assert!(shown.len() > 10_000, "{} bytes", shown.len());
    let before = memory(&server);
    let head =
        format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-forwarded-for: 10.6.6.6\r\n\r\n");
    let deaf: Vec<_> = (0..DEAF)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            stream.write_all(head.repeat(QUESTIONS).as_bytes()).unwrap();
            stream
        })
        .collect();
    // Until it takes no more.
    let (mut last, mut most) = (0, memory(&server));
    while most > last {
        std::thread::sleep(Duration::from_secs(1));
        (last, most) = (most, most.max(memory(&server)));
    }
    let each = most.saturating_sub(before) / DEAF;
    println!("{DEAF} clients that do not read take {each} bytes each");
    assert!(each < MOST_FOR_EACH, "{each} bytes for each");
    assert_eq!(maker.get(&path), Some(200), "others are answered");
    drop(deaf);
}

#[test]
fn twenty_networks_full_of_idle_watchers_leave_room_for_players() {
    let folder = Folder::new("crowded");
    // A process with 600 files has places for 500 connections.
    let server = start(&folder.0, 600, &["--connections", "25"]);
    let idle = Visitor::open(&server, "10.6.6.6").make("gekitai").0;
    let crowd = |rounds: usize| {
        let network = |n: usize| format!("2001:db8:{:x}::1", n % 20);
        let watchers = (0..20 * rounds).filter_map(|n| socket(&server, &network(n), &idle, None));
        watchers.collect::<Vec<_>>()
    };
    let mut watchers = crowd(25);
    let newcomer = "2001:db8:ffff::1";
    let mut visitor = Visitor::open(&server, newcomer);
    assert_eq!(visitor.get("/"), Some(200), "a page is shown to somebody who is new");
    let game = visitor.make("gekitai");
    assert_eq!(visitor.play(&game, "c3"), Some(200));
    let mut seat = socket(&server, newcomer, &game.0, Some(&game.1)).expect("a socket at a seat");
    assert_eq!(until(&mut seat, "hello")["you"], json!([1, 2]));
    let _more = crowd(10);
    let mut again = Visitor::open(&server, newcomer);
    assert_eq!(again.play(&game, "d4"), Some(200));
    while until(&mut seat, "event")["turn"] != "d4" {}
    // Watchers that had to leave were told to reconnect.
    let told = watchers.iter_mut().any(|watcher| {
        loop {
            match watcher.read() {
                Ok(Message::Close(Some(frame))) => break u16::from(frame.code) == 1013,
                Ok(_) => {}
                Err(_) => break false,
            }
        }
    });
    assert!(told);
}
