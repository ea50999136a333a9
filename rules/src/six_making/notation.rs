//! One-line text and Prolog terms.
//!
//! `1,xo,x,o/4/o,1,oox,1/1,x,2 1`: rows from the top, towers as their discs from the bottom to the top,
//! numbers for empty cells. `;ko=c1-a1:2` names the move that the ko rule forbids. As a Prolog term the
//! board is a list of rows of `empty` and lists of `x` and `o`; `[Board,player2]` says that player 2 is
//! to move, and a third element is the board before the last move.

use super::{Last, Move, Options, Setup, SixMaking, setup::Board};
use crate::by_player::ByPlayer;
use crate::game::{Game, Player, SetupError, shorten};
use crate::notation::{
    Notation, OneLine, player_field, player_named, squeeze, stretch_items, write_line,
};
use crate::prolog::Term;

const PLAYERS: ByPlayer<&str> = ByPlayer::new("player1", "player2");

impl Notation for SixMaking {
    fn text(&self) -> String {
        let rows: Vec<_> =
            self.setup().board.into_iter().map(|row| squeeze(row.into_iter(), ",")).collect();
        let ko = self.ko().map_or(String::new(), |m| format!(";ko={m}"));
        write_line(&rows, &self.options(), &ko, &self.turn.to_string())
    }

    fn from_text(text: &str, options: &Options) -> Result<Self, SetupError> {
        let mut line = OneLine::read(text)?;
        let ko = line.take("ko");
        let board = line.board(|row, field| stretch_items(row, field, 5))?;
        let options = line.options(options, Some(board.len()))?;
        let turn = player_field(line.player)?;
        let mut pos = SixMaking::from_setup(Setup { options, board, turn, before: None })?;
        if let Some(ko) = ko {
            pos.forbid(ko)?;
        }
        Ok(pos)
    }

    fn term(&self) -> Option<Term> {
        let setup = self.setup();
        let board = board_term(&setup.board);
        let player = Term::atom(PLAYERS[self.turn]);
        Some(match (&setup.before, self.turn) {
            (Some(before), _) if self.ko => Term::List(vec![board, player, board_term(before)]),
            (_, Player::Two) => Term::List(vec![board, player]),
            (_, Player::One) => board,
        })
    }

    fn from_term(term: &Term, options: &Options) -> Result<Self, SetupError> {
        let (board, turn, before) = match term.unwrapped().list() {
            Some([board, Term::Atom(player)]) => (board, player_named(player, *PLAYERS)?, None),
            Some([board, Term::Atom(player), before]) => {
                (board, player_named(player, *PLAYERS)?, Some(before))
            }
            _ => (term.unwrapped(), Player::One, None),
        };
        let board = board_rows(board, "board")?;
        let before = before.map(|before| board_rows(before, "before")).transpose()?;
        let size = u8::try_from(board.len()).unwrap_or(u8::MAX);
        let options = Options { size, ..*options };
        SixMaking::from_setup(Setup { options, board, turn, before })
    }
}

impl SixMaking {
    /// Sets the move that the ko rule forbids, which must be a legal move of part of a tower.
    fn forbid(&mut self, text: &str) -> Result<(), SetupError> {
        let wrong = || {
            let message = format!("`{}` is not a move of the top of a tower here", shorten(text));
            SetupError::new("ko", message)
        };
        let m: Move = text.parse().map_err(|_| wrong())?;
        let Move::Top { from, to, discs } = m else { return Err(wrong()) };
        if !self.is_legal(m) {
            return Err(wrong());
        }
        self.last = Some(Last::Moved { from: to, to: from, discs });
        self.ko = true;
        // The key and the result depend on it.
        *self = SixMaking::from_setup(self.setup())?;
        Ok(())
    }
}

fn board_term(board: &Board) -> Term {
    let disc = |c: char| Term::Atom(c.to_string());
    let tower = |text: &String| match text.as_str() {
        "" => Term::atom("empty"),
        discs => Term::List(discs.chars().map(disc).collect()),
    };
    Term::List(board.iter().map(|row| Term::List(row.iter().map(tower).collect())).collect())
}

fn board_rows(term: &Term, field: &str) -> Result<Board, SetupError> {
    let wrong = |cell: &Term| {
        let cell = shorten(&cell.to_string());
        SetupError::new(
            field,
            format!("unknown cell `{cell}`, expected empty or a list of x and o"),
        )
    };
    let tower = |cell: &Term| match cell {
        Term::Atom(name) if name == "empty" => Ok(String::new()),
        Term::List(discs) if !discs.is_empty() => {
            discs.iter().map(|disc| disc.name().ok_or_else(|| wrong(cell))).collect()
        }
        _ => Err(wrong(cell)),
    };
    term.rows(field)?.into_iter().map(|row| row.iter().map(tower).collect()).collect()
}
