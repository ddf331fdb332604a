"""A ledger to a file and back, and labels made elsewhere into a ledger."""

from __future__ import annotations

import contextlib
import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from msgspec.structs import replace

from surefoot import rubric
from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.io.extras import library, open_zst
from surefoot.io.labels import load_labels
from surefoot.io.new_labels import Place, bound, not_yet_in
from surefoot.io.writer import BYTE_ORDER_MARK, replacing
from surefoot.ledger import Ledger
from surefoot.ledger.exports import add_records, is_export, is_headless, read_records, write_ledger
from surefoot.ledger.places import entry_of, find, is_ledger, run_id
from surefoot.ledger.schema import checked
from surefoot.problems import HARMLESS
from surefoot.records import Label
from surefoot.report.words import counted
from surefoot.services.result import READER, Fields, Person, Tell, tell_problems
from surefoot.services.runs import graders_of, refuse_verdicts_of
from surefoot.services.targets import check_target, files_of, naming
from surefoot.store import RunStore, timestamp
from surefoot.types import Problem

_EXPORTS = (".jsonl", ".jsonl.gz", ".jsonl.zst")
_OF_THE_FILE = ("unreadable", "no_labels")  # problems that are of no single row


@dataclass(frozen=True)
class Exported(Fields):
    file: str
    ledger: str
    rows: dict[str, int]
    sha256: str  # of the lines: equal for ledgers with equal rows


@dataclass(frozen=True)
class Imported(Fields):
    """`new` are the rows that the ledger did not have; `left_out` labels are on answers that the run does not have."""

    file: str
    ledger: str
    rows: dict[str, int]
    new: dict[str, int]
    left_out: int = 0
    problems: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        return ExitCode.INCOMPLETE if self.left_out else ExitCode.OK


def export_ledger(file: str | Path, *, ledger: str | Path | None = None, replies: bool = True) -> Exported:
    """Write everything in the ledger to a file: .jsonl, .jsonl.gz or .jsonl.zst. Only an earlier export is replaced.

    Without `replies`, the paid replies of models are left out: they quote documents.
    """
    path, place = Path(file), find(None, ledger)
    check_target(path, _EXPORTS, files_of(place), _is_export)
    if (opened := Ledger.existing(place)) is None:
        raise UsageError("there is no ledger to export", "name it with --ledger FILE or --ledger postgresql://...")
    with opened, naming(path), replacing(path, 0o600) as out, _compressed(out, path) as target:  # private, as it is
        rows, sha256 = write_ledger(opened, target, replies=replies)
    return Exported(str(file), opened.name, rows, sha256)


def import_labels(
    file: str | Path, *, run: str | Path | None = None, ledger: str | Path | None = None, person: Person = READER
) -> Imported:
    """Add labels made elsewhere, or everything that `export_ledger` wrote, to the ledger; all of it or nothing.

    `run` is the run whose answers the labels are on. What is there already stays, so a file may be imported again.
    """
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"there is no file {path}", "pass labels, or what `surefoot export` wrote")
    if is_ledger(path):
        raise UsageError(f"{path} is a ledger itself", f"export it first: surefoot export FILE.jsonl --ledger {path}")
    first = _first_line(path)
    if is_headless(first):
        message = f"{path} looks like an export whose first line is missing"
        raise UsageError(message, "it says how many rows there are: export the ledger again")
    if not is_export(first):
        return _import_labels(path, None if run is None else RunStore.open(run), ledger, person.tell)
    if run is not None:
        raise UsageError(f"{path} is an export of a ledger, and no labels on one run", "leave --run out")
    found = read_records(_lines(path), str(path))  # whole, before a ledger is made
    with Ledger.open(find(None, ledger)) as opened:
        new = add_records(opened, found, str(path))
    return Imported(str(path), opened.name, {name: len(rows) for name, rows in found.items()}, new)


def _import_labels(path: Path, store: RunStore | None, given: str | Path | None, tell: Tell) -> Imported:
    problems: list[Problem] = []
    at = timestamp()
    labels = _labels_in(path, store, problems, tell)
    if not labels:
        tell_problems(problems, tell)
        raise Incomplete(f"no label in {path} is on an answer of the run", "nothing was imported; name the right run")
    for label in labels:
        checked(replace(label, at=label.at or at))  # before a ledger is made
    with Ledger.open(find(store.path if store else None, given)) as ledger:
        if store is not None:
            ledger.add_run(entry_of(store))
        versions = {one.version for one in labels}
        new = ledger.add_new_labels(versions, lambda known: not_yet_in(known, labels, at))
    tell_problems(problems, tell)
    left_out = sum(problem.kind == "unknown_question" for problem in problems)
    rows, new_rows = {"labels": len(labels)}, {"labels": new}
    return Imported(str(path), ledger.name, rows, new_rows, left_out, tuple(map(str, problems)))


def _labels_in(path: Path, store: RunStore | None, problems: list[Problem], tell: Tell) -> list[Label]:
    """Bound to answers: those of the run, or those that the rows name themselves."""
    places: dict[str, Place] = {}
    if store is None:
        labels = load_labels(path, problems, rubric=None, graders=())
    else:
        refuse_verdicts_of(store, path)
        name = store.manifest.rubric
        by = rubric.load(name) if name in rubric.bundled() else None
        labels = load_labels(path, problems, rubric=by, graders=graders_of(store), places=places)
    _refuse(path, problems, tell)
    if store is not None:
        manifest, subjects = store.manifest, store.subjects()
        found = bound(
            labels, store.versions(), problems, run=run_id(manifest), rubric_sha256=manifest.rubric_sha256,
            places=places,
        )  # fmt: skip
        return [replace(label, subject=subjects.get(label.version, "")) for label in found]
    if lost := sum(not label.version for label in labels):
        message = f"{counted(lost, 'label')} in {path} do not say which version of an answer they are on"
        raise UsageError(message, "say with --run RUN whose answers they are on")
    return labels


def _refuse(path: Path, problems: Sequence[Problem], tell: Tell) -> None:
    """Nothing is half imported: what cannot be used is put right first."""
    if serious := [problem for problem in problems if problem.kind not in HARMLESS]:
        tell_problems(problems, tell)
        if any(problem.kind in _OF_THE_FILE for problem in serious):
            raise Incomplete(f"{path} could not be read, and nothing was imported", "see above, and pass a whole file")
        message = f"{counted(len(serious), 'row')} of {path} cannot be used, and nothing was imported"
        raise UsageError(message, "correct or remove the rows named above, then import it again")


@contextlib.contextmanager
def _compressed(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    """The bytes depend on the rows alone: no time or name of a file is written."""
    if path.suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]
    elif path.suffix == ".zst":
        with library("zstandard", "zstd").ZstdCompressor().stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        yield file


def _lines(path: Path) -> Iterator[bytes]:
    """Of a file, decompressed as its name says."""
    try:
        with path.open("rb") as file:
            if path.suffix == ".gz":
                yield from gzip.GzipFile(fileobj=file)
            else:
                yield from open_zst(file) if path.suffix == ".zst" else file
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise Incomplete(f"{path} cannot be decompressed: {error}", "nothing was imported; copy it again") from error


def _first_line(path: Path) -> bytes:
    return next((line for line in _lines(path) if line.removeprefix(BYTE_ORDER_MARK).strip()), b"")


def _is_export(path: Path) -> bool:
    try:
        return is_export(_first_line(path))
    except Incomplete:
        return False
