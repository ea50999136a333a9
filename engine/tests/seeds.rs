//! The seeds' players against what independent programs say of them.

use engine::play::Play;
use engine::seed::Turn;
use engine::{GAMES, Session, find};
use proptest::prelude::*;
use rules::glaisher::Glaisher;
use rules::jeson_mor::{self, JesonMor};
use rules::random::Random;
use rules::six_making::SixMaking;
use rules::{ByPlayer, Game, Notation, gekitai::Gekitai};
use serde_json::{Map, Value};

const VALUES: &str = include_str!("data/seed-values.jsonl");
const PLAYERS: &str = include_str!("data/seed-players.jsonl");

fn lines(data: &str) -> impl Iterator<Item = (Box<dyn Session>, Value)> {
    data.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        let entry = find(line["q"]["game"].as_str().unwrap()).unwrap();
        ((entry.from_json)(&line["q"]["position"], &Map::new()).unwrap(), line)
    })
}

/// Compares what a line expects of the players, and returns how many there were.
fn compare_best(session: &dyn Session, line: &Value) -> usize {
    let Some(expected) = line["expect"]["seed_best"].as_object() else { return 0 };
    let best = session.seed_best();
    for (id, turns) in expected {
        let (_, ours) = best.iter().find(|(name, _)| name == id).unwrap();
        assert_eq!(&Value::from(ours.clone()), turns, "{} of {}", id, line["id"]);
    }
    expected.len()
}

fn random_walk<G: Game>(mut pos: G, seed: u64, moves: usize) -> G {
    let mut random = Random::new(seed);
    for _ in 0..moves {
        let next = random.pick(&pos.moves()).map(|m| pos.after(*m));
        match next {
            Some(next) if next.outcome().is_none() => pos = next,
            _ => break,
        }
    }
    pos
}

fn read<G: Notation>(text: &str) -> G {
    G::from_text(text, &G::Options::default()).unwrap()
}

fn texts<G: Game>(turns: &[Turn<G>]) -> Vec<String> {
    turns.iter().map(|turn| turn.iter().map(G::Move::to_string).collect()).collect()
}

fn turns_of<G: Play>(pos: &G, id: &str) -> Vec<String> {
    let seed = G::SEED.unwrap();
    let player = seed.players.iter().find(|player| player.about.id == id).unwrap();
    texts::<G>(&(player.turns)(pos))
}

fn value<G: Play>(pos: &G) -> ByPlayer<f64> {
    (G::SEED.unwrap().value)(pos)
}

fn best_turns<G: Play>(pos: &G) -> Vec<(&'static str, Vec<Turn<G>>)> {
    G::SEED.unwrap().best_turns(pos)
}

#[test]
fn evaluations_agree_with_independent_programs() {
    let (mut values, mut sets) = (0, 0);
    for (session, line) in lines(VALUES) {
        let expected = line["expect"]["seed_value"].as_array().unwrap();
        for (ours, theirs) in session.seed_value().unwrap().into_iter().zip(expected) {
            let theirs = theirs.as_f64().unwrap();
            assert!((ours - theirs).abs() < 1e-9, "{}: {ours}, not {theirs}", line["id"]);
        }
        values += 1;
        sets += compare_best(session.as_ref(), &line);
    }
    assert_eq!((values, sets), (459, 119));
}

#[test]
fn players_draw_from_the_same_turns_as_the_originals() {
    let sets: usize =
        lines(PLAYERS).map(|(session, line)| compare_best(session.as_ref(), &line)).sum();
    assert_eq!(sets, 40);
}

#[test]
fn the_same_random_seed_gives_the_same_choice() {
    for entry in GAMES {
        let session = (entry.start)(&Map::new()).unwrap();
        for player in session.seed_players() {
            let pick = |seed| session.seed_choose(player.id, &mut Random::new(seed)).unwrap();
            for seed in 0..8 {
                assert_eq!(pick(seed), pick(seed));
                assert!(session.boxed_clone().play(&pick(seed)).is_ok());
            }
        }
        assert_eq!(session.seed_choose("nobody", &mut Random::new(0)), None);
    }
}

#[test]
fn random_players_reach_every_turn_and_others_name_their_sets() {
    let pos = SixMaking::new(&Default::default()).unwrap();
    assert_eq!(turns_of(&pos, "easy").len(), 25);
    let (easy, mut random) = (SixMaking::SEED.unwrap(), Random::new(5));
    let mut drawn: Vec<_> =
        (0..1000).map(|_| easy.choose(&pos, "easy", &mut random).unwrap()[0].to_string()).collect();
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn.len(), 25);

    let sets = [
        ("glaisher", &["level-1", "level-2", "level-3"][..]),
        ("gekitai", &["hard"]),
        ("jeson-mor", &["greedy", "smart"]),
        ("six-making", &["hard"]),
    ];
    for (game, expected) in sets {
        let session = (find(game).unwrap().start)(&Map::new()).unwrap();
        let ids: Vec<String> = session.seed_best().into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, expected, "{game}");
    }
}

#[test]
fn a_finished_game_has_a_value_and_nothing_to_choose() {
    let finished = [
        ("glaisher", [999_999.0, -999_999.0]),
        ("gekitai", [-100.0 + 5.0 - 10.0 + 5.0 - 40.0, 100.0 + 5.0 - 10.0 + 10.0 - 20.0]),
        ("jeson-mor", [-9_999.0, 9_999.0]),
        ("six-making", [134.0, -134.0]),
    ];
    for (id, value) in finished {
        let entry = find(id).unwrap();
        let (_, text) = entry.info.samples.iter().find(|(name, _)| *name == "final").unwrap();
        let session = (entry.from_text)(text, &Map::new()).unwrap();
        assert_eq!(session.seed_value(), Some(value.into()), "{id}");
        assert!(session.seed_best().is_empty());
        for player in session.seed_players() {
            assert_eq!(session.seed_choose(player.id, &mut Random::new(1)), None);
        }
    }
}

#[test]
fn hard_fears_an_open_pair_and_finishes_its_own() {
    let pos: Gekitai = read("6/1xx3/6/6/4o1/o5 1");
    for m in turns_of(&pos, "hard") {
        assert!(pos.after(m.parse().unwrap()).outcome().is_some(), "{m}");
    }
    // Both views look at what the other could do, whoever is to move.
    let [x, o] = *value(&pos);
    assert_eq!((x, o), (2.0 - 4.0 + 5.0, -100.0 + 2.0 - 4.0 - 20.0));
}

#[test]
fn hard_builds_a_king_when_it_can() {
    let pos: SixMaking = read("xxx,1,o,2/2,xxx,2/5/1,o,3/4,o 1");
    let best = turns_of(&pos, "hard");
    assert!(!best.is_empty());
    for m in best {
        assert!(pos.after(m.parse().unwrap()).outcome().is_some(), "{m}");
    }
}

#[test]
fn levels_choose_one_turn_and_in_the_middle_of_it_a_placement() {
    let start = Glaisher::new(&Default::default()).unwrap();
    for seed in 0..20 {
        let pos = random_walk(start, seed, 2 * (seed as usize % 8));
        for (id, turns) in best_turns(&pos) {
            let [turn] = &turns[..] else { panic!("{id} has {} turns", turns.len()) };
            let mut next = pos;
            turn.iter().for_each(|m| next.play(*m).unwrap());
            assert_eq!((turn.len(), next.turn()), (2, pos.turn().other()));
            for (_, turns) in best_turns(&pos.after(turn[0])) {
                assert_eq!((turns.len(), turns[0].len()), (1, 1));
            }
        }
    }
}

#[test]
fn levels_open_the_game_as_they_always_did() {
    let pos = Glaisher::new(&Default::default()).unwrap();
    assert_eq!(turns_of(&pos, "level-1"), ["h4-ne:123@e8"]);
    assert_eq!(turns_of(&pos, "level-2"), ["h4-ne:123@e8"]);
    assert_eq!(turns_of(&pos, "level-3"), ["a2-sw:123@e8"]);
}

#[test]
fn levels_complete_a_connection() {
    // Red connects the left and the right corner: e9 is missing.
    let pos: Glaisher = read("5/6/7/8/r1,r1,r1,r1,r1,r1,r1,r1,1/3,y1,4/2,y2,4/r6,5/5 1@");
    for id in ["level-1", "level-2", "level-3"] {
        let turns = turns_of(&pos, id);
        assert!(pos.after(turns[0].parse().unwrap()).outcome().is_some(), "{turns:?}");
    }
}

/// The minimax that Smart's document prints, without cutoffs.
fn plain_minimax(pos: &JesonMor, depth: u32) -> f64 {
    let own = value(pos)[pos.turn()];
    if pos.outcome().is_some() {
        return if depth.is_multiple_of(2) { -own } else { own };
    }
    let children = pos.moves().into_iter().map(|m| pos.after(m));
    if depth == 1 {
        return children.map(|next| value(&next)[pos.turn()]).fold(f64::NEG_INFINITY, f64::max);
    }
    let values = children.map(|next| plain_minimax(&next, depth - 1));
    if depth.is_multiple_of(2) {
        values.fold(f64::INFINITY, f64::min)
    } else {
        values.fold(f64::NEG_INFINITY, f64::max)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn smart_is_plain_minimax_of_depth_three(seed: u64, moves in 0usize..30, seven: bool) {
        let size = if seven { 7 } else { 5 };
        let start = JesonMor::new(&jeson_mor::Options { size, ..Default::default() }).unwrap();
        let pos = random_walk(start, seed, moves);
        let obvious = value(&pos)[pos.turn()] > 2.0;
        let depth = if obvious { 1 } else { 3 };
        let best = plain_minimax(&pos, depth);
        let worth = |next: &JesonMor| match depth {
            1 => value(next)[pos.turn()],
            _ => plain_minimax(next, 2),
        };
        let mut expected = pos.moves();
        expected.retain(|m| worth(&pos.after(*m)) == best);
        let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
        prop_assert_eq!(turns_of(&pos, "smart"), expected);
    }
}
