"""A claim that names another number than the passage, where no rounding or reckoning can make them the same."""

from __future__ import annotations

from functools import lru_cache

from surefoot.text.numbered import Numbered, numbered
from surefoot.text.quantities import AS_WRITTEN, Quantity, quantities


@lru_cache(maxsize=5_000)
def misnumbered(passage: str, claim: str) -> bool:
    """Q1 where the passage has Q3, 10:00 where it has 18:00, or a number in letters that only look like digits."""
    return _names_another(passage, claim) or any(_is_another(one, passage) for one in _exact(claim))


def _names_another(passage: str, claim: str) -> bool:
    """The claim names a quarter, a version, a section ... and the passage only others of the name."""
    there = _numbered(passage)
    return any(one not in there and any(one.name == other.name for other in there) for one in _numbered(claim))


def _is_another(one: Quantity, passage: str) -> bool:
    there = _exact(passage)
    if one.kind == "time of day" and not any(other.kind == one.kind for other in there):
        return False
    return not any(one.agrees(other) for other in there)


@lru_cache(maxsize=5_000)
def _exact(text: str) -> tuple[Quantity, ...]:
    return tuple(one for one in quantities(text) if one.kind == "time of day" or one.kind.startswith(AS_WRITTEN))


@lru_cache(maxsize=5_000)
def _numbered(text: str) -> frozenset[Numbered]:
    return frozenset(numbered(text))
