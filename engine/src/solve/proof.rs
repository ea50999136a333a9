//! Depth-first proof-number search (df-pn): does a player win, whatever the other does?
//!
//! Each position has a proof number and a disproof number: how many positions at least must still be
//! settled to prove or to refute the win. The search always goes where a proof or refutation seems
//! cheapest.
//!
//! A position that repeats on the path, or an image of it, counts as refuted on that path: no proof ever leans on
//! a repetition. Refutations may, and then they hold only where that position is on the path. So each knows the topmost
//! position that it leans on, and is not believed elsewhere. (It may lean on others below that one, which nobody
//! looks for: a refutation is told to nobody.)

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
    /// The numbers of the position that is asked about.
    numbers: (u32, u32),
    meter: Meter<'a>,
    /// Positions since the search began, which weigh what the table keeps.
    nodes: u64,
    watch: Option<Watch<'a>>,
    game: std::marker::PhantomData<G>,
}

/// Is shown the table and the numbers of the position in question now and then while a search goes on.
pub type Watch<'a> = &'a mut dyn FnMut(&Table, (u32, u32));

/// How many positions pass between two calls of a watch.
pub(super) const WATCHED: u64 = 1 << 14;

struct Child<M> {
    m: M,
    key: u64,
    /// Numbers that need no search, or no more on this path.
    settled: Option<Numbers>,
    /// What it is taken to cost until it was looked at.
    cost: Option<u32>,
}

/// Where a search goes on.
struct Next {
    /// The child whose number is least for the player to move.
    child: usize,
    /// The second least of these numbers.
    second: u32,
    /// What the other children have in the number that grows with each of them.
    rest: u32,
}

/// What is known of a position on a path.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    proof: u32,
    disproof: u32,
    /// What a refutation leans on: the number of positions on the path down to the topmost that it needs there,
    /// `0` if it needs the whole path, `ALONE` if it needs none.
    leans: usize,
}

/// A refutation that needs no position on the path.
const ALONE: usize = usize::MAX;

/// Marks the refutation in the table that leans on a position; the rest of its proof number tells on which.
const LEANS: u32 = 1 << 31;

/// The proof number of a position that a repetition has refuted on another path: worth less than a new one.
const AGAIN: u32 = 4;

/// Longer paths count as refuted, like repetitions: the memory for them is finite.
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

/// What a table keeps of the key that a refutation leans on.
fn trace(key: u64) -> u32 {
    (key >> 33) as u32
}

impl<'a, G: Game, E: Prove<Game = G>> Prover<'a, G, E> {
    /// Asks whether the attacker wins.
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

    /// The same search, which shows its table to `watch` now and then.
    #[must_use]
    pub fn watched(mut self, watch: Watch<'a>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Whether the attacker is proven to win here; looks for a proof within the limits.
    pub fn proves(&mut self, pos: &G) -> bool {
        self.numbers = match self.settled(pos) {
            Some(numbers) => numbers,
            None => self.expand(pos, INFINITE, INFINITE).pair(),
        };
        self.numbers.0 == 0
    }

    /// The proof and disproof numbers of the position that was asked about last.
    pub fn outlook(&self) -> (u32, u32) {
        self.numbers
    }

    /// A move that wins for certain, if the search finds one within its limits. The attacker must be to
    /// move.
    pub fn winning_move(&mut self, pos: &G) -> Option<G::Move> {
        if !self.proves(pos) {
            return None;
        }
        let children = self.children(pos);
        children.iter().find(|child| self.numbers(child, true).proof == 0).map(|child| child.m)
    }

    /// How many positions have been looked at so far, those of earlier searches included.
    pub fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    /// Whether a limit has ended the search.
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

    /// The children that count: those that are certain to lose for their mover are left out.
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
        self.evaluator.select(pos, &mut moves, |m| *m);
        moves.into_iter().map(child).collect()
    }

    /// The number of positions on the path down to the last such one.
    fn on_path(&self, is_it: impl Fn(u64) -> bool) -> Option<usize> {
        self.path.iter().rposition(|key| is_it(*key)).map(|i| i + 1)
    }

    /// What is known of a child of a position with the attacker to move, or with the defender.
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

    /// Counts a position, and shows the table to the watch now and then.
    fn tick(&mut self) {
        self.meter.tick();
        self.nodes += 1;
        if self.nodes.is_multiple_of(WATCHED)
            && let Some(watch) = &mut self.watch
        {
            watch(self.table, self.numbers);
        }
    }

    /// Searches a position until one of its numbers reaches its limit.
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
            // The child may grow until its sibling is cheaper, or until this position has had enough.
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
        // A line that comes back to this position refutes it wherever it stands.
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

    /// The numbers of a position by those of its children, and where to go on. They are infinite only if a child
    /// settles the position: ways that meet again are counted once for each, so sums may well grow that large.
    fn survey(&self, children: &[Child<G::Move>], attacking: bool) -> (Numbers, Option<Next>) {
        let (mut sum, mut most, mut open) = (0u32, 0, 0u32);
        let (mut least, mut second, mut best) = (INFINITE, INFINITE, None);
        // The attacker is refuted by all children, the defender's refutation is the one that needs least.
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

    /// The same position asks different questions when the attacker and when the defender is to move.
    fn key(&self, pos: &G) -> u64 {
        const ATTACKING: u64 = 0xd1b5_4a32_d192_ed03;
        self.evaluator.proof_key(pos) ^ if pos.turn() == self.attacker { ATTACKING } else { 0 }
    }

    fn won_at_sight(&self, pos: &G) -> Option<u32> {
        won_at_sight(self.evaluator, self.attacker, pos)
    }

    /// All moves that are proven to win; if none is known, a search looks for one first.
    fn winning_moves(&mut self, pos: &G) -> Vec<G::Move> {
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
}
