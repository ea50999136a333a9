//! `quadrille serve`: from the command line to the server.

use crate::cli::{Word, words};
use crate::saves::usual_folder;
use crate::shell::failure::{Failure, print};
use crate::shell::progress::Ticker;
use clap::Args;
use server::admin::Operator;
use server::admin::settings::Keep;
use server::log::{Format, Level};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Arguments of `serve`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille serve --open                                    play in the browser
  quadrille serve --listen 0.0.0.0:8000 --data games.db     for the local network
  quadrille serve --base-url https://play.example.org       behind a proxy that speaks TLS
  quadrille serve --keep-unplayed 7d --keep-unfinished 90d  delete what nobody plays any more
The interface for programs is described in docs/http.md, running a server for others in docs/hosting.md.")]
pub struct ServeArgs {
    /// The address to listen on, or only a port; with port 0, a free one. Or a Unix socket for a proxy on this
    /// machine: unix:/run/quadrille/http.sock
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000", value_parser = place)]
    pub listen: server::Place,
    /// The file that keeps the games, or its folder; or a database that several servers share:
    /// postgres://user:password@host/name. By default $QUADRILLE_DATA, or else a file in the user's data folder
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// The NATS servers over which servers with one database exchange events: nats://host:port, separated by commas. By
    /// default $QUADRILLE_NATS
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// The public address, if the server is behind a proxy
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// A proxy on another machine whose X-Forwarded-For is trusted, as that of proxies on this one is
    #[arg(long = "proxy", value_name = "ADDRESS", value_delimiter = ',', requires = "base_url")]
    pub proxies: Vec<IpAddr>,
    /// Open the browser
    #[arg(long)]
    pub open: bool,
    /// Show metrics for Prometheus on this address
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub metrics: Option<SocketAddr>,
    /// How many games one address may create in a minute
    #[arg(long, value_name = "COUNT", default_value_t = server::http::limits::USUAL_NEW_GAMES, value_parser = clap::value_parser!(u32).range(1..))]
    pub new_games: u32,
    /// What one address may ask for in a second: a request costs 1, a command 5
    #[arg(long, value_name = "COUNT", default_value_t = server::http::limits::USUAL_ALLOWANCE, value_parser = clap::value_parser!(u32).range(10..))]
    pub allowance: u32,
    /// How many connections one address may have
    #[arg(long, value_name = "COUNT", default_value_t = server::http::limits::USUAL_CONNECTIONS)]
    pub connections: usize,
    /// A file with lines such as `new-games = 30`, which come before these options and are read again on SIGHUP:
    /// new-games, allowance, connections, keep-finished, keep-unfinished, keep-unplayed
    #[arg(long, value_name = "FILE")]
    pub limits: Option<PathBuf>,
    /// Delete finished games after this time, such as 2y or 90d; by default they are kept forever
    #[arg(long, value_name = "TIME", value_parser = server::admin::settings::age)]
    pub keep_finished: Option<Duration>,
    /// Delete unfinished games this long after their last event, unless a clock runs
    #[arg(long, value_name = "TIME", value_parser = server::admin::settings::age)]
    pub keep_unfinished: Option<Duration>,
    /// Delete games without a single turn after this time
    #[arg(long, value_name = "TIME", value_parser = server::admin::settings::age)]
    pub keep_unplayed: Option<Duration>,
    /// The socket for `quadrille admin`; by default admin.sock in $RUNTIME_DIRECTORY, or beside the file of
    /// games, as games.db.admin
    #[arg(long, value_name = "FILE")]
    pub admin: Option<PathBuf>,
    /// The format of the log on standard error
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = words(FORMATS))]
    pub log: Format,
    /// What is logged; info includes every request
    #[arg(long, value_name = "LEVEL", default_value = "warn", value_parser = words(LEVELS))]
    pub log_level: Level,
    /// Read the pages from this folder
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub web: Option<PathBuf>,
}

const FORMATS: &[Word<Format>] =
    &[("text", "For people", Format::Text), ("json", "One JSON object a line", Format::Json)];

const LEVELS: &[Word<Level>] = &[
    ("error", "Failures only", Level::ERROR),
    ("warn", "What may need attention", Level::WARN),
    ("info", "Every request", Level::INFO),
];

fn config(args: &ServeArgs) -> Result<server::Config, Failure> {
    if let Some(folder) = &args.web {
        server::pages::check_folder(folder).map_err(Failure::user)?;
    }
    let data = data(args.data.as_deref())?;
    let (listen, http) = match &args.listen {
        server::Place::Tcp(address) => (*address, None),
        server::Place::Unix(path) => ((Ipv4Addr::LOCALHOST, 0).into(), Some(path.clone())),
    };
    let keep = Keep {
        finished: args.keep_finished,
        unfinished: args.keep_unfinished,
        unplayed: args.keep_unplayed,
    };
    let run = std::env::var_os("RUNTIME_DIRECTORY").map(PathBuf::from);
    let commands = args.admin.clone().or_else(|| run.map(|folder| folder.join("admin.sock")));
    let commands = commands.or_else(|| admin_socket(&data));
    Ok(server::Config {
        listen,
        operator: Operator { http, commands, limits: args.limits.clone(), keep },
        data,
        nats: nats(args.nats.as_deref()),
        proxies: args.proxies.clone(),
        base_url: args.base_url.clone(),
        web: args.web.clone(),
        metrics: args.metrics,
        new_games: args.new_games,
        allowance: args.allowance,
        connections: args.connections,
    })
}

/// Runs a server without a log in this process; `ready` gets its address.
#[cfg(test)]
pub fn serve_quietly(args: &ServeArgs, ready: impl FnOnce(server::Place)) -> Result<(), Failure> {
    server::run(&config(args)?, ready).map_err(Failure::user)
}

pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    let config = config(args)?;
    server::log::init(args.log, args.log_level);
    let open = args.open;
    server::run(&config, |place| started(&config, &place, open)).map_err(Failure::user)
}

/// `quadrille move-games`.
pub fn move_games(from: &Path, to: &Path) -> Result<(), Failure> {
    let mut ticker = Ticker::new();
    let moved =
        server::store::moving::run(from, to, |games| ticker.show(|_| format!("{games} games")));
    ticker.end();
    let server::store::moving::Moved { games, known, events, hash } =
        moved.map_err(Failure::user)?;
    let told = format!(
        "{games} games with {events} events are in both, {known} of them already were\nSHA-256 of all: {hash}\n"
    );
    print(told)
}

/// An address to listen on: `host:port`, where the host may be a name, or a port of this machine alone.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port.parse() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let found = text.to_socket_addrs().map(Vec::from_iter).unwrap_or_default();
    // A name may have IPv4 and IPv6 addresses; programs that support only one support IPv4.
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| "expected host:port, as in 127.0.0.1:8000".to_owned())
}

/// A Unix socket, `unix:FILE`, or an address.
fn place(text: &str) -> Result<server::Place, String> {
    match text.strip_prefix("unix:") {
        Some("") => Err("expected a file, as in unix:/run/quadrille/http.sock".to_owned()),
        Some(path) => Ok(server::Place::Unix(path.into())),
        None => address(text).map(server::Place::Tcp),
    }
}

/// A time such as `90d`.
pub fn time(text: &str) -> Result<Duration, String> {
    server::admin::settings::time(text)
}

/// The socket for operators beside a file of games; none for a database, or where its name would be too long.
pub fn admin_socket(data: &Path) -> Option<PathBuf> {
    const MOST: usize = 90;
    let mut name = data.as_os_str().to_owned();
    name.push(".admin");
    (!server::store::is_shared(data) && name.len() <= MOST).then(|| name.into())
}

/// Where NATS is. Passwords in arguments can be read by everybody on the machine, those in the environment
/// cannot.
pub fn nats(named: Option<&str>) -> Option<String> {
    named.map(str::to_owned).or_else(|| std::env::var("QUADRILLE_NATS").ok())
}

/// The file that keeps the games: the named one, a file in the named folder, or one in the usual folder.
pub fn data(named: Option<&Path>) -> Result<PathBuf, Failure> {
    const NAME: &str = "games.db";
    if let Some(path) =
        named.map(Path::to_owned).or_else(|| std::env::var_os("QUADRILLE_DATA").map(Into::into))
    {
        return Ok(if path.is_dir() { path.join(NAME) } else { path });
    }
    usual_folder()
        .map(|folder| folder.join(NAME))
        .ok_or_else(|| Failure::user("no home folder for the games; name a file with --data"))
}

fn started(config: &server::Config, place: &server::Place, open: bool) {
    let url = config.base_url.clone().unwrap_or_else(|| place.to_string());
    // Standard output may be closed.
    let _ = print(format!("Quadrille is at {url}\n"));
    if open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let command =
            Command::new(opener).arg(&url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        if command.is_err() {
            let _ = print(format!("there is no program `{opener}` to open it with\n"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_host_and_a_port_or_a_port_of_this_machine() {
        for text in ["127.0.0.1:8000", "localhost:8000", ":8000", "8000"] {
            assert_eq!(address(text), Ok(([127, 0, 0, 1], 8000).into()), "{text}");
        }
        assert_eq!(address("[::1]:80").unwrap().to_string(), "[::1]:80");
        assert_eq!(address("0.0.0.0:0").unwrap().port(), 0);
        for wrong in ["", ":", "localhost", ":99999", "no such host:80", "http://localhost:8000"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
