//! Between Python's values and ours.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rules::{Outcome, Player};
use serde_json::{Map, Value};
use std::fmt::Display;

/// A refusal in the program's own words.
pub fn refuse(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A Python value as JSON: whatever Python's own `json` can write.
pub fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text = value.py().import("json")?.call_method1("dumps", (value,)).map_err(|error| {
        let given = value.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
        refuse(format!("this {given} is not JSON: {error}"))
    })?;
    serde_json::from_str(text.cast::<PyString>()?.to_str()?).map_err(refuse)
}

/// JSON as Python's own dictionaries and lists.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

/// Keyword arguments as options of a game.
pub fn options(given: Option<&Bound<'_, PyDict>>) -> PyResult<Map<String, Value>> {
    match given.map(|given| from_python(given)).transpose()? {
        Some(Value::Object(options)) => Ok(options),
        _ => Ok(Map::new()),
    }
}

/// 1, 2, `"draw"` or `None`.
pub fn outcome(py: Python<'_>, outcome: Option<Outcome>) -> PyResult<Bound<'_, PyAny>> {
    Ok(match outcome {
        None => py.None().into_bound(py),
        Some(Outcome::Draw) => PyString::new(py, "draw").into_any(),
        Some(Outcome::Win(player)) => player.number().into_pyobject(py)?.into_any(),
    })
}

/// Player 1 or 2.
pub fn player(number: u8) -> PyResult<Player> {
    Player::try_from(number).map_err(refuse)
}

/// A dictionary with these entries.
pub fn dict<'py>(
    py: Python<'py>,
    entries: &[(&str, Bound<'py, PyAny>)],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    entries.iter().try_for_each(|(name, value)| dict.set_item(name, value))?;
    Ok(dict)
}
