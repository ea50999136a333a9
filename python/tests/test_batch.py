from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import GAMES, USUAL

from quadrille import Batch, Board, Game


@pytest.mark.parametrize("game", GAMES)
def test_a_batch_plays_as_single_games_do(game: Game) -> None:
    batch = Batch(game, 70, seed=5, threads=2, max_moves=40)
    matches = [Board(game, max_moves=40) for _ in range(70)]
    arrays = (batch.observations, batch.masks, batch.rewards, batch.ends)
    for _ in range(90):
        # The array of the batch itself.
        actions = batch.sample()
        observations, rewards, ends, truncations = batch.step(actions)
        for i, action in enumerate(actions):
            match = matches[i]
            match.push(int(action))
            assert truncations[i] == (match.reason == "length")
            assert ends[i] == (match.is_over and not truncations[i])
            assert Batch.REASONS[batch.reasons[i]] == (match.reason or "goes on")
            assert rewards[i].tolist() == [match.reward(1), match.reward(2)]
            if ends[i] or truncations[i]:
                matches[i] = match = Board(game, max_moves=40)
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


def test_games_begin_where_they_are_told_to() -> None:
    game = Game("gekitai", size=4)
    one, two = game.start().play("b2"), game.start().play("c3").play("a1")
    batch = Batch(game, 100, start=one)
    assert {batch.position(i) for i in range(100)} == {one}
    batch.step_random(200)
    drawn = Batch(game, 100, start=[one, two], seed=3)
    assert {drawn.position(i) for i in range(100)} == {one, two}
    again = Batch(game, 100, start=[one, two], seed=3, threads=2)
    for _ in range(50):
        drawn.step(drawn.sample())
        again.step_random()
        ended = np.flatnonzero(drawn.reasons)
        assert {drawn.position(int(i)) for i in ended} <= {one, two}
        assert np.array_equal(drawn.observations, again.observations)
    asked = []

    def sampler() -> Any:
        asked.append(len(asked))
        return [one, two][len(asked) % 2]

    sampled = Batch(game, 10, start=sampler)
    assert len(asked) == 10
    ends = 0
    for _ in range(100):
        sampled.step(sampled.sample())
        ended = np.flatnonzero(sampled.reasons)
        ends += len(ended)
        for i in ended:
            assert sampled.position(int(i)) in (one, two)
            seen = sampled.position(int(i)).observation()
            assert np.array_equal(sampled.observations[i], seen)
    assert len(asked) == 10 + ends > 10


def test_a_start_that_cannot_be_is_refused() -> None:
    game = Game("gekitai", size=4)
    other = Game("gekitai").start()
    with pytest.raises(ValueError, match="is not a position of Game\\('gekitai', size=4"):
        Batch(game, 2, start=other)
    with pytest.raises(ValueError, match="is not a position of"):
        Batch(game, 2, start=lambda: other)
    with pytest.raises(ValueError, match="an empty list"):
        Batch(game, 2, start=[])
    with pytest.raises(ValueError, match="a list of positions or a function that returns one"):
        Batch(game, 2, start=[5])  # type: ignore[list-item]
    over = Game("gekitai").position("6/1xx3/6/3oo1/6/6 1").play("d2")
    with pytest.raises(ValueError, match="it is over"):
        Batch("gekitai", 2, start=over)


def test_the_end_of_a_game_is_kept_for_one_step() -> None:
    batch = Batch("jeson-mor", 200, seed=2, max_moves=12, repetition_plane=True)
    boards = [Board("jeson-mor", max_moves=12) for _ in range(200)]
    reasons = set()
    for _ in range(60):
        actions = batch.sample()
        batch.step(actions)
        numbers, seen = batch.final_observations()
        assert numbers.tolist() == np.flatnonzero(batch.reasons).tolist()
        assert len(seen) == len(numbers)
        for i, action in enumerate(actions):
            boards[i].push(int(action))
            assert (batch.final_position(i) is not None) == boards[i].is_over
        for number, planes in zip(numbers, seen, strict=True):
            board = boards[number]
            assert batch.final_position(int(number)) == board.position
            assert np.array_equal(planes, board.observation(repetition_plane=True))
            reasons.add(board.reason)
            boards[number] = Board("jeson-mor", max_moves=12)
        assert batch.lengths.tolist() == [len(board) for board in boards]
    assert reasons == {"won", "length"}


def test_the_last_plane_counts_repetitions() -> None:
    game = Game("jeson-mor", size=5)
    batch = Batch(game, 1, repetition_plane=True)
    assert batch.observations.shape[1] == len(game.planes) + 1
    board = Board(game)
    seen = []
    for move in ["b1-a3", "d5-e3", "a3-b1", "e3-d5"] * 2:
        board.push(move)
        batch.step([game.action(move)])
        seen.append(float(batch.observations[0, -1].mean()))
        if not board.is_over:
            assert np.array_equal(batch.observations[0], board.observation(repetition_plane=True))
    assert seen == [0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0]
    assert batch.final_observations()[1][0, -1].mean() == 1
    assert board.reason == "repetition"
    with pytest.raises(ValueError, match="repetition_plane needs repetition"):
        Batch(game, 1, repetition=False, repetition_plane=True)


@pytest.mark.parametrize("game", USUAL)
def test_a_batch_is_cloned_kept_and_pickled(game: Game) -> None:
    batch = Batch(game, 80, seed=4, max_moves=30)
    batch.step_random(17)
    state = batch.state()
    copies = [batch.clone(), copy.copy(batch), copy.deepcopy(batch)]
    copies.append(pickle.loads(pickle.dumps(batch)))
    copies.append(Batch(game, 80, seed=9, max_moves=30))
    copies[-1].restore(state)
    batch.step_random(40)
    for other in copies:
        assert np.array_equal(other.lengths, batch.lengths) is False
        other.step_random(40)
        for name in ("observations", "masks", "turns", "lengths", "rewards", "ends", "reasons"):
            assert np.array_equal(getattr(other, name), getattr(batch, name)), name
    batch.restore(state)
    assert batch.state() == state
    assert batch.final_observations()[0].size == 0


def test_a_state_of_something_else_is_refused() -> None:
    batch = Batch("gekitai", 3)
    for state in (b"", b"{}", Batch("gekitai", 4).state(), Batch("glaisher", 3).state()):
        with pytest.raises(ValueError, match="this is not a state of"):
            batch.restore(state)
    damaged = batch.state().replace(b"6/6/6/6/6/6 1", b"6/6/6/6/6/7 1")
    with pytest.raises(ValueError, match="board"):
        batch.restore(damaged)
    batch.step_random()


def test_nothing_that_python_does_to_an_array_harms_the_batch() -> None:
    batch, same = Batch("gekitai", 100, seed=1), Batch("gekitai", 100, seed=1)
    batch.rewards.dtype = np.int8
    batch.observations.setflags(write=False)
    batch.turns.shape = (10, 10)
    batch.masks.view(np.uint8)[:] = 7
    batch.ends.view(np.uint8)[:] = 255
    for array in (batch.lengths, batch.lengths.base):
        with pytest.raises(ValueError, match="resize"):
            array.resize(5, refcheck=False)
    batch.step_random(30)
    same.step_random(30)
    assert np.array_equal(batch.observations, same.observations)
    assert np.array_equal(batch.masks, same.masks)
    batch.actions.base.dtype = np.int8
    with pytest.raises(ValueError, match="`actions` was changed from outside"):
        batch.step_random()
    same.reasons.base.setflags(write=False)
    with pytest.raises(ValueError, match="`reasons` was changed from outside"):
        same.sample()


def fork_and_step(batch: Batch, queue: Any) -> None:
    batch.step_random(5)
    queue.put(batch.observations.sum())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_goes_on_with_threads_of_its_own() -> None:
    batch = Batch("gekitai", 500, seed=1, threads=3)
    batch.step_random()
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=fork_and_step, args=(batch, queue))
    child.start()
    child.join(60)
    batch.step_random(5)
    assert child.exitcode == 0
    assert queue.get() == batch.observations.sum()


@pytest.mark.parametrize(
    "actions",
    [[0.9, 1], [float("nan"), 1], [1 << 70, 1], ["a1", "b1"], [None, 1], [True, False]],
)
def test_an_action_that_is_no_whole_number_is_refused(actions: Any) -> None:
    batch = Batch("gekitai", 2)
    with pytest.raises(ValueError, match="actions must be a list of 2 whole numbers, got "):
        batch.step(actions)
    assert batch.lengths.tolist() == [0, 0]
    with pytest.raises(ValueError, match="actions"):
        batch.step([[1], [2]])
    batch.step(np.array([1, 2], np.uint8))


def test_games_that_begin_again_are_other_ones_unless_a_seed_says_so() -> None:
    batch = Batch("gekitai", 50, seed=3)
    drawn = []
    for seed in (None, None, 3, 3):
        batch.reset(seed=seed)
        drawn.append(batch.sample().tolist())
    assert drawn[0] != drawn[1]
    assert drawn[1] != drawn[2] == drawn[3]
    again = Batch("gekitai", 50, seed=3)
    for _ in range(2):
        again.reset()
        assert again.sample().tolist() == drawn.pop(0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("repetition", False), ("max_moves", 30), ("repetition_plane", True), ("history", 2)],
)
def test_a_state_of_other_settings_is_refused(name: str, value: Any) -> None:
    batch, other = Batch("gekitai", 2), Batch("gekitai", 2, **{name: value})
    with pytest.raises(ValueError, match=f"this batch has {name}=.*, the state {name}="):
        batch.restore(other.state())
    other.restore(other.state())
