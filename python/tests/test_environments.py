from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from conftest import USUAL

from quadrille import Engine, Game, Position, player

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


@pytest.mark.parametrize("mode", ["rgb_array", "pixels"])
def test_a_mode_that_cannot_be_drawn_is_refused(mode: str) -> None:
    import quadrille.gymnasium as gym
    import quadrille.pettingzoo as zoo

    for make in (gym.QuadrilleEnv, zoo.raw_env):
        with pytest.raises(ValueError, match=f"must be human, ansi, svg or None, got `{mode}`"):
            make("gekitai", render_mode=mode)


def test_games_begin_where_they_are_told_to() -> None:
    import quadrille.gymnasium as gym
    import quadrille.pettingzoo as zoo

    game = Game("gekitai", size=4)
    one, two = game.start().play("b2").play("c3"), game.start().play("c3").play("b2")
    for start in (one, [one, two], lambda: two):
        env = gym.QuadrilleEnv(game, side=1, start=start)
        seen = {env.reset(seed=seed)[1]["position"] for seed in range(20)}
        assert seen <= {one.text, two.text}
        assert len(seen) == (2 if isinstance(start, list) else 1)
        assert env.reset(options={"start": two})[1]["position"] == two.text
        aec = zoo.raw_env(game, start=start)
        began = set()
        for seed in range(20):
            aec.reset(seed=seed)
            began.add(aec.board.position)
        assert began <= {one, two}
        aec.reset(options={"start": one})
        assert aec.board.position == one
    for make in (gym.QuadrilleEnv, zoo.raw_env):
        with pytest.raises(ValueError, match="is not a position of"):
            make(game, start=Game("gekitai").start()).reset()
        with pytest.raises(ValueError, match="an empty list"):
            make(game, start=[]).reset()
        with pytest.raises(ValueError, match="a function that returns one, got str"):
            make(game, start=lambda: "b2").reset()


def test_an_end_has_a_reason_and_repetitions_are_seen() -> None:
    import quadrille.gymnasium as gym
    import quadrille.pettingzoo as zoo

    game = Game("jeson-mor", size=5)
    moves = ["b1-a3", "d5-e3", "a3-b1", "e3-d5"] * 2
    aec = zoo.jeson_mor_v2.raw_env(size=5)
    aec.reset()
    for move in moves:
        aec.step(game.action(move))
    assert aec.infos == {agent: {"reason": "repetition"} for agent in aec.possible_agents}
    assert all(aec.terminations.values())
    assert aec.observe("player_1")["observation"][-1].mean() == 1
    assert not aec.observe("player_1")["action_mask"].any()
    replies = iter(moves[1::2])
    env = gym.QuadrilleEnv(
        game, side=1, opponent=lambda _: next(replies), repetition_plane=True, max_moves=100
    )
    env.reset(seed=1)
    for move in moves[::2]:
        seen, reward, ended, truncated, info = env.step(game.action(move))
    assert (reward, ended, truncated, info["reason"]) == (0.0, True, False, "repetition")
    assert seen[-1].mean() == 1
    short = gym.QuadrilleEnv(game, side=1, max_moves=2)
    short.reset(seed=1)
    seen, _, ended, truncated, info = short.step(game.action(moves[0]))
    assert (ended, truncated, info["reason"]) == (False, True, "length")
    assert np.array_equal(seen, short.board.observation(1))
    assert gymnasium.make("quadrille/jeson-mor-v2").observation_space.shape == (4, 9, 9)
    assert gymnasium.make("quadrille/jeson-mor-v1").observation_space.shape == (3, 9, 9)


def test_an_opponent_has_limits_and_its_engine_lives_as_long_as_the_environment() -> None:
    import quadrille.gymnasium as gym

    env = gym.QuadrilleEnv("six-making", opponent="engine", side=1)
    assert env.opponent.nodes == 10_000
    assert gym.QuadrilleEnv("six-making", opponent="level:10", nodes=50).opponent.nodes == 50
    assert gym.QuadrilleEnv("six-making", opponent="engine", time_ms=5).opponent.time_ms == 5
    env.reset(seed=1)
    engine = env.opponent._engine
    assert isinstance(engine, Engine)
    told = []
    for _ in range(2):
        _, info = env.reset(seed=7)
        for _ in range(4):
            _, _, _, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        told.append(info["position"])
    assert told[0] == told[1]
    assert env.opponent._engine is engine


def test_a_function_may_answer_with_a_turn_or_a_number() -> None:
    import quadrille.gymnasium as gym

    def first(position: Position) -> int:
        return position.actions()[0]

    for game in USUAL:
        for opponent in (first, lambda position: position.turns()[0]):
            env = gym.QuadrilleEnv(game, opponent=opponent, side=2)
            _, info = env.reset(seed=1)
            env.step(int(np.flatnonzero(info["action_mask"])[0]))
    env = gym.QuadrilleEnv("gekitai", opponent=lambda _: "z9", side=2)
    with pytest.raises(ValueError, match="`z9` is not a move"):
        env.reset(seed=1)


def test_an_opponent_that_wins_before_the_first_step_is_told_by_that_step() -> None:
    import quadrille.gymnasium as gym

    won = Game("gekitai").position("6/1xx3/6/3oo1/6/6 1")
    env = gym.QuadrilleEnv("gekitai", side=2, start=won, opponent=lambda _: "d2")
    _, info = env.reset(seed=1)
    assert (info["reason"], info["action_mask"].any()) == ("won", False)
    _, reward, ended, truncated, info = env.step(0)
    assert (reward, ended, truncated, info["reason"]) == (-1.0, True, False, "won")
    assert "illegal" not in info


@pytest.mark.parametrize("end", ["illegal", "won", "length"])
def test_a_step_after_the_end_is_worth_nothing_and_tells_the_end_again(end: str) -> None:
    import quadrille.gymnasium as gym

    won = Game("gekitai").position("6/1xx3/6/3oo1/6/6 1")
    most = 1 if end == "length" else 100
    env = gym.QuadrilleEnv("gekitai", side=1, start=won, max_moves=most)
    env.reset(seed=1)
    action = {"illegal": "b2", "won": "d2", "length": "a1"}[end]
    _, reward, ended, truncated, info = env.step(won.action(action))
    assert reward == {"illegal": -1.0, "won": 1.0, "length": 0.0}[end]
    position = info["position"]
    for action in ("a1", "b2"):
        with pytest.warns(UserWarning, match="call `reset` before the next step"):
            told = env.step(won.action(action))
        assert told[1:4] == (0.0, ended, truncated)
        assert (told[4]["reason"], told[4]["position"]) == (end, position)
    assert "reason" not in env.reset(seed=2)[1]
