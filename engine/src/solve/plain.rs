//! A second bounded search, which shares nothing with the first but the rules, to confirm bounds without a win.
//!
//! It stores whole positions instead of hashes, prunes nothing and knows nothing about any game. So it is slow, and a
//! bound on which both agree rests on the rules alone.

use crate::control::{Meter, Share};
use crate::solve::proof::WATCHED;
use rules::{ByPlayer, Game, Outcome, Player, Symmetric};
use std::cmp::Reverse;
use std::collections::HashMap;

/// The bounds within which the attacker is known to win, or not to.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The largest bound without a win, and one more.
    fails: u8,
    /// The least bound with a win.
    wins: u8,
}

/// What is known of positions, each by its canonical image.
#[derive(Debug)]
pub struct Memory<G> {
    known: HashMap<G, Known>,
    most: usize,
}

impl<G: Game> Memory<G> {
    /// A memory of about this many MiB. Nothing is evicted: once it is full, nothing more is stored.
    pub fn new(mebibytes: usize) -> Memory<G> {
        // A map doubles when it grows, and meanwhile holds the old table and the new one.
        let most = (mebibytes << 20) / (3 * (size_of::<(G, Known)>() + 1));
        Memory { known: HashMap::new(), most }
    }
}

/// Positions with fewer turns left are searched again instead of being stored.
const STORED: u32 = 3;

/// A search for one player's win.
pub struct Plain<'a, G: Game> {
    memory: &'a mut Memory<G>,
    attacker: Player,
    meter: Meter<'a>,
    /// How much each move has decided so far, by player: the order in which moves are tried.
    decided: HashMap<G::Move, ByPlayer<u64>>,
    nodes: u64,
    watch: &'a mut dyn FnMut(),
}

impl<'a, G: Symmetric> Plain<'a, G> {
    /// A search that calls `watch` now and then.
    pub fn new(
        memory: &'a mut Memory<G>,
        share: impl Into<Share<'a>>,
        attacker: Player,
        watch: &'a mut dyn FnMut(),
    ) -> Self {
        let meter = share.into().meter();
        Plain { memory, attacker, meter, decided: HashMap::new(), nodes: 0, watch }
    }

    /// Whether the attacker can force a win within this many turns of both players; `None` if a limit stopped the
    /// search.
    pub fn wins(&mut self, pos: &G, bound: u32) -> Option<bool> {
        let found = self.search(pos, bound);
        (!self.meter.is_stopped()).then_some(found)
    }

    /// Nodes so far.
    pub fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    fn tick(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(WATCHED) {
            (self.watch)();
        }
        self.meter.tick()
    }

    fn search(&mut self, pos: &G, left: u32) -> bool {
        if self.tick() {
            return false;
        }
        if let Some(outcome) = pos.outcome() {
            return outcome == Outcome::Win(self.attacker);
        }
        if left == 0 {
            return false;
        }
        let stored = (left >= STORED).then(|| pos.canonical().0);
        let known = stored.as_ref().and_then(|stored| self.memory.known.get(stored).copied());
        let Known { fails, wins } = known.unwrap_or(Known { fails: 0, wins: u8::MAX });
        if left < u32::from(fails) || left >= u32::from(wins) {
            return left >= u32::from(wins);
        }
        let found = self.try_moves(pos, left);
        if self.meter.is_stopped() {
            return false;
        }
        let bound = left.min(u32::from(u8::MAX) - 1) as u8;
        let known =
            if found { Known { fails, wins: bound } } else { Known { fails: bound + 1, wins } };
        if let Some(stored) = stored
            && (self.memory.known.len() < self.memory.most
                || self.memory.known.contains_key(&stored))
        {
            self.memory.known.insert(stored, known);
        }
        found
    }

    fn try_moves(&mut self, pos: &G, left: u32) -> bool {
        let (player, attacking) = (pos.turn(), pos.turn() == self.attacker);
        let mut moves = pos.moves();
        if left > 1 {
            let decided = |m: &G::Move| self.decided.get(m).map_or(0, |both| both[player]);
            moves.sort_by_cached_key(|m| Reverse(decided(m)));
        }
        for m in moves {
            let next = pos.after(m);
            let ends = next.turn() != player || next.outcome().is_some();
            if self.search(&next, left - u32::from(ends)) == attacking {
                self.decided.entry(m).or_default()[player] += u64::from(left * left);
                return attacking;
            }
            if self.meter.is_stopped() {
                return false;
            }
        }
        !attacking
    }
}
