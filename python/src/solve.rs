//! Proofs: `solve`, `verify`, tables of exact results, and puzzles.

use crate::any::Any;
use crate::convert::{check_file, list, maybe, refuse, restored_by, whole};
use crate::game::{entry, meant};
use crate::position::{Position, maybe_player};
use crate::wait::{lock, wait};
use ::engine::puzzles::{self, Collect};
use ::engine::solve::certificate::{Claim, decompress, game_of};
use ::engine::solve::question::{Method, Settings};
use ::engine::{Entry, find};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rules::Player;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

/// What an attempt to solve a position has found.
#[pyclass(frozen, get_all, module = "quadrille")]
pub struct Solution {
    /// Who wins, if that is proven.
    winner: Option<u8>,
    /// The number of the winner's turns at most.
    turns: Option<u32>,
    /// Whether there is no quicker win.
    exact: bool,
    /// A line that shows it, turn by turn.
    line: Vec<String>,
    /// Who cannot force a win, if that is proven: one player or both.
    held: Vec<u32>,
    /// The certificate as text, if there is one.
    certificate: Option<String>,
    /// For each player, the number of turns within which there is no win.
    no_win: (u32, u32),
    /// How many positions were looked at.
    nodes: u64,
    /// How long it took, in milliseconds.
    time_ms: f64,
}

/// A solution as it was pickled.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn _solution(
    winner: Option<u8>,
    turns: Option<u32>,
    exact: bool,
    #[pyo3(from_py_with = list)] line: Vec<String>,
    #[pyo3(from_py_with = list)] held: Vec<u32>,
    certificate: Option<String>,
    no_win: (u32, u32),
    nodes: u64,
    time_ms: f64,
) -> Solution {
    Solution { winner, turns, exact, line, held, certificate, no_win, nodes, time_ms }
}

#[pymethods]
impl Solution {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (line, held, certificate) =
            (self.line.clone(), self.held.clone(), self.certificate.clone());
        let Solution { winner, turns, exact, no_win, nodes, time_ms, .. } = *self;
        let all = (winner, turns, exact, line, held, certificate, no_win, nodes, time_ms);
        restored_by(py, "_solution", all)
    }

    fn __repr__(&self) -> String {
        match (self.winner, self.turns) {
            (Some(player), Some(turns)) => {
                let most = if self.exact { "" } else { " at most" };
                format!("<Solution player {player} wins in {turns} turns{most}>")
            }
            _ if self.held.len() == 2 => "<Solution nobody can force a win>".to_owned(),
            _ if self.held.len() == 1 => {
                format!("<Solution player {} cannot force a win>", self.held[0])
            }
            _ => format!("<Solution unknown after {} positions>", self.nodes),
        }
    }
}

/// Look for a proven win, for a minute if no limit is given.
///
/// `turns` is the most turns that the winner may take, and `player` the only winner to look for.
/// `memory` is in MiB.
///
/// ```python
/// >>> solution = solve(Game("gekitai", size=5, markers=4).start(), nodes=2_000_000)
/// >>> solution.winner, verify(solution.certificate).winner
/// (1, 1)
/// ```
#[pyfunction]
#[pyo3(signature = (
    position, *, time_ms=None, nodes=None, turns=None, player=None, method="all", memory=256
))]
#[expect(clippy::too_many_arguments)]
pub fn solve(
    py: Python<'_>,
    position: &Position,
    #[pyo3(from_py_with = maybe)] time_ms: Option<u64>,
    #[pyo3(from_py_with = maybe)] nodes: Option<u64>,
    #[pyo3(from_py_with = maybe)] turns: Option<u32>,
    #[pyo3(from_py_with = maybe)] player: Option<u8>,
    method: &str,
    #[pyo3(from_py_with = whole)] memory: usize,
) -> PyResult<Solution> {
    let method = match method {
        "all" => Method::All,
        "proof" => Method::Proof,
        "bound" => Method::Bound,
        "quiet" => Method::Quiet,
        "draw" => Method::Draw,
        other => {
            let other = rules::game::shorten(other);
            return Err(refuse(format!(
                "method must be all, proof, bound, quiet or draw, got `{other}`"
            )));
        }
    };
    if !(1..=65_536).contains(&memory) {
        return Err(refuse(format!("memory must be 1 to 65536 MiB, got {memory}")));
    }
    let otherwise = (nodes.is_none() && turns.is_none()).then_some(60_000);
    let settings = Settings {
        method,
        player: maybe_player(player)?,
        most_turns: turns,
        time: time_ms.or(otherwise).map(Duration::from_millis),
        nodes,
        mebibytes: memory,
        threads: 1,
        checkpoint: None,
        resume: None,
    };
    let session = position.pos.session();
    let entry = entry(session.info().id)?;
    let report =
        wait(py, move |stop| (entry.solve)(session.as_ref(), &settings, stop, &mut |_| {}))?;
    let report = report.map_err(refuse)?;
    let (win, draw) = (report.win, report.draw);
    let held =
        draw.iter().flat_map(|draw| &draw.against).map(|player| player.number().into()).collect();
    Ok(Solution {
        winner: win.as_ref().map(|win| win.player.number()),
        turns: win.as_ref().map(|win| win.turns),
        exact: win.as_ref().is_some_and(|win| win.exact),
        line: win.as_ref().map(|win| win.line.clone()).unwrap_or_default(),
        held,
        certificate: win
            .and_then(|win| win.certificate)
            .map(|(text, _)| text)
            .or(draw.map(|draw| draw.certificate.0)),
        no_win: (report.progress.no_win[0], report.progress.no_win[1]),
        nodes: report.progress.nodes,
        time_ms: report.progress.time.as_secs_f64() * 1e3,
    })
}

/// A certificate that holds.
#[pyclass(frozen, get_all, module = "quadrille")]
pub struct Proof {
    /// The position that the claim is about.
    position: Position,
    /// Who wins it, if that is the claim.
    winner: Option<u8>,
    /// The number of the winner's moves at most.
    within: Option<u32>,
    /// Who cannot force a win, if that is the claim: one player or both.
    held: Vec<u32>,
    /// How many positions the certificate stores.
    stored: usize,
    /// How many replies were checked.
    replies: u64,
    /// How many positions were looked at.
    positions: u64,
}

/// A proof as it was pickled.
#[pyfunction]
pub fn _proof(
    position: &Position,
    winner: Option<u8>,
    within: Option<u32>,
    #[pyo3(from_py_with = list)] held: Vec<u32>,
    counts: (usize, u64, u64),
) -> Proof {
    let (position, (stored, replies, positions)) = (position.clone(), counts);
    Proof { position, winner, within, held, stored, replies, positions }
}

#[pymethods]
impl Proof {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (position, held) = (self.position.clone(), self.held.clone());
        let Proof { winner, within, stored, replies, positions, .. } = *self;
        let all = (position, winner, within, held, (stored, replies, positions));
        restored_by(py, "_proof", all)
    }

    fn __repr__(&self) -> String {
        let Proof { winner, within, held, stored, .. } = self;
        let claim = match (winner, within, &held[..]) {
            (Some(winner), Some(within), _) => {
                format!("player {winner} wins within {within} moves")
            }
            (_, _, [player]) => format!("player {player} cannot force a win"),
            _ => "nobody can force a win".to_owned(),
        };
        format!("<Proof {claim}, {stored} stored positions>")
    }
}

/// A certificate: a file, or its text or bytes as they are.
pub enum Source<'py> {
    /// Compressed or not.
    Bytes(Bound<'py, PyBytes>),
    /// The text itself if it has several lines, else the name of a file.
    Text(String),
    /// A file.
    File(PathBuf),
}

impl<'py> FromPyObject<'_, 'py> for Source<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = given.cast::<PyBytes>() {
            return Ok(Source::Bytes(bytes.to_owned()));
        }
        if let Ok(text) = given.extract() {
            return Ok(Source::Text(text));
        }
        given.extract().map(Source::File).map_err(|_| {
            let kind = given.get_type().to_string();
            PyTypeError::new_err(format!(
                "a certificate is a file's path, or its text or bytes, got {kind}"
            ))
        })
    }
}

impl Source<'_> {
    fn bytes(self) -> PyResult<Vec<u8>> {
        let file = match self {
            Source::Bytes(bytes) => return Ok(bytes.as_bytes().to_vec()),
            Source::Text(text) if text.contains('\n') => return Ok(text.into_bytes()),
            Source::Text(name) => name.into(),
            Source::File(file) => file,
        };
        check_file(&file)?;
        Ok(std::fs::read(file)?)
    }
}

/// The game and the text of a certificate.
fn opened(bytes: &[u8]) -> Result<(&'static Entry, String), String> {
    let text = decompress(bytes).map_err(|fault| fault.to_string())?;
    let id = game_of(&text).map_err(|fault| fault.to_string())?;
    let entry = requests::game(&id).map_err(|refusal| refusal.message)?;
    Ok((entry, text))
}

/// Check a certificate by the rules alone: a file, or its text or bytes.
#[pyfunction]
pub fn verify(py: Python<'_>, certificate: Source<'_>) -> PyResult<Proof> {
    let bytes = certificate.bytes()?;
    let checked = wait(py, move |_| {
        let (entry, text) = opened(&bytes)?;
        let proven = (entry.verify)(&text, &mut |_, _| {}).map_err(|fault| fault.to_string())?;
        let session = (entry.from_text)(&proven.position, &Default::default());
        let session = session.map_err(|error| error.to_string())?;
        Ok::<_, String>((Any::of(session.as_ref()), proven))
    })?;
    let (pos, proven) = checked.map_err(refuse)?;
    let (winner, within, held) = match proven.claim {
        Claim::Wins { player, within } => (Some(player.number()), Some(within), vec![]),
        Claim::NoWin(player) => (None, None, vec![player.number().into()]),
        Claim::Nobody => (None, None, vec![1, 2]),
    };
    Ok(Proof {
        position: Position {
            pos: pos.ok_or_else(|| refuse("a game that this module does not know"))?,
        },
        winner,
        within,
        held,
        stored: proven.checked.stored,
        replies: proven.checked.replies,
        positions: proven.checked.positions,
    })
}

/// Read what a certificate stores: positions with the winner's move and its rank.
#[pyfunction]
pub fn certificate(
    py: Python<'_>,
    certificate: Source<'_>,
) -> PyResult<Vec<(Position, String, u32)>> {
    let bytes = certificate.bytes()?;
    let stored = wait(py, move |_| {
        let (entry, text) = opened(&bytes)?;
        Any::stored(entry.info.id, &text)
    })?;
    let stored = stored.map_err(refuse)?.into_iter();
    Ok(stored.map(|(pos, text, rank)| (Position { pos }, text, rank)).collect())
}

/// A position with its winner and in how many turns of both players.
type Exact = (Position, Option<u8>, Option<u32>);

fn exact_result(position: Position, result: Option<(Player, u32)>) -> Exact {
    let (player, turns) = result.unzip();
    (position, player.map(Player::number), turns)
}

/// Solve every reachable position, up to symmetry.
///
/// Each comes with its winner, or None, and the number of turns of both players until the win.
/// `memory` is in MiB.
#[pyfunction]
#[pyo3(signature = (position, *, memory=1024))]
pub fn solve_all(
    py: Python<'_>,
    position: &Position,
    #[pyo3(from_py_with = whole)] memory: usize,
) -> PyResult<Vec<Exact>> {
    let pos = position.pos.clone();
    // About how many bytes a position of a graph takes.
    let most = (memory << 20) / 600;
    let all = wait(py, move |stop| pos.solve_all(most, stop))?.map_err(refuse)?;
    Ok(all.into_iter().map(|(pos, result)| exact_result(Position { pos }, result)).collect())
}

/// Read a table of exact results, which the engine uses from now on.
#[pyfunction]
pub fn install_table(py: Python<'_>, file: PathBuf) -> PyResult<()> {
    check_file(&file)?;
    wait(py, move |_| ::engine::solve::install(&file))?.map_err(refuse)
}

/// The positions of a table of exact results in a file, up to symmetry.
///
/// Each comes with its winner, or None, and the number of turns of both players until the win.
#[pyclass(frozen, module = "quadrille")]
pub struct Table {
    results: Mutex<Box<dyn Iterator<Item = ::engine::solve::Exact> + Send>>,
}

#[pymethods]
impl Table {
    #[new]
    fn new(py: Python<'_>, file: PathBuf) -> PyResult<Table> {
        check_file(&file)?;
        let results = wait(py, move |_| ::engine::solve::results(&file))?;
        Ok(Table { results: Mutex::new(results.map_err(refuse)?) })
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self) -> PyResult<Option<Exact>> {
        let next = lock(&self.results).next();
        let exact = |(session, result): ::engine::solve::Exact| {
            Ok(exact_result(Position::of(session.as_ref())?, result))
        };
        next.map(exact).transpose()
    }
}

/// Look up a position that is not over in the installed table; None if it is not there.
///
/// Returns the winner, or None, and the number of turns of both players until the win.
#[pyfunction]
pub fn exact(position: &Position) -> Option<(Option<u8>, Option<u32>)> {
    let session = position.pos.session();
    let thinker = (find(session.info().id)?.thinker)(0);
    let result = thinker.exact(session.as_ref())?;
    Some((result.map(|(_, player)| player.number()), result.map(|(turns, _)| turns)))
}

/// A position with exactly one turn that wins soon enough.
#[pyclass(frozen, get_all, module = "quadrille")]
pub struct Puzzle {
    /// Where it begins.
    position: Position,
    /// In how many turns the player to move wins.
    turns: u32,
    /// The number of turns within which no other turn wins.
    only: u32,
    /// How many positions the engine looked at before it settled on the solution.
    rating: u64,
    /// The only turn, then the longest resistance, turn by turn to the end.
    solution: Vec<String>,
    /// The puzzle as the text of a record.
    record: String,
}

/// A puzzle as it was pickled.
#[pyfunction]
pub fn _puzzle(
    position: &Position,
    turns: u32,
    only: u32,
    rating: u64,
    #[pyo3(from_py_with = list)] solution: Vec<String>,
    record: String,
) -> Puzzle {
    Puzzle { position: position.clone(), turns, only, rating, solution, record }
}

#[pymethods]
impl Puzzle {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Puzzle { position, turns, only, rating, solution, record } = self;
        let texts = (solution.clone(), record.clone());
        let all = (position.clone(), *turns, *only, *rating, texts.0, texts.1);
        restored_by(py, "_puzzle", all)
    }

    fn __repr__(&self) -> String {
        let turns = rules::game::counted(self.turns as usize, "turn");
        format!("<Puzzle win in {turns}, rating {}: {}>", self.rating, self.position.pos.text())
    }

    fn _repr_svg_(&self) -> String {
        let diagram = self.position.pos.session().diagram();
        rules::svg::svg(&diagram, &rules::svg::Style { caption: true, ..Default::default() })
    }
}

impl Puzzle {
    fn of(puzzle: puzzles::Puzzle) -> PyResult<Puzzle> {
        let entry = entry(&puzzle.game)?;
        let session = (entry.from_text)(&puzzle.position, &Default::default()).map_err(refuse)?;
        Ok(Puzzle {
            position: Position::of(session.as_ref())?,
            turns: puzzle.turns,
            only: puzzle.only,
            rating: puzzle.rating,
            solution: puzzle.solution,
            record: puzzle.record,
        })
    }
}

/// Return the puzzles that come with a game; with `count`, collect new ones.
#[pyfunction]
#[pyo3(name = "puzzles", signature = (game, *, count=None, seed=0, games=1000))]
pub fn all_puzzles(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = maybe)] count: Option<usize>,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole)] games: u64,
) -> PyResult<Vec<Puzzle>> {
    let game = meant(game)?;
    let entry = game.entry()?;
    let Some(count) = count else {
        return puzzles::shipped(entry.info.id).into_iter().map(Puzzle::of).collect();
    };
    let (options, wanted) = (game.start.options(), Collect { count, seed, games });
    let found = wait(py, move |stop| (entry.puzzles)(&options, &wanted, stop, &mut |_, _| {}))?;
    found.map_err(refuse)?.into_iter().map(Puzzle::of).collect()
}

/// Read puzzles as `quadrille puzzles` writes them.
#[pyfunction]
pub fn read_puzzles(text: &str) -> PyResult<Vec<Puzzle>> {
    puzzles::read(text).map_err(refuse)?.into_iter().map(Puzzle::of).collect()
}
