//! A fast bounded search for Jeson Mor that counts quiet moves only.
//!
//! It answers the same question as `bound` with [`Count::Quiet`](super::bound::Count): can the attacker get a
//! majority on the ring before both players together have made a given number of moves that do not end on it?
//! Bitboards, incremental keys of all images, eight bytes an entry and several threads make it far quicker.

pub(in crate::solve) mod board;
mod memory;
mod search;

use super::knowledge::{Tabled, Within, Writer};
use super::strategy::Oracle;
use board::{Board, Count, Side, State, is_reduced, won_by_counting};
use memory::{MOST, Memory};
use rules::jeson_mor::{JesonMor, Jump};
use rules::{Game, Player};
use search::{Shared, Thread};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Entries with a smaller bound are not saved: searching them again is cheaper.
const KEPT: u8 = 4;

/// A search of the reduced game, with its table.
pub struct Quiet {
    board: Board,
    memory: Memory,
    mebibytes: usize,
    attacker: Player,
    threads: usize,
    /// The largest bound searched so far.
    most: u32,
    nodes: u64,
}

impl Quiet {
    /// A search from a position to which the reduced game applies.
    pub fn new(pos: &JesonMor, mebibytes: usize, threads: usize) -> Option<Quiet> {
        is_reduced(pos).then(|| Quiet {
            board: Board::new(pos.size()),
            memory: Memory::new(mebibytes),
            mebibytes,
            attacker: Player::One,
            threads: threads.max(1),
            most: 0,
            nodes: 0,
        })
    }

    fn side(&self, pos: &JesonMor) -> Side {
        if pos.turn() == self.attacker { Side::Attacker } else { Side::Defender }
    }

    fn state(&self, pos: &JesonMor) -> State {
        self.board.state(pos, self.attacker)
    }

    /// Searches with all threads; `None` if `go_on` stopped it.
    fn ask(
        &mut self,
        pos: &JesonMor,
        bound: u32,
        go_on: &mut dyn FnMut(u64, &Memory) -> bool,
    ) -> Option<bool> {
        let (state, side, before) = (self.state(pos), self.side(pos), self.nodes);
        let (memory, several) = (&self.memory, self.threads > 1);
        let shared = Shared::new(&self.board, memory);
        let (found, finished) = (AtomicBool::new(false), AtomicBool::new(false));
        let answer = |thread: &mut Thread<'_>| {
            let wins = thread.wins(&state, side, bound);
            if !thread.is_stopped() {
                found.store(wins, Ordering::Relaxed);
                finished.store(true, Ordering::Release);
            }
            shared.ended.store(true, Ordering::Relaxed);
            thread.look();
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(|| answer(&mut Thread::new(&shared, several, None)));
            }
            let mut watch = |nodes: u64| go_on(before + nodes, memory);
            answer(&mut Thread::new(&shared, several, Some(&mut watch)));
        });
        self.nodes += shared.nodes.load(Ordering::Relaxed);
        finished.load(Ordering::Acquire).then(|| found.load(Ordering::Relaxed))
    }

    /// The first move of the attacker's quickest win; the attacker must be to move.
    fn quickest(&mut self, pos: &JesonMor, go_on: &mut dyn FnMut() -> bool) -> Option<Jump> {
        let watch = &mut |_: u64, _: &Memory| go_on();
        let bound = (0..=self.most).find(|bound| self.ask(pos, *bound, watch) == Some(true))?;
        let (ring, centre) = (self.board.ring, self.board.centre);
        let known = self.memory.get(self.state(pos).key(self.side(pos)));
        let best =
            known.and_then(|known| self.board.jump(&self.state(pos), self.side(pos), known.best));
        let is_best = |m: &Jump| Some((m.from.index(), m.to.index())) == best;
        let mut moves = pos.moves();
        // Trying the search's deciding move first keeps the strategy small.
        moves.sort_by_key(|m| !is_best(m));
        moves.into_iter().find(|m| {
            let (from, to) = (1u128 << m.from.index(), 1u128 << m.to.index());
            // Knights on the ring are frozen, and the reduced game never enters the centre.
            if from & ring != 0 || to & centre != 0 {
                return false;
            }
            let rest = bound.checked_sub(u32::from(to & ring == 0));
            rest.is_some_and(|rest| self.ask(&pos.after(*m), rest, watch) == Some(true))
        })
    }
}

impl Within<JesonMor> for Quiet {
    fn wins(
        &mut self,
        pos: &JesonMor,
        attacker: Player,
        bound: u32,
        go_on: &mut dyn FnMut(u64, Writer<'_>) -> bool,
    ) -> Option<bool> {
        self.attacker = attacker;
        self.most = bound;
        self.ask(pos, bound, &mut |nodes, memory: &Memory| {
            go_on(nodes, &|mut out: &mut dyn Write| memory.write(&mut out, KEPT))
        })
    }

    fn most(&self) -> u32 {
        MOST - 1
    }
}

impl Tabled for Quiet {
    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn used(&self) -> f64 {
        self.memory.used()
    }

    fn write(&self, mut out: &mut dyn Write) -> io::Result<()> {
        self.memory.write(&mut out, KEPT)
    }

    fn read(&mut self, mut input: &mut dyn Read) -> io::Result<()> {
        // Frees the old table first: there is room for only one.
        self.memory = Memory::new(0);
        self.memory = Memory::read(&mut input, self.mebibytes)?;
        Ok(())
    }
}

impl Oracle<JesonMor> for Quiet {
    fn attacker(&self) -> Player {
        self.attacker
    }

    fn key(&self, pos: &JesonMor) -> u64 {
        self.state(pos).key(self.side(pos))
    }

    fn won_at_sight(&self, pos: &JesonMor) -> Option<u32> {
        won_by_counting(pos, self.attacker)
    }

    fn winning_moves(&mut self, pos: &JesonMor, go_on: &mut dyn FnMut() -> bool) -> Vec<Jump> {
        match self.board.count(&self.state(pos), self.side(pos)) {
            Count::Decided(_) => Vec::new(),
            Count::Open { .. } => self.quickest(pos, go_on).into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Control, Limits, Stop};
    use crate::play::jeson_mor::Judge;
    use crate::solve::bound::{self, Bounder, Bounds};
    use rules::jeson_mor::Options;
    use rules::random::Random;

    /// Positions of random games to which the reduced game applies.
    fn positions(size: u8, games: u64) -> Vec<JesonMor> {
        let mut found = Vec::new();
        for seed in 0..games {
            let mut random = Random::new(seed);
            let mut pos = JesonMor::new(&Options { size, ..Options::default() }).unwrap();
            for _ in 0..60 {
                let Some(m) = random.pick(&pos.moves()).copied() else { break };
                pos.play_unchecked(m);
                found.extend(Some(pos).filter(is_reduced));
            }
        }
        found
    }

    #[test]
    fn it_answers_like_the_search_for_every_game() {
        let never = &mut |_: u64, _: Writer<'_>| true;
        let mut answers = [0; 2];
        for (size, games, most) in [(5, 12, 5), (7, 3, 3)] {
            for (i, pos) in positions(size, games).into_iter().enumerate() {
                let mut quiet = Quiet::new(&pos, 1, 1 + i % 2).unwrap();
                for (attacker, bound) in
                    Player::BOTH.into_iter().flat_map(|p| (0..=most).map(move |b| (p, b)))
                {
                    let control = Control::new(&Limits::default(), &Stop::default());
                    let mut bounds = Bounds::new(1);
                    let count = bound::Count::Quiet;
                    let expected =
                        Bounder::new(&Judge::BY_HAND, &mut bounds, &control, attacker, count)
                            .wins(&pos, bound)
                            .unwrap();
                    let found = quiet.wins(&pos, attacker, bound, never);
                    assert_eq!(found, Some(expected), "{pos:?} {attacker} {bound}");
                    answers[usize::from(expected)] += 1;
                }
            }
        }
        assert!(answers.iter().all(|count| *count > 500), "{answers:?}");
    }

    #[test]
    fn positions_are_spread_evenly_over_the_table() {
        let memory = Memory::new(1);
        let mut counts = [0f64; 16];
        let all = positions(9, 40);
        let board = Board::new(9);
        let keys: std::collections::HashSet<u64> =
            all.iter().map(|pos| board.state(pos, Player::One).key(Side::Attacker)).collect();
        keys.iter().for_each(|key| counts[memory.number(*key) * 16 / memory.places()] += 1.0);
        let expected = keys.len() as f64 / 16.0;
        // With 15 degrees of freedom, chi-squared exceeds 60 once in three million times.
        let chi_square: f64 = counts.iter().map(|n| (n - expected).powi(2) / expected).sum();
        assert!(expected > 20.0 && chi_square < 60.0, "{chi_square}: {counts:?}");
    }

    #[test]
    fn what_it_has_learned_is_kept_in_a_file() {
        let start = JesonMor::new(&Options { size: 7, ..Options::default() }).unwrap();
        let mut quiet = Quiet::new(&start, 2, 1).unwrap();
        let never = &mut |_: u64, _: Writer<'_>| true;
        for bound in 1..=9 {
            assert_eq!(quiet.wins(&start, Player::Two, bound, never), Some(false));
        }
        let mut bytes = Vec::new();
        quiet.write(&mut bytes).unwrap();
        let mut again = Quiet::new(&start, 2, 1).unwrap();
        again.read(&mut bytes.as_slice()).unwrap();
        assert_eq!(again.wins(&start, Player::Two, 9, never), Some(false));
        assert!(again.nodes() * 10 < quiet.nodes(), "{} of {}", again.nodes(), quiet.nodes());
        let mut other = Quiet::new(&start, 3, 1).unwrap();
        let refused = other.read(&mut bytes.as_slice()).unwrap_err().to_string();
        assert!(refused.contains("--memory 2"), "{refused}");
        assert!(again.read(&mut &bytes[..bytes.len() / 2]).is_err());
    }
}
