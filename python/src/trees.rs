//! `MCTS`: a tree search in every game of a batch, with a network in Python.

use crate::convert::{list, refuse, whole};
use crate::many::Batch;
use crate::mcts::{Forest, Settings};
use crate::memory::{Memory, ready, zeros};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// A tree search (PUCT) in every game of a batch; a network evaluates all leaves at once.
///
/// `run` searches from the current positions of the batch, and `choose` draws actions for
/// `batch.step`. Subtrees are reused by the next search. `exploration` weighs priors against
/// values. `noise` is the share of Dirichlet noise in the priors of the root, and `alpha` its
/// concentration, by default 10 divided by the number of legal moves. With `symmetries`, the
/// network sees each position turned or mirrored by chance. `parallel` leaves of each game are
/// evaluated at once; more than one pays if there are few games. With `gumbel`, the search is
/// that of Gumbel AlphaZero, which learns from fewer simulations: this many moves are
/// considered at the root, `noise` is the scale of the Gumbel noise (1 while learning, 0 to
/// play), policies are the improved ones, and trees are not kept. The same seed and the same
/// answers of the network give the same search, on any number of threads.
///
/// ```python
/// >>> import numpy
/// >>> def network(planes, masks):
/// ...     return masks, numpy.zeros(len(masks))
/// >>> batch = Batch("gekitai", 8)
/// >>> search = MCTS(batch, seed=1)
/// >>> policies, values = search.run(network, simulations=50)
/// >>> policies.shape, values.shape
/// ((8, 36), (8,))
/// >>> batch.step(search.choose(temperature=1.0))[2].any()
/// np.False_
/// ```
#[pyclass(frozen, module = "quadrille", name = "MCTS")]
pub struct Mcts {
    /// The batch whose games it searches.
    #[pyo3(get)]
    batch: Py<Batch>,
    settings: Settings,
    forest: Mutex<Box<dyn Forest>>,
    planes: Memory<f32>,
    masks: Memory<u8>,
}

#[pymethods]
impl Mcts {
    #[new]
    #[pyo3(signature = (
        batch, *, seed=0, exploration=1.5, noise=0.0, alpha=None, symmetries=false, parallel=1,
        gumbel=0
    ))]
    #[expect(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        batch: Py<Batch>,
        #[pyo3(from_py_with = whole)] seed: u64,
        exploration: f32,
        noise: f32,
        alpha: Option<f64>,
        symmetries: bool,
        #[pyo3(from_py_with = whole)] parallel: usize,
        #[pyo3(from_py_with = whole)] gumbel: usize,
    ) -> PyResult<Mcts> {
        if !(exploration >= 0.0 && exploration.is_finite()) {
            return Err(refuse(format!("exploration must be 0 or more, got {exploration}")));
        }
        if !(0.0..=1.0).contains(&noise) {
            return Err(refuse(format!("noise must be 0 to 1, got {noise}")));
        }
        if let Some(alpha) = alpha.filter(|alpha| !(*alpha > 0.0 && alpha.is_finite())) {
            return Err(refuse(format!("alpha must be more than 0, got {alpha}")));
        }
        if !(1..=1024).contains(&parallel) {
            return Err(refuse(format!("parallel must be 1 to 1024, got {parallel}")));
        }
        if gumbel > 1 << 16 {
            return Err(refuse(format!("gumbel must be 0 to 65536, got {gumbel}")));
        }
        let own = batch.get();
        let (start, terms) = (&own.played().start, own.terms());
        let rows = own.__len__() * parallel;
        let [planes, height, width] = terms.shape(start.shape());
        let shape = [rows, planes, height, width];
        let settings = Settings { exploration, noise, alpha, symmetries, parallel, gumbel };
        Ok(Mcts {
            settings,
            forest: Mutex::new(start.forest(seed, terms)),
            planes: Memory::new(py, "planes", &shape, "float32")?,
            masks: Memory::new(py, "masks", &[rows, start.action_count()], "bool")?,
            batch,
        })
    }

    /// Search with a network; returns policies and values.
    ///
    /// `network` gets planes and masks of k positions, of shape (k, planes, rows, columns) and
    /// (k, actions), and returns priors of shape (k, actions) and values of shape (k). Priors
    /// are 0 or more; those of illegal actions are ignored and the others normalised to sum to
    /// 1. Values are -1 to 1, for the player to move. The arrays that the network gets are
    /// reused: copy what you keep. Policies, of shape (n, actions), are the share of the
    /// simulations that began with each action; values, of shape (n), are the mean results for
    /// the player to move.
    #[pyo3(signature = (network, simulations=64))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        network: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = whole)] simulations: u32,
    ) -> PyResult<Bound<'py, PyTuple>> {
        if !(1..=1 << 24).contains(&simulations) {
            return Err(refuse(format!("simulations must be 1 to 16777216, got {simulations}")));
        }
        let batch = self.batch.get();
        let mut forest = self.forest()?;
        {
            let games = batch.ready(py)?;
            forest.follow(games.as_ref(), &self.settings).map_err(refuse)?;
        }
        forest.allow(simulations);
        let went = self.search(py, network, forest.as_mut());
        if went.is_err() {
            forest.abandon();
        }
        went?;
        self.told(py, forest.as_ref())
    }

    /// Choose an action in each game from the last search.
    ///
    /// They are drawn in proportion to visits to the power of 1 / temperature, and with a
    /// temperature of 0 among the most visited. An array has a temperature for each game.
    #[pyo3(signature = (temperature=None))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        temperature: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let count = self.batch.get().__len__();
        let expected = || refuse(format!("temperature must be 0 or more, one or {count} of them"));
        let temperatures = match temperature.map(|given| (given, given.extract::<f64>())) {
            None => vec![0.0; count],
            Some((_, Ok(one))) => vec![one; count],
            Some((given, Err(_))) if given.len().is_ok_and(|len| len == count) => {
                list(given).map_err(|_| expected())?
            }
            Some(_) => return Err(expected()),
        };
        if !temperatures.iter().all(|one| *one >= 0.0 && one.is_finite()) {
            return Err(expected());
        }
        let mut actions = vec![-1; count];
        self.forest()?.choose(&self.settings, &temperatures, &mut actions);
        match actions.contains(&-1) {
            true => Err(refuse("nothing was searched yet: call `run` first")),
            false => Ok(PyArray1::from_vec(py, actions)),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.batch)
    }

    fn __repr__(&self) -> String {
        format!("<MCTS in {}>", self.batch.get().__repr__())
    }
}

impl Mcts {
    /// The trees, or an error if they are in use. Waiting could deadlock: their holder may be waiting for the GIL.
    fn forest(&self) -> PyResult<MutexGuard<'_, Box<dyn Forest>>> {
        match self.forest.try_lock() {
            Ok(forest) => Ok(forest),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(refuse("this search is running")),
        }
    }

    fn search(
        &self,
        py: Python<'_>,
        network: &Bound<'_, PyAny>,
        forest: &mut dyn Forest,
    ) -> PyResult<()> {
        let pool = self.batch.get().pool();
        loop {
            let count = {
                let (mut planes, mut masks) = (self.planes.lend(py)?, self.masks.lend(py)?);
                let (planes, masks) = (planes.slice(), masks.slice());
                let forest = &mut *forest;
                py.detach(|| {
                    let count = forest.select(pool, &self.settings);
                    forest.show(pool, planes, masks);
                    count
                })
            };
            py.check_signals()?;
            match count {
                0 if forest.is_done() => return Ok(()),
                0 => continue,
                _ => {}
            }
            let first = PySlice::new(py, 0, count as isize, 1);
            let given =
                (self.planes.view(py).get_item(&first)?, self.masks.view(py).get_item(&first)?);
            let (priors, values) = answer(&network.call1(given)?, count, self.masks.view(py))?;
            let (priors, values) = (priors.as_slice()?, values.as_slice()?);
            py.detach(|| forest.learn(&self.settings, priors, values)).map_err(refuse)?;
        }
    }

    fn told<'py>(&self, py: Python<'py>, forest: &dyn Forest) -> PyResult<Bound<'py, PyTuple>> {
        let batch = self.batch.get();
        let (n, all) = (batch.__len__(), batch.played().start.action_count());
        let (mut policies, mut values) = (zeros(&[n, all], "policies")?, zeros(&[n], "values")?);
        forest.tell(&self.settings, &mut policies, &mut values);
        let policies = PyArray1::from_vec(py, policies).reshape([n, all])?;
        PyTuple::new(py, [policies.into_any(), PyArray1::from_vec(py, values).into_any()])
    }
}

type Judged<'py> = (PyReadonlyArray2<'py, f32>, PyReadonlyArray1<'py, f32>);

/// Priors and values as a network returns them: anything that NumPy makes arrays of.
fn answer<'py>(
    given: &Bound<'py, PyAny>,
    count: usize,
    masks: &Bound<'py, PyAny>,
) -> PyResult<Judged<'py>> {
    let py = given.py();
    ready(py)?;
    let expected = || refuse("a network returns two arrays, priors and values");
    let (priors, values): (Bound<'py, PyAny>, Bound<'py, PyAny>) =
        given.extract().map_err(|_| expected())?;
    let array = |given: &Bound<'py, PyAny>| {
        py.import("numpy")?.call_method1("ascontiguousarray", (given, "float32"))
    };
    let all: usize = masks.getattr("shape")?.get_item(1)?.extract()?;
    let shape = |given: &Bound<'py, PyAny>| Ok::<_, PyErr>(given.getattr("shape")?.to_string());
    let (priors, values) = (array(&priors)?, array(&values)?);
    let read = |values: &Bound<'py, PyAny>| {
        let values = values.call_method1("reshape", (-1,))?;
        let (priors, values) = (priors.cast::<PyArray2<f32>>()?, values.cast::<PyArray1<f32>>()?);
        Ok::<_, PyErr>((priors.readonly(), values.readonly()))
    };
    match read(&values) {
        Ok((priors, values))
            if priors.as_array().dim() == (count, all) && values.as_array().len() == count =>
        {
            Ok((priors, values))
        }
        _ => Err(refuse(format!(
            "for {count} positions a network returns priors of shape ({count}, {all}) and {count} \
             values, got shapes {} and {}",
            shape(&priors)?,
            shape(&values)?
        ))),
    }
}
