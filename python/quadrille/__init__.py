"""Glaisher, Gekitai, Jeson Mor and Six MaKING: exact games, a strong opponent, proofs.

A `Game` has a start, a `Position` knows its moves and gives another one when played, an `Engine`
searches. Words are those of the program and its documents; whatever it refuses raises `ValueError`
in its own words.
"""

from quadrille._quadrille import (
    Analysis,
    Batch,
    Engine,
    Game,
    Line,
    MatchResult,
    Position,
    Proof,
    Puzzle,
    Record,
    Records,
    Search,
    Solution,
    Table,
    __version__,
    arena,
    certificate,
    exact,
    games,
    install_table,
    perft,
    puzzles,
    read_puzzles,
    seed_player,
    solve,
    solve_all,
    verify,
)
from quadrille.data import certificate_rows, exact_rows, puzzle_rows, record_rows
from quadrille.players import player

__all__ = [
    "Analysis",
    "Batch",
    "Engine",
    "Game",
    "Line",
    "MatchResult",
    "Position",
    "Proof",
    "Puzzle",
    "Record",
    "Records",
    "Search",
    "Solution",
    "Table",
    "__version__",
    "arena",
    "certificate",
    "certificate_rows",
    "exact",
    "exact_rows",
    "games",
    "install_table",
    "perft",
    "player",
    "puzzle_rows",
    "puzzles",
    "read_puzzles",
    "record_rows",
    "seed_player",
    "solve",
    "solve_all",
    "verify",
]
