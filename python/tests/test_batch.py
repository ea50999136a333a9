from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import GAMES, USUAL

from quadrille import Batch, Game
from quadrille.match import Match


@pytest.mark.parametrize("game", GAMES)
def test_a_batch_plays_as_single_games_do(game: Game) -> None:
    batch = Batch(game, 70, seed=5, threads=2, max_moves=40)
    matches = [Match(game, 40) for _ in range(70)]
    arrays = (batch.observations, batch.masks, batch.rewards, batch.ends)
    for _ in range(90):
        # The array of the batch itself.
        actions = batch.sample()
        observations, rewards, ends, truncations = batch.step(actions)
        for i, action in enumerate(actions):
            match = matches[i]
            match.play_action(int(action))
            assert ends[i] == match.is_over
            assert truncations[i] == match.is_truncated
            assert rewards[i].tolist() == [match.reward(1), match.reward(2)]
            if ends[i] or truncations[i]:
                matches[i] = match = Match(game, 40)
            assert batch.turns[i] == match.position.turn
        assert observations is batch.observations
        some = np.random.default_rng(0).integers(0, 70, 4)
        for i in some:
            position = matches[i].position
            assert batch.position(int(i)) == position
            assert np.array_equal(batch.observations[i], position.observation())
            assert np.array_equal(batch.masks[i], position.action_mask())
    now = (batch.observations, batch.masks, batch.rewards, batch.ends)
    assert all(a is b for a, b in zip(arrays, now, strict=True))


@pytest.mark.parametrize("game", USUAL)
def test_random_play_does_not_depend_on_threads_or_strides(game: Game) -> None:
    one = Batch(game, 300, seed=1, threads=1)
    two = Batch(game, 300, seed=1, threads=2)
    for _ in range(20):
        one.step_random()
    two.step_random(20)
    assert np.array_equal(one.observations, two.observations)
    assert np.array_equal(one.masks, two.masks)
    one.reset(seed=9)
    two.reset(seed=9)
    assert np.array_equal(one.sample(), two.sample())


def test_an_illegal_action_is_named_and_nothing_has_changed() -> None:
    batch = Batch("gekitai", 300, threads=2)
    actions = np.zeros(300, np.int64)
    batch.step(actions)
    before = [batch.position(i) for i in range(300)]
    actions[:] = 1
    actions[207] = 0
    actions[290] = 99
    with pytest.raises(ValueError, match="game 207: `a1` is not legal here: a1 is occupied"):
        batch.step(actions)
    assert [batch.position(i) for i in range(300)] == before
    with pytest.raises(ValueError, match="game 290: actions are 0 to 35, got 99"):
        batch.step(np.where(np.arange(300) == 290, 99, 1))
    with pytest.raises(ValueError, match="3 actions for 300 games"):
        batch.step([1, 2, 3])
    batch.step(np.ones(300, np.int32))


def test_a_third_repetition_is_a_draw_and_long_games_are_given_up() -> None:
    game = Game("jeson-mor", size=5)
    batch = Batch(game, 1)
    moves = ["b1-a3", "d5-e3", "a3-b1", "e3-d5"]
    back_and_forth = [game.action(move) for move in moves]
    ended = [bool(batch.step([action])[2][0]) for action in back_and_forth * 2]
    assert ended == [False] * 7 + [True]
    assert batch.rewards.tolist() == [[0, 0]]
    lasting = Batch(game, 1, repetition=False, max_moves=6)
    given_up = [
        bool(lasting.step([action])[3][0]) for action in back_and_forth + back_and_forth[:2]
    ]
    assert given_up == [False] * 5 + [True]
    assert lasting.position(0) == game.start()


def test_threads_share_a_batch() -> None:
    batch = Batch("gekitai", 500)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: batch.step_random(3), range(40)))
    same = Batch("gekitai", 500)
    same.step_random(120)
    assert np.array_equal(batch.observations, same.observations)


def test_what_is_not_wanted_is_not_made() -> None:
    batch = Batch("glaisher", 10, observations=False, masks=False)
    assert batch.observations is None
    assert batch.masks is None
    assert batch.step_random()[0] is None
