//! Depth-first proof-number search (df-pn): does a player win, whatever the other does?
//!
//! Each position has a proof number and a disproof number: how many positions at least must still be
//! settled to prove or to refute the win. The search always goes where a proof or refutation seems
//! cheapest. A position that repeats on the path counts as refuted on that path, so no proof ever leans
//! on a repetition; refutations may, so they are told to nobody.

use super::knowledge::Prove;
use super::strategy::{Oracle, won_at_sight};
use super::table::{INFINITE, Table};
use crate::control::{Meter, Share};
use crate::score::{PROVEN, WIN, is_proven};
use rules::{Game, Outcome, Player};
use std::collections::HashMap;

/// A proof search for one player.
pub struct Prover<'a, G: Game, E> {
    evaluator: &'a E,
    table: &'a mut Table,
    attacker: Player,
    path: Vec<u64>,
    meter: Meter<'a>,
    /// Positions since the search began, which weigh what the table keeps.
    nodes: u64,
    watch: Option<Watch<'a>>,
    game: std::marker::PhantomData<G>,
}

/// Is shown the table now and then while a search goes on.
pub type Watch<'a> = &'a mut dyn FnMut(&Table);

/// How many positions pass between two calls of a watch.
pub(super) const WATCHED: u64 = 1 << 14;

struct Child<M> {
    m: M,
    key: u64,
    /// Numbers that need no search and never change.
    settled: Option<(u32, u32)>,
    /// Whether it stands on the path already.
    repeats: bool,
}

/// Longer paths count as refuted, like repetitions: the memory for them is finite.
const MAX_PATH: usize = 400;

impl<'a, G: Game, E: Prove<Game = G>> Prover<'a, G, E> {
    /// Asks whether the attacker wins; `past` are the keys of positions that must not come again.
    pub fn new(
        evaluator: &'a E,
        table: &'a mut Table,
        share: impl Into<Share<'a>>,
        attacker: Player,
        past: &[u64],
    ) -> Self {
        Prover {
            evaluator,
            table,
            attacker,
            path: past.to_vec(),
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
        match self.settled(pos) {
            Some((proof, _)) => proof == 0,
            None => self.expand(pos, INFINITE, INFINITE).0 == 0,
        }
    }

    /// The proof and disproof numbers of a position, as far as they are known.
    pub fn numbers_of(&self, pos: &G) -> (u32, u32) {
        self.settled(pos).or_else(|| self.table.get(self.key(pos))).unwrap_or((1, 1))
    }

    /// A move that wins for certain, if the search finds one within its limits. The attacker must be to
    /// move.
    pub fn winning_move(&mut self, pos: &G) -> Option<G::Move> {
        if !self.proves(pos) {
            return None;
        }
        let children = self.children(pos);
        children.iter().find(|child| self.numbers(child).0 == 0).map(|child| child.m)
    }

    /// In how many turns of both players the proof of a position wins at the latest; nothing if parts of
    /// the proof have been forgotten, or if there are too many of them to be looked at.
    pub fn length(&mut self, pos: &G) -> Option<i32> {
        self.length_of(pos, &mut HashMap::new())
    }

    fn length_of(&mut self, pos: &G, known: &mut HashMap<u64, Option<i32>>) -> Option<i32> {
        match self.settled(pos) {
            Some((0, _)) if pos.outcome().is_some() => return Some(0),
            Some((0, _)) => return self.evaluator.known(pos).map(|score| WIN - score.abs()),
            Some(_) => return None,
            None => {}
        }
        let key = self.key(pos);
        if let Some(length) = known.get(&key) {
            return *length;
        }
        self.tick();
        if self.meter.is_stopped() {
            return None;
        }
        // A way that comes back to this position must not count as a proof.
        known.insert(key, None);
        let mut children = self.children(pos).into_iter();
        let mut length = |prover: &mut Self, m: G::Move| {
            let next = pos.after(m);
            Some(prover.length_of(&next, known)? + i32::from(next.turn() != pos.turn()))
        };
        let found = if pos.turn() == self.attacker {
            children.find_map(|child| {
                let proven = self.numbers(&child).0 == 0;
                proven.then(|| length(self, child.m)).flatten()
            })
        } else {
            children.try_fold(0, |longest, child| Some(length(self, child.m)?.max(longest)))
        };
        known.insert(key, found);
        found
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
            let repeats = self.path.contains(&next.key());
            Child { m, key: self.key(&next), settled: self.settled(&next), repeats }
        };
        let mut moves = pos.moves();
        self.evaluator.select(pos, &mut moves, |m| *m);
        moves.into_iter().map(child).collect()
    }

    fn numbers(&self, child: &Child<G::Move>) -> (u32, u32) {
        match child.settled {
            Some(numbers) => numbers,
            None if child.repeats => (INFINITE, 0),
            None => self.table.get(child.key).unwrap_or((1, 1)),
        }
    }

    /// Counts a position, and shows the table to the watch now and then.
    fn tick(&mut self) {
        self.meter.tick();
        self.nodes += 1;
        if self.nodes.is_multiple_of(WATCHED)
            && let Some(watch) = &mut self.watch
        {
            watch(self.table);
        }
    }

    /// Searches a position until one of its numbers reaches its limit.
    fn expand(&mut self, pos: &G, proof_limit: u32, disproof_limit: u32) -> (u32, u32) {
        self.tick();
        if self.path.len() > MAX_PATH {
            return (INFINITE, 0);
        }
        let (key, before) = (self.key(pos), self.nodes);
        let attacking = pos.turn() == self.attacker;
        self.path.push(pos.key());
        let children = self.children(pos);
        let numbers = loop {
            let (sum, best, second) = self.survey(&children, attacking);
            let least = best.map_or(INFINITE, |(_, least, _)| least);
            let numbers = if attacking { (least, sum) } else { (sum, least) };
            if self.meter.is_stopped()
                || numbers.0 >= proof_limit
                || numbers.1 >= disproof_limit
                || numbers.0 == 0
                || numbers.1 == 0
            {
                break numbers;
            }
            let Some((i, _, other)) = best else { break numbers };
            // The child may grow until its sibling is cheaper, or until this position has had enough.
            let rest = sum.saturating_sub(other);
            let least_limit = |limit: u32| limit.min(second.saturating_add(1 + second / 4));
            let (child_proof, child_disproof) = if attacking {
                (least_limit(proof_limit), disproof_limit.saturating_sub(rest))
            } else {
                (proof_limit.saturating_sub(rest), least_limit(disproof_limit))
            };
            let found = self.expand(&pos.after(children[i].m), child_proof, child_disproof);
            if self.meter.is_stopped() {
                break numbers;
            }
            if self.table.get(children[i].key) != Some(found) {
                self.table.put(children[i].key, found, 1);
            }
        };
        self.path.pop();
        if !self.meter.is_stopped() {
            self.table.put(key, numbers, self.nodes - before);
        }
        numbers
    }

    /// Over all children, from the view of the player to move: the sum of the numbers that add up, the
    /// child whose own number is least, and the second least of these. A sum is infinite only if a child settles
    /// the position. Ways that meet again are counted once for each, so it may well grow that large.
    #[allow(clippy::type_complexity)]
    fn survey(
        &self,
        children: &[Child<G::Move>],
        attacking: bool,
    ) -> (u32, Option<(usize, u32, u32)>, u32) {
        let (mut sum, mut best, mut second) = (0u32, None, INFINITE);
        for (i, child) in children.iter().enumerate() {
            let (proof, disproof) = self.numbers(child);
            let (own, other) = if attacking { (proof, disproof) } else { (disproof, proof) };
            sum = sum.saturating_add(other).min(INFINITE - 1);
            match best {
                Some((_, least, _)) if own >= least => second = second.min(own),
                _ => {
                    second = best.map_or(INFINITE, |(_, least, _)| least);
                    best = Some((i, own, other));
                }
            }
        }
        let settled = best.is_some_and(|(_, least, _)| least == 0);
        (if settled { INFINITE } else { sum }, best, second)
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
            let won = children.iter().filter(|child| prover.numbers(child).0 == 0);
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
