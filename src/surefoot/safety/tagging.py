"""A text as tags: one character for each word or mark, and where each of them stands."""

from __future__ import annotations

import re

from surefoot.safety.grammar import INFLECTED, LINE, OTHER, OTHER_INFLECTED, TAGS

# Words; single letters or halves of a word set apart ("b-o-m-b", "ran-som-ware"); marks; lines that begin something
_TOKEN = re.compile(
    r"\b(?:e\.g|i\.e|etc|vs|Dr|Mr|Mrs|Ms|No|Inc|Ltd)\.|"
    r"[A-Za-z](?:(?:-[A-Za-z]){2,20}|(?:\.[A-Za-z]){2,20}|(?:\*[A-Za-z]){2,20}|(?: [A-Za-z]){2,20})(?![^\W_])|"
    r"[^\W_]+(?:(?:'|[*_]{1,2}|-\s{0,3})[^\W_]+){0,20}|\.(?!\d)|[!?;:,]|"
    r"\n[ \t]{0,8}(?:\n|[-*#>]|\d{1,2}[.)]|(?=[A-Z]))"
)
_APART = re.compile(r"[-.*_\s]+")


class _Tags(dict[str, str]):
    """The tags of a token, worked out once for each."""

    def __missing__(self, token: str) -> str:
        tags = self[token] = _tags_of(token)
        return tags


def _tags_of(token: str) -> str:
    if token[0] == "\n":
        return LINE
    word = token.lower()
    if word in TAGS:
        return TAGS[word]
    parts = [part for part in _APART.split(word) if part]
    if len(parts) > 1:
        joined = "".join(parts)
        if joined in TAGS:
            return TAGS[joined]
        if joined[1:] in TAGS and len(parts[0]) == 1:  # "a b o m b"
            return TAGS.get(joined[0], OTHER) + TAGS[joined[1:]]
        return "".join(TAGS.get(part, OTHER) for part in parts)
    if word.endswith("'s"):
        return OTHER
    unknown = OTHER_INFLECTED if INFLECTED.search(word) else OTHER
    return TAGS.get(word.split("'")[0], unknown)  # "you'd" is you


class Tagged:
    """A folded text as tags; where they stand is worked out only if something was found."""

    def __init__(self, text: str) -> None:
        known = _Tags()
        self._text = text
        self._pieces = [known[token] for token in _TOKEN.findall(text)]
        self.tags = "".join(self._pieces)

    def spans(self) -> list[tuple[int, int]]:
        places = zip(_TOKEN.finditer(self._text), self._pieces, strict=True)
        return [token.span() for token, piece in places for _ in piece]
