"""A tree search in many games at once, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from quadrille._quadrille import MCTS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from quadrille._quadrille import Batch


class Searched(NamedTuple):
    """What `mcts` has found in each game of a batch."""

    policies: NDArray[np.float32]
    """The share of the simulations that began with each action, of shape (n, actions)."""
    values: NDArray[np.float32]
    """The mean results for the player to move, -1 to 1, of shape (n)."""
    actions: NDArray[np.int64]
    """An action for each game, for `batch.step`."""


def mcts(
    batch: Batch,
    network: Callable[[Any, Any], tuple[ArrayLike, ArrayLike]],
    *,
    simulations: int = 64,
    temperature: float | ArrayLike = 0.0,
    **settings: Any,
) -> Searched:
    """Search in every game of a batch with a network that evaluates all leaves together.

    `network` gets planes and masks of many positions and returns priors and values, as for
    `MCTS.run`; the settings are those of `MCTS`. Each call begins with empty trees: an `MCTS` keeps
    them from move to move.
    """
    search = MCTS(batch, **settings)
    policies, values = search.run(network, simulations)
    return Searched(policies, values, search.choose(temperature))
