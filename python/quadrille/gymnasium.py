"""The games as Gymnasium environments: an agent against any player of Quadrille.

`gymnasium.make("quadrille/gekitai-v2", opponent="level:3")`, after `import quadrille.gymnasium`.
Version 2 shows how often a position has occurred before, version 1 does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

from quadrille._quadrille import Game, games
from quadrille.environment import (
    MAX_MOVES,
    RENDER_MODES,
    Played,
    begin,
    check_render_mode,
    draw_board,
    observation_shape,
)
from quadrille.players import Player
from quadrille.players import player as player_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from quadrille._quadrille import Board, Position
    from quadrille.environment import Start

VERSIONS = {1: {}, 2: {"repetition_plane": True}}
NODES = 10_000
"""The node limit of opponents without any other limit, so that a step takes less than a second."""


class QuadrilleEnv(Played, gymnasium.Env[Any, Any]):
    """One side of a game. The mask of legal actions is in `info`; an illegal action loses.

    `opponent` is a name such as `level:5`, `seed:hard`, `random` or `engine`, or a function that
    gets a position and gives a turn or the number of a move. `nodes` and `time_ms` limit its
    turns; `engine` and `level:10` look at 10,000 positions if neither is given. `side` is 1, 2, or
    0 for a side drawn by chance. `start` is where games begin: a position, positions to draw from,
    or a function that returns one; `reset(options={"start": …})` says it for one game. At the end
    `info["reason"]` tells why: `won`, `drawn`, `repetition`, `length` or `illegal`. Where the
    opponent ends the game with its first turn, no action is legal, and the first step tells the
    end, whatever its action. `repetition`, `repetition_plane` and `history` are those of `Batch`.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        game: str | Game,
        *,
        opponent: str | Callable[[Position], str | int] = "random",
        nodes: int | None = None,
        time_ms: int | None = None,
        side: int = 0,
        start: Start | None = None,
        max_moves: int = MAX_MOVES,
        repetition: bool = True,
        repetition_plane: bool = False,
        history: int = 0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = game if isinstance(game, Game) else Game(game, **options)
        if side not in (0, 1, 2):
            raise ValueError(f"side must be 0, 1 or 2, got {side}")
        check_render_mode(render_mode)
        self.asked_side = side
        self.start = start
        self.max_moves = max_moves
        self.repetition = repetition
        self.seen: dict[str, Any] = {"repetition_plane": repetition_plane, "history": history}
        self.render_mode = render_mode
        shape = observation_shape(self.game, repetition_plane=repetition_plane, history=history)
        self.observation_space = Box(0.0, np.inf, shape, np.float32)
        self.action_space = Discrete(self.game.num_actions)
        if isinstance(opponent, str):
            if opponent in ("engine", "level:10") and nodes is None and time_ms is None:
                nodes = NODES
            opponent = player_named(opponent, self.game, nodes=nodes, time_ms=time_ms)
        self.opponent: Callable[[Position], str | int] = opponent
        self.board = self._begin(None)
        self.side = side or 1
        self._told: dict[str, Any] | None = None

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, under the name that maskable learners expect."""
        return self.board.action_mask()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin a game; the opponent may have moved already."""
        super().reset(seed=seed, options=options)
        start = (options or {}).get("start", self.start)
        self.board = self._begin(start)
        self.side = self.asked_side or int(self.np_random.integers(1, 3))
        drawn = int(self.np_random.integers(0, 1 << 31))
        if isinstance(self.opponent, Player):
            self.opponent.new_game(drawn)
        self._told = None
        self._reply()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Make a move and let the opponent answer."""
        if self._told is not None:
            gymnasium.logger.warn("this game is over: call `reset` before the next step")
            truncated = self._told["reason"] == "length"
            return self._observation(), 0.0, not truncated, truncated, dict(self._told)
        board = self.board
        if not board.is_over:
            try:
                board.push(int(action))
            except ValueError as error:
                self._told = self._info() | {"reason": "illegal", "illegal": str(error)}
                return self._observation(), -1.0, True, False, dict(self._told)
            self._reply()
        if self.render_mode == "human":
            self.render()
        info = self._info()
        truncated = board.reason == "length"
        if board.is_over:
            self._told = dict(info)
        over = board.is_over and not truncated
        return self._observation(), board.reward(self.side), over, truncated, info

    def _begin(self, start: Start | None) -> Board:
        rules: dict[str, Any] = {"max_moves": self.max_moves, "repetition": self.repetition}
        return begin(self.game, start, self.np_random, **rules)

    def _reply(self) -> None:
        board = self.board
        while not board.is_over and board.turn != self.side:
            board.push(self.opponent(board.position))

    def _observation(self) -> NDArray[np.float32]:
        return self.board.observation(self.side, **self.seen)

    def _info(self) -> dict[str, Any]:
        info = {"action_mask": self.action_masks(), "position": self.board.position.text}
        return info | {"reason": self.board.reason} if self.board.is_over else info

    def render(self) -> str | None:
        """Draw the board as text, or as SVG."""
        return draw_board(self.board, self.render_mode)


def register() -> None:
    """Register `quadrille/GAME-v1` and `-v2` for every game; importing this module does it."""
    for game in games():
        for version, settings in VERSIONS.items():
            name = f"quadrille/{game}-v{version}"
            if name not in gymnasium.registry:
                made = {"game": game, **settings}
                gymnasium.register(name, f"{__name__}:QuadrilleEnv", kwargs=made)


register()
