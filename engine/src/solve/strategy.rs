//! A whole strategy from a proof: for each position that can come up, the move that wins.

use super::proof::Prover;
use crate::evaluate::Evaluate;
use rules::Game;
use std::collections::{HashMap, HashSet};

/// What to do in a position with the winner to move.
#[derive(Clone, Debug)]
pub struct Advice<G: Game> {
    /// The position, of all its images the one that was met first.
    pub pos: G,
    /// The move that wins.
    pub m: G::Move,
    /// In how many turns of the winner it wins at most; falls with every one of them.
    pub rank: u32,
}

/// Advice by proof key. Positions that the judgement knows to be won are left out.
pub type Strategy<G> = HashMap<u64, Advice<G>>;

/// The strategy that wins a proven position; nothing if the prover runs out of its limits. Proofs that
/// its table has forgotten are found again.
pub fn extract<G: Game, E: Evaluate<G>>(
    prover: &mut Prover<'_, G, E>,
    pos: &G,
) -> Option<Strategy<G>> {
    let mut found = HashMap::new();
    rank(prover, pos, &mut HashSet::new(), &mut found)?;
    let mut strategy = HashMap::new();
    keep(prover, pos, &found, &mut strategy);
    Some(strategy)
}

/// In how many more turns of the winner the strategy wins here, once it is known for all that follows.
fn rank<G: Game, E: Evaluate<G>>(
    prover: &mut Prover<'_, G, E>,
    pos: &G,
    above: &mut HashSet<u64>,
    strategy: &mut Strategy<G>,
) -> Option<u32> {
    if prover.is_won_at_sight(pos) {
        return Some(1);
    }
    let key = prover.key(pos);
    if let Some(advice) = strategy.get(&key) {
        return Some(advice.rank);
    }
    // A strategy that comes back to a position above would never end.
    if !above.insert(key) {
        return None;
    }
    let mut found = None;
    for m in prover.winning_moves(pos) {
        found = worst_reply(prover, &pos.after(m), above, strategy).map(|worst| (m, worst + 1));
        if found.is_some() {
            break;
        }
    }
    above.remove(&key);
    let (m, rank) = found?;
    strategy.insert(key, Advice { pos: pos.clone(), m, rank });
    Some(rank)
}

/// The largest rank that a reply of the loser leads to; 0 if the game is over.
fn worst_reply<G: Game, E: Evaluate<G>>(
    prover: &mut Prover<'_, G, E>,
    pos: &G,
    above: &mut HashSet<u64>,
    strategy: &mut Strategy<G>,
) -> Option<u32> {
    let mut worst = 0;
    for m in pos.moves() {
        worst = worst.max(rank(prover, &pos.after(m), above, strategy)?);
    }
    Some(worst)
}

/// Keeps what comes up when the winner follows the advice; the rest belongs to moves that were given up.
fn keep<G: Game, E: Evaluate<G>>(
    prover: &Prover<'_, G, E>,
    pos: &G,
    found: &Strategy<G>,
    strategy: &mut Strategy<G>,
) {
    let key = prover.key(pos);
    if prover.is_won_at_sight(pos) || strategy.contains_key(&key) {
        return;
    }
    let Some(advice) = found.get(&key) else { return };
    strategy.insert(key, advice.clone());
    let next = advice.pos.after(advice.m);
    for reply in next.moves() {
        keep(prover, &next.after(reply), found, strategy);
    }
}
