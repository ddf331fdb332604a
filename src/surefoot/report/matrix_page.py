"""A matrix as one HTML page in the manner of the comparison's: no script, no font, no other file."""

from __future__ import annotations

from collections.abc import Iterator

from surefoot.factors.effects import MEASURED, Matrix
from surefoot.factors.results import CellResult
from surefoot.gate.metrics import UNGRADED
from surefoot.report import page
from surefoot.report.matrix import (
    COLUMNS,
    UNIT,
    basis,
    conclusions,
    difference,
    heading,
    notes,
    reading,
    row,
    title,
    trust,
)
from surefoot.report.page import text

_HEIGHT, _GAP, _WIDTH, _LETTER = 26, 6, 560, 7.2
_LONGEST_NAME = 60


def render(matrix: Matrix) -> str:
    body = "\n".join((*_head(matrix), *_bars(matrix), *_table(matrix), *_effects(matrix), *_notes(matrix)))
    return page.document("matrix", body)


def _head(matrix: Matrix) -> Iterator[str]:
    yield f"<h1>Surefoot matrix: {text(matrix.name)}</h1>"
    yield '<p class="decision">' + "<br>".join(text(sentence, 600) for sentence in conclusions(matrix)) + "</p>"
    yield f'<p class="quiet">{text(heading(matrix))}</p>'
    yield from (f"<p>{text(sentence, 600)}</p>" for sentence in trust(matrix))


def _bars(matrix: Matrix) -> Iterator[str]:
    """One bar per cell; all are over the same questions, so all are as long."""
    longest = max((min(len(result.name), _LONGEST_NAME) for result in matrix.cells), default=0)
    left = round(longest * _LETTER) + 12
    width, height = left + _WIDTH + 60, len(matrix.cells) * (_HEIGHT + _GAP)
    spoken = "one bar per cell with its buckets; the table below has the same numbers"
    yield "<h2>Buckets</h2><figure>"
    yield f'<svg width="{width}" viewBox="0 0 {width} {height}" role="img" aria-label="{spoken}">'
    for at, result in enumerate(matrix.cells):
        yield from _bar(result, left, at * (_HEIGHT + _GAP))
    yield "</svg></figure>"


def _bar(result: CellResult, left: float, top: int) -> Iterator[str]:
    middle = top + _HEIGHT / 2 + 4.5
    # In a drawing there is no <bdi>: the cut and escaped name alone.
    name = text(result.name, _LONGEST_NAME).removeprefix("<bdi>").removesuffix("</bdi>")
    yield f'<text class="side" x="0" y="{middle:g}">{name}</text>'
    total = sum(result.buckets.values())
    if not total:
        yield f'<text class="total" x="{left}" y="{middle:g}">no verdicts</text>'
        return
    for bucket in page.SEGMENTS:
        count = result.buckets[bucket]
        width = _WIDTH * count / total
        if count:
            yield (
                f'<g><title>{bucket}: {count}</title><rect x="{left:.1f}" y="{top}" width="{width:.1f}"'
                f' height="{_HEIGHT}" fill="{page.FILLS[bucket]}" stroke="#ffffff" stroke-width="1"/>'
                f"{page.label(bucket, count, left, middle, width)}</g>"
            )
        left += width
    yield f'<text class="total" x="{left + 8:.1f}" y="{middle:g}">{total}</text>'


def _table(matrix: Matrix) -> Iterator[str]:
    heads = ("cell", *COLUMNS, "run")
    yield from page.table(
        heads, ((text(result.name), *row(result), f"<code>{text(result.run)}</code>") for result in matrix.cells)
    )


def _effects(matrix: Matrix) -> Iterator[str]:
    yield f'<h2>Effects</h2><p class="quiet">{UNIT} A difference whose interval leaves 0 out is set in bold.</p>'
    rows = []
    for effect in matrix.effects.effects:
        found = [effect.differences[name] for name in MEASURED]
        cells = (f"<strong>{difference(one)}</strong>" if one.settled else difference(one) for one in found)
        rows.append((text(title(effect)), *cells))
    yield from page.table(("value against its reference", *MEASURED), rows)
    yield "<ul>"
    for effect in matrix.effects.effects:
        yield f"<li>{text(title(effect))}: {text(reading(effect), 600)} ({text(basis(effect))})</li>"
    yield "</ul>"


def _notes(matrix: Matrix) -> Iterator[str]:
    ungraded = sum(result.buckets.get(UNGRADED, 0) for result in matrix.cells)
    found = [*notes(matrix), *([f"{ungraded} answers are ungraded and in no bucket"] if ungraded else [])]
    if found:
        yield "<h2>Notes</h2><ul>" + "".join(f"<li>{text(note, 600)}</li>" for note in found) + "</ul>"
