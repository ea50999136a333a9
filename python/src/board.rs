//! `Board`: a game in progress, with moves to push and to pop.

use crate::any::Any;
use crate::batch::{Terms, occurrences};
use crate::convert::{list, maybe, outcome, refuse, whole};
use crate::game::{Game, meant};
use crate::many::check_history;
use crate::memory::ready;
use crate::position::{Position, numbers};
use numpy::{PyArray1, PyArray3, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rules::{Outcome, Player};

/// A game in progress: a position with its past, to which moves are pushed.
///
/// It begins with a game or a position. A position that occurs for the third time is a draw
/// unless `repetition` is false, and after `max_moves` the game is truncated.
///
/// ```python
/// >>> board = Board("gekitai")
/// >>> board.push("c3")
/// >>> board.push(board.actions()[0])
/// >>> board.stack, board.turn
/// (['c3', 'a1'], 1)
/// >>> board.pop()
/// 'a1'
/// ```
#[pyclass(module = "quadrille")]
#[derive(Clone)]
pub struct Board {
    pos: Any,
    /// The positions before this one, with the number of the move that was made in each.
    past: Vec<(Any, i64)>,
    keys: Vec<u64>,
    before: usize,
    terms: Terms,
}

impl Board {
    fn make(&mut self, action: i64) -> Result<(), String> {
        if self.is_terminal() {
            return Err(format!("the game is over: {}", self.reason().unwrap_or("won")));
        }
        let next = self.pos.play_action(action)?;
        self.keys.push(self.pos.key());
        self.past.push((std::mem::replace(&mut self.pos, next), action));
        self.before = occurrences(&self.keys, self.pos.key());
        Ok(())
    }

    /// Makes all moves of a turn, or none.
    fn make_all(&mut self, actions: &[i64]) -> Result<(), String> {
        let before = self.past.len();
        let made = actions.iter().try_for_each(|action| self.make(*action));
        if made.is_err() {
            while self.past.len() > before {
                self.take_back();
            }
        }
        made
    }

    /// Takes back the last move, if there is one, and gives its number.
    fn take_back(&mut self) -> Option<i64> {
        let (pos, action) = self.past.pop()?;
        self.keys.pop();
        self.pos = pos;
        self.before = occurrences(&self.keys, self.pos.key());
        Some(action)
    }

    fn winner(&self) -> Option<Player> {
        self.pos.outcome().and_then(Outcome::winner)
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (start, *, max_moves=None, repetition=true))]
    fn new(
        start: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = maybe)] max_moves: Option<u32>,
        repetition: bool,
    ) -> PyResult<Board> {
        let pos = match start.cast::<Position>() {
            Ok(position) => position.get().pos.clone(),
            Err(_) => meant(start)?.start,
        };
        let max_moves = max_moves.unwrap_or(u32::MAX);
        let terms = Terms { max_moves, repetition, repetition_plane: false, history: 0 };
        Ok(Board { pos, past: Vec::new(), keys: Vec::new(), before: 0, terms })
    }

    /// The game with its options.
    #[getter]
    fn game(&self) -> PyResult<Game> {
        Game::of(&self.pos)
    }

    /// The current position.
    #[getter]
    fn position(&self) -> Position {
        Position { pos: self.pos.clone() }
    }

    /// After how many moves the game is truncated, or None.
    #[getter]
    fn max_moves(&self) -> Option<u32> {
        Some(self.terms.max_moves).filter(|most| *most != u32::MAX)
    }

    /// Whether a third repetition is a draw.
    #[getter]
    fn repetition(&self) -> bool {
        self.terms.repetition
    }

    /// The player to move.
    #[getter]
    fn turn(&self) -> u8 {
        self.pos.turn().number()
    }

    /// Make a move: its text or that of a whole turn, or its number.
    fn push(&mut self, action: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(text) = action.cast::<PyString>() {
            let numbers = self.pos.numbers(text.to_str()?).map_err(refuse)?;
            return self.make_all(&numbers).map_err(refuse);
        }
        self.make(whole(action)?).map_err(refuse)
    }

    /// Take back the last move and return its text.
    fn pop(&mut self) -> PyResult<String> {
        let action = self.take_back().ok_or_else(|| refuse("no move was made yet"))?;
        self.pos.action_text(action).map_err(refuse)
    }

    /// The moves that were made, as text.
    #[getter]
    fn stack(&self) -> PyResult<Vec<String>> {
        let text = |(pos, action): &(Any, i64)| pos.action_text(*action).map_err(refuse);
        self.past.iter().map(text).collect()
    }

    /// Return every legal move; none when the game is over.
    fn moves(&self) -> Vec<String> {
        if self.is_terminal() { Vec::new() } else { self.pos.moves() }
    }

    /// Return the numbers of all legal moves, in ascending order.
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if self.is_terminal() {
            return Ok(PyList::empty(py));
        }
        self.pos.actions(py, numbers(py))
    }

    /// Return for each action whether it is legal.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        ready(py)?;
        let mask =
            if self.is_terminal() { vec![false; self.pos.action_count()] } else { self.pos.mask() };
        Ok(mask.to_pyarray(py))
    }

    /// Return the planes as a player sees them, by default the player to move.
    ///
    /// `repetition_plane` and `history` are those of `Batch`: a plane that tells how often the
    /// position has occurred before, and earlier positions that may occur again.
    #[pyo3(signature = (player=None, *, repetition_plane=false, history=0))]
    fn observation<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = maybe)] player: Option<u8>,
        repetition_plane: bool,
        #[pyo3(from_py_with = whole)] history: usize,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        ready(py)?;
        check_history(history)?;
        let player = player.map_or(Ok(self.pos.turn()), crate::convert::player)?;
        let terms = Terms { repetition_plane, history, ..self.terms };
        let [planes, rows, columns] = terms.shape(self.pos.shape());
        let mut seen = Vec::with_capacity(planes * rows * columns);
        let mut show = |pos: &Any, before: usize| {
            seen.extend(pos.observation(player));
            if repetition_plane {
                seen.resize(seen.len() + rows * columns, before.min(2) as f32 / 2.0);
            }
        };
        show(&self.pos, self.before);
        let earlier = (0..self.past.len()).rev().take(self.reversible().min(history));
        earlier.for_each(|i| show(&self.past[i].0, occurrences(&self.keys[..i], self.keys[i])));
        seen.resize(planes * rows * columns, 0.0);
        PyArray1::from_vec(py, seen).reshape([planes, rows, columns])
    }

    /// How many of the last positions may still occur again.
    ///
    /// It is the number of moves since the last one that cannot be undone, such as a capture; 0
    /// without `repetition`.
    #[getter]
    fn reversible(&self) -> usize {
        let kept = self.past.iter().rev().take_while(|(pos, action)| !pos.settles(*action));
        if self.terms.repetition { kept.count() } else { 0 }
    }

    /// How often the position has occurred before.
    #[getter]
    fn repetitions(&self) -> usize {
        self.before
    }

    /// Whether the game is over: by its rules, by a third repetition, or truncated.
    #[getter]
    fn is_over(&self) -> bool {
        self.is_terminal()
    }

    /// Why the game is over: "won", "drawn", "repetition" or "length"; None if it is not.
    #[getter]
    fn reason(&self) -> Option<&'static str> {
        let reason = self.pos.reason(self.before, self.past.len() as u32, self.terms);
        reason.map(crate::batch::Reason::name)
    }

    /// The winner, "draw", or None while the game goes on or after truncation.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let drawn = (self.reason() == Some("repetition")).then_some(Outcome::Draw);
        outcome(py, self.pos.outcome().or(drawn))
    }

    /// Return the result for a player: 1, 0 or -1.
    fn reward(&self, #[pyo3(from_py_with = whole)] player: u8) -> PyResult<f64> {
        let side = crate::convert::player(player)?;
        Ok(self.winner().map_or(0.0, |winner| if winner == side { 1.0 } else { -1.0 }))
    }

    /// Return an independent copy of the board with its past.
    fn copy(&self) -> Board {
        self.clone()
    }

    /// How many moves were made.
    fn __len__(&self) -> usize {
        self.past.len()
    }

    // A board without moves is a board, too.
    fn __bool__(&self) -> bool {
        true
    }

    fn __str__(&self) -> String {
        self.position().__str__()
    }

    fn __repr__(&self) -> String {
        let moves = rules::game::counted(self.past.len(), "move");
        format!("<Board {} {} after {moves}>", self.pos.info().id, self.pos.text())
    }

    fn __eq__(&self, other: &Board) -> bool {
        self.pos == other.pos && self.keys == other.keys
    }

    fn __copy__(&self) -> Board {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Board {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let start = self.past.first().map_or(&self.pos, |(pos, _)| pos);
        let made: Vec<_> = self.past.iter().map(|(_, action)| *action).collect();
        let most = self.max_moves();
        let make = py.import("quadrille._quadrille")?.getattr("_restore_board")?;
        let given = (Position { pos: start.clone() }, made, most, self.terms.repetition);
        (make, given).into_pyobject(py).map(Bound::into_any)
    }
}

impl Board {
    fn is_terminal(&self) -> bool {
        self.pos.outcome().is_some()
            || (self.terms.repetition && self.before >= 2)
            || self.past.len() >= self.terms.max_moves as usize
    }
}

/// A board as it was pickled.
#[pyfunction]
pub fn _restore_board(
    start: &Position,
    #[pyo3(from_py_with = list)] made: Vec<i64>,
    max_moves: Option<u32>,
    repetition: bool,
) -> PyResult<Board> {
    let max_moves = max_moves.unwrap_or(u32::MAX);
    let terms = Terms { max_moves, repetition, repetition_plane: false, history: 0 };
    let pos = start.pos.clone();
    let mut board = Board { pos, past: Vec::new(), keys: Vec::new(), before: 0, terms };
    made.into_iter().try_for_each(|action| board.make(action)).map_err(refuse)?;
    Ok(board)
}
