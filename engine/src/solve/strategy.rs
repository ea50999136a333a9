//! Extracts a winning strategy from a proof: a winning move for each position that can come up.

use crate::evaluate::Evaluate;
use crate::score::{WIN, is_proven};
use rules::{Game, Outcome, Player};
use std::collections::{HashMap, HashSet};

/// A search that knows how one player wins.
pub trait Oracle<G: Game> {
    /// The player who wins.
    fn attacker(&self) -> Player;
    /// The same for positions that a symmetry makes equal.
    fn key(&self, pos: &G) -> u64;
    /// The win distance, in turns of the attacker, of a position that needs no search.
    fn won_at_sight(&self, pos: &G) -> Option<u32>;
    /// Winning moves of the attacker; none if the limits do not suffice to find one.
    fn winning_moves(&mut self, pos: &G) -> Vec<G::Move>;
}

/// The win distance, in turns of the attacker, of a game that is over or that the evaluator knows to be won.
pub(super) fn won_at_sight<G: Game>(
    evaluator: &impl Evaluate<Game = G>,
    attacker: Player,
    pos: &G,
) -> Option<u32> {
    if let Some(outcome) = pos.outcome() {
        return (outcome == Outcome::Win(attacker)).then_some(0);
    }
    let score = evaluator.known(pos).filter(|score| is_proven(*score))?;
    let wins = (score > 0) == (pos.turn() == attacker);
    wins.then(|| ((WIN - score.abs()) as u32).div_ceil(2))
}

/// The winner's move in a position.
#[derive(Clone, Debug)]
pub struct Advice<G: Game> {
    /// The position, in the image met first.
    pub pos: G,
    /// The move that wins.
    pub m: G::Move,
    /// Upper bound of the win distance, in moves of the winner; falls with each of them.
    pub rank: u32,
}

/// A winning strategy.
#[derive(Clone, Debug)]
pub struct Strategy<G: Game> {
    /// Advice by proof key; positions that need no search are left out.
    pub advice: HashMap<u64, Advice<G>>,
    /// Upper bound of the win distance, in moves of the winner.
    pub within: u32,
}

/// The winning strategy of a position; `None` if the oracle reaches its limits. Entries its table has lost
/// are searched again.
pub fn extract<G: Game>(oracle: &mut (impl Oracle<G> + ?Sized), pos: &G) -> Option<Strategy<G>> {
    let mut found = HashMap::new();
    let within = rank(oracle, pos, &mut HashSet::new(), &mut found)?;
    let mut advice = HashMap::new();
    keep(oracle, pos, &found, &mut advice);
    Some(Strategy { advice, within })
}

type Found<G> = HashMap<u64, Advice<G>>;

/// The rank of a position, once its successors have theirs.
fn rank<G: Game>(
    oracle: &mut (impl Oracle<G> + ?Sized),
    pos: &G,
    above: &mut HashSet<u64>,
    found: &mut Found<G>,
) -> Option<u32> {
    if let Some(turns) = oracle.won_at_sight(pos) {
        return Some(turns);
    }
    if pos.outcome().is_some() {
        return None;
    }
    if pos.turn() != oracle.attacker() {
        let mut worst = 0;
        for m in pos.moves() {
            worst = worst.max(rank(oracle, &pos.after(m), above, found)?);
        }
        return Some(worst);
    }
    let key = oracle.key(pos);
    if let Some(advice) = found.get(&key) {
        return Some(advice.rank);
    }
    // A strategy that repeats a position on the path would never end.
    if !above.insert(key) {
        return None;
    }
    let mut best = None;
    for m in oracle.winning_moves(pos) {
        best = rank(oracle, &pos.after(m), above, found).map(|rest| (m, rest + 1));
        if best.is_some() {
            break;
        }
    }
    above.remove(&key);
    let (m, rank) = best?;
    found.insert(key, Advice { pos: pos.clone(), m, rank });
    Some(rank)
}

/// Drops advice for positions that cannot come up, left over from rejected moves.
fn keep<G: Game>(
    oracle: &(impl Oracle<G> + ?Sized),
    pos: &G,
    found: &Found<G>,
    kept: &mut Found<G>,
) {
    if oracle.won_at_sight(pos).is_some() {
        return;
    }
    if pos.turn() != oracle.attacker() {
        pos.moves().into_iter().for_each(|m| keep(oracle, &pos.after(m), found, kept));
        return;
    }
    let key = oracle.key(pos);
    if kept.contains_key(&key) {
        return;
    }
    let Some(advice) = found.get(&key) else { return };
    kept.insert(key, advice.clone());
    keep(oracle, &advice.pos.after(advice.m), found, kept);
}

/// The longest line of a strategy: the loser resists as long as possible. It ends where the rest needs no
/// search.
pub fn line<G: Game>(
    oracle: &(impl Oracle<G> + ?Sized),
    strategy: &Strategy<G>,
    pos: &G,
) -> Vec<G::Move> {
    let ranked = |pos: &G| match oracle.won_at_sight(pos) {
        Some(turns) => turns,
        None => strategy.advice.get(&oracle.key(pos)).map_or(0, |advice| advice.rank),
    };
    let mut pos = pos.clone();
    let mut moves = Vec::new();
    while oracle.won_at_sight(&pos).is_none() && pos.outcome().is_none() && moves.len() < 400 {
        let m = if pos.turn() == oracle.attacker() {
            let key = oracle.key(&pos);
            // The advice may be for another image: its move here is the one that leads to the same key.
            let Some(advice) = strategy.advice.get(&key) else { break };
            let wanted = oracle.key(&advice.pos.after(advice.m));
            pos.moves().into_iter().find(|m| oracle.key(&pos.after(*m)) == wanted)
        } else {
            pos.moves().into_iter().max_by_key(|m| ranked(&pos.after(*m)))
        };
        let Some(m) = m else { break };
        moves.push(m);
        pos.play_unchecked(m);
    }
    let wins = |m: &G::Move| pos.after(*m).outcome() == Some(Outcome::Win(oracle.attacker()));
    moves.extend(pos.moves().into_iter().find(wins));
    moves
}
