//! Notifications between servers that share a store. They are only hints: a server that misses one finds out by
//! polling the store a second or two later, and nothing about a game is believed unless the store says it.

use crate::StartError;
use crate::clocks::alarm;
use crate::games::hall::Hall;
use crate::games::room::Room;
use crate::metrics::Metrics;
use crate::supervise::Tasks;
use crate::work::computers;
use rules::Player;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How often the store is polled while NATS is connected, and while it is not.
const LOOK: Duration = Duration::from_millis(2_000);
const LOOK_OFTEN: Duration = Duration::from_millis(1_000);

/// How often to look for clocks and computers' turns that no server takes care of.
const MIND: Duration = Duration::from_millis(250);

/// How often presence and spending are published, and after how many rounds unchanged presence is repeated.
const TELL: Duration = Duration::from_secs(1);
const AGAIN: u32 = 5;

/// For how many milliseconds presence reported by another server counts.
pub const BELIEVED: i64 = 12_000;

/// How many games one query asks about.
const TOGETHER: usize = 1_000;

/// Publishes notifications to the other servers.
pub struct News {
    out: Option<mpsc::UnboundedSender<String>>,
}

/// Messages from other servers, each with the sender's id.
pub type Inbox = mpsc::UnboundedReceiver<(u64, String)>;

impl News {
    /// For a server without peers.
    pub fn none() -> News {
        News { out: None }
    }

    /// Publishes into a channel.
    pub fn into_channel(out: mpsc::UnboundedSender<String>) -> News {
        News { out: Some(out) }
    }

    /// Connects to the other servers through NATS at these addresses, in a task that is kept.
    pub fn open(
        addresses: &str,
        metrics: &Arc<Metrics>,
        tasks: &Tasks,
    ) -> Result<(News, Inbox, JoinHandle<()>), StartError> {
        #[cfg(feature = "many")]
        {
            let (out, lines) = mpsc::unbounded_channel();
            let (heard, inbox) = mpsc::unbounded_channel();
            let link = nats::Link::new(addresses, lines, heard, metrics)?;
            let task = tasks.keep("NATS", metrics, move || link.clone().talk());
            Ok((News { out: Some(out) }, inbox, task))
        }
        #[cfg(not(feature = "many"))]
        {
            let _ = (addresses, metrics, tasks);
            Err(StartError(crate::NOT_MANY.into()))
        }
    }

    fn say(&self, line: String) {
        if let Some(out) = &self.out {
            // Notifications may be lost.
            let _ = out.send(line);
        }
    }

    /// Announces that a game has events up to `seq`.
    pub fn moved(&self, game: &str, seq: i64) {
        if self.out.is_some() {
            self.say(format!("m {game} {seq}"));
        }
    }

    /// Passes on what a player said.
    pub fn greeted(&self, game: &str, seat: Player, word: usize) {
        if self.out.is_some() {
            self.say(format!("g {game} {} {word}", seat.number()));
        }
    }
}

/// Processes messages from other servers, in an endless loop.
pub async fn hear(hall: Arc<Hall>, inbox: Arc<tokio::sync::Mutex<Inbox>>) {
    let mut inbox = inbox.lock().await;
    while let Some((server, text)) = inbox.recv().await {
        for line in text.lines() {
            let _ = take_in(&hall, server, line);
        }
    }
    // NATS cannot be used at all; polling the store is enough.
    std::future::pending().await
}

/// Processes one message; unreadable ones come from another version and are ignored.
fn take_in(hall: &Arc<Hall>, server: u64, line: &str) -> Option<()> {
    let mut words = line.split(' ');
    match words.next()? {
        "m" => {
            let room = hall.in_memory(words.next()?)?;
            if room.seq() != words.next()?.parse::<i64>().ok()? {
                let hall = Arc::clone(hall);
                // If the store cannot be read now, the next poll catches up.
                tokio::spawn(async move { hall.refresh(&room).await });
            }
        }
        "g" => {
            let room = hall.in_memory(words.next()?)?;
            let seat = Player::try_from(words.next()?.parse::<u8>().ok()?).ok()?;
            let word = words.next()?.parse::<usize>().ok()?;
            room.greet(seat, word);
        }
        "p" => {
            let room = hall.in_memory(words.next()?)?;
            let mut number = || words.next()?.parse::<u32>().ok();
            room.elsewhere(server, [number()?, number()?, number()?]);
        }
        "a" => {
            let address: IpAddr = words.next()?.parse().ok()?;
            let mut number = || words.next()?.parse::<u32>().ok();
            hall.limits.spent_elsewhere(address, [number()?, number()?]);
        }
        _ => {}
    }
    Some(())
}

/// Polls the store for changes to the games that somebody follows here, in an endless loop.
pub async fn look(hall: Arc<Hall>) {
    loop {
        let heard = hall.metrics.connected.load(Ordering::Relaxed) == 1;
        tokio::time::sleep(if heard { LOOK } else { LOOK_OFTEN }).await;
        for rooms in hall.followed().chunks(TOGETHER) {
            // If the store cannot be read now, the next poll tries again.
            let _ = look_at(&hall, rooms).await;
        }
    }
}

/// Compares all games in memory with the store.
pub async fn compare_all(hall: &Arc<Hall>) -> Result<(), table::Refusal> {
    for rooms in hall.all_rooms().chunks(TOGETHER) {
        look_at(hall, rooms).await?;
    }
    Ok(())
}

async fn look_at(hall: &Arc<Hall>, rooms: &[Arc<Room>]) -> Result<(), table::Refusal> {
    let Some(shared) = hall.store.shared() else { return Ok(()) };
    let games = rooms.iter().map(|room| room.id.clone()).collect();
    let last = shared.last(games).await?.into_iter();
    let last: HashMap<_, _> = last.map(|(game, seq, at)| (game, (seq, at))).collect();
    for room in rooms {
        let tip = room.tip();
        let there = last.get(&room.id).copied();
        if there == Some((tip.seq, tip.at)) {
            continue;
        }
        if there.is_some_and(|(seq, _)| seq > tip.seq) {
            hall.metrics.missed.fetch_add(1, Ordering::Relaxed);
        }
        hall.refresh(room).await?;
    }
    Ok(())
}

/// Takes care of clocks and computers' turns that no server handles, in an endless loop.
pub async fn mind(hall: Arc<Hall>) {
    loop {
        tokio::time::sleep(MIND).await;
        // If the store is unavailable, the next round tries again.
        let _ = computers::keep(&hall).await;
        let _ = alarm::end_overdue(&hall).await;
        let _ = computers::adopt(&hall).await;
    }
}

/// Publishes presence and what addresses have spent, in an endless loop.
pub async fn tell(hall: Arc<Hall>) {
    let mut told: BTreeMap<String, [u32; 3]> = BTreeMap::new();
    for round in 0_u32.. {
        tokio::time::sleep(TELL).await;
        let rooms = hall.followed();
        rooms.iter().for_each(|room| room.forget_silent());
        let here: BTreeMap<_, _> =
            rooms.iter().map(|room| (room.id.clone(), room.here())).collect();
        drop(rooms);
        let again = round % AGAIN == 0;
        for (game, counts) in &here {
            if told.get(game) != Some(counts) || (again && *counts != [0; 3]) {
                let [one, two, watchers] = counts;
                hall.news.say(format!("p {game} {one} {two} {watchers}"));
            }
        }
        for (game, counts) in &told {
            if !here.contains_key(game) && *counts != [0; 3] {
                hall.news.say(format!("p {game} 0 0 0"));
            }
        }
        told = here;
        for (address, [asked, made]) in hall.limits.spent_here() {
            hall.news.say(format!("a {address} {asked} {made}"));
        }
    }
}

#[cfg(feature = "many")]
mod nats {
    use super::{Arc, Duration, Metrics, Ordering, StartError, mpsc};
    use crate::ids::{Chance, System};
    use async_nats::connection::State;
    use async_nats::{Client, ConnectOptions, Event};
    use futures_util::StreamExt;

    const SUBJECT: &str = "quadrille.news";

    /// How many messages are published at once.
    const TOGETHER: usize = 1_000;

    /// What it takes to connect, also again.
    #[derive(Clone)]
    pub struct Link {
        addresses: Arc<str>,
        lines: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<String>>>,
        heard: mpsc::UnboundedSender<(u64, String)>,
        metrics: Arc<Metrics>,
    }

    impl Link {
        pub fn new(
            addresses: &str,
            lines: mpsc::UnboundedReceiver<String>,
            heard: mpsc::UnboundedSender<(u64, String)>,
            metrics: &Arc<Metrics>,
        ) -> Result<Link, StartError> {
            // Addresses that cannot be read are refused at the start.
            crate::cluster::nats::read(addresses)?;
            let lines = Arc::new(tokio::sync::Mutex::new(lines));
            Ok(Link { addresses: addresses.into(), lines, heard, metrics: Arc::clone(metrics) })
        }

        /// Connects, publishes and listens. The server starts even if NATS is not available yet.
        pub async fn talk(self) {
            let connected = match crate::cluster::nats::read(&self.addresses) {
                Ok((servers, options)) => {
                    self.watched(options).connect(servers).await.map_err(|error| error.to_string())
                }
                Err(error) => Err(error.to_string()),
            };
            match connected {
                Ok(client) => {
                    let me = System.seed();
                    tokio::join!(self.publish(&client, me), self.listen(&client, me));
                }
                Err(error) => tracing::error!(error, "NATS cannot be used"),
            }
            // Polling the store is enough.
            std::future::pending().await
        }

        fn watched(&self, options: ConnectOptions) -> ConnectOptions {
            let metrics = Arc::clone(&self.metrics);
            options.retry_on_initial_connect().event_callback(move |event| {
                let there = match event {
                    Event::Connected => Some(1),
                    Event::Disconnected | Event::Closed => Some(0),
                    _ => None,
                };
                if let Some(there) = there {
                    let before = metrics.connected.swap(there, Ordering::Relaxed);
                    match before != there {
                        true if there == 1 => tracing::info!("connected to NATS"),
                        true => tracing::warn!("NATS is unavailable: polling the store instead"),
                        false => {}
                    }
                }
                std::future::ready(())
            })
        }

        async fn listen(&self, client: &Client, me: u64) {
            loop {
                let Ok(mut messages) = client.subscribe(SUBJECT).await else {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    continue;
                };
                while let Some(message) = messages.next().await {
                    let Some((from, text)) = read(&message.payload) else { continue };
                    if from != me && self.heard.send((from, text)).is_err() {
                        return;
                    }
                }
            }
        }

        async fn publish(&self, client: &Client, me: u64) {
            let mut lines = self.lines.lock().await;
            let mut some = Vec::with_capacity(TOGETHER);
            while lines.recv_many(&mut some, TOGETHER).await > 0 {
                // Notifications are not buffered while disconnected.
                if client.connection_state() == State::Connected {
                    let text = format!("{me}\n{}", some.join("\n"));
                    let _ = client.publish(SUBJECT, text.into()).await;
                }
                some.clear();
            }
        }
    }

    fn read(payload: &[u8]) -> Option<(u64, String)> {
        let (from, text) = std::str::from_utf8(payload).ok()?.split_once('\n')?;
        Some((from.parse().ok()?, text.to_owned()))
    }
}
