//! A crowd of bots that plays on a server and measures it.
//!
//! `crowd ADDRESS GAMES MOVES_PER_SECOND SECONDS`: two sockets a game, turns at random, together so many
//! turns a second. Measured is the time from a player's send to the opponent's receipt of the committed
//! event. With nought moves a second the sockets are only held open. The server must allow enough new
//! games (`--new-games`).

use engine::Session;
use futures_util::{SinkExt, StreamExt};
use rules::random::Random;
use serde_json::{Value, json};
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

type Failed = Box<dyn Error + Send + Sync>;
type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// What all bots share.
struct Crowd {
    address: String,
    /// The mean pause before a turn.
    pause: Option<Duration>,
    until: Instant,
    measured_from: Instant,
    micros: Mutex<Vec<u32>>,
    finished: AtomicU64,
}

/// A bot's view of its game.
struct Bot {
    socket: Socket,
    session: Box<dyn Session>,
    seat: u8,
    random: Random,
    sent: Arc<Mutex<Instant>>,
    command: u64,
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [address, games, rate, seconds] = args.as_slice() else {
        return Err("usage: crowd ADDRESS GAMES MOVES_PER_SECOND SECONDS".into());
    };
    let (games, rate): (u32, f64) = (games.parse()?, rate.parse()?);
    let seconds: u64 = seconds.parse()?;
    let warm_up = Duration::from_secs(3 + u64::from(games) / 400);
    let crowd = Arc::new(Crowd {
        address: address.clone(),
        pause: (rate > 0.0).then(|| Duration::from_secs_f64(f64::from(games) / rate)),
        until: Instant::now() + warm_up + Duration::from_secs(seconds),
        measured_from: Instant::now() + warm_up,
        micros: Mutex::default(),
        finished: AtomicU64::new(0),
    });
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..games {
        let crowd = Arc::clone(&crowd);
        tasks.spawn(async move {
            // Not all at once: the server is not measured by how it takes a stampede.
            tokio::time::sleep(Duration::from_micros(u64::from(number) * 2_000)).await;
            while Instant::now() < crowd.until {
                play(&crowd, u64::from(number)).await?;
                crowd.finished.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<(), Failed>(())
        });
    }
    let mut failures = 0;
    while let Some(done) = tasks.join_next().await {
        if let Err(error) = done? {
            failures += 1;
            eprintln!("a game failed: {error}");
        }
    }
    report(&crowd, games, seconds, failures);
    Ok(())
}

fn report(crowd: &Crowd, games: u32, seconds: u64, failures: u32) {
    let mut micros = crowd.micros.lock().map(|micros| micros.clone()).unwrap_or_default();
    micros.sort_unstable();
    let at = |share: f64| {
        let index = (micros.len() as f64 * share) as usize;
        micros.get(index.min(micros.len().saturating_sub(1))).copied().unwrap_or(0)
    };
    let ms = |micros: u32| f64::from(micros) / 1e3;
    println!(
        "{games} games, {} sockets, {} turns in {seconds} s ({:.0}/s), {} games over, {failures} failed",
        2 * games,
        micros.len(),
        micros.len() as f64 / seconds.max(1) as f64,
        crowd.finished.load(Ordering::Relaxed),
    );
    println!(
        "send to the opponent's receipt: p50 {:.1} ms, p90 {:.1} ms, p99 {:.1} ms, most {:.1} ms",
        ms(at(0.5)),
        ms(at(0.9)),
        ms(at(0.99)),
        ms(at(1.0)),
    );
}

/// Makes a game and lets two bots play it.
async fn play(crowd: &Crowd, number: u64) -> Result<(), Failed> {
    let ids: Vec<_> = engine::GAMES.iter().map(|entry| entry.info).collect();
    let info = ids[number as usize % ids.len()];
    let person = json!({ "kind": "person" });
    let wanted = json!({ "game": info.id, "seats": [person, person] });
    let made = post(&crowd.address, &wanted).await?;
    let id = made["id"].as_str().ok_or_else(|| format!("no game was made: {made}"))?;
    let sent = Arc::new(Mutex::new(Instant::now()));
    let mut bots = Vec::new();
    for seat in [1_u8, 2] {
        let url = format!("ws://{}/api/games/{id}/socket?after=1", crowd.address);
        let (mut socket, _) = tokio_tungstenite::connect_async(url).await?;
        let token = &made["tokens"][usize::from(seat) - 1];
        let hello = json!({ "type": "hello", "token": token });
        socket.send(Message::text(hello.to_string())).await?;
        let entry = engine::find(info.id).ok_or("no such game")?;
        let session = (entry.start)(&Default::default())?;
        let random = Random::new(number * 2 + u64::from(seat) + micros_since_start(crowd));
        bots.push(Bot { socket, session, seat, random, sent: Arc::clone(&sent), command: 0 });
    }
    let (Some(two), Some(one)) = (bots.pop(), bots.pop()) else { return Err("no bots".into()) };
    let (one, two) = tokio::join!(one.run(crowd), two.run(crowd));
    one.and(two)
}

fn micros_since_start(crowd: &Crowd) -> u64 {
    crowd.until.saturating_duration_since(Instant::now()).subsec_nanos().into()
}

impl Bot {
    /// Plays until the game or the measurement is over.
    async fn run(mut self, crowd: &Crowd) -> Result<(), Failed> {
        self.maybe_move(crowd).await?;
        loop {
            let left = crowd.until.saturating_duration_since(Instant::now());
            let frame = match tokio::time::timeout(left, self.socket.next()).await {
                Err(_) => return Ok(()),
                Ok(None) => return Err("the server closed a socket".into()),
                Ok(Some(frame)) => frame?,
            };
            let Message::Text(text) = frame else { continue };
            let told: Value = serde_json::from_str(text.as_str())?;
            match (told["type"].as_str(), told["kind"].as_str()) {
                (Some("event"), Some("move")) => {
                    if told["seat"] != self.seat {
                        self.measure(crowd);
                    }
                    self.session.play(told["turn"].as_str().unwrap_or_default())?;
                    self.maybe_move(crowd).await?;
                }
                (Some("event"), Some("result")) => return Ok(()),
                (Some("refused"), _) => return Err(format!("refused: {told}").into()),
                _ => {}
            }
        }
    }

    fn measure(&self, crowd: &Crowd) {
        let now = Instant::now();
        let (Ok(sent), Ok(mut all)) = (self.sent.lock(), crowd.micros.lock()) else { return };
        if *sent >= crowd.measured_from && now <= crowd.until {
            all.push(u32::try_from(now.duration_since(*sent).as_micros()).unwrap_or(u32::MAX));
        }
    }

    async fn maybe_move(&mut self, crowd: &Crowd) -> Result<(), Failed> {
        let Some(pause) = crowd.pause else { return Ok(()) };
        if self.session.turn().number() != self.seat || self.session.result().is_some() {
            return Ok(());
        }
        // Between nothing and twice the mean.
        let share = self.random.below(2_000) as f64 / 1_000.0;
        tokio::time::sleep(pause.mul_f64(share)).await;
        if Instant::now() >= crowd.until {
            return Ok(());
        }
        let Some(turn) = random_turn(self.session.as_ref(), &mut self.random) else {
            return Ok(());
        };
        self.command += 1;
        let command = format!("{}-{}", self.seat, self.command);
        let wish = json!({ "type": "command", "do": "move", "turn": turn, "command": command });
        if let Ok(mut sent) = self.sent.lock() {
            *sent = Instant::now();
        }
        self.socket.send(Message::text(wish.to_string())).await?;
        Ok(())
    }
}

/// A turn by steps at random: to list all whole turns would cost more than the server's work.
fn random_turn(session: &dyn Session, random: &mut Random) -> Option<String> {
    let mut next = session.boxed_clone();
    let mut turn = String::new();
    while next.turn() == session.turn() && next.outcome().is_none() {
        let step = random.pick(&next.steps())?.text.clone();
        next.play(&step).ok()?;
        turn.push_str(&step);
    }
    Some(turn)
}

/// Posts a game, by hand: it is the one request that is needed.
async fn post(address: &str, body: &Value) -> Result<Value, Failed> {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).await?;
    let head = format!(
        "POST /api/games HTTP/1.1\r\nhost: {address}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or("no answer")?;
    Ok(serde_json::from_str(body)?)
}
