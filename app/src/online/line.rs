//! The connection to a server: requests, and a socket that is opened again whenever it is lost.

use super::Seat;
use super::link::Link;
use super::stream::Stream;
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};
use tungstenite::{Error, Message, WebSocket};

/// How often the thread looks whether there is something to send.
const PAUSE: Duration = Duration::from_millis(50);
/// As the pages do: after this silence the server is asked whether it is there, and it has that long to
/// answer. A connection that is dead without a word is noticed within nine seconds.
const SILENCE: [Duration; 2] = [Duration::from_secs(4), Duration::from_millis(4500)];
/// The longest pause between two attempts to connect.
const LONGEST: Duration = Duration::from_secs(5);
/// The largest answer that is read.
const MOST_BYTES: u64 = 4 << 20;

/// What the thread tells.
#[derive(Debug)]
pub enum News {
    /// The connection is there, or lost.
    Connected(bool),
    /// A frame of the server.
    Frame(Value),
    /// The server refuses to go on: there is no such game, or the seat is not the user's.
    Over(String),
}

/// A connection that the program holds; it ends when this is dropped.
pub struct Line {
    send: Sender<Value>,
}

impl Line {
    /// Connects in a thread, and tells everything that follows the last event that the seat knows.
    pub fn open(seat: &Seat, tell: impl Fn(News) -> bool + Send + 'static) -> Line {
        let (send, receive) = channel();
        let (link, seq, at) = (seat.link.clone(), seat.seq, seat.at);
        std::thread::spawn(move || {
            let waiting = Vec::new();
            Thread { link, seq, at, waiting, receive, silence: SILENCE }.run(&tell)
        });
        Line { send }
    }

    /// Sends a command, now or as soon as there is a connection; it is repeated until it is answered.
    pub fn command(&self, command: Value) {
        // The thread outlives this.
        let _ = self.send.send(command);
    }
}

struct Thread {
    link: Link,
    /// The last event that was told: its number and its time.
    seq: u64,
    at: Option<i64>,
    /// Commands that were not answered.
    waiting: Vec<Value>,
    receive: Receiver<Value>,
    /// See [`SILENCE`].
    silence: [Duration; 2],
}

/// Why a connection ended.
enum End {
    Lost,
    /// The user has left.
    Left,
    Refused(String),
}

impl Thread {
    fn run(mut self, tell: &dyn Fn(News) -> bool) {
        let mut pause = Duration::from_millis(250);
        loop {
            let started = Instant::now();
            match self.hold(tell) {
                End::Left => return,
                End::Refused(why) => {
                    tell(News::Over(why));
                    return;
                }
                End::Lost => {}
            }
            if !tell(News::Connected(false)) {
                return;
            }
            if started.elapsed() > LONGEST {
                pause = Duration::from_millis(250);
            }
            // Commands wait until there is a connection again.
            let until = Instant::now() + pause;
            while let Some(left) = until.checked_duration_since(Instant::now()) {
                match self.receive.recv_timeout(left) {
                    Ok(command) => self.waiting.push(command),
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => break,
                    Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
                }
            }
            pause = (pause * 2).min(LONGEST);
        }
    }

    /// Connects and stays connected as long as it can.
    fn hold(&mut self, tell: &dyn Fn(News) -> bool) -> End {
        let mut socket = match self.connect() {
            Ok(socket) => socket,
            Err(end) => return end,
        };
        let (mut heard, mut asked) = (Instant::now(), None);
        if !tell(News::Connected(true)) {
            return End::Left;
        }
        for command in &self.waiting {
            if socket.send(Message::text(command.to_string())).is_err() {
                return End::Lost;
            }
        }
        loop {
            match self.receive.try_recv() {
                Ok(command) => {
                    let text = command.to_string();
                    self.waiting.push(command);
                    if socket.send(Message::text(text)).is_err() {
                        return End::Lost;
                    }
                }
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => {
                    let _ = socket.close(None);
                    return End::Left;
                }
            }
            match socket.read() {
                Ok(Message::Text(text)) => {
                    (heard, asked) = (Instant::now(), None);
                    let Ok(frame) = serde_json::from_str::<Value>(&text) else { continue };
                    if let Err(end) = self.hear(frame, tell) {
                        return end;
                    }
                }
                Ok(Message::Close(_)) => return End::Lost,
                Ok(_) => (heard, asked) = (Instant::now(), None),
                Err(Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => return End::Lost,
            }
            // What was read may have to be answered: pings with pongs.
            let _ = socket.flush();
            match asked {
                Some(at) if Instant::elapsed(&at) > self.silence[1] => return End::Lost,
                None if heard.elapsed() > self.silence[0] => {
                    asked = Some(Instant::now());
                    let ping = json!({"type": "ping"}).to_string();
                    if socket.send(Message::text(ping)).is_err() {
                        return End::Lost;
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes in a frame of the server.
    fn hear(&mut self, frame: Value, tell: &dyn Fn(News) -> bool) -> Result<(), End> {
        let kind = frame["type"].as_str().unwrap_or_default();
        if kind == "event" {
            let seq = frame["seq"].as_u64().unwrap_or(0);
            // An event that came twice is told once.
            if seq <= self.seq {
                return Ok(());
            }
            (self.seq, self.at) = (seq, frame["at"].as_i64());
        }
        if kind == "reset" {
            return self.read_again(tell);
        }
        if matches!(kind, "ack" | "refused") {
            self.waiting.retain(|command| command["command"] != frame["command"]);
        }
        if tell(News::Frame(frame)) { Ok(()) } else { Err(End::Left) }
    }

    /// The server has lost some of what it told: the whole game is read, and told as a frame of type `game`.
    fn read_again(&mut self, tell: &dyn Fn(News) -> bool) -> Result<(), End> {
        let mut game = get(&self.link).map_err(|_| End::Lost)?;
        (self.seq, self.at) = (game["seq"].as_u64().unwrap_or(0), game["at"].as_i64());
        game["type"] = "game".into();
        if tell(News::Frame(game)) { Ok(()) } else { Err(End::Left) }
    }

    fn connect(&self) -> Result<WebSocket<Stream>, End> {
        let stream = Stream::open(&self.link.host, self.link.secure).map_err(|_| End::Lost)?;
        let at = self.at.map(|at| format!("&at={at}")).unwrap_or_default();
        let path = self.link.path(&format!("/socket?after={}{at}", self.seq));
        let address = format!("ws://{}{path}", self.link.host);
        let mut socket = match tungstenite::client(address.as_str(), stream) {
            Ok((socket, _)) => socket,
            Err(tungstenite::HandshakeError::Failure(Error::Http(answer))) => {
                return Err(match answer.status().as_u16() {
                    404 => End::Refused("the server does not know this game any more".into()),
                    _ => End::Lost,
                });
            }
            Err(_) => return Err(End::Lost),
        };
        let hello = match &self.link.token {
            Some(token) => json!({"type": "hello", "token": token}),
            None => json!({"type": "hello"}),
        };
        socket.send(Message::text(hello.to_string())).map_err(|_| End::Lost)?;
        socket.get_ref().set_read_timeout(PAUSE).map_err(|_| End::Lost)?;
        Ok(socket)
    }
}

/// The game as the server shows it.
pub fn get(link: &Link) -> Result<Value, String> {
    request(link, "GET", &link.path(""), "")
}

/// Sends a command without a socket.
pub fn post(link: &Link, command: &Value) -> Result<Value, String> {
    request(link, "POST", &link.path("/commands"), &command.to_string())
}

fn request(link: &Link, method: &str, path: &str, body: &str) -> Result<Value, String> {
    let said = |why: String| format!("{} does not answer as a Quadrille server: {why}", link.host);
    let mut stream = Stream::open(&link.host, link.secure)?;
    let token = link.token.as_ref();
    let token = token.map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: {}\r\n{token}Content-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        link.host,
        body.len()
    );
    let mut answer = Vec::new();
    stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body.as_bytes()))
        .and_then(|()| stream.take(MOST_BYTES).read_to_end(&mut answer))
        .map_err(|error| said(error.to_string()))?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) =
        answer.split_once("\r\n\r\n").ok_or_else(|| said("it says nothing".into()))?;
    let status = head.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok()).unwrap_or(0);
    let value: Value = serde_json::from_str(body.trim()).unwrap_or(Value::Null);
    match (status, value["error"].as_str()) {
        (200..300, _) if value.is_object() => Ok(value),
        (404, _) => Err(format!("{} knows no such game", link.host)),
        (401, _) => Ok(json!({})),
        (_, Some(error)) => Err(format!("{} refuses: {error}", link.host)),
        _ => Err(said(format!("status {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_server_that_has_fallen_silent_is_noticed_and_asked_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        // It greets twice, takes whatever is sent, and never says a word.
        let (told, heard) = channel();
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for _ in 0..2 {
                let (stream, _) = listener.accept().unwrap();
                let mut socket = tungstenite::accept(stream).unwrap();
                let texts = [socket.read().unwrap(), socket.read().unwrap()];
                told.send(texts.map(|text| text.to_string())).unwrap();
                open.push(socket);
            }
        });
        let link = Link::parse(&format!("http://{host}/k3Vx9QmZ")).unwrap();
        let (_command, receive) = channel();
        let silence = [Duration::from_millis(60), Duration::from_millis(60)];
        let (send, news) = channel();
        std::thread::spawn(move || {
            let thread = Thread { link, seq: 0, at: None, waiting: Vec::new(), receive, silence };
            thread.run(&move |told| send.send(told).is_ok());
        });
        let connected = || match news.recv_timeout(Duration::from_secs(20)).unwrap() {
            News::Connected(yes) => yes,
            other => panic!("{other:?}"),
        };
        assert_eq!([connected(), connected(), connected()], [true, false, true]);
        for _ in 0..2 {
            let [hello, ping] = heard.recv_timeout(Duration::from_secs(20)).unwrap();
            assert!(hello.contains("hello") && ping.contains("ping"), "{hello} {ping}");
        }
    }

    // The answer's type is the library's.
    #[allow(clippy::result_large_err)]
    #[test]
    fn a_game_of_which_the_server_has_lost_something_is_read_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut asked = String::new();
            let note = |request: &tungstenite::handshake::server::Request, answer| {
                asked = request.uri().to_string();
                Ok(answer)
            };
            let mut socket = tungstenite::accept_hdr(stream, note).unwrap();
            assert!(asked.ends_with("/socket?after=5&at=77"), "{asked}");
            socket.send(Message::text(r#"{"type":"reset","seq":3}"#)).unwrap();
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 4096];
            let _ = stream.read(&mut head).unwrap();
            let body = r#"{"game":"gekitai","seq":3,"at":70,"turns":["c3","d4"]}"#;
            write!(stream, "HTTP/1.0 200 OK\r\n\r\n{body}").unwrap();
        });
        let link = Link::parse(&format!("http://{host}/k3Vx9QmZ")).unwrap();
        let (_command, receive) = channel();
        let (send, news) = channel();
        std::thread::spawn(move || {
            let (waiting, silence) = (Vec::new(), SILENCE);
            let thread = Thread { link, seq: 5, at: Some(77), waiting, receive, silence };
            thread.run(&move |told| send.send(told).is_ok());
        });
        let hear = || news.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(matches!(hear(), News::Connected(true)));
        let News::Frame(game) = hear() else { panic!("a frame was expected") };
        assert_eq!((game["type"].as_str(), game["seq"].as_u64()), (Some("game"), Some(3)));
    }
}
