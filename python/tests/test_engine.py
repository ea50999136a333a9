from __future__ import annotations

import _thread
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import USUAL

import quadrille
from quadrille import Engine, Game, Record

WON = Game("gekitai").position("6/1xx3/6/3oo1/6/6 1")


@pytest.mark.parametrize("game", USUAL)
def test_a_search_is_repeatable_and_keeps_its_limits(game: Game) -> None:
    found = [Engine(game).search(game.start(), nodes=3000, lines=2) for _ in range(2)]
    first, second = found
    assert first is not None
    assert second is not None
    assert first.lines == second.lines
    assert first.nodes == second.nodes <= 3000
    assert len(first.lines) == 2
    assert first.best in game.start().turns()
    assert first.to_dict()["lines"][0]["turns"] == first.lines[0].turns
    assert "<table" in first._repr_html_()


def test_a_win_is_seen_and_a_finished_game_has_no_best_turn() -> None:
    found = Engine("gekitai").search(WON, nodes=10_000)
    assert found is not None
    assert found.win_in == 1
    over = WON.play(found.best or "")
    assert over.outcome == 1
    assert Engine("gekitai").search(over, nodes=100) is None
    assert Engine("gekitai").play(over) is None


def test_limits_are_refused_in_the_words_of_requests() -> None:
    engine = Engine("gekitai")
    with pytest.raises(ValueError, match="nodes"):
        engine.search(WON, nodes=0)
    with pytest.raises(ValueError, match="depth"):
        engine.search(WON, depth=101)
    with pytest.raises(ValueError, match="this is glaisher, but the engine plays gekitai"):
        engine.search(Game("glaisher").start(), nodes=10)


def test_an_analysis_comes_depth_by_depth_and_can_be_stopped() -> None:
    engine = Engine("glaisher")
    depths = [told.depth for told in engine.analyse(engine.game.start(), nodes=20_000)]
    assert depths == sorted(depths)
    assert len(depths) >= 2
    with engine.analyse(engine.game.start(), time_ms=60_000) as search:
        assert next(search).depth >= 1
        search.stop()
        assert all(told.depth for told in search)


def test_another_thread_goes_on_and_stops_a_search() -> None:
    engine = Engine("six-making")
    counted = 0
    started = threading.Event()

    def count_and_stop() -> None:
        nonlocal counted
        started.wait()
        for _ in range(50_000):
            counted += 1
        while not done.is_set():
            engine.stop()
            done.wait(0.01)

    done = threading.Event()
    thread = threading.Thread(target=count_and_stop)
    thread.start()
    started.set()
    found = engine.search(engine.game.start(), time_ms=60_000)
    done.set()
    thread.join()
    assert counted == 50_000
    assert found is not None
    assert found.time_ms < 50_000


def test_threads_share_an_engine() -> None:
    engine = Engine("gekitai")
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: engine.search(WON, nodes=2000), range(12)))
    assert all(one is not None and one.win_in == 1 for one in found)


INTERRUPTED = {
    "search": "quadrille.Engine(game).search(game.start(), time_ms=60_000)",
    "analyse": "list(quadrille.Engine(game).analyse(game.start(), time_ms=60_000))",
    "solve": "quadrille.solve(game.start(), time_ms=60_000)",
    "perft": "quadrille.perft(game.start(), 9)",
    "step_random": "quadrille.Batch(game, 100).step_random(1_000_000_000)",
    "arena": "quadrille.arena(game, 'engine', 'engine', games=100, time_ms=10_000)",
}


@pytest.mark.parametrize("what", INTERRUPTED)
def test_ctrl_c_ends_it(what: str) -> None:
    code = (
        "import quadrille\ngame = quadrille.Game('glaisher')\nprint('begins', flush=True)\n"
        f"try:\n    {INTERRUPTED[what]}\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert out == "interrupted\n"
    assert process.returncode == 0


def test_a_search_knows_the_past_of_a_record() -> None:
    record = Record.of("six-making", ["a1", "b1", "c1"])
    found = Engine("six-making").search(record, nodes=2000)
    assert found is not None
    assert found.best in record.end.turns()


@pytest.mark.parametrize("game", USUAL)
def test_every_player_plays(game: Game) -> None:
    names = ["random", "level:1", "level:5", "engine", *(f"seed:{s}" for s in game.seed_players)]
    for name in names:
        choose = quadrille.player(name, game, seed=3, nodes=200)
        assert choose(game.start()) in game.start().turns()
    level = Engine(game, level=3, seed=1)
    assert level.play(game.start()) in game.start().turns()


def test_a_match_is_counted_and_recorded() -> None:
    result = quadrille.arena("gekitai", "level:4", "random", games=10, threads=2, seed=1)
    assert result.wins + result.draws + result.losses == 10
    assert result.wins >= 8
    assert [record.tags["Round"] for record in result.records] == [str(i) for i in range(1, 11)]
    again = quadrille.arena("gekitai", "level:4", "random", games=10, threads=1, seed=1)
    assert [r.turns for r in again.records] == [r.turns for r in result.records]


def test_functions_play_matches_and_their_errors_come_through() -> None:
    def first(position: quadrille.Position) -> str:
        return position.moves()[0]

    def number(position: quadrille.Position) -> int:
        return position.actions()[-1]

    def fails(position: quadrille.Position) -> str:
        raise RuntimeError(f"cannot play {position.turn}")

    result = quadrille.arena("glaisher", first, number, games=4)
    assert result.names == ("first", "number")
    assert result.wins + result.draws + result.losses == 4
    with pytest.raises(RuntimeError, match="cannot play"):
        quadrille.arena("gekitai", first, fails, games=4)


@pytest.mark.parametrize("name", ["level:2", "random"])
def test_players_of_the_package_play_the_match_that_a_seed_says(name: str) -> None:
    choose = quadrille.player(name, "gekitai", seed=7)
    choose(Game("gekitai").start().play("c3"))

    def played(seed: int, threads: int) -> list[list[str]]:
        # The same player on both sides, and in several games at once.
        match = quadrille.arena("gekitai", choose, choose, games=8, seed=seed, threads=threads)
        assert match.names == (name, name)
        return [record.turns for record in match.records]

    first = played(1, 1)
    assert played(1, 3) == first == played(1, 1)
    assert played(2, 1) != first
    assert len({tuple(turns) for turns in first}) == 8
    assert choose.seed == 7


def test_a_name_that_nobody_has_is_answered_with_those_there_are() -> None:
    with pytest.raises(
        ValueError, match="`level:N`, `seed:NAME`, `random`, `beginner` or `engine`"
    ):
        quadrille.arena("gekitai", "nobody", "random", games=2)
    assert quadrille.arena("gekitai", "beginner", "random", games=2).names[0]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("z9", "the answer of player `answers`: `z9` is not a move"),
        (99, "actions are 0 to 35, got 99"),
        (1 << 70, "expected a whole number"),
    ],
)
def test_an_illegal_answer_of_a_function_is_an_error(answer: object, words: str) -> None:
    def answers(_: quadrille.Position) -> object:
        return answer

    for sides in [(answers, "random"), ("random", answers)]:
        with pytest.raises(ValueError, match=words):
            quadrille.arena("gekitai", *sides, games=2)  # type: ignore[arg-type]

    def occupied(position: quadrille.Position) -> int:
        return next(a for a in range(36) if a not in position.actions())

    with pytest.raises(ValueError, match=r"the answer of player `occupied`: .* is not legal here"):
        quadrille.arena("gekitai", occupied, "random", games=2)


def test_a_match_begins_where_it_is_told_to() -> None:
    game = Game("gekitai")
    one, two = game.start().play("c3"), game.start().play("d4").play("a1")
    result = quadrille.arena(game, "level:1", "random", games=6, start=[one, two])
    assert [record.start for record in result.records] == [one, one, two, two, one, one]
    result = quadrille.arena(game, "level:1", "random", games=2, start=one, opening=2)
    assert {record.start for record in result.records} == {one}
    first, second = (record.turns[:2] for record in result.records)
    assert first == second
    asked = iter([two, one])
    result = quadrille.arena(game, "level:1", "random", games=4, start=lambda: next(asked))
    assert [record.start for record in result.records] == [two, two, one, one]
    with pytest.raises(ValueError, match="is not a position of"):
        quadrille.arena(game, "level:1", "random", start=Game("gekitai", size=4).start())


def test_a_win_is_proven_and_its_certificate_holds() -> None:
    position = Game("gekitai", size=5, markers=4).start()
    solution = quadrille.solve(position, nodes=2_000_000, method="proof")
    assert solution.winner == 1
    assert solution.certificate is not None
    proof = quadrille.verify(solution.certificate)
    assert (proof.winner, proof.position) == (1, position)
    rows = list(quadrille.certificate_rows(solution.certificate))
    assert len(rows) == proof.stored
    for stored, move, rank in quadrille.certificate(solution.certificate)[:50]:
        assert move in stored.moves()
        assert rank >= 1
    damaged = solution.certificate.replace("wins within", "wins  within")
    with pytest.raises(ValueError, match="line"):
        quadrille.verify(damaged)


def test_that_nobody_wins_is_proven_and_its_certificate_holds() -> None:
    position = Game("gekitai", size=4, markers=4).start()
    solution = quadrille.solve(position, method="draw", memory=8)
    assert (solution.winner, solution.held) == (None, [1, 2])
    assert solution.certificate is not None
    proof = quadrille.verify(solution.certificate)
    assert (proof.winner, proof.within, proof.held) == (None, None, [1, 2])
    assert "nobody" in repr(proof)
    assert "nobody" in repr(solution)


def test_an_interrupt_from_a_thread_is_heard() -> None:
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        Engine("glaisher").search(Game("glaisher").start(), time_ms=60_000)
