//! `Batch`: thousands of games at once, into NumPy arrays that are reused.

use crate::batch::{Arrays, Games, Terms};
use crate::convert::refuse;
use crate::game::{Game, meant};
use crate::position::Position;
use numpy::{PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyTuple;
use std::sync::Mutex;

/// Thousands of games at once, in arrays that are reused: copy what you want to keep.
///
/// A game that ends begins again at once; `ends` and `rewards` are about the one that ended,
/// `observations`, `masks` and `turns` about the new one. `threads` defaults to the number of
/// cores; the games do not depend on it. A game is given up after `max_moves`, and drawn when a
/// position occurs for the third time unless `repetition` is false.
///
/// ```python
/// >>> batch = Batch("gekitai", 512, seed=1)
/// >>> observations, rewards, ends, truncations = batch.step(batch.sample())
/// >>> observations.shape, batch.masks.shape
/// ((512, 4, 6, 6), (512, 36))
/// ```
#[pyclass(frozen, module = "quadrille")]
pub struct Batch {
    game: Game,
    count: usize,
    terms: Terms,
    games: Mutex<Box<dyn Games>>,
    /// The planes of the player to move, of shape (n, planes, rows, columns).
    #[pyo3(get)]
    observations: Option<Py<PyArray4<f32>>>,
    /// Whether each action is legal, of shape (n, actions).
    #[pyo3(get)]
    masks: Option<Py<PyArray2<bool>>>,
    /// What the last step was worth to player 1 and player 2, of shape (n, 2).
    #[pyo3(get)]
    rewards: Py<PyArray2<f32>>,
    /// Whether the game has ended: by its rules, or drawn by a third repetition.
    #[pyo3(get)]
    ends: Py<PyArray1<bool>>,
    /// Whether the game was given up after `max_moves`.
    #[pyo3(get)]
    truncations: Py<PyArray1<bool>>,
    /// The player to move, 1 or 2.
    #[pyo3(get)]
    turns: Py<PyArray1<i8>>,
    /// The actions of the last step, or those that `sample` drew.
    #[pyo3(get)]
    actions: Py<PyArray1<i64>>,
}

impl Batch {
    /// Lends all arrays to some work that does without Python's lock.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Games, &mut Arrays) -> T + Send,
    ) -> PyResult<T> {
        // One thread at a time; whoever waits lets go of Python's lock.
        let mut games = match self.games.lock_py_attached(py) {
            Ok(games) => games,
            Err(poisoned) => poisoned.into_inner(),
        };
        let mut observations = self.observations.as_ref().map(|array| array.bind(py).readwrite());
        let mut masks = self.masks.as_ref().map(|array| array.bind(py).readwrite());
        let mut rewards = self.rewards.bind(py).readwrite();
        let mut ends = self.ends.bind(py).readwrite();
        let mut truncations = self.truncations.bind(py).readwrite();
        let mut turns = self.turns.bind(py).readwrite();
        let mut actions = self.actions.bind(py).readwrite();
        let mut arrays = Arrays {
            actions: slice(&mut actions)?,
            observations: observations.as_mut().map_or(Ok(Default::default()), slice)?,
            masks: masks.as_mut().map_or(Ok(Default::default()), slice)?,
            rewards: slice(&mut rewards)?,
            ends: slice(&mut ends)?,
            truncations: slice(&mut truncations)?,
            turns: slice(&mut turns)?,
        };
        let games = games.as_mut();
        Ok(py.detach(|| work(games, &mut arrays)))
    }

    fn answer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (&self.observations, &self.rewards, &self.ends, &self.truncations).into_pyobject(py)
    }
}

/// The numbers of an array.
fn slice<'a, T: numpy::Element, D: numpy::ndarray::Dimension>(
    array: &'a mut PyReadwriteArray<'_, T, D>,
) -> PyResult<&'a mut [T]> {
    array.as_slice_mut().map_err(refuse)
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (
        game, n, *, seed=0, threads=None, max_moves=2000, repetition=true, observations=true, masks=true
    ))]
    #[expect(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        n: usize,
        seed: u64,
        threads: Option<usize>,
        max_moves: u32,
        repetition: bool,
        observations: bool,
        masks: bool,
    ) -> PyResult<Batch> {
        if !(1..=1 << 24).contains(&n) {
            return Err(refuse(format!("a batch has 1 to 16777216 games, got {n}")));
        }
        if max_moves == 0 {
            return Err(refuse("max_moves must be 1 or more, got 0"));
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores).clamp(1, 256);
        let game = meant(game)?;
        let start = &game.start;
        let [planes, rows, columns] = start.shape();
        let shape = [n, planes, rows, columns];
        let batch = Batch {
            count: n,
            terms: Terms { max_moves, repetition, threads },
            games: Mutex::new(start.many(n, seed)),
            observations: observations.then(|| PyArray4::zeros(py, shape, false).unbind()),
            masks: masks.then(|| PyArray2::zeros(py, [n, start.action_count()], false).unbind()),
            rewards: PyArray2::zeros(py, [n, 2], false).unbind(),
            ends: PyArray1::zeros(py, n, false).unbind(),
            truncations: PyArray1::zeros(py, n, false).unbind(),
            turns: PyArray1::zeros(py, n, false).unbind(),
            actions: PyArray1::zeros(py, n, false).unbind(),
            game,
        };
        let terms = batch.terms;
        batch.work(py, |games, arrays| games.show(arrays, terms))?;
        Ok(batch)
    }

    /// The game with its options.
    #[getter]
    fn game(&self) -> Game {
        Game { start: self.game.start.clone() }
    }

    /// Begin all games again.
    #[pyo3(signature = (*, seed=0))]
    fn reset<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyTuple>> {
        let terms = self.terms;
        self.work(py, |games, arrays| {
            games.reset(seed);
            games.show(arrays, terms);
        })?;
        self.answer(py)
    }

    /// Make a move in each game; raises `ValueError` and changes nothing if one is illegal.
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let given = py.import("numpy")?.call_method1("asarray", (actions, "int64"))?;
        // Copied, because it may be the array of the batch itself.
        let given = {
            let given: PyReadonlyArray1<'_, i64> = given
                .extract()
                .map_err(|_| refuse(format!("actions must be a list of {} numbers", self.count)))?;
            given.as_array().to_vec()
        };
        if given.len() != self.count {
            return Err(refuse(format!("{} actions for {} games", given.len(), self.count)));
        }
        let terms = self.terms;
        let made = self.work(py, |games, arrays| {
            arrays.actions.copy_from_slice(&given);
            games.step(arrays, terms)
        })?;
        made.map_err(refuse)?;
        self.answer(py)
    }

    /// Make random moves in each game; the rewards of several moves are added up.
    #[pyo3(signature = (steps=1))]
    fn step_random<'py>(&self, py: Python<'py>, steps: u32) -> PyResult<Bound<'py, PyTuple>> {
        let terms = self.terms;
        self.work(py, |games, arrays| games.step_random(steps, arrays, terms))?;
        self.answer(py)
    }

    /// Draw a legal action for each game.
    fn sample(&self, py: Python<'_>) -> PyResult<Py<PyArray1<i64>>> {
        let terms = self.terms;
        self.work(py, |games, arrays| games.sample(arrays, terms))?;
        Ok(self.actions.clone_ref(py))
    }

    /// Return the position of one game.
    fn position(&self, py: Python<'_>, number: usize) -> PyResult<Position> {
        let pos = self.work(py, |games, _| games.position(number))?;
        let refused = || refuse(format!("games are 0 to {}, got {number}", self.count - 1));
        Ok(Position { pos: pos.ok_or_else(refused)? })
    }

    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!("<Batch of {} games of {}>", self.count, self.game.start.info().id)
    }
}
