"""Writes docs/python-reference.md from the signatures of the stub and the docstrings of `help()`.

After a change to either, build the module and run this; a test tells when it was forgotten.
"""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import quadrille
from quadrille import _quadrille

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

PACKAGE = Path(__file__).parent / "quadrille"
DOCUMENT = Path(__file__).parent.parent / "docs" / "python-reference.md"
WIDTH = 100
BEGIN = """# Python reference

Every public class and function of the package, with its signature and the words of `help()`.
[Python](python.md) shows how they go together. `python/reference.py` writes this page.
"""
OPTIONAL = [
    ("quadrille.gymnasium", ["QuadrilleEnv", "register"]),
    ("quadrille.pettingzoo", ["env", "raw_env"]),
    ("quadrille.open_spiel", ["register"]),
]
"""Modules that need another package, and what of them is public."""

Definition = ast.ClassDef | ast.FunctionDef


def definitions(file: Path) -> dict[str, Definition]:
    """Read the definitions of a module or a stub."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, Definition)}


def aliases(file: Path) -> Iterator[str]:
    """Return the types that signatures use by a name."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            value = ast.literal_eval(node.value) if is_text(node.value) else ast.unparse(node.value)
            yield f"{ast.unparse(target)} = {value}"


def is_text(node: ast.expr) -> bool:
    """Whether an expression is a string."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def signature(name: str, node: ast.FunctionDef, *, method: bool) -> str:
    """Write a signature, on several lines if it is long."""
    arguments = node.args
    if method and (arguments.posonlyargs or arguments.args):
        (arguments.posonlyargs or arguments.args).pop(0)
    inside = ast.unparse(arguments)
    returned = f" -> {ast.unparse(node.returns)}" if node.returns and name[0].islower() else ""
    line = f"{name}({inside}){returned}"
    if len(line) <= WIDTH:
        return line
    parts = [part for part in split(inside) if part]
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){returned}"])


def split(inside: str) -> Iterator[str]:
    """Split arguments at commas that stand in no brackets."""
    depth = begin = 0
    for i, sign in enumerate(inside):
        depth += (sign in "[({") - (sign in "])}")
        if sign == "," and depth == 0:
            yield inside[begin:i].strip()
            begin = i + 1
    yield inside[begin:].strip()


def code(text: str) -> str:
    """Fence a piece of code."""
    return f"```text\n{text}\n```\n"


def words(own: Any) -> str:
    """Return a docstring; its first line is a sentence."""
    return (inspect.getdoc(own) or "").strip()


def members(node: ast.ClassDef, own: type) -> Iterator[str]:
    """Describe the public members of a class, in the order of the stub."""
    for member in node.body:
        if not isinstance(member, ast.FunctionDef) or member.name.startswith("_"):
            continue
        marks = {ast.unparse(mark) for mark in member.decorator_list}
        if "property" in marks:
            kind = ast.unparse(member.returns) if member.returns else "Any"
            head = f"{member.name}: {kind}"
        else:
            head = signature(member.name, member, method="staticmethod" not in marks)
        about = words(getattr(own, member.name))
        if "\n" in head or "\n\n" in about:
            yield f"\n### {node.name}.{member.name}\n\n{code(head)}\n{about}\n"
        else:
            yield f"- `{head}`: {about.replace(chr(10), ' ')}\n"


def described(name: str, node: Definition, own: Any) -> str:
    """Describe a class or a function."""
    if isinstance(node, ast.FunctionDef):
        return f"\n## {name}\n\n{code(signature(name, node, method=False))}\n{words(own)}\n"
    made = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name in MAKERS]
    head = code(signature(name, made[0], method=True)) + "\n" if made else ""
    # What is said in a line comes first; the others have headings of their own.
    told = sorted(members(node, own), key=lambda one: one.startswith("\n"))
    return f"\n## {name}\n\n{head}{words(own)}\n\n{''.join(told)}"


MAKERS = ("__new__", "__init__")


def module_of(name: str) -> tuple[dict[str, Definition], ModuleType]:
    """Read a module of the package."""
    file = PACKAGE / f"{name.rpartition('.')[2]}.py"
    return definitions(file), import_module(name)


def document() -> str:
    """Write the page."""
    stub = PACKAGE / "_quadrille.pyi"
    known = {name: (node, _quadrille) for name, node in definitions(stub).items()}
    for part in ("players", "search", "data"):
        nodes, module = module_of(f"quadrille.{part}")
        known |= {name: (node, module) for name, node in nodes.items()}
    public = [name for name in known if name in quadrille.__all__]
    kinds = code("\n".join(aliases(stub)))
    text = f"{BEGIN}\nSignatures use these types:\n\n{kinds}"
    for name in sorted(public, key=lambda name: isinstance(known[name][0], ast.FunctionDef)):
        node, module = known[name]
        text += described(name, node, getattr(module, name))
    for path, names in OPTIONAL:
        nodes, module = module_of(path)
        for name in names:
            text += described(f"{path}.{name}", nodes[name], getattr(module, name))
    return text.replace("\n\n\n", "\n\n").rstrip() + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
