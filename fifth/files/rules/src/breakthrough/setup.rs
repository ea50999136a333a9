//! Options, the start, and positions as plain data.

use super::{Breakthrough, Cell};
use crate::by_player::ByPlayer;
use crate::edit::{Edit, paint_letter};
use crate::game::{Game, Player, SetupError};
use crate::notation::{expect_at_most, read_letters, write_letters};
use serde::{Deserialize, Serialize};

const LETTERS: ByPlayer<char> = ByPlayer::new('w', 'b');

/// The options: the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Cells along a side, 4 to 8.
    pub size: u8,
}

impl Default for Options {
    fn default() -> Self {
        Options { size: 6 }
    }
}

/// A position as plain data; rows from the top, `w`, `b` or `.` for each cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The options; defaults if left out.
    #[serde(default)]
    pub options: Options,
    /// The rows, from the top: Black's side first.
    pub board: Vec<String>,
    /// Whose turn it is.
    pub turn: Player,
}

fn empty(options: &Options) -> Result<Breakthrough, SetupError> {
    Breakthrough::INFO.check("size", "board side must be", options.size)?;
    let turn = Player::One;
    Ok(Breakthrough { pieces: ByPlayer::both(0), key: 0, turn, outcome: None, size: options.size })
}

pub(super) fn start(options: &Options) -> Result<Breakthrough, SetupError> {
    let mut pos = empty(options)?;
    let size = pos.size();
    for column in 0..size {
        pos.pieces[Player::One] |=
            1 << Cell::at(column, 0).index() | 1 << Cell::at(column, 1).index();
        pos.pieces[Player::Two] |= 1 << Cell::at(column, size - 2).index();
        pos.pieces[Player::Two] |= 1 << Cell::at(column, size - 1).index();
    }
    pos.key = pos.fresh_key();
    Ok(pos)
}

pub(super) fn read(setup: Setup) -> Result<Breakthrough, SetupError> {
    let mut pos = empty(&setup.options)?;
    pos.turn = setup.turn;
    for (owner, cell) in read_letters(&setup.board, pos.layout(), LETTERS)? {
        pos.pieces[owner] |= 1 << cell.index();
    }
    let counts = pos.pieces.map(u64::count_ones);
    expect_at_most::<Breakthrough>("board", "pieces", counts, 2 * pos.size)?;
    pos.outcome = pos.judge(pos.turn);
    pos.key = pos.fresh_key();
    Ok(pos)
}

pub(super) fn write(pos: &Breakthrough) -> Setup {
    let board = write_letters(pos.layout(), LETTERS, |cell| pos.owner(cell));
    Setup { options: pos.options(), board, turn: pos.turn }
}

/// The position after an edit.
pub(super) fn edited(pos: &Breakthrough, edit: Edit) -> Result<Breakthrough, SetupError> {
    let mut setup = write(pos);
    match edit {
        Edit::Clear => setup.board.fill(".".repeat(pos.size())),
        Edit::Turn(player) => setup.turn = player,
        Edit::Paint(cell, stroke) => paint_letter(&mut setup.board, cell, stroke, LETTERS)?,
    }
    read(setup)
}
