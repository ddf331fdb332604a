"""Verdicts from plain files: rows of `{question_id, axis, value[, attempt, grader, reason, ...]}`.

A row whose value makes no sense is named, and stays as a verdict without a value: the answer is ungraded on that
axis rather than free of it. A row on an axis that the rubric does not have is named and left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from surefoot import rubric
from surefoot.errors import UsageError
from surefoot.io.rows import Row, usable_rows
from surefoot.io.values import kind_of
from surefoot.problems import HARMLESS
from surefoot.types import Evidence, Problem, Verdict

_ID = ("question_id", "qid", "id")
_TEXTS = ("grader", "via", "reason", "self_check")
_LONGEST_QUOTE = 60
_rubric = cache(rubric.load)


class BadVerdict(ValueError):
    """Why a row is no verdict."""


def load_verdicts(
    path: str | Path, problems: list[Problem] | None = None, by: rubric.Rubric | None = None
) -> list[Verdict]:
    """The verdicts of a file. What is wrong with it goes to `problems`, or is an error when nobody takes it."""
    log: list[Problem] = [] if problems is None else problems
    if str(path) != "-" and (not Path(path).exists() or Path(path).is_dir()):
        raise UsageError(f"there is no file {path}", "pass a file of verdicts, one JSON object per line")
    verdicts = _collect(str(path), usable_rows(path, log), log, by)
    serious = [problem for problem in log if problem.kind not in HARMLESS]
    if problems is None and serious:
        raise UsageError(str(serious[0]), f"{len(serious)} row{'s' * (len(serious) > 1)} of {path} cannot be used")
    return verdicts


def _collect(
    source: str, rows: Iterator[Row], problems: list[Problem], by: rubric.Rubric | None = None
) -> list[Verdict]:
    """One verdict per question, attempt, axis and grader; two that contradict each other leave none."""
    found: dict[tuple[str, int, str, str], tuple[Verdict, int]] = {}
    contradicted = set()
    for _, line, value, _ in rows:
        try:
            verdict = verdict_of(value)
        except BadVerdict as error:
            problems.append(Problem("bad_verdict", str(error), source, line))
            continue
        usable, fault = checked(verdict, by)
        if fault:
            problems.append(Problem("bad_verdict", fault, source, line))
        if usable is None:
            continue
        verdict = usable
        key = (verdict.question_id, verdict.attempt, verdict.axis, verdict.grader)
        if key not in found:
            found[key] = (verdict, line)
            continue
        earlier, first_line = found[key]
        if earlier.value is None:
            found[key] = (earlier, first_line) if key in contradicted else (verdict, line)
        elif verdict.value is not None and verdict.value != earlier.value:
            fault = f"question {quoted(verdict.question_id)} has {verdict.axis} {earlier.value!r} on line {first_line}"
            fault += f" and {verdict.value!r} on line {line}; neither is used"
            problems.append(Problem("duplicate_verdict", fault, source, line))
            found[key] = (replace(earlier, value=None, reason=fault), first_line)
            contradicted.add(key)
        elif verdict.value is not None:
            fault = f"the {verdict.axis} verdict on question {quoted(verdict.question_id)} repeats line {first_line}"
            problems.append(Problem("note", fault, source, line))
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
        raise BadVerdict(f"the verdict on question {quoted(question_id)} names no axis")
    if "value" not in row:
        raise BadVerdict(f"the {axis[:60]} verdict on question {quoted(question_id)} has no value")
    attempt = row.get("attempt", 1)
    if type(attempt) is not int or attempt < 1:
        raise BadVerdict(
            f"question {quoted(question_id)}: attempt must be a whole number from 1, not {quoted(attempt)}"
        )
    texts = {key: _text(row, key, question_id) for key in _TEXTS}
    confidence = row.get("confidence")
    if confidence is not None and type(confidence) not in (int, float):
        raise BadVerdict(f"question {quoted(question_id)}: confidence must be a number, not {kind_of(confidence)}")
    return Verdict(
        question_id=question_id,
        axis=axis,
        value=_whole(row["value"]),
        attempt=attempt,
        confidence=confidence,
        evidence=_evidence(row.get("evidence"), question_id),
        **texts,
    )


def quoted(value: object) -> str:
    """A foreign value inside a sentence, which it must not drown."""
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 3]}..."


def _text(row: dict[str, object], key: str, question_id: str) -> str:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise BadVerdict(f"question {quoted(question_id)}: {key} must be a text, not {kind_of(value)}")
    return value or ""


def _whole(value: object) -> str | int | None:
    """Tables that hold gaps write 2 as 2.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value  # type: ignore[return-value]


def _evidence(value: object, question_id: str) -> tuple[Evidence, ...]:
    try:
        return msgspec.convert(value or (), tuple[Evidence, ...])
    except msgspec.ValidationError as error:
        raise BadVerdict(f"question {quoted(question_id)}: evidence cannot be read: {error}") from error


def checked(verdict: Verdict, by: rubric.Rubric | None = None) -> tuple[Verdict | None, str]:
    """What of a verdict can be used, and what is wrong with it."""
    known = by or _rubric()
    axis = known.axis(verdict.axis)
    if axis is None:
        return None, _unknown_axis(verdict, known)
    if axis.is_dimension and (score := rubric.read_score(verdict.value)) is not None:
        return replace(verdict, value=score), ""
    if verdict.value is None or (type(verdict.value) in (str, int) and axis.accepts(verdict.value)):
        return verdict, ""
    given = quoted(verdict.value) if type(verdict.value) in (str, int) else kind_of(verdict.value)
    fault = f"question {quoted(verdict.question_id)}: {axis.name} must be {_values(axis)}, not {given}"
    owners = [other.name for other in known.axes if other.values and other.accepts(verdict.value)]
    if owners and isinstance(verdict.value, str):
        fault += f", which is a value of {owners[0]}"
    return replace(verdict, value=None, reason=fault), fault


def _unknown_axis(verdict: Verdict, by: rubric.Rubric) -> str:
    names = [axis.name for axis in by.axes]
    close = get_close_matches(verdict.axis.lower(), names, 1)
    hint = f"did you mean {close[0]}?" if close else f"the axes are {', '.join(names)}"
    return f"question {quoted(verdict.question_id)}: there is no axis {quoted(verdict.axis)}; {hint}"


def _values(axis: rubric.Axis) -> str:
    if axis.is_dimension:
        return f"a number from {rubric.LOWEST} to {rubric.HIGHEST}"
    if not axis.values:
        return f"a whole number from {axis.least}"
    *first, last = map(str, axis.values)
    return f"{', '.join(first)} or {last}"
