"""What `compare` is given, read into sides: a file of verdicts, or the folder of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from surefoot.compare import Side
from surefoot.errors import Incomplete, UsageError
from surefoot.importers.verdicts import load_verdicts
from surefoot.types import Passage, Problem, Question, Retrieved, Trace, Verdict

MANIFEST = "manifest.json"
_Row = TypeVar("_Row")


class _Manifest(Struct):
    """What of a run's manifest tells whether two runs can be compared."""

    questions_sha256: str | None = None
    rubric_sha256: str | None = None
    grader: str | None = None
    repeats: int = 1


class _TraceRow(Struct):
    question_id: str
    attempt: int = 1
    answer: str | None = None
    retrieved: list[Passage] | None = None
    citations: tuple[str, ...] | None = None
    error: str | None = None


def load_side(path: str | Path) -> Side:
    """A side named like its path. What could not be read of it stands in its problems."""
    where = Path(path)
    if not where.exists():
        raise UsageError(f"there is no file or folder {path}", "pass a file of verdicts or the folder of a run")
    return _run(where, str(path)) if where.is_dir() else _plain(where, str(path))


def _plain(path: Path, name: str) -> Side:
    problems: list[Problem] = []
    return Side(name, load_verdicts(path, problems), problems=problems)


def _run(folder: Path, name: str) -> Side:
    manifest = _manifest(folder)
    problems: list[Problem] = []
    verdicts = _last(_rows(folder / "verdicts.jsonl", Verdict, problems))
    questions = {question.id: question for question in _rows(folder / "questions.jsonl", Question, problems)}
    traces = {
        (row.question_id, row.attempt): _trace(row) for row in _rows(folder / "traces.jsonl", _TraceRow, problems)
    }
    if not verdicts:
        raise Incomplete(f"the run {name} has no verdicts", f"grade it first: surefoot grade {name}")
    identity = {key: getattr(manifest, key) for key in ("questions_sha256", "rubric_sha256", "grader")}
    return Side(
        name,
        verdicts,
        questions=questions,
        traces=traces,
        identity={key: value for key, value in identity.items() if value},
        # Ballots and labels by people may lie in the same file: the run's own grader decides.
        graders=tuple({verdict.grader for verdict in verdicts} & {manifest.grader or ""}),
        attempts=max(1, manifest.repeats),
        problems=problems,
    )


def _manifest(folder: Path) -> _Manifest:
    try:
        return msgspec.json.decode((folder / MANIFEST).read_bytes(), type=_Manifest)
    except FileNotFoundError as error:
        raise UsageError(
            f"{folder} is not a run: it has no {MANIFEST}", "pass a file of verdicts or the folder of a run"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Incomplete(f"{folder / MANIFEST} cannot be read: {error}", "restore it, or run again") from error


def _rows(path: Path, kind: type[_Row], problems: list[Problem]) -> Iterator[_Row]:
    decoder = msgspec.json.Decoder(kind)
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                problems.append(Problem("malformed", f"not a row of a run: {error}", str(path), number))


def _last(verdicts: Iterator[Verdict]) -> list[Verdict]:
    """In a run's folder to correct is to append: the last row of a key counts."""
    return list({(v.question_id, v.attempt, v.axis, v.grader): v for v in verdicts}.values())


def _trace(row: _TraceRow) -> Trace:
    return Trace(
        question_id=row.question_id,
        answer=row.answer,
        retrieved=None if row.retrieved is None else Retrieved(row.retrieved),
        citations=row.citations,
        error=row.error,
        attempt=row.attempt,
    )
