//! `quadrille puzzles`: positions with a single winning turn, from games of the engine.

use crate::cli::GameOptions;
use crate::shell::failure::{Failure, write};
use crate::shell::input;
use crate::shell::interrupt;
use crate::shell::progress::Ticker;
use clap::Args;
use engine::puzzles::Collect;
use std::path::PathBuf;

/// Arguments of `puzzles`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille puzzles gekitai --count 10
  quadrille puzzles jeson-mor --size 7 --seed 5 -o puzzles.txt
  quadrille puzzles gekitai --rate puzzles.txt -o sorted.txt
The puzzles are records, from easy to hard. Only the solution wins within the number of turns \
in the tag Only.")]
pub struct PuzzlesArgs {
    /// The game
    pub game: String,
    /// Rate the puzzles of a file again with the current engine instead, and sort them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "games", "seed"])]
    pub rate: Option<PathBuf>,
    /// How many to collect
    #[arg(long, default_value_t = 10)]
    pub count: usize,
    /// How many games to play at most
    #[arg(long, default_value_t = 1_000)]
    pub games: u64,
    /// The seed of the random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Options of the game.
    #[command(flatten)]
    pub options: GameOptions,
}

pub fn run(args: &PuzzlesArgs) -> Result<(), Failure> {
    let entry = input::game(&args.game)?;
    input::check_options(entry, &args.options)?;
    let wanted = Collect { count: args.count, seed: args.seed, games: args.games };
    let mut ticker = Ticker::new();
    let puzzles = match &args.rate {
        Some(file) => {
            let none = || Failure::user(format!("{} holds no puzzles", file.display()));
            let known = input::puzzles(file)?.ok_or_else(none)?;
            let of = known.len();
            (entry.rate)(known, &mut |done| {
                ticker.show(|seconds| format!("{done} of {of} puzzles, {seconds:.0} s"));
            })
        }
        None => {
            let stop = interrupt::stops()?;
            let tell = &mut |games, found| {
                ticker
                    .show(|seconds| format!("{found} puzzles from {games} games, {seconds:.0} s"));
            };
            (entry.puzzles)(&args.options.0, &wanted, &stop, tell)
                .map_err(|error| error.to_string())
        }
    };
    ticker.end();
    let puzzles = puzzles.map_err(Failure::user)?;
    let records: Vec<_> = puzzles.into_iter().map(|puzzle| puzzle.record).collect();
    let text = records.join("\n");
    write(args.output.as_deref(), text)
}
