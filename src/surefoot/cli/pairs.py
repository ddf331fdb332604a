"""surefoot grade --pairs, --questions-passages and --refusals: bare texts in, what the grader says about them out.

One row out per row in, in their order. A row that cannot be read is named on stderr, and is a row too if it has an id.
Rows that share an id are all graded; the id is named.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from surefoot.errors import ExitCode, UsageError
from surefoot.graders.judges import Judgement, Pair
from surefoot.io.kinds import kind_of, quoted
from surefoot.io.rows import read_rows
from surefoot.report.words import counted, plain
from surefoot.text.normal import is_empty
from surefoot.text.refusals import detect
from surefoot.types import Problem

_CHUNK, _SECONDS_BETWEEN_NEWS = 64, 5.0
_PROBABILITIES = ("supported", "contradicted", "not_enough")

_LONGEST_LINE, _LONGEST_QUOTE = 200, 100

Identifier = str | int | float
Texts = dict[str, str]
Found = dict[str, Any]


class Mode(NamedTuple):
    required: tuple[str, ...]
    optional: tuple[str, ...]
    columns: tuple[str, ...]
    decides: str  # the column that says whether a row was graded
    grade: Callable[[Sequence[Texts]], list[Found]]
    show: Callable[[Texts, Found], Iterator[str]]  # to a person, beside what was decided


class Row(NamedTuple):
    """A row of input: its texts, or what is wrong with it."""

    id: Identifier | None
    texts: Texts
    problem: Problem | None = None


def grade_texts(name: str, path: str, as_json: bool) -> int:
    """Grade a file of bare texts; `name` is the option that named it."""
    mode = MODES[name]
    if path != "-" and (not Path(path).exists() or Path(path).is_dir()):
        raise UsageError(
            f"{path} is not a file", f"pass a file of {{id, {', '.join(mode.required)}}}, one object a line"
        )
    counts: Counter[str] = Counter()
    news = _News()
    for row, found in graded(rows_of(path, mode), mode):
        if row.problem:
            click.echo(f"error: {plain(str(row.problem), 500)}", err=True)
        if row.problem is None or row.id is not None:
            _print(row, found, mode, as_json)
        counts[_summary_of(found, mode)] += 1
        news.tell(counts.total())
    if not as_json:
        click.echo(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "nothing to grade")
    return ExitCode.INCOMPLETE if counts["not graded"] or not counts else ExitCode.OK


def graded(rows: Iterable[Row], mode: Mode) -> Iterator[tuple[Row, Found]]:
    rest = iter(rows)
    while chunk := list(islice(rest, _CHUNK)):
        found = iter(mode.grade([row.texts for row in chunk if row.problem is None]))
        for row in chunk:
            yield row, {"reason": row.problem.message} if row.problem else next(found)


def rows_of(path: str, mode: Mode) -> Iterator[Row]:
    ids = _Ids()
    for source, line, value, _ in read_rows([path]):
        if isinstance(value, Problem) and value.kind == "note":
            continue
        row = _row(value, mode, source, line)
        ids.note(row.id, source, line)
        yield row


class _Ids:
    """Names an id that several rows have: once, with the lines of the first two."""

    def __init__(self) -> None:
        self._first_lines: dict[Identifier, int | None] = {}

    def note(self, identifier: Identifier | None, source: str, line: int) -> None:
        if identifier is None:
            return
        if identifier not in self._first_lines:
            self._first_lines[identifier] = line
        elif (first := self._first_lines[identifier]) is not None:
            self._first_lines[identifier] = None
            problem = Problem("note", f"the id {quoted(identifier)} is that of line {first} as well", source, line)
            click.echo(f"note: {plain(str(problem), 500)}", err=True)


def _row(value: object, mode: Mode, source: str, line: int) -> Row:
    if isinstance(value, Problem):
        return Row(None, {}, value)

    def refused(message: str, identifier: Identifier | None = None) -> Row:
        return Row(identifier, {}, Problem("malformed", message, source, line))

    if not isinstance(value, dict):
        return refused(f"a row must be an object, not {kind_of(value)}")
    identifier = value.get("id")
    if not isinstance(identifier, (str, int, float)) or isinstance(identifier, bool) or identifier == "":
        return refused("the row has no id" if identifier in (None, "") else f"id is {kind_of(identifier)}, not a text")
    if isinstance(identifier, float) and not math.isfinite(identifier):
        return refused(f"id is {identifier}, not a number that can be written down")
    for field in (*mode.required, *mode.optional):
        found = value.get(field)
        if found is None and field in mode.required:
            return refused(f"{field} is missing", identifier)
        if found is not None and not isinstance(found, str):
            return refused(f"{field} is {kind_of(found)}, not a text", identifier)
    return Row(identifier, {field: value.get(field) or "" for field in (*mode.required, *mode.optional)})


def _judged(texts: Sequence[Texts]) -> list[Found]:
    from surefoot.graders.local import LocalJudge

    pairs = [Pair(text["context"], text["claim"], context=text["question"]) for text in texts]
    return [_judgement(judgement) for judgement in LocalJudge().judge(pairs)] if pairs else []


def _judgement(judgement: Judgement) -> Found:
    found: Found = dict(zip(_PROBABILITIES, judgement.probabilities or (None,) * 3, strict=True))
    found |= {"label": judgement.label, "evidence": judgement.quote or None}
    return found | ({"reason": judgement.reason} if judgement.reason else {})


def _shown_judgement(_: Texts, found: Found) -> Iterator[str]:
    if found.get("supported") is not None:
        yield ", ".join(f"{name.replace('_', ' ')} {found[name]}" for name in _PROBABILITIES)
    if evidence := found.get("evidence"):
        yield f'evidence: "{plain(evidence, _LONGEST_QUOTE)}"'


def _answering(texts: Sequence[Texts]) -> list[Found]:
    from surefoot.graders.local import LocalJudge

    found = LocalJudge().answers([(text["passage"], text["question"]) for text in texts]) if texts else []
    return [{"answers": one.probability} | ({"reason": one.reason} if one.reason else {}) for one in found]


def _shown_answering(_: Texts, found: Found) -> Iterator[str]:
    if found.get("answers") is not None:
        yield "probability that the passage answers"


def _refusals(texts: Sequence[Texts]) -> list[Found]:
    return [_refusal(text["text"]) for text in texts]


def _refusal(text: str) -> Found:
    if is_empty(text):
        return {"refusal": None, "span": None, "reason": "the text is empty"}
    value, start, end = detect(text)
    return {"refusal": value, "span": None if value == "answered" else [start, end]}


def _shown_refusal(texts: Texts, found: Found) -> Iterator[str]:
    if span := found.get("span"):
        yield f'"{plain(texts["text"][slice(*span)], _LONGEST_QUOTE)}"'


MODES: dict[str, Mode] = {
    "pairs": Mode(
        ("context", "claim"), ("question",), (*_PROBABILITIES, "label", "evidence"), "label", _judged, _shown_judgement
    ),
    "questions-passages": Mode(("question", "passage"), (), ("answers",), "answers", _answering, _shown_answering),
    "refusals": Mode(("text",), ("question",), ("refusal", "span"), "refusal", _refusals, _shown_refusal),
}


def _print(row: Row, found: Found, mode: Mode, as_json: bool) -> None:
    if as_json:
        whole = {"id": row.id, **dict.fromkeys(mode.columns), **found}
        sys.stdout.buffer.write(msgspec.json.encode(whole) + b"\n")
        sys.stdout.buffer.flush()
        return
    shown = "; ".join([*mode.show(row.texts, found), *filter(None, [found.get("reason")])])
    decided = found.get(mode.decides)
    words = "not graded" if decided is None else str(decided)
    click.echo(f"{plain(str(row.id), 40):16} {words:12} {plain(shown, _LONGEST_LINE)}".rstrip())


def _summary_of(found: Found, mode: Mode) -> str:
    decided = found.get(mode.decides)
    if decided is None:
        return "not graded"
    return "graded" if isinstance(decided, float) else str(decided)


class _News:
    """A word on stderr now and then while a long file is graded."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def tell(self, count: int) -> None:
        if time.monotonic() - self._last >= _SECONDS_BETWEEN_NEWS:
            self._last = time.monotonic()
            click.echo(f"{counted(count, 'row')} graded", err=True)
