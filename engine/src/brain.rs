//! The engine of one game: from a match and a budget to whole turns.

use crate::cache::Cache;
use crate::control::{Control, Limits, Stop};
use crate::evaluate::Evaluate;
use crate::levels::{Blurred, Level};
use crate::play::Play;
use crate::score::{PROVEN, WIN, is_proven, win_after};
use crate::search::{Line, Tuning};
use crate::session::Match;
use crate::solve::bound::{Bounder, Bounds, Count};
use crate::solve::{Prove, proof::Prover, table::Table};
use crate::think::{Thought, think};
use crate::whole::{ends_turn, extend, make_whole, takes_more_moves, within_first_turn};
use rules::random::Random;
use std::time::Duration;

/// An engine that remembers between searches.
pub struct Brain<G: Play> {
    pub(crate) judge: G::Judge,
    cache: Cache,
    /// For games in which a proof search pays.
    proofs: Option<Table>,
    /// For games in which quick wins are looked for exactly.
    bounds: Option<Bounds>,
}

/// The most memory for proofs and for exact bounds, in mebibytes.
const PROOF_MEBIBYTES: usize = 24;
const BOUND_MEBIBYTES: usize = 8;

/// The part of a turn's budget that goes into looking for a proof first.
const PROOF_PARTS: u32 = 4;

/// The most positions that a level keeps for the rest of a turn, after its first move.
const MOST_KEPT: u64 = 64;

pub(crate) type News<'a, M> = &'a mut dyn FnMut(&Thought<M>);

/// What a proof search has found.
enum Proof<M> {
    /// A line that wins, and how soon.
    Line(Line<M>),
    /// A move that wins; how soon is not known.
    Move(M),
}

/// Whether the part for proofs suffices where a position has thousands of turns.
fn is_worth_it(limits: &Limits) -> bool {
    let parts = PROOF_PARTS;
    limits.nodes.is_none_or(|nodes| nodes / u64::from(parts) >= 5_000)
        && limits.time.is_none_or(|time| time / parts >= Duration::from_millis(200))
}

impl<G: Play> Brain<G> {
    /// An engine whose tables take this many mebibytes together.
    pub fn new(mebibytes: usize) -> Self {
        let judge = G::Judge::default();
        judge.prepare();
        let part = |most: usize| (mebibytes / 4).clamp(1, most);
        let proofs = judge.proves().then(|| part(PROOF_MEBIBYTES));
        let bounds = (judge.exact_turns() > 0).then(|| part(BOUND_MEBIBYTES));
        let rest = mebibytes - (proofs.unwrap_or(0) + bounds.unwrap_or(0)).min(mebibytes);
        Brain {
            judge,
            cache: Cache::new(rest.max(1)),
            proofs: proofs.map(Table::new),
            bounds: bounds.map(Bounds::new),
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.cache.clear();
        self.proofs.iter_mut().for_each(Table::clear);
        self.bounds.iter_mut().for_each(Bounds::clear);
    }

    /// The best lines, all of whole turns: from the book, by a proof where looking for one pays, or else
    /// by search. Nothing if the game is over.
    pub(crate) fn decide(
        &mut self,
        game: &Match<G>,
        control: &Control,
        news: News<'_, G::Move>,
    ) -> Option<Thought<G::Move>> {
        let pos = game.position();
        if pos.outcome().is_some() {
            return None;
        }
        let limits = control.limits();
        let book = self.judge.book(pos).filter(|_| limits.depth.is_none());
        let book =
            book.map(|(m, turns)| Line { moves: vec![m], score: win_after(2 * turns as i32 - 1) });
        if let Some(line) = book.clone().filter(|_| limits.lines == 1) {
            return Some(self.told(pos, line, control));
        }
        let past = game.past_keys();
        let proof = match self.prove(pos, &past, control) {
            Some(Proof::Line(line)) => return Some(self.told(pos, line, control)),
            Some(Proof::Move(m)) => Some(m),
            None => None,
        };
        self.cache.grow_old();
        let whole = |mut thought: Thought<G::Move>| {
            for line in &mut thought.lines {
                make_whole(pos, &mut line.moves, &self.judge, &self.cache);
            }
            with_book(thought, book.as_ref(), limits.lines)
        };
        let (judge, cache) = (&self.judge, &self.cache);
        let tell = &mut |thought: &Thought<G::Move>| news(&whole(thought.clone()));
        let thought = whole(think(pos, &past, judge, cache, Tuning::PLAY, control, tell));
        let won = thought.lines.first().is_some_and(|line| line.score >= PROVEN);
        match proof.filter(|_| !won) {
            // Certain, though not how soon: more than any estimate.
            Some(m) => Some(self.told(pos, Line { moves: vec![m], score: PROVEN - 1 }, control)),
            None => Some(thought),
        }
    }

    /// A single line that needs no search, as the result of the turn.
    fn told(&self, pos: &G, mut line: Line<G::Move>, control: &Control) -> Thought<G::Move> {
        make_whole(pos, &mut line.moves, &self.judge, &self.cache);
        let depth = if is_proven(line.score) { WIN - line.score } else { 1 };
        let (nodes, time) = (control.nodes(), control.elapsed());
        Thought { lines: vec![line], depth: depth as u32, nodes, time }
    }

    /// A proof that the player to move wins, where looking for one pays: not when several lines, a fixed
    /// depth or no end are asked for.
    fn prove(&mut self, pos: &G, past: &[u64], control: &Control) -> Option<Proof<G::Move>> {
        let limits = control.limits();
        let bounded = limits.time.is_some() || limits.nodes.is_some();
        if !bounded || limits.lines > 1 || limits.depth.is_some() {
            return None;
        }
        if self.bounds.is_some() && is_worth_it(limits) {
            return self.win_soon(pos, control).map(Proof::Line);
        }
        let table = self.proofs.as_mut()?;
        let share = control.part(PROOF_PARTS);
        let m = Prover::new(&self.judge, table, share, pos.turn(), past).winning_move(pos)?;
        // The proof may be large: half of what is left must suffice to measure it.
        let mut prover = Prover::new(&self.judge, table, control.part(2), pos.turn(), past);
        Some(match prover.length(pos) {
            Some(turns) => Proof::Line(Line { moves: vec![m], score: win_after(turns) }),
            None => Proof::Move(m),
        })
    }

    /// A win within the few turns that can be looked at exactly; its line goes as far as the budget for
    /// proofs does.
    fn win_soon(&mut self, pos: &G, control: &Control) -> Option<Line<G::Move>> {
        let (bounds, share) = (self.bounds.as_mut()?, control.part(PROOF_PARTS));
        let mut bounder =
            Bounder::new(&self.judge, bounds, share, pos.turn(), Count::Turns).keeping_turn();
        for turns in 1..=self.judge.exact_turns() {
            let bound = 2 * turns - 1;
            if !bounder.wins(pos, bound)? {
                continue;
            }
            let mut moves = bounder.winning_turn();
            let mut next = pos.clone();
            moves.iter().for_each(|m| next.play_unchecked(*m));
            if ends_turn(pos, &next) {
                moves.extend(bounder.line(&next, bound - 1));
            }
            return Some(Line { moves, score: win_after(bound as i32) });
        }
        None
    }

    /// The turn of a level that looks at a number of positions and errs.
    pub(crate) fn decide_at_level(
        &mut self,
        game: &Match<G>,
        (level, nodes): (&Level, u64),
        (limits, stop): (&Limits, &Stop),
        random: &mut Random,
        news: News<'_, G::Move>,
    ) -> Option<Thought<G::Move>> {
        let careless = (random.below(100) as u64) < level.careless;
        let salt = random.next_u64();
        let pos = game.position();
        if self.judge.known(pos) == Some(win_after(1)) {
            // Its own win it takes: two moves deep is deep enough to find it.
            let limits = Limits { depth: Some(2), time: limits.time, ..Limits::default() };
            return self.decide(game, &Control::new(&limits, stop), news);
        }
        if pos.outcome().is_some() {
            return None;
        }
        let control = Control::new(&Limits { time: limits.time, ..Limits::nodes(nodes) }, stop);
        let judge = Blurred::new(&self.judge, level, salt, careless);
        let cache = Cache::new(1);
        let past = game.past_keys();
        let kept = if takes_more_moves(pos) { (nodes / 4).min(MOST_KEPT) } else { 0 };
        let share = control.rest().less(kept);
        let mut thought = think(pos, &past, &judge, &cache, Tuning::PLAY, share, &mut |found| {
            let mut found = found.clone();
            found.lines.iter_mut().for_each(|l| make_whole(pos, &mut l.moves, &judge, &cache));
            news(&found);
        });
        let line = thought.lines.first_mut()?;
        extend(pos, &mut line.moves, &judge, &cache);
        if let Some(next) = within_first_turn(pos, &line.moves) {
            let rest = think(&next, &past, &judge, &cache, Tuning::PLAY, &control, &mut |_| {});
            line.moves.extend(rest.lines.into_iter().take(1).flat_map(|line| line.moves));
        }
        make_whole(pos, &mut line.moves, &judge, &cache);
        Some(thought)
    }
}

/// Puts the book's line before those of the search, which may have found it too.
fn with_book<M: Copy + PartialEq>(
    mut thought: Thought<M>,
    book: Option<&Line<M>>,
    lines: usize,
) -> Thought<M> {
    let Some(book) = book else { return thought };
    let quicker = |line: &Line<M>| line.score >= book.score;
    if !thought.lines.first().is_some_and(quicker) {
        thought.lines.retain(|line| line.moves.first() != book.moves.first());
        thought.lines.insert(0, book.clone());
        thought.lines.truncate(lines);
    }
    thought
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::gekitai::Gekitai;
    use rules::glaisher::Glaisher;
    use rules::notation::Notation;
    use rules::six_making::SixMaking;

    /// A turn's nodes after a proof search that finds nothing, and after the search that follows it.
    fn spent<G: Play>(text: &str, nodes: u64) -> [u64; 2] {
        let game = Match::new(G::from_text(text, &G::Options::default()).unwrap());
        let control = || Control::new(&Limits::nodes(nodes), &Stop::default());
        let (proving, whole) = (control(), control());
        assert!(Brain::<G>::new(4).prove(game.position(), &[], &proving).is_none());
        Brain::<G>::new(4).decide(&game, &whole, &mut |_| {});
        [proving.nodes(), whole.nodes()]
    }

    #[test]
    fn a_proof_search_spends_a_quarter_of_the_turn_and_no_node_beside_it() {
        // Nobody wins soon in these positions.
        assert_eq!(spent::<Gekitai>("6/1o4/2x3/3o2/1x4/6 2", 4_000), [1_000, 4_000]);
        assert_eq!(spent::<SixMaking>("5/1,x,3/2,o,2/5/5 1", 4_000), [1_000, 4_000]);
        let start = <Glaisher as rules::Game>::new(&Default::default()).unwrap().text();
        let [proving, whole] = spent::<Glaisher>(&start, 20_000);
        assert!(proving > 0 && proving <= 5_000 && whole == 20_000, "{proving}, {whole}");
    }
}
