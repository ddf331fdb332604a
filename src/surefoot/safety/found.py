"""A piece of personal data that was found, and what is called what."""

from __future__ import annotations

from typing import NamedTuple

_BEFORE = 60  # characters that are looked at before a number


class Hit(NamedTuple):
    kind: str
    start: int
    end: int
    why: str


def before(text: str, place: int) -> str:
    """What may name the number at a place; nothing if it follows no word, as in tables of numbers."""
    some = text[max(0, place - _BEFORE) : place]
    return some if some.rstrip(" .:#=\"'()-+")[-1:].isalpha() else ""
