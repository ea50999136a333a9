//! A search as deep as its share of the turn allows: step by step, on one thread or several.

use crate::busy::Busy;
use crate::cache::Cache;
use crate::control::{Control, Share};
use crate::evaluate::Evaluate;
use crate::score::{is_proven, win_after};
use crate::search::{Line, Searcher, Tuning};
use crate::whole::make_whole;
use rules::Game;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a turn's searches have found so far.
#[derive(Clone, Debug)]
pub struct Thought<M> {
    /// The best lines, the best one first; each begins with a legal move.
    pub lines: Vec<Line<M>>,
    /// How many moves deep the search has looked.
    pub depth: u32,
    /// How many positions the turn has looked at.
    pub nodes: u64,
    /// How long the turn has taken.
    pub time: Duration,
}

/// The deepest search that is begun.
const MAX_DEPTH: i32 = 100;

/// Searches a position that is not over; `past` are the keys of the game so far. Calls `news` after
/// every depth.
pub fn think<'a, G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    past: &[u64],
    evaluator: &E,
    cache: &Cache,
    tuning: Tuning,
    share: impl Into<Share<'a>>,
    news: &mut dyn FnMut(&Thought<G::Move>),
) -> Thought<G::Move> {
    let share: Share = share.into();
    let control = share.control();
    let ended = AtomicBool::new(false);
    let threads = control.limits().threads.max(1);
    let busy = (threads > 1).then(Busy::default);
    let searcher =
        |meter| Searcher::new(evaluator, cache, meter, tuning, past).beside(busy.as_ref());
    let mut thought = std::thread::scope(|scope| {
        for i in 1..threads {
            let (searcher, meter) = (&searcher, share.meter_until(&ended));
            scope.spawn(move || help(pos, &mut searcher(meter), control, i as i32));
        }
        let thought = deepen(pos, evaluator, searcher(share.meter()), control, news);
        ended.store(true, Ordering::Relaxed);
        thought
    });
    if thought.lines.is_empty() {
        // Even a lost game, or one without time, needs a turn.
        let score = if thought.depth > 0 { -win_after(1) } else { 0 };
        let mut moves = Vec::new();
        make_whole(pos, &mut moves, evaluator, cache);
        thought.lines.push(Line { moves, score });
    }
    (thought.nodes, thought.time) = (control.nodes(), control.elapsed());
    thought
}

fn last_depth(control: &Control) -> i32 {
    control.limits().depth.map_or(MAX_DEPTH, |depth| depth.clamp(1, MAX_DEPTH as u32) as i32)
}

/// Another thread fills the table: it searches the same position, every second one a move deeper, and does not
/// take up what others are at.
fn help<G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    searcher: &mut Searcher<'_, E>,
    control: &Control,
    number: i32,
) {
    let mut lines = Vec::new();
    let mut depth = 1 + number % 2;
    while !searcher.is_stopped() {
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

fn deepen<G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    evaluator: &E,
    mut searcher: Searcher<'_, E>,
    control: &Control,
    news: &mut dyn FnMut(&Thought<G::Move>),
) -> Thought<G::Move> {
    let mut thought = Thought { lines: Vec::new(), depth: 0, nodes: 0, time: Duration::ZERO };
    let (mut best, mut steady) = ((None, 0), 0);
    // Who has no choice needs no time.
    let only = control.limits().soft.is_some() && pos.moves().len() == 1;
    for depth in 1..=last_depth(control) {
        let lines = searcher.lines(pos, depth, control.limits().lines.max(1), &thought.lines);
        if searcher.is_stopped() {
            // What the last depth found first is worth having, though it was not completed.
            match (thought.lines.first_mut(), &lines[..]) {
                (None, [_, ..]) => (thought.lines, thought.depth) = (lines, depth as u32),
                (Some(best), [only]) => *best = only.clone(),
                _ => {}
            }
            break;
        }
        (thought.lines, thought.depth) = (lines, depth as u32);
        (thought.nodes, thought.time) = (searcher.nodes(), control.elapsed());
        if !thought.lines.is_empty() {
            news(&thought);
        }
        let (first, score) = match thought.lines.first() {
            Some(line) => (line.moves.first().copied(), line.score),
            None => (None, 0),
        };
        steady = if first == best.0 { steady + 1 } else { 0 };
        let sinks = score < best.1 - evaluator.unit() / 4;
        best = (first, score);
        // Deeper search cannot change a proof.
        if thought.lines.iter().all(|line| is_proven(line.score)) || out_of_time(control) {
            break;
        }
        if let Some(soft) = control.limits().soft
            && (only || control.elapsed() > soft * patience(steady, sinks) / 100)
        {
            break;
        }
    }
    thought
}

/// Whether most of the time is gone, so that another depth would hardly be completed.
fn out_of_time(control: &Control) -> bool {
    control.limits().time.is_some_and(|time| control.elapsed() > time * 9 / 10)
}

/// The part of its time after which no further depth is begun, in hundredths: little when so many depths
/// have agreed on the move, much when they differ or it turns out worse.
fn patience(steady: u32, sinks: bool) -> u32 {
    let patience = match steady {
        0 => 150,
        1 => 110,
        2 | 3 => 85,
        _ => 60,
    };
    if sinks { patience + 60 } else { patience }
}
