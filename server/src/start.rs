//! Starting the process: where it listens, signals, metrics, the operators' socket, and systemd.

use crate::UNSENT;
#[cfg(unix)]
use crate::admin;
use crate::admin::systemd;
use crate::games::hall::Hall;
use crate::http::listener::Door;
use crate::{Config, Server, StartError, store};
use axum::Router;
use axum::routing::get;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Tcp(address) => write!(f, "http://{address}/"),
            Place::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

pub async fn start(config: &Config, ready: impl FnOnce(Place)) -> Result<(), StartError> {
    let (listener, place) = open(config).await?;
    let metrics = match config.metrics {
        Some(address) => Some(listen(address)?),
        None => None,
    };
    let mut stop = Box::pin(signal()?);
    // Connecting to a database can take arbitrarily long, so a signal must be able to interrupt it.
    let server = tokio::select! {
        server = Server::open(config) => server?,
        () = &mut stop => return Ok(()),
    };
    let hall = server.hall();
    let mut desk = Aborted(vec![tokio::spawn(watchdog(place.clone()))]);
    desk.0.extend(metrics.map(|listener| figures(listener, hall)));
    desk.0.extend(commands(config, hall)?);
    desk.0.extend(reload(config, hall)?);
    ready(place.clone());
    tracing::info!(%place, data = store::name(&config.data), "ready");
    systemd::tell("READY=1");
    server.serve(listener, stop).await;
    Ok(())
}

/// Tasks that are aborted when this is dropped.
struct Aborted(Vec<JoinHandle<()>>);

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

async fn open(config: &Config) -> Result<(Door, Place), StartError> {
    #[cfg(unix)]
    if let Some(path) = &config.operator.http {
        // Anybody on this machine may connect, as with a port.
        let bound = admin::socket::bind(path, 0o666)?;
        return Ok((Door::Unix(bound), Place::Unix(path.clone())));
    }
    let listener = listen(config.listen)?;
    let address = listener.local_addr().map_err(|error| StartError(error.to_string()))?;
    Ok((listener.into(), Place::Tcp(address)))
}

fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    let open = || {
        let socket = match address.is_ipv4() {
            true => TcpSocket::new_v4()?,
            false => TcpSocket::new_v6()?,
        };
        socket.set_reuseaddr(true)?;
        socket.set_send_buffer_size(UNSENT)?;
        socket.bind(address)?;
        socket.listen(1_024)
    };
    open().map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => StartError(format!(
            "{address} is in use; stop what listens there or choose another with --listen"
        )),
        _ => StartError(format!("cannot listen on {address}: {error}")),
    })
}

/// A background task, if there is one.
type Kept = Option<JoinHandle<()>>;

/// Serves metrics. None of these tasks holds on to the hall while waiting: the store closes when the last reference is
/// dropped.
fn figures(listener: TcpListener, hall: &Arc<Hall>) -> JoinHandle<()> {
    let (own, listener) = (Arc::downgrade(hall), Arc::new(listener));
    hall.tasks.keep("metrics", &hall.metrics, move || {
        let (hall, listener) = (Weak::clone(&own), Shared(Arc::clone(&listener)));
        async move {
            let text = move || metrics_text(Weak::clone(&hall));
            let router = Router::new().route("/metrics", get(text));
            // It handles errors of connections itself and never returns.
            let _ = axum::serve(listener, router).await;
        }
    })
}

async fn metrics_text(hall: Weak<Hall>) -> String {
    let Some(hall) = hall.upgrade() else { return String::new() };
    let stores = hall.try_to_store().await.is_none();
    hall.metrics.can_store.store(i64::from(stores), Ordering::Relaxed);
    hall.metrics.text()
}

/// A listener that outlives the task that uses it, so that a restarted task can go on.
struct Shared(Arc<TcpListener>);

impl axum::serve::Listener for Shared {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match self.0.accept().await {
                Ok(accepted) => return accepted,
                // Possibly out of file descriptors.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

#[cfg(unix)]
fn commands(config: &Config, hall: &Arc<Hall>) -> Result<Kept, StartError> {
    let Some(path) = &config.operator.commands else { return Ok(None) };
    let (own, bound) = (Arc::downgrade(hall), Arc::new(admin::socket::bind(path, 0o600)?));
    let serve = move || admin::socket::serve(Weak::clone(&own), Arc::clone(&bound));
    Ok(Some(hall.tasks.keep("commands", &hall.metrics, serve)))
}

/// Re-reads the settings on SIGHUP. Without a settings file the signal keeps its default effect, ending the process:
/// its terminal was closed.
#[cfg(unix)]
fn reload(config: &Config, hall: &Arc<Hall>) -> Result<Kept, StartError> {
    use tokio::signal::unix::{SignalKind, signal};
    if config.operator.limits.is_none() && !systemd::is_told() {
        return Ok(None);
    }
    let failed = |error: std::io::Error| StartError(format!("cannot listen for signals: {error}"));
    let hang_up = signal(SignalKind::hangup()).map_err(failed)?;
    let hang_up = Arc::new(tokio::sync::Mutex::new(hang_up));
    let own = Arc::downgrade(hall);
    let follow = move || {
        let (hall, hang_up) = (Weak::clone(&own), Arc::clone(&hang_up));
        async move {
            while hang_up.lock().await.recv().await.is_some() {
                systemd::reloading();
                // The error was logged; systemd has no notification for it.
                let _ = hall.upgrade().map(|hall| admin::reload(&hall));
                systemd::tell("READY=1");
            }
        }
    };
    Ok(Some(hall.tasks.keep("reload", &hall.metrics, follow)))
}

#[cfg(not(unix))]
fn commands(_: &Config, _: &Arc<Hall>) -> Result<Kept, StartError> {
    Ok(None)
}

#[cfg(not(unix))]
fn reload(_: &Config, _: &Arc<Hall>) -> Result<Kept, StartError> {
    Ok(None)
}

/// Sends keep-alives to systemd as long as the server answers requests.
async fn watchdog(place: Place) {
    let Some(every) = systemd::watchdog() else { return };
    loop {
        match tokio::time::timeout(every / 4, is_alive(&place)).await {
            Ok(true) => systemd::tell("WATCHDOG=1"),
            _ => tracing::error!("the server does not answer its own watchdog"),
        }
        tokio::time::sleep(every / 3).await;
    }
}

/// Whether the server answers at all: healthy, overloaded or shutting down.
async fn is_alive(place: &Place) -> bool {
    match place {
        Place::Tcp(address) => {
            let ip = match address.ip() {
                ip if !ip.is_unspecified() => ip,
                ip if ip.is_ipv4() => Ipv4Addr::LOCALHOST.into(),
                _ => Ipv6Addr::LOCALHOST.into(),
            };
            match TcpStream::connect((ip, address.port())).await {
                Ok(stream) => is_healthy(stream).await,
                // It stops listening as soon as it shuts down.
                Err(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
            }
        }
        #[cfg(unix)]
        Place::Unix(path) => match tokio::net::UnixStream::connect(path).await {
            Ok(stream) => is_healthy(stream).await,
            Err(_) => !path.exists(),
        },
        #[cfg(not(unix))]
        Place::Unix(_) => false,
    }
}

async fn is_healthy(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> bool {
    let ask = "GET /api/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let mut answer = [0; 12];
    let asked = stream.write_all(ask.as_bytes()).await;
    let answered = asked.is_ok() && stream.read_exact(&mut answer).await.is_ok();
    answered && matches!(&answer, b"HTTP/1.1 200" | b"HTTP/1.1 429")
}

/// Waits for SIGTERM or SIGINT.
#[cfg(unix)]
pub fn signal() -> Result<impl Future<Output = ()> + Send + 'static, StartError> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |error: std::io::Error| StartError(format!("cannot listen for signals: {error}"));
    let mut end = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    Ok(async move {
        tokio::select! {
            _ = end.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Waits for Ctrl-C.
#[cfg(not(unix))]
pub fn signal() -> Result<impl Future<Output = ()> + Send + 'static, StartError> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
