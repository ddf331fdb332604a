"""A candidate against a baseline: all rules, the decision they lead to, and all that reports show."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import Incomplete, UsageError
from surefoot.core.rubric import AXIS_PREFIX
from surefoot.core.types import Estimate, Problem, check_group_fields
from surefoot.gate import counts, trust
from surefoot.gate import rules as gate
from surefoot.gate import sides as versions
from surefoot.gate.change import DRAWS
from surefoot.gate.counts import Counted, Pair
from surefoot.gate.judge import GroupChange, Judge, Request
from surefoot.gate.metrics import metric_named
from surefoot.gate.next_steps import Waiting, next_steps
from surefoot.gate.overview import Fault, faults
from surefoot.gate.rules import Change, Decision, Rule
from surefoot.gate.sides import SIDES, Run, Side, SideName
from surefoot.gate.trust import Trust


class Comparison(Struct, frozen=True, kw_only=True):
    names: dict[SideName, str]
    runs: dict[SideName, list[str]]
    graders: dict[SideName, list[str]]
    decision: Decision
    request: Request
    alpha: float  # what is left of it at this look
    buckets: dict[SideName, Counted]
    by_stratum: dict[str, dict[SideName, Counted]]
    measures: dict[SideName, dict[str, Estimate]]
    changes: dict[str, Change]  # of every metric
    by_group: dict[str, dict[str, dict[str, GroupChange]]]  # field -> value -> metric
    pairs: tuple[Pair, ...]  # the worst first
    faults: tuple[Fault, ...]  # of the candidate
    problems: tuple[Problem, ...]
    trust: Trust
    failed_checks: dict[str, str]  # by grader: what it misread of answers of known label
    labelled: dict[SideName, int]  # answers on which labels count instead of verdicts
    label_next: tuple[Waiting, ...]  # answers whose labels would most likely decide
    next_steps: tuple[str, ...]
    against_itself: bool = False  # the two runs are one

    @property
    def moved(self) -> tuple[Pair, ...]:
        """The answers that changed their bucket."""
        return tuple(pair for pair in self.pairs if pair.has_moved)


def compare(base: Sequence[Run], cand: Sequence[Run], rules: Sequence[Rule], request: Request) -> Comparison:
    """Hold the candidate's runs against the baseline's and decide by the rules."""
    _check_request(rules, request)
    base, cand = [versions.labels_apart(run) for run in base], [versions.labels_apart(run) for run in cand]
    keys = "base", "cand"
    if base == cand:  # nothing has changed, so nothing is uncertain
        base = cand = [replace(run, deterministic=True) for run in base]
        keys = "both", "both"
    _check_runs(base, cand, rules)
    asked, notes = versions.asked_of(base, cand)
    check_group_fields(request.by, filter(None, asked.values()))
    sides: dict[SideName, Side] = {
        "base": versions.side_of(base, asked, keys[0]),
        "cand": versions.side_of(cand, asked, keys[1]),
    }
    judge = Judge(sides, asked, request, sum(rule.on_baseline for rule in rules))
    checks = [judge.waived(judge.check(rule)) for rule in rules]
    failed = trust.failed_checks(run for side in sides.values() for run in side.runs)
    checks += trust.self_check(failed)
    decision = gate.decide(checks, [*trust.unusable((*base, *cand)), *trust.ungraded(sides, checks)])
    left = [] if decision.outcome == "BLOCK" else [check.rule.name for check in checks if check.waiver is None]
    opened = [judge.opened[name] for name in left if name in judge.opened]
    unchecked = {name: judge.unchecked[name] for name in left if name in judge.unchecked}
    label_next, steps = next_steps(opened, unchecked, sides)
    pairs = counts.pairs_of(sides["base"], sides["cand"], asked)
    return Comparison(
        names={name: side.name for name, side in sides.items()},
        runs={name: [run.name for run in side.runs] for name, side in sides.items()},
        graders={name: sorted(trust.graders_of(side.runs)) for name, side in sides.items()},
        decision=decision,
        request=replace(request, notes=(*request.notes, *notes)),
        alpha=judge.alpha,
        buckets={name: counts.buckets(side, asked) for name, side in sides.items()},
        by_stratum=counts.by_stratum(sides, asked),
        measures={name: judge.measures(name) for name in SIDES},
        changes=judge.changes(asked, DRAWS) | {
            check.rule.metric: check.change for check in checks if check.change and check.rule.group is None
        },
        by_group={field: judge.by_group(field) for field in dict.fromkeys((gate.DEFAULT_GROUP, *request.by))},
        pairs=counts.worst_first(pairs),
        faults=faults((said, asked[said.question_id]) for said in sides["cand"].all_answers()),
        problems=trust.problems_of(sides),
        trust=trust.trust_in(sides, asked),
        failed_checks=failed,
        labelled={name: sum(any(map(said.is_labelled, said.verdicts)) for said in side.all_answers() if said.graded)
                  for name, side in sides.items()},
        label_next=label_next,
        next_steps=(*trust.unasked(trust.problems_of(sides)), *steps,
                    *trust.self_check_step(run for side in sides.values() for run in side.runs)),
    )  # fmt: skip


def _is_of_council(rule: Rule) -> bool:
    metric = metric_named(rule.metric)
    return metric is not None and (metric.axis or "").startswith(AXIS_PREFIX)


def _check_runs(base: Sequence[Run], cand: Sequence[Run], rules: Sequence[Rule]) -> None:
    """All are of one kind, and graded: a council's scores put no answer into a bucket, and serve its own rules only."""
    for run in (*base[:-1], *cand):
        versions.check_alike(base[-1], run)
    of_buckets = [rule for rule in rules if not _is_of_council(rule)]
    for run in (*base, *cand) if of_buckets else ():
        if run.verdicts and all(verdict.axis.startswith(AXIS_PREFIX) for verdict in run.verdicts):
            message = (
                f"the run {run.name} has only a council's scores, and the rule {of_buckets[0].text!r} asks for verdicts"
            )
            raise Incomplete(message, f"grade it first: surefoot grade {run.name}")


def _check_request(rules: Sequence[Rule], request: Request) -> None:
    names = [rule.name for rule in rules]
    for name, reason in request.waivers.items():
        if name not in names:
            raise UsageError(f"no rule is named {name!r}, so it cannot be waived", f"the rules are {', '.join(names)}")
        if not reason.strip():
            raise UsageError(f"the waiver of {name!r} gives no reason", "say why with --reason")
    for rule in rules:
        if rule.on_baseline and rule.bound:
            message = f"the rule {rule.text!r} asks for a bound, and a change is judged by its interval anyway"
            raise UsageError(message, f"write {rule.text.replace('.' + rule.bound, '')}")
