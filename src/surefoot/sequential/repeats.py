"""Repeats are no questions: asking one question ten times tells little about the other questions people will ask.

Attempts and runs add up for a BLOCK. A SHIP needs, besides, enough different questions, and answers that got no worse
when the attempts at each question are taken as one.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from surefoot.gate import Rule
from surefoot.judging import Subject, getting_worse
from surefoot.measures import SIDES, part_of
from surefoot.records import Discordant
from surefoot.stats.power import fewest_pairs_that_ship
from surefoot.stats.sequential import chance_of_rise


class Shortfall(Struct, frozen=True):
    """Why this many different questions cannot ship, and how many could; None when not even very many."""

    reason: str
    needed: int | None


class Asked(Struct, frozen=True):
    """The two runs at hand, with the attempts at each question taken as one."""

    questions: Discordant  # those that got worse, or better, in more than half of their attempts
    answers: int


def asked_in(rule: Rule, subject: Subject) -> Asked:
    worse, better, *_ = getting_worse(rule, subject.measure, subject.pairs)
    net = Counter(pair.question_id for pair in worse)
    net.subtract(pair.question_id for pair in better)
    known = (pair for pair in subject.pairs if all(isinstance(part_of(subject.measure, pair, s), int) for s in SIDES))
    attempts = Counter(pair.question_id for pair in known)
    turned = sum(2 * net[question] > times for question, times in attempts.items())
    mended = sum(-2 * net[question] > times for question, times in attempts.items())
    return Asked(Discordant(turned, mended, len(attempts)), attempts.total())


def shortfall(asked: Asked, pairs: int, margin: float, alpha: float) -> Shortfall | None:
    """None where the questions are enough, or where all the `pairs` that add up are of one attempt at each."""
    seen = asked.questions
    if pairs > seen.pairs and chance_of_rise(0, 0, seen.pairs, margin) > alpha:
        needed = fewest_pairs_that_ship(0, 0, margin, alpha)
        return Shortfall(f"{seen.pairs} different questions are too few to ship, however often they are asked", needed)
    if asked.answers > seen.pairs and (chance := chance_of_rise(*_of(seen), margin)) > alpha:
        tally = f"{seen.worse} worse and {seen.better} better of {seen.pairs} questions, their attempts taken as one"
        reason = f"{tally}: a rise above {margin:.1%} has a chance of {chance:.2%}; it ships at {alpha:.2%} or less"
        return Shortfall(reason, fewest_pairs_that_ship(seen.worse, seen.better, margin, alpha))
    return None


def _of(counts: Discordant) -> tuple[int, int, int]:
    return counts.worse, counts.better, counts.pairs
