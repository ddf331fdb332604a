"""A claim that names another number than the passage, where no rounding or reckoning can make them the same."""

from __future__ import annotations

import re
from functools import lru_cache

from surefoot.graders.quantity_names import misnamed
from surefoot.text.amounts import Amount, amounts_of, same_sign
from surefoot.text.numbered import Numbered, numbered, parts_of_year, references
from surefoot.text.quantities import AS_WRITTEN, Quantity, plain_digits, quantities, same_family
from surefoot.text.sentences import sentences
from surefoot.text.terms import terms
from surefoot.text.units import is_measured

_JOINTS = re.compile(r"[,;]\s|\b(?:and|while|but|whereas)\b", re.IGNORECASE)
_WRITTEN = re.compile(r"\d[\d,]*(?:\.\d+)?[¼½¾]?|[^\W\d_]+")


@lru_cache(maxsize=5_000)
def misnumbered(passage: str, claim: str, question: str = "") -> bool:
    """Q1 where the passage has Q3, 10:00 where it has 18:00, 5 mg where it has 5 g, 40 °C where it has -40 °C, a number
    in letters that only look like digits, or the figure of the diameter as the radius."""
    if misnamed(passage, claim, question) or any(
        _is_swapped(sentence, passage, claim) for sentence in sentences(passage)
    ):
        return True
    if _names_another(passage, claim) or any(_is_another(one, passage) for one in _exact(claim)):
        return True
    return any(_is_mistaken(one, claim, passage) for one in _measures(claim))


def _names_another(passage: str, claim: str) -> bool:
    """The claim names a quarter, a version, a section ... and the passage only others of the name."""
    there = _numbered(passage)
    return any(one not in there and any(one.name == other.name for other in there) for one in _numbered(claim))


def _is_swapped(sentence: str, passage: str, claim: str) -> bool:
    """The sentence tells two of a name apart, and the claim says of the one what it says of the other: "Tier 2 costs
    5 and Tier 3 costs 9" is no ground for "Tier 3 costs 5"."""
    own = _things(claim)
    if len(own) != 1:
        return False
    parts = _parts_by_thing(sentence, own[0].name)
    if own[0] not in parts or len(parts) < 2 or sum(own[0] in _things(one) for one in sentences(passage)) > 1:
        return False
    said, here = _content(claim), parts.pop(own[0])
    is_told_apart = bool(here - {own[0].name})  # unlike "in Tier 2 and Tier 3"
    return is_told_apart and not said <= here and any(said <= there for there in parts.values())


def _parts_by_thing(sentence: str, name: str) -> dict[Numbered, frozenset[str | float]]:
    """What is said with each thing of the name, up to the part that names the next; nothing where a part names two."""
    found: dict[Numbered, frozenset[str | float]] = {}
    last: Numbered | None = None
    for part in _JOINTS.split(sentence):
        things = [one for one in _things(part) if one.name == name]
        if len(things) > 1:
            return {}
        last = things[0] if things else last
        if last:
            found[last] = found.get(last, frozenset()) | _content(part)
    return found


@lru_cache(maxsize=20_000)
def _things(text: str) -> tuple[Numbered, ...]:
    return tuple(dict.fromkeys(one for one, _, _ in (*references(text), *parts_of_year(plain_digits(text)))))


@lru_cache(maxsize=20_000)
def _content(text: str) -> frozenset[str | float]:
    """The words and figures beside the numbers that tell things apart."""
    for _, start, end in reversed(list(references(text))):
        text = f"{text[:start]}{text[end:]}"
    return frozenset((*terms(text), *(one.value for one in quantities(text))))


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
