//! A proven score is right: a slow solver that knows nothing but the rules agrees.

use engine::control::{Control, Limits, Stop};
use engine::score::{WIN, is_proven};
use engine::search::Tuning;
use engine::{play::Play, think::think, transposition::TranspositionTable};
use rules::random::Random;
use rules::{Game, Outcome};

/// Whether the player to move wins (1), loses (−1) or neither within this many turns.
fn solve<G: Game>(pos: &G, turns: i32) -> i32 {
    if let Some(outcome) = pos.outcome() {
        return match outcome {
            Outcome::Draw => 0,
            Outcome::Win(player) => {
                if player == pos.turn() {
                    1
                } else {
                    -1
                }
            }
        };
    }
    if turns == 0 {
        return 0;
    }
    let mut best = -1;
    for m in pos.moves() {
        let next = pos.after(m);
        let same = next.turn() == pos.turn();
        let value = if same { solve(&next, turns) } else { -solve(&next, turns - 1) };
        best = best.max(value);
        if best == 1 {
            break;
        }
    }
    best
}

/// Searches positions of random games and checks every proof of at most this many turns.
fn check<G: Play>(options: &G::Options, wanted: usize, most_turns: i32) {
    let judge = G::Judge::default();
    let (mut checked, mut losses) = (0, 0);
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let mut pos = G::new(options).unwrap();
        while let Some(m) = random.pick(&pos.moves()).copied() {
            let limits = Limits::nodes(600);
            if random.below(3) == 0 {
                let spend = &Control::new(&limits, &Stop::default());
                let thought = think(
                    &pos,
                    &[],
                    &judge,
                    &TranspositionTable::new(1),
                    Tuning::PLAY,
                    spend,
                    &mut |_| {},
                );
                let score = thought.lines[0].score;
                let turns = WIN - score.abs();
                if is_proven(score) && turns <= most_turns {
                    assert_eq!(solve(&pos, turns), score.signum(), "{:?}", pos.setup());
                    checked += 1;
                    losses += usize::from(score < 0);
                }
            }
            pos.play_unchecked(m);
        }
        if checked >= wanted {
            break;
        }
    }
    assert!(checked >= wanted, "{checked} proofs of {wanted}");
    // A loss takes two turns at least.
    assert!(most_turns < 2 || losses > 0, "no loss among {checked} proofs");
}

macro_rules! games {
    ($($name:ident: $game:ty,)*) => {$(
        #[test]
        fn $name() {
            super::check::<$game>(&Default::default(), 100, 1);
        }
    )*};
}

mod wins_with_this_turn_are_right_in_every_game {
    rules::every_game!(games);
}

#[test]
fn gekitai_proofs_are_right() {
    check::<rules::gekitai::Gekitai>(&Default::default(), 250, 3);
    let small = rules::gekitai::Options { size: 4, markers: 5, ..Default::default() };
    check::<rules::gekitai::Gekitai>(&small, 100, 4);
}

#[test]
fn jeson_mor_proofs_are_right() {
    let small = rules::jeson_mor::Options { size: 5, ..Default::default() };
    check::<rules::jeson_mor::JesonMor>(&small, 350, 5);
}

#[test]
fn six_making_proofs_are_right() {
    check::<rules::six_making::SixMaking>(&Default::default(), 100, 3);
    let small = rules::six_making::Options { size: 4, ..Default::default() };
    check::<rules::six_making::SixMaking>(&small, 200, 3);
}
