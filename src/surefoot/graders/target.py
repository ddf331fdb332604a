"""Does an answer say what was asked? Read where no gold claim tells what the right answer says.

Gold ids say which passages hold the answer. A passage holds more than one fact, so the claim, or the sentence that bears
it out, must answer about as well as any other sentence of the passage; and a question of when, how much or why is
answered by a time, a number or a reason.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from surefoot.graders.judging import Asked
from surefoot.graders.rules import units_of
from surefoot.text.normal import normalise
from surefoot.text.quantities import CURRENCIES, quantities
from surefoot.text.terms import terms
from surefoot.types import Passage

# Fitted to the demo's answers and the development half of the written ones.
ANSWERS, TELLING, AS_WELL = 0.1, 0.2, 0.33
MOST_PIECES = 12
Scores = Mapping[Asked, float | None]

_TIME = re.compile(
    r"\b(?:how (?:long|soon|quickly|fast|often|much (?:time|notice))|when|until when|(?:what|which) (?:date|day|year|month)"
    r"|by what date)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\b(?:how (?:much|many|high|big|large|low|far|old)|(?:what|which) (?:percentage|percent|share|proportion|number))\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:why|for what reason|what (?:caused|drove|explains))\b", re.IGNORECASE)
_IS_TIME = re.compile(
    r"\b(?:immediately|at once|promptly|forthwith|without delay|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|once|"
    r"twice|never|always|at any time|permanent(?:ly)?|indefinite(?:ly)?|until|before|after|upon|during|spring|summer|"
    r"autumn|fall|winter|decades?|centur(?:y|ies)|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|"
    r"(?:first|last|second|third|fourth) (?:quarter|half)|noon|midnight|end of)\b",
    re.IGNORECASE,
)
_IS_AMOUNT = re.compile(
    r"\b(?:none|no|nil|nothing|free|half|third|quarter|twice|double|triple|one|unlimited|all|every|any|neither|both)\b",
    re.IGNORECASE,
)
_IS_REASON = re.compile(
    r"\b(?:because|since|due|owing|thanks to|as|result\w*|reasons?|caused?|causing|driven|drove|reflect\w*|attribut\w*|"
    r"led|leads?|owed|therefore|so that|in order|to (?:avoid|allow|protect|ensure|prevent|comply|meet)|mainly|primarily|"
    r"offset|explain\w*|follow\w*|account\w*|stem\w*|contribut\w*|higher|lower|which)\b",
    re.IGNORECASE,
)
_TIMES = frozenset({"days", "months", "hours", "minutes", "date", "year", "time of day"})


class Cited(Struct, frozen=True):
    """A claim that a cited passage bears out, with the sentence that does."""

    claim: str
    quote: str
    passage: Passage


def of_gold(cited: Sequence[Cited], gold_ids: Collection[str], retrieved: Sequence[Passage]) -> list[Cited]:
    """Those that cite a gold passage, or one that has a gold passage's text; all of them where no gold is known."""
    if not gold_ids:
        return list(cited)
    texts = [normalise(passage.text) for passage in retrieved if passage.id in gold_ids]
    return [
        one
        for one in cited
        if one.passage.id in gold_ids or any(text and text in normalise(one.passage.text) for text in texts)
    ]


def asked_about(question: str, cited: Sequence[Cited]) -> list[Asked]:
    """All that is to be read against the question."""
    return [asked for one in cited for asked in (*_own(question, one), _whole(question, one), *_pieces(question, one))]


def answers(question: str, cited: Sequence[Cited], scores: Scores, is_gold: bool) -> bool:
    """Some claim is of the kind that is asked for, and answers the question. Gold ids vouch for their passage."""
    said = " ".join(one.claim for one in cited)
    return _is_of_kind(question, said) and any(_answers(question, one, scores, is_gold) for one in cited)


def _answers(question: str, one: Cited, scores: Scores, is_gold: bool) -> bool:
    own = _best(_own(question, one), scores)
    top = max(own, _best(_pieces(question, one), scores))
    if not is_gold and max(own, _best([_whole(question, one)], scores)) < ANSWERS:
        return False
    return top < TELLING or own >= AS_WELL * top


def _best(asked: Sequence[Asked], scores: Scores) -> float:
    return max((scores.get(one) or 0.0 for one in asked), default=0.0)


def _own(question: str, one: Cited) -> list[Asked]:
    return [Asked(text, question, one.passage.doc) for text in dict.fromkeys((one.claim, one.quote)) if text.strip()]


def _whole(question: str, one: Cited) -> Asked:
    return Asked(one.passage.text, question, one.passage.doc)


def _pieces(question: str, one: Cited) -> list[Asked]:
    """The sentences and rows of the passage, those nearest to the question if there are many."""
    wanted = frozenset(terms(question))
    units = [unit for unit in units_of(one.passage.text) if len(unit.sentences) == 1]
    nearest = sorted(units, key=lambda unit: -len(wanted & unit.terms))[:MOST_PIECES]
    return [Asked(unit.text, question, one.passage.doc) for unit in nearest]


def _is_of_kind(question: str, said: str) -> bool:
    """A question of when, how much or why has an answer that tells a time, a number or a reason."""
    found = quantities(said)
    if _TIME.search(question) and not _AMOUNT_OF_MONEY.search(question):
        return any(one.kind in _TIMES or one.kind == "number" for one in found) or bool(_IS_TIME.search(said))
    if _AMOUNT.search(question):
        known = quantities(question)
        new = [one for one in found if one.kind not in ("date", "year") and not any(one.agrees(k) for k in known)]
        return bool(new) or bool(_IS_AMOUNT.search(said))
    return not _WHY.search(question) or bool(_IS_REASON.search(said))


_AMOUNT_OF_MONEY = re.compile(r"\bhow much (?:did|does|do|is|was|were|are|will|would|must|can|may|of)\b", re.IGNORECASE)
