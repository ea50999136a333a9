//! The search itself: can the attacker reach a majority on the ring within a number of quiet moves?

use super::board::{Board, Count, Side, State};
use super::memory::{Known, Memory};
use rules::Bits;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What the threads of a search share.
pub(super) struct Shared<'a> {
    pub(super) board: &'a Board,
    pub(super) memory: &'a Memory,
    /// Positions that some thread is searching, so that the others start elsewhere.
    pub(super) busy: Vec<AtomicU64>,
    pub(super) nodes: AtomicU64,
    pub(super) ended: AtomicBool,
}

const BUSY: usize = 1 << 14;

impl<'a> Shared<'a> {
    pub(super) fn new(board: &'a Board, memory: &'a Memory) -> Shared<'a> {
        let busy = (0..BUSY).map(|_| AtomicU64::new(0)).collect();
        let (nodes, ended) = (AtomicU64::new(0), AtomicBool::new(false));
        Shared { board, memory, busy, nodes, ended }
    }

    fn busy(&self, key: u64) -> &AtomicU64 {
        &self.busy[(key >> 20) as usize % BUSY]
    }
}

/// Below this bound, threads do not avoid each other.
const SHARED_BOUND: u32 = 6;

/// Below this bound, positions are not stored: searching them is as quick as a probe.
const KEPT_BOUND: u32 = 2;

/// Below this bound, children are not probed before they are searched.
const AHEAD_BOUND: u32 = 6;

/// Nodes between two calls of `go_on`.
const BATCH: u64 = 1 << 14;

/// A move as the search orders it.
#[derive(Clone, Copy, Default)]
struct Candidate {
    worth: i32,
    from: u8,
    to: u8,
    index: u8,
    quiet: bool,
}

/// No position has more moves: eleven knights with eight jumps each.
const MOST_MOVES: usize = 88;

struct Candidates {
    list: [Candidate; MOST_MOVES],
    len: usize,
}

/// One thread of a search.
pub(super) struct Thread<'a> {
    shared: &'a Shared<'a>,
    /// History heuristic: how often each move decided a position, by side, from and to.
    history: Box<[[[i32; 121]; 121]; 2]>,
    nodes: u64,
    stopped: bool,
    several: bool,
    /// Called now and then with the nodes of all threads; returns whether to continue.
    watch: Option<&'a mut dyn FnMut(u64) -> bool>,
}

impl<'a> Thread<'a> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        several: bool,
        watch: Option<&'a mut dyn FnMut(u64) -> bool>,
    ) -> Thread<'a> {
        let history = Box::new([[[0; 121]; 121]; 2]);
        Thread { shared, history, nodes: 0, stopped: false, several, watch }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Adds to the shared node count, and asks whether to continue.
    pub(super) fn look(&mut self) {
        let all = self.shared.nodes.fetch_add(self.nodes, Ordering::Relaxed) + self.nodes;
        self.nodes = 0;
        self.stopped |= self.shared.ended.load(Ordering::Relaxed);
        if let Some(watch) = &mut self.watch
            && !self.stopped
            && !watch(all)
        {
            self.shared.ended.store(true, Ordering::Relaxed);
            self.stopped = true;
        }
    }

    /// Whether the attacker wins within the bound; meaningless once the search was stopped.
    pub(super) fn wins(&mut self, state: &State, to_move: Side, left: u32) -> bool {
        self.nodes += 1;
        if self.nodes >= BATCH {
            self.look();
        }
        if self.stopped {
            return false;
        }
        let board = self.shared.board;
        let attacking = to_move == Side::Attacker;
        let (targets, quiet) = match board.count(state, to_move) {
            Count::Decided(wins) => return wins == attacking,
            Count::Open { targets, quiet } => (targets, quiet),
        };
        let mut targets = targets;
        if quiet && left == 0 {
            if !attacking && board.restless(state, Side::Defender) > 0 {
                return false;
            }
            targets &= board.ring;
        }
        // A quiet move that uses up the bound gains the attacker nothing while the defender has two quiet
        // moves left, since one move cannot take both away.
        if quiet && left == 1 && attacking && board.restless(state, Side::Defender) == 2 {
            targets &= board.ring;
        }
        if left == 0 {
            return self.scramble(state, to_move, targets);
        }
        self.look_up_or_search(state, to_move, left, targets)
    }

    /// The end of the bound: only the few moves to the ring, searched without the table.
    fn scramble(&mut self, state: &State, to_move: Side, targets: u128) -> bool {
        let board = self.shared.board;
        let attacking = to_move == Side::Attacker;
        let their = state.of(to_move.other());
        for wanted in [targets & their, targets & !their] {
            for from in board.movers(state, to_move).bits() {
                for to in (board.jumps(from) & wanted).bits() {
                    let next = board.after(state, to_move, from, to);
                    if self.wins(&next, to_move.other(), 0) == attacking {
                        return attacking;
                    }
                }
            }
        }
        !attacking
    }

    fn look_up_or_search(
        &mut self,
        state: &State,
        to_move: Side,
        left: u32,
        targets: u128,
    ) -> bool {
        let key = state.key(to_move);
        let mut known = Known::default();
        if left >= KEPT_BOUND {
            known = self.shared.memory.get(key).unwrap_or_default();
            if let Some(wins) = known.answer(left) {
                return wins;
            }
        }
        let best = known.best.checked_sub(1);
        let mut moves = self.candidates(state, to_move, targets, best);
        let found = self.try_moves(state, to_move, left, &mut moves);
        if self.stopped {
            return false;
        }
        let attacking = to_move == Side::Attacker;
        let wins = found.is_some() == attacking;
        if left < KEPT_BOUND {
            return wins;
        }
        if let Some(m) = found {
            let bonus = (2 + left as i32) * (2 + left as i32);
            self.reward(to_move, m, bonus);
        }
        // Another thread may have stored something in the meantime.
        known = self.shared.memory.get(key).unwrap_or(known);
        known.learn(left, wins, found.map(|m| m.index));
        self.shared.memory.put(key, known);
        wins
    }

    fn reward(&mut self, to_move: Side, m: Candidate, bonus: i32) {
        let worth = &mut self.history[to_move as usize][usize::from(m.from)][usize::from(m.to)];
        *worth += bonus;
        if *worth > 1 << 20 {
            self.history.iter_mut().flatten().flatten().for_each(|worth| *worth /= 2);
        }
    }

    /// The moves to these cells, ordered by history.
    fn candidates(
        &self,
        state: &State,
        to_move: Side,
        targets: u128,
        best: Option<u8>,
    ) -> Candidates {
        let board = self.shared.board;
        let their = state.of(to_move.other());
        let mut moves = Candidates { list: [Candidate::default(); MOST_MOVES], len: 0 };
        let mut index = 0;
        for from in board.movers(state, to_move).bits() {
            // The index counts all jumps, wanted or not, so that it means the same at every bound.
            let all = board.jumps(from);
            for to in (all & targets).bits() {
                let at = index + (all & ((1 << to) - 1)).count_ones() as u8;
                let ring = board.ring >> to & 1 == 1;
                let capture = their >> to & 1 == 1;
                let worth = if Some(at) == best {
                    i32::MAX
                } else {
                    self.history[to_move as usize][from][to]
                        + (i32::from(ring) << 22)
                        + (i32::from(capture) << 21)
                };
                let (from, to) = (from as u8, to as u8);
                if let Some(slot) = moves.list.get_mut(moves.len) {
                    *slot = Candidate { worth, from, to, index: at, quiet: !ring };
                    moves.len += 1;
                }
            }
            index += all.count_ones() as u8;
        }
        moves
    }

    /// The first move that decides for its player, if there is one.
    fn try_moves(
        &mut self,
        state: &State,
        to_move: Side,
        left: u32,
        moves: &mut Candidates,
    ) -> Option<Candidate> {
        let attacking = to_move == Side::Attacker;
        let moves = &mut moves.list[..moves.len];
        moves.sort_unstable_by_key(|m| (std::cmp::Reverse(m.worth), m.index));
        if left >= AHEAD_BOUND
            && let Some(m) = self.decided(state, to_move, left, moves)
        {
            return Some(m);
        }
        let mut later = [0u8; MOST_MOVES];
        let mut put_off = 0;
        for (i, m) in moves.iter().copied().enumerate() {
            let next = self.next(state, to_move, m);
            let rest = left - u32::from(m.quiet);
            if self.several && i > 0 && rest >= SHARED_BOUND {
                let key = next.key(to_move.other());
                if self.shared.busy(key).load(Ordering::Relaxed) == key {
                    later[put_off] = i as u8;
                    put_off += 1;
                    continue;
                }
            }
            if self.ask(&next, to_move.other(), rest) == attacking && !self.stopped {
                return Some(m);
            }
            if self.stopped {
                return None;
            }
        }
        for i in &later[..put_off] {
            let m = moves[usize::from(*i)];
            let next = self.next(state, to_move, m);
            let rest = left - u32::from(m.quiet);
            if self.ask(&next, to_move.other(), rest) == attacking && !self.stopped {
                return Some(m);
            }
            if self.stopped {
                return None;
            }
        }
        None
    }

    fn next(&self, state: &State, to_move: Side, m: Candidate) -> State {
        self.shared.board.after(state, to_move, m.from.into(), m.to.into())
    }

    /// Like `wins`, and lets other threads see that it is being searched.
    fn ask(&mut self, state: &State, to_move: Side, left: u32) -> bool {
        if !self.several || left < SHARED_BOUND {
            return self.wins(state, to_move, left);
        }
        let key = state.key(to_move);
        let busy = self.shared.busy(key);
        busy.store(key, Ordering::Relaxed);
        let found = self.wins(state, to_move, left);
        busy.store(0, Ordering::Relaxed);
        found
    }

    /// A move that decides according to the table.
    fn decided(
        &self,
        state: &State,
        to_move: Side,
        left: u32,
        moves: &[Candidate],
    ) -> Option<Candidate> {
        let attacking = to_move == Side::Attacker;
        moves.iter().copied().find(|m| {
            let next = self.next(state, to_move, *m);
            let rest = left - u32::from(m.quiet);
            let known = self.shared.memory.get(next.key(to_move.other()));
            known.and_then(|known| known.answer(rest)) == Some(attacking)
        })
    }
}
