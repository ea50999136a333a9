//! `quadrille bench`: the speed of the search and of random games.

use crate::cli::GameOptions;
use crate::shell::failure::{Failure, print};
use crate::shell::input;
use crate::shell::progress::Ticker;
use clap::{Args, Subcommand};
use engine::{Entry, GAMES};
use std::time::{Duration, Instant};

/// Arguments of `bench`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille bench                          search fixed positions; the nodes are a checksum
  quadrille bench playouts --seconds 5     random games per second")]
pub struct BenchArgs {
    /// What to measure; the search if nothing is given.
    #[command(subcommand)]
    pub what: Option<Bench>,
}

/// What can be measured.
#[derive(Subcommand, Debug)]
pub enum Bench {
    /// Random games per second on one core
    Playouts(PlayoutArgs),
}

/// Arguments of `bench playouts`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille bench playouts
  quadrille bench playouts six-making --size 4 --seconds 5")]
pub struct PlayoutArgs {
    /// The game; all of them if nothing is given
    game: Option<String>,
    /// How long to measure each game
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// The seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Options of the game.
    #[command(flatten)]
    options: GameOptions,
}

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    match &args.what {
        None => search(),
        Some(Bench::Playouts(args)) => all_playouts(args),
    }
}

fn search() -> Result<(), Failure> {
    print(b"game         depth      nodes   million nodes/s\n")?;
    let mut total = 0;
    for entry in GAMES {
        let mut ticker = Ticker::new();
        ticker.show(|_| format!("searching positions of {}", entry.info.name));
        let count = (entry.bench)();
        ticker.end();
        total += count.nodes;
        let speed = count.nodes as f64 / count.time.as_secs_f64().max(1e-9) / 1e6;
        let (id, depth, nodes) = (entry.info.id, count.depth, count.nodes);
        print(format!("{id:<12} {depth:>5} {nodes:>10}   {speed:>15.2}\n"))?;
    }
    print(format!("Bench: {total}\n"))
}

fn all_playouts(args: &PlayoutArgs) -> Result<(), Failure> {
    let seconds = args.seconds;
    if !(0.01..=3600.0).contains(&seconds) {
        return Err(Failure::user(format!("--seconds must be 0.01 to 3600, got {seconds}")));
    }
    let entries: Vec<&Entry> = match &args.game {
        Some(game) => vec![input::game(game)?],
        None => GAMES.iter().collect(),
    };
    print(b"game         games/s  moves/game  million moves/s  wins of player 1\n")?;
    for entry in entries {
        let mut ticker = Ticker::new();
        ticker.show(|_| format!("{}: random games for {seconds} s", entry.info.name));
        let row = playouts(entry, args)?;
        ticker.end();
        print(row)?;
    }
    Ok(())
}

fn playouts(entry: &Entry, args: &PlayoutArgs) -> Result<String, Failure> {
    let session = input::start(entry, &args.options)?;
    let started = Instant::now();
    let (mut games, mut moves, mut wins) = (0, 0, 0);
    while started.elapsed() < Duration::from_secs_f64(args.seconds) {
        let count = session.playouts(256, args.seed.wrapping_add(games));
        games += count.games;
        moves += count.moves;
        wins += count.wins[0];
    }
    let elapsed = started.elapsed().as_secs_f64();
    let (games, moves, wins) = (games as f64, moves as f64, wins as f64);
    Ok(format!(
        "{:<12} {:>7.0}  {:>10.1}  {:>15.2}  {:>15.1}%\n",
        entry.info.id,
        games / elapsed,
        moves / games,
        moves / elapsed / 1e6,
        100.0 * wins / games,
    ))
}
