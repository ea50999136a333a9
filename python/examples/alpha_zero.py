"""AlphaZero in small: a network learns a game by playing against itself.

    python examples/alpha_zero.py --minutes 10

All games of a batch are searched at once (`quadrille.MCTS`), and the network judges the leaves of
all trees in one call. It is fitted to the visits of the searches and to how the games ended. It
needs PyTorch.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch.nn import functional

import quadrille


class Network(torch.nn.Module):  # type: ignore[misc,unused-ignore]
    """Four convolutions, then a head for priors and one for the value."""

    def __init__(self, game: quadrille.Game, width: int = 64) -> None:
        super().__init__()
        planes, rows, columns = game.observation_shape
        convolutions: list[Any] = []
        for before in (planes + 1, width, width, width):
            convolutions += [torch.nn.Conv2d(before, width, 3, padding=1), torch.nn.ReLU()]
        self.body = torch.nn.Sequential(*convolutions, torch.nn.Flatten())
        self.policy = torch.nn.Linear(width * rows * columns, game.num_actions)
        self.value = torch.nn.Linear(width * rows * columns, 1)

    def forward(self, planes: Any, masks: Any) -> tuple[Any, Any]:
        """Give logarithms of priors, and values."""
        seen = self.body(planes)
        logits = self.policy(seen).masked_fill(~masks, -torch.inf)
        return logits.log_softmax(1), self.value(seen)[:, 0].tanh()

    def judge(self, planes: Any, masks: Any) -> tuple[Any, Any]:
        """Judge positions for a search."""
        with torch.inference_mode():
            logs, values = self(torch.from_numpy(planes), torch.from_numpy(masks))
        return logs.exp().numpy(), values.numpy()


def self_play(batch: quadrille.Batch, search: quadrille.MCTS, network: Network, begun: Any) -> Any:
    """Make a move in every game; give what was seen in those that ended, and how it came out."""
    policies, _ = search.run(network.judge, simulations=48)
    assert batch.observations is not None
    assert batch.masks is not None
    for game, seen, mask, policy, turn in zip(
        begun, batch.observations.copy(), batch.masks.copy(), policies, batch.turns, strict=True
    ):
        game.append((seen, mask, policy, int(turn)))
    batch.step(search.choose(temperature=np.where(batch.lengths < 12, 1.0, 0.25)))
    rows = []
    for i in np.flatnonzero(batch.reasons):
        rows += [(*row[:3], batch.rewards[i, row[3] - 1]) for row in begun[i]]
        begun[i].clear()
    return rows


def fit(network: Network, optimiser: Any, rows: Any, draw: np.random.Generator) -> float:
    """Take one step towards visits and results."""
    chosen = [rows[i] for i in draw.integers(len(rows), size=256)]
    planes, masks, policies, results = (
        torch.from_numpy(np.stack(c)) for c in zip(*chosen, strict=True)
    )
    logs, values = network(planes, masks)
    loss = (
        functional.mse_loss(values, results) - (policies * logs.nan_to_num(neginf=0)).sum(1).mean()
    )
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return float(loss.detach())


def train(game: quadrille.Game, seconds: float, games: int = 128, seed: int = 0) -> Network:
    """Play and learn for a while."""
    torch.manual_seed(seed)
    network, draw = Network(game), np.random.default_rng(seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3, weight_decay=1e-4)
    batch = quadrille.Batch(game, games, seed=seed, max_moves=150, repetition_plane=True)
    search = quadrille.MCTS(batch, seed=seed, noise=0.25, symmetries=True)
    begun: list[Any] = [[] for _ in range(games)]
    rows: list[Any] = []
    began, told, moves = time.monotonic(), 0.0, 0
    while (passed := time.monotonic() - began) < seconds:
        rows = (rows + self_play(batch, search, network, begun))[-60_000:]
        moves += games
        losses = [fit(network, optimiser, rows, draw) for _ in range(4 if len(rows) > 1000 else 0)]
        if passed - told > seconds / 10 and losses:
            told = passed
            print(f"{passed:4.0f} s: {moves} moves, {len(rows)} kept, loss {np.mean(losses):.2f}")
    network.eval()
    return network


def player(network: Network, simulations: int = 100) -> Any:
    """Make a player of a network, for `arena`."""

    def learned(position: quadrille.Position) -> int:
        batch = quadrille.Batch(position.game, 1, start=position, threads=1, repetition_plane=True)
        return int(quadrille.mcts(batch, network.judge, simulations=simulations).actions[0])

    return learned


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Train, and measure against players of the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="six-making")
    parser.add_argument("--size", type=int, default=4)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--matches", type=int, default=100, help="games against each opponent")
    parser.add_argument(
        "--opponents", nargs="*", default=["random", "level:1", "level:3", "level:5"]
    )
    given = parser.parse_args(arguments)
    game = quadrille.Game(given.game, size=given.size)
    # Networks as small as this one gain nothing from more threads, and lose all where others work.
    torch.set_num_threads(1)
    untrained, scores = Network(game).eval(), {}
    trained = train(game, 60 * given.minutes)
    for opponent in given.opponents:
        for name, network in (("untrained", untrained), ("trained", trained)):
            result = quadrille.arena(game, player(network), opponent, games=given.matches, seed=1)
            counts = f"+{result.wins} ={result.draws} -{result.losses}"
            print(f"{name} against {opponent}: {result.score:.1%} ({counts})", flush=True)
            scores[opponent] = result.score
    return scores


if __name__ == "__main__":
    main()
