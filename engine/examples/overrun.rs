//! Measures by how much the engine exceeds its time budget in games against itself.
//!
//! ```sh
//! cargo run --release -p quadrille-engine --example overrun -- [GAME|all] [TRIES] [TRIES BY CLOCK]
//! ```
//!
//! Each row is a game and a budget: a fixed time for a turn, or a clock with 100 ms left and an increment of 1,000 ms.
//! `wall` is what the turn took beyond its budget; `own` excludes the time that the thread was ready but waited for a
//! processor, which Linux counts. A flag falls when a turn takes as long as the clock has left.

use engine::{Entry, GAMES, Limits, Session, Stop};
use rules::random::Random;
use std::time::{Duration, Instant};

const LEFT: Duration = Duration::from_millis(100);
const INCREMENT: Duration = Duration::from_millis(1_000);
const LONGEST_GAME: usize = 120;

fn main() {
    let mut words = std::env::args().skip(1);
    let game = words.next().unwrap_or_else(|| "all".to_owned());
    let mut number = |otherwise| words.next().map_or(Ok(otherwise), |word| word.parse::<usize>());
    let (Ok(tries), Ok(by_clock)) = (number(100), number(1_000)) else {
        eprintln!("expected a game or `all`, and two numbers of tries");
        std::process::exit(2);
    };
    println!("game        budget      tries   wall mean   worst    own mean   worst   flags");
    for entry in GAMES.iter().filter(|entry| game == "all" || game == entry.info.id) {
        for ms in [10, 100, 1_000] {
            let limits = Limits::time(Duration::from_millis(ms));
            // A long budget gets fewer tries, but enough to see the odd one.
            measure(
                entry,
                &format!("{ms} ms"),
                &limits,
                tries.div_ceil(if ms > 100 { 4 } else { 1 }),
            );
        }
        measure(entry, "clock", &Limits::clock(LEFT, INCREMENT), by_clock);
    }
}

/// Overruns in milliseconds.
#[derive(Default)]
struct Overrun {
    sum: f64,
    worst: f64,
}

impl Overrun {
    fn add(&mut self, ms: f64) {
        self.sum += ms.max(0.0);
        self.worst = self.worst.max(ms);
    }
}

fn measure(entry: &Entry, name: &str, limits: &Limits, tries: usize) {
    let budget = limits.time.unwrap_or_default();
    let (mut wall, mut own, mut flags) = (Overrun::default(), Overrun::default(), 0);
    let mut thinker = (entry.thinker)(64);
    let mut random = Random::new(1);
    let mut game = opening(entry, &mut random);
    for _ in 0..tries {
        if game.result().is_some() || game.turns_played() >= LONGEST_GAME {
            thinker.forget();
            game = opening(entry, &mut random);
        }
        let (waited, started) = (waited(), Instant::now());
        let turn = thinker.turn(game.as_ref(), limits, &Stop::default());
        let took = started.elapsed();
        let over = took.as_secs_f64() * 1e3 - budget.as_secs_f64() * 1e3;
        wall.add(over);
        own.add(over - (self::waited() - waited).as_secs_f64() * 1e3);
        flags += usize::from(took >= LEFT);
        let played = turn.map(|turn| game.play(&turn));
        assert!(matches!(played, Some(Ok(()))), "{}: {played:?}", game.text());
    }
    let flags = if name == "clock" { flags.to_string() } else { "-".to_owned() };
    println!(
        "{:<11} {name:<9} {tries:>7} {:>8.2} ms {:>7.2} {:>8.2} ms {:>7.2} {flags:>7}",
        entry.info.id,
        wall.sum / tries as f64,
        wall.worst,
        own.sum / tries as f64,
        own.worst,
    );
}

/// A game that begins with a few random turns.
fn opening(entry: &Entry, random: &mut Random) -> Box<dyn Session> {
    loop {
        let Ok(mut game) = (entry.start)(&Default::default()) else {
            unreachable!("every game starts without options")
        };
        for _ in 0..random.below(6) {
            let turn = random.pick(&game.turns()).cloned();
            turn.and_then(|turn| game.play(&turn).ok());
        }
        if game.result().is_none() {
            return game;
        }
    }
}

/// How long this thread has been ready without a processor; zero if the system does not tell.
fn waited() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().nth(1).and_then(|word| word.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}
