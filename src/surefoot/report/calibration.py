"""What a calibration says: how far labels bear a grader out, and what its rates are when corrected by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from surefoot.calibration.answers import FACTUALITY
from surefoot.calibration.results import (
    MEAN,
    NOTHING_SAID,
    AxisCalibration,
    Calibration,
    Differing,
    Rate,
)
from surefoot.core.records import Interval, whose_by_name
from surefoot.core.words import counted
from surefoot.report.blocks import (
    Bars,
    Block,
    Headline,
    Items,
    Line,
    Paragraph,
    Report,
    Section,
    Span,
    Table,
    percent,
    problem_section,
)

_MOST_DIFFERING = 50
Row = tuple[Line, ...]

_RATE_HEADS = ("by the grader", "corrected", "95% interval", "method", "sensitivity", "specificity")
_EACH_ALONE = "Each share has its own estimate and interval; together they need not be 100%."


def report(found: Calibration, *, details: bool = False) -> Report:
    """`details` opens what a terminal leaves out otherwise."""
    axes = tuple(Section(name, tuple(_axis(name, axis))) for name, axis in found.axes.items())
    hint = "Corrected rates, tables, kappa and the other axes: --details"
    parts: tuple[Block, ...] = (
        Headline("", (*_two_numbers(found), *filter(None, (title(found), found.skipped_note)))),
        *([] if details else [Items(list(_reservations(found)), "quiet")]),
        *_picture(found.axes.get(FACTUALITY), found.differ),
        *problem_section(found.problems),
        *([Section("Details", axes, "open" if details else "folded", hint)] if axes else []),
    )
    return Report("Surefoot calibration", (), parts)


def _two_numbers(found: Calibration) -> Iterator[Line]:
    """How many of the accepted answers are bad, and how many of the bad ones are caught."""
    if found.accepted_but_bad is None or found.bad_caught is None:
        yield from filter(None, [found.headline])
        return
    accepted, caught = found.accepted_but_bad, found.bad_caught
    yield Span(percent(accepted.value), "strong"), f"of the answers the grader accepts are bad ({_between(accepted)})."
    yield Span(percent(caught.value), "strong"), f"of the bad answers are caught ({_between(caught)})."


def _between(interval: Interval) -> str:
    return f"{percent(interval.low)} to {percent(interval.high)}"


def _picture(axis: AxisCalibration | None, differ: Sequence[Differing]) -> Iterator[Block]:
    """What the labels say of each verdict, one bar for each, and what more labels would buy."""
    if axis is None:
        return
    if axis.table:
        bars = [(f"graded {verdict}", labels) for verdict, labels in _all_labels(axis).items() if any(labels.values())]
        picked = sum(sum(row.values()) for row in axis.chosen.values())
        beside = f"; {picked} of them are on answers that were picked, and count in no rate" if picked else ""
        told = f"What {axis.labelled_by} say of the answers with each verdict ({counted(axis.n, 'label')}{beside})."
        caption = Paragraph(f"{told} A bar of one kind is a verdict to rely on.", "quiet")
        inside = (caption, Bars(("verdict",), [("", bars)]), *_differing(differ))
        yield Section("Where grader and labels differ", inside, "paper")
    if axis.labels_needed:
        yield Section("What more labels would buy", (Paragraph(axis.labels_needed),), "paper")


def _all_labels(axis: AxisCalibration) -> dict[str, dict[str, int]]:
    """Those on answers that chance drew and on those that were picked, by verdict."""
    tables = axis.table, axis.chosen
    verdicts, labels = dict.fromkeys((*axis.table, *axis.chosen)), _columns(axis)
    return {
        verdict: {label: sum(table.get(verdict, {}).get(label, 0) for table in tables) for label in labels}
        for verdict in verdicts
    }


def _differing(differ: Sequence[Differing]) -> Iterator[Block]:
    """The answers to look at first: where the grader is sure of something else than people say."""
    rows: list[Row] = [
        (
            f"{one.question_id}{f' (attempt {one.attempt})' if one.attempt > 1 else ''}", one.run or "-",
            one.graded, one.label,
            "-" if one.confidence is None else percent(one.confidence),
        )
        for one in differ[:_MOST_DIFFERING]
    ]  # fmt: skip
    if rows:
        yield Table(("question", "run", "graded", "labelled", "grader's confidence"), rows)
    if more := len(differ) - len(rows):
        yield Paragraph(f"{more} more are in the output of --json.", "quiet")


def _reservations(found: Calibration) -> Iterator[str]:
    """What to know of the axis that matters most, or of all where it has no labels."""
    for name, axis in found.axes.items():
        if name == FACTUALITY or not found.headline:
            yield from (reason for reason in [axis.kappa_reason] if reason in NOTHING_SAID)
            yield from axis.notes


def _axis(name: str, axis: AxisCalibration) -> Iterator[Block]:
    """Only factuality puts answers into buckets; the other axes have values."""
    kind = "bucket" if name == FACTUALITY else "value"
    yield Items([f"{what}: {value}" for what, value in _agreements(axis)])
    if axis.table:
        yield Paragraph(f"{_caption(axis, kind)}:", "quiet")
        yield Table(("graded", *_columns(axis), "answers in all"), list(_confusion(axis)))
    yield Table((kind, *_RATE_HEADS), list(_rates(axis)))
    yield from _each_alone(axis.corrected)
    yield Items(list(_sentences(axis)), "quiet")


def title(found: Calibration) -> str:
    by_axis = ", ".join(f"{counted(axis.n, 'label')} on {name}" for name, axis in found.axes.items())
    what = f"{counted(found.labels, 'answer')} labelled" if found.labels or not by_axis else by_axis
    on = f" of {' and '.join(found.runs)}" if len(found.runs) > 1 else ""
    labelled = f"{what}{on} by {whose_by_name(found.annotators)}"
    return f"{found.grader or 'a grader without a name'}, held against {labelled}"


def _caption(axis: AxisCalibration, kind: str) -> str:
    """Whose answers the table is about."""
    more = axis.n - sum(sum(row.values()) for row in axis.table.values())
    picked = f"; {more} more were picked or drawn from another run, and are not in it" if more else ""
    labels = f"{counted(axis.n - more, 'label')} on answers drawn by chance{picked}"
    graded = "put into each bucket" if kind == "bucket" else f"gave each {kind}"
    return f"What {axis.labelled_by} say ({labels}) of the answers that the grader {graded}"


def _columns(axis: AxisCalibration) -> list[str]:
    return list(dict.fromkeys(label for row in axis.table.values() for label in row))


def _confusion(axis: AxisCalibration) -> Iterator[Row]:
    """What the labels say of the answers with each verdict; darker where more of its labels are."""
    for verdict, total in axis.answers.items():
        labels = axis.table.get(verdict, {})
        labelled = sum(labels.values()) or 1
        counts = [
            Span(str(labels.get(column, 0)), _ground(verdict, column), share=labels.get(column, 0) / labelled)
            for column in _columns(axis)
        ]
        yield (verdict, *counts, str(total))


def _ground(verdict: str, label: str) -> str:
    return "agree" if verdict == label else "disagree"


def _agreements(axis: AxisCalibration) -> Iterator[tuple[str, str]]:
    """How far grader and labels agree, or why nobody can say."""
    yield "Cohen's kappa", _agreement(axis.kappa) if axis.kappa else f"none: {axis.kappa_reason}"
    if axis.agreement is not None:
        yield "agreement", percent(axis.agreement)
    if axis.between_people is not None:
        yield f"agreement between {axis.labelled_by}", percent(axis.between_people)


def _rates(axis: AxisCalibration) -> Iterator[Row]:
    for name, rate in axis.corrected.items():
        show = _mean if name == MEAN else percent
        bucket = axis.per_bucket.get(name)
        found = (_share(bucket.sensitivity), _share(bucket.specificity)) if bucket else ("-", "-")
        yield (name, *_rate_cells(rate, show), *found)


def _rate_cells(rate: Rate, show: Callable[[float], str] = percent) -> Row:
    """By the grader, corrected, its interval, and the method."""
    graded = "-" if rate.graded is None else show(rate.graded)
    value = "-" if rate.value is None else show(rate.value)
    interval = "-" if rate.low is None or rate.high is None else f"{show(rate.low)} to {show(rate.high)}"
    return graded, value, interval, "-" if rate.value is None else rate.method


def _sentences(axis: AxisCalibration) -> Iterator[str]:
    """What the numbers are, how they came about, and what to do next."""
    yield axis.explanation
    if axis.labels_needed:
        yield axis.labels_needed
    yield from axis.notes
    yield from _warnings((name, rate) for name, rate in axis.corrected.items() if rate.warning != axis.kappa_reason)


def _each_alone(rates: Mapping[str, Rate]) -> Iterator[Block]:
    """Shares that were counted add up; those that were estimated need not."""
    shares = [one for name, one in rates.items() if name != MEAN and one.value is not None]
    if len(shares) > 1 and any(one.method != "counted" for one in shares):
        yield Paragraph(_EACH_ALONE, "quiet")


def _warnings(rates: Iterable[tuple[str, Rate]]) -> Iterator[str]:
    """Each once, with all it is about."""
    about: dict[str, list[str]] = {}
    for name, rate in rates:
        if rate.warning:
            about.setdefault(rate.warning, []).append(name)
    return (f"{', '.join(names)}: {warning}." for warning, names in about.items())


def _share(interval: Interval | None) -> str:
    """A rate with its interval."""
    if interval is None:
        return "-"
    return f"{percent(interval.value)} ({_between(interval)})"


def _agreement(interval: Interval) -> str:
    """A coefficient, which may be below 0, with its interval."""
    value, low, high = map(_mean, (interval.value, interval.low, interval.high))
    return f"{value} ({low} to {high})"


def _mean(value: float) -> str:
    return f"{value:z.2f}"
