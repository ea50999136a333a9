//! Editing a position by hand.

use crate::budget::Budget;
use crate::given::Given;
use crate::view::Shown;
use rules::edit::stroke;
use rules::{Info, Player};
use serde::Deserialize;
use table::Refusal;

/// A position and the change to make to it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Edit {
    /// The position before the change.
    #[serde(skip)]
    pub given: Given,
    /// Whether the answer shows player 2 at the bottom.
    pub flipped: bool,
    /// The change.
    pub edit: Option<Change>,
}

/// One edit: paint a cell with a brush, change the player to move, or clear the board.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Change {
    /// The number of the cell to paint.
    pub cell: Option<usize>,
    /// The id of the brush to paint it with.
    pub brush: Option<String>,
    /// The player to move.
    pub turn: Option<Player>,
    /// Whether to clear the board.
    pub clear: Option<bool>,
}

impl Edit {
    /// The fields of this request apart from those of the position.
    pub const FIELDS: [&str; 2] = ["flipped", "edit"];

    /// Applies the change and returns the resulting position.
    pub fn answer(&self, budget: &Budget) -> Result<Shown, Refusal> {
        let session = self.given.open(budget)?;
        let change =
            self.edit.as_ref().map_or_else(|| Err(unclear()), |edit| edit.read(session.info()))?;
        let edited = match change {
            Some(edit) => session
                .edited(edit)
                .map_err(|error| Refusal::against(error.message).at(error.field))?,
            None => session,
        };
        Ok(Shown::of(edited.as_ref(), self.flipped))
    }
}

fn unclear() -> Refusal {
    let message = "expected `cell` with `brush`, or `turn`, or `clear`";
    Refusal::not_understood(message).at("edit")
}

impl Change {
    fn read(&self, info: &Info) -> Result<Option<rules::Edit>, Refusal> {
        Ok(match (self.cell, &self.brush, self.turn, self.clear) {
            (Some(cell), Some(brush), None, None) => {
                let stroke = stroke(info.brushes, brush)
                    .map_err(|error| Refusal::against(error.message).at(error.field))?;
                Some(rules::Edit::Paint(cell, stroke))
            }
            (None, None, Some(turn), None) => Some(rules::Edit::Turn(turn)),
            (None, None, None, Some(clear)) => clear.then_some(rules::Edit::Clear),
            _ => return Err(unclear()),
        })
    }
}
