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

use pyo3::prelude::pymodule;

/// The native part of the package.
#[pymodule]
mod _quadrille {
    #[pymodule_export]
    use crate::{
        arena::{MatchResult, arena},
        engine::{Analysis, Engine, Line, Search, seed_player},
        game::{_restore_game, Game, games},
        many::Batch,
        position::{_restore_position, Position, perft},
        record::{Record, Records},
        solve::{
            Proof, Puzzle, Solution, Table, all_puzzles, certificate, exact, install_table,
            read_puzzles, solve, solve_all, verify,
        },
        wait::_panic,
    };

    #[pymodule_export]
    #[expect(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
