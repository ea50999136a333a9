//! Fixed positions searched to a fixed depth: the number of nodes is a checksum of the search.

use crate::control::{Control, Limits, Stop};
use crate::play::Play;
use crate::search::Tuning;
use crate::think::think;
use crate::transposition::TranspositionTable;
use std::time::Duration;

/// The result of searching one game's positions.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// The depth of each search.
    pub depth: u32,
    /// The nodes of all searches.
    pub nodes: u64,
    /// How long they took.
    pub time: Duration,
}

/// Searches the sample positions of a game that are not over, and the positions after a few moves.
pub fn run<G: Play>() -> Count {
    let mut count = Count { depth: G::BENCH_DEPTH, nodes: 0, time: Duration::ZERO };
    let judge = G::Judge::default();
    for (_, text) in G::INFO.samples {
        let Ok(mut pos) = G::from_text(text, &G::Options::default()) else { continue };
        for i in [0, 5, 11, 7] {
            if pos.outcome().is_some() {
                break;
            }
            let limits = Limits { depth: Some(G::BENCH_DEPTH), ..Limits::default() };
            let tt = TranspositionTable::new(8);
            let spend = &Control::new(&limits, &Stop::default());
            let thought = think(&pos, &[], &judge, &tt, Tuning::PLAY, spend, &mut |_| {});
            count.nodes += thought.nodes;
            count.time += thought.time;
            let moves = pos.moves();
            if let Some(m) = moves.get(i * 7 % moves.len().max(1)) {
                pos.play_unchecked(*m);
            }
        }
    }
    count
}
