"""The scorecard: all that scoring found but the rows. Reports are drawn from it, `--json` prints it."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from surefoot.advice import Advice
from surefoot.gate.rules import Check, Decision
from surefoot.problems import ProblemLog
from surefoot.types import Estimate

Groups = dict[str, dict[str, dict[str, Estimate]]]  # field -> value -> metric -> estimate


class Accounting(Struct, frozen=True):
    """Rows in = rows accounted for: rows is the sum of everything below it."""

    rows: int
    scored: int
    set_aside: int  # other attempts at a question, under --rerun first or last
    spans: int  # span rows, put together into traces that are rows of their own
    left_out: dict[str, int]  # by kind of problem


class Settings(Struct, frozen=True):
    questions: int
    questions_sha256: str
    rerun: str
    refusal: str
    by: tuple[str, ...]


class Scorecard(Struct, frozen=True):
    metrics: dict[str, Estimate]
    labels: dict[str, int]
    groups: Groups
    decision: Decision
    advice: tuple[Advice, ...]
    accounting: Accounting
    problems: ProblemLog
    settings: Settings
    baseline: dict[str, Estimate] | None = None  # of an earlier run; None where none was given

    def to_json(self) -> dict[str, object]:
        """Plain JSON values under the names that are promised to users."""
        return {
            "metrics": _estimates(self.metrics),
            **({} if self.baseline is None else {"baseline": _estimates(self.baseline)}),
            "labels": self.labels,
            "groups": {
                field: {value: _estimates(metrics) for value, metrics in values.items()}
                for field, values in self.groups.items()
            },
            "gate": {
                "outcome": self.decision.outcome,
                "exit_code": int(self.decision.exit_code),
                "checks": [_check(check) for check in self.decision.checks],
                "incomplete": list(self.decision.incomplete),
            },
            "next": msgspec.to_builtins(self.advice),
            "input": {
                **msgspec.to_builtins(self.accounting),
                "problem_counts": dict(self.problems.counts),
                "problems": msgspec.to_builtins(self.problems.all_named),
            },
            "settings": msgspec.to_builtins(self.settings),
        }


def _estimates(estimates: dict[str, Estimate]) -> dict[str, object]:
    return {name: _estimate(estimate) for name, estimate in estimates.items()}


def _estimate(estimate: Estimate) -> dict[str, object]:
    value = estimate.value
    return {
        "value": None if value is None else float(value),
        "numerator": estimate.numerator,
        "denominator": estimate.denominator,
        "low": estimate.low,
        "high": estimate.high,
        **({"reason": estimate.reason} if estimate.reason else {}),
    }


def _check(check: Check) -> dict[str, object]:
    return {
        "name": check.rule.name,
        "rule": check.rule.text,
        "status": check.status,
        "seen": None if check.seen is None else _estimate(check.seen),
        "limit": None if check.limit is None else float(check.limit),
        "questions_to_be_sure": check.to_be_sure,
        "reason": check.reason,
        "questions": list(check.questions),
        "question_count": check.question_count,
    }
