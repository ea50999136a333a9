//! Depth-first proof-number search of the reduced game, by many threads in one table.
//!
//! A position that repeats on the path counts as refuted on that path, so no proof depends on a repetition. A
//! refutation may; it then remembers the topmost position that it depends on, and is believed only where that one is on
//! the path. Instead of the sum over all moves it uses that of weak proof-number search, the largest number plus one
//! for every other move: with many transpositions, plain sums would count the same positions repeatedly.

use super::super::quiet::board::{Board, Count, Side, State};
use super::forced::Forced;
use super::memory::{INFINITE, Key, Known, MORE_BITS, Memory, logarithm};
use rules::Bits;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// What the threads of a search share.
pub(super) struct Shared<'a> {
    pub(super) board: &'a Board,
    pub(super) memory: &'a Memory,
    /// How many threads search a position, by the lower bits of its hash.
    busy: Vec<AtomicU8>,
    pub(super) nodes: AtomicU64,
    pub(super) ended: AtomicBool,
    several: bool,
}

const BUSY: usize = 1 << 20;

impl<'a> Shared<'a> {
    pub(super) fn new(board: &'a Board, memory: &'a Memory, threads: usize) -> Shared<'a> {
        let several = threads > 1;
        let busy = (0..if several { BUSY } else { 1 }).map(|_| AtomicU8::new(0)).collect();
        let (nodes, ended) = (AtomicU64::new(0), AtomicBool::new(false));
        Shared { board, memory, busy, nodes, ended, several }
    }

    /// The counter of a position that is worth keeping other threads away from.
    fn busy(&self, kid: &Kid) -> Option<&AtomicU8> {
        (self.several && kid.work > 6).then(|| &self.busy[kid.key.hash as usize % BUSY])
    }
}

/// A disproof that does not depend on the path.
const ALONE: usize = usize::MAX;

/// Longer paths count as refuted.
const MAX_PATH: usize = 400;

/// The proof number of a position that a repetition refuted on another path.
const AGAIN: u32 = 4;

/// Node limit of the searches for a forced win in a new position, and for a threat.
const FORCED: u32 = 400;
const THREAT: u32 = 60;

/// Nodes between two checks of the other threads and of `watch`.
const BATCH: u64 = 1 << 10;

/// The numbers of a position on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
    /// What a refutation depends on: the length of the path down to the topmost position it needs, 0 if it needs all
    /// of it, `ALONE` if none.
    leans: usize,
    /// About how many moves of the attacker a win takes.
    pub(super) rank: u8,
}

impl Numbers {
    const WON: Numbers = Numbers { proof: 0, disproof: INFINITE, leans: ALONE, rank: 4 };

    fn lost(leans: usize) -> Numbers {
        Numbers { proof: INFINITE, disproof: 0, leans, rank: 0 }
    }

    fn of(proof: u32, disproof: u32) -> Numbers {
        Numbers { proof, disproof, leans: ALONE, rank: 0 }
    }

    fn is_settled(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// A move, and what is known of the position after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kid {
    pub(super) key: Key,
    pub(super) numbers: Numbers,
    pub(super) from: u8,
    pub(super) to: u8,
    /// Whether the move can be undone, so that positions may repeat.
    quiet: bool,
    /// Whether its numbers cannot change on this path.
    fixed: bool,
    /// Whether it is missing from the table.
    fresh: bool,
    work: u8,
}

/// The state's key with this side to move.
pub(super) fn key(state: &State, to_move: Side) -> Key {
    Key { hash: state.key(to_move), more: (state.sum() >> (64 - MORE_BITS)) as u32 }
}

/// One thread of a search.
pub(super) struct Prover<'a> {
    shared: &'a Shared<'a>,
    path: Vec<Key>,
    /// The moves of all positions on the path.
    kids: Vec<Kid>,
    nodes: u64,
    told: u64,
    /// The length of the path down to a position that another thread has settled; 0 to stop, `ALONE` to go on.
    cut: usize,
    /// Called now and then with the nodes of all threads; returns whether to go on.
    watch: Option<&'a mut dyn FnMut(u64) -> bool>,
}

/// The children's numbers put together.
struct Survey {
    numbers: Numbers,
    /// The child to expand next.
    pick: Option<usize>,
    /// The least number among the other children, for the player to move.
    rival: u32,
    /// The other children's share of the number that is a sum over all.
    rest: u32,
}

impl<'a> Prover<'a> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        watch: Option<&'a mut dyn FnMut(u64) -> bool>,
    ) -> Prover<'a> {
        let (path, kids) = (Vec::with_capacity(MAX_PATH + 1), Vec::new());
        Prover { shared, path, kids, nodes: 0, told: 0, cut: ALONE, watch }
    }

    /// Whether the attacker wins; `None` if the search was stopped.
    pub(super) fn proves(&mut self, state: &State, to_move: Side) -> Option<bool> {
        let found = match self.shared.board.count(state, to_move) {
            Count::Decided(wins) => return Some(wins == (to_move == Side::Attacker)),
            Count::Open { .. } => {
                let root = key(state, to_move);
                self.expand(state, to_move, root, 0, (INFINITE, INFINITE), true)
            }
        };
        let is_stopped = self.cut == 0;
        self.look();
        (!is_stopped).then_some(found.proof == 0)
    }

    /// Adds to the shared node count, and asks whether to continue.
    fn look(&mut self) {
        let spent = self.nodes - self.told;
        self.told = self.nodes;
        let all = self.shared.nodes.fetch_add(spent, Ordering::Relaxed) + spent;
        if let Some(watch) = &mut self.watch
            && !watch(all)
        {
            self.shared.ended.store(true, Ordering::Relaxed);
        }
        if self.shared.several {
            let memory = self.shared.memory;
            let is_settled = |key: &Key| memory.get(*key).is_some_and(Known::is_settled);
            if let Some(at) = self.path.iter().position(is_settled) {
                self.cut = at + 1;
            }
        }
        if self.shared.ended.load(Ordering::Relaxed) {
            self.cut = 0;
        }
    }

    /// The length of the path down to the last occurrence of a position.
    fn on_path(&self, since: usize, is_it: impl Fn(&Key) -> bool) -> Option<usize> {
        let path = self.path.get(since..)?;
        path.iter().rposition(is_it).map(|at| since + at + 1)
    }

    /// The moves of a position that counting leaves open, each with its initial estimate: the moves, knights and
    /// threats that the player to move has after it.
    pub(super) fn moves(&self, state: &State, to_move: Side, since: usize) -> Vec<Kid> {
        let mut kids = Vec::new();
        self.append_moves(state, to_move, since, &mut kids);
        kids
    }

    fn append_moves(&self, state: &State, to_move: Side, since: usize, kids: &mut Vec<Kid>) {
        let board = self.shared.board;
        let Count::Open { targets, .. } = board.count(state, to_move) else { return };
        let attacking = to_move == Side::Attacker;
        let other = to_move.other();
        let their = state.of(other);
        for from in board.movers(state, to_move).bits() {
            for to in (board.jumps(from) & targets).bits() {
                let next = board.after(state, to_move, from, to);
                let takes = their >> to & 1 == 1;
                let quiet = !takes && board.ring >> to & 1 == 0;
                let key = key(&next, other);
                let mut kid = Kid {
                    key,
                    numbers: Numbers::of(1, 1),
                    from: from as u8,
                    to: to as u8,
                    quiet,
                    fixed: true,
                    fresh: true,
                    work: 0,
                };
                let (room, is_even) = match board.count(&next, other) {
                    Count::Decided(_) => (0, false),
                    Count::Open { targets, quiet } => (board.room(&next, other, targets), quiet),
                };
                if room == 0 {
                    kid.numbers = if attacking { Numbers::WON } else { Numbers::lost(ALONE) };
                } else if let Some(leans) =
                    quiet.then(|| self.on_path(since, |past| *past == key)).flatten()
                {
                    kid.numbers = Numbers::lost(leans);
                } else {
                    let mut own = 1 + 3 * room + 2 * next.of(other).count_ones();
                    if attacking
                        && is_even
                        && Forced::new(board, THREAT)
                            .attack(next.of(to_move), next.of(other), 0)
                            .is_some()
                    {
                        own = 1 + own / 2;
                    }
                    kid.fixed = false;
                    kid.numbers = if attacking { Numbers::of(own, 1) } else { Numbers::of(1, own) };
                }
                kids.push(kid);
            }
        }
    }

    /// Fills in what the table knows.
    pub(super) fn look_up(&self, kid: &mut Kid, since: usize) {
        if kid.fixed {
            return;
        }
        let Some(known) = self.shared.memory.get(kid.key) else { return };
        (kid.fresh, kid.work) = (false, known.work());
        if known.leans() {
            let trace = |past: &Key| past.hash as u32 == known.trace();
            let leans = if kid.quiet { self.on_path(since, trace) } else { None };
            kid.fixed = leans.is_some();
            kid.numbers = leans.map_or(Numbers::of(AGAIN, 1), Numbers::lost);
            return;
        }
        kid.numbers =
            Numbers { rank: known.rank(), ..Numbers::of(known.proof(), known.disproof()) };
        kid.fixed = kid.numbers.is_settled();
    }

    /// Searches until one of the numbers reaches its limit.
    fn expand(
        &mut self,
        state: &State,
        to_move: Side,
        key: Key,
        since: usize,
        limits: (u32, u32),
        fresh: bool,
    ) -> Numbers {
        let before = self.nodes;
        self.nodes += 1;
        let depth = self.path.len();
        if depth >= MAX_PATH {
            return Numbers::lost(0);
        }
        let board = self.shared.board;
        if fresh && to_move == Side::Attacker {
            let (own, their) = (state.of(to_move), state.of(to_move.other()));
            if Forced::new(board, FORCED).attack(own, their, board.behind(state, to_move)).is_some()
            {
                let won = Numbers { rank: 12, ..Numbers::WON };
                self.keep(key, won, 0);
                return won;
            }
        }
        self.path.push(key);
        if self.nodes.is_multiple_of(BATCH) {
            self.look();
        }
        let base = self.kids.len();
        let mut kids = std::mem::take(&mut self.kids);
        self.append_moves(state, to_move, since, &mut kids);
        kids[base..].iter_mut().for_each(|kid| self.look_up(kid, since));
        self.kids = kids;
        let mut numbers = self.expand_kids(state, to_move, base, since, limits);
        self.kids.truncate(base);
        self.path.pop();
        if self.cut <= depth {
            return numbers;
        }
        if self.cut == depth + 1 {
            self.cut = ALONE;
            if let Some(known) = self.shared.memory.get(key).filter(|known| known.is_settled()) {
                let rank = known.rank();
                return Numbers { rank, ..Numbers::of(known.proof(), known.disproof()) };
            }
        }
        // A line that comes back to this very position refutes it on any path.
        if numbers.disproof == 0 && numbers.leans > depth {
            numbers.leans = ALONE;
        }
        self.keep(key, numbers, self.nodes - before);
        numbers
    }

    fn expand_kids(
        &mut self,
        state: &State,
        to_move: Side,
        base: usize,
        since: usize,
        (proof_limit, disproof_limit): (u32, u32),
    ) -> Numbers {
        let attacking = to_move == Side::Attacker;
        let depth = self.path.len();
        let (own_limit, other_limit) =
            if attacking { (proof_limit, disproof_limit) } else { (disproof_limit, proof_limit) };
        loop {
            let Survey { numbers, pick, rival, rest } = self.survey(base, attacking, own_limit);
            if numbers.proof >= proof_limit
                || numbers.disproof >= disproof_limit
                || numbers.is_settled()
                || self.cut <= depth
            {
                return numbers;
            }
            let Some(pick) = pick else { return numbers };
            let kid = self.kids[pick];
            let own = if attacking { kid.numbers.proof } else { kid.numbers.disproof };
            // Until its best rival is clearly cheaper, or the parent reaches its own limit.
            let above = |number: u32| own_limit.min(number + 1 + number / 4);
            let mine = if above(rival) > own { above(rival) } else { above(own) };
            let theirs = match other_limit {
                INFINITE => INFINITE,
                limit => limit.saturating_sub(rest).max(1),
            };
            let kid_limits = if attacking { (mine, theirs) } else { (theirs, mine) };
            let next = self.shared.board.after(state, to_move, kid.from.into(), kid.to.into());
            let start = self.nodes;
            let busy = self.shared.busy(&kid);
            if let Some(count) = busy {
                count.fetch_add(1, Ordering::Relaxed);
            }
            let below = if kid.quiet { since } else { depth };
            let found = self.expand(&next, to_move.other(), kid.key, below, kid_limits, kid.fresh);
            if let Some(count) = busy {
                count.fetch_sub(1, Ordering::Relaxed);
            }
            if self.cut <= depth {
                return numbers;
            }
            let spent = self.nodes - start;
            let work = logarithm(spent).max(1) as u8;
            let fixed = found.is_settled();
            self.kids[pick] = Kid { numbers: found, fixed, fresh: false, work, ..kid };
            // The search may have changed what is known of the siblings.
            if spent > 8 {
                for i in (base..self.kids.len()).filter(|i| *i != pick) {
                    let mut kid = self.kids[i];
                    self.look_up(&mut kid, since);
                    self.kids[i] = kid;
                }
            }
        }
    }

    /// Puts the numbers of the children together.
    fn survey(&self, base: usize, attacking: bool, own_limit: u32) -> Survey {
        let (mut most, mut open) = (0, 0u32);
        let (mut least, mut second, mut best) = (INFINITE, INFINITE, None);
        let (mut pick, mut cheapest) = (None, u32::MAX);
        let (mut leans, mut rank) = if attacking { (ALONE, u8::MAX) } else { (0, 0) };
        for (i, kid) in self.kids.iter().enumerate().skip(base) {
            let Numbers { proof, disproof, .. } = kid.numbers;
            let (own, other) = if attacking { (proof, disproof) } else { (disproof, proof) };
            if best.is_none() || own < least {
                (second, least, best) = (least, own, Some(i));
            } else {
                second = second.min(own);
            }
            most = most.max(other);
            open += u32::from(other > 0);
            if disproof == 0 {
                let choose = if attacking { usize::min } else { usize::max };
                leans = choose(leans, kid.numbers.leans);
            }
            if proof == 0 {
                let own = kid.numbers.rank;
                rank = if attacking { rank.min(own.saturating_add(1)) } else { rank.max(own) };
            }
            if own < own_limit {
                let others = self.shared.busy(kid).map_or(0, |busy| busy.load(Ordering::Relaxed));
                let price = own.saturating_mul(4 + 2 * u32::from(others));
                if price < cheapest {
                    (pick, cheapest) = (Some(i), price);
                }
            }
        }
        let rest = open.saturating_sub(1);
        let all = match least {
            0 => INFINITE,
            _ if most == 0 => 0,
            _ => (most + rest).min(INFINITE - 1),
        };
        let (proof, disproof) = if attacking { (least, all) } else { (all, least) };
        let leans = if disproof == 0 { leans } else { ALONE };
        let rival = if pick == best { second } else { least };
        Survey { numbers: Numbers { proof, disproof, leans, rank }, pick, rival, rest }
    }

    /// Stores what was found about a position, which is no longer on the path.
    fn keep(&self, key: Key, numbers: Numbers, work: u64) {
        let Numbers { proof, disproof, leans, rank } = numbers;
        let known = match leans {
            _ if disproof > 0 => Known::new(proof, disproof, u32::from(rank), work),
            ALONE => Known::new(proof, 0, 0, work),
            // It needs the whole path, or a position that is gone.
            0 => return,
            _ => match self.path.get(leans - 1) {
                Some(past) => Known::leaning(past.hash as u32, work),
                None => return,
            },
        };
        self.shared.memory.put(key, known);
    }
}
