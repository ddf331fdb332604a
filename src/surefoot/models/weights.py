"""The weights that come with the package, the record that tells whether they are whole, and the hash that names them.

The record is written by `training.sums`.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from surefoot.errors import Incomplete

WEIGHT_FILES = ("quick.onnx", "strong.onnx", "quick-tokenizer.json", "strong-tokenizer.json", "calibration.json")
SUMS = "SHA256SUMS"
AGAIN = "install surefoot again"


def weights_folder() -> Path:
    return Path(str(files("surefoot") / "weights"))


def checked(folder: Path) -> Path:
    """The folder, if it holds everything that a grader needs."""
    missing = [name for name in (*WEIGHT_FILES, SUMS) if not (folder / name).is_file()]
    if missing:
        hint = f"{AGAIN}; a checkout needs its large files too"
        raise Incomplete(f"{folder}: {missing[0]} is missing, so the local grader cannot read", hint)
    return folder


@lru_cache(maxsize=8)
def fingerprint(folder: Path) -> str:
    """Eight digits that change when any of the files does. Files other than those on record are refused.

    About 0.1 s, so only where a name is needed or the model is loaded.
    """
    digest = hashlib.sha256()
    recorded = _recorded(folder / SUMS)
    for name in WEIGHT_FILES:
        if name not in recorded:
            raise Incomplete(f"{folder / SUMS}: the file is damaged, it does not name {name}", AGAIN)
        found = sha256_of(folder / name)
        if found.hex() != recorded[name]:
            raise Incomplete(f"{folder / name}: the file is damaged or not the one that came with surefoot", AGAIN)
        digest.update(found)
    return digest.hexdigest()[:8]


def sha256_of(path: Path) -> bytes:
    """Of a file that did not change since, it is known."""
    state = path.stat()
    return _sha256_of(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=32)
def _sha256_of(path: Path, _size: int, _changed: int) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _recorded(path: Path) -> dict[str, str]:
    """Lines as `sha256sum` writes them."""
    rows = (line.split(maxsplit=1) for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
    return {row[1]: row[0] for row in rows if len(row) == 2}
