"""Where commands may write: never over a ledger, a run, or what they read; links are followed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

import click

from surefoot.errors import Incomplete, UsageError
from surefoot.io.writer import LOCK, printable
from surefoot.store import MANIFEST, QUESTIONS, TRACES, VERDICTS

_OF_A_RUN = (MANIFEST, QUESTIONS, TRACES, VERDICTS, "decision.json", LOCK)
_SQLITE = b"SQLite format 3\0"
_BESIDE_SQLITE = ("-wal", "-shm", "-journal")
_ELSEWHERE = "choose another name"


def files_of(ledger: str) -> list[Path]:
    """A ledger in a file, with what SQLite keeps beside it."""
    return [] if "://" in ledger else [Path(f"{ledger}{ending}") for ending in ("", *_BESIDE_SQLITE)]


def check_target(path: Path, suffixes: Sequence[str], kept: Iterable[Path], is_ours: Callable[[Path], bool]) -> None:
    """What is there already is replaced only if it `is_ours`: an earlier export, an earlier bundle."""
    name = printable(path)
    _refuse_lost(path, kept, ())
    if not path.name.endswith(tuple(suffixes)) or path.name in suffixes:
        raise UsageError(f"{name} does not end in {' or '.join(suffixes)}", _ELSEWHERE)
    _refuse_precious(path)
    if path.exists() and not path.is_file():
        raise UsageError(f"{name} is no ordinary file", _ELSEWHERE)
    if path.exists() and path.stat().st_size and not is_ours(path):
        raise UsageError(f"{name} is there already, and is something else", f"{_ELSEWHERE}, or remove it first")


def check_outputs(names: Iterable[str | Path], options: Collection[str]) -> None:
    """Before any work is done. `options` are those of the command at hand that give `names`; the others name inputs."""
    ledgers, inputs = _in_use(options)
    for name in names:
        if name == "":
            raise UsageError("there is no folder to write '' into", "name a file")
        path = Path(name)
        _refuse_lost(path, ledgers, inputs)
        _refuse_precious(path)


def _in_use(outputs: Collection[str]) -> tuple[list[Path], list[Path]]:
    """The ledger of the command at hand, if it has one, and all files that its other parameters name."""
    context = click.get_current_context(silent=True)
    given = {key: value for key, value in context.params.items() if key not in outputs} if context else {}
    several = (value if isinstance(value, tuple) else (value,) for value in given.values())
    named = [Path(one) for values in several for one in values if isinstance(one, (str, Path)) and str(one)]
    there = [path for path in named if os.path.exists(path)]  # noqa: PTH110 - never raises
    runs = [path for path in there if (path / MANIFEST).is_file()]
    inputs = [*there, *(run / name for run in runs for name in _OF_A_RUN)]
    if "ledger" not in given:
        return [], inputs
    from surefoot.ledger.places import find

    places = {find(run, given["ledger"]) for run in (None, *runs)}
    return [file for place in places for file in files_of(place)], inputs


def _refuse_lost(path: Path, ledgers: Iterable[Path], inputs: Iterable[Path]) -> None:
    name = printable(path)
    if _followed(path).is_symlink():
        raise UsageError(f"{name} is a link that leads in a circle", _ELSEWHERE)
    if not _followed(path).parent.is_dir():
        raise UsageError(f"there is no folder to write {name} into", "make the folder first")
    if any(_is_same(path, other) for other in ledgers):
        raise UsageError(f"{name} is the ledger itself, and would be lost", _ELSEWHERE)
    if any(_is_same(path, other) for other in inputs):
        raise UsageError(f"{name} is also something to read, and would be overwritten", _ELSEWHERE)


def _refuse_precious(path: Path) -> None:
    """What other commands have made and nothing brings back."""
    name = printable(path)
    for place in (path, _followed(path)):
        if place.name in _OF_A_RUN and (place.parent / MANIFEST).exists():
            raise UsageError(f"{name} is a file of a run", _ELSEWHERE)
    if any(map(_is_database, _databases_at(_followed(path)))):
        raise UsageError(f"{name} is a database, and would be lost", _ELSEWHERE)


def _databases_at(place: Path) -> Iterator[Path]:
    """The file itself, or the one that it belongs to."""
    yield place
    for ending in _BESIDE_SQLITE:
        if place.name.endswith(ending) and place.name != ending:
            yield place.with_name(place.name.removesuffix(ending))


def _is_database(path: Path) -> bool:
    if not path.is_file():  # to look into a pipe would empty it
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _is_same(path: Path, other: Path) -> bool:
    """Also before either is there, and under two names of one file."""
    if _followed(path) == _followed(other):
        return True
    return path.exists() and other.exists() and path.samefile(other)


def _followed(path: Path) -> Path:
    return Path(os.path.realpath(path))  # unlike Path.resolve it survives links in a circle


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
