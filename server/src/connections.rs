//! Connections: accepted, counted, and given up when their peer is too slow.

use crate::guard::Proxies;
use crate::limits::{Limits, REQUEST};
use crate::metrics::Metrics;
use crate::places::{Place, Places};
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Sleep, sleep};
use tower::ServiceExt;

/// How long the server waits for a peer.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the head of a request, the first or the next one.
    pub head: Duration,
    /// For a peer to read on.
    pub stuck: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { head: Duration::from_secs(15), stuck: Duration::from_secs(30) }
    }
}

/// The largest head of a request.
const MOST_HEAD: usize = 32 << 10;

/// The most connections of all addresses together, where the system allows as many files.
const MOST: usize = 20_000;

/// Files that are not connections.
const OTHER_FILES: usize = 100;

/// How long an address that connects too often is kept waiting for nothing.
const TARPIT: Duration = Duration::from_millis(500);

/// How long to wait when the system gives no more connections.
const EXHAUSTED: Duration = Duration::from_millis(100);

/// Who may connect.
pub struct Doors {
    places: Places,
    limits: Arc<Limits>,
    metrics: Arc<Metrics>,
    /// Those who bring others: their connections are not one client's.
    proxies: Proxies,
    patience: Patience,
}

impl Doors {
    /// Doors for so many connections of one address.
    pub fn new(
        of_one: usize,
        proxies: Proxies,
        limits: Arc<Limits>,
        metrics: Arc<Metrics>,
    ) -> Doors {
        let of_all = MOST.min(open_files().saturating_sub(OTHER_FILES)).max(1);
        Doors {
            places: Places::new(of_all, of_one, Arc::clone(&metrics)),
            limits,
            metrics,
            proxies,
            patience: Patience::default(),
        }
    }

    fn admit(&self, peer: SocketAddr) -> Option<Admitted> {
        let is_proxy = self.proxies.include(peer.ip());
        let (place, let_go) = self.places.admit((!is_proxy).then_some(peer.ip())).ok()?;
        let too_often = !is_proxy && self.limits.spend(peer.ip(), REQUEST).is_err();
        self.metrics.connections.fetch_add(1, Ordering::Relaxed);
        let metrics = Arc::clone(&self.metrics);
        Some(Admitted { too_often, metrics, place, let_go: Some(let_go) })
    }
}

/// A connection that is counted as long as this lives.
struct Admitted {
    too_often: bool,
    metrics: Arc<Metrics>,
    place: Place,
    /// Hears when somebody else gets the place, until it has.
    let_go: Option<oneshot::Receiver<()>>,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers on a listener until the server stops, and then finishes what has begun.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    doors: Doors,
    mut stopping: watch::Receiver<bool>,
) {
    // Each connection holds a sender: when all are gone, all have ended.
    let (alive, mut all_ended) = mpsc::channel::<()>(1);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(&mut stopping) => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_of_peer(&error) => continue,
            Err(error) => {
                tracing::warn!(%error, "no connection can be accepted");
                sleep(EXHAUSTED).await;
                continue;
            }
        };
        let Some(admitted) = doors.admit(peer) else {
            doors.metrics.limited.fetch_add(1, Ordering::Relaxed);
            refuse(&stream);
            continue;
        };
        let (router, stopping, alive) = (router.clone(), stopping.clone(), alive.clone());
        let patience = doors.patience;
        tokio::spawn(async move {
            answer(stream, peer, admitted, router, patience, stopping).await;
            drop(alive);
        });
    }
    drop((listener, alive));
    all_ended.recv().await;
}

/// Whether a connection failed because of its peer, and not because the system has no more.
fn is_of_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Tells somebody who is not let in why, if that can be done at once.
fn refuse(stream: &TcpStream) {
    let body = r#"{"error":"too many connections of this address, of its network or of all"}"#;
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 5\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    // What is not read when a connection is closed takes the answer with it.
    let mut unread = [0; MOST_HEAD];
    let _ = stream.try_read(&mut unread);
    let _ = stream.try_write(answer.as_bytes());
}

/// Answers the requests of one connection.
async fn answer(
    stream: TcpStream,
    peer: SocketAddr,
    admitted: Admitted,
    router: Router,
    patience: Patience,
    mut stopping: watch::Receiver<bool>,
) {
    if admitted.too_often {
        sleep(TARPIT).await;
        return refuse(&stream);
    }
    // A turn is small and in a hurry.
    let _ = stream.set_nodelay(true);
    let place = admitted.place.handle();
    let service = service_fn(move |mut request: Request<Incoming>| {
        place.touch();
        request.extensions_mut().insert(place.clone());
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.head).max_buf_size(MOST_HEAD);
    let stuck = (patience.stuck, None);
    let io = TokioIo::new(Patient { stream, stuck, admitted });
    let mut connection = pin!(http.serve_connection(io, service).with_upgrades());
    tokio::select! {
        // Whatever ended it, the peer comes again if it wants to.
        _ = connection.as_mut() => return,
        () = stopped(&mut stopping) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A server that is gone has stopped, too.
    let _ = stopping.wait_for(|stops| *stops).await;
}

/// A stream that ends when its peer reads nothing for a while, or somebody else gets its place.
struct Patient {
    stream: TcpStream,
    /// How long that may last, and when it has.
    stuck: (Duration, Option<Pin<Box<Sleep>>>),
    admitted: Admitted,
}

impl Patient {
    /// Whether the place is still this connection's.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if let Some(let_go) = &mut self.admitted.let_go {
            if Pin::new(let_go).poll(cx).is_pending() {
                return Ok(());
            }
            self.admitted.let_go = None;
        }
        Err(io::Error::new(io::ErrorKind::ConnectionAborted, "somebody else got the place"))
    }

    fn wait<T>(&mut self, cx: &mut Context<'_>, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        let (most, stuck) = &mut self.stuck;
        if done.is_ready() {
            *stuck = None;
            return done;
        }
        let stuck = stuck.get_or_insert_with(|| Box::pin(sleep(*most)));
        ready!(stuck.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the peer does not read")))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.wait(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.wait(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// How many files this process may have open, after it has asked for all that the system gives.
#[cfg(unix)]
pub fn open_files() -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // What is not granted stays as it was.
    let _ = setrlimit(Resource::Nofile, limit);
    let granted = getrlimit(Resource::Nofile).current;
    granted.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}

/// How many files this process may have open, as far as is known.
#[cfg(not(unix))]
pub fn open_files() -> usize {
    usize::MAX
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::routing::get;
    use futures_core::Stream;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpSocket;
    use tokio::sync::oneshot;

    /// A server that answers `/` and streams without end at `/endless`, until the guard is dropped.
    async fn start(
        of_one: usize,
        allowance: u32,
        head: Duration,
    ) -> (SocketAddr, watch::Sender<bool>, oneshot::Receiver<()>) {
        start_with(MOST, of_one, allowance, head).await
    }

    /// The same with this many places.
    async fn start_with(
        most: usize,
        of_one: usize,
        allowance: u32,
        head: Duration,
    ) -> (SocketAddr, watch::Sender<bool>, oneshot::Receiver<()>) {
        let metrics = Arc::new(Metrics::default());
        let limits = Arc::new(Limits::new(allowance, 1, false));
        let mut doors = Doors::new(of_one, Proxies::new(false, &[]), limits, Arc::clone(&metrics));
        doors.places = Places::new(most, of_one, metrics);
        doors.patience = Patience { head, stuck: Duration::from_millis(50) };
        let (ended, end) = oneshot::channel();
        let endless = Arc::new(std::sync::Mutex::new(Some(Endless(Some(ended)))));
        let router = Router::new().route("/", get(|| async { "well" })).route(
            "/endless",
            get(move || async move { Body::from_stream(endless.lock().unwrap().take().unwrap()) }),
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopping) = watch::channel(false);
        tokio::spawn(serve(listener, router, doors, stopping));
        (address, stop, end)
    }

    /// Says when nobody reads it any more.
    struct Endless(Option<oneshot::Sender<()>>);

    impl Stream for Endless {
        type Item = io::Result<Vec<u8>>;

        fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            Poll::Ready(Some(Ok(vec![b'x'; 1 << 16])))
        }
    }

    impl Drop for Endless {
        fn drop(&mut self) {
            let _ = self.0.take().map(|ended| ended.send(()));
        }
    }

    async fn connect(from: [u8; 4], to: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((from, 0).into()).unwrap();
        socket.connect(to).await.unwrap()
    }

    async fn ask(stream: &mut TcpStream, path: &str) {
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
    }

    async fn status(stream: &mut TcpStream) -> String {
        let mut bytes = [0; 12];
        stream.read_exact(&mut bytes).await.unwrap();
        String::from_utf8(bytes[9..].to_vec()).unwrap()
    }

    const LONG: Duration = Duration::from_secs(60);
    const ONE: [u8; 4] = [127, 0, 0, 2];
    const OTHER: [u8; 4] = [127, 0, 0, 3];

    #[tokio::test]
    async fn a_head_that_does_not_end_is_given_up() {
        let (address, _stop, _) = start(9, 1_000, Duration::from_millis(50)).await;
        for begun in ["", "G", "GET / HTTP/1.1\r\nhost: local"] {
            let mut stream = connect(ONE, address).await;
            stream.write_all(begun.as_bytes()).await.unwrap();
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).await.unwrap();
            assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{rest:?}");
        }
        let mut stream = connect(ONE, address).await;
        ask(&mut stream, "/").await;
        assert_eq!(status(&mut stream).await, "200");
    }

    #[tokio::test]
    async fn a_peer_that_does_not_read_is_given_up() {
        let (address, _stop, end) = start(9, 1_000, LONG).await;
        let mut stream = connect(ONE, address).await;
        ask(&mut stream, "/endless").await;
        end.await.unwrap();
    }

    #[tokio::test]
    async fn an_address_has_so_many_connections_and_others_have_their_own() {
        let (address, _stop, _) = start(2, 1_000, LONG).await;
        let mut held = vec![connect(ONE, address).await, connect(ONE, address).await];
        assert_eq!(status(&mut connect(ONE, address).await).await, "429");
        let mut other = connect(OTHER, address).await;
        ask(&mut other, "/").await;
        assert_eq!(status(&mut other).await, "200");
        drop(held.pop());
        // It is free as soon as the server has seen it go.
        loop {
            let mut again = connect(ONE, address).await;
            ask(&mut again, "/").await;
            if status(&mut again).await == "200" {
                break;
            }
        }
    }

    #[tokio::test]
    async fn when_all_places_are_taken_idle_connections_make_room() {
        let (address, _stop, _) = start_with(4, 4, 1_000, LONG).await;
        let mut idle = Vec::new();
        for _ in 0..4 {
            let mut stream = connect(ONE, address).await;
            ask(&mut stream, "/").await;
            assert_eq!(status(&mut stream).await, "200");
            idle.push(stream);
        }
        let mut other = connect(OTHER, address).await;
        ask(&mut other, "/").await;
        assert_eq!(status(&mut other).await, "200");
        // The one that asked last stays.
        let mut rest = Vec::new();
        let _ = idle[0].read_to_end(&mut rest).await;
        assert!(rest.ends_with(b"well"));
        ask(&mut idle[3], "/").await;
        idle[3].read_exact(&mut vec![0; rest.len()]).await.unwrap();
        assert_eq!(status(&mut idle[3]).await, "200");
    }

    #[tokio::test]
    async fn who_connects_too_often_is_kept_waiting_and_refused() {
        let (address, _stop, _) = start(1_000, 1, LONG).await;
        for _ in 0..10 {
            ask(&mut connect(ONE, address).await, "/").await;
        }
        let mut too_often = connect(ONE, address).await;
        let mut other = connect(OTHER, address).await;
        ask(&mut other, "/").await;
        assert_eq!(status(&mut other).await, "200");
        assert_eq!(status(&mut too_often).await, "429");
    }

    #[tokio::test]
    async fn a_stop_ends_idle_connections() {
        let (address, stop, _) = start(9, 1_000, LONG).await;
        let mut idle = connect(ONE, address).await;
        ask(&mut idle, "/").await;
        assert_eq!(status(&mut idle).await, "200");
        stop.send_replace(true);
        let mut rest = Vec::new();
        idle.read_to_end(&mut rest).await.unwrap();
        assert!(rest.ends_with(b"well"));
    }
}
