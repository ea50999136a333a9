//! The engine with its game type erased: what protocols, players and user interfaces talk to.

use crate::cache::Cache;
use crate::control::{Control, Limits, Stop};
use crate::evaluate::Evaluate;
use crate::levels::{Blurred, Level};
use crate::play::Play;
use crate::score::{Score, win_after, win_in};
use crate::search::{Line, Tuning};
use crate::session::{Match, Session};
use crate::solve::proof::{Prover, Table};
use crate::think::{Thought, think};
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
    ) -> Option<String>;

    /// The estimate of a position without search, for the player to move.
    fn glance(&self, game: &dyn Session) -> Score;

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

const PROOF_MEBIBYTES: usize = 24;

impl<G: Play> Brain<G> {
    /// An engine with a table of so many mebibytes.
    pub fn new(mebibytes: usize) -> Self {
        Brain { judge: G::Judge::default(), cache: Cache::new(mebibytes), proofs: None }
    }

    fn search(
        &mut self,
        game: &Match<G>,
        limits: &Limits,
        stop: &Stop,
        news: &mut dyn FnMut(&Thought<G::Move>),
    ) -> Option<Thought<G::Move>> {
        if game.position().outcome().is_some() {
            return None;
        }
        self.cache.grow_old();
        let past = game.past_keys();
        if let Some(thought) = self.prove(game.position(), &past, limits, stop) {
            news(&thought);
            return Some(thought);
        }
        let spend = (limits, stop);
        Some(think(game.position(), &past, &self.judge, &self.cache, Tuning::PLAY, spend, news))
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
        if !self.judge.proves() || limits.lines > 1 || limits.depth.is_some() {
            return None;
        }
        let share = Limits {
            time: limits.time.map(|t| t / 4),
            nodes: limits.nodes.map(|n| n / 4),
            ..limits.clone()
        };
        if share.time.is_none() && share.nodes.is_none() {
            return None;
        }
        let control = Control::new(&share, stop);
        let table = self.proofs.get_or_insert_with(|| Table::new(PROOF_MEBIBYTES));
        let mut prover = Prover::new(&self.judge, table, &control, pos.turn(), past);
        let m = prover.winning_move(pos)?;
        let turns = prover.length(pos, &mut HashMap::new())?;
        let line = Line { moves: vec![m], score: win_after(turns) };
        let nodes = control.nodes() + prover.unreported();
        Some(Thought { lines: vec![line], depth: turns as u32, nodes, time: control.elapsed() })
    }
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
/// but the table may have cut its line short.
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
fn turn_texts<G: Play>(pos: &G, moves: &[G::Move]) -> Vec<String> {
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
        let pos = game.position().clone();
        let thought = self.search(game, limits, stop, &mut |thought| news(&view(&pos, thought)))?;
        Some(view(&pos, &thought))
    }

    fn turn(&mut self, game: &dyn Session, limits: &Limits, stop: &Stop) -> Option<String> {
        let game = game.as_any().downcast_ref::<Match<G>>()?;
        whole_turn(game, |game| self.search(game, limits, stop, &mut |_| {}))
    }

    fn level_turn(
        &mut self,
        game: &dyn Session,
        level: &Level,
        limits: &Limits,
        stop: &Stop,
        random: &mut Random,
    ) -> Option<String> {
        let Some(nodes) = level.nodes else { return self.turn(game, limits, stop) };
        let game = game.as_any().downcast_ref::<Match<G>>()?;
        let careless = (random.below(100) as u64) < level.careless;
        let salt = random.next_u64();
        whole_turn(game, |game| {
            let pos = game.position();
            let limits = Limits::nodes(nodes);
            if pos.outcome().is_some() {
                None
            } else if self.judge.known(pos) == Some(win_after(1)) {
                // Its own win it takes: two moves deep is deep enough to find it.
                self.search(
                    game,
                    &Limits { depth: Some(2), ..Limits::default() },
                    stop,
                    &mut |_| {},
                )
            } else {
                let judge = Blurred::new(&self.judge, level, salt, careless);
                let (past, cache) = (game.past_keys(), Cache::new(1));
                let spend = (&limits, stop);
                Some(think(pos, &past, &judge, &cache, Tuning::PLAY, spend, &mut |_| {}))
            }
        })
    }

    fn glance(&self, game: &dyn Session) -> Score {
        let Some(game) = game.as_any().downcast_ref::<Match<G>>() else { return 0 };
        self.judge.evaluate(game.position())
    }

    fn forget(&mut self) {
        self.cache.clear();
        self.proofs = None;
    }
}
