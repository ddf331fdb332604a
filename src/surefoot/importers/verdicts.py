"""Verdicts from plain files: rows of `{question_id, axis, value[, attempt, grader, reason, ...]}`.

A row whose value makes no sense is named, and stays as a verdict without a value: the answer is ungraded on that
axis rather than free of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from surefoot.errors import UsageError
from surefoot.importers import sources
from surefoot.importers.jsontext import Repaired, Row
from surefoot.importers.values import kind_of
from surefoot.problems import HARMLESS
from surefoot.types import Evidence, Problem, Verdict

_ID = ("question_id", "qid", "id")
_TEXTS = ("grader", "via", "reason")
# Where the values of an axis are known, the test and the sentence about a value that fails it. Others pass as they are.
AXES: dict[str, tuple[Callable[[object], bool], str]] = {
    "factuality": (
        lambda value: value in ("correct", "wrong", "unsupported", "refused"),
        "must be correct, wrong, unsupported or refused",
    ),
    "citation_exists": (lambda value: value in ("yes", "no"), "must be yes or no"),
    "citation_supports": (lambda value: value in ("yes", "partly", "no"), "must be yes, partly or no"),
    "refusal_quality": (lambda value: type(value) is int and 0 <= value <= 3, "must be 0, 1, 2 or 3"),
    "extra_claim_count": (lambda value: type(value) is int and value >= 0, "must be a whole number from 0"),
}


class BadVerdict(ValueError):
    """Why a row is no verdict."""


def load_verdicts(path: str | Path, problems: list[Problem] | None = None) -> list[Verdict]:
    """The verdicts of a file. What is wrong with it goes to `problems`, or is an error when nobody takes it."""
    log: list[Problem] = [] if problems is None else problems
    if str(path) != "-" and not Path(path).is_file():
        raise UsageError(f"there is no file {path}", "pass a file of verdicts, one JSON object per line")
    verdicts = _collect(str(path), _rows(str(path), log), log)
    serious = [problem for problem in log if problem.kind not in HARMLESS]
    if problems is None and serious:
        raise UsageError(str(serious[0]), f"{len(serious)} row{'s' * (len(serious) > 1)} of {path} cannot be used")
    return verdicts


def _rows(path: str, problems: list[Problem]) -> Iterator[Row]:
    for block in sources.blocks_from([path]):
        for line, value in zip(*block.rows(), strict=True):
            if isinstance(value, Repaired):
                problems.append(Problem("note", value.repairs, path, line))
                yield line, value.value
            elif isinstance(value, Problem):
                problems.append(value)
            else:
                yield line, value


def _collect(source: str, rows: Iterator[Row], problems: list[Problem]) -> list[Verdict]:
    """One verdict per question, attempt, axis and grader; two that contradict each other leave none."""
    found: dict[tuple[str, int, str, str], tuple[Verdict, int]] = {}
    contradicted = set()
    for line, row in rows:
        try:
            verdict = verdict_of(row)
        except BadVerdict as error:
            problems.append(Problem("bad_verdict", str(error), source, line))
            continue
        if fault := _fault(verdict):
            problems.append(Problem("bad_verdict", fault, source, line))
            verdict = replace(verdict, value=None, reason=fault)
        key = (verdict.question_id, verdict.attempt, verdict.axis, verdict.grader)
        earlier, first_line = found.setdefault(key, (verdict, line))
        if earlier.value is None:
            found[key] = (earlier, first_line) if key in contradicted else (verdict, line)
        elif verdict.value is not None and verdict.value != earlier.value:
            fault = f"question {verdict.question_id!r} has {verdict.axis} {earlier.value!r} on line {first_line}"
            fault += f" and {verdict.value!r} on line {line}; neither is used"
            problems.append(Problem("duplicate_verdict", fault, source, line))
            found[key] = (replace(earlier, value=None, reason=fault), first_line)
            contradicted.add(key)
    return [verdict for verdict, _ in found.values()]


def verdict_of(row: object) -> Verdict:
    """One verdict, its value unchecked, or BadVerdict with what is wrong with the row."""
    if not isinstance(row, dict):
        raise BadVerdict(f"a verdict must be an object, not {kind_of(row)}")
    question_id = next((row[key] for key in _ID if row.get(key) is not None), None)
    if type(question_id) is int:
        question_id = str(question_id)
    if not isinstance(question_id, str) or not question_id.strip():
        raise BadVerdict("the verdict names no question: question_id must be a text")
    axis = row.get("axis")
    if not isinstance(axis, str) or not axis.strip():
        raise BadVerdict(f"the verdict on question {question_id!r} names no axis")
    if "value" not in row:
        raise BadVerdict(f"the {axis} verdict on question {question_id!r} has no value")
    attempt = row.get("attempt", 1)
    if type(attempt) is not int or attempt < 1:
        raise BadVerdict(f"question {question_id!r}: attempt must be a whole number from 1, not {attempt!r}")
    texts = {key: _text(row, key, question_id) for key in _TEXTS}
    confidence = row.get("confidence")
    return Verdict(
        question_id=question_id,
        axis=axis,
        value=_whole(row["value"]),
        attempt=attempt,
        confidence=float(confidence) if isinstance(confidence, (int, float)) else None,
        evidence=_evidence(row.get("evidence"), question_id),
        **texts,
    )


def _text(row: dict[str, object], key: str, question_id: str) -> str:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise BadVerdict(f"question {question_id!r}: {key} must be a text, not {kind_of(value)}")
    return value or ""


def _whole(value: object) -> str | int | None:
    """Tables that hold gaps write 2 as 2.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value  # type: ignore[return-value]


def _evidence(value: object, question_id: str) -> tuple[Evidence, ...]:
    try:
        return msgspec.convert(value or (), tuple[Evidence, ...])
    except msgspec.ValidationError as error:
        raise BadVerdict(f"question {question_id!r}: evidence cannot be read: {error}") from error


def _fault(verdict: Verdict) -> str:
    if verdict.value is None:
        return ""
    fits, sentence = AXES.get(verdict.axis, (lambda value: type(value) in (str, int), "must be a text or whole number"))
    if type(verdict.value) in (str, int) and fits(verdict.value):
        return ""
    given = repr(verdict.value) if type(verdict.value) in (str, int) else kind_of(verdict.value)
    return f"question {verdict.question_id!r}: {verdict.axis} {sentence}, not {given[:60]}"
