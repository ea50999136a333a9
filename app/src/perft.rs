//! `quadrille perft`: how many ways a game can go.

use crate::cli::PerftArgs;
use crate::failure::{Failure, print};
use crate::input;
use std::io::{IsTerminal, Write};
use std::time::Instant;

pub fn run(args: &PerftArgs) -> Result<(), Failure> {
    let entry = input::game(&args.game)?;
    let session = match &args.position {
        Some(text) => input::open(Some(entry), text, &args.options)?,
        None => input::start(entry, &args.options)?,
    };
    let started = Instant::now();
    let first_moves = session.steps().len();
    let (mut total, mut done) = (u64::from(args.depth == 0), 0);
    let mut failed = Ok(());
    let progress = std::io::stderr().is_terminal() && !args.divide;
    session.perft(args.depth, args.turns, &mut |text, count| {
        total += count;
        done += 1;
        if args.divide && failed.is_ok() {
            failed = print(format!("{text} {count}\n").as_bytes());
        } else if progress {
            let _ = write!(std::io::stderr(), "\r{done} of {first_moves} first moves, {total} …");
        }
    });
    failed?;
    if progress {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    let seconds = started.elapsed().as_secs_f64();
    print(format!("{total}\n").as_bytes())?;
    let speed = total as f64 / seconds.max(1e-9) / 1e6;
    let _ = writeln!(std::io::stderr(), "{seconds:.3} s, {speed:.1} million leaves per second");
    Ok(())
}
