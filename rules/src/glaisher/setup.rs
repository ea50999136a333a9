//! Options, the start, and positions as plain data.

use super::Glaisher;
use crate::by_player::ByPlayer;
use crate::edit::{Edit, Stroke, no_such_cell};
use crate::game::{Game, Outcome, Player, SetupError};
use crate::hex::{self, CELLS, Hex};
use crate::notation::expect_len;
use serde::{Deserialize, Serialize};

/// The options: the board, and whether a stack must be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Cells along a side, 3 to 5.
    pub side: u8,
    /// The fewest parts a stack may be split into: 1 or 2.
    pub min_parts: u8,
}

impl Default for Options {
    fn default() -> Self {
        Options { side: 5, min_parts: 1 }
    }
}

/// A position as plain data; rows from the top, heights positive for player 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The options; defaults if left out.
    #[serde(default)]
    pub options: Options,
    /// The heights, only of cells that exist.
    pub board: Vec<Vec<i64>>,
    /// Whose turn it is.
    pub turn: Player,
    /// Whether the shift of this turn has been made, but not its placement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub placing: bool,
}

fn empty(options: &Options) -> Result<Glaisher, SetupError> {
    let Options { side, min_parts } = *options;
    Glaisher::INFO.check("side", "board side must be", side)?;
    Glaisher::INFO.check("min_parts", "must be", min_parts)?;
    Ok(Glaisher {
        stacks: ByPlayer::both(0),
        key: 0,
        heights: [0; CELLS],
        turn: Player::One,
        placing: false,
        outcome: None,
        side,
        min_parts,
    })
}

/// How tall the stacks are at the start. With six on the smaller boards, the first player would win in two turns and
/// in three.
fn height(side: u8) -> u8 {
    if side == 5 { 6 } else { 5 }
}

pub(super) fn start(options: &Options) -> Result<Glaisher, SetupError> {
    let mut pos = empty(options)?;
    let (board, side) = (pos.board(), options.side as i8);
    let last = 2 * side - 2;
    // On each side of the board, the cell after the corner, clockwise.
    let places = [
        (Player::One, [(0, 1), (side, last), (last - 1, side - 2)]),
        (Player::Two, [(1, side), (side - 2, 0), (last, last - 1)]),
    ];
    for (player, cells) in places {
        for cell in cells.into_iter().filter_map(|(row, column)| board.at(row, column)) {
            pos.stacks[player] |= cell.bit();
            pos.heights[cell.index()] = height(options.side);
        }
    }
    pos.key = pos.fresh_key();
    Ok(pos)
}

pub(super) fn read(setup: Setup) -> Result<Glaisher, SetupError> {
    let mut pos = empty(&setup.options)?;
    pos.turn = setup.turn;
    pos.placing = setup.placing;
    let board = pos.board();
    expect_len("board", "row", setup.board.len(), board.rows())?;
    for (row, heights) in setup.board.iter().enumerate() {
        let cells = board.row(row);
        expect_len(&format!("board[{row}]"), "cell", heights.len(), cells.count_ones() as usize)?;
        for (i, (cell, signed)) in hex::cells(cells).zip(heights).enumerate() {
            let Ok(height) = u8::try_from(signed.unsigned_abs()) else {
                let message = format!("height must be -255 to 255, got {signed}");
                return Err(SetupError::new(format!("board[{row}][{i}]"), message));
            };
            pos.heights[cell.index()] = height;
            if height > 0 {
                pos.stacks[if *signed < 0 { Player::Two } else { Player::One }] |= cell.bit();
            }
        }
    }
    // The last move has always left a stack on the board.
    if pos.stacks == ByPlayer::both(0) {
        return Err(SetupError::new("board", "has no stacks, expected one at least"));
    }
    pos.key = pos.fresh_key();
    pos.outcome = judge(&pos)?;
    Ok(pos)
}

/// The result of a position that was set up; in the middle of a turn the mover has not won yet.
fn judge(pos: &Glaisher) -> Result<Option<Outcome>, SetupError> {
    if pos.placing && pos.empty() == 0 {
        return Err(SetupError::new("placing", "no cell is empty, but a shift always leaves one"));
    }
    let connected = Player::BOTH.map(|player| pos.board().connects(pos.stacks(player)));
    let mover = pos.turn;
    Ok(match connected {
        [true, true] => {
            return Err(SetupError::new("board", "both players connect opposite sides"));
        }
        [false, false] if pos.placing || pos.can_shift(mover) => None,
        [false, false] => Some(Outcome::Win(mover.other())),
        [one, _] => {
            let winner = if one { Player::One } else { Player::Two };
            (!pos.placing || winner != mover).then_some(Outcome::Win(winner))
        }
    })
}

pub(super) fn write(pos: &Glaisher) -> Setup {
    let height = |cell: Hex| {
        let height = i64::from(pos.height(cell));
        if pos.stacks(Player::Two) & cell.bit() != 0 { -height } else { height }
    };
    let board = pos.board();
    let row = |row| hex::cells(board.row(row)).map(height).collect();
    Setup {
        options: pos.options(),
        board: (0..board.rows()).map(row).collect(),
        turn: pos.turn,
        placing: pos.placing,
    }
}

/// The position after an edit, at the start of a turn. A piece placed on the other colour starts a new stack. A board
/// needs a stack, so a cleared one keeps one piece of each player in a corner.
pub(super) fn edited(pos: &Glaisher, edit: Edit) -> Result<Glaisher, SetupError> {
    let mut setup = Setup { placing: false, ..write(pos) };
    match edit {
        Edit::Clear => {
            setup.board.iter_mut().for_each(|row| row.fill(0));
            let last = setup.board.len() - 1;
            (setup.board[0][0], setup.board[last][0]) = (-1, 1);
        }
        Edit::Turn(player) => setup.turn = player,
        Edit::Paint(cell, stroke) => {
            let mut heights = setup.board.iter_mut().flatten();
            let height = heights.nth(cell).ok_or_else(|| no_such_cell(cell))?;
            *height = match stroke {
                Stroke::Put(Player::One) => (*height).max(0) + 1,
                Stroke::Put(Player::Two) => (*height).min(0) - 1,
                Stroke::Lift => *height - height.signum(),
                Stroke::Wipe => 0,
            };
        }
    }
    read(setup)
}
