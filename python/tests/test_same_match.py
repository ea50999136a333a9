"""The same match on every machine: whole games, kept as they were played.

A change to rules, search, levels or seed players changes them. If it is intended, run this with
QUADRILLE_BLESS=1 and look at the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import USUAL

import quadrille
from quadrille import Game

KEPT = Path(__file__).parent / "matches"
BLESS = "QUADRILLE_BLESS" in os.environ


def match(game: Game, threads: int) -> str:
    """Play every kind of player whose turns follow from a seed, and write the games down."""
    pairs = [("level:6", "level:3"), ("level:9", "beginner"), ("level:1", "random")]
    pairs += [(f"seed:{name}", "level:2") for name in game.seed_players]
    lines = []
    for one, two in pairs:
        played = quadrille.arena(game, one, two, games=2, seed=7, threads=threads, max_turns=60)
        lines.append(f"{one} {two}: +{played.wins} ={played.draws} -{played.losses}")
        lines += [" ".join(record.turns) for record in played.records]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("game", USUAL)
def test_a_level_and_a_seed_give_the_match_that_was_kept(game: Game) -> None:
    file = KEPT / f"{game.id}.txt"
    if BLESS:
        KEPT.mkdir(exist_ok=True)
        file.write_text(match(game, 1), encoding="utf-8")
    kept = file.read_text(encoding="utf-8")
    assert match(game, 2) == kept
    assert kept.count("\n") == 3 * (3 + len(game.seed_players))
