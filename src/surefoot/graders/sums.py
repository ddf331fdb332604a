"""What an answer works out: its sums are done again, and the talk of how they are done is no claim.

A figure that no passage has is supported where the sum that gives it is right and every number that goes into it is in
the passage, was worked out before, or is named by the question. A sum that comes to something else is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.calculations import Calculation, calculations
from surefoot.graders.judges import Judgement
from surefoot.graders.rules import units_of
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.claims import Claim
from surefoot.text.normal import terms
from surefoot.text.numbers import MOMENTS, THOUSANDS, Quantity, quantities

VIA = "worked out"
MOST_SUMS = 60  # nobody shows more
_SURE, _RESTATED, _COVERED = 0.9, 0.8, 0.5
_CONSTANTS = frozenset({1.0, 2.0, 3.0, 4.0, 5.0, 12.0, 52.0, 100.0, 360.0, 365.0, 366.0})
_DOES = r"(?:calculat\w*|comput\w*|deriv\w*|determin\w*|find|obtain\w*|work(?:ed)? out|arrive at)"
_METHOD = re.compile(
    r"\b(?:is|are|can be|could be|would be|was|were|be) (?:\w+ )?"
    r"(?:calculated|computed|defined|derived|determined|found|obtained|expressed|worked out)\b"
    rf"|^\W*(?:in order )?to {_DOES}\b"
    r"|^\W*(?:(?:so|then|next|now|first|firstly|second|finally|therefore|thus),? )?(?:let us |let's |we|i|you)"
    r"(?: can| could| will| would| need to| must| first| then| also| now| have to)*"
    rf" (?:{_DOES}|divide|subtract|add|multiply|use|take|need|substitute|plug|apply|sum)\b"
    r"|\b(?:is|are|equals|means)\b[^.]*\b(?:divided by|minus|less|plus|multiplied by|as a (?:share|percentage|"
    r"proportion) of)\b|\bformula\b|\b(?:is|are) (?:an? )?(?:\w+ )?(?:measure|metric|indicator|ratio)s? (?:of|that|"
    r"which|used|for)\b|\bmeasures? (?:how|the|an?|what)\b|^\W*(?:substituting|plugging|using|inserting|dividing|"
    r"applying)\b|\b(?:follows|following|calculation|steps?)\b\W*$|[^\W\d_]\s*=\s*\W*[^\W\d_].*[/÷×*+−-]",
    re.IGNORECASE,
)
_WORKED_OUT = re.compile(
    r"\b(?:ratios?|margins?|average|mean|chang\w*|growth|grew|grow|turnover|per ?cent\w*|rates?|totals?|sum|"
    r"differences?|increas\w*|decreas\w*|declin\w*|yields?|returns?|ebitda?|working capital|cash flow|outstanding|"
    r"conversion|combined|calculat\w*|comput\w*|round\w*|times|per|multiples?|share|proportion|profit|net|gross|"
    r"how much (?:more|less))\b|%",
    re.IGNORECASE,
)


class Working(Struct, frozen=True):
    """The sums of an answer. Claims are known by their place; `starts` says where each begins in the joined text."""

    claims: tuple[Claim, ...]
    starts: tuple[int, ...]
    sums: tuple[Calculation, ...]
    question: str
    asked: tuple[Quantity, ...]  # its numbers

    @property
    def results(self) -> list[Amount]:
        return [amount for one in self.sums if one.is_right for amount in one.results]

    def of(self, place: int) -> list[Calculation]:
        """The sums that stand in a claim, or that run through it."""
        start, end = self.starts[place], self.starts[place] + len(self.claims[place].text)
        return [one for one in self.sums if one.start < end and one.end > start]


def working_of(question: str, claims: Sequence[Claim]) -> Working:
    starts, at = [], 0
    for claim in claims:
        starts.append(at)
        at += len(claim.text) + 1
    text = "\n".join(claim.text for claim in claims)
    sums = calculations(text)
    kept = sums if len(sums) <= MOST_SUMS else ()
    return Working(tuple(claims), tuple(starts), kept, question, quantities(question))


def without_method(question: str, claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Where an answer works something out, saying how is no claim about the documents."""
    if not calculations("\n".join(claim.text for claim in claims)):
        return tuple(claims)
    known = quantities(question)
    return tuple(claim for claim in claims if not _is_method(claim.text, known))


def with_sources(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """A line that is nothing but a sum cites what the sentence behind it cites, which draws on it."""
    found: list[Claim] = []
    for claim in reversed(claims):
        is_sum = not claim.citations and not terms(claim.text) and "=" in claim.text
        found.append(replace(claim, citations=found[-1].citations) if is_sum and found else claim)
    return tuple(reversed(found))


def _is_method(text: str, known: Sequence[Quantity]) -> bool:
    figures = [one for one in quantities(text) if one.kind not in MOMENTS and not _is_constant(one)]
    return all(any(one.agrees(other) for other in known) for one in figures) and bool(_METHOD.search(text))


def _is_constant(one: Quantity) -> bool:
    """ "/ 2", "* 100 %", "365 days" """
    return one.value in _CONSTANTS and (one.kind == "number" or one.value in (100.0, 365.0))


def worked_out(working: Working, place: int, passage: str) -> Judgement | None:
    """What the sums say of a claim and a passage; None where they leave it open."""
    sums = working.of(place)
    if any(one.is_wrong for one in sums):
        return Judgement("contradicted", _SURE, via=VIA)
    if not all(one.is_right for one in sums) or not working.results:
        return None
    there, claim = _values_of(passage), working.claims[place].text
    inputs = [amount for one in sums or working.sums if one.is_right for amount in one.operands]
    known = all(_is_known(amount, there, working) for amount in (*inputs, *_further(working, place, sums)))
    if not known or not _is_about(claim, working.question, passage):
        return None
    if not any(_is_written(amount, there) and not _is_constant(amount) for amount in inputs):
        return None
    new = [amount for amount in _figures(claim) if not _is_written(amount, there)]
    if not sums and not any(_is_among(amount, working.results) for amount in new):
        return None
    return Judgement("supported", _SURE if sums else _RESTATED, _nearest(passage, inputs), VIA)


def figures_written(passage: str, claim: str) -> bool:
    """Every figure of the claim, and it has some, is in the passage, rounded or in another scale; so are most words."""
    figures, own, there = _figures(claim), terms(claim), frozenset(terms(passage))
    values = _values_of(passage)
    is_near = sum(term in there for term in own) >= _COVERED * len(own)
    return bool(figures) and is_near and all(_is_written(amount, values) for amount in figures)


def _further(working: Working, place: int, sums: Sequence[Calculation]) -> list[Amount]:
    """The numbers of a claim that are in none of its sums."""
    start = working.starts[place]
    return [
        amount
        for amount in _figures(working.claims[place].text)
        if not any(one.start <= start + amount.start < one.end for one in sums)
    ]


def _is_about(claim: str, question: str, passage: str) -> bool:
    """A figure of the kind that is worked out, in words that question and passage know: no fee follows from a rent."""
    own, there = terms(claim), frozenset(terms(f"{question}\n{passage}"))
    covered = sum(term in there for term in own) >= _COVERED * len(own)
    return covered and bool(_WORKED_OUT.search(f"{question}\n{claim}"))


def _is_known(amount: Amount, there: frozenset[float], working: Working) -> bool:
    return (
        _is_constant(amount)
        or _is_written(amount, there)
        or _is_among(amount, working.results)
        or any(amount.agrees(other) for other in working.asked)
    )


def _is_among(amount: Amount, others: Sequence[Amount]) -> bool:
    """Rounded as either is written; "84.7 %" is "0.847" too, and a scale said once holds for what follows."""
    return any(
        abs(abs(amount.value) * factor - abs(other.value)) <= 0.5 * max(amount.place * factor, other.place) * (1 + 1e-9)
        for other in others
        for factor in _factors(amount, other)
    )


def _factors(one: Amount, other: Amount) -> tuple[float, ...]:
    if "%" in (one.kind, other.kind):
        return (1.0, 100.0, 0.01)
    if one.is_scaled == other.is_scaled:
        return (1.0,)
    return THOUSANDS if other.is_scaled else tuple(1 / scale for scale in THOUSANDS)


def _is_written(amount: Amount, there: frozenset[float]) -> bool:
    """In whatever scale: a statement in thousands says so once."""
    value = abs(amount.value)
    return any(round(value / scale, 6) in there or round(value * scale, 6) in there for scale in THOUSANDS) or any(
        amount.match(number, THOUSANDS) == "same" for number in there if amount.is_scaled
    )


def _figures(text: str) -> list[Amount]:
    return [amount for amount in amounts_of(text) if amount.kind not in MOMENTS]


@lru_cache(maxsize=1_000)
def _values_of(passage: str) -> frozenset[float]:
    return frozenset(round(abs(one.value), 6) for one in quantities(passage) if one.kind not in ("date", "time of day"))


def _nearest(passage: str, inputs: Sequence[Amount]) -> str:
    """The sentence or row that has most of what goes into the sum."""
    units = [unit for unit in units_of(passage) if len(unit.sentences) == 1]
    values = {amount.value for amount in inputs}
    best = max(units, key=lambda unit: len(values & {one.value for one in unit.quantities}), default=None)
    return best.text if best else ""
