//! The command line of Quadrille.

mod cli;
mod commands;
mod config;
mod lines;
mod online;
mod output;
mod saves;
mod shell;
mod sitting;
mod tui;

use clap::Parser;
use cli::Cli;
use shell::failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let result = Cli::try_parse().map_err(Failure::from).and_then(|cli| commands::run(cli.command));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
