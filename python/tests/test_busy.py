"""Levels count positions, not time: a busy machine plays the same games."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CORE = min(os.sched_getaffinity(0))
BUSY = f"""
import os, time
os.sched_setaffinity(0, {{{CORE}}})
end = time.monotonic() + 120
while time.monotonic() < end:
    pass
"""
MATCH = """
import os, quadrille
os.sched_setaffinity(0, {%d})
played = quadrille.arena("six-making", "level:9", "level:5", games=4, seed=1, threads=%d)
print([record.turns for record in played.records])
"""
TURNS = """
import quadrille
game = quadrille.Game("six-making")
choose = quadrille.player("level:9", game, seed=1)
position, turns = game.start(), []
print("begins", flush=True)
for _ in range(4):
    turns.append(choose(position))
    position = position.play(turns[-1])
print(turns)
"""


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep the core of the match busy."""
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def told(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    ).stdout


def told_with_pauses(code: str, pauses: int, seconds: float) -> str:
    """Let a process begin, and halt it again and again, as if others had the processor."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    begins = process.stdout.readline()
    for _ in range(pauses):
        time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        process.send_signal(signal.SIGCONT)
    rest, _ = process.communicate(timeout=60)
    return begins + rest


def test_a_level_plays_the_same_match_beside_busy_processes_on_any_number_of_threads() -> None:
    alone = told(MATCH % (CORE, 1))
    assert alone.count("[") == 5
    with busy_processes(8):
        # Two games at once that share a core with eight others: each halts the other.
        assert told(MATCH % (CORE, 2)) == alone
        assert told(MATCH % (CORE, 1)) == alone


def test_a_level_chooses_the_same_turns_when_the_machine_halts_it() -> None:
    assert told_with_pauses(TURNS, pauses=6, seconds=1.6) == told(TURNS)
