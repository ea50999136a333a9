//! The socket for operators' commands: a Unix socket that only root and the server's user can open. A command is one
//! line of JSON; the answer is any number of lines, the last of which has a field `error` if the command was refused.

use crate::StartError;
use crate::admin::bans::{MOST, Network};
use crate::admin::{Wish, games, learn_bans, reload, upkeep};
use crate::games::hall::Hall;
use crate::store::upkeep::Banned;
use serde_json::{Value, json};
use std::fs::{DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;
use table::Refusal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;

/// The largest command in bytes.
const MOST_LINE: u64 = 256 << 10;

/// How long a client may take to send its command.
const SLOW: Duration = Duration::from_secs(10);

/// A Unix socket whose file is removed when this is dropped.
pub struct Bound {
    pub listener: UnixListener,
    path: PathBuf,
}

impl Drop for Bound {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Binds a Unix socket with these permissions, replacing a stale one.
pub fn bind(path: &Path, mode: u32) -> Result<Bound, StartError> {
    let name = path.display();
    let failed = |error: std::io::Error| StartError(format!("cannot listen on `{name}`: {error}"));
    if std::os::unix::net::UnixStream::connect(path).is_ok() {
        return Err(StartError(format!("`{name}` is in use; stop what listens there")));
    }
    if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file() || found.is_dir()) {
        return Err(StartError(format!("`{name}` exists and is not a socket")));
    }
    // Nobody may connect before the permissions are set, so the socket is created in a private folder and then moved.
    let folder = path.with_extension(format!("{}", std::process::id()));
    DirBuilder::new().mode(0o700).create(&folder).map_err(failed)?;
    let new = folder.join("s");
    let made = UnixListener::bind(&new).and_then(|listener| {
        std::fs::set_permissions(&new, Permissions::from_mode(mode))?;
        std::fs::rename(&new, path)?;
        Ok(listener)
    });
    let _ = std::fs::remove_file(&new);
    let _ = std::fs::remove_dir(&folder);
    Ok(Bound { listener: made.map_err(failed)?, path: path.to_owned() })
}

/// Answers commands, in an endless loop. It must not hold on to the hall while waiting: the store closes when the last
/// reference is dropped.
pub async fn serve(hall: Weak<Hall>, bound: Arc<Bound>) {
    loop {
        match bound.listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(answer(Weak::clone(&hall), stream));
            }
            // Possibly out of file descriptors.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

async fn answer(hall: Weak<Hall>, mut stream: UnixStream) {
    let (reader, mut writer) = stream.split();
    let (lines, mut told) = mpsc::channel(16);
    let mut wish = Vec::new();
    let read = read_line(reader, &mut wish);
    if !matches!(tokio::time::timeout(SLOW, read).await, Ok(Ok(()))) {
        return;
    }
    tokio::spawn(async move {
        let done = match serde_json::from_slice(&wish) {
            Ok(Wish::Drain { seconds }) => drain(&hall, seconds, &lines).await,
            Ok(wish) => match hall.upgrade() {
                Some(hall) => obey(&hall, wish, &lines).await,
                None => Err(Refusal::unavailable("the server is stopping")),
            },
            Err(error) => Err(Refusal::not_understood(error)),
        };
        if let Err(refusal) = done {
            let _ = lines.send(json!({ "error": refusal.message })).await;
        }
    });
    while let Some(line) = told.recv().await {
        if writer.write_all(format!("{line}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read_line(
    reader: impl tokio::io::AsyncRead + Unpin,
    line: &mut Vec<u8>,
) -> std::io::Result<()> {
    let mut reader = reader.take(MOST_LINE);
    while !line.ends_with(b"\n") && reader.read_buf(line).await? > 0 {}
    Ok(())
}

async fn obey(hall: &Arc<Hall>, wish: Wish, lines: &mpsc::Sender<Value>) -> Result<(), Refusal> {
    let told = match wish {
        Wish::Status => status(hall),
        Wish::List(filter) => return games::list(hall, &filter, lines).await,
        Wish::Show { game } => games::show(hall, &game).await?,
        Wish::Delete { games } => {
            for game in games {
                games::delete(hall, &game).await?;
                let _ = lines.send(json!({ "deleted": game })).await;
            }
            return Ok(());
        }
        Wish::Forget { token, name, sure } => {
            let games = games::forget(hall, token.as_deref(), name.as_deref(), sure).await?;
            json!({ "games": games, "changed": sure })
        }
        Wish::Club { about } => return crate::club::office::obey(hall, about, lines).await,
        Wish::Bans => return bans(hall, lines).await,
        Wish::Ban { network, seconds, reason } => ban(hall, &network, seconds, reason).await?,
        Wish::Unban { network } => {
            let network = Network::read(&network).map_err(Refusal::not_understood)?.to_string();
            upkeep(hall)?.prepare().await?;
            let known = upkeep(hall)?.unban(&network).await?;
            learn_bans(hall).await?;
            match known {
                true => json!({ "unbanned": network }),
                false => return Err(Refusal::not_there(format!("`{network}` is not banned"))),
            }
        }
        Wish::Reload => {
            reload(hall).map_err(Refusal::not_understood)?;
            status(hall)
        }
        Wish::Drain { .. } => return Ok(()),
    };
    // The client may have disconnected.
    let _ = lines.send(told).await;
    Ok(())
}

fn status(hall: &Hall) -> Value {
    let settings = hall.office.settings.borrow().clone();
    let days = |time: Option<Duration>| time.map(|time| time.as_secs() / 86_400);
    let metrics = &hall.metrics;
    json!({
        "version": env!("CARGO_PKG_VERSION"), "data": hall.office.data,
        "stopping": hall.is_stopping(),
        "connections": metrics.connections.load(Ordering::Relaxed),
        "sockets": metrics.sockets.load(Ordering::Relaxed),
        "games_in_memory": metrics.live_games.load(Ordering::Relaxed),
        "limits": {
            "new-games": settings.new_games, "allowance": settings.allowance,
            "connections": settings.connections,
        },
        "keep_days": {
            "finished": days(settings.keep.finished), "unfinished": days(settings.keep.unfinished),
            "unplayed": days(settings.keep.unplayed),
        },
    })
}

async fn bans(hall: &Hall, lines: &mpsc::Sender<Value>) -> Result<(), Refusal> {
    for banned in upkeep(hall)?.bans().await? {
        let Banned { network, since, until, reason } = banned;
        let line = json!({ "network": network, "since": since, "until": until, "reason": reason });
        let _ = lines.send(line).await;
    }
    Ok(())
}

async fn ban(
    hall: &Hall,
    network: &str,
    seconds: Option<u64>,
    reason: String,
) -> Result<Value, Refusal> {
    let network = Network::read(network).map_err(Refusal::not_understood)?.to_string();
    upkeep(hall)?.prepare().await?;
    if upkeep(hall)?.bans().await?.len() >= MOST {
        return Err(Refusal::conflict(format!("there are {MOST} bans already; ban a network")));
    }
    let since = hall.time.now();
    let until = seconds.map(|seconds| {
        let time = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000);
        since.saturating_add(time)
    });
    let banned = Banned { network: network.clone(), since, until, reason };
    upkeep(hall)?.ban(banned).await?;
    learn_bans(hall).await?;
    tracing::warn!(network, "banned by an operator");
    Ok(json!({ "banned": network, "until": until }))
}

/// Starts to drain, and reports every second how many connections are left until the server ends.
async fn drain(
    hall: &Weak<Hall>,
    seconds: u64,
    lines: &mpsc::Sender<Value>,
) -> Result<(), Refusal> {
    let drain =
        |hall: Arc<Hall>| hall.office.drain.send_replace(Some(Duration::from_secs(seconds)));
    hall.upgrade().map(drain);
    let left = || Some(hall.upgrade()?.metrics.connections.load(Ordering::Relaxed));
    while let Some(left) = left() {
        if lines.send(json!({ "connections": left })).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}
