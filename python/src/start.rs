//! Where games begin: positions, or a function of Python's that gives one.

use crate::any::Any;
use crate::convert::refuse;
use crate::game::Game;
use crate::position::Position;
use pyo3::prelude::*;

/// Where the games of a batch begin, as it was given: nothing, a position, positions or a function.
pub struct Start(pub Option<Py<PyAny>>);

impl Start {
    /// The function to ask, if it is one.
    pub fn sampler<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
        self.0.as_ref().map(|given| given.bind(py)).filter(|given| given.is_callable())
    }
}

/// The positions that a game may begin with; none of a function, which is asked for each game.
pub fn starts(game: &Game, given: &Bound<'_, PyAny>) -> PyResult<Vec<Position>> {
    if given.is_callable() {
        return Ok(Vec::new());
    }
    let all = match given.cast::<Position>() {
        Ok(position) => vec![position.get().clone()],
        Err(_) => given
            .try_iter()
            .map_err(|_| not_a_start(given))?
            .map(|each| {
                let each = each?;
                Ok(each.cast::<Position>().map_err(|_| not_a_start(&each))?.get().clone())
            })
            .collect::<PyResult<_>>()?,
    };
    all.iter().try_for_each(|position| check_start(game, &position.pos).map_err(refuse))?;
    if all.is_empty() {
        return Err(refuse("start is an empty list: expected at least one position"));
    }
    Ok(all)
}

/// Asks a function for a position to begin with.
pub fn sampled(game: &Game, sampler: &Bound<'_, PyAny>) -> PyResult<Position> {
    let given = sampler.call0()?;
    let position = given.cast::<Position>().map_err(|_| not_a_start(&given))?.get().clone();
    check_start(game, &position.pos).map_err(refuse)?;
    Ok(position)
}

fn not_a_start(given: &Bound<'_, PyAny>) -> PyErr {
    let kind = given.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
    refuse(format!(
        "start is a position, a list of positions or a function that returns one, got {kind}"
    ))
}

/// Refuses positions that no game can begin with: final ones, and those of another game.
pub fn check_start(game: &Game, pos: &Any) -> Result<(), String> {
    if pos.outcome().is_some() {
        return Err(format!("no game can begin with `{}`: it is over", pos.text()));
    }
    match pos.start().is_ok_and(|start| start == game.start) {
        true => Ok(()),
        false => Err(format!("`{}` is not a position of {}", pos.text(), game.words())),
    }
}
