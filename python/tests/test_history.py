"""What is shown of the past: enough of it tells all that the rest of a game depends on."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import GAMES, USUAL

from quadrille import MCTS, Batch, Board, Game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quadrille import Position

SHUTTLE = ["b1-a3", "d5-e3", "a3-b1", "e3-d5"]
"""Knights that leave and come back."""
SMALL = [
    Game("gekitai", size=4, markers=3),
    Game("jeson-mor", size=5),
    Game("six-making", size=4),
]
"""Games in which positions come back."""


def going_back(game: Game, seed: int, most: int = 300) -> Iterator[Board]:
    """Play a game that goes back to an earlier position where it can, and undoes what it can."""
    draw, board, known = random.Random(seed), Board(game), set()

    def is_undone(action: int) -> bool:
        board.push(action)
        kept = board.reversible > 0
        board.pop()
        return kept

    for _ in range(most):
        yield board
        if board.is_over:
            return
        known.add(board.position)
        actions = board.actions()
        if draw.random() < 0.9:
            actions = [a for a in actions if is_undone(a)] or actions
            actions = [a for a in actions if board.position.play_action(a) in known] or actions
        board.push(draw.choice(actions))


@pytest.mark.parametrize("game", GAMES)
def test_only_positions_that_are_called_reversible_come_back(game: Game) -> None:
    returns = game.id != "glaisher"
    back = 0
    for seed in range(150 if returns else 5):
        past: list[Position] = []
        lost: set[Position] = set()
        for board in going_back(game, seed):
            begin = len(past) - board.reversible
            lost |= set(past[:begin])
            assert board.position not in lost
            assert board.repetitions == past[begin:].count(board.position)
            back += board.repetitions > 0
            past.append(board.position)
        if back and seed >= 15:
            break
    assert (back > 0) == returns


def test_without_the_past_the_same_move_may_lead_to_different_things() -> None:
    one, two = Board(Game("jeson-mor", size=5)), Board(Game("jeson-mor", size=5))
    for move in SHUTTLE:
        one.push(move)
    for move in ["d1-e3", "b5-a3", "e3-d1", "a3-b5"]:
        two.push(move)

    def alike(**shown: Any) -> bool:
        return np.array_equal(one.observation(**shown), two.observation(**shown))

    assert alike(repetition_plane=True)
    assert not alike(history=4)
    one.push(SHUTTLE[0])
    two.push(SHUTTLE[0])
    assert (one.position, one.repetitions, two.repetitions) == (two.position, 1, 0)
    assert not alike(repetition_plane=True)


@pytest.mark.parametrize("game", [*USUAL, *SMALL])
@pytest.mark.parametrize("repetition_plane", [False, True])
def test_a_batch_shows_what_boards_show(game: Game, repetition_plane: bool) -> None:
    shown: dict[str, Any] = {"history": 3, "repetition_plane": repetition_plane}
    batch = Batch(game, 40, seed=3, max_moves=30, threads=2, **shown)
    boards = [Board(game, max_moves=30) for _ in range(40)]
    ends = 0
    for _ in range(60):
        actions = batch.sample()
        batch.step(actions)
        for board, action in zip(boards, actions, strict=True):
            board.push(int(action))
        for number, planes in zip(*batch.final_observations(), strict=True):
            assert np.array_equal(planes, boards[number].observation(**shown))
            boards[number] = Board(game, max_moves=30)
            ends += 1
        for i, board in enumerate(boards):
            assert batch.reversible[i] == board.reversible
            assert np.array_equal(batch.observations[i], board.observation(**shown))
    assert ends > 40


@pytest.mark.parametrize("game", SMALL)
def test_earlier_positions_are_shown_as_the_mover_sees_them_the_last_one_first(game: Game) -> None:
    for board in going_back(game, 5, most=60):
        frames = np.split(board.observation(history=6), 7)
        positions = [board.position]
        past = board.copy()
        for _ in range(board.reversible):
            past.pop()
            positions.append(past.position)
        for number, frame in enumerate(frames):
            if number < len(positions):
                assert np.array_equal(frame, positions[number].observation(board.turn))
            else:
                assert not frame.any()


@pytest.mark.parametrize("game", SMALL)
def test_an_observation_with_enough_history_tells_all(game: Game) -> None:
    """Games that look alike have the same player to move, position and past that matters."""
    known: dict[bytes, Any] = {}
    met = 0
    for seed in range(60):
        for board in going_back(game, seed, most=14):
            assert board.reversible <= 14
            seen = board.observation(history=14).tobytes()
            past, counts = board.copy(), Counter[Any]()
            for _ in range(board.reversible):
                past.pop()
                counts[past.position.observation(board.turn).tobytes()] += 1
            rest = (board.position.observation().tobytes(), counts)
            met += seen in known
            assert known.setdefault(seen, rest) == rest
    assert met > 0


@pytest.mark.parametrize("symmetries", [False, True])
def test_a_search_shows_the_past_of_game_and_path(symmetries: bool) -> None:
    game = Game("jeson-mor", size=5)
    shown: dict[str, Any] = {"history": 5, "repetition_plane": True}
    board, batch = Board(game), Batch(game, 1, **shown)
    for move in SHUTTLE[:3]:
        board.push(move)
        batch.step([game.action(move)])
    known: set[bytes] = set()

    def learn(board: Board, depth: int) -> None:
        planes = board.observation(**shown)
        for which in range(game.num_symmetries if symmetries else 1):
            places = game.symmetry(which)[0]
            turned = planes.reshape(len(planes), -1)[:, places]
            known.add(turned.astype(np.float32).tobytes())
        for action in board.actions() if depth else []:
            board.push(action)
            learn(board, depth - 1)
            board.pop()

    def network(planes: Any, masks: Any) -> Any:
        for leaf in planes:
            assert leaf.tobytes() in known
        return masks, np.zeros(len(masks))

    learn(board, 2)
    search = MCTS(batch, seed=2, symmetries=symmetries)
    search.run(network, simulations=len(board.actions()) + 20)
    # The next search begins in the tree of this one.
    board.push(SHUTTLE[3])
    batch.step([game.action(SHUTTLE[3])])
    learn(board, 2)
    search.run(network, simulations=len(board.actions()) + 10)


def test_the_past_is_part_of_clones_states_and_pickles() -> None:
    batch = Batch("six-making", 60, seed=4, history=4, max_moves=40)
    batch.step_random(25)
    copies = [batch.clone(), pickle.loads(pickle.dumps(batch))]
    copies.append(Batch("six-making", 60, seed=9, history=4, max_moves=40))
    copies[-1].restore(batch.state())
    for other in copies:
        assert np.array_equal(other.observations, batch.observations)
        assert np.array_equal(other.reversible, batch.reversible)
    batch.step_random(12)
    for other in copies:
        other.step_random(12)
        assert np.array_equal(other.observations, batch.observations)
    assert batch.reversible.any()
    with pytest.raises(ValueError, match="this batch has history=0, the state history=4"):
        Batch("six-making", 60, max_moves=40).restore(batch.state())


def test_what_needs_no_past_has_none() -> None:
    endless = Batch("gekitai", 5, repetition=False)
    endless.step_random(9)
    assert not endless.reversible.any()
    batch = Batch("glaisher", 5, history=1)
    batch.step_random(9)
    assert not batch.reversible.any()
    assert not np.split(batch.observations, 2, axis=1)[1].any()
    for settings, words in [
        ({"history": 1, "repetition": False}, "history needs repetition"),
        ({"history": 1025}, "history must be 0 to 1024"),
    ]:
        with pytest.raises(ValueError, match=words):
            Batch("gekitai", 1, **settings)  # type: ignore[arg-type]


def test_environments_show_the_past() -> None:
    gym = pytest.importorskip("quadrille.gymnasium")
    zoo = pytest.importorskip("quadrille.pettingzoo")
    env = gym.QuadrilleEnv("gekitai", history=2, repetition_plane=True)
    assert env.observation_space.shape == (15, 6, 6)
    seen, _ = env.reset(seed=1)
    assert seen.shape == (15, 6, 6)
    aec = zoo.raw_env("jeson-mor", size=5, history=4)
    aec.reset()
    for move in SHUTTLE:
        aec.step(aec.game.action(move))
    seen = aec.observe("player_1")["observation"]
    assert np.array_equal(seen, aec.board.observation(history=4))
    assert np.array_equal(seen[:3], seen[12:])
    endless = zoo.raw_env("jeson-mor", size=5, repetition=False)
    endless.reset()
    for move in SHUTTLE * 3:
        endless.step(endless.game.action(move))
    assert not any(endless.terminations.values())
