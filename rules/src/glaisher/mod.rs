//! Glaisher: split a stack, hop, add a piece, and connect two opposite sides.
//!
//! The rules are in `pages/glaisher.md`. A turn is two moves, a shift and a placement.

mod lessons;
mod moves;
mod notation;
mod setup;
mod show;
mod symmetry;

use crate::by_player::ByPlayer;
use crate::edit::{Brush, Stroke};
use crate::game::{Game, Info, OptionInfo, Outcome, Player, SetupError, Values};
use crate::hex::{Board, CELLS, Direction, Hex};
pub use moves::{Move, Parts};
pub use setup::{Options, Setup};

/// A position of Glaisher, at the beginning or in the middle of a turn.
///
/// Shifts are ordered by the cell of the stack, by direction (`e`, `ne`, `nw`, `w`, `sw`, `se`), and by
/// parts, those with the smaller largest part first. Placements are ordered by cell.
///
/// Heights stop counting at 255. A stack above 36 can neither move nor be captured, so nothing but the
/// printed number could tell the difference.
///
/// A smaller board is the upper left corner of the largest; see [`crate::hex`].
///
/// ```
/// use rules::{Game, Player, glaisher::Glaisher};
/// let mut pos = Glaisher::new(&Default::default())?;
/// pos.play("a2-se:123".parse()?)?; // 1, 2 and 3 pieces land on b3, c4 and d5.
/// assert_eq!(pos.turn(), Player::One); // The turn goes on:
/// pos.play("@e5".parse()?)?; // a new piece.
/// assert_eq!(pos.turn(), Player::Two);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Glaisher {
    stacks: ByPlayer<u64>,
    key: u64,
    heights: [u8; CELLS],
    turn: Player,
    placing: bool,
    outcome: Option<Outcome>,
    side: u8,
    min_parts: u8,
}

static INFO: Info = Info {
    id: "glaisher",
    name: "Glaisher",
    tagline: "split a stack, let its parts hop, connect two opposite sides",
    players: ByPlayer::new("Red", "Yellow"),
    uci: None,
    options: &[
        OptionInfo {
            name: "side",
            label: "Board side",
            about: "cells along a side of the board",
            values: Values::Range(3, 5),
            default: "5",
        },
        OptionInfo {
            name: "min_parts",
            label: "Parts, least",
            about: "the fewest parts a stack may be split into",
            values: Values::Numbers(&[1, 2]),
            default: "1",
        },
    ],
    brushes: &[
        Brush { id: "red", label: "one more red piece", stroke: Stroke::Put(Player::One) },
        Brush { id: "yellow", label: "one more yellow piece", stroke: Stroke::Put(Player::Two) },
        Brush { id: "less", label: "one piece less", stroke: Stroke::Lift },
        Brush { id: "none", label: "nothing", stroke: Stroke::Wipe },
    ],
    rules: page!("../../pages/glaisher.md"),
    lessons: lessons::LESSONS,
    samples: &[
        ("initial", "1,r6,3/5,y6/7/y6,7/9/7,r6/7/r6,5/3,y6,1 1"),
        (
            "intermediate",
            "y1,1,y1,1,r1/2,y1,3/3,y6,1,r3,r1/2,r2,r3,r5,y1,2/r1,r2,r1,1,y3,r1,3/1,y3,y1,y3,4/1,y1,1,r2,3/y1,3,r1,1/5 1",
        ),
        (
            "final",
            "y1,1,y1,1,r1/2,y1,3/3,y6,1,r3,r1/2,r2,r3,r5,r1,2/r1,r2,r1,1,y3,4/1,y3,y1,y3,4/1,y1,1,r2,3/y1,3,r1,1/5 2",
        ),
    ],
};

impl Glaisher {
    /// The board.
    #[inline]
    pub fn board(&self) -> &'static Board {
        Board::of(self.side)
    }

    /// The set of a player's stacks, by cell number.
    #[inline]
    pub fn stacks(&self, player: Player) -> u64 {
        self.stacks[player]
    }

    /// How many pieces stand on a cell.
    #[inline]
    pub fn height(&self, cell: Hex) -> u8 {
        self.heights[cell.index()]
    }

    /// Whether the shift of this turn has been made, but not its placement.
    #[inline]
    pub fn is_placing(&self) -> bool {
        self.placing
    }

    /// The set of empty cells.
    #[inline]
    pub fn empty(&self) -> u64 {
        self.board().cells & !(self.stacks[Player::One] | self.stacks[Player::Two])
    }

    /// The fewest parts a stack may be split into.
    pub fn min_parts(&self) -> u8 {
        self.min_parts
    }
}

impl Game for Glaisher {
    common_items!();
    type Move = Move;

    fn options(&self) -> Options {
        Options { side: self.side, min_parts: self.min_parts }
    }

    #[inline]
    fn append_moves(&self, out: &mut Vec<Move>) {
        if self.outcome.is_some() {
        } else if self.placing {
            self.append_placements(out);
        } else {
            self.append_shifts(out);
        }
    }

    /// Six bits for the cell, three for the direction, eight for the parts; a placement has no parts.
    #[inline]
    fn pack(m: Move) -> u32 {
        match m {
            Move::Place(cell) => cell.index() as u32,
            Move::Shift { from, direction, parts } => {
                u32::from(parts.bits()) << 9 | (direction as u32) << 6 | from.index() as u32
            }
        }
    }

    #[inline]
    fn unpack(code: u32) -> Option<Move> {
        let index = (code & 63) as usize;
        let cell = (index < CELLS).then(|| Hex::new(index))?;
        let (parts, direction) = (u8::try_from(code >> 9).ok()?, (code >> 6 & 7) as usize);
        Some(match parts {
            0 => Move::Place(cell),
            _ => Move::Shift {
                from: cell,
                direction: *Direction::ALL.get(direction)?,
                parts: Parts(parts),
            },
        })
    }

    #[inline]
    fn is_legal(&self, m: Move) -> bool {
        if self.outcome.is_some() {
            return false;
        }
        match m {
            Move::Place(cell) => self.placing && self.empty() & cell.bit() != 0,
            Move::Shift { from, direction, parts } => {
                !self.placing && self.may_shift(from, direction, parts)
            }
        }
    }

    #[inline]
    fn play_unchecked(&mut self, m: Move) {
        match m {
            Move::Shift { from, direction, parts } => self.shift(from, direction, parts),
            Move::Place(cell) => self.place(cell),
        }
    }

    fn objection(&self, m: Move) -> String {
        self.object(m)
    }

    fn steps(text: &str) -> Vec<&str> {
        match text.find('@') {
            Some(at) if at > 0 => text.split_at_checked(at).map_or(vec![text], |(a, b)| vec![a, b]),
            _ => vec![text],
        }
    }
}
