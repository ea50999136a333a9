//! Ten levels of play, from "anyone who knows the rules wins" to all the engine can do.
//!
//! A level looks at a fixed number of positions, and it errs: its estimates are blurred by noise that differs
//! from turn to turn, and now and then it does not ask what the opponent will do. It never overlooks its own
//! immediate win. How much of each makes a level, every game says for itself. `docs/levels.md` shows what that
//! comes to, measured by matches.

use crate::evaluate::{Evaluate, Weighed};
use crate::play::Play;
use crate::score::Score;
use rules::Game;

/// A level as people know it, in any game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// 1 to 10.
    pub number: u8,
    /// What menus call it.
    pub name: &'static str,
    /// What an opponent may expect, in half a sentence.
    pub about: &'static str,
}

/// How well a level plays a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skill {
    /// How many positions it looks at.
    pub nodes: u64,
    /// How far its estimates are off, in hundredths of a clear advantage.
    pub blur: i32,
    /// In how many turns of a hundred it does not ask what the opponent will do.
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
    level(3, "Casual", "seldom leaves an open door"),
    level(4, "Learner", "looks a move ahead"),
    level(5, "Player", "plans a little, errs a little"),
    level(6, "Regular", "punishes plain mistakes"),
    level(7, "Strong", "calculates, and seldom errs"),
    level(8, "Expert", "sees most tactics before you do"),
    level(9, "Master", "wants to be outplayed by plan"),
    level(10, "Engine", "all it can do in the time it has"),
];

impl Level {
    /// How well it plays a game; nothing where only time limits it.
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

/// A judgement that errs on purpose.
pub struct Blurred<'a, E> {
    judge: &'a E,
    amplitude: i32,
    salt: u64,
    careless: bool,
}

impl<'a, E: Evaluate> Blurred<'a, E> {
    /// The errors of one turn; another salt gives other errors.
    pub fn new(judge: &'a E, skill: Skill, salt: u64, careless: bool) -> Self {
        Blurred { judge, amplitude: skill.blur * judge.unit() / 100, salt, careless }
    }
}

impl<G: Game, E: Evaluate<Game = G>> Evaluate for Blurred<'_, E> {
    type Game = G;
    type State = E::State;

    fn begin(&self, pos: &G, state: &mut E::State) {
        self.judge.begin(pos, state);
    }

    fn follow(&self, before: &E::State, pos: &G, m: G::Move, next: &G, state: &mut E::State) {
        self.judge.follow(before, pos, m, next, state);
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

    fn select<T>(&self, pos: &G, moves: &mut Vec<T>, of: impl Fn(&T) -> G::Move) {
        if !self.careless {
            self.judge.select(pos, moves, of);
        }
    }

    fn hopeless(&self, pos: &G) -> Score {
        self.judge.hopeless(pos)
    }

    fn is_lively(&self, pos: &G) -> bool {
        !self.careless && self.judge.is_lively(pos)
    }

    fn has_noise(&self, pos: &G) -> bool {
        !self.careless && self.judge.has_noise(pos)
    }

    fn is_noisy(&self, pos: &G, m: G::Move) -> bool {
        self.judge.is_noisy(pos, m)
    }

    fn is_free(&self, pos: &G, m: G::Move, next: &G) -> bool {
        self.judge.is_free(pos, m, next)
    }

    fn weigh(&self, pos: &G, state: &E::State, moves: &mut [Weighed<G::Move>]) {
        self.judge.weigh(pos, state, moves);
    }

    fn width(&self, depth: i32) -> usize {
        self.judge.width(depth)
    }

    fn slot(&self, m: G::Move) -> usize {
        self.judge.slot(m)
    }

    fn key(&self, pos: &G) -> u64 {
        self.judge.key(pos)
    }

    fn unit(&self) -> i32 {
        self.judge.unit()
    }

    fn swing(&self) -> Option<i32> {
        Some(self.judge.swing()? + self.amplitude)
    }

    fn recalls(&self) -> bool {
        self.judge.recalls()
    }
}
