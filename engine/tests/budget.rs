//! A turn keeps to its budget, and its answers are whole turns.

use engine::levels::LEVELS;
use engine::puzzles::shipped;
use engine::{Analysis, Entry, GAMES, Limits, Session, Stop};
use rules::random::Random;
use std::time::Duration;

/// Positions of random games, those within a turn included.
fn positions(entry: &Entry, count: usize) -> Vec<Box<dyn Session>> {
    let mut random = Random::new(11);
    let mut game = (entry.start)(&Default::default()).unwrap();
    let mut positions = Vec::new();
    while positions.len() < count {
        if game.result().is_some() {
            game = game.start();
        }
        positions.push(game.boxed_clone());
        for _ in 0..3 {
            let step = random.pick(&game.steps()).cloned();
            step.into_iter().for_each(|step| game.play(&step.text).unwrap());
        }
    }
    positions
}

fn think(entry: &Entry, game: &dyn Session, limits: &Limits) -> Analysis {
    (entry.thinker)(4).think(game, limits, &Stop::default(), &mut |_| {}).unwrap()
}

fn plays_whole_turns(game: &dyn Session, view: &Analysis) {
    assert!(!view.lines.is_empty());
    for line in &view.lines {
        assert!(!line.turns.is_empty(), "{}", game.text());
        let mut game = game.boxed_clone();
        for turn in &line.turns {
            let mover = game.turn();
            game.play(turn).unwrap_or_else(|error| panic!("{:?}: {error}", line.turns));
            let ended = game.turn() != mover || game.outcome().is_some();
            assert!(ended, "`{turn}` of {:?} is not a whole turn", line.turns);
        }
    }
}

#[test]
fn one_thread_finds_the_same_again_and_ends_on_the_node() {
    for entry in GAMES {
        let mut exact = 0;
        for game in positions(entry, 12) {
            for (nodes, lines) in [(1, 1), (2, 3), (90, 1), (3_000, 1), (3_000, 3)] {
                let limits = Limits { lines, ..Limits::nodes(nodes) };
                let found = think(entry, game.as_ref(), &limits);
                let again = think(entry, game.as_ref(), &limits);
                assert_eq!((found.nodes, &found.lines), (again.nodes, &again.lines));
                assert!(found.nodes <= nodes, "{} of {nodes}: {}", found.nodes, game.text());
                plays_whole_turns(game.as_ref(), &found);
                // Only a proof may take fewer.
                let proven = found.lines.iter().any(|line| line.win_in.is_some());
                assert!(proven || found.nodes == nodes, "{} of {nodes}", found.nodes);
                exact += usize::from(found.nodes == nodes);
            }
        }
        assert!(exact > 10, "{}: only {exact} searches", entry.info.id);
    }
}

#[test]
fn several_threads_visit_no_more_nodes_than_one() {
    for entry in GAMES {
        for game in positions(entry, 6) {
            let limits = Limits { threads: 3, ..Limits::nodes(2_000) };
            let found = think(entry, game.as_ref(), &limits);
            assert!(found.nodes <= 2_000, "{}: {}", entry.info.id, found.nodes);
            plays_whole_turns(game.as_ref(), &found);
        }
    }
}

#[test]
fn intermediate_lines_are_whole_turns() {
    for entry in GAMES {
        for game in positions(entry, 8) {
            let limits = Limits { lines: 3, ..Limits::nodes(4_000) };
            let (mut thinker, mut told) = ((entry.thinker)(1), 0);
            let found = thinker.think(game.as_ref(), &limits, &Stop::default(), &mut |view| {
                plays_whole_turns(game.as_ref(), view);
                told += 1;
            });
            plays_whole_turns(game.as_ref(), &found.unwrap());
            assert!(told > 0);
        }
    }
}

#[test]
fn a_stopped_search_and_one_without_time_still_have_a_turn() {
    for entry in GAMES {
        let stopped = Stop::default();
        stopped.stop();
        for game in positions(entry, 8) {
            let no_time = Limits::time(Duration::ZERO);
            for (limits, stop) in [(Limits::default(), &stopped), (no_time, &Stop::default())] {
                let found = (entry.thinker)(1).think(game.as_ref(), &limits, stop, &mut |_| {});
                plays_whole_turns(game.as_ref(), &found.unwrap());
                let (mut thinker, mut random) = ((entry.thinker)(1), Random::new(3));
                let turn = thinker.level_think(
                    game.as_ref(),
                    &LEVELS[6],
                    (&limits, stop),
                    &mut random,
                    &mut |_| {},
                );
                let mut next = game.boxed_clone();
                next.play(&turn.unwrap()).unwrap();
                assert!(next.turn() != game.turn() || next.outcome().is_some());
            }
        }
    }
}

#[test]
fn a_win_that_is_found_exactly_is_told_within_the_budget() {
    let entry = engine::find("glaisher").unwrap();
    let mut wins = 0;
    for puzzle in shipped(entry.info.id).iter().take(4) {
        let game = (entry.from_text)(&puzzle.position, &Default::default()).unwrap();
        for nodes in [20_000, 21_000, 40_000] {
            let found = think(entry, game.as_ref(), &Limits::nodes(nodes));
            assert!(found.nodes <= nodes, "{} of {nodes}: {}", found.nodes, game.text());
            plays_whole_turns(game.as_ref(), &found);
            if found.lines[0].win_in == Some(puzzle.turns as i32) {
                assert_eq!(found.lines[0].turns[0], puzzle.solution[0], "{}", puzzle.record);
                wins += 1;
            }
        }
    }
    assert!(wins > 4, "only {wins} wins");
}

#[test]
fn a_clock_gives_a_share_that_leaves_half_of_it() {
    let ms = Duration::from_millis;
    for (left, increment, most) in [
        (ms(100), ms(1_000), ms(50)),
        (ms(60_000), ms(0), ms(2_000)),
        (ms(60_000), ms(1_000), ms(2_750)),
        (ms(3), ms(0), ms(1)),
        (ms(0), ms(5_000), ms(0)),
        (Duration::MAX, Duration::MAX, Duration::MAX),
    ] {
        let Limits { time, soft, .. } = Limits::clock(left, increment);
        let (time, soft) = (time.unwrap(), soft.unwrap());
        assert!(soft <= most && soft <= time && time <= left / 2, "{soft:?}, {time:?} of {left:?}");
    }
    // Where every turn brings an increment, about as much of it is spent.
    let mut left = ms(5_000);
    for _ in 0..100 {
        left = left - Limits::clock(left, ms(1_000)).soft.unwrap() + ms(1_000);
    }
    assert!((ms(5_000)..ms(10_000)).contains(&left), "{left:?}");
}
