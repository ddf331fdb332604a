"""Items to grade: a question, the passages retrieved for it, and an answer, in one row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from surefoot.importers import sources
from surefoot.importers.jsontext import Repaired
from surefoot.importers.values import citations_in, error_in, kind_of, passages_in, scalar
from surefoot.types import Expects, Item, Problem, Question, Retrieved, Trace


def load_items(path: str | Path) -> Iterator[Item | Problem]:
    """Items in the order of the file; a row that is none becomes a Problem with its line."""
    for block in sources.blocks_from([path]):
        for line, value in zip(*block.rows(), strict=True):
            row = value.value if isinstance(value, Repaired) else value
            if isinstance(row, Problem):
                if row.kind != "note":
                    yield row
                continue
            try:
                yield item_of(row)
            except ValueError as error:
                yield Problem(_id_of(row), str(error), block.source, line)


def item_of(row: object) -> Item:
    """One row as an item; ValueError says which field is wrong."""
    if not isinstance(row, dict):
        raise ValueError(f"an item must be an object, not {kind_of(row)}")
    identifier = _id_of(row)
    if not identifier:
        raise ValueError("the item has no id")
    text = row.get("question")
    if not isinstance(text, str):
        raise ValueError("question must be a text")
    question = Question(
        id=identifier,
        text=text,
        expects=_expects(row.get("expects")),
        stratum=str(row.get("stratum") or ""),
        gold_ids=_texts(row, "gold_ids"),
        gold_claims=_texts(row, "gold_claims"),
    )
    return Item(question, _trace(identifier, row))


def _trace(identifier: str, row: dict[str, object]) -> Trace:
    answer, passages = row.get("answer"), row.get("passages")
    if answer is not None and not isinstance(answer, str):
        raise ValueError(f"answer must be a text, not {kind_of(answer)}")
    retrieved = passages_in(passages)
    if passages is not None and (retrieved is None or not all(p.id and p.text for p in retrieved)):
        raise ValueError("passages must be a list of objects with id and text")
    citations = row.get("citations")
    cited = citations_in(citations)
    if citations is not None and cited is None:
        raise ValueError(f"citations must be a list, not {kind_of(citations)}")
    return Trace(
        question_id=identifier,
        answer=answer,
        retrieved=retrieved or Retrieved(),
        citations=cited,
        error=error_in(row.get("error")),
    )


def _id_of(row: object) -> str:
    value = row.get("id") if isinstance(row, dict) else None
    return value if isinstance(value, str) else scalar(value)


def _expects(value: object) -> Expects:
    if value is None or value == "answer":
        return "answer"
    if value == "refusal":
        return "refusal"
    raise ValueError(f"expects must be 'answer' or 'refusal', not {value!r}")


def _texts(row: dict[str, object], field: str) -> tuple[str, ...]:
    value = row.get(field)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{field} must be a list of texts")
    return tuple(value)
