//! `quadrille serve`: from the command line to the server.

use crate::failure::{Failure, print};
use crate::progress::Ticker;
use crate::saves::usual_folder;
use clap::{Args, ValueEnum};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Arguments of `serve`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille serve --open                                    play in the browser
  quadrille serve --listen 0.0.0.0:8000 --data games.db     for the local network
  quadrille serve --base-url https://play.example.org       behind a proxy that speaks TLS
The interface for programs is described in docs/http.md, running a server for others in docs/hosting.md.")]
pub struct ServeArgs {
    /// The address to listen on, or only a port; with port 0, a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000", value_parser = address)]
    pub listen: SocketAddr,
    /// The file that keeps the games, or its folder; by default in the user's data folder. Or a database that
    /// several servers share: postgres://user:password@host/name. Or else $QUADRILLE_DATA
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Where servers that share a database tell each other what is new: nats://host:port, separated by commas.
    /// Or else $QUADRILLE_NATS
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// The public address, if the server is behind a proxy
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// A proxy on another machine whose X-Forwarded-For is believed, as that of proxies on this one is
    #[arg(long = "proxy", value_name = "ADDRESS", value_delimiter = ',', requires = "base_url")]
    pub proxies: Vec<IpAddr>,
    /// Open the browser
    #[arg(long)]
    pub open: bool,
    /// Show metrics for Prometheus on this address
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub metrics: Option<SocketAddr>,
    /// How many games one address may create in a minute
    #[arg(long, value_name = "COUNT", default_value_t = server::limits::USUAL_NEW_GAMES, value_parser = clap::value_parser!(u32).range(1..))]
    pub new_games: u32,
    /// What one address may ask for in a second: a request costs 1, a command 5
    #[arg(long, value_name = "COUNT", default_value_t = server::limits::USUAL_ALLOWANCE, value_parser = clap::value_parser!(u32).range(10..))]
    pub allowance: u32,
    /// How many connections one address may have
    #[arg(long, value_name = "COUNT", default_value_t = server::limits::USUAL_CONNECTIONS)]
    pub connections: usize,
    /// The format of the log on standard error
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub log: LogFormat,
    /// What is logged; info includes every request
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = LogLevel::Warn)]
    pub log_level: LogLevel,
    /// Read the pages from this folder
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub web: Option<PathBuf>,
}

/// The format of the log.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

/// What is logged.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum LogLevel {
    /// Failures only
    Error,
    /// What may need attention
    Warn,
    /// Every request
    Info,
}

/// What the arguments say about the server.
fn config(args: &ServeArgs) -> Result<server::Config, Failure> {
    Ok(server::Config {
        listen: args.listen,
        data: data(args)?,
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

/// A server without a log, in this process; tells where it is.
#[cfg(test)]
pub fn serve_quietly(args: &ServeArgs, ready: impl FnOnce(SocketAddr)) -> Result<(), Failure> {
    server::run(&config(args)?, ready).map_err(Failure::user)
}

pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    let config = config(args)?;
    let format = match args.log {
        LogFormat::Text => server::log::Format::Text,
        LogFormat::Json => server::log::Format::Json,
    };
    let level = match args.log_level {
        LogLevel::Error => server::log::Level::ERROR,
        LogLevel::Warn => server::log::Level::WARN,
        LogLevel::Info => server::log::Level::INFO,
    };
    server::log::init(format, level);
    let open = args.open;
    server::run(&config, |address| started(&config, address, open)).map_err(Failure::user)
}

/// `quadrille move-games`.
pub fn move_games(from: &Path, to: &Path) -> Result<(), Failure> {
    let mut ticker = Ticker::new();
    let moved = server::moving::run(from, to, |games| ticker.show(|_| format!("{games} games")));
    ticker.end();
    let server::moving::Moved { games, known, events, hash } = moved.map_err(Failure::user)?;
    let told = format!(
        "{games} games with {events} events are in both, {known} of them were before\nSHA-256 of all: {hash}\n"
    );
    print(told.as_bytes())
}

/// An address to listen on: `host:port`, where the host may be a name, or a port of this machine alone.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    if let Ok(port) = port.parse() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let found = text.to_socket_addrs().map(Vec::from_iter).unwrap_or_default();
    // A name may have addresses of both kinds; programs that know one know the older.
    let first = found.iter().find(|address| address.is_ipv4()).or(found.first());
    first.copied().ok_or_else(|| "expected host:port, as in 127.0.0.1:8000".to_owned())
}

/// Where NATS is. Passwords in arguments can be read by everybody on the machine, those in the environment
/// cannot.
pub fn nats(named: Option<&str>) -> Option<String> {
    named.map(str::to_owned).or_else(|| std::env::var("QUADRILLE_NATS").ok())
}

/// The file that keeps the games: the named one, a file in the named folder, or one in the usual folder.
fn data(args: &ServeArgs) -> Result<PathBuf, Failure> {
    const NAME: &str = "games.db";
    if let Some(path) =
        args.data.clone().or_else(|| std::env::var_os("QUADRILLE_DATA").map(Into::into))
    {
        return Ok(if path.is_dir() { path.join(NAME) } else { path });
    }
    usual_folder()
        .map(|folder| folder.join(NAME))
        .ok_or_else(|| Failure::user("no home folder for the games; name a file with --data"))
}

fn started(config: &server::Config, address: SocketAddr, open: bool) {
    let url = config.base_url.clone().unwrap_or_else(|| format!("http://{address}/"));
    // Nobody needs to read it.
    let _ = print(format!("Quadrille is at {url}\n").as_bytes());
    if open {
        let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        let command =
            Command::new(opener).arg(&url).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        if command.is_err() {
            let _ = print(format!("no program `{opener}` to open it with\n").as_bytes());
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
