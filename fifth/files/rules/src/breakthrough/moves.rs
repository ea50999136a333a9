//! Stepping and capturing.

use super::{Breakthrough, Cell};
use crate::bits::Bits;
use crate::by_player::ByPlayer;
use crate::game::{ParseMoveError, Player};
use crate::random::{Random, keys};
use std::fmt;
use std::str::FromStr;

/// A step one row forward, with a capture where an enemy stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The cell it leaves.
    pub from: Cell,
    /// The cell it reaches.
    pub to: Cell,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

impl FromStr for Step {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Step, ParseMoveError> {
        let read = |text: &str| {
            let (from, to) = text.split_once('-')?;
            Some(Step { from: Cell::parse(from)?, to: Cell::parse(to)? })
        };
        read(text.trim()).ok_or_else(|| ParseMoveError::new(text, "two cells such as `b2-b3`"))
    }
}

pub(super) static KEYS: ByPlayer<[u64; 64]> = ByPlayer::new(keys(0x6274_3031), keys(0x6274_3032));
pub(super) const TURN_KEY: u64 = Random::new(0x6274_3033).next_u64();

/// The cells of a set, in order.
pub(super) fn cells(set: u64) -> impl Iterator<Item = Cell> {
    set.bits().map(Cell::new)
}

impl Breakthrough {
    fn steps(&self, player: Player) -> impl Iterator<Item = Step> {
        let forward = if player == Player::One { 1 } else { -1 };
        let (own, all) = (self.pieces(player), self.pieces(Player::One) | self.pieces(Player::Two));
        let pairs = cells(own).flat_map(|from| [-1, 0, 1].map(|columns| (from, columns)));
        pairs.filter_map(move |(from, columns)| {
            let to = from.step(columns, forward, self.size())?;
            let blocked = if columns == 0 { all } else { own };
            (blocked >> to.index() & 1 == 0).then_some(Step { from, to })
        })
    }

    pub(super) fn append_steps(&self, player: Player, out: &mut Vec<Step>) {
        out.extend(self.steps(player));
    }

    pub(super) fn can_move(&self, player: Player) -> bool {
        self.steps(player).next().is_some()
    }

    pub(super) fn step(&mut self, m: Step) {
        let (mover, other) = (self.turn, self.turn.other());
        let (from, to) = (m.from.index(), m.to.index());
        self.pieces[mover] ^= 1 << from | 1 << to;
        self.key ^= KEYS[mover][from] ^ KEYS[mover][to] ^ TURN_KEY;
        if self.pieces(other) >> to & 1 == 1 {
            self.pieces[other] ^= 1 << to;
            self.key ^= KEYS[other][to];
        }
        self.turn = other;
        self.outcome = self.judge(other);
    }
}
