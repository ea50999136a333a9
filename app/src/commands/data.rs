//! `quadrille data`: games of the engine, puzzles and exact results as NumPy arrays or as Parquet.

use crate::cli::GameOptions;
use crate::shell::failure::{Failure, print};
use crate::shell::input;
use crate::shell::interrupt;
use crate::shell::progress::Ticker;
use clap::Args;
use engine::data::{Play, Wanted, write};
use rules::game::counted;
use std::path::PathBuf;

/// Arguments of `data`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille data gekitai -o gekitai.npz
  quadrille data six-making --size 4 --games 1000 --nodes 20000 --puzzles -o six.npz
  quadrille data gekitai --size 4 --markers 2 --games 0 --complete -o small.parquet

For each position of a game: the position itself, the player to move, the turn played, its score, the result of \
the game and a policy over the best turns. A file that ends with .npz is an archive of NumPy arrays \
(`numpy.load`); with .parquet it is a table, and what is added to games goes to files of its own: \
NAME-puzzles.parquet, NAME-exact.parquet. A card with the meaning of each array or column, the seed and the \
version is written next to it, with the ending .md. The same command writes the same file on any machine, with any \
number of threads.")]
pub struct DataArgs {
    /// The game
    pub game: String,
    /// The file to write, ending in .npz or .parquet
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// How many games the engine plays against itself
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub games: u32,
    /// How many random turns each game begins with
    #[arg(long, default_value_t = 4, value_name = "TURNS", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub opening: u32,
    /// How many positions the engine looks at for each turn
    #[arg(long, default_value_t = 2_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// How many of the best turns are kept
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub lines: u32,
    /// The seed of the random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The number of turns after which a game is abandoned
    #[arg(long, default_value_t = 300, value_name = "TURNS")]
    pub max_turns: u32,
    /// How many games are played at once
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: u32,
    /// Add the puzzles that come with the game
    #[arg(long)]
    pub puzzles: bool,
    /// Add every reachable position with its exact result; for small boards
    #[arg(long)]
    pub complete: bool,
    /// How much memory --complete may take
    #[arg(long, default_value_t = 1_024, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub memory: u32,
    /// Add the exact results of a table that `quadrille solve --complete` has written
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Options of the game.
    #[command(flatten)]
    pub options: GameOptions,
}

pub fn run(args: &DataArgs) -> Result<(), Failure> {
    let entry = input::game(&args.game)?;
    let start = input::start(entry, &args.options)?;
    let wanted = Wanted {
        play: Play {
            games: args.games as usize,
            opening: args.opening as usize,
            nodes: args.nodes,
            lines: args.lines as usize,
            seed: args.seed,
            max_turns: args.max_turns as usize,
            threads: args.threads as usize,
        },
        puzzles: args.puzzles,
        complete: args.complete.then_some(args.memory as usize),
        table: args.table.clone(),
    };
    let stop = interrupt::stops()?;
    let mut ticker = Ticker::new();
    let tell = &mut |done| {
        ticker.show(|seconds| format!("{done} of {} games, {seconds:.0} s", args.games));
    };
    let written = write(entry, start.as_ref(), &wanted, &args.output, &stop, tell);
    ticker.end();
    let written = written.map_err(Failure::user)?;
    print(format!(
        "{} of games, {} and {} in {}\n",
        counted(written.positions, "position"),
        counted(written.puzzles, "puzzle"),
        counted(written.exact, "exact result"),
        args.output.display()
    ))
}
