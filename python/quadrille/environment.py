"""What the environments have in common: how games begin, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from quadrille._quadrille import Board, Game, Position

if TYPE_CHECKING:
    import numpy as np

MAX_MOVES = 2000
"""Nearly all random games end far below this many moves."""

RENDER_MODES = ("human", "ansi", "svg")

Start = Position | Sequence[Position] | Callable[[], Position]
"""Where games begin: a position, positions to draw from, or a function that returns one."""


def check_render_mode(mode: str | None) -> None:
    """Refuse a mode that nothing can be drawn in."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be {', '.join(RENDER_MODES)} or None, got `{mode}`")


def begin(
    game: Game,
    start: Start | None,
    draw: np.random.Generator,
    *,
    max_moves: int,
    repetition: bool,
) -> Board:
    """Begin a game; with a choice of positions, one is drawn."""
    if start is None:
        return Board(game, max_moves=max_moves, repetition=repetition)
    if isinstance(start, Position):
        chosen = start
    elif callable(start):
        chosen = start()
    else:
        chosen = start[int(draw.integers(len(start)))]
    if chosen.is_over:
        raise ValueError(f"no game can begin with `{chosen.text}`: it is over")
    if chosen.game != game:
        raise ValueError(f"`{chosen.text}` is no position of {game!r}")
    return Board(chosen, max_moves=max_moves, repetition=repetition)


def observation_shape(game: Game, *, repetition_plane: bool, history: int) -> tuple[int, int, int]:
    """Give planes, rows and columns, with what is shown of the past."""
    planes, rows, columns = game.observation_shape
    return (planes + repetition_plane) * (1 + history), rows, columns


def draw_board(board: Board, mode: str | None) -> str | None:
    """Draw a board as a mode asks for it: `human` prints it."""
    if mode is None:
        return None
    if mode == "svg":
        return board.position.svg()
    drawing = str(board)
    if mode == "human":
        print(drawing)
        return None
    return drawing
