"""Verdicts from plain files: rows of `{question_id, axis, value[, attempt, grader, reason, ...]}`.

A row whose value makes no sense is named, and stays as a verdict without a value: the answer is ungraded on that
axis rather than free of it. A row on an axis that the rubric does not have is named and left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from surefoot.core import rubric
from surefoot.core.errors import UsageError, nearest
from surefoot.core.types import HARMLESS, Evidence, Problem, Verdict
from surefoot.io.rows import (
    COUNT,
    FLAG,
    IDENTIFIER,
    NUMBER,
    TEXT,
    BadRow,
    Row,
    converted,
    fields_of,
    kind_of,
    quoted,
    read_rows,
)

_NAMES = {"question_id": ("question_id", "qid", "id")}
_TEXTS = ("grader", "via", "reason", "self_check")
_KINDS = {
    "question_id": IDENTIFIER, "axis": TEXT, "attempt": COUNT, "confidence": NUMBER, "unsure": FLAG,
    **dict.fromkeys(_TEXTS, TEXT),
}  # fmt: skip
_rubric = cache(rubric.load)


def load_verdicts(
    path: str | Path, problems: list[Problem] | None = None, by: rubric.Rubric | None = None
) -> list[Verdict]:
    """The verdicts of a file. What is wrong with it goes to `problems`, or is an error when nobody takes it."""
    log: list[Problem] = [] if problems is None else problems
    if str(path) != "-" and not Path(path).is_file():
        raise UsageError(f"there is no file {path}", "pass a file of verdicts, one JSON object per line")
    verdicts = _collect(converted(read_rows([path]), verdict_of, "bad_verdict", log), log, by)
    if problems is None:
        refuse_serious(log, path)
    return verdicts


def refuse_serious(problems: Sequence[Problem], path: str | Path) -> None:
    serious = [problem for problem in problems if problem.kind not in HARMLESS]
    if serious:
        raise UsageError(str(serious[0]), f"{len(serious)} row{'s' * (len(serious) > 1)} of {path} cannot be used")


def _collect(rows: Iterator[tuple[Row, Verdict]], problems: list[Problem], by: rubric.Rubric | None) -> list[Verdict]:
    """One verdict per question, attempt, axis and grader; two that contradict each other leave none."""
    found: dict[tuple[str, int, str, str], tuple[Verdict, int]] = {}
    contradicted = set()
    for (source, line, _, _), given in rows:
        verdict, fault = checked(given, by)
        if fault:
            problems.append(Problem("bad_verdict", fault, source, line))
        if verdict is None:
            continue
        key = (verdict.question_id, verdict.attempt, verdict.axis, verdict.grader)
        earlier, first_line = found.setdefault(key, (verdict, line))
        if key in contradicted or earlier is verdict or verdict.value is None:
            continue
        if earlier.value is None:
            found[key] = (verdict, line)
        elif verdict.value == earlier.value:
            fault = f"the {verdict.axis} verdict on question {quoted(verdict.question_id)} repeats line {first_line}"
            problems.append(Problem("note", fault, source, line))
        else:
            fault = f"question {quoted(verdict.question_id)} has {verdict.axis} {earlier.value!r} on line {first_line}"
            fault += f" and {verdict.value!r} on line {line}; neither is used"
            problems.append(Problem("duplicate_verdict", fault, source, line))
            found[key] = (replace(earlier, value=None, reason=fault), first_line)
            contradicted.add(key)
    return [verdict for verdict, _ in found.values()]


def verdict_of(value: object, noun: str = "verdict") -> Verdict:
    """One verdict, its value unchecked, or BadRow with what is wrong with the row."""
    row = fields_of(value, noun, _KINDS, _NAMES, required=("question_id", "axis"))
    if "value" not in row:
        raise BadRow(f"the {row['axis'][:60]} {noun} on question {quoted(row['question_id'])} has no value")
    try:
        evidence = msgspec.convert(row.get("evidence") or (), tuple[Evidence, ...])
    except msgspec.ValidationError as error:
        raise BadRow(f"question {quoted(row['question_id'])}: evidence cannot be read: {error}") from error
    return Verdict(
        question_id=str(row["question_id"]),
        axis=row["axis"],
        value=_whole(row["value"]),
        attempt=row.get("attempt") or 1,
        confidence=row.get("confidence"),
        evidence=evidence,
        unsure=row.get("unsure") or False,
        **{key: row.get(key) or "" for key in _TEXTS},
    )


def _whole(value: object) -> str | int | None:
    """Tables that hold gaps write 2 as 2.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value  # type: ignore[return-value]


def checked(verdict: Verdict, by: rubric.Rubric | None = None) -> tuple[Verdict | None, str]:
    """What of a verdict can be used, and what is wrong with it."""
    known = by or _rubric()
    if verdict.axis.startswith(rubric.AXIS_PREFIX):
        return _checked_score(verdict)
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


def _checked_score(verdict: Verdict) -> tuple[Verdict, str]:
    """Of a council: a score, 0 for what is unsafe, or whether it is safe."""
    value = verdict.value
    if isinstance(value, str) and (score := rubric.read_score(value)) is not None:  # as tables hold it
        return replace(verdict, value=score), ""
    is_score = type(value) in (int, float) and 0 <= value <= rubric.HIGHEST  # type: ignore[operator]
    if value is None or is_score or value in ("safe", "unsafe"):
        return verdict, ""
    fault = f"question {quoted(verdict.question_id)}: {verdict.axis[:60]} must be a number from 0 to {rubric.HIGHEST}"
    return replace(verdict, value=None, reason=fault), fault


def _unknown_axis(verdict: Verdict, by: rubric.Rubric) -> str:
    names = [axis.name for axis in by.axes]
    hint = nearest(verdict.axis, names) or f"the axes are {', '.join(names)}"
    return f"question {quoted(verdict.question_id)}: there is no axis {quoted(verdict.axis)}; {hint}"


def _values(axis: rubric.Axis) -> str:
    if axis.is_dimension:
        return f"a number from {rubric.LOWEST} to {rubric.HIGHEST}"
    if not axis.values:
        return f"a whole number from {axis.least}"
    *first, last = map(str, axis.values)
    return f"{', '.join(first)} or {last}"
