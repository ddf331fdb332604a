"""A matrix in words: a table and sentences for a terminal, Markdown, plain values for --json."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from surefoot.factors.effects import MEASURED, Contest, Difference, Effect, Matrix, Movement
from surefoot.factors.results import RATES, CellResult
from surefoot.gate.metrics import UNGRADED
from surefoot.report.comparison_words import number
from surefoot.report.words import cell, counted, plain
from surefoot.table import BUCKETS
from surefoot.types import Estimate

COLUMNS = (*BUCKETS, UNGRADED, *RATES)
UNIT = (
    "Differences are per 100 questions (over_refusal: answerable ones; under_refusal: unanswerable ones;"
    " citation_supports_rate: answers with citations), with a 95 % interval from a paired bootstrap over questions,"
    " by document where it is known. Each interval stands for itself: of twenty, one misses by chance."
)
_NOTES_SHOWN = 20


def row(result: CellResult) -> list[str]:
    """A cell's counts and rates, or dashes where it has none."""
    if result.failed:
        return ["-"] * len(COLUMNS)
    counts = [str(result.buckets[bucket]) for bucket in (*BUCKETS, UNGRADED)]
    return counts + [number(name, result.rates.get(name)) for name in RATES]


def signed(value: float) -> str:
    """One decimal; what rounds to nought has no sign."""
    return "0.0" if abs(value) < 0.05 else f"{value:+.1f}"


def difference(found: Difference) -> str:
    if found.value is None:
        return "-"
    if found.low is None or found.high is None:
        return f"{signed(found.value)} (no interval)"
    return f"{signed(found.value)} [{signed(found.low)}, {signed(found.high)}]"


def title(effect: Effect) -> str:
    return f"{effect.axis}: {effect.value} against {effect.reference}"


def basis(effect: Effect) -> str:
    """What an effect rests on, and what is missing from it."""
    found = effect.differences[BUCKETS[0]]
    said = [f"{counted(effect.pairs, 'pair')} of cells", counted(found.questions, "question")]
    said += [f"{found.left_out} left out, ungraded in one of the cells"] if found.left_out else []
    said += [f"{counted(effect.pairs_lost, 'pair')} lost to cells without verdicts"] if effect.pairs_lost else []
    said += [found.reason] if found.reason else []
    return ", ".join(said)


def reading(effect: Effect) -> str:
    """What can be said of it: the differences whose interval leaves 0 out."""
    known = {name: found for name, found in effect.differences.items() if found.low is not None}
    if not known:
        return "nothing can be said without intervals"
    settled = [f"{name} {difference(found)}" for name, found in known.items() if found.settled]
    return ", ".join(settled) if settled else "no difference can be told: every interval covers 0"


def unsettled(effect: Effect) -> Iterator[str]:
    """What is not told apart from nothing: what may be chance, what has no interval, and what did not change at all."""
    groups: dict[str, list[str]] = {"may be chance": [], "too few for an interval": [], "unchanged": []}
    for name, found in effect.differences.items():
        if found.settled or found.value is None:
            continue
        if (found.low, found.value, found.high) == (0, 0, 0):
            groups["unchanged"].append(name)
        elif found.low is None:
            groups["too few for an interval"].append(f"{name} {signed(found.value)}")
        else:
            groups["may be chance"].append(f"{name} {difference(found)}")
    yield from (f"{group}: {', '.join(named)}" for group, named in groups.items() if named)


def contest(found: Contest, movements: dict[str, Movement]) -> str:
    """Which axis moves the buckets more, as far as the interval allows to say it."""
    one, other = (f"{movements[axis].moved or 0.0:.1f}" for axis in (found.first, found.second))
    apart = found.difference
    seen = f"{found.first} moves {one} of 100 answers to another bucket, {found.second} {other}"
    if apart.low is None:
        return f"{seen}; whether that is more than chance cannot be told: {apart.reason}"
    if apart.settled:
        return f"{found.first} moves the buckets more than {found.second}: {seen}; difference {difference(apart)}"
    return f"{seen}; which moves more cannot be told: the difference {difference(apart)} covers 0"


def conclusions(matrix: Matrix) -> Iterator[str]:
    movements = {movement.axis: movement for movement in matrix.effects.movements}
    if not movements:
        yield "no cell has verdicts, so nothing can be compared"
    yield from (contest(found, movements) for found in matrix.effects.contests)
    for movement in movements.values():
        if movement.moved is None:
            yield f"{movement.axis}: no effect can be measured, {movement.reason}"
    measured = [movement for movement in movements.values() if movement.moved is not None]
    if len(measured) == 1:
        moves = f"{measured[0].axis} moves {measured[0].moved:.1f} of 100 answers to another bucket"
        yield f"{moves}; there is no other axis to hold it against"


def notes(matrix: Matrix) -> Iterator[str]:
    for result in matrix.cells:
        if result.failed:
            yield f"{result.name}: {result.failed}"
        yield from (f"{result.name}: {note}" for note in result.notes)


def trust(matrix: Matrix) -> Iterator[str]:
    if matrix.trust:
        yield f"trust: {matrix.trust}"


def heading(matrix: Matrix) -> str:
    asked = counted(matrix.question_count, "question")
    again = f", each {matrix.repeats} times" if matrix.repeats > 1 else ""
    return f"{counted(len(matrix.cells), 'cell')}, {asked}{again}, graded by {matrix.grader}"


def show(matrix: Matrix, console: Console) -> None:
    table = Table("cell", *(name.removesuffix("_rate") for name in COLUMNS), box=None, pad_edge=False)
    for result in matrix.cells:
        table.add_row(Text(plain(result.name)), *row(result))
    console.print(table)
    for effect in matrix.effects.effects:
        _line(console, f"\n{title(effect)} ({basis(effect)})")
        _line(console, f"  {reading(effect)}")
        for rest in unsettled(effect):
            _line(console, f"  {rest}", "dim")
    console.print()
    for sentence in conclusions(matrix):
        _line(console, sentence)
    for sentence in trust(matrix):
        _line(console, sentence)
    for note in list(notes(matrix))[:_NOTES_SHOWN]:
        _line(console, f"note: {note}", "yellow")
    _line(console, UNIT, "dim")


def _line(console: Console, text: str, style: str = "") -> None:
    lead = text[: len(text) - len(text.lstrip())]
    console.print(Text(lead + plain(text, 2_000)), style=style, soft_wrap=True)


def markdown(matrix: Matrix) -> Iterator[str]:
    yield from (f"# Surefoot matrix: {cell(matrix.name)}", "", f"{cell(heading(matrix))}.", "")
    yield from (line for sentence in trust(matrix) for line in (f"{cell(sentence)}.", ""))
    yield from ("## Buckets", "", f"| cell | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 1) + "|")
    for result in matrix.cells:
        yield f"| {cell(result.name)} | {' | '.join(row(result))} |"
    yield from ("", "## Effects", "", UNIT, "")
    if matrix.effects.effects:
        yield from (f"| value against its reference | {' | '.join(MEASURED)} |", "|---" * (len(MEASURED) + 1) + "|")
    for effect in matrix.effects.effects:
        found = " | ".join(difference(effect.differences[name]) for name in MEASURED)
        yield f"| {cell(title(effect))} | {found} |"
    yield ""
    for effect in matrix.effects.effects:
        yield f"- {cell(title(effect))}: {reading(effect)} ({cell(basis(effect))})."
    yield from ("", "## Which axis moves the buckets more", "")
    yield from (f"- {cell(sentence)}." for sentence in conclusions(matrix))
    if found_notes := list(notes(matrix)):
        yield from ("", "## Notes", "", *(f"- {cell(note)}" for note in found_notes))


def as_json(matrix: Matrix) -> dict[str, object]:
    """Plain values under the names that are promised to users."""
    found = matrix.effects
    return {
        "name": matrix.name,
        "questions": matrix.question_count,
        "repeats": matrix.repeats,
        "grader": matrix.grader,
        "trust": matrix.trust or None,
        "axes": matrix.axes,
        "cells": [_json_cell(result) for result in matrix.cells],
        "unit": UNIT,
        "effects": [{**msgspec.to_builtins(effect), "reading": reading(effect)} for effect in found.effects],
        "movements": msgspec.to_builtins(found.movements),
        "contests": msgspec.to_builtins(found.contests),
        "conclusions": list(conclusions(matrix)),
    }


def _json_cell(result: CellResult) -> dict[str, object]:
    return {
        "name": result.name,
        "values": result.values,
        "run": result.run,
        "buckets": result.buckets or None,
        "rates": {name: _json_rate(rate) for name, rate in result.rates.items()} or None,
        "failed": result.failed or None,
        "notes": result.notes,
        "tokens": result.tokens,
        "cost_usd": result.cost_usd,
    }


def _json_rate(rate: Estimate) -> dict[str, object]:
    value = None if rate.value is None else float(rate.value)
    return {"value": value, **{key: getattr(rate, key) for key in rate.__struct_fields__}}
