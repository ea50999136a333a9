//! What servers that share a store tell each other. All of it is a hint: whoever misses it finds out by asking
//! the store, a second or two later, and nobody believes anything about a game that the store has not said.

use crate::StartError;
use crate::alarm;
use crate::computers;
use crate::live::Hall;
use crate::metrics::Metrics;
use crate::room::Room;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc;

/// How often the store is asked what is new while others can tell, and while they cannot.
const LOOK: Duration = Duration::from_millis(2_000);
const LOOK_OFTEN: Duration = Duration::from_millis(1_000);

/// How often clocks and computers are looked for that no server keeps.
const MIND: Duration = Duration::from_millis(250);

/// How often the others hear who is here and what addresses have spent, and after how many times it is said
/// again who is still here.
const TELL: Duration = Duration::from_secs(1);
const AGAIN: u32 = 5;

/// For how many milliseconds it is believed who is connected to another server.
pub const BELIEVED: i64 = 12_000;

/// How many games are asked for at once.
const TOGETHER: usize = 1_000;

/// The way to the other servers.
pub struct News {
    out: Option<mpsc::UnboundedSender<String>>,
}

/// What others say, when somebody is there to hear it.
pub type Inbox = mpsc::UnboundedReceiver<(u64, String)>;

impl News {
    /// There are no others.
    pub fn none() -> News {
        News { out: None }
    }

    /// Finds the others at these addresses.
    pub fn open(addresses: &str, metrics: &Arc<Metrics>) -> Result<(News, Inbox), StartError> {
        #[cfg(feature = "many")]
        {
            let (out, lines) = mpsc::unbounded_channel();
            let (heard, inbox) = mpsc::unbounded_channel();
            nats::start(addresses, lines, heard, Arc::clone(metrics))?;
            Ok((News { out: Some(out) }, inbox))
        }
        #[cfg(not(feature = "many"))]
        {
            let _ = (addresses, metrics);
            Err(StartError(crate::NOT_MANY.into()))
        }
    }

    fn say(&self, line: String) {
        if let Some(out) = &self.out {
            // Who cannot be told finds out.
            let _ = out.send(line);
        }
    }

    /// A game has got events up to this number.
    pub fn moved(&self, game: &str, seq: i64) {
        if self.out.is_some() {
            self.say(format!("m {game} {seq}"));
        }
    }
}

/// Takes in what others say, for ever.
pub async fn hear(hall: Arc<Hall>, mut inbox: Inbox) {
    while let Some((server, text)) = inbox.recv().await {
        for line in text.lines() {
            let _ = take_in(&hall, server, line);
        }
    }
}

/// Takes in one line; what cannot be read comes from another version and is passed over.
fn take_in(hall: &Arc<Hall>, server: u64, line: &str) -> Option<()> {
    let mut words = line.split(' ');
    match words.next()? {
        "m" => {
            let room = hall.in_memory(words.next()?)?;
            if room.seq() != words.next()?.parse::<i64>().ok()? {
                let hall = Arc::clone(hall);
                // If the store cannot be read now, the next look finds it.
                tokio::spawn(async move { hall.refresh(&room).await });
            }
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

/// Looks up what is new in the games that somebody follows here, for ever.
pub async fn look(hall: Arc<Hall>) {
    loop {
        let heard = hall.metrics.connected.load(Ordering::Relaxed) == 1;
        tokio::time::sleep(if heard { LOOK } else { LOOK_OFTEN }).await;
        for rooms in hall.followed().chunks(TOGETHER) {
            // A store that cannot be read now is asked again later.
            let _ = look_at(&hall, rooms).await;
        }
    }
}

async fn look_at(hall: &Arc<Hall>, rooms: &[Arc<Room>]) -> Result<(), crate::error::Refusal> {
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

/// Sees to clocks and computers that no server keeps, for ever.
pub async fn mind(hall: Arc<Hall>) {
    loop {
        tokio::time::sleep(MIND).await;
        // A store that cannot be reached now is asked again soon.
        let _ = computers::keep(&hall).await;
        let _ = alarm::end_overdue(&hall).await;
        let _ = computers::adopt(&hall).await;
    }
}

/// Tells others who is here and what addresses have spent, for ever.
pub async fn tell(hall: Arc<Hall>) {
    let mut told: HashMap<String, [u32; 3]> = HashMap::new();
    for round in 0_u32.. {
        tokio::time::sleep(TELL).await;
        let rooms = hall.followed();
        rooms.iter().for_each(|room| room.forget_silent());
        let here: HashMap<_, _> = rooms.iter().map(|room| (room.id.clone(), room.here())).collect();
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
    use async_nats::connection::State;
    use async_nats::{Client, Event};
    use futures_util::StreamExt;

    /// What is said among servers.
    const SUBJECT: &str = "quadrille.news";

    /// How many lines are said at once.
    const TOGETHER: usize = 1_000;

    /// Begins to talk. That nobody is there now is no reason not to start.
    pub fn start(
        addresses: &str,
        lines: mpsc::UnboundedReceiver<String>,
        heard: mpsc::UnboundedSender<(u64, String)>,
        metrics: Arc<Metrics>,
    ) -> Result<(), StartError> {
        let (servers, options) = crate::nats::read(addresses)?;
        let counted = Arc::clone(&metrics);
        let options = options.retry_on_initial_connect().event_callback(move |event| {
            let there = match event {
                Event::Connected => Some(1),
                Event::Disconnected | Event::Closed => Some(0),
                _ => None,
            };
            if let Some(there) = there {
                let before = counted.connected.swap(there, Ordering::Relaxed);
                match before != there {
                    true if there == 1 => tracing::info!("NATS is there"),
                    true => tracing::warn!("NATS is away: what is new is looked up every second"),
                    false => {}
                }
            }
            std::future::ready(())
        });
        tokio::spawn(async move {
            match options.connect(servers).await {
                Ok(client) => talk(client, lines, heard).await,
                Err(error) => tracing::error!(%error, "NATS cannot be used"),
            }
        });
        Ok(())
    }

    async fn talk(
        client: Client,
        mut lines: mpsc::UnboundedReceiver<String>,
        heard: mpsc::UnboundedSender<(u64, String)>,
    ) {
        let me = crate::ids::seed();
        let listening = client.clone();
        tokio::spawn(async move {
            loop {
                let Ok(mut messages) = listening.subscribe(SUBJECT).await else {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    continue;
                };
                while let Some(message) = messages.next().await {
                    let Some((from, text)) = read(&message.payload) else { continue };
                    if from != me && heard.send((from, text)).is_err() {
                        return;
                    }
                }
            }
        });
        let mut some = Vec::with_capacity(TOGETHER);
        while lines.recv_many(&mut some, TOGETHER).await > 0 {
            // What is said to nobody is not kept for later.
            if client.connection_state() == State::Connected {
                let text = format!("{me}\n{}", some.join("\n"));
                let _ = client.publish(SUBJECT, text.into()).await;
            }
            some.clear();
        }
    }

    fn read(payload: &[u8]) -> Option<(u64, String)> {
        let (from, text) = std::str::from_utf8(payload).ok()?.split_once('\n')?;
        Some((from.parse().ok()?, text.to_owned()))
    }
}
