//! `Batch`: thousands of games at once, into NumPy arrays that are reused.

use crate::batch::{Arrays, Games, Reason, Terms};
use crate::convert::{maybe, refuse, whole};
use crate::game::{Game, meant};
use crate::memory::{Memory, no_memory, zeros};
use crate::pool::Pool;
use crate::position::Position;
use crate::start::{Start, check_start, sampled, starts};
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, ToPyArray};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long random moves are made between two checks for Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(10);

/// Thousands of games at once, in arrays that are reused: copy what you want to keep.
///
/// A game that ends is restarted at once; `ends`, `rewards` and `reasons` are about the one
/// that ended, `observations`, `masks`, `turns` and `lengths` about the new one. `start` is
/// where games begin: a position, a list of positions to draw from, or a function without
/// arguments that returns one. `threads` defaults to the number of cores; the games do not
/// depend on it. A game is truncated after `max_moves`, and drawn when a position occurs for
/// the third time unless `repetition` is false. With `repetition_plane`, positions are shown
/// with one more plane, which tells how often they had occurred before: 0, 0.5 for once, 1 for
/// twice. With `history`, the planes of that many earlier positions follow, the last one first:
/// those that may occur again, as the player to move sees them. An observation with a `history`
/// of `reversible` or more contains everything that the rest of the game depends on.
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
    pool: Arc<Pool>,
    games: Mutex<Box<dyn Games>>,
    start: Start,
    observations: Option<Memory<f32>>,
    masks: Option<Memory<u8>>,
    rewards: Memory<f32>,
    ends: Memory<u8>,
    truncations: Memory<u8>,
    reasons: Memory<i8>,
    turns: Memory<i8>,
    lengths: Memory<i32>,
    reversible: Memory<i32>,
    actions: Memory<i64>,
}

/// Refuses a history that would only fill memory.
pub fn check_history(history: usize) -> PyResult<()> {
    match history {
        0..=1024 => Ok(()),
        _ => Err(refuse(format!("history must be 0 to 1024, got {history}"))),
    }
}

impl Batch {
    /// The game that is played.
    pub fn played(&self) -> &Game {
        &self.game
    }

    /// The settings that all games share.
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// The threads.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// The games themselves. One thread at a time; waiting releases the GIL.
    pub fn games(&self, py: Python<'_>) -> MutexGuard<'_, Box<dyn Games>> {
        match self.games.lock_py_attached(py) {
            Ok(games) => games,
            Err(poisoned) => poisoned.into_inner(),
        }
    }

    /// Lends all arrays to work that does not need the GIL.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        games: &mut dyn Games,
        work: impl FnOnce(&mut dyn Games, &Pool, &mut Arrays) -> T + Send,
    ) -> PyResult<T> {
        let mut observations = self.observations.as_ref().map(|own| own.lend(py)).transpose()?;
        let mut masks = self.masks.as_ref().map(|own| own.lend(py)).transpose()?;
        let mut rewards = self.rewards.lend(py)?;
        let mut ends = self.ends.lend(py)?;
        let mut truncations = self.truncations.lend(py)?;
        let mut reasons = self.reasons.lend(py)?;
        let mut turns = self.turns.lend(py)?;
        let mut lengths = self.lengths.lend(py)?;
        let mut reversible = self.reversible.lend(py)?;
        let mut actions = self.actions.lend(py)?;
        let mut arrays = Arrays {
            actions: actions.slice(),
            observations: observations.as_mut().map_or(&mut [], |own| own.slice()),
            masks: masks.as_mut().map_or(&mut [], |own| own.slice()),
            rewards: rewards.slice(),
            ends: ends.slice(),
            truncations: truncations.slice(),
            reasons: reasons.slice(),
            turns: turns.slice(),
            lengths: lengths.slice(),
            reversible: reversible.slice(),
        };
        let pool = &*self.pool;
        Ok(py.detach(|| work(games, pool, &mut arrays)))
    }

    /// The games, none of which waits for a start. A function for starts is called without the lock, because it may
    /// look at this batch. If it failed, it is called again for the games that it has not placed.
    pub fn ready<'a>(&'a self, py: Python<'_>) -> PyResult<MutexGuard<'a, Box<dyn Games>>> {
        let mut games = self.games(py);
        let Some(sampler) = self.start.sampler(py) else { return Ok(games) };
        loop {
            let waiting = games.waiting();
            if waiting.is_empty() {
                return Ok(games);
            }
            for number in waiting {
                drop(games);
                let position = sampled(&self.game, sampler)?;
                games = self.games(py);
                games.place(number, position.pos).map_err(refuse)?;
            }
            self.work(py, games.as_mut(), |games, pool, arrays| games.show(pool, arrays))?;
        }
    }

    fn answer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let arrays = [
            self.observations(py),
            self.rewards.view(py).clone(),
            self.ends.view(py).clone(),
            self.truncations.view(py).clone(),
        ];
        PyTuple::new(py, arrays)
    }

    #[expect(clippy::too_many_arguments)]
    fn make(
        py: Python<'_>,
        game: Game,
        n: usize,
        terms: Terms,
        threads: usize,
        start: Option<Py<PyAny>>,
        (observations, masks): (bool, bool),
        games: Box<dyn Games>,
    ) -> PyResult<Batch> {
        let [planes, rows, columns] = terms.shape(game.start.shape());
        let shape = [n, planes, rows, columns];
        let actions = [n, game.start.action_count()];
        let planes = || Memory::new(py, "observations", &shape, "float32");
        let legal = || Memory::new(py, "masks", &actions, "bool");
        Ok(Batch {
            count: n,
            terms,
            pool: Arc::new(Pool::new(threads)),
            games: Mutex::new(games),
            start: Start(start),
            observations: observations.then(planes).transpose()?,
            masks: masks.then(legal).transpose()?,
            rewards: Memory::new(py, "rewards", &[n, 2], "float32")?,
            ends: Memory::new(py, "ends", &[n], "bool")?,
            truncations: Memory::new(py, "truncations", &[n], "bool")?,
            reasons: Memory::new(py, "reasons", &[n], "int8")?,
            turns: Memory::new(py, "turns", &[n], "int8")?,
            lengths: Memory::new(py, "lengths", &[n], "int32")?,
            reversible: Memory::new(py, "reversible", &[n], "int32")?,
            actions: Memory::new(py, "actions", &[n], "int64")?,
            game,
        })
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (
        game, n, *, start=None, seed=0, threads=None, max_moves=2000, repetition=true,
        repetition_plane=false, history=0, observations=true, masks=true
    ))]
    #[expect(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = whole)] n: usize,
        start: Option<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = whole)] seed: u64,
        #[pyo3(from_py_with = maybe)] threads: Option<usize>,
        #[pyo3(from_py_with = whole)] max_moves: u32,
        repetition: bool,
        repetition_plane: bool,
        #[pyo3(from_py_with = whole)] history: usize,
        observations: bool,
        masks: bool,
    ) -> PyResult<Batch> {
        if !(1..=1 << 24).contains(&n) {
            return Err(refuse(format!("a batch has 1 to 16777216 games, got {n}")));
        }
        if max_moves == 0 {
            return Err(refuse("max_moves must be 1 or more, got 0"));
        }
        if repetition_plane && !repetition {
            return Err(refuse("repetition_plane needs repetition: occurrences are not counted"));
        }
        check_history(history)?;
        if history > 0 && !repetition {
            return Err(refuse("history needs repetition: without it the past does not matter"));
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores).clamp(1, 256);
        let game = meant(game)?;
        let terms = Terms { max_moves, repetition, repetition_plane, history };
        let games = game.start.many(n, seed, terms);
        let mut games =
            games.ok_or_else(|| no_memory(format!("there is no memory for {n} games")))?;
        if let Some(given) = &start {
            let starts = starts(&game, given)?.into_iter().map(|position| position.pos);
            games.begin_with(starts.collect()).map_err(refuse)?;
            games.reset(Some(seed));
        }
        let start = start.map(Bound::unbind);
        let wanted = (observations, masks);
        let batch = Batch::make(py, game, n, terms, threads, start, wanted, games)?;
        let mut games = batch.ready(py)?;
        batch.work(py, games.as_mut(), |games, pool, arrays| games.show(pool, arrays))?;
        drop(games);
        Ok(batch)
    }

    /// The game with its options.
    #[getter]
    fn game(&self) -> Game {
        Game { start: self.game.start.clone() }
    }

    /// The planes of the player to move, of shape (n, planes, rows, columns).
    #[getter]
    fn observations<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.observations.as_ref().map_or(py.None().into_bound(py), |own| own.view(py).clone())
    }

    /// Whether each action is legal, of shape (n, actions).
    #[getter]
    fn masks<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.masks.as_ref().map_or(py.None().into_bound(py), |own| own.view(py).clone())
    }

    /// The rewards of the last step for player 1 and player 2, of shape (n, 2).
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.rewards.view(py).clone()
    }

    /// Whether the game has ended: by its rules, or drawn by a third repetition.
    #[getter]
    fn ends<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.ends.view(py).clone()
    }

    /// Whether the game was truncated after `max_moves`.
    #[getter]
    fn truncations<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.truncations.view(py).clone()
    }

    /// Why the game has ended, as an index into `REASONS`; 0 if it goes on.
    #[getter]
    fn reasons<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.reasons.view(py).clone()
    }

    /// What the numbers in `reasons` mean.
    #[classattr]
    #[pyo3(name = "REASONS")]
    fn all_reasons() -> (&'static str, &'static str, &'static str, &'static str, &'static str) {
        Reason::NAMES.into()
    }

    /// The player to move, 1 or 2.
    #[getter]
    fn turns<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.turns.view(py).clone()
    }

    /// How many moves the game has had.
    #[getter]
    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.lengths.view(py).clone()
    }

    /// How many of the last positions may still occur again.
    ///
    /// It is the number of moves since the last one that cannot be undone, such as a capture. A
    /// `history` as long as this makes the observation complete. 0 without `repetition`.
    #[getter]
    fn reversible<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.reversible.view(py).clone()
    }

    /// The actions of the last step, or those that `sample` drew.
    #[getter]
    fn actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.actions.view(py).clone()
    }

    /// Restart all games; without a seed, the random numbers continue.
    #[pyo3(signature = (*, seed=None))]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = maybe)] seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        self.games(py).reset(seed);
        let mut games = self.ready(py)?;
        self.work(py, games.as_mut(), |games, pool, arrays| {
            arrays.clear();
            games.show(pool, arrays);
        })?;
        self.answer(py)
    }

    /// Make a move in each game; raises `ValueError` and changes nothing if one is illegal.
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let given = self.given(actions)?;
        let mut games = self.ready(py)?;
        let made = self.work(py, games.as_mut(), |games, pool, arrays| {
            arrays.actions.copy_from_slice(&given);
            games.step(pool, arrays)
        })?;
        made.map_err(refuse)?;
        drop(games);
        drop(self.ready(py)?);
        self.answer(py)
    }

    /// Make random moves in each game; the rewards of several moves are added up.
    ///
    /// Ctrl-C ends it between two moves, and the games stand where they are then.
    #[pyo3(signature = (steps=1))]
    fn step_random<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] steps: u32,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut games = self.ready(py)?;
        games.clear_ends();
        self.work(py, games.as_mut(), |_, _, arrays| arrays.clear())?;
        let (mut left, mut part) = (steps, 1);
        while left > 0 {
            let (began, steps) = (Instant::now(), part.min(left));
            self.work(py, games.as_mut(), |games, pool, arrays| {
                games.step_random(pool, steps, arrays);
            })?;
            drop(games);
            games = self.ready(py)?;
            left -= steps;
            if self.start.sampler(py).is_none() && began.elapsed() < INTERVAL {
                part = part.saturating_mul(2);
            }
            py.check_signals()?;
        }
        self.answer(py)
    }

    /// Draw a legal action for each game.
    fn sample<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut games = self.ready(py)?;
        self.work(py, games.as_mut(), |games, pool, arrays| games.sample(pool, arrays))?;
        Ok(self.actions(py))
    }

    /// Return the position of one game.
    fn position(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] number: usize,
    ) -> PyResult<Position> {
        let pos = self.games(py).position(number);
        Ok(Position { pos: pos.ok_or_else(|| self.no_game(number))? })
    }

    /// Return the last position of a game that ended in the last step, or None.
    fn final_position(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] number: usize,
    ) -> PyResult<Option<Position>> {
        let end = self.games(py).end(number).ok_or_else(|| self.no_game(number))?;
        Ok(end.map(|pos| Position { pos }))
    }

    /// Return the games that ended in the last step and their last observations.
    ///
    /// They are arrays of shape (k) and (k, planes, rows, columns), in the order of the games. An
    /// observation is that of the player whose turn it would be. The first array is
    /// `numpy.flatnonzero(batch.reasons)`.
    fn final_observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        crate::memory::ready(py)?;
        let games = self.games(py);
        let ended = games.ended();
        let [planes, rows, columns] = self.terms.shape(self.game.start.shape());
        let mut seen = zeros(&[ended.len(), planes, rows, columns], "final observations")?;
        games.observe_ends(&mut seen);
        let ended: Vec<_> = ended.into_iter().map(|number| number as i64).collect();
        let seen = PyArray1::from_vec(py, seen).reshape([ended.len(), planes, rows, columns])?;
        PyTuple::new(py, [ended.to_pyarray(py).into_any(), seen.into_any()])
    }

    /// Return an independent copy of the batch and its games.
    fn clone(&self, py: Python<'_>) -> PyResult<Batch> {
        let games = self.ready(py)?;
        let game = Game { start: self.game.start.clone() };
        let start = self.start.0.as_ref().map(|start| start.clone_ref(py));
        let wanted = (self.observations.is_some(), self.masks.is_some());
        let (threads, terms) = (self.pool.threads(), self.terms);
        let count = self.count;
        let own = games.boxed();
        let own = own.ok_or_else(|| no_memory(format!("there is no memory for {count} games")))?;
        let copy = Batch::make(py, game, count, terms, threads, start, wanted, own)?;
        if let (Some(own), Some(other)) = (&copy.observations, &self.observations) {
            own.copy(py, other)?;
        }
        if let (Some(own), Some(other)) = (&copy.masks, &self.masks) {
            own.copy(py, other)?;
        }
        copy.rewards.copy(py, &self.rewards)?;
        copy.ends.copy(py, &self.ends)?;
        copy.truncations.copy(py, &self.truncations)?;
        copy.reasons.copy(py, &self.reasons)?;
        copy.turns.copy(py, &self.turns)?;
        copy.lengths.copy(py, &self.lengths)?;
        copy.reversible.copy(py, &self.reversible)?;
        copy.actions.copy(py, &self.actions)?;
        Ok(copy)
    }

    /// Return the state of all games, with their past and their random numbers, as bytes.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut state = self.settings();
        state["quadrille"] = 1.into();
        state["game"] = self.game.start.info().id.into();
        state["options"] = self.game.start.options().into();
        state["games"] = self.ready(py)?.state();
        Ok(PyBytes::new(py, state.to_string().as_bytes()))
    }

    /// Restore the games from a `state`, in a batch of the same game, size and settings.
    fn restore(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let damaged = |_| refuse("this is not a state of a batch");
        let state: Value = serde_json::from_slice(state).map_err(damaged)?;
        let (id, options) = (self.game.start.info().id, self.game.start.options());
        if state["quadrille"] != 1 || state["game"] != id || state["options"] != json!(options) {
            return Err(refuse(format!("this is not a state of a batch of {}", self.game.words())));
        }
        let settings = self.settings();
        let other = |(name, _): &(&String, &Value)| state[name.as_str()] != settings[name.as_str()];
        if let Some((name, own)) = settings.as_object().into_iter().flatten().find(other) {
            let kept = &state[name.as_str()];
            return Err(refuse(format!("this batch has {name}={own}, the state {name}={kept}")));
        }
        let entry = self.game.entry()?;
        let read = |text: &str| {
            let session = (entry.from_text)(text, &options).map_err(|error| error.to_string())?;
            let read = crate::any::Any::of(session.as_ref());
            let pos = read.ok_or_else(|| format!("`{text}` is not a position"))?;
            check_start(&self.game, &pos).map(|()| pos)
        };
        let mut games = self.games(py);
        games.restore(&state["games"], &read).map_err(refuse)?;
        self.work(py, games.as_mut(), |games, pool, arrays| {
            arrays.clear();
            games.show(pool, arrays);
        })
    }

    // A function that says where games begin may hold the batch.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.start.0)
    }

    pub fn __len__(&self) -> usize {
        self.count
    }

    pub fn __repr__(&self) -> String {
        format!("<Batch of {} games of {}>", self.count, self.game.start.info().id)
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Batch> {
        self.clone(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.clone(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let settings = PyDict::new(py);
        settings.set_item("start", self.start.0.as_ref().map(|start| start.clone_ref(py)))?;
        settings.set_item("threads", self.pool.threads())?;
        settings.set_item("max_moves", self.terms.max_moves)?;
        settings.set_item("repetition", self.terms.repetition)?;
        settings.set_item("repetition_plane", self.terms.repetition_plane)?;
        settings.set_item("history", self.terms.history)?;
        settings.set_item("observations", self.observations.is_some())?;
        settings.set_item("masks", self.masks.is_some())?;
        let make = py.import("quadrille._quadrille")?.getattr("_restore_batch")?;
        let given = (self.game(), self.count, settings, self.state(py)?);
        (make, given).into_pyobject(py).map(Bound::into_any)
    }
}

impl Batch {
    /// The settings that a state must share with the batch that restores it, by the names of Python's arguments.
    fn settings(&self) -> Value {
        let Terms { max_moves, repetition, repetition_plane, history } = self.terms;
        json!({
            "max_moves": max_moves, "repetition": repetition, "repetition_plane": repetition_plane,
            "history": history,
        })
    }

    /// The numbers of actions, copied: it may be the array of the batch itself.
    fn given(&self, actions: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
        let expected = format!("actions must be a list of {} whole numbers", self.count);
        let given = actions.py().import("numpy")?.call_method1("asarray", (actions,))?;
        let kind = given.getattr("dtype")?.getattr("kind")?.to_string();
        // Fractions, and numbers that do not fit, would silently change.
        if !matches!(kind.as_str(), "i" | "u") {
            let got = given.getattr("dtype")?.to_string();
            return Err(refuse(format!("{expected}, got {got}")));
        }
        let given = given.call_method1("astype", ("int64",))?;
        let given: PyReadonlyArray1<'_, i64> = given.extract().map_err(|_| refuse(expected))?;
        match given.as_array().len() {
            len if len == self.count => Ok(given.as_array().to_vec()),
            len => Err(refuse(format!("{len} actions for {} games", self.count))),
        }
    }

    fn no_game(&self, number: usize) -> PyErr {
        refuse(format!("games are 0 to {}, got {number}", self.count - 1))
    }
}

/// A batch as it was pickled.
#[pyfunction]
pub fn _restore_batch<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    n: usize,
    settings: &Bound<'py, PyDict>,
    state: &Bound<'py, PyBytes>,
) -> PyResult<Bound<'py, PyAny>> {
    let batch = py.get_type::<Batch>().call((game, n), Some(settings))?;
    batch.call_method1("restore", (state,))?;
    Ok(batch)
}
