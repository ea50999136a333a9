//! Principal variation search by iterative deepening, generic over the game.
//!
//! Aspiration windows, a transposition table, killer and history heuristics, late move reductions, late move
//! pruning, reverse futility pruning, extensions and a quiescence search; no null move pruning.
//!
//! It uses `evaluate` (what the game knows), `transposition` (what was found before), `order` (which move to
//! try first) and `control` (when to stop). With [`Tuning::STRICT`] it returns exactly what plain minimax
//! returns; the tests rely on that.

mod moves;

use crate::busy::Busy;
use crate::control::Meter;
use crate::evaluate::{Evaluate, MoveOf, ScoredMove};
use crate::order::{History, MovePicker, Scores};
use crate::score::{PROVEN, Score, WIN, earlier, estimate, is_proven, win_after};
use crate::transposition::{Bound, Entry, TranspositionTable};
use crate::whole::ends_turn;
use rules::{Game, Outcome};

/// Which shortcuts a search takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Prune and reduce: late moves, and positions far above the window.
    pub selective: bool,
    /// Score a position that repeats on the path as a draw.
    pub repetition: bool,
    /// Use table entries that were searched deeper than asked.
    pub deeper: bool,
}

impl Tuning {
    /// Every shortcut: the strongest play.
    pub const PLAY: Tuning = Tuning { selective: true, repetition: true, deeper: true };
    /// No shortcuts: the result is that of plain minimax.
    pub const STRICT: Tuning = Tuning { selective: false, repetition: false, deeper: false };
}

/// A principal variation and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pv<M> {
    /// Both players' moves, beginning with the next one.
    pub moves: Vec<M>,
    /// Its value for the player to move.
    pub score: Score,
    /// The certificate that proves the score, if one does.
    pub proof: Option<&'static str>,
}

/// The longest path, extensions included.
const MAX_PLY: usize = 120;

/// The quiescence search follows unstable positions down to this depth.
const MIN_QUIESCENCE_DEPTH: i32 = -12;

/// Reverse futility pruning happens up to this depth.
const MAX_FUTILITY_DEPTH: i32 = 4;

/// From this depth on, moves that other threads are searching are deferred.
const MIN_DEFER_DEPTH: i32 = 2;

/// One thread of a search.
pub struct Searcher<'a, E: Evaluate> {
    evaluator: &'a E,
    tt: &'a TranspositionTable,
    /// What each thread is searching, if there are several.
    busy: Option<&'a Busy>,
    tuning: Tuning,
    history: History<MoveOf<E>>,
    /// Keys of the game so far and of the positions on the path.
    path: Vec<u64>,
    /// The evaluator's state (the net's accumulator, say) at each ply, where it was needed.
    states: Vec<E::State>,
    /// The principal variation from each ply on.
    pv: Vec<Vec<MoveOf<E>>>,
    /// Move lists, one for each ply.
    lists: Vec<Vec<ScoredMove<MoveOf<E>>>>,
    generated: Vec<MoveOf<E>>,
    meter: Meter<'a>,
    /// The value of the best move at the root so far.
    root_score: Option<Score>,
    /// Root moves that are not searched at all.
    barred: &'a [MoveOf<E>],
    /// These, and those of the better lines in a search for several.
    excluded: Vec<MoveOf<E>>,
}

/// A node of the tree.
struct Node<'n, G: Game> {
    pos: &'n G,
    /// The position before it and the move that led here; `None` at the root.
    parent: Option<(&'n G, G::Move)>,
    /// Moves from the root.
    ply: usize,
    /// Turns from the root.
    turns: i32,
}

impl<G: Game> Node<'_, G> {
    /// Whether the player to move has made a move of this turn already.
    fn is_within_turn(&self) -> bool {
        self.parent.is_some_and(|(parent, _)| parent.turn() == self.pos.turn())
    }
}

impl<'a, G: Game, E: Evaluate<Game = G>> Searcher<'a, E> {
    /// A searcher that knows the keys of the game so far.
    pub fn new(
        evaluator: &'a E,
        tt: &'a TranspositionTable,
        meter: Meter<'a>,
        tuning: Tuning,
        past: &[u64],
    ) -> Self {
        Searcher {
            evaluator,
            tt,
            busy: None,
            tuning,
            history: History::new(Scores::default()),
            path: past.to_vec(),
            states: Vec::new(),
            pv: vec![Vec::new(); MAX_PLY + 2],
            lists: vec![Vec::new(); MAX_PLY + 2],
            generated: Vec::new(),
            meter,
            root_score: None,
            barred: &[],
            excluded: Vec::new(),
        }
    }

    /// The same without some root moves.
    #[must_use]
    pub fn without(self, barred: &'a [MoveOf<E>]) -> Self {
        Searcher { barred, ..self }
    }

    /// The same, as one of several threads, which share what moves have achieved.
    #[must_use]
    pub fn beside(self, busy: &'a Busy, scores: &Scores) -> Self {
        Searcher { busy: Some(busy), history: History::new(scores.clone()), ..self }
    }

    /// How many nodes the turn has visited so far.
    pub fn nodes(&self) -> u64 {
        self.meter.nodes()
    }

    /// How many moves deep the deepest line has gone.
    pub fn deepest(&self) -> usize {
        self.states.len().saturating_sub(1)
    }

    /// How many in a thousand entries of the table are of this search.
    pub fn fullness(&self) -> u32 {
        self.tt.fullness()
    }

    /// Whether the search was stopped before it was complete.
    pub fn is_stopped(&self) -> bool {
        self.meter.is_stopped()
    }

    /// The best `count` lines to a depth; none if it was stopped before the first was complete.
    /// `previous` are the lines of a shallower search.
    pub fn multi_pv(
        &mut self,
        pos: &G,
        depth: i32,
        count: usize,
        previous: &[Pv<G::Move>],
    ) -> Vec<Pv<G::Move>> {
        let mut found: Vec<Pv<G::Move>> = Vec::new();
        self.excluded.clear();
        self.excluded.extend_from_slice(self.barred);
        while found.len() < count {
            let guess = previous.get(found.len()).map(|line| line.score);
            self.root_score = None;
            let mut score = self.aspiration_search(pos, depth, guess);
            if self.meter.is_stopped() {
                // The previous depth's best move, or a better one. That it loses is not proven: some moves have not
                // been tried.
                let Some(so_far) = self.root_score else { break };
                score = so_far.max(1 - PROVEN);
            }
            if self.pv[0].is_empty() {
                break;
            }
            let moves = self.pv[0].clone();
            self.excluded.push(moves[0]);
            found.push(Pv { moves, score, proof: None });
            if self.meter.is_stopped() {
                break;
            }
        }
        // A cached key lets all games share one instance of the sort, whose code is larger than the search.
        found.sort_by_cached_key(|line| -line.score);
        found
    }

    /// Searches with an aspiration window around a guess and widens it until the value lies inside.
    fn aspiration_search(&mut self, pos: &G, depth: i32, guess: Option<Score>) -> Score {
        let (mut alpha, mut beta, mut width) = (-WIN, WIN, 24);
        if let Some(guess) = guess.filter(|guess| depth > 3 && !is_proven(*guess)) {
            (alpha, beta) = (guess - width, guess + width);
        }
        loop {
            let root = Node { pos, parent: None, ply: 0, turns: 0 };
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

    /// The value of a position to its player to move, exact if it lies between `alpha` and `beta` and a bound
    /// otherwise.
    fn search(&mut self, node: &Node<'_, G>, alpha: Score, beta: Score, depth: i32) -> Score {
        debug_assert!(-WIN <= alpha && alpha < beta && beta <= WIN, "window {alpha} to {beta}");
        debug_assert!(node.ply <= MAX_PLY && (node.ply == 0) == node.parent.is_none());
        if self.meter.tick() {
            return 0;
        }
        let Node { pos, ply, turns, .. } = *node;
        self.pv[ply].clear();
        if let Some(outcome) = pos.outcome() {
            return match outcome {
                Outcome::Draw => 0,
                Outcome::Win(player) if player == pos.turn() => win_after(turns),
                Outcome::Win(_) => -win_after(turns),
            };
        }
        let root = ply == 0;
        // The table has no lines: in a PV node it must not cut off within a turn.
        let pv_node = beta - alpha > 1;
        if !root && self.tuning.repetition && self.path.contains(&pos.key()) {
            return 0;
        }
        // What is known is never in the table: finding it out comes first, while the entry is being fetched.
        let stateless = self.evaluator.knows_without_state();
        if !stateless {
            self.update_state(node);
        }
        if let Some(score) = self.known(node, pv_node) {
            return score;
        }
        let horizon = if pv_node && self.tuning.selective && node.is_within_turn() {
            // A line must not end within a turn.
            depth.max(1)
        } else {
            depth
        };
        // Leaves are in the table only if another path reached them at a greater depth. In most games a probe
        // takes longer than a static evaluation.
        let quiescence = (!self.evaluator.probes_leaves()).then(|| self.is_quiescent(pos, horizon));
        let leaf = quiescence == Some(true) && !self.evaluator.has_noisy_moves(pos);
        let entry = if leaf { None } else { self.tt.probe(self.evaluator.key(pos)) };
        let line_needed = root || pv_node && node.is_within_turn();
        if !line_needed
            && let Some(entry) = entry
            && let Some(score) = self.tt_cutoff(&entry, alpha, beta, depth, turns)
        {
            return score;
        }
        if stateless {
            self.update_state(node);
        }
        let quiescence = quiescence.unwrap_or_else(|| self.is_quiescent(pos, horizon));
        self.search_moves(node, entry, (alpha, beta), horizon, quiescence)
    }

    /// What the evaluator knows for certain about a position, which it is not asked about the root.
    fn known(&mut self, node: &Node<'_, G>, pv_node: bool) -> Option<Score> {
        let Node { pos, ply, turns, .. } = *node;
        if ply == 0 {
            return None;
        }
        let score = match self.evaluator.knows_without_state() {
            true => self.evaluator.known(pos)?,
            false => self.evaluator.known_with(pos, &self.states[ply])?,
        };
        if pv_node && score == win_after(1) {
            self.pv[ply] = winning_turn(self.evaluator, pos);
        }
        Some(earlier(score, turns))
    }

    /// Whether a position is at the horizon and stable: from here on only noisy moves are searched.
    fn is_quiescent(&self, pos: &G, depth: i32) -> bool {
        depth <= 0 && !(depth > MIN_QUIESCENCE_DEPTH && self.evaluator.is_unstable(pos))
    }

    /// Searches the moves of a position whose value neither the table nor the evaluator knows.
    fn search_moves(
        &mut self,
        node: &Node<'_, G>,
        entry: Option<Entry>,
        (mut alpha, beta): (Score, Score),
        depth: i32,
        quiescence: bool,
    ) -> Score {
        let Node { pos, ply, turns, .. } = *node;
        let root = ply == 0;
        let mut static_eval = entry.and_then(|entry| entry.static_eval);
        let mut best = (-WIN, None);
        if quiescence || ply >= MAX_PLY {
            let here = static_eval.unwrap_or_else(|| self.static_eval(node));
            if here >= beta || ply >= MAX_PLY || !self.evaluator.has_noisy_moves(pos) {
                return here;
            }
            (static_eval, best.0, alpha) = (Some(here), here, alpha.max(here));
        }
        debug_assert!(alpha < beta);
        if let Some(here) = self.reverse_futility(node, (alpha, beta), depth, &mut static_eval) {
            return here;
        }
        let first_alpha = alpha;
        let tt_move = self.tt_move(node, entry, quiescence);
        let mut moves = MovePicker::new(tt_move, std::mem::take(&mut self.lists[ply]));
        self.path.push(pos.key());
        let limit = if root || !self.tuning.selective {
            usize::MAX
        } else {
            self.evaluator.move_count_limit(pos, depth)
        };
        // The pages' program is single-threaded and must be small.
        let alone = cfg!(target_family = "wasm") || depth < MIN_DEFER_DEPTH;
        let busy = self.busy.filter(|_| !alone).map(|busy| (busy, depth));
        loop {
            let limit = if best.0 <= -PROVEN { usize::MAX } else { limit };
            let Some((i, m)) = self.next_undeferred(node, &mut moves, limit, quiescence, busy)
            else {
                break;
            };
            let next = pos.after(m);
            let begun = busy.map(|(busy, depth)| busy.begin(next.key(), depth));
            let score = self.search_move(node, &next, m, i, (alpha, beta), depth);
            drop(begun);
            if self.meter.is_stopped() {
                break;
            }
            if score > best.0 {
                best = (score, Some(m));
            }
            if score > alpha {
                alpha = score;
                self.update_pv(m, ply);
                if root {
                    self.root_score = Some(score);
                }
            }
            if alpha >= beta {
                self.update_history(node, m, moves.tried(), depth);
                break;
            }
        }
        self.path.pop();
        let none = moves.taken == 0;
        self.lists[ply] = moves.list;
        if self.meter.is_stopped() {
            return 0;
        }
        if none && !quiescence {
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
            self.tt
                .store(self.evaluator.key(pos), Entry { score, depth, bound, best, static_eval });
        }
        best.0
    }

    /// Reverse futility pruning: the static evaluation of a position near the horizon, if it is so far above beta that
    /// a search would hardly bring it below. Never in a PV node.
    fn reverse_futility(
        &self,
        node: &Node<'_, G>,
        (alpha, beta): (Score, Score),
        depth: i32,
        static_eval: &mut Option<Score>,
    ) -> Option<Score> {
        let judge = self.evaluator;
        let margin = judge.futility_margin(node.pos).filter(|_| self.tuning.selective)?;
        let near = (1..=MAX_FUTILITY_DEPTH).contains(&depth);
        if !near || beta - alpha > 1 || is_proven(beta) {
            return None;
        }
        let here = *static_eval.get_or_insert_with(|| self.static_eval(node));
        (here - depth * margin >= beta && !judge.is_unstable(node.pos)).then_some(here)
    }

    /// The evaluation of a position without search.
    fn static_eval(&self, node: &Node<'_, G>) -> Score {
        estimate(self.evaluator.evaluate(node.pos, &self.states[node.ply]))
    }

    /// The score of a table entry, if it ends the node.
    fn tt_cutoff(
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

    /// Searches the i-th move of a node: the first with the full window, the others with a null window and a
    /// reduced depth, and again where they turn out better.
    fn search_move(
        &mut self,
        node: &Node<'_, G>,
        next: &G,
        m: G::Move,
        i: usize,
        (alpha, beta): (Score, Score),
        depth: i32,
    ) -> Score {
        let extended = self.evaluator.is_extended(node.pos, m, next);
        let left = if depth <= 0 || !extended { depth - 1 } else { depth };
        if left > 0 || self.evaluator.probes_leaves() {
            self.tt.prefetch(self.evaluator.key(next));
        }
        let same = next.turn() == node.pos.turn();
        let child = Node {
            pos: next,
            parent: Some((node.pos, m)),
            ply: node.ply + 1,
            turns: node.turns + i32::from(!same),
        };
        if i == 0 {
            return self.search_child(&child, same, (alpha, beta), left);
        }
        let reduction = self.reduction(i, depth, extended);
        let mut score = self.search_child(&child, same, (alpha, alpha + 1), left - reduction);
        if score > alpha && reduction > 0 && !self.meter.is_stopped() {
            score = self.search_child(&child, same, (alpha, alpha + 1), left);
        }
        if score > alpha && score < beta && !self.meter.is_stopped() {
            score = self.search_child(&child, same, (alpha, beta), left);
        }
        score
    }

    /// How many plies less deeply a late move is searched at first.
    fn reduction(&self, i: usize, depth: i32, extended: bool) -> i32 {
        if !self.tuning.selective || extended || depth < 3 || i < 3 {
            return 0;
        }
        let r = 1
            + i32::from(i >= 8)
            + i32::from(i >= 24 && depth >= 5)
            + i32::from(depth >= 8 && i >= 6);
        let r = r.min(depth - 2);
        debug_assert!(r >= 1 && depth - 1 - r >= 1);
        r
    }

    /// The value of a child to the player of its parent, who may be to move again.
    fn search_child(
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

    /// Updates the evaluator's state for a node from that of its parent, which was updated before its moves
    /// were generated.
    #[inline]
    fn update_state(&mut self, node: &Node<'_, G>) {
        if self.states.len() <= node.ply {
            self.states.resize_with(node.ply + 1, E::State::default);
        }
        let (above, below) = self.states.split_at_mut(node.ply);
        let state = &mut below[0];
        match (above.last(), node.parent) {
            (Some(before), Some((pos, m))) => {
                self.evaluator.update(before, pos, m, node.pos, state);
            }
            _ => self.evaluator.refresh(node.pos, state),
        }
    }

    /// Makes a move, followed by its child's principal variation, that of this node.
    fn update_pv(&mut self, m: G::Move, ply: usize) {
        let (above, below) = self.pv.split_at_mut(ply + 1);
        let (Some(line), Some(rest)) = (above.last_mut(), below.first()) else { return };
        line.clear();
        line.push(m);
        line.extend_from_slice(rest);
    }
}

/// The moves of a winning turn, which is known to exist.
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
