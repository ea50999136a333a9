//! Measures how much faster several threads reach a depth than one.
//!
//! ```sh
//! cargo run --release -p quadrille-engine --example threads -- [GAME|all] [THREADS] [POSITIONS] [MS]
//! ```
//!
//! Positions come from random games. One thread searches each for about this many milliseconds, which gives the depth.
//! Then each number of threads, in turns, reaches that depth from an empty table. The gain of a position is the time of
//! one thread divided by that of several; `mean` is the geometric mean.

use engine::{Entry, GAMES, Limits, Session, Stop};
use rules::random::Random;
use std::time::{Duration, Instant};

fn main() {
    let mut words = std::env::args().skip(1);
    let game = words.next().unwrap_or_else(|| "all".to_owned());
    let mut number = |otherwise| words.next().map_or(Ok(otherwise), |word| word.parse::<u64>());
    let (Ok(threads), Ok(positions), Ok(ms)) = (number(2), number(12), number(1_500)) else {
        eprintln!("expected a game or `all`, threads, positions and milliseconds");
        std::process::exit(2);
    };
    println!(
        "game        positions   one thread   {threads} threads   gain: mean   least   most   nodes   speed"
    );
    for entry in GAMES.iter().filter(|entry| game == "all" || game == entry.info.id) {
        measure(entry, threads as usize, positions as usize, Duration::from_millis(ms));
    }
}

fn measure(entry: &Entry, threads: usize, positions: usize, time: Duration) {
    let mut random = Random::new(7);
    let (mut times, mut nodes, mut gains) = ([0.0; 2], [0.0; 2], Vec::new());
    while gains.len() < positions {
        let game = opening(entry, &mut random);
        let found = think(entry, game.as_ref(), &Limits::time(time)).0;
        let Some(depth) = found.filter(|depth| *depth > 1) else { continue };
        let took = [1, threads].map(|threads| {
            let limits = Limits { depth: Some(depth), threads, ..Limits::default() };
            // The better of two runs: other load only adds time.
            let once = || think(entry, game.as_ref(), &limits);
            let (one, other) = (once(), once());
            if one.1 < other.1 { one } else { other }
        });
        let looked = took.map(|took| took.2 as f64);
        let took = took.map(|took| took.1.as_secs_f64());
        // Positions that are proven at once say nothing about speed.
        if took[0] < time.as_secs_f64() / 20.0 {
            continue;
        }
        nodes = [nodes[0] + looked[0], nodes[1] + looked[1]];
        times = [times[0] + took[0], times[1] + took[1]];
        gains.push(took[0] / took[1]);
    }
    gains.sort_by(f64::total_cmp);
    let mean = (gains.iter().map(|gain| gain.ln()).sum::<f64>() / gains.len() as f64).exp();
    println!(
        "{:<12}{:>9}{:>11.1} s{:>10.1} s{mean:>13.2}{:>8.2}{:>7.2}{:>8.2}{:>8.2}",
        entry.info.id,
        gains.len(),
        times[0],
        times[1],
        gains[0],
        gains[gains.len() - 1],
        nodes[1] / nodes[0],
        nodes[1] / times[1] / (nodes[0] / times[0])
    );
}

/// A game after a few random turns.
fn opening(entry: &Entry, random: &mut Random) -> Box<dyn Session> {
    let mut game = (entry.start)(&Default::default()).expect("the usual options");
    for _ in 0..4 + random.below(8) {
        let steps = game.steps();
        if game.result().is_some() || steps.is_empty() {
            break;
        }
        let step = steps[random.below(steps.len())].text.clone();
        game.play(&step).expect("a legal step");
    }
    game
}

/// The last depth, unless the search was decided, and how long it took.
fn think(entry: &Entry, game: &dyn Session, limits: &Limits) -> (Option<u32>, Duration, u64) {
    // A small table: the system hands out the pages of a large one in the middle of the search.
    let mut thinker = (entry.thinker)(32);
    let started = Instant::now();
    let found = thinker.think(game, limits, &Stop::default(), &mut |_| {});
    let took = started.elapsed();
    let nodes = found.as_ref().map_or(0, |found| found.nodes);
    let depth = found
        .filter(|found| found.lines.first().is_some_and(|line| line.win_in.is_none()))
        .map(|found| found.depth);
    (depth, took, nodes)
}
