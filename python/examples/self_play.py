"""A small network learns Gekitai on 4x4 by playing against itself.

    python examples/self_play.py --rounds 60

It judges positions. While it plays, each side tries every move, takes the one after which the
opponent's prospects look worst, and now and then any other; after each round the network is fitted
to how the games ended, with every position in all eight images. It uses PyTorch where that is
installed, and else a few lines of NumPy.
"""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

import quadrille

torch: Any = import_module("torch") if find_spec("torch") else None

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float32]


class Network(Protocol):
    """An evaluator of positions: a number from -1 to 1 for the player to move."""

    def judge(self, seen: Array) -> Array:
        """Evaluate many observations."""
        ...

    def fit(self, seen: Array, worth: Array, rate: float) -> float:
        """Take one step towards these values; return the mean square error before it."""
        ...


class NumpyNetwork:
    """Two hidden layers, trained by hand."""

    def __init__(self, size: int, width: int, seed: int) -> None:
        draw = np.random.default_rng(seed)
        shapes = [(size, width), (width, width), (width, 1)]
        self.weights = [
            draw.normal(0, np.sqrt(2 / rows), (rows, columns)).astype(np.float32)
            for rows, columns in shapes
        ]
        self.biases = [np.zeros(columns, np.float32) for _, columns in shapes]
        self.moments = [np.zeros_like(array) for array in self.weights + self.biases]
        self.squares = [np.zeros_like(array) for array in self.weights + self.biases]
        self.steps = 0

    def _layers(self, seen: Array) -> list[Array]:
        layers = [seen.reshape(len(seen), -1)]
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            layers.append(np.maximum(layers[-1] @ weight + bias, 0))
        layers.append(np.tanh(layers[-1] @ self.weights[-1] + self.biases[-1]))
        return layers

    def judge(self, seen: Array) -> Array:
        """Evaluate many observations."""
        return self._layers(seen)[-1][:, 0]

    def fit(self, seen: Array, worth: Array, rate: float) -> float:
        """Take one step of Adam."""
        layers = self._layers(seen)
        error = layers[-1][:, 0] - worth
        slope = (2 * error / len(seen))[:, None] * (1 - layers[-1] ** 2)
        of_weights, of_biases = [], []
        for weight, below in zip(self.weights[::-1], layers[-2::-1], strict=True):
            of_weights.append(below.T @ slope)
            of_biases.append(slope.sum(0))
            slope = (slope @ weight.T) * (below > 0)
        self.steps += 1
        slopes = of_weights[::-1] + of_biases[::-1]
        for i, (array, slope) in enumerate(zip(self.weights + self.biases, slopes, strict=True)):
            self.moments[i] += 0.1 * (slope - self.moments[i])
            self.squares[i] += 0.001 * (slope**2 - self.squares[i])
            mean = self.moments[i] / (1 - 0.9**self.steps)
            spread = np.sqrt(self.squares[i] / (1 - 0.999**self.steps)) + 1e-8
            array[...] -= (rate * mean / spread).astype(np.float32)
        return float(np.mean(error**2))


class TorchNetwork:
    """The same network in PyTorch."""

    def __init__(self, size: int, width: int, seed: int) -> None:
        torch.manual_seed(seed)
        self.layers = torch.nn.Sequential(
            torch.nn.Flatten(),
            torch.nn.Linear(size, width),
            torch.nn.ReLU(),
            torch.nn.Linear(width, width),
            torch.nn.ReLU(),
            torch.nn.Linear(width, 1),
            torch.nn.Tanh(),
        )
        self.optimiser = torch.optim.Adam(self.layers.parameters())

    def judge(self, seen: Array) -> Array:
        """Evaluate many observations."""
        with torch.no_grad():
            judged: Array = self.layers(torch.from_numpy(np.ascontiguousarray(seen)))[:, 0].numpy()
        return judged

    def fit(self, seen: Array, worth: Array, rate: float) -> float:
        """Take one step of Adam."""
        self.optimiser.param_groups[0]["lr"] = rate
        judged = self.layers(torch.from_numpy(np.ascontiguousarray(seen)))[:, 0]
        loss = torch.nn.functional.mse_loss(judged, torch.from_numpy(worth))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return float(loss.detach())


def make(game: quadrille.Game, width: int = 128, seed: int = 0) -> Network:
    """Make an untrained network."""
    size = int(np.prod(game.observation_shape))
    return (NumpyNetwork if torch is None else TorchNetwork)(size, width, seed)


def choose(network: Network, positions: list[quadrille.Position]) -> list[int]:
    """Choose an action in each position: the one after which the opponent is worst off."""
    actions = [position.actions() for position in positions]
    seen, worth = [], []
    for position, own in zip(positions, actions, strict=True):
        for action in own:
            after = position.play_action(action)
            seen.append(after.observation())
            won = {None: 0.0, "draw": 0.5, position.turn: 9.0}.get(after.outcome, -9.0)
            worth.append(won)
    judged = np.asarray(worth) - network.judge(np.stack(seen)) * (np.abs(worth) < 1)
    chosen, at = [], 0
    for own in actions:
        chosen.append(own[int(np.argmax(judged[at : at + len(own)]))])
        at += len(own)
    return chosen


def play_round(
    network: Network, game: quadrille.Game, games: int, explore: float, draw: np.random.Generator
) -> tuple[Array, Array]:
    """Play games; return all observations, and the result of each game for the player to move."""
    positions = [game.start() for _ in range(games)]
    past: list[list[quadrille.Position]] = [[] for _ in range(games)]
    going = list(range(games))
    for _ in range(60):
        if not going:
            break
        chosen = choose(network, [positions[i] for i in going])
        for i, action in zip(going, chosen, strict=True):
            past[i].append(positions[i])
            if draw.random() < explore:
                action = int(draw.choice(positions[i].actions()))  # noqa: PLW2901
            positions[i] = positions[i].play_action(action)
        going = [i for i in going if not positions[i].is_over]
    seen, worth = [], []
    for end, before in zip(positions, past, strict=True):
        for age, position in enumerate(reversed(before)):
            seen.append(position.observation())
            won = end.outcome if isinstance(end.outcome, int) else 0
            side = 0.0 if won == 0 else 1.0 if won == position.turn else -1.0
            worth.append(side * 0.97**age)
    return np.stack(seen), np.asarray(worth, np.float32)


def augmented(game: quadrille.Game, seen: Array, draw: np.random.Generator) -> Array:
    """Rotate or mirror each observation at random."""
    planes = game.observation_shape[0]
    flat = seen.reshape(len(seen), planes, -1)
    places = np.stack([game.symmetry(which)[0] for which in range(game.num_symmetries)])
    which = draw.integers(0, game.num_symmetries, len(seen))
    turned = np.take_along_axis(flat, places[which][:, None, :], axis=2)
    return turned.reshape(seen.shape)


def train(
    game: quadrille.Game,
    rounds: int,
    games: int,
    seed: int = 0,
    tell: Callable[[str], None] = print,
) -> Network:
    """Train a network by self-play."""
    network, draw = make(game, seed=seed), np.random.default_rng(seed)
    kept: list[tuple[Array, Array]] = []
    for number in range(1, rounds + 1):
        explore = max(0.1, 0.5 * (1 - number / rounds))
        kept.append(play_round(network, game, games, explore, draw))
        kept = kept[-8:]
        seen = np.concatenate([part for part, _ in kept])
        worth = np.concatenate([part for _, part in kept])
        errors = []
        for _ in range(60):
            some = draw.integers(0, len(seen), 256)
            errors.append(network.fit(augmented(game, seen[some], draw), worth[some], 1e-3))
        if number % max(1, rounds // 6) == 0:
            tell(f"round {number}: {len(seen)} positions, mean square error {np.mean(errors):.3f}")
    return network


def main(arguments: list[str] | None = None) -> float:
    """Train, and measure against players of the program."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--games", type=int, default=64, help="games in each round")
    parser.add_argument("--matches", type=int, default=100, help="games against each opponent")
    given = parser.parse_args(arguments)
    game = quadrille.Game("gekitai", size=4)
    print("PyTorch" if torch is not None else "NumPy", f"on {game!r}")
    network = train(game, given.rounds, given.games)

    def learned(position: quadrille.Position) -> int:
        return choose(network, [position])[0]

    score = 0.0
    for opponent in ("random", "level:1", "level:3"):
        result = quadrille.arena(game, learned, opponent, games=given.matches, opening=2, seed=1)
        counts = f"+{result.wins} ={result.draws} -{result.losses}"
        print(f"against {opponent}: {result.score:.1%} ({counts})")
        score = result.score if opponent == "random" else score
    return score


if __name__ == "__main__":
    main()
