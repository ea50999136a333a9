//! For operators: settings that can change while the server runs, a local socket for commands, retention, backups, and
//! notifications to systemd. `docs/hosting.md` describes all of it.

pub mod backup;
pub mod bans;
pub mod games;
pub mod retention;
pub mod settings;
#[cfg(unix)]
pub mod socket;
pub mod systemd;

use crate::Config;
use crate::games::hall::Hall;
use crate::store::upkeep::Upkeep;
use serde::{Deserialize, Serialize};
use settings::Settings;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use table::Refusal;
use tokio::sync::watch;

/// How often servers that share a store look for what operators changed on the others.
const LOOK: Duration = Duration::from_secs(2);

/// The part of the configuration that concerns only operators.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    /// A Unix socket to serve HTTP on, instead of a TCP port.
    pub http: Option<PathBuf>,
    /// The Unix socket for operators' commands.
    pub commands: Option<PathBuf>,
    /// The settings file, re-read on SIGHUP.
    pub limits: Option<PathBuf>,
    pub keep: settings::Keep,
}

/// What operators can change in a running server.
#[derive(Debug)]
pub struct Office {
    pub settings: watch::Sender<Settings>,
    /// Set to start draining: how long open connections may take to finish.
    pub drain: watch::Sender<Option<Duration>>,
    usual: Settings,
    file: Option<PathBuf>,
    /// The store's name, without passwords.
    pub data: String,
}

impl Default for Office {
    fn default() -> Office {
        let (settings, drain) = (watch::channel(Settings::default()).0, watch::channel(None).0);
        let (usual, file) = (Settings::default(), None);
        Office { settings, drain, usual, file, data: String::new() }
    }
}

impl Office {
    /// Reads the settings from the command line and the file.
    pub fn open(config: &Config) -> Result<Office, crate::StartError> {
        let usual = Settings {
            new_games: config.new_games,
            allowance: config.allowance,
            connections: config.connections,
            keep: config.operator.keep,
        };
        let data = crate::store::name(&config.data);
        let file = config.operator.limits.clone();
        let office = Office { usual, file, data, ..Office::default() };
        let settings = office.read().map_err(crate::StartError)?;
        office.settings.send_replace(settings);
        Ok(office)
    }

    fn read(&self) -> Result<Settings, String> {
        let Some(file) = &self.file else { return Ok(self.usual.clone()) };
        let name = file.display();
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| format!("cannot read the limits in `{name}`: {error}"))?;
        self.usual.with(&text).map_err(|error| format!("`{name}`, {error}"))
    }
}

/// Re-reads the settings file. If that fails, the current settings stay in force.
pub fn reload(hall: &Hall) -> Result<(), String> {
    let done = hall.office.read().map(|settings| {
        apply(hall, &settings);
        hall.office.settings.send_replace(settings);
    });
    match &done {
        Ok(()) => tracing::info!("limits reloaded"),
        Err(error) => tracing::error!(error, "limits not reloaded; the old ones stay"),
    }
    done
}

/// Puts the limits into force.
pub fn apply(hall: &Hall, settings: &Settings) {
    hall.limits.change(settings.allowance, settings.new_games, settings.connections);
}

/// The store's operations for operators; refused if it has none.
pub fn upkeep(hall: &Hall) -> Result<&dyn Upkeep, Refusal> {
    hall.store.upkeep().ok_or_else(|| Refusal::unavailable("this store has no upkeep"))
}

/// Loads the bans from the store.
pub async fn learn_bans(hall: &Hall) -> Result<(), Refusal> {
    let bans = upkeep(hall)?.bans().await?;
    hall.limits.bans.set(&bans);
    Ok(())
}

/// Picks up what operators change on other servers, in an endless loop.
pub async fn follow(hall: Arc<Hall>) {
    let mut seen = HashSet::new();
    loop {
        // If the store is unavailable, the next round tries again.
        let _ = learn_bans(&hall).await;
        if hall.store.shared().is_none() {
            return std::future::pending().await;
        }
        if let Some(upkeep) = hall.store.upkeep()
            && let Ok(changed) = upkeep.changed().await
        {
            let new = changed.iter().filter(|(id, _)| !seen.contains(id));
            new.for_each(|(_, game)| hall.forget(game));
            seen = changed.into_iter().map(|(id, _)| id).collect();
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// An operator's command: one line of JSON on the socket.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Wish {
    Status,
    List(games::Filter),
    Show {
        game: String,
    },
    Delete {
        games: Vec<String>,
    },
    /// Removes a person's name, given the token of a seat or the name itself.
    Forget {
        token: Option<String>,
        name: Option<String>,
        /// If false, this is a dry run: the affected games are reported, but nothing is changed.
        sure: bool,
    },
    Bans,
    Ban {
        network: String,
        seconds: Option<u64>,
        reason: String,
    },
    Unban {
        network: String,
    },
    /// A command about players.
    Club {
        about: crate::club::office::About,
    },
    Reload,
    Drain {
        seconds: u64,
    },
}
