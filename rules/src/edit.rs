//! Setting up a position by hand: brushes that paint cells, one change at a time.
//!
//! Every edit leads from a valid position to a valid position, so that a user interface always has something
//! to draw; impossible edits are refused with a reason.

use crate::by_player::ByPlayer;
use crate::game::{Player, SetupError, shorten};

/// A tool of the editor: what a click puts on a cell or takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brush {
    /// Its name in requests.
    pub id: &'static str,
    /// What it does, in a few words.
    pub label: &'static str,
    /// What it does to a cell.
    pub stroke: Stroke,
}

/// What a brush does to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    /// Puts a piece of this player there, on top of others if pieces stack.
    Put(Player),
    /// Removes the top piece.
    Lift,
    /// Empties the cell.
    Wipe,
}

/// One change to a position; cells are numbered as in a `Diagram`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Clears the board, as far as the game allows.
    Clear,
    /// Sets the player to move.
    Turn(Player),
    /// Uses a brush on a cell.
    Paint(usize, Stroke),
}

/// The error for a cell that is not on the board.
pub fn no_such_cell(cell: usize) -> SetupError {
    SetupError::new("edit.cell", format!("there is no cell {cell} on this board"))
}

/// The stroke of the brush with this name.
pub fn stroke(brushes: &[Brush], id: &str) -> Result<Stroke, SetupError> {
    let known = |brush: &&Brush| brush.id == id;
    brushes.iter().find(known).map(|brush| brush.stroke).ok_or_else(|| {
        let ids: Vec<_> = brushes.iter().map(|brush| brush.id).collect();
        let message = format!("unknown brush `{}`, expected {}", shorten(id), ids.join(", "));
        SetupError::new("edit.brush", message)
    })
}

/// Paints a cell of a board stored as rows of letters.
pub(crate) fn paint_letter(
    board: &mut [String],
    cell: usize,
    stroke: Stroke,
    letters: ByPlayer<char>,
) -> Result<(), SetupError> {
    let side = board.len().max(1);
    let row = board.get_mut(cell / side).ok_or_else(|| no_such_cell(cell))?;
    let new = match stroke {
        Stroke::Put(player) => letters[player],
        Stroke::Lift | Stroke::Wipe => '.',
    };
    let at = cell % side;
    *row = row.chars().enumerate().map(|(i, old)| if i == at { new } else { old }).collect();
    Ok(())
}
