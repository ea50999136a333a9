//! Memory that Rust owns and NumPy shows.

use crate::convert::refuse;
use numpy::{Element, PyArray1, PyReadwriteArray1};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// An array that Python sees through a view. Its memory is never moved or given back while somebody looks, and
/// whatever Python does to the view changes what the view shows, not what is written here.
pub struct Memory<T> {
    name: &'static str,
    len: usize,
    own: Py<PyArray1<T>>,
    view: Py<PyAny>,
}

impl<T: Element + Clone + Default> Memory<T> {
    /// An array of zeros, if there is room for it; `kind` is the type of its items that Python sees.
    pub fn new(py: Python<'_>, name: &'static str, shape: &[usize], kind: &str) -> PyResult<Self> {
        ready(py)?;
        let items = zeros(shape, name)?;
        let len = items.len();
        // Of a vector, not made by NumPy: an array that does not own its memory cannot be resized.
        let own = PyArray1::from_vec(py, items);
        let view = own.call_method1("view", (kind,))?;
        let view = view.call_method1("reshape", (PyTuple::new(py, shape)?,))?;
        Ok(Memory { name, len, own: own.unbind(), view: view.unbind() })
    }

    /// The view that Python sees.
    pub fn view<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.view.bind(py)
    }

    /// Lends the memory, unless somebody has changed the array behind the view.
    pub fn lend<'py>(&self, py: Python<'py>) -> PyResult<Lent<'py, T>> {
        let changed = || refuse(format!("the memory of `{}` was changed from outside", self.name));
        let array: PyReadwriteArray1<'py, T> =
            self.own.bind(py).as_any().extract().map_err(|_| changed())?;
        match array.as_slice() {
            Ok(slice) if slice.len() == self.len => Ok(Lent { array }),
            _ => Err(changed()),
        }
    }

    /// A copy with the same contents.
    pub fn copy(&self, py: Python<'_>, other: &Memory<T>) -> PyResult<()> {
        let (mut own, mut other) = (self.lend(py)?, other.lend(py)?);
        own.slice().clone_from_slice(other.slice());
        Ok(())
    }
}

/// Zeros for an array of some shape, or `MemoryError`: nobody can catch the end of the process.
pub fn zeros<T: Clone + Default>(shape: &[usize], name: &str) -> PyResult<Vec<T>> {
    let none = || no_memory(format!("there is no memory for `{name}` of shape {shape:?}"));
    let len = shape.iter().try_fold(1_usize, |len, own| len.checked_mul(*own)).ok_or_else(none)?;
    let mut items = Vec::new();
    items.try_reserve_exact(len).map_err(|_| none())?;
    items.resize(len, T::default());
    Ok(items)
}

/// Collects `count` items; `None` if there is not enough memory.
pub fn collected<T>(count: usize, items: impl Iterator<Item = T>) -> Option<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(count).ok()?;
    all.extend(items);
    Some(all)
}

/// The exception for a lack of memory.
pub fn no_memory(words: String) -> PyErr {
    PyMemoryError::new_err(words)
}

/// Memory that is borrowed while some work writes into it.
pub struct Lent<'py, T: Element> {
    array: PyReadwriteArray1<'py, T>,
}

impl<T: Element> Lent<'_, T> {
    /// The items.
    pub fn slice(&mut self) -> &mut [T] {
        // `lend` has checked that.
        self.array.as_slice_mut().unwrap_or_default()
    }
}

/// Imports NumPy where that can fail with an exception: without it, or interrupted, its bindings panic.
pub fn ready(py: Python<'_>) -> PyResult<()> {
    static READY: pyo3::sync::PyOnceLock<()> = pyo3::sync::PyOnceLock::new();
    READY
        .get_or_try_init(py, || {
            py.import("numpy")?;
            // The attributes that the bindings use first; NumPy 1 has them elsewhere, and only a shadow here.
            let found = |name| py.import(name)?.getattr("_ARRAY_API");
            found("numpy._core.multiarray").or_else(|_| found("numpy.core.multiarray"))?;
            Ok(())
        })
        .copied()
}
