"""The weights that come with the package, and the hash that names them."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from surefoot.errors import Incomplete

WEIGHT_FILES = ("quick.onnx", "strong.onnx", "quick-tokenizer.json", "strong-tokenizer.json", "calibration.json")


def weights_folder() -> Path:
    return Path(str(files("surefoot") / "weights"))


def checked(folder: Path) -> Path:
    """The folder, if it holds everything that a grader needs."""
    missing = [name for name in WEIGHT_FILES if not (folder / name).is_file()]
    if missing:
        hint = "install surefoot again; a checkout needs its large files too"
        raise Incomplete(f"{folder}: {missing[0]} is missing, so the local grader cannot read", hint)
    return folder


@lru_cache(maxsize=8)
def fingerprint(folder: Path) -> str:
    """Eight digits that change when any of the files does; about 0.1 s, so only where a name is needed."""
    digest = hashlib.sha256()
    for name in WEIGHT_FILES:
        with (folder / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:8]
