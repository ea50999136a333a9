//! The engine with its game type erased: what protocols, players and user interfaces talk to.

use crate::beginner;
use crate::brain::Brain;
use crate::control::{Control, Limits, Stop};
use crate::evaluate::static_eval;
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

/// The result of a search so far, as text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// The depth searched, in moves.
    pub depth: u32,
    /// How many moves deep the deepest line has gone.
    pub deepest: u32,
    /// How many in a thousand entries of the table are of this search.
    pub full: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
    /// The best lines, the best one first.
    pub lines: Vec<AnalysedLine>,
}

/// A line of play, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysedLine {
    /// Whole turns, at least one.
    pub turns: Vec<String>,
    /// The score for the player to move, in about hundredths of a piece.
    pub score: Score,
    /// The proven win distance in turns of the winner; negative if the player to move loses.
    pub win_in: Option<i32>,
    /// The certificate that proves the value, if one does; without `win_in`, nobody can force a win.
    pub proof: Option<&'static str>,
}

/// An engine that keeps its tables between searches. It answers only for matches of its own game.
pub trait Thinker: Send {
    /// Searches the position of a match within the limits and calls `news` after every depth; `None` if the
    /// game is over.
    fn think(
        &mut self,
        game: &dyn Session,
        limits: &Limits,
        stop: &Stop,
        news: &mut dyn FnMut(&Analysis),
    ) -> Option<Analysis>;

    /// The best turn; `None` if the game is over.
    fn turn(&mut self, game: &dyn Session, limits: &Limits, stop: &Stop) -> Option<String> {
        first_turn(self.think(game, limits, stop, &mut |_| {})?)
    }

    /// The turn that a level plays; calls `news` after every depth. The last level uses the whole limits, the
    /// others their own node count, but never more time than the limits allow. Errors are drawn from `random`.
    fn level_think(
        &mut self,
        game: &dyn Session,
        level: &Level,
        bounds: (&Limits, &Stop),
        random: &mut Random,
        news: &mut dyn FnMut(&Analysis),
    ) -> Option<String>;

    /// The static evaluation of a position, for the player to move.
    fn static_eval(&self, game: &dyn Session) -> Score;

    /// The exact value of a position that is not over, if an installed table has it: the win distance in
    /// turns of both players and the winner, or `None` if nobody can force a win.
    fn exact(&self, game: &dyn Session) -> Option<Option<(u32, Player)>>;

    /// The turn of a beginner, who sees one turn ahead and otherwise plays at random.
    fn beginners_turn(&self, game: &dyn Session, random: &mut Random) -> Option<String>;

    /// Switches to another evaluation and clears the tables.
    fn judge_by(&mut self, judgement: Judgement);

    /// Clears the tables, as before a new game.
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
        proof: line.proof,
    });
    Analysis {
        depth: thought.depth,
        deepest: thought.deepest,
        full: thought.full,
        nodes: thought.nodes,
        time: thought.time,
        lines: lines.collect(),
    }
}

/// The moves of a line as text, turn by turn.
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

    fn static_eval(&self, game: &dyn Session) -> Score {
        let game = game.as_any().downcast_ref::<Match<G>>();
        game.map_or(0, |game| static_eval(&self.judge, game.position()))
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
            self.judgement = judgement;
            self.judge = match judgement {
                Judgement::Learned => G::Judge::default(),
                Judgement::Hand => G::by_hand(),
            };
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.forget();
    }
}
