//! Extracts a winning strategy from a proof: a winning move for each position that can come up.

use crate::evaluate::Evaluate;
use crate::score::{WIN, is_proven};
use rules::{Game, Outcome, Player};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A search that knows how one player wins.
pub trait Oracle<G: Game> {
    /// The player who wins.
    fn attacker(&self) -> Player;
    /// The same for positions that a symmetry makes equal.
    fn key(&self, pos: &G) -> u64;
    /// The win distance, in turns of the attacker, of a position that needs no search.
    fn won_at_sight(&self, pos: &G) -> Option<u32>;
    /// Winning moves of the attacker; none if the limits do not suffice to find one, or if `go_on`, which a long search
    /// asks now and then, says no.
    fn winning_moves(&mut self, pos: &G, go_on: &mut dyn FnMut() -> bool) -> Vec<G::Move>;
    /// Forgets that the attacker wins a position: no strategy was found for it.
    fn doubt(&mut self, _pos: &G) {}
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

/// The winning strategy of a position; `None` if the oracle reaches its limits, or if `go_on`, which is called now and
/// then with the number of positions done, says no. Entries that its table has lost are searched again, and so are
/// those that yield no strategy.
pub fn extract<G: Game>(
    oracle: &mut (impl Oracle<G> + ?Sized),
    pos: &G,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Option<Strategy<G>> {
    let mut writing = Writing {
        oracle,
        go_on,
        is_stopped: false,
        found: HashMap::new(),
        above: HashMap::new(),
        refuted: HashSet::new(),
        leaning: HashMap::new(),
    };
    let within = writing.rank(pos).ok()?;
    let Writing { oracle, found, .. } = writing;
    let mut advice = HashMap::new();
    keep(oracle, pos, &found, &mut advice);
    Some(Strategy { advice, within })
}

type Found<G> = HashMap<u64, Advice<G>>;

/// How often a position is searched again if its moves yield no strategy.
const AGAIN: u32 = 3;

/// Why a position has no strategy: the depths of the positions on the path that it must not repeat; empty if the path
/// has nothing to do with it.
type Needs = BTreeSet<usize>;

/// A strategy that is being extracted.
struct Writing<'a, G: Game, O: ?Sized> {
    oracle: &'a mut O,
    go_on: &'a mut dyn FnMut(usize) -> bool,
    is_stopped: bool,
    found: Found<G>,
    /// The depths of the attacker's positions on the path.
    above: HashMap<u64, usize>,
    /// Positions without a strategy, on any path.
    refuted: HashSet<u64>,
    /// The same as long as certain positions are on the path.
    leaning: HashMap<u64, Needs>,
}

impl<G: Game, O: Oracle<G> + ?Sized> Writing<'_, G, O> {
    /// The rank of a position, once its successors have theirs.
    fn rank(&mut self, pos: &G) -> Result<u32, Needs> {
        if let Some(turns) = self.oracle.won_at_sight(pos) {
            return Ok(turns);
        }
        if pos.outcome().is_some() {
            return Err(Needs::new());
        }
        if pos.turn() != self.oracle.attacker() {
            let mut worst = 0;
            for m in pos.moves() {
                worst = worst.max(self.rank(&pos.after(m))?);
            }
            return Ok(worst);
        }
        let key = self.oracle.key(pos);
        if let Some(advice) = self.found.get(&key) {
            return Ok(advice.rank);
        }
        // A strategy that repeats a position on the path would never end.
        if let Some(depth) = self.above.get(&key) {
            return Err([*depth].into());
        }
        if self.refuted.contains(&key) {
            return Err(Needs::new());
        }
        if let Some(needs) = self.leaning.get(&key) {
            return Err(needs.clone());
        }
        let depth = self.above.len();
        self.above.insert(key, depth);
        let ranked = self.attack(pos, depth);
        self.above.remove(&key);
        self.forget_what_leans_on(depth);
        match &ranked {
            Ok((m, rank)) => {
                self.found.insert(key, Advice { pos: pos.clone(), m: *m, rank: *rank });
            }
            Err(_) if self.is_stopped => {}
            Err(needs) if needs.is_empty() => {
                self.refuted.insert(key);
            }
            Err(needs) => {
                self.leaning.insert(key, needs.clone());
            }
        }
        ranked.map(|(_, rank)| rank)
    }

    /// The attacker's move and the rank. If all moves fail, their table entries are doubted; unless the path is the
    /// reason, they are searched again.
    fn attack(&mut self, pos: &G, depth: usize) -> Result<(G::Move, u32), Needs> {
        let mut needs = Needs::new();
        for _ in 0..AGAIN {
            needs.clear();
            let moves = self.moves(pos);
            for m in &moves {
                match self.rank(&pos.after(*m)) {
                    Ok(rest) => return Ok((*m, rest + 1)),
                    Err(own) => needs.extend(own),
                }
            }
            if self.is_stopped || moves.is_empty() {
                break;
            }
            moves.iter().for_each(|m| self.oracle.doubt(&pos.after(*m)));
            self.oracle.doubt(pos);
            needs.remove(&depth);
            if !needs.is_empty() {
                break;
            }
            self.forget_what_leans_on(depth);
        }
        Err(needs)
    }

    fn moves(&mut self, pos: &G) -> Vec<G::Move> {
        let Writing { oracle, go_on, found, is_stopped, .. } = self;
        let mut ask = || {
            *is_stopped |= !go_on(found.len());
            !*is_stopped
        };
        if !ask() {
            return Vec::new();
        }
        let moves = oracle.winning_moves(pos, &mut ask);
        if *is_stopped { Vec::new() } else { moves }
    }

    fn forget_what_leans_on(&mut self, depth: usize) {
        if !self.leaning.is_empty() {
            self.leaning.retain(|_, needs| !needs.contains(&depth));
        }
    }
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
