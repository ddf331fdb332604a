"""How numbers, periods, money, shares and dates are written, and what binding documents are called, for patterns."""

from __future__ import annotations

import re

from surefoot.text.normal import words_of


def _text(name: str) -> str:
    """A pattern of `words/documents.toml`, in which <NUMBER> stands for the one of that name."""
    return re.sub("<([A-Z]+)>", lambda found: _text(found[1]), "".join(words_of("documents")[name]))


def patterns_of(names: str) -> list[re.Pattern[str]]:
    return [re.compile(_text(name)) for name in names.split()]


ABOUT, BINDING, DATE, KINDS, MEASURE, MONEY, NUMBER, SHARE, SIGNED, UNIT = map(
    _text, ("ABOUT", "BINDING", "DATE", "KINDS", "MEASURE", "MONEY", "NUMBER", "SHARE", "SIGNED", "UNIT")
)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
BE = frozenset({"is", "are", "was", "were"})
HAVE = {"has": "does", "have": "do", "had": "did"}
STATED = frozenset({"do", "does", "should"})  # what has no auxiliary of its own (clauses.py)
