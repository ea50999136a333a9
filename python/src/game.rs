//! `Game`: the rules with their options, and all that holds for every position of it.

use crate::any::Any;
use crate::convert::{refuse, to_python, whole};
use crate::position::Position;
use engine::Entry;
use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use serde_json::{Map, Value};

/// The rules of a game with its options: `Game("gekitai", size=4)`.
///
/// ```python
/// >>> game = Game("gekitai", size=4)
/// >>> game.options
/// {'size': 4, 'markers': 8, 'both': 'mover'}
/// >>> game.start().play("b2").text
/// '4/1x2/4/4 2'
/// ```
#[pyclass(frozen, module = "quadrille")]
pub struct Game {
    /// Its start.
    pub start: Any,
}

impl Game {
    /// The game that a position belongs to.
    pub fn of(pos: &Any) -> PyResult<Game> {
        Ok(Game { start: pos.start().map_err(refuse)? })
    }

    /// The engine's entry.
    pub fn entry(&self) -> PyResult<&'static Entry> {
        entry(self.start.info().id)
    }

    /// The game with its options, as Python writes it.
    pub fn words(&self) -> String {
        let words =
            |value: &Value| value.as_str().map_or(value.to_string(), |text| format!("'{text}'"));
        let options = self.start.options();
        let options: String =
            options.iter().map(|(name, value)| format!(", {name}={}", words(value))).collect();
        format!("Game('{}'{options})", self.start.info().id)
    }

    fn begin(entry: &Entry, options: &Map<String, Value>) -> PyResult<Game> {
        let known: Vec<_> = entry.info.options.iter().map(|option| option.name).collect();
        if let Some(name) = options.keys().find(|name| !known.contains(&name.as_str())) {
            let (name, known) = (rules::game::shorten(name), known.join(", "));
            return Err(refuse(format!(
                "{} has no option `{name}`; it has {known}",
                entry.info.id
            )));
        }
        let session = (entry.start)(options).map_err(refuse)?;
        Ok(Game { start: present(session.as_ref())? })
    }
}

/// The game with an id, in the program's words if there is none.
pub fn entry(id: &str) -> PyResult<&'static Entry> {
    requests::game(id).map_err(|refusal| refuse(refusal.message))
}

/// The position of a match.
pub fn present(session: &dyn engine::Session) -> PyResult<Any> {
    Any::of(session).ok_or_else(|| refuse("a game that this module does not know"))
}

/// The game that is given as itself or by its name.
pub fn meant(given: &Bound<'_, PyAny>) -> PyResult<Game> {
    if let Ok(game) = given.cast::<Game>() {
        return Ok(Game { start: game.get().start.clone() });
    }
    let Ok(id) = given.cast::<PyString>() else {
        return Err(refuse("expected a game or its id, such as \"gekitai\""));
    };
    Game::begin(entry(id.to_str()?)?, &Map::new())
}

/// A list of indices as a NumPy array.
fn indices<'py>(py: Python<'py>, list: &[usize]) -> Bound<'py, PyArray1<i64>> {
    list.iter().map(|i| *i as i64).collect::<Vec<_>>().to_pyarray(py)
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (id, **options))]
    fn new(id: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
        Game::begin(entry(id)?, &crate::convert::options(options)?)
    }

    /// The name in commands and formats: `six-making`.
    #[getter]
    fn id(&self) -> &'static str {
        self.start.info().id
    }

    /// The name people use: `Six MaKING`.
    #[getter]
    fn name(&self) -> &'static str {
        self.start.info().name
    }

    /// The names of the two players.
    #[getter]
    fn players(&self) -> (&'static str, &'static str) {
        let [one, two] = *self.start.info().players;
        (one, two)
    }

    /// The rules page, in Markdown.
    #[getter]
    fn rules(&self) -> &'static str {
        self.start.info().rules
    }

    /// All options, including those left at their defaults.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &Value::Object(self.start.options()))
    }

    /// The players of the original program, for `seed_player`.
    #[getter]
    fn seed_players(&self) -> Vec<&'static str> {
        self.start.session().seed_players().iter().map(|about| about.id).collect()
    }

    /// Return the position before the first move.
    fn start(&self) -> Position {
        Position { pos: self.start.clone() }
    }

    /// Read a position: a dictionary, a line of text, JSON as text, or a Prolog term.
    fn position(&self, given: &Bound<'_, PyAny>) -> PyResult<Position> {
        Position::read(self.entry()?, given, &self.start.options())
    }

    /// The number of actions; they are 0 to `num_actions - 1`.
    #[getter]
    fn num_actions(&self) -> usize {
        self.start.action_count()
    }

    /// Return the text of the move with this number.
    fn action_text(&self, #[pyo3(from_py_with = whole)] action: i64) -> PyResult<String> {
        self.start.action_text(action).map_err(refuse)
    }

    /// Return the number of a move, legal or not.
    fn action(&self, text: &str) -> PyResult<usize> {
        self.start.action_number(text).map_err(refuse)
    }

    /// Planes, rows and columns of an observation.
    #[getter]
    fn observation_shape(&self) -> (usize, usize, usize) {
        let [planes, rows, columns] = self.start.shape();
        (planes, rows, columns)
    }

    /// What each plane of an observation shows.
    #[getter]
    fn planes(&self) -> Vec<&'static str> {
        self.start.planes().to_vec()
    }

    /// The number of images of a position; image 0 is the position itself.
    #[getter]
    fn num_symmetries(&self) -> usize {
        self.start.images()
    }

    /// Return where each place of a plane and each action of an image come from.
    ///
    /// With `places, actions = game.symmetry(k)`, the image of an observation is
    /// `observation.reshape(len(game.planes), -1)[:, places]`, and that of a mask or a policy is
    /// `policy[actions]`.
    fn symmetry<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] which: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        crate::memory::ready(py)?;
        let (places, actions) = self.start.symmetry(which).map_err(refuse)?;
        PyTuple::new(py, [indices(py, &places), indices(py, &actions)])
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Game>().is_ok_and(|other| other.get().start == self.start)
    }

    fn __hash__(&self) -> u64 {
        self.start.key() ^ self.start.action_count() as u64
    }

    fn __repr__(&self) -> String {
        self.words()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let make = py.import("quadrille._quadrille")?.getattr("_restore_game")?;
        let options = Value::Object(self.start.options()).to_string();
        Ok((make, (self.id().to_owned(), options)))
    }
}

/// A game as it was pickled.
#[pyfunction]
pub fn _restore_game(id: &str, options: &str) -> PyResult<Game> {
    Game::begin(entry(id)?, &serde_json::from_str(options).map_err(refuse)?)
}

/// Return the ids of all games.
#[pyfunction]
pub fn games() -> Vec<&'static str> {
    engine::GAMES.iter().map(|entry| entry.info.id).collect()
}
