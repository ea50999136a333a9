"""Writes the docstrings of the native module into its stub, where editors look for them.

Their source are the comments in `src`. After a change there, build the module and run this.
Examples are left to `help()`: with them the stub would be too long to read.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

from quadrille import _quadrille

STUB = Path(__file__).parent / "quadrille" / "_quadrille.pyi"
Definition = ast.ClassDef | ast.FunctionDef


def definitions(tree: ast.Module) -> list[tuple[Definition, Any]]:
    """Pair the public definitions of the stub with what the module has under their names."""
    found: list[tuple[Definition, Any]] = []

    def collect(nodes: list[ast.stmt], owner: object) -> None:
        for node in nodes:
            if isinstance(node, Definition) and not node.name.startswith("_"):
                own = getattr(owner, node.name)
                found.append((node, own))
                if isinstance(node, ast.ClassDef):
                    collect(node.body, own)

    collect(tree.body, _quadrille)
    return found


def docstring(text: str, indent: str) -> list[str]:
    """Write a docstring as the lines of a file."""
    first, *rest = text.splitlines()
    if not rest:
        return [f'{indent}"""{first}"""']
    return [f'{indent}"""{first}', *(f"{indent}{line}".rstrip() for line in rest), f'{indent}"""']


def documented(stub: str) -> str:
    """Return the text of the stub with the docstrings of the module."""
    lines = stub.splitlines()
    for node, own in reversed(definitions(ast.parse(stub))):
        doc, body = (inspect.getdoc(own) or "").partition("```python")[0].strip(), node.body[0]
        written = docstring(doc, " " * (node.col_offset + 4)) if doc else []
        begin, end = body.lineno - 1, body.end_lineno
        if not isinstance(body, ast.Expr):
            end = begin
        elif not lines[begin][: body.col_offset].isspace():
            # A definition without a docstring, on one line.
            written = [lines[begin][: body.col_offset].rstrip(), *written]
        lines[begin:end] = written
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    STUB.write_text(documented(STUB.read_text(encoding="utf-8")), encoding="utf-8")
