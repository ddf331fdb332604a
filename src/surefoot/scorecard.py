"""The scorecard: all that scoring found but the rows. Reports are drawn from it, `--json` prints it."""

from __future__ import annotations

from msgspec import Struct

from surefoot.core.intervals import difference, questions_to_be_sure
from surefoot.core.types import Estimate, ProblemLog
from surefoot.gate.rules import COMPLETENESS, Decision
from surefoot.outcomes import Advice

_WIDEST = 0.5  # of a 95 % interval; five out of five good answers give a narrower one
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
    has_gold: bool = True  # False for a log without a question set


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
    baseline_groups: Groups = {}
    shared: dict[str, Estimate] = {}  # metrics over the questions that the baseline was asked too
    paired: int | None = None  # questions with a label in both runs; None where the baseline has no rows
    moved: tuple[dict[str, str], ...] = ()  # those whose labels differ

    @property
    def too_few(self) -> str | None:
        """Return why a SHIP is not meaningful: a rate it rests on has an interval wider than half."""
        rates = {one.rule.metric: one.seen for one in self.decision.checks if one.seen}
        widths = {name: (rate.high or 0.0) - (rate.low or 0.0) for name, rate in rates.items() if name != COMPLETENESS}
        metric = max(widths, key=lambda name: widths[name], default="")
        if self.decision.outcome != "SHIP" or not metric or widths[metric] <= _WIDEST:
            return None
        rate, least, asked = rates[metric], questions_to_be_sure(1, 1 - _WIDEST), self.settings.questions
        few = asked if asked < 2 * (least or 1) else rate.denominator
        return (
            f"{few} question{' is' if few == 1 else 's are'} too few to mean anything: {metric} is "
            f"{rate.numerator}/{rate.denominator}, which may be anything from {rate.low:.0%} to {rate.high:.0%}"
            f" (hint: score at least {least} questions of each kind)"
        )

    def before(self, field: str, value: str, metric: str) -> Estimate | None:
        """What an earlier run had for a part of the questions."""
        return self.baseline_groups.get(field, {}).get(value, {}).get(metric)

    def changes(self) -> dict[str, object]:
        """By metric, and under `groups` the same by field and value."""
        found: dict[str, object] = {
            name: difference(now, (self.baseline or {}).get(name)) for name, now in self.shared.items()
        }
        found["groups"] = {
            field: {
                value: {name: difference(now, self.before(field, value, name)) for name, now in metrics.items()}
                for value, metrics in values.items()
            }
            for field, values in self.groups.items()
        }
        return found
