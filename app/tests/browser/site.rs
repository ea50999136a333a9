//! The real server, with a file of its own.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A server that ends with the test.
pub struct Site {
    process: Child,
    folder: PathBuf,
    pub url: String,
}

impl Site {
    pub fn start() -> Site {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quadrille-browser-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let (process, url) = serve(&folder);
        Site { process, folder, url }
    }

    /// Ends the server as a power cut would.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Asks the server to stop, and waits until it has.
    pub fn stop(&mut self) {
        let pid = Pid::from_child(&self.process);
        kill_process(pid, Signal::TERM).unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again with the same file, at another address.
    pub fn start_again(&mut self) {
        (self.process, self.url) = serve(&self.folder);
    }

    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// A GET request to the API.
    pub fn get(&self, path: &str) -> Value {
        self.ask("GET", path, None, "").unwrap_or_else(|(status, body)| panic!("{status}: {body}"))
    }

    /// A POST request to the API.
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.ask("POST", path, None, &body.to_string());
        answer.unwrap_or_else(|(status, body)| panic!("{status}: {body}"))
    }

    /// Sends a command with a token; an error has the status and the reason.
    pub fn command(&self, id: &str, token: &str, body: &Value) -> Result<Value, (u16, Value)> {
        let path = format!("/api/games/{id}/commands");
        self.ask("POST", &path, Some(token), &body.to_string())
    }

    fn ask(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        body: &str,
    ) -> Result<Value, (u16, Value)> {
        let host = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).unwrap();
        let bearer = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             {}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            bearer.unwrap_or_default(),
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = if path.contains("/events") {
            let lines = body.lines().filter(|line| line.starts_with('{'));
            Value::Array(lines.map(|line| serde_json::from_str(line).unwrap()).collect())
        } else {
            serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {head}\n{body}"))
        };
        if status < 300 { Ok(body) } else { Err((status, body)) }
    }
}

/// A server on a free port, and its address.
fn serve(folder: &Path) -> (Child, String) {
    // All requests come from one address here.
    let much = ["--new-games", "10000", "--allowance", "100000"];
    let mut process = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(much)
        .arg("--data")
        .arg(folder.join("games.db"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let at = line.find("http://").unwrap_or_else(|| panic!("no address in {line:?}"));
    (process, line[at..].trim().trim_end_matches('/').to_owned())
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
