//! A whole decision: deepening step by step, on one thread or several, with news on the way.

use crate::cache::Cache;
use crate::control::{Control, Limits, Stop};
use crate::evaluate::Evaluate;
use crate::score::is_proven;
use crate::search::{Line, Searcher, Tuning};
use rules::Game;
use std::time::Duration;

/// What a search has found so far.
#[derive(Clone, Debug)]
pub struct Thought<M> {
    /// The best lines, the best one first; each begins with a legal move.
    pub lines: Vec<Line<M>>,
    /// How deep it has looked.
    pub depth: u32,
    /// How many positions it has looked at.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

/// The deepest search that is begun.
const MAX_DEPTH: i32 = 100;

/// Searches a position that is not over; `past` are the keys of the game so far. News come after every
/// completed depth.
pub fn think<G: Game, E: Evaluate<G>>(
    pos: &G,
    past: &[u64],
    evaluator: &E,
    cache: &Cache,
    tuning: Tuning,
    (limits, stop): (&Limits, &Stop),
    news: &mut dyn FnMut(&Thought<G::Move>),
) -> Thought<G::Move> {
    let control = Control::new(limits, stop);
    std::thread::scope(|scope| {
        for i in 1..limits.threads.max(1) {
            let control = &control;
            scope.spawn(move || {
                let mut searcher = Searcher::new(evaluator, cache, control, tuning, past);
                help(pos, &mut searcher, control, i as i32);
            });
        }
        let searcher = Searcher::new(evaluator, cache, &control, tuning, past);
        let thought = deepen(pos, searcher, &control, news);
        control.finish();
        thought
    })
}

fn last_depth(control: &Control) -> i32 {
    control.limits().depth.map_or(MAX_DEPTH, |depth| depth.clamp(1, MAX_DEPTH as u32) as i32)
}

/// Another thread fills the table: it searches the same position, every second one a move deeper.
fn help<G: Game, E: Evaluate<G>>(
    pos: &G,
    searcher: &mut Searcher<'_, G, E>,
    control: &Control,
    number: i32,
) {
    let mut lines = Vec::new();
    let mut depth = 1 + number % 2;
    while !searcher.is_stopped() && !control.is_done() {
        let found = searcher.lines(pos, depth.min(last_depth(control)), 1, &lines);
        if found.first().is_none_or(|line| is_proven(line.score)) {
            return;
        }
        lines = found;
        depth += 1;
        if depth > last_depth(control) + 1 {
            return;
        }
    }
}

fn deepen<G: Game, E: Evaluate<G>>(
    pos: &G,
    mut searcher: Searcher<'_, G, E>,
    control: &Control,
    news: &mut dyn FnMut(&Thought<G::Move>),
) -> Thought<G::Move> {
    let mut thought = Thought { lines: Vec::new(), depth: 0, nodes: 0, time: Duration::ZERO };
    for depth in 1..=last_depth(control) {
        let lines = searcher.lines(pos, depth, control.limits().lines.max(1), &thought.lines);
        let complete = !searcher.is_stopped();
        if complete || thought.lines.is_empty() {
            thought.lines = lines;
            thought.depth = depth as u32;
        } else if let (Some(best), [only]) = (thought.lines.first_mut(), &lines[..]) {
            // The last depth was not completed, but what it found first is worth having.
            *best = only.clone();
        }
        thought.nodes = control.nodes() + searcher.unreported();
        thought.time = control.elapsed();
        if !complete {
            break;
        }
        news(&thought);
        // Deeper search cannot change a proof, and a move without choice needs no thought.
        if thought.lines.iter().all(|line| is_proven(line.score)) {
            break;
        }
        if out_of_time(control) {
            break;
        }
    }
    if thought.lines.is_empty() {
        // Stopped before the first depth was done: any legal move will do.
        let first = pos.moves().into_iter().take(1).collect();
        thought.lines.push(Line { moves: first, score: 0 });
    }
    thought
}

/// Whether most of the time is gone, so that another depth would hardly be completed.
fn out_of_time(control: &Control) -> bool {
    control.limits().time.is_some_and(|time| control.elapsed() > time * 9 / 10)
}
