//! Options, the start, and positions as plain data.

use super::{Cell, JesonMor, jumps};
use crate::bits::Bits;
use crate::by_player::ByPlayer;
use crate::edit::{Edit, Stroke, paint_letter};
use crate::game::{Game, Outcome, Player, SetupError};
use crate::notation::{expect_at_most, read_letters, write_letters};
use serde::{Deserialize, Serialize};

const LETTERS: ByPlayer<char> = ByPlayer::new('w', 'b');

/// The options: the board and the goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Cells along a side: 5, 7, 9 or 11.
    pub size: u8,
    /// What wins.
    pub goal: Goal,
}

impl Default for Options {
    fn default() -> Self {
        Options { size: 9, goal: Goal::Leave }
    }
}

/// What wins, besides capturing all knights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// To move a knight off the centre.
    Leave,
    /// To move a knight onto the centre.
    Reach,
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
    /// Who has left the centre, which the board does not show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<Player>,
}

fn empty(options: &Options) -> Result<JesonMor, SetupError> {
    let Options { size, goal } = *options;
    JesonMor::INFO.check("size", "board side must be", size)?;
    Ok(JesonMor {
        knights: ByPlayer::both(0),
        key: 0,
        turn: Player::One,
        outcome: None,
        size,
        goal,
    })
}

pub(super) fn start(options: &Options) -> Result<JesonMor, SetupError> {
    let mut pos = empty(options)?;
    for column in 0..pos.size() {
        pos.knights[Player::One] |= 1 << Cell::at(column, 0).index();
        pos.knights[Player::Two] |= 1 << Cell::at(column, pos.size() - 1).index();
    }
    pos.key = pos.fresh_key();
    Ok(pos)
}

pub(super) fn read(setup: Setup) -> Result<JesonMor, SetupError> {
    let layout = empty(&setup.options)?.layout();
    let mut knights = ByPlayer::both(0);
    for (owner, cell) in read_letters(&setup.board, layout, LETTERS)? {
        knights[owner] |= 1 << cell.index();
    }
    let mut pos = with_knights(&setup.options, knights, setup.turn)?;
    if let Some(winner) = setup.winner {
        check_winner(&pos, winner)?;
        pos.outcome = Some(Outcome::Win(winner));
    }
    Ok(pos)
}

pub(super) fn with_knights(
    options: &Options,
    knights: ByPlayer<u128>,
    turn: Player,
) -> Result<JesonMor, SetupError> {
    let mut pos = empty(options)?;
    if knights[Player::One] & knights[Player::Two] != 0 {
        return Err(SetupError::new("board", "has two knights on a cell, expected one at most"));
    }
    let mut all = (knights[Player::One] | knights[Player::Two]).bits();
    if all.any(|cell| !Cell::new(cell.min(120)).is_on(pos.size())) {
        return Err(SetupError::new("board", "has a knight beside it"));
    }
    (pos.knights, pos.turn) = (knights, turn);
    expect_at_most::<JesonMor>("board", "knights", pos.knights.map(u128::count_ones), pos.size)?;
    if pos.knights == ByPlayer::both(0) {
        return Err(SetupError::new("board", "has no knights, expected one at least"));
    }
    pos.outcome = pos.judge(pos.turn);
    pos.key = pos.fresh_key();
    Ok(pos)
}

/// Checks the winner: the board must say so, or the last jump may have left the centre.
fn check_winner(pos: &JesonMor, winner: Player) -> Result<(), SetupError> {
    let name = JesonMor::INFO.players[winner];
    let centre = pos.centre();
    let message = if let Some(outcome) = pos.outcome {
        if outcome == Outcome::Win(winner) {
            return Ok(());
        }
        format!("is {winner}, but on this board player {} has won", winner.other())
    } else if winner == pos.turn {
        format!("is {winner}, who is to move")
    } else if pos.goal == Goal::Reach {
        format!("is {winner}, but the goal is to reach the centre and {name} has not")
    } else if (pos.knights[Player::One] | pos.knights[Player::Two]) >> centre.index() & 1 == 1 {
        format!("is {winner}, but there is a knight on the centre")
    } else if pos.knights(winner) & jumps(centre, pos.size()) == 0 {
        format!("is {winner}, but no knight of {name} is a jump away from the centre")
    } else {
        return Ok(());
    };
    Err(SetupError::new("winner", message))
}

pub(super) fn write(pos: &JesonMor) -> Setup {
    let board = write_letters(pos.layout(), LETTERS, |cell| pos.owner(cell));
    let winner =
        if pos.judge(pos.turn).is_none() { pos.outcome.and_then(Outcome::winner) } else { None };
    Setup { options: pos.options(), board, turn: pos.turn, winner }
}

/// The position after an edit. A board needs a knight, so a cleared one keeps one of each player in a corner.
pub(super) fn edited(pos: &JesonMor, edit: Edit) -> Result<JesonMor, SetupError> {
    let mut setup = Setup { winner: None, ..write(pos) };
    match edit {
        Edit::Clear => {
            setup.board.fill(".".repeat(pos.size()));
            let corners = [(pos.size() * (pos.size() - 1), Player::One), (0, Player::Two)];
            for (cell, player) in corners {
                paint_letter(&mut setup.board, cell, Stroke::Put(player), LETTERS)?;
            }
        }
        Edit::Turn(player) => setup.turn = player,
        Edit::Paint(cell, stroke) => paint_letter(&mut setup.board, cell, stroke, LETTERS)?,
    }
    read(setup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Notation;

    #[test]
    fn a_winner_must_have_been_able_to_leave_the_centre() {
        let read = |text: &str| JesonMor::from_text(text, &Options::default());
        assert!(read("n3n/5/5/N2N1/5;winner=1 2").is_ok());
        let refused = [
            ("n3n/5/5/N2N1/5;winner=1 1", "is 1, who is to move"),
            ("n3n/5/5/5/N3N;winner=1 2", "no knight of White is a jump away from the centre"),
            ("n3n/5/2n2/N2N1/5;winner=1 2", "there is a knight on the centre"),
            ("n3n/5/5/N2N1/5;goal=reach;winner=1 2", "the goal is to reach the centre"),
        ];
        for (text, expected) in refused {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with("`winner`") && error.contains(expected), "{text}: {error}");
        }
    }
}
