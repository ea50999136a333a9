//! Matches between two nets, from paired random openings: what decides whether a net is better.

use engine::arena::stats::{Elo, Pairs, Wdl};
use engine::control::{Control, Limits, Stop};
use engine::play::Play;
use engine::score::is_proven;
use engine::search::Tuning;
use engine::think::think;
use engine::transposition::TranspositionTable;
use rules::random::Random;
use rules::{Outcome, Player};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Turns of a random opening.
const OPENING: usize = 4;
/// Node limit of the search that discards decided openings.
const DECIDED: u64 = 4_000;
/// Longer games count as draws.
const MOST_MOVES: usize = 300;

pub struct Duel<'a, G: Play> {
    pub judges: [&'a G::Judge; 2],
    pub options: &'a [G::Options],
    pub pairs: usize,
    pub limits: Limits,
    pub threads: usize,
    pub seed: u64,
}

impl<G: Play> Duel<'_, G> {
    /// Plays all games; returns the first net's wins, draws and losses as text.
    pub fn run(&self) -> String {
        let (next, results) = (AtomicUsize::new(0), Mutex::new((Wdl::default(), Pairs::default())));
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(|| {
                    let tables = [(); 2].map(|()| TranspositionTable::new(8));
                    loop {
                        let pair = next.fetch_add(1, Ordering::Relaxed);
                        if pair >= self.pairs {
                            return;
                        }
                        let start = self.opening(pair, &tables[0]);
                        let points = [0, 1].map(|first| self.game(&start, first, &tables));
                        let mut results =
                            results.lock().unwrap_or_else(|broken| broken.into_inner());
                        for points in points {
                            let [losses, draws, wins] = [0, 1, 2].map(|of| u64::from(points == of));
                            results.0 = results.0 + Wdl { wins, draws, losses };
                        }
                        results.1.0[points[0] + points[1]] += 1;
                    }
                });
            }
        });
        let (total, pairs) = *results.lock().unwrap_or_else(|broken| broken.into_inner());
        let elo = Elo::of(total, pairs).map_or(String::new(), |elo| {
            let error = elo.error().map_or(String::new(), |error| format!(" ± {error:.0}"));
            format!(", Elo {:+.0}{error}", elo.value)
        });
        format!("{} won, {} drawn, {} lost{elo}", total.wins, total.draws, total.losses)
    }

    fn opening(&self, pair: usize, tt: &TranspositionTable) -> G {
        let options = &self.options[pair % self.options.len()];
        let mut random = Random::new(self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ pair as u64);
        loop {
            let Some(pos) = random_turns::<G>(options, &mut random) else { continue };
            let control = Control::new(&Limits::nodes(DECIDED), &Stop::default());
            let found = think(&pos, &[], self.judges[0], tt, Tuning::PLAY, &control, &mut |_| {});
            if !is_proven(found.lines[0].score) {
                return pos;
            }
        }
    }

    /// Twice the points of the first net.
    fn game(&self, start: &G, first: usize, tables: &[TranspositionTable; 2]) -> usize {
        let mut pos = start.clone();
        let mut past: Vec<u64> = Vec::new();
        for _ in 0..MOST_MOVES {
            if let Some(outcome) = pos.outcome() {
                let Outcome::Win(winner) = outcome else { return 1 };
                return if side(start, winner) == first { 2 } else { 0 };
            }
            if past.iter().filter(|key| **key == pos.key()).count() >= 2 {
                return 1;
            }
            let which = usize::from(side(start, pos.turn()) != first);
            let control = Control::new(&self.limits, &Stop::default());
            let (judge, tt) = (self.judges[which], &tables[which]);
            let thought = think(&pos, &past, judge, tt, Tuning::PLAY, &control, &mut |_| {});
            past.push(pos.key());
            pos.play_unchecked(thought.lines[0].moves[0]);
        }
        1
    }
}

/// 0 for the player to move at the start of a game.
fn side<G: Play>(start: &G, player: Player) -> usize {
    usize::from(player != start.turn())
}

fn random_turns<G: Play>(options: &G::Options, random: &mut Random) -> Option<G> {
    let mut pos = G::new(options).ok()?;
    for _ in 0..OPENING {
        let player = pos.turn();
        while pos.outcome().is_none() && pos.turn() == player {
            pos.play_unchecked(*random.pick(&pos.moves())?);
        }
    }
    pos.outcome().is_none().then_some(pos)
}
