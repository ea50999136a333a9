//! Measures how many positions a second the search looks at, in seconds of processor time.
//!
//! ```sh
//! cargo run --release -p quadrille-engine --example speed -- [GAME|all] [NODES] [ROUNDS]
//! ```
//!
//! Five positions of one random game, each searched alone to this many nodes from an empty table. The best round
//! counts: other load only adds time.

use engine::{Entry, GAMES, Limits, Session, Stop};
use rules::random::Random;
use std::time::Instant;

fn main() {
    let mut words = std::env::args().skip(1);
    let game = words.next().unwrap_or_else(|| "all".to_owned());
    let mut number = |otherwise| words.next().map_or(Ok(otherwise), |word| word.parse::<u64>());
    let (Ok(nodes), Ok(rounds)) = (number(400_000), number(3)) else {
        eprintln!("expected a game or `all`, nodes and rounds");
        std::process::exit(2);
    };
    for entry in GAMES.iter().filter(|entry| game == "all" || game == entry.info.id) {
        let speed = (0..rounds).map(|_| measure(entry, nodes)).fold(0.0, f64::max);
        println!("{:<12}{speed:>8.3} million nodes a second", entry.info.id);
    }
}

/// Millions of nodes a second.
fn measure(entry: &Entry, nodes: u64) -> f64 {
    let mut random = Random::new(11);
    let mut game = (entry.start)(&Default::default()).expect("the usual options");
    let (mut looked, mut seconds) = (0, 0.0);
    for _ in 0..5 {
        advance(game.as_mut(), &mut random);
        let mut thinker = (entry.thinker)(32);
        let limits = Limits { unaided: true, ..Limits::nodes(nodes) };
        let began = processor_seconds();
        let found = thinker.think(game.as_ref(), &limits, &Stop::default(), &mut |_| {});
        seconds += processor_seconds() - began;
        looked += found.map_or(0, |found| found.nodes);
    }
    looked as f64 / seconds / 1e6
}

/// Plays a random turn that does not end the game.
fn advance(game: &mut dyn Session, random: &mut Random) {
    for _ in 0..20 {
        let steps = game.steps();
        let step = &steps[random.below(steps.len())].text;
        game.play(step).expect("a legal step");
        if game.result().is_none() {
            return;
        }
        game.undo();
    }
}

/// The processor time of this thread where Linux tells it, else the time of day.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()) {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => START.elapsed().as_secs_f64(),
    }
}

static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
