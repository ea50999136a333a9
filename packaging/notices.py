"""Prints the licences of everything that is compiled into a product: notices.py MANIFEST [--features F] [--linked NAME…].

Of each crate its files, of Rust's standard library the notices that come with the compiler, and of what else is
linked in the texts in packaging/notices.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINKED = {
    "glibc": ("glibc", "LGPL-2.1-or-later and others", "the Free Software Foundation and others", ["glibc", "LGPL-2.1"]),
    "musl": ("musl", "MIT and others", "Rich Felker and others", ["musl"]),
    "wasi-libc": ("wasi-libc", "MIT, or Apache-2.0 with or without its LLVM exception", "its authors", ["wasi", "musl"]),
    "zig": ("Zig's compiler library", "MIT", "the Zig contributors", ["zig"]),
}

read = argparse.ArgumentParser()
read.add_argument("manifest")
read.add_argument("--features", default="")
read.add_argument("--target", default="x86_64-unknown-linux-gnu")
read.add_argument("--linked", action="append", default=[], choices=LINKED)
asked = read.parse_args()

texts: dict[str, list[str]] = {}
rows: list[str] = []


def told(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def note(title: str, licence: str, by: str, own: list[str]) -> None:
    rows.append(f"| {title} | {licence} | {by} |")
    for text in own:
        texts.setdefault(text.strip().replace("\r\n", "\n"), []).append(title)


def crates() -> None:
    metadata = json.loads(told(
        "cargo", "metadata", "--format-version", "1", "--locked", "--features", asked.features,
        "--manifest-path", asked.manifest, "--filter-platform", asked.target,
    ))  # fmt: skip
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    manifest = str(Path(asked.manifest).resolve())
    # What is used at run time, from the product on; build scripts and tests leave nothing in it.
    used: set[str] = set()
    todo = [next(id for id, package in packages.items() if package["manifest_path"] == manifest)]
    while todo:
        own = todo.pop()
        if own not in used:
            used.add(own)
            of = nodes[own]["deps"]
            todo += [one["pkg"] for one in of if any(kind["kind"] is None for kind in one["dep_kinds"])]
    for package in sorted((packages[id] for id in used), key=lambda own: (own["name"], own["version"])):
        if package["source"] is None:
            continue
        names = sorted(
            path for path in Path(package["manifest_path"]).parent.iterdir()
            if re.match(r"(LICEN[CS]E|COPYING|NOTICE|UNLICENSE)", path.name, re.I) and path.is_file()
        )
        title = f"{package['name']} {package['version']}"
        if not names and not package["license"]:
            sys.exit(f"{title} names no licence")
        by = ", ".join(author.split(" <")[0] for author in package["authors"]) or "its authors"
        own = [path.read_text(encoding="utf-8", errors="replace") for path in names]
        note(title, package["license"] or "see its file", by, own)


def standard_library() -> None:
    """Rust's own page, as text: what it says of its files, and of each crate that it rests on."""
    file = Path(told("rustc", "--print", "sysroot").strip(), "share/doc/rust/COPYRIGHT-library.html")
    if not file.exists():
        sys.exit(f"there is no {file}: the notices of Rust's standard library come with rustup's toolchains")
    page = file.read_text(encoding="utf-8")
    version = told("rustc", "--version").split()[1]
    own, *others = page.split("<h3>")
    plain = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"(?s)<head>.*?</head>", "", own)))
    plain = re.sub(r"[ \t]*\n\s*\n+", "\n\n", plain)
    note(f"Rust's standard library {version}", "MIT OR Apache-2.0", "the Rust Project Developers", [plain])
    for part in others:
        name = html.unescape(part.split("</h3>")[0]).lstrip("📦 ").strip()
        if re.match(r"cc-|fortanix|hermit|moto|r-efi|shlex|vex|windows", name):
            continue  # For systems that nothing is built for, and for building the library.
        licence = re.search(r"<b>License:</b>\s*([^<]*)", part)
        by = re.search(r"<b>Authors?:</b>\s*([^<]*)", part)
        files = [html.unescape(text) for text in re.findall(r"(?s)<pre>(.*?)</pre>", part)]
        words = [html.unescape(own[1]).strip() if own else "" for own in (licence, by)]
        note(f"{name}, of the standard library", words[0] or "see its file", words[1] or "its authors", files)


crates()
standard_library()
for name in asked.linked:
    title, licence, by, files = LINKED[name]
    own = [(HERE / "notices" / f"{file}.txt").read_text(encoding="utf-8", errors="replace") for file in files]
    note(title, licence, by, own)

print("# Third-party notices\n")
print("This product contains these libraries. What their licences ask to be repeated follows below.\n")
if "glibc" in asked.linked:
    print("The program is linked statically with glibc. Whoever wants another version of it in its place builds the program")
    print("from its source, which is public, with `./release binary`.\n")
print("| library | licence | by |\n|---|---|---|")
print("\n".join(rows))
for text, titles in sorted(texts.items(), key=lambda pair: pair[1]):
    print(f"\n## {', '.join(titles)}\n\n```text\n{text}\n```")
