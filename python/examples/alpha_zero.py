"""AlphaZero in small: a network learns a game by playing against itself.

    python examples/alpha_zero.py --minutes 10

All games of a batch are searched at once (`quadrille.MCTS`), and the network judges the leaves of
all trees in one call. It is fitted to the policies of the searches, which improve on its own, and
to how the games ended. It needs PyTorch, and uses a GPU where there is one.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import quadrille


class Network(nn.Module):  # type: ignore[misc,unused-ignore]
    """Residual blocks, then a head for priors and one for the value."""

    def __init__(self, game: quadrille.Game, width: int = 64, blocks: int = 3) -> None:
        super().__init__()
        planes, rows, columns = game.observation_shape
        self.stem = nn.Conv2d(planes + 1, width, 3, padding=1)
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))
        self.policy = nn.Sequential(
            nn.Conv2d(width, 16, 1), nn.ReLU(), nn.Flatten(),
            nn.Linear(16 * rows * columns, game.num_actions),
        )  # fmt: skip
        self.value = nn.Sequential(
            nn.Conv2d(width, 8, 1), nn.ReLU(), nn.Flatten(),
            nn.Linear(8 * rows * columns, 64), nn.ReLU(), nn.Linear(64, 1), nn.Tanh(),
        )  # fmt: skip

    def forward(self, planes: Any, masks: Any) -> tuple[Any, Any]:
        """Return logarithms of priors, and values."""
        seen = functional.relu(self.stem(planes))
        for block in self.blocks:
            seen = block(seen)
        logits = self.policy(seen).masked_fill(~masks, -torch.inf)
        return logits.log_softmax(1), self.value(seen)[:, 0]

    @property
    def device(self) -> Any:
        """The device of the network."""
        return self.stem.weight.device

    def judge(self, planes: Any, masks: Any) -> tuple[Any, Any]:
        """Evaluate positions for a search."""
        with torch.inference_mode():
            given = (torch.from_numpy(array).to(self.device) for array in (planes, masks))
            logs, values = self(*given)
        return logs.exp().cpu().numpy(), values.cpu().numpy()


class Block(nn.Module):  # type: ignore[misc,unused-ignore]
    """Two convolutions with a skip connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.one = nn.Conv2d(width, width, 3, padding=1)
        self.two = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, seen: Any) -> Any:
        """Add the result to the input."""
        return functional.relu(seen + self.two(functional.relu(self.one(seen))))


class Row(NamedTuple):
    """A position of a finished game with its training targets."""

    planes: Any
    mask: Any
    policy: Any
    turn: int
    value: float


class Memory:
    """The last positions of finished games, in arrays."""

    def __init__(self, game: quadrille.Game, most: int) -> None:
        planes, rows, columns = game.observation_shape
        self.game, self.most, self.count = game, most, 0
        self.planes = np.zeros((most, planes + 1, rows, columns), np.float32)
        self.masks = np.zeros((most, game.num_actions), np.bool_)
        self.policies = np.zeros((most, game.num_actions), np.float32)
        self.values = np.zeros(most, np.float32)

    def add(self, rows: list[Row], rewards: Any) -> None:
        """Store the positions of a game in place of the oldest."""
        for row in rows:
            at = self.count % self.most
            self.planes[at], self.masks[at], self.policies[at] = row.planes, row.mask, row.policy
            # The search's value is less noisy than the result of the game.
            self.values[at] = (rewards[row.turn - 1] + row.value) / 2
            self.count += 1

    def draw(self, count: int, draw: np.random.Generator) -> tuple[Any, ...]:
        """Sample positions, rotated or mirrored at random."""
        chosen = draw.integers(min(self.count, self.most), size=count)
        places, actions = self.game.symmetry(int(draw.integers(self.game.num_symmetries)))
        planes = self.planes[chosen]
        seen = planes.reshape(*planes.shape[:2], -1)[:, :, places].reshape(planes.shape)
        return (
            seen, self.masks[chosen][:, actions], self.policies[chosen][:, actions],
            self.values[chosen],
        )  # fmt: skip


def fit(network: Network, optimiser: Any, data: tuple[Any, ...]) -> float:
    """Take one training step."""
    given = (torch.from_numpy(np.ascontiguousarray(array)).to(network.device) for array in data)
    planes, masks, policies, results = given
    logs, values = network(planes, masks)
    surprise = -(policies * logs.nan_to_num(neginf=0)).sum(1).mean()
    loss = surprise + functional.mse_loss(values, results)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return float(loss.detach())


def train(game: quadrille.Game, seconds: float, given: Any) -> Network:
    """Play and learn for a while."""
    torch.manual_seed(given.seed)
    draw, memory = np.random.default_rng(given.seed), Memory(game, given.memory)
    network: Network = Network(game).to(given.device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=given.rate, weight_decay=1e-4)
    batch = quadrille.Batch(
        game, given.games, seed=given.seed, max_moves=150, repetition_plane=True
    )
    search = quadrille.MCTS(batch, seed=given.seed, noise=1.0, gumbel=16, symmetries=True)
    begun: list[list[Row]] = [[] for _ in range(given.games)]
    began, told, ended = time.monotonic(), 0.0, 0
    losses: list[float] = []
    while (passed := time.monotonic() - began) < seconds:
        # Small steps at the end: the last network is the one that plays.
        optimiser.param_groups[0]["lr"] = given.rate * min(1.0, 3 * (1 - passed / seconds) + 0.05)
        policies, values = search.run(network.judge, given.simulations)
        seen, masks = batch.observations, batch.masks
        assert seen is not None
        assert masks is not None
        for i, rows in enumerate(begun):
            rows.append(
                Row(seen[i].copy(), masks[i].copy(), policies[i], batch.turns[i], values[i])
            )
        batch.step(search.choose())
        for i in np.flatnonzero(batch.reasons).tolist():
            memory.add(begun[i], batch.rewards[i])
            begun[i] = []
            ended += 1
        if memory.count > 4000:
            losses += [fit(network, optimiser, memory.draw(256, draw)) for _ in range(given.steps)]
        if passed - told > seconds / 10 and losses:
            told = passed
            print(f"{passed:4.0f} s: {ended} games, loss {np.mean(losses[-200:]):.2f}", flush=True)
    network.eval()
    return network


def player(network: Network, simulations: int) -> Any:
    """Make a player of a network, for `arena`."""

    def learned(position: quadrille.Position) -> int:
        batch = quadrille.Batch(position.game, 1, start=position, threads=1, repetition_plane=True)
        found = quadrille.mcts(batch, network.judge, simulations=simulations, parallel=8)
        return int(found.actions[0])

    return learned


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Train, and measure against players of the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="gekitai")
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--simulations", type=int, default=16, help="for each move it learns from")
    parser.add_argument("--games", type=int, default=128, help="games at once")
    parser.add_argument("--steps", type=int, default=4, help="training steps for each move")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--memory", type=int, default=100_000, help="positions to learn from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, help="for the network; usually one for each core")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--matches", type=int, default=100, help="games against each opponent")
    parser.add_argument("--thought", type=int, default=100, help="simulations for each move there")
    parser.add_argument(
        "--opponents", nargs="*", default=["random", "level:1", "level:3", "level:5"]
    )
    given = parser.parse_args(arguments)
    game = quadrille.Game(given.game, size=given.size)
    if given.threads:
        torch.set_num_threads(given.threads)
    untrained, scores = Network(game).to(given.device).eval(), {}
    trained = train(game, 60 * given.minutes, given)
    for opponent in given.opponents:
        for name, network in (("untrained", untrained), ("trained", trained)):
            own = player(network, given.thought)
            result = quadrille.arena(game, own, opponent, games=given.matches, seed=1)
            counts = f"+{result.wins} ={result.draws} -{result.losses}"
            print(f"{name} against {opponent}: {result.score:.1%} ({counts})", flush=True)
            scores[opponent] = result.score
    return scores


if __name__ == "__main__":
    main()
