//! Proof-number search, exact bounds, retrograde analysis and plain minimax agree.

use crate::effort::cases;
use engine::control::{Control, Limits, Stop};
use engine::play::Play;
use engine::solve::bound::{Bounder, Bounds, Count};
use engine::solve::complete::Solved;
use engine::solve::knights::Knights;
use engine::solve::plain::{Memory, Plain};
use engine::solve::proof::Prover;
use engine::solve::retrograde::{Graph, is_win, solve, turns};
use engine::solve::strategy::Oracle;
use engine::solve::table::{INFINITE, Table};
use rules::gekitai::Gekitai;
use rules::jeson_mor::JesonMor;
use rules::random::Random;
use rules::{Game, Notation, Outcome, Player, Symmetric};

/// Whether the attacker can force a win within this many turns of both players, by exhaustive search.
fn minimax<G: Game>(pos: &G, attacker: Player, left: u32) -> bool {
    if let Some(outcome) = pos.outcome() {
        return outcome == Outcome::Win(attacker);
    }
    let wins = |m: G::Move| {
        let next = pos.after(m);
        let ends = next.turn() != pos.turn() || next.outcome().is_some();
        let rest = left.checked_sub(u32::from(ends));
        rest.is_some_and(|rest| minimax(&next, attacker, rest))
    };
    let mut moves = pos.moves().into_iter();
    if pos.turn() == attacker { moves.any(wins) } else { moves.all(wins) }
}

/// What minimax, bounds, a graph and proof-number search say of a position; how many wins there were.
fn compare<G: Play>(pos: &G, most: u32) -> usize {
    let judge = G::Judge::default();
    let graph = Graph::new(pos, most, usize::MAX).unwrap();
    let values = solve(&graph, &mut |_| true).unwrap();
    let value = values[graph.state(pos).unwrap()];
    let mut bounds = Bounds::new(1);
    let mut wins = 0;
    for attacker in Player::BOTH {
        let mut quickest = None;
        // With a table and without one.
        let (mut none, mut memory) = (Memory::new(0), Memory::new(1));
        for left in 1..=most {
            let expected = minimax(pos, attacker, left);
            quickest = quickest.or(expected.then_some(left));
            let control = Control::new(&Limits::default(), &Stop::default());
            let found =
                Bounder::new(&judge, &mut bounds, &control, attacker, Count::Turns).wins(pos, left);
            assert_eq!(found, Some(expected), "{attacker} within {left}: {:?}", pos.setup());
            for memory in [&mut none, &mut memory] {
                let mut watch = || {};
                let found = Plain::new(memory, &control, attacker, &mut watch).wins(pos, left);
                assert_eq!(found, Some(expected), "plainly within {left}: {:?}", pos.setup());
            }
        }
        // To lose by one's own turn counts as losing to the next one in a graph.
        let of_graph = turns(value).filter(|_| is_win(value) == (pos.turn() == attacker));
        if let Some(turns) = of_graph.filter(|turns| *turns < most) {
            assert!(quickest.is_some_and(|quick| quick <= turns), "{:?}", pos.setup());
        }
        if let Some(quick) = quickest.filter(|quick| *quick < most) {
            let late = of_graph.is_some_and(|turns| turns == quick || turns == quick + 1);
            assert!(late, "{quick} turns, the graph says {of_graph:?}: {:?}", pos.setup());
        }
        let control = Control::new(&Limits::nodes(1_000), &Stop::default());
        let mut table = Table::new(1);
        let proven = Prover::new(&judge, &mut table, &control, attacker).proves(pos);
        assert!(proven || quickest.is_none(), "{attacker} is not proven: {:?}", pos.setup());
        assert!(!(proven && minimax(pos, attacker.other(), most)), "{:?}", pos.setup());
        wins += usize::from(quickest.is_some());
    }
    wins
}

/// Compares on positions of random games, the last ones before the end; a part of the games each time.
fn compare_games<G: Play>(options: &G::Options, games: u64, last: usize, most: u32) {
    let (mut wins, mut count) = (0, 0);
    for seed in 0..cases(games) {
        let mut random = Random::new(seed);
        let mut pos = G::new(options).unwrap();
        let mut past = Vec::new();
        while let Some(m) = random.pick(&pos.moves()).copied() {
            past.push(pos.clone());
            pos.play_unchecked(m);
            if past.len() > 120 {
                break;
            }
        }
        for pos in past.iter().rev().take(last) {
            wins += compare(pos, most);
            count += 1;
        }
    }
    assert!(wins * 10 > count, "{wins} wins in {count} positions");
}

/// All positions of a small game with one table: what one search has refuted by a repetition, another must not
/// believe.
#[test]
fn a_proof_search_that_ends_is_right_whatever_others_have_left_in_its_table() {
    let start = JesonMor::from_text("nnn2/5/5/5/3NN 1", &Default::default()).unwrap();
    let graph = Graph::new(&start, u32::MAX, usize::MAX).unwrap();
    let values = solve(&graph, &mut |_| true).unwrap();
    let mut positions: Vec<_> = graph.positions().collect();
    positions.sort_unstable_by_key(|(_, state)| *state);
    let judge = <JesonMor as Play>::Judge::default();
    for attacker in Player::BOTH {
        let mut table = Table::new(16);
        for (pos, state) in positions.iter().step_by(5) {
            let won = values[*state] != 0 && is_win(values[*state]) == (pos.turn() == attacker);
            let control = Control::new(&Limits::nodes(100_000), &Stop::default());
            let mut prover = Prover::new(&judge, &mut table, &control, attacker);
            let proven = prover.proves(pos);
            assert_eq!(proven, won, "{attacker}, {} nodes: {}", prover.nodes(), pos.text());
        }
    }
}

/// Transpositions are counted several times, so the numbers of a long search grow without bound. That must not end it.
#[test]
fn a_proof_is_found_however_large_the_numbers_have_grown() {
    let options = rules::gekitai::Options { size: 5, markers: 4, ..Default::default() };
    let start = Gekitai::new(&options).unwrap();
    let judge = <Gekitai as Play>::Judge::default();
    let control = Control::new(&Limits::nodes(200_000), &Stop::default());
    let mut table = Table::new(16);
    for m in start.moves() {
        let next = start.after(m);
        let key = Prover::new(&judge, &mut table, &control, Player::One).key(&next);
        table.put(key, (1, INFINITE / 2), 1);
    }
    let mut prover = Prover::new(&judge, &mut table, &control, Player::One);
    assert!(prover.proves(&start), "{:?}", prover.outlook());
}

macro_rules! games {
    ($($name:ident: $game:ty,)*) => {$(
        #[test]
        fn $name() {
            super::compare_games::<$game>(&Default::default(), 40, 4, 1);
        }
    )*};
}

mod all_solvers_agree_on_every_game {
    rules::every_game!(games);
}

#[test]
fn all_solvers_agree_on_gekitai() {
    for (size, markers, games, most) in [(4, 4, 120, 2), (4, 6, 2, 3), (5, 5, 50, 2)] {
        let options = rules::gekitai::Options { size, markers, ..Default::default() };
        compare_games::<Gekitai>(&options, games, 6, most);
    }
}

#[test]
fn all_solvers_agree_on_six_making() {
    let options = rules::six_making::Options { size: 4, ..Default::default() };
    compare_games::<rules::six_making::SixMaking>(&options, 130, 8, 2);
}

#[test]
fn all_solvers_agree_on_jeson_mor() {
    let options = rules::jeson_mor::Options { size: 5, ..Default::default() };
    compare_games::<JesonMor>(&options, 300, 4, 2);
    compare_games::<JesonMor>(&options, 6, 3, 3);
}

#[test]
fn all_solvers_agree_on_glaisher() {
    for min_parts in [1, 2] {
        let options = rules::glaisher::Options { min_parts, ..Default::default() };
        compare_games::<rules::glaisher::Glaisher>(&options, 56, 9, 1);
    }
}

/// Three rows with a gap each, and a defender with two low stacks, all of whose turns are tried.
#[test]
fn a_win_of_glaisher_after_any_reply_is_seen_and_no_other() {
    use rules::glaisher::{Glaisher, Options};
    let (mut wins, mut others) = (0, 0);
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut setup = Glaisher::new(&Options::default()).unwrap().setup();
        setup.board.iter_mut().flatten().for_each(|height| *height = 0);
        for row in [3, 4, 5].into_iter().take(1 + random.below(3)) {
            setup.board[row].fill(1);
            for _ in 0..=random.below(4) {
                let gap = random.below(setup.board[row].len());
                setup.board[row][gap] = 0;
            }
        }
        for row in [1, 7] {
            let column = random.below(setup.board[row].len());
            setup.board[row][column] = -1 - random.below(3) as i64;
        }
        setup.turn = Player::Two;
        let Ok(pos) = Glaisher::from_setup(setup) else { continue };
        if pos.outcome().is_some() {
            continue;
        }
        let control = Control::new(&Limits::default(), &Stop::default());
        let judge = engine::play::glaisher::Judge::default();
        let mut bounds = Bounds::new(1);
        let mut bounder = Bounder::new(&judge, &mut bounds, &control, Player::One, Count::Turns);
        let found = bounder.wins(&pos, 2);
        let expected = minimax(&pos, Player::One, 2);
        assert_eq!(found, Some(expected), "{:?}", pos.setup());
        wins += usize::from(expected);
        others += usize::from(!expected);
    }
    assert!(wins > 2 && others > 2, "{wins} wins, {others} others");
}

#[test]
fn the_ring_of_jeson_mor_is_right_for_every_position_of_few_knights() {
    use engine::evaluate::Evaluate;
    use engine::score::WIN;
    let knights = Knights::compute(2, &mut |_, _| true).unwrap();
    let judge = engine::play::jeson_mor::Judge::BY_HAND;
    let cells: Vec<(usize, usize)> = (0..25).map(|i| (i / 5, i % 5)).collect();
    let (mut decided, mut all) = (0, 0);
    for a in 0..25 {
        for b in 0..a {
            for c in (0..25).filter(|c| ![a, b].contains(c)) {
                for d in (0..=c).filter(|d| ![a, b].contains(d)) {
                    let mut board = vec![vec!['.'; 5]; 5];
                    for (i, letter) in [(a, 'w'), (b, 'w'), (c, 'b'), (d, 'b')] {
                        board[cells[i].0][cells[i].1] = letter;
                    }
                    let board = board.into_iter().map(|row| row.into_iter().collect()).collect();
                    let options = rules::jeson_mor::Options { size: 5, ..Default::default() };
                    let turn = if (a + b + c + d) % 2 == 0 { Player::One } else { Player::Two };
                    let setup = rules::jeson_mor::Setup { board, turn, winner: None, options };
                    let Ok(pos) = JesonMor::from_setup(setup) else { continue };
                    let Some(value) = knights.look_up(&pos) else { continue };
                    all += 1;
                    if let Some(score) = judge.known(&pos) {
                        decided += 1;
                        let turns = turns(value).unwrap() as i32;
                        assert_eq!(is_win(value), score > 0, "{:?}", pos.setup());
                        assert!(turns <= WIN - score.abs(), "{turns}: {:?}", pos.setup());
                    }
                }
            }
        }
    }
    assert!(decided > 10_000 && all > 50_000, "{decided} of {all}");
}

#[test]
fn a_table_of_knights_agrees_with_a_graph() {
    let knights = Knights::compute(2, &mut |_, _| true).unwrap();
    let text = "n3n/5/5/5/N3N 1";
    let start = rules::Notation::from_text(text, &Default::default()).unwrap();
    let graph = Graph::<JesonMor>::new(&start, u32::MAX, 2_000_000).unwrap();
    let values = solve(&graph, &mut |_| true).unwrap();
    let mut count = 0;
    for (pos, state) in graph.positions() {
        assert_eq!(knights.look_up(pos), Some(values[state]), "{:?}", pos.setup());
        count += 1;
    }
    assert!(count > 10_000, "{count}");
}

#[test]
fn a_table_tells_every_position_once_with_the_value_it_has() {
    let table = Knights::compute(2, &mut |_, _| true).unwrap();
    let (counts, _) = Solved::tally(&table);
    let results: Vec<_> = table.into_results().collect();
    let again = Knights::compute(2, &mut |_, _| true).unwrap();
    let mut seen = std::collections::HashSet::new();
    for (pos, value) in &results {
        assert_eq!(again.look_up(pos), Some(*value), "{}", pos.text());
        assert!(seen.insert(pos.canonical().0), "{}", pos.text());
    }
    assert_eq!(results.len() as u64, counts.iter().sum::<u64>());
}

#[test]
fn a_win_that_the_losers_own_move_completes_is_not_counted_one_turn_too_long() {
    let entry = engine::find("gekitai").unwrap();
    let game = (entry.from_text)("x1x1/xoxo/oxo1/oxox 2", &Default::default()).unwrap();
    let settings = engine::solve::question::Settings {
        method: engine::solve::question::Method::Bound,
        player: None,
        most_turns: Some(4),
        time: None,
        nodes: None,
        mebibytes: 4,
        threads: 1,
        checkpoint: None,
        resume: None,
    };
    let report = (entry.solve)(game.as_ref(), &settings, &Stop::default(), &mut |_| {}).unwrap();
    let win = report.win.unwrap();
    assert_eq!((win.player, win.turns, win.exact), (Player::Two, 1, true), "{win:?}");
}
