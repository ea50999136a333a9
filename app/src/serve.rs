//! `quadrille serve`: from the command line to the server.

use crate::cli::{LogFormat, LogLevel, ServeArgs};
use crate::failure::{Failure, print};
use crate::saves::usual_folder;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    let config = server::Config {
        listen: args.listen,
        data: data(args)?,
        base_url: args.base_url.clone(),
        web: args.web.clone(),
        metrics: args.metrics,
        new_games: args.new_games,
        allowance: args.allowance,
        connections: args.connections,
    };
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

/// The file that keeps the games: the named one, a file in the named folder, or one in the usual folder.
fn data(args: &ServeArgs) -> Result<PathBuf, Failure> {
    const NAME: &str = "games.db";
    if let Some(path) = &args.data {
        return Ok(if path.is_dir() { path.join(NAME) } else { path.clone() });
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
