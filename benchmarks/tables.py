"""Figures looked up in real tables, and the same gone wrong: how many answers are called what they are.

    python benchmarks/tables.py --data FOLDER [--limit 200] [--grader rules,local] [--gold]

FOLDER has qa.jsonl.gz, which is not part of this repository. Cells of tables that no training saw (heldout.py) become
questions, each with a right answer that cites its table and with wrong ones: the figure of another row or column,
another unit or scale, another sign. A third of the answers are nothing but the figure. A right answer is kept if it is
called correct, a wrong one caught if it is not. `--gold` tells the grader the right answer.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from heldout import Row, held_out, rows_of
from surefoot.core.types import Item, Passage, Question, Retrieved, Trace
from surefoot.graders.grader import JUDGES, FindingsGrader

KINDS = ("right", "another row", "another column", "another unit", "another sign")
SEED, MOST_OF_A_TABLE, LONGEST = 20261118, 5, 6_000
_FIGURE = re.compile(r"(?P<money>\$?) ?(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?) ?(?P<share>%?)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SCALE = re.compile(r"\b(thousand|million|billion)s\b|['’]?\b(000)s?\b", re.IGNORECASE)
_OF_ONE = re.compile(r"\bper\b|%|percent|number|shares|employees|years|ratio|rate", re.IGNORECASE)
_OTHER_SCALE = {"thousand": "million", "million": "thousand", "billion": "million"}


class Cell(Struct, frozen=True):
    """A positive figure of a table, with its row and column, and those beside it."""

    row: str
    column: str
    figure: re.Match[str]
    in_column: tuple[re.Match[str], ...]
    in_row: tuple[re.Match[str], ...]
    scale: str  # "" where the table says none

    def said(self, figure: re.Match[str], scale: str | None = None, sign: str = "") -> str:
        scale = self.scale if scale is None else scale
        return f"{sign}{figure['money']}{figure['digits']}{figure['share'] or (f' {scale}' if scale else '')}"


class Case(Struct, frozen=True):
    kind: str
    item: Item

    def is_right(self, bucket: str | None) -> bool:
        return (bucket == "correct") == (self.kind == "right")


def cells_of(table: str, lead: str) -> Iterator[Cell]:
    """Of a table with a heading over each column; rows of one name cannot be told apart and are left out."""
    lines = [[cell.strip() for cell in line.split("|")] for line in table.splitlines()]
    read = [[_FIGURE.fullmatch(cell) for cell in line] for line in lines]
    is_body = [any(one and not _YEAR.fullmatch(one["digits"]) for one in line[1:]) for line in read]
    first = is_body.index(True) if True in is_body else len(lines)
    width = len(lines[0])
    heads = [" ".join(filter(None, (line[at] for line in lines[:first]))) for at in range(width)]
    names, found = [line[0] for line in lines], _SCALE.search(f"{lead} {' '.join(heads)} {lines[0][0]}")
    for place in range(first, len(lines)):
        for at, figure in enumerate(read[place][1:], 1):
            name, head = names[place], heads[at]
            if figure is None or _YEAR.fullmatch(figure["digits"]) or names.count(name) > 1 or heads.count(head) > 1:
                continue
            if not re.search(r"[a-z]{3}", name):
                continue
            if not re.fullmatch(r"[\w ,.$'’-]{2,40}", head) or not float(figure["digits"].replace(",", "")):
                continue
            is_scaled = found and not figure["share"] and not _OF_ONE.search(f"{name} {head}")
            scale = (found[1] or "thousand").lower() if found and is_scaled else ""
            down = [line[at] for line in read[first:] if len(line) == width]
            yield Cell(name, head, figure, _others(figure, down), _others(figure, read[place][1:]), scale)


def _others(figure: re.Match[str], line: Sequence[re.Match[str] | None]) -> tuple[re.Match[str], ...]:
    """Figures of the same kind and another value."""
    return tuple(one for one in line if one and one["digits"] != figure["digits"] and one["share"] == figure["share"])


def wrong_ones(cell: Cell, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
    for kind, others in (("another row", cell.in_column), ("another column", cell.in_row)):
        if others:
            yield kind, cell.said(others[int(rng.integers(len(others)))])
    digits = cell.figure["digits"]
    unit = "%" if not cell.scale and not cell.figure["share"] else f" {_OTHER_SCALE.get(cell.scale, 'million')}"
    yield "another unit", f"{'' if unit == '%' else cell.figure['money']}{digits}{unit}"
    yield "another sign", cell.said(cell.figure, sign="-")


def cases(rows: Sequence[Row], limit: int, with_gold: bool = False) -> list[Case]:
    """Those of so many questions, always the same ones."""
    rng = np.random.default_rng(SEED)
    found: list[list[Case]] = []
    for number, (lead, table, other) in enumerate(_tables(rows)):
        known = list(cells_of(table, lead))
        for place in rng.permutation(len(known))[:MOST_OF_A_TABLE]:
            passages = Retrieved([Passage("t1", f"{lead}\n{table}"), Passage("p2", other)])
            found.append(list(_cases(f"{number}-{place}", known[place], passages, rng, with_gold)))
    chosen = rng.permutation(len(found))[:limit]
    return [case for place in sorted(chosen) for case in found[place]]


def _tables(rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    """Each table once, with the paragraph before it and one more."""
    found: dict[str, tuple[str, str, str]] = {}
    for row in rows:
        texts = row["passages"]
        for place, text in enumerate(texts):
            if row["source"] == "tatqa" and held_out(row) and text.count("|") > 3 and len(text) < LONGEST:
                lead = texts[place - 1] if place else ""
                found.setdefault(text, (lead[-600:], text, texts[-1] if place + 1 < len(texts) else texts[0]))
    return [found[text] for text in sorted(found)]


def _cases(name: str, cell: Cell, passages: Retrieved, rng: np.random.Generator, with_gold: bool) -> Iterator[Case]:
    is_bare = rng.random() < 1 / 3
    subject = f"{cell.row} {'in' if _YEAR.fullmatch(cell.column) else 'for'} {cell.column}"
    gold = (f"{subject} was {cell.said(cell.figure)}.",) if with_gold else ()
    question = Question(name, f"What was {subject}?", "answer", gold_claims=gold, gold_ids=("t1",) if gold else ())
    for kind, figure in [("right", cell.said(cell.figure)), *wrong_ones(cell, rng)]:
        answer = f"{figure} [t1]" if is_bare else f"{subject} was {figure} [t1]."
        yield Case(kind, Item(question, Trace(name, answer=answer, retrieved=passages)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder with qa.jsonl.gz")
    parser.add_argument("--limit", type=int, default=200, help="questions")
    parser.add_argument("--grader", default="rules,local", help="some of: " + ",".join(JUDGES))
    parser.add_argument("--gold", action="store_true", help="tell the right answer")
    given = parser.parse_args()
    chosen = cases(list(rows_of(given.data / "qa.jsonl.gz")), given.limit, given.gold)
    print(f"| grader | {' | '.join(KINDS)} |\n|{'---|' * (len(KINDS) + 1)}")
    for name in given.grader.split(","):
        graded = FindingsGrader(JUDGES[name]()).read([case.item for case in chosen])
        right = [case.is_right(one.bucket) for case, one in zip(chosen, graded, strict=True)]
        cells = []
        for kind in KINDS:
            own = [done for case, done in zip(chosen, right, strict=True) if case.kind == kind]
            cells.append(f"{sum(own)} of {len(own)}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
