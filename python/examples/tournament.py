"""A tournament of players, spread over processes, or over a Ray cluster where `ray` is installed.

python examples/tournament.py gekitai random seed:hard level:3 level:5 --games 40
python examples/tournament.py gekitai random level:3 --ray
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import quadrille

Task = tuple[str, str, str, int, int]


def play(task: Task) -> tuple[str, str, int, int, int]:
    """Play one part of a match; its result depends on the task alone, wherever it is played."""
    game, one, other, games, seed = task
    result = quadrille.arena(game, one, other, games=games, seed=seed, nodes=20_000)
    return one, other, result.wins, result.draws, result.losses


def tasks(game: str, players: list[str], games: int, part: int = 10) -> list[Task]:
    """Cut all pairings into parts."""
    return [
        (game, one, other, min(part, games - first), first)
        for one, other in itertools.combinations(players, 2)
        for first in range(0, games, part)
    ]


def spread(work: list[Task], *, ray_cluster: bool) -> list[tuple[str, str, int, int, int]]:
    """Play all parts at once."""
    if ray_cluster:
        import ray

        ray.init(ignore_reinit_error=True)
        remote: Any = ray.remote(play)
        played: list[tuple[str, str, int, int, int]] = ray.get(
            [remote.remote(task) for task in work]
        )
        return played
    # The engine has threads: processes must begin afresh, not as copies.
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(play, work))


def main(arguments: list[str] | None = None) -> dict[str, float]:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", choices=quadrille.games())
    parser.add_argument("players", nargs="+")
    parser.add_argument("--games", type=int, default=40, help="games of each pairing")
    parser.add_argument("--ray", action="store_true", help="play on a Ray cluster")
    given = parser.parse_args(arguments)
    points: dict[str, float] = defaultdict(float)
    played: dict[str, int] = defaultdict(int)
    work = tasks(given.game, given.players, given.games)
    for one, other, wins, draws, losses in spread(work, ray_cluster=given.ray):
        points[one] += wins + draws / 2
        points[other] += losses + draws / 2
        played[one] += wins + draws + losses
        played[other] += wins + draws + losses
    for name in sorted(points, key=lambda name: -points[name]):
        print(f"{name:<16} {points[name]:7.1f} of {played[name]}")
    return dict(points)


if __name__ == "__main__":
    main()
