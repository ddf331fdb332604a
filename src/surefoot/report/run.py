"""What one run says: the buckets, the five axes, what to look into, and every answer."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from surefoot.core.table import ACCEPTABLE, BUCKETS
from surefoot.core.types import counted, plain
from surefoot.gate.metrics import UNGRADED
from surefoot.jobs.decision import unasked
from surefoot.jobs.overview import Judged, Overview, cause_of, headline, is_unsure, why_of
from surefoot.report.answers import (
    LONGEST_QUESTION,
    answer,
    answer_id,
    asked,
    bucket_of,
    chip,
    first_step,
    graded_by,
    listed,
    look_into,
    rests_on,
)
from surefoot.report.blocks import (
    TERMS,
    Bars,
    Block,
    Case,
    Headline,
    Items,
    Line,
    Paragraph,
    Report,
    Section,
    Span,
    Table,
    problem_section,
    share,
)


def report(found: Overview) -> Report:
    return Report(f"Surefoot run {found.name}", _summary(found), tuple(_body(found)))


def summary(found: Overview) -> Report:
    """The same without what takes long to read."""
    return replace(report(found), body=())


def _summary(found: Overview) -> tuple[Block, ...]:
    said = headline(found)
    return (
        Headline("", (Span(said[:1].upper() + said[1:], "strong"),)),
        Items([(Span("next:", "strong"), step) for step in _steps(found)]),
        Items(list(_background(found)), "quiet"),
    )


def _steps(found: Overview) -> list[str]:
    steps = first_step(found.faults) if found.graders else [f"grade it: surefoot grade {found.name}"]
    return [*unasked(found.problems), *steps]


def _background(found: Overview) -> Iterator[str]:
    yield f"run: {found.name}, {graded_by(found.graders)}"
    yield from rests_on(found.trust, found.failed_checks) if found.graders else ()


def _body(found: Overview) -> Iterator[Block]:
    bars = [("all", found.buckets), *((name or "(no stratum)", counts) for name, counts in found.by_stratum.items())]
    drawn = Bars(("stratum",), [("", [(name, counts) for name, counts in bars])])
    yield Section("Buckets", (drawn,))
    yield from look_into(found.faults, "Bad answers, and refusals where an answer is expected")
    if found.buckets[UNGRADED] < found.total:
        lacking = found.buckets[UNGRADED]
        left = f", also the {lacking} not graded, so these add up to less than 100 %" if lacking else ""
        of_all = f"Of all {counted(found.total, 'answer')}{left}. With 95 % intervals."
        yield Section("Shares", (Paragraph(of_all, "quiet"), _shares(found)))
    heads = ("axis", "values", "what it says")
    axes = [(axis, _values(values), TERMS.get(axis, "")) for axis, values in found.axes.items()]
    yield Section("Axes", (Table(heads, axes, on_paper=1),))
    yield _answers(found)
    yield from problem_section(found.problems)


def _shares(found: Overview) -> Table:
    rows = [(name or "all", *(share(shares[bucket]) for bucket in BUCKETS)) for name, shares in found.shares.items()]
    return Table(("stratum", *BUCKETS), rows)


def _values(values: dict[str, int]) -> str:
    return ", ".join(f"{value}: {count}" for value, count in sorted(values.items())) or "not judged"


def _answers(found: Overview) -> Section:
    worth = sum(one.said.bucket not in ACCEPTABLE for one in found.answers)
    cases = [_case(one) for one in found.answers]
    heads = ("id", "bucket", "stratum", "question", "why")
    shown = listed(heads, ("bucket", "sure", "look into", "stratum"), cases, worth)
    return Section(f"Answers ({found.total})", (shown,))


def _case(one: Judged) -> Case:
    said, question = one.said, one.question
    called = said.question_id if said.attempt == 1 else f"{said.question_id} (attempt {said.attempt})"
    asked_for = plain(question.text, LONGEST_QUESTION) if question else ""
    stratum = question.stratum if question else ""
    cause = cause_of(said, question)
    layer = cause.layer if cause else ""
    title: Line = (
        chip(said), asked_for, Span(" \u00b7 ".join(filter(None, (called, stratum, layer))), "quiet"),
    )  # fmt: skip
    cells = called, Span(bucket_of(said), "strong"), stratum, asked_for, why_of(said, question)
    kinds = bucket_of(said), "no" if is_unsure(said) else "yes", layer, stratum
    return Case(cells, title, (*asked(question), *answer(said, question, "answer:")), kinds,
                answer_id(said.question_id, said.attempt), said.bucket in ACCEPTABLE)  # fmt: skip
