//! A search that is confined to some of the legal turns: each is played, and the answers to it are searched deeper and
//! deeper.

use engine::score::WIN;
use engine::{AnalysedLine, Analysis, Limits, Session, Stop, Thinker};
use std::time::{Duration, Instant};

/// The deepest search, in moves.
const MOST_DEPTH: u32 = 100;

/// One of the turns.
struct Chosen {
    /// The board after it.
    board: Box<dyn Session>,
    line: AnalysedLine,
}

/// The best of the turns, of which there is at least one; calls `news` after every depth.
pub fn think(
    thinker: &mut dyn Thinker,
    session: &dyn Session,
    only: &[String],
    (limits, stop): (&Limits, &Stop),
    news: &mut dyn FnMut(&Analysis),
) -> Analysis {
    let begun = Instant::now();
    let mut turns: Vec<Chosen> = only.iter().filter_map(|turn| begin(session, turn)).collect();
    let mut found = Analysis::default();
    for depth in 1..=limits.depth.unwrap_or(MOST_DEPTH) {
        for turn in turns.iter_mut().filter(|turn| turn.board.result().is_none()) {
            let Some(limits) = left(limits, begun.elapsed(), found.nodes, depth) else { break };
            let Some(view) = thinker.think(turn.board.as_ref(), &limits, stop, &mut |_| {}) else {
                continue;
            };
            found.nodes += view.nodes;
            found.deepest = found.deepest.max(view.deepest + 1);
            found.full = view.full;
            // A search that was cut short knows less than the one before it.
            let is_whole = view.depth >= limits.depth.unwrap_or(1);
            if let Some(best) = view.lines.first().filter(|_| is_whole || turn.line.turns.len() < 2)
            {
                turn.line = before(&turn.line.turns[0], best);
            }
        }
        found.time = begun.elapsed();
        found.depth = depth;
        found.lines = best(&turns, limits.lines);
        news(&found);
        let is_decided =
            turns.iter().all(|turn| turn.line.win_in.is_some() || turn.board.result().is_some());
        if is_decided || stop.is_stopped() || left(limits, found.time, found.nodes, depth).is_none()
        {
            break;
        }
    }
    found
}

/// A turn with what is known of it without a search.
fn begin(session: &dyn Session, turn: &str) -> Option<Chosen> {
    let mut board = session.boxed_clone();
    board.play(turn).ok()?;
    let winner = board.result().and_then(|outcome| outcome.winner());
    let sign = winner.map_or(0, |winner| if winner == session.turn() { 1 } else { -1 });
    let line = AnalysedLine {
        proof: None,
        turns: vec![turn.to_owned()],
        score: sign * WIN,
        win_in: (sign != 0).then_some(sign),
    };
    Some(Chosen { board, line })
}

/// The limits for one more search; `None` if the budget is used up.
fn left(limits: &Limits, spent: Duration, nodes: u64, depth: u32) -> Option<Limits> {
    let time = match limits.soft.or(limits.time) {
        Some(time) => Some(time.checked_sub(spent).filter(|rest| !rest.is_zero())?),
        None => None,
    };
    let nodes = match limits.nodes {
        Some(most) => Some(most.checked_sub(nodes).filter(|rest| *rest > 0)?),
        None => None,
    };
    let depth = Some(depth.saturating_sub(1).max(1));
    Some(Limits { time, soft: None, nodes, depth, lines: 1, ..limits.clone() })
}

/// The line of a turn whose replies were searched, with the score from the other side's point of view.
fn before(turn: &str, best: &AnalysedLine) -> AnalysedLine {
    let turns = std::iter::once(turn.to_owned()).chain(best.turns.iter().cloned()).collect();
    let win_in = best.win_in.map(|turns| if turns < 0 { 1 - turns } else { -turns });
    AnalysedLine { proof: best.proof, turns, score: -best.score, win_in }
}

fn best(turns: &[Chosen], most: usize) -> Vec<AnalysedLine> {
    let mut lines: Vec<_> = turns.iter().map(|turn| turn.line.clone()).collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.score));
    lines.truncate(most.max(1));
    lines
}
