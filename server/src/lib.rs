//! The Quadrille server: games that people and programs play over HTTP, and the pages that show them.
//!
//! `docs/http.md` describes the API, `docs/hosting.md` how to run a public server. The store is the source of truth:
//! a command becomes events, the events are committed, and only then is anybody told. Everything in memory is a
//! cache.

// Only the program uses this crate, and its docs are not published.
#![allow(missing_docs)]

pub mod admin;
pub mod clocks;
pub mod club;
pub mod cluster;
pub mod games;
pub mod http;
pub mod ids;
pub mod log;
pub mod metrics;
pub mod outside;
pub mod pages;
mod start;
pub mod store;
pub mod supervise;
pub mod work;

use admin::{Office, Operator, systemd};
use axum::Router;
use clocks::alarm;
use clocks::time::{Source, Time};
use cluster::news::{self, News};
use games::hall::Hall;
use http::connections::{self, Doors};
use http::guard::{self, Proxies};
use http::limits::Limits;
use http::listener::Listener;
use metrics::Metrics;
use outside::{Outside, Simulated};
pub use start::Place;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use supervise::Tasks;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use work::engines::Engines;
use work::replays::Replays;

/// The server's configuration.
#[derive(Clone, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    /// The SQLite file, or the URL of a database that several servers share.
    pub data: PathBuf,
    /// Comma-separated NATS addresses, for servers that share a database.
    pub nats: Option<String>,
    /// The public URL, behind a reverse proxy.
    pub base_url: Option<String>,
    /// Trusted proxies on other machines: their X-Forwarded-For is believed.
    pub proxies: Vec<IpAddr>,
    /// A folder to serve the pages from, instead of those built in.
    pub web: Option<PathBuf>,
    /// The address to serve metrics on.
    pub metrics: Option<SocketAddr>,
    /// How many games an address may create in a minute, including rematches.
    pub new_games: u32,
    /// How much an address may spend in a second, in the prices of [`limits`].
    pub allowance: u32,
    /// How many connections an address may have.
    pub connections: usize,
    pub operator: Operator,
}

/// Why the server cannot start, in one line for whoever started it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StartError(pub String);

/// The error of a binary that was built without the feature `many`.
pub const NOT_MANY: &str = "this program was built for one machine; \
    build it with `cargo build --release --features many` for PostgreSQL and NATS";

const ALONE: &str = "--nats is for servers that share a database: \
    name it with --data postgres://…";

/// The least number of engine threads; otherwise one more than there are cores.
pub const LEAST_WORKERS: usize = 3;

/// How long an idle game stays in memory, and how often that is checked.
const IDLE: Duration = Duration::from_secs(60);
const SWEEP: Duration = Duration::from_secs(15);

/// The size of a connection's send buffer in the kernel, which would otherwise grow to megabytes if the client does not
/// read.
pub const UNSENT: u32 = 64 << 10;

/// How long a shutdown may take.
const FAREWELL: Duration = Duration::from_secs(8);

pub struct Server {
    hall: Arc<Hall>,
    /// Resolves when everything is written and the file is unlocked.
    stored: oneshot::Receiver<()>,
    keepers: Vec<JoinHandle<()>>,
    router: Router,
    connections: usize,
    proxies: Proxies,
}

impl Server {
    /// Opens the store and starts the background tasks.
    pub async fn open(config: &Config) -> Result<Server, StartError> {
        Server::open_in(config, Outside::default()).await
    }

    /// With the caller's clock.
    pub async fn open_at(config: &Config, source: Arc<dyn Source>) -> Result<Server, StartError> {
        Server::open_in(config, Outside::with_clock(source)).await
    }

    /// In the caller's surroundings, such as a simulation.
    pub async fn open_in(config: &Config, outside: Outside) -> Result<Server, StartError> {
        config.base_url.as_deref().map(guard::authority).transpose()?;
        let office = Office::open(config)?;
        let Outside { source, chance, simulated } = outside;
        let metrics = Arc::new(Metrics::default());
        let (store, stored) = match &simulated {
            Some(Simulated { store, .. }) => {
                let (data, metrics) = (&config.data, Arc::clone(&metrics));
                store::open_simulated(data, store, metrics).await?
            }
            None => store::open(&config.data, Arc::clone(&metrics)).await?,
        };
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let failed = |error: String| {
            StartError(format!("cannot keep games in `{}`: {error}", store::name(&config.data)))
        };
        let pauses = store.pauses(i64::MIN).await.map_err(|error| failed(error.to_string()))?;
        let pauses = table::Pauses::new(pauses);
        let time = match store.shared() {
            Some(shared) => {
                let asked = source.steady();
                let there = shared.now().await.map_err(|error| failed(error.to_string()))?;
                Time::of_store(source, asked, there, pauses)
            }
            None => Time::new(source, store.alive(), pauses),
        };
        let is_simulated = simulated.is_some();
        let search = simulated.as_ref().map(|simulated| simulated.search);
        let news = simulated.and_then(|simulated| simulated.news);
        let (tasks, mut keepers) = (Tasks::default(), Vec::new());
        let (news, inbox) = match &config.nats {
            _ if is_simulated => match news {
                Some((news, inbox)) => (news, Some(inbox)),
                None => (News::none(), None),
            },
            Some(_) if store.shared().is_none() => {
                return Err(StartError(ALONE.into()));
            }
            Some(addresses) => {
                let (news, inbox, task) = News::open(addresses, &metrics, &tasks)?;
                keepers.push(task);
                (news, Some(inbox))
            }
            None => (News::none(), None),
        };
        let mut limits = Limits::new(config.allowance, config.new_games, config.nats.is_some());
        if is_simulated {
            limits.clock = || Duration::ZERO;
        }
        let limits = Arc::new(limits);
        let replays = Replays::new(cores, Arc::clone(&limits));
        let replays = if is_simulated { replays.inline() } else { replays };
        let engines = match search {
            Some(search) => Engines::simulated(LEAST_WORKERS, Arc::clone(&metrics), search),
            None => {
                let workers = LEAST_WORKERS.max(cores + 1);
                Engines::new(workers, Arc::clone(&metrics), Some(Arc::clone(&limits)))
            }
        };
        let mut hall = Hall::new(store, engines, replays, limits, metrics, (time, chance), news);
        admin::apply(&hall, &office.settings.borrow());
        (hall.office, hall.tasks) = (office, tasks);
        #[cfg(feature = "many")]
        if let Some(addresses) = &config.nats {
            hall.workers = Some(work::jobs::Workers::find(addresses).await?);
        }
        let hall = Arc::new(hall);
        alarm::resume(&hall).await.map_err(|refusal| failed(refusal.message))?;
        keepers.extend(keepers_of(&hall, inbox));
        let router = http::router(config, &hall);
        let proxies = Proxies::new(config.base_url.is_some(), &config.proxies);
        let connections = config.connections;
        Ok(Server { hall, stored, keepers, router, connections, proxies })
    }

    pub fn router(&self) -> Router {
        self.router.clone()
    }

    pub fn hall(&self) -> &Arc<Hall> {
        &self.hall
    }

    /// Serves until told to stop. Then clients are asked to reconnect, requests in progress are completed, and the
    /// store is closed. While draining, requests in progress get more time.
    pub async fn serve(
        self,
        listener: impl Listener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) {
        let hall = &self.hall;
        let (limits, metrics) = (Arc::clone(&hall.limits), Arc::clone(&hall.metrics));
        let doors = Doors::new(self.connections, self.proxies.clone(), limits, metrics);
        let ends = hall.stopping.subscribe();
        let serving = connections::serve(listener, self.router(), doors, ends);
        let mut finished = tokio::spawn(serving);
        let (mut stop, mut drain) = (Box::pin(stop), hall.office.drain.subscribe());
        let drained = async {
            let patience = drain.wait_for(Option::is_some).await.map(|own| *own);
            patience.ok().flatten().unwrap_or_default()
        };
        let draining = tokio::select! {
            biased;
            () = &mut stop => None,
            patience = drained => Some(patience),
        };
        hall.stopping.send_replace(true);
        systemd::tell("STOPPING=1");
        if let Some(patience) = draining {
            tracing::info!(?patience, "draining");
            tokio::select! {
                _ = tokio::time::timeout(patience, &mut finished) => {}
                () = stop => {}
            }
        }
        tracing::info!("stopping");
        self.hall.engines.close();
        if !finished.is_finished() {
            let _ = tokio::time::timeout(FAREWELL / 2, finished).await;
        }
        self.close().await;
        tracing::info!("stopped");
    }

    /// Closes the store after everything in progress has been stored.
    pub async fn close(self) {
        let Server { hall, stored, keepers, router, .. } = self;
        hall.stopping.send_replace(true);
        hall.engines.close();
        keepers.iter().for_each(JoinHandle::abort);
        // If the last heartbeat fails, the pause starts at the previous one.
        let _ = hall.store.beat(hall.time.now()).await;
        hall.store.close();
        drop((hall, router));
        // The store closes when the last request that may use it has finished.
        let _ = tokio::time::timeout(FAREWELL / 2, stored).await;
    }
}

/// The background tasks.
fn keepers_of(hall: &Arc<Hall>, inbox: Option<news::Inbox>) -> Vec<JoinHandle<()>> {
    let keep = |name, task: fn(Arc<Hall>) -> Task| {
        let own = Arc::clone(hall);
        hall.tasks.keep(name, &hall.metrics, move || task(Arc::clone(&own)))
    };
    let mut keepers = vec![
        keep("clocks", |hall| Box::pin(alarm::ring(hall))),
        keep("heartbeat", |hall| Box::pin(alarm::beat(hall))),
        keep("sweep", |hall| Box::pin(sweep(hall))),
        keep("operators", |hall| Box::pin(admin::follow(hall))),
        keep("retention", |hall| Box::pin(admin::retention::run(hall))),
        keep("lobby", |hall| Box::pin(club::meet::run(hall))),
        keep("public games", |hall| Box::pin(club::games::follow(hall))),
        keep("computers", |hall| Box::pin(alarm::wake_computers(hall))),
    ];
    if hall.store.shared().is_some() {
        keepers.push(keep("other servers", |hall| Box::pin(news::look(hall))));
        keepers.push(keep("forsaken games", |hall| Box::pin(news::mind(hall))));
    }
    if let Some(inbox) = inbox {
        let (own, inbox) = (Arc::clone(hall), Arc::new(tokio::sync::Mutex::new(inbox)));
        let hear = move || news::hear(Arc::clone(&own), Arc::clone(&inbox));
        keepers.push(hall.tasks.keep("news", &hall.metrics, hear));
        keepers.push(keep("own news", |hall| Box::pin(news::tell(hall))));
    }
    keepers
}

type Task = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// Evicts idle games.
async fn sweep(hall: Arc<Hall>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        hall.sweep(hall.time.now() - IDLE.as_millis() as i64);
    }
}

/// Serves until the process is told to stop; `ready` gets where it listens.
pub fn run(config: &Config, ready: impl FnOnce(Place)) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartError(format!("cannot start threads: {error}")))?;
    let done = runtime.block_on(start::start(config, ready));
    // Whatever is still running has had its time.
    runtime.shutdown_timeout(Duration::from_secs(1));
    done
}
