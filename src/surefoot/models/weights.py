"""The weights that come with the package, the record that tells whether they are whole, and the hash that names them.

The record is written by `training.sums`.
"""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from pathlib import Path

from surefoot.core.errors import Incomplete

WEIGHT_FILES = ("quick.onnx", "strong.onnx", "quick-tokenizer.json", "strong-tokenizer.json", "calibration.json")
SUMS = "SHA256SUMS"
AGAIN = "install surefoot again"
_ROW = re.compile(r"^([0-9a-f]{64})  (.+)$", re.MULTILINE)  # as `sha256sum` writes it


def weights_folder() -> Path:
    return Path(str(files("surefoot") / "weights"))


def checked(folder: Path) -> Path:
    """The folder, if it holds everything that a grader needs."""
    missing = [name for name in (*WEIGHT_FILES, SUMS) if not (folder / name).is_file()]
    if missing:
        hint = f"{AGAIN}; a checkout needs its large files too"
        raise Incomplete(f"{folder}: {missing[0]} is missing, so the local grader cannot read", hint)
    return folder


def fingerprint(folder: Path) -> str:
    """Eight digits that change when any of the files on record does."""
    return hashlib.sha256(b"".join(recorded(folder / name) for name in WEIGHT_FILES)).hexdigest()[:8]


def recorded(path: Path) -> bytes:
    """The hash that a file is on record with."""
    record = path.parent / SUMS
    digests = {name: digest for digest, name in _ROW.findall(record.read_text(encoding="utf-8", errors="replace"))}
    if path.name not in digests:
        raise Incomplete(f"{record}: the file is damaged, it does not name {path.name}", AGAIN)
    return bytes.fromhex(digests[path.name])


def verified(path: Path) -> Path:
    """The file, if it is the one on record. To be called before it is loaded, and no earlier: hashing the largest takes
    0.1 s, and what is known from an earlier reading needs no model."""
    if sha256_of(path) != recorded(path):
        raise Incomplete(f"{path}: the file is damaged or not the one that came with surefoot", AGAIN)
    return path


def sha256_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
