"""What a matrix says of its cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from surefoot.core.table import BUCKETS
from surefoot.core.types import counted
from surefoot.gate.effects import MEASURED, RATES, Effect
from surefoot.gate.metrics import UNGRADED
from surefoot.report import blocks
from surefoot.report.blocks import Block, Headline, Items, Line, Paragraph, Report, Section, Span, Table

if TYPE_CHECKING:
    from surefoot.jobs.matrix import MatrixResult

_NOTES_ON_TERMINAL = 20


def report(found: MatrixResult) -> Report:
    again = f", each {found.repeats} times" if found.repeats > 1 else ""
    asked = f"{counted(len(found.cells), 'cell')}, {counted(found.questions, 'question')}{again}"
    trust = [f"trust: {found.trust}"] if found.trust else []
    about = Items([f"{asked}, graded by {found.grader}", *trust], "quiet")
    return Report(f"Surefoot matrix: {found.name}", (Headline("", found.conclusions), about), tuple(_cells(found)))


def _cells(matrix: MatrixResult) -> Iterator[Block]:
    bars = blocks.Bars(("cell",), [("", [(result.name, result.buckets) for result in matrix.cells])])
    # A question set may have no questions, and a cell no answers, of the kind.
    measured = {name for result in matrix.cells for name, rate in result.rates.items() if rate.value is not None}
    known = [name for name in RATES if name in measured]
    rates = [(name, *(blocks.number(name, result.rates.get(name)) for result in matrix.cells)) for name in known]
    rates.append(("run", *(result.run for result in matrix.cells)))
    yield Section("Buckets", (bars, Table(("metric", *(result.name for result in matrix.cells)), rates)))
    effects = matrix.effects
    told: list[Line] = [(Span(f"{_title(effect)} ({_basis(effect)}):", "strong"), f"{effect.reading}.",
                         Span("; ".join(_unsettled(effect)), "quiet")) for effect in effects]  # fmt: skip
    yield Section("Effects", (Items(told), Paragraph(matrix.unit, "quiet")))
    if effects:
        about = Paragraph("A difference whose interval leaves 0 out is set in bold.", "quiet")
        rows: list[tuple[Line, ...]] = []
        for name in (one for one in MEASURED if one not in RATES or one in known):
            found = (effect.differences[name] for effect in effects)
            rows.append((name, *(Span(str(one), "strong" if one.settled else "") for one in found)))
        yield Section("Effects in numbers", (about, Table(("metric", *map(_title, effects)), rows)), "paper")
    if notes := list(_notes(matrix)):
        limits: dict[blocks.Form, int] = {"terminal": _NOTES_ON_TERMINAL}
        yield Section("Notes", (Items([f"note: {note}" for note in notes], "warning", limits=limits),))


def _title(effect: Effect) -> str:
    return f"{effect.axis}: {effect.value} against {effect.reference}"


def _basis(effect: Effect) -> str:
    """What an effect rests on, and what is missing from it."""
    found = effect.differences[BUCKETS[0]]
    said = [f"{counted(effect.pairs, 'pair')} of cells", counted(found.questions, "question")]
    said += [f"{found.left_out} left out, ungraded in one of the cells"] if found.left_out else []
    said += [f"{counted(effect.pairs_lost, 'pair')} lost to cells without verdicts"] if effect.pairs_lost else []
    return ", ".join(said)


def _unsettled(effect: Effect) -> Iterator[str]:
    """What is not told apart from nothing: what may be chance, and what did not change at all."""
    left = {name: one for name, one in effect.differences.items() if one.value is not None and not one.settled}
    same = [name for name, one in left.items() if (one.low, one.value, one.high) == (0, 0, 0)]
    moved = [f"{name} {one}" for name, one in left.items() if name not in same]
    groups = (("may be chance", moved), ("unchanged", same))
    yield from (f"{group}: {', '.join(named)}" for group, named in groups if named)


def _notes(matrix: MatrixResult) -> Iterator[str]:
    for result in matrix.cells:
        if result.failed:
            yield f"{result.name}: {result.failed}"
        yield from (f"{result.name}: {note}" for note in result.notes)
    if ungraded := sum(result.buckets.get(UNGRADED, 0) for result in matrix.cells):
        yield f"{counted(ungraded, 'answer')} without a bucket: ungraded"
