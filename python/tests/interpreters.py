"""Installs the package in fresh environments of every Python that is there, and plays a game.

    python tests/interpreters.py

It builds the wheel and the packed source once, installs both, each alone, and prints a table. What
is not found is said. Versions are looked for on the path and under ~/.pyenv.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
VERSIONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
OLDEST_NUMPY = "numpy==1.26.0"
"""What `pyproject.toml` promises."""
PLAY = """
import sys
import quadrille
for game in quadrille.games():
    board, choose = quadrille.Board(game, max_moves=60), quadrille.player("level:1", game, seed=1)
    while not board.is_over:
        board.push(choose(board.position))
batch = quadrille.Batch("gekitai", 8)
batch.step(batch.sample())
print(quadrille.__version__, "%d.%d.%d" % sys.version_info[:3], len(board))
"""


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a program; what it says is the error if it fails."""
    environment = {name: value for name, value in os.environ.items() if "RUSTC" not in name}
    # Built as quickly as it can be, and once: the module is the same for all of them.
    environment |= {
        "CARGO_TARGET_DIR": str(ROOT / "target" / "interpreters"),
        "MATURIN_PEP517_ARGS": "--profile dev",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    environment.pop("PYTHONPATH", None)
    ran = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def interpreter(version: str) -> Path | None:
    """Find a Python of a version that runs."""
    named = shutil.which(f"python{version}")
    kept = Path.home() / ".pyenv" / "versions"
    found = [*([Path(named)] if named else []), *kept.glob(f"{version}.*/bin/python")]
    code = "import sys, ensurepip, venv; print('%d.%d' % sys.version_info[:2])"
    for path in found:
        # A shim of pyenv's fails if its version is not selected.
        told = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
        if told.stdout.strip() == version:
            return path
    return None


def packages(folder: Path) -> dict[str, Path]:
    """Build the wheel, and pack the source and unpack it again."""
    maturin = Path(sys.executable).parent / "maturin"
    arguments = ["-q", "-m", "python/Cargo.toml", "-o", str(folder)]
    run(maturin, "build", "--locked", "--profile", "dev", *arguments)
    run(maturin, "sdist", *arguments[1:])
    with tarfile.open(next(folder.glob("*.tar.gz"))) as files:
        # In one place, so that it is compiled once.
        files.extractall(folder / "source", filter="data")
    return {
        "wheel": next(folder.glob("*.whl")),
        "source": next((folder / "source").iterdir()),
    }


def tried(python: Path, package: Path, folder: Path, *others: str) -> str:
    """Install a package where nothing else is but what is named, and play there."""
    run(python, "-m", "venv", folder)
    own = folder / "bin" / "python"
    run(own, "-m", "pip", "install", "-q", package, *others, cwd=folder)
    return run(own, "-I", "-c", PLAY, cwd=folder).strip()


def main() -> bool:
    """Print the table; tell whether all that was found works."""
    good, count = True, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        built = packages(folder)
        for version in VERSIONS:
            python = interpreter(version)
            if python is None:
                print(f"{version}: not found", flush=True)
                continue
            ways = [(kind, package, []) for kind, package in built.items()]
            if version == VERSIONS[0]:
                ways.append(("wheel with the oldest NumPy", built["wheel"], [OLDEST_NUMPY]))
            for kind, package, others in ways:
                try:
                    told = tried(python, package, folder / f"{version}-{kind}", *others)
                    print(f"{version}: {kind}: played with {told}", flush=True)
                    count += 1
                except RuntimeError as error:
                    good = False
                    print(f"{version}: {kind}: FAILED: {error}", flush=True)
    return good and count > 0


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
