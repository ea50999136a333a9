//! Every search finds what plain minimax finds, when positions are evaluated by their hash.

use engine::control::{Control, Limits, Stop};
use engine::evaluate::{Estimate, static_eval};
use engine::score::{Score, WIN, win_after};
use engine::search::Tuning;
use engine::think::think;
use engine::transposition::TranspositionTable;
use rules::random::Random;
use rules::{Game, Outcome};
use std::marker::PhantomData;

/// Evaluates by a hash of the position: worthless for play, priceless for tests, since every mistake
/// of a search changes the result.
#[derive(Debug)]
struct HashEvaluate<G>(PhantomData<fn() -> G>);

impl<G> Default for HashEvaluate<G> {
    fn default() -> Self {
        HashEvaluate(PhantomData)
    }
}

impl<G: Game> Estimate for HashEvaluate<G> {
    type Game = G;
    type State = ();

    fn evaluate(&self, pos: &G, (): &()) -> Score {
        (pos.key().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as Score % 2_000 - 1_000
    }
}

/// The value of a position to its player to move, by exhaustive search.
fn minimax<G: Game>(pos: &G, depth: u32, turns: i32) -> Score {
    match pos.outcome() {
        Some(Outcome::Draw) => return 0,
        Some(Outcome::Win(player)) => {
            return if player == pos.turn() { win_after(turns) } else { -win_after(turns) };
        }
        None if depth == 0 => return static_eval(&HashEvaluate::default(), pos),
        None => {}
    }
    let value = |m| {
        let next = pos.after(m);
        match next.turn() == pos.turn() {
            true => minimax(&next, depth - 1, turns),
            false => -minimax(&next, depth - 1, turns + 1),
        }
    };
    pos.moves().into_iter().map(value).max().unwrap_or(-WIN)
}

fn random_position<G: Game>(options: &G::Options, seed: u64, length: usize) -> G {
    let mut random = Random::new(seed);
    let mut pos = G::new(options).unwrap();
    for _ in 0..length {
        let Some(m) = random.pick(&pos.moves()).copied() else { break };
        let next = pos.after(m);
        if next.outcome().is_some() {
            break;
        }
        pos = next;
    }
    pos
}

fn check<G: Game>(options: &G::Options, longest: usize, depth: u32, count: u64) {
    for seed in 0..count {
        let pos = random_position::<G>(options, seed, seed as usize * 7 % longest);
        let expected = minimax(&pos, depth, 0);
        for threads in [1, 2] {
            let tt = TranspositionTable::new(1);
            let limits = Limits { depth: Some(depth), threads, ..Limits::default() };
            let spend = &Control::new(&limits, &Stop::default());
            let thought =
                think(&pos, &[], &HashEvaluate::default(), &tt, Tuning::STRICT, spend, &mut |_| {});
            assert_eq!(thought.lines[0].score, expected, "{threads} threads, {:?}", pos.setup());
            // The line is legal.
            let mut end = pos.clone();
            thought.lines[0].moves.iter().for_each(|m| end.play(*m).unwrap());
        }
    }
}

macro_rules! games {
    ($($name:ident: $game:ty,)*) => {$(
        #[test]
        fn $name() {
            super::check::<$game>(&Default::default(), 60, 3, 10);
        }
    )*};
}

mod every_game_agrees {
    rules::every_game!(games);
}

#[test]
fn gekitai_agrees_on_a_small_board() {
    let small = rules::gekitai::Options { size: 4, markers: 5, ..Default::default() };
    check::<rules::gekitai::Gekitai>(&small, 14, 4, 12);
}

#[test]
fn jeson_mor_agrees_on_a_small_board() {
    let small = rules::jeson_mor::Options { size: 5, ..Default::default() };
    check::<rules::jeson_mor::JesonMor>(&small, 30, 4, 20);
}

#[test]
fn six_making_agrees_on_a_small_board() {
    let small = rules::six_making::Options { size: 4, ..Default::default() };
    check::<rules::six_making::SixMaking>(&small, 30, 4, 8);
}
