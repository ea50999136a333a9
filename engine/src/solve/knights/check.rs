//! Checks a complete table: that every value follows from its successors', and that no position is missing.
//!
//! If every value follows from those one move later, all are right: wins and losses by induction on the
//! number of turns, and the rest because a player who could win would have a move to a lost position. That
//! none is missing is shown by counting: all images of a position have the same number, so different numbers
//! belong to different positions up to symmetry, and there are as many as Burnside's lemma gives.

use super::{CELLS, CENTRE, Knights, MOST, SIZE};
use crate::solve::retrograde::{LOST, Value, WINS, is_win};
use rules::jeson_mor::{Goal, JesonMor, Options};
use rules::{Game, Notation, Outcome, Player};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The result of a check that found no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tallied {
    /// Positions up to symmetry.
    pub positions: u64,
    /// Won by the player to move, by the opponent, by nobody.
    pub counts: [u64; 3],
    /// The longest win distance, in turns.
    pub longest: u32,
    /// How many moves were made.
    pub moves: u64,
}

/// Reads a table and checks it. Calls `news` with the numbers done and the total.
pub fn verify(
    file: &Path,
    threads: usize,
    news: &mut dyn FnMut(u64, u64),
) -> Result<Tallied, String> {
    Knights::read(file)?.check(threads, news)
}

/// Numbers that a thread takes at a time.
const PART: usize = 1 << 14;

impl Knights {
    /// Checks every value of every class in the table.
    pub fn check(&self, threads: usize, news: &mut dyn FnMut(u64, u64)) -> Result<Tallied, String> {
        let classes = (1..=MOST).flat_map(|a| (1..=MOST).map(move |b| (a, b)));
        let classes: Vec<_> =
            classes.filter(|(a, b)| !self.values[a - 1][b - 1].is_empty()).collect();
        let all = classes.iter().map(|(a, b)| self.values[a - 1][b - 1].len() as u64).sum();
        let mut done = 0;
        let mut sum = Tallied { positions: 0, counts: [0; 3], longest: 0, moves: 0 };
        for (a, b) in classes {
            let found = self.check_class(a, b, threads, &mut |part| news(done + part, all))?;
            let expected = orbits(a, b);
            if found.positions != expected {
                let found = found.positions;
                return Err(format!(
                    "{a} knights against {b}: {found} positions, but there are {expected}"
                ));
            }
            done += self.values[a - 1][b - 1].len() as u64;
            sum = sum.with(&found);
        }
        Ok(sum)
    }

    fn check_class(
        &self,
        a: usize,
        b: usize,
        threads: usize,
        news: &mut dyn FnMut(u64),
    ) -> Result<Tallied, String> {
        let all = self.values[a - 1][b - 1].len();
        let (next, done, ended) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicBool::new(false));
        let work = |news: &mut dyn FnMut(u64)| {
            let mut sum = Tallied { positions: 0, counts: [0; 3], longest: 0, moves: 0 };
            let mut moves = Vec::new();
            loop {
                let first = next.fetch_add(PART, Ordering::Relaxed);
                if first >= all || ended.load(Ordering::Relaxed) {
                    return Ok(sum);
                }
                for number in first..all.min(first + PART) {
                    if let Err(fault) = self.check_number(number, a, b, &mut moves, &mut sum) {
                        ended.store(true, Ordering::Relaxed);
                        return Err(fault);
                    }
                }
                news(done.fetch_add(PART as u64, Ordering::Relaxed));
            }
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| work(&mut |_| {}))).collect();
            let mut sum = work(news)?;
            for other in others {
                let found = other.join().map_err(|_| "a thread has failed".to_owned())?;
                sum = sum.with(&found?);
            }
            Ok(sum)
        })
    }

    /// Checks one number of a class.
    fn check_number(
        &self,
        number: usize,
        a: usize,
        b: usize,
        moves: &mut Vec<rules::jeson_mor::Jump>,
        sum: &mut Tallied,
    ) -> Result<(), String> {
        let value = self.values[a - 1][b - 1][number];
        let (own, their) = self.numbers.position(number, a, b);
        let at = |which| {
            let images = &self.numbers.images;
            self.numbers.number(images.of(own, which), images.of(their, which))
        };
        let first = at(0);
        if (1..8).any(|which| at(which) != first) {
            return Err(format!("{a} against {b}, number {number}: its images have other numbers"));
        }
        if first != number {
            return match value {
                0 => Ok(()),
                _ => Err(format!("{a} against {b}, number {number}: a value without a position")),
            };
        }
        let options = Options { size: SIZE as u8, goal: Goal::Leave };
        let pos = JesonMor::from_knights(&options, [wide(own), wide(their)].into(), Player::One)
            .map_err(|error| error.to_string())?;
        let expected = self.one_step(&pos, moves);
        if value != expected {
            let text = pos.text();
            return Err(format!("`{text}` has the value {value}, but its moves give {expected}"));
        }
        sum.positions += 1;
        sum.counts[if value == 0 { 2 } else { usize::from(!is_win(value)) }] += 1;
        sum.longest = sum.longest.max(u32::from(value.saturating_sub(1)));
        sum.moves += moves.len() as u64;
        Ok(())
    }

    /// The value that follows from those after each move.
    fn one_step(&self, pos: &JesonMor, moves: &mut Vec<rules::jeson_mor::Jump>) -> Value {
        moves.clear();
        pos.append_moves(moves);
        let (mut quickest, mut slowest, mut open) = (Value::MAX, 0, false);
        for m in moves {
            let next = pos.after(*m);
            let value = match next.outcome() {
                Some(outcome) if outcome == Outcome::Win(pos.turn()) => LOST,
                Some(_) => 0,
                None => self.after(&next),
            };
            match value {
                0 => open = true,
                value if is_win(value) => slowest = slowest.max(value),
                value => quickest = quickest.min(value),
            }
        }
        match (quickest, open) {
            (Value::MAX, true) => 0,
            (Value::MAX, false) => slowest.saturating_add(1),
            (quickest, _) => quickest + 1,
        }
    }

    /// The value in the table. A mover who holds the centre wins by the rules and is not in it.
    fn after(&self, pos: &JesonMor) -> Value {
        let set = |player| narrow(pos.knights(player));
        let (own, their) = (set(pos.turn()), set(pos.turn().other()));
        if own & CENTRE != 0 && pos.wins_at_once() {
            return WINS;
        }
        self.of(own, their)
    }
}

impl Tallied {
    fn with(mut self, other: &Tallied) -> Tallied {
        self.positions += other.positions;
        self.moves += other.moves;
        self.longest = self.longest.max(other.longest);
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, more)| *sum += more);
        self
    }
}

/// Converts a set of cells to the layout of the rules, eleven cells wide.
fn wide(set: u32) -> u128 {
    (0..SIZE).fold(0, |wide, row| wide | u128::from(set >> (SIZE * row) & 31) << (11 * row))
}

fn narrow(set: u128) -> u32 {
    (0..SIZE).fold(0, |narrow, row| narrow | ((set >> (11 * row)) as u32 & 31) << (SIZE * row))
}

/// How many positions there are up to symmetry, the mover not in the centre. By Burnside's lemma that is the
/// mean number of positions that a symmetry leaves unchanged. Such a position is made of whole cycles of
/// cells, each of them the mover's, the opponent's or empty.
fn orbits(a: usize, b: usize) -> u64 {
    let fixed = |which: usize| {
        let mut ways = [[0u64; MOST + 1]; MOST + 1];
        ways[0][0] = 1;
        for cycle in cycles(which) {
            let length = cycle.count_ones() as usize;
            let before = ways;
            for i in 0..=MOST {
                for j in 0..=MOST {
                    if i + length <= MOST && cycle != CENTRE {
                        ways[i + length][j] += before[i][j];
                    }
                    if j + length <= MOST {
                        ways[i][j + length] += before[i][j];
                    }
                }
            }
        }
        ways[a][b]
    };
    (0..8).map(fixed).sum::<u64>() / 8
}

/// The cycles of the cells under one of the eight symmetries.
fn cycles(which: usize) -> Vec<u32> {
    let (mut cycles, mut seen) = (Vec::new(), 0u32);
    for first in 0..CELLS {
        let (mut cycle, mut cell) = (0u32, first);
        while (seen | cycle) >> cell & 1 == 0 {
            cycle |= 1 << cell;
            cell = rules::grid::Square::<SIZE>::new(cell).image(which, SIZE).index();
        }
        if cycle != 0 {
            seen |= cycle;
            cycles.push(cycle);
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn burnsides_lemma_counts_every_position() {
        let all: u64 = (1..=MOST).flat_map(|a| (1..=MOST).map(move |b| orbits(a, b))).sum();
        assert_eq!(all, 163_064_185);
        // One knight each. Up to symmetry the mover has five cells: four lie on an axis, which has four more
        // cells; the fifth lies on none.
        assert_eq!(orbits(1, 1), 4 * (24 + 4) / 2 + 24);
    }

    #[test]
    fn a_table_with_one_wrong_value_is_refused() {
        let mut knights = Knights::compute(2, &mut |_, _| true).unwrap();
        let whole = knights.check(2, &mut |_, _| {}).unwrap();
        let sizes = [(1, 1), (1, 2), (2, 1), (2, 2)].map(|(a, b)| orbits(a, b));
        assert_eq!(whole.positions, sizes.iter().sum::<u64>());
        let class = knights.values[1][1].len();
        for at in (0..class).step_by(class / 60) {
            let right = knights.values[1][1][at];
            for wrong in [0, 1, 2, right + 2, right ^ 1].into_iter().filter(|v| *v != right) {
                knights.values[1][1][at] = wrong;
                assert!(knights.check(1, &mut |_, _| {}).is_err(), "{right} became {wrong}");
            }
            knights.values[1][1][at] = right;
        }
        knights.check(1, &mut |_, _| {}).unwrap();
    }
}
