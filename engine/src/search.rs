//! Principal variation search by iterative deepening, generic over the game.
//!
//! It rests on `evaluate` (what the game knows), `cache` (what was found before), `order` (what to try
//! first) and `control` (when to end). With [`Tuning::STRICT`] it returns exactly what plain minimax
//! returns; the tests rely on that.

use crate::cache::{Bound, Cache, Entry};
use crate::control::Meter;
use crate::evaluate::{Evaluate, MoveOf, Weighed};
use crate::order::Memory;
use crate::score::{PROVEN, Score, WIN, earlier, estimate, is_proven, win_after};
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

/// One thread of a search.
pub struct Searcher<'a, E: Evaluate> {
    evaluator: &'a E,
    cache: &'a Cache,
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
    selected: Vec<(u16, MoveOf<E>)>,
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
            tuning,
            memory: Memory::new(),
            path: past.to_vec(),
            states: Vec::new(),
            lines: vec![Vec::new(); MAX_HEIGHT + 2],
            lists: vec![Vec::new(); MAX_HEIGHT + 2],
            generated: Vec::new(),
            selected: Vec::new(),
            meter,
            root_score: None,
            excluded: Vec::new(),
        }
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
    fn search(&mut self, node: &Node<'_, G>, mut alpha: Score, beta: Score, depth: i32) -> Score {
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
        let key = self.evaluator.key(pos);
        if !root && self.tuning.repetition && self.path.contains(&pos.key()) {
            return 0;
        }
        let entry = self.cache.get(key);
        if !root
            && let Some(entry) = entry
            && let Some(score) = self.cutoff(&entry, alpha, beta, depth, turns)
        {
            return score;
        }
        self.fill_state(node);
        if !root && let Some(score) = self.evaluator.known_with(pos, &self.states[height]) {
            return earlier(score, turns);
        }
        let quiet = depth <= 0 && !(depth > LIVELIEST && self.evaluator.is_lively(pos));
        let mut best = (-WIN, None);
        if quiet || height >= MAX_HEIGHT {
            let stand = estimate(self.evaluator.evaluate(pos, &self.states[height]));
            if stand >= beta || height >= MAX_HEIGHT || !self.evaluator.has_noise(pos) {
                return stand;
            }
            best.0 = stand;
            alpha = alpha.max(stand);
        }
        let best_before = entry.and_then(|entry| entry.best);
        let mut moves = std::mem::take(&mut self.lists[height]);
        self.list_moves(pos, best_before, height, &mut moves);
        if quiet {
            moves.retain(|(_, _, m)| self.evaluator.is_noisy(pos, *m));
        }
        let first_alpha = alpha;
        self.path.push(pos.key());
        let width =
            if root || !self.tuning.reduce { usize::MAX } else { self.evaluator.width(depth) };
        for i in 0..moves.len() {
            if i >= width && best.0 > -PROVEN {
                break;
            }
            pick_best(&mut moves, i);
            let (_, index, m) = moves[i];
            let next = pos.after(m);
            let score = self.try_move(node, &next, m, i, (alpha, beta), depth);
            if self.meter.is_stopped() {
                break;
            }
            if score > best.0 {
                best = (score, Some(index));
            }
            if score > alpha {
                alpha = score;
                self.extend_line(m, height);
                if root {
                    self.root_score = Some(score);
                }
            }
            if alpha >= beta {
                self.learn(pos, &moves[..=i], height, depth);
                break;
            }
        }
        self.path.pop();
        let none = moves.is_empty() && !quiet;
        self.lists[height] = moves;
        if self.meter.is_stopped() {
            return 0;
        }
        if none {
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
            let score = earlier(best.0, -turns);
            self.cache.put(key, Entry { score, depth, bound, best: best.1 });
        }
        best.0
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
    fn list_moves(
        &mut self,
        pos: &G,
        best: Option<u16>,
        height: usize,
        out: &mut Vec<Weighed<G::Move>>,
    ) {
        let player = pos.turn().index();
        self.generated.clear();
        pos.append_moves(&mut self.generated);
        let mut moves = std::mem::take(&mut self.selected);
        moves.clear();
        moves.extend((0u16..).zip(self.generated.iter().copied()));
        self.evaluator.select(pos, &mut moves);
        if height == 0 && moves.is_empty() {
            // Even a lost game needs a move.
            moves.extend((0u16..).zip(self.generated.iter().copied()));
        }
        out.clear();
        for &(index, m) in &moves {
            if height == 0 && self.excluded.contains(&m) {
                continue;
            }
            let slot = self.evaluator.slot(m);
            out.push((self.memory.worth(height, m, player, slot), index, m));
        }
        self.evaluator.weigh(pos, &self.states[height], out);
        if let Some(first) = out.iter_mut().find(|(_, index, _)| best == Some(*index)) {
            first.0 = i32::MAX;
        }
        self.selected = moves;
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

    fn learn(&mut self, pos: &G, tried: &[Weighed<G::Move>], height: usize, depth: i32) {
        let player = pos.turn().index();
        let Some(((_, _, m), before)) = tried.split_last() else { return };
        self.memory.reward(height, *m, player, self.evaluator.slot(*m), depth.max(1));
        for (_, _, m) in before {
            self.memory.blame(player, self.evaluator.slot(*m), depth.max(1));
        }
    }
}

/// Brings the best of the moves from `i` on to place `i`; the first of equals wins.
fn pick_best<M: Copy>(moves: &mut [Weighed<M>], i: usize) {
    let mut best = i;
    for j in i + 1..moves.len() {
        if (moves[j].0, moves[best].1) > (moves[best].0, moves[j].1) {
            best = j;
        }
    }
    moves.swap(i, best);
}
