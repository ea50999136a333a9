"""What users write is understood by type checkers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = """
import numpy as np
import quadrille
from quadrille.pettingzoo import gekitai_v1, six_making_v2
import quadrille.pettingzoo as zoo

env = gekitai_v1.env(size=4)
other = zoo.glaisher_v2.raw_env()
board = quadrille.Board("gekitai")
board.push(board.actions()[0])

def network(planes: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return masks, np.zeros(len(masks))

batch = quadrille.Batch("gekitai", 4, start=[board.position])
found = quadrille.mcts(batch, network, simulations=8, noise=0.25)
batch.step(found.actions)
choose: quadrille.Player = quadrille.player("level:3", "gekitai")
quadrille.arena("gekitai", choose, lambda position: position.actions()[0], start=board.position)
"""


def test_a_checker_knows_versioned_names_and_players(tmp_path: Path) -> None:
    file = tmp_path / "user.py"
    file.write_text(CODE)
    cache = ROOT.parent / "target" / "mypy-user"
    told = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--allow-any-generics", "--cache-dir", cache,
         file], cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout


@pytest.mark.skipif("QUADRILLE_LONG" not in os.environ, reason="it fetches a program from npm")
def test_another_checker_is_content_with_package_and_examples() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
