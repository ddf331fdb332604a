"""Numbers, amounts, periods and dates in a text, whatever way they are written.

"sixty (60) days", "60 days" and "two months" are quantities with a value and a kind; two quantities agree when
their values are equal and their kinds do not exclude each other. References such as "clause 4.2" are no quantities.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from msgspec import Struct

_ONES = re.findall(
    "[a-z]+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
)
_TENS = re.findall("[a-z]+", "twenty thirty forty fifty sixty seventy eighty ninety")
_WORDS: dict[str, float] = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SHORT_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "bn": 1e9, "b": 1e9}
_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
_CURRENCIES = {
    "eur": "EUR", "euro": "EUR", "euros": "EUR", "€": "EUR", "usd": "USD", "dollar": "USD", "dollars": "USD",
    "$": "USD", "us$": "USD", "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "£": "GBP", "sterling": "GBP",
    "chf": "CHF", "nok": "NOK", "sek": "SEK", "dkk": "DKK", "jpy": "JPY", "¥": "JPY",
}  # fmt: skip
CURRENCIES = frozenset(_CURRENCIES.values())
# Periods are compared in months or in days; a month is not a number of days.
_PERIODS = {
    "day": ("days", 1), "week": ("days", 7), "fortnight": ("days", 14), "hour": ("hours", 1), "minute": ("minutes", 1),
    "month": ("months", 1), "quarter": ("months", 3), "year": ("months", 12), "annum": ("months", 12),
}  # fmt: skip

_NUMBER = r"\d{1,3}(?:[, \u00a0\u202f']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_WORD_NUMBER = "|".join([*_TENS, *sorted(_ONES, key=len, reverse=True), "hundred"])
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"\b(?:(?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m2>{_MONTH})\b\.?,? ?(?P<y2>(?:19|20)\d{{2}})?"
    rf"|(?P<m3>{_MONTH})\b\.? (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\.?\d)(?:,? (?P<y3>(?:19|20)\d{{2}}))?"
    rf"|(?P<m4>{_MONTH})\b\.? (?P<y4>(?:19|20)\d{{2}}))\b"
)
_QUANTITY = re.compile(
    rf"(?P<before>us\$|[$€£¥]|\b(?:eur|usd|gbp|chf|nok|sek|dkk|jpy)\b)? ?"
    rf"(?:(?<![\w.,])(?P<digits>{_NUMBER})|\b(?P<words>(?:{_WORD_NUMBER})(?:[- ](?:{_WORD_NUMBER}))*)\b)"
    rf"(?: ?\((?:{_NUMBER})\))?"
    rf"(?:(?P<short>k|mn|mio|m|bn|b)\b|[ -]?(?P<scale>hundred|thousand|million|billion|trillion)\b)?"
    rf"[ -]?(?P<after>%|per ?cent\b|percentage points?\b|basis points?\b|bps\b|[$€£¥]|(?:[a-z]+\b(?: [a-z]+\b)?))?"
)
_REFERENCE = re.compile(
    r"\b(?:clauses?|sections?|articles?|art\.|paragraphs?|annex|schedule|table|page|p\.|no\.|number|version|v\.?|§+|"
    r"amendment no\.|form|chapter|item|note|exhibit|rule|recommendation) ?(?:no\. ?)?$"
)


_YEAR = re.compile(r"(?:19|20)\d\d")
_PERCENT = re.compile(r"%|per ?cent")
_BASIS_POINTS = re.compile(r"basis points?|bps")
_ANY = re.compile(rf"\d|\b(?:{_WORD_NUMBER})\b")


class Quantity(Struct, frozen=True):
    value: float
    kind: str  # "EUR", "%", "days", "months", "date", "year", or a bare "number"
    start: int
    end: int

    def agrees(self, other: Quantity) -> bool:
        if self.kind == "date" and other.kind == "date":
            return dates_agree(self.value, other.value)
        if "date" in (self.kind, other.kind):
            date, plain = (self, other) if self.kind == "date" else (other, self)
            return plain.kind == "year" and int(date.value // 10_000) == plain.value
        return same_kind(self.kind, other.kind) and abs(self.value - other.value) <= 1e-9 * abs(self.value)


def same_kind(one: str, other: str) -> bool:
    """Bare numbers may stand for anything but a date; otherwise kinds must be equal."""
    return one == other or ("date" not in (one, other) and ("number" in (one, other)))


def quantities(text: str) -> list[Quantity]:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    if not _ANY.search(lowered):
        return []
    dates = [_date(match) for match in _DATE.finditer(lowered)]
    starts = [date.start for date in dates]  # in order, so that a long text with many dates takes no longer per number
    found = list(dates)
    for match in _QUANTITY.finditer(lowered):
        at = match.start("digits") if match["digits"] else match.start("words")
        before = bisect_right(starts, at) - 1
        if (before >= 0 and at < dates[before].end) or _REFERENCE.search(lowered[max(0, at - 24) : at]):
            continue
        found += _quantity(match, at)
    return sorted(found, key=lambda quantity: quantity.start)


def _date(match: re.Match[str]) -> Quantity:
    """A date as yyyymmdd; what is not said is 0."""
    year, month, day = (_part(match, letter) for letter in "ymd")
    number = _MONTHS[month] if month in _MONTHS else int(month or 0)
    return Quantity(int(year or 0) * 10_000 + number * 100 + int(day or 0), "date", match.start(), match.end())


def _part(match: re.Match[str], letter: str) -> str | None:
    parts = match.groupdict()
    return next((parts[f"{letter}{i}"] for i in "1234" if parts.get(f"{letter}{i}")), None)


def dates_agree(one: float, other: float) -> bool:
    """Equal in every part that both of them say."""
    for scale, size in ((10_000, 10_000), (100, 100), (1, 100)):
        a, b = int(one) // scale % size, int(other) // scale % size
        if a and b and a != b:
            return False
    return True


def _quantity(match: re.Match[str], at: int) -> Iterator[Quantity]:
    digits, words = match["digits"], match["words"]
    value = _digits(digits) if digits else _words(words)
    kind, factor, used = _kind(match["before"], match["after"] or "")
    value *= _SCALES.get(match["scale"] or "", 1) * _SHORT_SCALES.get(match["short"] or "", 1)
    if words in ("one", "zero") and kind == "number":
        return  # "one of the parties" counts nothing
    if kind == "number" and digits and not match["scale"] and _YEAR.fullmatch(digits):
        kind = "year"
    parts = ("digits", "words", "short", "scale")
    end = match.start("after") + used if used else max(match.end(part) for part in parts)
    yield Quantity(value * factor, kind, at, end)


def _digits(text: str) -> float:
    return float(re.sub(r"[, \u00a0\u202f']", "", text))


def _words(text: str) -> float:
    total = 0.0
    for word in re.split(r"[- ]", text):
        total = total * 100 if word == "hundred" else total + _WORDS[word]
    return total


def _kind(before: str | None, after: str) -> tuple[str, float, int]:
    """The kind, what the number is multiplied by, and how many of the characters behind it belong to it."""
    if before:
        return _CURRENCIES[before], 1, 0
    if (share := _PERCENT.match(after)) and "point" not in after:
        return "%", 1, share.end()
    if share := _BASIS_POINTS.match(after):
        return "%", 0.01, share.end()
    first, _, second = after.partition(" ")
    for word, used in ((first, len(first)), (second, len(after))):
        if word in _CURRENCIES:
            return _CURRENCIES[word], 1, used
        stem = word.rstrip("s")
        if stem in _PERIODS:
            return _PERIODS[stem][0], _PERIODS[stem][1], used
    return "number", 1, 0
