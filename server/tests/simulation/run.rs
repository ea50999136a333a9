//! Runs a plan: starts the processes, injects the faults, and checks the result.

use super::checks::{self, Truth};
use super::clients::{Book, Clients, Habits};
use super::cluster::{Cluster, Way};
use super::disk::SimulatedDisk;
use super::network::Network;
use super::plan::{Keeps, Plan, What};
use super::world::{MS, Micros, Process, Processes, SECOND, World, lock};
use crate::common::Folder;
use crate::note;
use server::cluster::news::News;
use server::ids::Chance;
use server::metrics::Metrics;
use server::outside::{Outside, Simulated, SimulatedStore};
use server::work::engines::Search;
use server::{Config, Server};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How soon games must go on after the last fault, and how long players think.
const RECOVERY: Micros = 5 * SECOND;
const THINKING: Micros = 1_500 * MS;

/// The maximum time for a server that is not suspended to stop.
const QUICK: Micros = 3_500 * MS;

/// The result of a run.
pub struct Outcome {
    pub failures: Vec<String>,
    pub trace: String,
    pub time: Micros,
}

type Inboxes = Arc<Mutex<Vec<Option<mpsc::UnboundedSender<(u64, String)>>>>>;

/// The simulated world in which a plan is executed.
pub struct Stage {
    pub world: Arc<World>,
    pub network: Arc<Network>,
    pub cluster: Arc<Cluster>,
    disk: Arc<SimulatedDisk>,
    folder: Folder,
    pub processes: Processes,
    inboxes: Inboxes,
    stops: Vec<Arc<Mutex<Option<oneshot::Sender<()>>>>>,
    pub failures: Arc<Mutex<Vec<String>>>,
    /// The metrics of every server ever started.
    metrics: Arc<Mutex<Vec<Arc<Metrics>>>>,
    plan: Plan,
}

impl Stage {
    fn new(plan: &Plan) -> Stage {
        let world = World::new(plan.seed);
        let count = plan.servers + 1;
        Stage {
            network: Network::new(&world, count),
            cluster: Cluster::new(&world),
            disk: SimulatedDisk::new(&world),
            folder: Folder::new(),
            processes: Processes::new(&world, count),
            inboxes: Arc::new(Mutex::new((0..count).map(|_| None).collect())),
            stops: (0..count).map(|_| Arc::default()).collect(),
            failures: Arc::default(),
            metrics: Arc::default(),
            plan: plan.clone(),
            world,
        }
    }

    fn config(&self) -> Config {
        self.folder.config()
    }

    /// The surroundings of a server.
    fn outside(&self, server: usize) -> impl Fn() -> Outside + Send + 'static {
        let (world, clocks) = (Arc::clone(&self.world), Arc::clone(&self.processes.clocks[server]));
        let (cluster, disk) = (Arc::clone(&self.cluster), Arc::clone(&self.disk));
        let (keeps, news, inboxes) = (self.plan.keeps, self.plan.news, Arc::clone(&self.inboxes));
        let search = Search { time: Duration::from_micros(self.plan.search), nodes: 60 };
        move || {
            let store = match keeps {
                Keeps::File => SimulatedStore::File(Arc::clone(&disk) as _),
                Keeps::Database => {
                    let way = Way { cluster: Arc::clone(&cluster), server };
                    SimulatedStore::Database(Arc::new(way), world.seed())
                }
            };
            let shared = keeps == Keeps::Database && news;
            let news = shared.then(|| join(&world, &inboxes, server));
            let simulated = Some(Simulated { search, store, news });
            Outside { source: Arc::clone(&clocks) as _, chance: Arc::clone(&world) as _, simulated }
        }
    }

    fn start(&mut self, server: usize) {
        let (config, outside) = (self.config(), self.outside(server));
        let (network, world) = (Arc::clone(&self.network), Arc::clone(&self.world));
        let (failures, slot) = (Arc::clone(&self.failures), Arc::clone(&self.stops[server]));
        let metrics = Arc::clone(&self.metrics);
        let main = async move {
            let mut took = 0;
            loop {
                match Server::open_in(&config, outside()).await {
                    Ok(server_) => {
                        note!(world, "server {server} is ready");
                        lock(&metrics).push(Arc::clone(&server_.hall().metrics));
                        let (stop, stopped) = oneshot::channel();
                        *lock(&slot) = Some(stop);
                        let listener = network.listen(server);
                        let asked = Arc::new(AtomicU64::new(0));
                        let (note_time, clock) = (Arc::clone(&asked), Arc::clone(&world));
                        let stopped = async move {
                            let _ = stopped.await;
                            note_time.store(clock.now(), Ordering::Relaxed);
                        };
                        server_.serve(listener, stopped).await;
                        took = world.now() - asked.load(Ordering::Relaxed);
                        network.close(server);
                        note!(world, "server {server} has stopped");
                    }
                    Err(error) => {
                        // Without the path, which is different each time.
                        let reason = error.to_string();
                        let reason = reason.rsplit(": ").next().unwrap_or_default();
                        let reason = reason.split('`').next().unwrap_or_default();
                        note!(world, "server {server} does not start: {reason}");
                        // A server that was suspended while stopping gives up and exits, which unlocks the file.
                        if took < QUICK && error.to_string().contains("another server has") {
                            lock(&failures).push("restart: the file is locked".to_owned());
                        }
                        tokio::time::sleep(Duration::from_millis(300)).await;
                    }
                }
            }
        };
        self.processes.all[server] = Some(Process::start(&self.processes.clocks[server], main));
    }

    fn kill(&mut self, server: usize) {
        self.processes.all[server] = None;
        self.network.close(server);
        self.network.cut(server);
        lock(&self.inboxes)[server] = None;
    }

    /// Injects a fault.
    fn begin(&mut self, what: What, time: Micros, clients: &Arc<Clients>) {
        match what {
            What::Kill(server) => self.kill(server),
            What::Stop(server) => drop(lock(&self.stops[server]).take()),
            What::Suspend(server) | What::Sleep(server) => self.suspend(server, true),
            What::Clock(server, by) => {
                self.processes.clocks[server].wrong.fetch_add(by, Ordering::Relaxed);
            }
            What::Silence(server) => self.network.silence(server, time),
            What::Cut(server) => self.network.cut(server),
            What::Crowd(server) => {
                let clients = Arc::clone(clients);
                if let Some(process) = &self.processes.all[0] {
                    process.spawn(clients.crowd(server));
                }
            }
            What::Away(server) => self.cluster.silence(server, time),
            What::Hang => self.cluster.hang(time),
            What::Full(full) => self.cluster.fill(time, full),
            What::Lock => self.cluster.lock_table(time),
            What::Crowded => self.cluster.crowd(time),
            What::Slow(by) => self.cluster.slow_down(time, by),
            What::Close => self.cluster.close_sessions(),
            What::DatabaseClock(by) => self.cluster.state().wrong += by,
            What::FailOver(behind) => self.cluster.fail_over(time, behind),
            What::Disk(bad) => self.disk.goes_bad(time, bad),
        }
    }

    /// Ends a fault.
    fn end(&mut self, what: What, time: Micros) {
        match what {
            What::Kill(server) if self.processes.all[server].is_none() => self.start(server),
            What::Suspend(server) => self.suspend(server, false),
            What::Sleep(server) => {
                if self.processes.all[server].as_ref().is_some_and(|own| own.suspended) {
                    self.processes.clocks[server].slept.fetch_add(time, Ordering::Relaxed);
                }
                self.suspend(server, false);
            }
            _ => {}
        }
    }

    fn suspend(&mut self, server: usize, suspended: bool) {
        if let Some(process) = &mut self.processes.all[server] {
            process.suspended = suspended;
        }
    }

    /// All records.
    fn records(&self) -> BTreeMap<String, String> {
        match self.plan.keeps {
            Keeps::Database => {
                let state = self.cluster.state();
                let all = state.tables.records.iter();
                all.map(|(key, (value, _))| (key.clone(), value.clone())).collect()
            }
            Keeps::File => {
                let file = rusqlite::Connection::open(&self.config().data).unwrap();
                let mut all = file.prepare("SELECT key, value FROM records").unwrap();
                let rows = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
                rows.collect::<Result<_, _>>().unwrap()
            }
        }
    }

    pub fn truth(&self) -> Truth {
        match self.plan.keeps {
            Keeps::Database => Truth::of_tables(&self.cluster.state().tables),
            Keeps::File => Truth::of_file(&self.config().data),
        }
    }
}

/// Connects the news: what one server publishes reaches the others a moment later, or not at all.
fn join(
    world: &Arc<World>,
    inboxes: &Inboxes,
    server: usize,
) -> (News, mpsc::UnboundedReceiver<(u64, String)>) {
    let (out, mut lines) = mpsc::unbounded_channel::<String>();
    let (tell, inbox) = mpsc::unbounded_channel();
    lock(inboxes)[server] = Some(tell);
    let (world, inboxes) = (Arc::clone(world), Arc::clone(inboxes));
    tokio::spawn(async move {
        while let Some(line) = lines.recv().await {
            let others = lock(&inboxes).len();
            for other in (1..others).filter(|other| *other != server) {
                if world.once_in(20) {
                    continue;
                }
                let (inboxes, line) = (Arc::clone(&inboxes), line.clone());
                world.after(world.between(200, 3 * MS), other, move || {
                    if let Some(tell) = &lock(&inboxes)[other] {
                        let _ = tell.send((server as u64, line));
                    }
                });
            }
        }
    });
    (News::into_channel(out), inbox)
}

/// Runs a plan to the end.
pub fn run(plan: &Plan) -> Outcome {
    let mut stage = Stage::new(plan);
    (1..=plan.servers).for_each(|server| stage.start(server));
    let clients = Arc::new(Clients {
        network: Arc::clone(&stage.network),
        servers: plan.servers,
        book: Mutex::new(Book::default()),
        settle: plan.healed.saturating_sub(2 * SECOND),
    });
    let own = Arc::clone(&clients);
    let tables = plan.tables.clone();
    let visitors = plan.visitors;
    let main = async move {
        for place in 0..visitors {
            let habits = Habits {
                number: 9,
                computer: false,
                clock: Some((12, 1)),
                sleepy: false,
                rude: false,
            };
            tokio::spawn(Arc::clone(&own).visitor(habits, place));
        }
        for habits in tables {
            tokio::spawn(Arc::clone(&own).table(habits));
        }
    };
    stage.processes.all[0] = Some(Process::start(&stage.processes.clocks[0], main));
    let mut actions: Vec<_> = plan.faults.iter().map(|fault| (fault.at, true, *fault)).collect();
    actions.extend(plan.faults.iter().map(|fault| (fault.at + fault.time, false, *fault)));
    actions.sort_by_key(|(at, begins, _)| (*at, *begins));
    for (at, begins, fault) in actions {
        stage.processes.run_until(at);
        note!(stage.world, "{} {:?}", if begins { "begin" } else { "end" }, fault.what);
        match begins {
            true => stage.begin(fault.what, fault.time, &clients),
            false => stage.end(fault.what, fault.time),
        }
    }
    stage.processes.run_until(plan.healed);
    let before = stage.truth();
    stage.processes.run_until(plan.healed + RECOVERY + THINKING + plan.search);
    let after = stage.truth();
    let book = lock(&clients.book);
    let mut failures = checks::progress(plan, &before, &after, &book);
    drop(book);
    failures.extend(checks::told_alike(&mut stage, &clients));
    let truth = stage.truth();
    let book = lock(&clients.book);
    let lost = stage.cluster.state().lost.clone();
    failures.extend(checks::acknowledged(plan, &truth, &book, &lost));
    // A client that sent a move at the very end had no time to repeat it.
    failures.extend(checks::time_given_back(plan, &after, &book));
    failures.extend(checks::time_not_given_away(plan, &truth));
    failures.extend(lock(&stage.failures).iter().cloned());
    let restarts = |own: &Arc<Metrics>| own.restarts.load(Ordering::Relaxed);
    if lock(&stage.metrics).iter().any(|own| restarts(own) > 0) {
        failures.push("task: a background task died".to_owned());
    }
    // After a failover that lost something, records may be older than the games they refer to.
    if lost.is_empty() {
        failures.extend(super::lobby::consistent(&stage.records(), &|id| truth.is_over(id), &book));
    }
    drop(book);
    failures.iter().for_each(|failure| note!(stage.world, "FAILURE {failure}"));
    Outcome { failures, trace: stage.world.trace(), time: stage.world.now() }
}
