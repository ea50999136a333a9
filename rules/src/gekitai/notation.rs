//! One-line text and Prolog terms.
//!
//! `2x1x1/6/o2x2/4ox/1o4/4o1 1`: rows from the top, digits for empty cells. As a Prolog term the board
//! is a list of rows of `empty`, `plyr1` and `plyr2`; `[Board,plyr2]` says that player 2 is to move.

use super::{Gekitai, Options, Setup};
use crate::game::{Game, Player, SetupError, shorten};
use crate::notation::{Line, Notation, player_field, squeeze, stretch_letters, write_line};
use crate::prolog::Term;

impl Notation for Gekitai {
    fn text(&self) -> String {
        let cell = |c| if c == '.' { String::new() } else { String::from(c) };
        let rows: Vec<_> =
            self.setup().board.iter().map(|row| squeeze(row.chars().map(cell), "")).collect();
        write_line(&rows, &self.options(), "", &self.turn.to_string())
    }

    fn from_text(text: &str, options: &Options) -> Result<Self, SetupError> {
        let line = Line::read(text)?;
        let stretch = |(i, row): (usize, &&str)| stretch_letters(row, &format!("board[{i}]"), 8);
        let board: Vec<_> = line.rows.iter().enumerate().map(stretch).collect::<Result<_, _>>()?;
        let options = line.options(options, Some(board.len()))?;
        Gekitai::from_setup(Setup { options, board, turn: player_field(line.player)? })
    }

    fn term(&self) -> Term {
        let cell = |c| match c {
            'x' => Term::atom("plyr1"),
            'o' => Term::atom("plyr2"),
            _ => Term::atom("empty"),
        };
        let rows =
            self.setup().board.into_iter().map(|row| Term::List(row.chars().map(cell).collect()));
        let board = Term::List(rows.collect());
        match self.turn {
            Player::One => board,
            Player::Two => Term::List(vec![board, Term::atom("plyr2")]),
        }
    }

    fn from_term(term: &Term, options: &Options) -> Result<Self, SetupError> {
        let (board, turn) = match term.unwrapped().list() {
            Some([board, Term::Atom(player)]) => (board, player_atom(player)?),
            _ => (term.unwrapped(), Player::One),
        };
        let rows = board.rows("board")?;
        let letter = |cell: &Term| match cell.name() {
            Some("empty") => Ok('.'),
            Some("plyr1") => Ok('x'),
            Some("plyr2") => Ok('o'),
            _ => {
                let cell = shorten(&cell.to_string());
                let message = format!("unknown cell `{cell}`, expected empty, plyr1 or plyr2");
                Err(SetupError::new("board", message))
            }
        };
        let size = u8::try_from(rows.len()).unwrap_or(u8::MAX);
        let board = rows
            .into_iter()
            .map(|row| row.iter().map(letter).collect())
            .collect::<Result<_, _>>()?;
        Gekitai::from_setup(Setup { options: Options { size, ..*options }, board, turn })
    }
}

fn player_atom(name: &str) -> Result<Player, SetupError> {
    match name {
        "plyr1" => Ok(Player::One),
        "plyr2" => Ok(Player::Two),
        other => {
            let message = format!("`{}` is not a player, expected plyr1 or plyr2", shorten(other));
            Err(SetupError::new("turn", message))
        }
    }
}
