"""Is a text one that an English reader can grade? Told by its letters and its function words.

Only text that plainly is something else is turned away: names, tables, numbers, headings and short texts pass.
"""

from __future__ import annotations

import re
from typing import Literal
from unicodedata import normalize

from surefoot.text.normal import is_empty, word_set
from surefoot.text.phrases import words_of

_TABLE = words_of("languages")
_ENGLISH, _SHARED = word_set(_TABLE["english"]), word_set(_TABLE["shared"])
_PARTICLES, _BORROWED = word_set(_TABLE["particles"]), word_set(_TABLE["borrowed"])
_FOREIGN = frozenset(
    word for words in _TABLE["foreign"].values() for word in words.split() if len(word) > 1 or not word.isascii()
).difference(_ENGLISH, _SHARED, _PARTICLES)

Unreadable = Literal["empty", "not text", "not English"]

_SAMPLE = 20_000  # characters of a longer text that are looked at, from both of its ends and its middle
_MOST_CONTROL, _MOST_FOREIGN_LETTERS, _MOST_FOREIGN_WORDS = 0.02, 0.4, 0.7
_FEWEST_WORDS, _FEWEST_FOREIGN = 3, 2
_LEAST_SHARE, _LEAST_SHARE_OF_ONE = 1 / 8, 1 / 4
_SHOUTED = 0.8  # with as many words in capitals, case tells nothing
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffd\ud800-\udfff\ue000-\uf8ff]")
_LETTER = re.compile(r"[^\W\d_]")
# Greek letters stand in English formulas, so they count as Latin unless they make whole words.
_LATIN = r"a-zA-Z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff\ufb00-\ufb06\uff21-\uff5aµα-ωΑ-Ω"
_FOREIGN_RUN = re.compile(rf"[\u0370-\u03ff\u1f00-\u1fff]{{3,}}|(?:(?![{_LATIN}])[^\W\d_])+")
_LATIN_WORD = re.compile(rf"[{_LATIN}]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MARKED = re.compile(r"[à-öø-ÿāăąćčďđēėęěğģīįıķļłńņňōőœřśşšţťūůűųźżžơưșț\u1ea0-\u1eff]")


def unreadable(text: str) -> Unreadable | None:
    """Why a text cannot be graded, or None."""
    if is_empty(text):
        return "empty"
    seen = normalize("NFC", sample(text))
    if len(_CONTROL.findall(seen)) > max(1, _MOST_CONTROL * len(seen)):
        return "not text"
    return "not English" if _in_another_script(seen) or _in_another_language(seen) else None


def sample(text: str) -> str:
    """Enough of a text to tell what it is made of."""
    if len(text) <= _SAMPLE:
        return text
    part, middle = _SAMPLE // 3, len(text) // 2
    return f"{text[:part]} {text[middle : middle + part]} {text[-part:]}"


def _in_another_script(text: str) -> bool:
    """Counted in words, so that an English sentence about long foreign names stays one."""
    if text.isascii():
        return False
    letters, foreign = len(_LETTER.findall(text)), _FOREIGN_RUN.findall(text)
    if sum(map(len, foreign)) <= _MOST_FOREIGN_LETTERS * letters:
        return False
    words = [word.lower() for word in _LATIN_WORD.findall(text)]
    if not any(word in _ENGLISH or word in _SHARED for word in words):
        return True
    others = sum(-(-len(run) // 2) if _UNSPACED.match(run) else 1 for run in foreign)
    return others > _MOST_FOREIGN_WORDS * (others + len(words))


def _in_another_language(text: str) -> bool:
    """Hardly a word that only English has, but several that it has not."""
    words = _WORD.findall(text)
    if len(words) < _FEWEST_WORDS:
        return False
    asked = _no_names(words)
    telling = [word for word in asked if word in _FOREIGN or _is_marked(word)]
    found = len(telling) + sum(word in _PARTICLES for word in asked)
    english = sum(word.lower() in _ENGLISH for word in words)
    shared = sum(word in _SHARED for word in asked if word not in _PARTICLES) if english else 0
    if len(set(telling)) >= _FEWEST_FOREIGN:
        return found > 2 * english + shared and found >= len(words) * _LEAST_SHARE
    if english or _FOREIGN.isdisjoint(telling) or len(words) <= _FEWEST_WORDS:
        return False
    return found >= max(_FEWEST_FOREIGN, len(words) * _LEAST_SHARE_OF_ONE)


def _no_names(words: list[str]) -> list[str]:
    """A capital may mean a name, unless it is that of a small word at the beginning, or everything is in capitals."""
    small = [word for word in words if word.islower()]
    if sum(word.isupper() for word in words) >= _SHOUTED * len(words):
        return [word.lower() for word in words]
    first = words[0].lower()
    return [*small, *[first] * (words[0][0].isupper() and (first in _FOREIGN or first in _PARTICLES))]


def _is_marked(word: str) -> bool:
    """Written with letters that English lacks; names, which have capitals, are not asked."""
    return not word.isascii() and word not in _BORROWED and _MARKED.search(word) is not None
