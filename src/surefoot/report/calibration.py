"""What a calibration says: how far labels bear a grader out, and where the two differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from surefoot.core.records import whose_by_name
from surefoot.core.types import counted, in_plain_words
from surefoot.gate.calibrate import AxisCalibration, Calibration, Differing, in_percent
from surefoot.gate.sides import BUCKET_AXIS
from surefoot.report import blocks
from surefoot.report.blocks import Block, Headline, Items, Line, Paragraph, Quote, Report, Section, Span, Table

_SHOWN, _ON_PAPER = 3, 50  # answers on which grader and people differ
_MOST_CITED = 5


def report(found: Calibration, *, details: bool = False) -> Report:
    """`details` opens what a terminal leaves out otherwise."""
    parts: list[Block] = [Headline("", tuple(filter(None, (found.headline, title(found)))))]
    first, others = found.axes.get(BUCKET_AXIS), {k: axis for k, axis in found.axes.items() if k != BUCKET_AXIS}
    untold = [f"{name}: {axis.reason}" for name, axis in found.axes.items() if axis.reason not in found.headline]
    parts.append(Items([*untold, *found.notes], "quiet"))
    if first is not None:
        parts.append(Section("What people say of the answers with each verdict", tuple(_axis(first))))
    if found.alone:
        right = f"; {in_percent(found.alone.right)} of them are right" if found.alone.right else ""
        sure = f"The grader is sure of {blocks.percent(found.alone.share)} of the answers{right}."
        parts.append(Section("What the grader decides alone", (Paragraph(sure),)))
    if found.differ:
        about = f"Where grader and people differ: {counted(len(found.differ), 'answer')}, the surest verdicts first"
        parts.append(Section(about, tuple(_differing(found.differ[:_SHOWN]))))
    if more := found.differ[_SHOWN:_ON_PAPER]:
        hint = f"{len(found.differ) - _SHOWN} more: --report FILE, or --json"
        parts.append(Section(f"{len(more)} more of them", tuple(_differing(more)), "paper", hint))
    parts += blocks.problem_section(found.problems)
    if others:
        inside = tuple(Section(name, tuple(_axis(axis))) for name, axis in others.items())
        parts.append(Section("Other axes", inside, "open" if details else "folded", "The other axes: --details"))
    return Report("Surefoot calibration", (), tuple(parts))


def title(found: Calibration) -> str:
    by_axis = ", ".join(f"{counted(axis.n, 'label')} on {name}" for name, axis in found.axes.items())
    what = f"{counted(found.labels, 'answer')} labelled" if found.labels or not by_axis else by_axis
    on = f" of {' and '.join(found.runs)}" if len(found.runs) > 1 else ""
    return f"{found.grader or 'a grader without a name'}: {what}{on} by {whose_by_name(found.annotators)}"


def _axis(axis: AxisCalibration) -> Iterator[Block]:
    """Show the table, and what each bucket's share is by the grader and by people."""
    if axis.table:
        labels = list(next(iter(axis.table.values())))
        rows: list[Sequence[Line]] = [
            (verdict, *(Span(str(row.get(label, 0)), "strong" * (verdict == label)) for label in labels), str(total))
            for verdict, total in axis.answers.items()
            for row in (axis.table.get(verdict, {}),)
        ]
        yield Table(("graded", *(f"people: {label}" for label in labels), "answers in all"), rows)
    if axis.buckets:
        heads = ("bucket", "by the grader", "by people (95% interval)", "sensitivity", "specificity")
        yield Table(heads, [
            (name, blocks.percent(one.graded), *("-" if share is None else in_percent(share)
                                          for share in (one.rate, one.sensitivity, one.specificity)))
            for name, one in axis.buckets.items()
        ])  # fmt: skip
    told = [f"{counted(axis.n, 'label')} by {axis.labelled_by}, in every run that gave the answer"] if axis.n else []
    if axis.agreement:
        told.append(f"agreement, weighted to all answers: {in_percent(axis.agreement)}")
        told += [f"Cohen's kappa: {axis.kappa:z.2f}"] if axis.kappa is not None else []
    if axis.mean_label is not None:
        told.append(
            f"mean of the labels {axis.mean_label:.2f}, of the verdicts on the same answers {axis.mean_verdict:.2f}"
        )
    yield Items(told)


def _differing(differ: Sequence[Differing]) -> Iterator[Block]:
    """Show each answer with what it cites, and what grader and people call it."""
    for one in differ:
        attempt = f"(attempt {one.attempt})" if one.attempt > 1 else ""
        yield Paragraph((Span("question:", "strong"), one.question or one.question_id, Span(attempt, "quiet")))
        yield Quote(one.answer or "the answer itself is not known")
        for passage in one.cited[:_MOST_CITED]:
            yield Paragraph(("cites", Span(passage.id, "strong"), passage.doc), "quiet")
            yield Quote(passage.text)
        yield Paragraph((Span("the grader:", "strong"), blocks.bucket(one.graded), in_plain_words(one.reason)))
        yield Paragraph((Span("people:", "strong"), blocks.bucket(one.label), one.note))
