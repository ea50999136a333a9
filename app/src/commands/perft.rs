//! `quadrille perft`: how many ways a game can go.

use crate::cli::GameOptions;
use crate::shell::failure::{Failure, print};
use crate::shell::input;
use crate::shell::interrupt;
use crate::shell::progress::Ticker;
use anyhow::anyhow;
use clap::Args;
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Arguments of `perft`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  quadrille perft gekitai 5
  quadrille perft glaisher 1 --turns        whole turns instead of moves
  quadrille perft jeson-mor 3 --size 7 --divide
The count goes to standard output, time and speed to standard error.")]
pub struct PerftArgs {
    /// The game
    pub game: String,
    /// How many moves, or turns, to look ahead: at most 100, far more than can be counted
    #[arg(value_parser = clap::value_parser!(u32).range(0..=100))]
    pub depth: u32,
    /// A position: JSON, one-line text or Prolog term; the start of the game if nothing is given
    #[arg(long, allow_hyphen_values = true)]
    pub position: Option<String>,
    /// Count whole turns instead of moves
    #[arg(long)]
    pub turns: bool,
    /// Show the count for each first move
    #[arg(long)]
    pub divide: bool,
    /// Options of the game.
    #[command(flatten)]
    pub options: GameOptions,
}

/// How often Ctrl-C and the progress are checked.
const PAUSE: Duration = Duration::from_millis(100);

pub fn run(args: &PerftArgs) -> Result<(), Failure> {
    let entry = input::game(&args.game)?;
    let session = match &args.position {
        Some(text) => input::open(Some(entry), text, &args.options)?,
        None => input::start(entry, &args.options)?,
    };
    let started = Instant::now();
    let first_moves = session.steps().len();
    let stop = interrupt::stops()?;
    let (send, counts) = channel();
    let (depth, whole) = (args.depth, args.turns);
    std::thread::spawn(move || {
        // The receiver is gone when the program ends.
        let mut tell = |text: &str, count| drop(send.send((text.to_owned(), count)));
        if whole || depth < 3 {
            return session.perft(depth, whole, &mut tell);
        }
        // A first move may take long, so the counts below it are reported as well, without a name.
        for step in session.steps() {
            let mut next = session.boxed_clone();
            if next.play(&step.text).is_ok() {
                let mut all = 0;
                next.perft(depth - 1, false, &mut |_, count| {
                    all += count;
                    tell("", count);
                });
                tell(&step.text, all);
            }
        }
    });
    // Each count enters the total once: without a name, or with the move's name if nothing was reported below it.
    let is_detailed = !args.turns && args.depth >= 3;
    let (mut total, mut done) = (u64::from(args.depth == 0), 0);
    let mut ticker = Ticker::new();
    loop {
        match counts.recv_timeout(PAUSE) {
            Ok((text, count)) if text.is_empty() => total += count,
            Ok((text, count)) => {
                total += if is_detailed { 0 } else { count };
                done += 1;
                if args.divide {
                    ticker.end();
                    print(format!("{text} {count}\n"))?;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if stop.is_stopped() {
            ticker.end();
            return Err(Failure::Other(anyhow!(
                "stopped after {done} of {first_moves} first moves, with {total} counted so far"
            )));
        }
        ticker.show(|seconds| {
            format!("{done} of {first_moves} first moves, {total} so far, {seconds:.0} s")
        });
    }
    ticker.end();
    let seconds = started.elapsed().as_secs_f64();
    print(format!("{total}\n"))?;
    let speed = total as f64 / seconds.max(1e-9) / 1e6;
    let _ = writeln!(std::io::stderr(), "{seconds:.3} s, {speed:.1} million leaves per second");
    Ok(())
}
