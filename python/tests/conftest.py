from __future__ import annotations

import itertools
import os
import random
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

# Tests run beside each other: threads of NumPy's would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import quadrille

# A shell that starts the tests in the background makes them and their children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

if TYPE_CHECKING:
    from collections.abc import Iterator

USUAL = [quadrille.Game(game) for game in quadrille.games()]


def sizes(game: quadrille.Game) -> Iterator[quadrille.Game]:
    """Return a game on every other board that it can be played on."""
    for option, size in itertools.product(("size", "side"), range(2, 20)):
        with suppress(ValueError):
            other = quadrille.Game(game.id, **{option: size})
            if other != game:
                yield other


GAMES = [
    *USUAL,
    *(other for game in USUAL for other in sizes(game)),
    quadrille.Game("glaisher", min_parts=2),
    quadrille.Game("gekitai", size=4, markers=3, both="draw"),
    quadrille.Game("jeson-mor", goal="reach"),
    quadrille.Game("six-making", self_defeat="allowed"),
]
"""Every game, with every option set that changes actions or observations."""


def walk(game: quadrille.Game, seed: int, most: int = 200) -> Iterator[quadrille.Position]:
    """Return the positions of a random game."""
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
