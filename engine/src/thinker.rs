//! The engine with its game type erased: what protocols, players and user interfaces talk to.

use crate::cache::Cache;
use crate::control::{Limits, Stop};
use crate::play::Play;
use crate::score::{Score, win_in};
use crate::search::Tuning;
use crate::session::{Match, Session};
use crate::think::{Thought, think};
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

    /// The estimate of a position without search, for the player to move.
    fn glance(&self, game: &dyn Session) -> Score;

    /// Forgets everything, as before a new game.
    fn forget(&mut self);
}

/// The one implementation of [`Thinker`].
pub struct Brain<G: Play> {
    judge: G::Judge,
    cache: Cache,
}

impl<G: Play> Brain<G> {
    /// An engine with a table of so many mebibytes.
    pub fn new(mebibytes: usize) -> Self {
        Brain { judge: G::Judge::default(), cache: Cache::new(mebibytes) }
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
        let spend = (limits, stop);
        Some(think(game.position(), &past, &self.judge, &self.cache, Tuning::PLAY, spend, news))
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
        let mut game = game.as_any().downcast_ref::<Match<G>>()?.clone();
        let mover = game.turn();
        let mut turn = String::new();
        while game.turn() == mover && game.outcome().is_none() {
            let thought = self.search(&game, limits, stop, &mut |_| {})?;
            // The best line tells the whole turn, unless the table cut it short.
            let line = &thought.lines.first()?.moves;
            for m in line {
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

    fn glance(&self, game: &dyn Session) -> Score {
        use crate::evaluate::Evaluate;
        let Some(game) = game.as_any().downcast_ref::<Match<G>>() else { return 0 };
        self.judge.evaluate(game.position())
    }

    fn forget(&mut self) {
        self.cache.clear();
    }
}
