//! Asking a server over its socket.

use crate::commands::serve::{admin_socket, data};
use crate::shell::failure::Failure;
use serde_json::Value;
use server::admin::Wish;
use std::path::{Path, PathBuf};

/// The named socket, the only one below `/run`, or that beside the usual file of games.
pub fn socket(named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let folders = std::fs::read_dir("/run").into_iter().flatten().flatten();
    let own = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with("quadrille"));
    let mut found: Vec<_> =
        own.map(|entry| entry.path().join("admin.sock")).filter(|path| path.exists()).collect();
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(one), false) => Err(Failure::user(format!(
            "there are several servers; name one of them: --socket {}",
            one.display()
        ))),
        (None, _) => admin_socket(&data(None)?)
            .ok_or_else(|| Failure::user("name the server's socket with --socket")),
    }
}

/// Sends a command and hands over the answer line by line.
#[cfg(unix)]
pub fn ask(
    socket: &Path,
    wish: &Wish,
    mut line: impl FnMut(&Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    use std::io::{BufRead, BufReader, Write};
    let unanswered = |error: std::io::Error| {
        let path = socket.display();
        Failure::user(format!(
            "no server answers on `{path}`: {error}; name its socket with --socket"
        ))
    };
    let mut stream = std::os::unix::net::UnixStream::connect(socket).map_err(unanswered)?;
    let wish = serde_json::to_string(wish).map_err(|error| Failure::Other(error.into()))?;
    stream.write_all(format!("{wish}\n").as_bytes()).map_err(unanswered)?;
    for text in BufReader::new(stream).lines() {
        // A server that ends may cut its last line.
        let Ok(text) = text else { break };
        let Ok(told) = serde_json::from_str::<Value>(&text) else { break };
        if let Some(error) = told["error"].as_str() {
            return Err(Failure::user(error));
        }
        line(&told)?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub fn ask(
    _: &Path,
    _: &Wish,
    _: impl FnMut(&Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    Err(Failure::user("this system has no Unix sockets"))
}
