//! `Engine`: searches, all at once or depth by depth, and the turns that levels play.

use crate::convert::{list, maybe, refuse, restored_by, to_python, whole};
use crate::game::{Game, meant};
use crate::position::{Position, session};
use crate::wait::{Work, lock, wait, wait_until};
use ::engine::{Limits, Session, Stop, Thinker, Who};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use requests::{Budget, Effort};
use rules::random::Random;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The default time of a search.
const USUAL: Duration = Duration::from_secs(1);

/// A caller's limits: milliseconds, nodes, depth, lines and threads.
pub type Given = [Option<u64>; 5];

/// The limits of a search, refused in the words of requests.
pub fn limits(given: Given, usual: Duration) -> PyResult<Limits> {
    let fields = Effort::FIELDS.into_iter().zip(given);
    let given = fields.filter_map(|(name, value)| Some((name.into(), value?.into())));
    let effort: Effort =
        serde_json::from_value(Value::Object(given.collect::<Map<_, _>>())).map_err(refuse)?;
    effort.limits(&Budget::OWN, usual).map_err(|refusal| match &refusal.field {
        Some(field) => refuse(format!("{field}: {}", refusal.message)),
        None => refuse(refusal.message),
    })
}

/// Whether a player is limited by the number of positions that it looks at. With a time limit as well, it would play
/// differently on a busy machine.
pub fn counts(who: &Who) -> bool {
    who.level().is_some_and(|level| !level.is_limited_by_time())
}

/// A line of play that a search has found.
#[pyclass(frozen, get_all, eq, module = "quadrille")]
#[derive(Clone, PartialEq)]
pub struct Line {
    /// Its turns, all of them whole.
    turns: Vec<String>,
    /// Its value for the player to move, in roughly hundredths of a piece.
    score: i32,
    /// The number of the winner's turns until a certain win; negative if it is lost.
    win_in: Option<i32>,
    /// The certificate that proves the value, if one does.
    proof: Option<String>,
}

/// A line as it was pickled.
#[pyfunction]
pub fn _line(
    #[pyo3(from_py_with = list)] turns: Vec<String>,
    score: i32,
    win_in: Option<i32>,
    proof: Option<String>,
) -> Line {
    Line { turns, score, win_in, proof }
}

#[pymethods]
impl Line {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Line { turns, score, win_in, proof } = self;
        restored_by(py, "_line", (turns.clone(), *score, *win_in, proof.clone()))
    }

    fn __repr__(&self) -> String {
        let win = self.win_in.map_or_else(String::new, |turns| format!(", win_in={turns}"));
        format!("Line({:?}, score={}{win})", self.turns.join(" "), self.score)
    }
}

/// What a search has found.
#[pyclass(frozen, get_all, eq, module = "quadrille")]
#[derive(Clone, PartialEq)]
pub struct Analysis {
    /// How many moves deep it has looked.
    depth: u32,
    /// How many positions it has looked at.
    nodes: u64,
    /// How long it took, in milliseconds.
    time_ms: f64,
    /// The best lines, the best one first.
    lines: Vec<Line>,
}

impl From<&::engine::Analysis> for Analysis {
    fn from(found: &::engine::Analysis) -> Analysis {
        let line = |line: &::engine::AnalysedLine| Line {
            turns: line.turns.clone(),
            score: line.score,
            win_in: line.win_in,
            proof: line.proof.map(str::to_owned),
        };
        Analysis {
            depth: found.depth,
            nodes: found.nodes,
            time_ms: found.time.as_secs_f64() * 1e3,
            lines: found.lines.iter().map(line).collect(),
        }
    }
}

/// An analysis as it was pickled.
#[pyfunction]
pub fn _analysis(
    depth: u32,
    nodes: u64,
    time_ms: f64,
    #[pyo3(from_py_with = list)] lines: Vec<Bound<'_, Line>>,
) -> Analysis {
    Analysis { depth, nodes, time_ms, lines: lines.iter().map(|line| line.get().clone()).collect() }
}

#[pymethods]
impl Analysis {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Analysis { depth, nodes, time_ms, lines } = self;
        restored_by(py, "_analysis", (*depth, *nodes, *time_ms, lines.clone()))
    }

    /// The best turn.
    #[getter]
    fn best(&self) -> Option<&str> {
        self.lines.first()?.turns.first().map(String::as_str)
    }

    /// The value of the best turn for the player to move.
    #[getter]
    fn score(&self) -> Option<i32> {
        self.lines.first().map(|line| line.score)
    }

    /// The number of the winner's turns until a certain win; negative if it is lost.
    #[getter]
    fn win_in(&self) -> Option<i32> {
        self.lines.first()?.win_in
    }

    /// Return everything as plain values.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let line = |line: &Line| json!({"turns": line.turns, "score": line.score, "win_in": line.win_in, "proof": line.proof});
        let lines: Vec<_> = self.lines.iter().map(line).collect();
        let Analysis { depth, nodes, time_ms, .. } = self;
        to_python(py, &json!({"depth": depth, "nodes": nodes, "time_ms": time_ms, "lines": lines}))
    }

    fn __repr__(&self) -> String {
        let best = self.lines.first().map_or_else(String::new, Line::__repr__);
        format!("<Analysis depth {}, {} positions: {best}>", self.depth, self.nodes)
    }

    fn _repr_html_(&self) -> String {
        let row = |line: &Line| {
            let worth = match line.win_in {
                Some(turns) if turns > 0 => format!("wins in {turns}"),
                Some(turns) => format!("loses in {}", -turns),
                None if line.proof.is_some() => "draw".to_owned(),
                None => format!("{:+.2}", f64::from(line.score) / 100.0),
            };
            format!(
                "<tr><td>{worth}</td><td style=\"text-align:left\">{}</td></tr>",
                line.turns.join(" ")
            )
        };
        let rows: String = self.lines.iter().map(row).collect();
        format!(
            "<table><caption>depth {}, {} positions, {:.1} s</caption>\
             <thead><tr><th>for the player to move</th><th style=\"text-align:left\">line</th></tr></thead>\
             <tbody>{rows}</tbody></table>",
            self.depth,
            self.nodes,
            self.time_ms / 1e3
        )
    }
}

type Shared = Arc<Mutex<Box<dyn Thinker>>>;

/// An engine that remembers between searches. Threads may share it: they take turns.
///
/// `level` (1 to 10) is for `play`; without one the engine plays as well as it can.
/// `memory` is the size of its table in MiB, and `seed` decides what levels leave to chance.
///
/// ```python
/// >>> engine = Engine("gekitai")
/// >>> engine.search(Game("gekitai").start(), nodes=1000).nodes <= 1000
/// True
/// ```
#[pyclass(frozen, module = "quadrille")]
pub struct Engine {
    game: Game,
    level: Option<u8>,
    memory: usize,
    thinker: Shared,
    random: Arc<Mutex<Random>>,
    /// The stop flags of the searches that may be running.
    running: Mutex<Vec<Stop>>,
}

impl Engine {
    /// A stop flag for a new search, which `stop` sets.
    fn switch(&self) -> Stop {
        let stop = Stop::default();
        let mut running = lock(&self.running);
        running.retain(|other| !other.is_stopped());
        running.push(stop.clone());
        stop
    }

    /// Lets the engine work without the GIL; `stop` and Ctrl-C end it.
    fn wait<R: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn Thinker, &Stop) -> R + Send + 'static,
    ) -> PyResult<R> {
        let (thinker, stop) = (Arc::clone(&self.thinker), self.switch());
        let done = wait_until(py, &stop, move |stop| work(lock(&thinker).as_mut(), stop));
        stop.stop();
        lock(&self.running).retain(|other| !other.is_stopped());
        done
    }

    fn open(&self, given: &Bound<'_, PyAny>) -> PyResult<Box<dyn Session>> {
        let session = session(given)?;
        let (own, other) = (self.game.start.info(), session.info());
        match own.id == other.id {
            true => Ok(session),
            false => Err(refuse(format!("this is {}, but the engine plays {}", other.id, own.id))),
        }
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (game, *, level=None, memory=16, seed=0))]
    fn new(
        game: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = maybe)] level: Option<u8>,
        #[pyo3(from_py_with = whole)] memory: usize,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Engine> {
        let game = meant(game)?;
        if let Some(level) = level {
            let who = Who::Level { level };
            who.in_game(game.start.session().as_ref()).map_err(refuse)?;
        }
        if !(1..=65_536).contains(&memory) {
            return Err(refuse(format!("memory must be 1 to 65536 MiB, got {memory}")));
        }
        let thinker = (game.entry()?.thinker)(memory);
        Ok(Engine {
            game,
            level,
            memory,
            thinker: Arc::new(Mutex::new(thinker)),
            random: Arc::new(Mutex::new(Random::new(seed))),
            running: Mutex::default(),
        })
    }

    /// The game that it plays, with any options.
    #[getter]
    fn game(&self) -> Game {
        Game { start: self.game.start.clone() }
    }

    /// The level that it plays at, 1 to 10, or None for its full strength.
    #[getter]
    fn level(&self) -> Option<u8> {
        self.level
    }

    /// Search until a limit is reached: `time_ms`, `nodes` or `depth`, in moves.
    ///
    /// Without any, it searches for a second. `lines` is how many best lines to find. Returns
    /// None if the game is over. With `nodes` or `depth` and one thread, a fresh engine always
    /// gives the same answer.
    #[pyo3(signature = (position, *, time_ms=None, nodes=None, depth=None, lines=None, threads=None))]
    #[expect(clippy::too_many_arguments)]
    fn search(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = maybe)] time_ms: Option<u64>,
        #[pyo3(from_py_with = maybe)] nodes: Option<u64>,
        #[pyo3(from_py_with = maybe)] depth: Option<u64>,
        #[pyo3(from_py_with = maybe)] lines: Option<u64>,
        #[pyo3(from_py_with = maybe)] threads: Option<u64>,
    ) -> PyResult<Option<Analysis>> {
        let limits = limits([time_ms, nodes, depth, lines, threads], USUAL)?;
        let game = self.open(position)?;
        let found = self.wait(py, move |thinker, stop| {
            thinker.think(game.as_ref(), &limits, stop, &mut |_| {})
        })?;
        Ok(found.as_ref().map(Analysis::from))
    }

    /// Search in the background, and report what was found after every depth.
    ///
    /// The limits are those of `search`; without any, it searches for ten seconds.
    ///
    /// ```python
    /// >>> search = engine.analyse(position, depth=2)
    /// >>> [found.lines[0].win_in for found in search][-1]
    /// 19
    /// ```
    #[pyo3(signature = (position, *, time_ms=None, nodes=None, depth=None, lines=None, threads=None))]
    fn analyse(
        &self,
        position: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = maybe)] time_ms: Option<u64>,
        #[pyo3(from_py_with = maybe)] nodes: Option<u64>,
        #[pyo3(from_py_with = maybe)] depth: Option<u64>,
        #[pyo3(from_py_with = maybe)] lines: Option<u64>,
        #[pyo3(from_py_with = maybe)] threads: Option<u64>,
    ) -> PyResult<Search> {
        let limits = limits([time_ms, nodes, depth, lines, threads], Duration::from_secs(10))?;
        let (game, thinker, stop) =
            (self.open(position)?, Arc::clone(&self.thinker), self.switch());
        let switch = stop.clone();
        let work = Work::begin(&stop, move |tell| {
            let mut last = None;
            let mut each = |found: &::engine::Analysis| {
                last = Some(found.clone());
                let _ = tell.send(Analysis::from(found));
            };
            let found = lock(&thinker).think(game.as_ref(), &limits, &switch, &mut each);
            if let Some(found) = found.filter(|found| last.as_ref() != Some(found)) {
                let _ = tell.send(Analysis::from(&found));
            }
        })?;
        Ok(Search { work })
    }

    /// Choose a turn: that of the engine's level, or else the best within the limits.
    ///
    /// Levels 1 to 9 look at a fixed number of positions, so they play the same on any machine,
    /// unless `time_ms` is given. Level 10 and an engine without a level think for 1.5 seconds
    /// if no limit is given. Returns None if the game is over.
    #[pyo3(signature = (position, *, time_ms=None, nodes=None, depth=None, threads=None))]
    fn play(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = maybe)] time_ms: Option<u64>,
        #[pyo3(from_py_with = maybe)] nodes: Option<u64>,
        #[pyo3(from_py_with = maybe)] depth: Option<u64>,
        #[pyo3(from_py_with = maybe)] threads: Option<u64>,
    ) -> PyResult<Option<String>> {
        let who = self.level.map_or(Who::Engine, |level| Who::Level { level });
        let given = [time_ms, nodes, depth, None, threads];
        let mut limits = limits(given, Duration::from_millis(1500))?;
        if counts(&who) {
            limits.time = time_ms.map(Duration::from_millis);
        }
        let (game, random) = (self.open(position)?, Arc::clone(&self.random));
        self.wait(py, move |thinker, stop| {
            let mut random = lock(&random);
            who.choose(game.as_ref(), || thinker, (&limits, stop), &mut random, &mut |_| {})
        })
    }

    /// Estimate a position without a search, for the player to move.
    fn glance(&self, py: Python<'_>, position: &Bound<'_, PyAny>) -> PyResult<i32> {
        let game = self.open(position)?;
        self.wait(py, move |thinker, _| thinker.static_eval(game.as_ref()))
    }

    /// End all searches of this engine, from any thread; they return what they have found.
    fn stop(&self) {
        lock(&self.running).drain(..).for_each(|stop| stop.stop());
    }

    /// Clear the tables, as before a new game; a seed restarts the random numbers.
    #[pyo3(signature = (*, seed=None))]
    fn forget(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = maybe)] seed: Option<u64>,
    ) -> PyResult<()> {
        if let Some(seed) = seed {
            *lock(&self.random) = Random::new(seed);
        }
        let thinker = Arc::clone(&self.thinker);
        py.detach(|| lock(&thinker).forget());
        Ok(())
    }

    /// An engine with the same settings and random numbers, which has searched nothing yet.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, own) = (slf.py(), slf.get());
        let settings = PyDict::new(py);
        settings.set_item("level", own.level)?;
        settings.set_item("memory", own.memory)?;
        settings.set_item("seed", lock(&own.random).state())?;
        let make =
            py.import("functools")?.call_method("partial", (slf.get_type(),), Some(&settings))?;
        (make, (own.game(),)).into_pyobject(py).map(Bound::into_any)
    }

    fn __repr__(&self) -> String {
        let level = self.level.map_or_else(String::new, |level| format!(", level={level}"));
        format!("Engine('{}'{level})", self.game.start.info().id)
    }
}

/// A search in the background: iterate over what it finds. Leaving its `with` ends it.
#[pyclass(frozen, module = "quadrille")]
pub struct Search {
    work: Work<Analysis, ()>,
}

#[pymethods]
impl Search {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Analysis>> {
        let told = self.work.next(py)?;
        if told.is_none() {
            self.work.end(py);
        }
        Ok(told)
    }

    /// End the search; what it has found by then is still reported.
    fn stop(&self) {
        self.work.stop();
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&self, _args: &Bound<'_, PyAny>) {
        self.work.stop();
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.work.stop();
    }
}

/// Choose a turn as a beginner does, who sees one turn ahead; None if the game is over.
#[pyfunction]
#[pyo3(signature = (position, *, seed=0))]
pub fn beginner(
    position: &Position,
    #[pyo3(from_py_with = whole)] seed: u64,
) -> PyResult<Option<String>> {
    let session = position.pos.session();
    let thinker = (crate::game::entry(session.info().id)?.thinker)(0);
    Ok(thinker.beginners_turn(session.as_ref(), &mut Random::new(seed)))
}

/// Choose a turn as a player of the original program does; None if the game is over.
#[pyfunction]
#[pyo3(signature = (position, player, *, seed=0))]
pub fn seed_player(
    py: Python<'_>,
    position: &Position,
    player: &str,
    #[pyo3(from_py_with = whole)] seed: u64,
) -> PyResult<Option<String>> {
    let session = position.pos.session();
    let who = Who::Seed { player: player.to_owned() }.in_game(session.as_ref()).map_err(refuse)?;
    let Who::Seed { player } = who else { return Ok(None) };
    wait(py, move |_| session.seed_choose(&player, &mut Random::new(seed)))
}
