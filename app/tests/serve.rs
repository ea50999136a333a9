//! The command `serve`, as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("quadrille-serve-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn serve(data: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.arg("serve").args(args).arg("--data").arg(data);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A server and the address it printed.
fn start(data: &Path, args: &[&str]) -> (Child, String) {
    let mut child = serve(data, &[&["--listen", "127.0.0.1:0"], args].concat()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("Quadrille is at http://").unwrap();
    (child, address.trim_end_matches('/').to_owned())
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn terminate(child: &Child) {
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
}

#[track_caller]
fn one_line(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

#[test]
fn a_used_port_and_a_locked_file_are_said_in_one_line() {
    let (folder, other) = (Folder::new("used"), Folder::new("other"));
    let (mut child, address) = start(&folder.0, &[]);
    let port = serve(&other.0, &["--listen", &address]).output().unwrap();
    assert!(one_line(&port).contains(&format!("{address} is in use")));
    let file = serve(&folder.0, &["--listen", "127.0.0.1:0"]).output().unwrap();
    assert!(one_line(&file).contains("another server has"));
    assert!(get(&address, "/api/health").ends_with("{\"status\":\"ok\"}"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_another_process_has_is_refused_by_all_its_names() {
    let (folder, other) = (Folder::new("linked"), Folder::new("links"));
    let (mut child, _) = start(&folder.0, &[]);
    let file = folder.0.join("games.db");
    let (symbolic, hard) = (other.0.join("symbolic.db"), other.0.join("hard.db"));
    std::os::unix::fs::symlink(&file, &symbolic).unwrap();
    std::fs::hard_link(&file, &hard).unwrap();
    for name in [file, symbolic, hard] {
        let refused = serve(&name, &["--listen", "127.0.0.1:0"]).output().unwrap();
        assert!(one_line(&refused).contains("another server has"), "{}", name.display());
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_file_of_a_newer_version_is_refused_in_one_line() {
    let folder = Folder::new("newer");
    let (mut child, _) = start(&folder.0, &[]);
    child.kill().unwrap();
    child.wait().unwrap();
    let database = rusqlite::Connection::open(folder.0.join("games.db")).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    let refused = serve(&folder.0, &["--listen", "127.0.0.1:0"]).output().unwrap();
    assert!(one_line(&refused).contains("has format 99, but this version knows formats 1 to 2"));
}

#[test]
fn a_server_that_is_told_to_stop_exits_well_within_ten_seconds() {
    let folder = Folder::new("stop");
    let (mut child, address) = start(&folder.0, &["--log", "json", "--log-level", "info"]);
    assert!(get(&address, "/").contains("<!doctype html>"));
    let _idle = TcpStream::connect(&address).unwrap();
    let started = Instant::now();
    terminate(&child);
    assert!(child.wait().unwrap().success());
    assert!(started.elapsed() < Duration::from_secs(10));
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    for line in log.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    assert!(log.contains("\"path\":\"/\",\"status\":200"), "{log}");
    let (mut child, address) = start(&folder.0, &[]);
    assert!(get(&address, "/api/health").contains("200 OK"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn metrics_are_shown_on_an_address_of_their_own() {
    let folder = Folder::new("metrics");
    // A port that was free a moment ago.
    let free =
        std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let (mut child, address) = start(&folder.0, &["--metrics", &free]);
    assert!(get(&free, "/metrics").contains("quadrille_live_games 0"));
    assert!(!get(&address, "/metrics").contains("quadrille_live_games"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(not(feature = "many"))]
#[test]
fn a_program_for_one_machine_says_how_to_get_one_for_many() {
    let shared = serve("postgres://127.0.0.1/games".as_ref(), &[]).output().unwrap();
    assert!(one_line(&shared).contains("--features many"));
    let program = env!("CARGO_BIN_EXE_quadrille");
    let work = Command::new(program).args(["work", "--nats", "nats://127.0.0.1"]).output().unwrap();
    assert!(one_line(&work).contains("--features many"));
}
