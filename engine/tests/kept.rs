//! An evaluation that positions hand on to those after them equals the one that is made afresh.

use crate::effort::cases;
use engine::control::{Control, Limits, Stop};
use engine::evaluate::{Evaluate, ScoredMove, score_moves, static_eval};
use engine::levels::{Blurred, USUAL};
use engine::play::Play;
use engine::score::Score;
use engine::search::{Pv, Tuning};
use engine::think::think;
use engine::transposition::TranspositionTable;
use rules::random::Random;
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

/// The judgement of a game with another estimate: by sums that are kept, or made for every position.
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

    fn unit(&self) -> i32 {
        self.judge.unit()
    }

    fn futility_margin(&self) -> Option<i32> {
        self.judge.futility_margin()
    }

    fn probes_leaves(&self) -> bool {
        self.judge.probes_leaves()
    }
}

/// Best lines and nodes of a search, by a judgement or by one that errs.
fn found<G: Play>(
    pos: &G,
    judge: &Summing<G>,
    blurred: bool,
    limits: &Limits,
) -> (Vec<Pv<G::Move>>, u64) {
    let (control, tt) = (Control::new(limits, &Stop::default()), TranspositionTable::new(1));
    let thought = if blurred {
        let judge = Blurred::new(judge, USUAL[4], 7, false);
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
        // On several threads each has states of its own, which `evaluate` looks at.
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
    assert!(followed > 1_000, "only {followed} states were handed on");
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

/// What the search keeps for a game's own judgement, against what the judgement says of each position by
/// itself, along random games with every option.
fn the_judgement_says_the_same<G: Play>() {
    for (judge, seed) in [G::Judge::default(), G::by_hand()].into_iter().zip(0u64..) {
        for number in 0..cases(40) {
            let mut random = Random::new(1_000 * seed + number);
            let mut pos = G::new(&G::Options::default()).unwrap();
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
                // Some moves are looked at, and the last of them is made.
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
