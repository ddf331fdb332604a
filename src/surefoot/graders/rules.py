"""A judge of plain rules: alignment of words, and checks of numbers, dates, names, negation and modality.

It reads a passage in units (sentences, pairs of neighbouring sentences, table rows with their headings), finds the unit
that a claim is about, and asks whether the unit says what the claim says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from surefoot.core.types import Support
from surefoot.graders.cells import cell_check
from surefoot.graders.figures import figures_of, scales_of, stated, worded_as
from surefoot.graders.judges import Judgement, Pair, read_in_full
from surefoot.text.normal import WORDS, is_terse, names, nearest, phrase, rows, terms, with_rows, without_yes_no
from surefoot.text.numbers import CURRENCIES, Amount, Quantity, numbered, placeholders, same_family, same_kind
from surefoot.text.tables import Unit, units_of

_NEGATION, _NEGATED_BEFORE = phrase("negates"), phrase("negated_before")
_OPPOSITES = tuple(tuple(re.compile(rf"\b(?:{side})") for side in row.split(" / ")) for row in rows(WORDS["opposites"]))


@lru_cache(maxsize=5_000)
def turned_round(claim: str, sentence: str) -> bool:
    """True when the sentence says the opposite of the claim in much the same words."""
    said, written = claim.lower(), sentence.lower()
    return _negated_otherwise(said, written) or _opposite(said, written)


def _negated_otherwise(said: str, written: str) -> bool:
    """A word that both share is negated in one of them only."""
    here, there = _negated(said), _negated(written)
    shared = set(terms(said)) & set(terms(written))
    return bool((here ^ there) & shared) and not (here & there)


def _negated(text: str) -> set[str]:
    found = set[str]()
    for match in _NEGATION.finditer(text):
        found.update(terms(text[match.end() : match.end() + 60].split(". ")[0])[:2])
    for match in _NEGATED_BEFORE.finditer(text):
        found.update(terms(text[: match.start()])[-2:])
    return found


def _opposite(said: str, written: str) -> bool:
    for one, other in _OPPOSITES:
        for left, right in ((one, other), (other, one)):
            if left.search(said) and not right.search(said) and right.search(written) and not left.search(written):
                return True
    return False


VERSION = 10
# Where a cell of a table decides, it knows better than the words of its row.
_OF_CELL: dict[str, tuple[Support, float]] = {"agrees": ("supported", 0.9), "conflicts": ("contradicted", 0.9)}
COVERED, RELATED, ELSEWHERE, NAME_WEIGHT = 0.62, 0.5, 0.35, 2.0


class Rules:
    """Decides every pair; how sure it is tells a cascade what to pass on."""

    name = f"rules@{VERSION}"

    def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        return read_in_full(pairs, lambda full: [_Reading(pair).judgement() for pair in full])

    def answering(self, asked: Sequence[Pair]) -> list[float | None]:
        """The share of the question's words that the passage has, names counting more; a rough stand-in for reading."""
        return [_shared(one) for one in asked]


class _Reading:
    """One claim held against one passage."""

    def __init__(self, pair: Pair) -> None:
        self.claim = worded_as(without_yes_no(pair.claim), pair.passage)
        self.is_misnumbered = _misnumbered(pair.passage, self.claim, pair.context)
        self.unheard = placeholders(self.claim) - placeholders(f"{pair.passage}\n{pair.title}\n{pair.context}")
        self.cell = cell_check(pair.passage, without_yes_no(pair.claim), pair.context)
        self.units = units_of(with_rows(pair.passage))
        self.around = frozenset(terms(pair.title))
        self.asked = frozenset(terms(pair.context))
        self.weights = _weights(self.claim, self.asked)
        # What the question itself says needs no source: "a 55 kW kiln is over the limit".
        given = figures_of(pair.context)
        self.wanted = [one for one in figures_of(self.claim) if not any(_repeats(one, known) for known in given)]
        self.scales = scales_of(pair.passage)

    def judgement(self) -> Judgement:
        if not self.units:
            return Judgement("not_enough", 0.9, via=Rules.name)
        best = max(self.units, key=lambda unit: (self._rank(unit), not unit.is_row))
        label, sure = _OF_CELL.get(self.cell) or self._label(best)
        if self.is_misnumbered and label == "supported":
            label, sure = "contradicted", 0.8
        elif self.unheard and label == "supported":
            label, sure = "not_enough", 0.8
        return Judgement(label, sure, best.text, Rules.name)

    def _label(self, best: Unit) -> tuple[Support, float]:
        covered = self._coverage(best)
        absent = [q for q in self.wanted if not self._is_in(q, best)]
        if absent:
            return self._missing_quantity(absent, best, covered)
        if covered >= COVERED or (self.wanted and covered >= RELATED):
            sentence = nearest(best.sentences, self.weights.keys())
            if not best.is_row and turned_round(self.claim, sentence):
                return "contradicted", 0.65
            return "supported", 0.5 + 0.4 * covered
        return "not_enough", 0.9 - 0.4 * covered

    def _missing_quantity(self, absent: list[Amount], best: Unit, covered: float) -> tuple[Support, float]:
        """A number of the claim is not in the unit it is about: said otherwise there, elsewhere, or not at all."""
        if covered >= RELATED and any(_rival(q, other, best.is_row) for q in absent for other in figures_of(best.text)):
            return "contradicted", min(0.95, 0.2 + 0.75 * covered)
        elsewhere = [unit for unit in self.units if not unit.is_row and all(self._is_in(q, unit) for q in absent)]
        if covered >= COVERED and any(self._coverage(unit) >= ELSEWHERE for unit in elsewhere):
            return "supported", 0.6
        return "not_enough", 0.7

    def _is_in(self, wanted: Amount, unit: Unit) -> bool:
        """Said by it, or by the sentence that leads to its table."""
        return bool(stated(wanted, figures_of(unit.text), self.scales)) or any(map(wanted.agrees, unit.lead))

    def _rank(self, unit: Unit) -> float:
        """How much a unit is about the claim; the question's words break ties, and shorter units win."""
        agreeing = sum(self._is_in(q, unit) for q in self.wanted) / len(self.wanted) if self.wanted else 0
        question = len(self.asked & unit.terms) / len(self.asked) if self.asked else 0
        own = sum(weight for term, weight in self.weights.items() if term in unit.terms)
        share = own / (sum(self.weights.values()) or 1)
        return share + 0.35 * agreeing + 0.25 * question - 0.002 * len(unit.terms)

    def _coverage(self, unit: Unit) -> float:
        """How much of the claim a unit says, read with the title of its document."""
        total = sum(self.weights.values())
        if not total:
            return RELATED
        there = unit.terms | self.around
        return sum(weight for term, weight in self.weights.items() if term in there) / total


@lru_cache(maxsize=5_000)
def _misnumbered(passage: str, claim: str, question: str) -> bool:
    """The claim names a quarter, a section, a redacted person ... and the passage only others of the name."""
    persons, named = placeholders(passage), placeholders(claim) - placeholders(question)
    return any(
        one not in known and any(one.name == other.name for other in known)
        for known, own in ((numbered(passage), numbered(claim)), (persons, named))
        for one in own
    )


def _shared(asked: Pair) -> float:
    wanted = _weights(asked.claim, frozenset())
    there = set(terms(f"{asked.title} {asked.passage}"))
    return sum(weight for term, weight in wanted.items() if term in there) / (sum(wanted.values()) or 1.0)


def _weights(claim: str, asked: frozenset[str]) -> dict[str, float]:
    """Names weigh more. A claim of hardly a word ("8 hours.") is read with the question it answers."""
    named = set(names(claim))
    weights = {term: NAME_WEIGHT if term in named else 1.0 for term in terms(claim)}
    return weights if not is_terse(claim) else {**dict.fromkeys(asked, 0.5), **weights}


def _repeats(one: Quantity, other: Quantity) -> bool:
    return one.kind == other.kind and one.agrees(other)


def _rival(one: Quantity, other: Quantity, in_row: bool) -> bool:
    """Two values of one kind that differ; the cells of a table do not say their kind."""
    if {one.kind, other.kind} <= CURRENCIES or same_family(one, other):
        return not one.agrees(other)
    alike = same_kind(one.kind, other.kind) if in_row else one.kind == other.kind
    return alike and not one.agrees(other)
