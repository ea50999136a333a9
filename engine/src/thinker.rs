//! The engine with its game type erased: what protocols, players and user interfaces talk to.

use crate::beginner;
use crate::brain::Brain;
use crate::control::{Control, Limits, Stop};
use crate::evaluate::glance;
use crate::levels::Level;
use crate::play::{Judgement, Play};
use crate::score::{Score, win_in};
use crate::session::{Match, Session};
use crate::solve::Prove;
use crate::solve::retrograde::{is_win, turns};
use crate::think::Thought;
use rules::Player;
use rules::random::Random;
use std::time::Duration;

/// What the engine has found so far, as text.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// How many moves deep it has looked.
    pub depth: u32,
    /// How many positions it has looked at.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
    /// The best lines, the best one first.
    pub lines: Vec<AnalysedLine>,
}

/// A line of play, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysedLine {
    /// The turns, all of them whole; at least one.
    pub turns: Vec<String>,
    /// The value to the player to move, in hundredths of a piece or so.
    pub score: Score,
    /// In how many turns of the winner the game is won at the latest; negative when it is lost.
    pub win_in: Option<i32>,
}

/// An engine that remembers between searches. One game's engine does not take another game's match.
pub trait Thinker: Send {
    /// Searches the position of a match within the limits; nothing if the game is over. Calls `news` after
    /// every depth.
    fn think(
        &mut self,
        game: &dyn Session,
        limits: &Limits,
        stop: &Stop,
        news: &mut dyn FnMut(&Analysis),
    ) -> Option<Analysis>;

    /// The turn to play; nothing if the game is over.
    fn turn(&mut self, game: &dyn Session, limits: &Limits, stop: &Stop) -> Option<String> {
        first_turn(self.think(game, limits, stop, &mut |_| {})?)
    }

    /// The turn that a level plays. The last level spends the limits, the others what they are; none takes
    /// more time than that. Draws its errors from `random`.
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

    /// The same, calling `news` with what it has found on the way.
    fn level_think(
        &mut self,
        game: &dyn Session,
        level: &Level,
        bounds: (&Limits, &Stop),
        random: &mut Random,
        news: &mut dyn FnMut(&Analysis),
    ) -> Option<String>;

    /// The estimate of a position without search, for the player to move.
    fn glance(&self, game: &dyn Session) -> Score;

    /// The exact result of a position that is not over, where a table is installed that has it: in how many
    /// turns of both players who wins, or that nobody can force a win.
    fn exact(&self, game: &dyn Session) -> Option<Option<(u32, Player)>>;

    /// The turn of a beginner, who sees one turn ahead and otherwise plays at random.
    fn beginners_turn(&self, game: &dyn Session, random: &mut Random) -> Option<String>;

    /// Judges otherwise from now on; what was found by another judgement is forgotten.
    fn judge_by(&mut self, judgement: Judgement);

    /// Forgets everything, as before a new game.
    fn forget(&mut self);
}

fn first_turn(analysis: Analysis) -> Option<String> {
    analysis.lines.into_iter().next()?.turns.into_iter().next()
}

fn analysis<G: Play>(pos: &G, thought: &Thought<G::Move>) -> Analysis {
    let lines = thought.lines.iter().map(|line| AnalysedLine {
        turns: turn_texts(pos, &line.moves),
        score: line.score,
        win_in: win_in(line.score),
    });
    Analysis {
        depth: thought.depth,
        nodes: thought.nodes,
        time: thought.time,
        lines: lines.collect(),
    }
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
        news: &mut dyn FnMut(&Analysis),
    ) -> Option<Analysis> {
        let control = Control::new(limits, stop);
        let game = game.as_any().downcast_ref::<Match<G>>()?;
        let pos = game.position();
        let tell = &mut |thought: &Thought<G::Move>| news(&analysis(pos, thought));
        Some(analysis(pos, &self.decide(game, &control, tell)?))
    }

    fn level_think(
        &mut self,
        game: &dyn Session,
        level: &Level,
        (limits, stop): (&Limits, &Stop),
        random: &mut Random,
        news: &mut dyn FnMut(&Analysis),
    ) -> Option<String> {
        let Some(skill) = level.skill::<G>() else {
            return first_turn(self.think(game, limits, stop, news)?);
        };
        let game = game.as_any().downcast_ref::<Match<G>>()?;
        let pos = game.position();
        let tell = &mut |thought: &Thought<G::Move>| news(&analysis(pos, thought));
        let spend = (limits, stop);
        first_turn(analysis(pos, &self.decide_at_level(game, skill, spend, random, tell)?))
    }

    fn glance(&self, game: &dyn Session) -> Score {
        let game = game.as_any().downcast_ref::<Match<G>>();
        game.map_or(0, |game| glance(&self.judge, game.position()))
    }

    fn exact(&self, game: &dyn Session) -> Option<Option<(u32, Player)>> {
        let pos = game.as_any().downcast_ref::<Match<G>>()?.position();
        let value = self.judge.exact(pos)?;
        let winner = if is_win(value) { pos.turn() } else { pos.turn().other() };
        Some(turns(value).map(|turns| (turns, winner)))
    }

    fn beginners_turn(&self, game: &dyn Session, random: &mut Random) -> Option<String> {
        let pos = game.as_any().downcast_ref::<Match<G>>()?.position();
        turn_texts(pos, &beginner::turn(&self.judge, pos, random)).into_iter().next()
    }

    fn judge_by(&mut self, judgement: Judgement) {
        if judgement != self.judgement {
            (self.judgement, self.judge) = (judgement, G::judge(judgement));
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.forget();
    }
}
