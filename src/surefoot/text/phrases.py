"""Phrases as regular expressions: `words/phrases.toml` is one table for talk, refusals and questions."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any


def words_of(name: str) -> dict[str, Any]:
    """A table of words that comes with the package."""
    return tomllib.loads((files("surefoot") / "words" / f"{name}.toml").read_text("utf-8"))


def rows(table: str) -> list[str]:
    """One entry a line; an indented line continues the one before."""
    return table.strip("\n").replace("\n    ", "").splitlines()


_TABLE = words_of("phrases")
WORDS: dict[str, str] = _TABLE["words"]
_PARTS = {name: "|".join(rows(table)) for name, table in _TABLE["parts"].items()}
_PART = re.compile(r"<([A-Z]+)>")


def phrase(name: str) -> re.Pattern[str]:
    pattern = "|".join(rows(_TABLE["phrases"][name]))
    while _PART.search(pattern):
        pattern = _PART.sub(lambda part: _PARTS[part[1]], pattern)
    return re.compile(pattern, re.IGNORECASE)
