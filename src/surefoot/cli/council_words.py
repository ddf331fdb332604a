"""A council's result on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from surefoot.council.bias import Bias, Figure
from surefoot.council.scoring import Result, Row
from surefoot.report.words import counted, plain

_LINES_SHOWN, _LONGEST_LINE = 8, 400


def show(result: Result, console: Console) -> None:
    console.print(_ranking(result))
    for line in lines(result):
        console.print(Text(plain(line, 400)), soft_wrap=True)


def _ranking(result: Result) -> Table:
    dimensions = list(dict.fromkeys(name for row in result.ranking for name in row.dimensions))
    headings = [escape(plain(name, 24)) for name in dimensions]
    table = Table("", "answer", "model", "overall", *headings, "capped by", "votes", "borda", "z", box=None)
    tied = {label for group in result.ties for label in group}
    for row in result.ranking:
        table.add_row(
            f"{row.rank}{'=' if row.label in tied else ''}",
            Text(plain(row.label, 24)),
            Text(plain(row.model, 30)),
            _number(row.overall, 2),
            *(_number(row.dimensions.get(name), 1) for name in dimensions),
            Text(plain(", ".join(_capped(row, result))) or "-"),
            str(row.votes),
            _number(row.borda, 1),
            _number(row.z, 2),
        )
    return table


def _capped(row: Row, result: Result) -> Iterator[str]:
    """What capped the answer, and in how many ballots where not in all."""
    votes = [vote for vote in result.votes if vote.label == row.label and vote.counts]
    for name in row.capped_by:
        times = sum(name in vote.capped_by for vote in votes)
        yield name if times in (0, len(votes)) else f"{name} in {times} of {len(votes)}"


def shortened(text: str) -> Iterator[str]:
    """An answer's first lines, and how much more there is."""
    found = [plain(line, _LONGEST_LINE) for line in text.splitlines() if line.strip()]
    yield from found[:_LINES_SHOWN]
    if len(found) > _LINES_SHOWN:
        yield f"... ({counted(len(found) - _LINES_SHOWN, 'more line')}; --json has the whole)"


def lines(result: Result) -> Iterator[str]:
    for group in result.ties:
        yield f"tied: {', '.join(group)}"
    for row in result.ranking:
        yield from _about(row)
    for void in result.void:
        yield f"void: {void.reviewer}: {void.reason}"
    for abstained in result.abstained:
        yield f"abstained: {abstained.reviewer}: {abstained.reason}"
    for note in result.notes:
        yield f"note: {note}"
    yield from _bias(result.bias)


def _about(row: Row) -> Iterator[str]:
    if row.safety is not None:
        for finding in row.safety.findings:
            yield f"unsafe: {row.label}: {finding.pattern}: {finding.text} ({finding.why})"
    if row.reason:
        yield f"not scored: {row.label}: {row.reason}"
    if row.missing:
        yield f"not scored: {row.label}: {', '.join(row.missing)}, so the other dimensions weigh more"
    if row.own_votes:
        yield f"left out: {row.label}: the vote of its own model"


def _bias(bias: Bias) -> Iterator[str]:
    figures = {"length": bias.length, "position": bias.position, "self-preference": bias.self_preference}
    for name, figure in figures.items():
        yield f"bias: {name}: {_figure(figure)}"
    for shift in bias.reviewers:
        if shift.verdict and shift.shift is not None:
            yield f"bias: {shift.reviewer} is {shift.verdict}: {shift.shift:+.1f} points beside the others"
    yield f"bias: effective number of votes: {_figure(bias.effective_votes)}"


def _figure(figure: Figure) -> str:
    if figure.value is None:
        return figure.reason
    p = f", p = {figure.p:.2g}" if figure.p is not None else ""
    return f"{figure.value:+.2f}{p}{f' ({figure.reason})' if figure.reason else ''}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
