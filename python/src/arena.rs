//! `arena`: many games between two players, ours or Python's.

use crate::convert::{list, maybe, refuse, restored_by, whole};
use crate::engine::{counts, limits};
use crate::game::meant;
use crate::position::Position;
use crate::record::Record;
use crate::start::{sampled, starts};
use crate::wait::{Work, lock};
use ::engine::arena::players::Local;
use ::engine::arena::tally::Tally;
use ::engine::arena::{Arena, Contestant, Fault, Plan, Played, Player};
use ::engine::{Entry, Limits, Session, Stop, Who};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The result of a match, from the first player's side.
#[pyclass(frozen, get_all, module = "quadrille")]
pub struct MatchResult {
    /// The names of both players.
    names: (String, String),
    /// Games that the first player has won.
    wins: u64,
    /// Games that nobody has won.
    draws: u64,
    /// Games that the first player has lost.
    losses: u64,
    /// How much stronger the first player is, with its 95 % bounds; None without an estimate.
    elo: Option<(f64, f64, f64)>,
    /// The games, in order.
    records: Vec<Py<Record>>,
}

/// The result of a match as it was pickled.
#[pyfunction]
pub fn _match_result(
    names: (String, String),
    counts: (u64, u64, u64),
    elo: Option<(f64, f64, f64)>,
    #[pyo3(from_py_with = list)] records: Vec<Py<Record>>,
) -> MatchResult {
    let (wins, draws, losses) = counts;
    MatchResult { names, wins, draws, losses, elo, records }
}

#[pymethods]
impl MatchResult {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let MatchResult { names, wins, draws, losses, elo, records } = self;
        let records: Vec<_> = records.iter().map(|record| record.clone_ref(py)).collect();
        restored_by(py, "_match_result", (names.clone(), (*wins, *draws, *losses), *elo, records))
    }

    /// The first player's points as a share of all points.
    #[getter]
    fn score(&self) -> f64 {
        let games = self.wins + self.draws + self.losses;
        (self.wins as f64 + 0.5 * self.draws as f64) / games.max(1) as f64
    }

    fn __repr__(&self) -> String {
        let MatchResult { names: (a, b), wins, draws, losses, .. } = self;
        format!("<MatchResult {a} against {b}: +{wins} ={draws} -{losses}>")
    }
}

/// A Python function that chooses turns.
struct Caller {
    name: String,
    function: Py<PyAny>,
    /// Whether it is a player of the package, which wants to know of new games.
    own: bool,
    failed: Arc<Mutex<Option<PyErr>>>,
}

impl Caller {
    /// Keeps the exception for the caller of `arena`.
    fn fault(&self, error: PyErr) -> Fault {
        let text = error.to_string();
        lock(&self.failed).get_or_insert(error);
        Fault::Crash(text)
    }
}

impl Player for Caller {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        if !self.own {
            return Ok(());
        }
        let told = Python::attach(|py| self.function.call_method1(py, "new_game", (seed,)));
        told.map(drop).map_err(|error| self.fault(error))
    }

    fn turn(&mut self, game: &dyn Session, _stop: &Stop) -> Result<String, Fault> {
        let answer = Python::attach(|py| {
            let position = Position::of(game)?;
            let answer = self.function.call1(py, (position.clone(),))?.into_bound(py);
            let text = match answer.cast::<PyString>() {
                Ok(text) => text.to_str()?.to_owned(),
                Err(_) => position.pos.action_text(whole(&answer)?).map_err(refuse)?,
            };
            // A lost game would hide a bug in the function.
            let played = position.pos.play(&text);
            let refused = |error| refuse(format!("the answer of player `{}`: {error}", self.name));
            played.map(|_| text).map_err(refused)
        });
        answer.map_err(|error: PyErr| self.fault(error))
    }
}

type Failed = Arc<Mutex<Option<PyErr>>>;

/// A function of a position. A player of the package remembers what it has searched: each seat has one of its own.
fn called(given: &Bound<'_, PyAny>, failed: &Failed) -> PyResult<Contestant> {
    let players = given.py().import("quadrille.players")?;
    let own = given.is_instance(&players.getattr("Player")?)?;
    let name = given.getattr(if own { "name" } else { "__name__" });
    let name = name.map_or_else(|_| "player".into(), |name| name.to_string());
    let function = Mutex::new(given.clone().unbind());
    let (failed, known) = (Arc::clone(failed), name.clone());
    let make = move || {
        let function = Python::attach(|py| {
            let function = lock(&function).clone_ref(py);
            match own {
                true => py.import("copy")?.call_method1("deepcopy", (function,)).map(Bound::unbind),
                false => Ok(function),
            }
        });
        let (name, failed) = (known.clone(), Arc::clone(&failed));
        let function = function.map_err(|error: PyErr| Fault::Crash(error.to_string()))?;
        Ok(Box::new(Caller { name, function, own, failed }) as Box<dyn Player>)
    };
    Ok(Contestant { name, make: Box::new(make) })
}

/// A player by description, or a function that gets a position and gives a turn.
fn contestant(
    given: &Bound<'_, PyAny>,
    session: &dyn Session,
    (entry, limits): (&'static Entry, &Limits),
    failed: &Failed,
) -> PyResult<Contestant> {
    if given.is_callable() {
        return called(given, failed);
    }
    let Ok(text) = given.extract::<String>() else {
        return Err(refuse("a player is a function of a position, or a text such as `level:5`"));
    };
    let who = Who::parse(&text, session).map_err(refuse)?.filter(Who::is_computer);
    let Some(who) = who else {
        let expected = "expected `level:N`, `seed:NAME`, `random`, `beginner` or `engine`";
        return Err(refuse(format!(
            "there is no player `{}`; {expected}",
            rules::game::shorten(&text)
        )));
    };
    let limits = if counts(&who) { Limits::default() } else { limits.clone() };
    let name = who.name(session).unwrap_or(text);
    let make =
        move || Ok(Box::new(Local::new(who.clone(), limits.clone(), entry, 16)) as Box<dyn Player>);
    Ok(Contestant { name, make: Box::new(make) })
}

/// Play a match: games in pairs with sides exchanged, each pair from its own opening.
///
/// An opening is `opening` random turns: two, or none if `start` says where the pairs begin. That
/// is a position, a list of positions that are taken in turn, or a function without arguments
/// that returns one.
///
/// A player is `level:N`, `seed:NAME`, `random`, `beginner`, `engine`, or a function that gets
/// a position and returns a turn or the number of a move; an illegal answer raises
/// `ValueError`. `time_ms`, `nodes` and `depth` limit the turns of `engine` and `level:10`,
/// which think for 100 ms if none is given. Nothing limits the other levels: a seed gives the
/// same match however busy the machine is, on any number of threads.
///
/// ```python
/// >>> result = arena("gekitai", "level:1", "random", games=4, seed=1)
/// >>> result.wins + result.draws + result.losses
/// 4
/// ```
#[pyfunction]
#[pyo3(signature = (
    game, player, opponent, *, games=100, start=None, opening=None, seed=0, max_turns=400, threads=1, time_ms=None,
    nodes=None, depth=None
))]
#[expect(clippy::too_many_arguments)]
pub fn arena(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    player: &Bound<'_, PyAny>,
    opponent: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = whole)] games: usize,
    start: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = maybe)] opening: Option<usize>,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole)] max_turns: usize,
    #[pyo3(from_py_with = whole)] threads: usize,
    #[pyo3(from_py_with = maybe)] time_ms: Option<u64>,
    #[pyo3(from_py_with = maybe)] nodes: Option<u64>,
    #[pyo3(from_py_with = maybe)] depth: Option<u64>,
) -> PyResult<MatchResult> {
    let limits = limits([time_ms, nodes, depth, None, None], Duration::from_millis(100))?;
    let (game, failed) = (meant(game)?, Failed::default());
    let (session, entry) = (game.start.session(), game.entry()?);
    let read = |given| contestant(given, session.as_ref(), (entry, &limits), &failed);
    let contestants = [read(player)?, read(opponent)?];
    let names = (contestants[0].name.clone(), contestants[1].name.clone());
    let opening = opening.unwrap_or(if start.is_some() { 0 } else { 2 });
    let plan = Plan { games, opening, seed, max_turns, concurrency: threads.clamp(1, 64) };
    let begins: Vec<_> = match start {
        None => vec![session],
        Some(given) if given.is_callable() => (0..games.div_ceil(2))
            .map(|_| Ok(sampled(&game, given)?.pos.session()))
            .collect::<PyResult<_>>()?,
        Some(given) => starts(&game, given)?.iter().map(|own| own.pos.session()).collect(),
    };
    let arena = Arena::from_starts(begins, contestants, plan).map_err(refuse)?;
    let stop = Stop::default();
    let switch = stop.clone();
    let work = Work::<Played, ()>::begin(&stop, move |tell| {
        arena.run(&BTreeSet::new(), &mut |played| match tell.send(played) {
            Ok(()) if !switch.is_stopped() => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
    })?;
    let (mut tally, mut all) = (Tally::default(), Vec::new());
    while let Some(game) = work.next(py)? {
        if let Some(error) = lock(&failed).take() {
            stop.stop();
            return Err(error);
        }
        tally.add(&game);
        all.push((game.number, game.record));
    }
    work.end(py);
    all.sort_by_key(|(number, _)| *number);
    let total = tally.total();
    let records = all.into_iter().map(|(_, record)| Py::new(py, Record { record }));
    Ok(MatchResult {
        names,
        wins: total.wins,
        draws: total.draws,
        losses: total.losses,
        elo: tally.elo().map(|elo| (elo.value, elo.low, elo.high)),
        records: records.collect::<PyResult<_>>()?,
    })
}
