//! `quadrille bench`: the speed of the search and of random games.

use crate::cli::{Bench, BenchArgs, GameOptions};
use crate::failure::{Failure, print};
use crate::input;
use crate::progress::Ticker;
use engine::{Entry, GAMES};
use std::time::{Duration, Instant};

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    match &args.what {
        None => search(),
        Some(Bench::Playouts { game, seconds, seed, options }) => {
            all_playouts(game.as_deref(), *seconds, *seed, options)
        }
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
        print(format!("{id:<12} {depth:>5} {nodes:>10}   {speed:>15.2}\n").as_bytes())?;
    }
    print(format!("Bench: {total}\n").as_bytes())
}

fn all_playouts(
    game: Option<&str>,
    seconds: f64,
    seed: u64,
    options: &GameOptions,
) -> Result<(), Failure> {
    if !(0.01..=3600.0).contains(&seconds) {
        return Err(Failure::user(format!("--seconds must be 0.01 to 3600, got {seconds}")));
    }
    let entries: Vec<&Entry> = match game {
        Some(game) => vec![input::game(game)?],
        None => GAMES.iter().collect(),
    };
    print(b"game         games/s  moves/game  million moves/s  wins of player 1\n")?;
    for entry in entries {
        let mut ticker = Ticker::new();
        ticker.show(|_| format!("{}: random games for {seconds} s", entry.info.name));
        let row = playouts(entry, options, seconds, seed)?;
        ticker.end();
        print(row.as_bytes())?;
    }
    Ok(())
}

fn playouts(
    entry: &Entry,
    options: &GameOptions,
    seconds: f64,
    seed: u64,
) -> Result<String, Failure> {
    let session = input::start(entry, options)?;
    let started = Instant::now();
    let (mut games, mut moves, mut wins) = (0, 0, 0);
    while started.elapsed() < Duration::from_secs_f64(seconds) {
        let count = session.playouts(256, seed.wrapping_add(games));
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
