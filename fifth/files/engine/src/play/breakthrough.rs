//! Breakthrough: pieces count, and the nearer to the far side the more.

use super::Play;
use crate::evaluate::Estimate;
use crate::score::Score;
use crate::solve::Prove;
use rules::breakthrough::{Breakthrough, Cell};
use rules::{Game, Player};

/// The evaluator of Breakthrough.
#[derive(Debug, Default)]
pub struct Judge;

fn worth(pos: &Breakthrough, player: Player) -> Score {
    let value = |cell: Cell| {
        let rows = match player {
            Player::One => cell.row(),
            Player::Two => pos.size() - 1 - cell.row(),
        };
        100 + 5 * (rows * rows) as Score
    };
    let own = Cell::all(pos.size()).filter(|cell| pos.owner(*cell) == Some(player));
    own.map(value).sum()
}

impl Estimate for Judge {
    type Game = Breakthrough;
    type State = ();

    fn evaluate(&self, pos: &Breakthrough, (): &()) -> Score {
        worth(pos, pos.turn()) - worth(pos, pos.turn().other())
    }
}

impl Prove for Judge {}

impl Play for Breakthrough {
    type Judge = Judge;
    const BENCH_DEPTH: u32 = 4;
}
