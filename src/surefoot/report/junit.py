"""JUnit XML for CI systems: red exactly when the gate is red.

Every rule is a test case. A question that is not acceptable fails only if a failed rule is about it; otherwise it
is shown as skipped, with its label, so that a passing gate gives a green build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from markupsafe import escape

from surefoot.core.types import GOOD
from surefoot.core.words import counted, plain
from surefoot.gate.rules import Check, Decision
from surefoot.report.blocks import change_words, seen

if TYPE_CHECKING:
    from surefoot.outcomes import ScoredRow
    from surefoot.scoring.run import Scorecard

_UNFINISHED = ("MISSING", "ERROR", "DUPLICATE")
# Which labels pull which metric the wrong way: enough to tell why a question is red.
_LABELS_BEHIND = {
    "precision": ("ANS_NO_HIT", "HALLUCINATION", "PARTIAL_REFUSAL"),
    "over_refusal": ("OVER_REFUSAL",),
    "under_refusal": ("HALLUCINATION", "PARTIAL_REFUSAL"),
    "citation_hit_rate": ("ANS_NO_HIT", "OVER_REFUSAL"),
}


def of_decision(decision: Decision) -> Iterator[str]:
    """Of two versions that were compared: the rules alone, which name the questions behind them."""
    yield from _opening(decision)
    yield "</testsuites>"


def render(card: Scorecard, rows: Iterable[ScoredRow]) -> Iterator[str]:
    checks = card.decision.checks
    yield from _opening(card.decision)
    red = {label for check in checks if check.status == "fail" for label in _LABELS_BEHIND.get(check.rule.metric, ())}
    unfinished = {*_UNFINISHED} if any(c.status == "incomplete" for c in checks) else set[str]()
    counts = card.labels
    yield (
        f'<testsuite name="surefoot.questions" tests="{sum(counts.values())}"'
        f' failures="{sum(counts.get(label, 0) for label in red)}"'
        f' errors="{sum(counts.get(label, 0) for label in unfinished)}">'
    )
    for row in rows:
        yield _question_case(row, red, unfinished)
    yield "</testsuite>"
    yield "</testsuites>"


def _opening(decision: Decision) -> Iterator[str]:
    kinds = [_kind(check) for check in decision.checks] + ["error"] * bool(decision.incomplete)
    failed, errors = kinds.count("failure"), kinds.count("error")
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites name="surefoot">'
    yield f'<testsuite name="surefoot.gate" tests="{len(kinds)}" failures="{failed}" errors="{errors}">'
    yield from map(_rule_case, decision.checks)
    if decision.incomplete:
        message = _quoted(plain("; ".join(decision.incomplete), 400))
        yield f'<testcase classname="surefoot.gate" name="complete"><error message={message}/></testcase>'
    yield "</testsuite>"


def _kind(check: Check) -> str:
    """What a rule is to a reader of JUnit; "" for one that holds."""
    if check.waiver is not None:
        return "skipped"
    return {"pass": "", "fail": "failure", "not_applicable": "skipped"}.get(check.status, "error")


def _rule_case(check: Check) -> str:
    name = _quoted(plain(f"{check.rule.name}: {check.rule.text}"))
    head = f'<testcase classname="surefoot.gate" name={name}'
    asked = counted(check.question_count, "question")
    behind = f"; {asked} behind it: {', '.join(check.questions[:12])}" if check.questions else ""
    waived = f"waived: {check.waiver}; " if check.waiver is not None else ""
    told = change_words(check.rule.metric, check.change) if check.change else f"seen {seen(check.seen)}"
    message = _quoted(plain(f"{waived}{told}{behind}{'; ' if check.reason else ''}{check.reason}", 400))
    kind = _kind(check)
    return f"{head}><{kind} message={message}/></testcase>" if kind else f"{head}/>"


def _question_case(row: ScoredRow, red: set[str], unfinished: set[str]) -> str:
    where = f' file={_quoted(plain(row.source))} line="{row.line}"' if row.source else ""
    head = f'<testcase classname="surefoot.questions" name={_quoted(plain(row.qid))}{where}'
    if row.label in GOOD:
        return f"{head}/>"
    kind = "failure" if row.label in red else "error" if row.label in unfinished else "skipped"
    detail = f"{row.label}: {row.reason}" if row.reason else row.label
    return f"{head}><{kind} message={_quoted(plain(detail))}/></testcase>"


def _quoted(text: str) -> str:
    return f'"{escape(text)}"'
