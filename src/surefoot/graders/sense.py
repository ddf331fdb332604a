"""The words of a claim and a sentence agree: does the sense? Negation, duty against permission, and opposites."""

from __future__ import annotations

import re
from functools import lru_cache

from surefoot.text.terms import terms

_NEGATION = re.compile(
    r"\b(?:not|never|no longer|neither|nor|without|cannot|can't|won't|isn't|aren't|wasn't|weren't|doesn't|don't|didn't|"
    r"shan't|mustn't|prohibited from|forbidden to|unable to|exempt from|no)\b"
)
_NEGATED_BEFORE = re.compile(r"\b(?:is|are|was|were|be) (?:ruled out|prohibited|forbidden|barred|excluded|banned)\b")
_MUST = re.compile(r"\b(?:shall|must|has to|have to|(?:is|are) (?:required|obliged|obligated) to)\b(?! not)")
_MAY = re.compile(r"\b(?:may|can|(?:is|are) (?:allowed|permitted|entitled|free) to)\b(?! not)")
_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{one})"), re.compile(rf"\b(?:{other})"))
    for one, other in (
        ("increas|rais|rose|rise|higher|grew|up from", "decreas|reduc|fell|fall|lower|cut|declin|shorten|down from"),
        ("before|prior to|earlier than", "after|following|later than"),
        ("at least|minimum|no less than|not less than", "at most|maximum|no more than|not more than|up to|not exceed"),
        ("includ|inclusive", "exclud|exclusive"),
    )
)


@lru_cache(maxsize=5_000)
def turned_round(claim: str, sentence: str) -> bool:
    """True when the sentence says the opposite of the claim in much the same words."""
    said, written = claim.lower(), sentence.lower()
    return _negated_otherwise(said, written) or _other_modality(said, written) or _opposite(said, written)


def _negated_otherwise(said: str, written: str) -> bool:
    """A word that both share is negated in one of them only."""
    here, there = _negated(said), _negated(written)
    shared = set(terms(said)) & set(terms(written))
    return bool((here ^ there) & shared) and not (here & there)


def _negated(text: str) -> set[str]:
    found = _governed(_NEGATION, text, 2)
    for match in _NEGATED_BEFORE.finditer(text):
        found.update(terms(text[: match.start()])[-2:])
    return found


def _other_modality(said: str, written: str) -> bool:
    """The same verb is a duty in one and a choice in the other."""
    for duty, choice in ((said, written), (written, said)):
        if (_governed(_MUST, duty) & _governed(_MAY, choice)) - _governed(_MUST, choice):
            return True
    return False


def _governed(pattern: re.Pattern[str], text: str, reach: int = 1) -> set[str]:
    """The content words right behind each match: what is negated, owed or allowed."""
    found = set()
    for match in pattern.finditer(text):
        following = terms(text[match.end() : match.end() + 60].split(". ")[0])
        found.update(following[:reach])
    return found


def _opposite(said: str, written: str) -> bool:
    for one, other in _OPPOSITES:
        for left, right in ((one, other), (other, one)):
            if left.search(said) and not right.search(said) and right.search(written) and not left.search(written):
                return True
    return False
