//! The command line of Quadrille.

mod analyze;
mod arena;
mod bench;
mod cli;
mod columns;
mod completions;
mod dialect;
mod failure;
mod games;
mod inline;
mod input;
mod interrupt;
mod lines;
mod online;
mod pages;
mod perft;
mod picture;
mod play;
mod progress;
mod puzzles;
mod query;
mod render;
mod saves;
mod serve;
mod similar;
mod site;
mod solve;
mod table;
mod tui;
mod ugi;
mod verify;
#[cfg(feature = "many")]
mod work;

use clap::{CommandFactory, FromArgMatches};
use cli::{Cli, Command};
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = match Cli::command().try_get_matches() {
        Ok(matches) => match Cli::from_arg_matches(&matches) {
            Ok(cli) => run(cli),
            Err(error) => Err(Failure::from(error)),
        },
        Err(error) => Err(Failure::from(error)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    let Some(command) = cli.command else { return alone() };
    match command {
        Command::Play(args) => play::run(&args),
        Command::Join(args) => play::online(&args, true),
        Command::Watch(args) => play::online(&args, false),
        Command::Games { file: Some(file), .. } => games::of_file(&file),
        Command::Games { json, .. } => games::run(json),
        Command::Rules { game, ascii } => pages::run(&game, ascii),
        Command::Render(args) => render::run(&args),
        Command::Perft(args) => perft::run(&args),
        Command::Query { table } => input::install(table.as_deref()).and_then(|()| query::run()),
        Command::Engine { table } => input::install(table.as_deref()).and_then(|()| ugi::run()),
        Command::Analyze(args) => analyze::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Puzzles(args) => puzzles::run(&args),
        Command::Verify { file } => verify::run(&file),
        Command::Arena(args) => arena::run(&args),
        Command::Serve(args) => serve::run(&args),
        #[cfg(feature = "many")]
        Command::Work { nats, threads } => work::run(nats.as_deref(), threads),
        #[cfg(not(feature = "many"))]
        Command::Work { .. } => Err(Failure::user(server::NOT_MANY)),
        Command::MoveGames { from, to } => serve::move_games(&from, &to),
        Command::Site { output } => site::run(&output),
        Command::Bench(args) => bench::run(&args),
        Command::Completions { shell } => completions::run(shell),
    }
}

/// Without a command: the menu, or the help if there is no terminal.
fn alone() -> Result<(), Failure> {
    match play::has_terminal() {
        true => play::run(&play::PlayArgs::default()),
        false => failure::print(Cli::command().render_help().to_string().as_bytes()),
    }
}
