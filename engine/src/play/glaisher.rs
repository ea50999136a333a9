//! Glaisher: how many cells are missing to a connection, and the exact test for a win this turn.

use crate::evaluate::Evaluate;
use crate::score::{Score, win_after};
use rules::glaisher::{Glaisher, Move};
use rules::hex::{self, BOARD, CROSSINGS, NEIGHBOURS, SIDES, around};
use rules::{Game, Player};

/// The judgement of Glaisher.
#[derive(Debug, Default)]
pub struct Judge;

/// How much must be added to `own` to connect two opposite sides: a cell that is `open` counts one, any
/// other two. Nine at most: a row of empty cells connects.
fn missing(own: u64, open: u64) -> [u32; 3] {
    SIDES.map(|[from, to]| {
        let mut reached = hex::flood(from, own);
        let mut border = (from | around(reached)) & !reached;
        // Cells that are not open are entered one step after they were met.
        let mut met = 0;
        for cost in 0..10 {
            if reached & to != 0 {
                return cost;
            }
            let step = border & open | met;
            met = border & !open;
            let grown = step | hex::flood(around(step), own);
            reached |= grown;
            border = (border | around(grown)) & !reached;
        }
        10
    })
}

/// A quick bound for what is missing: lines without a cell of the set, for the best pair of sides.
fn at_least_missing(own: u64) -> u32 {
    let bare = |lines: &[u64; 9]| lines.iter().filter(|line| *line & own == 0).count() as u32;
    CROSSINGS.iter().map(bare).min().unwrap_or_default()
}

/// The cells on which one more stack would connect two opposite sides; all of them if they are.
fn connecting(own: u64) -> u64 {
    let mut cells = 0;
    for [a, b] in SIDES {
        let (from, to) = (hex::flood(a, own), hex::flood(b, own));
        if from & b != 0 {
            return BOARD;
        }
        cells |= (a | around(from)) & (b | around(to));
    }
    cells & !own
}

/// The most parts that any stack can be split into.
fn most_parts(pos: &Glaisher, own: u64) -> u32 {
    let tallest = hex::cells(own).map(|cell| pos.height(cell)).max().unwrap_or_default();
    match tallest {
        0..=2 => 1,
        3..=5 => 2,
        6..=9 => 3,
        10..=14 => 4,
        15..=20 => 5,
        _ => 8,
    }
}

/// Whether the player to move wins with this turn, or with the rest of it.
pub fn wins_this_turn(pos: &Glaisher) -> bool {
    let own = pos.stacks(pos.turn());
    if pos.is_placing() {
        return at_least_missing(own) <= 1 && connecting(own) & pos.empty() != 0;
    }
    // A shift fills as many cells as it has parts, and one more is placed.
    let most = 1 + most_parts(pos, own);
    if at_least_missing(own) > most {
        return false;
    }
    let fewest = missing(own, BOARD).into_iter().min().unwrap_or_default();
    if fewest > most {
        return false;
    }
    let fills_enough = |m: &Move| match m {
        Move::Shift { from, direction, parts } => {
            let new = |part: &usize| own & from.ahead(*direction, *part).bit() == 0;
            parts.heights().filter(new).count() as u32 + 1 >= fewest
        }
        Move::Place(_) => true,
    };
    pos.moves().into_iter().filter(fills_enough).any(|m| {
        let next = pos.after(m);
        let own = next.stacks(pos.turn());
        at_least_missing(own) <= 1 && connecting(own) & next.empty() != 0
    })
}

/// What each number of missing cells is worth.
const NEAR: [i32; 11] = [900, 700, 520, 390, 290, 210, 150, 100, 60, 30, 0];

fn worth(pos: &Glaisher, player: Player) -> i32 {
    let own = pos.stacks(player);
    let mut pairs = missing(own, pos.empty());
    pairs.sort_unstable();
    let near = |i: usize| NEAR[pairs[i].min(10) as usize];
    let mut value = near(0) + near(1) / 4 + near(2) / 8;
    for cell in hex::cells(own) {
        let height = i32::from(pos.height(cell)).min(8);
        value += 6 + 3 * height + 2 * cell.ring() as i32;
    }
    value
}

impl Evaluate<Glaisher> for Judge {
    fn evaluate(&self, pos: &Glaisher) -> Score {
        let value = worth(pos, pos.turn()) - worth(pos, pos.turn().other());
        // Who is to place has half a turn left, who is to shift a whole one.
        value + if pos.is_placing() { 40 } else { 60 }
    }

    fn known(&self, pos: &Glaisher) -> Option<Score> {
        wins_this_turn(pos).then_some(win_after(1))
    }

    fn promise(&self, pos: &Glaisher, m: Move) -> i32 {
        let (own, their) = (pos.stacks(pos.turn()), pos.stacks(pos.turn().other()));
        match m {
            Move::Place(cell) => {
                let near = NEIGHBOURS[cell.index()];
                let mine = (near & own).count_ones() as i32;
                let theirs = (near & their).count_ones() as i32;
                30 * mine + 20 * theirs + 15 * cell.ring() as i32
            }
            Move::Shift { from, direction, parts } => {
                let mut value = 0;
                for part in parts.heights() {
                    let cell = from.ahead(direction, part);
                    value += if their & cell.bit() != 0 {
                        200 + 60 * i32::from(pos.height(cell))
                    } else if own & cell.bit() != 0 {
                        -60
                    } else {
                        40
                    };
                    value += 10 * cell.ring() as i32;
                }
                value
            }
        }
    }

    fn slot(&self, m: Move) -> usize {
        match m {
            Move::Place(cell) => cell.index(),
            Move::Shift { from, direction, parts } => {
                64 + (from.index() * 8 + direction as usize) * 7 + parts.count()
            }
        }
    }
}
