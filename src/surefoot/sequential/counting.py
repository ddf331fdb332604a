"""What two runs say about a rule in numbers that add up over steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from surefoot.gate import Rule
from surefoot.judging import Judged, Subject, getting_worse, rises
from surefoot.measures import MEASURES, Pair, Said
from surefoot.records import Discordant, Step

ALWAYS_COUNTED = ("wrong", "unsupported")  # whatever the rules are
BY_PEOPLE = "!"
ONE_ANSWER, TWO_ANSWERS = "=", ">"
Moves = Mapping[str, int]  # as records.Step has them
_MORE_IS_BETTER = frozenset({
    "coverage", "acceptable", "correct", "correct_rate", "refusal_quality", "refusal_quality_shared",
    "citation_exists_rate", "citation_supports_rate",
})  # fmt: skip


class Counted(Struct, frozen=True):
    """Pairs that got worse and better over all steps of a release that count."""

    now: Discordant  # the two runs at hand
    earlier: Discordant  # counts of earlier steps
    unknown: int  # pairs at hand that lack a verdict

    @property
    def total(self) -> Discordant:
        return added((self.now, self.earlier))


def key_of(rule: Rule) -> str:
    """What the counts of a rule are kept under: the metric, its group, and which way is worse if not the usual one."""
    key = f"{rule.metric}[{rule.group}]" if rule.group else rule.metric
    return key if rises(rule) != (rule.metric in _MORE_IS_BETTER) else f"{key} {rule.op}"


def is_chance(rule: Rule) -> bool:
    """True for a rule that is judged by pairs that got worse and better."""
    measure = MEASURES.get(rule.metric)
    bears = (rule.op == "<=" and rule.limit >= 0) or (rule.op == ">=" and rule.limit <= 0)
    return bool(measure and measure.axis) and rule.on_baseline and rule.bound is None and bears


def failing(judged: Iterable[Judged]) -> set[str]:
    """What fails by evidence: a limit of its own on the same metric is another matter."""
    failed = (one.check.rule for one in judged if one.check.status == "fail" and one.waiver is None)
    return {key_of(rule) for rule in failed if is_chance(rule)}


def discordant(rule: Rule, subject: Subject) -> tuple[Discordant, int]:
    """With the number of pairs that lack a verdict."""
    worse, better, known, unknown = getting_worse(rule, subject.measure, subject.pairs)
    return Discordant(len(worse), len(better), known), unknown


def counted(rule: Rule, subject: Subject, earlier: Iterable[Step], *, adds: bool) -> Counted:
    """`adds` False: the two runs at hand are shown, and count for nothing."""
    now, unknown = discordant(rule, subject)
    before = added(step.counts[key_of(rule)] for step in earlier if key_of(rule) in step.counts)
    return Counted(now if adds else Discordant(0, 0, 0), before, unknown)


def added(counts: Iterable[Discordant]) -> Discordant:
    found = list(counts)
    return Discordant(*(sum(getattr(one, name) for one in found) for name in Discordant.__struct_fields__))


def moves_of(pairs: Iterable[Pair]) -> dict[str, int]:
    """How many pairs have which two verdicts; what lacks one is left out."""
    found = Counter(move_of(pair) for pair in pairs if pair.base.bucket and pair.cand.bucket)
    return dict(sorted(found.items()))


def move_of(pair: Pair) -> str:
    sign = ONE_ANSWER if pair.is_one_answer else TWO_ANSWERS
    return f"{_token(pair.base)}{sign}{_token(pair.cand)}"


def _token(said: Said) -> str:
    return f"{said.bucket}{BY_PEOPLE if said.by_people else ''}"
