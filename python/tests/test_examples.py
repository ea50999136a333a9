from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SMALL = "SIZE, MARKERS = 5, 4"
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


def test_the_notebook_runs_and_shows_what_it_says() -> None:
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    shell = InteractiveShell.instance()
    # As a notebook does.
    shell.display_formatter.active_types = shell.display_formatter.format_types
    notebook = json.loads((EXAMPLES / "gekitai_proof.ipynb").read_text(encoding="utf-8"))
    shown = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            with capture_output() as captured:
                source = "".join(cell["source"]).replace("SIZE, MARKERS = 6, 8", SMALL)
                ran = shell.run_cell(source)
                ran.raise_error()
            shown.append(shell.display_formatter.format(ran.result)[0])
            shown += [output.data for output in captured.outputs]
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
