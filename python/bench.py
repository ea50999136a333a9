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
from typing import TYPE_CHECKING, Any

import numpy as np

import quadrille

if TYPE_CHECKING:
    from collections.abc import Callable


def rate(count: Callable[[], int], seconds: float, clock: Callable[[], float]) -> float:
    """Repeat something for a while; return its count per second."""
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


def single_by_text(game: quadrille.Game) -> int:
    """Play a random game by the texts of moves."""
    position, moves = game.start(), 0
    while not position.is_over and moves < 2000:
        position = position.play(random.choice(position.moves()))
        moves += 1
    return moves


def open_spiel_by_text(name: str) -> Callable[[], int]:
    """Play a random game of OpenSpiel's by the texts of moves: all are written, one is read."""
    import pyspiel

    game = pyspiel.load_game(name)

    def play() -> int:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            player = state.current_player()
            texts = [state.action_to_string(player, a) for a in state.legal_actions()]
            state.apply_action(state.string_to_action(random.choice(texts)))
            moves += 1
        return moves

    return play


def open_spiel_clones(name: str) -> Callable[[], int]:
    """Clone a state of OpenSpiel's after some moves."""
    import pyspiel

    state = pyspiel.load_game(name).new_initial_state()
    for _ in range(4):
        state.apply_action(state.legal_actions()[0])

    def clone() -> int:
        for _ in range(100):
            state.clone()
        return 100

    return clone


def simulations(game: quadrille.Game, games: int, each: int) -> Callable[[], int]:
    """Search with a uniform network; only the search takes time."""
    many = quadrille.Batch(game, games, threads=1)
    nothing = np.zeros(games, np.float32)

    def network(_: Any, masks: Any) -> tuple[Any, Any]:
        return masks, nothing[: len(masks)]

    def search() -> int:
        quadrille.mcts(many, network, simulations=each)
        return games * each

    return search


def open_spiel_simulations(name: str, each: int) -> Callable[[], int]:
    """Search with OpenSpiel's MCTS in C++ and one random game for each leaf, its only evaluator."""
    import pyspiel

    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(
        game, evaluator, 1.5, each, 1000, False, 1, False, pyspiel.ChildSelectionPolicy.PUCT
    )
    state = game.new_initial_state()

    def search() -> int:
        bot.mcts_search(state)
        return each

    return search


def mctx_simulations(games: int, each: int) -> Callable[[], int]:
    """Search with DeepMind's mctx in games of pgx, with a uniform network."""
    import jax
    import jax.numpy as jnp
    import mctx
    import pgx

    env = pgx.make("animal_shogi")
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games))

    def judged(state: Any) -> tuple[Any, Any]:
        return jnp.where(state.legal_action_mask, 0.0, -1e9), jnp.zeros(games)

    def after(_: Any, __: Any, action: Any, state: Any) -> tuple[Any, Any]:
        mover = state.current_player
        state = jax.vmap(env.step)(state, action)
        logits, value = judged(state)
        ended = state.terminated
        reward = jax.vmap(lambda rewards, who: rewards[who])(state.rewards, mover)
        discount = jnp.where(ended, 0.0, -1.0)
        told = mctx.RecurrentFnOutput(
            reward=reward, discount=discount, prior_logits=logits, value=value
        )
        return told, state

    def searched(key: Any) -> Any:
        logits, value = judged(states)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=states)
        illegal = ~states.legal_action_mask
        return mctx.muzero_policy(
            None, key, root, after, each, invalid_actions=illegal, dirichlet_fraction=0.0
        ).action_weights

    run: Any = jax.jit(searched)

    def search() -> int:
        run(jax.random.PRNGKey(1)).block_until_ready()
        return games * each

    return search


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


def one_by_one(seconds: float, clock: Callable[[], float]) -> None:
    """Print the moves a second of single games, by numbers and by texts."""
    print("one by one, thousand moves/s by numbers, by texts")
    try:
        numbers = rate(open_spiel("breakthrough"), seconds, clock) / 1e3
        texts = rate(open_spiel_by_text("breakthrough"), seconds, clock) / 1e3
        print(f"  {'breakthrough, OpenSpiel':<24} {numbers:8.0f} {texts:8.0f}")
    except ImportError:
        print("  OpenSpiel is not installed: pip install open_spiel")
    for name in quadrille.games():
        game = quadrille.Game(name)
        numbers = rate(partial(single, game), seconds, clock) / 1e3
        texts = rate(partial(single_by_text, game), seconds, clock) / 1e3
        print(f"  {name:<24} {numbers:8.0f} {texts:8.0f}")


def through_open_spiel(seconds: float, clock: Callable[[], float]) -> None:
    """Print the speed of the games through OpenSpiel, beside one of its own games."""
    print("through OpenSpiel, thousand moves/s, microseconds for a clone")
    try:
        from quadrille.open_spiel import register

        for name in ("breakthrough", *register()):
            moves = rate(open_spiel(name), seconds, clock) / 1e3
            clones = 1e6 / rate(open_spiel_clones(name), seconds, clock)
            print(f"  {name:<24} {moves:8.0f} {clones:8.1f}")
    except ImportError:
        print("  OpenSpiel is not installed: pip install open_spiel")


def main() -> None:
    """Print moves a second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", help="the program, for `bench playouts`")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--cpu", action="store_true", help="count seconds of the processor")
    given = parser.parse_args()
    seconds, clock = given.seconds, time.process_time if given.cpu else time.perf_counter
    one_by_one(seconds, clock)
    print("tree search, thousand simulations/s: 64 games, 200 simulations each, one thread")
    searches: list[tuple[str, Callable[[], Callable[[], int]]]] = [
        ("breakthrough, OpenSpiel", partial(open_spiel_simulations, "breakthrough", 2000)),
        ("animal shogi, mctx, pgx", partial(mctx_simulations, 64, 200)),
    ]
    searches += [
        (name, partial(simulations, quadrille.Game(name), 64, 200)) for name in quadrille.games()
    ]
    for name, make in searches:
        try:
            print(f"  {name:<24} {rate(make(), seconds, clock) / 1e3:8.1f}")
        except ImportError as error:
            missing = "open_spiel" if error.name == "pyspiel" else "jax mctx pgx"
            print(f"  {name:<24} not installed: pip install {missing}")
    through_open_spiel(seconds, clock)
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
