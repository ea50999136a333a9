//! Games on a server, played in two terminals.

use super::tty::{Tty, folder};
use super::{SMALL, turns};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    pub fn start(data: &Path, listen: &str) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .args(["serve", "--listen", listen, "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Quadrille is at http://").unwrap();
        Server { child, address: address.trim_end_matches('/').to_owned() }
    }

    /// Makes a game and gives the links of its seats.
    pub fn game(&self, wanted: &Value) -> [String; 2] {
        let made = self.ask("POST", "/api/games", &wanted.to_string());
        let made: Value = serde_json::from_str(&made).unwrap();
        let (id, address) = (made["id"].as_str().unwrap(), &self.address);
        [0, 1].map(|i| {
            let token = made["tokens"][i].as_str().unwrap_or_default();
            format!("http://{address}/{id}#{token}")
        })
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// The body of an answer.
    pub fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn wanted(game: &str) -> Value {
    json!({"game": game, "seats": [{"kind": "person", "name": "Ann"}, {"kind": "open"}],
           "clock": {"kind": "time", "seconds": 600, "increment": 5}})
}

#[test]
fn two_terminals_play_a_whole_game_on_a_server_that_is_started_again() {
    let own = folder("online");
    let mut server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let [one, two] = server.game(&wanted("jeson-mor"));
    let mut ann = Tty::start(&["join", &one], &own.join("ann"), SMALL);
    ann.sees("the other seat is");
    let mut bob = Tty::start(&["join", &two, "--name", "Bob"], &own.join("bob"), SMALL);
    ann.sees("Bob");
    let link = one.split('#').next().unwrap().to_owned();
    let mut eye = Tty::start(&["watch", &link], &own.join("eye"), (60, 20));
    eye.sees("Bob");
    let played = turns("jeson-mor", ["smart", "sloppy"], 3);
    for (number, turn) in played.iter().enumerate() {
        if number == 4 {
            let address = server.address.clone();
            drop(server);
            ann.sees("connecting again");
            ann.send(&format!("{turn}\r"));
            server = Server::start(&own.join("games.db"), &address);
        } else {
            let mover = if number % 2 == 0 { &mut ann } else { &mut bob };
            mover.send(&format!("{turn}\r"));
        }
        let (other, name) = if number % 2 == 0 { (&mut bob, "Bob") } else { (&mut ann, "Ann") };
        let next = format!("{name} ({}) to move", if name == "Ann" { "White" } else { "Black" });
        other.wait(turn, |tty| {
            let text = tty.text();
            text.contains(turn.as_str()) && (text.contains(&next) || text.contains("has won"))
        });
        if number == 5 {
            // Who has sat down needs the link alone.
            bob = Tty::start(&["join", &link], &own.join("bob"), SMALL);
            bob.sees("connected");
        }
    }
    for tty in [&mut ann, &mut bob, &mut eye] {
        tty.sees("has won");
    }
    // A rematch, with the sides changed: each goes there when it is made.
    bob.send("n");
    ann.sees("asks for a rematch");
    ann.send("n");
    for tty in [&mut ann, &mut bob] {
        tty.sees("The next game is ready");
        tty.send("n");
        tty.sees("Bob (White) to move");
    }
    bob.send("e1-d3\r");
    ann.sees("Ann (Black) to move");
    let secrets = own.join("bob/quadrille/seats.json");
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(secrets).unwrap().permissions().mode() & 0o777, 0o600);
    let finished = |name: &str| {
        std::fs::read_dir(own.join(name).join("quadrille/finished")).map_or(0, Iterator::count)
    };
    assert_eq!((finished("ann"), finished("eye")), (1, 0), "a watcher has played nothing");
}

#[test]
fn a_seat_that_is_taken_and_a_game_that_is_not_are_told_in_a_line() {
    let own = folder("online-refused");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let [_, two] = server.game(&wanted("gekitai"));
    let bob = Tty::start(&["join", &two, "--name", "Bob"], &own.join("bob"), SMALL);
    bob.sees("the other side is away");
    let late = Tty::start(&["join", &two, "--name", "Late"], &own.join("late"), SMALL);
    late.sees("plays no seat");
    let lost = Tty::start(&["watch", &format!("http://{}/AAAAAAAA", server.address)], &own, SMALL);
    lost.sees("knows no such game");
}

#[test]
fn two_pipes_play_a_whole_game_on_a_server_and_a_third_looks_on() {
    let own = folder("online-lines");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let [one, two] = server.game(&wanted("gekitai"));
    let played = turns("gekitai", ["easy", "easy"], 5);
    // Every line is there from the beginning: each waits for its turn.
    let start = |who: &str, link: &str, typed: String| {
        let file = own.join(format!("{who}.txt"));
        std::fs::write(&file, typed).unwrap();
        Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .args([if who == "eye" { "watch" } else { "join" }, link, "--name", "Bob", "--data"])
            .arg(own.join(who))
            .stdin(std::fs::File::open(file).unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let moves_of = |first: usize| {
        let moves: Vec<&str> = played.iter().skip(first).step_by(2).map(String::as_str).collect();
        format!("help\n{}\n", moves.join("\n"))
    };
    let ann = start("ann", &one, moves_of(0));
    let bob = start("bob", &two, moves_of(1));
    let told = |child: Child| {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let (ann, bob) = (told(ann), told(bob));
    // Whoever moved last has seen the end; the other had nothing left to type.
    let (who, last) = if played.len() % 2 == 1 { ("ann", &ann) } else { ("bob", &bob) };
    assert!(last.contains("has won"), "{last}");
    assert!(ann.contains("accept, decline") && bob.contains("accept, decline"), "{ann}\n{bob}");
    let finished = std::fs::read_dir(own.join(who).join("finished"));
    assert_eq!(finished.map_or(0, Iterator::count), 1, "{last}");
    assert!(ann.contains(&format!("Bob (O) plays {}", played[1])), "{ann}");
    let eye = told(start("eye", one.split('#').next().unwrap(), format!("{}\nturns\n", played[0])));
    assert!(eye.contains("the game is over") && eye.contains(&played[2]), "{eye}");
}

#[test]
fn an_invitation_is_shown_until_it_is_taken_and_both_are_told_what_turns_do() {
    let own = folder("invite");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let url = format!("http://{}", server.address);
    let args = [
        "invite", "gekitai", "--server", &url, "--name", "Ann", "--theme", "dark", "--blocks",
        "lines",
    ];
    let mut ann = Tty::start(&args, &own.join("ann"), SMALL);
    ann.sees("Invitation (L copies it)");
    ann.send("L");
    ann.sees("the link is copied");
    let copied = || Some(ann.after("\x1b]52;c;")?.split_once('\x1b')?.0.to_owned());
    ann.wait("the clipboard", |_| copied().is_some());
    let copied = copied().unwrap();
    let link = String::from_utf8(BASE64_STANDARD.decode(copied).unwrap()).unwrap();
    assert!(link.starts_with(&url) && link.contains('#'), "{link}");
    let ben = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .args(["join", &link, "--name", "Ben", "--plain", "--no-boards", "--data"])
        .arg(own.join("ben"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut ben = ben.unwrap();
    ann.wait("Ben", |tty| tty.text().contains("Ben") && !tty.text().contains("Invitation"));
    ann.send("c3\r");
    ben.stdin.take().unwrap().write_all(b"d4\n").unwrap();
    let told = String::from_utf8(ben.wait_with_output().unwrap().stdout).unwrap();
    assert!(told.contains("Ann (X) plays c3: pushes nothing"), "{told}");
    assert!(told.contains("d4: pushes 1 marker"), "{told}");
}

#[test]
fn half_a_turn_is_taken_back_in_lines_and_the_server_hears_of_none() {
    let own = folder("online-half");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let [one, _] = server.game(&wanted("glaisher"));
    let mut ann = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .args(["join", &one, "--no-boards", "--data"])
        .arg(own.join("ann"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    ann.stdin.take().unwrap().write_all(b"a2-se:123\nundo\na2-se:6\n@c4\nturns\n").unwrap();
    let output = ann.wait_with_output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}");
    assert_eq!(told.matches("Ann (Red) to place a piece").count(), 2, "{told}");
    let (id, _) = one.rsplit_once('/').unwrap().1.split_once('#').unwrap();
    let events = server.ask("GET", &format!("/api/games/{id}/events"), "");
    let turns: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["turn"].take())
        .collect();
    assert_eq!(turns, [Value::Null, "a2-se:6@c4".into()], "{told}");
}

fn hears(told: &mut impl Iterator<Item = String>, words: &str) {
    assert!(told.any(|line| line.contains(words)), "no `{words}`");
}

/// The server has received the turn and cannot store it yet when the player leaves and joins again.
#[test]
fn a_turn_whose_first_copy_is_stored_late_is_recognised_when_it_is_sent_again() {
    let own = folder("online-late");
    let file = own.join("games.db");
    let server = Server::start(&file, "127.0.0.1:0");
    let [one, _] = server.game(&wanted("gekitai"));
    let join = || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .args(["join", &one, "--no-boards", "--data"])
            .arg(own.join("ann"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let told = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        (child, told)
    };
    let (mut first, mut told) = join();
    hears(&mut told, "your turn");
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    first.stdin.take().unwrap().write_all(b"c3\n").unwrap();
    hears(&mut told, "waiting for the server to acknowledge c3");
    kill_process(Pid::from_child(&first), Signal::INT).unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(1));
    let (mut again, mut told) = join();
    hears(&mut told, "c3 was not acknowledged last time");
    drop(again.stdin.take());
    // Soon: a server gives up after two seconds, and then there is only one copy.
    std::thread::sleep(std::time::Duration::from_millis(200));
    other.execute_batch("COMMIT").unwrap();
    let told: Vec<String> = told.collect();
    assert_eq!(again.wait().unwrap().code(), Some(0), "{told:?}");
    let (id, _) = one.rsplit_once('/').unwrap().1.split_once('#').unwrap();
    let events = server.ask("GET", &format!("/api/games/{id}/events"), "");
    assert_eq!(events.matches("\"turn\":\"c3\"").count(), 1, "{events}");
}
