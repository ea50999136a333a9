"""The games as PettingZoo environments (AEC), under versioned names.

`env("gekitai", size=4)`, or `gekitai_v1.env(size=4)` as PettingZoo's own games are named.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from quadrille._quadrille import Game, games
from quadrille.match import MAX_MOVES, Match

AGENTS = ["player_1", "player_2"]
VERSION = 1


def env(game: str | Game, *, render_mode: str | None = None, **options: Any) -> AECEnv:
    """Make an environment that checks how it is used.

    An illegal move loses: choose actions by the mask.
    """
    inner: AECEnv = raw_env(game, render_mode=render_mode, **options)
    inner = wrappers.TerminateIllegalWrapper(inner, illegal_reward=-1)
    inner = wrappers.AssertOutOfBoundsWrapper(inner)
    return wrappers.OrderEnforcingWrapper(inner)


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801
    """A game of two agents. Glaisher's agents act twice in a turn: they shift, then place."""

    def __init__(
        self,
        game: str | Game,
        *,
        render_mode: str | None = None,
        max_moves: int = MAX_MOVES,
        **options: Any,
    ) -> None:
        super().__init__()
        self.game = game if isinstance(game, Game) else Game(game, **options)
        self.metadata = {
            "render_modes": ["human", "ansi", "svg"],
            "name": f"{self.game.id.replace('-', '_')}_v{VERSION}",
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.render_mode = render_mode
        self.max_moves = max_moves
        self.possible_agents = list(AGENTS)
        space = Dict(
            {
                "observation": Box(0.0, np.inf, self.game.observation_shape, np.float32),
                "action_mask": Box(0, 1, (self.game.num_actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(AGENTS, space)
        self.action_spaces = {agent: Discrete(self.game.num_actions) for agent in AGENTS}
        self.match = Match(self.game, max_moves)

    @cache  # noqa: B019
    def observation_space(self, agent: str) -> Any:
        """Planes as the agent sees them, and the mask of its legal actions."""
        return self.observation_spaces[agent]

    @cache  # noqa: B019
    def action_space(self, agent: str) -> Any:
        """All moves that the board has room for."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """Give the planes as the agent sees them; the mask is empty unless it is to move."""
        position, player = self.match.position, AGENTS.index(agent) + 1
        mask = np.zeros(self.game.num_actions, np.int8)
        if player == position.turn and not self.match.is_over:
            mask = position.action_mask().astype(np.int8)
        return {"observation": position.observation(player), "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a game; nothing in it is drawn by chance."""
        self.match = Match(self.game, self.max_moves)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[self.match.position.turn - 1]

    def step(self, action: int | None) -> None:
        """Make the move with a number."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.match.play_action(int(action))  # type: ignore[arg-type]
        for number, name in enumerate(AGENTS, 1):
            self.rewards[name] = self.match.reward(number)
            self.terminations[name] = self.match.is_over
            self.truncations[name] = self.match.is_truncated
        self.agent_selection = AGENTS[self.match.position.turn - 1]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Draw the board as text, or as SVG."""
        return self.match.render(self.render_mode)

    def close(self) -> None:
        """Nothing is open."""


def _named(game: str) -> SimpleNamespace:
    def make(**options: Any) -> AECEnv:
        return env(game, **options)

    def make_raw(**options: Any) -> AECEnv:
        return raw_env(game, **options)

    return SimpleNamespace(env=make, raw_env=make_raw)


for _id in games():
    globals()[f"{_id.replace('-', '_')}_v{VERSION}"] = _named(_id)
