//! Ten levels of play, from "anyone who knows the rules wins" to all the engine can do.
//!
//! A level looks at a fixed number of positions, and it errs: its estimates are blurred by noise that differs
//! from turn to turn, and now and then it overlooks what the opponent threatens. It never
//! overlooks its own immediate win. `docs/levels.md` shows what that comes to, measured by matches.

use crate::evaluate::{Evaluate, Weighed};
use crate::score::Score;
use rules::Game;

/// How well a level plays, and what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// 1 to 10.
    pub number: u8,
    /// What menus call it.
    pub name: &'static str,
    /// What an opponent may expect, in half a sentence.
    pub about: &'static str,
    /// How many positions it looks at; the last level is limited by time alone.
    pub nodes: Option<u64>,
    /// How far its estimates are off, in hundredths of a clear advantage.
    pub blur: i32,
    /// In how many turns of a hundred it overlooks the opponent's immediate win.
    pub careless: u64,
}

const fn level(
    number: u8,
    name: &'static str,
    about: &'static str,
    nodes: u64,
    blur: i32,
    careless: u64,
) -> Level {
    Level { number, name, about, nodes: Some(nodes), blur, careless }
}

/// All levels, from the weakest.
pub const LEVELS: [Level; 10] = [
    level(1, "Novice", "knows the moves and little more", 100, 800, 65),
    level(2, "Beginner", "sees its own win, and often yours", 150, 500, 45),
    level(3, "Casual", "seldom leaves an open door", 250, 220, 25),
    level(4, "Learner", "looks a move ahead", 450, 110, 12),
    level(5, "Player", "plans a little, errs a little", 1_000, 55, 4),
    level(6, "Regular", "punishes plain mistakes", 2_500, 28, 0),
    level(7, "Strong", "calculates, and seldom errs", 7_000, 14, 0),
    level(8, "Expert", "sees most tactics before you do", 25_000, 6, 0),
    level(9, "Master", "wants to be outplayed by plan", 120_000, 0, 0),
    Level {
        number: 10,
        name: "Engine",
        about: "all it can do in the time it has",
        nodes: None,
        blur: 0,
        careless: 0,
    },
];

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
    pub fn new(judge: &'a E, level: &Level, salt: u64, careless: bool) -> Self {
        Blurred { judge, amplitude: level.blur * judge.unit() / 100, salt, careless }
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

    fn select(&self, pos: &G, moves: &mut Vec<(u16, G::Move)>) {
        if !self.careless {
            self.judge.select(pos, moves);
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
}
