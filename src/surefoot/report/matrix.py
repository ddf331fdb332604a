"""What a matrix says: the buckets and rates of every cell, and what each value of an axis changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from surefoot.core.table import BUCKETS
from surefoot.factors.effects import MEASURED, Contest, Difference, Effect, Matrix, Movement
from surefoot.factors.results import RATES, CellResult
from surefoot.gate.metrics import UNGRADED
from surefoot.report.blocks import (
    Bars,
    Block,
    Form,
    Headline,
    Items,
    Line,
    Paragraph,
    Report,
    Section,
    Span,
    Table,
    counted,
    number,
)
from surefoot.report.comparison import estimate_json

_UNIT = (
    "Differences are per 100 questions (over_refusal: answerable ones; under_refusal: unanswerable ones;"
    " citation_supports_rate: answers with citations; acceptable[...]: questions of that stratum, correct or refused;"
    " refusal_quality: points of 3 for a refusal), with a 95 % interval from a paired bootstrap over questions,"
    " by document where it is known. Each interval stands for itself: of twenty, one misses by chance."
)
_NOTES_ON_TERMINAL = 20


def report(matrix: Matrix) -> Report:
    trust = [f"trust: {matrix.trust}"] if matrix.trust else []
    summary = (Headline("", tuple(_conclusions(matrix))), Items([_heading(matrix), *trust], "quiet"))
    return Report(f"Surefoot matrix: {matrix.name}", summary, tuple(_body(matrix)))


def _body(matrix: Matrix) -> Iterator[Block]:
    bars = Bars(("cell",), [("", [(result.name, result.buckets) for result in matrix.cells])])
    known = [name for name in RATES if any(_is_measured(result, name) for result in matrix.cells)]
    rates = [(name, *(number(name, result.rates.get(name)) for result in matrix.cells)) for name in known]
    rates.append(("run", *(result.run for result in matrix.cells)))
    yield Section("Buckets", (bars, Table(("metric", *(result.name for result in matrix.cells)), rates)))
    effects = matrix.effects.effects
    yield Section("Effects", (Items([_effect(effect) for effect in effects]), Paragraph(_UNIT, "quiet")))
    if effects:
        about = Paragraph("A difference whose interval leaves 0 out is set in bold.", "quiet")
        rows = [_difference_row(name, effects) for name in MEASURED if name not in RATES or name in known]
        table = Table(("metric", *map(_title, effects)), rows)
        yield Section("Effects in numbers", (about, table), "paper")
    if notes := list(_notes(matrix)):
        limits: dict[Form, int] = {"terminal": _NOTES_ON_TERMINAL}
        yield Section(
            "Notes", (Items([f"note: {note}" for note in notes], "warning", total=len(notes), limits=limits),)
        )


def _effect(effect: Effect) -> Line:
    about = f"{_title(effect)} ({_basis(effect)}):"
    return Span(about, "strong"), f"{_reading(effect)}.", Span("; ".join(_unsettled(effect)), "quiet")


def _is_measured(result: CellResult, rate: str) -> bool:
    """A question set may have no questions, and a cell no answers, of the kind."""
    found = result.rates.get(rate)
    return found is not None and found.value is not None


def _difference_row(name: str, effects: Sequence[Effect]) -> tuple[Line, ...]:
    found = [effect.differences[name] for effect in effects]
    return (name, *(Span(_difference(one), "strong" if one.settled else "") for one in found))


def signed(value: float) -> str:
    """One decimal; what rounds to nought has no sign."""
    return "0.0" if abs(value) < 0.05 else f"{value:+.1f}"


def _difference(found: Difference) -> str:
    if found.value is None:
        return "-"
    if found.low is None or found.high is None:
        return f"{signed(found.value)} (no interval)"
    return f"{signed(found.value)} [{signed(found.low)}, {signed(found.high)}]"


def _title(effect: Effect) -> str:
    return f"{effect.axis}: {effect.value} against {effect.reference}"


def _basis(effect: Effect) -> str:
    """What an effect rests on, and what is missing from it."""
    found = effect.differences[BUCKETS[0]]
    said = [f"{counted(effect.pairs, 'pair')} of cells", counted(found.questions, "question")]
    said += [f"{found.left_out} left out, ungraded in one of the cells"] if found.left_out else []
    said += [f"{counted(effect.pairs_lost, 'pair')} lost to cells without verdicts"] if effect.pairs_lost else []
    said += [found.reason] if found.reason else []
    return ", ".join(said)


def _reading(effect: Effect) -> str:
    """What can be said of it: the differences whose interval leaves 0 out."""
    known = {name: found for name, found in effect.differences.items() if found.low is not None}
    if not known:
        return "nothing can be said without intervals"
    settled = [f"{name} {_difference(found)}" for name, found in known.items() if found.settled]
    return ", ".join(settled) if settled else "no difference can be told: every interval covers 0"


def _unsettled(effect: Effect) -> Iterator[str]:
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
            groups["may be chance"].append(f"{name} {_difference(found)}")
    yield from (f"{group}: {', '.join(named)}" for group, named in groups.items() if named)


def _contest(found: Contest, movements: dict[str, Movement]) -> str:
    """Which axis moves the buckets more, as far as the interval allows to say it."""
    one, other = (f"{movements[axis].moved or 0.0:.1f}" for axis in (found.first, found.second))
    apart = found.difference
    seen = f"{found.first} moves {one} of 100 answers to another bucket, {found.second} {other}"
    if apart.low is None:
        return f"{seen}; whether that is more than chance cannot be told: {apart.reason}"
    if apart.settled:
        return f"{found.first} moves the buckets more than {found.second}: {seen}; difference {_difference(apart)}"
    return f"{seen}; which moves more cannot be told: the difference {_difference(apart)} covers 0"


def _better(effect: Effect) -> str:
    """Which of two values to take, by wrong answers and else by correct ones."""
    for bucket, sign in (("wrong", -1), ("correct", 1)):
        found = effect.differences[bucket]
        if found.settled and found.value is not None:
            pair = (effect.value, effect.reference)
            better, other = pair if found.value * sign > 0 else pair[::-1]
            count = f"{abs(found.value):.1f} {'fewer' if sign < 0 else 'more'} of 100 answers are {bucket}"
            price = _price(effect, better) if bucket == "wrong" else ""
            return f"{effect.axis}: {better} is better than {other}: {count}{price}"
    return f"{effect.axis}: which of {effect.value} and {effect.reference} is better cannot be told"


def _price(effect: Effect, better: str) -> str:
    """Correct answers that fewer wrong ones cost."""
    found = effect.differences["correct"]
    gain = (found.value or 0.0) * (1 if better == effect.value else -1)
    return f", but {abs(gain):.1f} fewer are correct" if found.settled and gain < 0 else ""


def _conclusions(matrix: Matrix) -> Iterator[str]:
    movements = {movement.axis: movement for movement in matrix.effects.movements}
    if not movements:
        yield "no cell has verdicts, so nothing can be compared"
    yield from (_better(effect) for effect in matrix.effects.effects if effect.differences["wrong"].value is not None)
    yield from (_contest(found, movements) for found in matrix.effects.contests)
    for movement in movements.values():
        if movement.moved is None:
            yield f"{movement.axis}: no effect can be measured, {movement.reason}"
    measured = [movement for movement in movements.values() if movement.moved is not None]
    if len(measured) == 1:
        yield f"{measured[0].axis} moves {measured[0].moved:.1f} of 100 answers to another bucket"


def _notes(matrix: Matrix) -> Iterator[str]:
    for result in matrix.cells:
        if result.failed:
            yield f"{result.name}: {result.failed}"
        yield from (f"{result.name}: {note}" for note in result.notes)
    if ungraded := sum(result.buckets.get(UNGRADED, 0) for result in matrix.cells):
        yield f"{counted(ungraded, 'answer')} without a bucket: ungraded"


def _heading(matrix: Matrix) -> str:
    asked = counted(matrix.question_count, "question")
    again = f", each {matrix.repeats} times" if matrix.repeats > 1 else ""
    return f"{counted(len(matrix.cells), 'cell')}, {asked}{again}, graded by {matrix.grader}"


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
        "unit": _UNIT,
        "effects": [{**msgspec.to_builtins(effect), "reading": _reading(effect)} for effect in found.effects],
        "movements": msgspec.to_builtins(found.movements),
        "contests": msgspec.to_builtins(found.contests),
        "conclusions": list(_conclusions(matrix)),
    }


def _json_cell(result: CellResult) -> dict[str, object]:
    kept = ("name", "values", "run", "notes", "tokens", "cost_usd")
    return {
        **{name: getattr(result, name) for name in kept},
        "buckets": result.buckets or None,
        "rates": {name: estimate_json(rate) for name, rate in result.rates.items()} or None,
        "failed": result.failed or None,
    }
