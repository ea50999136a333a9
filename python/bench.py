"""How quick the package is, beside OpenSpiel and beside the program itself.

python bench.py --program ../target/release/quadrille

On a machine that has other things to do, `--cpu` counts seconds of the processor instead.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import time
from functools import partial
from typing import TYPE_CHECKING

import quadrille

if TYPE_CHECKING:
    from collections.abc import Callable


def rate(count: Callable[[], int], seconds: float, clock: Callable[[], float]) -> float:
    """Repeat something for a while; give how much it counts in a second."""
    count()
    began, done = clock(), 0
    while (passed := clock() - began) < seconds:
        done += count()
    return done / passed


def program_rate(program: str, game: str, seconds: float, *, cpu: bool) -> float:
    """Ask the program itself for the moves a second of random games."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [program, "bench", "playouts", game, "--seconds", str(seconds)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return float(told.splitlines()[1].split()[3]) * (seconds / used if cpu else 1)


def single(game: quadrille.Game) -> int:
    """Play a random game by numbers, position by position."""
    position, moves = game.start(), 0
    while not position.is_over and moves < 2000:
        position = position.play_action(random.choice(position.actions()))
        moves += 1
    return moves


def open_spiel(name: str) -> Callable[[], int]:
    """Play a random game of OpenSpiel's in the same way."""
    import pyspiel

    game = pyspiel.load_game(name)

    def play() -> int:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            moves += 1
        return moves

    return play


def batch(game: quadrille.Game, threads: int, *, everything: bool, steps: int) -> Callable[[], int]:
    """Make random moves in many games at once."""
    many = quadrille.Batch(game, 1024, threads=threads, observations=everything, masks=everything)

    def step() -> int:
        many.step_random(steps)
        return len(many) * steps

    return step


def chosen(game: quadrille.Game, threads: int) -> Callable[[], int]:
    """Step a batch with actions, observations and masks, as in training."""
    many = quadrille.Batch(game, 1024, threads=threads)

    def step() -> int:
        many.step(many.sample())
        return len(many)

    return step


def main() -> None:
    """Print moves a second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", help="the program, for `bench playouts`")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--cpu", action="store_true", help="count seconds of the processor")
    given = parser.parse_args()
    seconds, clock = given.seconds, time.process_time if given.cpu else time.perf_counter
    print("one by one, thousand moves/s")
    try:
        spiel = rate(open_spiel("breakthrough"), seconds, clock)
        print(f"  {'breakthrough, OpenSpiel':<24} {spiel / 1e3:8.0f}")
    except ImportError:
        print("  OpenSpiel is not installed")
    for name in quadrille.games():
        one = rate(partial(single, quadrille.Game(name)), seconds, clock)
        print(f"  {name:<24} {one / 1e3:8.0f}")
    print("batches of 1024, million moves/s, on one and on two threads")
    print("             program  random playouts   steps, all arrays  steps by actions")
    for name in quadrille.games():
        game = quadrille.Game(name)
        rates = [
            rate(make, seconds, clock) / 1e6
            for make in (
                batch(game, 1, everything=False, steps=64),
                batch(game, 2, everything=False, steps=64),
                batch(game, 1, everything=True, steps=1),
                batch(game, 2, everything=True, steps=1),
                chosen(game, 1),
                chosen(game, 2),
            )
        ]
        own = ""
        if given.program:
            own = f"{program_rate(given.program, name, seconds, cpu=given.cpu):.2f}"
        print(f"  {name:<11}{own:>7}" + "".join(f"{one:9.2f}" for one in rates))


if __name__ == "__main__":
    main()
