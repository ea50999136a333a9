//! The engine of one game: from a match and a budget to whole turns.

use crate::cache::Cache;
use crate::control::{Control, Limits, Stop};
use crate::evaluate::Evaluate;
use crate::levels::{Blurred, Level};
use crate::play::{Judgement, Play};
use crate::score::{WIN, is_proven, win_after};
use crate::search::{Line, Tuning};
use crate::session::Match;
use crate::solve::Prove;
use crate::solve::bound::{Bounder, Bounds, Count};
use crate::think::{Thought, think};
use crate::whole::{ends_turn, make_whole};
use rules::random::Random;
use std::time::Duration;

/// An engine that remembers between searches.
pub struct Brain<G: Play> {
    pub(crate) judgement: Judgement,
    pub(crate) judge: G::Judge,
    cache: Cache,
    /// For games in which quick wins are looked for exactly.
    bounds: Option<Bounds>,
}

/// The most memory for exact bounds, in mebibytes.
const BOUND_MEBIBYTES: usize = 8;

/// The part of a turn's budget that goes into looking for a quick win first.
const EXACT_PARTS: u32 = 4;

pub(crate) type News<'a, M> = &'a mut dyn FnMut(&Thought<M>);

/// Whether looking for a quick win pays: not when several lines, a fixed depth or no end are asked for, and
/// only if its part suffices where a position has thousands of turns.
fn is_worth_it(limits: &Limits) -> bool {
    let parts = EXACT_PARTS;
    if limits.lines > 1 || limits.depth.is_some() {
        return false;
    }
    let bounded = limits.time.is_some() || limits.nodes.is_some();
    bounded
        && limits.nodes.is_none_or(|nodes| nodes / u64::from(parts) >= 5_000)
        && limits.time.is_none_or(|time| time / parts >= Duration::from_millis(200))
}

impl<G: Play> Brain<G> {
    /// An engine whose tables take this many mebibytes together.
    pub fn new(mebibytes: usize) -> Self {
        let judge = G::Judge::default();
        judge.prepare();
        let bounds = (judge.exact_turns() > 0).then(|| (mebibytes / 4).clamp(1, BOUND_MEBIBYTES));
        let rest = mebibytes.saturating_sub(bounds.unwrap_or(0));
        Brain {
            judgement: Judgement::default(),
            judge,
            cache: Cache::new(rest.max(1)),
            bounds: bounds.map(Bounds::new),
        }
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.cache.clear();
        self.bounds.iter_mut().for_each(Bounds::clear);
    }

    /// The best lines, all of whole turns: from the book, by a quick win where looking for one pays, or else
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
        if let Some(line) = self.win_soon(pos, control) {
            return Some(self.told(pos, line, control));
        }
        let past = game.past_keys();
        self.cache.grow_old();
        let whole = |mut thought: Thought<G::Move>| {
            for line in &mut thought.lines {
                make_whole(pos, &mut line.moves, &self.judge, &self.cache);
            }
            with_book(thought, book.as_ref(), limits.lines)
        };
        let (judge, cache) = (&self.judge, &self.cache);
        let tell = &mut |thought: &Thought<G::Move>| news(&whole(thought.clone()));
        Some(whole(think(pos, &past, judge, cache, Tuning::PLAY, control, tell)))
    }

    /// A single line that needs no search, as the result of the turn.
    fn told(&self, pos: &G, mut line: Line<G::Move>, control: &Control) -> Thought<G::Move> {
        make_whole(pos, &mut line.moves, &self.judge, &self.cache);
        let depth = if is_proven(line.score) { WIN - line.score } else { 1 };
        let (nodes, time) = (control.nodes(), control.elapsed());
        Thought { lines: vec![line], depth: depth as u32, nodes, time }
    }

    /// A win within the few turns that can be looked at exactly, where that pays; its line goes as far as
    /// its part of the budget does.
    fn win_soon(&mut self, pos: &G, control: &Control) -> Option<Line<G::Move>> {
        if !is_worth_it(control.limits()) {
            return None;
        }
        let (bounds, share) = (self.bounds.as_mut()?, control.part(EXACT_PARTS));
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
        let whole = |mut thought: Thought<G::Move>| {
            thought.lines.iter_mut().for_each(|l| make_whole(pos, &mut l.moves, &judge, &cache));
            thought
        };
        let tell = &mut |thought: &Thought<G::Move>| news(&whole(thought.clone()));
        let thought = whole(think(pos, &past, &judge, &cache, Tuning::PLAY, &control, tell));
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
    use rules::Game;
    use rules::glaisher::Glaisher;

    #[test]
    fn looking_for_a_quick_win_takes_a_quarter_of_the_turn_and_no_node_beside_it() {
        let game = Match::new(Glaisher::new(&Default::default()).unwrap());
        let control = || Control::new(&Limits::nodes(20_000), &Stop::default());
        let (looking, whole) = (control(), control());
        assert!(Brain::<Glaisher>::new(4).win_soon(game.position(), &looking).is_none());
        assert!((1..=5_000).contains(&looking.nodes()), "{}", looking.nodes());
        Brain::<Glaisher>::new(4).decide(&game, &whole, &mut |_| {});
        assert_eq!(whole.nodes(), 20_000);
    }
}
