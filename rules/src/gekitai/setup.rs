//! Options, the start, and positions as plain data.

use super::Gekitai;
use crate::by_player::ByPlayer;
use crate::edit::{Edit, paint_letter};
use crate::game::{Game, Player, SetupError};
use crate::notation::{expect_at_most, read_letters, write_letters};
use serde::{Deserialize, Serialize};

const LETTERS: ByPlayer<char> = ByPlayer::new('x', 'o');

/// The options: the board, the markers, and who wins when both have a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Cells along a side, 4 to 8.
    pub size: u8,
    /// Markers of each player; at most half the cells, so that a player always has an empty one.
    pub markers: u8,
    /// Who wins when both players have a line after one placement.
    pub both: Both,
}

impl Default for Options {
    fn default() -> Self {
        Options { size: 6, markers: 8, both: Both::Mover }
    }
}

/// Who wins when one placement completes both players' lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Both {
    /// The player who placed.
    Mover,
    /// Nobody.
    Draw,
}

/// A position as plain data; rows from the top, `x`, `o` or `.` for each cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The options; defaults if left out.
    #[serde(default)]
    pub options: Options,
    /// The rows, from the top.
    pub board: Vec<String>,
    /// Whose turn it is.
    pub turn: Player,
}

pub(super) fn start(options: &Options) -> Result<Gekitai, SetupError> {
    let Options { size, markers, both } = *options;
    Gekitai::INFO.check("size", "board side must be", size)?;
    let most = size * size / 2;
    if !(1..=most).contains(&markers) {
        let message = format!("must be 1 to {most} on a board of side {size}, got {markers}");
        return Err(SetupError::new("options.markers", message));
    }
    let turn = Player::One;
    Ok(Gekitai {
        markers: ByPlayer::both(0),
        key: 0,
        turn,
        outcome: None,
        size,
        limit: markers,
        both,
    })
}

pub(super) fn read(setup: Setup) -> Result<Gekitai, SetupError> {
    let mut pos = start(&setup.options)?;
    pos.turn = setup.turn;
    for (owner, cell) in read_letters(&setup.board, pos.layout(), LETTERS)? {
        pos.markers[owner] |= 1 << cell.index();
    }
    let counts = pos.markers.map(u64::count_ones);
    expect_at_most::<Gekitai>("board", "markers", counts, pos.limit)?;
    let mover = pos.turn.other();
    pos.outcome = pos.judge(mover, pos.markers(mover), pos.markers(pos.turn), true);
    pos.key = pos.fresh_key();
    Ok(pos)
}

pub(super) fn write(pos: &Gekitai) -> Setup {
    let board = write_letters(pos.layout(), LETTERS, |cell| pos.owner(cell));
    Setup { options: pos.options(), board, turn: pos.turn }
}

/// The position after an edit.
pub(super) fn edited(pos: &Gekitai, edit: Edit) -> Result<Gekitai, SetupError> {
    let mut setup = write(pos);
    match edit {
        Edit::Clear => setup.board.fill(".".repeat(pos.size())),
        Edit::Turn(player) => setup.turn = player,
        Edit::Paint(cell, stroke) => paint_letter(&mut setup.board, cell, stroke, LETTERS)?,
    }
    read(setup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gekitai::moves;

    #[test]
    fn every_board_has_size_times_size_cells() {
        for size in 4..=8u8 {
            let pos = start(&Options { size, ..Options::default() }).unwrap();
            assert_eq!(pos.moves().len(), usize::from(size) * usize::from(size));
            assert_eq!(moves::BOARDS[pos.size()].count_ones(), u32::from(size) * u32::from(size));
        }
    }
}
