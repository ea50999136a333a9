//! Depth-first proof-number search (df-pn): does a player win, whatever the other does?
//!
//! Each position has a proof number and a disproof number: how many positions at least must still be
//! settled to prove or to refute the win. The search always goes where a proof or refutation seems
//! cheapest. A position that repeats on the path counts as refuted on that path, so no proof ever leans
//! on a repetition; refutations may, and are not given out.

use crate::control::{Control, Meter};
use crate::evaluate::Evaluate;
use crate::score::{PROVEN, WIN, is_proven};
use rules::{Game, Outcome, Player};
use std::collections::HashMap;

const INFINITE: u32 = 1 << 30;

/// What is known of a position: both numbers, and half of the key to recognise it.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    check: u32,
    proof: u32,
    disproof: u32,
}

/// The table of a proof search; what is least recent gives way.
#[derive(Debug)]
pub struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// A table of about so many mebibytes.
    pub fn new(mebibytes: usize) -> Table {
        let entries = ((mebibytes << 20) / size_of::<Entry>()).max(1);
        Table { entries: vec![Entry::default(); entries] }
    }

    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.entries.len() as u128) >> 64) as usize
    }

    fn get(&self, key: u64) -> Option<(u32, u32)> {
        let entry = self.entries[self.place(key)];
        let known = entry.check == key as u32 && (entry.proof, entry.disproof) != (0, 0);
        known.then_some((entry.proof, entry.disproof))
    }

    fn put(&mut self, key: u64, proof: u32, disproof: u32) {
        let place = self.place(key);
        self.entries[place] = Entry { check: key as u32, proof, disproof };
    }
}

/// A proof search for one player.
pub struct Prover<'a, G: Game, E> {
    evaluator: &'a E,
    table: &'a mut Table,
    attacker: Player,
    path: Vec<u64>,
    meter: Meter<'a>,
    game: std::marker::PhantomData<G>,
}

struct Child<M> {
    m: M,
    key: u64,
    /// A settled child never changes.
    settled: Option<(u32, u32)>,
    /// It stands on the path already.
    repeats: bool,
}

/// Paths longer than this are given up: the memory for them is finite.
const MAX_PATH: usize = 400;

impl<'a, G: Game, E: Evaluate<G>> Prover<'a, G, E> {
    /// A search whether the player to move wins; `past` are positions that must not come again.
    pub fn new(
        evaluator: &'a E,
        table: &'a mut Table,
        control: &'a Control,
        attacker: Player,
        past: &[u64],
    ) -> Self {
        Prover {
            evaluator,
            table,
            attacker,
            path: past.to_vec(),
            meter: Meter::new(control),
            game: std::marker::PhantomData,
        }
    }

    /// A move that wins for certain, if the search finds one within its limits. The attacker must be to
    /// move.
    pub fn winning_move(&mut self, pos: &G) -> Option<G::Move> {
        if self.settled(pos) != Some((0, INFINITE)) {
            let (proof, _) = self.expand(pos, INFINITE - 1, INFINITE - 1);
            if proof != 0 {
                return None;
            }
        }
        let children = self.children(pos);
        children.iter().find(|child| self.numbers(child).0 == 0).map(|child| child.m)
    }

    /// All moves that are proven to win; if none is known, a search looks for one first.
    pub fn winning_moves(&mut self, pos: &G) -> Vec<G::Move> {
        let proven = |prover: &Self| -> Vec<G::Move> {
            let children = prover.children(pos);
            children
                .iter()
                .filter(|child| prover.numbers(child).0 == 0)
                .map(|child| child.m)
                .collect()
        };
        let known = proven(self);
        if !known.is_empty() {
            return known;
        }
        self.winning_move(pos);
        proven(self)
    }

    /// Whether a position needs no search to be a win for the attacker.
    pub fn is_won_at_sight(&self, pos: &G) -> bool {
        self.settled(pos) == Some((0, INFINITE))
    }

    /// In how many turns of both players the proof of a position wins at the latest; nothing if parts of
    /// the proof have been forgotten.
    pub fn length(&self, pos: &G, known: &mut HashMap<u64, Option<i32>>) -> Option<i32> {
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
        // A way that comes back to this position must not count as a proof.
        known.insert(key, None);
        let children = self.children(pos);
        let proven = children.iter().filter(|child| self.numbers(child).0 == 0);
        let length = |child: &Child<G::Move>, known: &mut _| {
            let next = pos.after(child.m);
            Some(self.length(&next, known)? + i32::from(next.turn() != pos.turn()))
        };
        let found = if pos.turn() == self.attacker {
            proven.filter_map(|child| length(child, known)).next()
        } else {
            children.iter().try_fold(0, |longest, child| Some(length(child, known)?.max(longest)))
        };
        known.insert(key, found);
        found
    }

    /// How many positions this search has not yet reported.
    pub fn unreported(&self) -> u64 {
        self.meter.unreported()
    }

    /// The same position asks different questions when the attacker and when the defender is to move.
    pub fn key(&self, pos: &G) -> u64 {
        const ATTACKING: u64 = 0xd1b5_4a32_d192_ed03;
        self.evaluator.proof_key(pos) ^ if pos.turn() == self.attacker { ATTACKING } else { 0 }
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

    fn children(&self, pos: &G) -> Vec<Child<G::Move>> {
        let child = |m: G::Move| {
            let next = pos.after(m);
            let repeats = self.path.contains(&next.key());
            Child { m, key: self.key(&next), settled: self.settled(&next), repeats }
        };
        pos.moves().into_iter().map(child).collect()
    }

    fn numbers(&self, child: &Child<G::Move>) -> (u32, u32) {
        match child.settled {
            Some(numbers) => numbers,
            None if child.repeats => (INFINITE, 0),
            None => self.table.get(child.key).unwrap_or((1, 1)),
        }
    }

    /// Searches a position until one of its numbers reaches its limit.
    fn expand(&mut self, pos: &G, proof_limit: u32, disproof_limit: u32) -> (u32, u32) {
        self.meter.tick();
        let key = self.key(pos);
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
                || self.path.len() > MAX_PATH
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
            let next = pos.after(children[i].m);
            let found = self.expand(&next, child_proof, child_disproof);
            if self.meter.is_stopped() {
                break numbers;
            }
            self.table.put(children[i].key, found.0, found.1);
        };
        self.path.pop();
        if !self.meter.is_stopped() {
            self.table.put(key, numbers.0, numbers.1);
        }
        numbers
    }

    /// Over all children, from the view of the player to move: the sum of the numbers that add up, the
    /// child whose own number is least, and the second least of these.
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
            sum = sum.saturating_add(other).min(INFINITE);
            match best {
                Some((_, least, _)) if own >= least => second = second.min(own),
                _ => {
                    second = best.map_or(INFINITE, |(_, least, _)| least);
                    best = Some((i, own, other));
                }
            }
        }
        (sum, best, second)
    }
}
