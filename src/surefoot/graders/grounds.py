"""An amount of money or a share for which a passage gives no ground: it has others, and no reckoning makes it of them.

"The total is EUR 460" beside EUR 200 and 250; "$ 40" for EUR 40; 3 percent for 3 percentage points. Steps that people
take in passing are allowed (`reckoning.py`); of very many figures nearly every number can be made, and nothing is said.
Nor is anything said of what a claim only supposes ("an order of EUR 75").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from surefoot.graders.reckoning import dimension, reckoned
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.numerals import THOUSANDS
from surefoot.text.units import CURRENCIES, POINTS, UNKNOWN

MOST_FIGURES = 24
_OF_FRACTION = 3.0  # percent: 64 is "two thirds"
# A claim about a case, whose figures are not the passage's.
SUPPOSES = re.compile(
    r"\b(?:if|would|could|might|may|can|suppose|someone|anyone|anybody|whoever|assuming|unless|whether|who|whose|when|not|"
    r"no|never|cannot|without|neither|nor|too|within|outside|exceeds?|enough|sufficient|allowed|qualif\w+|eligible|"
    r"permitted|meets?|breach\w*|short of|counts? as|acceptable)\b|n't\b"
    r"|^\W*(?:an?|any|every|each|people|those|anything) (?!total|sum|average|further)(?:[\w-]+ ){0,3}"
    r"(?:that|which|with|of|from|for|aged|\w{3,}ing|\w{3,}ed)\b",
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
    rf"\b(?:than|as \w+ as|between|first|last|top|past|next|another|further|extra|\w+ing)(?: of)?{_TO_FIGURE}"
    r"|\b(?:an?|any|every|each) (?:(?!total|sum|average|mean|rate)(?:[\w-]+ ){1,2}(?:of|for|with|worth|at) )?"
    r"[^\s\d]{0,4}$"
)
_IN_SUBJECT = re.compile(r"\b(?:with|of|for|at|aged|in)(?: the| about)? [^\s\d]{0,4} ?$")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|ha[sd]|have|rose|fell|came|gr[eo]w|paid|gets?|held?|won|\w{2,}ed|\w{2,}s) "
)


@lru_cache(maxsize=5_000)
def is_groundless(passage: str, claim: str, question: str = "") -> bool:
    said = amounts_of(claim)
    there = amounts_of(passage) if any(map(_is_kept, said)) else []
    if not 0 < len(there) <= MOST_FIGURES or SUPPOSES.search(claim):
        return False
    asked = amounts_of(question)
    for place, one in enumerate(said):
        if not _is_kept(one) or not any(dimension(other) == dimension(one) for other in there):
            continue  # where the passage has nothing of the kind, it is for the model to say so
        if any(_is_given(one, other) for other in (*there, *asked)) or _is_supposed(one, claim):
            continue
        if not _is_reckoned(one, [*there, *asked, *said[:place], *said[place + 1 :]], claim, passage):
            return True
    return False


def _is_kept(one: Amount) -> bool:
    """Money and shares; measures, counts and times follow from others in too many ways."""
    return dimension(one) in ("money", "share")


def _is_supposed(one: Amount, claim: str) -> bool:
    before = claim[: one.start].rpartition(". ")[2].lower()
    if one.unit == UNKNOWN or not one.value or _SUPPOSED.search(before):
        return True
    return bool(_IN_SUBJECT.search(before)) and not _VERB.search(before)


def _is_given(one: Amount, other: Amount) -> bool:
    if one.agrees(other) or one.rounds(other) or other.rounds(one):
        return True
    if dimension(one) != dimension(other):
        return False
    if POINTS in {one.unit} ^ {other.unit} or (one.kind != other.kind and one.kind in CURRENCIES):
        return False
    return one.match(other.value, THOUSANDS) != "other"


def _is_reckoned(one: Amount, known: Sequence[Amount], claim: str, passage: str) -> bool:
    """Not where it is the passage's number in another currency, or in points instead of percent."""
    same = [other for other in known if other.value == one.value and dimension(other) == dimension(one)]
    if any((other.kind, other.unit) != (one.kind, one.unit) for other in same):
        return False
    before = claim[: one.start].lower()
    low = one.value if _ABOVE.search(before) else one.value / 2 if _BELOW.search(before) else 0.0
    slack = _OF_FRACTION if dimension(one) == "share" and _IN_WORDS.match(claim, one.start) else 0.0
    values = [*reckoned(one, known, claim, passage), *(other.value for other in known if low or slack)]
    return any(
        _matches(one, value) or low < value < 2 * low or (slack and abs(one.value - value) <= slack) for value in values
    )


def _matches(one: Amount, value: float) -> bool:
    """Rounded as it is written; a share may be cut off instead, and other figures made of what was rounded before."""
    found = one.match(value, THOUSANDS)
    is_close = abs(one.value - value) <= 0.002 * one.value
    return found == "same" or is_close or (found == "near" and (one.is_rough or dimension(one) == "share"))
