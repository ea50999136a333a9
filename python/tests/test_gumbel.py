"""The search of Gumbel AlphaZero, against one that is written a second time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import USUAL
from test_mcts import Plain, even, scattered

import quadrille
from quadrille import MCTS, Batch, Game, mcts


class PlainGumbel(Plain):
    """The formulas of the paper, without noise, with dictionaries."""

    def arms(self, node: dict[str, Any]) -> tuple[Any, Any, Any]:
        edges = node["edges"]
        visits = np.array([edge["visits"] for edge in edges])
        totals = np.array([float(edge["total"]) for edge in edges])
        return np.array([float(edge["prior"]) for edge in edges]), visits, totals

    def improved(self, node: dict[str, Any]) -> Any:
        priors, visits, totals = self.arms(node)
        seen = visits > 0
        mixed = node["judged"]
        if seen.any():
            mean = (priors * totals / np.maximum(visits, 1))[seen].sum() / priors[seen].sum()
            mixed = (node["judged"] + visits.sum() * mean) / (1 + visits.sum())
        values = np.where(seen, totals / np.maximum(visits, 1), mixed)
        return np.log(priors) + (50 + visits.max()) * (values + 1) / 2

    def policy(self, node: dict[str, Any]) -> Any:
        worth = self.improved(node)
        shares = np.exp(worth - worth.max())
        return shares / shares.sum()

    def _node(self, position: Any) -> dict[str, Any]:
        node = super()._node(position)
        return node | {"judged": float(node["total"])}

    def run(self, considered: int, simulations: int) -> None:
        rounds = int(np.ceil(np.log2(considered)))
        counts, left, plan = [0] * considered, considered, []
        while len(plan) < simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                for i in range(left):
                    plan.append(counts[i])
                    counts[i] += 1
            left = max(2, left // 2)
        for visits in plan[:simulations]:
            self.descend(visits)

    def descend(self, visits: int) -> None:
        node, path = self.root, []
        while node["edges"]:
            if node is self.root:
                allowed = self.arms(node)[1] == visits
                place = int(np.where(allowed, self.improved(node), -np.inf).argmax())
            else:
                own = self.arms(node)[1]
                place = int((self.policy(node) - own / (1 + own.sum())).argmax())
            edge = node["edges"][place]
            path.append((node, edge))
            if edge["child"] is None:
                edge["child"] = self._node(node["position"].play_action(int(edge["action"])))
                node = edge["child"]
                break
            node = edge["child"]
        end = node["position"]
        worth = node["judged"]
        if end.is_over:
            worth = 1.0 if end.outcome == end.turn else -1.0
        for before, edge in path:
            edge["visits"] += 1
            edge["total"] += worth if before["position"].turn == end.turn else -worth


@pytest.mark.parametrize(("considered", "simulations"), [(4, 16), (7, 30), (16, 12)])
def test_the_search_is_that_of_the_paper(considered: int, simulations: int) -> None:
    start = Game("gekitai", size=4).start().play("b2").play("c3").play("b1")
    batch = Batch(start.game, 1, start=start)
    search = MCTS(batch, gumbel=considered)
    policies, _ = search.run(scattered, simulations)
    plain = PlainGumbel(start, 0)
    plain.run(min(considered, len(start.moves())), simulations)
    expected = np.zeros(16)
    expected[[edge["action"] for edge in plain.root["edges"]]] = plain.policy(plain.root)
    assert policies[0] == pytest.approx(expected, abs=1e-4)
    visits = plain.arms(plain.root)[1]
    played = np.where(visits == visits.max(), plain.improved(plain.root), -np.inf).argmax()
    assert search.choose()[0] == plain.root["edges"][played]["action"]


def test_a_seed_gives_the_same_search_on_any_number_of_threads() -> None:
    told = []
    for threads in (1, 3):
        batch = Batch("six-making", 100, seed=2, threads=threads)
        batch.step_random(6)
        search = MCTS(batch, seed=5, noise=1.0, gumbel=8, symmetries=True, parallel=2)
        for _ in range(3):
            policies, values = search.run(scattered, simulations=20)
            assert np.allclose(policies.sum(1), 1)
            actions = search.choose()
            told.append((policies, values, actions))
            batch.step(actions)
    for one, other in zip(told[:3], told[3:], strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    assert (told[0][2] != told[0][0].argmax(1)).any(), "noise makes a difference"


def test_noise_spreads_what_is_played() -> None:
    batch = Batch("gekitai", 500)
    found = mcts(batch, even, simulations=4, gumbel=4, noise=1.0)
    assert len(set(found.actions.tolist())) > 30
    assert len(set(mcts(batch, even, simulations=4, gumbel=4).actions.tolist())) == 1


@pytest.mark.parametrize("game", USUAL)
def test_a_win_at_once_is_found(game: Game) -> None:
    for puzzle in quadrille.puzzles(game)[:3]:
        position = puzzle.position
        for turn in puzzle.solution[:-1]:
            position = position.play(turn)
        steps = position.steps(puzzle.solution[-1])
        for step in steps[:-1]:
            position = position.play(step)
        count = len(position.moves())
        found = mcts(Batch(position.game, 1, start=position), even, simulations=count, gumbel=count)
        assert position.play_action(int(found.actions[0])).outcome == position.turn


def test_what_cannot_be_considered_is_refused() -> None:
    with pytest.raises(ValueError, match="gumbel must be 0 to 65536"):
        MCTS(Batch("gekitai", 1), gumbel=65_537)
