//! The connection to a server: requests, and a socket that is opened again whenever it is lost.

use super::link::Link;
use super::stream::{self, Stream};
use super::{Clocks, Shown};
use rules::{ByPlayer, Player};
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io::{ErrorKind, Read, Write};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};
use table::{Event, Kind, State};
use tungstenite::{Error, Message, WebSocket};

/// How often the thread checks whether there is something to send.
const PAUSE: Duration = Duration::from_millis(50);
/// As on the pages: after this silence the server is asked whether it is there, and has that long to answer. A
/// connection that died silently is noticed within nine seconds.
const SILENCE: [Duration; 2] = [Duration::from_secs(4), Duration::from_millis(4500)];
/// The longest pause between two attempts to connect.
const LONGEST: Duration = Duration::from_secs(5);
/// The largest answer that is read.
const MOST_BYTES: u64 = 4 << 20;

/// A message of the server. Those of newer servers that this version does not know are ignored.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Frame {
    Event(Happened),
    Clocks(Clocks),
    /// Which seats are connected.
    Presence {
        seats: ByPlayer<bool>,
    },
    Ack {
        command: Option<String>,
    },
    Refused {
        command: Option<String>,
        error: String,
    },
    /// One of the fixed words that a player says.
    Greeting {
        seat: Player,
        text: String,
    },
    /// The server has lost some of what it had sent.
    Reset {},
    #[serde(other)]
    Unknown,
}

/// An event, and the clocks after it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Value")]
pub struct Happened {
    pub event: Event,
    pub clocks: Option<Clocks>,
}

impl TryFrom<Value> for Happened {
    type Error = String;

    fn try_from(told: Value) -> Result<Happened, String> {
        Ok(Happened {
            event: Event::read(&told)?,
            clocks: Clocks::deserialize(&told["clocks"]).ok(),
        })
    }
}

/// A message of the thread.
pub enum News {
    /// The connection is there, or lost.
    Connected(bool),
    Frame(Frame),
    /// The whole game, because the server has lost some of what it told.
    Game(Box<Shown>),
    /// The server refuses to go on: there is no such game, or the seat is not the user's.
    Over(String),
}

/// A command with the name under which it is answered. Without a name it gets no answer, and is sent only while there
/// is a connection.
pub struct Command {
    pub name: String,
    pub json: String,
}

/// A connection, which ends when this is dropped.
pub struct Connection {
    send: Sender<Command>,
}

impl Connection {
    /// Connects in a thread, and tells everything that follows the last event of the state.
    pub fn open(
        link: &Link,
        state: &State,
        tell: impl Fn(News) -> bool + Send + 'static,
    ) -> Connection {
        let (send, receive) = channel();
        let (link, seq, at) = (link.clone(), state.course.seq, state.course.last_at);
        std::thread::spawn(move || {
            let waiting = Vec::new();
            Thread { link, seq, at, waiting, receive, silence: SILENCE }.run(&tell)
        });
        Connection { send }
    }

    /// Sends a command, now or as soon as there is a connection; it is repeated until it is answered.
    pub fn command(&self, command: Command) {
        // The thread outlives this.
        let _ = self.send.send(command);
    }
}

struct Thread {
    link: Link,
    /// The last event that was passed on: its number and its time.
    seq: i64,
    at: i64,
    /// Commands that were not answered.
    waiting: Vec<Command>,
    receive: Receiver<Command>,
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

impl From<Error> for End {
    fn from(_: Error) -> End {
        End::Lost
    }
}

/// Ends when nobody listens any more.
fn heard(is_heard: bool) -> Result<(), End> {
    if is_heard { Ok(()) } else { Err(End::Left) }
}

impl Thread {
    fn run(mut self, tell: &dyn Fn(News) -> bool) {
        let mut pause = Duration::from_millis(250);
        loop {
            let started = Instant::now();
            match self.hold(tell) {
                Err(End::Left) => return,
                Err(End::Refused(why)) => {
                    tell(News::Over(why));
                    return;
                }
                Err(End::Lost) => {}
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
                    Ok(command) => self.keep(command),
                    Err(std::sync::mpsc::RecvTimeoutError::Timeout) => break,
                    Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
                }
            }
            pause = (pause * 2).min(LONGEST);
        }
    }

    /// Connects and stays connected as long as it can.
    fn hold(&mut self, tell: &dyn Fn(News) -> bool) -> Result<Infallible, End> {
        let mut socket = self.connect()?;
        let (mut last, mut asked) = (Instant::now(), None);
        heard(tell(News::Connected(true)))?;
        for command in &self.waiting {
            socket.send(Message::text(command.json.as_str()))?;
        }
        loop {
            match self.receive.try_recv() {
                Ok(command) => {
                    let text = command.json.clone();
                    self.keep(command);
                    socket.send(Message::text(text))?;
                }
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => {
                    let _ = socket.close(None);
                    return Err(End::Left);
                }
            }
            match socket.read() {
                Ok(Message::Text(text)) => {
                    (last, asked) = (Instant::now(), None);
                    let frame = serde_json::from_str(&text).map(clean);
                    let Ok(frame) = frame.and_then(serde_json::from_value) else { continue };
                    self.hear(frame, tell)?;
                }
                Ok(Message::Close(_)) => return Err(End::Lost),
                Ok(_) => (last, asked) = (Instant::now(), None),
                Err(Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(error) => return Err(error.into()),
            }
            // Sends pongs for the pings that were read.
            let _ = socket.flush();
            match asked {
                Some(at) if Instant::elapsed(&at) > self.silence[1] => return Err(End::Lost),
                None if last.elapsed() > self.silence[0] => {
                    asked = Some(Instant::now());
                    let ping = json!({"type": "ping"}).to_string();
                    socket.send(Message::text(ping))?;
                }
                _ => {}
            }
        }
    }

    /// Keeps a command until it is answered.
    fn keep(&mut self, command: Command) {
        if !command.name.is_empty() {
            self.waiting.push(command);
        }
    }

    /// Takes in a frame of the server.
    fn hear(&mut self, frame: Frame, tell: &dyn Fn(News) -> bool) -> Result<(), End> {
        match &frame {
            // A duplicate.
            Frame::Event(Happened { event, .. }) if event.seq <= self.seq => return Ok(()),
            Frame::Event(Happened { event, .. }) => (self.seq, self.at) = (event.seq, event.at),
            Frame::Ack { command: Some(name) } | Frame::Refused { command: Some(name), .. } => {
                self.waiting.retain(|command| command.name != *name);
            }
            Frame::Reset {} => return self.read_again(tell),
            _ => {}
        }
        heard(tell(News::Frame(frame)))
    }

    /// Reads and tells the whole game.
    fn read_again(&mut self, tell: &dyn Fn(News) -> bool) -> Result<(), End> {
        let Ok(Some(shown)) = get(&self.link) else { return Err(End::Lost) };
        (self.seq, self.at) = (shown.state.course.seq, shown.state.course.last_at);
        heard(tell(News::Game(Box::new(shown))))
    }

    fn connect(&self) -> Result<WebSocket<Box<dyn Stream>>, End> {
        let stream = stream::open(&self.link.host, self.link.secure).map_err(|_| End::Lost)?;
        let path = self.link.path(&format!("/socket?after={}&at={}", self.seq, self.at));
        let address = format!("ws://{}{path}", self.link.host);
        let mut socket = match tungstenite::client(address.as_str(), stream) {
            Ok((socket, _)) => socket,
            Err(tungstenite::HandshakeError::Failure(Error::Http(answer))) => {
                return Err(match answer.status().as_u16() == Kind::NotThere.status() {
                    true => End::Refused("the server does not know this game any more".into()),
                    false => End::Lost,
                });
            }
            Err(_) => return Err(End::Lost),
        };
        let hello = match &self.link.token {
            Some(token) => json!({"type": "hello", "token": token}),
            None => json!({"type": "hello"}),
        };
        socket.send(Message::text(hello.to_string()))?;
        socket.get_ref().socket().set_read_timeout(Some(PAUSE)).map_err(Error::Io)?;
        Ok(socket)
    }
}

/// The game as the server shows it; `None` if the link's secret plays no seat.
pub fn get(link: &Link) -> Result<Option<Shown>, String> {
    match request(link, "GET", &link.path(""), "")? {
        Ok(told) => Shown::read(&told)
            .map(Some)
            .map_err(|error| format!("{} sent a game that cannot be read: {error}", link.host)),
        Err(refusal) if refusal.kind == Kind::NoToken.name() => Ok(None),
        Err(refusal) => Err(refusal.words(link)),
    }
}

/// Sends a command without a socket.
pub fn post(link: &Link, command: &Value) -> Result<(), String> {
    let answer = request(link, "POST", &link.path("/commands"), &command.to_string())?;
    answer.map(drop).map_err(|refusal| refusal.words(link))
}

/// Makes a game.
pub fn create(server: &Link, game: &Value) -> Result<Value, String> {
    let path = format!("{}/api/games", server.base);
    request(server, "POST", &path, &game.to_string())?.map_err(|refusal| refusal.words(server))
}

/// A refusal as a server tells it.
#[derive(Deserialize)]
pub(super) struct Refused {
    pub kind: String,
    pub error: String,
}

impl Refused {
    fn words(&self, link: &Link) -> String {
        match self.kind == Kind::NotThere.name() {
            true => format!("{} knows no such game", link.host),
            false => format!("{} refuses: {}", link.host, self.error),
        }
    }
}

/// A server's answer without characters that would control the terminal.
fn clean(told: Value) -> Value {
    match told {
        Value::String(text) => text.chars().filter(|c| !c.is_control()).collect::<String>().into(),
        Value::Array(list) => list.into_iter().map(clean).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, own)| (key, clean(own))).collect(),
        other => other,
    }
}

pub(super) fn request(
    link: &Link,
    method: &str,
    path: &str,
    body: &str,
) -> Result<Result<Value, Refused>, String> {
    let said = |why: &str| format!("{} does not answer like a Quadrille server: {why}", link.host);
    let mut stream = stream::open(&link.host, link.secure)?;
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
        // Many servers close TLS without a `close_notify`.
        .or_else(|error| if error.kind() == ErrorKind::UnexpectedEof { Ok(0) } else { Err(error) })
        .map_err(|error| said(&error.to_string()))?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| said("the answer is empty"))?;
    let told = serde_json::from_str(body).map(clean).unwrap_or_default();
    match Refused::deserialize(&told) {
        Ok(refusal) => Ok(Err(refusal)),
        Err(_) if told.is_object() => Ok(Ok(told)),
        Err(_) => Err(said(head.lines().next().unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn what_a_server_says_does_not_command_the_terminal() {
        let told = json!({"seats": [{"name": "no\u{1b}[2J way\u{7}\n"}, 5]});
        assert_eq!(clean(told), json!({"seats": [{"name": "no[2J way"}, 5]}));
    }

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
            let thread = Thread { link, seq: 0, at: 0, waiting: Vec::new(), receive, silence };
            thread.run(&move |told| send.send(told).is_ok());
        });
        let connected = || match news.recv_timeout(Duration::from_secs(20)).unwrap() {
            News::Connected(yes) => yes,
            _ => panic!("something else was told"),
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
            let body = r#"{"game":"gekitai","seq":3,"at":70,"turns":["c3","d4"],
                "seats":[{"kind":"person"},{"kind":"person"}]}"#;
            write!(stream, "HTTP/1.0 200 OK\r\n\r\n{body}").unwrap();
        });
        let link = Link::parse(&format!("http://{host}/k3Vx9QmZ")).unwrap();
        let (_command, receive) = channel();
        let (send, news) = channel();
        std::thread::spawn(move || {
            let (waiting, silence) = (Vec::new(), SILENCE);
            let thread = Thread { link, seq: 5, at: 77, waiting, receive, silence };
            thread.run(&move |told| send.send(told).is_ok());
        });
        let hear = || news.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(matches!(hear(), News::Connected(true)));
        let News::Game(game) = hear() else { panic!("the game was expected") };
        assert_eq!((game.state.course.seq, game.state.session.history().len()), (3, 2));
    }
}
