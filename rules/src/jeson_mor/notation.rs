//! One-line text and Prolog terms.
//!
//! `nnnnn/5/5/5/NNNNN 1`: rows from the top as in chess, `N` White's and `n` Black's knights, numbers
//! for empty cells; `w` and `b` are read as players too. `;winner=1` says that player 1 has left the
//! centre. The Prolog term is `[w,Board,OldBoard]` with `w`, `b` and `o` for empty cells; the old board
//! tells whether the centre was just left.

use super::{Cell, Goal, JesonMor, Options, Setup, moves};
use crate::game::{Game, Player, SetupError};
use crate::notation::{
    Notation, OneLine, expect_len, player_field, player_named, squeeze, stretch_letters, write_line,
};
use crate::prolog::{Atoms, Term};

const ATOMS: Atoms = [("w", 'w'), ("b", 'b'), ("o", '.')];

impl Notation for JesonMor {
    fn text(&self) -> String {
        let setup = self.setup();
        let cell = |c| match c {
            'w' => "N".to_owned(),
            'b' => "n".to_owned(),
            _ => String::new(),
        };
        let rows: Vec<_> =
            setup.board.iter().map(|row| squeeze(row.chars().map(cell), "")).collect();
        let winner = setup.winner.map_or(String::new(), |player| format!(";winner={player}"));
        write_line(&rows, &self.options(), &winner, &self.turn.to_string())
    }

    fn from_text(text: &str, options: &Options) -> Result<Self, SetupError> {
        let mut line = OneLine::read(text)?;
        let winner = line.take("winner").map(player_field).transpose()?;
        let board = line.board(|row, field| {
            stretch_letters(row, field, 11)?.chars().map(|c| letter(c, field)).collect()
        })?;
        let options = line.options(options, Some(board.len()))?;
        // A chess program adds castling rights and counters after the player: `w - - 0 1`.
        let turn = match line.player.split(' ').next().unwrap_or_default() {
            "w" => Player::One,
            "b" => Player::Two,
            _ => player_field(line.player)?,
        };
        JesonMor::from_setup(Setup { options, board, turn, winner })
    }

    fn term(&self) -> Option<Term> {
        let setup = self.setup();
        let player = if self.turn == Player::One { "w" } else { "b" };
        let old = match setup.winner {
            Some(winner) => self.before_leaving(winner),
            None => setup.board.clone(),
        };
        let [board, old] = [&setup.board, &old].map(|board| Term::letters(board, &ATOMS));
        Some(Term::List(vec![Term::atom(player), board, old]))
    }

    fn from_term(term: &Term, options: &Options) -> Result<Self, SetupError> {
        let Some([player, board, rest @ ..]) = term.unwrapped().list() else {
            return Err(SetupError::new("position", "expected `[Player,Board,OldBoard]`"));
        };
        let turn = player_named(&player.to_string(), ["w", "b"])?;
        let board = board.read_letters("board", &ATOMS)?;
        let size = u8::try_from(board.len()).unwrap_or(u8::MAX);
        let options = Options { size, ..*options };
        let old = rest.first().map(|old| old.read_letters("old board", &ATOMS)).transpose()?;
        let winner =
            old.map(|old| left_centre(&board, &old, turn, &options)).transpose()?.flatten();
        JesonMor::from_setup(Setup { options, board, turn, winner })
    }
}

fn letter(c: char, field: &str) -> Result<char, SetupError> {
    match c {
        'N' => Ok('w'),
        'n' => Ok('b'),
        '.' => Ok('.'),
        other => {
            let message =
                format!("unknown cell `{}`, expected N, n or a number", other.escape_debug());
            Err(SetupError::new(field, message))
        }
    }
}

/// The player who is not to move has won if they held the centre before and no longer do.
fn left_centre(
    board: &[String],
    old: &[String],
    turn: Player,
    options: &Options,
) -> Result<Option<Player>, SetupError> {
    expect_len("old board", "row", old.len(), board.len())?;
    let middle = board.len() / 2;
    let at = |board: &[String]| board.get(middle).and_then(|row| row.chars().nth(middle));
    let letter = if turn == Player::One { 'b' } else { 'w' };
    let left = at(old) == Some(letter) && at(board) != Some(letter) && options.goal == Goal::Leave;
    Ok(left.then_some(turn.other()))
}

impl JesonMor {
    /// A board from which the winner may have left the centre to reach this one.
    fn before_leaving(&self, winner: Player) -> Vec<String> {
        let ring = moves::jumps(self.centre(), self.size());
        let mut before = *self;
        let own = &mut before.knights[winner];
        if let Some(cell) = Cell::all(self.size()).find(|c| *own & ring & (1 << c.index()) != 0) {
            *own ^= 1 << cell.index() | 1 << self.centre().index();
        }
        before.setup().board
    }
}
