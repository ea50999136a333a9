"""How quick the package is, beside OpenSpiel and beside the program itself.

python bench.py --program ../target/release/quadrille
"""

from __future__ import annotations

import argparse
import random
import subprocess
import time
from functools import partial
from typing import TYPE_CHECKING

import quadrille

if TYPE_CHECKING:
    from collections.abc import Callable


def rate(count: Callable[[], int], seconds: float) -> float:
    """Repeat something for a while; give how much it counts in a second."""
    count()
    began, done = time.perf_counter(), 0
    while (passed := time.perf_counter() - began) < seconds:
        done += count()
    return done / passed


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
    given = parser.parse_args()
    seconds = given.seconds
    print("one by one, thousand moves/s")
    try:
        print(f"  OpenSpiel's breakthrough {rate(open_spiel('breakthrough'), seconds) / 1e3:8.0f}")
    except ImportError:
        print("  OpenSpiel is not installed")
    for name in quadrille.games():
        game = quadrille.Game(name)
        print(f"  {name:<24} {rate(partial(single, game), seconds) / 1e3:8.0f}")
    print("batches of 1024, million moves/s")
    print("                     random playouts   random steps,    steps by actions,")
    print("             program   1 core  2 cores   all arrays 1, 2  all arrays 1, 2")
    for name in quadrille.games():
        game, program = quadrille.Game(name), "-"
        if given.program:
            command = [given.program, "bench", "playouts", name, "--seconds", str(seconds)]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            program = told.splitlines()[1].split()[3]
        rates = [
            rate(make, seconds) / 1e6
            for make in (
                batch(game, 1, everything=False, steps=64),
                batch(game, 2, everything=False, steps=64),
                batch(game, 1, everything=True, steps=1),
                batch(game, 2, everything=True, steps=1),
                chosen(game, 1),
                chosen(game, 2),
            )
        ]
        print(f"  {name:<11}{program:>7}" + "".join(f"{one:9.2f}" for one in rates))


if __name__ == "__main__":
    main()
