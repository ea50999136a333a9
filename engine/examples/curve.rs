//! Measures what a score is worth: the share of games that were won from positions with that score.
//!
//! ```sh
//! cargo run --release -p quadrille-engine --example curve -- [GAME|all] [GAMES] [NODES]
//! ```
//!
//! The engine plays itself from random openings. Each row is a range of the evaluation bar, with the number of
//! positions in it and the share of their games that the player to move won. Below it stands the score that best fits
//! 73 wins in 100 games: `Play::LOG_ODDS`.

use engine::score::is_proven;
use engine::{Entry, GAMES, Limits, Stop};
use rules::Outcome;
use rules::random::Random;

const LONGEST_GAME: usize = 120;
const RANDOM_TURNS: usize = 6;
const ROWS: usize = 10;

fn main() {
    let mut words = std::env::args().skip(1);
    let game = words.next().unwrap_or_else(|| "all".to_owned());
    let mut number = |otherwise| words.next().map_or(Ok(otherwise), |word| word.parse::<u64>());
    let (Ok(games), Ok(nodes)) = (number(200), number(5_000)) else {
        eprintln!("expected a game or `all`, a number of games and a number of positions");
        std::process::exit(2);
    };
    for entry in GAMES.iter().filter(|entry| game == "all" || game == entry.info.id) {
        show(entry, &samples(entry, games, nodes));
    }
}

/// The engine's score of each position, and the points that its player to move scored in the game.
fn samples(entry: &Entry, games: u64, nodes: u64) -> Vec<(i32, f64)> {
    let mut thinker = (entry.thinker)(16);
    let mut samples = Vec::new();
    for seed in 0..games {
        let Ok(mut game) = (entry.start)(&Default::default()) else { continue };
        let mut random = Random::new(seed);
        let mut said = Vec::new();
        thinker.forget();
        while game.result().is_none() && game.turns_played() < LONGEST_GAME {
            let turn = if game.turns_played() < RANDOM_TURNS {
                random.pick(&game.turns()).cloned()
            } else {
                let found = thinker.think(
                    game.as_ref(),
                    &Limits::nodes(nodes),
                    &Stop::default(),
                    &mut |_| {},
                );
                found.and_then(|found| found.lines.into_iter().next()).and_then(|line| {
                    said.push((game.turn(), line.score));
                    line.turns.into_iter().next()
                })
            };
            if turn.is_none_or(|turn| game.play(&turn).is_err()) {
                break;
            }
        }
        let won = |player| match game.result() {
            Some(Outcome::Win(winner)) => f64::from(u8::from(winner == player)),
            _ => 0.5,
        };
        let estimates = said.into_iter().filter(|(_, score)| !is_proven(*score));
        samples.extend(estimates.map(|(player, score)| (score, won(player))));
    }
    samples
}

fn show(entry: &Entry, samples: &[(i32, f64)]) {
    println!("{}: {} positions", entry.info.id, samples.len());
    println!("  the bar says    positions    won");
    for row in 0..ROWS {
        let inside = |(score, _): &&(i32, f64)| {
            ((entry.bar)(*score) * ROWS as f64).min(ROWS as f64 - 1.0) as usize == row
        };
        let won: Vec<f64> = samples.iter().filter(inside).map(|(_, won)| *won).collect();
        let part = 100.0 * won.iter().sum::<f64>() / won.len().max(1) as f64;
        println!("  {:>2} to {:>3} %  {:>11}  {:>3.0} %", row * 10, row * 10 + 10, won.len(), part);
    }
    let loss = |unit: f64| -> f64 {
        let loss = |(score, won): &(i32, f64)| {
            let chance = 1.0 / (1.0 + (-f64::from(*score) / unit).exp());
            -won * chance.max(1e-9).ln() - (1.0 - won) * (1.0 - chance).max(1e-9).ln()
        };
        samples.iter().map(loss).sum()
    };
    let best = (10..600).map(f64::from).min_by(|a, b| loss(*a).total_cmp(&loss(*b)));
    println!("  fits best: {}\n", best.unwrap_or_default());
}
