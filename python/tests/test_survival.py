"""What is asked wrongly is refused: it neither ends the interpreter nor hangs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETUP = """
import resource, threading
import numpy
import quadrille
from quadrille import MCTS, Batch, Board, Game, perft
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

def even(planes, masks):
    return masks, numpy.zeros(len(masks))

def refusal(function, *given, **named):
    try:
        function(*given, **named)
    except (ValueError, MemoryError, RecursionError) as error:
        print(type(error).__name__, error)
    else:
        print("done")
"""


def told(code: str, seconds: float = 60) -> list[str]:
    """Run a program of its own, which may end or hang; return what it prints."""
    ran = subprocess.run(
        [sys.executable, "-c", SETUP + code],
        capture_output=True, check=False, text=True, timeout=seconds,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_a_depth_that_no_count_ends_with_is_refused() -> None:
    code = """
refusal(perft, Game("jeson-mor").start(), 1_000_000)
refusal(perft, Game("glaisher").start(), 2**32 - 1, turns=True)
print(perft(Game("gekitai").position("6/1xx3/6/3oo1/6/6 1").play("d2"), 100))
"""
    assert told(code) == [
        "ValueError depth must be 0 to 100, got 1000000",
        "ValueError depth must be 0 to 100, got 4294967295",
        "0",
    ]


def test_more_memory_than_there_is_raises() -> None:
    code = """
# Most systems promise more memory than they have: here they may not.
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
refusal(Batch, "gekitai", 1 << 24, history=1024)
refusal(Batch, "glaisher", 1 << 24, observations=False, masks=False)
large = Batch("gekitai", 1 << 15)
refusal(MCTS, large, parallel=1024)
small = Batch("glaisher", 1 << 14, masks=False)
refusal(small.clone)
small.step_random()
print(len(small), "games go on")
"""
    lines = told(code)
    assert [line.partition(" ")[0] for line in lines[:3]] == ["MemoryError"] * 3
    assert "`observations` of shape [16777216, 4100, 6, 6]" in lines[0]
    assert lines[-1] == "16384 games go on"


def test_a_length_that_is_only_said_takes_no_memory() -> None:
    code = """
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

class Long:
    def __len__(self):
        return 1 << 40
    def __getitem__(self, number):
        return "c3" if number == 0 else 1 / 0

search = MCTS(Batch("gekitai", 2))
search.run(even, 1)
refusal(search.choose, range(10**9))
for turns in (Long(), range(10**9), "c3"):
    try:
        quadrille.Record.of("gekitai", turns)
    except (TypeError, ZeroDivisionError) as error:
        print(type(error).__name__)
"""
    assert told(code) == [
        "ValueError temperature must be 0 or more, one or 2 of them",
        "ZeroDivisionError",
        "TypeError",
        "TypeError",
    ]


def test_choosing_while_a_search_runs_is_refused() -> None:
    code = """
search = MCTS(Batch("gekitai", 2))

def meddling(planes, masks):
    refusal(search.choose)
    other = threading.Thread(target=refusal, args=(search.choose,))
    other.start()
    other.join()
    return even(planes, masks)

search.run(meddling, 1)
print(len(search.choose()))
"""
    lines = told(code)
    assert set(lines[:-1]) == {"ValueError this search is running"}
    assert lines[-1] == "2"


def test_a_function_that_says_where_games_begin_may_look_at_its_batch() -> None:
    code = """
start, batch = Game("gekitai").start(), None
seen = []

def sampler():
    if batch is not None:
        seen.append(batch.position(0))
        other = threading.Thread(target=lambda: seen.append(batch.position(1)))
        other.start()
        other.join()
    return start

batch = Batch("gekitai", 2, start=sampler)
batch.reset()
print(len(seen), batch.position(0) == start)
batch.step_random(200)
print(len(seen) > 4)
"""
    assert told(code) == ["4 True", "True"]


def test_a_function_that_steps_its_batch_is_refused() -> None:
    code = """
start, batch = Game("gekitai").start(), None

def sampler():
    if batch is not None:
        batch.step_random()
    return start

batch = Batch("gekitai", 2, start=sampler)
refusal(batch.reset)
again, batch = batch, None
again.reset()
print(again.position(1) == start)
"""
    lines = told(code)
    assert lines[0].startswith("RecursionError")
    assert lines[1:] == ["True"]


def test_a_state_of_a_finished_game_is_refused_so_that_no_search_hangs() -> None:
    code = """
over = Game("gekitai").position("6/1xx3/6/3oo1/6/6 1").play("d2")
batch = Batch("gekitai", 1)
state = batch.state().replace(b"6/6/6/6/6/6 1", over.text.encode())
refusal(batch.restore, state)
other = Game("gekitai", size=4).start()
refusal(batch.restore, batch.state().replace(b"6/6/6/6/6/6 1", other.text.encode()))
MCTS(batch).run(even, 10)
"""
    lines = told(code)
    assert lines[0].startswith("ValueError no game can begin with")
    assert lines[1].startswith("ValueError ")
    assert len(lines) == 2


def test_ctrl_c_ends_a_search_in_which_all_is_decided() -> None:
    code = """
import os, signal, time
won = Game("gekitai").position("6/1xx3/6/3oo1/6/6 1")
signal.signal(signal.SIGINT, signal.default_int_handler)
# Without exploration, every simulation makes the winning move as soon as it is known.
search = MCTS(Batch("gekitai", 1, start=won), exploration=0)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    search.run(even, 1 << 24)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - began < 1)
else:
    print("done", time.monotonic() - began)
"""
    assert told(code) == ["interrupted True"]


def test_rings_of_a_batch_and_what_it_asks_are_collected() -> None:
    code = """
import gc, weakref

class Sampler:
    def __call__(self):
        return Game("gekitai").start()

gone = []
for search in (False, True):
    sampler = Sampler()
    sampler.batch = Batch("gekitai", 1, start=sampler)
    if search:
        sampler.batch = MCTS(sampler.batch)
    gone.append(weakref.ref(sampler))
    del sampler
gc.collect()
print([own() for own in gone])
"""
    assert told(code) == ["[None, None]"]


CAMPAIGN = Path(__file__).parent / "campaign.py"


@pytest.mark.parametrize("seed", [1, 2])
def test_odd_calls_never_end_the_interpreter(seed: int) -> None:
    ran = subprocess.run(
        [sys.executable, CAMPAIGN, str(seed), "3"],
        capture_output=True, check=False, text=True, timeout=120,
        env=os.environ | {"PYTHONPATH": str(CAMPAIGN.parents[1])},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-500:] + ran.stderr[:4000]
    calls, names = ran.stdout.splitlines()[-1].split()
    assert int(calls) > 300
    assert int(names) > 100
