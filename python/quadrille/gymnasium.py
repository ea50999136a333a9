"""The games as Gymnasium environments: an agent against any player of Quadrille.

`gymnasium.make("quadrille/gekitai-v1", opponent="level:3")`, after `import quadrille.gymnasium`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from quadrille._quadrille import Game, games
from quadrille.match import MAX_MOVES, Match
from quadrille.players import player as player_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quadrille._quadrille import Position

VERSION = 1


class QuadrilleEnv(gymnasium.Env[Any, Any]):
    """One side of a game. The mask of legal actions is in `info`; an illegal action loses.

    `opponent` is a name such as `level:5`, `seed:hard`, `random` or `engine`, or a function that
    gets a position and gives a turn. `side` is 1, 2, or 0 for a side drawn by chance.
    """

    metadata = {"render_modes": ["human", "ansi", "svg"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        *,
        opponent: str | Callable[[Position], str] = "random",
        side: int = 0,
        max_moves: int = MAX_MOVES,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = game if isinstance(game, Game) else Game(game, **options)
        if side not in (0, 1, 2):
            raise ValueError(f"side must be 0, 1 or 2, got {side}")
        self.opponent = opponent
        self.asked_side = side
        self.max_moves = max_moves
        self.render_mode = render_mode
        self.observation_space = Box(0.0, np.inf, self.game.observation_shape, np.float32)
        self.action_space = Discrete(self.game.num_actions)
        self.match = Match(self.game, max_moves)
        self.side = side or 1
        self._choose: Callable[[Position], str] | None = None

    def action_masks(self) -> NDArray[np.bool_]:
        """Tell which actions are legal, by the name that maskable learners ask for."""
        return self.match.position.action_mask()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a game; the opponent may have moved already."""
        super().reset(seed=seed, options=options)
        self.match = Match(self.game, self.max_moves)
        self.side = self.asked_side or int(self.np_random.integers(1, 3))
        drawn = int(self.np_random.integers(0, 1 << 31))
        opponent = self.opponent
        self._choose = (
            opponent if callable(opponent) else player_named(opponent, self.game, seed=drawn)
        )
        self._reply()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Make a move and let the opponent answer."""
        match = self.match
        try:
            match.play_action(int(action))
        except ValueError as error:
            return self._observation(), -1.0, True, False, self._info() | {"illegal": str(error)}
        self._reply()
        if self.render_mode == "human":
            self.render()
        over = match.is_over
        return self._observation(), match.reward(self.side), over, match.is_truncated, self._info()

    def _reply(self) -> None:
        match = self.match
        while not (match.is_over or match.is_truncated) and match.position.turn != self.side:
            assert self._choose is not None
            match.play_turn(self._choose(match.position))

    def _observation(self) -> NDArray[np.float32]:
        return self.match.position.observation(self.side)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "position": self.match.position.text}

    def render(self) -> str | None:
        """Draw the board as text, or as SVG."""
        return self.match.render(self.render_mode)


def register() -> None:
    """Register `quadrille/GAME-v1` for every game; importing this module does it."""
    for game in games():
        name = f"quadrille/{game}-v{VERSION}"
        if name not in gymnasium.registry:
            gymnasium.register(name, f"{__name__}:QuadrilleEnv", kwargs={"game": game})


register()
