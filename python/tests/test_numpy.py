"""Without NumPy, or interrupted while it is imported, there is an exception and no panic."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
import sys
sys.path.insert(0, sys.argv[1])
import quadrille
start = quadrille.Game("gekitai").start()
for ask in (
    start.observation, start.action_mask, lambda: quadrille.Batch("gekitai", 2),
    lambda: start.game.symmetry(1), quadrille.Board("gekitai").observation,
):
    try:
        ask()
    except BaseException as error:
        print(type(error).__name__)
print(start.play("c3").turn)
"""


@pytest.mark.parametrize(
    ("numpy", "kind"),
    [
        ("raise ModuleNotFoundError('no module named numpy')", "ModuleNotFoundError"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ],
)
def test_an_import_that_fails_is_an_exception(tmp_path: Path, numpy: str, kind: str) -> None:
    (tmp_path / "numpy.py").write_text(numpy)
    told = subprocess.run(
        [sys.executable, "-c", CODE, tmp_path], capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == [kind] * 5 + ["2"]
