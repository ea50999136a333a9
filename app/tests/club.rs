//! People and bots in the lobby of a server, each a process of its own.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Processes that end with the test.
struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("club").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn quadrille(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("QUADRILLE_KEY");
    command
}

fn get(address: &str, path: &str) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// Waits for something that a server tells.
fn until<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whether a turn neither ends the game nor lets the other side end it.
fn is_safe(session: &dyn engine::Session, turn: &str) -> bool {
    let after = |session: &dyn engine::Session, turn: &str| {
        let mut next = session.boxed_clone();
        next.play(turn).unwrap();
        next
    };
    let next = after(session, turn);
    let goes_on = |reply: &String| after(next.as_ref(), reply).outcome().is_none();
    next.outcome().is_none() && next.turns().iter().all(goes_on)
}

#[test]
fn somebody_at_a_terminal_meets_a_bot_and_plays() {
    let folder = folder("bot");
    let data = folder.join("games.db");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", data.to_str().unwrap()];
    let mut server = quadrille(&serve).env("RUST_LOG", "debug").spawn().unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(server.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("Quadrille is at http://").unwrap();
    let address = address.trim_end_matches('/').to_owned();
    let mut log = server.stderr.take().unwrap();
    let log = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = log.read_to_string(&mut text);
        text
    });
    let mut running = Running(vec![server]);
    let (url, key) = (format!("http://{address}"), format!("pk-{}", "b".repeat(24)));
    let bot = ["bot", "--server", &url, "--key", &key, "--name", "Robo", "--level", "1"];
    let mut bot = quadrille(&[&bot[..], &["--games", "1", "--casual"]].concat()).spawn().unwrap();
    let mut told = bot.stdout.take().unwrap();
    running.0.push(bot);
    until("the bot's challenge", || get(&address, "/api/lobby")["challenges"].get(0).cloned());
    let own = folder.join("own");
    let lobby = ["lobby", &url, "--name", "Ana", "--plain", "--data", own.to_str().unwrap()];
    let mut lobby = quadrille(&lobby).spawn().unwrap();
    let mut input = lobby.stdin.take().unwrap();
    let mut shown = lobby.stdout.take().unwrap();
    running.0.push(lobby);
    input.write_all(b"list\n1\n").unwrap();
    for turn in 0..3 {
        let game = until("Ana's turn", || {
            let game = get(&address, "/api/watch")["games"].get(0)?.clone();
            let ana = (0..2).find(|i| game["seats"][i]["name"] == "Ana")?;
            let played = game["turns"].as_array()?.len();
            (game["turn"] == ana + 1 && played >= 2 * turn).then_some(game)
        });
        let start = engine::find("gekitai").unwrap().start;
        let mut session = start(&Default::default()).unwrap();
        for turn in game["turns"].as_array().unwrap() {
            session.play(turn.as_str().unwrap()).unwrap();
        }
        let turns = session.turns();
        let safe = turns.iter().find(|turn| is_safe(session.as_ref(), turn));
        writeln!(input, "{}", safe.unwrap_or_else(|| panic!("{game}"))).unwrap();
    }
    // Not before the last turn was taken.
    until("three turns", || {
        let game = get(&address, "/api/watch")["games"].get(0)?.clone();
        (game["turns"].as_array()?.len() >= 5).then_some(())
    });
    input.write_all(b"say good game\nresign\n").unwrap();
    let mut text = String::new();
    told.read_to_string(&mut text).unwrap();
    assert!(text.contains("Robo plays Gekitai") && text.contains("has won"), "{text}");
    drop(input);
    let mut seen = String::new();
    shown.read_to_string(&mut seen).unwrap();
    assert!(seen.contains("You are Ana.") && seen.contains("Robo"), "{seen}");
    assert!(seen.contains("Games arranged here are public"), "{seen}");
    let archived = until("the archive", || get(&address, "/api/archive")["games"].get(0).cloned());
    assert_eq!(archived["result"]["reason"], "resigned");
    let socket = folder.join("games.db.admin");
    let admin = ["admin", "--socket", socket.to_str().unwrap(), "players", "new-key", "Ana"];
    let new = quadrille(&admin).output().unwrap();
    let new = String::from_utf8(new.stdout).unwrap();
    let lobby = ["lobby", &url, "--key", new.trim(), "--plain", "--data", own.to_str().unwrap()];
    let back = quadrille(&lobby).output().unwrap();
    let back = String::from_utf8(back.stdout).unwrap();
    assert!(back.contains("You are Ana."), "{new}{back}");
    drop(running);
    let log = log.join().unwrap();
    assert!(!log.contains("pk-"), "a key is in the log: {log}");
}
