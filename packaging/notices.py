"""Prints the licences of everything that is compiled into the program, from the files of each crate."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

features = sys.argv[sys.argv.index("--features") + 1]
told = subprocess.run(
    ["cargo", "metadata", "--format-version", "1", "--locked", "--features", features,
     "--manifest-path", "app/Cargo.toml", "--filter-platform", "x86_64-unknown-linux-gnu"],
    capture_output=True, text=True, check=True,
).stdout  # fmt: skip
metadata = json.loads(told)
packages = {package["id"]: package for package in metadata["packages"]}
nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}

# What is used at run time, from the program on; build scripts and tests leave nothing in it.
used: set[str] = set()
todo = [next(id for id, package in packages.items() if package["name"] == "quadrille")]
while todo:
    own = todo.pop()
    if own in used:
        continue
    used.add(own)
    for dependency in nodes[own]["deps"]:
        if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
            todo.append(dependency["pkg"])

texts: dict[str, list[str]] = {}
rows = []
for package in sorted((packages[id] for id in used), key=lambda p: (p["name"], p["version"])):
    if package["source"] is None:
        continue
    folder = Path(package["manifest_path"]).parent
    names = sorted(
        path for path in folder.iterdir()
        if re.match(r"(LICEN[CS]E|COPYING|NOTICE|UNLICENSE)", path.name, re.I) and path.is_file()
    )
    title = f"{package['name']} {package['version']}"
    by = ", ".join(author.split(" <")[0] for author in package["authors"]) or "its authors"
    rows.append(f"| {title} | {package['license'] or 'see its file'} | {by} |")
    for path in names:
        text = path.read_text(encoding="utf-8", errors="replace").strip().replace("\r\n", "\n")
        texts.setdefault(text, []).append(title)
    if not names and not package["license"]:
        sys.exit(f"{title} names no licence")

print("# Third-party notices\n")
print("The program contains these libraries. What their licences ask to be repeated follows below.\n")
print("| library | licence | by |\n|---|---|---|")
print("\n".join(rows))
for text, titles in sorted(texts.items(), key=lambda pair: pair[1]):
    print(f"\n## {', '.join(titles)}\n\n```text\n{text}\n```")
