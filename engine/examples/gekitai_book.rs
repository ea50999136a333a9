//! Proves that the first player wins Gekitai and writes the strategy that the engine ships:
//! `cargo run --release -p quadrille-engine --example gekitai_book > engine/src/play/gekitai.book`

use engine::control::{Control, Limits, Stop};
use engine::play::gekitai::{Judge, write_book};
use engine::solve::proof::{Prover, Table};
use engine::solve::strategy::extract;
use rules::gekitai::{Both, Gekitai, Options};
use rules::{Game, Player};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options { both: Both::Draw, ..Options::default() };
    let start = Gekitai::new(&options)?;
    let control = Control::new(&Limits::default(), &Stop::default());
    let mut table = Table::new(512);
    let mut prover = Prover::new(&Judge, &mut table, &control, Player::One, &[]);
    let first = prover.winning_move(&start).ok_or("no proof was found")?;
    eprintln!("{first} wins: {} positions in {:.1?}", control.nodes(), control.elapsed());
    let strategy = extract(&mut prover, &start).ok_or("the proof is not complete")?;
    eprintln!("{} positions to remember", strategy.len());
    let entries = strategy.values().map(|advice| (&advice.pos, advice.m, advice.rank));
    std::io::stdout().write_all(&write_book(entries))?;
    Ok(())
}
