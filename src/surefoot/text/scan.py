"""Many texts scanned as one: a few passes over all their characters find the texts that need a closer look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer[Any]]

_PREFIX, _LETTERS = 4, 27  # letters by which a word is looked up; a to z, and 0 for all else
_RUN = re.compile("[a-z]+")


class Texts:
    """Texts one behind the other, with a line end before and behind each."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lengths: Numbers = np.fromiter(map(len, texts), np.int64, len(texts))
        self.starts: Numbers = np.cumsum(self.lengths + 1) - self.lengths
        self.joined = "\n".join(("", *texts, ""))
        self.is_even = "İ" not in self.joined  # the one letter that becomes two
        # In lower case, every character stays where it was.
        self.lowered = self.joined.lower() if self.is_even else self.joined.replace("İ", "I").lower()
        self.characters = _numbers(self.joined)

    def numbers_of(self, positions: Sequence[int] | Numbers) -> Numbers:
        """The texts in which some characters stand, each once."""
        return np.unique(np.searchsorted(self.starts, positions, "right") - 1)

    def matching(self, pattern: re.Pattern[str]) -> Numbers:
        """The texts in which a pattern is found in lower case."""
        return self.numbers_of([match.start() for match in pattern.finditer(self.lowered)])

    def having(self, characters: str) -> NDArray[np.bool_]:
        """By position, whether one of the characters stands there."""
        is_one: NDArray[np.bool_] = self.characters == ord(characters[0])
        for one in characters[1:]:
            is_one |= self.characters == ord(one)
        return is_one

    def first_of(self, characters: str) -> Numbers:
        """Where in each text the first of some characters stands, or the end of the text."""
        found = np.append(np.flatnonzero(self.having(characters)), len(self.characters))
        first: Numbers = np.minimum(found[np.searchsorted(found, self.starts)], self.starts + self.lengths)
        return first

    def stand_at(self, words: str, positions: Numbers) -> NDArray[np.bool_]:
        """Whether some words stand at each of the positions."""
        stand = positions > 0
        for place, one in enumerate(words):
            stand &= self.characters.take(positions + place, mode="clip") == ord(one)
        return stand


def _numbers(text: str) -> Numbers:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


class WordScan:
    """Finds the texts that have one of many words, which consist of the letters a to z."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._is_prefix = np.zeros(_LETTERS**_PREFIX, np.bool_)
        for word in self._words:
            letters = [ord(letter) - 96 for letter in word[:_PREFIX].ljust(_PREFIX, "`")]
            self._is_prefix[sum(letter * _LETTERS**place for place, letter in enumerate(letters))] = True

    def numbers_in(self, texts: Texts) -> Numbers:
        """The texts with a word that no letter from a to z goes before or behind."""
        letters = _numbers(texts.lowered) - np.uint32(96)
        letters[letters >= _LETTERS] = 0
        padded = np.append(letters, np.zeros(_PREFIX, np.uint32))
        at = np.flatnonzero((letters[1:] > 0) & (letters[:-1] == 0)) + 1
        prefix = letter = padded[at]
        for place in range(1, _PREFIX):
            letter = padded[at + place] * (letter > 0)
            prefix = prefix + letter * np.uint32(_LETTERS**place)
        likely = at[self._is_prefix[prefix]].tolist()
        run, lowered, words = _RUN.match, texts.lowered, self._words
        return texts.numbers_of([place for place in likely if (found := run(lowered, place)) and found[0] in words])
