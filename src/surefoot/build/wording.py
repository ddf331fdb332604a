"""The words of a question: its document named, and the same thing not always asked in the same way."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TypeVar

from surefoot.build.asking import THIS

_BINDING = re.compile(
    r"\b(?:agreement|contract|lease|licen[cs]e|policy|terms|nda|deed|plan|addendum|amendment|charter|undertaking)\b",
    re.IGNORECASE,
)
_SHORT = 14  # words, with which a question can bear its document at the end
_VARIANTS = (
    (
        re.compile(r'What does "(.+?)" mean\?'),
        ('What does "{0}" mean?', 'How is "{0}" defined?', 'What counts as "{0}"?'),
    ),
    (
        re.compile(r"Which state's or country's law governs (.+)\?"),
        ("Which state's or country's law governs {0}?", "Which law governs {0}?", "What is the governing law of {0}?"),
    ),
)
Chosen = TypeVar("Chosen")


def pick(key: str, choices: Sequence[Chosen]) -> Chosen:
    """The same for the same key."""
    return choices[int(hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:8], 16) % len(choices)]


def worded(asks: str, name: str, key: str) -> str:
    """The question, with its document named where there are several."""
    text = _varied(asks, key)
    if THIS in text:
        first, _, others = text.partition(THIS)
        return f"{first}{name or 'the document'}{others.replace(THIS, 'it')}"
    if not name:
        return text
    preposition = "under" if _BINDING.search(name) else "in"
    if len(text.split()) <= _SHORT and pick(f"{key} end", (True, False)):
        return f"{text.rstrip('?')} {preposition} {name}?"
    return f"{preposition.capitalize()} {name}, {lowered(text)}"


def _varied(asks: str, key: str) -> str:
    for pattern, forms in _VARIANTS:
        if found := pattern.fullmatch(asks):
            return pick(key, forms).format(*(group or "" for group in found.groups()))
    return asks


def lowered(text: str) -> str:
    return f"{text[0].lower()}{text[1:]}"
