//! A position changed by hand.

use crate::budget::Budget;
use crate::given::Given;
use crate::refusal::Refusal;
use crate::view::Shown;
use rules::edit::stroke;
use rules::{Info, Player};
use serde::Deserialize;

/// Which position, and what to change.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Edit {
    /// The position before the change.
    #[serde(skip)]
    pub given: Given,
    /// Whether player 2 sits at the bottom of the answer.
    #[serde(default)]
    pub flipped: bool,
    /// The change.
    #[serde(default)]
    pub edit: Option<Change>,
}

/// One change: a cell painted with a brush, another player to move, or an empty board.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The number of the cell to paint.
    #[serde(default)]
    pub cell: Option<usize>,
    /// The id of the brush to paint it with.
    #[serde(default)]
    pub brush: Option<String>,
    /// Who is to move.
    #[serde(default)]
    pub turn: Option<Player>,
    /// Whether to clear the board.
    #[serde(default)]
    pub clear: Option<bool>,
}

impl Edit {
    /// The fields besides those of the position.
    pub const FIELDS: [&str; 2] = ["flipped", "edit"];

    /// The position after the change.
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
