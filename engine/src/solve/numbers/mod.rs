//! Jeson Mor by proof numbers: the reduced game, in which only quiet moves and moves to the ring are left.
//!
//! The board is that of `quiet`. A proof counts only once `check` has accepted its certificate.

mod forced;
mod memory;
mod search;

use super::knowledge::{Numbered, Outlook, Tabled};
use super::quiet::board::{Board, Side, State, is_reduced, won_by_counting};
use super::strategy::Oracle;
use forced::Forced;
use memory::Memory;
use rules::jeson_mor::{Cell, JesonMor, Jump};
use rules::{Game, Player};
use search::{Kid, Prover, Shared, key};
use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::sync::atomic::Ordering;

/// Node limit of the search for a forced win while a strategy is being extracted.
const FORCED: u32 = 1 << 20;

/// A search of the reduced game by proof numbers, with its table.
pub struct Numbers {
    board: Board,
    memory: Memory,
    mebibytes: usize,
    attacker: Player,
    threads: usize,
    nodes: u64,
}

impl Numbers {
    /// A search from a position to which the reduced game applies.
    pub fn new(pos: &JesonMor, mebibytes: usize, threads: usize) -> Option<Numbers> {
        is_reduced(pos).then(|| Numbers {
            board: Board::new(pos.size()),
            memory: Memory::new(mebibytes),
            mebibytes,
            attacker: Player::One,
            threads: threads.max(1),
            nodes: 0,
        })
    }

    fn side(&self, pos: &JesonMor) -> Side {
        if pos.turn() == self.attacker { Side::Attacker } else { Side::Defender }
    }

    fn state(&self, pos: &JesonMor) -> State {
        self.board.state(pos, self.attacker)
    }

    /// The proven winning moves that the table knows, the quickest first.
    fn known_moves(&self, state: &State) -> Vec<(usize, usize)> {
        let shared = Shared::new(&self.board, &self.memory, 1);
        let mut won: Vec<_> = kids(&shared, state, Side::Attacker)
            .into_iter()
            .filter(|kid| kid.numbers.proof == 0)
            .map(|kid| (kid.numbers.rank, usize::from(kid.from), usize::from(kid.to)))
            .collect();
        won.sort_unstable();
        won.into_iter().map(|(_, from, to)| (from, to)).collect()
    }
}

/// The moves of a position with what the table knows of them.
fn kids(shared: &Shared<'_>, state: &State, to_move: Side) -> Vec<Kid> {
    let prover = Prover::new(shared, None);
    let mut kids = prover.moves(state, to_move, 0);
    kids.iter_mut().for_each(|kid| prover.look_up(kid, 0));
    kids
}

/// Proof and disproof numbers after each first move, one of those that are images of each other.
fn firsts(shared: &Shared<'_>, state: &State, to_move: Side) -> Vec<(String, u32, u32)> {
    let mut seen = HashSet::new();
    let mut list = kids(shared, state, to_move);
    list.retain(|kid| seen.insert(kid.key.hash));
    let cell = |index: u8| Cell::new(index.into());
    let name = |kid: &Kid| Jump { from: cell(kid.from), to: cell(kid.to) }.to_string();
    list.iter().map(|kid| (name(kid), kid.numbers.proof, kid.numbers.disproof)).collect()
}

impl Numbered<JesonMor> for Numbers {
    fn proves(
        &mut self,
        pos: &JesonMor,
        attacker: Player,
        go_on: &mut dyn FnMut(&Outlook<'_>) -> bool,
    ) -> Option<bool> {
        self.attacker = attacker;
        let (state, side, before) = (self.state(pos), self.side(pos), self.nodes);
        let memory = &self.memory;
        let shared = Shared::new(&self.board, memory, self.threads);
        let root = key(&state, side);
        let mut told = 0;
        let mut watch = |nodes: u64| {
            if nodes < told + WATCHED {
                return true;
            }
            told = nodes;
            let known = memory.get(root);
            go_on(&Outlook {
                nodes: before + nodes,
                numbers: known.map_or((1, 1), |known| (known.proof(), known.disproof())),
                firsts: firsts(&shared, &state, side),
                table: &|mut out: &mut dyn Write| memory.write(&mut out),
            })
        };
        let found = std::thread::scope(|scope| {
            for _ in 1..self.threads {
                // The first thread finds their results in the table.
                scope.spawn(|| Prover::new(&shared, None).proves(&state, side));
            }
            let found = Prover::new(&shared, Some(&mut watch)).proves(&state, side);
            shared.ended.store(true, Ordering::Relaxed);
            found
        });
        self.nodes += shared.nodes.load(Ordering::Relaxed);
        found
    }
}

/// Approximate number of nodes between two calls of `go_on`.
const WATCHED: u64 = 1 << 15;

impl Tabled for Numbers {
    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn used(&self) -> f64 {
        self.memory.used()
    }

    fn write(&self, mut out: &mut dyn Write) -> io::Result<()> {
        self.memory.write(&mut out)
    }

    fn read(&mut self, mut input: &mut dyn Read) -> io::Result<()> {
        // Frees the old table first: there is room for only one.
        self.memory = Memory::new(0);
        self.memory = Memory::read(&mut input, self.mebibytes)?;
        Ok(())
    }
}

impl Oracle<JesonMor> for Numbers {
    fn attacker(&self) -> Player {
        self.attacker
    }

    fn key(&self, pos: &JesonMor) -> u64 {
        self.state(pos).key(self.side(pos))
    }

    fn won_at_sight(&self, pos: &JesonMor) -> Option<u32> {
        won_by_counting(pos, self.attacker)
    }

    /// A forced win if there is one, else what the table knows; if it knows nothing, searches first.
    fn winning_moves(&mut self, pos: &JesonMor, go_on: &mut dyn FnMut() -> bool) -> Vec<Jump> {
        let state = self.state(pos);
        let behind = self.board.behind(&state, Side::Attacker);
        let (own, their) = (state.of(Side::Attacker), state.of(Side::Defender));
        let mut found: Vec<_> =
            Forced::new(&self.board, FORCED).attack(own, their, behind).into_iter().collect();
        if found.is_empty() {
            found = self.known_moves(&state);
        }
        if found.is_empty() {
            let shared = Shared::new(&self.board, &self.memory, 1);
            Prover::new(&shared, Some(&mut |_| go_on())).proves(&state, Side::Attacker);
            self.nodes += shared.nodes.load(Ordering::Relaxed);
            found = self.known_moves(&state);
        }
        let legal = pos.moves();
        let jump = |(from, to)| legal.iter().find(|m| (m.from.index(), m.to.index()) == (from, to));
        found.into_iter().filter_map(jump).copied().collect()
    }

    fn doubt(&mut self, pos: &JesonMor) {
        self.memory.forget(key(&self.state(pos), self.side(pos)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::certificate::{Certificate, Stored, Try};
    use super::super::check::verify;
    use super::super::knowledge::{Prove, Within};
    use super::super::quiet::Quiet;
    use super::super::strategy::extract;
    use super::*;
    use crate::play::jeson_mor::Judge;
    use rules::jeson_mor::Options;
    use rules::random::Random;
    use rules::{Notation, Symmetric};

    const ALWAYS: fn(&Outlook<'_>) -> bool = |_| true;

    fn from(text: &str) -> JesonMor {
        JesonMor::from_text(text, &Options::default()).unwrap()
    }

    /// Proves a win and has its certificate checked by the rules; within how many moves.
    fn certified(search: &mut Numbers, pos: &JesonMor, winner: Player) -> u32 {
        let strategy = extract(search, pos, &mut |_| true).expect("a strategy");
        let stored = strategy.advice.into_values().map(|advice| {
            let (canonical, which) = advice.pos.canonical();
            let m = advice.pos.image_of(advice.m, which);
            (canonical, Stored { m, rank: advice.rank, line: 0 })
        });
        let tries = Judge::BY_HAND.forcing(pos).map(|(ending, within)| Try { ending, within });
        let (start, within) = (*pos, strategy.within);
        let certificate = Certificate { start, winner, within, tries, stored: stored.collect() };
        verify(&certificate, &mut |_| {}).unwrap();
        within
    }

    #[test]
    fn on_five_by_five_black_is_proven_to_win_and_the_certificate_holds() {
        let start = JesonMor::new(&Options { size: 5, ..Options::default() }).unwrap();
        for threads in [1, 2] {
            let mut search = Numbers::new(&start, 4, threads).unwrap();
            assert_eq!(search.proves(&start, Player::Two, &mut { ALWAYS }), Some(true));
            assert!(certified(&mut search, &start, Player::Two) >= 11);
            assert_eq!(search.proves(&start, Player::One, &mut { ALWAYS }), Some(false));
        }
    }

    #[test]
    fn it_agrees_with_the_bounded_search_and_its_proofs_hold() {
        let mut counts = [0; 2];
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let mut pos = JesonMor::new(&Options { size: 5, ..Options::default() }).unwrap();
            for _ in 0..8 + seed % 9 {
                let Some(m) = random.pick(&pos.moves()).copied() else { break };
                pos.play_unchecked(m);
            }
            let (Some(mut search), Some(mut quiet)) =
                (Numbers::new(&pos, 2, 1), Quiet::new(&pos, 2, 1))
            else {
                continue;
            };
            for attacker in Player::BOTH {
                let proven = search.proves(&pos, attacker, &mut { ALWAYS }).unwrap();
                let bounded = quiet.wins(&pos, attacker, 14, &mut |_, _| true).unwrap();
                assert!(proven || !bounded, "{}: {attacker}", pos.text());
                if proven {
                    certified(&mut search, &pos, attacker);
                }
                counts[usize::from(proven)] += 1;
            }
        }
        assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
    }

    #[test]
    fn few_knights_on_nine_by_nine_are_won_by_black() {
        let pos = from("3nnn3/9/9/9/9/9/9/9/3NNN3 1");
        let mut search = Numbers::new(&pos, 8, 2).unwrap();
        assert_eq!(search.proves(&pos, Player::Two, &mut { ALWAYS }), Some(true));
        certified(&mut search, &pos, Player::Two);
    }

    #[test]
    fn where_the_table_is_wrong_or_goes_in_circles_only_that_is_searched_again() {
        let start = from("1nnnnn1/7/7/7/7/7/1NNNNN1 1");
        let mut search = Numbers::new(&start, 16, 1).unwrap();
        assert_eq!(search.proves(&start, Player::Two, &mut { ALWAYS }), Some(true));
        let whole = search.nodes();
        // Moves of a hundred positions, three each, are said to win, though few do.
        let mut random = Random::new(5);
        let strategy = extract(&mut search, &start, &mut |_| true).unwrap();
        let mut advised: Vec<_> = strategy.advice.values().map(|advice| advice.pos).collect();
        advised.sort_unstable_by_key(Notation::text);
        for _ in 0..100 {
            let pos = *random.pick(&advised).unwrap();
            for m in pos.moves().into_iter().take(3) {
                let (state, side) = (search.state(&pos.after(m)), search.side(&pos.after(m)));
                search.memory.put(key(&state, side), memory::Known::new(0, memory::INFINITE, 0, 9));
            }
        }
        let before = search.nodes();
        certified(&mut search, &start, Player::Two);
        let again = search.nodes() - before;
        assert!(again > 0 && again < whole / 2, "{again} after {whole}");
    }

    #[test]
    fn writing_a_strategy_down_can_be_stopped() {
        let start = JesonMor::new(&Options { size: 5, ..Options::default() }).unwrap();
        let mut search = Numbers::new(&start, 4, 1).unwrap();
        assert_eq!(search.proves(&start, Player::Two, &mut { ALWAYS }), Some(true));
        let mut asked = 0;
        let stopped = extract(&mut search, &start, &mut |written| {
            asked += 1;
            written < 20
        });
        assert!(stopped.is_none() && asked >= 20, "{asked}");
    }

    #[test]
    fn a_search_that_was_stopped_goes_on_from_its_file() {
        let start = JesonMor::new(&Options { size: 7, ..Options::default() }).unwrap();
        let mut search = Numbers::new(&start, 16, 1).unwrap();
        let mut firsts = 0;
        let stopped = search.proves(&start, Player::Two, &mut |outlook| {
            firsts = outlook.firsts.len();
            outlook.nodes < 100_000
        });
        assert_eq!((stopped, firsts), (None, 11));
        let mut bytes = Vec::new();
        search.write(&mut bytes).unwrap();
        let mut again = Numbers::new(&start, 16, 1).unwrap();
        again.read(&mut bytes.as_slice()).unwrap();
        assert_eq!(again.proves(&start, Player::Two, &mut { ALWAYS }), Some(true));
        let mut whole = Numbers::new(&start, 16, 1).unwrap();
        assert_eq!(whole.proves(&start, Player::Two, &mut { ALWAYS }), Some(true));
        assert!(again.nodes() < whole.nodes(), "{} of {}", again.nodes(), whole.nodes());
        let mut other = Numbers::new(&start, 17, 1).unwrap();
        assert!(other.read(&mut bytes.as_slice()).unwrap_err().to_string().contains("--memory 16"));
        assert!(again.read(&mut &bytes[..bytes.len() / 2]).is_err());
    }
}
