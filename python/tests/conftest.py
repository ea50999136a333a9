from __future__ import annotations

import os
import random
import signal
from typing import TYPE_CHECKING

# Tests run beside each other: threads of NumPy's would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import quadrille

# Whoever starts the tests in the background has them ignore Ctrl-C, and what they start as well.
signal.signal(signal.SIGINT, signal.default_int_handler)

if TYPE_CHECKING:
    from collections.abc import Iterator

GAMES = [
    quadrille.Game("glaisher"),
    quadrille.Game("glaisher", min_parts=2),
    *(quadrille.Game("gekitai", size=size) for size in (4, 5, 6, 7, 8)),
    quadrille.Game("gekitai", size=4, markers=3, both="draw"),
    *(quadrille.Game("jeson-mor", size=size) for size in (5, 7, 9, 11)),
    quadrille.Game("jeson-mor", goal="reach"),
    quadrille.Game("six-making", size=4),
    quadrille.Game("six-making", self_defeat="allowed"),
    quadrille.Game("six-making"),
]
"""Every game, with every option set that changes actions or observations."""

USUAL = [quadrille.Game(game) for game in quadrille.games()]


def walk(game: quadrille.Game, seed: int, most: int = 200) -> Iterator[quadrille.Position]:
    """Give the positions of a random game."""
    draw = random.Random(seed)
    position = game.start()
    yield position
    for _ in range(most):
        if position.is_over:
            return
        position = position.play_action(draw.choice(position.actions()))
        yield position


def pytest_make_parametrize_id(val: object) -> str | None:
    if isinstance(val, quadrille.Game):
        options = "".join(f"-{value}" for value in val.options.values())
        return f"{val.id}{options}"
    return None
