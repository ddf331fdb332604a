"""Runs, labels and decisions as lines of JSON, and back.

    {"kind":"verdicts","row":{...},"sha256":"..."}

Each line carries a hash of itself, so a changed byte is noticed. Lines are sorted: the same rows give the same file,
and two files of labels merge by union, in any order and with doubles. Without texts, what people and models wrote is
left out, and ids, hashes, values and decisions remain.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, or_, select

from surefoot.core import rubric
from surefoot.core.errors import Incomplete, UsageError, unknown
from surefoot.core.files import PRIVATE, UNREADABLE, fault_in, library, replacing
from surefoot.core.records import CHANGE, Step, is_annotator
from surefoot.core.types import Question
from surefoot.io.rows import Unpacked
from surefoot.store.project import (
    ANSWERS,
    ROWS,
    TABLES,
    VERDICTS,
    AnswerRow,
    BadRow,
    Manifest,
    Project,
    QuestionRow,
    Run,
    RunRow,
    VerdictRow,
    add,
    context_of,
    identity_of,
    in_order,
    key_of,
    rows,
    trace_of,
)

_ENCODER = msgspec.json.Encoder(order="deterministic")
_AHEAD = timedelta(days=1)  # as far as clocks may differ: the newest label counts, and a later one must be possible
_AGAIN = "nothing was imported; export it again"
NAMES = (".jsonl", ".jsonl.gz", ".jsonl.zst")


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    row: msgspec.Raw
    sha256: str


class ExportedRun(Struct, frozen=True, forbid_unknown_fields=True):
    """A run, and how many rows belong to it: a file that was cut short is noticed."""

    run: RunRow
    questions: int
    answers: int
    verdicts: int = 0  # at least: others may be added by union


class Exported(Struct):
    """The rows of an export, by table."""

    runs: dict[str, ExportedRun] = {}
    rows: dict[str, list[Struct]] = {}

    @property
    def counts(self) -> dict[str, int]:
        labels = sum(is_annotator(row.grader) for row in self.of(VerdictRow))
        found = {name: len(rows) for name, rows in self.rows.items()} | {"runs": len(self.runs), "labels": labels}
        return found | {"verdicts": found["verdicts"] - labels}

    def of(self, kind: type) -> list:  # type: ignore[type-arg]
        return self.rows.get(next(name for name, one in ROWS.items() if one is kind), [])


def is_export(path: str | Path) -> bool:
    """Whether a file is an export, by its first line."""
    try:
        return Path(path).is_file() and msgspec.json.decode(next(_lines(Path(path)), b""), type=_Line).kind in ROWS
    except (*UNREADABLE, Incomplete, OSError):
        return False


def lines_of(
    project: Project, runs: Sequence[Run] | None, *, labels: bool = False, decisions: Collection[str] | None = None,
    texts: bool = True,
) -> Iterator[bytes]:  # fmt: skip
    """Yield the lines of some runs, or of everything but paid replies; or of labels alone.

    `decisions` are the ids of those to take along; None takes all where no run is named.
    """
    with project.database.reading() as connection:
        ids = None if runs is None else {run.id for run in runs}
        for name in sorted(ROWS):
            if name == "replies" or (labels and name != "verdicts"):
                continue
            for row in _rows_of(connection, name, ids, decisions):
                if labels and not is_annotator(row.grader):  # type: ignore[attr-defined]
                    continue
                shown = row if texts else without_texts(row)
                yield line_of(name, _counted(connection, shown) if isinstance(shown, RunRow) else shown)


def bundle_of(project: Project, decision: str) -> tuple[list[Run], set[str]]:
    """Return the runs that a decision rests on, and the decisions to take along: a block is final."""
    steps = sorted(project.decisions(), key=lambda one: one.mode == CHANGE)  # no move of the baseline is latest
    step = next((one for one in reversed(steps) if decision in ("latest", one.id)), None)
    if step is None:
        known = ["latest", *(one.id for one in steps)] if steps else []
        raise unknown(f"there is no decision {decision}", decision, known, "surefoot gate --history lists them")
    runs = [run for run in project.runs() if run.id in (*step.base_runs, *step.cand_runs)]
    ids, blocks = {run.id for run in runs}, (one for one in steps if (one.mode, one.outcome) == (CHANGE, "BLOCK"))
    return runs, {step.id, *(one.id for one in blocks if {*one.base_runs, *one.cand_runs} <= ids)}


def write_export(path: Path, lines: Iterable[bytes]) -> int:
    """Write the lines, compressed as the name says; the bytes depend on the rows alone. Return how many there are."""
    with ExitStack() as stack:
        target: IO[bytes] = stack.enter_context(replacing(path, PRIVATE))
        if path.suffix == ".gz":  # no time or name of a file is written
            target = stack.enter_context(gzip.GzipFile(filename="", mode="wb", fileobj=target, mtime=0))  # type: ignore[arg-type]
        elif path.suffix == ".zst":
            writer = library("zstandard", "zstd").ZstdCompressor().stream_writer(target, closefd=False)
            target = stack.enter_context(writer)
        count = 0
        for line in lines:
            target.write(line)
            count += 1
    return count


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _rows_of(
    connection: Connection, name: str, ids: Collection[str] | None, decisions: Collection[str] | None
) -> Iterator[Struct]:  # fmt: skip
    kind, table = ROWS[name], TABLES[name]
    query = in_order(table).order_by(None).order_by(*(table.c[one] for one in identity_of(name)))
    if ids is None:
        yield from rows(connection, kind, query)
    elif name in ("questions", "answers"):
        yield from rows(connection, kind, query.where(table.c.run.in_(ids)))
    elif name == "runs":
        yield from rows(connection, kind, query.where(table.c.id.in_(ids)))
    elif name == "verdicts":
        keys = select(ANSWERS.c.key).where(ANSWERS.c.run.in_(ids))
        own = set(connection.execute(select(ANSWERS.c.context).where(ANSWERS.c.run.in_(ids))).scalars()) | {""}
        found = rows(connection, VerdictRow, query.where(table.c.key.in_(keys)))
        yield from (row for row in found if row.context in own)
    elif name == "decisions":
        yield from (row for row in rows(connection, kind, query) if row.id in (decisions or ()))  # type: ignore[attr-defined]


def _counted(connection: Connection, row: RunRow) -> ExportedRun:
    questions, answers = (
        len(connection.execute(select(TABLES[name].c.run).where(TABLES[name].c.run == row.id)).all())
        for name in ("questions", "answers")
    )
    own = or_(VERDICTS.c.context == ANSWERS.c.context, VERDICTS.c.context == "")
    joined = select(VERDICTS.c.id).join(ANSWERS, ANSWERS.c.key == VERDICTS.c.key).where(ANSWERS.c.run == row.id, own)
    return ExportedRun(row, questions, answers, len(connection.execute(joined.distinct()).all()))


def line_of(kind: str, row: Struct) -> bytes:
    content = _ENCODER.encode(row)
    return _ENCODER.encode(_Line(kind, msgspec.Raw(content), _hash(kind, content))) + b"\n"


def without_texts(row: Struct) -> Struct:
    """The row with ids, hashes and values alone."""
    if isinstance(row, RunRow):
        return replace(row, manifest={**row.manifest, "without_texts": True})
    if isinstance(row, QuestionRow):
        kept = ("id", "expects", "stratum", "probes", "gold_ids", "retrieval")
        return replace(row, question={"text": "", **{key: row.question[key] for key in kept}})
    if isinstance(row, AnswerRow):
        kept = ("question_id", "attempt", "citations", "seconds", "tokens", "cost_usd")
        retrieved = row.trace.get("retrieved")
        ids = [{"id": one["id"]} for one in retrieved] if isinstance(retrieved, list) else None
        trace = {**{key: row.trace.get(key) for key in kept}, "retrieved": ids}
        return replace(row, trace=trace, subject="")
    if isinstance(row, VerdictRow):
        return replace(row, reason="", evidence=(), self_check="", subject="")
    if isinstance(row, Step):
        return replace(row, document={key: row.document.get(key) for key in ("outcome", "rules", "names", "runs")})
    return row


def read_export(path: Path) -> Exported:
    """Return all rows of a file, or say which line is not as it was written."""
    found = Exported({}, {name: [] for name in ROWS})
    for number, line in enumerate(_lines(path), 1):
        try:
            if not line.endswith(b"\n"):
                raise msgspec.ValidationError("the line has no end")
            read = msgspec.json.decode(line, type=_Line)
            if _ENCODER.encode(read) + b"\n" != line or read.sha256 != _hash(read.kind, bytes(read.row)):
                raise msgspec.ValidationError("the line does not have the hash that it was written with")
            if read.kind not in ROWS:
                raise msgspec.ValidationError(f"there is no table {read.kind!r}")
            if read.kind == "runs":
                one = msgspec.json.decode(read.row, type=ExportedRun)
                found.runs[one.run.id] = one
                continue
            row = msgspec.json.decode(read.row, type=ROWS[read.kind])
            if fault := next(_faults_of(row), ""):
                raise msgspec.ValidationError(fault)
        except UNREADABLE as error:
            raise UsageError(f"{path}:{number}: {fault_in(error)}", _AGAIN) from error
        found.rows[read.kind].append(row)
    _check(found, path)
    return found


def add_export(project: Project, found: Exported, source: str) -> dict[str, int]:
    """Add what the project lacks, all of it or nothing; return how many rows were new, by table."""
    new = dict.fromkeys(ROWS, 0)
    try:
        with project.database.writing() as connection:
            new["runs"] = add(connection, [one.run for one in found.runs.values()], _merge_runs)
            for name in ("questions", "answers", "decisions"):
                new[name] = add(connection, found.rows[name], _fuller)
            for name, is_label in (("verdicts", False), ("labels", True)):
                given = (row for row in found.of(VerdictRow) if is_annotator(row.grader) is is_label)
                new[name] = add(connection, given, _fuller)
            new["purges"] = add(connection, found.rows["purges"])
    except BadRow as error:
        raise UsageError(f"{source}: {error.message}", f"nothing was imported; {error.hint}") from error
    return new


def _merge_runs(mine: RunRow, theirs: RunRow) -> RunRow | None:
    """The same asking may be graded in one place and not in the other."""
    one, other = (msgspec.convert(row.manifest, Manifest) for row in (mine, theirs))
    if (one.created, one.questions_sha256, one.pipeline) != (other.created, other.questions_sha256, other.pipeline):
        return None
    return theirs if one.without_texts > other.without_texts or (other.grader and not one.grader) else mine


def _fuller(mine: Struct, theirs: Struct) -> Struct | None:
    if isinstance(mine, VerdictRow | Step):  # never changed, not even by what was left out
        return mine if without_texts(mine) == without_texts(theirs) else None
    if mine == theirs or without_texts(mine) == theirs:
        return mine
    return theirs if without_texts(theirs) == mine else None


def _check(found: Exported, path: Path) -> None:
    """Rows that belong together are all there, and answers have the keys that their texts give."""
    asked: dict[str, dict[str, Question]] = {}
    for row in found.of(QuestionRow):
        question = msgspec.convert(row.question, Question)
        asked.setdefault(row.run, {})[question.id] = question
    answers, said = Counter[str](), dict[str, set[tuple[str, str]]]()
    for row in found.of(AnswerRow):
        answers[row.run] += 1
        said.setdefault(row.run, set()).update({(row.key, row.context), (row.key, "")})
        known = asked.get(row.run, {}).get(row.question_id)
        whole = row.run in found.runs and not found.runs[row.run].run.manifest.get("without_texts")
        if known and whole and (key_of(known, trace_of(row)), context_of(known, trace_of(row))) != (
            row.key, row.context,
        ):  # fmt: skip
            message = f"{path}: the answer to {row.question_id} of the run {row.run} does not have the key of its texts"
            raise UsageError(message, _AGAIN)
    given = Counter((row.key, row.context) for row in {row.id: row for row in found.of(VerdictRow)}.values())
    for one in found.runs.values():
        verdicts = sum(given[place] for place in said.get(one.run.id, ()))
        for what, count, there in (
            ("questions", one.questions, len(asked.get(one.run.id, ()))),
            ("answers", one.answers, answers[one.run.id]),
            ("verdicts", one.verdicts, min(verdicts, one.verdicts)),
        ):
            if there != count:
                message = f"{path} holds {there} of the {count} {what} of the run {one.run.id}"
                raise Incomplete(message, f"it was cut short; {_AGAIN}")
    if strays := (asked.keys() | answers.keys()) - found.runs.keys():
        raise Incomplete(f"{path} lacks the line of the run {min(strays)}", f"it was cut short; {_AGAIN}")


def verify(found: Exported) -> Iterator[str]:
    """Yield what does not fit together in the bundle of a decision."""
    ids = {row.id for row in found.of(VerdictRow)}
    for step in found.of(Step):
        if step.mode != CHANGE:  # that a version is the baseline goes along with it, and not what it was before
            continue
        if lost := set(step.pinned) - ids:
            yield f"the decision {step.id} used {len(lost)} verdicts that are not in the file"
        if gone := {*step.base_runs, *step.cand_runs} - found.runs.keys():
            yield f"the decision {step.id} counted the run {min(gone)}, which is not in the file"
        if step.document.get("outcome") != step.outcome:
            yield f"the decision {step.id} says {step.outcome}, and its report {step.document.get('outcome')}"


def _faults_of(row: Struct) -> Iterator[str]:
    """Why surefoot cannot have written a row. Rows stay for good."""
    if at := str(getattr(row, "at", "")):
        try:
            time = datetime.fromisoformat(at)
            if time.tzinfo != UTC or at not in (time.isoformat(), time.isoformat(timespec="microseconds")):
                yield f"at must be a time in UTC such as 2026-01-31T09:30:00.000000+00:00, not {at[:60]!r}"
            elif time - datetime.now(UTC) > _AHEAD:
                yield f"at is in the future: {at}"
        except ValueError:
            yield f"at must be a date and time, not {at[:60]!r}"
    if isinstance(row, VerdictRow) and is_annotator(row.grader) and (by := _bundled().get(row.rubric_sha256)):
        value = int(row.value) if isinstance(row.value, float) and row.value.is_integer() else row.value
        if (axis := by.axis(row.axis)) is None:
            yield f"the rubric {by.name} has no axis {row.axis!r}"
        elif value is not None and not axis.accepts(value):
            yield f"{row.axis} cannot be {str(row.value)[:60]!r}"


@cache
def _bundled() -> dict[str, rubric.Rubric]:
    return {found.sha256: found for found in map(rubric.load, rubric.bundled())}


def _hash(kind: str, content: bytes) -> str:
    return hashlib.sha256(kind.encode() + b"\n" + content).hexdigest()[:32]


def _lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, decompressed where it is."""
    try:
        with path.open("rb") as file:
            yield from Unpacked.of(file) or file
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise Incomplete(f"{path} cannot be decompressed: {error}", "nothing was imported; copy it again") from error
