"""Items to grade: a question, the passages retrieved for it, and an answer, from rows of every shape of trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.types import Expects, Item, Problem, Question, Trace
from surefoot.io.rows import (
    TEXT,
    TEXTS,
    WORD,
    BadRow,
    Is,
    Row,
    citations_in,
    decoded,
    fields_of,
    kind_of,
    one_of,
    quoted,
    read_rows,
    scalar,
)
from surefoot.io.traces import Logged, Span, traces_in
from surefoot.text.normal import id_of_text, normalise
from surefoot.text.refusals import detect

# The answer that was wanted, as test-case files have it.
_REFERENCES = ("reference", "expected_output", "expectedOutput", "ground_truth", "gold_claim")
_TEXTS_OR_CELL = Is(TEXTS.words, lambda value: TEXTS.fits(decoded(value)))  # in a cell of a table, a list is a text
_KINDS = {
    "question": TEXT, "answer": Is("a text", lambda value: isinstance(value, (str, dict))),
    "passages": Is("a list of objects with id and text", lambda value: isinstance(decoded(value), list)),
    "citations": Is("a list", lambda value: isinstance(value, (str, dict, list))),
    "expects": one_of("answer", "refusal"), "stratum": WORD,
    **dict.fromkeys(("gold_ids", "reference_context_ids", "gold_claims"), _TEXTS_OR_CELL),
}  # fmt: skip

_Key = tuple[str, str, str, tuple[str, ...], tuple[str, ...]]
_MOST_CHARACTERS = 2_000_000  # of the passages of one answer
_LONGEST_ANSWER = 100_000  # characters, about fifty pages
Naming = Callable[[int, Trace], str]  # of a row without an id, by its number and what it holds


class Ungradable(Struct, frozen=True):
    """A row that cannot be graded: its id, if it has one, and why."""

    id: str | None
    problem: Problem


def load_items(
    path: str | Path, on_note: Callable[[Problem], None] = lambda _: None, mapping: Mapping[str, str] | None = None
) -> Iterator[Item | Ungradable]:
    """One for each trace of the file, in its order. What was used with a doubt goes to `on_note`."""
    first_lines: dict[str, int] = {}
    for logged, found in logged_items(read_rows([path]), on_note, mapping, lambda number, _: str(number)):
        identifier = found.question.id if isinstance(found, Item) else found.id
        if identifier in first_lines:
            note = f"the id {quoted(identifier)} is that of line {first_lines[identifier]} as well"
            on_note(Problem("note", note, logged.source, logged.line))
        elif identifier is not None:
            first_lines[identifier] = logged.line
        yield found


def items_in(
    path: str | Path, on_note: Callable[[Problem], None], mapping: Mapping[str, str] | None, name: Naming
) -> Iterator[Item | Ungradable]:
    """The same for a log, where an id may occur again and again; `name` makes one where a row has none."""
    return (found for _, found in logged_items(read_rows([path]), on_note, mapping, name))


def logged_items(
    rows: Iterable[Row], on_note: Callable[[Problem], None], mapping: Mapping[str, str] | None, name: Naming,
    spans: list[Span] | None = None,
) -> Iterator[tuple[Logged, Item | Ungradable]]:  # fmt: skip
    """The same for rows, each with where it was found. `spans` are those that wait for the last row."""
    number = 0
    for logged in traces_in(rows, mapping, spans):
        if isinstance(logged.found, Problem) and logged.found.kind == "note":
            on_note(logged.found)
            continue
        number += 1
        found = _read(logged, number, name)
        for note in _doubts(logged, found):
            on_note(Problem("note", note, logged.source, logged.line))
        yield logged, found


def _read(logged: Logged, number: int, name: Naming) -> Item | Ungradable:
    row = logged.row if isinstance(logged.row, dict) else {}
    if isinstance(logged.found, Problem):
        return Ungradable(_id_of(row) or None, logged.found)
    try:
        otherwise = logged.name or name(number, logged.found)
        lower = {str(key).lower(): value for key, value in row.items()}
        item = _item(fields_of(lower | row, "item", _KINDS), logged.found, otherwise)
        if logged.repairs and item.trace.answer is None and not item.trace.error:
            # Null may be what was written, but it may as well stand for the answer.
            raise BadRow("there is no answer that is a text")
    except BadRow as error:
        message = f"{error} ({logged.repairs})" if logged.repairs else str(error)
        problem = Problem("bad_item", message, logged.source, logged.line)
        return Ungradable(_id_of(row) or logged.found.question_id or None, problem)
    return item


def _item(row: Mapping[str, Any], trace: Trace, otherwise: str) -> Item:
    """`otherwise` is the id of an item that has none of its own."""
    _check_citations(row.get("citations"))
    identifier = _id_of(row) or trace.question_id or otherwise
    if not identifier or row.get("id") == "":
        raise BadRow("the item has no id")
    if trace.question is None:
        raise BadRow("the row has no question; `surefoot run --pipeline traces:FILE` takes it from a question set")
    if why := why_too_long(trace):
        raise BadRow(why)
    references = _references(row)
    declines = [detect(text).value == "refused" for text in references]
    gold_ids = citations_in(row.get("gold_ids") or row.get("reference_context_ids") or []) or ()
    told: Expects = "unknown" if not (references or gold_ids) else "refusal" if all(declines or [False]) else "answer"
    question = Question(
        id=identifier, text=trace.question, expects=row.get("expects") or told,
        stratum="" if row.get("stratum") is None else str(row["stratum"]), gold_ids=gold_ids,
        gold_claims=tuple(text for text, declined in zip(references, declines, strict=True) if not declined),
    )  # fmt: skip
    return Item(question, replace(trace, question_id=identifier, question=None))


def why_too_long(trace: Trace) -> str:
    """No pipeline can have shown so much to a model, or got it from one; reading it would hold up all other answers."""
    if len(trace.answer or "") > _LONGEST_ANSWER:
        return f"the answer has over {_LONGEST_ANSWER:,} characters, too many to read"
    if sum(len(passage.text) for passage in trace.retrieved or ()) > _MOST_CHARACTERS:
        return f"the answer comes with over {_MOST_CHARACTERS:,} characters of passages, too many to read"
    return ""


def _check_citations(value: object) -> None:
    """A citation that is no use would else pass for one that is not there."""
    for number, entry in enumerate(value if isinstance(value, list) else [value], 1):
        if isinstance(entry, dict) and not any(citations_in(entry) or ()):
            raise BadRow(f"citation {number} is an object without an id")
        if entry is not value and not isinstance(entry, (str, dict)) and type(entry) is not int:
            raise BadRow(f"citation {number} must be a text, not {kind_of(entry)}")


def _doubts(logged: Logged, found: Item | Ungradable) -> list[str]:
    """What is to be noted about a row that is graded."""
    if isinstance(found, Ungradable):
        return []
    citations = logged.row.get("citations") if isinstance(logged.row, dict) else None
    notes = [logged.repairs] * bool(logged.repairs)
    for entry in citations if isinstance(citations, list) else ():
        if type(entry) is int:
            notes.append(f"the citation {quoted(entry)} is a number, read as a text")
        elif isinstance(entry, str) and not entry.strip():
            notes.append("an empty citation was left out")
    ids = Counter(found.trace.names)
    return notes + [f"several passages have the id {quoted(i)} and are read as one" for i, n in ids.items() if n > 1]


def _id_of(row: Mapping[str, object]) -> str:
    value = row.get("id")
    return value if isinstance(value, str) else scalar(value)


def _references(row: Mapping[str, Any]) -> list[str]:
    """What the gold says, where a row has it."""
    keys = ("gold_claims",) if "gold_claims" in row else _REFERENCES
    value = decoded(next((row[key] for key in keys if row.get(key)), None))
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str) and text.strip()]


class Asked:
    """The questions so far. Rows with the same words and the same gold are about one question, unless the log gives
    them ids of their own."""

    def __init__(self) -> None:
        self.questions: dict[_Key, Question] = {}
        self._ids: set[str] = set()
        self._times: Counter[str] = Counter()

    def answered(self, item: Item) -> Trace:
        """The answer of a row, under its question."""
        one = item.question
        own = "" if one.id == id_of_text(one.text) else one.id
        key = (own, normalise(one.text), one.expects, one.gold_ids, one.gold_claims)
        if key not in self.questions:
            self.questions[key] = replace(one, id=next(name for name in _names(one) if name not in self._ids))
            self._ids.add(self.questions[key].id)
        name = self.questions[key].id
        self._times[name] += 1
        return replace(item.trace, question_id=name, attempt=self._times[name])


def _names(question: Question) -> Iterator[str]:
    """What it may be called, the best name first: a log may give one id to several questions."""
    yield question.id
    yield (made := id_of_text(question.text))
    yield from (f"{made}-{number}" for number in count(2))
