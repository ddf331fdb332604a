"""What can be counted about a claim and a passage: facts that a model reads poorly and that cost little.

Features are inputs of the trained combination, which knows them by name. A veto overrules it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from msgspec import Struct

from surefoot.graders.cells import cell_check
from surefoot.graders.judges import Pair
from surefoot.graders.mismatches import misnumbered
from surefoot.graders.rules import Rules, Unit, turned_round, units_of
from surefoot.text.quantities import quantities
from surefoot.text.sentences import sentences
from surefoot.text.terms import names, terms, without_yes_no

FEATURE_NAMES: tuple[str, ...] = (
    "word_overlap", "term_overlap", "bigram_overlap", "best_sentence_share", "best_pair_share", "weakest_part_share",
    "longest_run", "terms_missing", "numbers", "digits_missing_share", "names", "names_missing_share", "turned_round",
    "rules_supported", "rules_contradicted", "rules_not_enough",
)  # fmt: skip

LONGEST_CLAIM = 6_000  # characters; a longer claim is not graded, so nothing is counted beyond
_WORD = re.compile(r"\w+(?:['’.,]\w+)*")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_MANY = 10.0
_rules = Rules()


def features(passage: str, claim: str, question: str = "") -> list[float]:
    """The features of a pair, in the order of FEATURE_NAMES."""
    claim = claim[:LONGEST_CLAIM]
    read, said = _passage(passage), _claim(claim)
    best, *shares = _best_unit(passage, said.terms)
    judgement = _rules.judge([Pair(passage, claim, context=question)])[0]
    return [
        *_overlap(read, said, shares),
        min(said.numbers, _MANY),
        len(said.digits - read.vocabulary) / (len(said.digits) or 1),
        min(len(said.names), _MANY),
        len(said.names - read.terms) / (len(said.names) or 1),
        float(turned_round(said.text, _best_sentence(best, said.terms))) if best and not best.is_row else 0.0,
        *(judgement.confidence if judgement.label == label else 0.0 for label in _LABELS),
    ]


_LABELS = ("supported", "contradicted", "not_enough")


def veto(passage: str, claim: str, question: str = "") -> Literal["for", "against", ""]:
    """Where a table or a number plainly decides: models read these poorly."""
    text = _claim(claim[:LONGEST_CLAIM]).text
    check = cell_check(passage, text, question)
    if check.says == "conflicts" or misnumbered(passage, text, question):
        return "against"
    return "for" if check.says == "agrees" and check.is_whole else ""


class _Passage(Struct, frozen=True):
    vocabulary: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    joined: str  # words between single spaces, to find runs of them
    terms: frozenset[str]


class _Claim(Struct, frozen=True):
    text: str
    words: tuple[str, ...]
    terms: frozenset[str]
    parts: tuple[frozenset[str], ...]  # the terms of each of its sentences
    names: frozenset[str]
    numbers: int
    digits: frozenset[str]


@lru_cache(maxsize=5_000)
def _passage(passage: str) -> _Passage:
    words = tuple(_WORD.findall(passage.lower()))
    return _Passage(frozenset(words), frozenset(pairwise(words)), f" {' '.join(words)} ", _terms_of(passage))


@lru_cache(maxsize=5_000)
def _claim(claim: str) -> _Claim:
    text = without_yes_no(claim)
    pieces = [_terms_of(piece) for piece in sentences(text)]
    return _Claim(
        text, tuple(_WORD.findall(text.lower())), _terms_of(text), tuple(piece for piece in pieces if piece),
        frozenset(names(text)), len(quantities(text)), frozenset(_DIGITS.findall(text)),
    )  # fmt: skip


@lru_cache(maxsize=20_000)
def _terms_of(text: str) -> frozenset[str]:
    return frozenset(terms(text))


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 1.0


def _overlap(read: _Passage, said: _Claim, best_shares: list[float]) -> list[float]:
    words = said.words
    bigrams = set(pairwise(words))
    run = _longest_run(words, read.joined)
    return [
        sum(word in read.vocabulary for word in words) / (len(words) or 1),
        _share(said.terms, read.terms),
        len(bigrams & read.bigrams) / (len(bigrams) or 1),
        *best_shares,
        min((_share(part, read.terms) for part in said.parts), default=1.0),
        run / (len(words) or 1),
        min(len(said.terms - read.terms), _MANY),
    ]


def _longest_run(words: tuple[str, ...], joined: str) -> int:
    """The most words of the claim that stand in the passage in one run; two pointers, each only moves forward."""
    longest, start = 0, 0
    for end in range(1, len(words) + 1):
        while start < end and f" {' '.join(words[start:end])} " not in joined:
            start += 1
        longest = max(longest, end - start)
    return longest


def _best_unit(passage: str, wanted: frozenset[str]) -> tuple[Unit | None, float, float]:
    """The unit that says most of the claim, the shorter of equals; and how much a sentence, and a unit, says of it."""
    best, most, alone = None, -1, 0
    for unit in units_of(passage):
        common = len(wanted & unit.terms)
        if len(unit.sentences) == 1:
            alone = max(alone, common)
        if best is None or common > most or (common == most and len(unit.terms) < len(best.terms)):
            best, most = unit, common
    size = len(wanted) or 1
    return best, alone / size, max(most, 0) / size


def _best_sentence(unit: Unit, wanted: frozenset[str]) -> str:
    return max(unit.sentences, key=lambda sentence: len(wanted & _terms_of(sentence)))
