"""How long random games last and who wins them, with a plot.

python examples/random_play.py --games 20000 --output random_play.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import quadrille


def statistic(game: quadrille.Game, wanted: int, seed: int = 0) -> tuple[list[int], np.ndarray]:
    """Play random games; return their lengths, and wins of player 1, of player 2, draws."""
    batch = quadrille.Batch(game, min(wanted, 2048), seed=seed, observations=False, masks=False)
    began = np.zeros(len(batch), np.int64)
    lengths: list[int] = []
    counts = np.zeros(3, np.int64)
    # Each place plays the same number of games: counting those that end first would favour
    # short ones.
    left = np.full(len(batch), wanted // len(batch))
    left[: wanted % len(batch)] += 1
    move = 0
    while left.any():
        move += 1
        _, rewards, ends, truncations = batch.step_random()
        over = (ends | truncations) & (left > 0)
        lengths.extend((move - began[over]).tolist())
        counts += [
            (rewards[over, 0] > 0).sum(),
            (rewards[over, 1] > 0).sum(),
            (rewards[over, 0] == 0).sum(),
        ]
        began[ends | truncations] = move
        left[over] -= 1
    return lengths, counts


def main(arguments: list[str] | None = None) -> None:
    """Play, print, plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--output", type=Path, default=Path("random_play.png"))
    given = parser.parse_args(arguments)
    found = {}
    for name in quadrille.games():
        game = quadrille.Game(name)
        lengths, counts = statistic(game, given.games)
        found[game.name] = lengths
        one, two, draws = counts / counts.sum()
        print(
            f"{game.name:<11} {np.mean(lengths):7.1f} moves a game,"
            f" player 1 wins {one:.1%}, player 2 {two:.1%}, draws {draws:.1%}"
        )
    plot(found, given.output)


def plot(found: dict[str, list[int]], output: Path) -> None:
    """Draw the lengths of all games."""
    try:
        import matplotlib as mpl
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(found), figsize=(4 * len(found), 3), layout="constrained")
    for axis, (name, lengths) in zip(np.atleast_1d(axes), found.items(), strict=True):
        axis.hist(lengths, bins=40, range=(0, float(np.quantile(lengths, 0.99))), color="#40698c")
        axis.set_title(name)
        axis.set_xlabel("moves of a random game")
        axis.set_yticks([])
    figure.savefig(output, dpi=110)
    plt.close(figure)
    print(f"wrote {output}")


if __name__ == "__main__":
    main()
