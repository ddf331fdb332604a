"""A figure of a claim for which a passage gives no ground: it neither has it nor can it be reckoned from what it has.

"The total is EUR 460" beside 200 and 250; "12 May" where the passage has only 2 May. One step of reckoning is allowed
(`reckoning.py`). Where a passage has very many figures nearly every number can be made of them, and nothing is said. Nor
is anything said of what a claim only supposes ("an order of 75"), and of counts that may count what is listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from surefoot.graders.reckoning import dimension, reckoned
from surefoot.text.amounts import Amount, amounts_of, same_sign
from surefoot.text.numerals import THOUSANDS
from surefoot.text.quantities import MOMENTS, PERIOD_KINDS
from surefoot.text.terms import terms
from surefoot.text.units import CURRENCIES, POINTS, UNKNOWN, in_other_system, ratio

MOST_FIGURES = 24
_OF_FRACTION = 3.0  # percent: 64 is "two thirds"
_SMALL = 20  # counts up to here may count what is listed
SUPPOSES = re.compile(
    r"\b(?:if|would|could|might|may|can|suppose|someone|anyone|anybody|whoever|assuming|unless|whether|not|no|never|cannot|"
    r"without|neither|nor|too|within|outside|exceeds?|enough|sufficient|allowed|qualif\w+|eligible|permitted|meets?|breach\w*|"
    r"short of|counts? as|acceptable|who|whose|when)\b|n't\b"
    r"|^\W*(?:an?|any|every|each|people|those|anything) (?!total|sum|average|further)(?:[\w-]+ ){0,3}(?:that|which|with|of|from|"
    r"for|aged|\w{3,}ing|\w{3,}ed)\b",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(
    r"(?:a|one|two|three|four) (?:third|quarter|fifth|tenth)s?\b|half\b|\w+ (?:in|out of) \w+", re.IGNORECASE
)
_TO_FIGURE = r"(?: the| an?| about| roughly| around)?[ (]*[^\s\d]{0,4} ?$"
_ABOVE = re.compile(
    rf"\b(?:(?:more|greater|higher|longer|older|larger|later) than|over|above|exceed\w*|beyond|some){_TO_FIGURE}"
)
_BELOW = re.compile(
    r"\b(?:(?:less|fewer|lower|shorter|younger|smaller|earlier) than|under|below|nearly|almost|close to|approaching)"
    rf"{_TO_FIGURE}"
)
_SUPPOSED = re.compile(
    r"\b(?:than|as \w+ as|between|first|last|top|past|next|another|further|extra|\w+ing)(?: of)?"
    + _TO_FIGURE
    + r"|\b(?:an?|"
    r"any|every|each) (?:(?!total|sum|average|mean|rate)(?:[\w-]+ ){1,2}(?:of|for|with|worth|at) )?[^\s\d]{0,4}$"
)
_BEFORE_MOMENT = re.compile(
    r"\b(?:before|after|since|until|till|by|from|to|between|and|through|of the)(?: the| early| late)? $"
)
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w-]* $")
_IN_SUBJECT = re.compile(r"\b(?:with|of|for|at|aged|in)(?: the| about)? [^\s\d]{0,4} ?$")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|ha[sd]|have|rose|fell|came|gr[eo]w|paid|gets?|held?|won|\w{2,}ed|\w{2,}s) "
)
_NO_MOMENT = re.compile(r"['’]?s\b|[-–/]\d| [^\W\d]+\b(?<! and)(?<! in)(?<! by)(?<! at)(?<! for)(?<! to)")
_YEAR_OR_ORDINAL = re.compile(
    r"1\d{3}\b(?![,.]\d)|\d+s\b|\d+(?:st|nd|rd|th)\b|\S+ (?:\w+ion|thousand)s\b|\w+[ -](?:first|second|third|\w+th)\b"
)


@lru_cache(maxsize=5_000)
def is_groundless(passage: str, claim: str, question: str = "") -> bool:
    said = amounts_of(claim)
    there = amounts_of(passage) if said else []
    if len(there) > MOST_FIGURES or SUPPOSES.search(claim):
        return False
    asked = amounts_of(question)
    for place, one in enumerate(said):
        before = claim[: one.start].rpartition(". ")[2]
        if (
            _is_supposed(one, before.lower())
            or any(map(one.agrees, asked))
            or any(_is_given(one, other) for other in there)
        ):
            continue
        if one.kind in ("date", "year"):
            if _is_another_moment(one, claim, there):
                return True
            continue
        kin = _kin(one, claim, passage, there) if one.is_figure else []
        known = [*there, *asked, *said[:place], *said[place + 1 :]]
        if kin and not _is_reckoned(one, known, claim, passage):
            return True
    return False


def _is_supposed(one: Amount, before: str) -> bool:
    if one.unit == UNKNOWN or not one.value or _SUPPOSED.search(before):
        return True
    return bool(_IN_SUBJECT.search(before)) and not _VERB.search(before)


def _is_another_moment(one: Amount, claim: str, there: Sequence[Amount]) -> bool:
    """No moment of the passage is meant; nor one between two of them, or one that a span of time leads to."""
    if _BEFORE_MOMENT.search(claim[: one.start].lower()) or any(other.kind in PERIOD_KINDS for other in there):
        return False
    if one.kind == "date":
        return any(other.kind == "date" for other in there)
    years = [other.value if other.kind == "year" else other.value // 10_000 for other in there if other.kind in MOMENTS]
    known = [year for year in years if year > 1_000]
    return bool(known) and not min(known) < one.value < max(known) and not _NO_MOMENT.match(claim, one.end)


def _kin(one: Amount, claim: str, passage: str, there: Sequence[Amount]) -> list[Amount]:
    """The figures of the passage that a reader would hold against this one; a small count only against counts of the
    same things. None of them: it is for the model to say what is missing."""
    alike = [other for other in there if other.is_figure and dimension(other) == dimension(one)]
    if dimension(one):
        is_between = dimension(one) == "time" and any(other.kind in MOMENTS for other in there)
        return [] if is_between or all(_is_converted(one, other) for other in alike) else alike
    if _NAME.search(claim[: one.start]) or _YEAR_OR_ORDINAL.match(claim, one.start):
        return []
    if one.value > _SMALL or one.value % 1:
        return alike
    thing = _thing(claim, one)
    return [other for other in alike if thing and thing == _thing(passage, other)]


def _is_converted(one: Amount, other: Amount) -> bool:
    """Weeks into months, feet and inches into metres: hardly ever exactly."""
    return in_other_system(one.unit, other.unit) or {one.kind, other.kind} == {"days", "months"}


def _thing(text: str, one: Amount) -> str:
    """What is counted: the last word of "two new inspectors"."""
    behind = re.split(
        r"[,.;:()]| (?:of|in|at|for|to|from|on|with|and|or|who|that|which|are|is|was|were|have|had|has) ",
        text[one.end : one.end + 40],
    )
    words = terms(behind[0])
    return words[min(len(words), 2) - 1] if words and one.is_counting else ""


def _is_given(one: Amount, other: Amount) -> bool:
    if one.agrees(other) or one.rounds(other) or other.rounds(one):
        return True
    if dimension(one) != dimension(other) or not one.is_figure or not other.is_figure or not same_sign(one, other):
        return False
    if POINTS in {one.unit} ^ {other.unit} or (one.kind != other.kind and one.kind in CURRENCIES):
        return False
    factor = ratio(one.unit, other.unit) if one.unit and other.unit else 1.0
    return factor is not None and one.times(factor).match(other.value, THOUSANDS) != "other"


def _is_reckoned(one: Amount, known: Sequence[Amount], claim: str, passage: str) -> bool:
    """Not where it is the passage's number in another currency, or in points instead of percent."""
    if dimension(one) in ("money", "share"):
        same = [other for other in known if other.value == one.value and dimension(other) == dimension(one)]
        if any((other.kind, other.unit) != (one.kind, one.unit) for other in same):
            return False
    before = claim[: one.start].lower()
    low = one.value if _ABOVE.search(before) else one.value / 2 if _BELOW.search(before) else 0.0
    values = (
        (*(other.value for other in known), *reckoned(one, known, claim, passage))
        if low
        else reckoned(one, known, claim, passage)
    )
    is_fraction = dimension(one) == "share" and bool(_IN_WORDS.match(claim, one.start))
    return any(
        _matches(one, value) or low < value < 2 * low or (is_fraction and abs(one.value - value) <= _OF_FRACTION)
        for value in values
    )


def _matches(one: Amount, value: float) -> bool:
    """Rounded as it is written; a share may be cut off instead, and other figures made of what was rounded before."""
    found = one.match(value, THOUSANDS)
    is_close = abs(one.value - value) <= 0.002 * one.value
    return found == "same" or is_close or (found == "near" and (one.is_rough or dimension(one) == "share"))
