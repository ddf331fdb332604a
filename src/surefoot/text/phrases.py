"""Phrases as regular expressions: `words/phrases.toml` is one table for talk, refusals and questions."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import Any, cast


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


class _Late:
    """A regular expression that is made on its first use: all of them take longer than many a command."""

    def __init__(self, make: Callable[[], re.Pattern[str]]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> object:
        made = self._made = self.__dict__.get("_made") or self._make()
        value = self.__dict__[name] = getattr(made, name)  # found at once from now on
        return value


def late(make: Callable[[], re.Pattern[str]]) -> re.Pattern[str]:
    return cast("re.Pattern[str]", _Late(make))


def phrase(name: str) -> re.Pattern[str]:
    return late(lambda: re.compile(_spelled("|".join(rows(_TABLE["phrases"][name]))), re.IGNORECASE))


def _spelled(pattern: str) -> str:
    while _PART.search(pattern):
        pattern = _PART.sub(lambda part: _PARTS[part[1]], pattern)
    return pattern
