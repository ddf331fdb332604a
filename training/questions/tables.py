"""Claims and questions on tables with the text around them (TAT-QA)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from training.english.numbers import FIGURE
from training.files import Row
from training.questions.declarative import render
from training.questions.edited import other_number
from training.questions.passages import LIMIT, holds, holds_any, plain, sentences, window
from training.questions.rows import Library, answers_row, support_row
from training.questions.spans import changed_number

_NUMBER = re.compile(FIGURE)


def _gold_text(row: Row) -> str:
    return "\n".join(row["passages"][at] for at in row["gold_passage_ids"] or ())


def _windowed(row: Row, needles: list[str], rng: Random) -> str | None:
    """Text and table around the rows that hold the answer; the head of a table stays."""
    pieces = list(sentences(_gold_text(row)))
    if sum(len(piece.split()) for piece in pieces) <= LIMIT:
        return "\n".join(pieces) or None
    core = [at for at, piece in enumerate(pieces) if holds_any(piece, needles)]
    if not core:
        return None
    head = [piece for piece in pieces[:3] if " | " in piece][:2]
    size = sum(len(piece.split()) for piece in head)
    body = window(pieces, core[:1], rng, LIMIT - size)
    return body and "\n".join([*(piece for piece in head if piece not in body), body])


def table_support(row: Row, rng: Random) -> Iterator[Row]:
    golds = [gold.strip().rstrip(".") for gold in row["gold_answer"]]
    if row["answer_type"] == "arithmetic":
        yield from _simple_arithmetic(row, golds, rng)
    if row["answer_type"] not in ("span", "multi-span") or not golds or len(" ".join(golds).split()) > 30:
        return
    numbers = _NUMBER.findall(golds[0]) if len(golds) == 1 else []
    context = _windowed(row, numbers[:1] or golds, rng)
    if not context or not all(holds(context, needle) for needle in (numbers or golds)):
        return
    answer = golds[0] if len(golds) == 1 else ", ".join(golds[:-1]) + " and " + golds[-1]
    yield support_row(context, render(row["question"], answer, rng), "supported", "gold", row)
    for wrong in _wrong_cells(context, golds[0], row["question"], rng) if len(numbers) == 1 else ():
        yield support_row(context, render(row["question"], wrong, rng), "contradicted", "other-cell", row)
    moved = other_number(row["question"], _gold_text(row), rng)
    if moved and numbers:
        yield support_row(context, render(moved, answer, rng), "not_enough", "other-year", row)


def _wrong_cells(context: str, answer: str, question: str, rng: Random) -> list[str]:
    """The answer with a number of its own row, and with one of its own column."""
    own = _NUMBER.findall(answer)[0]
    lines = [line.split(" | ") for line in context.split("\n") if " | " in line]
    place = next(
        ((r, c) for r, line in enumerate(lines) for c, cell in enumerate(line) if own in _NUMBER.findall(cell)), None
    )
    if place is None:
        return []
    row, column = place
    beside_it = [cell for at, cell in enumerate(lines[row]) if at not in (0, column)]
    below = [line[column] for at, line in enumerate(lines) if at != row and at > 0 and len(line) > column]
    wrong = []
    for cells in (beside_it, below):
        found = [number for cell in cells for number in _NUMBER.findall(cell)[:1]]
        usable = [number for number in found if _same_form(number, own) and plain(number) not in plain(question)]
        if usable:
            wrong.append(answer.replace(own, rng.choice(usable), 1))
    return wrong


def _same_form(number: str, own: str) -> bool:
    is_year = re.compile(r"(?:19|20)\d\d").fullmatch
    return number != own and bool(is_year(number)) == bool(is_year(own))


def _simple_arithmetic(row: Row, golds: list[str], rng: Random) -> Iterator[Row]:
    """A change from one cell of a row to another, and nothing harder."""
    text, found = _gold_text(row), _NUMBER.search(golds[0]) if golds else None
    if not found or "percent" in golds[0] or not re.search(r"\b(?:change|difference|increase)\b", row["question"]):
        return
    value = float(found.group().replace(",", ""))
    for line in text.split("\n"):
        cells = [float(number.replace(",", "")) for number in _NUMBER.findall(line.partition(" | ")[2])]
        gaps = {round(abs(one - other), 2) for one in cells for other in cells if one != other}
        if len(cells) >= 2 and round(value, 2) in gaps:
            context = _windowed(row, [line], rng)
            if context and line.strip() in context:
                yield support_row(context, render(row["question"], golds[0], rng), "supported", "difference", row)
                wrong = changed_number(golds[0], rng, context)
                if wrong:
                    yield support_row(context, render(row["question"], wrong, rng), "contradicted", "difference", row)
            return


def table_answers(row: Row, library: Library, rng: Random) -> Iterator[Row]:
    needles = _NUMBER.findall(" ".join(row["gold_answer"])) or row["gold_answer"]
    context = _windowed(row, needles, rng)
    if not context:
        return
    whole = len(context.split()) >= len(_gold_text(row).split())
    if whole or (row["answer_type"] in ("span", "multi-span") and holds_any(context, needles)):
        yield answers_row(context, row["question"], 1, "gold", row)
    moved = other_number(row["question"], _gold_text(row), rng)
    if moved:
        yield answers_row(context, moved, 0, "edited-number", row)
    near = library.near(row, rng, [number for number in needles if len(number) > 3])
    lines = sentences(near) if near else ()
    other = window(lines, [rng.randrange(len(lines))], rng) if lines else None
    if other and len(other.split()) > 25 and near not in row["passages"]:
        yield answers_row(other, row["question"], 0, "near", row)
