"""Dates, times of the day, fiscal years and single periods ("a year") in lowered text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from surefoot.text.quantity import Quantity

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), 1)
    for name in names.split()
}  # fmt: skip
# Periods are compared in months or in days; a month is not a number of days.
PERIODS = {
    "day": ("days", 1), "week": ("days", 7), "fortnight": ("days", 14), "hour": ("hours", 1), "minute": ("minutes", 1),
    "second": ("seconds", 1), "month": ("months", 1), "quarter": ("months", 3), "year": ("months", 12),
    "annum": ("months", 12), "decade": ("months", 120),
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"\b(?:(?P<y1>\d{{4}})-(?P<m1>\d{{2}})-(?P<d1>\d{{2}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m2>{_MONTH})\b\.?,? ?(?P<y2>(?:19|20)\d{{2}})?"
    rf"|(?P<m3>{_MONTH})\b\.? (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\.?\d)(?:,? (?P<y3>(?:19|20)\d{{2}}))?"
    rf"|(?P<m4>{_MONTH})\b\.? (?P<y4>(?:19|20)\d{{2}}))\b"
)
_CLOCK = re.compile(
    r"\b(?:(?P<h1>\d{1,2})(?:[:.](?P<m1>[0-5]\d))? ?(?P<half>[ap])(?:m\b|\.m\b\.?)"
    r"|(?<![\d:.])(?P<h2>[01]?\d|2[0-4]):(?P<m2>[0-5]\d)(?![\d:])|(?P<word>(?:12 )?noon|midday|midnight)\b)"
)
_FISCAL = re.compile(r"\b[fc]y['’]?(?P<year>(?:19|20)?\d\d)\b")
# Behind such a word "a year" is a period; in "EUR 500 a year" and "once a year" it says how often.
_ONE_PERIOD = re.compile(
    r"\b(?:for|within|after|of|in|least|most|than|over|under|about|nearly|almost|exactly|to|"
    r"last(?:s|ed|ing)?|is|are|was|be|takes?|runs?) (?P<one>(?P<part>half )?an? (?:full |whole )?"
    r"(?P<period>day|week|fortnight|hour|month|year|decade)(?:'s|’s)?\b(?P<more> and a half\b)?)"
)
_ADVERBS = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year"}
_COUNTS = {"twice": 2, "two times": 2, "three times": 3, "thrice": 3, "four times": 4, "six times": 6}
_TIMES = re.compile(
    rf"\b(?P<times>{'|'.join(_COUNTS)}|[2-9](?= times)|1[0-2](?= times))(?: times)?[ -]"
    rf"(?:(?:an?|per|each|every|in every|in each) (?P<period>day|week|month|year)|(?P<adverb>{'|'.join(_ADVERBS)}))\b"
    r"|\b(?P<word>semi-?annually|half-?yearly|bi-?annually|every half[- ]year)\b"
)


def moments(lowered: str) -> Iterator[Quantity]:
    yield from (_date(match) for match in _DATE.finditer(lowered))
    yield from (time for match in _CLOCK.finditer(lowered) for time in _time(match))
    yield from (_fiscal(match) for match in _FISCAL.finditer(lowered))
    yield from (_period(match) for match in _ONE_PERIOD.finditer(lowered))
    yield from (_interval(match) for match in _TIMES.finditer(lowered))


def _date(match: re.Match[str]) -> Quantity:
    """A date as yyyymmdd; what is not said is 0."""
    year, month, day = (_part(match, letter) for letter in "ymd")
    number = _MONTHS[month] if month in _MONTHS else int(month or 0)
    return Quantity(int(year or 0) * 10_000 + number * 100 + int(day or 0), "date", match.start(), match.end())


def _part(match: re.Match[str], letter: str) -> str | None:
    parts = match.groupdict()
    return next((parts[f"{letter}{i}"] for i in "1234" if parts.get(f"{letter}{i}")), None)


def _time(match: re.Match[str]) -> Iterator[Quantity]:
    """Of the day, in minutes."""
    if match["word"]:
        yield Quantity(0 if match["word"] == "midnight" else 720, "time of day", *match.span())
        return
    hour, minute, half = int(match["h1"] or match["h2"]), int(match["m1"] or match["m2"] or 0), match["half"]
    if not half or 1 <= hour <= 12:
        hour = hour % 12 + 12 * (half == "p") if half else hour % 24
        yield Quantity(60 * hour + minute, "time of day", *match.span())


def _fiscal(match: re.Match[str]) -> Quantity:
    year = int(match["year"])
    return Quantity(year if year >= 1_900 else 2_000 + year, "year", *match.span())


def _period(match: re.Match[str]) -> Quantity:
    kind, size = PERIODS[match["period"]]
    count = 0.5 if match["part"] else 1.5 if match["more"] else 1.0
    return Quantity(count * size, kind, match.start("one"), match.end("one"), kind)


def _interval(match: re.Match[str]) -> Quantity:
    """ "twice a year" is every six months."""
    if match["word"]:
        return Quantity(6.0, "months", *match.span(), "months")
    kind, size = PERIODS[match["period"] or _ADVERBS[match["adverb"]]]
    times = _COUNTS[match["times"]] if match["times"] in _COUNTS else int(match["times"])
    return Quantity(size / times, kind, *match.span(), kind)
