"""Outcomes counted in every way that metrics, rules and advice need, and the decision on them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from surefoot.advice import AdviceLog
from surefoot.datasets.locks import content_hash
from surefoot.errors import UsageError
from surefoot.gate import metrics
from surefoot.gate import rules as gates
from surefoot.gate.metrics import SCORED, Tally
from surefoot.gate.rules import Check, Decision, Rule
from surefoot.io.writer import UNREADABLE
from surefoot.outcomes import ACCEPTABLE, Outcome, ScoredRow, label, outcome_of
from surefoot.problems import ProblemLog, in_words
from surefoot.types import Estimate, Question

Outcomes = Iterable[tuple[Question, Outcome, int]]  # each question with an outcome and how many attempts had it
QUESTIONS_NAMED = 50  # a check names this many questions and counts the rest


class _Settings(Struct, frozen=True):
    questions_sha256: str = ""


class Baseline(Struct):
    """What `surefoot score --json` printed for an earlier run."""

    metrics: dict[str, Estimate]
    groups: dict[str, dict[str, dict[str, Estimate]]] = {}
    settings: _Settings = _Settings()
    rows: list[ScoredRow] = []
    question_hashes: dict[str, str] = {}

    def find(self, rule: Rule) -> Estimate | None:
        """None for what the earlier run did not measure."""
        name, value = rule.group_key or ("", "")
        return (self.groups.get(name, {}).get(value, {}) if name else self.metrics).get(rule.metric)

    def alike(self, questions: Iterable[Question]) -> dict[str, str]:
        """The questions that the earlier run was asked too, by content: their ids now and then."""
        ids = {sha256: qid for qid, sha256 in self.question_hashes.items()} if self.rows else {}
        found = ((one.id, content_hash(one)) for one in questions)
        return {qid: qid if self.question_hashes.get(qid) == sha else ids[sha] for qid, sha in found if sha in ids}

    def over(self, questions: Mapping[str, Question], rules: Sequence[Rule], by: Sequence[str]) -> Baseline:
        """The same over some of its questions, as far as rows tell: not what was retrieved."""
        asked = ((questions[row.qid], row) for row in self.rows if row.qid in questions)
        counted = count(((question, outcome_of(row, question), 1) for question, row in asked), rules, by)
        groups = {name: counted.estimates(name) for name in counted.groups}
        return replace(self, metrics=metrics.estimates(counted.total), groups=groups)


def load_baseline(path: str | Path) -> Baseline:
    try:
        earlier = msgspec.json.decode(Path(path).read_bytes(), type=Baseline)
        parts = (earlier.metrics, *(numbers for values in earlier.groups.values() for numbers in values.values()))
        if any(min(one.numerator, one.denominator) < 0 for numbers in parts for one in numbers.values()):
            raise msgspec.ValidationError("a number of answers is below 0")
    except (OSError, *UNREADABLE) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        hint = "write it with `surefoot score ... --json > baseline.json`"
        raise UsageError(f"the baseline {path} cannot be read: {reason}", hint) from error
    return earlier


def pair(before: Baseline, outcomes: Outcomes, alike: Mapping[str, str]) -> tuple[int, tuple[dict[str, str], ...]]:
    """How many questions have a label in both runs, and those whose labels differ. An edited question is paired with
    the one that it replaces."""
    then, now = defaultdict[str, list[str]](list), defaultdict[tuple[str, str], list[str]](list)
    for row in before.rows:
        then[row.qid].append(row.label)
    for question, outcome, times in outcomes:
        if (was := alike.get(question.id, str(question.metadata.get("replaces", "")))) in then:
            now[question.id, was] += [label(outcome)] * times
    moved = []
    for (qid, was), labels in now.items():
        a, b = (", ".join(sorted(some)) for some in (then[was], labels))
        good, better = (sum(one in ACCEPTABLE for one in some) / len(some) for some in (then[was], labels))
        way = "worse" if better < good else "better" if better > good else "other"
        if a != b:
            moved.append({"question_id": qid, "was": was, "baseline": a, "candidate": b, "way": way})
    return len(now), tuple(moved)


class Behind(Struct):
    """The questions that fail a rule: the first of them by name, all of them counted."""

    named: list[str] = field(default_factory=list)
    count: int = 0
    last: str | None = None

    def add(self, question_id: str) -> None:
        """Attempts at one question come one after the other."""
        if question_id == self.last:
            return
        self.last = question_id
        self.count += 1
        if len(self.named) < QUESTIONS_NAMED:
            self.named.append(question_id)


class Counted(Struct):
    total: Tally = field(default_factory=Counter)
    groups: dict[str, dict[str, Tally]] = field(default_factory=dict)
    behind: list[Behind] = field(default_factory=list)  # each rule
    advice: AdviceLog = field(default_factory=AdviceLog)

    @property
    def labels(self) -> Counter[str]:
        counted: Counter[str] = Counter()
        for outcome, times in self.total.items():
            counted[label(outcome)] += times
        return counted

    def estimates(self, name: str) -> dict[str, dict[str, Estimate]]:
        """All metrics for each group of questions that share a value of a field."""
        return {value: metrics.estimates(tally) for value, tally in sorted(self.groups[name].items())}


def count(outcomes: Outcomes, rules: Sequence[Rule], by: Sequence[str]) -> Counted:
    names = dict.fromkeys([*by, *(rule.group_key[0] for rule in rules if rule.group_key)])
    counted = Counted(groups={name: {} for name in names}, behind=[Behind() for _ in rules])
    failed_by: dict[Outcome, list[int]] = {}  # the rules that count an outcome against the pipeline
    for question, outcome, times in outcomes:
        if not question.gold_claims:
            outcome = outcome._replace(contained=None)
        counted.total[outcome] += times
        for name, tallies in counted.groups.items():
            tallies.setdefault(question.group(name), Counter())[outcome] += times
        counted.advice.add(question.id, outcome)
        if outcome not in failed_by:
            scored = [(i, SCORED[rule.metric]) for i, rule in enumerate(rules) if rule.metric in SCORED]
            failed_by[outcome] = [i for i, metric in scored if metric.fails(outcome)]
        for i in failed_by[outcome]:
            group = rules[i].group_key
            if group is None or question.group(group[0]) == group[1]:
                counted.behind[i].add(question.id)
    return counted


def decide(
    rules: Sequence[Rule], counted: Counted, shared: Counted, before: Baseline | None, problems: ProblemLog
) -> Decision:
    """`shared` are the questions that the baseline was asked too: rules against it are judged by these."""

    def check(place: int, rule: Rule) -> Check:
        of = shared if rule.on_baseline else counted
        found = gates.check(rule, _fact(rule, of), before.find(rule) if before else None)
        return replace(found, questions=tuple(of.behind[place].named), question_count=of.behind[place].count)

    checks = [check(place, rule) for place, rule in enumerate(rules)]
    incomplete = [in_words(times, kind) for kind, times in problems.serious.items()]
    if not any(outcome.usable for outcome in counted.total):
        incomplete.append("nothing was scored")
        checks = [_unscored(check) for check in checks]
    return gates.decide(checks, incomplete)


def _fact(rule: Rule, counted: Counted) -> Estimate | None:
    if rule.metric not in SCORED:
        return None
    if rule.group_key is None:
        return metrics.estimate(SCORED[rule.metric], counted.total)
    (name, value), groups = rule.group_key, counted.groups
    if value not in groups[name]:
        known = ", ".join(sorted(filter(None, groups[name]))) or "none"
        return Estimate(0, 0, reason=f"no question has {name} {value!r} (there are: {known})")
    return metrics.estimate(SCORED[rule.metric], groups[name][value])


def _unscored(check: Check) -> Check:
    """With no usable answer at all, a rule that fails or passes says nothing about the pipeline."""
    if check.status not in ("fail", "pass"):
        return check
    return replace(check, status="undecidable", reason="nothing was scored")
