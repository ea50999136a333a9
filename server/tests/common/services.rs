//! Private PostgreSQL and NATS servers: on free ports, in temporary folders, run by an unprivileged user, and stopped
//! when the tests end.

#![allow(dead_code, missing_docs)]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{OnceLock, mpsc};
use std::time::{Duration, Instant};

/// How long a service may take to start.
const START: Duration = Duration::from_secs(30);

/// A port that was free just now.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A command run by an unprivileged user, which is killed when the thread that started it ends.
fn ordinary(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.arg("--pdeathsig=INT");
    if is_root() {
        command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]);
    }
    command.arg(program).env("LC_ALL", "C.UTF-8").stdin(Stdio::null());
    command
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.trim_ascii() == b"0"
}

/// Starts a process from a thread that never ends, since the process is killed with its parent thread.
fn start(mut command: Command) -> Child {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        tell.send(command.spawn().expect("the service can be started")).unwrap();
        loop {
            std::thread::park();
        }
    });
    told.recv().unwrap()
}

/// A temporary folder that an unprivileged user may write to.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        clear_up();
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("quadrille-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        if is_root() {
            let owned = Command::new("chown").arg("nobody:nogroup").arg(&path).status().unwrap();
            assert!(owned.success());
        }
        Place(path)
    }
}

/// Removes folders left behind by test processes that have ended.
fn clear_up() {
    for entry in std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(rest) = name.strip_prefix("quadrille-postgres-") else { continue };
        let process = rest.split('-').next().unwrap_or_default();
        if !process.is_empty() && !Path::new("/proc").join(process).exists() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The folder with PostgreSQL's programs.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let found = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
    found
        .filter(|bin| bin.join("initdb").exists())
        .max()
        .expect("PostgreSQL is needed: `./check` installs it, or `apt-get install postgresql`")
}

/// A PostgreSQL cluster.
pub struct Postgres {
    pub port: u16,
    place: Place,
    child: Child,
}

impl Postgres {
    pub fn start() -> Postgres {
        Postgres::with(&["fsync=off", "full_page_writes=off"])
    }

    /// With additional settings.
    pub fn with(settings: &[&str]) -> Postgres {
        let place = Place::new("postgres");
        let data = place.0.join("data");
        let mut init = ordinary(&programs().join("initdb"));
        init.args(["--no-sync", "-A", "trust", "-U", "quadrille", "-E", "UTF8"]).arg("-D");
        let made = init.arg(&data).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let settings = settings.iter().map(|line| format!("{line}\n")).collect::<String>();
        std::fs::write(place.0.join("settings"), &settings).unwrap();
        let conf = data.join("postgresql.conf");
        let all = format!("{}\n{settings}", std::fs::read_to_string(&conf).unwrap());
        std::fs::write(conf, all).unwrap();
        let port = free_port();
        let child = Postgres::launch(&place, port);
        let mut own = Postgres { port, place, child };
        own.wait();
        own
    }

    /// A synchronous standby of this cluster.
    pub fn standby(&self) -> Postgres {
        let standby = self.lagging_standby(self.port);
        self.ask("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.ask("postgres", "SELECT pg_reload_conf()");
        let began = Instant::now();
        while self.ask("postgres", "SELECT sync_state FROM pg_stat_replication") != ["sync"] {
            assert!(began.elapsed() < START, "the standby does not follow");
            std::thread::sleep(Duration::from_millis(20));
        }
        standby
    }

    /// An asynchronous standby. It connects through this port, which may belong to a wire.
    pub fn lagging_standby(&self, way: u16) -> Postgres {
        let place = Place::new("postgres");
        let own = way.to_string();
        let mut copy = ordinary(&programs().join("pg_basebackup"));
        copy.args([
            "-h",
            "127.0.0.1",
            "-U",
            "quadrille",
            "-p",
            &own,
            "-R",
            "-c",
            "fast",
            "-N",
            "-D",
        ]);
        let copied = copy.arg(place.0.join("data")).output().unwrap();
        assert!(copied.status.success(), "{}", String::from_utf8_lossy(&copied.stderr));
        let port = free_port();
        let child = Postgres::launch(&place, port);
        let mut standby = Postgres { port, place, child };
        standby.wait();
        standby
    }

    /// Promotes a standby to primary.
    pub fn promote(&self) {
        assert_eq!(self.ask("postgres", "SELECT pg_promote()"), ["t"]);
    }

    fn launch(place: &Place, port: u16) -> Child {
        let mut server = ordinary(&programs().join("postgres"));
        server.arg("-D").arg(place.0.join("data")).args(["-h", "127.0.0.1", "-p"]);
        server.arg(port.to_string()).arg("-k").arg(&place.0);
        server.stdout(Stdio::null()).stderr(Stdio::null());
        start(server)
    }

    fn wait(&mut self) {
        let began = Instant::now();
        while !self.sql("postgres", "SELECT 1").status.success() {
            assert!(began.elapsed() < START, "PostgreSQL does not start");
            // Processes started by a killed postmaster may still be running.
            if self.child.try_wait().unwrap().is_some() {
                self.child = Postgres::launch(&self.place, self.port);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn sql(&self, database: &str, sql: &str) -> std::process::Output {
        let port = self.port.to_string();
        let mut psql = Command::new(programs().join("psql"));
        psql.args(["-h", "127.0.0.1", "-U", "quadrille", "-p", &port, "-At", "-d", database]);
        psql.args(["-c", sql]).output().unwrap()
    }

    /// The answer of the database, row by row.
    pub fn ask(&self, database: &str, sql: &str) -> Vec<String> {
        let output = self.sql(database, sql);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    }

    /// Creates a new database and returns its name.
    pub fn database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("games{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.ask("postgres", &format!("CREATE DATABASE {name} STRATEGY file_copy"));
        name
    }

    /// The URL of one of its databases.
    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The ids of all its processes.
    pub fn processes(&self) -> Vec<u32> {
        let own = self.child.id();
        let found = Command::new("pgrep").args(["-P", &own.to_string()]).output().unwrap();
        let found = String::from_utf8(found.stdout).unwrap();
        found.lines().filter_map(|line| line.parse().ok()).chain([own]).collect()
    }

    /// Kills all of it at once, as a power cut would.
    pub fn kill(&mut self) {
        // Its child processes end when they notice; they write nothing more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts it again on its data.
    pub fn restart(&mut self) {
        self.child = Postgres::launch(&self.place, self.port);
        self.wait();
    }
}

/// The URL of a database behind a port.
pub fn url(port: u16, database: &str) -> String {
    format!("postgres://quadrille@127.0.0.1:{port}/{database}")
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A fast shutdown, so that no process is left behind.
        let _ = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}

/// One cluster for all tests of a process.
pub fn postgres() -> &'static Postgres {
    static ONE: OnceLock<Postgres> = OnceLock::new();
    ONE.get_or_init(Postgres::start)
}

/// A NATS server.
pub struct Nats {
    pub port: u16,
    /// The port for connections from other nodes, and the port through which others connect.
    cluster: [u16; 2],
    routes: Vec<u16>,
    child: Child,
}

impl Nats {
    pub fn start() -> Nats {
        let own = free_port();
        Nats::in_cluster([own, own], &[])
    }

    /// A cluster whose nodes listen on these ports and connect to each other through others.
    pub fn cluster_over(ports: &[u16], ways: &[u16]) -> Vec<Nats> {
        let both = ports.iter().zip(ways);
        both.map(|(port, way)| Nats::in_cluster([*port, *way], ways)).collect()
    }

    fn in_cluster(cluster: [u16; 2], all: &[u16]) -> Nats {
        let (port, routes) = (free_port(), all.to_vec());
        let child = Nats::launch(port, cluster, &routes);
        let own = Nats { port, cluster, routes, child };
        own.wait();
        own
    }

    fn launch(port: u16, [own, way]: [u16; 2], routes: &[u16]) -> Child {
        // It may be outside the PATH on Debian.
        let usual = Path::new("/usr/sbin/nats-server");
        let program = if usual.exists() { usual } else { Path::new("nats-server") };
        let mut server = ordinary(program);
        server.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
        if !routes.is_empty() {
            let own = format!("nats://127.0.0.1:{own}");
            let told = format!("127.0.0.1:{way}");
            let others = routes.iter().filter(|other| **other != way);
            let others: Vec<_> = others.map(|other| format!("nats://127.0.0.1:{other}")).collect();
            // Tests cut the connections between nodes and clients, so clients must not learn of other addresses.
            server.args(["--cluster_name", "quadrille", "--no_advertise", "--cluster", &own]);
            server.args(["--routes", &others.join(","), "--cluster_advertise", &told]);
        }
        server.stdout(Stdio::null()).stderr(Stdio::null());
        start(server)
    }

    fn wait(&self) {
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(began.elapsed() < START, "nats-server does not start; `./check` installs it");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub fn restart(&mut self) {
        self.child = Nats::launch(self.port, self.cluster, &self.routes);
        self.wait();
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
    }
}

/// One server for all tests of a process.
pub fn nats() -> &'static Nats {
    static ONE: OnceLock<Nats> = OnceLock::new();
    ONE.get_or_init(Nats::start)
}
