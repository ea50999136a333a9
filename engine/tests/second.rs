//! Bounds of Jeson Mor once more, by a search that shares nothing with the solver: neither its board, nor its table,
//! which here holds whole positions, nor what it prunes.

use crate::effort::is_long;
use engine::solve::Within;
use engine::solve::quiet::Quiet;
use rules::jeson_mor::{JesonMor, Options};
use rules::{Game, Player};
use std::collections::HashMap;

/// The attacker's knights, the defender's, and whether the attacker is to move.
type State = (u128, u128, bool);

struct Search {
    size: usize,
    jumps: Vec<u128>,
    ring: u128,
    /// Where each cell goes in each of the eight images of the board.
    images: Vec<Vec<usize>>,
    /// One more than the most quiet moves without a win of the attacker, and the fewest with one.
    known: HashMap<[u64; 3], (u8, u8)>,
    /// What each jump has decided so far, for the order of moves.
    decided: Vec<u64>,
}

/// Positions with fewer quiet moves left are searched again instead of being stored.
const STORED: u32 = 3;

fn cells(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (cell < 128).then_some(cell)
    })
}

impl Search {
    fn new(size: usize) -> Search {
        let jump = |a: usize, b: usize| {
            let (x, y) = ((a % size).abs_diff(b % size), (a / size).abs_diff(b / size));
            x * y == 2
        };
        let all = 0..size * size;
        let jumps: Vec<u128> = all
            .clone()
            .map(|a| all.clone().filter(|b| jump(a, *b)).fold(0, |set, b| set | 1 << b))
            .collect();
        let image = |which: usize, cell: usize| {
            let (mut x, mut y) = (cell % size, cell / size);
            if which & 1 == 1 {
                x = size - 1 - x;
            }
            if which & 2 == 2 {
                y = size - 1 - y;
            }
            if which & 4 == 4 {
                (x, y) = (y, x);
            }
            y * size + x
        };
        let images =
            (0..8).map(|which| all.clone().map(|cell| image(which, cell)).collect()).collect();
        let (ring, decided) = (jumps[size * size / 2], vec![0; 1 << 15]);
        Search { size, jumps, ring, images, known: HashMap::new(), decided }
    }

    /// The least image, packed: of positions that are images of each other one is stored.
    fn least(&self, (attacker, defender, attacking): State) -> [u64; 3] {
        let turned =
            |set, image: &Vec<usize>| cells(set).fold(0u128, |to, cell| to | 1 << image[cell]);
        let images = self.images.iter();
        let both = images.map(|image| (turned(attacker, image), turned(defender, image)));
        let (attacker, defender) = both.min().unwrap();
        // Two sets of 81 cells.
        let (low, high) = (attacker | defender << 81, (defender >> 47) as u64);
        [low as u64, (low >> 64) as u64, high << 1 | u64::from(attacking)]
    }

    /// Whether the attacker gets the majority on the ring with the move, before both together have made more quiet
    /// moves than these. The rules of the fight for the ring are those that `play/jeson_mor.rs` derives: the player to
    /// move wins with more knights there and loses when three behind; otherwise nobody may let the other get the
    /// majority.
    fn wins(&mut self, state: State, left: u32) -> bool {
        let (attacker, defender, attacking) = state;
        let (own, other) = if attacking { (attacker, defender) } else { (defender, attacker) };
        let on_ring = |set: u128| (set & self.ring).count_ones() as i32;
        let centre = 1 << (self.size * self.size / 2);
        let targets = match on_ring(other) - on_ring(own) {
            ..=-1 => return attacking,
            0 => !centre,
            1 => self.ring,
            2 => self.ring & other,
            3.. => return !attacking,
        };
        let stored = (left >= STORED).then(|| self.least(state));
        let (fails, wins) =
            stored.and_then(|stored| self.known.get(&stored).copied()).unwrap_or((0, u8::MAX));
        if left < u32::from(fails) || left >= u32::from(wins) {
            return left >= u32::from(wins);
        }
        let mut moves = Vec::new();
        for from in cells(own & !self.ring) {
            for to in cells(self.jumps[from] & targets & !own) {
                let quiet = self.ring >> to & 1 == 0;
                let slot = from << 8 | to << 1 | usize::from(attacking);
                let takes = other >> to & 1;
                moves.push((!quiet, takes, self.decided[slot], slot, from, to));
            }
        }
        moves.sort_unstable_by(|a, b| b.cmp(a));
        let mut found = !attacking;
        for (noisy, _, _, slot, from, to) in moves {
            let wins = match left.checked_sub(u32::from(!noisy)) {
                None => false,
                Some(rest) => {
                    let (own, other) = (own ^ (1 << from | 1 << to), other & !(1 << to));
                    let next = if attacking { (own, other, false) } else { (other, own, true) };
                    self.wins(next, rest)
                }
            };
            if wins == attacking {
                self.decided[slot] += u64::from(left * left) + 1;
                found = wins;
                break;
            }
        }
        if let Some(stored) = stored {
            let left = left as u8;
            let known = if found { (fails, wins.min(left)) } else { (fails.max(left + 1), wins) };
            self.known.insert(stored, known);
        }
        found
    }
}

/// Whether Black, who moves second, wins within this many quiet moves from rows of knights.
fn black_wins(size: usize, most: u32) -> Option<u32> {
    let mut search = Search::new(size);
    let row = (1u128 << size) - 1;
    let (white, black) = (row, row << (size * size - size));
    (1..=most).find(|left| search.wins((black, white, false), *left))
}

/// The same by the solver.
fn by_the_solver(size: u8, most: u32) -> Option<u32> {
    let pos = JesonMor::new(&Options { size, ..Options::default() }).unwrap();
    let mut quiet = Quiet::new(&pos, 16, 1).unwrap();
    (1..=most).find(|left| quiet.wins(&pos, Player::Two, *left, &mut |_, _| true).unwrap())
}

#[test]
fn black_wins_five_by_five_within_as_many_quiet_moves_as_the_solver_says() {
    let found = black_wins(5, 12);
    assert!(found.is_some());
    assert_eq!(found, by_the_solver(5, 12));
}

#[test]
fn neither_search_finds_a_win_of_black_on_nine_by_nine_within_a_few_quiet_moves() {
    let most = if is_long() { 12 } else { 7 };
    assert_eq!((black_wins(9, most), by_the_solver(9, most)), (None, None));
}

/// `cargo test --release -p quadrille-engine --test all second -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn black_wins_seven_by_seven_within_fifteen_quiet_moves_and_no_sooner() {
    assert_eq!(black_wins(7, 15), Some(15));
}

/// Takes 76 s and 0.4 GB with optimisation.
#[test]
#[ignore = "takes minutes"]
fn black_does_not_win_nine_by_nine_within_eighteen_quiet_moves() {
    assert_eq!(black_wins(9, 18), None);
}
