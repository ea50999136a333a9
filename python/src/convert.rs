//! Between Python's values and ours.

use crate::memory::no_memory;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOSError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use rules::{Outcome, Player};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::fs::File;
use std::path::Path;

/// A refusal in the program's own words.
pub fn refuse(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A whole number from Python. One that does not fit is refused like any other wrong value.
pub fn whole<T: Whole>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    let wide = given.extract::<i64>().map(i128::from);
    let wide = wide.or_else(|_| given.extract::<u64>().map(i128::from));
    let number = match wide {
        Ok(wide) => T::try_from(wide).ok(),
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => None,
        Err(error) => return Err(error),
    };
    number.ok_or_else(|| {
        let got = rules::game::shorten(&given.to_string());
        refuse(format!("expected a whole number from {} to {}, got {got}", T::MIN, T::MAX))
    })
}

/// The same for an optional number.
pub fn maybe<T: Whole>(given: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    if given.is_none() { Ok(None) } else { whole(given).map(Some) }
}

/// A list of anything that can be iterated but a text. It grows item by item, since a reported length cannot be
/// trusted.
pub fn list<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyAny>) -> PyResult<Vec<T>> {
    if given.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("expected a list, got a text"));
    }
    let mut all = Vec::new();
    for each in given.try_iter()? {
        if all.len() % (1 << 16) == 0 {
            given.py().check_signals()?;
        }
        all.try_reserve(1).map_err(|_| no_memory("there is no memory for this list".into()))?;
        all.push(each?.extract().map_err(Into::into)?);
    }
    Ok(all)
}

/// A type of whole numbers.
pub trait Whole: TryFrom<i128> + Display {
    /// The least of them.
    const MIN: Self;
    /// The greatest of them.
    const MAX: Self;
}

macro_rules! whole {
    ($($type:ident)*) => {
        $(impl Whole for $type {
            const MIN: Self = $type::MIN;
            const MAX: Self = $type::MAX;
        })*
    };
}

whole!(u8 u32 u64 usize i64);

/// Makes sure that a file can be opened; if not, the error is the one that Python's `open` raises.
pub fn check_file(file: &Path) -> PyResult<()> {
    let Err(error) = File::open(file) else { return Ok(()) };
    let Some(code) = error.raw_os_error() else { return Err(error.into()) };
    let (words, file) = (error.to_string(), file.to_owned());
    let words = words.split(" (os error").next().unwrap_or_default().to_owned();
    Err(PyOSError::new_err((code, words, file)))
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

/// How an object is pickled: by a function of the native module and its arguments.
pub fn restored_by<'py>(
    py: Python<'py>,
    function: &str,
    given: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    let make = py.import("quadrille._quadrille")?.getattr(function)?;
    (make, given.into_pyobject(py)?).into_pyobject(py).map(Bound::into_any)
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
