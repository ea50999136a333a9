//! Jeson Mor: knights race to the centre, and the first to leave it wins.
//!
//! The rules are in `pages/jeson-mor.md`. A board of any size is kept eleven cells wide; row 1 is
//! White's, at the bottom.

mod lessons;
mod moves;
mod notation;
mod setup;
mod show;
mod symmetry;

use crate::by_player::ByPlayer;
use crate::edit::{Brush, Stroke};
use crate::game::{Game, Info, OptionInfo, Outcome, Player, SetupError, Values};
use crate::grid::{Layout, Square, outside};
pub use moves::{Jump, jumps};
use moves::{KEYS, TURN_KEY};
pub use setup::{Goal, Options, Setup};

/// A cell; column letter from the left, row number from the bottom.
pub type Cell = Square<11>;

/// A position of Jeson Mor. Moves are ordered by the cell they leave, then by the cell they reach,
/// both row by row from `a1`.
///
/// ```
/// use rules::{Game, Notation, Outcome, Player, jeson_mor::JesonMor};
/// let mut pos = JesonMor::from_text("n3n/5/2N2/5/N3N 1", &Default::default())?;
/// pos.play("c3-d5".parse()?)?; // The knight leaves the centre:
/// assert_eq!(pos.outcome(), Some(Outcome::Win(Player::One)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JesonMor {
    knights: ByPlayer<u128>,
    key: u64,
    turn: Player,
    outcome: Option<Outcome>,
    size: u8,
    goal: Goal,
}

static INFO: Info = Info {
    id: "jeson-mor",
    name: "Jeson Mor",
    tagline: "bring a knight to the centre and leave it again",
    players: ByPlayer::new("White", "Black"),
    uci: Some("jesonmor"),
    options: &[
        OptionInfo {
            name: "size",
            label: "Board side",
            about: "cells along a side of the board, and knights of each player",
            values: Values::Numbers(&[5, 7, 9, 11]),
            default: "9",
        },
        OptionInfo {
            name: "goal",
            label: "To win",
            about: "what wins: to leave the centre, or to reach it",
            values: Values::Words(&["leave", "reach"]),
            default: "leave",
        },
    ],
    brushes: &[
        Brush { id: "white", label: "white knight", stroke: Stroke::Put(Player::One) },
        Brush { id: "black", label: "black knight", stroke: Stroke::Put(Player::Two) },
        Brush { id: "none", label: "nothing", stroke: Stroke::Wipe },
    ],
    rules: page!("../../pages/jeson-mor.md"),
    lessons: lessons::LESSONS,
    samples: &[
        ("initial", "nnnnnnnnn/9/9/9/9/9/9/9/NNNNNNNNN 1"),
        ("intermediate", "n5n1n/1n1n1n3/3n1n3/2n6/4N4/9/9/N5N1N/NN1NN2N1 2"),
        ("final", "n5n1n/1n1n1n3/3n1n3/2n6/9/9/4N4/N7N/NN1NN2N1;winner=2 1"),
    ],
};

impl JesonMor {
    /// The position with these knights, bit 11 × row + column; quicker than plain data.
    pub fn from_knights(
        options: &Options,
        knights: ByPlayer<u128>,
        turn: Player,
    ) -> Result<JesonMor, SetupError> {
        setup::with_knights(options, knights, turn)
    }

    /// The cells along a side.
    pub fn size(&self) -> usize {
        usize::from(self.size)
    }

    fn layout(&self) -> Layout<11> {
        Layout { size: self.size(), first_row_at_top: false }
    }

    /// What wins.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// The set of a player's knights, bit 11 × row + column.
    #[inline]
    pub fn knights(&self, player: Player) -> u128 {
        self.knights[player]
    }

    fn owner(&self, cell: Cell) -> Option<Player> {
        Player::BOTH.into_iter().find(|player| self.knights(*player) >> cell.index() & 1 == 1)
    }

    /// The cell in the middle.
    #[inline]
    pub fn centre(&self) -> Cell {
        Cell::at(self.size() / 2, self.size() / 2)
    }

    /// The result by the board alone, with this player to move.
    fn judge(&self, turn: Player) -> Option<Outcome> {
        let [mine, theirs] = [self.knights(turn), self.knights(turn.other())];
        let centre = 1 << self.centre().index();
        if mine == 0 || (self.goal == Goal::Reach && theirs & centre != 0) {
            return Some(Outcome::Win(turn.other()));
        }
        if theirs == 0 || (self.goal == Goal::Reach && mine & centre != 0) {
            return Some(Outcome::Win(turn));
        }
        (!moves::any(mine, self.size())).then_some(Outcome::Win(turn.other()))
    }

    fn fresh_key(&self) -> u64 {
        let mut key = if self.turn == Player::Two { TURN_KEY } else { 0 };
        for player in Player::BOTH {
            for cell in moves::cells(self.knights(player)) {
                key ^= KEYS[player][cell.index()];
            }
        }
        key
    }
}

impl Game for JesonMor {
    common_items!();
    type Move = Jump;

    fn options(&self) -> Options {
        Options { size: self.size, goal: self.goal }
    }

    #[inline]
    fn append_moves(&self, out: &mut Vec<Jump>) {
        if self.outcome.is_none() {
            moves::append(self.knights(self.turn), self.size(), out);
        }
    }

    #[inline]
    fn is_legal(&self, m: Jump) -> bool {
        let own = self.knights(self.turn);
        let targets = || moves::jumps(m.from, self.size()) & !own;
        self.outcome.is_none()
            && own >> m.from.index() & 1 == 1
            && targets() >> m.to.index() & 1 == 1
    }

    #[inline]
    fn pack(m: Jump) -> u32 {
        (m.from.index() << 7 | m.to.index()) as u32
    }

    #[inline]
    fn unpack(code: u32) -> Option<Jump> {
        let cell = |bits: u32| (bits < 121).then(|| Cell::new(bits as usize));
        Some(Jump { from: cell(code >> 7)?, to: cell(code & 127)? })
    }

    #[inline]
    fn play_unchecked(&mut self, m: Jump) {
        self.jump(m);
    }

    fn wins_at_once(&self) -> bool {
        self.outcome.is_none() && self.has_winning_jump()
    }

    fn append_saving_moves(&self, out: &mut Vec<Jump>) {
        let first = out.len();
        if !self.append_captures_in_the_centre(out) {
            self.append_moves(out);
        }
        self.drop_losing_moves(out, first);
    }

    fn objection(&self, m: Jump) -> String {
        let Jump { from, to } = m;
        if let Some(reason) = outside(&[from, to], self.size()) {
            return reason;
        }
        match (self.owner(from), self.owner(to)) {
            (None, _) => format!("there is no knight on {from}"),
            (Some(owner), _) if owner != self.turn => {
                format!("the knight on {from} is the opponent's")
            }
            (_, Some(owner)) if owner == self.turn => format!("your own knight stands on {to}"),
            _ => format!("a knight does not jump from {from} to {to}"),
        }
    }
}
