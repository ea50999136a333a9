//! Quadrille for Python: the same games, engine and proofs as values.
//!
//! `quadrille/_quadrille.pyi` describes what Python sees, and `docs/python.md` how it is used. Everything
//! that thinks runs in a thread of its own, without Python's lock, and ends at Ctrl-C.

mod actions;
mod any;
mod arena;
mod batch;
mod convert;
mod engine;
mod game;
mod many;
mod position;
mod record;
mod solve;
mod wait;

use pyo3::prelude::*;

/// Fails as a mistake of the program would, for tests of what becomes of it.
#[pyfunction]
#[pyo3(signature = (*, thread=false))]
fn _panic(py: Python<'_>, thread: bool) -> PyResult<()> {
    let fail = || -> PyResult<()> { panic!("a mistake of the program") };
    if thread { wait::wait(py, &::engine::Stop::default(), fail)? } else { fail() }
}

/// The native part of the package.
#[pymodule]
fn _quadrille(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<game::Game>()?;
    module.add_class::<position::Position>()?;
    module.add_class::<record::Record>()?;
    module.add_class::<record::Records>()?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<engine::Search>()?;
    module.add_class::<engine::Analysis>()?;
    module.add_class::<engine::Line>()?;
    module.add_class::<arena::MatchResult>()?;
    module.add_class::<solve::Solution>()?;
    module.add_class::<solve::Proof>()?;
    module.add_class::<solve::Puzzle>()?;
    module.add_class::<solve::Table>()?;
    module.add_class::<many::Batch>()?;
    module.add_function(wrap_pyfunction!(game::games, module)?)?;
    module.add_function(wrap_pyfunction!(game::_restore_game, module)?)?;
    module.add_function(wrap_pyfunction!(position::_restore_position, module)?)?;
    module.add_function(wrap_pyfunction!(position::perft, module)?)?;
    module.add_function(wrap_pyfunction!(engine::seed_player, module)?)?;
    module.add_function(wrap_pyfunction!(arena::arena, module)?)?;
    module.add_function(wrap_pyfunction!(solve::solve, module)?)?;
    module.add_function(wrap_pyfunction!(solve::solve_all, module)?)?;
    module.add_function(wrap_pyfunction!(solve::verify, module)?)?;
    module.add_function(wrap_pyfunction!(solve::certificate, module)?)?;
    module.add_function(wrap_pyfunction!(solve::install_table, module)?)?;
    module.add_function(wrap_pyfunction!(solve::exact, module)?)?;
    module.add_function(wrap_pyfunction!(solve::all_puzzles, module)?)?;
    module.add_function(wrap_pyfunction!(solve::read_puzzles, module)?)?;
    module.add_function(wrap_pyfunction!(_panic, module)?)?;
    Ok(())
}
