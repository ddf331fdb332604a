"""What reports are made of. A report is built once, of these blocks, and shown on a terminal, as Markdown or as a page.

Every text counts as foreign: each of the three makes it harmless in its own way, so whoever builds a report need not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Literal

from msgspec import Struct

from surefoot.gate.metrics import UNGRADED
from surefoot.gate.rules import Change
from surefoot.table import BUCKETS
from surefoot.types import Estimate, Problem

Form = Literal["terminal", "markdown", "page"]
LONGEST_LINE, LONGEST_CELL, LONGEST_QUOTE = 1_000, 300, 4_000
ORDER = (*BUCKETS, UNGRADED)  # in every table and picture
STRONG = ("strong", "SHIP", "BLOCK", "INCONCLUSIVE")
_PROBLEMS: Mapping[Form, int] = {"terminal": 20, "markdown": 20, "page": 50}


class Span(Struct, frozen=True):
    """Words in a style: strong, code, quiet, warning, the status of a rule, the outcome, agree or disagree."""

    text: str
    style: str = ""
    change: Change | None = None  # drawn beside it on a page: the interval, zero and the margin
    share: float = 0.0  # how dark its ground is on a page
    link: str = ""  # where it leads on a page that is served; never made of foreign text alone
    answers: tuple[str, ...] = ()  # with which the text begins: a page leads to each


Line = str | Span | tuple[str | Span, ...]


def spans(line: Line) -> tuple[Span, ...]:
    """The parts of a line, which a space separates; none of them is empty."""
    parts = line if isinstance(line, tuple) else (line,)
    found = (Span(part) if isinstance(part, str) else part for part in parts)
    return tuple(span for span in found if span.text)


class Headline(Struct, frozen=True):
    """What whoever ships has to know."""

    outcome: str  # SHIP, BLOCK or INCONCLUSIVE; a calibration has none
    lines: tuple[Line, ...]

    def spoken(self) -> tuple[Line, ...]:
        """The outcome leads."""
        if not self.outcome:
            return self.lines
        return ((Span(self.outcome, self.outcome), "-", *spans(self.lines[0])), *self.lines[1:])


class Paragraph(Struct, frozen=True):
    line: Line
    style: str = ""


class Quote(Struct, frozen=True):
    """A text with its line breaks. On a page the words from `start` to `end` are marked."""

    text: str
    start: int = 0
    end: int = 0
    style: str = ""  # of the marked words: supported or contradicted

    def pieces(self) -> tuple[str, str, str]:
        """What comes before the marked words, those, and what follows."""
        return self.text[: self.start], self.text[self.start : self.end], self.text[self.end :]


class _Many(Struct, frozen=True, kw_only=True):
    """Not every form shows all entries: `limits` says how many, and `total` how many there are."""

    total: int = 0
    limits: Mapping[Form, int] = {}
    more: str = "more, all of them in --json"

    def unshown(self, form: Form) -> str:
        """How many more there are, in words."""
        more = self.total - self.limits.get(form, self.total)
        return f"and {more:,} {self.more}" if more > 0 else ""


class Items(_Many, frozen=True):
    """A list."""

    entries: Sequence[Line]
    style: str = ""

    def shown(self, form: Form) -> Iterator[Line]:
        return islice(self.entries, self.limits.get(form))


class Table(_Many, frozen=True):
    """Rows may come as a stream."""

    heads: Sequence[str]
    entries: Iterable[Sequence[Line]]
    on_paper: int = 0  # so many of the last columns are not for a terminal

    def shown(self, form: Form) -> Iterator[Sequence[Line]]:
        return islice(self.entries, self.limits.get(form))


class Case(Struct, frozen=True):
    cells: Sequence[Line]
    title: Line
    inside: tuple[Block, ...]
    kinds: tuple[str, ...] = ()  # what it is by each of the filters
    id: str = ""  # of the answer, by which a page leads to it
    calm: bool = False  # as it should be: not unfolded on paper


class Cases(_Many, frozen=True):
    """A table; on a page each row can be searched and filtered, and unfolds if there is something inside."""

    heads: Sequence[str]
    entries: Sequence[Case] | Iterable[Case]
    filters: tuple[tuple[str, Mapping[str, int]], ...] = ()  # each with its values and how many cases have them

    def shown(self, form: Form) -> Iterator[Case]:
        return islice(self.entries, self.limits.get(form))

    def table(self) -> Table:
        rows = (case.cells for case in self.entries)
        return Table(self.heads, rows, total=self.total, limits=self.limits, more=self.more)


class Bars(Struct, frozen=True):
    """How many answers are in which bucket: groups of bars, each with a name. A table where nothing can be drawn."""

    heads: tuple[str, ...]
    groups: Sequence[tuple[str, Sequence[tuple[str, Mapping[str, int]]]]]  # no counts: no verdicts

    def table(self) -> Table:
        rows = [
            ((group, bar)[-len(self.heads) :], [str(counts.get(bucket, "-")) for bucket in ORDER])
            for group, bars in self.groups
            for bar, counts in bars
        ]
        return Table((*self.heads, *ORDER), [(*names, *counts) for names, counts in rows])


class Flow(Struct, frozen=True):
    """How many answers went from which bucket to which: a picture on a page, else a table."""

    counts: Mapping[tuple[str, str], int]

    def table(self) -> Table:
        columns = [bucket for bucket in ORDER if any(bucket in pair for pair in self.counts)]
        rows = [(before, *(str(self.counts.get((before, after), 0)) for after in columns)) for before in columns]
        return Table(("from / to", *columns), rows)


class Trend(Struct, frozen=True):
    """The share of each bucket over time, with intervals: a picture on a page, else the table of its numbers."""

    names: Sequence[str]
    shares: Mapping[str, Sequence[Estimate]]  # by bucket, one for each name
    numbers: Table


class NumberLine(Struct, frozen=True):
    """A change with its interval, against the limit of a rule and its margin."""

    name: Line
    words: str
    low: float
    value: float
    high: float
    limit: float
    edge: float  # of the margin, on the worse side of the limit
    is_known: bool = True  # else there is nothing to draw

    @property
    def is_exact(self) -> bool:
        return self.low == self.high

    def ends(self) -> tuple[float, float]:
        """Of the line that is drawn, with some room at either side."""
        least, most = min(self.low, self.limit, self.edge, 0.0), max(self.high, self.limit, self.edge, 0.0)
        room = 0.08 * (most - least) or 1.0
        return least - room, most + room

    def at(self, value: float) -> float:
        """Where a value lies on the line, in percent."""
        start, end = self.ends()
        return 100 * (value - start) / (end - start)


class NumberLines(Struct, frozen=True):
    entries: Sequence[NumberLine]

    def items(self) -> Items:
        return Items([(*spans(one.name), f"- {one.words}") for one in self.entries])


class Columns(Struct, frozen=True):
    """Side by side where there is room."""

    parts: tuple[tuple[Block, ...], ...]


class Section(Struct, frozen=True):
    """`open` everywhere; not on a terminal if only for `paper`, and there `folded` perhaps."""

    title: Line
    blocks: tuple[Block, ...]
    show: Literal["open", "paper", "folded"] = "open"
    hint: str = ""  # how to see it on a terminal


Block = Headline | Paragraph | Quote | Items | Table | Cases | Bars | Flow | Trend | NumberLines | Columns | Section


class Report(Struct, frozen=True):
    """The summary comes first on paper. On a terminal it comes last and backwards, so that the decision ends it."""

    title: str
    summary: tuple[Block, ...]
    body: tuple[Block, ...]

    def _repr_html_(self) -> str:
        """In a notebook."""
        from surefoot.report import notebook  # noqa: PLC0415 - it is made of these blocks

        return notebook.cell(self)


def problem_section(problems: Sequence[Problem]) -> list[Section]:
    entries = Items([str(problem) for problem in problems], "warning", total=len(problems), limits=_PROBLEMS)
    return [Section(f"Problems and notes ({len(problems)})", (entries,))] if problems else []
