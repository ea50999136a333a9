//! A real server process, and a connection to it that is kept.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A folder that is gone when the test is.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let name = format!("quadrille-{name}-{}", std::process::id());
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

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The command that starts a server on a port of its choice.
pub fn serve(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--new-games", "1000000"])
        .args(["--allowance", "1000000", "--data"])
        .arg(data);
    command
}

/// A server that answers.
pub struct Server {
    pub child: Child,
    pub address: String,
}

impl Server {
    pub fn start(data: &Path) -> Server {
        Server::spawn(&mut serve(data)).unwrap_or_else(|output| panic!("no server: {output:?}"))
    }

    /// Starts it, or gives what it said instead of an address.
    pub fn spawn(command: &mut Command) -> Result<Server, Output> {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let Some((_, address)) = line.trim().rsplit_once("http://") else {
            return Err(child.wait_with_output().unwrap());
        };
        Ok(Server { child, address: address.trim_end_matches('/').to_owned() })
    }

    pub fn kill(self) {
        drop(self);
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have stopped by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
pub struct Line(BufReader<TcpStream>);

impl Line {
    pub fn open(address: &str) -> Option<Line> {
        Line::patient(address, Duration::from_secs(20))
    }

    /// Waits this long for an answer.
    pub fn patient(address: &str, patience: Duration) -> Option<Line> {
        let stream = TcpStream::connect(address).ok()?;
        stream.set_read_timeout(Some(patience)).ok()?;
        stream.set_nodelay(true).ok()?;
        Some(Line(BufReader::new(stream)))
    }

    /// The status and body of an answer; none if the server is gone.
    pub fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: &str,
    ) -> Option<(u16, String)> {
        let length = body.len();
        let token = match token {
            "" => String::new(),
            token => format!("authorization: Bearer {token}\r\n"),
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\n{token}content-length: {length}\r\n\r\n{body}"
        );
        self.0.get_mut().write_all(request.as_bytes()).ok()?;
        let mut status = None;
        let (mut length, mut chunked) = (0, false);
        loop {
            let mut head = String::new();
            if self.0.read_line(&mut head).ok()? == 0 {
                return None;
            }
            let head = head.trim().to_lowercase();
            if head.is_empty() {
                break;
            }
            status = status.or_else(|| head.split(' ').nth(1)?.parse().ok());
            if let Some(text) = head.strip_prefix("content-length: ") {
                length = text.parse().ok()?;
            }
            chunked |= head == "transfer-encoding: chunked";
        }
        let body = if chunked { self.chunks()? } else { self.bytes(length)? };
        Some((status?, String::from_utf8(body).ok()?))
    }

    fn bytes(&mut self, length: usize) -> Option<Vec<u8>> {
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).ok()?;
        Some(body)
    }

    fn chunks(&mut self) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut size = String::new();
            self.0.read_line(&mut size).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            let mut chunk = self.bytes(size + 2)?;
            chunk.truncate(size);
            body.append(&mut chunk);
            if size == 0 {
                return Some(body);
            }
        }
    }
}
