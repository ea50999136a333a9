//! The server of Quadrille: games that people and programs play over HTTP, and the pages that show them.
//!
//! What it offers is described in `docs/http.md`.

pub mod error;
pub mod pages;
pub mod position;

use axum::Router;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What the person who starts a server decides.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The file that keeps the games.
    pub data: PathBuf,
    /// The address that people see, behind a proxy.
    pub base_url: Option<String>,
    /// A folder with the pages, instead of those in the program.
    pub web: Option<PathBuf>,
    /// Where to show metrics.
    pub metrics: Option<SocketAddr>,
    /// How many games an address may make in a minute.
    pub new_games: u32,
}

/// Why a server cannot start, in one line for the person who started it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StartError(pub String);

/// Everything that is answered.
pub fn router(config: &Config) -> Router {
    Router::new().merge(pages::router(config.web.clone()))
}

/// Serves until the process is told to stop; `ready` learns the address.
pub fn run(config: &Config, ready: impl FnOnce(SocketAddr)) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartError(format!("no threads: {error}")))?;
    runtime.block_on(serve(config, ready))
}

async fn serve(config: &Config, ready: impl FnOnce(SocketAddr)) -> Result<(), StartError> {
    let failed = |error| StartError(format!("cannot listen on {}: {error}", config.listen));
    let listener = tokio::net::TcpListener::bind(config.listen).await.map_err(failed)?;
    ready(listener.local_addr().map_err(failed)?);
    axum::serve(listener, router(config)).await.map_err(failed)
}
