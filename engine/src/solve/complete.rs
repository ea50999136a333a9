//! Complete solutions with the game type erased: the value of every reachable position.

use super::knowledge::Prove;
use super::retrograde::{Graph, Value, is_win, solve, turns};
use crate::control::Stop;
use crate::play::{Play, whole_turns};
use crate::session::{Match, Session};
use crate::thinker::turn_texts;
use rules::{Outcome, Player};
use std::path::Path;

/// The summary of a complete solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete {
    /// The winner and the win distance in turns of both players; `None` if nobody can force a win.
    pub winner: Option<(Player, u32)>,
    /// A line of best play, turn by turn; empty if nobody wins.
    pub line: Vec<String>,
    /// Positions up to symmetry: won by the player to move, by the opponent, by nobody.
    pub counts: [u64; 3],
    /// The longest win distance, in turns.
    pub longest: u32,
}

/// A complete solution in memory.
pub trait Solved<G> {
    /// The value of a position that is not over, if the solution has it.
    fn value(&self, pos: &G) -> Option<Value>;
    /// Positions won by the player to move, by the opponent, by nobody; and the longest win distance.
    fn tally(&self) -> ([u64; 3], u32);
}

/// A complete solution of any kind.
pub type Solution<G> = Box<dyn Solved<G>>;

/// Approximate size of a position in the graph, in bytes.
const BYTES_EACH: usize = 600;

/// Solves every position reachable from that of a match: into a file if the game has a table for that,
/// otherwise in memory.
pub(crate) fn complete_match<G: Play>(
    game: &dyn Session,
    mebibytes: usize,
    file: Option<&Path>,
    stop: &Stop,
    news: &mut dyn FnMut(String),
) -> Result<Complete, String> {
    let Some(game) = game.as_any().downcast_ref::<Match<G>>() else {
        return Err(format!("this is not a match of {}", G::INFO.name));
    };
    let pos = game.position();
    let mut go_on = |text: String| {
        news(text);
        !stop.is_stopped()
    };
    let solved: Solution<G> = match file {
        Some(file) => G::Judge::default()
            .tabulate(pos, file, &mut go_on)
            .ok_or("there is no table for this game with these options; leave out the file")??,
        None => Box::new(OfGraph::new(pos, mebibytes, &mut go_on)?),
    };
    let (counts, longest) = solved.tally();
    let value = solved.value(pos).unwrap_or_default();
    let winner = turns(value)
        .map(|turns| (if is_win(value) { pos.turn() } else { pos.turn().other() }, turns));
    let line = if winner.is_some() { best_line(pos, solved.as_ref()) } else { Vec::new() };
    Ok(Complete { winner, line: turn_texts(pos, &line), counts, longest })
}

struct OfGraph<G: Play> {
    graph: Graph<G>,
    values: Vec<Value>,
}

impl<G: Play> OfGraph<G> {
    fn new(
        pos: &G,
        mebibytes: usize,
        go_on: &mut dyn FnMut(String) -> bool,
    ) -> Result<Self, String> {
        if pos.outcome().is_some() {
            return Err("the game is over".into());
        }
        let most = (mebibytes << 20) / BYTES_EACH;
        let Some(graph) = Graph::new(pos, u32::MAX, most) else {
            return Err(format!("more than {most} positions can follow: too many for this memory"));
        };
        let values = solve(&graph, &mut |turns| go_on(format!("{turns} turns")));
        Ok(OfGraph { graph, values: values.ok_or("it was stopped before the end")? })
    }
}

impl<G: Play> Solved<G> for OfGraph<G> {
    fn value(&self, pos: &G) -> Option<Value> {
        self.values.get(self.graph.state(pos)?).copied()
    }

    fn tally(&self) -> ([u64; 3], u32) {
        let mut counts = [0; 3];
        for value in &self.values {
            counts[if *value == 0 { 2 } else { usize::from(!is_win(*value)) }] += 1;
        }
        (counts, self.values.iter().filter_map(|value| turns(*value)).max().unwrap_or_default())
    }
}

/// Best play move by move: the winner as quickly, the loser as slowly as possible.
fn best_line<G: Play>(start: &G, solved: &dyn Solved<G>) -> Vec<G::Move> {
    let (mut pos, mut line) = (start.clone(), Vec::new());
    while pos.outcome().is_none() && line.len() < 600 {
        let mut best: Option<(i32, Vec<G::Move>, G)> = None;
        for (moves, next) in whole_turns(&pos) {
            let worth = worth(&pos, &next, solved);
            if best.as_ref().is_none_or(|(most, _, _)| worth > *most) {
                best = Some((worth, moves, next));
            }
        }
        let Some((_, moves, next)) = best else { break };
        line.extend(moves);
        pos = next;
    }
    line
}

/// Orders turns for their player: quick wins first, quick losses last.
fn worth<G: Play>(pos: &G, next: &G, solved: &dyn Solved<G>) -> i32 {
    if let Some(outcome) = next.outcome() {
        return match outcome {
            Outcome::Draw => 0,
            Outcome::Win(player) => {
                if player == pos.turn() {
                    1_000
                } else {
                    -1_000
                }
            }
        };
    }
    match solved.value(next) {
        None | Some(0) => 0,
        Some(value) if is_win(value) => i32::from(value) - 999,
        Some(value) => 999 - i32::from(value),
    }
}
