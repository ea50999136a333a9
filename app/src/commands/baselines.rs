//! `quadrille baselines`: the strength of the opponents that play the same on every machine.

use crate::shell::failure::{Failure, write};
use crate::shell::input;
use crate::shell::interrupt;
use crate::shell::progress::Ticker;
use clap::Args;
use engine::arena::Plan;
use engine::arena::ratings::{Pairing, fit, pairings, pinned, play};
use engine::{Entry, GAMES, Stop};
use std::path::PathBuf;

/// Arguments of `baselines`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille baselines gekitai --games 20
  quadrille baselines --games 100 --concurrency 8 -o baselines.md

Each of the players meets some of the others; ratings are fitted to all games (Bradley and Terry). Random play is \
rated 0. These players look at a fixed number of positions, so a table can be reproduced on any machine.")]
pub struct BaselinesArgs {
    /// The games; all of them if none is named
    pub games: Vec<String>,
    /// How many games each pair of players plays
    #[arg(long = "games", id = "count", default_value_t = 40, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub count: u32,
    /// How many random turns each game begins with
    #[arg(long, default_value_t = 4, value_name = "TURNS", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub openings: u32,
    /// The seed of the random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many games are played at once
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub concurrency: u32,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

pub fn run(args: &BaselinesArgs) -> Result<(), Failure> {
    let named = args.games.iter().map(|id| input::game(id)).collect::<Result<Vec<_>, _>>()?;
    let entries = if named.is_empty() { GAMES.iter().collect() } else { named };
    let stop = interrupt::stops()?;
    let mut text = format!(
        "Version {}, {} games a pair after {} random turns, seed {}.\n",
        env!("CARGO_PKG_VERSION"),
        args.count,
        args.openings,
        args.seed
    );
    for entry in entries {
        text += &table(entry, args, &stop)?;
    }
    write(args.output.as_deref(), text)
}

fn table(entry: &'static Entry, args: &BaselinesArgs, stop: &Stop) -> Result<String, Failure> {
    let start = (entry.start)(&Default::default()).map_err(Failure::user)?;
    let players = pinned(start.as_ref());
    let (pairs, mut ticker, mut done) = (pairings(&players), Ticker::new(), 0);
    let all = pairs.len() * args.count as usize;
    let mut matches = Vec::new();
    for (one, two) in pairs {
        let plan = Plan {
            games: args.count as usize,
            opening: args.openings as usize,
            seed: args.seed,
            max_turns: 300,
            concurrency: args.concurrency as usize,
        };
        let tell = &mut || {
            done += 1;
            let name = entry.info.name;
            ticker.show(|seconds| format!("{name}: {done} of {all} games, {seconds:.0} s"));
        };
        let both = [&players[one], &players[two]];
        let games = play((entry, start.as_ref()), both, plan, stop, tell).map_err(Failure::user)?;
        let games = games.ok_or_else(|| Failure::user("it was stopped before the end"))?;
        matches.push(Pairing { one, two, games });
    }
    ticker.end();
    let mut rows: Vec<_> = players.iter().zip(fit(players.len(), &matches)).collect();
    rows.sort_by(|(_, one), (_, two)| two.elo.total_cmp(&one.elo));
    let mut text = format!("\n## {}\n\n| player | Elo | ± |\n|---|---|---|\n", entry.info.name);
    for (who, rating) in rows {
        text += &format!("| `{who}` | {:.0} | {:.0} |\n", rating.elo, rating.error);
    }
    Ok(text)
}
