//! Bounded search: can a player force a win within this many turns?
//!
//! An AND/OR search without pruning by estimates. The bound shrinks with every turn, so no position repeats
//! on a path, and a "no" is as certain as a "yes". It uses what the evaluator knows: a position that `known`
//! calls won counts as won if the bound leaves room for it, and the attacker's moves that `prune` rejects are
//! skipped.

use super::knowledge::Prove;
use super::proof::WATCHED;
use super::strategy::{Oracle, won_at_sight};
use crate::control::{Meter, Share};
use crate::evaluate::{SLOT_BITS, score_moves};
use crate::score::{WIN, is_proven};
use rules::{ByPlayer, Game, Outcome, Player};

/// What a bound counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Turns of both players, up to the end of the game.
    Turns,
    /// Turns of both players that the evaluator does not call free, up to a position that it calls won.
    Quiet,
}

/// A table entry: the bounds within which the attacker is known to win, or not to.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// The lower 40 bits of the key, in two parts; the upper bits choose the bucket.
    check: u32,
    more: u8,
    best: u8,
    /// One more than the largest bound without a win.
    fails: u8,
    /// 255 minus the smallest bound with a win.
    wins: u8,
}

/// The transposition table of a bounded search, of fixed size.
#[derive(Debug)]
pub struct Bounds {
    places: Vec<[Entry; 2]>,
}

impl Entry {
    fn is_of(&self, key: u64) -> bool {
        (self.check, self.more) == (key as u32, (key >> 32) as u8)
    }
}

impl Bounds {
    /// A table of about this many MiB.
    pub fn new(mebibytes: usize) -> Bounds {
        let places = ((mebibytes << 20) / size_of::<[Entry; 2]>()).max(1);
        Bounds { places: vec![Default::default(); places] }
    }

    /// Clears the table.
    pub fn clear(&mut self) {
        self.places.fill(Default::default());
    }

    fn place(&self, key: u64) -> usize {
        ((u128::from(key) * self.places.len() as u128) >> 64) as usize
    }

    #[inline]
    fn get(&self, key: u64) -> Option<Entry> {
        self.places[self.place(key)].into_iter().find(|entry| entry.is_of(key))
    }

    /// The first entry of a bucket is replaced only by larger bounds, the second always.
    #[inline]
    fn put(&mut self, key: u64, entry: Entry) {
        let place = self.place(key);
        let [first, second] = &mut self.places[place];
        let known = first.is_of(key);
        if known || first.fails <= entry.fails {
            if !known {
                *second = *first;
            }
            *first = entry;
        } else {
            *second = entry;
        }
    }
}

/// A bounded search for one player's win.
pub struct Bounder<'a, G: Game, E> {
    evaluator: &'a E,
    table: &'a mut Bounds,
    attacker: Player,
    count: Count,
    meter: Meter<'a>,
    /// History heuristic: how often each move decided a position, by player.
    history: Vec<ByPlayer<i32>>,
    nodes: u64,
    /// The largest bound searched so far.
    most: u32,
    /// The first turn of the win found last, its last move first; recorded on request only.
    turn: Option<(u32, Vec<G::Move>)>,
    watch: Option<&'a mut dyn FnMut()>,
    game: std::marker::PhantomData<G>,
}

/// Maximum path length; only an evaluator that calls too many moves free could exceed it.
const DEEPEST: usize = 250;

impl<'a, G: Game, E: Prove<Game = G>> Bounder<'a, G, E> {
    /// A search for a win of the attacker.
    pub fn new(
        evaluator: &'a E,
        table: &'a mut Bounds,
        share: impl Into<Share<'a>>,
        attacker: Player,
        count: Count,
    ) -> Self {
        let history = vec![ByPlayer::both(0); 1 << SLOT_BITS];
        let meter = share.into().meter();
        Bounder {
            evaluator,
            table,
            attacker,
            count,
            meter,
            history,
            nodes: 0,
            most: 0,
            turn: None,
            watch: None,
            game: std::marker::PhantomData,
        }
    }

    /// Calls `watch` now and then during the search.
    #[must_use]
    pub fn watched(mut self, watch: &'a mut dyn FnMut()) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Records the first turn of each win.
    #[must_use]
    pub fn keeping_turn(mut self) -> Self {
        self.turn = Some((0, Vec::new()));
        self
    }

    /// Counts a node, calls the watch now and then, and returns whether to stop.
    fn tick(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes.is_multiple_of(WATCHED)
            && let Some(watch) = &mut self.watch
        {
            watch();
        }
        self.meter.tick()
    }

    /// Whether the attacker can force a win within the bound; `None` if a limit stopped the search.
    pub fn wins(&mut self, pos: &G, bound: u32) -> Option<bool> {
        self.most = self.most.max(bound);
        if let Some(turn) = &mut self.turn {
            *turn = (bound, Vec::new());
        }
        let found = self.search(pos, bound, 0);
        (!self.meter.is_stopped()).then_some(found)
    }

    /// The first turn of the win found last, if it was recorded. It is a whole turn, unless the evaluator
    /// knows that the rest of the turn wins.
    pub fn winning_turn(&self) -> Vec<G::Move> {
        self.turn.iter().flat_map(|(_, moves)| moves.iter().rev().copied()).collect()
    }

    /// A line that wins within a bound for which `wins` was true; the defender resists as long as possible.
    pub fn line(&mut self, pos: &G, bound: u32) -> Vec<G::Move> {
        let (mut pos, mut left) = (pos.clone(), bound);
        let mut line = Vec::new();
        while pos.outcome().is_none() && line.len() < DEEPEST {
            let Some((m, need)) = self.next_of_line(&pos, left) else { break };
            line.push(m);
            pos.play_unchecked(m);
            left = need;
        }
        line
    }

    /// A move of the attacker that wins within the bound, or the defender's most stubborn move, and the bound
    /// left after it.
    fn next_of_line(&mut self, pos: &G, left: u32) -> Option<(G::Move, u32)> {
        let attacking = pos.turn() == self.attacker;
        let mut best = None;
        for m in pos.moves() {
            let next = pos.after(m);
            let Some(most) = left.checked_sub(self.cost(pos, m, &next)) else { continue };
            if attacking && self.wins(&next, most) == Some(true) {
                return Some((m, most));
            }
            if !attacking {
                let need = (0..=most).find(|bound| self.wins(&next, *bound) == Some(true))?;
                best = best.filter(|(_, worst)| *worst >= need).or(Some((m, need)));
            }
        }
        best
    }

    /// Nodes so far, those of earlier searches included.
    pub fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    /// The first move of the quickest win within the bound; the attacker must be to move.
    fn quickest(&mut self, pos: &G) -> Option<G::Move> {
        let bound = (0..=self.most).find(|bound| self.search(pos, *bound, 0))?;
        let best = self.table.get(self.position_key(pos)).filter(|entry| entry.best > 0);
        let moves = pos.moves();
        let best = best.and_then(|entry| moves.get(usize::from(entry.best) - 1).copied());
        best.into_iter().chain(moves).find(|m| {
            let next = pos.after(*m);
            let rest = bound.checked_sub(self.cost(pos, *m, &next));
            rest.is_some_and(|rest| self.search(&next, rest, 0))
        })
    }

    fn position_key(&self, pos: &G) -> u64 {
        const ATTACKING: u64 = 0xd1b5_4a32_d192_ed03;
        self.evaluator.proof_key(pos) ^ if pos.turn() == self.attacker { ATTACKING } else { 0 }
    }

    /// How much of the bound a move uses up.
    #[inline]
    fn cost(&self, pos: &G, m: G::Move, next: &G) -> u32 {
        let ends_turn = next.turn() != pos.turn() || next.outcome().is_some();
        let free = self.count == Count::Quiet && self.evaluator.is_extended(pos, m, next);
        u32::from(ends_turn && !free)
    }

    fn search(&mut self, pos: &G, left: u32, depth: usize) -> bool {
        if self.tick() || depth > DEEPEST {
            return false;
        }
        if let Some(outcome) = pos.outcome() {
            return outcome == Outcome::Win(self.attacker);
        }
        let attacking = pos.turn() == self.attacker;
        let known = self.evaluator.known(pos).filter(|score| is_proven(*score));
        if let Some(score) = known {
            let wins = (score > 0) == attacking;
            // A known win may not be the quickest: if it exceeds the bound, search all moves.
            if !wins || self.count == Count::Quiet || (WIN - score.abs()) as u32 <= left {
                return wins;
            }
        }
        if self.count == Count::Turns && !self.is_open(pos, left) {
            return false;
        }
        let key = self.position_key(pos);
        let entry = self.table.get(key);
        let first_turn = attacking && self.turn.as_ref().is_some_and(|(asked, _)| left == *asked);
        if let Some(entry) = entry {
            if left < u32::from(entry.fails) {
                return false;
            }
            // The table has no moves, so it cannot answer within a turn that is being recorded.
            if entry.wins > 0 && left >= u32::from(255 - entry.wins) && !first_turn {
                return true;
            }
        }
        let best = entry.filter(|entry| entry.best > 0).map(|entry| u16::from(entry.best) - 1);
        // A losing move may still outlast the bound.
        let prune = known.is_none() && (attacking || self.count == Count::Quiet);
        let (found, best) = self.try_moves(pos, left, depth, prune, best);
        if first_turn
            && found
            && let Some((_, turn)) = &mut self.turn
        {
            turn.extend(best.and_then(|index| pos.moves().get(usize::from(index)).copied()));
        }
        if !self.meter.is_stopped() {
            self.learn(key, entry, left, found, best);
        }
        found
    }

    /// Whether the bound leaves room for a win that is not known yet.
    fn is_open(&self, pos: &G, left: u32) -> bool {
        match left {
            0 => false,
            1 if pos.turn() == self.attacker => !self.evaluator.overlooks_no_win(pos),
            _ => true,
        }
    }

    /// Whether the attacker wins, and the index of the move that decided it.
    fn try_moves(
        &mut self,
        pos: &G,
        left: u32,
        depth: usize,
        prune: bool,
        best: Option<u16>,
    ) -> (bool, Option<u16>) {
        let attacking = pos.turn() == self.attacker;
        let player = pos.turn();
        let mut moves: Vec<(u16, G::Move)> = (0u16..).zip(pos.moves()).collect();
        if prune {
            self.evaluator.prune(pos, &mut moves, |(_, m)| *m);
        }
        let mut moves: Vec<(i32, u16, G::Move)> = moves
            .into_iter()
            .map(|(index, m)| (self.history[self.evaluator.history_slot(m)][player], index, m))
            .collect();
        score_moves(self.evaluator, pos, &mut moves);
        if let Some(first) = moves.iter_mut().find(|(_, index, _)| Some(*index) == best) {
            first.0 = i32::MAX;
        }
        moves.sort_unstable_by_key(|(worth, index, _)| (std::cmp::Reverse(*worth), *index));
        for (_, index, m) in moves {
            let next = pos.after(m);
            let rest = left.checked_sub(self.cost(pos, m, &next));
            let wins = rest.is_some_and(|rest| self.search(&next, rest, depth + 1));
            if self.meter.is_stopped() {
                return (false, None);
            }
            if wins == attacking {
                let worth = &mut self.history[self.evaluator.history_slot(m)][player];
                *worth += (4 + left as i32) * (4 + left as i32);
                if *worth > 200_000 {
                    self.history
                        .iter_mut()
                        .flat_map(|pair| pair.iter_mut())
                        .for_each(|worth| *worth /= 2);
                }
                return (wins, Some(index));
            }
        }
        (!attacking, None)
    }

    fn learn(&mut self, key: u64, before: Option<Entry>, left: u32, wins: bool, best: Option<u16>) {
        let mut entry = before.unwrap_or_default();
        (entry.check, entry.more) = (key as u32, (key >> 32) as u8);
        let bound = left.min(253) as u8;
        if wins {
            entry.wins = entry.wins.max(255 - bound);
        } else {
            entry.fails = entry.fails.max(bound + 1);
        }
        if let Some(best) = best {
            // An index that does not fit a byte is dropped: such late moves seldom decide.
            entry.best = u8::try_from(best + 1).unwrap_or(0);
        }
        self.table.put(key, entry);
    }
}

impl<G: Game, E: Prove<Game = G>> Oracle<G> for Bounder<'_, G, E> {
    fn attacker(&self) -> Player {
        self.attacker
    }

    fn key(&self, pos: &G) -> u64 {
        self.position_key(pos)
    }

    fn won_at_sight(&self, pos: &G) -> Option<u32> {
        won_at_sight(self.evaluator, self.attacker, pos)
    }

    fn winning_moves(&mut self, pos: &G, _go_on: &mut dyn FnMut() -> bool) -> Vec<G::Move> {
        self.quickest(pos).filter(|_| !self.meter.is_stopped()).into_iter().collect()
    }
}
