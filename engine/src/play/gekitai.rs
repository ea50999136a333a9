//! Gekitai: immediate wins are seen without search, pairs are what counts.

use crate::evaluate::Evaluate;
use crate::score::{Score, win_after};
use rules::gekitai::{Cell, Gekitai, Place};
use rules::{Game, Outcome, Player};

/// The judgement of Gekitai.
#[derive(Debug, Default)]
pub struct Judge;

/// How far a cell is from the edge, two at most: in the middle markers have neighbours on all sides.
fn depth(cell: Cell, size: usize) -> i32 {
    let edge = |i: usize| i.min(size - 1 - i);
    edge(cell.column()).min(edge(cell.row())).min(2) as i32
}

/// Neighbouring pairs of a set, in all four directions.
fn pairs(set: u64) -> u32 {
    const LEFT: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const RIGHT: u64 = 0xfefe_fefe_fefe_fefe;
    let count = |shifted: u64| (set & shifted).count_ones();
    count(set >> 1 & LEFT) + count(set >> 8) + count(set >> 9 & LEFT) + count(set >> 7 & RIGHT)
}

fn wins(pos: &Gekitai, m: Place) -> bool {
    pos.after(m).outcome() == Some(Outcome::Win(pos.turn()))
}

/// Whether the player to move can win at once.
pub fn wins_at_once(pos: &Gekitai) -> bool {
    let own = pos.markers(pos.turn());
    if own.count_ones() < 2 && pos.reserve(pos.turn()) > 1 {
        return false;
    }
    let mut empty = pos.empty();
    while empty != 0 {
        let cell = Cell::new(empty.trailing_zeros() as usize);
        empty &= empty - 1;
        if wins(pos, Place(cell)) {
            return true;
        }
    }
    false
}

fn worth(pos: &Gekitai, player: Player) -> i32 {
    let own = pos.markers(player);
    let mut value = 12 * pairs(own) as i32 + 9 * own.count_ones() as i32;
    // The last markers before the limit weigh more.
    value += match pos.reserve(player) {
        0..=1 => 60,
        2 => 25,
        3 => 8,
        _ => 0,
    };
    let mut rest = own;
    while rest != 0 {
        let cell = Cell::new(rest.trailing_zeros() as usize);
        rest &= rest - 1;
        value += 4 * depth(cell, pos.size());
    }
    value
}

impl Evaluate<Gekitai> for Judge {
    fn evaluate(&self, pos: &Gekitai) -> Score {
        worth(pos, pos.turn()) - worth(pos, pos.turn().other())
    }

    fn known(&self, pos: &Gekitai) -> Option<Score> {
        wins_at_once(pos).then_some(win_after(1))
    }

    fn promise(&self, pos: &Gekitai, m: Place) -> i32 {
        8 * depth(m.0, pos.size())
    }

    fn slot(&self, m: Place) -> usize {
        m.0.index()
    }
}
