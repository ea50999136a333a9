//! The server of Quadrille: games that people and programs play over HTTP, and the pages that show them.
//!
//! What it offers is described in `docs/http.md`, running it for others in `docs/hosting.md`. The store is
//! the truth: a command becomes events, the events are committed, and only then is anybody told. What is
//! in memory can be dropped at any time.

pub mod alarm;
pub mod analysis;
pub mod assets;
pub mod boards;
mod bundle;
pub mod clock;
pub mod commands;
pub mod computers;
pub mod connections;
pub mod course;
pub mod documents;
pub mod engines;
pub mod error;
pub mod event;
pub mod fair;
pub mod first;
pub mod games;
pub mod guard;
#[cfg(feature = "many")]
pub mod hand;
pub mod ids;
#[cfg(feature = "many")]
pub mod jobs;
pub mod limits;
pub mod live;
pub mod log;
pub mod metrics;
pub mod moving;
#[cfg(feature = "many")]
pub mod nats;
pub mod news;
mod obey;
pub mod packing;
pub mod pages;
pub mod places;
pub mod plan;
pub mod played;
pub mod queue;
pub mod replays;
pub mod room;
pub mod rooms;
pub mod socket;
pub mod store;
pub mod stream;
pub mod time;

use axum::extract::Request;
use axum::middleware;
use axum::routing::get;
use axum::{Json, Router};
use connections::Doors;
use documents::Documents;
use engines::Engines;
use error::{Kind, Refusal};
use guard::{Guard, Proxies};
use limits::Limits;
use live::Hall;
use metrics::Metrics;
use news::News;
use replays::Replays;
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use time::{Machine, Source, Time};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What the person who starts a server decides.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The file that keeps the games, or the address of a database that servers share.
    pub data: PathBuf,
    /// Where servers that share a database tell each other what is new, separated by commas.
    pub nats: Option<String>,
    /// The address that people see, behind a proxy.
    pub base_url: Option<String>,
    /// Proxies on other machines that are believed about whom a request comes from.
    pub proxies: Vec<IpAddr>,
    /// A folder with the pages, instead of those in the program.
    pub web: Option<PathBuf>,
    /// Where to show metrics.
    pub metrics: Option<SocketAddr>,
    /// How many games an address may make in a minute, by asking for them or for rematches.
    pub new_games: u32,
    /// What an address may ask for in a second, in the prices of [`limits`].
    pub allowance: u32,
    /// How many connections an address may have.
    pub connections: usize,
}

/// Why a server cannot start, in one line for the person who started it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StartError(pub String);

/// What a program says that was built without what many machines need.
pub const NOT_MANY: &str = "this program was built for one machine; \
    build it with `cargo build --release --features many` for PostgreSQL and NATS";

const ALONE: &str = "--nats is for servers that share a database: \
    name it with --data postgres://…";

/// Threads for the engine: at least so many, and one more than there are cores.
const LEAST_WORKERS: usize = 3;

/// How long a game stays in memory when nobody looks at it, and how often that is checked.
const IDLE: Duration = Duration::from_secs(60);
const SWEEP: Duration = Duration::from_secs(15);

/// How long a stop may take.
const FAREWELL: Duration = Duration::from_secs(8);

/// What requests share.
pub struct State {
    /// The games.
    pub hall: Arc<Hall>,
}

/// A server that is ready to answer.
pub struct Server {
    state: Arc<State>,
    /// Hears when everything is written and the file is free.
    stored: oneshot::Receiver<()>,
    keepers: Vec<JoinHandle<()>>,
    router: Router,
    connections: usize,
    proxies: Proxies,
}

impl Server {
    /// Opens the store and sets the clocks going.
    pub async fn open(config: &Config) -> Result<Server, StartError> {
        Server::open_at(config, Arc::new(Machine::default())).await
    }

    /// The same with clocks that the caller moves.
    pub async fn open_at(config: &Config, source: Arc<dyn Source>) -> Result<Server, StartError> {
        config.base_url.as_deref().map(guard::authority).transpose()?;
        let metrics = Arc::new(Metrics::default());
        let (store, stored) = store::open(&config.data, Arc::clone(&metrics)).await?;
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let engines = Engines::new(LEAST_WORKERS.max(cores + 1), Arc::clone(&metrics));
        let failed = |error: String| {
            StartError(format!("cannot keep games in `{}`: {error}", store::name(&config.data)))
        };
        let pauses = store.pauses(i64::MIN).await.map_err(|error| failed(error.to_string()))?;
        let pauses = clock::Pauses::new(pauses);
        let time = match store.shared() {
            Some(shared) => {
                let asked = source.steady();
                let there = shared.now().await.map_err(|error| failed(error.to_string()))?;
                Time::of_store(source, asked, there, pauses)
            }
            None => Time::new(source, store.alive(), pauses),
        };
        let (news, inbox) = match &config.nats {
            Some(_) if store.shared().is_none() => {
                return Err(StartError(ALONE.into()));
            }
            Some(addresses) => {
                let (news, inbox) = News::open(addresses, &metrics)?;
                (news, Some(inbox))
            }
            None => (News::none(), None),
        };
        let limits = Limits::new(config.allowance, config.new_games, config.nats.is_some());
        let limits = Arc::new(limits);
        let replays = Replays::new(cores, Arc::clone(&limits));
        #[allow(unused_mut)]
        let mut hall = Hall::new(store, engines, replays, limits, metrics, time, news);
        #[cfg(feature = "many")]
        if let Some(addresses) = &config.nats {
            hall.workers = Some(jobs::Workers::find(addresses).await?);
        }
        let hall = Arc::new(hall);
        alarm::resume(&hall).await.map_err(|refusal| failed(refusal.error))?;
        let mut keepers = vec![
            tokio::spawn(alarm::ring(Arc::clone(&hall))),
            tokio::spawn(alarm::beat(Arc::clone(&hall))),
            tokio::spawn(alarm::wake_computers(Arc::clone(&hall))),
            tokio::spawn(sweep(Arc::clone(&hall))),
        ];
        if hall.store.shared().is_some() {
            keepers.push(tokio::spawn(news::look(Arc::clone(&hall))));
            keepers.push(tokio::spawn(news::mind(Arc::clone(&hall))));
        }
        if let Some(inbox) = inbox {
            keepers.push(tokio::spawn(news::hear(Arc::clone(&hall), inbox)));
            keepers.push(tokio::spawn(news::tell(Arc::clone(&hall))));
        }
        let state = Arc::new(State { hall });
        let router = router(config, &state);
        let proxies = Proxies::new(config.base_url.is_some(), &config.proxies);
        let connections = config.connections;
        Ok(Server { state, stored, keepers, router, connections, proxies })
    }

    /// Everything that is answered.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// What requests share.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// Answers on a listener until told to stop: then sockets are told to come again, what is under way
    /// is finished, and the store is closed.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) {
        let hall = &self.state.hall;
        let (limits, metrics) = (Arc::clone(&hall.limits), Arc::clone(&hall.metrics));
        let doors = Doors::new(self.connections, self.proxies.clone(), limits, metrics);
        let ends = hall.stopping.subscribe();
        let finished = tokio::spawn(connections::serve(listener, self.router(), doors, ends));
        stop.await;
        hall.stopping.send_replace(true);
        tracing::info!("stopping");
        self.state.hall.engines.close();
        let _ = tokio::time::timeout(FAREWELL / 2, finished).await;
        self.close().await;
        tracing::info!("stopped");
    }

    /// Closes the store when everything that was begun is stored.
    pub async fn close(self) {
        let Server { state, stored, keepers, router, .. } = self;
        state.hall.stopping.send_replace(true);
        state.hall.engines.close();
        keepers.iter().for_each(JoinHandle::abort);
        // If the last beat fails, the pause begins with the one before.
        let _ = state.hall.store.beat(state.hall.time.now()).await;
        state.hall.store.close();
        drop((state, router));
        // The store ends when the last request that may use it has ended.
        let _ = tokio::time::timeout(FAREWELL / 2, stored).await;
    }
}

async fn sweep(hall: Arc<Hall>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        hall.sweep(hall.time.now() - IDLE.as_millis() as i64);
    }
}

fn router(config: &Config, state: &Arc<State>) -> Router {
    let metrics = Arc::clone(&state.hall.metrics);
    let limits = Arc::clone(&state.hall.limits);
    let guard =
        Guard::new(config.listen, config.base_url.as_deref(), &config.proxies, limits, metrics);
    let replays = state.hall.replays.clone();
    let documents = Documents::new(replays.clone());
    let router = Router::new()
        .merge(games::router())
        .merge(analysis::router())
        .route("/api/health", get(health))
        .with_state(Arc::clone(state))
        .merge(boards::router(documents.clone()))
        .merge(pages::router(config.web.clone(), documents, Some(&state.hall)))
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(replays, packing::answers));
    guard::around(router, guard)
}

async fn health(
    axum::extract::State(state): axum::extract::State<Arc<State>>,
) -> Result<Json<serde_json::Value>, Refusal> {
    match state.hall.is_stopping() {
        true => Err(Refusal::unavailable("the server is stopping")),
        false => {
            let mut answer = json!({ "status": "ok" });
            if state.hall.store.shared().is_some() {
                let word = |there: bool| if there { "ok" } else { "away" };
                let heard = state.hall.metrics.connected.load(Ordering::Relaxed) == 1;
                answer["store"] = word(!state.hall.is_unsure()).into();
                answer["news"] = word(heard).into();
            }
            Ok(Json(answer))
        }
    }
}

async fn wrong_method(request: Request) -> Refusal {
    let path = rules::game::shorten(request.uri().path());
    let error = format!("`{}` is not answered at `{path}`", request.method());
    Refusal::new(Kind::WrongMethod, error)
}

/// Serves until the process is told to stop; `ready` learns the address.
pub fn run(config: &Config, ready: impl FnOnce(SocketAddr)) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartError(format!("no threads: {error}")))?;
    let done = runtime.block_on(start(config, ready));
    // Whatever hangs now has had its time.
    runtime.shutdown_timeout(Duration::from_secs(1));
    done
}

async fn start(config: &Config, ready: impl FnOnce(SocketAddr)) -> Result<(), StartError> {
    let listener = listen(config.listen).await?;
    let address = listener.local_addr().map_err(|error| StartError(error.to_string()))?;
    let metrics = match config.metrics {
        Some(address) => Some(listen(address).await?),
        None => None,
    };
    let mut stop = Box::pin(signal()?);
    // A database may let a start wait for as long as it likes.
    let server = tokio::select! {
        server = Server::open(config) => server?,
        () = &mut stop => return Ok(()),
    };
    if let Some(listener) = metrics {
        let metrics = Arc::clone(&server.state.hall.metrics);
        let text = move || {
            let text = metrics.text();
            async move { text }
        };
        let router = Router::new().route("/metrics", get(text));
        tokio::spawn(async move { axum::serve(listener, router).await });
    }
    ready(address);
    tracing::info!(%address, data = store::name(&config.data), "ready");
    server.serve(listener, stop).await;
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => StartError(format!(
            "{address} is in use; stop what listens there or choose another with --listen"
        )),
        _ => StartError(format!("cannot listen on {address}: {error}")),
    })
}

/// Waits for the signals that end a process.
#[cfg(unix)]
fn signal() -> Result<impl Future<Output = ()> + Send + 'static, StartError> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |error: std::io::Error| StartError(format!("no signals: {error}"));
    let mut end = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    Ok(async move {
        tokio::select! {
            _ = end.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Waits for the key that ends a process.
#[cfg(not(unix))]
fn signal() -> Result<impl Future<Output = ()> + Send + 'static, StartError> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
