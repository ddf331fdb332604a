"""A claim that names another number than the passage, where no rounding or reckoning can make them the same."""

from __future__ import annotations

import re
from functools import lru_cache

from surefoot.graders.quantity_names import misnamed
from surefoot.text.amounts import Amount, amounts_of, same_sign
from surefoot.text.numbered import Numbered, numbered
from surefoot.text.quantities import AS_WRITTEN, Quantity, quantities, same_family
from surefoot.text.units import is_measured

_WRITTEN = re.compile(r"\d[\d,]*(?:\.\d+)?[¼½¾]?|[^\W\d_]+")


@lru_cache(maxsize=5_000)
def misnumbered(passage: str, claim: str, question: str = "") -> bool:
    """Q1 where the passage has Q3, 10:00 where it has 18:00, 5 mg where it has 5 g, 40 °C where it has -40 °C, a number
    in letters that only look like digits, or the figure of the diameter as the radius."""
    if misnamed(passage, claim, question):
        return True
    if _names_another(passage, claim) or any(_is_another(one, passage) for one in _exact(claim)):
        return True
    return any(_is_mistaken(one, claim, passage) for one in _measures(claim))


def _names_another(passage: str, claim: str) -> bool:
    """The claim names a quarter, a version, a section ... and the passage only others of the name."""
    there = _numbered(passage)
    return any(one not in there and any(one.name == other.name for other in there) for one in _numbered(claim))


def _is_another(one: Quantity, passage: str) -> bool:
    there = _exact(passage)
    if one.kind == "time of day" and not any(other.kind == one.kind for other in there):
        return False
    return not any(one.agrees(other) for other in there)


def _is_mistaken(one: Amount, claim: str, passage: str) -> bool:
    """The passage has the number, but only in another unit or with another sign."""
    kin = [other for other in _measures(passage) if same_family(one, other)]
    if any(one.agrees(other) and same_sign(one, other) for other in kin):
        return False
    return any(one.agrees(other) or _number(claim, one) == _number(passage, other) for other in kin)


def _number(text: str, amount: Amount) -> str:
    match = _WRITTEN.match(text, amount.start)
    return match.group().replace(",", "").lower() if match else ""


@lru_cache(maxsize=5_000)
def _measures(text: str) -> tuple[Amount, ...]:
    return tuple(one for one in amounts_of(text) if one.kind == "%" or is_measured(one.unit))


@lru_cache(maxsize=5_000)
def _exact(text: str) -> tuple[Quantity, ...]:
    return tuple(one for one in quantities(text) if one.kind == "time of day" or one.kind.startswith(AS_WRITTEN))


@lru_cache(maxsize=5_000)
def _numbered(text: str) -> frozenset[Numbered]:
    return frozenset(numbered(text))
