//! The connection to a server: requests, and a socket that is opened again whenever it is lost.

use super::link::Link;
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};
use tungstenite::{Error, Message, WebSocket};

/// How long a request and the first words of a socket may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the thread looks whether there is something to send.
const PAUSE: Duration = Duration::from_millis(50);
/// A connection from which nothing has come for so long is taken for lost; the server pings every 20 s.
const SILENCE: Duration = Duration::from_secs(45);
/// The longest pause between two attempts to connect.
const LONGEST: Duration = Duration::from_secs(10);
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
    /// Connects in a thread, and tells everything that follows the event `seq`.
    pub fn open(link: Link, seq: u64, tell: impl Fn(News) -> bool + Send + 'static) -> Line {
        let (send, receive) = channel();
        std::thread::spawn(move || Thread { link, seq, waiting: Vec::new(), receive }.run(&tell));
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
    /// The last event that was told.
    seq: u64,
    /// Commands that were not answered.
    waiting: Vec<Value>,
    receive: Receiver<Value>,
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
        let mut heard = Instant::now();
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
                    heard = Instant::now();
                    let Ok(frame) = serde_json::from_str::<Value>(&text) else { continue };
                    if let Err(end) = self.hear(frame, tell) {
                        return end;
                    }
                }
                Ok(Message::Close(_)) => return End::Lost,
                Ok(_) => heard = Instant::now(),
                Err(Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => return End::Lost,
            }
            // What was read may have to be answered: pings with pongs.
            let _ = socket.flush();
            if heard.elapsed() > SILENCE {
                return End::Lost;
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
            self.seq = seq;
        }
        if matches!(kind, "ack" | "refused") {
            self.waiting.retain(|command| command["command"] != frame["command"]);
        }
        if tell(News::Frame(frame)) { Ok(()) } else { Err(End::Left) }
    }

    fn connect(&self) -> Result<WebSocket<TcpStream>, End> {
        let stream = connected(&self.link.host).map_err(|_| End::Lost)?;
        let path = self.link.path(&format!("/socket?after={}", self.seq));
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
        socket.get_ref().set_read_timeout(Some(PAUSE)).map_err(|_| End::Lost)?;
        Ok(socket)
    }
}

fn connected(host: &str) -> Result<TcpStream, String> {
    let said = |why: String| format!("cannot reach {host}: {why}");
    let addresses = host.to_socket_addrs().map_err(|error| said(error.to_string()))?;
    let mut last = said("it has no address".into());
    for address in addresses {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => {
                let limits = stream
                    .set_read_timeout(Some(PATIENCE))
                    .and_then(|()| stream.set_write_timeout(Some(PATIENCE)))
                    .and_then(|()| stream.set_nodelay(true));
                return limits.map(|()| stream).map_err(|error| said(error.to_string()));
            }
            Err(error) => last = said(error.to_string()),
        }
    }
    Err(last)
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
    let mut stream = connected(&link.host)?;
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
