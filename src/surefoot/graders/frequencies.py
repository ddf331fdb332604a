"""How often: a claim that says "monthly" where the passage has "weekly", and monthly nowhere.

A frequency is how many times a year something happens, in whatever words: "every other week" and "26 times a year" are
one. A claim with other figures is left alone, as these may have been reckoned from one period to another.
"""

from __future__ import annotations

import re
from functools import lru_cache

from surefoot.text.amounts import amounts_of
from surefoot.text.numbers import ONES

_IN_YEAR = {
    "hour": 8_760.0, "day": 365.0, "week": 52.0, "fortnight": 26.0, "month": 12.0, "quarter": 4.0, "season": 4.0,
    "year": 1.0, "decade": 0.1,
}  # fmt: skip
_PERIODS = "|".join(_IN_YEAR)
_ADVERBS = {
    "hourly": 8_760.0, "daily": 365.0, "nightly": 365.0, "weekly": 52.0, "fortnightly": 26.0, "monthly": 12.0,
    "quarterly": 4.0, "half-yearly": 2.0, "semi-annual": 2.0, "semi-annually": 2.0, "semiannually": 2.0,
    "annually": 1.0, "annual": 1.0, "yearly": 1.0, "biennial": 0.5, "biennially": 0.5,
}  # fmt: skip
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NUMBER = rf"\d+|{'|'.join(ONES)}"
_FREQUENCY = re.compile(
    rf"\b(?:(?P<adverb>{'|'.join(sorted(_ADVERBS, key=len, reverse=True))})"
    rf"|(?:(?:once )?every|once in) (?P<other>(?:other|second) )?(?:(?P<number>{_NUMBER})[ -])?(?P<period>{_PERIODS})s?"
    rf"|(?P<times>once|twice|(?:{_NUMBER}) times) (?:an?|per|each|every|in (?:an?|each|every)) (?P<of>{_PERIODS})"
    rf"|(?:each|per) (?P<each>{_PERIODS})|(?:every|each) (?P<weekday>{_WEEKDAY})|on (?:{_WEEKDAY})s)\b",
    re.IGNORECASE,
)
_CLOSE = 0.03


@lru_cache(maxsize=5_000)
def is_of_another_frequency(passage: str, claim: str) -> bool:
    said = {value for value, _, _ in _frequencies(claim)}
    if len(said) != 1 or _has_figures(claim):
        return False
    there = [value for value, _, _ in _frequencies(passage)]
    (own,) = said
    return bool(there) and not any(abs(own - value) <= _CLOSE * value for value in there)


def _has_figures(claim: str) -> bool:
    spans = [(start, end) for _, start, end in _frequencies(claim)]
    return any(not any(start <= one.start < end for start, end in spans) for one in amounts_of(claim))


@lru_cache(maxsize=5_000)
def _frequencies(text: str) -> tuple[tuple[float, int, int], ...]:
    return tuple((_times_a_year(match), *match.span()) for match in _FREQUENCY.finditer(text.lower()))


def _times_a_year(match: re.Match[str]) -> float:
    if match["adverb"]:
        return _ADVERBS[match["adverb"]]
    if match["times"]:
        times = {"once": 1.0, "twice": 2.0}.get(match["times"]) or _number(match["times"].split()[0])
        return times * _IN_YEAR[match["of"]]
    period = match["period"] or match["each"]
    if not period:
        return _IN_YEAR["week"]
    return _IN_YEAR[period] / (2.0 if match["other"] else _number(match["number"] or "1"))


def _number(written: str) -> float:
    return float(written if written.isdigit() else ONES.index(written)) or 1.0
