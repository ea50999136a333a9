//! Principal variation search by iterative deepening, generic over the game.
//!
//! It rests on `evaluate` (what the game knows), `cache` (what was found before), `order` (what to try
//! first) and `control` (when to end). With [`Tuning::STRICT`] it returns exactly what plain minimax
//! returns; the tests rely on that.

use crate::busy::Busy;
use crate::cache::{Bound, Cache, Entry};
use crate::control::Meter;
use crate::evaluate::{Evaluate, MoveOf, Weighed};
use crate::order::{Memory, Moves};
use crate::score::{PROVEN, Score, WIN, earlier, estimate, is_proven, win_after};
use crate::whole::ends_turn;
use rules::{Game, Outcome};

/// Which liberties a search takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Search late moves less deeply at first.
    pub reduce: bool,
    /// Call a position that repeats on the path a draw.
    pub repetition: bool,
    /// Use table entries that were searched deeper than asked.
    pub deeper: bool,
}

impl Tuning {
    /// All liberties that make it stronger.
    pub const PLAY: Tuning = Tuning { reduce: true, repetition: true, deeper: true };
    /// No liberties: the result is that of minimax.
    pub const STRICT: Tuning = Tuning { reduce: false, repetition: false, deeper: false };
}

/// A line of play and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<M> {
    /// Both players' moves, beginning with the next one.
    pub moves: Vec<M>,
    /// What it is worth to the player to move.
    pub score: Score,
}

/// No line is followed further than this, even if its moves cost no depth.
const MAX_HEIGHT: usize = 120;

/// How far below depth zero lively positions are followed.
const LIVELIEST: i32 = -12;

/// Up to this many moves from the horizon an estimate far above the window is trusted.
const TRUSTED: i32 = 4;

/// From this depth on it pays to know what other threads are at.
const SHARED: i32 = 2;

/// One thread of a search.
pub struct Searcher<'a, E: Evaluate> {
    evaluator: &'a E,
    cache: &'a Cache,
    /// What each thread is at, where there are several.
    busy: Option<&'a Busy>,
    tuning: Tuning,
    memory: Memory<MoveOf<E>>,
    /// Keys of the positions on the path, and of the game before it.
    path: Vec<u64>,
    /// The evaluator's state of the position at each height, as far as it has been needed.
    states: Vec<E::State>,
    /// The best line from each height.
    lines: Vec<Vec<MoveOf<E>>>,
    /// Move lists, one for each height.
    lists: Vec<Vec<Weighed<MoveOf<E>>>>,
    generated: Vec<MoveOf<E>>,
    meter: Meter<'a>,
    /// The value of the best move at the root so far.
    root_score: Option<Score>,
    /// Moves at the root that belong to better lines.
    excluded: Vec<MoveOf<E>>,
}

/// A node of the tree.
struct Node<'n, G: Game> {
    pos: &'n G,
    /// The position before it and the move that led here; nothing at the root.
    before: Option<(&'n G, G::Move)>,
    /// Moves from the root.
    height: usize,
    /// Turns from the root.
    turns: i32,
}

impl<G: Game> Node<'_, G> {
    /// Whether the player to move has made a move of this turn already.
    fn is_within_turn(&self) -> bool {
        self.before.is_some_and(|(before, _)| before.turn() == self.pos.turn())
    }
}

impl<'a, G: Game, E: Evaluate<Game = G>> Searcher<'a, E> {
    /// A searcher that knows the keys of the game so far.
    pub fn new(
        evaluator: &'a E,
        cache: &'a Cache,
        meter: Meter<'a>,
        tuning: Tuning,
        past: &[u64],
    ) -> Self {
        Searcher {
            evaluator,
            cache,
            busy: None,
            tuning,
            memory: Memory::new(),
            path: past.to_vec(),
            states: Vec::new(),
            lines: vec![Vec::new(); MAX_HEIGHT + 2],
            lists: vec![Vec::new(); MAX_HEIGHT + 2],
            generated: Vec::new(),
            meter,
            root_score: None,
            excluded: Vec::new(),
        }
    }

    /// The same, beside other threads.
    #[must_use]
    pub fn beside(self, busy: Option<&'a Busy>) -> Self {
        Searcher { busy, ..self }
    }

    /// How many nodes the turn has visited so far.
    pub fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    /// Whether the search was ended before it was complete.
    pub fn is_stopped(&self) -> bool {
        self.meter.is_stopped()
    }

    /// The best `count` lines to a depth; nothing when it was stopped before the first was complete.
    /// `previous` are the lines of a shallower search.
    pub fn lines(
        &mut self,
        pos: &G,
        depth: i32,
        count: usize,
        previous: &[Line<G::Move>],
    ) -> Vec<Line<G::Move>> {
        let mut found: Vec<Line<G::Move>> = Vec::new();
        self.excluded.clear();
        while found.len() < count {
            let guess = previous.get(found.len()).map(|line| line.score);
            self.root_score = None;
            let mut score = self.aspire(pos, depth, guess);
            if self.meter.is_stopped() {
                // What was best when it was stopped: the best move before, or one found to be better.
                // That it loses is not proven as long as there are moves that have not been tried.
                let Some(so_far) = self.root_score else { break };
                score = so_far.max(1 - PROVEN);
            }
            if self.lines[0].is_empty() {
                break;
            }
            let moves = self.lines[0].clone();
            self.excluded.push(moves[0]);
            found.push(Line { moves, score });
            if self.meter.is_stopped() {
                break;
            }
        }
        // By a cached key, so that all games share one sort: it is larger than the search.
        found.sort_by_cached_key(|line| -line.score);
        found
    }

    /// Searches with a narrow window around a guess and widens it until the value lies inside.
    fn aspire(&mut self, pos: &G, depth: i32, guess: Option<Score>) -> Score {
        let (mut alpha, mut beta, mut width) = (-WIN, WIN, 24);
        if let Some(guess) = guess.filter(|guess| depth > 3 && !is_proven(*guess)) {
            (alpha, beta) = (guess - width, guess + width);
        }
        loop {
            let root = Node { pos, before: None, height: 0, turns: 0 };
            let score = self.search(&root, alpha, beta, depth);
            if self.meter.is_stopped()
                || (score > alpha && score < beta)
                || (alpha <= -WIN && beta >= WIN)
            {
                return score;
            }
            width *= 4;
            if score <= alpha {
                alpha = if width > 2_000 { -WIN } else { (score - width).max(-WIN) };
            } else {
                beta = if width > 2_000 { WIN } else { (score + width).min(WIN) };
            }
        }
    }

    /// The value of a position to its player to move, at least if it lies between `alpha` and `beta`.
    fn search(&mut self, node: &Node<'_, G>, alpha: Score, beta: Score, depth: i32) -> Score {
        if self.meter.tick() {
            return 0;
        }
        let Node { pos, height, turns, .. } = *node;
        self.lines[height].clear();
        if let Some(outcome) = pos.outcome() {
            return match outcome {
                Outcome::Draw => 0,
                Outcome::Win(player) if player == pos.turn() => win_after(turns),
                Outcome::Win(_) => -win_after(turns),
            };
        }
        let root = height == 0;
        // Where the value may lie between the bounds the line to it is wanted. The table has none: it must
        // not end one within a turn.
        let line_wanted = beta - alpha > 1;
        if !root && self.tuning.repetition && self.path.contains(&pos.key()) {
            return 0;
        }
        let horizon = if line_wanted && self.tuning.reduce && node.is_within_turn() {
            // A line is of use when its last turn is whole.
            depth.max(1)
        } else {
            depth
        };
        // What is only estimated is not in the table, unless another way to it was longer: in most games to look
        // it up takes longer than to estimate it.
        let quiet = (!self.evaluator.recalls()).then(|| self.is_quiet(pos, horizon));
        let leaf = quiet == Some(true) && !self.evaluator.has_noise(pos);
        let entry = if leaf { None } else { self.cache.get(self.evaluator.key(pos)) };
        let needed = root || line_wanted && node.is_within_turn();
        if !needed
            && let Some(entry) = entry
            && let Some(score) = self.cutoff(&entry, alpha, beta, depth, turns)
        {
            return score;
        }
        self.fill_state(node);
        if !root && let Some(score) = self.evaluator.known_with(pos, &self.states[height]) {
            if line_wanted && score == win_after(1) {
                self.lines[height] = winning_turn(self.evaluator, pos);
            }
            return earlier(score, turns);
        }
        let quiet = quiet.unwrap_or_else(|| self.is_quiet(pos, horizon));
        self.look(node, entry, (alpha, beta), horizon, quiet)
    }

    /// Whether a position at the horizon can be estimated.
    fn is_quiet(&self, pos: &G, depth: i32) -> bool {
        depth <= 0 && !(depth > LIVELIEST && self.evaluator.is_lively(pos))
    }

    /// The same, for a position of which nothing is certain.
    fn look(
        &mut self,
        node: &Node<'_, G>,
        entry: Option<Entry>,
        (mut alpha, beta): (Score, Score),
        depth: i32,
        quiet: bool,
    ) -> Score {
        let Node { pos, height, turns, .. } = *node;
        let root = height == 0;
        let mut stand = entry.and_then(|entry| entry.stand);
        let mut best = (-WIN, None);
        if quiet || height >= MAX_HEIGHT {
            let here = stand.unwrap_or_else(|| self.stand(node));
            if here >= beta || height >= MAX_HEIGHT || !self.evaluator.has_noise(pos) {
                return here;
            }
            (stand, best.0, alpha) = (Some(here), here, alpha.max(here));
        }
        if let Some(here) = self.far_above(node, (alpha, beta), depth, &mut stand) {
            return here;
        }
        let first_alpha = alpha;
        let table = self.table_move(node, entry, quiet);
        let mut moves = Moves::new(table, std::mem::take(&mut self.lists[height]));
        self.path.push(pos.key());
        let width =
            if root || !self.tuning.reduce { usize::MAX } else { self.evaluator.width(depth) };
        // The program of the pages has one thread, and should be small.
        let alone = cfg!(target_family = "wasm") || depth < SHARED;
        let busy = self.busy.filter(|_| !alone).map(|busy| (busy, depth));
        loop {
            let width = if best.0 <= -PROVEN { usize::MAX } else { width };
            let Some((i, m)) = self.next_free(node, &mut moves, width, quiet, busy) else { break };
            let next = pos.after(m);
            let begun = busy.map(|(busy, depth)| busy.begin(next.key(), depth));
            let score = self.try_move(node, &next, m, i, (alpha, beta), depth);
            drop(begun);
            if self.meter.is_stopped() {
                break;
            }
            if score > best.0 {
                best = (score, Some(m));
            }
            if score > alpha {
                alpha = score;
                self.extend_line(m, height);
                if root {
                    self.root_score = Some(score);
                }
            }
            if alpha >= beta {
                self.learn(node, m, moves.tried(), depth);
                break;
            }
        }
        self.path.pop();
        let none = moves.taken == 0;
        self.lists[height] = moves.list;
        if self.meter.is_stopped() {
            return 0;
        }
        if none && !quiet {
            return earlier(self.evaluator.hopeless(pos), turns);
        }
        if !root || self.excluded.is_empty() {
            let bound = if best.0 >= beta {
                Bound::Lower
            } else if best.0 > first_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            let (score, best) = (earlier(best.0, -turns), best.1.map(G::pack));
            self.cache.put(self.evaluator.key(pos), Entry { score, depth, bound, best, stand });
        }
        best.0
    }

    /// The estimate of a position near the horizon, if it is so far above the window that it will do. Never
    /// where a line is wanted.
    fn far_above(
        &self,
        node: &Node<'_, G>,
        (alpha, beta): (Score, Score),
        depth: i32,
        stand: &mut Option<Score>,
    ) -> Option<Score> {
        let judge = self.evaluator;
        let swing = judge.swing().filter(|_| self.tuning.reduce)?;
        let near = (1..=TRUSTED).contains(&depth);
        if !near || beta - alpha > 1 || is_proven(beta) || judge.is_lively(node.pos) {
            return None;
        }
        let here = *stand.get_or_insert_with(|| self.stand(node));
        (here - depth * swing >= beta).then_some(here)
    }

    /// What a position is worth without search.
    fn stand(&self, node: &Node<'_, G>) -> Score {
        estimate(self.evaluator.evaluate(node.pos, &self.states[node.height]))
    }

    /// The table's move, where it may be tried.
    fn table_move(&self, node: &Node<'_, G>, entry: Option<Entry>, quiet: bool) -> Option<G::Move> {
        let pos = node.pos;
        let m = G::unpack(entry?.best?)?;
        let barred = node.height == 0 && self.excluded.contains(&m)
            || quiet && !self.evaluator.is_noisy(pos, m);
        (!barred && pos.is_legal(m)).then_some(m)
    }

    /// The next move and its place in the order. Moves that other threads are at are put off until no other one
    /// is left: by then the table may have their values.
    fn next_free(
        &mut self,
        node: &Node<'_, G>,
        moves: &mut Moves<G::Move>,
        width: usize,
        quiet: bool,
        busy: Option<(&Busy, i32)>,
    ) -> Option<(usize, G::Move)> {
        let Some((busy, depth)) = busy else {
            if moves.taken >= width {
                return None;
            }
            let m = self.next_move(node, moves, quiet)?;
            moves.taken += 1;
            return Some((moves.taken - 1, m));
        };
        let is_busy = |m: G::Move| busy.has(node.pos.after(m).key(), depth);
        while moves.taken < width {
            let i = moves.taken;
            let Some(m) = self.next_move(node, moves, quiet) else { break };
            moves.taken += 1;
            if i == 0 || !is_busy(m) {
                return Some((i, m));
            }
            moves.put_off.push((i, m));
        }
        let free = moves.put_off.iter().position(|(_, m)| !is_busy(*m)).unwrap_or(0);
        (!moves.put_off.is_empty()).then(|| moves.put_off.remove(free))
    }

    /// The move to try after those that were taken: the table's, then the best of the list, which is made
    /// when it is needed.
    fn next_move(
        &mut self,
        node: &Node<'_, G>,
        moves: &mut Moves<G::Move>,
        quiet: bool,
    ) -> Option<G::Move> {
        if moves.taken == 0 && moves.table.is_some() {
            return moves.table;
        }
        if !moves.listed {
            let (pos, judge, list) = (node.pos, self.evaluator, &mut moves.list);
            self.list_moves(pos, node.height, list);
            if quiet {
                list.retain(|(_, _, m)| judge.is_noisy(pos, *m));
            }
            let at = moves.table.and_then(|table| list.iter().position(|(_, _, m)| *m == table));
            at.map(|at| list.swap_remove(at));
            moves.listed = true;
        }
        moves.next(moves.taken - usize::from(moves.table.is_some()))
    }

    /// The score of a table entry, where it decides the node.
    fn cutoff(
        &self,
        entry: &Entry,
        alpha: Score,
        beta: Score,
        depth: i32,
        turns: i32,
    ) -> Option<Score> {
        let deep = if self.tuning.deeper { entry.depth >= depth } else { entry.depth == depth };
        // A proof holds at any depth.
        let proof = self.tuning.deeper
            && match entry.bound {
                Bound::Lower => entry.score >= PROVEN,
                Bound::Upper => entry.score <= -PROVEN,
                Bound::Exact => is_proven(entry.score),
            };
        if !deep && !proof {
            return None;
        }
        let score = earlier(entry.score, turns);
        match entry.bound {
            Bound::Exact => Some(score),
            Bound::Lower if score >= beta => Some(score),
            Bound::Upper if score <= alpha => Some(score),
            _ => None,
        }
    }

    /// The moves of a node with what they seem worth.
    fn list_moves(&mut self, pos: &G, height: usize, out: &mut Vec<Weighed<G::Move>>) {
        let player = pos.turn().index();
        let (judge, moves) = (self.evaluator, &mut self.generated);
        moves.clear();
        pos.append_moves(moves);
        judge.select(pos, moves, |m| *m);
        if height == 0 {
            if moves.is_empty() {
                // Even a lost game needs a move.
                pos.append_moves(moves);
            }
            moves.retain(|m| !self.excluded.contains(m));
        }
        let memory = self.memory.at(height, player);
        let weighed = |(index, m): (u16, &G::Move)| (memory.worth(*m, judge.slot(*m)), index, *m);
        out.clear();
        out.extend((0u16..).zip(moves.iter()).map(weighed));
        judge.weigh(pos, &self.states[height], out);
    }

    /// Searches the i-th move of a node: the first with the whole window, the others with none.
    fn try_move(
        &mut self,
        node: &Node<'_, G>,
        next: &G,
        m: G::Move,
        i: usize,
        (alpha, beta): (Score, Score),
        depth: i32,
    ) -> Score {
        let free = self.evaluator.is_free(node.pos, m, next);
        let left = if depth <= 0 || !free { depth - 1 } else { depth };
        let same = next.turn() == node.pos.turn();
        let child = Node {
            pos: next,
            before: Some((node.pos, m)),
            height: node.height + 1,
            turns: node.turns + i32::from(!same),
        };
        if i == 0 {
            return self.descend(&child, same, (alpha, beta), left);
        }
        let reduction = self.reduction(i, depth, free);
        let mut score = self.descend(&child, same, (alpha, alpha + 1), left - reduction);
        if score > alpha && reduction > 0 && !self.meter.is_stopped() {
            score = self.descend(&child, same, (alpha, alpha + 1), left);
        }
        if score > alpha && score < beta && !self.meter.is_stopped() {
            score = self.descend(&child, same, (alpha, beta), left);
        }
        score
    }

    fn reduction(&self, i: usize, depth: i32, free: bool) -> i32 {
        if !self.tuning.reduce || free || depth < 3 || i < 3 {
            return 0;
        }
        let r = 1
            + i32::from(i >= 8)
            + i32::from(i >= 24 && depth >= 5)
            + i32::from(depth >= 8 && i >= 6);
        r.min(depth - 2)
    }

    /// The value of the position after a move to the player who moved, who may be to move again.
    fn descend(
        &mut self,
        child: &Node<'_, G>,
        same: bool,
        (alpha, beta): (Score, Score),
        depth: i32,
    ) -> Score {
        // A turn that ends the game may leave the player to move as it was.
        if same && child.pos.outcome().is_none() {
            self.search(child, alpha, beta, depth)
        } else {
            -self.search(child, -beta, -alpha, depth)
        }
    }

    /// Fills in the evaluator's state of a node: from that of the node before it, which was filled in
    /// before its moves were listed.
    #[inline]
    fn fill_state(&mut self, node: &Node<'_, G>) {
        if self.states.len() <= node.height {
            self.states.resize_with(node.height + 1, E::State::default);
        }
        let (above, below) = self.states.split_at_mut(node.height);
        let state = &mut below[0];
        match (above.last(), node.before) {
            (Some(before), Some((pos, m))) => {
                self.evaluator.follow(before, pos, m, node.pos, state);
            }
            _ => self.evaluator.begin(node.pos, state),
        }
    }

    /// The best line from here is this move and the best line after it.
    fn extend_line(&mut self, m: G::Move, height: usize) {
        let (above, below) = self.lines.split_at_mut(height + 1);
        let (Some(line), Some(rest)) = (above.last_mut(), below.first()) else { return };
        line.clear();
        line.push(m);
        line.extend_from_slice(rest);
    }

    /// Remembers that a move ended a node after others had been tried in vain.
    fn learn(
        &mut self,
        node: &Node<'_, G>,
        m: G::Move,
        tried: impl Iterator<Item = G::Move>,
        depth: i32,
    ) {
        let (player, depth) = (node.pos.turn().index(), depth.max(1));
        for other in tried.filter(|other| *other != m) {
            self.memory.blame(player, self.evaluator.slot(other), depth);
        }
        self.memory.reward(node.height, m, player, self.evaluator.slot(m), depth);
    }
}

/// The moves with which the player to move wins this turn, which is known to be possible.
fn winning_turn<G: Game, E: Evaluate<Game = G>>(judge: &E, pos: &G) -> Vec<G::Move> {
    let mut line = Vec::new();
    let mut pos = pos.clone();
    while pos.outcome().is_none() {
        let wins = |m: &G::Move| {
            let next = pos.after(*m);
            next.outcome() == Some(Outcome::Win(pos.turn()))
                || !ends_turn(&pos, &next) && judge.known(&next) == Some(win_after(1))
        };
        let Some(m) = pos.moves().into_iter().find(wins) else { break };
        line.push(m);
        pos.play_unchecked(m);
    }
    line
}
