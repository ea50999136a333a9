//! The engine with its game type erased: what protocols, players and user interfaces talk to.

use crate::cache::Cache;
use crate::control::{Control, Limits, Stop};
use crate::evaluate::Evaluate;
use crate::levels::{Blurred, Level};
use crate::play::Play;
use crate::score::{Score, WIN, win_after, win_in};
use crate::search::{Line, Tuning};
use crate::session::{Match, Session};
use crate::solve::bound::{Bounder, Bounds, Count};
use crate::solve::retrograde::{is_win, turns};
use crate::solve::{proof::Prover, table::Table};
use crate::think::{Thought, think};
use rules::Player;
use rules::random::Random;
use std::collections::HashMap;
use std::time::Duration;

/// What the engine has found so far, as text.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// How many moves deep it has looked.
    pub depth: u32,
    /// How many positions it has looked at.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
    /// The best lines, the best one first.
    pub lines: Vec<LineView>,
}

/// A line of play, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineView {
    /// The turns; the last may be incomplete.
    pub turns: Vec<String>,
    /// The value to the player to move, in hundredths of a piece or so.
    pub score: Score,
    /// In how many turns of the winner the game is won at the latest; negative when it is lost.
    pub win_in: Option<i32>,
}

impl LineView {
    /// The turns that are whole: all, unless the last was cut short.
    pub fn whole(&self, game: &dyn Session) -> &[String] {
        let mut game = game.boxed_clone();
        let played = self.turns.iter().all(|turn| game.play(turn).is_ok());
        let cut_short = !played || (game.in_turn() && game.outcome().is_none());
        match self.turns.split_last() {
            Some((_, whole)) if cut_short => whole,
            _ => &self.turns,
        }
    }
}

/// Makes every turn of a finished search whole: a first turn that was cut short is completed, a later
/// one is dropped.
pub fn make_whole(view: &mut View, game: &dyn Session, thinker: &mut dyn Thinker) {
    for line in &mut view.lines {
        let whole = line.whole(game).len();
        if whole == 0
            && let Some(first) = line.turns.first_mut()
        {
            let rest = rest_of_turn(first, game, thinker);
            first.push_str(&rest.unwrap_or_default());
        }
        line.turns.truncate(whole.max(1));
    }
}

/// How a turn that has begun like this goes on, by a search so short that it delays nothing.
fn rest_of_turn(begun: &str, game: &dyn Session, thinker: &mut dyn Thinker) -> Option<String> {
    let mut game = game.boxed_clone();
    game.play(begun).ok()?;
    thinker.turn(game.as_ref(), &Limits::nodes(500), &Stop::default())
}

/// An engine that remembers between searches. One game's engine does not take another game's match.
pub trait Thinker: Send {
    /// Searches the position of a match; nothing if the game is over. News come with every depth.
    fn think(
        &mut self,
        game: &dyn Session,
        limits: &Limits,
        stop: &Stop,
        news: &mut dyn FnMut(&View),
    ) -> Option<View>;

    /// The turn to play, always complete; nothing if the game is over.
    fn turn(&mut self, game: &dyn Session, limits: &Limits, stop: &Stop) -> Option<String>;

    /// The turn that a level plays; the last level spends `limits`, the others what they are. Draws its
    /// errors from `random`.
    fn level_turn(
        &mut self,
        game: &dyn Session,
        level: &Level,
        limits: &Limits,
        stop: &Stop,
        random: &mut Random,
    ) -> Option<String> {
        self.level_think(game, level, (limits, stop), random, &mut |_| {})
    }

    /// The same, with news of what it thinks on the way.
    fn level_think(
        &mut self,
        game: &dyn Session,
        level: &Level,
        bounds: (&Limits, &Stop),
        random: &mut Random,
        news: &mut dyn FnMut(&View),
    ) -> Option<String>;

    /// The estimate of a position without search, for the player to move.
    fn glance(&self, game: &dyn Session) -> Score;

    /// The exact result of a position that is not over, where a table is installed that has it: in how many
    /// turns of both players who wins, or that nobody can force a win.
    fn exact(&self, game: &dyn Session) -> Option<Option<(u32, Player)>>;

    /// Forgets everything, as before a new game.
    fn forget(&mut self);
}

/// The one implementation of [`Thinker`].
pub struct Brain<G: Play> {
    judge: G::Judge,
    cache: Cache,
    /// The table of proofs, made when it is first needed.
    proofs: Option<Table>,
}

/// Both are small because they come on top of the table that the user has allowed.
const PROOF_MEBIBYTES: usize = 4;
const BOUND_MEBIBYTES: usize = 4;

/// Whether a share of the limits suffices to look at two turns of a game with thousands of them.
fn is_worth_it(share: &Limits) -> bool {
    share.nodes.is_none_or(|nodes| nodes >= 5_000)
        && share.time.is_none_or(|time| time >= Duration::from_millis(200))
}

type News<'a, M> = &'a mut dyn FnMut(&Thought<M>);

impl<G: Play> Brain<G> {
    /// An engine with a table of so many mebibytes.
    pub fn new(mebibytes: usize) -> Self {
        Brain { judge: G::Judge::default(), cache: Cache::new(mebibytes), proofs: None }
    }

    /// Looks for a proof where that pays, else searches.
    fn decide(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        stop: &Stop,
        news: News<'_, G::Move>,
    ) -> Option<Thought<G::Move>> {
        let (pos, past) = (game.position(), game.past_keys());
        if pos.outcome().is_some() {
            return None;
        }
        let book = self.judge.book(pos).filter(|_| limits.depth.is_none());
        let book =
            book.map(|(m, turns)| Line { moves: vec![m], score: win_after(2 * turns as i32 - 1) });
        if let Some(line) = book.clone().filter(|_| limits.lines == 1) {
            let depth = (WIN - line.score) as u32;
            return Some(Thought { lines: vec![line], depth, nodes: 0, time: Duration::ZERO });
        }
        if let Some(thought) = self.prove(pos, &past, limits, stop) {
            return Some(thought);
        }
        self.cache.grow_old();
        let mut thought = think(
            pos,
            &past,
            &self.judge,
            &self.cache,
            Tuning::PLAY,
            (limits, stop),
            &mut |thought: &Thought<G::Move>| {
                let thought = self.to_end_of_turn(pos, thought.clone());
                news(&with_book(thought, book.as_ref(), limits.lines));
            },
        );
        thought = self.to_end_of_turn(pos, thought);
        Some(with_book(thought, book.as_ref(), limits.lines))
    }

    /// A proof that the player to move wins, where looking for one pays: with a quarter of the time or
    /// nodes, and not when several lines or a fixed depth are asked for.
    fn prove(
        &mut self,
        pos: &G,
        past: &[u64],
        limits: &Limits,
        stop: &Stop,
    ) -> Option<Thought<G::Move>> {
        let share = Limits {
            time: limits.time.map(|time| time / 4),
            nodes: limits.nodes.map(|nodes| nodes / 4),
            ..limits.clone()
        };
        let bounded = share.time.is_some() || share.nodes.is_some();
        if !bounded || limits.lines > 1 || limits.depth.is_some() {
            return None;
        }
        let control = Control::new(&share, stop);
        if self.judge.exact_turns() > 0 && is_worth_it(&share) {
            return self.win_soon(pos, &control, stop);
        }
        if !self.judge.proves() {
            return None;
        }
        let table = self.proofs.get_or_insert_with(|| Table::new(PROOF_MEBIBYTES));
        let mut prover = Prover::new(&self.judge, table, &control, pos.turn(), past);
        let m = prover.winning_move(pos)?;
        let turns = prover.length(pos, &mut HashMap::new())?;
        let line = Line { moves: vec![m], score: win_after(turns) };
        let nodes = control.nodes() + prover.unreported();
        Some(Thought { lines: vec![line], depth: turns as u32, nodes, time: control.elapsed() })
    }

    /// A win within the few turns that can be looked at exactly.
    fn win_soon(&self, pos: &G, control: &Control, stop: &Stop) -> Option<Thought<G::Move>> {
        let mut bounds = Bounds::new(BOUND_MEBIBYTES);
        for turns in 1..=self.judge.exact_turns() {
            let bound = 2 * turns - 1;
            let (judge, player) = (&self.judge, pos.turn());
            if Bounder::new(judge, &mut bounds, control, player, Count::Turns).wins(pos, bound)? {
                let unlimited = Control::new(&Limits::default(), stop);
                let moves = Bounder::new(judge, &mut bounds, &unlimited, player, Count::Turns)
                    .line(pos, bound);
                let line = Line { moves, score: win_after(bound as i32) };
                let nodes = control.nodes();
                let time = control.elapsed();
                return Some(Thought { lines: vec![line], depth: bound, nodes, time });
            }
        }
        None
    }

    /// Lines that end within a turn go on as far as the table knows: that is what cut them short.
    fn to_end_of_turn(&self, start: &G, mut thought: Thought<G::Move>) -> Thought<G::Move> {
        for line in &mut thought.lines {
            let (mut pos, mut mover) = (start.clone(), None);
            for m in &line.moves {
                mover = Some(pos.turn());
                pos.play_unchecked(*m);
            }
            while mover == Some(pos.turn()) && pos.outcome().is_none() {
                let known = self.cache.get(self.judge.key(&pos)).and_then(|entry| entry.best);
                let next = known.and_then(|index| pos.moves().get(usize::from(index)).copied());
                let Some(m) = next else { break };
                line.moves.push(m);
                pos.play_unchecked(m);
            }
        }
        thought
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

fn view<G: Play>(pos: &G, thought: &Thought<G::Move>) -> View {
    let lines = thought.lines.iter().map(|line| LineView {
        turns: turn_texts(pos, &line.moves),
        score: line.score,
        win_in: win_in(line.score),
    });
    View { depth: thought.depth, nodes: thought.nodes, time: thought.time, lines: lines.collect() }
}

/// Plays the best line of one search after the other until the turn is complete: most often one suffices,
/// but the table may have forgotten how its line goes on.
fn whole_turn<G: Play>(
    game: &Match<G>,
    mut search: impl FnMut(&Match<G>) -> Option<Thought<G::Move>>,
) -> Option<String> {
    let mut game = game.clone();
    let mover = game.turn();
    let mut turn = String::new();
    while game.turn() == mover && game.outcome().is_none() {
        let thought = search(&game)?;
        for m in &thought.lines.first()?.moves {
            if game.turn() != mover || game.outcome().is_some() {
                break;
            }
            let text = m.to_string();
            game.play(&text).ok()?;
            turn.push_str(&text);
        }
    }
    Some(turn)
}

/// The texts of moves, those of one turn joined.
pub(crate) fn turn_texts<G: Play>(pos: &G, moves: &[G::Move]) -> Vec<String> {
    let mut pos = pos.clone();
    let mut turns: Vec<String> = Vec::new();
    let mut mover = None;
    for m in moves {
        match turns.last_mut() {
            Some(turn) if mover == Some(pos.turn()) => turn.push_str(&m.to_string()),
            _ => turns.push(m.to_string()),
        }
        mover = Some(pos.turn());
        pos.play_unchecked(*m);
    }
    turns
}

impl<G: Play> Thinker for Brain<G> {
    fn think(
        &mut self,
        game: &dyn Session,
        limits: &Limits,
        stop: &Stop,
        news: &mut dyn FnMut(&View),
    ) -> Option<View> {
        let game = game.as_any().downcast_ref::<Match<G>>()?;
        let pos = game.position();
        let thought = self.decide(game, limits, stop, &mut |thought| news(&view(pos, thought)))?;
        Some(view(pos, &thought))
    }

    fn turn(&mut self, game: &dyn Session, limits: &Limits, stop: &Stop) -> Option<String> {
        let game = game.as_any().downcast_ref::<Match<G>>()?;
        whole_turn(game, |game| self.decide(game, limits, stop, &mut |_| {}))
    }

    fn level_think(
        &mut self,
        game: &dyn Session,
        level: &Level,
        (limits, stop): (&Limits, &Stop),
        random: &mut Random,
        news: &mut dyn FnMut(&View),
    ) -> Option<String> {
        let game = game.as_any().downcast_ref::<Match<G>>()?;
        let Some(nodes) = level.nodes else {
            return whole_turn(game, |game| {
                self.decide(game, limits, stop, &mut |found| news(&view(game.position(), found)))
            });
        };
        let careless = (random.below(100) as u64) < level.careless;
        let salt = random.next_u64();
        whole_turn(game, |game| {
            let pos = game.position();
            if pos.outcome().is_some() {
                return None;
            }
            let mut tell = |found: &Thought<G::Move>| news(&view(pos, found));
            if self.judge.known(pos) == Some(win_after(1)) {
                // Its own win it takes: two moves deep is deep enough to find it.
                let limits = Limits { depth: Some(2), ..Limits::default() };
                return self.decide(game, &limits, stop, &mut tell);
            }
            let judge = Blurred::new(&self.judge, level, salt, careless);
            let (past, cache, limits) = (game.past_keys(), Cache::new(1), Limits::nodes(nodes));
            Some(think(pos, &past, &judge, &cache, Tuning::PLAY, (&limits, stop), &mut tell))
        })
    }

    fn glance(&self, game: &dyn Session) -> Score {
        let Some(game) = game.as_any().downcast_ref::<Match<G>>() else { return 0 };
        self.judge.evaluate(game.position())
    }

    fn exact(&self, game: &dyn Session) -> Option<Option<(u32, Player)>> {
        let pos = game.as_any().downcast_ref::<Match<G>>()?.position();
        let value = self.judge.exact(pos)?;
        let winner = if is_win(value) { pos.turn() } else { pos.turn().other() };
        Some(turns(value).map(|turns| (turns, winner)))
    }

    fn forget(&mut self) {
        self.cache.clear();
        self.proofs = None;
    }
}
