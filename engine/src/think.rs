//! Iterative deepening within a turn's budget, on one thread or several (lazy SMP).

use crate::busy::Busy;
use crate::control::{Control, Share};
use crate::evaluate::Evaluate;
use crate::order::Scores;
use crate::score::{is_proven, win_after};
use crate::search::{Pv, Searcher, Tuning};
use crate::transposition::TranspositionTable;
use crate::whole::make_whole;
use rules::Game;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

/// What a turn's searches have found so far.
#[derive(Clone, Debug)]
pub struct Thought<M> {
    /// The best lines, the best one first; each begins with a legal move.
    pub lines: Vec<Pv<M>>,
    /// How many moves deep the search has looked.
    pub depth: u32,
    /// How many moves deep its deepest line has gone.
    pub deepest: u32,
    /// How many in a thousand entries of the table are of this search.
    pub full: u32,
    /// How many positions the turn has looked at.
    pub nodes: u64,
    /// How long the turn has taken.
    pub time: Duration,
}

/// The depth at which iterative deepening ends.
const MAX_DEPTH: i32 = 100;

/// Searches a position that is not over; `past` are the keys of the game so far. Calls `news` after
/// every depth.
pub fn think<'a, G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    past: &[u64],
    evaluator: &E,
    tt: &TranspositionTable,
    tuning: Tuning,
    share: impl Into<Share<'a>>,
    news: &mut dyn FnMut(&Thought<G::Move>),
) -> Thought<G::Move> {
    think_without(pos, (past, &[]), evaluator, tt, tuning, share, news)
}

/// The same without some first moves, which are known to be worse than others.
pub fn think_without<'a, G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    (past, barred): (&[u64], &[G::Move]),
    evaluator: &E,
    tt: &TranspositionTable,
    tuning: Tuning,
    share: impl Into<Share<'a>>,
    news: &mut dyn FnMut(&Thought<G::Move>),
) -> Thought<G::Move> {
    let share: Share = share.into();
    let control = share.control();
    let ended = AtomicBool::new(false);
    let threads = control.limits().threads.max(1);
    let together = (threads > 1).then(Together::default);
    let searcher = |meter| {
        let alone = Searcher::new(evaluator, tt, meter, tuning, past).without(barred);
        match &together {
            Some(together) => alone.beside(&together.busy, &together.scores),
            None => alone,
        }
    };
    let mut thought = std::thread::scope(|scope| {
        for (together, number) in
            together.iter().flat_map(|all| (1..threads).map(move |n| (all, n)))
        {
            let (searcher, meter) = (&searcher, share.meter_until(&ended));
            scope.spawn(move || run_helper(pos, &mut searcher(meter), control, together, number));
        }
        let begun = together.as_ref().map(|together| &together.depth);
        let searcher = searcher(share.meter());
        let thought = iterative_deepening(pos, evaluator, searcher, control, begun, news);
        ended.store(true, Ordering::Relaxed);
        thought
    });
    if thought.lines.is_empty() {
        // Even a lost game, or one without time, needs a turn.
        let score = if thought.depth > 0 { -win_after(1) } else { 0 };
        let mut moves = Vec::new();
        make_whole(pos, &mut moves, evaluator, tt);
        thought.lines.push(Pv { moves, score, proof: None });
    }
    (thought.nodes, thought.time) = (control.nodes(), control.elapsed());
    thought
}

/// What the threads of a search share beside the table.
#[derive(Default)]
struct Together {
    busy: Busy,
    scores: Scores,
    /// The depth that the first thread searches.
    depth: AtomicI32,
}

fn max_depth(control: &Control) -> i32 {
    control.limits().depth.map_or(MAX_DEPTH, |depth| depth.clamp(1, MAX_DEPTH as u32) as i32)
}

/// How many plies deeper than the first thread each helper searches, by its number.
const AHEAD: [i32; 4] = [0, 1, 0, 2];

/// A helper thread of lazy SMP: it searches the same position into the shared transposition table, some of them
/// deeper than the first thread, and defers what others are searching. It does not begin depths that the first thread
/// has left behind.
fn run_helper<G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    searcher: &mut Searcher<'_, E>,
    control: &Control,
    together: &Together,
    number: usize,
) {
    let mut lines = Vec::new();
    let ahead = AHEAD[number % AHEAD.len()];
    let mut depth = 1 + ahead;
    while !searcher.is_stopped() {
        let found = searcher.multi_pv(pos, depth.min(max_depth(control)), 1, &lines);
        if found.first().is_none_or(|line| is_proven(line.score)) {
            return;
        }
        lines = found;
        depth = (depth + 1).max(together.depth.load(Ordering::Relaxed) + ahead);
        if depth > max_depth(control) + 1 {
            return;
        }
    }
}

fn iterative_deepening<G: Game, E: Evaluate<Game = G>>(
    pos: &G,
    evaluator: &E,
    mut searcher: Searcher<'_, E>,
    control: &Control,
    begun: Option<&AtomicI32>,
    news: &mut dyn FnMut(&Thought<G::Move>),
) -> Thought<G::Move> {
    let mut thought = Thought {
        lines: Vec::new(),
        depth: 0,
        deepest: 0,
        full: 0,
        nodes: 0,
        time: Duration::ZERO,
    };
    let (mut best, mut steady) = ((None, 0), 0);
    // A forced move needs no time.
    let only = control.limits().soft.is_some() && pos.moves().len() == 1;
    for depth in 1..=max_depth(control) {
        if let Some(begun) = begun {
            begun.store(depth, Ordering::Relaxed);
        }
        let lines = searcher.multi_pv(pos, depth, control.limits().lines.max(1), &thought.lines);
        if searcher.is_stopped() {
            // The first line of an incomplete depth can be trusted.
            match (thought.lines.first_mut(), &lines[..]) {
                (None, [_, ..]) => (thought.lines, thought.depth) = (lines, depth as u32),
                (Some(best), [only]) => *best = only.clone(),
                _ => {}
            }
            break;
        }
        (thought.lines, thought.depth) = (lines, depth as u32);
        (thought.nodes, thought.time) = (searcher.nodes(), control.elapsed());
        (thought.deepest, thought.full) = (searcher.deepest() as u32, searcher.fullness());
        if !thought.lines.is_empty() {
            news(&thought);
        }
        let (first, score) = match thought.lines.first() {
            Some(line) => (line.moves.first().copied(), line.score),
            None => (None, 0),
        };
        steady = if first == best.0 { steady + 1 } else { 0 };
        let sinks = score < best.1 - evaluator.unit(pos) / 4;
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

/// The percentage of the soft limit after which no further depth is begun: less when several depths agreed
/// on the move, more when they differ or the score drops.
fn patience(steady: u32, sinks: bool) -> u32 {
    let patience = match steady {
        0 => 150,
        1 => 110,
        2 | 3 => 85,
        _ => 60,
    };
    if sinks { patience + 60 } else { patience }
}
