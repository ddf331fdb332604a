"""Items to grade: a question, the passages retrieved for it, and an answer, in one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from surefoot.importers import sources
from surefoot.importers.jsontext import Repaired
from surefoot.importers.values import citations_in, error_in, kind_of, passages_in, scalar
from surefoot.importers.verdicts import TOO_LONG, quoted
from surefoot.types import Expects, Item, Passage, Problem, Question, Retrieved, Trace


class Ungradable(Struct, frozen=True):
    """A row that cannot be graded: its id, if it has one, and why."""

    id: str | None
    problem: Problem


def load_items(path: str | Path, on_note: Callable[[Problem], None] = lambda _: None) -> Iterator[Item | Ungradable]:
    """One for each row of the file, in its order. What was used with a doubt goes to `on_note`."""
    first_lines: dict[str, int] = {}
    for block in sources.blocks_from([path]):
        for line, value in zip(*block.rows(), strict=True):
            if isinstance(value, Problem):
                if value.kind == "note":
                    on_note(value)
                else:
                    yield Ungradable(None, value)
                continue
            found, notes = _read(value)
            identifier = found.question.id if isinstance(found, Item) else _id_of(_row(value)) or None
            if identifier in first_lines:
                notes.append(f"the id {quoted(identifier)} is that of line {first_lines[identifier]} as well")
            elif identifier is not None:
                first_lines[identifier] = line
            for note in notes:
                on_note(Problem("note", note, block.source, line))
            if isinstance(found, Item):
                yield found
            else:
                yield Ungradable(identifier, Problem("bad_item", found, block.source, line))


def item_of(row: object) -> Item:
    """One row as an item; ValueError says which field is wrong."""
    if not isinstance(row, dict):
        raise ValueError(f"an item must be an object, not {kind_of(row)}")
    identifier = _id_of(row)
    if not identifier:
        raise ValueError("the item has no id")
    text = row.get("question")
    if not isinstance(text, str):
        raise ValueError(f"question must be a text, not {kind_of(text)}")
    question = Question(
        id=identifier,
        text=text,
        expects=_expects(row.get("expects")),
        stratum=_stratum(row.get("stratum")),
        gold_ids=_texts(row, "gold_ids"),
        gold_claims=_texts(row, "gold_claims"),
    )
    return Item(question, _trace(identifier, row))


def _row(value: object) -> object:
    return value.value if isinstance(value, Repaired) else value


def _read(value: object) -> tuple[Item | str, list[str]]:
    """The item of a row or what is wrong with it, and what is to be said of it besides."""
    repairs = (value.repairs or TOO_LONG) if isinstance(value, Repaired) else ""
    row = _row(value)
    try:
        item = item_of(row)
    except ValueError as error:
        return f"{error} ({repairs})" if repairs else str(error), []
    if repairs and item.trace.answer is None and not item.trace.error:
        # Null may be what was written, but it may as well stand for the answer.
        return f"there is no answer that is a text ({repairs})", []
    return item, [repairs] * bool(repairs) + _doubts(row, item)


def _doubts(row: object, item: Item) -> list[str]:
    citations = row.get("citations") if isinstance(row, dict) else None
    found = []
    for entry in citations if isinstance(citations, list) else ():
        if type(entry) is int:
            found.append(f"the citation {quoted(entry)} is a number, read as a text")
        elif isinstance(entry, str) and not entry.strip():
            found.append("an empty citation was left out")
    ids = Counter(passage.id for passage in item.trace.retrieved or ())
    found += [f"several passages have the id {quoted(i)}" for i, count in ids.items() if count > 1]
    return found


def _trace(identifier: str, row: dict[str, object]) -> Trace:
    answer = row.get("answer")
    if answer is not None and not isinstance(answer, str):
        raise ValueError(f"answer must be a text, not {kind_of(answer)}")
    return Trace(
        question_id=identifier,
        answer=answer,
        retrieved=_passages(row.get("passages")),
        citations=_citations(row.get("citations")),
        error=error_in(row.get("error")),
    )


def _passages(value: object) -> Retrieved:
    found = passages_in(value)
    if value is not None and found is None:
        raise ValueError(f"passages must be a list of objects with id and text, not {kind_of(value)}")
    for number, passage in enumerate(found or (), 1):
        if lacking := _lacking(passage):
            raise ValueError(f"passages must be a list of objects with id and text: number {number} has no {lacking}")
    return found or Retrieved()


def _lacking(passage: Passage) -> str:
    return "" if passage.id and passage.text else "text" if passage.id else "id that can be used"


def _citations(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    entries = value if isinstance(value, list) else [value]
    for number, entry in enumerate(entries, 1):
        if isinstance(entry, dict) and not any(citations_in(entry) or ()):
            raise ValueError(f"citation {number} is an object without an id")
        if not isinstance(entry, (str, dict)) and (type(entry) is not int or entry is value):
            what = "citations must be a list" if entry is value else f"citation {number} must be a text"
            raise ValueError(f"{what}, not {kind_of(entry)}")
    return citations_in(value)


def _id_of(row: object) -> str:
    value = row.get("id") if isinstance(row, dict) else None
    return value if isinstance(value, str) else scalar(value)


def _expects(value: object) -> Expects:
    if value is None or value == "answer":
        return "answer"
    if value == "refusal":
        return "refusal"
    raise ValueError(f"expects must be 'answer' or 'refusal', not {quoted(value)}")


def _stratum(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if text := scalar(value):
        return text
    raise ValueError(f"stratum must be a text, not {kind_of(value)}")


def _texts(row: dict[str, object], field: str) -> tuple[str, ...]:
    value = row.get(field)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{field} must be a list of texts")
    return tuple(value)
