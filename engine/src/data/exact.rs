//! Every position that can follow, with its exact result.

use crate::control::Stop;
use crate::play::Play;
use crate::session::{Match, Session};
use crate::solve::Exact;
use crate::solve::retrograde::{Graph, is_win, solve, turns};
use rules::Player;

/// A position with its winner and the turns of both players until then.
pub type Solved<G> = (G, Option<(Player, u32)>);

/// Solves every reachable position, up to symmetry: who wins, and after how many turns of both players. Sorted by the
/// positions' texts.
pub fn every<G: Play>(pos: &G, most: usize, stop: &Stop) -> Result<Vec<Solved<G>>, String> {
    if pos.outcome().is_some() {
        return Err("the game is over".into());
    }
    let Some(graph) = Graph::new(pos, u32::MAX, most) else {
        return Err(format!("more than {most} positions can follow: too many for this memory"));
    };
    let values = solve(&graph, &mut |_| !stop.is_stopped());
    let values = values.ok_or("it was stopped before the end")?;
    let result = |(pos, state): (&G, usize)| {
        let value = values[state];
        let winner = if is_win(value) { pos.turn() } else { pos.turn().other() };
        (pos.clone(), turns(value).map(|turns| (winner, turns)))
    };
    let mut all: Vec<_> = graph.positions().map(result).collect();
    // The order of the graph differs from run to run.
    all.sort_by_cached_key(|(pos, _)| pos.text());
    Ok(all)
}

/// The same for a match of any game.
pub(crate) fn every_match<G: Play>(
    game: &dyn Session,
    most: usize,
    stop: &Stop,
) -> Result<Vec<Exact>, String> {
    let game = game.as_any().downcast_ref::<Match<G>>().ok_or("a match of another game")?;
    let erase = |(pos, result): (G, _)| (Box::new(Match::new(pos)) as Box<dyn Session>, result);
    Ok(every(game.position(), most, stop)?.into_iter().map(erase).collect())
}
