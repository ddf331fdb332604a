"""What can be counted about a claim and a passage: facts that a model reads poorly and that cost little.

Features are inputs of the trained combination, which knows them by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sized
from functools import lru_cache
from itertools import pairwise
from math import log

from msgspec import Struct

from surefoot.core.types import Support
from surefoot.graders.judges import Judgement, Pair
from surefoot.graders.rules import Rules, turned_round
from surefoot.text.normal import names, sentences, terms, without_yes_no
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
    text: str
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
    best_sentence: int  # the most terms of the claim that a single sentence has
    judgement: Judgement
    windows: int

    @property
    def is_turned_round(self) -> bool:
        """The best unit says the opposite in much the same words."""
        if self.best is None or self.best.is_row:
            return False
        sentence = max(self.best.sentences, key=lambda sentence: len(self.claim.terms & _terms_of(sentence)))
        return turned_round(self.claim.text, sentence)

    def rules_say(self, label: Support) -> float:
        return self.judgement.confidence if self.judgement.label == label else 0.0


_FEATURES: dict[str, Callable[[_Both], float]] = {
    "word_overlap": lambda x: _ratio(sum(word in x.passage.vocabulary for word in x.claim.words), x.claim.words),
    "term_overlap": lambda x: _share(x.claim.terms, x.passage.terms),
    "bigram_overlap": lambda x: _ratio(len(x.claim.bigrams & x.passage.bigrams), x.claim.bigrams),
    "best_sentence_share": lambda x: _ratio(x.best_sentence, x.claim.terms),
    "best_pair_share": lambda x: _ratio(len(x.claim.terms & x.best.terms) if x.best else 0, x.claim.terms),
    "weakest_part_share": lambda x: min((_share(part, x.passage.terms) for part in x.claim.parts), default=1.0),
    "longest_run": lambda x: _ratio(_longest_run(x.claim.words, x.passage.joined), x.claim.words),
    "terms_missing": lambda x: min(len(x.claim.terms - x.passage.terms), _MANY),
    "numbers": lambda x: min(x.claim.numbers, _MANY),
    "digits_missing_share": lambda x: _ratio(len(x.claim.digits - x.passage.vocabulary), x.claim.digits),
    "names": lambda x: min(len(x.claim.names), _MANY),
    "names_missing_share": lambda x: _ratio(len(x.claim.names - x.passage.terms), x.claim.names),
    "turned_round": lambda x: float(x.is_turned_round),
    "rules_supported": lambda x: x.rules_say("supported"),
    "rules_contradicted": lambda x: x.rules_say("contradicted"),
    "rules_not_enough": lambda x: x.rules_say("not_enough"),
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
        best_sentence=max((len(said.terms & unit.terms) for unit in units if len(unit.sentences) == 1), default=0),
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
        text=text,
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
