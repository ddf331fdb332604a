"""A pair of claim and passage made ready for a model: windows of long passages, and facts that can be counted.

Windows end where sentences or lines end. Only a sentence that is longer than a window is cut, between words; a table's
header stands at the top of each of its windows. Features are what a model reads poorly and what costs little to count;
the trained combination knows them by name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Sized
from functools import lru_cache
from itertools import pairwise, takewhile
from math import exp, log

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.types import Support
from surefoot.graders.judges import Judgement, Pair
from surefoot.graders.rules import Rules
from surefoot.text.normal import (
    digest,
    is_row,
    is_terse,
    names,
    sentences,
    terms,
    unreadable,
    vocabulary,
    without_yes_no,
)
from surefoot.text.numbers import quantities
from surefoot.text.tables import Unit, units_of

LONGEST_CLAIM = 6_000  # characters; a longer claim is not graded, so nothing is counted beyond
_WORD = re.compile(r"\w+(?:['’.,]\w+)*")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_MANY = 10.0
_rules = Rules()


class _Passage(Struct, frozen=True):
    vocabulary: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    joined: str  # words between single spaces, to find runs of them
    terms: frozenset[str]


class _Claim(Struct, frozen=True):
    words: tuple[str, ...]
    bigrams: frozenset[tuple[str, str]]
    terms: frozenset[str]
    parts: tuple[frozenset[str], ...]  # the terms of each of its sentences
    names: frozenset[str]
    numbers: int
    digits: frozenset[str]


class _Both(Struct, frozen=True):
    """A claim beside a passage: the unit that says most of the claim, and what the rules say."""

    passage: _Passage
    claim: _Claim
    best: Unit | None
    judgement: Judgement
    windows: int

    def rules_say(self, label: Support) -> float:
        return self.judgement.confidence if self.judgement.label == label else 0.0


_FEATURES: dict[str, Callable[[_Both], float]] = {
    "word_overlap": lambda x: _ratio(sum(word in x.passage.vocabulary for word in x.claim.words), x.claim.words),
    "term_overlap": lambda x: _share(x.claim.terms, x.passage.terms),
    "bigram_overlap": lambda x: _ratio(len(x.claim.bigrams & x.passage.bigrams), x.claim.bigrams),
    "best_pair_share": lambda x: _ratio(len(x.claim.terms & x.best.terms) if x.best else 0, x.claim.terms),
    "weakest_part_share": lambda x: min((_share(part, x.passage.terms) for part in x.claim.parts), default=1.0),
    "longest_run": lambda x: _ratio(_longest_run(x.claim.words, x.passage.joined), x.claim.words),
    "terms_missing": lambda x: min(len(x.claim.terms - x.passage.terms), _MANY),
    "numbers": lambda x: min(x.claim.numbers, _MANY),
    "digits_missing_share": lambda x: _ratio(len(x.claim.digits - x.passage.vocabulary), x.claim.digits),
    "names": lambda x: min(len(x.claim.names), _MANY),
    "rules_supported": lambda x: x.rules_say("supported"),
    "rules_contradicted": lambda x: x.rules_say("contradicted"),
    "log_windows": lambda x: log(x.windows),  # the best of many is good by chance
}
FEATURE_NAMES = tuple(_FEATURES)


def features(passage: str, claim: str, question: str = "", windows: int = 1) -> list[float]:
    """The features of a pair whose passage is read in so many windows, in the order of FEATURE_NAMES."""
    claim = claim[:LONGEST_CLAIM]
    said, units = _claim(claim), units_of(passage)
    both = _Both(
        passage=_passage(passage),
        claim=said,
        best=max(units, key=lambda unit: (len(said.terms & unit.terms), -len(unit.terms)), default=None),
        judgement=_rules.judge([Pair(passage, claim, context=question)])[0],
        windows=windows,
    )
    return [count(both) for count in _FEATURES.values()]


@lru_cache(maxsize=5_000)
def _passage(passage: str) -> _Passage:
    words = tuple(_WORD.findall(passage.lower()))
    return _Passage(frozenset(words), frozenset(pairwise(words)), f" {' '.join(words)} ", _terms_of(passage))


@lru_cache(maxsize=5_000)
def _claim(claim: str) -> _Claim:
    text = without_yes_no(claim)
    words = tuple(_WORD.findall(text.lower()))
    return _Claim(
        words=words,
        bigrams=frozenset(pairwise(words)),
        terms=_terms_of(text),
        parts=tuple(filter(None, map(_terms_of, sentences(text)))),
        names=frozenset(names(text)),
        numbers=len(quantities(text)),
        digits=frozenset(_DIGITS.findall(text)),
    )


@lru_cache(maxsize=20_000)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _ratio(count: int, of: Sized) -> float:
    return count / (len(of) or 1)


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 1.0


def _longest_run(words: tuple[str, ...], joined: str) -> int:
    """The most words of the claim that stand in the passage in one run; two pointers, each only moves forward."""
    longest, start = 0, 0
    for end in range(1, len(words) + 1):
        while start < end and f" {' '.join(words[start:end])} " not in joined:
            start += 1
        longest = max(longest, end - start)
    return longest


MOST_WINDOWS = 12
_OVERLAP = 4  # a window repeats up to a quarter of the one before
_HEADER_SHARE = 3  # a table's header takes at most a third of a window
_RULE = re.compile(r"[\s|:=+-]*")

_unreadable = lru_cache(maxsize=10_000)(unreadable)

# Where each token of a text begins and ends, in characters.
Offsets = Callable[[str], Sequence[tuple[int, int]]]


class _Piece(Struct, frozen=True):
    """A sentence or a line: its tokens from `start` to `end`, and the header row if it is inside a table."""

    start: int
    end: int
    header: str = ""
    header_tokens: int = 0


@lru_cache(maxsize=2_000)
def windows_of(passage: str, budget: int, offsets: Offsets) -> tuple[str, ...]:
    """The passage in windows of at most `budget` tokens; itself if it fits. Every token is in some window."""
    spans = offsets(passage)
    if len(spans) <= budget:
        return (passage,) if passage.strip() else ()
    pieces = [part for piece in _pieces(passage, budget, spans, offsets) for part in _parts(piece, budget, spans)]
    return tuple(_text(passage, pieces[first:last], spans) for first, last in _groups(pieces, budget))


def choose(windows: tuple[str, ...], claim: str, most: int = MOST_WINDOWS) -> tuple[str, ...]:
    """The windows that share most with the claim, in the order of the passage. Words that are rare in the passage count
    for more."""
    if len(windows) <= most:
        return windows
    vocabularies, spread = _vocabularies(windows)
    wanted = {term: log(1 + len(windows) / spread[term]) for term in vocabulary(claim) if spread[term]}
    weights = [sum(weight for term, weight in wanted.items() if term in there) for there in vocabularies]
    best = sorted(range(len(windows)), key=lambda place: (-weights[place], place))[:most]
    return tuple(windows[place] for place in sorted(best))


@lru_cache(maxsize=200)
def _vocabularies(windows: tuple[str, ...]) -> tuple[list[frozenset[str]], Counter[str]]:
    found = [vocabulary(window) for window in windows]
    return found, Counter(term for vocabulary in found for term in vocabulary)


def _pieces(passage: str, budget: int, spans: Sequence[tuple[int, int]], offsets: Offsets) -> Iterator[_Piece]:
    starts = [start for start, _ in spans]
    at, header, header_tokens = 0, "", 0
    for line in passage.splitlines(keepends=True):
        in_table = is_row(line)
        for piece in (line,) if in_table else sentences(line):
            first, last = bisect_left(starts, at), bisect_left(starts, at + len(piece))
            at += len(piece)
            if first < last:
                yield _Piece(first, last, header if in_table else "", header_tokens if in_table else 0)
        if in_table and not header:
            header, header_tokens = _header(line, budget // _HEADER_SHARE, offsets)
        elif not in_table and line.strip():
            header, header_tokens = "", 0


def _header(row: str, most: int, offsets: Offsets) -> tuple[str, int]:
    row = row.strip()
    spans = offsets(row)
    if len(spans) > most:
        row = row[: spans[most - 1][1]]
    return ("", 0) if _RULE.fullmatch(row) else (row, min(len(spans), most))


def _parts(piece: _Piece, budget: int, spans: Sequence[tuple[int, int]]) -> Iterator[_Piece]:
    """A piece that is too long for a window, in parts small enough for windows to overlap."""
    room = budget - piece.header_tokens
    if piece.end - piece.start <= room:
        yield piece
        return
    start, size = piece.start, max(1, room // _OVERLAP)
    while start < piece.end:
        end = min(start + size, piece.end)
        between = end
        while between > start + 1 and between < piece.end and spans[between][0] == spans[between - 1][1]:
            between -= 1  # inside a word
        end = between if between > start + 1 else end
        yield _Piece(start, end, piece.header, piece.header_tokens)
        start = end


def _groups(pieces: list[_Piece], budget: int) -> Iterator[tuple[int, int]]:
    """Runs of pieces that fit; each begins some pieces before the end of the last."""
    first = 0
    while True:
        room, last = budget - pieces[first].header_tokens, first + 1
        while last < len(pieces) and pieces[last].end - pieces[first].start <= room:
            last += 1
        yield first, last
        if last == len(pieces):
            return
        begin = last
        while begin > first + 1 and pieces[last].start - pieces[begin - 1].start <= room // _OVERLAP:
            begin -= 1
        # The new window must hold at least one piece that the last did not.
        while pieces[last].end - pieces[begin].start > budget - pieces[begin].header_tokens:
            begin += 1
        first = begin


def _text(passage: str, pieces: list[_Piece], spans: Sequence[tuple[int, int]]) -> str:
    text = passage[spans[pieces[0].start][0] : spans[pieces[-1].end - 1][1]]
    return f"{pieces[0].header}\n{text}" if pieces[0].header else text


_PAIR_TOKENS, _SPECIAL_TOKENS, _PART_TOKENS, _STEP = 256, 4, 128, 32
_MARGIN = 2  # a window's tokens may differ by one where a word was cut
_LONGEST_QUESTION = 400  # characters that help to read a short claim
_WORDS_PER_TOKEN = 0.75
_BY_CHANCE = 0.6
_WORD_OR_NUMBER = re.compile(r"[^\W\d_]{2}|\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
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

    def part_read(self, name: str) -> str:
        """What to say of a text that was too long to be read whole."""
        return f"{self.read} of {self.read + self.skipped} windows of the {name} were read" if self.skipped else ""

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(part, window) for part in self.parts for window in self.windows]

    def narrowed(self, keep: Sequence[int]) -> Reading:
        """Only some of the windows, and always the digest."""
        kept = sorted({0, *keep})
        return Reading(self.parts, tuple(self.windows[i] for i in kept), self.among, self.skipped)


class Answered(Struct, frozen=True):
    """How likely a passage answers a question; None where it was not read. `reason` says why, or how much was read."""

    probability: float | None
    reason: str = ""
    strong: bool = False  # read by the strong tier


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


def prepare(passage: str, claim: str, offsets: Offsets) -> Reading:
    length = len(offsets(claim))
    parts = (claim,) if length <= _PART_TOKENS else windows_of(claim, _PART_TOKENS, offsets)
    # Claims of about one length share their passage's windows.
    claim_room = min(_PART_TOKENS, -(-length // _STEP) * _STEP)
    budget = _PAIR_TOKENS - _SPECIAL_TOKENS - _MARGIN - claim_room
    every = windows_of(passage, budget, offsets)
    windows = choose(every, claim)
    skipped = len(every) - len(windows)
    if len(windows) > 1:  # what a claim needs may stand far apart
        windows = (digest(passage, claim, int(budget * _WORDS_PER_TOKEN)), *windows)
    return Reading(parts, windows, len(windows), skipped)


def prepare_question(asked: Pair, offsets: Offsets) -> Reading:
    question, title = asked.claim, asked.title
    # With the title counted to the question, there is room for it in front of every window.
    found = prepare(asked.passage, f"{title} {question}".strip(), offsets)
    if not title:
        return found
    return replace(found, parts=(question,), windows=tuple(f"{title}\n{window}" for window in found.windows))


def readable_claim(claim: str, question: str) -> str:
    """A claim of hardly a word ("8 hours.") is read behind the question it answers."""
    return f"{question[:_LONGEST_QUESTION]} {claim}" if is_terse(claim) and question.strip() else claim


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
    wanted = vocabulary(claim)
    lines = window.splitlines()
    bodies = [line for place, line in enumerate(lines) if not _is_header(lines, place)]
    for text in (bodies, lines):
        found = [
            (len(wanted & vocabulary(one)) - 0.01 * len(vocabulary(one)), one) for one in _sentences_and_rows(text)
        ]
        best = max(found, key=lambda one: one[0], default=(0.0, ""))[1]
        if wanted & vocabulary(best):
            return best
    return best


def _sentences_and_rows(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        found = [line] if is_row(line) else sentences(line)
        yield from (piece.strip() for piece in found if not _RULE.fullmatch(piece))


def _is_header(lines: Sequence[str], place: int) -> bool:
    """The first row of a table, if a rule follows it, or if it has no numbers but years and a row below has some."""
    if not is_row(lines[place]) or (place and is_row(lines[place - 1])):
        return False
    rows = list(takewhile(is_row, lines[place + 1 :]))
    if rows and _RULE.fullmatch(rows[0]):
        return True
    return not _DIGITS.search(_YEAR.sub("", lines[place])) and any(_DIGITS.search(row) for row in rows)
