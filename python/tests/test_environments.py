from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from conftest import USUAL

from quadrille import Game, player

pettingzoo = pytest.importorskip("pettingzoo")
gymnasium = pytest.importorskip("gymnasium")


DRAWN = {"ansi": lambda drawn: "\n" in drawn, "svg": lambda drawn: "<svg" in drawn}


@pytest.mark.parametrize("game", USUAL)
@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_is_content(game: Game, capsys: pytest.CaptureFixture[str]) -> None:
    from pettingzoo.test import api_test, render_test, seed_test

    import quadrille.pettingzoo as zoo

    api_test(zoo.env(game.id), num_cycles=100, verbose_progress=False)
    seed_test(lambda: zoo.env(game.id), num_cycles=30)
    render_test(lambda render_mode=None: zoo.env(game.id, render_mode=render_mode), DRAWN)
    assert "Passed" in capsys.readouterr().out
    named = getattr(zoo, f"{game.id.replace('-', '_')}_v1").env()
    assert named.metadata["name"] == f"{game.id.replace('-', '_')}_v1"


@pytest.mark.parametrize("game", USUAL)
@pytest.mark.filterwarnings("ignore")
def test_a_game_of_two_agents_ends_with_opposite_rewards(game: Game) -> None:
    import quadrille.pettingzoo as zoo

    env = zoo.env(game.id)
    env.reset(seed=1)
    draw = np.random.default_rng(1)
    last: dict[str, float] = {}
    for agent in env.agent_iter(5000):
        seen, reward, ended, given_up, _ = env.last()
        last[agent] = reward
        mask = seen["action_mask"]
        done = ended or given_up
        env.step(None if done else int(draw.choice(np.flatnonzero(mask))))
    assert sum(last.values()) == 0


@pytest.mark.parametrize("game", USUAL)
@pytest.mark.filterwarnings("ignore")
def test_gymnasium_is_content(game: Game) -> None:
    from gymnasium.utils.env_checker import check_env

    import quadrille.gymnasium as gym  # noqa: F401

    check_env(gymnasium.make(f"quadrille/{game.id}-v1").unwrapped, skip_render_check=False)


@pytest.mark.parametrize("opponent", ["random", "level:2", "seed:hard", "function"])
@pytest.mark.parametrize("side", [0, 1, 2])
def test_an_agent_plays_against_any_opponent(opponent: str, side: int) -> None:
    import quadrille.gymnasium as gym

    against: Any = player("random", "gekitai", seed=5) if opponent == "function" else opponent
    env = gym.QuadrilleEnv("gekitai", opponent=against, side=side)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, info = env.reset(seed=4)
    ends = []
    for _ in range(2):
        _, info = env.reset(seed=4)
        done, reward, steps = False, 0.0, 0
        draw = np.random.default_rng(0)
        while not done:
            action = int(draw.choice(np.flatnonzero(info["action_mask"])))
            _, reward, ended, given_up, info = env.step(action)
            done, steps = ended or given_up, steps + 1
        ends.append((reward, steps, info["position"]))
    assert ends[0] == ends[1]
    assert ends[0][0] in (-1.0, 0.0, 1.0)


def test_an_illegal_action_loses_and_says_why() -> None:
    import quadrille.gymnasium as gym

    env = gym.QuadrilleEnv("gekitai", side=1)
    env.reset(seed=1)
    env.step(0)
    _, reward, ended, _, info = env.step(0)
    assert (reward, ended) == (-1.0, True)
    assert "a1" in info["illegal"]
