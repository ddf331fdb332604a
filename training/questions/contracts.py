"""Claims and questions about contracts, from what lawyers marked in them (CUAD): a clause, its kind and its value."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from training.english.numbers import MONTHS, spelled
from training.files import Row, read_all
from training.questions.contract_wording import ASKED, PRESENCE, QUESTIONS, VALUES
from training.questions.passages import Nearest, window
from training.questions.rows import answers_row, support_row

_BREAK = re.compile(r"(?<=[.;:?!])\s+(?=[A-Z(\d\"“])")
_LONGEST_CLAUSE = 160
_WRITTEN_OUT = frozenset((*range(1, 11), 12, 14, 15, 18, 20, 24, 30, 45, 60, 90, 120, 180))  # in days, months or years
_NOT_ELSEWHERE = ("Document Name", "Parties", "Agreement Date", "Effective Date")  # said again all over a contract


class Contract(NamedTuple):
    pieces: list[str]
    starts: list[int]
    text: str
    near: Nearest

    def places(self, clause: str) -> set[int]:
        """The sentences that a marked clause covers."""
        clause = " ".join(clause.split())
        at = self.text.find(clause)
        if at < 0:
            return set()
        first, last = (bisect_right(self.starts, place) - 1 for place in (at, at + len(clause) - 1))
        return set(range(first, last + 1))


def read_contracts(data: Path, rows: list[Row]) -> Iterator[tuple[Contract, list[Row]]]:
    """Each contract with the rows about it."""
    of_contract: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        of_contract[row["doc_id"]].append(row)
    for document in read_all(data / "corpora" / "cuad.jsonl.gz"):
        if document["doc_id"] in of_contract:
            yield _contract(document["text"]), of_contract[document["doc_id"]]


def _contract(raw: str) -> Contract:
    text = " ".join(raw.split())
    starts = [0, *(match.end() for match in _BREAK.finditer(text))]
    pieces = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return Contract(pieces, starts, text, Nearest(pieces))


def _cores(contract: Contract, row: Row, most: int) -> list[set[int]]:
    """The sentences of the marked clauses that are found and not too long."""
    found: list[set[int]] = []
    for clause in row["gold_text"] if row["answerable"] else ():
        places = contract.places(clause)
        short = places and sum(len(contract.pieces[at].split()) for at in places) <= _LONGEST_CLAUSE
        if short and places not in found and len(clause.split()) > 1:
            found.append(places)
    return found[:most]


def _elsewhere(contract: Contract, row: Row, query: str, rng: Random) -> str | None:
    """A stretch of the contract near the query, without the marked clauses."""
    marked = {place for clause in row["gold_text"] for place in contract.places(clause)}
    if row["gold_text"] and not marked:
        return None
    ranked = [contract.pieces.index(piece) for piece in contract.near.ranked(query, 8)]
    free = [at for at in ranked if at not in marked and 6 < len(contract.pieces[at].split()) < 150][:4]
    if not free:
        return None
    at = rng.choice(free)
    before = max((place for place in marked if place < at), default=-1)
    after = min((place for place in marked if place > at), default=len(contract.pieces))
    return window(contract.pieces[before + 1 : after], [at - before - 1], rng)


def contract_support(data: Path, rows: list[Row], rng: Random) -> Iterator[Row]:
    values = _values_by_category(rows)
    for contract, asked in read_contracts(data, rows):
        for row in asked:
            if row["category"] in PRESENCE:
                yield from _presence(contract, row, rng)
            elif row["category"] in VALUES and row["answerable"] and row["gold_answer"]:
                yield from _value(contract, row, values, rng)


def _presence(contract: Contract, row: Row, rng: Random) -> Iterator[Row]:
    said, denied = PRESENCE[row["category"]]
    for core in _cores(contract, row, 3):
        for label, claims, kind, share in (("supported", said, "clause", 1.0), ("contradicted", denied, "denied", 0.8)):
            context = window(contract.pieces, core, rng)
            if context and rng.random() < share:
                yield support_row(context, rng.choice(claims), label, kind, row)
    if rng.random() < (0.5 if row["answerable"] else 0.25):
        claim = rng.choice(said if rng.random() < 0.7 else denied)
        context = _elsewhere(contract, row, f"{row['category']} {row['question']}", rng)
        if context:
            yield support_row(context, claim, "not_enough", "elsewhere", row)


def _value(contract: Contract, row: Row, values: dict[str, list[str]], rng: Random) -> Iterator[Row]:
    category, cores = row["category"], _cores(contract, row, 2)
    value = worded(category, row["gold_answer"][0], rng)
    if not cores or not value:
        return
    for core in [cores[0], cores[-1]]:
        context = window(contract.pieces, core, rng)
        if context and is_said(category, row["gold_answer"][0], context):
            yield support_row(context, rng.choice(VALUES[category]).format(value), "supported", "value", row)
            wrong = _wrong_value(category, row["gold_answer"][0], values[category], context, rng)
            if wrong:
                yield support_row(context, rng.choice(VALUES[category]).format(wrong), "contradicted", "value", row)
    context = _elsewhere(contract, row, f"{category} {row['question']}", rng)
    if context and category not in _NOT_ELSEWHERE and not is_said(category, row["gold_answer"][0], context):
        yield support_row(context, rng.choice(VALUES[category]).format(value), "not_enough", "elsewhere", row)


def _values_by_category(rows: list[Row]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["answerable"] and row["category"] in VALUES:
            values[row["category"]] += row["gold_answer"][:1]
    return values


def _wrong_value(category: str, own: str, values: list[str], context: str, rng: Random) -> str | None:
    """Another contract's value that this clause does not say."""
    for _ in range(10):
        other = rng.choice(values)
        text = worded(category, other, rng)
        differs = other.lower() not in own.lower() and own.lower() not in other.lower()
        if text and differs and not is_said(category, other, context):
            return text
    return None


def worded(category: str, value: str, rng: Random) -> str | None:
    """A value as a contract would word it; None when it is no value of its kind."""
    if category.endswith("Date"):
        date = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{2,4})", value.strip())
        if not date or not 1 <= int(date[1]) <= 12:
            return None
        month, year = MONTHS[int(date[1]) - 1], _full_year(date[3])
        return rng.choice((f"{month} {int(date[2])}, {year}", f"{int(date[2])} {month} {year}"))
    if category in ("Renewal Term", "Notice Period To Terminate Renewal"):
        period = re.fullmatch(r"(?:successive )?(\d+) (day|month|year)s?", value.strip().lower())
        if not period:
            return None
        number = rng.choice((period[1], _in_words(int(period[1]))))
        return f"{number} {period[2]}{'' if period[1] == '1' else 's'}"
    if category == "Governing Law":
        return value.strip() if re.fullmatch(r"[A-Z][A-Za-z .]{2,25}", value.strip()) else None
    return " ".join(value.split()).strip("; ") if len(value.split()) < 9 else None


def is_said(category: str, value: str, context: str) -> bool:
    """Does the context say the value in so many words?"""
    lowered = context.lower()
    date = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{2,4})", value.strip())
    if date and category.endswith("Date"):
        year, month = _full_year(date[3]), MONTHS[int(date[1]) - 1 if 1 <= int(date[1]) <= 12 else 0].lower()
        named = month in lowered and re.search(rf"\b0?{int(date[2])}(?:st|nd|rd|th)?\b", lowered) and year in lowered
        return bool(named) or value.strip() in lowered
    period = re.fullmatch(r"(?:successive )?(\d+) (day|month|year)s?", value.strip().lower())
    if period:
        number = rf"(?:{period[1]}|{_in_words(int(period[1]))})"
        return bool(re.search(rf"\b{number}\b.{{0,14}}\b{period[2]}", lowered)) or (
            period[1] == "1"
            and bool(re.search(rf"\b(?:a|an|each|every|additional) {period[2]}|{period[2]}[- ]to[- ]", lowered))
        )
    return " ".join(value.lower().split()) in lowered


def _in_words(number: int) -> str:
    return (spelled(number) if number in _WRITTEN_OUT else None) or str(number)


def _full_year(year: str) -> str:
    return year if len(year) == 4 else ("19" if int(year) > 60 else "20") + year.zfill(2)


def contract_answers(data: Path, rows: list[Row], rng: Random) -> Iterator[Row]:
    for contract, asked in read_contracts(data, rows):
        for row in asked:
            question = worded_question(row, rng)
            for core in _cores(contract, row, 2):
                context = window(contract.pieces, core, rng)
                if context:
                    yield answers_row(context, question, 1, "clause", row)
            allowed = row["category"] not in _NOT_ELSEWHERE and rng.random() < (0.75 if row["answerable"] else 0.5)
            other = _elsewhere(contract, row, f"{row['category']} {row['question']}", rng) if allowed else None
            if other:
                yield answers_row(other, question, 0, "elsewhere" if row["answerable"] else "unanswerable", row)


def worded_question(row: Row, rng: Random) -> str:
    """The category's question, mostly in words that a person would use."""
    natural = QUESTIONS.get(row["category"], ())
    _, _, spelled = row["question"].partition(": ")
    if natural and (rng.random() < 0.7 or not spelled.endswith("?")):
        return rng.choice(natural)
    return spelled if spelled.split()[0] in ASKED and rng.random() < 0.8 else str(row["question"])
