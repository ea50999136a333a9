//! Bots that play on a server and measure it, for the examples that do.

#![allow(dead_code)]

pub mod routes;

use engine::Session;
use engine::playouts::random_turn;
use futures_util::{SinkExt, StreamExt};
use rules::random::Random;
use serde_json::{Value, json};
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// Whatever goes wrong ends an example.
pub type Failed = Box<dyn Error + Send + Sync>;

/// A socket of a game.
pub type Socket = WebSocketStream<TcpStream>;

/// Connects, on loopback from an address of the caller's choice.
pub async fn connect(from: IpAddr, to: SocketAddr) -> Result<TcpStream, Failed> {
    let socket = if to.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // `bind` looks for a port that nobody uses at all: with some ten thousand connections that have just ended
    // this takes milliseconds each time. `connect` only needs one that is free for this pair of addresses.
    if to.ip().is_loopback() && from != to.ip() {
        socket.bind((from, 0).into())?;
    }
    let stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Opens the socket of a game and presents a token.
pub async fn open_socket(
    from: IpAddr,
    to: SocketAddr,
    id: &str,
    after: u64,
    token: Option<&str>,
) -> Result<Socket, Failed> {
    let url = format!("ws://{to}/api/games/{id}/socket?after={after}");
    let stream = connect(from, to).await?;
    let (mut socket, _) = tokio_tungstenite::client_async(url, stream).await?;
    let hello = json!({ "type": "hello", "token": token });
    socket.send(Message::text(hello.to_string())).await?;
    Ok(socket)
}

/// A connection for sequential requests.
pub struct Http {
    stream: BufReader<TcpStream>,
    to: SocketAddr,
    /// Whether to accept compressed responses.
    pub packed: bool,
}

impl Http {
    /// Connects.
    pub async fn open(from: IpAddr, to: SocketAddr) -> Result<Http, Failed> {
        Ok(Http { stream: BufReader::new(connect(from, to).await?), to, packed: false })
    }

    /// The status and the body of the response.
    pub async fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: &str,
    ) -> Result<(u16, Vec<u8>), Failed> {
        let (to, length) = (self.to, body.len());
        let packed = if self.packed { "accept-encoding: gzip\r\n" } else { "" };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {to}\r\nauthorization: Bearer {token}\r\n\
             {packed}content-length: {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(request.as_bytes()).await?;
        let status = self.line().await?.split(' ').nth(1).ok_or("no status")?.parse()?;
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line().await?.to_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(number) = line.strip_prefix("content-length: ") {
                length = number.parse()?;
            }
            chunked |= line == "transfer-encoding: chunked";
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).await?;
        while chunked {
            let size = usize::from_str_radix(&self.line().await?, 16)?;
            let mut chunk = vec![0; size + 2];
            self.stream.read_exact(&mut chunk).await?;
            answer.extend_from_slice(&chunk[..size]);
            chunked = size > 0;
        }
        Ok((status, answer))
    }

    async fn line(&mut self) -> Result<String, Failed> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err("the server closed a connection".into());
        }
        Ok(line.trim_end().to_owned())
    }
}

/// A new game: its id and the tokens of its seats.
pub struct Made {
    pub id: String,
    pub tokens: [Option<String>; 2],
}

/// Creates a game, waiting if the rate limit is exceeded.
pub async fn make(from: IpAddr, to: SocketAddr, wanted: &Value) -> Result<Made, Failed> {
    let wanted = wanted.to_string();
    let answer = loop {
        let mut http = Http::open(from, to).await?;
        let (status, answer) = http.ask("POST", "/api/games", "", &wanted).await?;
        if status != 429 {
            break answer;
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    };
    let made: Value = serde_json::from_slice(&answer)?;
    let id = made["id"].as_str().ok_or_else(|| format!("no game was made: {made}"))?.to_owned();
    let tokens = [0, 1].map(|i| made["tokens"][i].as_str().map(str::to_owned));
    Ok(Made { id, tokens })
}

/// Measured durations, in microseconds.
#[derive(Default)]
pub struct Times(Mutex<Vec<u32>>);

impl Times {
    /// Records a duration.
    pub fn note(&self, time: Duration) {
        if let Ok(mut all) = self.0.lock() {
            all.push(u32::try_from(time.as_micros()).unwrap_or(u32::MAX));
        }
    }

    /// Takes what was recorded, and starts afresh.
    pub fn take(&self) -> Sorted {
        let mut all = self.0.lock().map(|mut all| std::mem::take(&mut *all)).unwrap_or_default();
        all.sort_unstable();
        Sorted(all)
    }
}

/// Sorted durations.
pub struct Sorted(Vec<u32>);

impl Sorted {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// A quantile, in milliseconds.
    pub fn at(&self, share: f64) -> f64 {
        let index = (self.0.len() as f64 * share) as usize;
        let micros = self.0.get(index.min(self.0.len().saturating_sub(1)));
        f64::from(micros.copied().unwrap_or(0)) / 1e3
    }
}

/// A bot's view of its game.
pub struct Bot {
    pub socket: Socket,
    pub session: Box<dyn Session>,
    pub seat: u8,
    pub random: Random,
    /// When the last turn was sent, by either bot.
    pub sent: Arc<Mutex<Instant>>,
    pub commands: u64,
}

impl Bot {
    /// A bot at a seat of a new game.
    pub fn new(socket: Socket, game: &str, seat: u8, seed: u64) -> Result<Bot, Failed> {
        let entry = engine::find(game).ok_or("no such game")?;
        let session = (entry.start)(&Default::default())?;
        let sent = Arc::new(Mutex::new(Instant::now()));
        Ok(Bot { socket, session, seat, random: Random::new(seed), sent, commands: 0 })
    }

    /// The next message; none once the time is up.
    pub async fn hear(&mut self, until: Instant) -> Result<Option<Value>, Failed> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match tokio::time::timeout(left, self.socket.next()).await {
                Err(_) => return Ok(None),
                Ok(None) => return Err("the server closed a socket".into()),
                Ok(Some(frame)) => {
                    if let Message::Text(text) = frame? {
                        let told: Value = serde_json::from_str(text.as_str())?;
                        if told["type"] == "refused" {
                            return Err(format!("refused: {told}").into());
                        }
                        return Ok(Some(told));
                    }
                }
            }
        }
    }

    /// Whether it is this bot's turn.
    pub fn is_to_move(&self) -> bool {
        self.session.turn().number() == self.seat && self.session.result().is_none()
    }

    /// Plays a turn at random, after a pause between nothing and twice the mean.
    pub async fn play(&mut self, pause: Duration, until: Instant) -> Result<(), Failed> {
        let share = self.random.below(2_000) as f64 / 1_000.0;
        tokio::time::sleep(pause.mul_f64(share)).await;
        let turn = random_turn(self.session.as_ref(), &mut self.random);
        if Instant::now() >= until {
            return Ok(());
        }
        self.commands += 1;
        let command = format!("{}-{}", self.seat, self.commands);
        let action = json!({ "type": "command", "do": "move", "turn": turn, "command": command });
        if let Ok(mut sent) = self.sent.lock() {
            *sent = Instant::now();
        }
        self.socket.send(Message::text(action.to_string())).await?;
        Ok(())
    }

    /// How long ago the last turn was sent.
    pub fn since_sent(&self) -> Duration {
        self.sent.lock().map(|sent| sent.elapsed()).unwrap_or_default()
    }
}

/// Pairs of bots that play games.
pub struct Crowd {
    /// The servers; the two players of a game connect to different ones.
    pub to: Vec<SocketAddr>,
    /// The mean pause before a turn; if there is none, the sockets are only held open.
    pub pause: Option<Duration>,
    pub until: Instant,
    /// From a player's send to the opponent's receipt of the committed event.
    pub times: Times,
}

impl Crowd {
    fn server(&self, number: usize) -> SocketAddr {
        self.to[number % self.to.len()]
    }

    /// Creates a game and lets two bots play it to the end.
    pub async fn play(&self, from: IpAddr, number: u64) -> Result<(), Failed> {
        let game = engine::GAMES[number as usize % engine::GAMES.len()].info.id;
        let person = json!({ "kind": "person" });
        let made = make(
            from,
            self.server(number as usize),
            &json!({ "game": game, "seats": [person, person] }),
        )
        .await?;
        let mut bots = Vec::new();
        let luck = u64::from(self.until.saturating_duration_since(Instant::now()).subsec_nanos());
        for seat in [1_u8, 2] {
            let token = made.tokens[usize::from(seat) - 1].as_deref();
            let socket = open_socket(
                from,
                self.server(number as usize + usize::from(seat)),
                &made.id,
                1,
                token,
            )
            .await?;
            bots.push(Bot::new(socket, game, seat, number * 2 + u64::from(seat) + luck)?);
        }
        let (Some(mut two), Some(one)) = (bots.pop(), bots.pop()) else {
            return Err("no bots".into());
        };
        two.sent = Arc::clone(&one.sent);
        let (one, two) = tokio::join!(self.run(one), self.run(two));
        one.and(two)
    }

    async fn run(&self, mut bot: Bot) -> Result<(), Failed> {
        loop {
            if let Some(pause) = self.pause.filter(|_| bot.is_to_move()) {
                bot.play(pause, self.until).await?;
            }
            loop {
                let Some(told) = bot.hear(self.until).await? else { return Ok(()) };
                match told["kind"].as_str() {
                    Some("move") => {
                        if told["seat"] != bot.seat {
                            self.times.note(bot.since_sent());
                        }
                        bot.session.play(told["turn"].as_str().unwrap_or_default())?;
                        break;
                    }
                    Some("result") => return Ok(()),
                    _ => {}
                }
            }
        }
    }
}
