"""Numbers that a passage does not spell out but that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from surefoot.text.amounts import Amount
from surefoot.text.quantities import Quantity, same_kind

MOST_NUMBERS = 24
_SMALL_FACTORS = (2, 3, 4, 5, 6, 7, 10, 12)


def results_of(values: Sequence[float]) -> Iterator[float]:
    """What can be made of a row or column: its sum and mean; of each two, sum, difference, share and change."""
    kept = [abs(value) for value in values[:MOST_NUMBERS]]
    if len(kept) > 2:
        yield sum(kept)
        yield sum(kept) / len(kept)
    for one, other in combinations(kept, 2):
        yield from (one + other, abs(one - other), (one + other) / 2)
        yield from _shares(one, other)


def _shares(one: float, other: float) -> Iterator[float]:
    for part, whole in ((one, other), (other, one)):
        if whole:
            yield 100 * part / whole
            yield 100 * abs(part - whole) / whole


def derivable(amount: Amount, passage_numbers: Iterable[Quantity]) -> bool:
    """The amount follows from at most two numbers of fitting kinds; small whole numbers could follow from anything."""
    numbers = list(passage_numbers)[:MOST_NUMBERS]
    if amount.kind == "%":
        return _is_share(amount, numbers)
    if amount.kind in ("date", "year"):
        return False
    if any(amount.match(value) == "same" for value in _converted(amount, numbers)):
        return True
    kin = [
        number for number in numbers if same_kind(amount.kind, number.kind) and number.kind not in ("date", "year", "%")
    ]
    for one, other in combinations(kin, 2):
        if one.kind != other.kind:
            continue
        if any(amount.match(value) == "same" for value in (one.value + other.value, abs(one.value - other.value))):
            return True
        if amount.value > 1 and amount.match((one.value + other.value) / 2) == "same":
            return True
    return _is_span_of_years(amount, numbers)


def _is_share(amount: Amount, numbers: list[Quantity]) -> bool:
    kin = [number for number in numbers if number.kind not in ("date", "year")]
    for one, other in combinations(kin, 2):
        if one.kind != other.kind or not one.value or not other.value:
            continue
        if one.kind == "%":
            values: Iterable[float] = (one.value + other.value, abs(one.value - other.value))
        else:
            values = _shares(one.value, other.value)
        if any(amount.match(value) == "same" for value in values):
            return True
    return any(number.kind == "%" and amount.match(100 - number.value) == "same" for number in kin)


def _converted(amount: Amount, numbers: list[Quantity]) -> Iterator[float]:
    """A number in another unit or some times over: "24 months" are known as 2 years already."""
    for number in numbers:
        if number.kind == amount.kind and number.kind not in ("number", "%"):
            yield from (number.value * factor for factor in _SMALL_FACTORS)
        for (one, other), factor in _UNITS.items():
            if (number.kind, amount.kind) == (one, other):
                yield number.value * factor
            elif (number.kind, amount.kind) == (other, one):
                yield number.value / factor


_UNITS = {("months", "days"): 30.0}


def _is_span_of_years(amount: Amount, numbers: list[Quantity]) -> bool:
    if amount.kind not in ("months", "number"):
        return False
    years = sorted({number.value if number.kind == "year" else number.value // 10_000 for number in numbers
                    if number.kind == "year" or (number.kind == "date" and number.value >= 10_000)})  # fmt: skip
    spans = {later - earlier for earlier, later in combinations(years[:MOST_NUMBERS], 2)}
    return (amount.value / 12 if amount.kind == "months" else amount.value) in spans
