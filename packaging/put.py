"""Puts a licence file into a wheel: put.py WHEEL NAME FILE FOLDER. The wheel with it is written into the folder."""

import base64
import hashlib
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
place = f"{record.removesuffix('RECORD')}{name}"
content = Path(file).read_bytes()
digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
lines = entries.pop(record).decode().splitlines()
own_line = next(line for line in lines if line.startswith(record))
lines = sorted([line for line in lines if line != own_line] + [f"{place},sha256={digest},{len(content)}"])
entries[place] = content
# The list of files comes last, as installers want it.
entries[record] = "\n".join([*lines, own_line, ""]).encode()
with zipfile.ZipFile(Path(folder, Path(wheel).name), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
    for own, bytes_ in entries.items():
        entry = zipfile.ZipInfo(own, date)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        new.writestr(entry, bytes_)
