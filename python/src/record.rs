//! `Record`: a whole game with its tags, remarks and variations.

use crate::any::Any;
use crate::convert::{check_file, dict, list, outcome, refuse, to_python};
use crate::game::{Game, entry, meant, present};
use crate::position::Position;
use crate::wait::lock;
use engine::Session;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rules::record;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Mutex;

/// A whole game with its tags and comments. Turns are checked when positions are asked for.
///
/// ```python
/// >>> record = Record.of("gekitai", ["c3", "d4"], {"Player1": "Ann"})
/// >>> Record(record.text) == record
/// True
/// ```
#[pyclass(frozen, module = "quadrille")]
pub struct Record {
    /// The parsed record.
    pub record: record::Record,
}

impl Record {
    /// The match of the record.
    pub fn session(&self) -> PyResult<Box<dyn Session>> {
        let entry = entry(self.record.game().map_err(refuse)?)?;
        (entry.from_record)(&self.record).map_err(refuse)
    }

    fn replay(&self) -> PyResult<Vec<Any>> {
        Any::replay(&self.record).map_err(refuse)
    }
}

#[pymethods]
impl Record {
    #[new]
    fn new(text: &str) -> PyResult<Record> {
        Ok(Record { record: record::Record::parse(text).map_err(refuse)? })
    }

    /// Make the record of a game from its turns, which are checked.
    #[staticmethod]
    #[pyo3(signature = (start, turns, tags=None))]
    fn of(
        start: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = list)] turns: Vec<String>,
        tags: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Record> {
        let mut session = match start.cast::<Position>() {
            Ok(position) => position.get().pos.session(),
            Err(_) => meant(start)?.start.session(),
        };
        for (i, turn) in turns.iter().enumerate() {
            session.play(turn).map_err(|error| refuse(format!("turns[{i}]: {error}")))?;
        }
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (name, value) in tags.into_iter().flatten() {
            let name: String = name.extract()?;
            if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
                let name = rules::game::shorten(&name);
                return Err(refuse(format!("a tag's name is letters and digits, got `{name}`")));
            }
            pairs.push((name, value.str()?.to_string()));
        }
        let tags: Vec<_> =
            pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let made = session.record(&tags);
        // A tag that the record has by itself, such as `Game`, would be there twice.
        let read = record::Record::parse(&made.to_string());
        match read.map_err(|error| refuse(format!("tags: {}", error.message)))? {
            read if read == made => Ok(Record { record: made }),
            _ => Err(refuse("tags: a value cannot be written to a record")),
        }
    }

    /// The game with its options.
    #[getter]
    fn game(&self) -> PyResult<Game> {
        let options = self.record.options().map_err(refuse)?;
        let entry = entry(self.record.game().map_err(refuse)?)?;
        if self.record.tag("Position").is_some() {
            return self.start().and_then(|start| Game::of(&start.pos));
        }
        Ok(Game { start: present((entry.start)(&options).map_err(refuse)?.as_ref())? })
    }

    /// The tags, by name.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        self.record.tags.iter().try_for_each(|(name, value)| dict.set_item(name, value))?;
        Ok(dict)
    }

    /// The turns of the main line.
    #[getter]
    fn turns(&self) -> Vec<&str> {
        self.record.main.nodes.iter().map(|node| node.turn.as_str()).collect()
    }

    /// The comment after each turn, mostly empty.
    #[getter]
    fn comments(&self) -> Vec<&str> {
        self.record.main.nodes.iter().map(|node| node.comment.as_str()).collect()
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[getter]
    fn result(&self) -> String {
        self.record.result.to_string()
    }

    /// The winner, "draw", or None if it is not known.
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        outcome(py, self.record.result.outcome())
    }

    /// The record as it is written to files.
    #[getter]
    fn text(&self) -> String {
        self.record.to_string()
    }

    /// The record as SGF, the Smart Game Format.
    #[getter]
    fn sgf(&self) -> String {
        self.record.to_sgf()
    }

    /// The position before the first turn.
    #[getter]
    fn start(&self) -> PyResult<Position> {
        let bare = record::Record {
            main: record::Variation::default(),
            result: record::Verdict::Open,
            ..self.record.clone()
        };
        let mut start = Any::replay(&bare).map_err(refuse)?;
        Ok(Position { pos: start.swap_remove(0) })
    }

    /// Return all positions, turn by turn; raises `ValueError` if a turn is not legal.
    fn positions(&self) -> PyResult<Vec<Position>> {
        Ok(self.replay()?.into_iter().map(|pos| Position { pos }).collect())
    }

    /// The position after the last turn.
    #[getter]
    fn end(&self) -> PyResult<Position> {
        let last = self.replay()?.pop();
        last.map(|pos| Position { pos }).ok_or_else(|| refuse("the record has no position"))
    }

    /// Return the game as plain values, one for each column of a table.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let options = Value::Object(self.record.options().map_err(refuse)?);
        let tag = |name| self.record.tag(name).into_pyobject(py);
        let entries = [
            ("game", self.record.game().map_err(refuse)?.into_pyobject(py)?.into_any()),
            ("options", options.to_string().into_pyobject(py)?.into_any()),
            ("position", tag("Position")?),
            ("player1", tag("Player1")?),
            ("player2", tag("Player2")?),
            ("result", self.result().into_pyobject(py)?.into_any()),
            ("turns", self.turns().into_pyobject(py)?.into_any()),
        ];
        let all = dict(py, &entries)?;
        all.set_item("tags", to_python(py, &tags_json(&self.record))?)?;
        Ok(all)
    }

    fn __len__(&self) -> usize {
        self.record.main.nodes.len()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Record>().is_ok_and(|other| other.get().record == self.record)
    }

    fn __hash__(&self) -> u64 {
        let bytes = self.record.to_string();
        bytes.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    fn __str__(&self) -> String {
        self.record.to_string()
    }

    fn __repr__(&self) -> String {
        let game = self.record.tag("Game").unwrap_or("?");
        let turns = rules::game::counted(self.__len__(), "turn");
        format!("<Record {game} {turns} {}>", self.record.result)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().into_any(), (slf.get().record.to_string(),)))
    }

    /// Shows the game in a notebook: with a slider where there are widgets, else its end.
    fn _ipython_display_(slf: &Bound<'_, Self>) -> PyResult<()> {
        slf.py().import("quadrille.notebook")?.call_method1("show_record", (slf,)).map(drop)
    }
}

fn tags_json(record: &record::Record) -> Value {
    let pair = |(name, value): &(String, String)| (name.clone(), Value::from(value.as_str()));
    Value::Object(record.tags.iter().map(pair).collect())
}

/// The records of a file, one after the other.
#[pyclass(frozen, module = "quadrille")]
pub struct Records {
    lines: Mutex<Lines>,
}

struct Lines {
    name: String,
    input: BufReader<std::fs::File>,
    /// The line that the next record begins with.
    kept: String,
    /// How many lines have been read.
    line: usize,
}

impl Lines {
    /// The text of the next record and the line where it begins. A blank line is followed by a tag only
    /// between two records.
    fn next(&mut self) -> Result<Option<(usize, String)>, String> {
        let mut text = std::mem::take(&mut self.kept);
        let mut first = self.line.max(1);
        let mut blank = false;
        loop {
            let mut line = String::new();
            let read = self.input.read_line(&mut line);
            if read.map_err(|error| format!("cannot read {}: {error}", self.name))? == 0 {
                break;
            }
            self.line += 1;
            if blank && line.starts_with('[') && !text.trim().is_empty() {
                self.kept = line;
                break;
            }
            blank = line.trim().is_empty();
            if text.is_empty() {
                first = self.line;
            }
            text.push_str(&line);
        }
        Ok((!text.trim().is_empty()).then_some((first, text)))
    }
}

#[pymethods]
impl Records {
    #[new]
    fn new(path: PathBuf) -> PyResult<Records> {
        let name = path.display().to_string();
        check_file(&path)?;
        let input = BufReader::new(std::fs::File::open(&path)?);
        Ok(Records { lines: Mutex::new(Lines { name, input, kept: String::new(), line: 0 }) })
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Record>> {
        let read = || {
            let mut lines = lock(&self.lines);
            let Some((first, text)) = lines.next()? else { return Ok(None) };
            let parsed = record::Record::parse(&text);
            parsed.map(Some).map_err(|error| {
                let line = first + error.line.saturating_sub(1);
                format!("{}, line {line}: {}", lines.name, error.message)
            })
        };
        let record = py.detach(read).map_err(refuse)?;
        Ok(record.map(|record| Record { record }))
    }
}
