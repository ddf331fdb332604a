"""A calibration in words: tables for a terminal, Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from surefoot.calibration.answers import FACTUALITY
from surefoot.calibration.results import MEAN, NOTHING_SAID, PICKED, AxisCalibration, Calibration, Rate
from surefoot.records import Interval, whose_by_name
from surefoot.report.words import cell, counted, percent, plain

PROBLEMS_SHOWN = 20
_NEARLY_ALL = 0.95
_LONGEST = 1_000
Row = tuple[str, ...]

RATE_HEADS = ("bucket", "by the grader", "corrected", "95% interval", "method", "sensitivity", "specificity")
TARGET_HEADS = ("axis", "bucket", "by the grader", "corrected", "95% interval", "method")


def share(interval: Interval | None) -> str:
    """A rate with its interval."""
    return (
        "-" if interval is None else f"{percent(interval.value)} ({percent(interval.low)} to {percent(interval.high)})"
    )


def agreement(interval: Interval | None) -> str:
    """A coefficient, which may be below 0, with its interval."""
    if interval is None:
        return "-"
    value, low, high = (f"{end:z.2f}" for end in (interval.value, interval.low, interval.high))
    return f"{value} ({low} to {high})"


def title(found: Calibration) -> str:
    by_axis = ", ".join(f"{counted(axis.n, 'label')} on {name}" for name, axis in found.axes.items())
    what = f"{counted(found.labels, 'answer')} labelled" if found.labels or not by_axis else by_axis
    where = " on other runs" if any(axis.answers_here is not None for axis in found.axes.values()) else ""
    labelled = f"{what}{where} by {whose_by_name(found.annotators)}"
    return f"{found.grader or 'a grader without a name'}, held against {labelled}"


def first(found: Calibration) -> Iterator[str]:
    """What whoever ships has to know, before all the tables."""
    yield from filter(None, (found.headline, found.skipped_note))


def caption(axis: AxisCalibration) -> str:
    """Whose answers the table is about."""
    if axis.answers_here is None:
        more = _picked(axis)
        picked = f"; {more} more were picked or drawn from another run, and are not in it" if more else ""
        labels = f"{counted(axis.n - more, 'label')} on answers drawn by chance{picked}"
        return f"What {axis.labelled_by} say ({labels}) of the answers that the grader put into each bucket"
    return f"What {axis.labelled_by} said of the answers of other runs, and how many answers this run has"


def _picked(axis: AxisCalibration) -> int:
    """The labels that are no sample."""
    return axis.n - sum(sum(row.values()) for row in axis.table.values())


def columns(axis: AxisCalibration) -> list[str]:
    return list(dict.fromkeys(label for row in axis.table.values() for label in row))


def heads(axis: AxisCalibration) -> Row:
    here = axis.answers_here is not None
    return ("graded", *columns(axis), *(("answers of other runs", "answers here") if here else ("answers in all",)))


def confusion(axis: AxisCalibration) -> Iterator[Row]:
    """What the labels say of the answers with each verdict."""
    here = axis.answers_here
    for verdict in dict.fromkeys((*axis.answers, *(here or ()))):
        labels = axis.table.get(verdict, {})
        totals = [axis.answers.get(verdict, 0), *([] if here is None else [here.get(verdict, 0)])]
        yield (verdict, *(str(count) for count in (*(labels.get(column, 0) for column in columns(axis)), *totals)))


def agreements(axis: AxisCalibration) -> Iterator[Row]:
    """Coefficients by name, or why there are none."""
    yield "Cohen's kappa", agreement(axis.kappa) if axis.kappa else f"none: {axis.kappa_reason}"
    if axis.weighted_kappa:
        yield "weighted kappa (quadratic)", agreement(axis.weighted_kappa)
    if axis.ac1:
        yield "Gwet's AC1", agreement(axis.ac1)
    if axis.alpha is not None:
        yield f"Krippendorff's alpha between {axis.labelled_by}", f"{axis.alpha:z.2f}"
    elif axis.alpha_reason and axis.kappa_reason != PICKED:
        yield f"Krippendorff's alpha between {axis.labelled_by}", f"none: {axis.alpha_reason}"


def rates(axis: AxisCalibration) -> Iterator[Row]:
    for name, rate in axis.corrected.items():
        show = _mean if name == MEAN else percent
        bucket = axis.per_bucket.get(name)
        found = (share(bucket.sensitivity), share(bucket.specificity)) if bucket else ("-", "-")
        yield (name, *rate_cells(rate, show), *found)


def rate_cells(rate: Rate, show: Callable[[float], str] = percent) -> Row:
    """By the grader, corrected, its interval, and the method."""
    graded = "-" if rate.graded is None else show(rate.graded)
    value = "-" if rate.value is None else show(rate.value)
    interval = "-" if rate.low is None or rate.high is None else f"{show(rate.low)} to {show(rate.high)}"
    return graded, value, interval, "-" if rate.value is None else rate.method


def sentences(axis: AxisCalibration) -> Iterator[str]:
    """What the numbers are, how they came about, and what to do next."""
    yield axis.explanation
    if axis.labels_needed:
        yield axis.labels_needed
    yield from axis.notes
    yield from warnings((name, rate) for name, rate in axis.corrected.items() if rate.warning != axis.kappa_reason)


def on_confidence(axis: AxisCalibration) -> Iterator[str]:
    """From which confidence on nobody needs to look."""
    person = axis.send_to_a_person
    if person is not None and person.share == 0:
        yield f"Nobody needs to look for a risk of {percent(person.risk)}: no more verdicts than that are wrong anyway."
    elif person is not None and person.share is not None and person.share > _NEARLY_ALL:
        words = f"to leave {percent(person.risk)} wrong and unseen, a person had to look at {percent(person.share)}"
        yield f"The stated confidence is of little use: {words}."
    elif person is not None and person.threshold is not None and person.share is not None:
        yield (
            f"Let a person look at verdicts with a confidence of {person.threshold:.3f} or less"
            f" ({percent(person.share)} of them): then at most {percent(person.risk)} of all stay wrong and unseen."
        )
    elif person is not None:
        yield f"No threshold for a person to look: {person.reason}."


def ending(found: Calibration) -> Iterator[str]:
    """What the rates of other answers rest on."""
    if found.target_explanation:
        yield found.target_explanation
    yield from target_warnings(found)


def target_rows(found: Calibration) -> Iterator[Row]:
    for axis, buckets in (found.target or {}).items():
        for name, rate in buckets.items():
            yield (axis, name, *rate_cells(rate))


def target_warnings(found: Calibration) -> Iterator[str]:
    buckets = [(f"{axis} {name}", rate) for axis, rates in (found.target or {}).items() for name, rate in rates.items()]
    return warnings(buckets)


def warnings(rates: Iterable[tuple[str, Rate]]) -> Iterator[str]:
    """Each once, with all it is about."""
    about: dict[str, list[str]] = {}
    for name, rate in rates:
        if rate.warning:
            about.setdefault(rate.warning, []).append(name)
    return (f"{', '.join(names)}: {warning}." for warning, names in about.items())


def markdown(found: Calibration) -> Iterator[str]:
    yield from ("# Surefoot calibration", "", f"{cell(title(found), _LONGEST)}.", "")
    for words in first(found):
        yield from (cell(words, _LONGEST), "")
    yield from ("<details><summary>Details</summary>", "")
    for name, axis in found.axes.items():
        yield from (f"## {cell(name)}", "", *_markdown_table(("agreement", "value"), agreements(axis)), "")
        if axis.table:
            yield f"{caption(axis)}:"
            yield from ("", *_markdown_table(heads(axis), confusion(axis)), "")
        yield from (*_markdown_table(RATE_HEADS, rates(axis)), "")
        yield from (f"- {cell(words, _LONGEST)}" for words in (*sentences(axis), *on_confidence(axis)) if words)
        yield ""
    if found.target:
        yield from ("## Other answers", "", *_markdown_table(TARGET_HEADS, target_rows(found)), "")
    yield from ("</details>", "")
    yield from (f"- {cell(words, _LONGEST)}" for words in ending(found))
    if found.problems:
        yield from ("", f"## Problems and notes ({len(found.problems)})", "")
        yield from (f"- {cell(str(problem), 500)}" for problem in found.problems[:PROBLEMS_SHOWN])
        if len(found.problems) > PROBLEMS_SHOWN:
            yield f"- and {len(found.problems) - PROBLEMS_SHOWN} more, all of them in --json"


def show(found: Calibration, console: Console, *, details: bool = False) -> None:
    """On a terminal: what whoever ships has to know, and on demand the tables."""
    console.print(Text(plain(title(found), _LONGEST)), style="bold", soft_wrap=True)
    _lines(console, first(found))
    for name, axis in found.axes.items():
        if details:
            _show_axis(name, axis, console)
        elif name == FACTUALITY or not found.headline:
            _lines(console, (reason for reason in [axis.kappa_reason] if reason in NOTHING_SAID))
            _lines(console, axis.notes, "dim")
    if found.target:
        console.print()
        console.print(_table(TARGET_HEADS, target_rows(found)))
    console.print()
    _lines(console, (str(problem) for problem in found.problems[:PROBLEMS_SHOWN]), "yellow")
    if len(found.problems) > PROBLEMS_SHOWN:
        more = counted(len(found.problems) - PROBLEMS_SHOWN, "more problem")
        _lines(console, [f"and {more}, all of them in --json"], "yellow")
    _lines(console, ending(found))
    if not details:
        _lines(console, ["Corrected rates, tables, kappa and the other axes: --details"], "dim")


def _show_axis(name: str, axis: AxisCalibration, console: Console) -> None:
    console.print()
    console.print(Text(plain(name)), style="bold")
    if axis.table:
        if axis.answers_here is not None or _picked(axis):
            _lines(console, [f"{caption(axis)}:"], "dim")
        console.print(_table(heads(axis), confusion(axis)))
        console.print()
    console.print(_table(RATE_HEADS, rates(axis)))
    _lines(console, (f"{what}: {value}" for what, value in agreements(axis)))
    _lines(console, (*sentences(axis), *on_confidence(axis)), "dim")


def _mean(value: float) -> str:
    return f"{value:z.2f}"


def _markdown_table(heads: Sequence[str], rows: Iterator[Row]) -> Iterator[str]:
    yield f"| {' | '.join(map(cell, heads))} |"
    yield "|---" * len(heads) + "|"
    yield from (f"| {' | '.join(map(cell, row))} |" for row in rows)


def _table(heads: Sequence[str], rows: Iterator[Row]) -> Table:
    table = Table(box=None, pad_edge=False)
    for head in heads:
        table.add_column(Text(plain(head)))
    for row in rows:
        table.add_row(*(Text(plain(value)) for value in row))
    return table


def _lines(console: Console, lines: Sequence[str] | Iterator[str], style: str = "") -> None:
    for line in lines:
        if line:
            console.print(Text(plain(line, _LONGEST)), style=style, soft_wrap=True)
