//! Accepts and counts connections, and closes those of slow clients.

use crate::http::guard::Proxies;
use crate::http::limits::{Limits, REQUEST};
use crate::http::listener::{Listener, Stream};
use crate::http::places::{Place, Places};
use crate::http::refused::Refused;
use crate::metrics::Metrics;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::{Version, header};
use axum::response::{IntoResponse, Response};
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
use table::Refusal;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Sleep, sleep};
use tower::ServiceExt;

/// Timeouts for slow clients.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the head of a request, whether the first or a later one.
    pub head: Duration,
    /// For a client that has stopped reading.
    pub stuck: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { head: Duration::from_secs(15), stuck: Duration::from_secs(30) }
    }
}

/// The largest request head.
pub const MOST_HEAD: usize = 32 << 10;

/// The most connections from all addresses together, if the limit on open files permits.
pub const MOST: usize = 20_000;

/// File descriptors reserved for other purposes.
pub const OTHER_FILES: usize = 100;

/// Delay before an address that connects too often is refused.
const TARPIT: Duration = Duration::from_millis(500);

/// How long an evicted socket has to send its close frame.
const GOODBYE: Duration = Duration::from_secs(1);

/// Delay before accepting again when the system is out of resources.
const EXHAUSTED: Duration = Duration::from_millis(100);

/// Admission control for new connections.
pub struct Doors {
    places: Places,
    limits: Arc<Limits>,
    metrics: Arc<Metrics>,
    /// Trusted proxies: their connections carry many clients.
    proxies: Proxies,
    patience: Patience,
}

impl Doors {
    /// Allows `of_one` connections per address.
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
        self.places.allow(self.limits.connections());
        let (place, let_go) = self.places.admit((!is_proxy).then_some(peer.ip())).ok()?;
        // A banned address may connect, so that it can be told why it is refused.
        let banned = self.limits.bans.include(peer.ip());
        let too_often = !is_proxy && !banned && self.limits.spend(peer.ip(), REQUEST).is_err();
        self.metrics.connections.fetch_add(1, Ordering::Relaxed);
        let metrics = Arc::clone(&self.metrics);
        Some(Admitted { too_often, metrics, place, let_go: Some(let_go), goodbye: None })
    }
}

/// An admitted connection, counted until this is dropped.
struct Admitted {
    too_often: bool,
    metrics: Arc<Metrics>,
    place: Place,
    /// Resolves when this connection is evicted; none once that has been noticed.
    let_go: Option<oneshot::Receiver<()>>,
    /// Closes an evicted socket that has not closed itself in time.
    goodbye: Option<Pin<Box<Sleep>>>,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.metrics.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves until the server shuts down, then completes the requests in progress.
pub async fn serve(
    listener: impl Listener,
    router: Router,
    doors: Doors,
    mut stopping: watch::Receiver<bool>,
) {
    // Every connection holds a sender; when the last one is dropped, all have ended.
    let (alive, mut all_ended) = mpsc::channel::<()>(1);
    loop {
        let accepted = tokio::select! {
            biased;
            () = stopped(&mut stopping) => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_of_peer(&error) => continue,
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
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

/// Whether accepting failed because of the client, not because the system is out of resources.
fn is_of_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Tells a refused client why, if that does not block.
fn refuse(stream: &impl Stream) {
    let body = r#"{"error":"too many connections from this address, its network or in total"}"#;
    let length = body.len();
    let answer = format!(
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 5\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    // Closing a socket with unread data resets the connection, which could discard the answer.
    let mut unread = [0; MOST_HEAD];
    let _ = stream.try_read(&mut unread);
    let _ = stream.try_write(answer.as_bytes());
}

/// Serves one connection.
async fn answer(
    stream: impl Stream,
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
    // Turns are small and urgent.
    stream.hurry();
    let place = admitted.place.handle();
    let service = service_fn(move |mut request: Request<Incoming>| {
        place.touch();
        request.extensions_mut().insert(place.clone());
        request.extensions_mut().insert(ConnectInfo(peer));
        let router = router.clone();
        async move {
            match lacks_host(&request) {
                true => Ok(without_host()),
                false => router.oneshot(request).await,
            }
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience.head).max_buf_size(MOST_HEAD);
    let stuck = (patience.stuck, None);
    let io = TokioIo::new(Patient { stream, stuck, admitted });
    let mut connection = pin!(http.serve_connection(io, service).with_upgrades());
    tokio::select! {
        biased;
        // However it ended, the client can reconnect.
        _ = connection.as_mut() => return,
        () = stopped(&mut stopping) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// HTTP/1.1 requires a Host header (RFC 9112, 3.2).
fn lacks_host<B>(request: &Request<B>) -> bool {
    request.version() == Version::HTTP_11 && !request.headers().contains_key(header::HOST)
}

/// Closes the connection: otherwise a client could repeat this for free.
fn without_host() -> Response {
    let refusal = Refusal::not_understood("expected a Host header");
    ([(header::CONNECTION, "close")], Refused(refusal)).into_response()
}

async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // If the sender is gone, the server has stopped too.
    let _ = stopping.wait_for(|stops| *stops).await;
}

/// A stream that fails when the client has stopped reading for too long, or when the connection is evicted.
struct Patient<S> {
    stream: S,
    /// The timeout, and the timer while a write is pending.
    stuck: (Duration, Option<Pin<Box<Sleep>>>),
    admitted: Admitted,
}

impl<S> Patient<S> {
    /// Fails if the connection has been evicted.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let Admitted { let_go, goodbye, .. } = &mut self.admitted;
        if let Some(word) = let_go {
            match Pin::new(word).poll(cx) {
                Poll::Pending => return Ok(()),
                Poll::Ready(word) => *goodbye = word.ok().map(|()| Box::pin(sleep(GOODBYE))),
            }
            *let_go = None;
        }
        if goodbye.as_mut().is_some_and(|time| time.as_mut().poll(cx).is_pending()) {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::ConnectionAborted, "evicted"))
    }

    fn wait<T>(&mut self, cx: &mut Context<'_>, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        let (most, stuck) = &mut self.stuck;
        if done.is_ready() {
            *stuck = None;
            return done;
        }
        let stuck = stuck.get_or_insert_with(|| Box::pin(sleep(*most)));
        ready!(stuck.as_mut().poll(cx));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client has stopped reading")))
    }
}

impl<S: Stream> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: Stream> AsyncWrite for Patient<S> {
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

/// The limit on open files, after raising it as far as the system permits.
#[cfg(unix)]
pub fn open_files() -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If that is refused, the limit stays as it was.
    let _ = setrlimit(Resource::Nofile, limit);
    let granted = getrlimit(Resource::Nofile).current;
    granted.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}

/// The limit on open files, which is not known here.
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
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::oneshot;

    /// A server that answers `/` and streams forever at `/endless`, until the guard is dropped.
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
        limits.change(allowance, 1, of_one);
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

    /// Reports when nobody reads it any more.
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
    async fn a_request_names_its_host() {
        let (address, _stop, _) = start(9, 1_000, LONG).await;
        let mut stream = connect(ONE, address).await;
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("Host"), "{answer}");
        let mut old = connect(ONE, address).await;
        old.write_all(b"GET / HTTP/1.0\r\n\r\n").await.unwrap();
        assert_eq!(status(&mut old).await, "200");
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
        // The place becomes free when the server notices the disconnection.
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
        // The most recently active one stays.
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
