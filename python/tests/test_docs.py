"""What `help()` shows, and the document: every public name is explained, and examples are real."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import quadrille

sys.path.insert(0, str(Path(__file__).parent.parent))
import reference
import stubs

PUBLIC = {name: getattr(quadrille, name) for name in quadrille.__all__ if not name.startswith("_")}
MEMBERS = PUBLIC | {
    f"{name}.{member}": getattr(own, member)
    for name, own in PUBLIC.items()
    if inspect.isclass(own)
    for member in vars(own)
    if not member.startswith("_")
}


def test_every_public_member_is_explained() -> None:
    assert len(MEMBERS) > 120
    assert [name for name, own in MEMBERS.items() if not (own.__doc__ or "").strip()] == []


def test_signatures_can_be_read_and_show_every_default() -> None:
    # What has no constructor has no signature.
    made_by_others = {
        "Analysis", "Line", "MatchResult", "Position", "Proof", "Puzzle", "Search", "Solution",
    }  # fmt: skip
    for name, own in MEMBERS.items():
        if callable(own) and name not in made_by_others:
            signature = inspect.signature(own)
            assert "Ellipsis" not in str(signature), f"{name}{signature}"
            assert all(p.default is not ... for p in signature.parameters.values()), name


def test_the_stub_has_the_words_of_the_module() -> None:
    stub = stubs.STUB.read_text(encoding="utf-8")
    assert stubs.documented(stub) == stub, "run: python stubs.py"


def test_the_reference_has_the_words_of_the_module() -> None:
    pytest.importorskip("pyspiel")
    kept = reference.DOCUMENT.read_text(encoding="utf-8")
    assert reference.document() == kept, "run: python reference.py"
    assert all(f"## {name}\n" in kept for name in PUBLIC)


EXAMPLES = [name for name, own in MEMBERS.items() if ">>>" in (own.__doc__ or "")]


def test_the_main_classes_and_functions_have_examples() -> None:
    main = {"Batch", "Engine", "Game", "Position", "Record", "arena", "solve"}
    assert main <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run_as_they_are_printed(name: str) -> None:
    known: dict[str, Any] = dict(PUBLIC)
    known["position"] = quadrille.Game("gekitai").start()
    known["engine"] = quadrille.Engine("gekitai")
    # Fences are for editors, which show docstrings as Markdown.
    text = inspect.cleandoc(MEMBERS[name].__doc__).replace("```python", "").replace("```", "")
    example = doctest.DocTestParser().get_doctest(text, known, name, None, None)
    told: list[str] = []
    doctest.DocTestRunner().run(example, out=told.append)
    assert not told, "".join(told)


DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.M | re.S)


def test_the_blocks_of_the_document_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.txt").write_text(quadrille.Record.of(quadrille.Game("gekitai"), ["c3"]).text)
    known: dict[str, Any] = {}
    refused, missing = 0, set()
    for block in BLOCKS:
        lines = block.splitlines()
        for statement in ast.parse(block).body:
            code = compile(ast.Module([statement], []), "python.md", "exec")
            _, _, message = lines[statement.end_lineno - 1].partition("# ValueError: ")
            try:
                if message:
                    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                        exec(code, known)
                    refused += 1
                else:
                    exec(code, known)
            except ModuleNotFoundError as error:
                missing.add(error.name)
                break
    assert len(BLOCKS) == 12
    assert refused == 1
    # The tests do without pandas, and without OpenSpiel where it has no wheel.
    assert missing <= {"pandas", "pyspiel"}
    assert capsys.readouterr().out
