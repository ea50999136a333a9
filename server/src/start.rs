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
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

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
    if let Some(listener) = metrics {
        let metrics = Arc::clone(&server.hall().metrics);
        let text = move || {
            let text = metrics.text();
            async move { text }
        };
        let router = Router::new().route("/metrics", get(text));
        tokio::spawn(async move { axum::serve(listener, router).await });
    }
    let _desk = Aborted(vec![
        tokio::spawn(commands(config, server.hall())?),
        tokio::spawn(reload(config, server.hall())?),
        tokio::spawn(watchdog(place.clone())),
    ]);
    ready(place.clone());
    tracing::info!(%place, data = store::name(&config.data), "ready");
    systemd::tell("READY=1");
    server.serve(listener, stop).await;
    Ok(())
}

/// Tasks that end when this is dropped.
struct Aborted(Vec<tokio::task::JoinHandle<()>>);

impl Drop for Aborted {
    fn drop(&mut self) {
        self.0.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

async fn open(config: &Config) -> Result<(Door, Place), StartError> {
    #[cfg(unix)]
    if let Some(path) = &config.operator.http {
        // Everybody on this machine may connect, as to a port of it.
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

type Task = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// Answers operators' commands.
#[cfg(unix)]
fn commands(config: &Config, hall: &Arc<Hall>) -> Result<Task, StartError> {
    let Some(path) = &config.operator.commands else { return Ok(Box::pin(async {})) };
    let bound = admin::socket::bind(path, 0o600)?;
    Ok(Box::pin(admin::socket::serve(Arc::downgrade(hall), bound)))
}

/// Reads the settings again on SIGHUP. If nothing is to be read, the signal ends the process as usual: its terminal
/// was closed.
#[cfg(unix)]
fn reload(config: &Config, hall: &Arc<Hall>) -> Result<Task, StartError> {
    use tokio::signal::unix::{SignalKind, signal};
    if config.operator.limits.is_none() && !systemd::is_told() {
        return Ok(Box::pin(async {}));
    }
    let failed = |error: std::io::Error| StartError(format!("cannot listen for signals: {error}"));
    let mut hang_up = signal(SignalKind::hangup()).map_err(failed)?;
    let hall = Arc::downgrade(hall);
    Ok(Box::pin(async move {
        while hang_up.recv().await.is_some() {
            systemd::reloading();
            // An error was logged; systemd has no word for it.
            let _ = hall.upgrade().map(|hall| admin::reload(&hall));
            systemd::tell("READY=1");
        }
    }))
}

#[cfg(not(unix))]
fn commands(_: &Config, _: &Arc<Hall>) -> Result<Task, StartError> {
    Ok(Box::pin(async {}))
}

#[cfg(not(unix))]
fn reload(_: &Config, _: &Arc<Hall>) -> Result<Task, StartError> {
    Ok(Box::pin(async {}))
}

/// Tells systemd that the server is alive as long as it answers at its own door.
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

/// Whether the server says that it is healthy, or is too busy or about to stop.
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
                // The door is closed as soon as it stops.
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
