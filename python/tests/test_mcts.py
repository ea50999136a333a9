from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import USUAL

import quadrille
from quadrille import MCTS, Batch, Board, Game, mcts

Judged = tuple[Any, Any]


def even(planes: Any, masks: Any) -> Judged:
    """Know nothing."""
    assert planes.dtype == np.float32
    assert masks.dtype == np.bool_
    return masks, np.zeros(len(planes))


def scattered(planes: Any, masks: Any) -> Judged:
    """Return priors and values that depend on the position alone, and look like chance."""
    flat = planes.reshape(len(planes), -1).astype(np.float64)
    key = np.sin(flat @ np.arange(1, flat.shape[1] + 1))
    weights = np.sin(key[:, None] * np.arange(1, masks.shape[1] + 1)) + 1.01
    return weights, np.clip(key, -0.5, 0.5)


@pytest.mark.parametrize("game", USUAL)
@pytest.mark.parametrize("repetition_plane", [False, True])
def test_policies_are_shares_of_legal_moves(game: Game, repetition_plane: bool) -> None:
    batch = Batch(game, 5, seed=1, repetition_plane=repetition_plane)
    batch.step_random(4)
    found = mcts(batch, even, simulations=40, symmetries=True, noise=0.25, temperature=1.0)
    policies, values, actions = found
    assert policies.shape == batch.masks.shape
    assert np.allclose(policies.sum(1), 1)
    assert not policies[~batch.masks].any()
    assert (np.abs(values) <= 1).all()
    batch.step(actions)


def first_move(start: quadrille.Position, simulations: int) -> str:
    batch = Batch(start.game, 1, start=start)
    chosen = mcts(batch, even, simulations=simulations, parallel=16, exploration=1.0)
    return start.action_text(int(chosen.actions[0]))


@pytest.mark.parametrize("game", USUAL)
def test_the_last_turn_of_a_won_game_is_found(game: Game) -> None:
    for puzzle in quadrille.puzzles(game)[:5]:
        board = Board(puzzle.position)
        for turn in puzzle.solution[:-1]:
            board.push(turn)
        mover = board.turn
        while board.turn == mover and not board.is_over:
            board.push(first_move(board.position, 5_000))
        assert board.outcome == mover


def test_proven_wins_in_two_turns_are_found() -> None:
    puzzles = [puzzle for game in USUAL for puzzle in quadrille.puzzles(game)]
    short = [puzzle for puzzle in puzzles if puzzle.turns == 2]
    narrow = [puzzle for puzzle in short if len(puzzle.position.turns()) <= 40][:24]
    assert len(narrow) == 24
    found = [first_move(puzzle.position, 60_000) == puzzle.solution[0] for puzzle in narrow]
    assert sum(found) >= 22


def test_a_win_at_once_is_seen_and_its_value_is_one() -> None:
    won = Game("gekitai").position("6/1xx3/6/3oo1/6/6 1")
    found = mcts(Batch("gekitai", 3, start=won), even, simulations=600)
    assert all(won.play_action(int(action)).outcome == 1 for action in found.actions)
    assert (found.values > 0.8).all()


def test_a_seed_gives_the_same_search_on_any_number_of_threads() -> None:
    told = []
    for threads in (1, 3):
        batch = Batch("six-making", 200, seed=2, threads=threads)
        batch.step_random(6)
        search = MCTS(batch, seed=5, noise=0.25, symmetries=True, parallel=3)
        for _ in range(3):
            policies, values = search.run(scattered, simulations=20)
            actions = search.choose(temperature=1.0)
            batch.step(actions)
            told.append((policies, values, actions))
    for one, other in zip(told[:3], told[3:], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    other = MCTS(Batch("six-making", 200, seed=2), seed=6, noise=0.25)
    assert not np.array_equal(other.run(scattered, 20)[0], told[0][0])


def test_without_noise_the_search_is_that_of_the_plain_formula() -> None:
    """Compare with PUCT written a second time, position by position."""
    game = Game("gekitai", size=4)
    start = game.start().play("b2").play("c3").play("b1")
    batch = Batch(game, 1, start=start)
    policies, values = MCTS(batch, exploration=1.25).run(scattered, simulations=150)
    plain = Plain(start, 1.25)
    for _ in range(150):
        plain.simulate()
    assert np.array_equal(policies[0], (plain.visits() / 150).astype(np.float32))
    assert values[0] == pytest.approx(plain.root["total"] / plain.root["visits"], abs=1e-5)


class Plain:
    """PUCT with dictionaries."""

    def __init__(self, start: quadrille.Position, exploration: float) -> None:
        self.exploration = exploration
        self.root = self._node(start)

    def _node(self, position: quadrille.Position) -> dict[str, Any]:
        node: dict[str, Any] = {
            "position": position,
            "visits": 0,
            "total": np.float32(0),
            "edges": [],
        }
        if position.is_over:
            return node
        mask = position.action_mask()
        weights, value = scattered(position.observation()[None], mask[None])
        priors = (weights[0].astype(np.float32) * mask)[mask]
        priors /= priors.sum(dtype=np.float32)
        node["edges"] = [
            {"action": a, "prior": p, "visits": 0, "total": np.float32(0), "child": None}
            for a, p in zip(np.flatnonzero(mask), priors, strict=True)
        ]
        node["visits"], node["total"] = 1, np.float32(value[0])
        return node

    def simulate(self) -> None:
        node, path = self.root, []
        while True:
            mean = node["total"] / np.float32(max(node["visits"], 1))
            scale = np.float32(self.exploration) * np.sqrt(np.float32(node["visits"]))

            def score(edge: dict[str, Any], mean: Any = mean, scale: Any = scale) -> float:
                visits = np.float32(edge["visits"])
                value = edge["total"] / visits if visits else mean
                return float(value + scale * edge["prior"] / (np.float32(1) + visits))

            edge = max(node["edges"], key=score)
            path.append((node, edge))
            if edge["child"] is None:
                edge["child"] = self._node(node["position"].play_action(int(edge["action"])))
                leaf = edge["child"]
                break
            node = edge["child"]
            if node["position"].is_over:
                leaf = node
                break
        outcome = leaf["position"].outcome
        worth = leaf["total"] if outcome is None else np.float32(outcome == leaf["position"].turn)
        if isinstance(outcome, int) and outcome != leaf["position"].turn:
            worth = np.float32(-1)
        for node, edge in path:
            own = worth if node["position"].turn == leaf["position"].turn else -worth
            node["visits"] += 1
            node["total"] += own
            edge["visits"] += 1
            edge["total"] += own

    def visits(self) -> Any:
        counts = np.zeros(16)
        for edge in self.root["edges"]:
            counts[edge["action"]] = edge["visits"]
        return counts


def test_what_is_still_about_the_game_is_kept() -> None:
    batch = Batch("gekitai", 4, seed=1)
    search = MCTS(batch)
    policies, _ = search.run(even, simulations=200)
    asked: list[int] = []

    def counting(planes: Any, masks: Any) -> Judged:
        asked.append(len(planes))
        return even(planes, masks)

    actions = search.choose()
    kept = (policies.max(1) * 200).sum()
    batch.step(actions)
    policies, _ = search.run(counting, simulations=10)
    assert sum(asked) == 40
    # The visits of the tree before are in it.
    assert kept > 4 * 4
    assert np.allclose(policies.sum(1), 1)
    shares = np.unique(np.round(policies * 10, 6) % 1)
    assert len(shares) > 1
    batch.reset(seed=3)
    asked.clear()
    search.run(counting, simulations=10)
    assert sum(asked) == 44


def test_a_position_for_the_third_time_is_a_draw_in_the_tree() -> None:
    game = Game("jeson-mor", size=5)
    board = Board(game)
    batch = Batch(game, 1)
    for move in ["b1-a3", "d5-e3", "a3-b1", "e3-d5", "b1-a3", "d5-e3", "a3-b1"]:
        board.push(move)
        batch.step([game.action(move)])
    last = game.action("e3-d5")

    def lost(planes: Any, masks: Any) -> Judged:
        """Judge every position as won for the player to move, so that only the draw is no loss."""
        return masks, np.ones(len(planes))

    found = mcts(batch, lost, simulations=400)
    assert found.actions[0] == last
    lasting = Batch(game, 1, repetition=False)
    for move in board.stack:
        lasting.step([game.action(move)])
    assert mcts(lasting, lost, simulations=400).policies[0, last] < 0.2


def test_noise_is_in_the_root_alone_and_temperature_draws() -> None:
    batch = Batch("gekitai", 300)
    plain = mcts(batch, even, simulations=36)
    assert np.allclose(plain.policies, 1 / 36, atol=0.03)
    noisy = MCTS(batch, noise=1.0, alpha=0.1, seed=1)
    policies, _ = noisy.run(even, simulations=36)
    assert policies.max(1).mean() > 0.3
    assert len(np.unique(noisy.choose(temperature=1.0))) > 20
    greedy = noisy.choose()
    assert (policies[np.arange(300), greedy] == policies.max(1)).all()
    warm = np.where(np.arange(300) < 150, 0.0, 1.0)
    drawn = noisy.choose(temperature=warm)
    assert (policies[np.arange(150), drawn[:150]] == policies[:150].max(1)).all()


def test_a_tree_that_was_kept_has_noise_from_its_first_simulation() -> None:
    search = MCTS(Batch("gekitai", 300), noise=1.0, alpha=0.1, seed=1, parallel=8)
    search.run(even, simulations=1)
    policies, _ = search.run(even, simulations=8)
    # Without noise all trees look at the same moves, apart from that of the first run.
    assert len(np.unique(policies > 0, axis=0)) > 100


def test_a_network_that_fails_leaves_a_search_that_goes_on() -> None:
    batch = Batch("gekitai", 6)
    search = MCTS(batch, parallel=4)
    search.run(even, simulations=20)

    def fails(planes: Any, masks: Any) -> Judged:
        raise RuntimeError(f"{len(planes)} and {len(masks)} are too many")

    with pytest.raises(RuntimeError, match="24 and 24 are too many"):
        search.run(fails, simulations=20)
    policies, _ = search.run(even, simulations=20)
    assert np.allclose(policies.sum(1), 1)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda _, m: m, "a network returns two arrays"),
        (lambda p, m: (m[:, :5], np.zeros(len(p))), r"priors of shape \(2, 36\) and 2 values"),
        (lambda _, m: (m, np.zeros(5)), r"got shapes \(2, 36\) and \(5,\)"),
        (lambda p, m: (m * np.nan, np.zeros(len(p))), "prior of `a1` is NaN"),
        (lambda p, m: (-1.0 * m, np.zeros(len(p))), "prior of `a1` is -1; priors are 0 or more"),
        (lambda p, m: (m, np.full(len(p), np.inf)), "value of a position is inf"),
    ],
)
def test_a_bad_answer_is_refused(answer: Any, words: str) -> None:
    search = MCTS(Batch("gekitai", 2))
    with pytest.raises(ValueError, match=words):
        search.run(answer)
    assert search.run(even, simulations=5)[0].shape == (2, 36)


def test_bad_settings_are_refused() -> None:
    batch = Batch("gekitai", 2)
    for settings, words in [
        ({"exploration": -1}, "exploration must be 0 or more"),
        ({"noise": 2}, "noise must be 0 to 1"),
        ({"alpha": 0}, "alpha must be more than 0"),
        ({"parallel": 0}, "parallel must be 1 to 1024"),
        ({"simulations": 0}, "simulations must be 1 to"),
        ({"temperature": -1}, "temperature must be 0 or more"),
        ({"temperature": [1.0]}, "one or 2 of them"),
    ]:
        with pytest.raises(ValueError, match=words):
            mcts(batch, even, **settings)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="call `run` first"):
        MCTS(batch).choose()
