//! Shifting and placing.

use super::Glaisher;
use crate::bits::Bits;
use crate::by_player::ByPlayer;
use crate::game::{Outcome, ParseMoveError, Player, counted};
use crate::hex::{self, Board, CELLS, Direction, Hex};
use crate::random::{Random, keys};
use std::fmt;
use std::str::FromStr;

/// Half a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Splits a stack and moves all its parts in one direction, each as far as it is tall.
    Shift {
        /// The cell of the stack.
        from: Hex,
        /// Where all parts go.
        direction: Direction,
        /// The heights of the parts.
        parts: Parts,
    },
    /// Puts a new piece on an empty cell.
    Place(Hex),
}

/// Pairwise different heights from 1 to 8, as a set: bit i stands for a part of i + 1 pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parts(pub(super) u8);

impl Parts {
    /// The heights, in ascending order.
    #[inline]
    pub fn heights(self) -> impl Iterator<Item = usize> {
        self.0.bits().map(|bit| bit + 1)
    }

    /// The heights as bits: bit i stands for a part of i + 1 pieces.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The pieces in all parts together.
    pub const fn sum(self) -> usize {
        let (mut sum, mut height) = (0, 1);
        while height <= 8 {
            sum += height * (self.0 as usize >> (height - 1) & 1);
            height += 1;
        }
        sum
    }

    /// How many parts there are.
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The tallest part.
    pub const fn tallest(self) -> usize {
        8 - self.0.leading_zeros() as usize
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.heights().try_for_each(|height| write!(f, "{height}"))
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Shift { from, direction, parts } => {
                write!(f, "{from}-{}:{parts}", direction.name())
            }
            Move::Place(cell) => write!(f, "@{cell}"),
        }
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let expected = "a shift such as `a2-se:123`, or a placement such as `@c4`";
        read(text.trim()).ok_or_else(|| ParseMoveError::new(text, expected))
    }
}

fn read(text: &str) -> Option<Move> {
    if let Some(text) = text.strip_prefix('@') {
        return cell(text).map(Move::Place);
    }
    let (way, digits) = text.split_once(':')?;
    let (from, way) = way.rsplit_once('-')?;
    let mut parts = 0u8;
    for digit in digits.bytes() {
        let bit = matches!(digit, b'1'..=b'8').then(|| 1 << (digit - b'1'))?;
        if parts & bit != 0 {
            return None;
        }
        parts |= bit;
    }
    let (from, direction) = (cell(from)?, direction(way)?);
    (parts != 0).then_some(Move::Shift { from, direction, parts: Parts(parts) })
}

/// A cell by its name, or as the original program writes it: `0-1` is `a2`.
fn cell(text: &str) -> Option<Hex> {
    let by_numbers = || {
        let (row, column) = text.split_once('-')?;
        let number = |text: &str| text.parse::<u8>().ok().filter(|number| *number <= 8);
        let letter = char::from(b'a' + number(row)?);
        Hex::parse(&format!("{letter}{}", number(column)? + 1))
    };
    Hex::parse(text).or_else(by_numbers)
}

/// A direction by its name, or by the number that the original program gives it.
fn direction(text: &str) -> Option<Direction> {
    const NUMBERED: [&str; 6] = ["e", "ne", "nw", "w", "sw", "se"];
    let number = || NUMBERED.get(text.parse::<usize>().ok()?.checked_sub(1)?);
    Direction::parse(text).or_else(|| Direction::parse(number()?))
}

/// The tallest stack that can be split into different parts of at most 8.
const TALLEST: usize = 36;

/// All sets of parts, by their sum and then by their tallest part.
static SPLITS: [Parts; 255] = {
    let mut table = [Parts(0); 255];
    let (mut sum, mut i) = (1, 0);
    while sum <= TALLEST {
        let mut set = 1;
        while set <= 255 {
            if Parts(set as u8).sum() == sum {
                table[i] = Parts(set as u8);
                i += 1;
            }
            set += 1;
        }
        sum += 1;
    }
    table
};

/// Where in `SPLITS` each sum begins.
static FIRST_SPLIT: [u8; TALLEST + 2] = {
    let mut table = [0; TALLEST + 2];
    let mut i = 0;
    while i < 255 {
        table[SPLITS[i].sum() + 1] = i as u8 + 1;
        i += 1;
    }
    table
};

/// The ways to split a stack of this height.
#[inline]
fn splits(height: u8) -> &'static [Parts] {
    match usize::from(height) {
        height @ 1..=TALLEST => &SPLITS[FIRST_SPLIT[height].into()..FIRST_SPLIT[height + 1].into()],
        _ => &[],
    }
}

/// A key for each player and cell, turned by the height of the stack.
static KEYS: ByPlayer<[u64; CELLS]> = ByPlayer::new(keys(0x676c_3031), keys(0x676c_3032));
const TURN_KEY: u64 = Random::new(0x676c_3033).next_u64();
const PLACING_KEY: u64 = Random::new(0x676c_3034).next_u64();

#[inline]
fn stack_key(player: Player, cell: Hex, height: u8) -> u64 {
    KEYS[player][cell.index()].rotate_left(height.into())
}

impl Glaisher {
    #[inline]
    pub(super) fn append_placements(&self, out: &mut Vec<Move>) {
        out.reserve(CELLS);
        out.extend(hex::cells(self.empty()).map(Move::Place));
    }

    #[inline]
    pub(super) fn append_shifts(&self, out: &mut Vec<Move>) {
        self.each_shift(self.turn, |from, direction, parts| {
            out.push(Move::Shift { from, direction, parts });
            false
        });
    }

    /// Calls back with every legal shift of a player until told to stop; returns whether it was.
    #[inline]
    pub fn each_shift(
        &self,
        player: Player,
        mut stop: impl FnMut(Hex, Direction, Parts) -> bool,
    ) -> bool {
        let board = self.board();
        for from in hex::cells(self.stacks(player)) {
            let splits = splits(self.height(from));
            for direction in Direction::ALL {
                let allowed = self.landings(board, player, from, direction);
                for parts in splits {
                    // Splits are sorted: all that follow have a part that is too tall.
                    if parts.0 > allowed {
                        break;
                    }
                    if parts.0 & !allowed == 0
                        && (self.min_parts == 1 || parts.count() > 1)
                        && stop(from, direction, *parts)
                    {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether the player to move has this shift.
    pub(super) fn may_shift(&self, from: Hex, direction: Direction, parts: Parts) -> bool {
        self.stacks(self.turn) & from.bit() != 0
            && parts.sum() == usize::from(self.height(from))
            && parts.count() >= usize::from(self.min_parts)
            && parts.0 & !self.landings(self.board(), self.turn, from, direction) == 0
    }

    /// The set of distances at which a part may land: on the board, and on no taller enemy.
    #[inline]
    fn landings(&self, board: &Board, player: Player, from: Hex, direction: Direction) -> u8 {
        let mut set = ((1u32 << board.room(from, direction)) - 1) as u8;
        // Parts jump over everything in between, so only landing cells matter.
        for cell in hex::cells(self.stacks(player.other()) & from.line(direction)) {
            let distance = from.steps_to(cell);
            if usize::from(self.height(cell)) > distance {
                set &= !(1 << (distance - 1));
            }
        }
        set
    }

    /// Whether a player has a legal shift.
    #[inline]
    pub fn can_shift(&self, player: Player) -> bool {
        self.each_shift(player, |_, _, _| true)
    }

    #[inline]
    pub(super) fn shift(&mut self, from: Hex, direction: Direction, parts: Parts) {
        let (me, them) = (self.turn, self.turn.other());
        self.key ^= stack_key(self.turn, from, self.height(from)) ^ PLACING_KEY;
        self.heights[from.index()] = 0;
        self.stacks[me] ^= from.bit();
        for part in parts.heights() {
            let cell = from.ahead(direction, part);
            let old = self.height(cell);
            let new = old.saturating_add(part as u8);
            if self.stacks[me] & cell.bit() != 0 {
                self.key ^= stack_key(self.turn, cell, old);
            } else if self.stacks[them] & cell.bit() != 0 {
                self.key ^= stack_key(self.turn.other(), cell, old);
                self.stacks[them] ^= cell.bit();
            }
            self.key ^= stack_key(self.turn, cell, new);
            self.stacks[me] |= cell.bit();
            self.heights[cell.index()] = new;
        }
        self.placing = true;
    }

    #[inline]
    pub(super) fn place(&mut self, cell: Hex) {
        let mover = self.turn;
        self.stacks[mover] |= cell.bit();
        self.heights[cell.index()] = 1;
        self.key ^= stack_key(mover, cell, 1) ^ PLACING_KEY ^ TURN_KEY;
        self.placing = false;
        self.turn = mover.other();
        if self.board().connects(self.stacks(mover)) || !self.can_shift(self.turn) {
            self.outcome = Some(Outcome::Win(mover));
        }
    }

    pub(super) fn fresh_key(&self) -> u64 {
        let mut key = if self.turn == Player::Two { TURN_KEY } else { 0 };
        if self.placing {
            key ^= PLACING_KEY;
        }
        for player in Player::BOTH {
            for cell in hex::cells(self.stacks(player)) {
                key ^= stack_key(player, cell, self.height(cell));
            }
        }
        key
    }

    pub(super) fn object(&self, m: Move) -> String {
        let (Move::Place(cell) | Move::Shift { from: cell, .. }) = m;
        if !self.board().has(cell) {
            return format!("{cell} is not on the board of side {}", self.side);
        }
        match m {
            Move::Place(cell) if !self.placing => {
                format!("a turn begins with a shift; write it before @{cell}")
            }
            Move::Place(cell) => format!("{cell} is occupied"),
            Move::Shift { .. } if self.placing => {
                "the shift of this turn has been made; now place a new piece".into()
            }
            Move::Shift { from, direction, parts } => self.object_to_shift(from, direction, parts),
        }
    }

    fn object_to_shift(&self, from: Hex, direction: Direction, parts: Parts) -> String {
        let height = usize::from(self.height(from));
        if self.stacks(self.turn) & from.bit() == 0 {
            let what = if height == 0 { "is empty" } else { "holds the opponent's stack" };
            return format!("{from} {what}");
        }
        if parts.sum() != height {
            let pieces = counted(height, "piece");
            return format!("the stack on {from} has {pieces}, the parts have {}", parts.sum());
        }
        if parts.count() < self.min_parts.into() {
            return format!("a stack must be split into at least {} parts", self.min_parts);
        }
        for part in parts.heights() {
            if part > self.board().room(from, direction) {
                return format!("a part of {part} would leave the board");
            }
            let cell = from.ahead(direction, part);
            let theirs = self.stacks(self.turn.other()) & cell.bit() != 0;
            if theirs && usize::from(self.height(cell)) > part {
                let taller = self.height(cell);
                return format!(
                    "a part of {part} would land on a taller stack, {taller} on {cell}"
                );
            }
        }
        "that shift is not possible".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_of_six_splits_in_four_ways() {
        let texts: Vec<_> = splits(6).iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["123", "24", "15", "6"]);
        assert_eq!(splits(36).len(), 1);
        assert!(splits(0).is_empty() && splits(37).is_empty());
        assert_eq!((1..=36).map(|height| splits(height).len()).sum::<usize>(), 255);
    }

    #[test]
    fn moves_read_back_and_nonsense_does_not() {
        for text in ["a2-se:123", "i9-nw:8", "@e5"] {
            assert_eq!(text.parse::<Move>().unwrap().to_string(), text);
        }
        for (old, text) in [("0-1-6:123", "a2-se:123"), ("a2-6:123", "a2-se:123"), ("@5-1", "@f2")]
        {
            assert_eq!(old.parse::<Move>().unwrap().to_string(), text);
        }
        assert_eq!(" A2-SE:321 ".parse::<Move>().unwrap().to_string(), "a2-se:123");
        for text in [
            "", "@", "@a6", "a2", "a2-se", "a2-se:", "a2-se:9", "a2-se:11", "a2-s:1", "@é",
            "a2-7:1", "a2-0:1", "@0-9", "@0-8",
        ] {
            assert!(text.parse::<Move>().is_err(), "{text}");
        }
    }
}
