"""The gate: rules on measured numbers, and the decision they lead to.

    rule  := metric [ "[" group "]" ] [ "." low | high ]  op  limit
    op    := ">=" | "<=" | ">" | "<" | "=="
    limit := number [ unit ] | "baseline" [ ("+" | "-") number [ unit ] ] | metric
    unit  := "%" | "points"

A group is a stratum, or `field=value`. A rule with a limit of its own compares exact fractions; nothing is rounded
before it is judged. One against the baseline is judged by the change and its interval (`looks.py`), and the number in
it is the margin: what may be borne. The two on questions that changed for good compare counts.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from surefoot.core.errors import ExitCode, UsageError, nearest
from surefoot.core.intervals import questions_to_be_sure
from surefoot.core.rubric import AXIS_PREFIX, conditional_axes, council_axes
from surefoot.core.types import Estimate
from surefoot.gate.metrics import METRICS, metric_named

Status = Literal["pass", "fail", "incomplete", "undecidable", "not_applicable"]
Verdict = Literal["SHIP", "BLOCK", "INCONCLUSIVE"]

# A rule on this metric fails as "incomplete": the run is unfinished rather than bad.
COMPLETENESS = "coverage"

DEFAULT_GROUP = "stratum"

_RULE = re.compile(
    r"\s*(?P<metric>council\.\w+|[a-z_]+)\s*(?:\[(?P<group>[^\]]+)\])?\s*(?:\.(?P<bound>low|high))?"
    r"\s*(?P<op>>=|<=|==|>|<)\s*(?P<baseline>baseline)?\s*(?P<sign>[+-])?\s*"
    r"(?P<number>\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})?\s*(?P<unit>%|points?\b)?\s*"
)
LASTING = {f"newly_{bucket}": f"mended_{bucket}" for bucket in ("wrong", "unsupported")}
_LASTING_RULE = re.compile(rf"\s*({'|'.join(LASTING)})\s*<=\s*({'|'.join(LASTING.values())})\s*")
_OPERATORS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq,
}  # fmt: skip


class Rule(Struct, frozen=True):
    name: str
    text: str
    metric: str
    group: str | None
    bound: Literal["low", "high"] | None
    op: str
    limit: Fraction
    on_baseline: bool

    @classmethod
    def parse(cls, text: str, name: str = "") -> Rule:
        words = " ".join(text.split())
        if (lasting := _LASTING_RULE.fullmatch(text)) and LASTING[lasting[1]] == lasting[2]:
            return cls(name or text, words, lasting[1], None, None, "<=", Fraction(0), on_baseline=True)
        match = _RULE.fullmatch(text)
        number, baseline = (match["number"], match["baseline"]) if match else (None, None)
        if match is None or not (number or baseline) or bool(match["sign"]) != bool(baseline and number):
            raise UsageError(
                f"the rule {name + ': ' if name else ''}{text!r} cannot be read",
                "write it like `precision >= 0.80` or `wrong[adversarial] <= baseline + 3 points`",
            )
        metric = match["metric"]
        if (known := metric_named(metric)) is None:
            hint = nearest(metric, METRICS) or f"the metrics are {', '.join(METRICS)}"
            raise UsageError(f"the rule {text!r} is on an unknown metric, {metric!r}", hint)
        limit = Fraction(number or 0) / (100 if match["unit"] else 1)
        if known.shape == "share" and limit > 1:
            raise UsageError(f"the rule {text!r} can never be met: rates end at 1", f"write {number}% for per cent")
        if baseline and (match["bound"] or match["op"] not in ("<=", ">=")):
            message = f"the rule {text!r} cannot be judged: a change is held against a margin"
            raise UsageError(message, f"write {metric} <= baseline + 3 points, or >= baseline - 3 points")
        bound: Literal["low", "high"] | None = match["bound"]  # type: ignore[assignment]
        return cls(
            name or text, words, metric, match["group"] and match["group"].strip(), bound,
            match["op"], -limit if match["sign"] == "-" else limit, bool(baseline),
        )  # fmt: skip

    @property
    def is_in_shares(self) -> bool:
        """True for a limit that is a share, also where the metric is a count."""
        return self.text.endswith(("%", "point", "points")) or abs(self.limit) < 1

    @property
    def is_bounded_above(self) -> bool:
        """True for a rule that more of its metric can break."""
        return self.op in ("<=", "<")

    @property
    def group_key(self) -> tuple[str, str] | None:
        """The field and value a group stands for: `adversarial` means the stratum of that name."""
        if self.group is None:
            return None
        field, equals, value = self.group.partition("=")
        return (field.strip(), value.strip()) if equals else (DEFAULT_GROUP, self.group)


def unscored(rule: Rule, axis: str, measured: Iterable[str]) -> str:
    """Why a rule on a council's scores cannot be decided: nobody has scored this axis.

    Where a council has sat, what its rubric does not have is a slip: no further council would score it. Before that a
    rubric of one's own may have it, and what looks like a slip is only told, so that nobody pays for a council first.
    """
    scored = sorted(name for name in measured if name.startswith(AXIS_PREFIX))
    dimensions = [name.removeprefix(AXIS_PREFIX) for name in scored or sorted(council_axes())]
    meant = nearest(axis.removeprefix(AXIS_PREFIX), dimensions).replace("mean ", f"mean {AXIS_PREFIX}")
    if scored and axis not in conditional_axes():
        message = f"the rule {rule.text!r} is on {axis}, which the council did not score"
        raise UsageError(message, f"{meant} the council scored {', '.join(scored)}".lstrip())
    if axis in council_axes():
        return f"no council has scored {axis}: surefoot council RUN..."
    return f"no council has scored {axis}, and no bundled rubric has it" + (f" ({meant})" if meant else "")


class Check(Struct, frozen=True):
    """One rule, what was seen, and why it passes or not."""

    rule: Rule
    status: Status
    seen: Estimate | None = None  # of the candidate
    limit: Fraction | None = None
    to_be_sure: int | None = None  # questions that would settle it if the rate stays as seen
    reason: str = ""
    questions: tuple[str, ...] = ()  # the ids behind it, at most QUESTIONS_NAMED
    question_count: int = 0
    before: Estimate | None = None  # of the baseline

    def row(self) -> dict[str, Any]:
        """What `--json` prints of every rule."""
        kept = ("status", "seen", "reason", "questions", "question_count")
        limit = None if self.limit is None else float(self.limit)
        return {"name": self.rule.name, "rule": self.rule.text, "limit": limit} | {
            name: getattr(self, name) for name in kept
        }


class Decision(Struct, frozen=True):
    """What `score` decides on one log."""

    outcome: Verdict
    exit_code: ExitCode
    checks: tuple[Check, ...]
    incomplete: tuple[str, ...] = ()  # why the run is not complete, beside the rules


def check(rule: Rule, seen: Estimate | None, before: Estimate | None) -> Check:
    """A rule against what was seen now and before; None where nothing measures what it is about."""
    return replace(_check(rule, seen, before), before=before)


def _check(rule: Rule, seen: Estimate | None, before: Estimate | None) -> Check:
    if seen is None and before is None:
        return Check(rule, "not_applicable", reason="this run does not measure it")
    if seen is None or seen.exact is None:
        return Check(rule, "undecidable", seen, reason=(seen and seen.reason) or "this run does not measure it")
    limit = rule.limit
    if rule.on_baseline:
        if before is None or before.exact is None:
            what = f"no {rule.metric} for {rule.group}: score it --by that field" if rule.group else "nothing of this"
            return Check(rule, "undecidable", seen, reason=f"the baseline has {what}")
        limit += before.exact
    value = seen.exact if rule.bound is None else getattr(seen, rule.bound)
    if value is None:
        return Check(rule, "undecidable", seen, limit, reason=f"it has no {rule.bound} bound")
    needed = questions_to_be_sure(float(seen.exact), float(limit)) if seen.low is not None else None
    if _OPERATORS[rule.op](Fraction(value), limit):
        return Check(rule, "pass", seen, limit, needed)
    return Check(rule, "incomplete" if rule.metric == COMPLETENESS else "fail", seen, limit, needed)


def decide(checks: Sequence[Check], incomplete: Sequence[str] = ()) -> Decision:
    outcome, code = outcome_of([(check.rule.metric, check.status) for check in checks], incomplete)
    return Decision(outcome, code, tuple(checks), tuple(incomplete))


def outcome_of(found: Iterable[tuple[str, Status]], incomplete: Sequence[str] = ()) -> tuple[Verdict, ExitCode]:
    """SHIP only when at least one rule passes and none fails, is unfinished or lacks its data.

    That all is graded says nothing about how it was answered: where no other rule applies, nothing ships.
    """
    every = list(found)
    statuses = {status for _, status in every}
    if "fail" in statuses:
        return "BLOCK", ExitCode.BLOCKED
    if "incomplete" in statuses or incomplete:
        return "INCONCLUSIVE", ExitCode.INCOMPLETE
    others = {status for metric, status in every if metric != COMPLETENESS}
    if "undecidable" in statuses or "pass" not in statuses or others == {"not_applicable"}:
        return "INCONCLUSIVE", ExitCode.INCONCLUSIVE
    return "SHIP", ExitCode.OK
