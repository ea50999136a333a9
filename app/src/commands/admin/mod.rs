//! `quadrille admin`: what an operator asks of a running server over its local socket, and of backups.

mod ask;
mod backups;
mod show;

use crate::commands::serve::{data, time};
use crate::shell::failure::Failure;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use server::admin::Wish;
use server::admin::games::{Filter, State};
use server::club::office::About;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `admin`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille admin status                              is it running, and what is it doing?
  quadrille admin list --finished --idle 90d          finished games that nobody has touched for 90 days
  quadrille admin show k3Vx9QmZ                       a game with its seats, clocks and events
  quadrille admin delete k3Vx9QmZ
  quadrille admin forget --name 'Ana Lima'            which games name her; with --yes, remove the name
  quadrille admin ban 203.0.113.0/24 --for 7d
  quadrille admin players invite 30                   thirty invitations for a class
  quadrille admin drain --within 10m                  before an upgrade of one server among several
  quadrille admin backup games-2026-11-18.db          while the server runs
  quadrille admin restore games-2026-11-18.db --data /var/lib/quadrille/games.db

The server listens on a socket that only its user and root can open: /run/quadrille/admin.sock under \
systemd, beside the file of games otherwise, or wherever `serve --admin` says. docs/hosting.md says more.")]
pub struct AdminArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: What,
    /// The server's socket
    #[arg(long, value_name = "FILE", global = true)]
    pub socket: Option<PathBuf>,
    /// Print JSON lines, for scripts
    #[arg(long, global = true)]
    pub json: bool,
}

/// What an operator can do.
#[derive(Subcommand, Debug)]
pub enum What {
    /// Show the version, the store, connections and limits of the server
    #[command(after_help = "Examples:
  quadrille admin status
  quadrille admin status --json | jq .connections")]
    Status,
    /// List games
    #[command(after_help = "Examples:
  quadrille admin list --finished --idle 90d    finished games that nobody has touched for 90 days
  quadrille admin list --from 203.0.113.0/24    games that somebody there has played in")]
    List {
        /// Only games that have begun and not ended
        #[arg(long, conflicts_with_all = ["finished", "unplayed"])]
        running: bool,
        /// Only games that have ended
        #[arg(long, conflicts_with = "unplayed")]
        finished: bool,
        /// Only games without a single turn
        #[arg(long)]
        unplayed: bool,
        /// Only games without an event for this long, such as 90d or 12h
        #[arg(long, value_name = "TIME", value_parser = time)]
        idle: Option<Duration>,
        /// Only games in memory that this address or network has played in
        #[arg(long, value_name = "ADDRESS")]
        from: Option<String>,
        /// How many to list at most
        #[arg(long, value_name = "COUNT", default_value_t = 100)]
        most: usize,
    },
    /// Show a game: its seats, clocks, events and who is connected
    #[command(after_help = "Example:
  quadrille admin show k3Vx9QmZ")]
    Show {
        /// The game, as in its link
        game: String,
    },
    /// Delete games, for everybody and permanently
    #[command(after_help = "Examples:
  quadrille admin delete k3Vx9QmZ
  quadrille admin list --unplayed --json | jq -r .id | xargs quadrille admin delete

Everybody connected to the game is told that it is gone, on all servers that share the store, and its link \
answers 404 from then on. Backups still have it.")]
    Delete {
        /// The games, as in their links
        #[arg(required = true)]
        games: Vec<String>,
    },
    /// Delete a person's data: their name becomes `deleted player`, their games remain
    #[command(after_help = "Examples:
  quadrille admin forget --name 'Ana Lima'          which games name her
  quadrille admin forget --name 'Ana Lima' --yes    remove the name

With the token of a seat (after # in its link), this affects the games of that token, which can no longer play. \
With a name, it affects everybody of that name. Without --yes the games are listed and nothing changes.")]
    Forget {
        /// The token of a seat
        #[arg(long, value_name = "TOKEN", required_unless_present = "name")]
        token: Option<String>,
        /// The name, exactly as it is shown
        #[arg(long, value_name = "NAME", conflicts_with = "token")]
        name: Option<String>,
        /// Really remove the name
        #[arg(long)]
        yes: bool,
    },
    /// List banned addresses
    #[command(after_help = "Example:
  quadrille admin bans")]
    Bans,
    /// Refuse an address or a network: 203.0.113.7, 203.0.113.0/24, 2001:db8::/48
    #[command(after_help = "Examples:
  quadrille admin ban 203.0.113.0/24 --for 7d
  quadrille admin ban 2001:db8::/48 --because 'floods the lobby'")]
    Ban {
        /// The address or network
        network: String,
        /// For how long; permanently by default
        #[arg(long = "for", value_name = "TIME", value_parser = time)]
        time: Option<Duration>,
        /// Why, for the list of bans
        #[arg(long, value_name = "TEXT", default_value = "")]
        because: String,
    },
    /// Lift the ban of an address or network
    #[command(after_help = "Example:
  quadrille admin unban 203.0.113.0/24")]
    Unban {
        /// The address or network, as `bans` shows it
        network: String,
    },
    /// Players: registration, invitations, names, bans
    #[command(
        subcommand,
        after_help = "Examples:
  quadrille admin players invite 30    thirty invitations for a class
  quadrille admin players show Ana"
    )]
    Players(Players),
    /// Show the fingerprint of all ratings, or compute ratings and archive again from the events of all games
    #[command(after_help = "Examples:
  quadrille admin ratings
  quadrille admin ratings --rebuild")]
    Ratings {
        /// Compute them again; this may take a while, and games can be played meanwhile
        #[arg(long)]
        rebuild: bool,
    },
    /// Read the file of limits again, as SIGHUP does
    #[command(after_help = "Example:
  quadrille admin reload")]
    Reload,
    /// Accept no new connections, tell clients to reconnect, and stop the server when the last has gone
    #[command(after_help = "Example:
  quadrille admin drain --within 10m    before an upgrade of one server among several")]
    Drain {
        /// The time after which it stops in any case
        #[arg(long, value_name = "TIME", default_value = "10m", value_parser = time)]
        within: Duration,
    },
    /// Copy the file of games while the server runs, and check the copy
    #[command(after_help = "Example:
  quadrille admin backup games-2026-11-18.db")]
    Backup {
        /// The new file
        to: PathBuf,
        /// The file of games; by default the one of the server that answers, or else the usual one
        #[arg(long, value_name = "FILE")]
        data: Option<PathBuf>,
    },
    /// Check a backup, a file or a database: every game replays, every player can be read
    #[command(after_help = "Example:
  quadrille admin verify games-2026-11-18.db")]
    Verify {
        /// The file, or postgres://…
        data: PathBuf,
    },
    /// Replace the file of games by a backup, while the server is stopped
    #[command(after_help = "Example:
  quadrille admin restore games-2026-11-18.db --data /var/lib/quadrille/games.db")]
    Restore {
        /// The backup, which is checked first
        backup: PathBuf,
        /// The file of games; the present one is kept beside it
        #[arg(long, value_name = "FILE")]
        data: Option<PathBuf>,
    },
}

/// What an operator can do about players, who are named by id or name.
#[derive(Subcommand, Clone, Debug)]
pub enum Players {
    /// Let anybody register (the default)
    #[command(after_help = "Example:
  quadrille admin players open")]
    Open,
    /// Let only people with an invitation register
    #[command(after_help = "Example:
  quadrille admin players close")]
    Close,
    /// Print invitations, for a class or a club
    #[command(after_help = "Examples:
  quadrille admin players invite 30                     one for each in a class
  quadrille admin players invite --admits 30 --for 7d   one for all of them, for a week")]
    Invite {
        /// How many invitations
        #[arg(default_value_t = 1)]
        count: u32,
        /// How many players each admits
        #[arg(long, value_name = "COUNT", default_value_t = 1)]
        admits: u32,
        /// How long they are valid
        #[arg(long = "for", value_name = "TIME", default_value = "30d", value_parser = time)]
        time: Duration,
    },
    /// Reserve a name and all that look like it
    #[command(after_help = "Example:
  quadrille admin players reserve 'Ana Lima'")]
    Reserve { name: String },
    /// Release a reserved name
    #[command(after_help = "Example:
  quadrille admin players release 'Ana Lima'")]
    Release { name: String },
    /// Show a player
    #[command(after_help = "Example:
  quadrille admin players show Ana")]
    Show { player: String },
    /// Give a player another name
    #[command(after_help = "Example:
  quadrille admin players rename Ana 'Ana Lima'")]
    Rename { player: String, name: String },
    /// Keep a player from playing; their key stops working
    #[command(after_help = "Example:
  quadrille admin players ban Ana --because 'lets a program play'")]
    Ban {
        player: String,
        /// Why; the player is told
        #[arg(long, value_name = "TEXT", default_value = "")]
        because: String,
    },
    /// Let a banned player play again
    #[command(after_help = "Example:
  quadrille admin players unban Ana")]
    Unban { player: String },
    /// Replace a player's lost key: prints the new one, the old one stops working
    #[command(after_help = "Example:
  quadrille admin players new-key Ana")]
    NewKey { player: String },
    /// Delete a player for good; the games remain, as those of a `deleted player`
    #[command(after_help = "Example:
  quadrille admin players delete Ana")]
    Delete { player: String },
}

impl Players {
    fn wish(&self) -> About {
        match self.clone() {
            Players::Open => About::Registration { open: true },
            Players::Close => About::Registration { open: false },
            Players::Invite { count, admits, time } => {
                About::Invite { count, admits, seconds: time.as_secs() }
            }
            Players::Reserve { name } => About::Reserve { name },
            Players::Release { name } => About::Release { name },
            Players::Show { player } => About::Show { player },
            Players::Rename { player, name } => About::Rename { player, name },
            Players::Ban { player, because } => About::BanPlayer { player, reason: because },
            Players::Unban { player } => About::UnbanPlayer { player },
            Players::NewKey { player } => About::NewKey { player },
            Players::Delete { player } => About::DeletePlayer { player },
        }
    }
}

pub fn run(args: &AdminArgs) -> Result<(), Failure> {
    let AdminArgs { what, socket, json } = args;
    let wish = match what {
        What::Backup { to, data } => {
            return backups::backup(&data_of(data.as_deref(), socket.as_deref())?, to, *json);
        }
        What::Verify { data } => return backups::verify(data, *json),
        What::Restore { backup, data: named } => {
            return backups::restore(backup, &data(named.as_deref())?, *json);
        }
        What::Status => Wish::Status,
        What::List { running, finished, unplayed, idle, from, most } => {
            let state = match (running, finished, unplayed) {
                (true, ..) => Some(State::Running),
                (_, true, _) => Some(State::Finished),
                (.., true) => Some(State::Unplayed),
                _ => None,
            };
            let idle = idle.map(|time| time.as_secs());
            Wish::List(Filter { state, idle, network: from.clone(), most: *most })
        }
        What::Show { game } => Wish::Show { game: game.clone() },
        What::Delete { games } => Wish::Delete { games: games.clone() },
        What::Forget { token, name, yes } => {
            Wish::Forget { token: token.clone(), name: name.clone(), sure: *yes }
        }
        What::Bans => Wish::Bans,
        What::Ban { network, time, because } => Wish::Ban {
            network: network.clone(),
            seconds: time.map(|time| time.as_secs()),
            reason: because.clone(),
        },
        What::Unban { network } => Wish::Unban { network: network.clone() },
        What::Players(players) => Wish::Club { about: players.wish() },
        What::Ratings { rebuild } => Wish::Club { about: About::Ratings { rebuild: *rebuild } },
        What::Reload => Wish::Reload,
        What::Drain { within } => Wish::Drain { seconds: within.as_secs() },
    };
    let mut shown = show::Shown::new(&wish, *json);
    ask::ask(&ask::socket(socket.as_deref())?, &wish, |line| shown.line(line))?;
    shown.end()
}

/// The named file, that of the server that answers, or the usual one.
fn data_of(named: Option<&Path>, socket: Option<&Path>) -> Result<PathBuf, Failure> {
    if named.is_some() {
        return data(named);
    }
    let mut told = Value::Null;
    let found = ask::socket(socket).and_then(|path| {
        ask::ask(&path, &Wish::Status, |line| {
            told = line["data"].clone();
            Ok(())
        })
    });
    match (found, told.as_str()) {
        (Ok(()), Some(file)) => Ok(file.into()),
        (Err(failure), _) if socket.is_some() => Err(failure),
        _ => data(None),
    }
}

/// A line about something done offline.
fn told(json: bool, fields: Value, words: &str) -> Result<(), Failure> {
    let text = if json { json!(fields).to_string() } else { words.to_owned() };
    crate::shell::failure::print(format!("{text}\n").as_bytes())
}
