"""Calls whatever the package shows with odd arguments for a while: `campaign.py SEED SECONDS`.

Any exception is an answer. The last line that is printed says how many calls were made, and of how
many names; the line before a crash says which call it was.
"""

from __future__ import annotations

import copy
import math
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
from typing import Any

import numpy as np

import quadrille
import quadrille._quadrille as native

GAMES = ["gekitai", "glaisher", "jeson-mor", "six-making"]
LEFT_OUT = {"install_table", "_panic"}
"""One writes into the user's folder, the other fails on purpose."""
PATIENCE = 0.15
"""How many seconds a call may take before it is interrupted."""


def even(_: Any, masks: Any) -> Any:
    return masks, np.zeros(len(masks))


def odd(draw: random.Random, kept: list[Any]) -> Any:
    """Draw an argument: sometimes a right one, often not."""
    plain = [
        None, True, "", "c3", "a1-c1:2", "é\0", "x" * 5000, "level:3", "seed:hard", b"{}", b"\xff",
        "6/6/6/6/6/6 1", 0, 1, 2, 7, -1, 255, 1024, 2**31, 2**32 - 1, 2**63, 2**64, -(2**70),
        0.5, math.nan, math.inf, -1e300, 1j, [], [1, 2], ["c3", "d4"], [None], (), object(),
        {}, {"size": 4}, {"game": "gekitai"}, np.zeros(3), np.array([math.nan]), np.array(["c3"]),
        np.zeros((2, 36), bool), np.array([1 << 62]), print, even, int, lambda: None,
        lambda *_: "c3", lambda *_: 10**30, iter([]), range(10**9), *GAMES,
    ]  # fmt: skip
    return draw.choice(kept) if draw.random() < 0.5 else draw.choice(plain)


def words(thing: Any) -> list[str]:
    """Return the names of the arguments of a function, as it documents them."""
    text = getattr(thing, "__text_signature__", None) or ""
    parts = [part.split("=")[0].strip(" )$/*") for part in text.strip("()").split(",")]
    return [part for part in parts if part.isidentifier() and part != "self"]


def targets(kept: list[Any]) -> list[tuple[str, Any]]:
    """Return all that can be called now: functions, classes and what objects can do."""
    found = [
        (name, getattr(owner, name))
        for owner in (quadrille, native)
        for name in dir(owner)
        if name not in LEFT_OUT and not name.startswith("__") and callable(getattr(owner, name))
    ]
    for thing in kept:
        kind = type(thing)
        if kind.__module__.partition(".")[0] != "quadrille":
            continue
        skipped = ("__class__", "__init_subclass__", "__subclasshook__", "__getattribute__")
        found += [
            (f"{kind.__name__}.{name}", lambda *a, o=thing, n=name, **k: use(o, n, *a, **k))
            for name in dir(kind)
            if name not in skipped
        ]
        for way in (copy.copy, copy.deepcopy, pickle.dumps, iter, repr):
            found.append((f"{way.__name__} {kind.__name__}", lambda *_, o=thing, w=way, **__: w(o)))
    return found


def use(thing: Any, name: str, *given: Any, **named: Any) -> Any:
    """Read what is no function, call what is."""
    own = getattr(thing, name)
    return own(*given, **named) if callable(own) else own


def begin() -> list[Any]:
    """Return objects of all kinds to begin with."""
    kept: list[Any] = [quadrille.Game(game) for game in GAMES]
    kept += [game.start() for game in kept[:4]]
    kept += [quadrille.Board(game) for game in GAMES]
    kept += [quadrille.Batch(game, 2) for game in GAMES]
    kept += [quadrille.MCTS(batch) for batch in kept[-4:]]
    kept += [quadrille.Engine("gekitai", memory=1), quadrille.player("level:1", "gekitai")]
    kept += [quadrille.Record.of("gekitai", ["c3", "d4"]), quadrille.puzzles("gekitai")[0]]
    return kept


def late(*_: Any) -> None:
    raise TimeoutError


def call(thing: Any, draw: random.Random, kept: list[Any]) -> Any:
    """Call something with odd arguments, for a while."""
    given = [odd(draw, kept) for _ in range(draw.choice([0, 0, 1, 1, 1, 2, 3]))]
    named = {name: odd(draw, kept) for name in words(thing) if draw.random() < 0.2}
    signal.setitimer(signal.ITIMER_REAL, PATIENCE, 0.05)
    try:
        return thing(*given, **named)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main(seed: int, seconds: float) -> None:
    draw, kept = random.Random(seed), begin()
    fixed, calls, names = len(kept), 0, set()
    end = time.monotonic() + seconds
    all_targets = targets(kept)
    while time.monotonic() < end:
        name, thing = draw.choice(all_targets)
        os.write(1, f"{name}\n".encode())
        calls, names = calls + 1, {*names, name}
        try:
            made = call(thing, draw, kept)
        except BaseException as error:
            if type(error) is SystemExit:
                raise
            continue
        if made is not None and len(kept) < fixed + 40:
            kept.append(made)
            all_targets = targets(kept)
    print(calls, len(names))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, late)
    os.chdir(tempfile.mkdtemp())
    main(int(sys.argv[1]), float(sys.argv[2]))
