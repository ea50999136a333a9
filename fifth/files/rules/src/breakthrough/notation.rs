//! One-line text.
//!
//! `bbbbbb/bbbbbb/6/6/wwwwww/wwwwww 1`: rows from the top, digits for empty cells.

use super::{Breakthrough, Options, Setup};
use crate::game::{Game, SetupError};
use crate::notation::{Notation, OneLine, player_field, squeeze, stretch_letters, write_line};

impl Notation for Breakthrough {
    fn text(&self) -> String {
        let cell = |c| if c == '.' { String::new() } else { String::from(c) };
        let rows: Vec<_> =
            self.setup().board.iter().map(|row| squeeze(row.chars().map(cell), "")).collect();
        write_line(&rows, &self.options(), "", &self.turn.to_string())
    }

    fn from_text(text: &str, options: &Options) -> Result<Self, SetupError> {
        let line = OneLine::read(text)?;
        let board = line.board(|row, field| stretch_letters(row, field, 8))?;
        let options = line.options(options, Some(board.len()))?;
        Breakthrough::from_setup(Setup { options, board, turn: player_field(line.player)? })
    }
}
