//! `write_data`: games, puzzles and exact results in a file.

use crate::convert::{check_file, refuse, whole};
use crate::game::meant;
use crate::wait::wait;
use ::engine::data::{Play, Wanted, write};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Write games of the engine, puzzles and exact results as NumPy arrays or as Parquet.
///
/// The command `quadrille data` does the same. A file that ends with `.npz` is read by
/// `numpy.load`. One that ends with `.parquet` is a table, and what is added to games goes to
/// files of its own: `NAME-puzzles.parquet`, `NAME-exact.parquet`. A card next to it, which
/// ends with `.md`, tells what each array or column holds and how it was made. `puzzles` adds
/// those that come with the game, `complete` every position that can be reached from the start,
/// in `memory` MiB, and `table` the exact results of a file. Returns how many positions of
/// games, puzzles and exact results were written. The same settings write the same file on any
/// machine, with any number of threads.
#[pyfunction]
#[pyo3(signature = (
    game, file, *, games=100, opening=4, nodes=2000, lines=5, seed=1, max_turns=300, threads=1,
    puzzles=false, complete=false, memory=1024, table=None
))]
#[expect(clippy::too_many_arguments)]
pub fn write_data(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    file: PathBuf,
    #[pyo3(from_py_with = whole)] games: usize,
    #[pyo3(from_py_with = whole)] opening: usize,
    #[pyo3(from_py_with = whole)] nodes: u64,
    #[pyo3(from_py_with = whole)] lines: usize,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole)] max_turns: usize,
    #[pyo3(from_py_with = whole)] threads: usize,
    puzzles: bool,
    complete: bool,
    #[pyo3(from_py_with = whole)] memory: usize,
    table: Option<PathBuf>,
) -> PyResult<(usize, usize, usize)> {
    if nodes == 0 || !(1..=100).contains(&lines) || !(1..=256).contains(&threads) {
        return Err(refuse("nodes must be 1 or more, lines 1 to 100 and threads 1 to 256"));
    }
    table.as_deref().map_or(Ok(()), check_file)?;
    let game = meant(game)?;
    let entry = game.entry()?;
    let play = Play { games, opening, nodes, lines, seed, max_turns, threads };
    let wanted = Wanted { play, puzzles, complete: complete.then_some(memory), table };
    let start = game.start.session();
    let written =
        wait(py, move |stop| write(entry, start.as_ref(), &wanted, &file, stop, &mut |_| {}))?;
    let written = written.map_err(refuse)?;
    Ok((written.positions, written.puzzles, written.exact))
}
