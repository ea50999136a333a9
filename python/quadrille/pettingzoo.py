"""The games as PettingZoo environments (AEC), under versioned names.

`env("gekitai", size=4)`, or `gekitai_v2.env(size=4)` as PettingZoo's own games are named. Version 2
shows how often a position has occurred before, version 1 does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from quadrille._quadrille import Game, games
from quadrille.environment import (
    MAX_MOVES,
    RENDER_MODES,
    Played,
    Start,
    begin,
    check_render_mode,
    draw_board,
    observation_shape,
)

AGENTS = ["player_1", "player_2"]


def env(game: str | Game, *, render_mode: str | None = None, **options: Any) -> AECEnv:
    """Make an environment that checks how it is used; the options are those of `raw_env`.

    An illegal move loses: choose actions by the mask.
    """
    inner: AECEnv = raw_env(game, render_mode=render_mode, **options)
    inner = wrappers.TerminateIllegalWrapper(inner, illegal_reward=-1)
    inner = wrappers.AssertOutOfBoundsWrapper(inner)
    return wrappers.OrderEnforcingWrapper(inner)


class raw_env(Played, AECEnv):  # type: ignore[misc]  # noqa: N801
    """A game of two agents. Glaisher's agents act twice in a turn: they shift, then place.

    `start` is where games begin: a position, positions to draw from, or a function that returns
    one; `reset(options={"start": …})` says it for one game. At the end `infos` tell the reason:
    `won`, `drawn`, `repetition` or `length`. `repetition`, `repetition_plane` and `history` are
    those of `Batch`.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        render_mode: str | None = None,
        start: Start | None = None,
        max_moves: int = MAX_MOVES,
        repetition: bool = True,
        repetition_plane: bool = False,
        history: int = 0,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = game if isinstance(game, Game) else Game(game, **options)
        check_render_mode(render_mode)
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "name": _name(self.game.id, 2 if repetition_plane else 1),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.render_mode = render_mode
        self.start = start
        self.rules: dict[str, Any] = {"max_moves": max_moves, "repetition": repetition}
        self.seen: dict[str, Any] = {"repetition_plane": repetition_plane, "history": history}
        self.possible_agents = list(AGENTS)
        shape = observation_shape(self.game, repetition_plane=repetition_plane, history=history)
        space = Dict(
            {
                "observation": Box(0.0, np.inf, shape, np.float32),
                "action_mask": Box(0, 1, (self.game.num_actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(AGENTS, space)
        self.action_spaces = {agent: Discrete(self.game.num_actions) for agent in AGENTS}
        self._draw = np.random.default_rng()
        self.board = begin(self.game, None, self._draw, **self.rules)

    def observation_space(self, agent: str) -> Any:
        """Planes as the agent sees them, and the mask of its legal actions."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """All moves that the board has room for."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the planes as the agent sees them; the mask is empty unless it is to move."""
        board, player = self.board, AGENTS.index(agent) + 1
        mask = np.zeros(self.game.num_actions, np.int8)
        if player == board.turn:
            mask = board.action_mask().astype(np.int8)
        seen = board.observation(player, **self.seen)
        return {"observation": seen, "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; the seed decides where, if there is a choice."""
        if seed is not None:
            self._draw = np.random.default_rng(seed)
        start = (options or {}).get("start", self.start)
        self.board = begin(self.game, start, self._draw, **self.rules)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.board.turn - 1]

    def step(self, action: int | None) -> None:
        """Make the move with a number."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        board = self.board
        board.push(int(action))  # type: ignore[arg-type]
        reason = board.reason
        for number, name in enumerate(AGENTS, 1):
            self.rewards[name] = board.reward(number)
            self.terminations[name] = board.is_over and reason != "length"
            self.truncations[name] = reason == "length"
            if reason is not None:
                self.infos[name]["reason"] = reason
        self.agent_selection = AGENTS[board.turn - 1]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Draw the board as text, or as SVG."""
        return draw_board(self.board, self.render_mode)

    def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class Named:
    """A game under a versioned name, as PettingZoo's own games are modules."""

    game: str
    version: int

    def env(self, **options: Any) -> AECEnv:
        """Make an environment that checks how it is used."""
        return env(self.game, **self._settings(options))

    def raw_env(self, **options: Any) -> AECEnv:
        """Make an environment without checks."""
        return raw_env(self.game, **self._settings(options))

    def _settings(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"repetition_plane": self.version > 1, **options}


def _name(game: str, version: int) -> str:
    return f"{game.replace('-', '_')}_v{version}"


_NAMED = {_name(game, version): Named(game, version) for game in games() for version in (1, 2)}


def __getattr__(name: str) -> Named:
    if name in _NAMED:
        return _NAMED[name]
    raise AttributeError(f"there is no `{name}` here; the games are {', '.join(_NAMED)}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMED])
