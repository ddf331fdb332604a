"""surefoot export, surefoot import"""

from __future__ import annotations

import contextlib
import gzip
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import click
import msgspec
import zstandard
from msgspec.structs import replace

from surefoot import rubric
from surefoot.cli.options import ledger_option
from surefoot.cli.targets import check_target, files_of, naming
from surefoot.errors import ExitCode, Incomplete, UsageError
from surefoot.io.labels import load_labels
from surefoot.io.new_labels import bound, not_yet_in
from surefoot.io.sources import open_zst
from surefoot.io.writer import BYTE_ORDER_MARK, replacing
from surefoot.problems import HARMLESS
from surefoot.report.words import counted, plain
from surefoot.store import RunStore
from surefoot.types import Problem

_EXPORTS = (".jsonl", ".jsonl.gz", ".jsonl.zst")
_OF_THE_FILE = ("unreadable", "no_labels")  # problems that are of no single row
_SHOWN = 20
_LONGEST_HEAD = 1 << 20
_ONE = {"labels": "label", "certificates": "certificate", "steps": "step", "runs": "run", "replies": "reply"}


@click.command(epilog="Example: surefoot export ledger.jsonl.zst --ledger runs/surefoot.db")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@ledger_option
@click.option("--without-replies", is_flag=True, help="Leave out the paid replies of models: they quote documents.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a sentence.")
def export(file: Path, ledger: str | None, without_replies: bool, as_json: bool) -> int:
    """Write everything in the ledger to FILE: .jsonl, .jsonl.gz or .jsonl.zst.

    Equal ledgers give equal files, whatever database they are in. An earlier export is replaced; a file that is
    something else is left as it is, with exit code 2.
    """
    from surefoot.ledger import Ledger
    from surefoot.ledger.exports import write_ledger
    from surefoot.ledger.places import find

    place = find(None, ledger)
    check_target(file, _EXPORTS, files_of(place), _is_export)
    if (opened := Ledger.existing(place)) is None:
        raise UsageError("there is no ledger to export", "name it with --ledger FILE or --ledger postgresql://...")
    with opened, naming(file), replacing(file, 0o600) as out, _compressed(out, file) as target:  # private, as it is
        moved = write_ledger(opened, target, replies=not without_replies)
    if as_json:
        _print({"file": str(file), "ledger": opened.name, "rows": moved.rows, "sha256": moved.sha256})
    else:
        click.echo(f"{_counts(moved.rows)} of {opened.name} are in {file}")
    return ExitCode.OK


@click.command(
    "import", epilog="Example: surefoot import labels.csv --run runs/first; surefoot import ledger.jsonl.zst"
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--run", "run", type=click.Path(file_okay=False, path_type=Path), metavar="RUN",
    help="The run whose answers the labels in FILE are on.",
)  # fmt: skip
@ledger_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a sentence.")
def import_(file: Path, run: Path | None, ledger: str | None, as_json: bool) -> int:
    """Add what `surefoot export` wrote, or labels made elsewhere, to the ledger.

    FILE is an export, or labels as CSV or JSON lines: rows of {question_id, axis, value}, and if you have them
    annotator, attempt, note, at. What is there already is left as it is, so a file may be imported again. All of it
    is added, or nothing and the line is named. Exits 4 when labels are on answers that the run does not have.
    """
    from surefoot.ledger import Ledger
    from surefoot.ledger.exports import check_lines, is_export, is_headless, read_ledger
    from surefoot.ledger.places import find, is_ledger

    if is_ledger(file):
        raise UsageError(f"{file} is a ledger itself", f"export it first: surefoot export FILE.jsonl --ledger {file}")
    first = _first_line(file)
    if is_headless(first):
        message = f"{file} looks like an export whose first line is missing"
        raise UsageError(message, "it says how many rows there are: export the ledger again")
    if not is_export(first):
        return _import_labels(file, run, ledger, as_json)
    if run is not None:
        raise UsageError(f"{file} is an export of a ledger, and no labels on one run", "leave --run out")
    place = find(None, ledger)
    if (opened := Ledger.existing(place)) is None:
        with _opened(file) as lines, _readable(file):
            check_lines(lines, str(file))
        opened = Ledger.open(place)
    with opened, _opened(file) as lines, _readable(file):
        moved = read_ledger(opened, lines, str(file))
    if as_json:
        _print({"file": str(file), "ledger": opened.name, "rows": moved.rows, "new": moved.new})
    else:
        click.echo(f"{_counts(moved.rows)} read; new in {opened.name}: {_counts(moved.new)}")
    return ExitCode.OK


def _import_labels(file: Path, run: Path | None, given: str | None, as_json: bool) -> int:
    from surefoot.ledger import Ledger
    from surefoot.ledger.places import entry_of, find, run_id, versions_of
    from surefoot.ledger.schema import checked
    from surefoot.services.runs import graders_of, refuse_verdicts_of

    problems: list[Problem] = []
    store = None if run is None else RunStore.open(run)
    name = store.manifest.rubric if store is not None else ""
    by = rubric.load(name) if name in rubric.bundled() else None
    if store is not None:
        refuse_verdicts_of(store, file)
    labels = load_labels(file, problems, rubric=by, graders=graders_of(store) if store is not None else ())
    _refuse(file, problems)
    if store is not None:
        manifest = store.manifest
        labels = bound(labels, versions_of(store), problems, run=run_id(manifest), rubric_sha256=manifest.rubric_sha256)
    elif lost := sum(not label.version for label in labels):
        message = f"{counted(lost, 'label')} in {file} do not say which version of an answer they are on"
        raise UsageError(message, "say with --run RUN whose answers they are on")
    if not labels:
        _name(problems)
        raise Incomplete(f"no label in {file} is on an answer of the run", "nothing was imported; name the right run")
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    for label in labels:
        checked(replace(label, at=label.at or now))  # before a ledger is made
    with Ledger.open(find(run, given)) as ledger:
        if store is not None:
            ledger.add_run(entry_of(store))
        versions = {one.version for one in labels}
        new = ledger.add_new_labels(versions, lambda known: not_yet_in(known, labels, now))
    _name(problems)
    left_out = sum(problem.kind == "unknown_question" for problem in problems)
    if as_json:
        rows, told = len(labels), [str(problem) for problem in problems]
        _print({"file": str(file), "ledger": ledger.name, "rows": {"labels": rows}, "new": {"labels": new},
                "left_out": left_out, "problems": told})  # fmt: skip
    else:
        click.echo(f"{counted(len(labels), 'label')} read; new in {ledger.name}: {counted(new, 'label')}")
    return ExitCode.INCOMPLETE if left_out else ExitCode.OK


def _refuse(file: Path, problems: list[Problem]) -> None:
    """Nothing is half imported: what cannot be used is put right first."""
    if serious := [problem for problem in problems if problem.kind not in HARMLESS]:
        _name(problems)
        if any(problem.kind in _OF_THE_FILE for problem in serious):
            raise Incomplete(f"{file} could not be read, and nothing was imported", "see above, and pass a whole file")
        message = f"{counted(len(serious), 'row')} of {file} cannot be used, and nothing was imported"
        raise UsageError(message, "correct or remove the rows named above, then import it again")


def _name(problems: list[Problem]) -> None:
    for problem in problems[:_SHOWN]:
        click.echo(f"note: {plain(str(problem), 400)}", err=True)
    if len(problems) > _SHOWN:
        click.echo(f"note: and {len(problems) - _SHOWN:,} more like these", err=True)


@contextlib.contextmanager
def _compressed(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    """The bytes depend on the rows alone: no time or name of a file is written."""
    if path.suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]
    elif path.suffix == ".zst":
        with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        yield file


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """A file, decompressed as its name says."""
    with path.open("rb") as file:
        if path.suffix == ".gz":
            yield gzip.GzipFile(fileobj=file)  # type: ignore[misc]
        elif path.suffix == ".zst":
            yield open_zst(file)
        else:
            yield file


def _first_line(path: Path) -> bytes:
    """The first one that is not empty."""
    with _opened(path) as lines, _readable(path):
        while (line := lines.readline(_LONGEST_HEAD)) and not line.removeprefix(BYTE_ORDER_MARK).strip():
            pass
    return line


def _is_export(path: Path) -> bool:
    from surefoot.ledger.exports import is_export

    try:
        return is_export(_first_line(path))
    except Incomplete:
        return False


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, zlib.error, zstandard.ZstdError, EOFError) as error:
        raise Incomplete(f"{path} cannot be decompressed: {error}", "nothing was imported; copy it again") from error


def _counts(rows: dict[str, int]) -> str:
    *first, last = (f"{count:,} {_ONE[name] if count == 1 else name}" for name, count in rows.items())
    return f"{', '.join(first)} and {last}"


def _print(value: dict[str, object]) -> None:
    click.echo(msgspec.json.encode(value))
