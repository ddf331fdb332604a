"""Training pairs for both heads from questions that people asked and answered.

`support_rows` gives (context, claim, label): an answered question becomes a claim, another answer of the same kind a
contradicted one, a passage without the answer one that does not decide. `answers_rows` gives (context, question, 0/1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from training.files import Row, read_usable
from training.questions.answers import Policies, dialogue_answers, long_answers, span_answers, unanswerable
from training.questions.contracts import contract_answers, contract_support
from training.questions.edited import NameBank
from training.questions.rows import Library
from training.questions.support import (
    long_support,
    plausible_support,
    policy_support,
    response_support,
    short_answer_support,
    span_support,
)
from training.questions.tables import table_answers, table_support

_SPANS = ("squad2", "squad_shifts")
_LARGEST = "squad_shifts"
_LABEL_SHARES = {"supported": 0.45, "wrong": 0.35, "not_enough": 0.2}
_POSITIVE_SHARE = 0.45
_MOST_ROWS = 58_000


def support_rows(data: Path, rng: Random) -> Iterator[Row]:
    """Claims with contexts and labels, balanced by label, no source above two fifths."""
    rows = _by_source(data)
    made = list(_support(data, rows, rng))
    yield from _balanced(made, _label_class, _LABEL_SHARES, 0.4, rng)


def _support(data: Path, rows: dict[str, list[Row]], rng: Random) -> Iterator[Row]:
    for source in _SPANS:
        library = Library(rows[source])
        passes = 1 if source == _LARGEST else 2  # other wordings, windows and wrong answers
        for row in [row for row in rows[source] for _ in range(passes)]:
            yield from span_support(row, library, rng) if row["answerable"] else plausible_support(row, rng)
    policies = Library(rows["policyqa"])
    for row in rows["policyqa"]:
        yield from policy_support(row, policies, rng)
    for row in rows["tatqa"]:
        yield from table_support(row, rng)
    answered = [row for row in rows["clapnq"] if row["answerable"]]
    for row in answered:
        yield from long_support(row, answered, rng)
    yield from contract_support(data, rows["cuad"], rng)
    yield from response_support(data, rng)
    yield from short_answer_support(data, rng)


def answers_rows(data: Path, rng: Random) -> Iterator[Row]:
    """Questions with contexts that answer them (1) or do not (0)."""
    rows = _by_source(data)
    made = list(_answers(data, rows, rng))
    shares = {"yes": _POSITIVE_SHARE, "no": 1 - _POSITIVE_SHARE}
    yield from _balanced(made, lambda row: "yes" if row["answers"] else "no", shares, 0.5, rng)


def _answers(data: Path, rows: dict[str, list[Row]], rng: Random) -> Iterator[Row]:
    names = NameBank(row["question"] for source in _SPANS for row in rows[source])
    for source in _SPANS:
        library = Library(rows[source])
        for row in rows[source]:
            yield from span_answers(row, library, names, rng) if row["answerable"] else unanswerable(row, rng)
    policies = Policies(rows["policyqa"])
    for row in rows["policyqa"]:
        yield from policies.answers(row, rng)
    tables = Library(rows["tatqa"])
    for row in rows["tatqa"]:
        yield from table_answers(row, tables, rng)
    for row in rows["clapnq"]:
        yield from long_answers(row, rng) if row["answerable"] else unanswerable(row, rng)
    yield from dialogue_answers(rows["mtragun"], Library(rows["mtragun"]), rng)
    yield from contract_answers(data, rows["cuad"], rng)


def _by_source(data: Path) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = defaultdict(list)
    for row in read_usable(data / "qa.jsonl.gz"):
        rows[row["source"]].append(row)
    return rows


def _label_class(row: Row) -> str:
    return "wrong" if row["label"] in ("contradicted", "unsupported") else str(row["label"])


def _balanced(
    rows: list[Row], class_of: Callable[[Row], str], shares: dict[str, float], largest: float, rng: Random
) -> Iterator[Row]:
    """As many rows as the rarest class allows; what is dropped comes from the largest source."""
    rows = list({(row["context"], row.get("claim") or row["question"]): row for row in rows}.values())
    rng.shuffle(rows)
    by_class: dict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: bool(row["source"] == _LARGEST)):
        by_class[class_of(row)].append(row)
    total = min(_MOST_ROWS, *(len(by_class[name]) / share for name, share in shares.items()))
    kept = rows
    while kept and (kept is rows or _share_of_largest(kept) > largest):
        kept = [row for name, share in shares.items() for row in by_class[name][: round(total * share)]]
        total *= 0.98
    rng.shuffle(kept)
    yield from kept


def _share_of_largest(rows: list[Row]) -> float:
    return sum(bool(row["source"] == _LARGEST) for row in rows) / len(rows)
