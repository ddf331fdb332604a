"""What a comparison leaves to the history of the gate: of each rule against the baseline, how many answers moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefoot.balance import Scales
from surefoot.gate import Check, Rule
from surefoot.judging import Subject, subject_of
from surefoot.measures import Pair
from surefoot.records import Discordant
from surefoot.sequential.counting import ALWAYS_COUNTED, discordant, key_of

Countable = list[tuple[Rule, Subject]]


def countable(
    rules: Sequence[Rule], subjects: Mapping[str, Subject | Check], pairs: list[Pair], axes: set[str]
) -> Countable:
    """What steps keep counts of, whatever the rules of today are: no evidence is lost by asking for less."""
    against = [(rule, subjects[rule.name]) for rule in rules if rule.on_baseline]
    always = [Rule.parse(f"{metric} <= baseline") for metric in ALWAYS_COUNTED]
    against += [(rule, subject_of(rule, pairs, axes)) for rule in always]
    return [(rule, subject) for rule, subject in against if isinstance(subject, Subject)]


def counts_of(against: Countable, scales: Scales, axes: set[str], *, weighed: bool) -> dict[str, Discordant]:
    """Labels on one side alone take no evidence away, unless what the other side's verdicts are worth is `weighed`."""
    counts = {key_of(rule): discordant(rule, subject)[0] for rule, subject in against}
    for rule, _ in () if weighed else against:
        even = subject_of(rule, scales.even, axes)
        if isinstance(even, Subject):
            both = counts[key_of(rule)], discordant(rule, even)[0]
            counts[key_of(rule)] = max(both, key=lambda one: (one.worse - one.better, one.worse))
    return counts
