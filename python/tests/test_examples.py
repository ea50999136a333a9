from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import quadrille

EXAMPLES = Path(__file__).parent.parent / "examples"
LONG = "QUADRILLE_LONG" in os.environ
NOTEBOOKS = {
    "first_steps.ipynb": {"GAMES = 20": "GAMES = 10"},
    "gekitai_proof.ipynb": {"SIZE, MARKERS = 6, 8": "SIZE, MARKERS = 5, 4"},
    "learning_from_data.ipynb": {"GAMES, NODES = 400, 300": "GAMES, NODES = 120, 200"},
}
"""What the short tests make smaller; the long ones run notebooks as they are."""
sys.path.insert(0, str(EXAMPLES))


def test_random_games_are_counted_and_plotted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import random_play

    random_play.main(["--games", "200", "--output", str(tmp_path / "plot.png")])
    out = capsys.readouterr().out
    assert out.count("player 1 wins") == 4
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        assert "no plot" in out
    else:
        assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_a_network_learns_to_beat_random_play() -> None:
    import self_play

    score = self_play.main(["--rounds", "8", "--games", "24", "--matches", "20"])
    assert score >= 0.7


def test_alpha_zero_learns_for_a_moment_and_is_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("torch", reason="PyTorch is large, and not installed for the tests")
    import alpha_zero

    scores = alpha_zero.main(
        ["--size", "4", "--minutes", "0.1", "--simulations", "4", "--games", "16", "--threads", "1",
         "--device", "cpu", "--matches", "2", "--thought", "8", "--opponents", "random"]
    )  # fmt: skip
    assert 0 <= scores["random"] <= 1
    out = capsys.readouterr().out
    assert "untrained against random" in out
    assert "\ntrained against random" in out


def test_the_bench_measures_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    sys.path.insert(0, str(EXAMPLES.parent))
    import bench

    bench.one_by_one(0.01, time.perf_counter)
    bench.through_open_spiel(0.01, time.perf_counter)
    out = capsys.readouterr().out
    for game in quadrille.games():
        assert f"  {game} " in out
    if "OpenSpiel is not installed" not in out:
        assert out.count("breakthrough") == 2
        assert out.count("  quadrille_") == 4


def test_a_tournament_is_spread_over_processes() -> None:
    import tournament

    points = tournament.main(["gekitai", "random", "level:1", "level:4", "--games", "4"])
    assert sum(points.values()) == 12
    assert points["level:4"] > points["random"]


def test_a_tournament_is_spread_over_a_cluster() -> None:
    pytest.importorskip("ray")
    import tournament

    assert (
        sum(tournament.main(["gekitai", "random", "level:1", "--games", "4", "--ray"]).values())
        == 4
    )


def run_notebook(name: str) -> tuple[Any, list[dict[str, str]]]:
    """Run all cells as a notebook does; return the shell, and what cells have shown."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    shell.display_formatter.active_types = shell.display_formatter.format_types
    notebook = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))
    shown: list[dict[str, str]] = []
    for cell in notebook["cells"]:
        assert not cell.get("outputs"), "what a cell shows is not kept"
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            for whole, small in NOTEBOOKS[name].items() if not LONG else ():
                source = source.replace(whole, small)
            with capture_output() as captured:
                ran = shell.run_cell(source)
                ran.raise_error()
            shown.append(shell.display_formatter.format(ran.result)[0])
            shown += [output.data for output in captured.outputs]
            shown.append({"text/plain": captured.stdout})
    return shell, shown


def test_every_notebook_is_run() -> None:
    assert {file.name for file in EXAMPLES.glob("*.ipynb")} == set(NOTEBOOKS)


def test_the_first_steps_show_games_lines_and_a_match() -> None:
    pytest.importorskip("IPython")
    shell, shown = run_notebook("first_steps.ipynb")
    said = "".join(one.get("text/plain", "") for one in shown)
    assert all(quadrille.Game(game).name in said for game in quadrille.games())
    assert "`d4` is not legal here: d4 is occupied" in said
    assert shell.user_ns["match"].score > 0.6
    assert shell.user_ns["played"].score > 0.6
    assert any("<table" in one.get("text/html", "") for one in shown)
    assert any("image/svg+xml" in one for one in shown)


def test_a_model_learns_from_data_who_wins() -> None:
    pytest.importorskip("IPython")
    shell, shown = run_notebook("learning_from_data.ipynb")
    assert shell.user_ns["right"] > shell.user_ns["guessed"] + 0.03
    assert shell.user_ns["sure"] == 1
    assert any("quadrille data gekitai --size 5" in one.get("text/markdown", "") for one in shown)


def test_a_proof_is_followed_to_its_end() -> None:
    pytest.importorskip("IPython")
    shell, shown = run_notebook("gekitai_proof.ipynb")
    shell.run_cell(
        "widget = __import__('quadrille.notebook').notebook.slider(record)"
    ).raise_error()
    board = shell.user_ns["widget"].children[1]
    before = board.value
    shell.user_ns["widget"].children[0].value = 0
    assert board.value != before
    assert "the start" in board.value
    assert shell.user_ns["position"].outcome == 1
    assert any("image/svg+xml" in one for one in shown)
    assert any("<table" in one.get("text/html", "") for one in shown)
    assert any("application/vnd.jupyter.widget-view+json" in one for one in shown)
