//! The arguments of `quadrille arena`.

use crate::cli::GameOptions;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `arena`.
#[derive(Args, Debug)]
#[command(
    after_help = "Players, each in quotes, with LIMIT one or more of time=MS, nodes=N and depth=N for a turn:
  engine LIMIT [hash=MIB] [threads=N] [judgement=hand]   our engine
  level:N                                      our engine at a level, 1 to 10; 10 needs a LIMIT
  random                                       any legal turn
  beginner                                     sees wins and threats one turn ahead, else plays anything
  seed:NAME                                    a player of the original program
  ugi:COMMAND… LIMIT [option.NAME=VALUE]…      a program that speaks UGI
  uci:COMMAND… LIMIT [option.NAME=VALUE]…      a program that speaks UCI
and name=NAME with any of them. With clock=MS+MS in place of LIMIT our engine has that time for a whole game, and each \
turn adds the second number.

Examples:
  quadrille arena gekitai 'engine nodes=2000' random --games 20
  quadrille arena six-making --size 4 'engine time=100' 'engine time=50' --out match.txt
  quadrille arena six-making --size 4 'engine time=100' 'engine time=50' --out match.txt --resume
  quadrille arena glaisher 'engine time=90' 'ugi:./old engine time=90' --games 5000 --sprt 0 10
  quadrille arena jeson-mor 'engine time=50' 'uci:fairy-stockfish time=50'
  quadrille arena glaisher 'engine nodes=3000' level:9 --nats nats://hub --concurrency 64

The table goes to standard output, progress to standard error. More is in docs/arena.md."
)]
pub struct ArenaArgs {
    /// The game
    pub game: String,
    /// Player A
    pub a: String,
    /// Player B
    pub b: String,
    /// How many games
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub games: u32,
    /// How many random turns come before the players' own; both games of a pair have the same ones
    #[arg(long, default_value_t = 4, value_name = "TURNS", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub openings: u32,
    /// The seed of the random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many games are played at once
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub concurrency: u32,
    /// The number of turns after which a game is a draw
    #[arg(long, default_value_t = 300, value_name = "TURNS")]
    pub max_turns: u32,
    /// How much longer than its time a program may take to answer
    #[arg(long, default_value_t = 1000, value_name = "MS")]
    pub margin: u32,
    /// Append the record of every game to this file as soon as it ends
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Count the games that are already in the file, and play the missing ones
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// Stop as soon as one of two differences in strength is clearly more likely
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true)]
    pub sprt: Option<Vec<f64>>,
    /// Let workers play the games: `quadrille work` with the same address
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// Options of the game.
    #[command(flatten)]
    pub options: GameOptions,
}
