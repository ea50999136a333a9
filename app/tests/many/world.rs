//! Three servers, two workers, three nodes of NATS and PostgreSQL, and the nemesis.

use super::services::{Nats, Postgres, free_port, url};
use super::wires::Wire;
use crate::wire::Folder;
use rules::random::Random;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub const SERVERS: usize = 3;

/// The shim for clocks, compiled once.
fn shim() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let (source, folder) = (env!("CARGO_MANIFEST_DIR"), env!("CARGO_TARGET_TMPDIR"));
        let library = Path::new(folder).join(format!("clock-{}.so", std::process::id()));
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&library, &Path::new(source).join("tests/many/clock.c")])
            .status();
        assert!(compiled.unwrap().success());
        library
    })
}

/// A process that can be killed, frozen and started again.
pub struct Process {
    child: Option<Child>,
    command: Box<dyn Fn() -> Command + Send>,
}

impl Process {
    fn new(command: impl Fn() -> Command + Send + 'static) -> Process {
        let mut own = Process { child: None, command: Box::new(command) };
        own.start();
        own
    }

    /// Starts it if it does not run: also if it has ended by itself, since somebody had its port.
    pub fn start(&mut self) {
        let runs = |child: &mut Child| matches!(child.try_wait(), Ok(None));
        if !self.child.as_mut().is_some_and(runs) {
            let mut command = (self.command)();
            self.child = Some(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
        }
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    fn signal(&self, name: &str) {
        if let Some(child) = &self.child {
            signal(child.id(), name);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn signal(process: u32, name: &str) {
    let mut kill = Command::new("kill");
    // It may have ended by itself.
    let _ = kill.args([name, &process.to_string()]).stderr(Stdio::null()).status();
}

/// One server, with its wires and the clock of its machine.
struct Node {
    process: Process,
    to_store: Wire,
    to_nats: Vec<Wire>,
    clock: PathBuf,
}

/// One worker, with its wires.
struct Worker {
    process: Process,
    to_nats: Vec<Wire>,
}

pub struct World {
    pub addresses: Vec<String>,
    pub database: String,
    pub postgres: Postgres,
    nodes: Vec<Node>,
    workers: Vec<Worker>,
    nats: Vec<Nats>,
    /// To each node of NATS, from the others.
    routes: Vec<Wire>,
    _folder: Folder,
}

/// What makes the database refuse events, or take long for each.
const TROUBLES: &str = "CREATE TABLE trouble (\"full\" BOOLEAN, slow FLOAT);
    INSERT INTO trouble VALUES (false, 0);
    CREATE FUNCTION look() RETURNS TRIGGER AS $$ BEGIN
        IF (SELECT trouble.\"full\" FROM trouble) THEN
            RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full';
        END IF;
        PERFORM pg_sleep(slow) FROM trouble WHERE slow > 0;
        RETURN NULL;
    END $$ LANGUAGE plpgsql;
    CREATE TRIGGER look BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION look()";

/// Takes all connections of a database for a while, also those of the servers.
fn exhaust(postgres: &Postgres, database: &str, time: Duration) {
    let began = Instant::now();
    let mut held = Vec::new();
    while let Some(one) = connect(postgres.port, database) {
        held.push(one);
    }
    // One slot for the connection that disconnects the servers.
    held.pop();
    std::thread::sleep(Duration::from_millis(50));
    postgres.ask(
        database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quadrille'",
    );
    while began.elapsed() < time {
        match connect(postgres.port, database) {
            Some(one) => held.push(one),
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    drop(held);
    // Until they are free again, nobody else can ask the database either.
    std::thread::sleep(Duration::from_millis(300));
}

/// An idle connection to the database; `None` if it has no slot left.
fn connect(port: u16, database: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    let names = format!("user\0quadrille\0database\0{database}\0\0");
    let length = u32::try_from(8 + names.len()).ok()?;
    // Version 3.0 of PostgreSQL's protocol.
    let mut hello = [length.to_be_bytes(), 196_608_u32.to_be_bytes()].concat();
    hello.extend(names.bytes());
    stream.write_all(&hello).ok()?;
    let mut answer = [0];
    stream.read_exact(&mut answer).ok()?;
    (answer == *b"R").then_some(stream)
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.stderr(Stdio::null());
    command
}

impl World {
    pub fn new(name: &str) -> World {
        let folder = Folder::new(name);
        let postgres = Postgres::start();
        let database = postgres.database();
        // What the nodes say to each other goes over wires, too.
        let ports: Vec<_> = (0..3).map(|_| free_port()).collect();
        let routes: Vec<_> = ports.iter().map(|port| Wire::new(*port)).collect();
        let ways: Vec<_> = routes.iter().map(|wire| wire.port).collect();
        let nats = Nats::cluster_over(&ports, &ways);
        let workers = (0..2).map(|_| Worker::new(&nats)).collect();
        let mut addresses = Vec::new();
        let nodes = (0..SERVERS).map(|i| {
            let address = format!("127.0.0.1:{}", free_port());
            addresses.push(address.clone());
            Node::new(&folder.0.join(format!("clock{i}")), address, &postgres, &database, &nats)
        });
        let nodes = nodes.collect();
        let mut world =
            World { addresses, database, postgres, nodes, workers, nats, routes, _folder: folder };
        world.wait();
        // They listen before they have made their tables.
        while world.postgres.ask(&world.database, "SELECT to_regclass('events')") != ["events"] {
            std::thread::sleep(Duration::from_millis(20));
        }
        world.postgres.ask(&world.database, TROUBLES);
        world
    }

    /// Waits until all servers answer.
    fn wait(&mut self) {
        let began = Instant::now();
        for (address, node) in self.addresses.iter().zip(&mut self.nodes) {
            while std::net::TcpStream::connect(address).is_err() {
                assert!(began.elapsed() < Duration::from_secs(30), "no server at {address}");
                std::thread::sleep(Duration::from_millis(20));
                node.process.start();
            }
        }
    }

    /// Injects a fault, repairs it after a while, and returns what it was.
    pub fn torment(&mut self, dice: &mut Random) -> &'static str {
        let server = dice.below(SERVERS);
        let other = (server + 1) % SERVERS;
        let while_bad = Duration::from_millis(300 + dice.below(2_200) as u64);
        let rest = || std::thread::sleep(while_bad);
        match dice.below(20) {
            0 | 1 => {
                self.nodes[server].process.kill();
                rest();
                self.nodes[server].process.start();
                "a server is killed"
            }
            2 => {
                self.nodes[server].process.signal("-STOP");
                rest();
                self.nodes[server].process.signal("-CONT");
                "a server is frozen"
            }
            3 => {
                self.nodes[server].to_store.cut();
                rest();
                self.nodes[server].to_store.mend();
                "a server loses the database"
            }
            4 => {
                self.nodes[server].to_nats.iter().for_each(Wire::cut);
                rest();
                self.nodes[server].to_nats.iter().for_each(Wire::mend);
                "a server loses NATS"
            }
            5 => {
                let seconds = dice.below(1_200) as i64 - 600;
                std::fs::write(&self.nodes[server].clock, seconds.to_string()).unwrap();
                "a clock is moved"
            }
            6 => {
                let nats = &mut self.nats[server];
                nats.kill();
                rest();
                nats.restart();
                "a node of NATS is killed"
            }
            7 => {
                signal(self.nats[server].pid(), "-STOP");
                rest();
                signal(self.nats[server].pid(), "-CONT");
                "a node of NATS is frozen"
            }
            8 => {
                self.postgres.kill();
                self.postgres.restart();
                "the database is killed"
            }
            9 => {
                let worker = dice.below(2);
                self.workers[worker].process.kill();
                rest();
                self.workers[worker].process.start();
                "a worker is killed"
            }
            10 => {
                let worker = dice.below(2);
                self.workers[worker].process.signal("-STOP");
                rest();
                self.workers[worker].process.signal("-CONT");
                "a worker is frozen"
            }
            11 => {
                self.routes[server].cut();
                rest();
                self.routes[server].mend();
                "nodes of NATS lose each other"
            }
            12 => {
                let wires = &self.workers[dice.below(2)].to_nats;
                wires.iter().for_each(Wire::cut);
                rest();
                wires.iter().for_each(Wire::mend);
                "a worker loses NATS"
            }
            15 => {
                let (seconds, database) = (while_bad.as_secs_f64(), &self.database);
                let sql =
                    format!("LOCK TABLE events IN EXCLUSIVE MODE; SELECT pg_sleep({seconds})");
                self.postgres.ask(database, &format!("BEGIN; {sql}; COMMIT"));
                "the table of events is locked"
            }
            16 => {
                self.postgres.ask(&self.database, "UPDATE trouble SET \"full\" = true");
                rest();
                self.postgres.ask(&self.database, "UPDATE trouble SET \"full\" = false");
                "the database's disk is full"
            }
            17 => {
                self.postgres.ask(&self.database, "UPDATE trouble SET slow = 0.25");
                rest();
                self.postgres.ask(&self.database, "UPDATE trouble SET slow = 0");
                "the database's disk is slow"
            }
            18 => {
                exhaust(&self.postgres, &self.database, while_bad);
                "the database has no more connections"
            }
            19 => {
                self.fail_over();
                "a synchronous standby takes over"
            }
            13 => {
                let all = self.postgres.processes();
                all.iter().for_each(|process| signal(*process, "-STOP"));
                rest();
                all.iter().for_each(|process| signal(*process, "-CONT"));
                "the database is frozen"
            }
            _ => {
                self.nodes[server].process.kill();
                self.nodes[other].process.signal("-STOP");
                rest();
                self.nodes[server].process.start();
                self.nodes[other].process.signal("-CONT");
                "one server is killed and another frozen"
            }
        }
    }

    /// Another database takes over, which has everything that was acknowledged.
    fn fail_over(&mut self) {
        let standby = self.postgres.standby();
        let mut first = std::mem::replace(&mut self.postgres, standby);
        first.kill();
        self.postgres.promote();
        self.nodes.iter().for_each(|node| node.to_store.redirect(self.postgres.port));
    }

    pub fn kill_server(&mut self, server: usize) {
        self.nodes[server].process.kill();
    }

    /// Everything works again.
    pub fn heal(&mut self) {
        for node in &mut self.nodes {
            node.process.signal("-CONT");
            node.process.start();
            node.to_store.mend();
            node.to_nats.iter().for_each(Wire::mend);
        }
        self.wait();
    }
}

/// Wires to all nodes of NATS, and where they begin.
fn wires(nats: &[Nats]) -> (Vec<Wire>, String) {
    let wires: Vec<_> = nats.iter().map(|nats| Wire::new(nats.port)).collect();
    let urls: Vec<_> = wires.iter().map(|wire| format!("nats://127.0.0.1:{}", wire.port)).collect();
    (wires, urls.join(","))
}

impl Worker {
    fn new(nats: &[Nats]) -> Worker {
        let (to_nats, urls) = wires(nats);
        let process = Process::new(move || {
            let mut command = program();
            command.args(["work", "--threads", "2", "--nats", &urls]);
            command
        });
        Worker { process, to_nats }
    }
}

impl Node {
    fn new(
        clock: &Path,
        address: String,
        postgres: &Postgres,
        database: &str,
        nats: &[Nats],
    ) -> Node {
        let to_store = Wire::new(postgres.port);
        let (to_nats, urls) = wires(nats);
        let data = url(to_store.port, database);
        let (clock, own) = (clock.to_owned(), clock.to_owned());
        let process = Process::new(move || {
            let mut command = program();
            command.env("LD_PRELOAD", shim()).env("QUADRILLE_CLOCK", &own);
            command.args(["serve", "--listen", &address, "--new-games", "1000000"]);
            command.args(["--allowance", "1000000", "--data", &data, "--nats", &urls]);
            command
        });
        Node { process, to_store, to_nats, clock }
    }
}
