"""Does an answer repeat a phrase of the gold claim? A weak signal, kept because it is cheap and readable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from surefoot.text.normal import normalise
from surefoot.text.scan import Numbers, Texts

# A phrase is a run of letters, digits, hyphens and spaces between punctuation marks.
_PHRASE = re.compile(r"[^\W_](?:[^\W_]|[-\s])*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MIN_LENGTH, _MIN_LENGTH_CJK = 5, 2

# "It is not true that <phrase>", "not <phrase>" and "<phrase> is false" say the opposite of the claim.
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|isn't|untrue|false|incorrect|wrong)(?: true| correct| the case)? that"
    r"|\b(?:not|never|no))(?: the| a| an)? $"
)
_DENIED_AFTER = re.compile(
    r"[\s\"'”’)]{1,3}(?:is|was|are|were) (?:not (?:true|correct|the case)|untrue|false|incorrect|wrong)\b"
)
_REACH = 48
_ENDLESS = 1 << 40  # longer than any answer: where there is no phrase
_DENIAL_ENDS = frozenset({"t ", "r ", "o ", "e ", "a ", "n "})  # that, not, never, no, the, a, an
_STOPS = frozenset({"", ".", ",", ";", "\n"})


def phrases_of(claims: Iterable[str]) -> tuple[str, ...]:
    """The phrases of some gold claims that are long enough to mean something."""
    found = (match.group().strip() for claim in claims for match in _PHRASE.finditer(normalise(claim)))
    return tuple(
        dict.fromkeys(one for one in found if len(one) >= (_MIN_LENGTH_CJK if _CJK.search(one) else _MIN_LENGTH))
    )


def contains(phrases: tuple[str, ...], answer: str) -> bool:
    """True when any phrase stands in the answer as whole words and is not denied there."""
    if answer.isascii() and len(answer) < min(map(len, phrases), default=0):
        return False  # no form of it is longer
    text = answer.lower()
    for phrase in phrases:
        start = text.find(phrase)
        if start >= 0 and (_clear(text, start, start + len(phrase)) or _stands(phrase, text)):
            return True
    folded = normalise(answer)
    return folded != text and any(_stands(phrase, folded) for phrase in phrases)


class Phrases:
    """The phrases of many claims, each with the number of its claim."""

    def __init__(self, phrases: Sequence[tuple[str, ...]]) -> None:
        self._all = phrases
        self._firsts = np.array([several[0] if several else "" for several in phrases], object)
        self._sizes = np.array([len(first) for first in self._firsts], np.int64)
        self._least = np.array([min(map(len, several), default=_ENDLESS) for several in phrases], np.int64)

    def stand_in(
        self, answers: Sequence[str], claims: Numbers, texts: Texts, is_answer: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """`contains` for many answers, each to a claim, or False: what is clear is found in all of them at once."""
        starts, least = texts.starts, self._least[claims]
        found = map(texts.lowered.find, self._firsts[claims].tolist(), starts.tolist(), texts.ends.tolist())
        at = np.fromiter(found, np.int64, len(answers))
        is_clear: NDArray[np.bool_] = (at > starts + 1) & texts.stand_at(" ", at - 1) & texts.is_even
        is_clear &= _among(_STOPS, texts.characters.take(at + self._sizes[claims], mode="clip"))
        is_clear &= ~_among(_DENIAL_ENDS, texts.characters.take(at - 2, mode="clip") | 32)
        is_open = is_answer & ~is_clear & (least < _ENDLESS) & ((texts.lengths >= least) | (not texts.is_ascii))
        for number in np.flatnonzero(is_open).tolist():
            is_clear[number] = contains(self._all[claims[number]], answers[number])
        return is_clear & is_answer


def _among(ends: Iterable[str], characters: Numbers) -> NDArray[np.bool_]:
    """Which characters are the first of some ends."""
    is_one = np.zeros(len(characters), np.bool_)
    for end in filter(None, ends):
        is_one |= characters == ord(end[0])
    return is_one


def _clear(text: str, start: int, end: int) -> bool:
    """Most phrases are cleared by the characters right beside them."""
    before = text[start - 2 : start] if start > 1 else " "
    return before[-1:] == " " and before not in _DENIAL_ENDS and text[end : end + 1] in _STOPS


def _stands(phrase: str, text: str) -> bool:
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (_inside_word(text, start) or _inside_word(text, end) or _denied(text, start, end)):
            return True
        start = text.find(phrase, end)
    return False


def _inside_word(text: str, at: int) -> bool:
    """True when `at` cuts a word in two. CJK text has no spaces between words, so nothing is cut there."""
    around = text[at - 1 : at + 1] if at else ""
    return around.isalnum() and len(around) == 2 and not _CJK.search(around)


def _denied(text: str, start: int, end: int) -> bool:
    if text[start - 2 : start] in _DENIAL_ENDS and _DENIED_BEFORE.search(text[max(0, start - _REACH) : start]):
        return True
    return text[end : end + 1] not in _STOPS and _DENIED_AFTER.match(text, end, end + _REACH) is not None
