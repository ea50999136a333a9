//! Glaisher: how many cells are missing to a connection, and the exact test for a win this turn.

use super::Play;
use crate::evaluate::Estimate;
use crate::score::{Score, win_after};
use crate::seed::{self, Seed};
use crate::solve::Prove;
use rules::glaisher::{Glaisher, Move};
use rules::hex::{self, BOARD, CROSSINGS, Hex, NEIGHBOURS, SIDES, around};
use rules::{Game, Player, Symmetric};

/// The judgement of Glaisher.
#[derive(Debug, Default)]
pub struct Judge;

/// The farthest that is worth counting: a row of nine empty cells connects.
const FAR: usize = 10;

/// The cells that are reached from a side by adding at most 0, 1, 2, … to `own`: a cell that is `open`
/// costs one, any other two. Ends with the first set that touches the other side, or at `most`.
fn waves(
    own: u64,
    open: u64,
    from: u64,
    to: u64,
    most: usize,
    waves: &mut [u64; FAR + 1],
) -> usize {
    let mut reached = hex::flood(from, own);
    let mut border = (from | around(reached)) & !reached;
    // Cells that are not open are entered one step after they were met.
    let mut met = 0;
    for (cost, wave) in waves.iter_mut().enumerate() {
        *wave = reached;
        if reached & to != 0 || cost == most {
            return cost;
        }
        let step = border & open | met;
        met = border & !open;
        let grown = step | hex::flood(around(step), own);
        reached |= grown;
        border = (border | around(grown)) & !reached;
    }
    FAR
}

/// How much must be added to connect any pair of opposite sides.
fn missing(own: u64, open: u64) -> usize {
    SIDES.iter().fold(FAR, |best, [from, to]| {
        best.min(waves(own, open, *from, *to, best, &mut [0; FAR + 1]))
    })
}

/// The cells that are missing in the cheapest connections of any pair of sides.
fn gaps(own: u64, open: u64) -> u64 {
    let mut best = (FAR, 0);
    for [a, b] in SIDES {
        let (mut from, mut to) = ([0; FAR + 1], [0; FAR + 1]);
        let cost = waves(own, open, a, b, FAR, &mut from);
        if cost > best.0 || cost == 0 {
            continue;
        }
        waves(own, open, b, a, FAR, &mut to);
        // A missing cell is paid on the way from either side, so the two costs are one too many.
        let on_a_way =
            (1..=cost).fold(0, |cells, c| cells | from[c] & !from[c - 1] & to[cost + 1 - c]);
        best = (cost, on_a_way | if cost == best.0 { best.1 } else { 0 });
    }
    best.1 & open & !own
}

/// A quick bound for what is missing: lines without a cell of the set, for the best pair of sides.
fn at_least_missing(own: u64) -> usize {
    let bare = |lines: &[u64; 9]| lines.iter().filter(|line| *line & own == 0).count();
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
fn most_parts(pos: &Glaisher, own: u64) -> usize {
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
    let fewest = missing(own, BOARD);
    if fewest > most {
        return false;
    }
    let fills_enough = |m: &Move| match m {
        Move::Shift { from, direction, parts } => {
            let new = |part: &usize| own & from.ahead(*direction, *part).bit() == 0;
            parts.heights().filter(new).count() + 1 >= fewest
        }
        Move::Place(_) => true,
    };
    pos.moves().into_iter().filter(fills_enough).any(|m| {
        let next = pos.after(m);
        let own = next.stacks(pos.turn());
        at_least_missing(own) <= 1 && connecting(own) & next.empty() != 0
    })
}

/// What each number of missing cells is worth. Pieces are worth more: matches showed that whoever has
/// more of them connects in the end.
const NEAR: [i32; FAR + 1] = [270, 210, 156, 117, 87, 63, 45, 30, 18, 9, 0];

fn worth(pos: &Glaisher, player: Player) -> i32 {
    let own = pos.stacks(player);
    let mut value = NEAR[missing(own, pos.empty()).min(FAR)];
    for cell in hex::cells(own) {
        value += 10 + 10 * i32::from(pos.height(cell).min(20)) + 2 * cell.ring() as i32;
    }
    value
}

/// What it promises to occupy a cell: more if it closes a gap of ours, or fills one of theirs.
fn promise_of_landing(cell: Hex, mine: u64, theirs: u64) -> i32 {
    let in_gap = |gaps: u64| i32::from(gaps & cell.bit() != 0);
    200 * in_gap(mine) + 160 * in_gap(theirs) + 10 * cell.ring() as i32
}

impl Estimate for Judge {
    type Game = Glaisher;
    type State = ();

    fn evaluate(&self, pos: &Glaisher, (): &()) -> Score {
        let value = worth(pos, pos.turn()) - worth(pos, pos.turn().other());
        // Who is to place has half a turn left, who is to shift a whole one.
        value + if pos.is_placing() { 40 } else { 60 }
    }

    fn known(&self, pos: &Glaisher) -> Option<Score> {
        wins_this_turn(pos).then_some(win_after(1))
    }

    fn weigh(&self, pos: &Glaisher, (): &(), moves: &mut [(i32, u16, Move)]) {
        let (own, their) = (pos.stacks(pos.turn()), pos.stacks(pos.turn().other()));
        let (mine, theirs) = (gaps(own, pos.empty()), gaps(their, pos.empty()));
        for (worth, _, m) in moves {
            *worth += match m {
                Move::Place(cell) => {
                    let near = NEIGHBOURS[cell.index()];
                    promise_of_landing(*cell, mine, theirs)
                        + 20 * (near & own).count_ones() as i32
                        + 12 * (near & their).count_ones() as i32
                }
                Move::Shift { from, direction, parts } => {
                    let landing = |part| {
                        let cell = from.ahead(*direction, part);
                        let value = promise_of_landing(cell, mine, theirs);
                        if their & cell.bit() != 0 {
                            value + 300 + 80 * i32::from(pos.height(cell))
                        } else if own & cell.bit() != 0 {
                            value - 80
                        } else {
                            value + 40
                        }
                    };
                    parts.heights().map(landing).sum()
                }
            };
        }
    }

    fn unit(&self) -> i32 {
        150
    }

    fn width(&self, depth: i32) -> usize {
        match depth {
            ..=1 => 7,
            2 => 9,
            3 => 12,
            4 => 14,
            _ => 22,
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

impl Prove for Judge {
    /// `known` sees connections; what remains is an opponent who is left without a shift. A piece placed
    /// is never in a shift's way, since nothing is lower.
    fn overlooks_no_win(&self, pos: &Glaisher) -> bool {
        let them = pos.turn().other();
        match pos.is_placing() {
            true => pos.can_shift(them),
            false => pos.moves().into_iter().all(|m| pos.after(m).can_shift(them)),
        }
    }

    fn proof_key(&self, pos: &Glaisher) -> u64 {
        pos.canonical_key()
    }

    fn exact_turns(&self) -> u32 {
        2
    }
}

impl Play for Glaisher {
    type Judge = Judge;
    const SEED: Option<Seed<Self>> = Some(seed::glaisher::SEED);
    const PUZZLES: &'static str = include_str!("../puzzles/glaisher.txt");
    const BENCH_DEPTH: u32 = 4;
    // Some two thousand turns: three of them in a row cannot be looked at.
    const PUZZLE_TURNS: u32 = 2;
    const PUZZLE_MARGIN: u32 = 0;
}
