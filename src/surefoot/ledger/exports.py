"""A ledger as lines of JSON, and back without a loss.

    {"surefoot_ledger": 1, "rows": {"labels": 120, ...}}      how many there are: a file that was cut short is noticed
    {"table": "labels", "row": {...}}                         by table, oldest first

Two ledgers with the same rows give the same lines, whatever database they are in and however the rows came there.
"""

from __future__ import annotations

import hashlib
import itertools
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import IO

import msgspec
from msgspec import Struct
from sqlalchemy import Connection, Table, func, select, text

from surefoot import rubric
from surefoot.errors import Incomplete, UsageError
from surefoot.io.writer import BYTE_ORDER_MARK, UNREADABLE
from surefoot.ledger.book import Ledger
from surefoot.ledger.schema import FORMAT, RECORDS, REPLIES, TABLES, BadRow, PaidReply, add, checked, in_order, record
from surefoot.records import Label, Step

_BATCH = 500
_LONGEST = 1_000  # of ids and names: a server can hold no longer ones in its indices
_LONGEST_TEXT = 100_000
_BOUNDED = ("id", "digest", "version", "annotator", "axis", "rubric_sha256", "run", "grader", "programme", "model")
_AHEAD = timedelta(days=1)  # as far as clocks may differ: the newest label counts, and a later one must be possible
_UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
_OUTCOMES = {"SHIP": (0,), "BLOCK": (1,), "INCONCLUSIVE": (3, 4)}  # with their exit codes
_MODES = ("change", "strict", "sequential")  # the last two are of an earlier gate
_NAMED = ("reference", "release", "base_run", "cand_run")
_LARGEST_ALPHA = 0.5
_ENCODER = msgspec.json.Encoder(order="deterministic")
# Those who put replies do not wait for us: theirs may have come between.
_ADD_REPLY = text("INSERT INTO replies VALUES (:digest, :at, :model, :reply) ON CONFLICT (digest) DO NOTHING")
_KINDS: dict[str, type[Struct]] = {**RECORDS, "replies": PaidReply}


class Moved(Struct, frozen=True):
    """What an export wrote, or an import read; `new` are the rows that the ledger did not have."""

    rows: dict[str, int]
    new: dict[str, int] = {}
    sha256: str = ""  # of the lines: equal for ledgers with equal rows


class _Head(Struct, frozen=True):
    surefoot_ledger: int
    rows: dict[str, int]


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    table: str
    row: msgspec.Raw


def write_ledger(ledger: Ledger, file: IO[bytes], *, replies: bool = True) -> Moved:
    """All rows as they are at one moment, whoever writes meanwhile."""
    kinds = {name: kind for name, kind in _KINDS.items() if replies or kind is not PaidReply}
    with ledger.database.reading() as connection:
        counts = {name: _count(connection, TABLES[name]) for name in kinds}
        return _write(file, counts, _stored(connection, kinds))


def write_records(file: IO[bytes], rows: Mapping[str, Sequence[Struct]]) -> Moved:
    """Some rows of a ledger, by table, as if there were no others."""
    counts = {name: len(found) for name, found in rows.items()}
    return _write(file, counts, ((name, row) for name, found in rows.items() for row in found))


def _write(file: IO[bytes], counts: dict[str, int], rows: Iterable[tuple[str, Struct]]) -> Moved:
    digest = hashlib.sha256()
    lines = (_Line(name, msgspec.Raw(_ENCODER.encode(row))) for name, row in rows)
    for told in itertools.chain([_Head(FORMAT, counts)], lines):
        line = _ENCODER.encode(told) + b"\n"
        digest.update(line)
        file.write(line)
    return Moved(counts, sha256=digest.hexdigest())


def _stored(connection: Connection, kinds: Mapping[str, type[Struct]]) -> Iterator[tuple[str, Struct]]:
    for name, kind in kinds.items():
        found = connection.execution_options(yield_per=_BATCH).execute(in_order(TABLES[name]))
        for row in found.mappings():
            yield name, record(kind, row)


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def is_export(first_line: bytes) -> bool:
    """Whether a file is a ledger's, by its first line."""
    try:
        return "surefoot_ledger" in msgspec.json.decode(_bare(first_line), type=dict[str, object])
    except UNREADABLE:
        return False


def is_headless(first_line: bytes) -> bool:
    """Whether a file begins in the middle of an export."""
    try:
        return msgspec.json.decode(_bare(first_line), type=_Line).table in _KINDS
    except UNREADABLE:
        return False


def read_ledger(ledger: Ledger, lines: Iterable[bytes], source: str) -> Moved:
    """Add what is not there yet: all of it, or nothing and an error that names the line."""
    head, numbered = _begun(lines, source)
    read, new = Counter[str](), Counter[str]()
    with ledger.database.writing() as connection:
        for name, batch in _batches(_sound(_rows(numbered, source), source)):
            read[name] += len(batch)
            new[name] += _add(connection, batch, source)
        _check(head, read, source)
    return Moved({name: read[name] for name in _KINDS}, {name: new[name] for name in _KINDS})


def check_lines(lines: Iterable[bytes], source: str) -> None:
    """The errors of `read_ledger`, without a ledger: so that none is made for a file that cannot be read."""
    head, numbered = _begun(lines, source)
    read = Counter(name for _, name, _ in _sound(_rows(numbered, source), source))
    _check(head, read, source)


def read_records(lines: Iterable[bytes], source: str) -> dict[str, list[Struct]]:
    """The rows by table, without a ledger."""
    head, numbered = _begun(lines, source)
    found: dict[str, list[Struct]] = {name: [] for name in _KINDS}
    for _, name, row in _rows(numbered, source):
        found[name].append(row)
    _check(head, Counter({name: len(rows) for name, rows in found.items()}), source)
    return found


def _begun(lines: Iterable[bytes], source: str) -> tuple[_Head, Iterator[tuple[int, bytes]]]:
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    return _head(next(numbered, (1, b""))[1], source), numbered


def _bare(first_line: bytes) -> bytes:
    return first_line.removeprefix(BYTE_ORDER_MARK)


def _check(head: _Head, read: Counter[str], source: str) -> None:
    for name, count in head.rows.items():
        if read[name] != count:
            message = f"{source} holds {read[name]} of the {count} rows of {name} that it began with"
            raise Incomplete(message, "it was cut short or changed: export it again; nothing was imported")


def _head(line: bytes, source: str) -> _Head:
    try:
        head = msgspec.json.decode(_bare(line), type=_Head)
    except UNREADABLE as error:
        raise UsageError(
            f"{source}:1: this is no export of a ledger: {error}", "`surefoot export` makes one"
        ) from error
    if head.surefoot_ledger > FORMAT:
        raise Incomplete(f"{source} was exported by a newer surefoot", "upgrade surefoot to import it")
    return head


def _rows(numbered: Iterator[tuple[int, bytes]], source: str) -> Iterator[tuple[int, str, Struct]]:
    return ((number, *_row(line, f"{source}:{number}")) for number, line in numbered)


def _sound(rows: Iterator[tuple[int, str, Struct]], source: str) -> Iterator[tuple[int, str, Struct]]:
    for number, name, row in rows:
        if fault := _fault_of(row):
            raise UsageError(f"{source}:{number}: {fault}", "nothing was imported; correct the line")
        yield number, name, row


def _batches(rows: Iterator[tuple[int, str, Struct]]) -> Iterator[tuple[str, Sequence[tuple[int, Struct]]]]:
    for name, group in itertools.groupby(rows, key=lambda row: row[1]):
        while batch := [(number, row) for number, _, row in itertools.islice(group, _BATCH)]:
            yield name, batch


def _row(line: bytes, where: str) -> tuple[str, Struct]:
    try:
        found = msgspec.json.decode(line, type=_Line)
        if (kind := _KINDS.get(found.table)) is None:
            raise msgspec.ValidationError(f"there is no table {found.table!r}")
        unknown = msgspec.json.decode(found.row, type=dict[str, object]).keys() - set(kind.__struct_fields__)
        if unknown:
            raise msgspec.ValidationError(f"a row of {found.table} has no {min(unknown)!r}")
        return found.table, msgspec.json.decode(found.row, type=kind)
    except UNREADABLE as error:
        raise UsageError(f"{where}: {error}", "nothing was imported; export it again, or correct the line") from error


def _add(connection: Connection, batch: Sequence[tuple[int, Struct]], source: str) -> int:
    rows = [row for _, row in batch]
    try:
        return _add_replies(connection, rows) if isinstance(rows[0], PaidReply) else add(connection, rows)
    except BadRow as error:
        line = next(line for line, row in batch if row is error.row)
        raise UsageError(f"{source}:{line}: {error.message}", f"nothing was imported; {error.hint}") from error


def _add_replies(connection: Connection, rows: Sequence[Struct]) -> int:
    """A reply that is there already stays: both are answers to the same prompt."""
    by_digest = {row.digest: row for row in map(checked, rows) if isinstance(row, PaidReply)}
    known = connection.execute(select(REPLIES.c.digest).where(REPLIES.c.digest.in_(by_digest))).scalars()
    fresh = [by_digest[digest] for digest in by_digest.keys() - set(known)]
    if fresh:
        connection.execute(_ADD_REPLY, [msgspec.structs.asdict(row) for row in fresh])
    return len(fresh)


def _fault_of(row: Struct) -> str:
    """Why surefoot cannot have written a row that comes from elsewhere, or nothing. Rows stay for good."""
    for name in _BOUNDED:
        if len(str(getattr(row, name, ""))) > _LONGEST:
            return f"{name} has over {_LONGEST:,} characters"
    if fault := _fault_of_time(str(getattr(row, "at", ""))):
        return fault
    if isinstance(row, Label):
        return _fault_of_label(row)
    return _fault_of_step(row) if isinstance(row, Step) else ""


def _fault_of_time(at: str) -> str:
    """Times are put in order as texts, so they must be written as surefoot writes them: in UTC."""
    if not at:
        return ""  # said where rows are kept
    try:
        time = datetime.fromisoformat(at)
    except ValueError:
        return f"at must be a date and time, not {at[:60]!r}"
    if time.tzinfo != UTC or at not in (time.isoformat(), time.isoformat(timespec="microseconds")):
        return f"at must be a time in UTC such as 2026-01-31T09:30:00.000000+00:00, not {at[:60]!r}"
    return f"at is in the future: {at}" if time - datetime.now(UTC) > _AHEAD else ""


def _fault_of_label(label: Label) -> str:
    if not label.annotator.strip():
        return "the label does not say who gave it"
    if any(unicodedata.category(character) in _UNPRINTABLE for character in label.annotator):
        return "the annotator has a name that cannot be printed"
    if label.attempt < 1:
        return f"attempt must be a whole number from 1, not {label.attempt}"
    if not label.question_id or len(label.question_id) > _LONGEST_TEXT:
        return "question_id is empty, or too long"
    by = _bundled().get(label.rubric_sha256)
    if by is None:
        return ""
    if (axis := by.axis(label.axis)) is None:
        return f"the rubric {by.name} has no axis {label.axis!r}"
    value = int(label.value) if isinstance(label.value, float) and label.value.is_integer() else label.value
    return "" if value is None or axis.accepts(value) else f"{label.axis} cannot be {str(label.value)[:60]!r}"


def _fault_of_step(step: Step) -> str:
    if step.outcome not in _OUTCOMES:
        return f"outcome must be one of {', '.join(_OUTCOMES)}, not {step.outcome[:60]!r}"
    if step.exit_code not in _OUTCOMES[step.outcome]:
        return f"exit_code of {step.outcome} cannot be {step.exit_code}"
    if lacking := next((name for name in _NAMED if not getattr(step, name)), ""):
        return f"{lacking} is empty"
    if step.mode not in _MODES:
        return f"mode must be {' or '.join(_MODES)}, not {step.mode[:60]!r}"
    if step.alpha is not None and not 0 < step.alpha <= _LARGEST_ALPHA:
        return f"alpha must lie between 0 and {_LARGEST_ALPHA}, not {step.alpha}"
    if step.margin is not None and not 0 <= step.margin < 1:
        return f"margin must lie between 0 and 1, not {step.margin}"
    return ""


@cache
def _bundled() -> dict[str, rubric.Rubric]:
    return {found.sha256: found for found in map(rubric.load, rubric.bundled())}
