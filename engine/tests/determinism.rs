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
fn the_same_seed_gives_the_same_game_and_another_seed_another() {
    for entry in GAMES {
        let play = |seed| {
            let mut game = (entry.start)(&Default::default()).unwrap();
            let (mut random, mut thinker) = (Random::new(seed), (entry.thinker)(1));
            while game.result().is_none() && game.turns_played() < 12 {
                let level = &LEVELS[game.turns_played() % 4];
                let bounds = (&Limits::nodes(10), &Stop::default());
                let turn =
                    thinker.level_think(game.as_ref(), level, bounds, &mut random, &mut |_| {});
                game.play(&turn.unwrap()).unwrap();
            }
            game.history()
        };
        assert_eq!(play(7), play(7), "{}", entry.info.id);
        assert_ne!(play(7), play(8), "{}", entry.info.id);
    }
}
