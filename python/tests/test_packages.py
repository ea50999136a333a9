"""What is handed out as source is complete: crates, and the package for Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LONG = pytest.mark.skipif("QUADRILLE_LONG" not in os.environ, reason="builds everything again")
LICENCES = {"LICENSE-APACHE", "LICENSE-MIT"}


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    # Lints are for what is built here; a package is built as its users build it.
    environment = {name: value for name, value in os.environ.items() if "RUSTC" not in name}
    ran = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def contents(archive: Path) -> set[str]:
    """Return the names of all files of an archive, without the folder that they are in."""
    with tarfile.open(archive) as files:
        return {name.partition("/")[2] for name in files.getnames()}


def compiled(*targets: str) -> set[Path]:
    """Return the files of the repository that were compiled, and those that they include."""
    used: set[Path] = set()
    for target in targets:
        file = ROOT / "target" / "debug" / f"{target}.d"
        assert file.exists(), f"{file} is missing: build all crates first"
        names = file.read_text(encoding="utf-8").partition(": ")[2].replace("\\ ", "\0").split()
        used |= {Path(os.path.normpath(name.replace("\0", " "))) for name in names}
    # A build script names the folders it looks at, and what it writes lies in the target folder.
    files = {path for path in used if path.is_relative_to(ROOT) and not path.is_dir()}
    own = {path.relative_to(ROOT) for path in files if not path.is_relative_to(ROOT / "target")}
    # The manifest of the workspace is there because lints look at it; packages have their own.
    return own - {Path("Cargo.toml")}


def crates() -> dict[Path, str]:
    """Return the folders of the crates that can be published, with the names of their packages."""
    told = run("cargo", "metadata", "--no-deps", "--format-version", "1", "--locked")
    return {
        Path(crate["manifest_path"]).parent.relative_to(ROOT): f"{crate['name']}-{crate['version']}"
        for crate in json.loads(told)["packages"]
        if crate["publish"] is None
    }


def make_sdist(folder: Path) -> Path:
    maturin = Path(sys.executable).parent / "maturin"
    run(maturin, "sdist", "-m", "python/Cargo.toml", "-o", folder)
    return next(folder.glob("*.tar.gz"))


def test_a_crate_holds_everything_that_is_compiled_into_it(tmp_path: Path) -> None:
    run(
        "cargo", "package", "--workspace", "--exclude", "quadrille-python", "--locked",
        "--allow-dirty", "--no-verify", "--target-dir", tmp_path,
    )  # fmt: skip
    packed: set[Path] = set()
    for folder, name in crates().items():
        files = contents(tmp_path / "package" / f"{name}.crate")
        assert files >= LICENCES, name
        packed |= {folder / file for file in files}
    assert "README.md" in contents(next((tmp_path / "package").glob("quadrille-[0-9]*.crate")))
    libraries = ["librules", "libengine", "libtable", "librequests", "libserver"]
    assert compiled(*libraries) - packed == set()


def test_the_source_for_python_holds_everything_that_is_compiled_into_it(tmp_path: Path) -> None:
    files = contents(make_sdist(tmp_path))
    assert files >= LICENCES | {"README.md", "pyproject.toml", "quadrille/_quadrille.pyi"}
    assert {str(path) for path in compiled("lib_quadrille")} - files == set()


@LONG
def test_every_crate_builds_from_its_package(tmp_path: Path) -> None:
    run(
        "cargo", "package", "--workspace", "--exclude", "quadrille-python", "--locked",
        "--allow-dirty", "--target-dir", tmp_path,
    )  # fmt: skip


@LONG
def test_the_source_for_python_is_installed_where_nothing_else_is(tmp_path: Path) -> None:
    run(sys.executable, "-m", "venv", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", make_sdist(tmp_path), cwd=tmp_path)
    code = """
import importlib.metadata
import quadrille
won = quadrille.Game("gekitai").position("6/1xx3/6/3oo1/6/6 1")
print(won.play(quadrille.Engine("gekitai", level=5).play(won)).outcome)
print(*(file.name for file in importlib.metadata.files("quadrille-games")))
"""
    outcome, files = run(python, "-I", "-c", code, cwd=tmp_path).splitlines()
    assert outcome == "1"
    assert set(files.split()) >= LICENCES | {"_quadrille.pyi", "py.typed"}


@LONG
def test_wheel_and_source_play_in_every_python_that_is_here() -> None:
    table = run(sys.executable, Path(__file__).parent / "interpreters.py")
    print(table)
    assert table.count("played with") >= 2
