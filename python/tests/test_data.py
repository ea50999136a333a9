from __future__ import annotations

import itertools
import os
import time
from pathlib import Path

import pytest

import quadrille
from quadrille import Game, Record, Records

HERE = Path(__file__).parent


def test_a_file_of_records_is_read_game_by_game(tmp_path: Path) -> None:
    played = quadrille.arena("glaisher", "level:1", "random", games=6, seed=2).records
    file = tmp_path / "games.txt"
    file.write_text("\n".join(record.text for record in played), encoding="utf-8")
    assert list(Records(file)) == played
    rows = list(quadrille.record_rows(file))
    assert [row["turns"] for row in rows] == [record.turns for record in played]
    assert {row["game"] for row in rows} == {"glaisher"}
    assert all(isinstance(row["options"], str) for row in rows)


def test_a_fault_in_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    good = Record.of("gekitai", ["c3"]).text
    file = tmp_path / "games.txt"
    file.write_text(good + "\n" + '[Game "gekitai"]\n\n1. c3 (d4\n', encoding="utf-8")
    records = Records(file)
    assert next(records).turns == ["c3"]
    with pytest.raises(ValueError, match=r"games.txt, line \d+: "):
        next(records)
    with pytest.raises(FileNotFoundError):
        Records(tmp_path / "nothing")


def test_many_games_are_read_quickly(tmp_path: Path) -> None:
    text = Record.of("gekitai", ["a1", "f6", "c1", "d6", "e1", "b6", "a3", "f3"]).text
    file = tmp_path / "games.txt"
    file.write_text((text + "\n") * 5_000, encoding="utf-8")
    began = time.process_time()
    assert sum(len(record) for record in Records(file)) == 40_000
    assert time.process_time() - began < 20


def test_puzzles_are_rows_and_have_the_one_solution() -> None:
    rows = list(quadrille.puzzle_rows(Game("gekitai")))
    assert len(rows) >= 50
    puzzle = quadrille.puzzles("gekitai")[0]
    assert "<svg" in puzzle._repr_svg_()
    position = puzzle.position
    for turn in puzzle.solution:
        position = position.play(turn)
    assert position.outcome == puzzle.position.turn
    assert quadrille.read_puzzles(puzzle.record)[0].solution == puzzle.solution
    found = quadrille.puzzles("gekitai", count=1, games=40)
    assert len(found) <= 1


def test_a_complete_solution_agrees_with_its_own_moves() -> None:
    game = Game("gekitai", size=4, markers=2)
    rows = {row["position"]: row for row in quadrille.exact_rows(game.start())}
    table = {
        position: (winner, turns) for position, winner, turns in quadrille.solve_all(game.start())
    }
    assert len(rows) == len(table) > 10
    for position, (winner, turns) in table.items():
        best: list[tuple[int, int]] = []
        for move in position.moves():
            after = position.play(move)
            if after.is_over:
                won = 1 if after.outcome == position.turn else -1
                best.append((won, 1))
                continue
            whose, left = table[after.canonical()[0]]
            value = 0 if whose is None else 1 if whose == position.turn else -1
            best.append((value, (left or 0) + 1))
        highest = max(value for value, _ in best)
        assert highest == (0 if winner is None else 1 if winner == position.turn else -1)
        if winner == position.turn:
            assert turns == min(left for value, left in best if value == 1)
    assert quadrille.exact(game.start()) is None


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "knights"
    file.write_bytes(b"quadrille table 9 jeson-mor size=5\n")
    for read in (quadrille.Table, quadrille.install_table):
        with pytest.raises(ValueError, match="is not a table of this program"):
            read(file)


def test_a_missing_file_is_told_as_python_tells_it(tmp_path: Path) -> None:
    missing = tmp_path / "nothing"
    for read in (
        quadrille.Table, quadrille.install_table, quadrille.verify, quadrille.certificate, Records,
        lambda file: quadrille.verify(str(file)), lambda file: list(quadrille.puzzle_rows(file)),
        lambda file: list(quadrille.exact_rows(file)),
    ):  # fmt: skip
        with pytest.raises(FileNotFoundError, match="nothing"):
            read(missing)  # type: ignore[operator]
    with pytest.raises(TypeError, match="a certificate is a file's path, or its text or bytes"):
        quadrille.verify(5)  # type: ignore[arg-type]


TABLE = os.environ.get("QUADRILLE_TABLE")


@pytest.mark.skipif(TABLE is None, reason="QUADRILLE_TABLE names no table of `quadrille solve`")
def test_a_table_tells_what_it_answers() -> None:
    assert TABLE is not None
    quadrille.install_table(TABLE)
    for position, winner, turns in itertools.islice(quadrille.Table(TABLE), 0, 200_000, 97):
        assert quadrille.exact(position) == (winner, turns)
    rows = itertools.islice(quadrille.exact_rows(TABLE), 10)
    assert all(row["winner"] in (0, 1, 2) for row in rows)


def test_complete_solutions_come_in_the_order_of_their_texts() -> None:
    found = [
        row["position"] for row in quadrille.exact_rows(Game("gekitai", size=4, markers=2).start())
    ]
    assert found == sorted(found)
