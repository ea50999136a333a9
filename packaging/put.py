"""Puts a licence file into a wheel: put.py WHEEL NAME FILE FOLDER. The wheel with it is written into the folder.

What differs from build to build goes: maturin's list of crates has a random number and the time.
"""

import base64
import hashlib
import json
import sys
import time
import zipfile
from os import environ
from pathlib import Path

wheel, name, file, folder = sys.argv[1:]
date = time.gmtime(int(environ["SOURCE_DATE_EPOCH"]))[:6]
with zipfile.ZipFile(wheel) as old:
    entries = {own: old.read(own) for own in sorted(old.namelist()) if not own.endswith("/")}
record = next(own for own in entries if own.endswith(".dist-info/RECORD"))
del entries[record]
entries[record.replace("RECORD", name)] = Path(file).read_bytes()
for own in entries:
    if own.endswith(".cyclonedx.json"):
        told = json.loads(entries[own])
        told.pop("serialNumber", None)
        told["metadata"].pop("timestamp", None)
        entries[own] = json.dumps(told, indent=1).encode()


def line(own: str) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(entries[own]).digest()).rstrip(b"=").decode()
    return f"{own},sha256={digest},{len(entries[own])}"


# The list of files comes last, as installers want it.
entries[record] = "\n".join([*map(line, sorted(entries)), f"{record},,", ""]).encode()
with zipfile.ZipFile(Path(folder, Path(wheel).name), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
    for own, content in entries.items():
        entry = zipfile.ZipInfo(own, date)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        new.writestr(entry, content)
