"""What the environments have in common: how games begin, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from quadrille._quadrille import Board, Game, Position

if TYPE_CHECKING:
    import numpy as np

    from quadrille.match import Match

MAX_MOVES = 2000
"""Nearly all random games end far below this many moves."""

RENDER_MODES = ("human", "ansi", "svg")

Start = Position | Sequence[Position] | Callable[[], Position]
"""Where games begin: a position, positions to draw from, or a function that returns one."""


def check_render_mode(mode: str | None) -> None:
    """Refuse an unknown render mode."""
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
    elif len(start):
        chosen = start[int(draw.integers(len(start)))]
    else:
        raise ValueError("start is an empty list: expected at least one position")
    check_start(game, chosen)
    return Board(chosen, max_moves=max_moves, repetition=repetition)


def check_start(game: Game, start: Position) -> None:
    """Refuse what no game can begin with: an end, a position of another game, anything else."""
    if not isinstance(start, Position):
        expected = "start is a position, a list of positions or a function that returns one"
        raise ValueError(f"{expected}, got {type(start).__name__}")
    if start.is_over:
        raise ValueError(f"no game can begin with `{start.text}`: it is over")
    if start.game != game:
        raise ValueError(f"`{start.text}` is not a position of {game!r}")


def observation_shape(game: Game, *, repetition_plane: bool, history: int) -> tuple[int, int, int]:
    """Return planes, rows and columns, including those of the past."""
    planes, rows, columns = game.observation_shape
    return (planes + repetition_plane) * (1 + history), rows, columns


class Played:
    """Environments whose game was a `Match` in version 0.2."""

    board: Board

    @property
    def match(self) -> Match:
        """The game as a `Match` of version 0.2; new code uses `board`."""
        from quadrille.match import Match

        return Match.of(self.board)


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
