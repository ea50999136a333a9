//! One-line text and Prolog terms.
//!
//! `1,r6,3/5,y6/7/y6,7/9/7,r6/7/r6,5/3,y6,1 1`: rows from the top, `r` and `y` with the height of a
//! stack, numbers for empty cells; `1@` means that player 1 is to place. The Prolog term is
//! `gamestate(Board,Turn)` with rows of nine, `nan` where the hexagon has no cell, and a third argument
//! `placing` in the middle of a turn. The original program knows no other board, so smaller ones have no term.

use super::{Glaisher, Options, Setup};
use crate::game::{Game, SetupError, shorten};
use crate::hex::{Hex, ROWS};
use crate::notation::{
    Notation, OneLine, expect_len, player_field, squeeze, stretch_items, write_line,
};
use crate::prolog::Term;

/// The side of the only board that Prolog terms know.
const LARGEST: u8 = 5;

impl Notation for Glaisher {
    fn text(&self) -> String {
        let cell = |height: &i64| match height {
            0 => String::new(),
            1.. => format!("r{height}"),
            _ => format!("y{}", -height),
        };
        let setup = self.setup();
        let rows: Vec<_> =
            setup.board.iter().map(|row| squeeze(row.iter().map(cell), ",")).collect();
        let player = format!("{}{}", self.turn, if self.placing { "@" } else { "" });
        write_line(&rows, &self.options(), "", &player)
    }

    fn from_text(text: &str, options: &Options) -> Result<Self, SetupError> {
        let line = OneLine::read(text)?;
        let board = line.board(|row, field| {
            stretch_items(row, field, ROWS)?.iter().map(|item| height(item, field)).collect()
        })?;
        let options = line.options(options, None)?;
        let (player, placing) = match line.player.strip_suffix('@') {
            Some(player) => (player, true),
            None => (line.player, false),
        };
        Glaisher::from_setup(Setup { options, board, turn: player_field(player)?, placing })
    }

    fn term(&self) -> Option<Term> {
        if self.side != LARGEST {
            return None;
        }
        let setup = self.setup();
        let nan = || std::iter::repeat(Term::atom("nan"));
        let row = |(row, heights): (usize, Vec<i64>)| {
            let before = row.saturating_sub(4);
            let after = ROWS - before - heights.len();
            let heights = heights.into_iter().map(Term::Int);
            Term::List(nan().take(before).chain(heights).chain(nan().take(after)).collect())
        };
        let board = Term::List(setup.board.into_iter().enumerate().map(row).collect());
        let mut arguments = vec![board, Term::Int(self.turn.number().into())];
        if self.placing {
            arguments.push(Term::atom("placing"));
        }
        Some(Term::Compound("gamestate".into(), arguments))
    }

    fn from_term(term: &Term, options: &Options) -> Result<Self, SetupError> {
        if options.side != LARGEST {
            let message =
                format!("Glaisher has no Prolog term on a board of side {}", options.side);
            return Err(SetupError::new("position", message));
        }
        let wrong = || SetupError::new("position", "expected `gamestate(Board,Turn)`");
        let Term::Compound(name, arguments) = term else { return Err(wrong()) };
        let (board, turn, placing) = match &arguments[..] {
            [board, turn] => (board, turn, false),
            [board, turn, Term::Atom(placing)] if placing == "placing" => (board, turn, true),
            _ => return Err(wrong()),
        };
        if name != "gamestate" {
            return Err(wrong());
        }
        let rows = board.rows("board")?;
        expect_len("board", "row", rows.len(), ROWS)?;
        let board = rows.into_iter().enumerate().map(read_row).collect::<Result<_, _>>()?;
        let turn = player_field(&turn.to_string())?;
        Glaisher::from_setup(Setup { options: *options, board, turn, placing })
    }
}

fn height(item: &str, field: &str) -> Result<i64, SetupError> {
    let parse = |digits: &str, sign: i64| match digits.parse::<u8>() {
        Ok(height @ 1..) if !digits.starts_with('+') => Some(sign * i64::from(height)),
        _ => None,
    };
    let height = match item.split_at_checked(1) {
        None => Some(0),
        Some(("r" | "R", digits)) => parse(digits, 1),
        Some(("y" | "Y", digits)) => parse(digits, -1),
        Some(_) => None,
    };
    height.ok_or_else(|| {
        let item = shorten(item);
        SetupError::new(field, format!("unknown cell `{item}`, expected r6, y6 or a number"))
    })
}

/// The heights of one row of nine, without the `nan` where there is no cell.
fn read_row((row, terms): (usize, &[Term])) -> Result<Vec<i64>, SetupError> {
    let field = format!("board[{row}]");
    expect_len(&field, "cell", terms.len(), ROWS)?;
    let mut heights = Vec::new();
    for (column, term) in terms.iter().enumerate() {
        match (Hex::at(row as i8, column as i8), term) {
            (Some(_), Term::Int(height)) => heights.push(*height),
            (None, Term::Atom(nan)) if nan == "nan" => {}
            (cell, other) => {
                let expected = if cell.is_some() { "a height" } else { "nan" };
                let other = shorten(&other.to_string());
                let message = format!("found `{other}` in column {column}, expected {expected}");
                return Err(SetupError::new(field, message));
            }
        }
    }
    Ok(heights)
}
