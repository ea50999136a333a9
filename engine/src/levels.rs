//! Ten levels of play, from one that anybody who knows the rules can beat to the engine's full strength.
//!
//! A level searches a fixed number of nodes, and it errs: noise that differs from turn to turn is added to
//! its evaluation, and now and then it ignores the opponent's replies. It never overlooks its own immediate
//! win. Each game sets these parameters for itself; `docs/levels.md` shows the resulting strength, measured
//! by matches.

use crate::evaluate::{Evaluate, ScoredMove, forward};
use crate::play::Play;
use crate::score::Score;
use rules::Game;

/// A level as menus show it, in any game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// 1 to 10.
    pub number: u8,
    /// Its name in menus.
    pub name: &'static str,
    /// What to expect of it, in half a sentence.
    pub about: &'static str,
}

/// The parameters of a level in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skill {
    /// Its node limit.
    pub nodes: u64,
    /// The amplitude of the noise in its evaluation, in hundredths of a clear advantage.
    pub blur: i32,
    /// The percentage of turns in which it ignores the opponent's replies.
    pub careless: u64,
}

/// The skills of all levels but the last, which is limited by time alone.
pub type Skills = [Skill; LEVELS.len() - 1];

/// For games without skills of their own.
pub const USUAL: Skills = [
    skill(100, 800, 65),
    skill(150, 500, 45),
    skill(250, 220, 25),
    skill(450, 110, 12),
    skill(1_000, 55, 4),
    skill(2_500, 28, 0),
    skill(7_000, 14, 0),
    skill(25_000, 6, 0),
    skill(120_000, 0, 0),
];

/// A skill by its numbers.
pub const fn skill(nodes: u64, blur: i32, careless: u64) -> Skill {
    Skill { nodes, blur, careless }
}

const fn level(number: u8, name: &'static str, about: &'static str) -> Level {
    Level { number, name, about }
}

/// All levels, from the weakest.
pub const LEVELS: [Level; 10] = [
    level(1, "Novice", "knows the moves and little more"),
    level(2, "Beginner", "sees its own win, and often yours"),
    level(3, "Casual", "rarely misses a simple win"),
    level(4, "Learner", "looks a move ahead"),
    level(5, "Player", "plans a little, errs a little"),
    level(6, "Regular", "punishes plain mistakes"),
    level(7, "Strong", "calculates, and seldom errs"),
    level(8, "Expert", "sees most tactics before you do"),
    level(9, "Master", "beaten only by a better plan"),
    level(10, "Engine", "all it can do in the time it has"),
];

impl Level {
    /// Its parameters in a game; `None` for the level that only time limits.
    pub fn skill<G: Play>(&self) -> Option<Skill> {
        G::SKILLS.get(usize::from(self.number).checked_sub(1)?).copied()
    }

    /// Whether only time limits it.
    pub fn is_limited_by_time(&self) -> bool {
        usize::from(self.number) == LEVELS.len()
    }
}

/// The level with a number.
pub fn find(number: u8) -> Option<&'static Level> {
    LEVELS.iter().find(|level| level.number == number)
}

/// An evaluator that errs on purpose.
pub struct Blurred<'a, E> {
    judge: &'a E,
    amplitude: i32,
    salt: u64,
    careless: bool,
}

impl<'a, E: Evaluate> Blurred<'a, E> {
    /// An evaluator for one turn, from this position on; another salt gives other errors.
    pub fn new(judge: &'a E, pos: &E::Game, skill: Skill, salt: u64, careless: bool) -> Self {
        Blurred { judge, amplitude: skill.blur * judge.unit(pos) / 100, salt, careless }
    }
}

impl<G: Game, E: Evaluate<Game = G>> Evaluate for Blurred<'_, E> {
    type Game = G;
    type State = E::State;

    forward! { Evaluate of self.judge;
        fn refresh(&self, pos: &G, state: &mut E::State);
        fn update(&self, before: &E::State, pos: &G, m: G::Move, next: &G, state: &mut E::State);
        fn knows_without_state(&self) -> bool;
        fn hopeless(&self, pos: &G) -> Score;
        fn is_noisy(&self, pos: &G, m: G::Move) -> bool;
        fn is_extended(&self, pos: &G, m: G::Move, next: &G) -> bool;
        fn score_moves(&self, pos: &G, state: &E::State, moves: &mut [ScoredMove<G::Move>]);
        fn move_count_limit(&self, pos: &E::Game, depth: i32) -> usize;
        fn history_slot(&self, m: G::Move) -> usize;
        fn key(&self, pos: &G) -> u64;
        fn unit(&self, pos: &G) -> i32;
        fn probes_leaves(&self) -> bool;
    }

    fn evaluate(&self, pos: &G, state: &E::State) -> Score {
        let hash = (pos.key() ^ self.salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let noise = (hash >> 40) as i32 % (2 * self.amplitude + 1) - self.amplitude;
        self.judge.evaluate(pos, state) + noise
    }

    fn known(&self, pos: &G) -> Option<Score> {
        if self.careless { None } else { self.judge.known(pos) }
    }

    fn known_with(&self, pos: &G, state: &E::State) -> Option<Score> {
        if self.careless { None } else { self.judge.known_with(pos, state) }
    }

    fn prune<T>(&self, pos: &G, moves: &mut Vec<T>, of: impl Fn(&T) -> G::Move) {
        if !self.careless {
            self.judge.prune(pos, moves, of);
        }
    }

    fn is_unstable(&self, pos: &G) -> bool {
        !self.careless && self.judge.is_unstable(pos)
    }

    fn has_noisy_moves(&self, pos: &G) -> bool {
        !self.careless && self.judge.has_noisy_moves(pos)
    }

    fn futility_margin(&self, pos: &G) -> Option<i32> {
        Some(self.judge.futility_margin(pos)? + self.amplitude)
    }
}
