"""Data that learners read: arrays in a file, and the card next to it."""

from __future__ import annotations

import itertools
import json
import shlex
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import USUAL

import quadrille
from quadrille import Board, Game

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("game", USUAL)
def test_every_row_is_true(game: Game, tmp_path: Path) -> None:
    file = tmp_path / "games.npz"
    counts = quadrille.write_data(game, file, games=4, nodes=300, lines=3, puzzles=True)
    data = np.load(file)
    assert counts == (len(data["position"]), len(quadrille.puzzles(game)), 0)
    assert not list(tmp_path.glob("*.partial"))
    for number in range(4):
        rows = np.flatnonzero(data["game"] == number)
        assert data["ply"][rows].tolist() == list(range(len(rows)))
        board = Board(game.position(data["position"][rows[0]]))
        for row in rows:
            assert board.position.text == data["position"][row].decode()
            assert board.turn == data["turn"][row]
            share = slice(*data["policy_from"][row : row + 2])
            turns = [turn.decode() for turn in data["policy_turn"][share]]
            assert turns[0] == data["played"][row].decode()
            assert set(turns) <= set(board.position.turns())
            assert data["policy"][share].sum() == pytest.approx(1, abs=1e-5)
            assert (np.diff(data["policy"][share]) <= 0).all()
            assert data["policy_score"][share][0] == data["score"][row]
            board.push(turns[0])
        reason = quadrille.Batch.REASONS[data["reason"][rows[0]]]
        if reason in ("won", "drawn"):
            assert board.reason == reason
        for row in rows:
            assert data["result"][row] == (
                board.reward(int(data["turn"][row])) if reason == "won" else 0
            )
    card = json.loads(data["card.json"])
    assert (card["game"], card["quadrille"]) == (game.id, quadrille.__version__)
    assert card["games"]["seed"] == 1
    assert set(card["arrays"]) == set(data.files) - {"card.json"}
    assert all(card["arrays"].values())
    words = file.with_suffix(".md").read_text()
    assert f"quadrille data {game.id} --games 4 --opening 4 --nodes 300" in words


def test_the_same_settings_write_the_same_file_on_any_number_of_threads(tmp_path: Path) -> None:
    files = [tmp_path / "one.npz", tmp_path / "two.npz"]
    for threads, file in enumerate(files, 1):
        quadrille.write_data("six-making", file, games=6, nodes=200, threads=threads)
    assert files[0].read_bytes() == files[1].read_bytes()
    quadrille.write_data("six-making", files[1], games=6, nodes=200, seed=2)
    assert files[0].read_bytes() != files[1].read_bytes()


def test_exact_results_are_those_of_the_solver(tmp_path: Path) -> None:
    game, file = Game("gekitai", size=4, markers=2), tmp_path / "small.npz"
    assert quadrille.write_data(game, file, games=0, complete=True)[2] == 46
    data = np.load(file)
    found = zip(data["exact_position"], data["exact_winner"], data["exact_turns"], strict=True)
    told = {game.position(text): (int(w) or None, int(t) or None) for text, w, t in found}
    assert told == {p: (winner, turns) for p, winner, turns in quadrille.solve_all(game.start())}
    assert "position" not in data.files


@pytest.mark.parametrize("game", USUAL)
def test_parquet_holds_what_an_archive_holds(game: Game, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow.parquet")
    settings: dict[str, Any] = {"games": 3, "nodes": 200, "lines": 3, "puzzles": True}
    archive, file = tmp_path / "games.npz", tmp_path / "games.parquet"
    counts = quadrille.write_data(game, archive, **settings)
    assert quadrille.write_data(game, file, **settings) == counts
    parts = [file, tmp_path / "games-puzzles.parquet"]
    assert {path.name for path in tmp_path.iterdir()} == {
        "games.npz", "games.md", *(path.name for path in parts),
    }  # fmt: skip
    data = np.load(archive)
    begins = data["policy_from"]
    seen = {"policy_from", "card.json"}
    for path in parts:
        table = arrow.read_table(path)
        card = json.loads(table.schema.metadata[b"card"])
        assert (card["game"], card["games"]["seed"]) == (game.id, 1)
        for name in table.column_names:
            column, array = table.column(name).to_pylist(), data[name]
            assert card["arrays"][name]
            known = [each.decode() if array.dtype.kind == "S" else each for each in array.tolist()]
            if name.startswith("policy"):
                known = [known[a:b] for a, b in itertools.pairwise(begins)]
            assert column == known, name
            if array.dtype.kind != "S" and not name.startswith("policy"):
                assert table.schema.field(name).type.to_pandas_dtype() == array.dtype
        seen |= set(table.column_names)
        assert arrow.ParquetFile(path).metadata.num_rows == table.num_rows > 0
    assert seen == set(data.files)


def test_parquet_has_one_file_for_each_kind_of_rows_and_the_first_has_the_name(
    tmp_path: Path,
) -> None:
    arrow = pytest.importorskip("pyarrow.parquet")
    game, file = Game("gekitai", size=4, markers=2), tmp_path / "small.parquet"
    quadrille.write_data(game, file, games=0, complete=True)
    rows = arrow.read_table(file).to_pylist()
    told = {
        game.position(row["exact_position"]): (
            row["exact_winner"] or None,
            row["exact_turns"] or None,
        )
        for row in rows
    }
    assert told == {p: (winner, turns) for p, winner, turns in quadrille.solve_all(game.start())}
    assert "## small.parquet" in file.with_suffix(".md").read_text()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_table_of_more_rows_than_a_group_holds_is_whole(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow.parquet")
    game, file = Game("gekitai", size=4, markers=5), tmp_path / "many.parquet"
    count = quadrille.write_data(game, file, games=0, complete=True)[2]
    read = arrow.ParquetFile(file)
    assert read.metadata.num_row_groups == -(-count // 65_536) > 1
    table = read.read()
    positions = table.column("exact_position").to_pylist()
    assert len(set(positions)) == len(positions) == count
    assert set(table.column("exact_turn").to_pylist()) == {1, 2}


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for file, settings, words in [
        ("x.txt", {}, "must end with .npz or .parquet, got"),
        ("x.npz", {"games": 0}, "nothing to write"),
        ("x.npz", {"nodes": 0}, "nodes must be 1 or more"),
        ("none/x.npz", {"games": 1, "nodes": 10}, "cannot write"),
        ("none/x.parquet", {"games": 1, "nodes": 10}, "cannot write"),
        ("x.npz", {"games": 0, "complete": True, "memory": 1}, "too many for this memory"),
    ]:
        with pytest.raises(ValueError, match=words):
            quadrille.write_data("gekitai", tmp_path / file, **settings)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        quadrille.write_data("jeson-mor", tmp_path / "x.npz", games=0, table=tmp_path / "none")
    assert list(tmp_path.iterdir()) == []


def test_the_command_on_the_card_is_one_that_a_shell_reads(tmp_path: Path) -> None:
    game, file = Game("gekitai", size=4, markers=2), tmp_path / "it's small.npz"
    quadrille.write_data(game, file, games=0, complete=True, memory=2000)
    words = shlex.split(command_of(file))
    assert words[-5:] == ["--complete", "--memory", "2000", "-o", "it's small.npz"]


def command_of(file: Path) -> str:
    lines = file.with_suffix(".md").read_text().splitlines()
    return next(line for line in lines if line.startswith("quadrille data"))
