//! One thread is reproducible to the node, and the same seed gives the same game.

use engine::levels::LEVELS;
use engine::{Entry, GAMES, Limits, Stop};
use rules::random::Random;

#[test]
fn the_bench_counts_as_before() {
    let count = |entry: &Entry| format!("{} {}\n", entry.info.id, (entry.bench)().nodes);
    let counted: String = GAMES.iter().map(count).collect();
    let expected = include_str!("../../bench.txt");
    assert_eq!(counted, expected, "the search has changed: write these counts into bench.txt");
}

#[test]
fn one_thread_finds_the_same_again_and_ends_on_the_node() {
    for entry in GAMES {
        let game = (entry.start)(&Default::default()).unwrap();
        let limits = Limits::nodes(3_000);
        let view = |lines| {
            let mut thinker = (entry.thinker)(4);
            let limits = Limits { lines, ..limits.clone() };
            let view =
                thinker.think(game.as_ref(), &limits, &Stop::default(), &mut |_| {}).unwrap();
            (view.nodes, view.lines)
        };
        for lines in [1, 3] {
            let first = view(lines);
            assert_eq!(first, view(lines), "{}", entry.info.id);
            assert!(first.0 <= 3_000, "{} looked at {} positions", entry.info.id, first.0);
            assert_eq!(first.1.len(), lines);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_game_and_another_seed_another() {
    for entry in GAMES {
        let play = |seed| {
            let mut game = (entry.start)(&Default::default()).unwrap();
            let (mut random, mut thinker) = (Random::new(seed), (entry.thinker)(1));
            while game.result().is_none() && game.turns_played() < 12 {
                let level = &LEVELS[game.turns_played() % 4];
                let turn = thinker
                    .level_turn(
                        game.as_ref(),
                        level,
                        &Limits::nodes(10),
                        &Stop::default(),
                        &mut random,
                    )
                    .unwrap();
                game.play(&turn).unwrap();
            }
            game.history()
        };
        assert_eq!(play(7), play(7), "{}", entry.info.id);
        assert_ne!(play(7), play(8), "{}", entry.info.id);
    }
}

#[test]
fn a_stopped_search_still_has_a_turn() {
    for entry in GAMES {
        let mut game = (entry.start)(&Default::default()).unwrap();
        let stop = Stop::default();
        stop.stop();
        let turn = (entry.thinker)(1).turn(game.as_ref(), &Limits::default(), &stop).unwrap();
        game.play(&turn).unwrap();
        assert!(!game.in_turn());
    }
}
