"""A figure in another role than the passage gives it: what something fell by as what it fell to, or the value that was
replaced as the one that holds.

Said only where the passage has the figure in other roles alone, and no reckoning makes it fit the claim's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from surefoot.graders.reckoning import dimension
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.sentences import sentences

_ROUGHLY = (
    r"(?: (?:about|around|roughly|nearly|almost|just|over|approximately|as much as|up to|some|only|an?|the))*"
    r"[ (]*[^\s\d]{0,4} ?$"
)
_VERB = re.compile(
    r"\b(?:ris(?:e|es|en|ing)|rose|increas\w*|gr(?:ow|ew|own|owth|owing|ows)|gain\w*|climb\w*|jump\w*|surg\w*|rais\w*|"
    r"fall(?:s|en|ing)?|fell|decreas\w*|declin\w*|drop\w*|reduc\w*|shr[aiu]nk\w*|lower\w*|cut\w*|slip\w*|sank|expand\w*|"
    r"shorten\w*|extend\w*|widen\w*|narrow\w*|chang\w*|adjust\w*|went|up|down)\b",
    re.IGNORECASE,
)
_DID = r"(?:rose|grew|fell|sank|gained|lost|slipped|(?:climb|jump|surg|drop|declin|decreas|increas)\w*|up|down)"
_CHANGE = r"(?:rise|increase|growth|gain|fall|decrease|decline|drop|reduction|cut|raise)"
_ROLES = {
    "by": re.compile(
        rf"\bby{_ROUGHLY}|\b{_CHANGE} of{_ROUGHLY}|\b{_DID}(?: (?:about|nearly|almost|some|only|just|another))* [$€£]?$"
    ),
    "to": re.compile(rf"\b(?:(?<!up )to|reach\w*|stood at|stands at|settled at){_ROUGHLY}"),
    "from": re.compile(rf"\bfrom{_ROUGHLY}"),
}
_BY_BEHIND = re.compile(rf"(?: ?%| per ?cent)? (?:\w+ )?(?:{_CHANGE}|higher|lower|more|less|fewer)\b", re.IGNORECASE)
_VALUE = (
    r"(?:\w+ ){0,2}(?:rates?|limits?|fees?|prices?|caps?|figures?|estimates?|values?|deadlines?|targets?|budgets?|"
    r"periods?|thresholds?|versions?|amounts?|charges?|fares?|tariffs?|salary|wages?|forecasts?|guidance|totals?|numbers?|"
    r"terms?|levels?|requirements?|provisions?|rules?|polic(?:y|ies)|clauses?|agreements?|drafts?|plans?|counts?|tolls?)"
)
_OLD = re.compile(
    r"\b(?:previously|formerly|originally|initially|used to|until (?:then|now|recently|the|(?:\w+ )?(?:19|20)\d\d)"
    r"|at first|first (?:put|set|estimated|planned|reported|announced|given)|had been|had (?:set|put|planned|said)"
    r"|replac(?:es?|ed|ing)|supersed(?:es?|ed|ing)|instead of|rather than|in place of|(?:up|down|changed) from"
    rf"|(?:previous|former|original|initial|old|earlier|prior|superseded|first) {_VALUE})\b"
)
_NEW = re.compile(
    r"\b(?:now|currently|presently|today|since|amend\w*|revis\w*|updat\w*|correct\w*|with|later|subsequent\w*|effective|"
    r"as of|as from|rais\w*|increas\w*|reduc\w*|lower\w*|extend\w*|shorten\w*|chang\w*|cut|final\w*|restat\w*"
    rf"|new {_VALUE})\b"
)
_TO = re.compile(rf"\b(?:to|with){_ROUGHLY}")
_REPLACES = re.compile(r"\b(?:replac\w*|supersed\w*|instead of|rather than|in place of|up from|down from)\b")
_PAST = re.compile(
    r"\b(?:was|were|had|used to|did|previous\w*|former\w*|original\w*|initial\w*|until|before|earlier|old|from|first|"
    r"once|then|past|prior|no longer|not|never|instead|replac\w*|supersed\w*|chang\w*|rais\w*|increas\w*|reduc\w*|"
    r"lower\w*|rose|fell|amend\w*|revis\w*|correct\w*|cut|(?:19|20)\d\d)\b"
)
_PRESENT = re.compile(r"\b(?:is|are|now|currently|has|have|must|shall|may|can|will|today)\b")


_NEAR = 40  # characters in which a change is named


class _Placed(NamedTuple):
    amount: Amount
    before: str  # since the figure before
    behind: str
    sentence: str


@lru_cache(maxsize=5_000)
def is_misplaced(passage: str, claim: str) -> bool:
    figures = amounts_of(passage) if amounts_of(claim) else []
    said = [one for one in _placed(claim) if any(map(one.amount.agrees, figures))] if figures else []
    there = _placed(passage) if said else ()
    return any(_is_misdirected(one, there) or _is_superseded(one, claim, there) for one in said)


@lru_cache(maxsize=5_000)
def _placed(text: str) -> tuple[_Placed, ...]:
    return tuple(one for line in text.splitlines() for piece in sentences(line) for one in _in_sentence(piece))


def _in_sentence(sentence: str) -> Iterator[_Placed]:
    end = 0
    for amount in amounts_of(sentence):
        if amount.is_figure:
            yield _Placed(
                amount, sentence[end : amount.start].lower(), sentence[amount.end : amount.end + _NEAR], sentence
            )
            end = amount.end


def _role(one: _Placed) -> str:
    """What the figure is of a change; empty where there is none, or where that is not plain."""
    if _BY_BEHIND.match(one.behind):
        return "by"
    found = [name for name, pattern in _ROLES.items() if pattern.search(one.before)]
    return found[0] if found and _VERB.search(one.sentence) else ""


def _is_misdirected(one: _Placed, there: Sequence[_Placed]) -> bool:
    """ "Fell to 12 %" for "fell by 12 %"."""
    role, same = _role(one), [other for other in there if one.amount.agrees(other.amount)]
    roles = {_role(other) for other in same} if role else set()
    if not roles or role in roles or "" in roles:
        return False
    values = [other.amount.value for other in there if dimension(other.amount) == dimension(one.amount)]
    made = [value for left, right in combinations(values, 2) for value in (left + right, abs(left - right))]
    return all(one.amount.match(value) == "other" for value in made)


def _is_superseded(one: _Placed, claim: str, there: Sequence[_Placed]) -> bool:
    """The passage has the figure only as what was before, and another as what is now."""
    same = [other for other in there if one.amount.agrees(other.amount)]
    if not same or not all(_is_old(other) for other in same):
        return False
    is_replaced = any(_REPLACES.search(other.before) for other in same)
    others = [other for other in there if dimension(other.amount) == dimension(one.amount) and not _is_old(other)]
    later = [other for other in others if is_replaced or _is_new(other)]
    if not later or any(other.amount.agrees(given.amount) for other in later for given in _placed(claim)):
        return False
    cues = set(_PAST.findall(claim.lower()))
    return not cues - {"was", "were"} and not (cues and any(_PRESENT.search(other.before) for other in later))


def _is_old(one: _Placed) -> bool:
    """Of the words since the figure before, the last that tells old from new decides."""
    if _ROLES["from"].search(one.before):
        return bool(_VERB.search(one.before))
    return _last(_OLD, one.before) > _last(_NEW, one.before)


def _is_new(one: _Placed) -> bool:
    return bool(_TO.search(one.before)) or _last(_NEW, one.before) > _last(_OLD, one.before)


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((match.end() for match in pattern.finditer(text)), default=-1)
