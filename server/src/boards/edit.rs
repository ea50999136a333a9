//! Changing a position by hand.

use super::view::View;
use crate::error::{Asked, Refusal};
use crate::position::Place;
use axum::Json;
use rules::edit::{Edit, stroke};
use rules::{Info, Player};
use serde::Deserialize;

/// Which position, and what to change.
#[derive(Debug, Deserialize)]
pub struct Asking {
    #[serde(flatten)]
    place: Place,
    #[serde(default)]
    flipped: bool,
    edit: Change,
}

/// One change.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Change {
    Paint { cell: usize, brush: String },
    Turn { turn: Player },
    Clear { clear: bool },
}

/// Answers `POST /api/edit`.
pub async fn answer(Asked(asking): Asked<Asking>) -> Result<Json<View>, Refusal> {
    let session = asking.place.open()?;
    let edited = match asking.edit.read(session.info())? {
        Some(edit) => {
            session.edited(edit).map_err(|error| Refusal::against(error.message).at(error.field))?
        }
        None => session,
    };
    Ok(Json(View::new(edited.as_ref(), asking.flipped)))
}

impl Change {
    fn read(&self, info: &Info) -> Result<Option<Edit>, Refusal> {
        Ok(match self {
            Change::Paint { cell, brush } => {
                let stroke = stroke(info.brushes, brush)
                    .map_err(|error| Refusal::against(error.message).at(error.field))?;
                Some(Edit::Paint(*cell, stroke))
            }
            Change::Turn { turn } => Some(Edit::Turn(*turn)),
            Change::Clear { clear } => clear.then_some(Edit::Clear),
        })
    }
}
