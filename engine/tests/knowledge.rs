//! What the evaluators call certain is certain: checked by exhaustive search.

use crate::effort::cases;
use engine::evaluate::Evaluate;
use engine::play::Play;
use engine::play::{gekitai, glaisher, jeson_mor, six_making};
use engine::score::win_after;
use engine::solve::Prove;
use rules::glaisher::Glaisher;
use rules::random::Random;
use rules::{Game, Outcome};

/// The positions of random games that are not over.
fn positions<G: Game>(options: &G::Options, games: u64, longest: usize) -> Vec<G> {
    (0..games).flat_map(|seed| game(options, seed, longest)).collect()
}

fn game<G: Game>(options: &G::Options, seed: u64, longest: usize) -> Vec<G> {
    let mut positions = Vec::new();
    let mut random = Random::new(seed);
    let mut pos = G::new(options).unwrap();
    for _ in 0..longest {
        let Some(m) = random.pick(&pos.moves()).copied() else { break };
        pos.play_unchecked(m);
        if pos.outcome().is_none() {
            positions.push(pos.clone());
        }
    }
    positions
}

/// Whether the player to move can win before the opponent plays, in a way that counts.
fn wins_this_turn<G: Game>(pos: &G, counts: fn(&G) -> bool) -> bool {
    pos.moves().into_iter().any(|m| {
        let next = pos.after(m);
        next.outcome() == Some(Outcome::Win(pos.turn())) && counts(&next)
            || next.turn() == pos.turn()
                && next.outcome().is_none()
                && wins_this_turn(&next, counts)
    })
}

fn what_is_known_of_a_turn_is_certain<G: Play>() {
    let judge = G::Judge::default();
    let mut wins = 0;
    for pos in positions::<G>(&Default::default(), 12, 160).into_iter().step_by(3) {
        let (known, wins_now) = (judge.known(&pos), wins_this_turn(&pos, |_| true));
        let seen = known == Some(win_after(1));
        assert!(wins_now || !seen, "there is no win: {:?}", pos.setup());
        assert!(
            seen || !wins_now || !judge.overlooks_no_win(&pos),
            "overlooked: {:?}",
            pos.setup()
        );
        assert!(!wins_now || known.is_none_or(|score| score > 0), "no loss: {:?}", pos.setup());
        wins += usize::from(wins_now);
    }
    assert!(wins > 0, "no win was looked at");
}

macro_rules! games {
    ($($name:ident: $game:ty,)*) => {$(
        #[test]
        fn $name() {
            super::what_is_known_of_a_turn_is_certain::<$game>();
        }
    )*};
}

mod what_is_known_of_a_turn_is_certain_in_every_game {
    rules::every_game!(games);
}

fn immediate_wins_are_seen<G: Game>(
    judge: &impl Evaluate<Game = G>,
    positions: &[G],
    counts: fn(&G) -> bool,
) {
    let mut wins = 0;
    for pos in positions {
        let expected = wins_this_turn(pos, counts);
        assert_eq!(judge.known(pos) == Some(win_after(1)), expected, "{:?}", pos.setup());
        wins += usize::from(expected);
    }
    assert!(wins > 20, "only {wins} wins among {}", positions.len());
}

#[test]
fn gekitai_sees_every_immediate_win_and_no_other() {
    use rules::gekitai::{Both, Options};
    for (size, markers, both) in
        [(6, 8, Both::Mover), (6, 8, Both::Draw), (4, 4, Both::Mover), (8, 5, Both::Draw)]
    {
        let options = Options { size, markers, both };
        immediate_wins_are_seen(&gekitai::Judge::default(), &positions(&options, 150, 60), |_| {
            true
        });
    }
}

#[test]
fn six_making_sees_every_immediate_win_and_no_other() {
    for size in [4, 5] {
        let options = rules::six_making::Options { size, ..Default::default() };
        immediate_wins_are_seen(
            &six_making::Judge::default(),
            &positions(&options, 60, 80),
            |_| true,
        );
    }
}

#[test]
fn glaisher_sees_every_connection_and_nothing_else() {
    // Games on smaller boards are shorter.
    for (side, min_parts, games) in [(5, 1, 25), (5, 2, 25), (4, 1, 60), (3, 1, 200), (3, 2, 200)] {
        let options = rules::glaisher::Options { side, min_parts };
        let all = positions(&options, games, 160);
        let late: Vec<_> = all.into_iter().step_by(5).collect();
        // A win because the opponent cannot shift is left to the search.
        let connected = |pos: &Glaisher| pos.board().connects(pos.stacks(pos.turn().other()));
        immediate_wins_are_seen(&glaisher::Judge::default(), &late, connected);
    }
}

/// Whether the player to move wins (1), loses (−1) or neither within this many plies, by all the rules.
fn solve(pos: &rules::jeson_mor::JesonMor, plies: i32) -> i32 {
    if let Some(outcome) = pos.outcome() {
        return if outcome == Outcome::Win(pos.turn()) { 1 } else { -1 };
    }
    if plies == 0 {
        return 0;
    }
    let mut best = -1;
    for m in pos.moves() {
        best = best.max(-solve(&pos.after(m), plies - 1));
        if best == 1 {
            break;
        }
    }
    best
}

#[test]
fn the_ring_is_never_wrong() {
    let mut decided = 0;
    for seed in 0..cases(400) {
        let options =
            rules::jeson_mor::Options { size: [5, 7][seed as usize % 2], ..Default::default() };
        let positions = game::<rules::jeson_mor::JesonMor>(&options, seed, 40).into_iter();
        for pos in positions.skip(6).step_by(3) {
            let Some(score) = jeson_mor::Judge::BY_HAND.known(&pos) else { continue };
            let plies = engine::score::WIN - score.abs();
            if plies <= 5 {
                assert_eq!(solve(&pos, plies), score.signum(), "{:?}", pos.setup());
                decided += 1;
            }
        }
    }
    assert!(decided > cases(400) / 2, "only {decided}");
}
