"""Phrases as regular expressions: `words/phrases.toml` is one table for talk, refusals and questions."""

from __future__ import annotations

import re
import tomllib
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
    """A regular expression that is compiled on its first use: to compile all takes longer than many a command."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> object:
        value = self.__dict__[name] = getattr(re.compile(self._pattern, self._flags), name)  # at once from now on
        return value


class _Phrase(_Late):
    """Whatever its case. Whether it stands in a text is told in lower case, which is several times as fast."""

    def __init__(self, pattern: str) -> None:
        super().__init__(pattern, re.IGNORECASE)
        self._lower = late(_LETTER.sub(lambda letter: letter[0].lower(), pattern))

    def search(self, text: str, *bounds: int) -> re.Match[str] | None:
        return self._lower.search(lowered(text), *bounds)

    def match(self, text: str, *bounds: int) -> re.Match[str] | None:
        return self._lower.match(lowered(text), *bounds)


_LETTER = re.compile(r"(?<!\\)(?<!\(\?)[A-Z]")  # but for those of \W and (?P<name>


def lowered(text: str) -> str:
    """In lower case, with every character where it was."""
    return text.lower() if text.isascii() else text.replace("İ", "I").lower()


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, compiled when it is first used."""
    return cast("re.Pattern[str]", _Late(pattern, flags))


def phrase(name: str) -> re.Pattern[str]:
    pattern = "|".join(rows(_TABLE["phrases"][name]))
    while _PART.search(pattern):
        pattern = _PART.sub(lambda part: _PARTS[part[1]], pattern)
    return late(pattern, re.IGNORECASE) if "(?-i:" in pattern else cast("re.Pattern[str]", _Phrase(pattern))
