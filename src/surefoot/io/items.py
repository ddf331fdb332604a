"""Items to grade: a question, the passages retrieved for it, and an answer, from rows of every shape of trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from surefoot.io.fields import TraceReader
from surefoot.io.traces import Logged, read_traces
from surefoot.io.values import citations_in, kind_of, scalar
from surefoot.io.verdicts import quoted
from surefoot.text.refusals import detect
from surefoot.types import Expects, Item, Problem, Question, Trace

# The answer that was wanted, as test-case files have it.
_REFERENCES = ("reference", "expected_output", "expectedOutput", "ground_truth", "gold_claim")
Row = Mapping[str, object]


class Ungradable(Struct, frozen=True):
    """A row that cannot be graded: its id, if it has one, and why."""

    id: str | None
    problem: Problem


def load_items(
    path: str | Path, on_note: Callable[[Problem], None] = lambda _: None, mapping: Mapping[str, str] | None = None
) -> Iterator[Item | Ungradable]:
    """One for each trace of the file, in its order. What was used with a doubt goes to `on_note`."""
    first_lines: dict[str, int] = {}
    for number, logged in enumerate(_without_notes(read_traces([path], mapping), on_note), 1):
        found, notes = _read(logged, number)
        identifier = found.question.id if isinstance(found, Item) else _id_in(logged)
        if identifier in first_lines:
            notes.append(f"the id {quoted(identifier)} is that of line {first_lines[identifier]} as well")
        elif identifier is not None:
            first_lines[identifier] = logged.line
        for note in notes:
            on_note(Problem("note", note, logged.source, logged.line))
        yield found if isinstance(found, Item) else Ungradable(identifier, found)


def item_of(row: object) -> Item:
    """One row as an item; ValueError says which field is wrong."""
    if not isinstance(row, dict):
        raise ValueError(f"an item must be an object, not {kind_of(row)}")
    found = TraceReader().read(row)
    if isinstance(found, str):
        raise ValueError(found)
    return _item(row, found, "")


def _without_notes(found: Iterator[Logged], on_note: Callable[[Problem], None]) -> Iterator[Logged]:
    for logged in found:
        if isinstance(logged.found, Problem) and logged.found.kind == "note":
            on_note(logged.found)
        else:
            yield logged


def _read(logged: Logged, number: int) -> tuple[Item | Problem, list[str]]:
    """The item of a row or what is wrong with it, and what is to be said of it besides."""
    if isinstance(logged.found, Problem):
        return logged.found, []
    row = logged.row if isinstance(logged.row, dict) else {}
    repairs = logged.repairs
    try:
        item = _item(row, logged.found, logged.name or str(number))
        if repairs and item.trace.answer is None and not item.trace.error:
            # Null may be what was written, but it may as well stand for the answer.
            raise ValueError("there is no answer that is a text")
    except ValueError as error:
        return Problem("bad_item", f"{error} ({repairs})" if repairs else str(error), logged.source, logged.line), []
    return item, [repairs] * bool(repairs) + _doubts(row, item)


def _item(row: Row, trace: Trace, otherwise: str) -> Item:
    """`otherwise` is the id of an item that has none of its own."""
    _check(row)
    identifier = _id_of(row) or trace.question_id or otherwise
    if not identifier or row.get("id") == "":
        raise ValueError("the item has no id")
    if trace.question is None:
        raise ValueError("the row has no question; `surefoot run --pipeline traces:FILE` takes it from a question set")
    references = _references(row)
    question = Question(
        id=identifier,
        text=trace.question,
        expects=_expects(row.get("expects"), references),
        stratum=_stratum(row.get("stratum")),
        gold_ids=_texts(row, "gold_ids") or _texts(row, "reference_context_ids"),
        gold_claims=tuple(text for text in references if not _declines(text)),
    )
    return Item(question, replace(trace, question_id=identifier, question=None))


def _check(row: Row) -> None:
    """A field that is no use would else pass for one that is not there."""
    question, answer, passages = row.get("question"), row.get("answer"), row.get("passages")
    if question is not None and not isinstance(question, str):
        raise ValueError(f"question must be a text, not {kind_of(question)}")
    if answer is not None and not isinstance(answer, (str, dict)):
        raise ValueError(f"answer must be a text, not {kind_of(answer)}")
    if passages is not None and not isinstance(passages, list):
        raise ValueError(f"passages must be a list of objects with id and text, not {kind_of(passages)}")
    _check_citations(row.get("citations"))


def _check_citations(value: object) -> None:
    for number, entry in enumerate(value if isinstance(value, list) else [value], 1):
        if isinstance(entry, dict) and not any(citations_in(entry) or ()):
            raise ValueError(f"citation {number} is an object without an id")
        if entry is not value and not isinstance(entry, (str, dict)) and type(entry) is not int:
            raise ValueError(f"citation {number} must be a text, not {kind_of(entry)}")
    if value is not None and not isinstance(value, (str, dict, list)):
        raise ValueError(f"citations must be a list, not {kind_of(value)}")


def _doubts(row: Row, item: Item) -> list[str]:
    citations = row.get("citations")
    found = []
    for entry in citations if isinstance(citations, list) else ():
        if type(entry) is int:
            found.append(f"the citation {quoted(entry)} is a number, read as a text")
        elif isinstance(entry, str) and not entry.strip():
            found.append("an empty citation was left out")
    ids = Counter(item.trace.names)
    found += [f"several passages have the id {quoted(i)} and are read as one" for i, n in ids.items() if n > 1]
    return found


def _id_in(logged: Logged) -> str | None:
    trace_id = logged.found.question_id if isinstance(logged.found, Trace) else None
    return _id_of(logged.row) or trace_id or None


def _id_of(row: object) -> str:
    value = row.get("id") if isinstance(row, dict) else None
    return value if isinstance(value, str) else scalar(value)


def _references(row: Row) -> tuple[str, ...]:
    """What the gold says, where a row tells it."""
    if "gold_claims" in row:
        return _texts(row, "gold_claims")
    value = next((row[key] for key in _REFERENCES if row.get(key)), None)
    values = value if isinstance(value, list) else [value]
    return tuple(text for text in values if isinstance(text, str) and text.strip())


def _declines(text: str) -> bool:
    return detect(text).value == "refused"


def _expects(value: object, references: tuple[str, ...]) -> Expects:
    if value is None:
        return "refusal" if references and all(map(_declines, references)) else "answer"
    if value == "answer" or value == "refusal":
        return value
    raise ValueError(f"expects must be 'answer' or 'refusal', not {quoted(value)}")


def _stratum(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if text := scalar(value):
        return text
    raise ValueError(f"stratum must be a text, not {kind_of(value)}")


def _texts(row: Row, field: str) -> tuple[str, ...]:
    value = row.get(field)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{field} must be a list of texts")
    return tuple(value)
