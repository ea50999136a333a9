//! A bad network between a browser and the server: it delays, cuts, and goes silent in the middle of a frame.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, tcp};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// What the network does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weather {
    /// They pass.
    Clear,
    /// Each piece is late by this many milliseconds.
    Slow(u64),
    /// After some more bytes nothing passes in these directions, and nothing is closed: as long as this
    /// lasts, bytes are taken and held back.
    Silent { up: bool, down: bool, after: usize },
    /// Connections are cut, new ones at once.
    Cut,
    /// The same, except for WebSockets that are open.
    SocketsOnly,
}

/// A direction.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Up,
    Down,
}

impl Weather {
    /// How many bytes of a piece may still pass, if it is silent.
    fn holds(self, way: Way) -> Option<usize> {
        match self {
            Weather::Silent { up, after, .. } if way == Way::Up && up => Some(after),
            Weather::Silent { down, after, .. } if way == Way::Down && down => Some(after),
            _ => None,
        }
    }
}

/// What all connections share.
struct Sky {
    weather: watch::Receiver<Weather>,
    /// Connections older than this are dead, though they stay open: nothing ever passes.
    buried: watch::Receiver<u64>,
}

/// A network with an address of its own; it ends with the test.
pub struct Proxy {
    pub url: String,
    target: Arc<Mutex<SocketAddr>>,
    weather: watch::Sender<Weather>,
    buried: watch::Sender<u64>,
    births: Arc<AtomicU64>,
    /// Each connection holds one while it lives.
    alive: watch::Sender<()>,
    listening: JoinHandle<()>,
}

impl Proxy {
    /// A network to a server, clear at first.
    pub async fn start(server: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let target = Arc::new(Mutex::new(address(server)));
        let (weather, buried) = (watch::channel(Weather::Clear).0, watch::channel(0).0);
        let births = Arc::new(AtomicU64::new(1));
        let (whither, born) = (Arc::clone(&target), Arc::clone(&births));
        let (clouds, graves) = (weather.subscribe(), buried.subscribe());
        let (alive, life) = watch::channel(());
        let listening = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let birth = born.fetch_add(1, Ordering::SeqCst);
                let sky = Sky { weather: clouds.clone(), buried: graves.clone() };
                let (server, life) = (*whither.lock().unwrap(), life.clone());
                tokio::spawn(async move {
                    carry(client, server, birth, sky).await;
                    drop(life);
                });
            }
        });
        Proxy { url, target, weather, buried, births, alive, listening }
    }

    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Leads to another server from now on.
    pub fn lead_to(&self, server: &str) {
        *self.target.lock().unwrap() = address(server);
    }

    pub fn set(&self, weather: Weather) {
        self.weather.send_replace(weather);
    }

    /// Cuts all connections, and waits until none is left; what they held back is lost.
    pub async fn cut(&self) {
        self.set(Weather::Cut);
        // The listener holds one, too.
        while self.alive.receiver_count() > 1 {
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Kills all connections that are open now, without telling either end.
    pub fn bury(&self) {
        self.buried.send_replace(self.births.load(Ordering::SeqCst));
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

fn address(url: &str) -> SocketAddr {
    url.trim_start_matches("http://").parse().unwrap()
}

/// One connection, from its beginning to its end.
async fn carry(client: TcpStream, server: SocketAddr, birth: u64, sky: Sky) {
    if matches!(*sky.weather.borrow(), Weather::Cut | Weather::SocketsOnly) {
        return;
    }
    let Ok(server) = TcpStream::connect(server).await else { return };
    let ((from_client, to_client), (from_server, to_server)) =
        (client.into_split(), server.into_split());
    let socket = watch::channel(false).0;
    tokio::select! {
        () = pump(from_client, to_server, Way::Up, birth, &sky, &socket) => {}
        () = pump(from_server, to_client, Way::Down, birth, &sky, &socket) => {}
        () = cut(&sky, &socket) => {}
    }
}

/// Waits until the weather cuts this connection.
async fn cut(sky: &Sky, socket: &watch::Sender<bool>) {
    let mut weather = sky.weather.clone();
    let cuts = |now: &Weather| match now {
        Weather::Cut => true,
        Weather::SocketsOnly => !*socket.borrow(),
        _ => false,
    };
    let _ = weather.wait_for(cuts).await;
}

/// Carries bytes one way until one end closes.
async fn pump(
    mut from: tcp::OwnedReadHalf,
    mut to: tcp::OwnedWriteHalf,
    way: Way,
    birth: u64,
    sky: &Sky,
    socket: &watch::Sender<bool>,
) {
    let (mut weather, mut buried) = (sky.weather.clone(), sky.buried.clone());
    let mut bytes = vec![0; 16 << 10];
    let mut first = way == Way::Up;
    loop {
        let Ok(count @ 1..) = from.read(&mut bytes).await else { return };
        let piece = &bytes[..count];
        if std::mem::take(&mut first) {
            socket.send_replace(piece.windows(9).any(|w| w.eq_ignore_ascii_case(b"websocket")));
        }
        let now = *weather.borrow_and_update();
        if let Weather::Slow(ms) = now {
            sleep(Duration::from_millis(ms)).await;
        }
        let passes = now.holds(way).map_or(count, |after| after.min(count));
        if *buried.borrow() > birth {
            continue;
        }
        if to.write_all(&piece[..passes]).await.is_err() {
            return;
        }
        if passes < count {
            tokio::select! {
                _ = weather.wait_for(|now| now.holds(way).is_none()) => {}
                _ = buried.wait_for(|buried| *buried > birth) => continue,
            }
            // What is held back when a connection is cut is lost.
            if *weather.borrow() == Weather::Cut {
                return;
            }
            if to.write_all(&piece[passes..]).await.is_err() {
                return;
            }
        }
    }
}
