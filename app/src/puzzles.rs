//! `quadrille puzzles`: positions with a single winning turn, from games of the engine.

use crate::cli::PuzzlesArgs;
use crate::failure::{Failure, print};
use crate::input;
use crate::interrupt;
use crate::progress::Ticker;
use engine::puzzles::Collect;

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
    match &args.output {
        None => print(text.as_bytes()),
        Some(file) => std::fs::write(file, text)
            .map_err(|error| Failure::user(format!("cannot write {}: {error}", file.display()))),
    }
}
