"""What can be counted about a claim and a passage: facts that a model reads poorly and that cost little.

Each feature is a float with a name; their order is part of the trained weights, so new ones go to the end.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from math import log1p

from msgspec import Struct

from surefoot.graders.arithmetic import misderived
from surefoot.graders.cells import cell_check
from surefoot.graders.derivations import derivable_of
from surefoot.graders.judging import Pair
from surefoot.graders.numbering import misnumbered
from surefoot.graders.rules import Rules, Unit, units_of
from surefoot.graders.sense import turned_round
from surefoot.text.amounts import Amount, amounts_of
from surefoot.text.quantities import Quantity, quantities, same_kind
from surefoot.text.sentences import sentences
from surefoot.text.terms import names, terms, without_yes_no

FEATURE_NAMES: tuple[str, ...] = (
    "word_overlap", "term_overlap", "bigram_overlap", "best_sentence_share", "best_pair_share", "weakest_part_share",
    "longest_run", "is_verbatim", "terms_missing", "numbers", "numbers_missing", "numbers_missing_share",
    "numbers_missing_from_best", "number_differs_in_best", "digits_missing_share", "names", "names_missing",
    "names_missing_share", "claim_is_negated", "turned_round", "rules_supported", "rules_contradicted",
    "rules_not_enough", "claim_words", "passage_words", "windows", "question_share", "best_is_row",
    "cell_agrees", "cell_agrees_wholly", "cell_conflicts", "numbers_derivable", "numbers_underived", "misderived",
    "misnumbered",
)  # fmt: skip

WORDS_PER_WINDOW = 150
LONGEST_CLAIM = 6_000  # characters; a longer claim is not graded, so nothing is counted beyond
_WORD = re.compile(r"\w+(?:['’.,]\w+)*")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATED = re.compile(r"\b(?:not|no|never|neither|nor|without|cannot|none)\b|n't\b", re.IGNORECASE)
_MANY = 10.0
_rules = Rules()


def features(passage: str, claim: str, question: str = "") -> list[float]:
    """The features of a pair, in the order of FEATURE_NAMES."""
    claim = claim[:LONGEST_CLAIM]
    read, said = _passage(passage), _claim(claim)
    best, *shares = _best_unit(passage, said.terms)
    missing = [number for number in said.quantities if not _is_written(number, read)]
    judgement = _rules.judge([Pair(passage, claim, context=question)])[0]
    return [
        *_overlap(read, said, shares),
        *_numbers(read, said, best, missing),
        *_names(read, said),
        float(bool(_NEGATED.search(claim))),
        float(turned_round(said.text, _best_sentence(best, said.terms))) if best and not best.is_row else 0.0,
        *(judgement.confidence if judgement.label == label else 0.0 for label in _LABELS),
        log1p(len(said.words)),
        log1p(len(read.words)),
        log1p(len(read.words) // WORDS_PER_WINDOW),
        _share(_terms_of(question), read.terms) if question else 0.0,
        float(best.is_row) if best else 0.0,
        *_checked(passage, said, missing, question),
    ]


_LABELS = ("supported", "contradicted", "not_enough")


class _Passage(Struct, frozen=True):
    words: tuple[str, ...]
    vocabulary: frozenset[str]
    bigrams: frozenset[tuple[str, str]]
    joined: str  # words between single spaces, to find runs of them
    terms: frozenset[str]
    quantities: tuple[Quantity, ...]
    values: frozenset[float]


class _Claim(Struct, frozen=True):
    text: str
    words: tuple[str, ...]
    terms: frozenset[str]
    parts: tuple[frozenset[str], ...]  # the terms of each of its sentences
    names: frozenset[str]
    quantities: tuple[Amount, ...]
    digits: frozenset[str]


@lru_cache(maxsize=5_000)
def _passage(passage: str) -> _Passage:
    words = tuple(_WORD.findall(passage.lower()))
    found = _quantities_in(passage)
    return _Passage(
        words, frozenset(words), frozenset(pairwise(words)), f" {' '.join(words)} ",
        _terms_of(passage), found, frozenset(quantity.value for quantity in found),
    )  # fmt: skip


def _quantities_in(passage: str) -> tuple[Quantity, ...]:
    """Those of its sentences, which are known already; a table's headings are in no unit, so it is read anew."""
    if "|" in passage:
        return tuple(quantities(passage))
    return tuple(number for unit in units_of(passage) if len(unit.sentences) == 1 for number in unit.quantities)


@lru_cache(maxsize=5_000)
def _claim(claim: str) -> _Claim:
    text = without_yes_no(claim)
    pieces = [_terms_of(piece) for piece in sentences(text)]
    return _Claim(
        text, tuple(_WORD.findall(text.lower())), _terms_of(text), tuple(piece for piece in pieces if piece),
        frozenset(names(text)), tuple(amounts_of(text)), frozenset(_DIGITS.findall(text)),
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
        float(bool(words) and run == len(words)),
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


def _numbers(read: _Passage, said: _Claim, best: Unit | None, missing: list[Amount]) -> list[float]:
    here = (*best.quantities, *best.lead) if best else ()
    away = [number for number in said.quantities if not any(number.agrees(other) for other in here)]
    differs = any(same_kind(number.kind, other.kind) for number in away for other in here)
    count = len(said.quantities)
    return [
        min(count, _MANY),
        min(len(missing), _MANY),
        len(missing) / (count or 1),
        len(away) / (count or 1),
        float(differs),
        len(said.digits - read.vocabulary) / (len(said.digits) or 1),
    ]


def _checked(passage: str, said: _Claim, missing: list[Amount], question: str) -> list[float]:
    """What tables and arithmetic say for and against the claim."""
    check = cell_check(passage, said.text, question)
    derived = derivable_of(passage, said.text, missing)
    return [
        float(check.says == "agrees"),
        float(check.says == "agrees" and check.is_whole),
        float(check.says == "conflicts"),
        derived / (len(missing) or 1),
        min(len(missing) - derived, _MANY),
        float(bool(said.quantities) and misderived(passage, said.text)),
        float(misnumbered(passage, said.text, question)),
    ]


def _is_written(number: Quantity, read: _Passage) -> bool:
    """In any written form: tables may be in thousands or millions and say so only in their heading."""
    if any(number.agrees(other) for other in read.quantities):
        return True
    return number.value >= 1e4 and any(number.value / scale in read.values for scale in (1e3, 1e6))


def _names(read: _Passage, said: _Claim) -> list[float]:
    missing = len(said.names - read.terms)
    return [min(len(said.names), _MANY), min(missing, _MANY), missing / (len(said.names) or 1)]
