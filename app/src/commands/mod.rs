//! One module for each command of the program: its arguments, and a `run` that reads them, asks the engine,
//! the server or a table, and prints.
//!
//! Commands use `shell` and `output`, and `play` starts `lines` or `tui`; none of these uses a command's `run`.

pub mod admin;
pub mod analyze;
pub mod arena;
pub mod atlas;
pub mod baselines;
pub mod bench;
pub mod bot;
mod completions;
pub mod data;
mod games;
pub mod invite;
pub mod lobby;
mod man;
pub mod perft;
pub mod play;
pub mod puzzles;
mod query;
pub mod render;
pub mod review;
mod rules;
pub mod serve;
mod site;
pub mod solve;
mod train;
mod ugi;
mod verify;
#[cfg(feature = "many")]
mod work;

use crate::cli::Command;
use crate::shell::failure::Failure;
use crate::shell::input;

/// Runs a command. Without one it opens the menu.
pub fn run(command: Option<Command>) -> Result<(), Failure> {
    let Some(command) = command else { return alone() };
    match command {
        Command::Play(args) => play::run(&args),
        Command::Join(args) => play::join(&args),
        Command::Watch(args) => play::watch(&args),
        Command::Invite(args) => invite::run(&args),
        Command::Lobby(args) => lobby::run(&args),
        Command::Bot(args) => bot::run(&args),
        Command::Games { file: Some(file), .. } => games::of_file(&file),
        Command::Games { json, .. } => games::run(json),
        Command::Rules { game, ascii } => rules::run(&game, ascii),
        Command::Render(args) => render::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Query { table } => input::install(table.as_deref()).and_then(|()| query::run()),
        Command::Engine { table } => input::install(table.as_deref()).and_then(|()| ugi::run()),
        Command::Review(args) => review::run(&args),
        Command::Analyze(args) => analyze::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Atlas(args) => atlas::run(&args),
        Command::Puzzles(args) => puzzles::run(&args),
        Command::Verify { file } => verify::run(&file),
        Command::Arena(args) => arena::run(&args),
        Command::Baselines(args) => baselines::run(&args),
        Command::Data(args) => data::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Admin(args) => admin::run(&args),
        #[cfg(feature = "many")]
        Command::Work { nats, threads } => work::run(nats.as_deref(), threads),
        #[cfg(not(feature = "many"))]
        Command::Work { .. } => Err(Failure::user(server::NOT_MANY)),
        Command::MoveGames { from, to } => serve::move_games(&from, &to),
        Command::Site { output } => site::run(&output),
        Command::Bench(args) => bench::run(&args),
        Command::Completions { shell } => completions::run(shell),
        Command::Man { output } => man::run(output.as_deref()),
    }
}

/// The menu, on the screen or in lines of text.
fn alone() -> Result<(), Failure> {
    play::run(&play::PlayArgs::default())
}
