"""A calibration as one HTML page in the manner of the comparison's: no script, no font, no other file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from surefoot.calibration.results import AxisCalibration, Calibration, Reliability
from surefoot.report import calibration as words
from surefoot.report import page
from surefoot.report.page import text
from surefoot.report.words import counted

_SIZE, _LEFT, _TOP, _BOTTOM = 260, 46, 10, 40
_LARGEST_DOT, _SMALLEST_DOT = 9.0, 3.0
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
    if axis.reliability:
        yield from _plot(axis.reliability)
        yield from _table(words.BIN_HEADS, words.bins(axis))


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


def _plot(found: Reliability) -> Iterator[str]:
    """Stated confidence against agreement; on the diagonal both are the same."""
    width, height = _LEFT + _SIZE + 20, _TOP + _SIZE + _BOTTOM
    spoken = "stated confidence against how often the labels agree; the table below has the same numbers"
    yield "<figure><figcaption>Confidence and agreement</figcaption>"
    yield f'<svg width="{width}" viewBox="0 0 {width} {height}" role="img" aria-label="{spoken}">'
    for part in (0.0, 0.5, 1.0):
        yield (
            f'<path d="M{_x(0):g} {_y(part):g}H{_x(1):g}" stroke="#8a8f98" stroke-width=".5"/>'
            f'<text class="total" x="{_LEFT - 8}" y="{_y(part) + 4:g}" text-anchor="end">{part:.0%}</text>'
            f'<text class="total" x="{_x(part):g}" y="{_TOP + _SIZE + 18}" text-anchor="middle">{part:.0%}</text>'
        )
    yield (
        f'<line x1="{_x(0):g}" y1="{_y(0):g}" x2="{_x(1):g}" y2="{_y(1):g}" stroke="#8a8f98" stroke-dasharray="4 4"/>'
        f'<text class="total" x="{_x(0.5):g}" y="{height - 4}" text-anchor="middle">stated confidence</text>'
        f'<text class="total" x="{_x(0) + 6:g}" y="{_y(1) + 16:g}">labels agree</text>'
    )
    largest = max(one.n for one in found.bins)
    for one in found.bins:
        at, radius = _x(one.confidence), max(_SMALLEST_DOT, _LARGEST_DOT * (one.n / largest) ** 0.5)
        yield (
            f"<g><title>{counted(one.n, 'verdict')}: stated {one.confidence:.1%}, labels agree with {one.agreed:.1%}"
            "</title>"
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_y(one.agreed_low):.1f}" y2="{_y(one.agreed_high):.1f}"'
            f' stroke="#0072b2" stroke-width="1.5"/>'
            f'<circle cx="{at:.1f}" cy="{_y(one.agreed):.1f}" r="{radius:.1f}" fill="#0072b2"/></g>'
        )
    yield "</svg></figure>"


def _x(share: float) -> float:
    return _LEFT + _SIZE * share


def _y(share: float) -> float:
    return _TOP + _SIZE * (1 - share)


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
