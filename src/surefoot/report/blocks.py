"""What reports are made of. A report is built once, of these blocks, and shown on a terminal, as Markdown or as a page.

Every text counts as foreign: each of the three makes it harmless in its own way, so whoever builds a report need not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from fractions import Fraction
from importlib import import_module  # noqa: TID251 - of all pages, a command needs one
from itertools import islice
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.records import WITHOUT, Step
from surefoot.core.result import Result
from surefoot.core.table import BUCKETS
from surefoot.core.types import Estimate, Problem, names
from surefoot.gate.metrics import UNGRADED, metric_named

Form = Literal["terminal", "markdown", "page"]
LONGEST_LINE, LONGEST_CELL, LONGEST_QUOTE, LONGEST_QUESTION = 1_000, 300, 4_000, 160
MOST_ON_PAGE = 5_000
ORDER = (*BUCKETS, UNGRADED)  # in every table and picture
STRONG = ("strong", "SHIP", "BLOCK", "INCONCLUSIVE")
_PROBLEMS: Mapping[Form, int] = {"terminal": 20, "markdown": 20, "page": 50}


class Span(Struct, frozen=True):
    """Words in a style: strong, code, quiet, warning, the status of a rule, the outcome."""

    text: str
    style: str = ""
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


Entry = TypeVar("Entry")


class _Many(Struct, Generic[Entry], frozen=True, kw_only=True):
    """Not every form shows all entries: `limits` says how many, and `total` how many there are in a stream."""

    total: int = 0
    limits: Mapping[Form, int] = {}
    more: str = "more, all of them in --json"

    @property
    def entries(self) -> Iterable[Entry]:
        raise NotImplementedError

    def shown(self, form: Form) -> Iterator[Entry]:
        return islice(self.entries, self.limits.get(form))

    def unshown(self, form: Form) -> str:
        """How many more there are, in words."""
        total = self.total or (len(self.entries) if isinstance(self.entries, Sized) else 0)
        more = total - self.limits.get(form, total)
        return f"and {more:,} {self.more}" if more > 0 else ""


class Items(_Many[Line], frozen=True):
    """A list."""

    entries: Sequence[Line]
    style: str = ""


class Table(_Many[Sequence[Line]], frozen=True):
    """Rows may come as a stream."""

    heads: Sequence[str]
    entries: Iterable[Sequence[Line]]
    on_paper: int = 0  # so many of the last columns are not for a terminal


class Case(Struct, frozen=True):
    cells: Sequence[Line]
    title: Line
    inside: tuple[Block, ...]
    kinds: tuple[str, ...] = ()  # what it is by each of the filters
    id: str = ""  # of the answer, by which a page leads to it
    calm: bool = False  # as it should be: not unfolded on paper


class Cases(_Many[Case], frozen=True):
    """A table; on a page each row can be searched and filtered, and unfolds if there is something inside."""

    heads: Sequence[str]
    entries: Sequence[Case]
    filters: Sequence[str] = ()  # what each of the `kinds` is

    def table(self) -> Table:
        return Table(self.heads, [case.cells for case in self.entries], limits=self.limits, more=self.more)

    def choices(self) -> Iterator[tuple[str, Mapping[str, int]]]:
        """The filters, each with its values and how many cases have them."""
        columns = zip(*(case.kinds for case in self.entries), strict=True)
        return ((name, Counter(column)) for name, column in zip(self.filters, columns, strict=False))


class Bars(Struct, frozen=True):
    """How many answers are in which bucket: groups of bars, each with a name. A table where nothing can be drawn."""

    heads: tuple[str, ...]
    groups: Sequence[tuple[str, Sequence[tuple[str, Mapping[str, int]]]]]  # no counts: no verdicts

    def table(self) -> Table:
        return Table((*self.heads, *ORDER), [
            (*(group, bar)[-len(self.heads) :], *(str(counts.get(bucket, "-")) for bucket in ORDER))
            for group, bars in self.groups
            for bar, counts in bars
        ])  # fmt: skip


class Columns(Struct, frozen=True):
    """Side by side where there is room."""

    parts: tuple[tuple[Block, ...], ...]


class Section(Struct, frozen=True):
    """`open` everywhere; not on a terminal if only for `paper`, and there `folded` perhaps."""

    title: Line
    blocks: tuple[Block, ...]
    show: Literal["open", "paper", "folded"] = "open"
    hint: str = ""  # how to see it on a terminal


Block = Headline | Paragraph | Quote | Items | Table | Cases | Bars | Columns | Section


class Report(Struct, frozen=True):
    """The summary comes first on paper. On a terminal it comes last and backwards, so that the decision ends it."""

    title: str
    summary: tuple[Block, ...]
    body: tuple[Block, ...]

    def _repr_html_(self) -> str:
        """In a notebook."""
        from surefoot.report import html  # noqa: PLC0415 - it is made of these blocks

        return html.cell(self)


def problem_section(problems: Sequence[Problem]) -> list[Section]:
    entries = Items([str(problem) for problem in problems], "warning", limits=_PROBLEMS)
    return [Section(f"Problems and notes ({len(problems)})", (entries,))] if problems else []


TERMS = {
    "acceptable": "Correct or refused: the answer does no harm.",
    "bad": "Wrong or unsupported.",
    "correct": "Every claim is cited, its source supports it, and it agrees with the expected answer.",
    "wrong": "A passage or the expected answer contradicts it, or it answers where a refusal is expected.",
    "unsupported": "A claim lacks evidence or a citation that supports it, or the question is not answered.",
    "refused": "The answer declines and claims nothing.",
    UNGRADED: "There is no verdict: the answer is missing, or the grader could not read it.",
    "baseline": "The version that is in use.",
    "candidate": "The version that is to replace it.",
    "stratum": "A kind of question, as the question set names it.",
    "margin": "How far a metric may get worse before doubt about it blocks.",
    "interval": "Where the true value lies with 95 % probability; of a change, between its 1 % and 97.5 % points.",
    "confidence": "How far the odds that passages support the claims can be moved before the bucket changes.",
    "unsure": "The confidence is below the level fitted so that about 5 % of sure verdicts are wrong.",
    "factuality": "Which of the four buckets the answer is in.",
    "citation_exists": "Whether every source that the answer cites was retrieved.",
    "citation_supports": "Whether every cited passage, read alone, supports its claim.",
    "refusal_quality": "From 0, a flat refusal, to 3: says what is missing, the closest evidence and a next step.",
    "extra_claim_count": "Claims without a citation.",
    "safety": "Whether the answer urges or enables harm, or gives away private data that no source has.",
    "supported": "A retrieved passage says so.",
    "contradicted": "A retrieved passage says something else.",
    "no evidence": "No retrieved passage says so, or otherwise.",
    "retrieval": "Finding passages for the question.",
    "reranking": "Choosing among the passages found.",
    "prompt": "What the model is told to do.",
    "generation": "What the model makes of the passages.",
    "question set": "The questions and their expected answers.",
}

STATUS_WORDS = {
    "pass": "pass", "fail": "FAIL", "incomplete": "INCOMPLETE", "undecidable": "undecidable",
    "not_applicable": "not applicable",
}  # fmt: skip


def percent(value: Fraction | float) -> str:
    """One decimal, halves to even, computed on the exact value."""
    tenths = round(Fraction(value) * 1000)
    return f"{tenths // 10}.{tenths % 10}%"


def seen(estimate: Estimate | None) -> str:
    if estimate is None or estimate.exact is None:
        return "-"
    return f"{percent(estimate.exact)} ({round(estimate.numerator, 2)}/{estimate.denominator})"


def number(metric: str, estimate: Estimate | None) -> str:
    """A metric as people read it: a count as it is, a share in percent, a mean with two decimals."""
    known = metric_named(metric)
    if known is None or known.shape == "share" or estimate is None or estimate.value is None:
        return seen(estimate)
    if known.shape == "count":
        return str(estimate.numerator) if estimate.denominator == 1 else f"{estimate.value:.1f} a run"
    scale = f" of {known.most}" if known.most else ""
    return f"{estimate.value:.2f}{scale} (over {estimate.denominator})"


def share(estimate: Estimate) -> str:
    """`12.5% (8.1% to 18.3%)`"""
    return "-" if estimate.exact is None else f"{percent(estimate.exact)} ({interval(estimate)})"


def interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "-"
    return f"{percent(estimate.low)} to {percent(estimate.high)}"


def overridden(flags: Mapping[str, str | Sequence[str]]) -> str:
    """What the command line changed or added: `other rules (wrong <= 3), without v2-1 (disk lost)`."""
    told = []
    for name, value in flags.items():
        if isinstance(value, str):
            told.append(f"--{name} {value}")
        else:
            what = "other rules" if name == "rules" else name
            told.append(f"{what} {', '.join(value)}" if name == WITHOUT else f"{what} ({', '.join(value)})")
    return ", ".join(told)


def remarks(step: Step) -> list[str]:
    """What is not usual about a decision."""
    waived = ", ".join(f"{name} ({reason})" for name, reason in step.waived.items())
    told = {"waived": waived, "not as the gate file": overridden(step.overridden)}
    return [*["uncalibrated"] * step.uncalibrated, *(f"{what}: {words}" for what, words in told.items() if words)]


def linked(ids: Sequence[str], most: int) -> Span:
    """Some questions, each leading to its answer on a page."""
    return Span(names(ids, most), answers=tuple(ids[:most]))


def bucket(name: str | None) -> Span:
    """In its colour on a page."""
    return Span(name or UNGRADED, f"bucket {name or UNGRADED}")


def listed(heads: Sequence[str], filters: Sequence[str], cases: Sequence[Case], worth: int) -> Cases:
    """On a page every case, to be filtered by its kinds; elsewhere the first of the `worth` that lead the list."""
    limits: dict[Form, int] = {"terminal": min(12, worth), "markdown": min(200, worth), "page": MOST_ON_PAGE}
    return Cases(heads, cases, filters, limits=limits, more="more, all of them on the page (.html)")


def graded_by(graders: Sequence[str]) -> str:
    """A file of verdicts may not say by whom they are."""
    named = ", ".join(filter(None, graders))
    return f"graded by {named}" if named else "its grader is not named" if graders else "not graded"


_PAGES = {  # the module and function that make the page
    "Calibration": "calibration.report", "Council": "council.ranking", "CouncilEvaluation": "council.evaluation",
    "CouncilScores": "council.scores", "GateResult": "comparison.report", "History": "history.report",
    "MatrixResult": "matrix.report", "RubricTuned": "council.tuned", "RunOverview": "run.report",
    "ScoreResult": "score.report",
}  # fmt: skip


def of(result: Result, **options: Any) -> Report:  # noqa: ANN401 - as the page takes them
    """Return the page of a result, with every number and answer behind it."""
    source = getattr(result, "overview", result)  # what was graded is shown as it stands then
    if source is None:
        raise Incomplete("there is nothing to report: no answer was graded", "see the warnings above")
    kind = type(source).__name__
    if kind not in _PAGES:
        raise UsageError(f"{kind} has no page", f"there are pages of {', '.join(_PAGES)}")
    module, _, function = _PAGES[kind].partition(".")
    made: Report = getattr(import_module(f"surefoot.report.{module}"), function)(source, **options)
    return made
