"""A number in a text with what it counts, and whether two of them are the same."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from surefoot.text.units import (
    BASIS_POINTS,
    METRES_OR_MILLIONS,
    POINTS,
    SPANS,
    UNKNOWN,
    conversion,
    family,
    is_length,
    is_measured,
    same_currency,
)

AS_WRITTEN = "written "  # the kind of a number that can only be taken as it is written: "written 4o0"
TIMES = frozenset({"days", "months", "hours", "minutes", "seconds", "date", "year", "time of day"})  # kinds
_YEAR_IN_DAYS = (365, 366)
_CLOSE = 1e-9
_SPANS = frozenset(kind for kind, _ in SPANS.values())
_OPEN = frozenset({UNKNOWN, METRES_OR_MILLIONS})


class Quantity(Struct, frozen=True):
    value: float
    kind: str  # "EUR", "%", "days", "months", "date", "year", "time of day", or a "number", bare or with a unit
    start: int
    end: int
    unit: str = ""  # of a measure or a span of time, as in units

    def agrees(self, other: Quantity) -> bool:
        """A number that can only be taken as written is borne out by the very same; it may bear out its plain part,
        which a footnote mark follows."""
        if self.kind.startswith(AS_WRITTEN):
            return self.kind == other.kind
        if other.kind.startswith(AS_WRITTEN):
            return self.kind != "date" and _equal(self.value, other.value)
        if self.kind == "date" and other.kind == "date":
            return dates_agree(self.value, other.value)
        if "date" in (self.kind, other.kind):
            date, plain = (self, other) if self.kind == "date" else (other, self)
            return plain.kind == "year" and int(date.value // 10_000) == plain.value
        if {self.kind, other.kind} == {"days", "months"}:
            days, months = (self, other) if self.kind == "days" else (other, self)
            return any(days.value * 12 == months.value * year for year in _YEAR_IN_DAYS)
        if _are_measures(self, other):
            factor = conversion(self.unit, other.unit)
            return factor is not None and _equal(self.value * factor, other.value)
        if METRES_OR_MILLIONS in (self.unit, other.unit) and (is_length(self.unit) or is_length(other.unit)):
            return _settled(self).agrees(_settled(other))
        if POINTS in (self.unit, other.unit) and "%" in (self.kind, other.kind):
            return BASIS_POINTS in (self.unit, other.unit) and _equal(self.value, other.value)
        return same_kind(self.kind, other.kind) and _equal(self.value, other.value)


def same_kind(one: str, other: str) -> bool:
    """Bare numbers may stand for anything but a date or a time; otherwise kinds must be equal."""
    if {"date", "time of day"} & {one, other}:
        return one == other
    return same_currency(one, other) or "number" in (one, other)


def same_family(one: Quantity, other: Quantity) -> bool:
    """Both are lengths, or spans of time, or shares ...; "hours" and "feet" are not."""
    mine, theirs = _family(one), _family(other)
    return bool(mine) and mine == theirs


def _family(one: Quantity) -> str:
    return "share" if one.kind == "%" else family(one.unit)


def dates_agree(one: float, other: float) -> bool:
    """Equal in every part that both of them say."""
    for scale, size in ((10_000, 10_000), (100, 100), (1, 100)):
        a, b = int(one) // scale % size, int(other) // scale % size
        if a and b and a != b:
            return False
    return True


def _are_measures(one: Quantity, other: Quantity) -> bool:
    """Both say in what they are measured, and it is no money."""
    known = ("number", *_SPANS)
    return all(is_measured(each.unit) and each.unit not in _OPEN and each.kind in known for each in (one, other))


def _settled(one: Quantity) -> Quantity:
    """ "5m" beside a length is metres."""
    return replace(one, value=one.value / 1e6, unit="m") if one.unit == METRES_OR_MILLIONS else one


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * abs(one)
