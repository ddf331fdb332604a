"""Bare texts are graded: claims against contexts, passages against questions, and refusals.

One row out per row in, in their order. A row that cannot be read is a row too if it has an id. Rows that share an id
are all graded; the id is named.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from surefoot.core.errors import UsageError
from surefoot.core.result import READER, Person, Tell
from surefoot.core.types import Problem
from surefoot.core.words import counted, plain
from surefoot.graders.judges import Pair
from surefoot.graders.local import LocalJudge
from surefoot.io.fields import kind_of, quoted
from surefoot.io.rows import Row as ReadRow
from surefoot.io.rows import read_rows
from surefoot.io.sources import shown
from surefoot.text.normal import is_empty
from surefoot.text.refusals import detect

_CHUNK, _SECONDS_BETWEEN_NEWS = 64, 5.0
_PROBABILITIES = ("supported", "contradicted", "not_enough")
_LONGEST_QUOTE = 100

Texts = dict[str, str]
Found = dict[str, Any]


class TextGrade(NamedTuple):
    """What was found in one row of input. `row` is as `--json` prints it; None where there is no id to name it by."""

    row: Found | None
    decision: str | float | None  # None: not graded
    words: str  # beside the decision, for a person
    problem: Problem | None = None


class _Kind(NamedTuple):
    required: tuple[str, ...]
    optional: tuple[str, ...]
    columns: tuple[str, ...]
    decides: str  # the column that says whether a row was graded
    grade: Callable[[Sequence[Texts]], list[Found]]
    words: Callable[[Texts, Found], str]


class _Row(NamedTuple):
    """A row of input: its texts, or what is wrong with it."""

    id: str | float | None
    texts: Texts
    problem: Problem | None = None


def grade_texts(pairs: str, *, person: Person = READER) -> Iterator[TextGrade]:
    """Grade a file of bare texts (`-` is stdin); the fields of its first object say of which kind."""
    if pairs != "-" and (not Path(pairs).exists() or Path(pairs).is_dir()):
        hint = "pass a file of {id, context, claim}, {id, question, passage} or {id, text}, one object a line"
        raise UsageError(f"{shown(pairs)} is not a file", hint)
    read = read_rows([pairs])
    head = list(islice(read, _CHUNK))
    fields = next((row.value for row in head if isinstance(row.value, dict)), {})
    chosen = next((kind for kind in _KINDS if kind.required[-1] in fields), _KINDS[0])
    rows, count, last_news = _rows(chain(head, read), chosen, person.tell), 0, time.monotonic()
    while chunk := list(islice(rows, _CHUNK)):
        texts = [row.texts for row in chunk if row.problem is None]
        found = iter(chosen.grade(texts) if texts else ())
        for row in chunk:
            yield _result(row, {"reason": row.problem.message} if row.problem else next(found), chosen)
        count += len(chunk)
        if time.monotonic() - last_news >= _SECONDS_BETWEEN_NEWS:
            last_news = time.monotonic()
            person.tell(f"{counted(count, 'row')} graded")


def _result(row: _Row, found: Found, kind: _Kind) -> TextGrade:
    whole = None if row.id is None else {"id": row.id, **dict.fromkeys(kind.columns), **found}
    words = "" if row.problem else kind.words(row.texts, found)
    shown = "; ".join(filter(None, [words, found.get("reason")]))
    return TextGrade(whole, found.get(kind.decides), shown, row.problem)


def _rows(read: Iterable[ReadRow], kind: _Kind, tell: Tell) -> Iterator[_Row]:
    first_lines: dict[str | float, int | None] = {}  # None: the id was named already
    for source, line, value, _ in read:
        if isinstance(value, Problem) and value.kind == "note":
            continue
        row = _row(value, kind, source, line)
        if row.id is not None and (first := first_lines.setdefault(row.id, line)) not in (None, line):
            first_lines[row.id] = None
            message = f"the id {quoted(row.id)} is that of line {first} as well"
            tell(f"note: {plain(str(Problem('note', message, source, line)), 500)}")
        yield row


def _row(value: object, kind: _Kind, source: str, line: int) -> _Row:
    if isinstance(value, Problem):
        return _Row(None, {}, value)

    def refused(message: str, identifier: str | float | None = None) -> _Row:
        return _Row(identifier, {}, Problem("malformed", message, source, line))

    if not isinstance(value, dict):
        return refused(f"a row must be an object, not {kind_of(value)}")
    identifier = value.get("id")
    if identifier in (None, ""):
        return refused("the row has no id")
    if not isinstance(identifier, (str, int, float)) or isinstance(identifier, bool):
        return refused(f"id is {kind_of(identifier)}, not a text")
    if isinstance(identifier, float) and not math.isfinite(identifier):
        return refused(f"id is {identifier}, not a number that can be written down")
    for field in (*kind.required, *kind.optional):
        found = value.get(field)
        if found is None and field in kind.required:
            return refused(f"{field} is missing", identifier)
        if found is not None and not isinstance(found, str):
            return refused(f"{field} is {kind_of(found)}, not a text", identifier)
    return _Row(identifier, {field: value.get(field) or "" for field in (*kind.required, *kind.optional)})


def _claims(texts: Sequence[Texts]) -> list[Found]:
    found = LocalJudge().judge([Pair(text["context"], text["claim"], context=text["question"]) for text in texts])
    return [
        {
            **dict(zip(_PROBABILITIES, one.probabilities or (None,) * 3, strict=True)),
            "label": one.label,
            "evidence": one.quote or None,
            **_reason(one.reason),
        }
        for one in found
    ]


def _words_of_claim(_: Texts, found: Found) -> str:
    shares = [f"{name.replace('_', ' ')} {found[name]}" for name in _PROBABILITIES if found[name] is not None]
    quote = found["evidence"]
    return "; ".join(filter(None, [", ".join(shares), quote and f'evidence: "{plain(quote, _LONGEST_QUOTE)}"']))


def _passages(texts: Sequence[Texts]) -> list[Found]:
    found = LocalJudge().answers([(text["passage"], text["question"]) for text in texts])
    return [{"answers": one.probability, **_reason(one.reason)} for one in found]


def _reason(words: str) -> Found:
    return {"reason": words} if words else {}


def _refusals(texts: Sequence[Texts]) -> list[Found]:
    return [_refusal(text["text"]) for text in texts]


def _refusal(text: str) -> Found:
    if is_empty(text):
        return {"refusal": None, "span": None, "reason": "the text is empty"}
    value, start, end = detect(text)
    return {"refusal": value, "span": None if value == "answered" else [start, end]}


def _words_of_refusal(texts: Texts, found: Found) -> str:
    return f'"{plain(texts["text"][slice(*found["span"])], _LONGEST_QUOTE)}"' if found["span"] else ""


_KINDS = (
    _Kind(
        ("context", "claim"), ("question",), (*_PROBABILITIES, "label", "evidence"), "label", _claims, _words_of_claim
    ),
    _Kind(
        ("question", "passage"), (), ("answers",), "answers", _passages,
        lambda _, found: "" if found["answers"] is None else "probability that the passage answers",
    ),
    _Kind(("text",), ("question",), ("refusal", "span"), "refusal", _refusals, _words_of_refusal),
)  # fmt: skip
