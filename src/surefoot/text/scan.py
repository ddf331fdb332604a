"""Many texts scanned as one: a few passes over all their characters find the texts that need a closer look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.integer[Any]]

_PREFIX, _LETTERS = 4, 27  # letters by which a word is looked up; a to z, and 0 for all else
_LETTER_CODES = bytes(code - 96 if 97 <= code <= 122 else 0 for code in range(256))
_RUN = re.compile("[a-z]+")


class Texts:
    """Texts one behind the other, with a line end before and behind each."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lengths: Numbers = np.fromiter(map(len, texts), np.int64, len(texts))
        self.starts: Numbers = np.cumsum(self.lengths + 1) - self.lengths
        self.ends: Numbers = self.starts + self.lengths
        self.joined = "\n".join(("", *texts, ""))
        self.is_ascii = self.joined.isascii()
        self.is_even = self.is_ascii or "İ" not in self.joined  # the one letter that becomes two
        # In lower case, every character stays where it was.
        self.lowered = self.joined.lower() if self.is_even else self.joined.replace("İ", "I").lower()
        self.characters: Numbers = (
            np.frombuffer(self.joined.encode(), np.uint8)
            if self.is_ascii
            else np.frombuffer(self.joined.encode("utf-32-le", "surrogatepass"), np.uint32)
        )

    @cached_property
    def plain(self) -> bytes:
        """In lower case, with a question mark for whatever is not ASCII."""
        return self.lowered.encode("ascii", "replace")

    def numbers_of(self, positions: Sequence[int] | Numbers) -> Numbers:
        """The texts in which some characters stand, each once."""
        is_one = np.zeros(len(self.starts), np.bool_)
        is_one[np.searchsorted(self.starts, positions, "right") - 1] = True
        return np.flatnonzero(is_one)

    def having(self, characters: str) -> NDArray[np.bool_]:
        """By position, whether one of the characters stands there."""
        is_one: NDArray[np.bool_] = self.characters == ord(characters[0])
        for one in characters[1:]:
            if one.isascii() or not self.is_ascii:
                is_one |= self.characters == ord(one)
        return is_one

    def first_of(self, characters: str) -> Numbers:
        """Where in each text the first of some characters stands, or the end of the text."""
        found = np.append(np.flatnonzero(self.having(characters)), len(self.characters))
        first: Numbers = np.minimum(found[np.searchsorted(found, self.starts)], self.ends)
        return first

    def stand_at(self, words: str, positions: Numbers) -> NDArray[np.bool_]:
        """Whether some words stand at each of the positions."""
        stand = positions > 0
        for place, one in enumerate(words):
            stand &= self.characters.take(positions + place, mode="clip") == ord(one)
        return stand


class WordScan:
    """Finds the texts that have one of many words, which consist of the letters a to z."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._is_prefix = np.zeros((_LETTERS,) * _PREFIX, np.bool_)
        for word in self._words:
            letters = [ord(letter) - 96 for letter in word[:_PREFIX]]
            self._is_prefix[(*letters, 0)[:_PREFIX]] = True  # behind a short word, anything may stand

    def numbers_in(self, texts: Texts) -> Numbers:
        """The texts with a word that no letter from a to z goes before or behind."""
        letters = np.frombuffer(texts.plain.translate(_LETTER_CODES) + bytes(_PREFIX), np.uint8)
        is_letter = letters > 0
        at = np.flatnonzero(is_letter[1:] > is_letter[:-1]) + 1
        prefix = letters[at].astype(np.int32)
        for place in range(1, _PREFIX):
            prefix = prefix * _LETTERS + letters[at + place]
        likely = at[self._is_prefix.ravel()[prefix]]
        is_whole = ~is_letter[likely + 1] | ~is_letter[likely + 2] | ~is_letter[likely + 3]
        run, lowered, words = _RUN.match, texts.lowered, self._words
        longer = [place for place in likely[~is_whole].tolist() if (found := run(lowered, place)) and found[0] in words]
        return texts.numbers_of(np.concatenate((likely[is_whole], np.array(longer, np.int64))))
