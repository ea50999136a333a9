//! One-line text and Prolog terms.
//!
//! `2x1x1/6/o2x2/4ox/1o4/4o1 1`: rows from the top, digits for empty cells. As a Prolog term the board
//! is a list of rows of `empty`, `plyr1` and `plyr2`; `[Board,plyr2]` says that player 2 is to move.

use super::{Gekitai, Options, Setup};
use crate::game::{Game, Player, SetupError};
use crate::notation::{
    Notation, OneLine, player_field, player_named, squeeze, stretch_letters, write_line,
};
use crate::prolog::{Atoms, Term};

const ATOMS: Atoms = [("empty", '.'), ("plyr1", 'x'), ("plyr2", 'o')];

impl Notation for Gekitai {
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
        Gekitai::from_setup(Setup { options, board, turn: player_field(line.player)? })
    }

    fn term(&self) -> Option<Term> {
        let board = Term::letters(&self.setup().board, &ATOMS);
        Some(match self.turn {
            Player::One => board,
            Player::Two => Term::List(vec![board, Term::atom("plyr2")]),
        })
    }

    fn from_term(term: &Term, options: &Options) -> Result<Self, SetupError> {
        let (board, turn) = match term.unwrapped().list() {
            Some([board, Term::Atom(player)]) => (board, player_named(player, ["plyr1", "plyr2"])?),
            _ => (term.unwrapped(), Player::One),
        };
        let board = board.read_letters("board", &ATOMS)?;
        let size = u8::try_from(board.len()).unwrap_or(u8::MAX);
        Gekitai::from_setup(Setup { options: Options { size, ..*options }, board, turn })
    }
}
