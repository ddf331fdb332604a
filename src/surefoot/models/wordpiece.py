"""Text to the word pieces that the encoders were trained on (BERT's, in lower case), each with its place in the text.

Special tokens are never read from a text: "[SEP]" in an answer is three pieces like any other word.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

LONGEST_WORD = 100  # characters; longer ones are unknown
_WORD = re.compile(r"[^\s!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")
_PLAIN = re.compile(r"[\t\n\r -~]*")
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class Piece(NamedTuple):
    id: int
    start: int
    end: int


class Pair(NamedTuple):
    ids: list[int]
    types: list[int]  # 0 for the first text, 1 for the second, where the model tells them apart


class WordPieces:
    """A vocabulary, as the file of a trained tokenizer has it."""

    def __init__(self, path: Path) -> None:
        file = msgspec.json.decode(path.read_bytes())
        self._ids: dict[str, int] = file["model"]["vocab"]
        self.unknown = self._ids[file["model"]["unk_token"]]
        ends = file["post_processor"]
        if ends["type"] == "RobertaProcessing":
            first, last = ends["cls"][1], ends["sep"][1]
            self._start, self._between, self._end, self._second = [first], [last, last], [last], 0
        else:
            first, last = (ends["special_tokens"][name]["ids"][0] for name in ("[CLS]", "[SEP]"))
            self._start, self._between, self._end, self._second = [first], [last], [last], 1
        self._word = lru_cache(maxsize=50_000)(self._cut)

    def pieces(self, text: str) -> list[Piece]:
        normal, places = _normalised(text)
        found = []
        for word in _WORD.finditer(normal):
            for id_, start, end in self._word(word.group()):
                first, last = word.start() + start, word.start() + end - 1
                found.append(Piece(id_, places[first], places[last] + 1))
        return found

    def pair(self, first: str, second: str, longest: int) -> Pair:
        """Both texts with the marks around them; the second is cut to fit."""
        ids = [*self._start, *(piece.id for piece in self.pieces(first)), *self._between]
        room = max(0, longest - len(ids) - len(self._end))
        rest = [*(piece.id for piece in self.pieces(second)[:room]), *self._end]
        return Pair(ids + rest, [0] * len(ids) + [self._second] * len(rest))

    def _cut(self, word: str) -> tuple[tuple[int, int, int], ...]:
        """The longest piece first, then the longest of the rest; unknown as a whole if a rest has none."""
        found, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            ends = range(len(word), start, -1) if len(word) <= LONGEST_WORD else ()
            end = next((end for end in ends if prefix + word[start:end] in self._ids), None)
            if end is None:
                return ((self.unknown, 0, len(word)),)
            found.append((self._ids[prefix + word[start:end]], start, end))
            start = end
        return tuple(found)


def _normalised(text: str) -> tuple[str, list[int] | range]:
    """Lower case without accents; and where each character comes from."""
    if _PLAIN.fullmatch(text):
        return text.lower(), range(len(text))
    found, places = [], []
    for place, character in enumerate(text):
        normal = _normal(character)
        found.append(normal)
        places.extend([place] * len(normal))
    return "".join(found), places


@lru_cache(maxsize=20_000)
def _normal(character: str) -> str:
    category, number = unicodedata.category(character), ord(character)
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or category in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if character.isspace():
        return " "
    parts = unicodedata.normalize("NFD", character)
    plain = "".join(part for part in parts if unicodedata.category(part) != "Mn").lower()
    is_alone = category.startswith("P") or any(low <= number <= high for low, high in _IDEOGRAPHS)
    return f" {plain} " if is_alone else plain
