"""Where export and audit may write: never over a ledger, a run, or anything else that they did not make."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from surefoot.appending import printable
from surefoot.errors import Incomplete, UsageError
from surefoot.store import MANIFEST, QUESTIONS, TRACES, VERDICTS

_OF_A_RUN = (MANIFEST, QUESTIONS, TRACES, VERDICTS, "decision.json")
_SQLITE = b"SQLite format 3\0"
_ELSEWHERE = "choose another name"


def files_of(ledger: str) -> list[Path]:
    """A ledger in a file, with what SQLite keeps beside it."""
    return [] if "://" in ledger else [Path(f"{ledger}{ending}") for ending in ("", "-wal", "-shm")]


def check_target(path: Path, suffixes: Sequence[str], kept: Iterable[Path], is_ours: Callable[[Path], bool]) -> None:
    """What is there already is replaced only if it `is_ours`: an earlier export, an earlier bundle."""
    name = printable(path)
    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no folder to write {name} into", "make the folder first")
    if any(other.exists() and path.exists() and path.samefile(other) for other in kept):
        raise UsageError(f"{name} is the ledger itself, and would be lost", _ELSEWHERE)
    if not path.name.endswith(tuple(suffixes)) or path.name in suffixes:
        raise UsageError(f"{name} does not end in {' or '.join(suffixes)}", _ELSEWHERE)
    if path.name in _OF_A_RUN and (path.parent / MANIFEST).exists():
        raise UsageError(f"{name} is a file of a run", _ELSEWHERE)
    if not path.exists():
        return
    if not path.is_file():
        raise UsageError(f"{name} is no ordinary file", _ELSEWHERE)
    with path.open("rb") as file:
        begins = file.read(len(_SQLITE))
    if begins == _SQLITE:
        raise UsageError(f"{name} is a database, and would be lost", _ELSEWHERE)
    if begins and not is_ours(path):
        raise UsageError(f"{name} is there already, and is something else", f"{_ELSEWHERE}, or remove it first")


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """A full disk does not say which file it is about."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        message = f"{printable(path)} cannot be written: {error.strerror or error}"
        raise Incomplete(message, "make room, or choose another place; nothing was changed") from error
