//! Quadrille for Python: the same games, engine and proofs as values.
//!
//! `quadrille/_quadrille.pyi` describes what Python sees, and `docs/python.md` how it is used. Searches run in threads
//! of their own, without the GIL, and end at Ctrl-C.

mod actions;
mod any;
mod arena;
mod batch;
mod board;
mod convert;
mod data;
mod engine;
mod game;
mod many;
mod mcts;
mod memory;
mod pool;
mod position;
mod record;
mod solve;
mod start;
mod trees;
mod wait;

use pyo3::prelude::pymodule;

/// The native part of the package.
#[pymodule]
mod _quadrille {
    #[pymodule_export]
    use crate::{
        arena::{_match_result, MatchResult, arena},
        board::{_restore_board, Board},
        data::write_data,
        engine::{_analysis, _line, Analysis, Engine, Line, Search, beginner, seed_player},
        game::{_restore_game, Game, games},
        many::{_restore_batch, Batch},
        position::{_restore_position, Position, perft},
        record::{Record, Records},
        solve::{
            _proof, _puzzle, _solution, Proof, Puzzle, Solution, Table, all_puzzles, certificate,
            exact, install_table, read_puzzles, solve, solve_all, verify,
        },
        trees::Mcts,
        wait::_panic,
    };

    #[pymodule_export]
    #[expect(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
