"""Whatever is handed out can be copied and sent to another process."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import pytest

import quadrille
from quadrille import Engine, Game

if TYPE_CHECKING:
    from pathlib import Path

GAME = Game("gekitai", size=5, markers=4)
FOUND = Engine(GAME).search(GAME.start(), nodes=2000, lines=2)
SOLUTION = quadrille.solve(GAME.start(), nodes=2_000_000, method="proof")
THINGS: dict[str, Any] = {
    "Line": FOUND.lines[0] if FOUND else None,
    "Analysis": FOUND,
    "Solution": SOLUTION,
    "Proof": quadrille.verify(SOLUTION.certificate or ""),
    "MatchResult": quadrille.arena(GAME, "level:1", "random", games=2, seed=1),
    "Puzzle": quadrille.puzzles("gekitai")[0],
    "Engine": Engine(GAME, level=4, memory=2, seed=3),
    "player": quadrille.player("level:2", GAME, seed=4),
    "random": quadrille.player("random", GAME, seed=4),
}


def told(thing: Any) -> Any:
    """Return everything that an object shows."""
    if isinstance(thing, (Engine, quadrille.Player)):
        return repr(thing)
    names = [name for name in dir(thing) if not name.startswith("_") and name != "to_dict"]
    return repr(thing), {name: getattr(thing, name) for name in names}


@pytest.mark.parametrize("name", THINGS)
def test_a_copy_is_the_same(name: str) -> None:
    thing = THINGS[name]
    for other in (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):
        assert type(other) is type(thing)
        assert told(other) == told(thing)


def test_what_is_at_work_or_half_read_says_that_it_cannot_be_sent(tmp_path: Path) -> None:
    records = tmp_path / "games.txt"
    records.write_text(quadrille.Record.of(GAME, ["c3"]).text)
    things: list[Any] = [
        quadrille.MCTS(quadrille.Batch(GAME, 2)),
        quadrille.Records(records),
        Engine(GAME).analyse(GAME.start(), nodes=100),
    ]
    for thing in things:
        with pytest.raises(TypeError, match="cannot pickle"):
            pickle.dumps(thing)
        with pytest.raises(TypeError, match="cannot pickle"):
            copy.copy(thing)


def test_an_engine_that_was_sent_plays_the_same() -> None:
    engine = Engine(GAME, level=3, seed=8)
    engine.play(GAME.start())
    other = pickle.loads(pickle.dumps(engine))
    engine.forget()
    positions = [GAME.start(), GAME.start().play("b2"), GAME.start().play("c3")]
    assert [engine.play(p) for p in positions] == [other.play(p) for p in positions]


def test_a_player_plays_in_another_process() -> None:
    choose = quadrille.player("level:3", GAME, seed=5)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(choose, GAME.start()).result() == choose(GAME.start())
