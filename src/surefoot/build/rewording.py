"""A question in a language model's words: taken only if it names all that the template names, and answers nothing."""

from __future__ import annotations

import re

from surefoot.models.seam import Prompt

_TASK = (
    "Reword the question below the way somebody who works with these documents would ask it. Keep the meaning, every "
    "name, every number and the document it is about. Do not answer it and add nothing. Reply with one question.\n\n"
)
_KEPT = re.compile(r"\b[A-Z][\w&-]+|\d[\d,.]*\d|\d|[\"“][^\"”]+[\"”]")
_OPENING = re.compile(
    r"(?:what|which|how|within|must|may|for|does|do|is|are|upon|under|in|when|where|by|who|why|has)\b", re.I
)
_LONGER = 1.5
_LONGEST_REPLY = 200  # tokens


def prompt(question: str) -> Prompt:
    return Prompt(f"{_TASK}{question}", longest=_LONGEST_REPLY)


def reworded(question: str, reply: str) -> str | None:
    """The reply as a question, or None where it is none or another."""
    text = " ".join(reply.strip().strip('"“”').split())
    kept = [name for name in _KEPT.findall(question) if not _OPENING.fullmatch(name)]
    is_whole = text.endswith("?") and text.count("?") == 1 and len(text) <= _LONGER * len(question)
    adds = set(re.findall(r"\d+", text)) - set(re.findall(r"\d+", question))
    return text if is_whole and not adds and all(name.lower() in text.lower() for name in kept) else None
