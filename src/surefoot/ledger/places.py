"""Where the ledger of a project lies, and what a run is called in it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import msgspec

from surefoot.errors import SurefootError
from surefoot.io.writer import printable
from surefoot.ledger.book import Ledger
from surefoot.ledger.schema import VERSIONS
from surefoot.records import RunEntry
from surefoot.store import Manifest, RunStore, timestamp

NAME = "surefoot.db"
VARIABLE = "SUREFOOT_LEDGER"
_ASKING = ("name", "created", "pipeline", "questions_sha256")


def find(run: Path | None, given: str | Path | None) -> str:
    """What --ledger says, else $SUREFOOT_LEDGER, else a file beside the run: all runs of a project share one.

    One that is there already goes before the place for a new one; without a run, it is looked for here and in runs/.
    """
    if named := given or os.environ.get(VARIABLE):
        return str(named)
    if run is None:
        here, below = Path(NAME), Path("runs", NAME)
        return str(below if below.exists() and not here.exists() else here)
    folder = run.parent if run.name not in ("", "..") else run.resolve().parent
    beside, above = folder / NAME, folder.absolute().parent / NAME
    return str(above if above.exists() and not beside.exists() else beside)


def is_ledger(place: str | Path) -> bool:
    """Whether a ledger is meant: a URL, the name that ledgers have, or a file that is one."""
    if "://" in str(place) or Path(place).name == NAME:
        return True
    if not Path(place).is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(f"{Path(place).absolute().as_uri()}?mode=ro", uri=True)) as file:
            return file.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (VERSIONS,)).fetchone() is not None
    except sqlite3.Error:
        return False


def run_id(manifest: Manifest) -> str:
    """One asking of a pipeline, and the answers it was graded on; where its folder lies does not matter."""
    told = [manifest.name, manifest.created, manifest.questions_sha256, manifest.pipeline, manifest.graded_sha256]
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest()


def entry_of(store: RunStore) -> RunEntry:
    """A run as the ledger keeps it."""
    return RunEntry(
        id=run_id(store.manifest),
        at=timestamp(),
        name=store.manifest.name,
        path=printable(store.path.resolve()),
        manifest=msgspec.json.decode(msgspec.json.encode(store.manifest)),  # as it comes back
    )


def asking_of(manifest: Manifest) -> tuple[str, ...]:
    """One asking of a pipeline, however often it is graded and wherever it lies."""
    return tuple(getattr(manifest, name) for name in _ASKING)


def asking_id(manifest: Manifest) -> str:
    """The same as one name."""
    return hashlib.sha256(msgspec.json.encode(asking_of(manifest))).hexdigest()


def folder_of(entry: RunEntry, ledger: Ledger, beside: Iterable[Path] = ()) -> Path | None:
    """Where a run lies now. What is beside the runs at hand, or near the ledger, was copied with its project."""
    seen = Path(entry.path)
    near = [run.absolute().parent / entry.name for run in beside]
    if ledger.database.file is not None:
        home = ledger.database.file.resolve().parent
        near += [home.joinpath(*seen.parts[-depth:]) for depth in (1, 2)]
    return next((place for place in (*near, seen) if _holds(place, entry)), None)


def _holds(folder: Path, entry: RunEntry) -> bool:
    try:
        manifest = RunStore.open(folder).manifest
    except (OSError, SurefootError):
        return False
    return all(entry.manifest.get(name) == getattr(manifest, name) for name in _ASKING)
