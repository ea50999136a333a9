//! Depth-first proof-number search (df-pn): can a player force a win?
//!
//! A position's proof number and disproof number are the least numbers of positions that must still be
//! settled to prove or to disprove the win. The search always expands the most-proving node.
//!
//! A position that repeats on the path, or an image of one, counts as disproved on that path, so no proof
//! ever depends on a repetition. A disproof may, and then it holds only while that position is on the path
//! (the graph history interaction problem). So each disproof records the topmost position it depends on and
//! is not used elsewhere. It may depend on others below that one, which are not recorded: disproofs are never
//! reported.

use super::knowledge::Prove;
use super::strategy::{Oracle, won_at_sight};
use super::table::{INFINITE, Table};
use crate::control::{Meter, Share};
use crate::score::{PROVEN, is_proven};
use rules::{Game, Outcome, Player};

/// A proof search for one player.
pub struct Prover<'a, G: Game, E> {
    evaluator: &'a E,
    table: &'a mut Table,
    attacker: Player,
    path: Vec<u64>,
    /// The root's proof and disproof numbers.
    numbers: (u32, u32),
    meter: Meter<'a>,
    /// Nodes since the search began, for the table's replacement by cost.
    nodes: u64,
    watch: Option<Watch<'a>>,
    game: std::marker::PhantomData<G>,
}

/// Called now and then during a search, with the table and the root's numbers.
pub type Watch<'a> = &'a mut dyn FnMut(&Table, (u32, u32));

/// Nodes between two calls of a watch.
pub(super) const WATCHED: u64 = 1 << 14;

struct Child<M> {
    m: M,
    key: u64,
    /// Numbers of a child that needs no search, or none on this path.
    settled: Option<Numbers>,
    /// Its initial number while it is unexpanded.
    cost: Option<u32>,
}

/// The child to expand next.
struct Next {
    /// The child with the least number for the player to move.
    child: usize,
    /// The second least of those numbers.
    second: u32,
    /// The other children's share of the number that is a sum over all.
    rest: u32,
}

/// The numbers of a position on a path.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    proof: u32,
    disproof: u32,
    /// What a disproof depends on: the length of the path down to the topmost position it needs, `0` if it
    /// needs the whole path, `ALONE` if it needs none of it.
    leans: usize,
}

/// A disproof that does not depend on the path.
const ALONE: usize = usize::MAX;

/// Marks a table entry whose disproof depends on a position; the rest of its proof number identifies it.
const LEANS: u32 = 1 << 31;

/// The proof number of a position that a repetition disproved on another path: less promising than a new one.
const AGAIN: u32 = 4;

/// Longer paths count as disproved, like repetitions, to bound memory.
const MAX_PATH: usize = 400;

impl Numbers {
    const fn new(proof: u32, disproof: u32) -> Numbers {
        Numbers { proof, disproof, leans: ALONE }
    }

    fn refuted(leans: usize) -> Numbers {
        Numbers { proof: INFINITE, disproof: 0, leans }
    }

    fn pair(self) -> (u32, u32) {
        (self.proof, self.disproof)
    }
}

/// The part of a key that the table stores for the position a disproof depends on.
fn trace(key: u64) -> u32 {
    (key >> 33) as u32
}

impl<'a, G: Game, E: Prove<Game = G>> Prover<'a, G, E> {
    /// A search for a win of the attacker.
    pub fn new(
        evaluator: &'a E,
        table: &'a mut Table,
        share: impl Into<Share<'a>>,
        attacker: Player,
    ) -> Self {
        Prover {
            evaluator,
            table,
            attacker,
            path: Vec::new(),
            numbers: (1, 1),
            meter: share.into().meter(),
            nodes: 0,
            watch: None,
            game: std::marker::PhantomData,
        }
    }

    /// Calls `watch` now and then during the search.
    #[must_use]
    pub fn watched(mut self, watch: Watch<'a>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Searches for a proof within the limits; whether the attacker is proven to win.
    pub fn proves(&mut self, pos: &G) -> bool {
        self.numbers = match self.settled(pos) {
            Some(numbers) => numbers,
            None => self.expand(pos, INFINITE, INFINITE).pair(),
        };
        self.numbers.0 == 0
    }

    /// The proof and disproof numbers of the last root.
    pub fn outlook(&self) -> (u32, u32) {
        self.numbers
    }

    /// A proven winning move, if the search finds one within its limits. The attacker must be to move.
    pub fn winning_move(&mut self, pos: &G) -> Option<G::Move> {
        if !self.proves(pos) {
            return None;
        }
        let children = self.children(pos);
        children.iter().find(|child| self.numbers(child, true).proof == 0).map(|child| child.m)
    }

    /// Nodes so far, those of earlier searches included.
    pub fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    /// Whether a limit stopped the search.
    pub fn is_stopped(&self) -> bool {
        self.meter.is_stopped()
    }

    /// The numbers of a position that needs no search.
    fn settled(&self, pos: &G) -> Option<(u32, u32)> {
        let won = (0, INFINITE);
        let lost = (INFINITE, 0);
        if let Some(outcome) = pos.outcome() {
            return Some(if outcome == Outcome::Win(self.attacker) { won } else { lost });
        }
        let score = self.evaluator.known(pos).filter(|score| is_proven(*score))?;
        let mover_wins = score >= PROVEN;
        Some(if mover_wins == (pos.turn() == self.attacker) { won } else { lost })
    }

    /// The children, without those that are known to lose for their mover.
    fn children(&self, pos: &G) -> Vec<Child<G::Move>> {
        let child = |m: G::Move| {
            let next = pos.after(m);
            let key = self.key(&next);
            let known = self.settled(&next).map(|(proof, disproof)| Numbers::new(proof, disproof));
            let repeats = || self.on_path(|past| past == key).map(Numbers::refuted);
            let settled = known.or_else(repeats);
            let cost = if settled.is_none() { self.evaluator.cost(&next) } else { None };
            Child { m, key, settled, cost }
        };
        let mut moves = pos.moves();
        self.evaluator.prune(pos, &mut moves, |m| *m);
        moves.into_iter().map(child).collect()
    }

    /// The length of the path down to the last occurrence of a key.
    fn on_path(&self, is_it: impl Fn(u64) -> bool) -> Option<usize> {
        self.path.iter().rposition(|key| is_it(*key)).map(|i| i + 1)
    }

    /// The numbers of a child, whose parent has the attacker or the defender to move.
    fn numbers(&self, child: &Child<G::Move>, attacking: bool) -> Numbers {
        let cost = child.cost.unwrap_or(1);
        let kept = || match self.table.get(child.key) {
            None if attacking => Numbers::new(cost, 1),
            None => Numbers::new(1, cost),
            Some((proof, _)) if proof & LEANS != 0 => self
                .on_path(|key| trace(key) == proof & !LEANS)
                .map_or(Numbers::new(AGAIN, 1), Numbers::refuted),
            Some((proof, disproof)) => Numbers::new(proof, disproof),
        };
        child.settled.unwrap_or_else(kept)
    }

    /// Counts a node and calls the watch now and then.
    fn tick(&mut self) {
        self.meter.tick();
        self.nodes += 1;
        if self.nodes.is_multiple_of(WATCHED)
            && let Some(watch) = &mut self.watch
        {
            watch(self.table, self.numbers);
        }
    }

    /// Expands a position until one of its numbers reaches its threshold.
    fn expand(&mut self, pos: &G, proof_limit: u32, disproof_limit: u32) -> Numbers {
        self.tick();
        let above = self.path.len();
        if above > MAX_PATH {
            return Numbers::refuted(0);
        }
        let (key, before) = (self.key(pos), self.nodes);
        let attacking = pos.turn() == self.attacker;
        self.path.push(key);
        let mut children = self.children(pos);
        let mut numbers = loop {
            let (numbers, next) = self.survey(&children, attacking);
            if above == 0 {
                self.numbers = numbers.pair();
            }
            if self.meter.is_stopped()
                || numbers.proof >= proof_limit
                || numbers.disproof >= disproof_limit
                || numbers.proof == 0
                || numbers.disproof == 0
            {
                break numbers;
            }
            let Some(Next { child, second, rest }) = next else { break numbers };
            // The child's threshold: until its best sibling becomes cheaper, or the parent reaches its own
            // threshold.
            let least_limit = |limit: u32| limit.min(second.saturating_add(1 + second / 4));
            let (child_proof, child_disproof) = if attacking {
                (least_limit(proof_limit), disproof_limit.saturating_sub(rest))
            } else {
                (proof_limit.saturating_sub(rest), least_limit(disproof_limit))
            };
            let child = &mut children[child];
            let found = self.expand(&pos.after(child.m), child_proof, child_disproof);
            if self.meter.is_stopped() {
                break numbers;
            }
            if found.disproof == 0 {
                child.settled = Some(found);
            } else if self.table.get(child.key) != Some(found.pair()) {
                self.table.put(child.key, found.pair(), 1);
            }
        };
        self.path.pop();
        // A disproof that depends only on this position itself holds on any path.
        if numbers.leans > above {
            numbers.leans = ALONE;
        }
        self.remember(key, numbers, self.nodes - before);
        numbers
    }

    fn remember(&mut self, key: u64, numbers: Numbers, work: u64) {
        let Numbers { proof, disproof, leans } = numbers;
        match leans {
            _ if self.meter.is_stopped() => {}
            ALONE => self.table.put(key, (proof, disproof), work),
            0 => {}
            _ => self.table.put(key, (LEANS | trace(self.path[leans - 1]), 0), work),
        }
    }

    /// The numbers of a position computed from its children's, and the child to expand next. They are
    /// infinite only if the children settle the position: transpositions are counted several times, so sums
    /// are capped below infinity.
    fn survey(&self, children: &[Child<G::Move>], attacking: bool) -> (Numbers, Option<Next>) {
        let (mut sum, mut most, mut open) = (0u32, 0, 0u32);
        let (mut least, mut second, mut best) = (INFINITE, INFINITE, None);
        // The attacker is disproved by all children together, the defender by the one that depends on least.
        let mut leans = if attacking { ALONE } else { 0 };
        for (i, child) in children.iter().enumerate() {
            let numbers = self.numbers(child, attacking);
            let (proof, disproof) = numbers.pair();
            let (own, other) = if attacking { (proof, disproof) } else { (disproof, proof) };
            sum = sum.saturating_add(other);
            most = most.max(other);
            open += u32::from(other > 0);
            if disproof == 0 {
                let pick = if attacking { usize::min } else { usize::max };
                leans = pick(leans, numbers.leans);
            }
            if best.is_some() && own >= least {
                second = second.min(own);
            } else {
                (second, least, best) = (least, own, Some((i, other)));
            }
        }
        let adds_up = children.iter().all(|child| child.cost.is_none());
        let others = open.saturating_sub(1);
        let all = if adds_up { sum } else { most.saturating_add(others) }.min(INFINITE - 1);
        let next = best.map(|(child, other)| {
            let rest = if adds_up { all.saturating_sub(other) } else { others };
            Next { child, second, rest }
        });
        let all = if least == 0 { INFINITE } else { all };
        let (proof, disproof) = if attacking { (least, all) } else { (all, least) };
        let leans = if disproof == 0 { leans } else { ALONE };
        (Numbers { proof, disproof, leans }, next)
    }
}

impl<G: Game, E: Prove<Game = G>> Oracle<G> for Prover<'_, G, E> {
    fn attacker(&self) -> Player {
        self.attacker
    }

    fn key(&self, pos: &G) -> u64 {
        // A proof key may be equal for positions with the attacker and with the defender to move.
        const ATTACKING: u64 = 0xd1b5_4a32_d192_ed03;
        self.evaluator.proof_key(pos) ^ if pos.turn() == self.attacker { ATTACKING } else { 0 }
    }

    fn won_at_sight(&self, pos: &G) -> Option<u32> {
        won_at_sight(self.evaluator, self.attacker, pos)
    }

    /// All proven winning moves; if the table has none, searches for one first.
    fn winning_moves(&mut self, pos: &G, _go_on: &mut dyn FnMut() -> bool) -> Vec<G::Move> {
        let proven = |prover: &Self| -> Vec<G::Move> {
            let children = prover.children(pos);
            let won = children.iter().filter(|child| prover.numbers(child, true).proof == 0);
            won.map(|child| child.m).collect()
        };
        let known = proven(self);
        if !known.is_empty() {
            return known;
        }
        self.winning_move(pos);
        proven(self)
    }

    fn doubt(&mut self, pos: &G) {
        let key = self.key(pos);
        if self.table.get(key).is_some_and(|(proof, _)| proof == 0) {
            self.table.put(key, (1, 1), 1);
        }
    }
}
