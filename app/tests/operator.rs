//! What operators do with a running server: commands over its socket, signals, systemd, a Unix socket for a proxy.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder that is gone when the test is; its name is short, since those of sockets are.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("quadrille-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Server {
    process: Child,
    http: PathBuf,
    admin: String,
}

impl Server {
    /// A server that listens on Unix sockets in a folder.
    fn start(folder: &Folder, args: &[&str], environment: &[(&str, &str)]) -> Server {
        let http = folder.0.join("http.sock");
        let mut process = Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .args(["serve", "--listen", &format!("unix:{}", http.display()), "--data"])
            .arg(folder.0.join("games.db"))
            .args(args)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let server = Server { process, http, admin: folder.file("games.db.admin") };
        let place = if args.contains(&"--base-url") { "http://localhost" } else { "unix:" };
        assert!(line.starts_with(&format!("Quadrille is at {place}")), "{line}");
        server
    }

    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, body: &str, more: &str) -> (u16, String) {
        let mut stream = UnixStream::connect(&self.http).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{more}\
             content-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    fn make(&self) -> String {
        let person = r#"{"kind":"person","name":"Ana"}"#;
        let wanted = format!(r#"{{"game":"gekitai","seats":[{person},{person}]}}"#);
        let (status, body) = self.ask("POST", "/api/games", &wanted, "");
        assert_eq!(status, 201, "{body}");
        let made: Value = serde_json::from_str(&body).unwrap();
        made["id"].as_str().unwrap().to_owned()
    }

    fn admin(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        command.arg("admin").args(args).args(["--socket", &self.admin]).output().unwrap()
    }

    /// What a command printed that went well.
    #[track_caller]
    fn told(&self, args: &[&str]) -> String {
        let output = self.admin(args);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    fn end(mut self) {
        self.signal("-TERM");
        assert!(self.process.wait().unwrap().success());
        assert!(!self.http.exists() && !Path::new(&self.admin).exists(), "sockets are removed");
        let log = self.admin.replace(".admin", "-wal");
        assert!(!Path::new(&log).exists(), "the file is closed as it should be");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until a condition holds.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_operator_lists_shows_deletes_and_bans() {
    let folder = Folder::new("operator");
    let server = Server::start(&folder, &["--base-url", "http://localhost"], &[]);
    let mode = std::fs::metadata(&server.admin).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "for nobody else");
    let (one, other) = (server.make(), server.make());
    let listed = server.told(&["list", "--unplayed"]);
    assert!(listed.contains(&one) && listed.contains(&other) && listed.lines().count() == 3);
    assert_eq!(server.told(&["list", "--finished"]), "there are no such games\n");
    let shown = server.told(&["show", &one]);
    assert!(shown.contains("seat 1: person `Ana`") && shown.contains("created {"), "{shown}");
    let json = server.told(&["show", &one, "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["id"], one.as_str());
    assert_eq!(server.told(&["delete", &one]), format!("deleted {one}\n"));
    assert_eq!(server.ask("GET", &format!("/api/games/{one}"), "", "").0, 404);
    let refused = server.admin(&["delete", &one]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(refused.stderr, format!("quadrille: there is no game `{one}`\n").as_bytes());
    let would = server.told(&["forget", "--name", "Ana"]);
    assert_eq!(would, format!("1 game would change with --yes: {other}\n"));
    assert_eq!(
        server.told(&["forget", "--name", "Ana", "--yes"]),
        format!("removed from 1 game: {other}\n")
    );
    let game = server.ask("GET", &format!("/api/games/{other}"), "", "").1;
    assert!(game.contains("deleted player") && !game.contains("Ana"), "{game}");
    assert_eq!(server.told(&["bans"]), "nobody is banned\n");
    assert_eq!(server.told(&["ban", "203.0.113.9/24", "--for", "2d"]), "banned 203.0.113.0/24\n");
    let from = |address: &str| {
        let forwarded = format!("x-forwarded-for: {address}\r\n");
        server.ask("GET", "/api/health", "", &forwarded).0
    };
    assert_eq!((from("203.0.113.77"), from("203.0.114.77")), (403, 200));
    assert!(server.told(&["bans"]).starts_with("203.0.113.0/24                 for 1 d more"));
    server.told(&["unban", "203.0.113.0/24"]);
    assert_eq!(from("203.0.113.77"), 200);
    assert_eq!(server.admin(&["ban", "127.0.0.1"]).status.code(), Some(2));
    server.end();
}

#[test]
fn a_backup_is_made_beside_a_running_server_and_restored_when_it_has_stopped() {
    let folder = Folder::new("backups");
    let server = Server::start(&folder, &[], &[]);
    let game = server.make();
    let (data, copy) = (folder.file("games.db"), folder.file("copy.db"));
    let words = "games 1, events 1, turns 0, finished 0, players 0";
    assert_eq!(server.told(&["backup", &copy]), format!("{copy}: {words}; every game replays\n"));
    let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    server.told(&["delete", &game]);
    let refused = server.admin(&["restore", &copy, "--data", &data]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another server has"));
    let admin = server.admin.clone();
    server.end();
    let offline = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
        command.arg("admin").args(args).args(["--socket", &admin]).output().unwrap()
    };
    let restored = offline(&["restore", &copy, "--data", &data]);
    let told = format!("{data}: {words}; what was there is in {data}.before-restore-1\n");
    assert_eq!(String::from_utf8_lossy(&restored.stdout), told);
    let server = Server::start(&folder, &[], &[]);
    assert_eq!(server.ask("GET", &format!("/api/games/{game}"), "", "").0, 200);
    std::fs::write(folder.0.join("junk"), "nothing").unwrap();
    assert_eq!(offline(&["verify", &folder.file("junk")]).status.code(), Some(2));
    assert_eq!(offline(&["verify", &folder.file("nothing")]).status.code(), Some(2));
    server.end();
}

#[test]
fn limits_are_read_again_on_sighup_and_a_wrong_file_changes_nothing() {
    let folder = Folder::new("limits");
    let limits = folder.file("limits");
    std::fs::write(&limits, "new-games = 30\n").unwrap();
    let server = Server::start(&folder, &["--limits", &limits], &[]);
    let new_games = || {
        let told: Value = serde_json::from_str(&server.told(&["status", "--json"])).unwrap();
        (told["limits"]["new-games"].clone(), told["keep_days"]["unplayed"].clone())
    };
    assert_eq!(new_games(), (30.into(), Value::Null));
    std::fs::write(&limits, "new-games = 2\nkeep-unplayed = 7d\n").unwrap();
    server.signal("-HUP");
    until("the new limits are in force", || new_games() == (2.into(), 7.into()));
    server.make();
    server.make();
    let wanted = r#"{"game":"gekitai","seats":[{"kind":"person"},{"kind":"person"}]}"#;
    assert_eq!(server.ask("POST", "/api/games", wanted, "").0, 429);
    std::fs::write(&limits, "new-games = many\n").unwrap();
    let refused = server.admin(&["reload"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("line 1: expected a number"));
    assert_eq!(new_games(), (2.into(), 7.into()));
    server.end();
}

#[test]
fn old_games_go_after_a_reload_that_says_so_and_bans_survive_a_restart() {
    let folder = Folder::new("old");
    let limits = folder.file("limits");
    std::fs::write(&limits, "").unwrap();
    let args = ["--limits", &limits, "--base-url", "http://localhost"];
    let server = Server::start(&folder, &args, &[]);
    let (old, new) = (server.make(), server.make());
    server.told(&["ban", "203.0.113.9"]);
    server.end();
    let database = rusqlite::Connection::open(folder.0.join("games.db")).unwrap();
    let aged = "UPDATE events SET at = at - 2 * 86400000 WHERE game = ?1";
    assert_eq!(database.execute(aged, [&old]).unwrap(), 1);
    drop(database);
    let server = Server::start(&folder, &args, &[]);
    let status = |game: &str| server.ask("GET", &format!("/api/games/{game}/events"), "", "").0;
    assert_eq!((status(&old), status(&new)), (200, 200));
    let forwarded = "x-forwarded-for: 203.0.113.9\r\n";
    until("the ban is known", || server.ask("GET", "/api/health", "", forwarded).0 == 403);
    std::fs::write(&limits, "keep-unplayed = 1d\n").unwrap();
    server.signal("-HUP");
    until("the old game is deleted", || !server.told(&["list"]).contains(&old));
    assert_eq!((status(&old), status(&new)), (404, 200));
    server.end();
}

#[test]
fn systemd_hears_of_the_start_of_life_of_a_reload_and_of_the_end() {
    let folder = Folder::new("notify");
    let socket = folder.file("notify.sock");
    let systemd = UnixDatagram::bind(&socket).unwrap();
    systemd.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let heard = || {
        let mut text = [0; 256];
        let length = systemd.recv(&mut text).expect("systemd is told something");
        String::from_utf8(text[..length].to_vec()).unwrap()
    };
    let environment = [("NOTIFY_SOCKET", socket.as_str()), ("WATCHDOG_USEC", "3000000")];
    let mut server = Server::start(&folder, &[], &environment);
    let next = |wanted: &str| loop {
        let told = heard();
        if told.starts_with(wanted) {
            return told;
        }
        // Signs of life come between everything else.
        assert_eq!(told, "WATCHDOG=1");
    };
    // The first sign of life may come before it is ready.
    next("READY=1");
    next("WATCHDOG=1");
    server.signal("-HUP");
    assert!(next("RELOADING=1").contains("\nMONOTONIC_USEC="));
    next("READY=1");
    // A process that stands still gives no sign.
    server.signal("-STOP");
    systemd.set_nonblocking(true).unwrap();
    while systemd.recv(&mut [0; 256]).is_ok() {}
    std::thread::sleep(Duration::from_millis(1_500));
    assert!(systemd.recv(&mut [0; 256]).is_err());
    systemd.set_nonblocking(false).unwrap();
    server.signal("-CONT");
    next("WATCHDOG=1");
    server.signal("-TERM");
    next("STOPPING=1");
    assert!(server.process.wait().unwrap().success());
}

#[test]
fn a_drained_server_takes_nobody_in_lets_work_finish_and_ends() {
    let folder = Folder::new("drain");
    let mut server = Server::start(&folder, &[], &[]);
    // Somebody has begun a request and takes a while to end it.
    let mut slow = UnixStream::connect(&server.http).unwrap();
    let body = r#"{"game":"gekitai","seats":[{"kind":"person"},{"kind":"person"}]}"#;
    let (first, rest) = body.split_at(10);
    let length = body.len();
    write!(
        slow,
        "POST /api/games HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{first}"
    )
    .unwrap();
    until("the connection is there", || server.told(&["status"]).contains("connections 1,"));
    let mut drain = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .args(["admin", "drain", "--within", "60s", "--socket", &server.admin])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(drain.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "draining, connections left: 1\n");
    until("nobody is taken in", || UnixStream::connect(&server.http).is_err());
    assert!(server.process.try_wait().unwrap().is_none(), "it waits");
    slow.write_all(rest.as_bytes()).unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 "), "{answer}");
    assert!(server.process.wait().unwrap().success());
    let mut all = String::new();
    said.read_to_string(&mut all).unwrap();
    assert!(all.ends_with("the server has stopped\n"), "{all}");
    assert!(drain.wait().unwrap().success());
}

#[test]
fn a_socket_that_a_killed_server_left_is_replaced_and_one_in_use_is_not() {
    let folder = Folder::new("left");
    let mut server = Server::start(&folder, &[], &[]);
    server.process.kill().unwrap();
    server.process.wait().unwrap();
    assert!(server.http.exists());
    let again = Server::start(&folder, &[], &[]);
    let other = Folder::new("other-left");
    let refused = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .args(["serve", "--listen", &format!("unix:{}", again.http.display()), "--data"])
        .arg(other.0.join("games.db"))
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("http.sock` is in use"));
    again.end();
}
