"""Numbers that a passage does not spell out but that follow from it, and sums in a claim that do not add up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.quantities import Quantity, quantities, same_kind

MOST_NUMBERS, MOST_CLAIM = 24, 1_500
_SMALL_FACTORS = (2, 3, 4, 5, 6, 7, 10, 12)
_N = r"\x00(\d+)\x00"  # a number of the claim, by its place
_UP = r"(?:rose|increas\w+|grew|climbed|went up|gained|rise|growth|jumped)"
_DOWN = r"(?:fell|decreas\w+|declin\w+|dropped|went down|drop|fall|shrank|lost|reduc\w+|cut)"
_LINK = r"(?: [^\W\d]+){0,4}?,? "
# A calculation, the groups of its two operands and of its result, and whether it is a sum.
_CALCULATIONS = (
    (re.compile(rf"\b(?:{_UP}|{_DOWN})(?: by)? {_N}{_LINK}from {_N}{_LINK}to {_N}"), (2, 3, 1), False),
    (re.compile(rf"\bfrom {_N}{_LINK}to {_N}{_LINK}(?:which is |that is )?an? (?:\w+ )?(?:{_UP}|{_DOWN}) of {_N}"),
     (1, 2, 3), False),
    (re.compile(rf"\ban? {_N} (?:\w+ )?(?:{_UP}|{_DOWN}){_LINK}from {_N}{_LINK}to {_N}"), (2, 3, 1), False),
    (re.compile(rf"{_N}{_LINK}{_N} (?:more|fewer|less|higher|lower) than(?: the| its| their| our)? {_N}"),
     (1, 3, 2), False),
    (re.compile(rf"{_N}{_LINK}(?:plus|added to) {_N}{_LINK}(?:makes?|equals?|is|gives?|totals?|comes? to) {_N}"),
     (1, 2, 3), True),
    (re.compile(rf"{_N}{_LINK}and {_N}{_LINK}(?:for |making |giving |which makes |that is |or )?"
                rf"(?:a|an overall|in) total (?:of )?{_N}"), (1, 2, 3), True),
)  # fmt: skip
_MAYBE = re.compile(r"\b(?:from|plus|added to|total|than)\b", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:not|never|if|would|about|around|roughly|nearly|almost|approximately|over|at least|up to|"
    r"points?|including|plus tax)\b|n't\b"
)


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


@lru_cache(maxsize=5_000)
def misderived(passage: str, claim: str) -> bool:
    """The claim states a calculation with its numbers, these are in the passage, and the result is another."""
    if len(claim) > MOST_CLAIM or not _MAYBE.search(claim):
        return False
    amounts = amounts_of(claim)
    if not 3 <= len(amounts) <= 12:
        return False
    text = _numbered(claim, amounts)
    for pattern, (one, other, result), is_sum in _CALCULATIONS:
        for match in pattern.finditer(text):
            a, b, made = (amounts[int(match[group])] for group in (one, other, result))
            if (
                not _OPEN.search(text[max(0, match.start() - 30) : match.end()])
                and not _is_part_of_more(text, match, amounts, a)
                and _is_wrong(a, b, made, is_sum)
                and _are_written((a, b), passage)
            ):
                return True
    return False


def _is_part_of_more(text: str, match: re.Match[str], amounts: list[Amount], operand: Amount) -> bool:
    """Further numbers of the kind in the sentence: "by 12 in all, from 90 to 81 and then to 78"."""
    start = max(text.rfind(stop, 0, match.start()) for stop in (". ", "; ", "! ", "? ")) + 1
    end = min((at for stop in (". ", "; ", "! ", "? ") if (at := text.find(stop, match.end())) >= 0), default=len(text))
    around = f"{text[start : match.start()]} {text[match.end() : end]}"
    return any(amounts[int(place)].kind in (operand.kind, "number") for place in re.findall(_N, around))


def _numbered(claim: str, amounts: list[Amount]) -> str:
    """The claim with each number replaced by its place, so that patterns need not know how numbers are written."""
    text = claim
    for place in range(len(amounts) - 1, -1, -1):
        before, after = text[: amounts[place].start].rstrip("$€£¥ "), text[amounts[place].end :]
        written = "then" if amounts[place].kind in ("year", "date") else f"\x00{place}\x00"
        text = f"{before} {written}{after}"
    return text.lower()


def _is_wrong(one: Amount, other: Amount, result: Amount, is_sum: bool) -> bool:
    """Off by more than the rounding of any of the three can explain."""
    if (
        one.kind != other.kind
        or one.kind in ("date", "year")
        or any(amount.is_rough for amount in (one, other, result))
        or not _are_alike(one, other, result)
    ):
        return False
    if is_sum or result.kind == one.kind:
        right = [one.value + other.value] if is_sum else [abs(one.value - other.value)]
        is_counted = all(amount.kind == "number" and amount.place == 1 for amount in (one, other, result))
        slack = 0.0 if is_counted else (one.place + other.place + result.place) / 2
    elif result.kind == "%" and one.value:
        right = [100 * abs(other.value - one.value) / one.value]
        slack = result.place + 50 * (one.place + other.place) / one.value
    else:
        return False
    if result.kind == one.kind == "%" and not is_sum and one.value:
        right.append(100 * abs(other.value - one.value) / one.value)
    return result.kind in (one.kind, "%") and all(abs(result.value - value) > slack for value in right)


def _are_alike(one: Amount, other: Amount, result: Amount) -> bool:
    """In one unit and scale, as far as they say: not "500 g, from 2 kg to 1.5 kg", nor "from 2 to 3 million"."""
    same = [amount for amount in (one, other, result) if amount.kind == one.kind]
    units = {amount.unit for amount in (one, other, result) if amount.unit and amount.kind != "%"}
    return len(units) <= 1 and len({amount.is_scaled for amount in same}) == 1


def _are_written(operands: Sequence[Amount], passage: str) -> bool:
    there = _numbers_of(passage)
    return all(any(amount.match(number.value) == "same" for number in there) for amount in operands)


@lru_cache(maxsize=2_000)
def _numbers_of(passage: str) -> tuple[Quantity, ...]:
    return tuple(quantities(passage))
