"""What holds for numbers, masks, observations and images, on random games."""

from __future__ import annotations

import random

import numpy as np
import pytest
from conftest import GAMES, walk

from quadrille import Game


def test_numbers_keep_their_meaning() -> None:
    for game, count, meanings in [
        (Game("gekitai"), 36, {0: "a1", 5: "f1", 6: "a2", 35: "f6"}),
        (Game("gekitai", size=4), 16, {4: "a2", 15: "d4"}),
        (Game("jeson-mor"), 448, {0: "a1-c2", 1: "a1-b3", 2: "b1-d2", 447: "i9-g8"}),
        (Game("jeson-mor", size=5), 96, {0: "a1-c2", 95: "e5-c4"}),
        (
            Game("six-making"),
            1913,
            {0: "a1", 24: "e5", 25: "a1-b1", 26: "a1-b1:1", 29: "a1-b1:4", 1912: "e5-d5:4"},
        ),
        (Game("six-making", size=4), 920, {0: "a1", 16: "a1-b1"}),
        (
            Game("glaisher"),
            8473,
            {
                0: "@a1",
                60: "@i9",
                61: "a1-e:1",
                62: "a1-e:2",
                63: "a1-e:12",
                8472: "i9-w:1234",
            },
        ),
        (Game("glaisher", min_parts=2), 7369, {61: "a1-e:12", 7368: "i9-w:1234"}),
        (Game("glaisher", side=4), 1885, {0: "@a1", 4: "@b1", 36: "@g7", 37: "a1-e:1"}),
        (Game("glaisher", side=3), 355, {18: "@e5", 19: "a1-e:1", 354: "e5-w:12"}),
        (Game("glaisher", side=3, min_parts=2), 187, {19: "a1-e:12", 186: "e5-w:12"}),
    ]:
        assert game.num_actions == count
        assert {action: game.action_text(action) for action in meanings} == meanings


@pytest.mark.parametrize("game", GAMES)
def test_every_number_is_one_move_and_back(game: Game) -> None:
    texts = [game.action_text(action) for action in range(game.num_actions)]
    assert len(set(texts)) == game.num_actions
    some = range(0, game.num_actions, max(1, game.num_actions // 500))
    assert all(game.action(texts[action]) == action for action in some)


@pytest.mark.parametrize("game", GAMES)
def test_the_mask_is_the_legal_moves(game: Game) -> None:
    draw = random.Random(3)
    # Lists of actions are made of numbers that are kept.
    assert game.num_actions <= 10_000
    for seed in range(8):
        for position in walk(game, seed):
            actions = position.actions()
            assert [game.action_text(action) for action in actions] == position.moves()
            assert actions == sorted(set(actions))
            assert np.flatnonzero(position.action_mask()).tolist() == actions
            for action in actions[:3]:
                assert position.play_action(action) == position.play(game.action_text(action))
            for action in draw.sample(range(game.num_actions), 12):
                if action not in actions:
                    with pytest.raises(ValueError, match="is not legal here"):
                        position.play_action(action)


@pytest.mark.parametrize("game", GAMES)
def test_images_commute_with_play(game: Game) -> None:
    planes = game.observation_shape[0]
    images = [game.symmetry(which) for which in range(game.num_symmetries)]
    for seed in range(4):
        for number, position in enumerate(walk(game, seed, 80)):
            which = (number + seed) % game.num_symmetries
            places, actions = images[which]
            image = position.image(which)
            seen = position.observation().reshape(planes, -1)[:, places]
            assert np.array_equal(image.observation().reshape(planes, -1), seen)
            assert np.array_equal(image.action_mask(), position.action_mask()[actions])
            for action in position.actions()[:4]:
                turned = int(np.flatnonzero(actions == action)[0])
                after = position.play_action(action).image(which)
                assert image.play_action(turned) == after
            assert position.canonical()[0] == image.canonical()[0] or game.id == "gekitai"
            assert position.symmetries[which] == image


@pytest.mark.parametrize("game", GAMES)
def test_an_observation_is_the_movers_and_tells_positions_apart(game: Game) -> None:
    assert len(game.planes) == game.observation_shape[0]
    seen: dict[bytes, object] = {}
    for seed in range(6):
        for position in walk(game, seed):
            own = position.observation()
            assert own.shape == game.observation_shape
            assert own.dtype == np.float32
            assert np.array_equal(own, position.observation(position.turn))
            if position.is_over:
                continue
            # The mover's view is the same for the same board with exchanged players.
            legal = position.action_mask()
            before = seen.setdefault(own.tobytes(), legal)
            assert np.array_equal(before, legal)
    start = game.start()
    assert not np.array_equal(start.observation(1), start.observation(2)) or game.id in (
        "gekitai",
        "six-making",
    )


def test_planes_are_what_they_say() -> None:
    game = Game("gekitai")
    seen = game.start().play("c3").observation()
    assert seen[1, 2, 2] == 1
    assert seen[:2].sum() == 1
    assert seen[2].min() == 1
    assert seen[3].max() == np.float32(7 / 8)
    tower = Game("six-making").position("xo,x,3/oxoo,4/5/5/5 1").observation()
    assert tower[0, 0, 1] == 1
    assert tower[5, 0, 0] == 1
    assert tower[1, 0, 0] == 1
    assert tower[13, 1, 0] == 1
    stack = Game("glaisher").start().observation()
    assert stack[0, 0, 1] == 1
    assert stack[2, 0, 1] == 1
    assert stack[1, 1, 5] == 1
    assert stack[5].sum() == 61
