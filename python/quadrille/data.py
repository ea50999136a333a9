"""Files as rows: dictionaries of plain values, ready for a table or for Parquet."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quadrille._quadrille import (
    Game,
    Position,
    Records,
    Table,
    certificate,
    puzzles,
    read_puzzles,
    solve_all,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from quadrille._quadrille import Puzzle

Row = dict[str, Any]
Exact = tuple[Position, int | None, int | None]


def record_rows(path: str | os.PathLike[str]) -> Iterator[Row]:
    """Read a file of records: a row for each game, with its turns and tags."""
    for record in Records(path):
        yield record.to_dict()


def puzzle_rows(source: str | os.PathLike[str] | Game | Iterable[Puzzle]) -> Iterator[Row]:
    """Read puzzles: those of a file, of a game that comes with some, or those that are given."""
    found: Iterable[Puzzle]
    if isinstance(source, Game):
        found = puzzles(source)
    elif isinstance(source, (str, os.PathLike)):
        found = read_puzzles(Path(source).read_text(encoding="utf-8"))
    else:
        found = source
    for puzzle in found:
        yield {
            "game": puzzle.position.game.id,
            "position": puzzle.position.text,
            "turns": puzzle.turns,
            "only": puzzle.only,
            "rating": puzzle.rating,
            "solution": list(puzzle.solution),
        }


def certificate_rows(source: str | os.PathLike[str] | bytes) -> Iterator[Row]:
    """Read a certificate: a row for each stored position, with the winner's move and its rank."""
    for position, move, rank in certificate(source):
        yield {"position": position.text, "move": move, "rank": rank}


def exact_rows(source: Position | str | os.PathLike[str], *, memory: int = 1024) -> Iterator[Row]:
    """Read a table of exact results, or solve every position that can follow one.

    There is a row for each position, up to symmetry. `winner` is 0 where nobody can force a win;
    `turns` counts those of both players.
    """
    found: Iterable[Exact] = (
        solve_all(source, memory=memory) if isinstance(source, Position) else Table(source)
    )
    for position, winner, turns in found:
        yield {
            "position": position.text,
            "turn": position.turn,
            "winner": winner or 0,
            "turns": turns or 0,
        }
