//! State that is updated move by move equals state that is computed from scratch.

use crate::effort::cases;
use engine::control::{Control, Limits, Stop};
use engine::evaluate::{Evaluate, ScoredMove, score_moves, static_eval};
use engine::levels::{Blurred, USUAL};
use engine::net::{Net, Seen};
use engine::parts::parts;
use engine::play::{Play, six_making};
use engine::score::Score;
use engine::search::{Pv, Tuning};
use engine::think::think;
use engine::transposition::TranspositionTable;
use rules::gekitai::Gekitai;
use rules::glaisher::Glaisher;
use rules::jeson_mor::JesonMor;
use rules::notation::options_from_json;
use rules::random::Random;
use rules::six_making::SixMaking;
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// Sums over the characters of a position's text, as large as those of a learned evaluation.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sums([[i32; 32]; 8]);

impl Sums {
    fn of<G: Play>(pos: &G) -> Sums {
        let mut sums = Sums::default();
        pos.text().bytes().enumerate().for_each(|(place, byte)| sums.add(place, byte, 1));
        sums
    }

    fn add(&mut self, place: usize, byte: u8, sign: i32) {
        let mut random = Random::new(place as u64 * 256 + u64::from(byte));
        for sum in self.0.iter_mut().flatten() {
            *sum += sign * (random.next_u64() % 64) as i32;
        }
    }

    fn score(&self) -> Score {
        self.0.iter().flatten().zip(1..).map(|(sum, i)| sum * i % 1_000).sum::<i32>() % 2_000
    }
}

/// A game's evaluator with another static evaluation: by sums that are updated, or computed for every position.
struct Summing<G: Play> {
    judge: G::Judge,
    keeps: bool,
    followed: AtomicU64,
}

impl<G: Play> Summing<G> {
    fn new(keeps: bool) -> Self {
        Summing { judge: G::Judge::default(), keeps, followed: AtomicU64::new(0) }
    }
}

impl<G: Play> Evaluate for Summing<G> {
    type Game = G;
    type State = Sums;

    fn refresh(&self, pos: &G, state: &mut Sums) {
        *state = Sums::of(pos);
    }

    fn update(&self, before: &Sums, pos: &G, _m: G::Move, next: &G, state: &mut Sums) {
        if !self.keeps {
            return self.refresh(next, state);
        }
        self.followed.fetch_add(1, Ordering::Relaxed);
        state.clone_from(before);
        let (old, new) = (pos.text().into_bytes(), next.text().into_bytes());
        for place in 0..old.len().max(new.len()) {
            let (old, new) = (old.get(place), new.get(place));
            if old != new {
                old.into_iter().for_each(|byte| state.add(place, *byte, -1));
                new.into_iter().for_each(|byte| state.add(place, *byte, 1));
            }
        }
    }

    fn evaluate(&self, pos: &G, state: &Sums) -> Score {
        assert_eq!(*state, Sums::of(pos), "{}", pos.text());
        state.score()
    }

    fn known(&self, pos: &G) -> Option<Score> {
        self.judge.known(pos)
    }

    fn known_with(&self, pos: &G, state: &Sums) -> Option<Score> {
        assert_eq!(*state, Sums::of(pos), "{}", pos.text());
        self.judge.known(pos)
    }

    fn knows_without_state(&self) -> bool {
        false
    }

    fn prune<T>(&self, pos: &G, moves: &mut Vec<T>, of: impl Fn(&T) -> G::Move) {
        self.judge.prune(pos, moves, of);
    }

    fn hopeless(&self, pos: &G) -> Score {
        self.judge.hopeless(pos)
    }

    fn is_unstable(&self, pos: &G) -> bool {
        self.judge.is_unstable(pos)
    }

    fn has_noisy_moves(&self, pos: &G) -> bool {
        self.judge.has_noisy_moves(pos)
    }

    fn is_noisy(&self, pos: &G, m: G::Move) -> bool {
        self.judge.is_noisy(pos, m)
    }

    fn is_extended(&self, pos: &G, m: G::Move, next: &G) -> bool {
        self.judge.is_extended(pos, m, next)
    }

    fn score_moves(&self, pos: &G, state: &Sums, moves: &mut [ScoredMove<G::Move>]) {
        assert_eq!(*state, Sums::of(pos), "{}", pos.text());
        score_moves(&self.judge, pos, moves);
    }

    fn move_count_limit(&self, pos: &Self::Game, depth: i32) -> usize {
        self.judge.move_count_limit(pos, depth)
    }

    fn history_slot(&self, m: G::Move) -> usize {
        self.judge.history_slot(m)
    }

    fn key(&self, pos: &G) -> u64 {
        self.judge.key(pos)
    }

    fn unit(&self, pos: &G) -> i32 {
        self.judge.unit(pos)
    }

    fn futility_margin(&self, pos: &G) -> Option<i32> {
        self.judge.futility_margin(pos)
    }

    fn probes_leaves(&self) -> bool {
        self.judge.probes_leaves()
    }
}

/// Best lines and nodes of a search, by an evaluator or by a blurred one.
fn found<G: Play>(
    pos: &G,
    judge: &Summing<G>,
    blurred: bool,
    limits: &Limits,
) -> (Vec<Pv<G::Move>>, u64) {
    let (control, tt) = (Control::new(limits, &Stop::default()), TranspositionTable::new(1));
    let thought = if blurred {
        let judge = Blurred::new(judge, pos, USUAL[4], 7, false);
        think(pos, &[], &judge, &tt, Tuning::PLAY, &control, &mut |_| {})
    } else {
        think(pos, &[], judge, &tt, Tuning::PLAY, &control, &mut |_| {})
    };
    (thought.lines, thought.nodes)
}

fn check<G: Play>() {
    let mut random = Random::new(5);
    let mut pos = G::new(&G::Options::default()).unwrap();
    let mut followed = 0;
    for _ in 0..cases(24) {
        for (lines, blurred) in [(1, false), (2, false), (1, true)] {
            let limits = Limits { lines, ..Limits::nodes(500) };
            let (keeps, afresh) = (Summing::<G>::new(true), Summing::<G>::new(false));
            let kept = found(&pos, &keeps, blurred, &limits);
            assert_eq!(kept, found(&pos, &afresh, blurred, &limits), "{}", pos.text());
            followed += keeps.followed.into_inner();
        }
        // Each of several threads has its own states, which `evaluate` checks.
        let limits = Limits { threads: 2, ..Limits::nodes(200) };
        found(&pos, &Summing::new(true), false, &limits);
        for _ in 0..3 {
            let m = random.pick(&pos.moves()).copied();
            m.into_iter().for_each(|m| pos.play_unchecked(m));
        }
        if pos.outcome().is_some() {
            pos = G::new(&G::Options::default()).unwrap();
        }
    }
    assert!(followed > 1_000, "only {followed} states were updated");
}

macro_rules! games {
    ($($name:ident: $game:ty,)*) => {$(
        #[test]
        fn $name() {
            super::check::<$game>();
        }
    )*};
}

mod every_game_hands_on_what_it_keeps {
    rules::every_game!(games);
}

/// The options of a game in every combination that it allows, the defaults first.
fn every_option<G: Play>() -> Vec<G::Options> {
    let mut all = vec![Map::new()];
    for option in G::INFO.options {
        let with = |options: &Map<String, Value>| {
            let values = option.values.list().into_iter();
            let one = |value| [options.clone(), Map::from_iter([(option.name.into(), value)])];
            values.map(|value| one(value).into_iter().flatten().collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let read = |options: &Map<String, Value>| options_from_json::<G::Options>(options).ok();
    let allowed = all.iter().filter_map(read).filter(|options| G::new(options).is_ok());
    [G::Options::default()].into_iter().chain(allowed).collect()
}

/// A game's evaluator says the same with updated state as from scratch, along random games with every option.
fn the_judgement_says_the_same<G: Play>() {
    let every = every_option::<G>();
    for (judge, seed) in [G::Judge::default(), G::by_hand()].into_iter().zip(0u64..) {
        for number in 0..cases(40).max(every.len() as u64) {
            let mut random = Random::new(1_000 * seed + number);
            let mut pos = G::new(&every[number as usize % every.len()]).unwrap();
            let mut state = <G::Judge as Evaluate>::State::default();
            judge.refresh(&pos, &mut state);
            for _ in 0..120 {
                if pos.outcome().is_some() {
                    break;
                }
                let mut moves: Vec<_> = (0u16..).zip(pos.moves()).map(|(i, m)| (0, i, m)).collect();
                let mut afresh = moves.clone();
                judge.score_moves(&pos, &state, &mut moves);
                score_moves(&judge, &pos, &mut afresh);
                assert_eq!(moves, afresh, "{}", pos.text());
                // The state is updated for several moves, and the last of them is made.
                let mut made = None;
                for _ in 0..4 {
                    let m = moves[random.below(moves.len())].2;
                    let next = pos.after(m);
                    let mut kept = <G::Judge as Evaluate>::State::default();
                    judge.update(&state, &pos, m, &next, &mut kept);
                    if next.outcome().is_none() {
                        let (score, known) = (judge.evaluate(&next, &kept), judge.known(&next));
                        assert_eq!(score, static_eval(&judge, &next), "{}", next.text());
                        assert_eq!(judge.known_with(&next, &kept), known, "{}", next.text());
                    }
                    made = Some((next, kept));
                }
                let Some((next, kept)) = made else { break };
                (pos, state) = (next, kept);
            }
        }
    }
}

macro_rules! judgements {
    ($($name:ident: $game:ty,)*) => {
        $(#[test]
        fn $name() {
            super::the_judgement_says_the_same::<$game>();
        })*
    };
}

mod what_is_kept_changes_no_judgement {
    rules::every_game!(judgements);
}

fn best_lines<G: Play, E: Evaluate<Game = G>>(pos: &G, judge: &E) -> Vec<Pv<G::Move>> {
    let (control, tt) =
        (Control::new(&Limits::nodes(1_000), &Stop::default()), TranspositionTable::new(1));
    think(pos, &[], judge, &tt, Tuning::PLAY, &control, &mut |_| {}).lines
}

/// Best lines, by an evaluator and by a blurred one, along a random game with these options.
fn lines<G: Play>(judge: &G::Judge, options: &Value) -> Vec<Vec<Pv<G::Move>>> {
    let options = options_from_json::<G::Options>(options.as_object().unwrap()).unwrap();
    let mut pos = G::new(&options).unwrap();
    let (mut random, mut all) = (Random::new(3), Vec::new());
    for _ in 0..6 {
        let blurred = Blurred::new(judge, &pos, USUAL[3], 7, false);
        all.push(best_lines(&pos, judge));
        all.push(best_lines(&pos, &blurred));
        pos.play_unchecked(*random.pick(&pos.moves()).unwrap());
    }
    all
}

#[test]
fn nets_of_other_boards_change_no_search() {
    // A page has only the nets that the board needs.
    for size in [4, 5] {
        let name = format!("six-making-{size}.net");
        let packed = parts().find(|part| part.name == name).unwrap().bytes().unwrap();
        let net = Box::leak(Box::new(Net::read::<SixMaking>(packed).unwrap()));
        let (options, judge) = (json!({ "size": size }), six_making::Judge::with(net, size));
        let found = lines::<SixMaking>(&judge, &options);
        assert_eq!(found, lines::<SixMaking>(&Default::default(), &options));
    }
    let options = json!({ "size": 7 });
    let found = lines::<Gekitai>(&Gekitai::by_hand(), &options);
    assert_eq!(found, lines::<Gekitai>(&Default::default(), &options));
    let found = lines::<JesonMor>(&JesonMor::by_hand(), &options);
    assert_eq!(found, lines::<JesonMor>(&Default::default(), &options));
}

/// Checks that every stage of a net was trained: training leaves a bias, or a weight of the hand-crafted evaluation,
/// that is not zero.
fn is_trained<G: Seen, const H: usize>(name: &str) {
    let packed = parts().find(|part| part.name == name).unwrap().bytes().unwrap();
    let net = Net::<H>::read::<G>(packed).unwrap();
    for (stage, (end, hand)) in net.end.iter().zip(&net.hand).enumerate() {
        assert!(*end != 0 || *hand != 0, "{name} has learned nothing about stage {stage}");
    }
}

#[test]
fn no_net_guesses_at_random_in_a_stage_of_which_it_has_learned_nothing() {
    is_trained::<Glaisher, 64>("glaisher.net");
    is_trained::<Gekitai, 64>("gekitai.net");
    is_trained::<JesonMor, 64>("jeson-mor.net");
    is_trained::<SixMaking, 128>("six-making-4.net");
    is_trained::<SixMaking, 128>("six-making-5.net");
}
