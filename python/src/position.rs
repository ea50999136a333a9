//! `Position`: a value that knows its legal moves.

use crate::any::Any;
use crate::convert::{maybe, outcome, player, refuse, to_python, whole};
use crate::game::{Game, entry, present};
use crate::record::Record;
use crate::wait::wait;
use engine::Entry;
use numpy::{PyArray1, PyArray3, PyArrayMethods, ToPyArray};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};
use rules::notation::no_term;
use rules::{svg, text};
use serde_json::{Map, Value};

/// One position of a game. It never changes: playing a move gives another position.
///
/// ```python
/// >>> position = Game("gekitai").start()
/// >>> position.play("c3").turn, position.turn
/// (2, 1)
/// ```
#[pyclass(frozen, module = "quadrille")]
#[derive(Clone)]
pub struct Position {
    /// The position itself.
    pub pos: Any,
}

impl Position {
    /// Reads an object, a line of text or a Prolog term.
    pub fn read(
        entry: &Entry,
        given: &Bound<'_, PyAny>,
        options: &Map<String, Value>,
    ) -> PyResult<Position> {
        // Arrays of NumPy's hold texts as bytes.
        let bytes = given.cast::<PyBytes>().ok().map(|bytes| bytes.as_bytes());
        let text = match (given.cast::<PyString>(), bytes.map(str::from_utf8)) {
            (Ok(text), _) => text.to_str()?.trim(),
            (_, Some(text)) => text.map_err(refuse)?.trim(),
            (Err(_), None) => {
                let value = crate::convert::from_python(given)?;
                return Position::from_json(entry, &value, options);
            }
        };
        if text.starts_with('{') {
            let value: Value =
                serde_json::from_str(text).map_err(|error| refuse(format!("not JSON: {error}")))?;
            return Position::from_json(entry, &value, options);
        }
        let is_term = text.contains(['(', '[']);
        let read = if is_term { entry.from_term } else { entry.from_text };
        Position::of(read(text, options).map_err(refuse)?.as_ref())
    }

    fn from_json(entry: &Entry, value: &Value, options: &Map<String, Value>) -> PyResult<Position> {
        Position::of((entry.from_json)(value, options).map_err(refuse)?.as_ref())
    }

    /// The present position of a match.
    pub fn of(session: &dyn engine::Session) -> PyResult<Position> {
        Ok(Position { pos: present(session)? })
    }
}

#[pymethods]
impl Position {
    /// The game with its options.
    #[getter]
    fn game(&self) -> PyResult<Game> {
        Game::of(&self.pos)
    }

    /// The player to move; in a finished game, the one whose turn it would be.
    #[getter]
    fn turn(&self) -> u8 {
        self.pos.turn().number()
    }

    /// The winner, "draw", or None while the game goes on.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        outcome(py, self.pos.outcome())
    }

    /// Whether the game is over by its rules.
    #[getter]
    fn is_over(&self) -> bool {
        self.pos.outcome().is_some()
    }

    /// A hash of 64 bits, the same for equal positions in every version and process.
    #[getter]
    fn key(&self) -> u64 {
        self.pos.key()
    }

    /// The position in one line, as `Game.position` reads it.
    #[getter]
    fn text(&self) -> String {
        self.pos.text()
    }

    /// The position as JSON text.
    #[getter]
    fn json(&self) -> String {
        self.pos.session().position().to_string()
    }

    /// Return the position as a dictionary, as JSON has it.
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.pos.session().position())
    }

    /// The position as a Prolog term of the original program.
    #[getter]
    fn prolog(&self) -> PyResult<String> {
        self.pos.session().term().ok_or_else(|| refuse(no_term(self.pos.info())))
    }

    /// Whose turn it is, or who has won and how.
    #[getter]
    fn status(&self) -> String {
        self.pos.session().diagram().status
    }

    /// Return every legal move, in the order of `actions()`.
    fn moves(&self) -> Vec<String> {
        self.pos.moves()
    }

    /// Return every legal whole turn, sorted; in Glaisher a turn is two moves.
    fn turns(&self) -> Vec<String> {
        self.pos.session().turns()
    }

    /// Split the text of a turn into the texts of its moves.
    fn steps(&self, turn: &str) -> Vec<String> {
        self.pos.steps(turn)
    }

    /// Play a move or a whole turn; raises `ValueError` with the reason if it is not legal.
    fn play(&self, text: &str) -> PyResult<Position> {
        Ok(Position { pos: self.pos.play(text).map_err(refuse)? })
    }

    /// Return the numbers of all legal moves, in ascending order.
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.pos.actions(py, numbers(py))
    }

    /// Return the position after the move with this number.
    fn play_action(&self, #[pyo3(from_py_with = whole)] action: i64) -> PyResult<Position> {
        Ok(Position { pos: self.pos.play_action(action).map_err(refuse)? })
    }

    /// Return the text of the move with this number.
    fn action_text(&self, #[pyo3(from_py_with = whole)] action: i64) -> PyResult<String> {
        self.pos.action_text(action).map_err(refuse)
    }

    /// Return the number of a move, legal or not.
    fn action(&self, text: &str) -> PyResult<usize> {
        self.pos.action_number(text).map_err(refuse)
    }

    /// Return for each action whether it is legal.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        crate::memory::ready(py)?;
        Ok(self.pos.mask().to_pyarray(py))
    }

    /// Return the planes as a player sees them, by default the player to move.
    #[pyo3(signature = (player=None))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = maybe)] player: Option<u8>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        crate::memory::ready(py)?;
        let player = player.map_or(Ok(self.pos.turn()), crate::convert::player)?;
        self.pos.observation(player).to_pyarray(py).reshape(self.pos.shape())
    }

    /// All images, the position itself first.
    #[getter]
    fn symmetries(&self) -> PyResult<Vec<Position>> {
        (0..self.pos.images()).map(|which| self.image(which)).collect()
    }

    /// Return the position turned or mirrored; image 0 is the position itself.
    fn image(&self, #[pyo3(from_py_with = whole)] which: usize) -> PyResult<Position> {
        Ok(Position { pos: self.pos.image(which).map_err(refuse)? })
    }

    /// Return the image that stands for all images, and its number.
    fn canonical(&self) -> (Position, usize) {
        let (pos, which) = self.pos.canonical();
        (Position { pos }, which)
    }

    /// Return the original program's evaluation, from each player's own view.
    fn seed_value(&self) -> Option<(f64, f64)> {
        self.pos.session().seed_value().map(|value| (value[0], value[1]))
    }

    /// Return the turns that each player of the original program draws from.
    fn seed_best<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let best = self.pos.session().seed_best();
        best.into_iter().try_for_each(|(id, turns)| dict.set_item(id, turns))?;
        Ok(dict)
    }

    /// Draw the position as SVG.
    #[pyo3(signature = (*, dark=false, coordinates=true, flipped=false, caption=true))]
    fn svg(&self, dark: bool, coordinates: bool, flipped: bool, caption: bool) -> String {
        let theme = if dark { svg::Theme::Dark } else { svg::Theme::Light };
        let style = svg::Style { theme, coordinates, flipped, caption };
        svg::svg(&self.pos.session().diagram(), &style)
    }

    fn _repr_svg_(&self) -> String {
        self.svg(false, true, false, true)
    }

    pub fn __str__(&self) -> String {
        text::text(&self.pos.session().diagram(), &text::Style::default(), false)
    }

    fn __repr__(&self) -> String {
        format!("<Position {} {}>", self.pos.info().id, self.pos.text())
    }

    fn __hash__(&self) -> u64 {
        self.pos.key()
    }

    /// Positions are ordered by game and text, so that lists of them can be sorted.
    fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let py = other.py();
        let Ok(other) = other.cast::<Position>() else { return Ok(py.NotImplemented()) };
        let other = &other.get().pos;
        let answer = match op {
            CompareOp::Eq => self.pos == *other,
            CompareOp::Ne => self.pos != *other,
            _ => {
                let order = |pos: &Any| (pos.info().id, pos.text());
                op.matches(order(&self.pos).cmp(&order(other)))
            }
        };
        Ok(answer.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let make = py.import("quadrille._quadrille")?.getattr("_restore_position")?;
        Ok((make, (self.pos.info().id.to_owned(), self.json())))
    }

    fn __copy__(&self) -> Position {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Position {
        self.clone()
    }
}

/// More than any game has actions.
const MOST_ACTIONS: usize = 10_000;

/// Python's numbers, made once: a list of actions is then a list of pointers.
pub fn numbers(py: Python<'_>) -> &[Py<PyInt>] {
    static NUMBERS: PyOnceLock<Vec<Py<PyInt>>> = PyOnceLock::new();
    NUMBERS.get_or_init(py, || (0..MOST_ACTIONS).map(|n| PyInt::new(py, n).unbind()).collect())
}

/// A position as it was pickled.
#[pyfunction]
pub fn _restore_position(id: &str, json: &str) -> PyResult<Position> {
    let value: Value = serde_json::from_str(json).map_err(refuse)?;
    Position::from_json(entry(id)?, &value, &Map::new())
}

/// Deeper counts never end, and each move takes a part of the stack.
const DEEPEST: u32 = 100;

/// Count the ways to play this many moves, or whole turns.
#[pyfunction]
#[pyo3(signature = (position, depth, *, turns=false))]
pub fn perft(
    py: Python<'_>,
    position: &Position,
    #[pyo3(from_py_with = whole)] depth: u32,
    turns: bool,
) -> PyResult<u64> {
    if depth > DEEPEST {
        return Err(refuse(format!("depth must be 0 to {DEEPEST}, got {depth}")));
    }
    let pos = position.pos.clone();
    let count = wait(py, move |stop| pos.perft(depth, turns, stop))?;
    count.ok_or_else(|| refuse("it was stopped before the end"))
}

/// The start of a search: a position by itself, or a whole game with its repetitions.
pub fn session(given: &Bound<'_, PyAny>) -> PyResult<Box<dyn engine::Session>> {
    if let Ok(position) = given.cast::<Position>() {
        return Ok(position.get().pos.session());
    }
    match given.cast::<Record>() {
        Ok(record) => record.get().session(),
        Err(_) => Err(refuse("expected a position or a record")),
    }
}

/// Player 1 or 2, if one is named.
pub fn maybe_player(number: Option<u8>) -> PyResult<Option<rules::Player>> {
    number.map(player).transpose()
}
