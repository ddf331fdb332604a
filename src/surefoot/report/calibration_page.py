"""A calibration as one HTML page in the manner of the comparison's: no script, no font, no other file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from surefoot.calibration.results import AxisCalibration, Calibration
from surefoot.report import calibration as words
from surefoot.report import page
from surefoot.report.page import text

_LONGEST = 1_000
_AGREE = "rgba(0, 114, 178, {:.2f})"
_DISAGREE = "rgba(232, 112, 42, {:.2f})"


def render(found: Calibration) -> str:
    axes = (part for axis in found.axes.items() for part in _axis(*axis))
    details = ("<details><summary>Details</summary>", *axes, "</details>") if found.axes else ()
    body = "\n".join((*_head(found), *details, *_end(found)))
    return page.document("calibration", body)


def _head(found: Calibration) -> Iterator[str]:
    yield "<h1>Surefoot calibration</h1>"
    said = "<br>".join(text(line, _LONGEST) for line in (*words.first(found), *words.ending(found)) if line)
    yield f'<p class="decision"><strong>{text(words.title(found), _LONGEST)}</strong><br>{said}</p>'


def _axis(name: str, axis: AxisCalibration) -> Iterator[str]:
    yield f"<h2>{text(name)}</h2>"
    yield from _table(("agreement", "value"), words.agreements(axis))
    if axis.table:
        yield f'<p class="quiet">{words.caption(axis)}</p>'
        yield from page.table(map(text, words.heads(axis)), _shaded(axis))
    yield "<br>"
    yield from _table(words.RATE_HEADS, words.rates(axis))
    yield "<ul>"
    yield from (f"<li>{text(line, _LONGEST)}</li>" for line in words.sentences(axis) if line)
    yield from (f"<li>{text(line, _LONGEST)}</li>" for line in words.on_confidence(axis) if line)
    yield "</ul>"


def _shaded(axis: AxisCalibration) -> Iterator[tuple[str, ...]]:
    """The counts, darker where more of a verdict's labels are; blue where grader and labels agree."""
    columns = words.columns(axis)
    for verdict, *numbers in words.confusion(axis):
        counts, totals = numbers[: len(columns)], numbers[len(columns) :]
        labelled = sum(map(int, counts)) or 1
        cells = [
            _cell(int(count), labelled, agrees=verdict == column) for column, count in zip(columns, counts, strict=True)
        ]
        yield (text(verdict), *cells, *totals)


def _cell(count: int, of: int, *, agrees: bool) -> str:
    shade = (_AGREE if agrees else _DISAGREE).format(0.45 * count / of)
    number = f"<strong>{count}</strong>" if agrees else str(count)
    return f'<span style="background: {shade}; padding: .2rem .7rem">{number}</span>'


def _end(found: Calibration) -> Iterator[str]:
    if found.target:
        yield "<h2>Other answers</h2>"
        yield from _table(words.TARGET_HEADS, words.target_rows(found))
    if found.problems:
        yield f"<h2>Problems and notes ({len(found.problems)})</h2><ul>"
        yield from (f"<li>{text(str(problem), 500)}</li>" for problem in found.problems[: words.PROBLEMS_SHOWN])
        more = len(found.problems) - words.PROBLEMS_SHOWN
        yield f"</ul><p>And {more} more, all of them in --json.</p>" if more > 0 else "</ul>"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield from page.table(map(text, heads), ([text(value, _LONGEST) for value in row] for row in rows))
