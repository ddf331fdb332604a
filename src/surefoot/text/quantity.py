"""A number in a text with what it counts, and whether two of them are the same."""

from __future__ import annotations

from msgspec import Struct

from surefoot.text.currencies import same_currency

AS_WRITTEN = "written "  # the kind of a number that can only be taken as it is written: "written 4o0"
_YEAR_IN_DAYS = (365, 366)
_CLOSE = 1e-9


class Quantity(Struct, frozen=True):
    value: float
    kind: str  # "EUR", "%", "days", "months", "date", "year", "time of day", or a bare "number"
    start: int
    end: int

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
        return same_kind(self.kind, other.kind) and _equal(self.value, other.value)


def same_kind(one: str, other: str) -> bool:
    """Bare numbers may stand for anything but a date or a time; otherwise kinds must be equal."""
    if {"date", "time of day"} & {one, other}:
        return one == other
    return same_currency(one, other) or "number" in (one, other)


def dates_agree(one: float, other: float) -> bool:
    """Equal in every part that both of them say."""
    for scale, size in ((10_000, 10_000), (100, 100), (1, 100)):
        a, b = int(one) // scale % size, int(other) // scale % size
        if a and b and a != b:
            return False
    return True


def _equal(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * abs(one)
