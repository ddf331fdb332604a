"""A pair made ready for a model: what of the claim and the passage it reads, and what its readings add up to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from math import exp, log

from msgspec import Struct
from msgspec.structs import replace

from surefoot.graders.features import LONGEST_CLAIM
from surefoot.graders.judging import Asked
from surefoot.graders.windows import MOST_WINDOWS, Offsets, choose, windows_of
from surefoot.text.language import Unreadable, unreadable
from surefoot.text.sentences import digest, sentences
from surefoot.text.terms import terms, without_yes_no

_PAIR_TOKENS, _SPECIAL_TOKENS, _PART_TOKENS, _STEP = 256, 4, 128, 32
_MARGIN = 2  # a window's tokens may differ by one where a word was cut
_FEWEST_TERMS = 3
_LONGEST_QUESTION = 400  # characters that help to read a short claim
_WORDS_PER_TOKEN = 0.75
_BY_CHANCE = 0.6
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_WORD_OR_NUMBER = re.compile(r"[^\W\d_]{2}|\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_RULE = re.compile(r"[\s|:=+-]*")
Probabilities = tuple[float, float, float]


class Reading(Struct, frozen=True):
    """`parts` of the claim, each to be read against each of the windows; the first of several is the digest."""

    parts: tuple[str, ...]
    windows: tuple[str, ...]
    among: int  # as many windows before some were left out
    skipped: int = 0

    @property
    def read(self) -> int:
        """How many windows of the passage are read; the digest is none."""
        return len(self.windows) - (len(self.windows) > 1)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(part, window) for part in self.parts for window in self.windows]

    def narrowed(self, keep: Sequence[int]) -> Reading:
        """Only some of the windows, and always the digest."""
        kept = sorted({0, *keep})
        return Reading(self.parts, tuple(self.windows[i] for i in kept), self.among, self.skipped)


class Sum(Struct, frozen=True):
    """What all readings say together, and the windows that decide for and against."""

    probabilities: Probabilities
    supporting: int
    opposing: int


def why_not(**texts: str) -> str:
    """Why one of some texts, given by name, cannot be read; "" if all can."""
    for name, text in texts.items():
        if name in ("claim", "question") and len(text) > LONGEST_CLAIM:
            return f"the {name} is longer than {LONGEST_CLAIM:,} characters"
        if reason := _unreadable(text):
            return f"the {name} is {reason}"
    return ""


def says_nothing(claim: str, context: str, question: str = "") -> str:
    """Why there is nothing to hold against each other, although both can be read; "" if there is."""
    if not _WORD_OR_NUMBER.search(context):
        return "the context has no words"
    if question.strip() or _DIGITS.search(claim) or any(len(term) > 1 for term in terms(claim)):
        return ""
    return "the claim has no words that say anything"


def prepare(passage: str, claim: str, offsets: Offsets, most: int = MOST_WINDOWS) -> Reading:
    length = len(offsets(claim))
    parts = (claim,) if length <= _PART_TOKENS else windows_of(claim, _PART_TOKENS, offsets)
    # Claims of about one length share their passage's windows.
    claim_room = min(_PART_TOKENS, -(-length // _STEP) * _STEP)
    budget = _PAIR_TOKENS - _SPECIAL_TOKENS - _MARGIN - claim_room
    chosen = choose(_windows(passage, budget, offsets), claim, most)
    windows = chosen.windows
    if len(windows) > 1:  # what a claim needs may stand far apart
        windows = (digest(passage, claim, int(budget * _WORDS_PER_TOKEN)), *windows)
    return Reading(parts, windows, len(windows), chosen.skipped)


def prepare_question(asked: Asked, offsets: Offsets) -> Reading:
    passage, question, title = asked
    # With the title counted to the question, there is room for it in front of every window.
    found = prepare(passage, f"{title} {question}".strip(), offsets)
    if not title:
        return found
    return replace(found, parts=(question,), windows=tuple(f"{title}\n{window}" for window in found.windows))


def part_read(read: int, skipped: int, name: str) -> str:
    """What to say of a text that was too long to be read whole."""
    return f"{read} of {read + skipped} windows of the {name} were read" if skipped else ""


def readable_claim(claim: str, question: str) -> str:
    """A claim of hardly a word ("8 hours.") is read behind the question it answers."""
    is_short = len(set(terms(without_yes_no(claim)))) < _FEWEST_TERMS
    return f"{question[:_LONGEST_QUESTION]} {claim}" if is_short and question.strip() else claim


def sum_up(reading: Reading, found: Sequence[Probabilities]) -> Sum:
    """One window is enough to support or to contradict. A claim stands if all its parts do."""
    size = len(reading.windows)
    sums = [_over_windows(found[at : at + size], reading.among) for at in range(0, len(found), size)]
    return min(sums, key=lambda one: one.probabilities[0])


def _over_windows(found: Sequence[Probabilities], among: int) -> Sum:
    best = max(range(len(found)), key=lambda place: found[place][0])
    shares = [contradicted / ((contradicted + not_enough) or 1) for _, contradicted, not_enough in found]
    against = max(range(len(found)), key=lambda place: shares[place])
    supported, share = found[best][0], _discounted(shares[against], among)
    return Sum((supported, share * (1 - supported), (1 - share) * (1 - supported)), best, against)


def _discounted(share: float, windows: int) -> float:
    """The highest of many is high by chance: the odds are divided by a power of how many there are."""
    odds = share / max(1 - share, 1e-6) * exp(-_BY_CHANCE * log(windows))
    return odds / (1 + odds)


def deciding_sentence(window: str, claim: str) -> str:
    """The sentence or table row of a window that shares most with the claim; numbers count as words do.

    What heads the columns of a table decides nothing, unless nothing else shares a word with the claim.
    """
    wanted = _vocabulary(claim)
    lines = window.splitlines()
    bodies = [line for place, line in enumerate(lines) if not _is_header(lines, place)]
    for text in (bodies, lines):
        best = max(_pieces(text), key=lambda piece: _alignment(wanted, piece), default="")
        if wanted & _vocabulary(best):
            return best
    return best


def _alignment(wanted: frozenset[str], piece: str) -> float:
    there = _vocabulary(piece)
    return len(wanted & there) - 0.01 * len(there)


def _pieces(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        found = [line] if _is_row(line) else sentences(line)
        yield from (piece.strip() for piece in found if not _RULE.fullmatch(piece))


def _is_row(line: str) -> bool:
    return line.count("|") >= 2


def _is_header(lines: Sequence[str], place: int) -> bool:
    """The first row of a table, if a rule follows it, or if it has no numbers but years and a row below has some."""
    if not _is_row(lines[place]) or (place and _is_row(lines[place - 1])):
        return False
    rows = list(takewhile(_is_row, lines[place + 1 :]))
    if rows and _RULE.fullmatch(rows[0]):
        return True
    return not _DIGITS.search(_YEAR.sub("", lines[place])) and any(_DIGITS.search(row) for row in rows)


@lru_cache(maxsize=10_000)
def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(terms(text)) | frozenset(_DIGITS.findall(text))


@lru_cache(maxsize=2_000)
def _windows(passage: str, budget: int, offsets: Offsets) -> tuple[str, ...]:
    return windows_of(passage, budget, offsets)


@lru_cache(maxsize=10_000)
def _unreadable(text: str) -> Unreadable | None:
    return unreadable(text)
