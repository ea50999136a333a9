//! Leaving a game on a server: what was shown as played has reached the server, or the program says that it has not.

use super::SMALL;
use super::online::{Server, wanted};
use super::tty::{Tty, folder};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A player in lines of text.
struct Player {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    said: String,
}

/// How a player ended.
struct Ended {
    code: Option<i32>,
    said: String,
    errors: String,
}

impl Player {
    fn join(link: &str, folder: &Path) -> Player {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .args(["join", link, "--plain", "--no-boards", "--name", "Ben", "--data"])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (send, output) = channel();
        std::thread::spawn(move || {
            out.lines().map_while(Result::ok).for_each(|line| drop(send.send(line)));
        });
        let input = child.stdin.take();
        Player { child, input, output, said: String::new() }
    }

    /// Types lines.
    fn types(&mut self, text: &str) {
        self.input.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Waits until it says this.
    fn hears(&mut self, text: &str) {
        while !self.said.contains(text) {
            let line = self.output.recv_timeout(Duration::from_secs(30));
            let line = line.unwrap_or_else(|_| panic!("no `{text}` in\n{}", self.said));
            self.said += &format!("{line}\n");
        }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end; nothing more is typed.
    fn ends(mut self) -> Ended {
        drop(self.input.take());
        let end = Instant::now() + Duration::from_secs(40);
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "it goes on:\n{}", self.said);
            std::thread::sleep(Duration::from_millis(20));
        };
        self.said.extend(self.output.iter().map(|line| line + "\n"));
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        Ended { code: status.code(), said: std::mem::take(&mut self.said), errors }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The kinds of the events of a game, with the turns.
fn events(server: &Server, link: &str) -> Vec<String> {
    let id = link.rsplit_once('/').unwrap().1.split('#').next().unwrap();
    let events = server.ask("GET", &format!("/api/games/{id}/events"), "");
    let words = |event: Value| match event["turn"].as_str() {
        Some(turn) => turn.to_owned(),
        None => event["kind"].as_str().unwrap().to_owned(),
    };
    events.lines().map(|line| words(serde_json::from_str(line).unwrap())).collect()
}

/// An address at which a server is reached slowly: everything takes this long in each direction.
fn slow_way_to(server: &Server, pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (own, far) = (listener.local_addr().unwrap(), server.address.clone());
    let carry = move |mut from: TcpStream, mut to: TcpStream| {
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                std::thread::sleep(pause);
                if to.write_all(&bytes[..count]).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Write);
        });
    };
    std::thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let far = TcpStream::connect(&far).unwrap();
            carry(near.try_clone().unwrap(), far.try_clone().unwrap());
            carry(far, near);
        }
    });
    own.to_string()
}

#[test]
fn turns_and_resignations_from_a_pipe_have_reached_the_server_when_the_program_ends() {
    let own = folder("leaving-pipe");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let cases = [
        ("c3\nquit\n", vec!["created", "c3"]),
        ("c3\n", vec!["created", "c3"]),
        ("c3\nresign\nquit\n", vec!["created", "c3", "result"]),
        ("resign\nquit\n", vec!["created", "result"]),
    ];
    for (number, (typed, expected)) in cases.into_iter().enumerate() {
        let [link, _] = server.game(&wanted("gekitai"));
        let mut ann = Player::join(&link, &own.join(number.to_string()));
        ann.types(typed);
        let ended = ann.ends();
        assert_eq!(events(&server, &link), expected, "{typed:?}: {}", ended.said);
        assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""), "{typed:?}");
    }
}

#[test]
fn both_sides_of_a_shared_game_are_played_by_one_pipe() {
    let own = folder("leaving-shared");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let seats = json!([{"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Ben"}]);
    let [link, _] = server.game(&json!({"game": "gekitai", "shared": true, "seats": seats}));
    let mut both = Player::join(&link, &own.join("both"));
    both.types("c3\nd4\na1\nquit\n");
    let ended = both.ends();
    assert_eq!(events(&server, &link), ["created", "c3", "d4", "a1"], "{}", ended.said);
    assert_eq!(ended.code, Some(0), "{}{}", ended.said, ended.errors);
}

#[test]
fn a_slow_server_is_waited_for_and_the_wait_is_told() {
    let own = folder("leaving-slow");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let [link, _] = server.game(&wanted("gekitai"));
    let slow = slow_way_to(&server, Duration::from_millis(600));
    let mut ann = Player::join(&link.replace(&server.address, &slow), &own.join("ann"));
    ann.types("c3\nquit\n");
    let ended = ann.ends();
    assert_eq!(events(&server, &link), ["created", "c3"], "{}", ended.said);
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    assert!(ended.said.contains("waiting for the server to acknowledge c3"), "{}", ended.said);
}

#[test]
fn a_server_that_comes_back_in_time_gets_the_turn() {
    let own = folder("leaving-back");
    let mut server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let [link, _] = server.game(&wanted("gekitai"));
    let mut ann = Player::join(&link, &own.join("ann"));
    ann.hears("your turn");
    let address = server.address.clone();
    drop(server);
    ann.hears("connecting again");
    ann.types("c3\nturns\nquit\n");
    ann.hears("waiting for the server to acknowledge c3");
    server = Server::start(&own.join("games.db"), &address);
    let ended = ann.ends();
    assert_eq!(events(&server, &link), ["created", "c3"], "{}", ended.said);
    assert_eq!(ended.code, Some(0), "{}", ended.errors);
    assert!(
        ended.said.contains("1. c3 *\nnot acknowledged by the server yet: c3"),
        "{}",
        ended.said
    );
}

#[test]
fn what_a_stopped_or_killed_server_has_not_acknowledged_is_named_and_the_exit_code_is_1() {
    let own = folder("leaving-lost");
    let leave: [(Signal, &str); 3] =
        [(Signal::STOP, "c3\nquit\n"), (Signal::KILL, "c3\nquit\n"), (Signal::KILL, "resign\n")];
    let each = leave.into_iter().enumerate().map(|(number, (signal, typed))| {
        let own = own.join(number.to_string());
        std::thread::spawn(move || {
            std::fs::create_dir_all(&own).unwrap();
            let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
            let [link, _] = server.game(&wanted("gekitai"));
            let mut ann = Player::join(&link, &own.join("ann"));
            ann.hears("your turn");
            server.signal(signal);
            ann.types(typed);
            (typed, ann.ends())
        })
    });
    for thread in each.collect::<Vec<_>>() {
        let (typed, ended) = thread.join().unwrap();
        let what = typed.lines().next().unwrap();
        let expected = format!("quadrille: the server has not acknowledged {what}\n");
        assert_eq!(ended.errors, expected, "{}", ended.said);
        assert_eq!(ended.code, Some(1));
    }
}

#[test]
fn ctrl_c_waits_for_the_server_and_a_second_one_does_not() {
    let own = folder("leaving-signal");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let [link, _] = server.game(&wanted("gekitai"));
    let mut ann = Player::join(&link, &own.join("ann"));
    ann.hears("your turn");
    ann.types("c3\n");
    ann.hears("O to move");
    ann.signal(Signal::INT);
    let ended = ann.ends();
    assert_eq!((ended.code, ended.errors.as_str()), (Some(0), ""), "{}", ended.said);
    assert_eq!(events(&server, &link), ["created", "c3"]);

    let [link, _] = server.game(&wanted("gekitai"));
    let mut ann = Player::join(&link, &own.join("ann"));
    ann.hears("your turn");
    server.signal(Signal::STOP);
    ann.types("c3\n");
    ann.hears("O to move");
    ann.signal(Signal::INT);
    ann.hears("waiting for the server to acknowledge c3; Ctrl-C leaves without");
    let began = Instant::now();
    ann.signal(Signal::INT);
    let ended = ann.ends();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(ended.code, Some(1), "{}", ended.said);
    assert_eq!(ended.errors, "quadrille: the server has not acknowledged c3\n");
}

#[test]
fn the_screen_marks_what_is_not_acknowledged_and_asks_before_it_is_left() {
    let own = folder("leaving-screen");
    let mut server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let address = server.address.clone();
    let [link, _] = server.game(&wanted("gekitai"));
    let mut ann = Tty::start(&["join", &link], &own.join("ann"), SMALL);
    ann.sees("the other seat is open");
    server.signal(Signal::KILL);
    ann.sees("connecting again");
    ann.send("c3\r");
    ann.sees("c3…");
    ann.sees("connecting again, c3");
    // The menu asks, and staying is the answer of Enter; keys that open menus elsewhere answer nothing.
    ann.send("qq");
    ann.sees("Not acknowledged yet");
    ann.send("qm\r");
    ann.wait("the board alone", |tty| !tty.text().contains("Not acknowledged yet"));
    // A server that comes back while the question is open answers it.
    ann.send("\x03");
    ann.sees("the server has not acknowledged c3");
    drop(server);
    server = Server::start(&own.join("games.db"), &address);
    assert_eq!(ann.ends().code(), Some(0));
    assert_eq!(events(&server, &link), ["created", "c3"]);
}

#[test]
fn leaving_the_screen_without_an_acknowledgement_is_said_and_ends_with_1() {
    let own = folder("leaving-screen-lost");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    for (number, leave) in ["\x03\x03", "qq\x1b[B\r", "abort", "signal"].into_iter().enumerate() {
        let [link, _] = server.game(&wanted("gekitai"));
        let mut ann = Tty::start(&["join", &link], &own.join(number.to_string()), SMALL);
        ann.sees("the other seat is open");
        server.signal(Signal::STOP);
        let what = if leave == "abort" { "abort" } else { "c3" };
        match leave {
            // Call the game off and leave: the menu's first offer, and the question's second answer.
            "abort" => ann.send("p\x1b[B\rqq\x1b[B\r"),
            "signal" => {
                ann.send("c3\r");
                ann.sees("c3…");
                ann.signal(Signal::TERM);
                ann.sees("waiting for the server to acknowledge c3");
                ann.signal(Signal::TERM);
                // Two of a kind that wait together are one.
                std::thread::sleep(Duration::from_millis(500));
                ann.signal(Signal::TERM);
            }
            keys => ann.send(&format!("c3\r{keys}")),
        }
        ann.sees(&format!("quadrille: the server has not acknowledged {what}"));
        assert_eq!(ann.ends().code(), Some(1), "{leave}");
        server.signal(Signal::CONT);
    }
}

#[test]
fn half_a_turn_is_not_passed_off_as_played() {
    let own = folder("leaving-half");
    let server = Server::start(&own.join("games.db"), "127.0.0.1:0");
    let [link, _] = server.game(&wanted("glaisher"));
    let mut ann = Player::join(&link, &own.join("ann"));
    ann.types("a2-se:123\nquit\n");
    let ended = ann.ends();
    assert_eq!(events(&server, &link), ["created"], "{}", ended.said);
    assert_eq!(ended.errors, "quadrille: the server has not acknowledged a2-se:123\n");
    assert_eq!(ended.code, Some(1));
}
